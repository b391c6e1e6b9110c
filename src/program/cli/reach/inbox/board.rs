//! The open items of several workspaces, and the changes to report.

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::domain::Problem;
use crate::domain::teams::notices::{self, NewsItem};
use crate::hive::STORE_PROBLEM;
use crate::protocol::LOST;
use crate::protocol::command::Ticket;
use crate::protocol::{Command, DriverEvent, InboxRow};
use crate::remote::AT_REST;

/// An open question with its number, which stays.
#[derive(Debug, Clone, PartialEq)]
pub struct Open {
    pub number: usize,
    pub place: usize,
    pub row: InboxRow,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PlaceState {
    Unknown,
    Up,
    Down(String),
    /// No driver runs: the open items are those of its files, once these have been read.
    AtRest {
        why: String,
        is_read: bool,
    },
}

impl PlaceState {
    /// Returns why its items are not those of a running driver.
    pub fn why_down(&self) -> Option<&str> {
        match self {
            Self::Unknown => Some("no answer in time"),
            Self::Down(why) | Self::AtRest { why, .. } => Some(why),
            Self::Up => None,
        }
    }
}

/// A change to report.
#[derive(Debug, Clone, PartialEq)]
pub enum Change {
    Asked(Open),
    /// This part has an answer, or another one than before.
    PartAnswered(Open, String),
    /// It is closed; by whom, if that is known and not this person.
    Gone(Open, Option<String>),
    /// A notice or a failure came, or was said again.
    NewsAdded(usize, NewsItem),
    NewsGone(usize, NewsItem),
    /// The answer to the question with this number is on disk.
    Sent(usize),
    Refused(usize, String),
    Down(usize, String),
    Up(usize),
    /// Its notices, failures and task kinds are unknown now, and why.
    StoreAway(usize, String),
    StoreBack(usize),
}

/// All open items.
#[derive(Debug)]
pub struct Board {
    pub places: Vec<PlaceState>,
    pub open: BTreeMap<usize, Open>,
    /// The open notices and failures of each place, once they are known.
    pub news: Vec<Option<Vec<NewsItem>>>,
    /// Why the store of each place cannot be used, if so: the known items are then from before.
    pub away: Vec<Option<String>>,
    /// Questions that were closed; who answered them follows, if known.
    leaving: Vec<Open>,
    numbered: usize,
    /// Answers that are not acknowledged, by their tickets, with the numbers of their questions.
    pub sent: BTreeMap<Ticket, usize>,
    next_ticket: Ticket,
}

impl Board {
    pub fn of(places: usize) -> Self {
        Self {
            places: vec![PlaceState::Unknown; places],
            open: BTreeMap::new(),
            news: vec![None; places],
            away: vec![None; places],
            leaving: Vec::new(),
            numbered: 0,
            sent: BTreeMap::new(),
            next_ticket: 1,
        }
    }

    /// True once every place has reported its open items, or cannot be reached.
    pub fn is_known(&self) -> bool {
        self.places.iter().all(|state| match state {
            PlaceState::Unknown | PlaceState::AtRest { is_read: false, .. } => false,
            PlaceState::Up | PlaceState::Down(_) | PlaceState::AtRest { is_read: true, .. } => true,
        })
    }

    /// True if a place that is reached has not told its notices and failures yet.
    pub fn awaits_news(&self) -> bool {
        let mut places = self.places.iter().zip(&self.news);
        places.any(|(state, news)| *state == PlaceState::Up && news.is_none())
    }

    /// The command that answers a question.
    pub fn answer(&mut self, open: &Open, typed: &str) -> Command {
        let ticket = self.take_ticket();
        self.sent.insert(ticket, open.number);
        open.row.answer_typed(ticket, typed)
    }

    pub fn take_ticket(&mut self) -> Ticket {
        let ticket = self.next_ticket;
        self.next_ticket += 1;
        ticket
    }

    pub fn apply(&mut self, place: usize, event: DriverEvent) -> Vec<Change> {
        if let DriverEvent::Answered { question, by, .. } = event {
            self.take(place, |open| open.row.question.id == question);
            return self
                .left(|open| open.place == place && open.row.question.id == question, by.as_ref());
        }
        let mut changes = self.left(|open| open.place == place, None);
        changes.extend(self.apply_other(place, event));
        changes
    }

