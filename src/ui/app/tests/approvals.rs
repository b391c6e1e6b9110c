//! Approving and rejecting decisions of members.

use serde_json::json;

use super::fixture::*;
use crate::domain::asking::autonomy::DecisionKind;
use crate::domain::asking::inquiry::answers::AnswerInput;
use crate::domain::asking::inquiry::approval::WrittenDecision;
use crate::domain::asking::inquiry::{Inquiry, WrittenOption};
use crate::domain::{Lang, Stamp};
use crate::model::DraftKey;
use crate::protocol::{Command, DriverEvent, InboxRow};
use crate::quarter::quarter;

const QUESTION: &str = "q9";
/// More lines than the form shows.
const LINES: usize = 20;

fn inquiry(lines: usize) -> Inquiry {
    let added: Vec<String> = (1..=lines).map(|line| format!("+line {line}")).collect();
    let diff = format!(
        "--- a/src/lib.rs\n+++ b/src/lib.rs\n@@ -1 +1,{lines} @@\n-old\n{}\n",
        added.join("\n")
    );
    let written = WrittenDecision {
        description: "Split the crate: the parser becomes one of its own.".to_owned(),
        diff: (lines > 0).then_some(diff),
        ..WrittenDecision::default()
    };
    let category = DecisionKind::ArchitectureDecisions;
    Inquiry::of_decision(category, written, &Stamp::default(), Lang::En).expect("a decision")
}

fn asked(inquiry: Inquiry) -> InboxRow {
    let text = inquiry.content(Lang::En);
    let row = question(&main_dialog(), "orchestrator", QUESTION, &text, "2026-11-21 12:01:00");
    InboxRow { inquiry: Some(inquiry), ..row }
}

fn with(width: u16, height: u16, inquiry: Inquiry) -> Stage {
    let mut stage = Stage::new(width, height);
    let other = question(&side("d"), "dba", "q8", "Which colour?", "2026-11-21 12:02:00");
    stage.apply(DriverEvent::Workspace(workspace())).apply(DriverEvent::Rows(rows()));
    let call = json!({
        "ts": "2026-11-21 12:01:00", "type": "tellask_call_record", "genseq": 14, "id": QUESTION,
        "name": "askHuman", "deliveryMode": "tellask_call_start",
        "rawArgumentsText": inquiry.arguments(Lang::En).to_string(),
    })
    .to_string();
    stage.apply(DriverEvent::Inbox(vec![asked(inquiry), other]));
    let mut story = STORY.to_vec();
    story.push(&call);
    stage.page(&story);
    stage.keys("<alt+a>").screen();
    stage
}

/// A decision with a long change.
pub fn row() -> InboxRow {
    asked(inquiry(LINES))
}

/// The form of a decision with a long change.
pub fn approval(width: u16, height: u16) -> Stage {
    with(width, height, inquiry(LINES))
}

/// Pages through everything that is to be approved; returns the screens.
fn read_to_its_end(stage: &mut Stage) -> String {
    let mut page = stage.keys("<alt+o>").screen();
    let mut seen = page.clone();
    // Pages may look alike; the heading says whether there is more below.
    let has_more = |screen: &str| {
        let heading = screen.lines().find(|line| line.contains("TO APPROVE"));
        heading.expect("the overlay").contains('↓')
    };
    while has_more(&page) {
        page = stage.keys("<pagedown>").screen();
        seen.push_str(&page);
    }
    stage.keys("<esc>").screen();
    seen
}

/// Pages through the change that is shown, to its end.
fn read_on(stage: &mut Stage) {
    let is_over = |screen: &str| {
        let heading = screen.lines().find(|line| line.contains("TO APPROVE"));
        !heading.expect("the change").contains('↓')
    };
    while !is_over(&stage.screen()) {
        stage.keys("<pagedown>");
    }
}

fn answers(stage: &mut Stage) -> Vec<String> {
    // The answer that closes a question is sent once it can no longer be undone.
    stage.wait(std::time::Duration::from_secs(6)).screen();
    let answer = |command: &Command| {
        let Command::Answer { question, text, .. } = command else { return None };
        (question == QUESTION).then(|| text.clone())
    };
    stage.sent.iter().filter_map(answer).collect()
}

