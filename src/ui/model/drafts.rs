//! Drafts: text typed and not sent, per dialog and per question.
//!
//! A draft is handed to the [writer](crate::draft_writer) at most [`SAVE_AFTER`] after it changed,
//! and stays in its store until the driver has written the message to disk.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use crate::domain::asking::put_off;
use crate::domain::{DialogId, TeamName};
use crate::draft_writer::{DraftTexts, LOOKED};

/// The longest time of typing that a crash may lose.
pub const SAVE_AFTER: Duration = Duration::from_millis(800);

/// The prefix of the names of answers to parts.
const PART: &str = "part/";
/// The prefix of the names of comments.
const COMMENT: &str = "comment/";

/// The purpose of a draft.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum DraftKey {
    Message(DialogId),
    Answer(String),
    /// The answer to a part of a question: the ids of both.
    Part(String, String),
    /// A comment that goes with the answer to a question, and the line of the change that it is on, from 0.
    Comment(String, usize),
    /// No draft: the dialog of the question that an answer is for.
    AskedIn(String),
    /// No draft: until when a question is put off, in seconds of the clock.
    PutOff(String),
    /// No draft: the sent messages.
    Sent,
    /// No draft: how far the user has looked at the dialogs.
    Looked,
    /// The first message of a new dialog.
    New,
    /// A task for this team.
    Task(TeamName),
    /// A reminder of a dialog, by its id; new ones have special names instead.
    Reminder(DialogId, String),
    /// A section of a Taskdoc.
    Section(String, String),
    /// The line of a prompt, by what it is for.
    Line(String),
}

impl DraftKey {
    /// Returns the key of an answer to a question, or to a part of it.
    pub fn of_answer(question: &str, part: Option<&str>) -> Self {
        match part {
            Some(part) => Self::Part(question.to_owned(), part.to_owned()),
            None => Self::Answer(question.to_owned()),
        }
    }

    /// The question that it is an answer to.
    pub fn question(&self) -> Option<&str> {
        match self {
            Self::Answer(question) | Self::Part(question, _) | Self::Comment(question, _) => {
                Some(question)
            }
            Self::Message(_)
            | Self::AskedIn(_)
            | Self::PutOff(_)
            | Self::Sent
            | Self::Looked
            | Self::New
            | Self::Task(_)
            | Self::Reminder(..)
            | Self::Section(..)
            | Self::Line(_) => None,
        }
    }

    /// The name in the store.
    pub fn name(&self) -> String {
        match self {
            Self::Message(dialog) => format!("message/{dialog}"),
            Self::Answer(question) => format!("answer/{question}"),
            // The id of a part has no slash.
            Self::Part(question, part) => format!("{PART}{part}/{question}"),
            Self::Comment(question, line) => format!("{COMMENT}{line}/{question}"),
            Self::AskedIn(question) => format!("asked-in/{question}"),
            Self::PutOff(question) => put_off::name_of(question),
            Self::Sent => "sent".to_owned(),
            Self::Looked => LOOKED.to_owned(),
            Self::New => "new".to_owned(),
            Self::Task(team) => format!("task/{team}"),
            Self::Reminder(dialog, id) => format!("reminder/{dialog}/{id}"),
            Self::Section(taskdoc, name) => format!("section/{taskdoc}/{name}"),
            Self::Line(purpose) => format!("line/{purpose}"),
        }
    }
}

/// True for the name of a text that a person typed and did not send.
pub fn is_typed(name: &str) -> bool {
    let kinds = ["message/", "answer/", PART, COMMENT, "task/", "reminder/", "section/", "line/"];
    name == DraftKey::New.name() || kinds.iter().any(|kind| name.starts_with(kind))
}

/// A comment as it is stored and sent: its place, then its words.
pub fn comment_at(place: &str, words: &str) -> String {
    format!("{place}: {words}")
}

/// The words of such a comment.
pub fn words_of_comment<'a>(comment: &'a str, place: &str) -> &'a str {
    let rest = comment.strip_prefix(place).and_then(|rest| rest.strip_prefix(": "));
    rest.unwrap_or(comment)
}

/// The comments in a message, by their places.
pub fn comments_in(message: &str) -> BTreeMap<&str, &str> {
    message.lines().filter_map(|line| line.split_once(": ")).collect()
}

