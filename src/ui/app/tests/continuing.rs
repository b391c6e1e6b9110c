//! The retry countdown, retry now, and keep-going.

use std::time::Duration;

use super::fixture::*;
use crate::app::Leaving;
use crate::domain::dialogs::keep_going::KeepGoingSwitch;
use crate::domain::safety::sandbox::Level;
use crate::domain::text::{Localized, Text};
use crate::domain::{DialogId, DisplayState, HealthLevel, Problem};
use crate::model::Tone;
use crate::protocol::{Command, DriverEvent, LOST, RetryView, TreeRow};
use crate::theme::Glyphs;

fn waiting(dialog: &DialogId, seconds: u64) -> DriverEvent {
    let retry =
        RetryView::Waiting { error: Localized::same("it is down"), seconds, server: String::new() };
    DriverEvent::Retry { dialog: dialog.clone(), retry }
}

fn tail(stage: &mut Stage) -> Option<String> {
    let screen = stage.screen();
    let line = screen.lines().find(|line| line.contains("next retry in"))?;
    let at = line.find("the model did not")?;
    Some(line[at..].to_owned())
}

#[test]
fn the_retry_countdown_changes_and_shows_its_key() {
    let mut stage = streaming(120, 40);
    stage.apply(waiting(&main_dialog(), 70));
    let shown = "the model did not answer; next retry in 2 min  R retry now  it is down";
    assert_eq!(tail(&mut stage).as_deref(), Some(shown));
    for (after, left) in [(10, "1 min"), (5, "55 s"), (5, "50 s"), (50, "0 s")] {
        stage.wait(Duration::from_secs(after));
        assert!(stage.app.take_dirty(), "{left}");
        let shown = tail(&mut stage).unwrap_or_default();
        assert!(shown.contains(&format!("next retry in {left} ")), "{shown}");
    }
    stage.apply(DriverEvent::Retry { dialog: main_dialog(), retry: RetryView::Running });
    assert!(stage.screen().contains("retrying"));
    stage.apply(DriverEvent::Retry { dialog: main_dialog(), retry: RetryView::Resolved });
    assert!(!stage.screen().contains("retrying"));
}

#[test]
fn nothing_is_drawn_between_two_changes_of_the_countdown() {
    let mut stage = streaming(120, 40);
    stage.apply(waiting(&main_dialog(), 60)).screen();
    stage.app.take_dirty();
    let moves = stage.app.wake_at().expect("it moves");
    stage.wait(Duration::from_secs(4));
    assert!(!stage.app.take_dirty());
    assert!(moves <= stage.now + Duration::from_secs(1));
}

#[test]
fn a_dialog_opened_during_a_retry_shows_its_countdown() {
    let mut stage = streaming(120, 40);
    stage.apply(waiting(&side("r"), 30));
    assert_eq!(tail(&mut stage), None);
    stage.wait(Duration::from_secs(10));
    stage.keys("j <enter>").page(&[]);
    assert!(tail(&mut stage).is_some_and(|shown| shown.contains("20 s")));
    let rest = TreeRow { state: stopped(), ..rows().remove(1) };
    stage.apply(DriverEvent::Row(Box::new(rest)));
    assert_eq!(tail(&mut stage), None, "who stopped waits for no attempt");
}

#[test]
fn retry_now_works_only_while_a_retry_is_waiting() {
    let mut stage = streaming(120, 40);
    let hurried =
        |stage: &Stage| stage.sent.iter().filter(|c| matches!(c, Command::RetryNow { .. })).count();
    stage.keys("R");
    assert_eq!(hurried(&stage), 0);
    assert!(stage.screen().contains("no failed request waits here"));
    stage.apply(waiting(&main_dialog(), 30)).keys("R 3 R");
    assert_eq!(hurried(&stage), 2);
    assert_eq!(stage.sent.last(), Some(&Command::RetryNow { dialog: main_dialog() }));
}