    fn apply_other(&mut self, place: usize, event: DriverEvent) -> Vec<Change> {
        if let DriverEvent::Inbox(rows) = event {
            return self.listed(place, rows);
        }
        if let DriverEvent::News(items) = event {
            return self.told(place, &items);
        }
        if let DriverEvent::Problems(problems) = event {
            return self.faults(place, &problems);
        }
        if let DriverEvent::Done { ticket, .. } = event {
            return self.sent.remove(&ticket).map(Change::Sent).into_iter().collect();
        }
        if let DriverEvent::Refused { ticket, text } = event {
            let refused = self.sent.remove(&ticket);
            return refused
                .map(|number| Change::Refused(number, text.to_string()))
                .into_iter()
                .collect();
        }
        Vec::new()
    }

    /// Takes the problems by which a place, or its store, is unknown.
    fn faults(&mut self, place: usize, problems: &[Problem]) -> Vec<Change> {
        let text = |id| {
            let found = problems.iter().find(|problem| problem.id == id);
            found.map(|problem| problem.text.to_string())
        };
        let mut changes = Vec::new();
        if let Some(why) = text(LOST) {
            let is_new = self.set(place, PlaceState::Down(why.clone()));
            changes.extend(is_new.then_some(Change::Down(place, why)));
        } else if let Some(why) = text(AT_REST) {
            let state = self.places.get(place);
            let is_new = !matches!(state, Some(PlaceState::AtRest { .. }));
            if is_new {
                self.set(place, PlaceState::AtRest { why: why.clone(), is_read: false });
                changes.push(Change::Down(place, why));
            }
        } else if let Some(PlaceState::AtRest { why, .. }) = self.places.get(place).cloned() {
            // The next report comes from a driver.
            self.set(place, PlaceState::Down(why));
        }
        let away = text(STORE_PROBLEM);
        if let Some(known) = self.away.get_mut(place).filter(|known| **known != away) {
            known.clone_from(&away);
            changes
                .push(away.map_or(Change::StoreBack(place), |why| Change::StoreAway(place, why)));
        }
        changes
    }

    /// True if that is another state.
    fn set(&mut self, place: usize, state: PlaceState) -> bool {
        let Some(known) = self.places.get_mut(place) else { return false };
        let is_other = *known != state;
        *known = state;
        is_other
    }

    fn listed(&mut self, place: usize, rows: Vec<InboxRow>) -> Vec<Change> {
        let was_down = matches!(self.places.get(place), Some(PlaceState::Down(_)));
        if let Some(PlaceState::AtRest { is_read, .. }) = self.places.get_mut(place) {
            *is_read = true;
        } else {
            self.set(place, PlaceState::Up);
        }
        let mut changes = Vec::new();
        changes.extend(was_down.then_some(Change::Up(place)));
        let ids: HashSet<&str> = rows.iter().map(|row| row.question.id.as_str()).collect();
        self.take(place, |open| !ids.contains(open.row.question.id.as_str()));
        let here = self.open.values().filter(|open| open.place == place);
        let numbers: HashMap<String, usize> =
            here.map(|open| (open.row.question.id.clone(), open.number)).collect();
        for row in rows {
            let number = numbers.get(&row.question.id);
            if let Some(known) = number.and_then(|number| self.open.get_mut(number)) {
                let before = std::mem::replace(&mut known.row, row).answers;
                let is_new = |id: &&String| before.get(*id) != known.row.answers.get(*id);
                let new = known.row.answers.keys().filter(is_new).cloned();
                changes.extend(new.map(|part| Change::PartAnswered(known.clone(), part)));
                continue;
            }
            self.numbered += 1;
            let open = Open { number: self.numbered, place, row };
            self.open.insert(open.number, open.clone());
            changes.push(Change::Asked(open));
        }
        changes
    }

    pub fn told(&mut self, place: usize, items: &[NewsItem]) -> Vec<Change> {
        let Some(known) = self.news.get_mut(place) else { return Vec::new() };
        let before = known.replace(items.to_vec()).unwrap_or_default();
        let added = notices::added(&before, items);
        let added = added.map(|item| Change::NewsAdded(place, item.clone()));
        let gone = notices::gone(&before, items);
        added.chain(gone.map(|item| Change::NewsGone(place, item.clone()))).collect()
    }

