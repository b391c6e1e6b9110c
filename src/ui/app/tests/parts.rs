//! Answering the parts of a question: one after another, each with a draft of its own.

use std::collections::BTreeMap;
use std::time::Duration;

use proptest::prelude::*;
use serde_json::json;

use super::fixture::*;
use crate::domain::asking::inquiry::Inquiry;
use crate::domain::asking::inquiry::answers::{AnswerInput, PartAnswer, PartAnswers};
use crate::domain::text::Localized;
use crate::domain::{Lang, Stamp};
use crate::protocol::{Command, DriverEvent, InboxRow, Ticket};
use crate::theme::Glyphs;

const QUESTION: &str = "q7";

fn inquiry() -> Inquiry {
    let questions = json!([
        { "text": "Which database should the service use?", "recommended": "a", "options": [
            { "label": "PostgreSQL", "pros": "proven", "cons": "a server to run" },
            { "label": "SQLite", "pros": "one file" },
        ] },
        { "text": "Does the API page its lists?", "options": [
            { "label": "cursors", "pros": "stable" }, { "label": "offset", "pros": "simple" },
        ] },
        { "text": "Who may delete?" },
    ]);
    let written = serde_json::from_value(questions).expect("parts");
    Inquiry::of_written("Before I start:", written, &Stamp::default()).expect("an inquiry")
}

fn asked_in_parts() -> InboxRow {
    let inquiry = inquiry();
    let text = inquiry.content(Lang::En);
    let at = "2026-11-21 12:01:00";
    let row = question(&main_dialog(), "orchestrator", QUESTION, &text, at);
    InboxRow { inquiry: Some(inquiry), ..row }
}

/// The call that asks the question, as in the transcript.
fn call() -> String {
    let arguments = inquiry().arguments(Lang::En).to_string();
    json!({
        "ts": "2026-11-21 12:01:00", "type": "tellask_call_record", "genseq": 14, "id": QUESTION,
        "name": "askHuman", "deliveryMode": "tellask_call_start", "rawArgumentsText": arguments,
    })
    .to_string()
}

/// The question with answers to these parts.
fn with_answers(typed: &[(&str, &str)]) -> InboxRow {
    let row = asked_in_parts();
    let typed = typed.iter().map(|(id, text)| ((*id).to_owned(), (*text).to_owned()));
    let input = AnswerInput::Parts(typed.collect());
    let answers = PartAnswers::default();
    let answers = answers.with(&inquiry(), &input, true, (&Stamp::default(), "")).expect("answers");
    InboxRow { answers: answers.parts, ..row }
}

fn put(mut stage: Stage) -> Stage {
    let other = question(&side("d"), "dba", "q8", "Which colour?", "2026-11-21 12:02:00");
    stage.apply(DriverEvent::Workspace(workspace())).apply(DriverEvent::Rows(rows()));
    stage.apply(DriverEvent::Inbox(vec![asked_in_parts(), other]));
    let (mut story, call) = (STORY.to_vec(), call());
    story.push(&call);
    stage.page(&story);
    stage.keys("<alt+a>").screen();
    stage
}

fn stage(width: u16, height: u16) -> Stage {
    put(Stage::new(width, height))
}

/// The form, with an answer that is kept and one that is typed.
pub fn half_answered(width: u16, height: u16) -> Stage {
    let mut stage = stage(width, height);
    stage.apply(DriverEvent::Inbox(vec![with_answers(&[("q1", "b, for now")])]));
    stage.keys("<alt+down> a");
    stage
}

/// The answers sent to the question: for parts their ids and texts.
fn sent(stage: &Stage) -> Vec<(Ticket, AnswerInput, bool)> {
    let about = |command: &Command| {
        let Command::AnswerParts { ticket, question, input, replace, .. } = command else {
            return None;
        };
        (question == QUESTION).then(|| (*ticket, input.clone(), *replace))
    };
    stage.sent.iter().filter_map(about).collect()
}

fn part(id: &str, text: &str) -> AnswerInput {
    AnswerInput::Parts(BTreeMap::from([(id.to_owned(), text.to_owned())]))
}

fn inputs(stage: &Stage) -> Vec<AnswerInput> {
    sent(stage).into_iter().map(|(_, input, _)| input).collect()
}

fn line(screen: &str, text: &str) -> String {
    screen.lines().rfind(|line| line.contains(text)).unwrap_or_default().to_owned()
}