/// A message with this comment instead of the one that is there; without words there is none.
pub fn with_comment(message: &str, place: &str, words: &str) -> String {
    let comment = (!words.trim().is_empty()).then(|| comment_at(place, words.trim()));
    let mut lines: Vec<&str> = message.lines().collect();
    let is_it = |line: &&str| line.strip_prefix(place).is_some_and(|rest| rest.starts_with(": "));
    match (lines.iter().position(is_it), comment.as_deref()) {
        (Some(at), Some(comment)) => lines.splice(at..=at, [comment]).for_each(drop),
        (Some(at), None) => {
            lines.remove(at);
        }
        (None, comment) => lines.extend(comment),
    }
    lines.join("\n")
}

#[derive(Debug, Default)]
pub struct Drafts {
    texts: DraftTexts,
    unsaved: BTreeSet<String>,
    save_at: Option<Instant>,
    /// The texts that the writer is to store.
    outgoing: DraftTexts,
}

impl Drafts {
    /// Makes it from the stored drafts.
    pub fn new(stored: DraftTexts) -> Self {
        Self { texts: stored, ..Self::default() }
    }

    pub fn get(&self, key: &DraftKey) -> &str {
        self.texts.get(&key.name()).map_or("", String::as_str)
    }

    pub fn has(&self, key: &DraftKey) -> bool {
        !self.get(key).trim().is_empty()
    }

    /// The questions that have a draft of this kind.
    pub fn questions(&self, kind: fn(String) -> DraftKey) -> Vec<String> {
        self.named(&kind(String::new()).name())
    }

    /// Returns the rest of each name that begins with `prefix`.
    fn named(&self, prefix: &str) -> Vec<String> {
        let names = self.texts.range(prefix.to_owned()..).map(|(name, _)| name);
        names.map_while(|name| name.strip_prefix(prefix)).map(str::to_owned).collect()
    }

    /// The drafts of answers, also to parts of questions, and the comments that go with them.
    pub fn answers(&self) -> Vec<DraftKey> {
        let part = |name: String| {
            let (part, question) = name.split_once('/')?;
            Some(DraftKey::Part(question.to_owned(), part.to_owned()))
        };
        let parts = self.named(PART).into_iter();
        let whole = self.questions(DraftKey::Answer).into_iter().map(DraftKey::Answer);
        whole.chain(parts.filter_map(part)).chain(self.all_comments()).collect()
    }

    fn all_comments(&self) -> impl Iterator<Item = DraftKey> {
        let comment = |name: String| {
            let (line, question) = name.split_once('/')?;
            Some(DraftKey::Comment(question.to_owned(), line.parse().ok()?))
        };
        self.named(COMMENT).into_iter().filter_map(comment)
    }

    /// The comments that go with the answer to this question, in the order of their lines.
    pub fn comments(&self, question: &str) -> Vec<DraftKey> {
        let own = |key: &DraftKey| key.question() == Some(question) && self.has(key);
        let mut comments: Vec<DraftKey> = self.all_comments().filter(own).collect();
        comments.sort();
        comments
    }

    /// True if something is typed as an answer to this question, or to a part of it.
    pub fn has_answer(&self, question: &str) -> bool {
        let answers = self.answers().into_iter();
        answers.filter(|key| key.question() == Some(question)).any(|key| self.has(&key))
    }

    pub fn set(&mut self, key: &DraftKey, text: &str, now: Instant) {
        if self.get(key) == text {
            return;
        }
        let name = key.name();
        if text.is_empty() {
            self.texts.remove(&name);
        } else {
            self.texts.insert(name.clone(), text.to_owned());
        }
        self.unsaved.insert(name);
        self.save_at.get_or_insert(now + SAVE_AFTER);
    }

    pub fn save_at(&self) -> Option<Instant> {
        self.save_at
    }

    /// Hands over drafts that are due.
    pub fn tick(&mut self, now: Instant) {
        if self.save_at.is_some_and(|at| at <= now) {
            self.save();
        }
    }

    /// Hands everything over at once.
    pub fn save(&mut self) {
        self.save_at = None;
        for name in std::mem::take(&mut self.unsaved) {
            let text = self.texts.get(&name).cloned().unwrap_or_default();
            self.outgoing.insert(name, text);
        }
    }

