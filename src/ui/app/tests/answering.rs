//! Answering: picked options, text beside them, and the question while scrolling.

use std::time::Duration;

use super::fixture::*;
use crate::app::Leaving;
use crate::domain::text::Localized;
use crate::domain::{DialogId, RootId};
use crate::protocol::{Command, DriverEvent, InboxRow, Ticket};
use crate::theme::Glyphs;

fn answers(stage: &Stage) -> Vec<&str> {
    let sent = stage.sent.iter();
    sent.filter_map(|command| {
        let Command::Answer { text, .. } = command else {
            return None;
        };
        Some(text.as_str())
    })
    .collect()
}

/// The ticket of the first answer that was sent.
fn answer_ticket(stage: &Stage) -> Ticket {
    let ticket = stage.sent.iter().find_map(|command| {
        let Command::Answer { ticket, .. } = command else {
            return None;
        };
        Some(*ticket)
    });
    ticket.expect("an answer")
}

/// A stage on which the main dialog asks this.
fn asked(width: u16, height: u16, text: &str) -> Stage {
    let call = serde_json::json!({
        "ts": "2026-11-21 12:01:00", "type": "tellask_call_record", "genseq": 14, "id": "q9",
        "name": "askHuman", "deliveryMode": "tellask_call_start",
        "rawArgumentsText": serde_json::json!({ "tellaskContent": text }).to_string(),
    });
    let row: InboxRow = question(&main_dialog(), "orchestrator", "q9", text, "2026-11-21 12:01:00");
    let mut stage = Stage::new(width, height);
    stage.apply(DriverEvent::Workspace(workspace()));
    stage.apply(DriverEvent::Rows(rows())).apply(DriverEvent::Inbox(vec![row]));
    let mut story = STORY.to_vec();
    let call = call.to_string();
    story.push(&call);
    stage.page(&story);
    stage
}

fn line<'a>(screen: &'a str, text: &str) -> &'a str {
    screen.lines().find(|line| line.contains(text)).unwrap_or_default()
}

#[test]
fn picking_an_option_marks_it_and_records_its_text_not_its_letter() {
    for (width, height) in [(120, 40), (80, 24), (60, 20)] {
        let mut stage = answering(width, height);
        assert!(!stage.screen().contains('✓') || width > 60);
        stage.keys("b");
        let screen = stage.screen();
        assert!(line(&screen, "b  keep it for 90 days").contains("✓ b  keep it"), "{screen}");
        assert!(!line(&screen, "c  keep it").contains('✓'), "{screen}");
        assert!(line(&screen, "› b").contains("b  ✓ keep it for 90 days"), "{screen}");
        stage.keys("<enter>");
        assert_eq!(answers(&stage), ["keep it for 90 days, then drop"]);
    }
}

#[test]
fn a_long_option_goes_on_below_its_text() {
    let text =
        format!("Keep it?\na) yes, {}\nb) no", "for as long as anybody reads it, ".repeat(3));
    let mut stage = asked(60, 20, &text);
    stage.keys("a");
    let screen = stage.screen();
    let at = screen.lines().position(|line| line.starts_with("   ✓ a  yes, for"));
    let below = screen.lines().nth(at.expect("the option") + 1).unwrap_or_default();
    assert!(below.starts_with("        ") && below.chars().nth(8).is_some_and(char::is_alphabetic));
}

#[test]
fn text_may_follow_the_letter_of_an_option() {
    let mut stage = answering(120, 40);
    stage.type_text("b, and write the date into the runbook");
    let screen = stage.screen();
    assert!(screen.contains("✓ b  keep it for 90 days, then drop"), "{screen}");
    stage.keys("<enter>");
    assert_eq!(
        answers(&stage),
        ["keep it for 90 days, then drop, and write the date into the runbook"]
    );
}

#[test]
fn text_that_starts_like_an_option_is_not_a_pick() {
    for text in ["because of the restore", "a week, then drop it", "neither"] {
        let mut stage = answering(120, 40);
        stage.type_text(text);
        let screen = stage.screen();
        for key in ["a", "b", "c"] {
            assert!(!screen.contains(&format!("✓ {key}  ")), "{screen}");
        }
        stage.keys("<enter>");
        assert_eq!(answers(&stage), [text]);
    }
}