#[test]
fn a_dialog_that_retries_has_its_own_symbol_count_and_word_and_is_retried_now() {
    for glyphs in [&Glyphs::UTF8, &Glyphs::ASCII] {
        let mut stage = Stage::with(120, 40, Notebook::default(), glyphs);
        stage.apply(DriverEvent::Rows(rows())).apply(DriverEvent::Inbox(Vec::new()));
        stage.keys("g j <enter>").page(STORY);
        assert!(stage.screen().contains(&format!("{} 1  ", glyphs.running)));
        let retries = TreeRow { retrying: true, ..rows().remove(0) };
        stage.apply(DriverEvent::Row(Box::new(retries)));
        let screen = stage.screen();
        for shown in ["add 2FA", "retrying", "1  "] {
            let shown = format!("{} {shown}", glyphs.retrying);
            assert!(screen.contains(&shown), "{shown}\n{screen}");
        }
        assert!(!screen.contains(&format!("{} 1  ", glyphs.running)), "{screen}");
        // Its failure came before this screen did.
        stage.keys("1 R");
        assert_eq!(stage.sent.last(), Some(&Command::RetryNow { dialog: main_dialog() }));
        stage.apply(DriverEvent::Row(Box::new(rows().remove(0))));
        assert!(!stage.screen().contains(glyphs.retrying) || *glyphs == Glyphs::ASCII);
    }
}

#[test]
fn while_the_line_is_cut_keys_say_that_somebody_is_here_and_retry_now_tries_it() {
    let mut stage = streaming(120, 40);
    let none = Text::new("lost", "断开");
    stage.keys("j");
    assert!(!stage.sent.contains(&Command::Refresh));
    let lost = Problem::new(LOST, "box", none, none);
    stage.apply(DriverEvent::Problems(vec![lost])).keys("j");
    assert_eq!(stage.sent.last(), Some(&Command::Refresh));
    stage.keys("R");
    assert!(matches!(stage.sent.last(), Some(Command::RetryNow { .. })), "{:?}", stage.sent);
    assert!(stage.screen().contains("connecting"), "{}", stage.screen());
    let sent = stage.sent.len();
    stage.apply(DriverEvent::Problems(Vec::new())).keys("k");
    assert!(!stage.sent[sent..].contains(&Command::Refresh));
}

#[test]
fn who_leaves_a_driver_that_goes_on_is_not_told_that_dialogs_stop() {
    for (goes_on, word) in [(true, "the driver goes on"), (false, "dialogs are stopping")] {
        let mut stage = streaming(120, 40);
        if goes_on {
            stage.app.model.driver_goes_on = true;
        }
        stage.app.begin_leaving(Leaving::WithDriver);
        let screen = stage.screen();
        assert!(screen.contains(word), "{screen}");
        assert_eq!(screen.contains("stopping"), !goes_on, "{screen}");
    }
}

#[test]
fn a_screen_that_only_looks_on_invites_no_answer_and_says_why() {
    let looking_on = || {
        let mut stage = Stage::new(120, 40);
        stage.app.model.views_only = true;
        stage.app.writing.only_view();
        stage.apply(DriverEvent::Rows(rows())).apply(DriverEvent::Inbox(questions())).page(&[]);
        stage
    };
    for keys in ["2 <enter>", "2 b <enter>", "2 A y", "2 D y", "i", "1 s", "1 c", "n", "1 D y"] {
        let mut stage = looking_on();
        stage.keys(keys);
        let changes = stage.sent.iter().find(|command| !command.is_read_only());
        assert_eq!(changes, None, "{keys}");
    }
    let mut stage = looking_on();
    stage.keys("2 <enter>");
    let screen = stage.screen();
    assert!(screen.contains("only views") && !screen.contains("esc keep"), "{screen}");
    stage.keys("b");
    assert_eq!(stage.composer_text(), "");
}

