//! The main behaviours of the screen.

use std::time::Duration;

use super::approvals;
use super::fixture::*;
use crate::action::{Action, Scope};
use crate::app::flow::ending::DemoEnding;
use crate::app::{DemoStart, Effect};
use crate::bindings::{self, DEMO};
use crate::domain::Stamp;
use crate::domain::dialogs::background::{Background, BackgroundState};
use crate::domain::teams::notices::NewsKind;
use crate::domain::text::Localized;
use crate::lists::{
    change_to_approve, copy_parts, entry, key_sets, memories, memory, notice, task, tasks, teams,
    themes, trigger, triggers, vault,
};
use crate::model::Mark;
use crate::panes::{
    changes, composer, confirm, consent, inbox, log, mind, sheet, timeline, transcript, tree, usage,
};
use crate::protocol::event::QueuedMessage;
use crate::protocol::{Command, DriverEvent, MindView, QuietOutcome, TreeRow, WorkspaceView};
use crate::theme::Glyphs;
use crate::user_settings::SettingOptions;

fn answers(stage: &Stage) -> Vec<(u64, &str, &str)> {
    let sent = stage.sent.iter();
    sent.filter_map(|command| {
        let Command::Answer { ticket, question, text, .. } = command else {
            return None;
        };
        Some((*ticket, question.as_str(), text.as_str()))
    })
    .collect()
}

/// A stage with the focus in this scope.
fn focused(scope: Scope) -> Stage {
    let mut stage = streaming(120, 40);
    stage.app.model.detaches = true;
    stage.keys("1 g j j <enter>").page(DBA_STORY).keys("1 k <enter>").page(STORY);
    let queued = QueuedMessage { message: "m".into(), text: "wait".into(), images: Vec::new() };
    let main = TreeRow { queued: [queued].into(), ..rows().remove(0) };
    stage.apply(DriverEvent::Row(Box::new(main)));
    stage.apply(DriverEvent::Processes(vec![Background {
        pid: 4300,
        agent: "dba".into(),
        command: "make db".to_owned(),
        shell: "/bin/bash".to_owned(),
        started_at: Stamp::new("2026-11-21 12:00:00"),
        state: BackgroundState::Running,
    }]));
    stage.apply(DriverEvent::Teams(teams::tests::teams()));
    stage.apply(DriverEvent::Tasks(tasks::tests::rows()));
    stage.apply(DriverEvent::Triggers(triggers::tests::rows()));
    let is_on = WorkspaceView { has_memory: true, has_vault: true, ..workspace() };
    stage.apply(DriverEvent::Workspace(is_on));
    let keys = key_sets::tests::options();
    stage.offer(SettingOptions { keys, ..themes::tests::options() });
    let keys = [
        (Scope::ANYWHERE, "1"),
        (Scope::PANES, "1"),
        (tree::SCOPE, "1"),
        (inbox::SCOPE, "<alt+2>"),
        (transcript::SCOPE, "3"),
        (composer::SCOPE, "3 i"),
        (sheet::SCOPE, "3 r"),
        (changes::SCOPE, "3 m"),
        (timeline::SCOPE, "3 w"),
        (usage::SCOPE, "3 $"),
        (mind::SCOPE, "1 @"),
        (log::SCOPE, "1 J"),
        (consent::SCOPE, "1 W"),
        (copy_parts::SCOPE, "3 p"),
        (confirm::SCOPE, "1 q"),
        (DEMO, "1"),
    ];
    if scope == change_to_approve::SCOPE {
        stage.apply(DriverEvent::Inbox(vec![approvals::row()])).keys("<alt+2> g d");
    } else if scope == notice::SCOPE {
        stage.apply(DriverEvent::News(vec![notice::tests::item("n-1", NewsKind::Notice, "Go")]));
        stage.keys("<alt+2> G t");
    } else if scope == task::SCOPE {
        tasks::tests::show_whole(&mut stage);
    } else if scope == trigger::SCOPE {
        stage.keys("1 <alt+6> o");
    } else if scope == memories::SCOPE {
        memories::tests::show(&mut stage);
    } else if scope == memory::SCOPE {
        memories::tests::show_whole(&mut stage);
    } else if scope == vault::SCOPE {
        vault::tests::show(&mut stage);
    } else if scope == entry::SCOPE {
        vault::tests::show_whole(&mut stage);
    } else if let Some((_, keys)) = keys.iter().find(|(known, _)| *known == scope) {
        stage.keys(keys);
    } else {
        let opens = bindings::all().iter().find(|one| one.action == Action::Show(scope));
        stage.keys("1").key_named(opens.expect("a way to open it").keys[0]);
    }
    if scope == mind::SCOPE {
        stage.keys("<enter>");
        answer_mind(&mut stage);
    }
    answer_log(&mut stage);
    answer_shelf(&mut stage);
    if scope == DEMO {
        stage.app.ending = DemoEnding::of_demo("That was the demo.", DemoStart::Now);
        stage.apply(DriverEvent::Quiet(QuietOutcome::Done));
    }
    stage
}