#[test]
fn yes_and_no_are_options_in_a_list_and_in_the_line() {
    for text in ["Drop it?\n\n- yes\n- no", "Drop it? (yes/no)"] {
        let mut stage = asked(80, 24, text);
        stage.keys("n");
        let screen = stage.screen();
        assert!(screen.contains("    y  yes") && screen.contains("  ✓ n  no"), "{screen}");
        stage.keys("<enter>");
        assert_eq!(answers(&stage), ["no"], "{text}");
    }
}

#[test]
fn an_answered_question_shows_which_option_was_taken() {
    let mut stage = asked(80, 24, "Drop it?\n\n- yes\n- no");
    let (_, dialog) = stage.last_open();
    let result = r#"{"ts":"2026-11-21 12:02:00","type":"tellask_result_record","callId":"q9","status":"completed","content":"yes","responder":{"responderId":"human"},"callName":"askHuman","call":{"tellaskContent":"Drop it?"}}"#;
    stage.fact(&dialog, 12, result).apply(DriverEvent::Inbox(Vec::new()));
    let screen = stage.screen();
    assert!(screen.contains("  ✓ y  yes") && screen.contains("    n  no"), "{screen}");
}

#[test]
fn a_refused_pick_is_restored_as_typed() {
    let mut stage = asked(80, 24, "Drop it? (yes/no)");
    stage.keys("n <enter>");
    let ticket = answer_ticket(&stage);
    stage.apply(DriverEvent::Refused { ticket, text: Localized::same("not now") }).keys("<alt+a>");
    let screen = stage.screen();
    assert!(screen.contains("› n  ✓ no") && screen.contains("  ✓ n  no"), "{screen}");
}

/// A question with more lines than any small screen has rows.
fn long_question() -> String {
    let lines: Vec<String> = (1..=40).map(|n| format!("Reason number {n}.")).collect();
    format!("Drop it, or keep it?\n\n{}\n\na  drop it\nb  keep it", lines.join("\n"))
}

#[test]
fn while_answering_the_dialog_scrolls_and_its_question_stays_visible() {
    for (width, height) in [(120, 40), (80, 24), (60, 20), (40, 12)] {
        let mut stage = asked(width, height, &long_question());
        let end = stage.screen();
        assert!(end.contains("? Drop it, or keep it?"), "{end}");
        assert!(end.contains("b  keep it") && !end.contains("number 1."), "{end}");
        stage.keys("<ctrl+up>");
        let line_up = stage.screen();
        assert!(line_up.contains("? Drop it") && !line_up.contains("b  keep it"), "{line_up}");
        stage.keys("<ctrl+down> <pageup>");
        let page_up = stage.screen();
        assert!(page_up.contains("Drop it, or keep it?"), "{page_up}");
        assert!(!page_up.contains("a  drop it"), "{page_up}");
        stage.keys(&"<pageup> ".repeat(20));
        let start = stage.screen();
        assert!(start.contains("you · 11:58") && start.contains("Drop it, or keep it?"), "{start}");
        stage.keys(&"<pagedown> ".repeat(24));
        assert_eq!(stage.screen(), end);
        stage.keys("<pageup> b <enter>");
        assert_eq!(answers(&stage), ["keep it"]);
    }
}

#[test]
fn the_question_that_stays_visible_hides_no_row_permanently() {
    let mut stage = asked(40, 12, &long_question());
    let mut seen = stage.screen();
    for _ in 0..20 {
        stage.keys("<pageup>");
        seen.push_str(&stage.screen());
    }
    for n in 1..=40 {
        assert!(seen.contains(&format!("Reason number {n}.")), "{n}");
    }
}

#[test]
fn a_question_in_view_is_not_shown_twice() {
    for (width, height) in [(120, 40), (80, 24), (60, 20)] {
        let screen = answering(width, height).screen();
        // Right of the left column, which has it as a row of the inbox.
        let right = screen.lines().map(|line| line.rsplit('│').next().unwrap_or_default());
        let times = right.filter(|line| line.contains("Drop users.legacy_otp, or keep it?"));
        assert_eq!(times.count(), 1, "{screen}");
    }
}