#[test]
fn q19_the_form_shows_what_why_and_the_change_at_every_size() {
    for (width, height) in [(120, 40), (80, 24), (60, 20)] {
        let mut stage = approval(width, height);
        insta::assert_snapshot!(format!("approval-{width}x{height}"), stage.screen());
    }
    let option = |label: &str| WrittenOption {
        label: label.to_owned(),
        pros: Some("proven in many places".to_owned()),
        ..WrittenOption::default()
    };
    let written = WrittenDecision {
        description: "Which library?".to_owned(),
        options: vec![option("serde_json"), option("simd-json")],
        ..WrittenDecision::default()
    };
    let category = DecisionKind::DependencyModifications;
    let own = Inquiry::of_decision(category, written, &Stamp::default(), Lang::En);
    for (inquiry, shown) in [
        (inquiry(LINES), ["Split the crate", "a  approve", "x  reject"]),
        (own.expect("a decision"), ["Which library?", "b  simd-json", "x  reject"]),
    ] {
        let mut stage = with(40, 12, inquiry);
        let screen = stage.screen();
        let (_, form) = screen.split_once('±').expect("a form");
        assert!(shown.iter().all(|text| form.contains(text)), "{screen}");
    }
}

#[test]
fn q12_an_option_approves_or_rejects_and_words_alone_are_not_sent() {
    for (keys, sent) in [("a <enter>", "a"), ("x <enter>", "x")] {
        let mut stage = approval(120, 40);
        read_to_its_end(&mut stage);
        stage.keys(keys);
        assert_eq!(answers(&mut stage), [sent]);
    }
    let mut stage = approval(120, 40);
    stage.type_text("looks fine");
    stage.keys("<enter>");
    let screen = stage.screen();
    assert!(screen.contains("choose first: a (approve), x (reject)"), "{screen}");
    assert_eq!(stage.composer_text(), "looks fine");
    assert_eq!(answers(&mut stage), [""; 0]);
    stage.keys("<ctrl+u>");
    stage.type_text("x, not before May");
    stage.keys("<enter>");
    assert_eq!(answers(&mut stage), ["x, not before May"]);
}

#[test]
fn q12_a_change_is_approved_or_rejected_where_it_is_read_and_approved_only_after_its_end() {
    for key in ["a", "x"] {
        let mut stage = approval(60, 20);
        stage.screen();
        stage.keys("<alt+o>").screen();
        if key == "a" {
            let screen = stage.keys("a").screen();
            assert!(screen.contains("TO APPROVE"), "it was not read\n{screen}");
        }
        read_on(&mut stage);
        let screen = stage.keys(key).screen();
        assert!(!screen.contains("TO APPROVE"), "{screen}");
        assert_eq!(answers(&mut stage), [key]);
    }
    let mut stage = approval(60, 20);
    stage.screen();
    stage.type_text("x, not before May");
    stage.keys("<alt+o>").screen();
    read_on(&mut stage);
    stage.keys("a");
    assert_eq!(answers(&mut stage), [""; 0], "what is typed says something else");
    assert_eq!(stage.composer_text(), "x, not before May");
}

/// The change of [`approval`] with comments on the line that goes and on the first that comes.
pub fn commented(width: u16, height: u16) -> Stage {
    let mut stage = approval(width, height);
    stage.screen();
    stage.keys("<alt+o>").screen();
    stage.keys("j j j ;").type_text("keep it").keys("<enter>").screen();
    stage.keys("j <enter>").type_text("why?").keys("<enter>").screen();
    stage
}

const COMMENTS: &str = "src/lib.rs:-1: keep it\nsrc/lib.rs:1: why?";

fn comments(stage: &Stage) -> Vec<String> {
    let drafts = stage.app.writing.drafts();
    drafts.comments(QUESTION).iter().map(|key| drafts.get(key).to_owned()).collect()
}