/// Answers requests for the log.
fn answer_log(stage: &mut Stage) {
    let asked = stage.sent.iter().filter_map(|command| {
        let Command::Log { ticket } = command else { return None };
        Some(*ticket)
    });
    for ticket in asked.collect::<Vec<_>>() {
        stage.apply(DriverEvent::Log { ticket, log: Box::default() });
    }
}

/// Answers the request for what a member is told.
fn answer_mind(stage: &mut Stage) {
    let asked = stage.sent.iter().find_map(|command| {
        let Command::Mind { ticket, agent } = command else { return None };
        Some((*ticket, agent.clone()))
    });
    let (ticket, agent) = asked.expect("a request");
    let mind = MindView {
        agent,
        provider: String::new(),
        model: String::new(),
        settings: Vec::new(),
        system: "x\n".repeat(100),
        context: Vec::new(),
        tools: Vec::new(),
    };
    stage.apply(DriverEvent::Mind { ticket, mind: Box::new(mind) });
}

/// Answers requests for the done and archived dialogs.
fn answer_shelf(stage: &mut Stage) {
    let asked = stage.sent.iter().filter_map(|command| {
        let Command::Shelf { ticket } = command else { return None };
        Some(*ticket)
    });
    for ticket in asked.collect::<Vec<_>>() {
        stage.apply(DriverEvent::Shelf { ticket, rows: Vec::new() });
    }
}

/// The overlay that a binding of a pane opens, by the scope of its keys.
fn opens(action: Action) -> Option<Scope> {
    if let Action::Show(list) = action {
        return Some(list);
    }
    let known = [
        (Action::Help, transcript::SCOPE),
        (Action::OpenConsent, consent::SCOPE),
        (Action::NewDialog, composer::SCOPE),
        (Action::Reminders, sheet::SCOPE),
        (Action::Taskdoc, sheet::SCOPE),
        (Action::Changes, changes::SCOPE),
        (Action::Timeline, timeline::SCOPE),
        (Action::Usage, usage::SCOPE),
        (Action::Log, log::SCOPE),
        (Action::Palette, composer::SCOPE),
        (Action::DeclareDead, composer::SCOPE),
        (Action::Retitle, composer::SCOPE),
        (Action::Filter, composer::SCOPE),
        (Action::PutOff, composer::SCOPE),
        (Action::Fork, composer::SCOPE),
        (Action::Find, composer::SCOPE),
        (Action::FindEverywhere, composer::SCOPE),
        (Action::MarkDone, confirm::SCOPE),
        (Action::Archive, confirm::SCOPE),
        (Action::Delete, confirm::SCOPE),
        (Action::StopAll, confirm::SCOPE),
        (Action::Dismiss, confirm::SCOPE),
        (Action::Quit, confirm::SCOPE),
        (Action::ClearDraft, confirm::SCOPE),
    ];
    known.into_iter().find(|(known, _)| *known == action).map(|(_, scope)| scope)
}

#[test]
fn every_binding_does_something_and_opens_the_overlay_it_is_for() {
    for binding in bindings::all() {
        let mut stage = focused(binding.scope);
        let in_pane = stage.app.overlays.is_empty();
        if binding.action == Action::DeclareDead {
            // Only a side dialog can be declared dead.
            stage.keys("j");
        }
        stage.screen();
        stage.key_named(binding.keys[0]);
        answer_shelf(&mut stage);
        answer_log(&mut stage);
        let screen = stage.screen();
        assert!(!screen.contains("does nothing here"), "{binding:?}\n{screen}");
        if in_pane {
            assert_eq!(stage.app.overlays.scope(), opens(binding.action), "{binding:?}\n{screen}");
        }
    }
}