#[test]
fn the_question_is_visible_while_its_dialog_loads() {
    let mut stage = Stage::new(40, 12);
    stage.apply(DriverEvent::Rows(rows())).apply(DriverEvent::Inbox(questions()));
    let screen = stage.screen();
    assert!(screen.contains("? Drop users.legacy_otp, or keep it?"), "{screen}");
    assert!(screen.contains("loading"), "{screen}");
}

#[test]
fn undo_restores_a_cleared_draft() {
    let drafts = Notebook::default();
    let mut stage = Stage::with(80, 24, drafts.clone(), &Glyphs::UTF8);
    stage.apply(DriverEvent::Rows(rows())).apply(DriverEvent::Inbox(Vec::new())).page(STORY);
    stage.keys("i").type_text("a long message that took an hour");
    stage.keys("<ctrl+c>");
    let cleared = stage.screen();
    assert!(!cleared.contains("took an hour") && cleared.contains("Alt+u restores it"));
    for undo in ["<alt+u>", "<ctrl+c> <ctrl+_>", "<ctrl+c> <ctrl+7>"] {
        stage.keys(undo);
        assert!(stage.screen().contains("› a long message that took an hour"), "{undo}");
    }
    stage.wait(std::time::Duration::from_secs(1));
    let kept = drafts.get(&format!("message/{}", main_dialog()));
    assert_eq!(kept.as_deref(), Some("a long message that took an hour"));
}

#[test]
fn undo_after_recalling_restores_what_was_cleared_before() {
    let mut stage = streaming(80, 24);
    stage.keys("i one <enter> two <enter>");
    stage.keys("draft <ctrl+c> <up> <up>");
    assert_eq!(stage.composer_text(), "one");
    stage.keys("<alt+u>");
    assert_eq!(stage.composer_text(), "draft");
    stage.keys("<ctrl+c> <up> <up> <down>");
    assert_eq!(stage.composer_text(), "two");
    stage.keys("<down>");
    assert_eq!(stage.composer_text(), "");
    stage.keys("<alt+u>");
    assert_eq!(stage.composer_text(), "draft");
}

#[test]
fn a_filter_without_fits_says_so_and_hides_no_question_from_alt_a() {
    for (width, height) in [(120, 40), (80, 24), (60, 20)] {
        let mut stage = answering(width, height);
        stage.keys("<esc> 2 / zzzz <enter>");
        assert!(stage.screen().contains("nothing fits the filter"), "{}", stage.screen());
        stage.keys("<alt+a>");
        assert_eq!(stage.app.writing.question(), Some("q1"));
    }
}

#[test]
fn the_alt_key_is_called_alt() {
    for keys in ["?", "i", "n", "i <f1>"] {
        let mut stage = streaming(120, 40);
        stage.keys(keys);
        let screen = stage.screen();
        assert!(!screen.contains('⌥') && !screen.contains("alt+"), "{screen}");
    }
    let mut stage = streaming(120, 40);
    stage.keys("i <f1>");
    assert!(stage.screen().contains("Alt+⏎ Ctrl+j"), "{}", stage.screen());
}

#[test]
fn a_long_headline_stays_readable_while_scrolling() {
    let text = "Which database shall hold the audit log, and how long?\n\nIt is small.";
    for (width, height) in [(120, 40), (80, 24), (60, 20), (40, 12)] {
        let mut stage = asked(width, height, text);
        stage.keys("<alt+a>").screen();
        for _ in 0..60 {
            stage.keys("<ctrl+up>").screen();
        }
        let screen = stage.screen();
        let rows = screen.lines().filter_map(|row| row.split('│').next_back());
        let shown: Vec<&str> = rows.flat_map(str::split_whitespace).collect();
        assert!(shown.join(" ").contains("Which database shall hold"), "{screen}");
        let in_view = screen.contains("@orchestrator asks");
        assert!(in_view || screen.contains("how long?"), "{screen}");
        assert!(screen.contains("Add two-factor"), "the first line is there too\n{screen}");
    }
}