#[test]
fn enter_records_the_part_and_goes_to_the_next_open_one_then_to_the_next_question() {
    for (width, height) in [(120, 40), (80, 24), (60, 20), (40, 12)] {
        let mut stage = stage(width, height);
        stage.keys("b <enter>");
        assert_eq!(inputs(&stage), [part("q1", "b")]);
        assert!(stage.screen().contains("part 2 of 3"), "{}", stage.screen());
        stage.keys("a <enter> nobody <enter>");
        let all = [part("q1", "b"), part("q2", "a"), part("q3", "nobody")];
        assert_eq!(inputs(&stage), all);
        assert!(stage.screen().contains("Which colour?"), "{}", stage.screen());
    }
}

#[test]
fn the_row_of_a_question_with_parts_has_the_title_of_its_dialog_and_below_how_many_are_answered() {
    for (width, height) in [(120, 40), (80, 24)] {
        let mut stage = stage(width, height);
        let screen = stage.screen();
        let left = screen.lines().map(|line| line.split('│').next().unwrap_or_default());
        let rows: Vec<&str> = left.skip_while(|line| !line.contains("1 add 2FA")).take(2).collect();
        assert_eq!(rows.len(), 2, "{screen}");
        assert!(!rows[0].contains("0/3") && rows[1].contains("0/3"), "{screen}");
    }
}

#[test]
fn the_form_shows_all_parts_where_there_is_room_and_the_current_one_elsewhere() {
    let mut stage = stage(120, 40);
    let screen = stage.keys("b").screen();
    assert!(line(&screen, "b  SQLite").contains("✓ b  SQLite   + one file"), "{screen}");
    let shown = "a  PostgreSQL   recommended   + proven   − a server to run";
    assert!(screen.contains(shown), "{screen}");
    assert!(screen.contains("▌ 1 Which database") && screen.contains("  3 Who may delete?"));
    assert!(screen.contains("0/3 answered") && screen.contains("0/3 parts"), "{screen}");
    let answered = with_answers(&[("q1", "a"), ("q3", "only me")]);
    stage.apply(DriverEvent::Inbox(vec![answered]));
    let screen = stage.screen();
    assert!(line(&screen, "Who may delete?").contains("✓ only me"), "{screen}");
    assert!(screen.contains("✓ answered: a: PostgreSQL"), "{screen}");
    assert!(line(&screen, "b  SQLite").contains("✓ b"), "what is typed now counts: {screen}");
    let mut small = self::stage(40, 12);
    let screen = small.screen();
    assert!(screen.contains("▌ 1 Which database") && screen.contains("b  SQLite"), "{screen}");
    let form = screen.lines().skip_while(|line| !line.contains('▌')).collect::<String>();
    assert!(!form.contains("3 Who may delete?"), "{screen}");
}

#[test]
fn the_form_leaves_room_for_the_dialog_and_the_answer_at_every_size() {
    let long = format!("{}ends", "a long answer ".repeat(60));
    for width in [40, 60, 79, 80, 109, 120] {
        for height in 12..30 {
            // A draft: it is not the typing that is tested here.
            let drafts = Notebook::with("part/q1/q7", &long);
            let mut stage = put(Stage::with(width, height, drafts, &Glyphs::UTF8));
            assert_eq!(stage.composer_text(), long);
            let screen = stage.screen();
            assert_eq!(screen.lines().count(), usize::from(height), "{width}x{height}");
            let at = |text: &str| screen.lines().position(|line| line.contains(text));
            let (form, composer) = (at("▌ 1 Which"), at("part 1 of 3"));
            assert!(composer.is_some(), "{width}x{height}\n{screen}");
            assert!(form.is_none_or(|form| Some(form) < composer), "{width}x{height}\n{screen}");
            stage.keys("<ctrl+c>");
            let screen = stage.screen();
            assert!(screen.contains("▌ 1 Which"), "{width}x{height}\n{screen}");
        }
    }
}

#[test]
fn in_ascii_the_form_needs_no_other_symbol() {
    let mut stage = put(Stage::with(120, 40, Notebook::default(), &Glyphs::ASCII));
    let screen = stage.keys("b").screen();
    assert!(screen.is_ascii(), "{screen}");
    assert!(line(&screen, "b  SQLite").contains("+ b  SQLite"), "{screen}");
}