#[test]
fn every_state_has_its_symbol_and_the_open_dialog_its_word() {
    for (row, mark) in rows().into_iter().zip([
        Mark::Running,
        Mark::Waiting,
        Mark::NeedsYou,
        Mark::Done,
        Mark::Stopped,
    ]) {
        let mut stage = Stage::new(120, 40);
        let dialog = row.dialog.clone();
        let row = TreeRow { asker: None, ..row };
        let shown =
            if row.title.is_empty() { format!("@{}", row.agent) } else { row.title.clone() };
        stage.apply(DriverEvent::Rows(vec![row])).apply(DriverEvent::Inbox(Vec::new()));
        if dialog.is_main() {
            stage.page(&[]);
        } else {
            stage.keys("g j <enter>").page(&[]);
        }
        let screen = stage.screen();
        let symbol = mark.glyph(&Glyphs::UTF8);
        let word = mark.word().in_lang(crate::domain::Lang::En);
        assert!(screen.contains(&format!("{symbol} {word}")), "{mark:?}\n{screen}");
        assert!(screen.contains(&format!("{symbol} {shown}")), "{mark:?}\n{screen}");
    }
}

#[test]
fn the_first_screen_is_the_oldest_question_with_its_draft() {
    let drafts = Notebook::with("answer/q1", "keep it, bec");
    let mut stage = Stage::with(120, 40, drafts, &Glyphs::UTF8);
    stage.apply(DriverEvent::Rows(rows())).apply(DriverEvent::Inbox(questions())).page(DBA_STORY);
    let screen = stage.screen();
    for text in ["answer 1 of 2 · @dba", "› keep it, bec", "draft restored", "? @dba asks"] {
        assert!(screen.contains(text), "{text}\n{screen}");
    }
}

#[test]
fn after_an_answer_comes_the_next_question_and_then_the_previous_position() {
    let mut stage = streaming(120, 40);
    stage.screen();
    stage.keys("<alt+a>").page(DBA_STORY).keys("b <enter>");
    let screen = stage.screen();
    assert!(screen.contains("answer 2 of 2 · @orchestrator"), "{screen}");
    stage.page(STORY).keys("postgres <enter>");
    let screen = stage.screen();
    assert!(screen.contains("all answered"), "{screen}");
    assert!(screen.contains("message to @orchestrator"), "{screen}");
    let sent: Vec<_> = answers(&stage).into_iter().map(|(_, q, text)| (q, text)).collect();
    assert_eq!(sent, [("q1", "keep it for 90 days, then drop"), ("q2", "postgres")]);
}

#[test]
fn escape_keeps_the_draft_and_returns() {
    let drafts = Notebook::default();
    let mut stage = Stage::with(120, 40, drafts.clone(), &Glyphs::UTF8);
    stage.apply(DriverEvent::Rows(rows())).apply(DriverEvent::Inbox(Vec::new())).page(STORY);
    stage.apply(DriverEvent::Inbox(questions()));
    stage.keys("<alt+a>").page(DBA_STORY).keys("half <esc>");
    assert_eq!(drafts.get("answer/q1").as_deref(), Some("half"));
    assert_eq!(stage.last_open().1, main_dialog());
    let screen = stage.page(STORY).screen();
    assert!(screen.contains("✎ 2m"), "{screen}");
    assert!(screen.contains("message to @orchestrator"), "{screen}");
}

#[test]
fn an_answer_stays_a_draft_until_it_is_on_disk_and_is_restored_when_refused() {
    for refused in [false, true] {
        let drafts = Notebook::default();
        let mut stage = Stage::with(120, 40, drafts.clone(), &Glyphs::UTF8);
        stage.apply(DriverEvent::Rows(rows()));
        stage.apply(DriverEvent::Inbox(vec![questions().remove(0)])).page(DBA_STORY);
        stage.keys("yes <enter>");
        assert_eq!(drafts.get("answer/q1").as_deref(), Some("yes"));
        let (ticket, ..) = answers(&stage)[0];
        if refused {
            stage.apply(DriverEvent::Refused {
                ticket,
                text: Localized::same("it was answered already"),
            });
            assert_eq!(drafts.get("answer/q1").as_deref(), Some("yes"));
            assert!(stage.screen().contains("it was answered already"));
            stage.keys("<alt+a>");
            assert!(stage.screen().contains("› yes"));
        } else {
            stage.apply(DriverEvent::Done { ticket, dialog: None });
            assert_eq!(drafts.get("answer/q1"), None);
        }
    }
}

#[test]
fn a_draft_is_saved_within_a_second_of_typing() {
    let drafts = Notebook::default();
    let mut stage = Stage::with(120, 40, drafts.clone(), &Glyphs::UTF8);
    stage.apply(DriverEvent::Rows(rows())).apply(DriverEvent::Inbox(Vec::new())).page(STORY);
    stage.keys("i hello").wait(Duration::from_secs(1));
    let key = format!("message/{}", main_dialog());
    assert_eq!(drafts.get(&key).as_deref(), Some("hello"));
    assert!(stage.app.wake_at().is_some_and(|wake| wake > stage.now));
}