#[test]
fn an_answer_is_sent_after_five_seconds_and_is_a_draft_until_the_driver_has_it() {
    for (width, height) in [(120, 40), (80, 24), (60, 20), (40, 12)] {
        let drafts = Notebook::default();
        let mut stage = Stage::with(width, height, drafts.clone(), &Glyphs::UTF8).with_undo();
        let row = question(&main_dialog(), "orchestrator", "q9", "Which?", "2026-11-21 12:01:00");
        stage.apply(DriverEvent::Rows(rows())).apply(DriverEvent::Inbox(vec![row]));
        stage.page(STORY);
        stage.keys("soon <enter>");
        assert!(stage.screen().contains("Alt+z undo"), "{}", stage.screen());
        stage.wait(Duration::from_millis(4_900));
        assert!(answers(&stage).is_empty());
        assert_eq!(drafts.get("answer/q9").as_deref(), Some("soon"), "a kill loses nothing");
        stage.wait(Duration::from_millis(200)).screen();
        assert_eq!(answers(&stage), ["soon"]);
        stage.keys("<alt+z>");
        assert!(stage.screen().contains("no answer can be undone"), "{}", stage.screen());
    }
}

#[test]
fn an_undone_answer_is_in_the_composer_again_and_is_not_sent() {
    let mut stage = answering(80, 24).with_undo();
    stage.keys("first <enter> second <enter> <alt+z>");
    assert!(stage.screen().contains("› second"), "{}", stage.screen());
    stage.keys("<alt+z>");
    let screen = stage.screen();
    assert!(screen.contains("› first") && screen.contains("a draft again"), "{screen}");
    stage.wait(Duration::from_secs(9)).screen();
    assert!(answers(&stage).is_empty());
    stage.keys("<enter>").app.begin_leaving(Leaving::WithDriver);
    stage.screen();
    assert_eq!(answers(&stage), ["first"], "what was sent is not lost at the end");
}

#[test]
fn the_text_for_a_question_that_is_gone_becomes_a_message_draft() {
    for sent in ["", " <enter>"] {
        let mut stage = asked(80, 24, "Which?").with_undo();
        stage.keys("<esc> 3 i mine <esc> <alt+a>");
        stage.keys(&format!("yours{sent}"));
        stage.apply(DriverEvent::Inbox(Vec::new()));
        assert!(stage.screen().contains("not open any more"), "{}", stage.screen());
        stage.keys("3 i");
        let screen = stage.screen();
        assert!(screen.contains("mine") && screen.contains("yours"), "{screen}");
        stage.wait(Duration::from_secs(9)).screen();
        assert!(answers(&stage).is_empty());
    }
}

#[test]
fn a_kept_draft_of_an_answer_becomes_a_message_draft_when_its_question_closes() {
    let mut stage = asked(80, 24, "Which?");
    stage.keys("half <esc>").apply(DriverEvent::Inbox(Vec::new()));
    assert!(stage.screen().contains("not open any more"), "{}", stage.screen());
    stage.keys("3 i");
    assert_eq!(stage.composer_text(), "half");
}

#[test]
fn an_answer_that_is_refused_after_its_question_has_closed_becomes_a_message_draft() {
    for refused in [true, false] {
        let drafts = Notebook::default();
        let mut stage = Stage::with(80, 24, drafts.clone(), &Glyphs::UTF8);
        let row = question(&main_dialog(), "orchestrator", "q9", "Which?", "2026-11-21 12:01:00");
        stage.apply(DriverEvent::Rows(rows())).apply(DriverEvent::Inbox(vec![row]));
        stage.page(STORY).keys("yours <enter>").apply(DriverEvent::Inbox(Vec::new()));
        assert_eq!(drafts.get("answer/q9").as_deref(), Some("yours"), "until the result is known");
        let (ticket, text) = (answer_ticket(&stage), Localized::same("closed"));
        stage.apply(if refused {
            DriverEvent::Refused { ticket, text }
        } else {
            DriverEvent::Done { ticket, dialog: None }
        });
        stage.keys("3 i");
        assert_eq!(stage.composer_text(), if refused { "yours" } else { "" });
        stage.wait(Duration::from_secs(1));
        assert_eq!((drafts.get("answer/q9"), drafts.get("asked-in/q9")), (None, None));
    }
}