#[test]
fn q12_comments_on_a_change_stand_below_their_lines_and_go_with_the_answer() {
    for (width, height) in [(120, 40), (80, 24), (60, 20)] {
        let mut stage = commented(width, height);
        let screen = stage.keys("g").screen();
        let (_, below) = screen.split_once("- old").expect("the line");
        let (comment, below) = below.split_once("+ line 1").expect("the next line");
        assert!(comment.contains("✎ keep it"), "{screen}");
        let (comment, _) = below.split_once("+ line 2").expect("the line after it");
        assert!(comment.contains("✎ why?"), "{screen}");
    }
    for key in ["x", "a"] {
        let mut stage = commented(80, 24);
        read_on(&mut stage);
        stage.keys(key).screen();
        assert_eq!(answers(&mut stage), [format!("{key},\n{COMMENTS}")]);
        assert_eq!(comments(&stage), [""; 0]);
    }
    for (typed, sent) in [("x, not now", "x, not now\n"), ("no", "x,\n"), ("no: bad", "x, bad\n")] {
        let mut stage = commented(80, 24);
        stage.keys("<esc>").type_text(typed);
        stage.keys("<enter>");
        assert_eq!(answers(&mut stage), [format!("{sent}{COMMENTS}")], "{typed}");
    }
    let mut stage = commented(120, 40);
    let screen = stage.keys("<esc>").screen();
    assert!(screen.contains("answer 1 of 2 · @orchestrator · 2 comments"), "{screen}");
    stage.keys("<esc> <alt+2> g x").agree("y");
    assert_eq!(answers(&mut stage), [format!("x,\n{COMMENTS}")], "rejected in the inbox");
}

#[test]
fn q12_a_comment_is_kept_like_other_typed_text() {
    let mut stage = commented(80, 24).with_undo();
    stage.keys("g j j j j ;").type_text(" or not");
    assert_eq!(comments(&stage)[0], "src/lib.rs:-1: keep it or not", "while it is typed");
    stage.keys("<esc>");
    assert_eq!(comments(&stage).join("\n"), COMMENTS, "as it was before");
    stage.keys("; <ctrl+u> <enter>");
    assert_eq!(comments(&stage), ["src/lib.rs:1: why?"], "without text there is none");
    stage.keys("x <alt+z>");
    assert_eq!(stage.composer_text(), "x,\nsrc/lib.rs:1: why?", "an undone answer has it");
    let mut stage = commented(80, 24);
    stage.apply(DriverEvent::Inbox(Vec::new())).screen();
    let message = stage.app.writing.drafts().get(&DraftKey::Message(main_dialog()));
    let texts: Vec<&str> = message.split("\n\n").collect();
    assert_eq!(texts.join("\n"), COMMENTS, "of a question that was closed");
    assert_eq!(comments(&stage), [""; 0]);
}

#[test]
fn rows_of_comments_do_not_count_as_a_part_of_the_change_that_was_read() {
    let mut stage = approval(60, 20);
    stage.screen();
    stage.keys("<alt+o>").screen();
    stage.keys(";").type_text(&"long ".repeat(60)).keys("<enter>").screen();
    stage.keys("<ctrl+d>").screen();
    stage.keys("g j ; <ctrl+u> <enter>").screen();
    assert_eq!(comments(&stage), [""; 0]);
    let screen = stage.keys("a").screen();
    assert!(screen.contains("TO APPROVE"), "its end was not shown\n{screen}");
    read_on(&mut stage);
    stage.keys("a");
    assert_eq!(answers(&mut stage), ["a"]);
}

#[test]
fn q12_in_the_inbox_a_decision_has_its_sign_and_is_rejected_after_a_confirmation() {
    let mut stage = approval(120, 40);
    stage.keys("<esc> <alt+2> g");
    let screen = stage.screen();
    assert!(screen.contains("± Split the crate"), "{screen}");
    stage.keys("x");
    assert!(stage.screen().contains("reject the decision of @orchestrator?"), "{}", stage.screen());
    stage.agree("y");
    let dismissed = stage.sent.iter().any(|command| {
        matches!(command, Command::AnswerParts { input: AnswerInput::Dismiss(None), .. })
    });
    assert!(dismissed, "{:?}", stage.sent);
}

/// A question whose decisive words are the last of the text or of the change, after padding.
fn padded(pad: &str, count: usize, in_diff: bool) -> Inquiry {
    let text = format!("Delete{} DECIDES", pad.repeat(count));
    let written = WrittenDecision {
        description: if in_diff { "Change it".to_owned() } else { text.clone() },
        diff: in_diff.then(|| format!("--- a\n+++ b\n+{text}\n")),
        recommended: Some("a".to_owned()),
        ..WrittenDecision::default()
    };
    let category = DecisionKind::ScopeChanges;
    Inquiry::of_decision(category, written, &Stamp::default(), Lang::En).expect("a decision")
}