    /// Notes why the store of a place cannot be used.
    pub fn is_away(&mut self, place: usize, why: String) {
        if let Some(away) = self.away.get_mut(place) {
            *away = Some(why);
        }
    }

    /// Removes questions of a place.
    fn take(&mut self, place: usize, is_gone: impl Fn(&Open) -> bool) {
        let gone = self.open.values().filter(|open| open.place == place && is_gone(open));
        let gone: Vec<usize> = gone.map(|open| open.number).collect();
        self.leaving.extend(gone.into_iter().filter_map(|number| self.open.remove(&number)));
    }

    /// Returns the changes for questions that were removed.
    fn left(&mut self, is_it: impl Fn(&Open) -> bool, by: Option<&String>) -> Vec<Change> {
        let left = self.leaving.extract_if(.., |open| is_it(open));
        // An own answer is reported by its acknowledgement.
        let is_own =
            |open: &Open| by.is_none() && self.sent.values().any(|sent| *sent == open.number);
        left.filter(|open| !is_own(open)).map(|open| Change::Gone(open, by.cloned())).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    use crate::domain::asking::decisions::Resolution;
    use crate::domain::text::{Localized, Text};

    fn row(id: &str) -> InboxRow {
        serde_json::from_value(json!({
            "dialog": { "root": "1a/2b/3c4d5e6f", "this": "1a/2b/3c4d5e6f" },
            "agent": "alice", "slug": null, "taskdoc": "t.tsk", "blocks": [],
            "question": {
                "id": id, "tellaskContent": "Which colour?", "askedAt": "2026-11-25 10:00:00",
                "callId": "c", "callSiteRef": { "course": 1, "messageIndex": 1 },
            },
        }))
        .expect("a row")
    }

    fn numbers(changes: &[Change]) -> Vec<(char, usize)> {
        let one = |change: &Change| match change {
            Change::Asked(open) => ('+', open.number),
            Change::PartAnswered(open, _) => ('p', open.number),
            Change::Gone(open, _) => ('-', open.number),
            Change::Sent(number) => ('s', *number),
            Change::Refused(number, _) => ('r', *number),
            Change::NewsAdded(place, _) => ('n', *place),
            Change::NewsGone(place, _) => ('g', *place),
            Change::Down(place, _) => ('d', *place),
            Change::Up(place) => ('u', *place),
            Change::StoreAway(place, _) => ('x', *place),
            Change::StoreBack(place) => ('b', *place),
        };
        changes.iter().map(one).collect()
    }

    #[test]
    fn questions_of_all_places_have_numbers_that_stay() {
        let mut board = Board::of(2);
        let asked = board.apply(0, DriverEvent::Inbox(vec![row("a"), row("b")]));
        assert_eq!(numbers(&asked), [('+', 1), ('+', 2)]);
        assert!(!board.is_known(), "the other place has said nothing yet");
        // The same id in another place is another question.
        assert_eq!(numbers(&board.apply(1, DriverEvent::Inbox(vec![row("a")]))), [('+', 3)]);
        assert!(board.is_known());
        let left = board.apply(0, DriverEvent::Inbox(vec![row("b"), row("c")]));
        assert_eq!(numbers(&left), [('+', 4)]);
        let other = DriverEvent::Problems(Vec::new());
        assert_eq!(numbers(&board.apply(1, other.clone())), [], "of another place");
        assert_eq!(numbers(&board.apply(0, other)), [('-', 1)]);
        assert_eq!(board.open.keys().copied().collect::<Vec<_>>(), [2, 3, 4]);
    }

    #[test]
    fn who_answered_is_said_whichever_event_comes_first() {
        let answered = || DriverEvent::Answered {
            dialog: row("a").dialog,
            question: "a".to_owned(),
            headline: String::new(),
            by: Some("pts/1".to_owned()),
            how: Resolution::Answered,
        };
        for order in [
            [DriverEvent::Inbox(Vec::new()), answered()],
            [answered(), DriverEvent::Inbox(Vec::new())],
        ] {
            let mut board = Board::of(1);
            board.apply(0, DriverEvent::Inbox(vec![row("a")]));
            let said: Vec<Change> =
                order.into_iter().flat_map(|event| board.apply(0, event)).collect();
            assert!(
                matches!(said.as_slice(), [Change::Gone(_, Some(by))] if by == "pts/1"),
                "{said:?}"
            );
        }
    }

    #[test]
    fn an_answer_goes_to_its_own_place_and_its_reply_names_the_number() {
        let mut board = Board::of(2);
        board.apply(0, DriverEvent::Inbox(vec![row("a")]));
        board.apply(1, DriverEvent::Inbox(vec![row("a")]));
        let (first, second) = (board.open[&1].clone(), board.open[&2].clone());
        let (one, two) = (board.answer(&first, "x"), board.answer(&second, "y"));
        let (one, two) = (one.ticket().expect("a ticket"), two.ticket().expect("a ticket"));
        assert_ne!(one, two);
        assert_eq!(numbers(&board.apply(1, DriverEvent::Inbox(Vec::new()))), []);
        let done = DriverEvent::Done { ticket: two, dialog: None };
        assert_eq!(numbers(&board.apply(1, done)), [('s', 2)]);
        let text = Localized::same("answered already");
        let refused = board.apply(0, DriverEvent::Refused { ticket: one, text });
        assert_eq!(refused, [Change::Refused(1, "answered already".to_owned())]);
        assert!(board.sent.is_empty());
    }

    #[test]
    fn a_place_that_is_down_is_said_once_keeps_its_questions_and_comes_back() {
        let mut board = Board::of(1);
        board.apply(0, DriverEvent::Inbox(vec![row("a")]));
        let text = Text::new("no route", "不通");
        let lost = DriverEvent::Problems(vec![Problem::new(LOST, "box", text, text)]);
        assert_eq!(numbers(&board.apply(0, lost.clone())), [('d', 0)]);
        assert_eq!(board.apply(0, lost), []);
        assert!(board.is_known() && board.open.contains_key(&1));
        assert_eq!(board.apply(0, DriverEvent::Problems(Vec::new())), []);
        assert_eq!(numbers(&board.apply(0, DriverEvent::Inbox(vec![row("a")]))), [('u', 0)]);
    }

    #[test]
    fn a_place_that_nobody_drives_is_known_by_its_files_until_a_driver_is_there() {
        let problem = |id: &str| {
            let text = Text::new("no", "无");
            DriverEvent::Problems(vec![Problem::new(id, "w", text, text)])
        };
        let mut board = Board::of(1);
        assert_eq!(numbers(&board.apply(0, problem(AT_REST))), [('d', 0)]);
        assert!(!board.is_known(), "its files are not read yet");
        assert_eq!(numbers(&board.apply(0, DriverEvent::Inbox(vec![row("a")]))), [('+', 1)]);
        assert!(board.is_known());
        assert_eq!(board.places[0].why_down(), Some("no"));
        // It is checked repeatedly.
        assert_eq!(board.apply(0, problem(AT_REST)), []);
        assert_eq!(board.apply(0, DriverEvent::Inbox(vec![row("a")])), []);
        assert_eq!(board.apply(0, DriverEvent::Problems(Vec::new())), []);
        assert_eq!(numbers(&board.apply(0, DriverEvent::Inbox(vec![row("a")]))), [('u', 0)]);
    }

    #[test]
    fn a_store_that_is_away_is_said_once_with_the_reason_and_so_is_its_return() {
        let mut board = Board::of(1);
        board.apply(0, DriverEvent::Inbox(Vec::new()));
        let text = Text::new("the server cannot be reached", "无法连接");
        let away = DriverEvent::Problems(vec![Problem::new(STORE_PROBLEM, "c", text, text)]);
        assert_eq!(numbers(&board.apply(0, away.clone())), [('x', 0)]);
        assert_eq!(board.apply(0, away), []);
        assert_eq!(board.away[0].as_deref(), Some("the server cannot be reached"));
        assert_eq!(numbers(&board.apply(0, DriverEvent::Problems(Vec::new()))), [('b', 0)]);
    }
}