#[test]
fn the_draft_for_a_question_that_closed_while_the_program_was_down_is_given_back() {
    let open = question(&main_dialog(), "dba", "q7", "Which?", "2026-11-21 12:01:00");
    let stored = [
        ("answer/q7", "open"),
        ("asked-in/q7", "x"),
        ("later/q7", "99999999999"),
        ("answer/q8", "of an earlier version"),
        ("answer/q9", "half"),
        ("later/q9", "1"),
    ];
    let drafts = Notebook::with("asked-in/q9", &main_dialog().to_string());
    let stored = stored.map(|(key, text)| (key.to_owned(), text.to_owned()));
    drafts.0.lock().unwrap().extend(stored);
    let mut stage = Stage::with(80, 24, drafts.clone(), &Glyphs::UTF8);
    stage.apply(DriverEvent::Rows(rows()));
    stage.wait(Duration::from_secs(1));
    assert_eq!(drafts.get("answer/q9").as_deref(), Some("half"), "nothing is listed yet");
    stage.apply(DriverEvent::Inbox(vec![open]));
    assert!(stage.screen().contains("not open any more"), "{}", stage.screen());
    stage.wait(Duration::from_secs(1));
    let message = drafts.get(&format!("message/{}", main_dialog()));
    assert_eq!(message.as_deref(), Some("half"));
    for gone in ["answer/q9", "asked-in/q9", "later/q9"] {
        assert_eq!(drafts.get(gone), None, "{gone}");
    }
    for kept in ["answer/q7", "answer/q8"] {
        assert!(drafts.get(kept).is_some(), "{kept}");
    }
}

#[test]
fn picking_a_question_whose_answer_is_held_undoes_it_and_one_on_its_way_says_so() {
    let mut stage = asked(80, 24, "Which?").with_undo();
    stage.keys("first <enter> 2 <enter>");
    assert_eq!(stage.composer_text(), "first");
    stage.wait(Duration::from_secs(9)).screen();
    assert!(answers(&stage).is_empty());
    let mut stage = asked(80, 24, "Which?");
    stage.keys("first <enter> 2 <enter>");
    assert!(stage.screen().contains("is being sent"), "{}", stage.screen());
    assert_eq!((stage.composer_text().as_str(), answers(&stage).len()), ("", 1));
}

#[test]
fn after_the_same_answer_to_the_only_other_question_the_user_is_back() {
    for undo in [true, false] {
        let elsewhere = DialogId::main(RootId::new("ee/ee/00000001"));
        let alike = [("q1", main_dialog()), ("q2", elsewhere)]
            .map(|(id, dialog)| question(&dialog, "dba", id, "Which?", "2026-11-21 12:01:00"));
        let mut stage = Stage::new(80, 24);
        stage = if undo { stage.with_undo() } else { stage };
        stage.apply(DriverEvent::Rows(rows())).apply(DriverEvent::Inbox(alike.into()));
        stage.page(STORY).keys("same <enter>");
        assert!(stage.screen().contains("has the same words"), "{}", stage.screen());
        stage.agree("y");
        assert_eq!(stage.app.writing.question(), None);
        if undo {
            stage.keys("<alt+z>");
            assert_eq!(stage.composer_text(), "same");
            stage.wait(Duration::from_secs(9)).screen();
            assert_eq!(answers(&stage), ["same"]);
        } else {
            assert_eq!(answers(&stage), ["same", "same"]);
        }
    }
}

#[test]
fn a_message_that_was_begun_goes_on_in_the_composer_after_the_answer() {
    for before in ["3 i", "1 i"] {
        let mut stage = asked(80, 24, "Which?");
        stage.keys(&format!("<esc> {before} begun <alt+a> yours <enter>"));
        assert_eq!(answers(&stage), ["yours"]);
        stage.apply(DriverEvent::Inbox(Vec::new()));
        stage.keys("2");
        assert_eq!(stage.composer_text(), "begun2");
    }
    let mut stage = asked(80, 24, "Which?");
    stage.keys("<esc> 3 <alt+a> yours <enter> 2");
    assert_eq!(stage.composer_text(), "", "in a pane, keys are commands again");
}