#[test]
fn reopening_a_dialog_restores_the_position() {
    let mut stage = Stage::new(80, 24);
    stage.apply(DriverEvent::Rows(rows())).apply(DriverEvent::Inbox(Vec::new()));
    let long: Vec<String> = (0..50).map(|n| words(&format!("word {n}"))).collect();
    let long: Vec<&str> = long.iter().map(String::as_str).collect();
    stage.page(&long);
    stage.keys("3 <ctrl+u> <ctrl+u>");
    let before = stage.screen();
    assert!(!before.contains("word 49"));
    stage.keys("1 g j j <enter>").page(STORY).screen();
    stage.keys("<backspace>").page(&long);
    let after = stage.screen();
    let body = |screen: &str| -> Vec<String> {
        screen.lines().skip(2).take(18).map(|l| l.chars().skip(29).collect()).collect()
    };
    assert_eq!(body(&before), body(&after));
}

#[test]
fn unfolded_blocks_stay_unfolded_after_reopening() {
    let mut stage = streaming(120, 40);
    stage.keys("3 G").screen();
    stage.keys("(").screen();
    stage.keys("o");
    let opened = stage.screen();
    assert!(opened.contains("See line 40."), "{opened}");
    stage.keys("1 j <enter>").page(STORY).screen();
    stage.keys("<backspace>").page(STORY);
    assert!(stage.screen().contains("See line 40."));
}

#[test]
fn a_call_jumps_into_its_side_dialog_and_back() {
    let mut stage = streaming(120, 40);
    stage.keys("3 G").screen();
    stage.keys("(").screen();
    stage.keys("<enter>");
    assert_eq!(stage.last_open().1, side("v"));
    stage.page(&[]).keys("<backspace>");
    assert_eq!(stage.last_open().1, main_dialog());
}

#[test]
fn after_lost_events_everything_is_reloaded_at_the_same_position() {
    let mut stage = Stage::new(80, 24);
    stage.apply(DriverEvent::Rows(rows())).apply(DriverEvent::Inbox(Vec::new()));
    let long: Vec<String> = (0..50).map(|n| words(&format!("word {n}"))).collect();
    let long: Vec<&str> = long.iter().map(String::as_str).collect();
    stage.page(&long).keys("3 <ctrl+u> <ctrl+u>").screen();
    let before = stage.screen();
    stage.sent.clear();
    stage.apply(DriverEvent::Lagged);
    assert!(matches!(stage.sent[0], Command::Refresh));
    stage.page(&long);
    stage.wait(Duration::from_secs(5));
    let rows = |s: &str| s.lines().skip(2).take(17).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(rows(&stage.screen()), rows(&before));
}

#[test]
fn quitting_asks_only_while_a_dialog_runs() {
    let mut stage = streaming(120, 40);
    stage.keys("q n");
    assert!(!stage.app.take_effects().contains(&Effect::Quit));
    stage.keys("q").agree("y");
    assert!(stage.app.take_effects().contains(&Effect::Quit));
    // Elsewhere `s` stops the open dialog and `d` leaves the screen; this question offers neither here.
    let mut stage = streaming(120, 40);
    for key in ["s", "d"] {
        let screen = stage.keys(&format!("q {key}")).screen();
        assert!(screen.contains(&format!("{key} does nothing here")), "{screen}");
        let ended = [Effect::Quit, Effect::Detach];
        assert!(!stage.app.take_effects().iter().any(|one| ended.contains(one)), "{key}");
        assert_eq!(stage.app.overlays.count(), 1, "{key}: it still asks");
        stage.keys("n");
    }
    let mut idle = Stage::new(120, 40);
    idle.apply(DriverEvent::Rows(Vec::new())).apply(DriverEvent::Inbox(Vec::new())).keys("q");
    assert!(idle.app.take_effects().contains(&Effect::Quit));
}

#[test]
fn a_screen_drawn_again_is_the_same_and_requests_nothing() {
    let mut stage = streaming(120, 40);
    for keys in ["2", "3 k k", "? j", "<esc> T", "<esc> P", "<esc> n"] {
        stage.keys(keys);
        let once = stage.screen();
        stage.app.take_dirty();
        assert_eq!(stage.drawn_twice(), once, "{keys}");
        assert!(!stage.app.take_dirty() && stage.app.take_commands().is_empty(), "{keys}");
    }
}