#[test]
fn what_is_recommended_is_taken_with_a_key_and_what_is_typed_is_said_about_it() {
    let mut stage = stage(120, 40);
    stage.keys("<alt+r>");
    assert_eq!(inputs(&stage), [part("q1", "a")]);
    stage.keys("<alt+r>");
    assert!(stage.screen().contains("nothing is recommended here"), "{}", stage.screen());
    let mut stage = self::stage(120, 40);
    stage.type_text("until May").keys("<alt+r>");
    assert_eq!(inputs(&stage), [part("q1", "a, until May")]);
}

#[test]
fn what_no_option_has_is_not_sent_and_says_which_there_are() {
    let mut stage = stage(120, 40);
    stage.keys("z <enter>");
    assert!(inputs(&stage).is_empty());
    assert_eq!(stage.composer_text(), "z");
    assert!(stage.screen().contains("q1 has no option z; its options are a, b"));
}

#[test]
fn a_part_takes_no_images_and_says_so() {
    let source = crate::protocol::ImageSource::Copy("a-copy".to_owned());
    let image = crate::protocol::AttachedImage { name: "a.png".to_owned(), bytes: 7, source };
    let image = crate::model::DraftImage::new(image, Lang::En, "/p/a.png");
    let drafts = Notebook::with("part/q1/q7", &format!("look {}", image.token()));
    let mut stage = put(Stage::with(120, 40, drafts, &Glyphs::UTF8));
    stage.keys("<enter>");
    assert!(inputs(&stage).is_empty());
    assert!(stage.screen().contains("takes no images"), "{}", stage.screen());
}

#[test]
fn each_part_has_a_draft_of_its_own_that_survives_the_program() {
    let drafts = Notebook::default();
    let mut stage = put(Stage::with(120, 40, drafts.clone(), &Glyphs::UTF8));
    stage.keys("one <alt+down> two <alt+up>");
    assert_eq!(stage.composer_text(), "one");
    assert!(line(&stage.screen(), "2 Does the API page").contains('✎'), "{}", stage.screen());
    assert_eq!(drafts.get("part/q2/q7").as_deref(), Some("two"));
    stage.wait(Duration::from_secs(1));
    drop(stage);
    let mut again = put(Stage::with(120, 40, drafts, &Glyphs::UTF8));
    assert_eq!(again.composer_text(), "one");
    again.keys("<alt+up> <alt+up>");
    assert_eq!(again.composer_text(), "two");
}

#[test]
fn a_part_that_has_its_answer_is_answered_anew_and_enter_alone_goes_on() {
    let mut stage = stage(120, 40);
    stage.apply(DriverEvent::Inbox(vec![with_answers(&[("q1", "a")])]));
    stage.keys("<enter>");
    assert!(stage.screen().contains("part 2 of 3"), "{}", stage.screen());
    stage.keys("<enter>");
    assert!(stage.screen().contains("write something first"), "{}", stage.screen());
    stage.keys("<alt+up> b <enter>");
    assert!(matches!(sent(&stage).as_slice(), [(_, input, true)] if *input == part("q1", "b")));
}

#[test]
fn the_rest_is_dismissed_after_what_is_typed_was_sent() {
    let mut stage = stage(120, 40);
    stage.keys("b <alt+s>");
    assert_eq!(inputs(&stage), [part("q1", "b"), AnswerInput::Dismiss(None)]);
    assert!(stage.screen().contains("Which colour?"), "{}", stage.screen());
    let mut stage = self::stage(120, 40);
    stage.keys("z <alt+s>");
    assert!(inputs(&stage).is_empty(), "what is typed is no answer");
}

#[test]
fn the_answer_that_closes_the_question_can_be_taken_back() {
    let mut stage = stage(120, 40).with_undo();
    stage.keys("a <enter> b <enter> nobody <enter> <alt+z>");
    assert!(stage.screen().contains("part 3 of 3"), "{}", stage.screen());
    assert_eq!(stage.composer_text(), "nobody");
    stage.wait(Duration::from_secs(9)).screen();
    assert_eq!(inputs(&stage), [part("q1", "a"), part("q2", "b")]);
    stage.keys("<enter>").wait(Duration::from_secs(9)).screen();
    assert_eq!(inputs(&stage).last(), Some(&part("q3", "nobody")));
}