#[test]
fn keep_going_is_toggled() {
    let mut stage = streaming(120, 40);
    stage.screen();
    let switched = |stage: &mut Stage, keys: &str| {
        stage.keys(keys);
        match stage.sent.pop() {
            Some(Command::KeepGoing { dialog, switch, .. }) => (dialog, switch),
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(switched(&mut stage, "K"), (main_dialog(), KeepGoingSwitch::Off));
    assert_eq!(switched(&mut stage, "3 K"), (main_dialog(), KeepGoingSwitch::Off));
    assert_eq!(switched(&mut stage, "P"), (main_dialog(), KeepGoingSwitch::Refill));
    let off = TreeRow { keep_going: None, ..rows().remove(0) };
    stage.apply(DriverEvent::Row(Box::new(off)));
    assert!(!stage.screen().contains("keep-going"));
    assert_eq!(switched(&mut stage, "K"), (main_dialog(), KeepGoingSwitch::On));
}

#[test]
fn the_last_line_shows_how_full_the_context_is_and_how_many_pushes_are_left() {
    let mut stage = streaming(120, 40);
    let row = TreeRow {
        context_percent: Some(93),
        context_level: Some(HealthLevel::Critical),
        keep_going: Some((0, 3)),
        state: DisplayState::Proceeding,
        ..rows().remove(0)
    };
    stage.apply(DriverEvent::Row(Box::new(row)));
    let screen = stage.screen();
    let last = screen.lines().last().unwrap_or_default().to_owned();
    assert!(last.ends_with("ctx 93 %  keep-going 0 of 3"), "{last}");
}

#[test]
fn a_message_never_hides_how_much_waits_for_the_person() {
    let none = Text::new("wrong", "有误");
    for (width, height) in [(120, 40), (80, 24), (60, 20), (40, 12)] {
        for message in ["done", &format!("done: {} · undo with u u", "a long name ".repeat(12))] {
            let mut stage = streaming(width, height);
            let wrong = Problem::new("a", ".minds/team.yaml", none, none);
            stage.apply(DriverEvent::Problems(vec![wrong])).screen();
            stage.app.model.notices.show(Tone::Plain, message, stage.now);
            let screen = stage.screen();
            let last = screen.lines().last().unwrap_or_default();
            let (start, end) = (message.get(..4), message.get(message.len() - 4..));
            let shown = [start, end, Some("? 2  "), Some("! 1")];
            assert!(shown.into_iter().flatten().all(|text| last.contains(text)), "{last}");
        }
    }
}

#[test]
fn values_without_room_leave_those_that_wait_for_the_person() {
    let mut stage = streaming(40, 12);
    stage.show_level(Level::Off);
    let none = Text::new("wrong", "有误");
    let wrong = Problem::new("a", ".minds/team.yaml", none, none);
    stage.apply(DriverEvent::Problems(vec![wrong])).wait(Duration::from_mins(1));
    let screen = stage.screen();
    let last = screen.lines().last().unwrap_or_default();
    assert!(last.contains("? 2  ! 1") && last.contains("? help"), "{last}");
}

#[test]
fn switching_keep_going_shows_the_result_on_every_screen() {
    for (width, height) in [(120, 40), (80, 24), (40, 12)] {
        let mut stage = streaming(width, height);
        for (pushes, shown) in [(Some((1, 3)), "keep-going 1 of 3"), (None, "keep-going is off")] {
            stage.keys("1 g j K");
            let ticket = stage.sent.iter().rev().find_map(|command| {
                let Command::KeepGoing { ticket, .. } = command else { return None };
                Some(*ticket)
            });
            let main = TreeRow { keep_going: pushes, ..rows().remove(0) };
            stage.apply(DriverEvent::Row(Box::new(main)));
            let dialog = Some(main_dialog());
            stage.apply(DriverEvent::Done { ticket: ticket.expect("it was sent"), dialog });
            let screen = stage.screen();
            assert!(screen.lines().last().is_some_and(|last| last.contains(shown)), "{screen}");
        }
    }
}