    /// Takes the texts that the writer is to store now.
    pub fn take_outgoing(&mut self) -> DraftTexts {
        std::mem::take(&mut self.outgoing)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::RootId;

    fn texts(name: &str, text: &str) -> DraftTexts {
        DraftTexts::from([(name.to_owned(), text.to_owned())])
    }

    #[test]
    fn what_was_typed_is_told_from_what_else_is_stored() {
        let (dialog, id) = (DialogId::main(RootId::new("1a")), || "x".to_owned());
        let typed = [
            DraftKey::Message(dialog.clone()),
            DraftKey::Answer(id()),
            DraftKey::Part(id(), id()),
            DraftKey::Comment(id(), 7),
            DraftKey::New,
            DraftKey::Reminder(dialog, id()),
            DraftKey::Section(id(), id()),
            DraftKey::Line(id()),
        ];
        assert!(typed.iter().all(|key| is_typed(&key.name())));
        let other =
            [DraftKey::AskedIn(id()), DraftKey::PutOff(id()), DraftKey::Sent, DraftKey::Looked];
        assert!(!other.iter().any(|key| is_typed(&key.name())));
    }

    #[test]
    fn the_answers_are_those_to_questions_and_to_their_parts() {
        let question = "q4h-aa/bb/1-aa/bb/1-c1-call";
        let part = DraftKey::Part(question.to_owned(), "q1".to_owned());
        let names = [part.name(), "answer/q2".to_owned(), "sent".to_owned()];
        let drafts = Drafts::new(names.map(|name| (name, "text".to_owned())).into());
        assert_eq!(drafts.answers(), [DraftKey::Answer("q2".to_owned()), part]);
        assert!(drafts.has_answer(question) && !drafts.has_answer("aa/bb/1"));
    }

    #[test]
    fn the_comments_on_a_change_are_in_the_order_of_its_lines() {
        let names = ["comment/10/aa/q1", "comment/9/aa/q1", "comment/1/q1", "comment/x/aa/q1"];
        let drafts = Drafts::new(names.map(|name| (name.to_owned(), "text".to_owned())).into());
        let comment = |line| DraftKey::Comment("aa/q1".to_owned(), line);
        assert_eq!(drafts.comments("aa/q1"), [comment(9), comment(10)]);
        assert_eq!(comment(9).name(), "comment/9/aa/q1");
        assert!(drafts.has_answer("aa/q1") && !drafts.has_answer("q2"));
        let place = "src/a: b.rs:3";
        assert_eq!(words_of_comment(&comment_at(place, "why: x?"), place), "why: x?");
    }

    #[test]
    fn a_comment_in_a_message_takes_the_place_of_the_one_that_is_there() {
        let mut message = "Please:".to_owned();
        for (place, words, expected) in [
            ("a.rs:3", "why?", "Please:\na.rs:3: why?"),
            ("a.rs", "split it", "Please:\na.rs:3: why?\na.rs: split it"),
            ("a.rs:3", " how: so? ", "Please:\na.rs:3: how: so?\na.rs: split it"),
            ("a.rs:-3", "", "Please:\na.rs:3: how: so?\na.rs: split it"),
        ] {
            message = with_comment(&message, place, words);
            assert_eq!(message, expected);
        }
        let expected = BTreeMap::from([("a.rs", "split it"), ("a.rs:3", "how: so?")]);
        assert_eq!(comments_in(&message), expected);
        assert_eq!(with_comment(&message, "a.rs:3", " "), "Please:\na.rs: split it");
    }

    #[test]
    fn a_draft_is_handed_over_within_a_second_and_once() {
        let mut drafts = Drafts::default();
        let now = Instant::now();
        let key = DraftKey::New;
        drafts.set(&key, "h", now);
        drafts.set(&key, "hi", now + Duration::from_millis(700));
        drafts.tick(now + Duration::from_millis(700));
        assert_eq!(drafts.take_outgoing(), DraftTexts::new());
        drafts.tick(now + Duration::from_secs(1));
        assert_eq!(drafts.take_outgoing(), texts("new", "hi"));
        drafts.tick(now + Duration::from_secs(9));
        assert_eq!(drafts.take_outgoing(), DraftTexts::new());
    }

    #[test]
    fn the_questions_with_a_draft_are_those_with_one_of_this_kind() {
        let keys = ["answer/q1", "answer/q2", "asked-in/q3", "later/q4", "sent"];
        let drafts = Drafts::new(keys.map(|key| (key.to_owned(), "text".to_owned())).into());
        assert_eq!(drafts.questions(DraftKey::Answer), ["q1", "q2"]);
        assert_eq!(drafts.questions(DraftKey::PutOff), ["q4"]);
    }

    #[test]
    fn a_stored_draft_is_known_at_the_start_and_removed_by_an_empty_text() {
        let mut drafts = Drafts::new(texts("answer/q1", "half"));
        let key = DraftKey::Answer("q1".to_owned());
        assert_eq!(drafts.get(&key), "half");
        drafts.set(&key, "", Instant::now());
        drafts.save();
        assert!(!drafts.has(&key));
        assert_eq!(drafts.take_outgoing(), texts("answer/q1", ""));
    }
}