#[test]
fn a_refused_part_is_a_draft_again() {
    let mut stage = stage(120, 40);
    stage.keys("a <enter>");
    let ticket = sent(&stage)[0].0;
    stage.apply(DriverEvent::Refused { ticket, text: Localized::same("no room") });
    assert!(stage.screen().contains("no room"), "{}", stage.screen());
    stage.keys("<alt+up>");
    assert_eq!(stage.composer_text(), "a");
}

#[test]
fn the_drafts_of_a_question_that_is_gone_become_one_message_draft() {
    let drafts = Notebook::default();
    let mut stage = put(Stage::with(120, 40, drafts.clone(), &Glyphs::UTF8));
    stage.keys("one <alt+down> two <esc>");
    stage.apply(DriverEvent::Inbox(Vec::new()));
    stage.wait(Duration::from_secs(1)).screen();
    let message = drafts.get(&format!("message/{}", main_dialog())).unwrap_or_default();
    assert!(message.contains("one") && message.contains("two"), "{message}");
    assert_eq!((drafts.get("part/q1/q7"), drafts.get("part/q2/q7")), (None, None));
    assert_eq!(drafts.get("asked-in/q7"), None);
}

#[test]
fn in_the_inbox_recommended_options_and_dismissing_are_asked_about() {
    for (key, shown, input) in [
        ("r", "what is recommended: PostgreSQL?", AnswerInput::Recommended),
        ("x", "close the question of @orchestrator without", AnswerInput::Dismiss(None)),
    ] {
        let mut stage = stage(120, 40);
        stage.keys(&format!("<esc> <alt+2> g {key}"));
        assert!(stage.screen().contains(shown), "{}", stage.screen());
        assert!(inputs(&stage).is_empty());
        stage.agree("y");
        assert_eq!(inputs(&stage), [input]);
    }
    let mut stage = stage(120, 40);
    stage.keys("<esc> <alt+2> G r");
    assert!(stage.screen().contains("nothing is recommended here"), "{}", stage.screen());
}

#[test]
fn the_asked_question_stands_in_its_dialog_with_all_parts() {
    let mut stage = stage(120, 40);
    let screen = stage.keys("<esc> 3 G").screen();
    for text in ["several parts", "Before I start:", "1 Which database", "3 Who may delete?"] {
        assert!(screen.contains(text), "{text}\n{screen}");
    }
    assert!(screen.contains("b  SQLite   + one file"), "{screen}");
}

#[test]
fn a_question_without_parts_shows_its_options_as_one_with_parts_does() {
    let written = json!([
        { "text": "Which database should the service use?", "recommended": "b", "options": [
            { "label": "PostgreSQL", "pros": "proven", "cons": "a server to run" },
            { "label": "SQLite", "pros": "one file" },
        ] },
    ]);
    let written = serde_json::from_value(written).expect("a part");
    let inquiry = Inquiry::of_written("Before I start:", written, &Stamp::default());
    let inquiry = inquiry.expect("an inquiry");
    for lang in Lang::ALL {
        let call = json!({
            "ts": "2026-11-21 12:01:00", "type": "tellask_call_record", "genseq": 14, "id": "q1",
            "name": "askHuman", "deliveryMode": "tellask_call_start",
            "rawArgumentsText": inquiry.arguments(lang).to_string(),
        })
        .to_string();
        let mut stage = Stage::new(120, 40);
        stage.apply(DriverEvent::Rows(rows())).apply(DriverEvent::Inbox(Vec::new()));
        let screen = stage.page(&[&call]).keys("3").screen();
        for text in
            ["a  PostgreSQL   + proven   − a server to run", "b  SQLite   recommended   + one file"]
        {
            assert!(screen.contains(text), "{text}\n{screen}");
        }
        assert!(!screen.contains("recommended:") && !screen.contains("推荐"), "{screen}");
    }
}