#[test]
fn what_was_not_wholly_on_the_screen_cannot_be_approved() {
    let pads = [" ", "\n", "\t", "\u{200b}", "\u{202e}", "\u{3000}", "+\n", "y\n", "long "];
    let sizes = [(40, 12), (40, 20), (60, 20), (80, 24), (120, 40)];
    let pads = pads.into_iter().flat_map(|pad| [(pad, false), (pad, true)]);
    let cases = pads.flat_map(|pad| sizes.map(|size| (pad, size)));
    for ((pad, in_diff), (width, height)) in quarter(cases) {
        let place = format!("{width}x{height} {pad:?} {in_diff}");
        let mut stage = with(width, height, padded(pad, 700, in_diff));
        let form = stage.screen();
        stage.keys("a <enter>");
        let sent = answers(&mut stage);
        if !sent.is_empty() {
            assert!(form.contains("DECIDES"), "{place} {form}");
            continue;
        }
        assert!(stage.screen().contains("TO APPROVE"), "{place} {}", stage.screen());
        stage.keys("<esc>").screen();
        let seen = read_to_its_end(&mut stage);
        assert!(seen.contains("DECIDES"), "{place} {seen}");
        stage.keys("<enter>");
        assert_eq!(answers(&mut stage), ["a"], "{place}");
    }
}

#[test]
fn padding_by_blanks_does_not_hide_what_is_approved_even_in_the_form() {
    for pad in [" ", "\n", "\t", "\u{200b}", "\u{202e}", "\u{3000}", "\u{a0}"] {
        let mut stage = with(80, 24, padded(pad, 3_000, false));
        let screen = stage.screen();
        let (_, form) = screen.split_once('±').expect("a form");
        assert!(form.contains("DECIDES") && form.contains('×'), "{pad:?} {screen}");
    }
}

#[test]
fn the_recommended_option_approves_nothing_that_was_not_wholly_shown_from_any_place() {
    for keys in ["<alt+r>", "<esc> <alt+2> g r"] {
        let mut stage = with(60, 20, padded("y\n", 700, true));
        stage.keys(keys);
        assert!(stage.screen().contains("TO APPROVE"), "{keys} {}", stage.screen());
        stage.keys("<pagedown>").screen();
        stage.keys("<esc> y <enter>").screen();
        assert_eq!(answers(&mut stage), [""; 0], "{keys}");
        let taken = |command: &Command| {
            matches!(command, Command::AnswerParts { input: AnswerInput::Recommended, .. })
        };
        assert!(!stage.sent.iter().any(taken), "{keys}");
    }
}

#[test]
fn another_text_of_the_same_question_is_read_again() {
    let mut stage = with(80, 24, padded("y\n", 300, false));
    read_to_its_end(&mut stage);
    stage.apply(DriverEvent::Inbox(vec![asked(padded("y\n", 301, false))])).screen();
    stage.keys("a <enter>");
    assert_eq!(answers(&mut stage), [""; 0]);
}

#[test]
fn q12_a_decision_without_a_change_shows_what_it_asks() {
    let mut stage = with(120, 40, inquiry(0));
    stage.keys("<esc> <alt+2> g d");
    let screen = stage.screen();
    assert!(screen.contains("TO APPROVE") && screen.contains("x  reject"), "{screen}");
    stage.apply(DriverEvent::Inbox(vec![question(
        &side("d"),
        "dba",
        "q8",
        "Which colour?",
        "2026-11-21 12:02:00",
    )]));
    stage.keys("<esc> g d");
    assert!(stage.screen().contains("asks for no approval"), "{}", stage.screen());
}

#[test]
fn a_change_is_never_taken_for_a_part_of_the_screen() {
    let written = WrittenDecision {
        description: "x\u{1b}[2J".to_owned(),
        diff: Some("+\u{1b}]52;c;eA==\u{7}\n-\u{202e}evil\n".to_owned()),
        ..WrittenDecision::default()
    };
    let category = DecisionKind::ScopeChanges;
    let inquiry = Inquiry::of_decision(category, written, &Stamp::default(), Lang::En);
    let mut stage = with(80, 24, inquiry.expect("a decision"));
    for keys in ["<alt+o>", "<esc>"] {
        let screen = stage.screen();
        assert!(!screen.contains(['\u{1b}', '\u{7}', '\u{202e}']), "{screen:?}");
        stage.keys(keys);
    }
}