/// The events that may happen while a question with parts is answered.
#[derive(Debug, Clone)]
enum Step {
    Keys(&'static str),
    /// A new text each time.
    Type,
    /// The driver carries out the first command without a reply, or refuses it.
    Reply(bool),
    /// Another client answers this part.
    Elsewhere(usize),
    Wait(u64),
}

fn any_step() -> impl Strategy<Value = Step> {
    const KEYS: &[&str] = &[
        "<enter>",
        "<alt+up>",
        "<alt+down>",
        "<alt+r>",
        "<alt+s>",
        "<alt+z>",
        "<esc>",
        "<alt+a>",
        "<alt+n>",
        "a",
    ];
    prop_oneof![
        4 => prop::sample::select(KEYS).prop_map(Step::Keys),
        3 => Just(Step::Type),
        2 => any::<bool>().prop_map(Step::Reply),
        1 => (0_usize..3).prop_map(Step::Elsewhere),
        1 => (0_u64..7).prop_map(Step::Wait),
    ]
}

/// The driver's side: the question as it knows it.
struct Answered {
    answers: PartAnswers,
    replied: usize,
    closed: bool,
    /// All accepted words.
    taken: String,
}

impl Answered {
    /// Carries out the next command; false if there is none.
    fn reply(&mut self, stage: &mut Stage, done: bool) -> bool {
        let Some((ticket, input, replace)) = sent(stage).get(self.replied).cloned() else {
            return false;
        };
        self.replied += 1;
        let at = (&Stamp::default(), "dismissed");
        let next = self.answers.with(&inquiry(), &input, replace, at);
        match next.ok().filter(|_| done && !self.closed) {
            Some(next) => {
                if let AnswerInput::Parts(parts) = &input {
                    self.taken.extend(parts.values().cloned());
                }
                self.answers = next;
                self.closed = self.answers.is_complete(&inquiry());
                self.tell(stage);
                stage.apply(DriverEvent::Done { ticket, dialog: Some(main_dialog()) });
            }
            None => {
                stage.apply(DriverEvent::Refused { ticket, text: Localized::same("refused") });
            }
        }
        true
    }

    fn tell(&self, stage: &mut Stage) {
        let row = InboxRow { answers: self.answers.parts.clone(), ..asked_in_parts() };
        let open = if self.closed { Vec::new() } else { vec![row] };
        stage.apply(DriverEvent::Inbox(open));
    }
}

proptest! {
    /// Whatever happens, every word that was typed is in the composer, a draft, or on its way, or the driver has it.
    #[test]
    fn no_word_typed_for_a_part_is_lost(steps in prop::collection::vec(any_step(), 1..24), undo in any::<bool>()) {
        let drafts = Notebook::default();
        let mut stage = put(Stage::with(80, 24, drafts.clone(), &Glyphs::UTF8));
        stage.apply(DriverEvent::Inbox(vec![asked_in_parts()]));
        if undo {
            stage = stage.with_undo();
        }
        let mut driver = Answered {
            answers: PartAnswers::default(),
            replied: 0,
            closed: false,
            taken: String::new(),
        };
        let mut typed: Vec<String> = Vec::new();
        for step in steps {
            match step {
                Step::Keys(keys) => drop(stage.keys(keys).screen()),
                Step::Type => {
                    if stage.app.writing.question() != Some(QUESTION) {
                        continue;
                    }
                    let word = format!("word{}.", typed.len());
                    stage.type_text(&word);
                    typed.push(word);
                }
                Step::Reply(done) => drop(driver.reply(&mut stage, done)),
                Step::Elsewhere(at) => {
                    if !driver.closed && let Some(part) = inquiry().parts.get(at) {
                        let answer = PartAnswer {
                            option: None,
                            text: Some("elsewhere".to_owned()),
                            at: Stamp::default(),
                        };
                        driver.answers.parts.insert(part.id.clone(), answer);
                        driver.closed = driver.answers.is_complete(&inquiry());
                        driver.tell(&mut stage);
                    }
                }
                Step::Wait(seconds) => drop(stage.wait(Duration::from_secs(seconds)).screen()),
            }
        }
        // At the end held answers are sent, sent ones are replied, and drafts are stored.
        stage.keys("<esc>").wait(Duration::from_secs(9)).screen();
        while driver.reply(&mut stage, true) {}
        stage.wait(Duration::from_secs(2)).screen();
        let stored = drafts.0.lock().expect("drafts").iter()
            .filter(|(name, _)| name != "sent")
            .map(|(_, text)| text.clone())
            .collect::<String>();
        for word in &typed {
            let kept = stored.contains(word)
                || driver.taken.contains(word)
                || stage.composer_text().contains(word);
            prop_assert!(kept, "{word}: {stored:?} {:?}", driver.taken);
        }
    }
}
