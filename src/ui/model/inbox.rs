//! The open questions and the news: their order, which of them are shown, and which row is selected. A
//! question that is put off is hidden until its time has come. Questions of several dialogs that ask the same are
//! merged into the row of the oldest. The news are below all questions.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::time::Instant;

use super::filter::{Filter, FittingRow};
use crate::domain::DialogId;
use crate::domain::teams::notices::{NewsItem, NewsKind};
use crate::domain::text::Text;
use crate::protocol::{Asked, InboxRow};

const BLOCKED_FIRST: Text = Text::new("what blocks most comes first", "阻塞最多的在前");
const SHOWS_ALL: Text = Text::new("questions and news", "问题和消息");
const SHOWS_QUESTIONS: Text = Text::new("only what waits for an answer", "只显示等待答复的");
const SHOWS_NEWS: Text = Text::new("only the news", "只显示消息");
const OLDEST_FIRST: Text = Text::new("the oldest comes first", "最早的在前");

/// Most questions of one group that keep rows of their own, because of their answers, and have others merged into them.
const MOST_STANDING: usize = 8;

/// The order of the questions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum InboxOrder {
    /// The question that most dialogs wait for first; of equal ones the oldest.
    #[default]
    BlockedFirst,
    OldestFirst,
}

impl InboxOrder {
    pub fn word(self) -> Text {
        match self {
            Self::BlockedFirst => BLOCKED_FIRST,
            Self::OldestFirst => OLDEST_FIRST,
        }
    }
}

/// The kinds of items that are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum InboxShows {
    #[default]
    All,
    /// Questions and approvals.
    Questions,
    /// Notices and failures.
    News,
}

impl InboxShows {
    pub fn word(self) -> Text {
        match self {
            Self::All => SHOWS_ALL,
            Self::Questions => SHOWS_QUESTIONS,
            Self::News => SHOWS_NEWS,
        }
    }
}

#[derive(Debug, Default)]
pub struct Inbox {
    /// All open questions, oldest first.
    all: Vec<InboxRow>,
    /// The index of each question, and of its group.
    places: HashMap<String, (usize, usize)>,
    /// The questions that ask the same, by where they are.
    groups: Vec<Vec<usize>>,
    /// Questions that are merged into an older one, with its id.
    merged: BTreeMap<String, String>,
    /// The questions that are shown, in their order.
    shown: Vec<InboxRow>,
    /// Questions whose answers are being sent; they are skipped.
    sent: BTreeSet<String>,
    /// Approvals of which all was on the screen.
    read: BTreeSet<String>,
    /// Questions that are put off; `None` until the next start.
    put_off: BTreeMap<String, Option<Instant>>,
    /// All notices and failures.
    news: Vec<NewsItem>,
    /// The news that are shown, below the questions.
    shown_news: Vec<NewsItem>,
    filter: Option<Filter>,
    order: InboxOrder,
    shows: InboxShows,
    selected: usize,
    /// A person has moved to the selected row.
    chosen: bool,
    /// True if the selected question shows its details.
    unfolded: bool,
    /// The first row shown.
    pub top: usize,
}

#[cfg(test)]
thread_local! {
    /// How often anybody looked at all that a question asks.
    static LOOKS: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

fn asked(row: &InboxRow) -> Option<Asked<'_>> {
    #[cfg(test)]
    LOOKS.set(LOOKS.get() + 1);
    row.asked()
}

impl Inbox {
    /// Replaces the rows; the selected question stays selected while it is open.
    pub fn set(&mut self, rows: Vec<InboxRow>) {
        let known = |id: &str| self.get(id).map(asked);
        let of = |id: &str| rows.iter().find(|row| row.question.id == id).map(asked);
        let read = self.read.iter().filter(|id| known(id) == of(id)).cloned().collect();
        (self.all, self.read) = (rows, read);
        let open: BTreeSet<&String> = self.all.iter().map(|row| &row.question.id).collect();
        self.sent.retain(|id| open.contains(id));
        self.put_off.retain(|id, _| open.contains(id));
        self.merge();
        self.refresh();
    }

    /// Groups the questions that ask the same, and merges them into older ones.
    fn merge(&mut self) {
        let mut known = HashMap::new();
        let (mut places, mut groups) = (HashMap::new(), Vec::<Vec<usize>>::new());
        for (at, row) in self.all.iter().enumerate() {
            let new = groups.len();
            let group = asked(row).map_or(new, |asked| *known.entry(asked).or_insert(new));
            match groups.get_mut(group) {
                Some(same) => same.push(at),
                None => groups.push(vec![at]),
            }
            places.insert(row.question.id.clone(), (at, group));
        }
        let mut merged = BTreeMap::new();
        for group in groups.iter().filter(|group| group.len() > 1) {
            let mut standing: Vec<&InboxRow> = Vec::new();
            for row in group.iter().filter_map(|at| self.all.get(*at)) {
                match standing.iter().find(|older| older.answers_also(row)) {
                    Some(older) => {
                        merged.insert(row.question.id.clone(), older.question.id.clone());
                    }
                    None if standing.len() < MOST_STANDING => standing.push(row),
                    None => {}
                }
            }
        }
        (self.places, self.groups, self.merged) = (places, groups, merged);
    }

    /// Replaces the news; the selected row stays selected while it is there.
    pub fn set_news(&mut self, news: Vec<NewsItem>) {
        self.news = news;
        self.refresh();
    }

    /// Returns all notices and failures, shown or not.
    pub fn news(&self) -> &[NewsItem] {
        &self.news
    }

    /// True if the item with this id is an open failure.
    pub fn is_failure(&self, id: &str) -> bool {
        self.news.iter().any(|item| item.id == id && item.kind == NewsKind::Failure)
    }

    /// The notices and failures that are shown, below the questions.
    pub fn news_rows(&self) -> &[NewsItem] {
        &self.shown_news
    }

    /// The number of rows that are shown.
    pub fn row_count(&self) -> usize {
        self.shown.len() + self.shown_news.len()
    }

    /// The notice or the failure that is selected.
    pub fn selected_news(&self) -> Option<&NewsItem> {
        self.shown_news.get(self.selected.checked_sub(self.shown.len())?)
    }

    /// Shows something else, and returns what.
    pub fn show_next(&mut self) -> InboxShows {
        self.shows = match self.shows {
            InboxShows::All => InboxShows::Questions,
            InboxShows::Questions => InboxShows::News,
            InboxShows::News => InboxShows::All,
        };
        self.refresh();
        self.shows
    }

    pub fn shows(&self) -> InboxShows {
        self.shows
    }

    pub fn remove(&mut self, id: &str) {
        self.all.retain(|row| row.question.id != id);
        self.sent.remove(id);
        self.read.remove(id);
        self.put_off.remove(id);
        self.merge();
        self.refresh();
    }

    /// The questions that are shown, in their order.
    pub fn rows(&self) -> &[InboxRow] {
        &self.shown
    }

    /// Returns all open questions, also those that are put off or filtered out; oldest first.
    pub fn all(&self) -> &[InboxRow] {
        &self.all
    }

    /// True if no question is open, and there is no news.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty() && self.news.is_empty()
    }

    /// True if a question is open, shown or not.
    pub fn has_questions(&self) -> bool {
        !self.all.is_empty()
    }

    /// Returns the number of open questions that are not put off; merged ones count once.
    pub fn len(&self) -> usize {
        self.in_order().len()
    }

    /// The questions that are put off.
    pub fn put_off(&self) -> usize {
        self.own_rows().filter(|row| self.put_off.contains_key(&row.question.id)).count()
    }

    /// The questions that have a row of their own.
    fn own_rows(&self) -> impl Iterator<Item = &InboxRow> {
        self.all.iter().filter(|row| !self.merged.contains_key(&row.question.id))
    }

    pub fn get(&self, id: &str) -> Option<&InboxRow> {
        self.all.get(self.places.get(id)?.0)
    }

    /// Returns the row of a question among the shown ones; it may be merged into another.
    pub fn position(&self, id: &str) -> Option<usize> {
        let id = self.merged.get(id).map_or(id, String::as_str);
        self.shown.iter().position(|row| row.question.id == id)
    }

    pub fn selected(&self) -> Option<&InboxRow> {
        self.shown.get(self.selected)
    }

    /// True if the selected row has a mark: the inbox has the focus, or a person has moved to the row.
    pub fn has_mark(&self, focused: bool) -> bool {
        focused || self.chosen
    }

    /// The question with the mark, if it waits for an answer.
    pub fn marked(&self, focused: bool) -> Option<&InboxRow> {
        let row = self.selected().filter(|_| self.has_mark(focused));
        row.filter(|row| self.is_waiting(&row.question.id))
    }

    pub fn selected_at(&self) -> usize {
        self.selected
    }

    pub fn select(&mut self, at: usize) {
        self.selected = at;
        self.chosen = true;
        self.clamp();
    }

    /// Selects the first row unless the user has chosen an item of the news. Only while the inbox has no focus.
    pub fn rest(&mut self) {
        if !self.chosen && self.selected_news().is_some() {
            self.selected = 0;
            self.top = 0;
        }
    }

    /// Moves the selection by rows, down for positive numbers.
    pub fn step(&mut self, rows: isize) {
        self.select(self.selected.saturating_add_signed(rows));
    }

    /// Selects the next shown row, or the previous one; at the end it wraps around.
    pub fn step_fitting(&mut self, back: bool) -> Option<FittingRow> {
        let rows: Vec<usize> = (0..self.row_count()).collect();
        let found = FittingRow::beside(self.selected, &rows, back)?;
        self.select(found.row);
        Some(found)
    }

    pub fn select_id(&mut self, id: &str) {
        if let Some(at) = self.position(id) {
            self.selected = at;
        }
    }

    pub fn mark_sent(&mut self, id: &str) {
        self.sent.insert(id.to_owned());
    }

    pub fn unmark_sent(&mut self, id: &str) {
        self.sent.remove(id);
    }

    /// True if the answer to the question is being sent, or held to be undone.
    pub fn is_sent(&self, id: &str) -> bool {
        self.sent.contains(id)
    }

    /// Notes that everything this row asks to approve was on the screen.
    pub fn mark_read(&mut self, shown: &InboxRow) {
        let id = &shown.question.id;
        if self.get(id).is_some_and(|row| asked(row) == asked(shown)) {
            self.read.insert(id.clone());
        }
    }

    /// False for an approval that was not wholly on the screen yet: it cannot be approved.
    pub fn can_be_approved(&self, row: &InboxRow) -> bool {
        !row.is_approval() || self.read.contains(&row.question.id)
    }

    /// True if the selected question shows its details.
    pub fn is_unfolded(&self) -> bool {
        self.unfolded
    }

    pub fn set_unfolded(&mut self, unfolded: bool) {
        self.unfolded = unfolded;
    }

    /// Returns unanswered questions of other main dialogs with the same words; for an approval, those that
    /// ask to approve exactly the same.
    pub fn same_words(&self, id: &str) -> Vec<(DialogId, String)> {
        let Some(question) = self.get(id) else { return Vec::new() };
        let Some(whole) = asked(question).map(Asked::anywhere) else { return Vec::new() };
        let words = question.question.tellask_content.trim();
        let group = self.group(id);
        let others = self.shown.iter().filter(|row| {
            let is_open = row.question.id != id && !self.sent.contains(&row.question.id);
            is_open && row.question.tellask_content.trim() == words
        });
        let others = others.filter(|row| {
            let is_in_group = self.group(&row.question.id) == group && question.answers_also(row);
            let approves = question.is_approval() || row.is_approval();
            !is_in_group && (!approves || asked(row).map(Asked::anywhere).as_ref() == Some(&whole))
        });
        others.map(|row| (row.dialog.clone(), row.question.id.clone())).collect()
    }

    /// The number of the questions that ask the same.
    fn group(&self, id: &str) -> Option<usize> {
        self.places.get(id).map(|(_, group)| *group)
    }

    /// Returns unanswered questions that an answer to this one answers too.
    pub fn alike(&self, id: &str) -> impl Iterator<Item = &InboxRow> {
        let asked = self.get(id);
        let group = self.group(id).and_then(|group| self.groups.get(group));
        let others = group.into_iter().flatten().filter_map(|at| self.all.get(*at));
        let id = id.to_owned();
        others.filter(move |row| {
            row.question.id != id
                && !self.sent.contains(&row.question.id)
                && asked.is_some_and(|asked| asked.answers_also(row))
        })
    }

    /// True if the question is open, not put off, and has no answer yet.
    pub fn is_waiting(&self, id: &str) -> bool {
        self.get(id).is_some() && !self.put_off.contains_key(id) && !self.sent.contains(id)
    }

    pub fn filter(&self) -> Option<&Filter> {
        self.filter.as_ref()
    }

    /// True if there are rows, and the filter or the selection of kinds hides all of them.
    pub fn hides_all(&self) -> bool {
        let hides = self.filter.is_some() || self.shows != InboxShows::All;
        self.row_count() == 0 && hides && !(self.in_order().is_empty() && self.news.is_empty())
    }

    pub fn set_filter(&mut self, filter: Option<Filter>) {
        self.filter = filter;
        self.refresh();
    }

    /// Switches to the other order, and returns it.
    pub fn switch_order(&mut self) -> InboxOrder {
        self.order = match self.order {
            InboxOrder::BlockedFirst => InboxOrder::OldestFirst,
            InboxOrder::OldestFirst => InboxOrder::BlockedFirst,
        };
        self.refresh();
        self.order
    }

    /// Puts a question off, until then or until the next start.
    pub fn put_off_until(&mut self, id: &str, until: Option<Instant>) {
        self.put_off.insert(id.to_owned(), until);
        self.refresh();
    }

    /// Shows the questions that are not put off any longer, and returns them.
    pub fn due(&mut self, now: Instant) -> Vec<String> {
        let is_due = |until: Option<Instant>| until.is_some_and(|until| now >= until);
        let back = self.put_off.iter().filter(|(_, until)| is_due(**until));
        let due: Vec<String> = back.map(|(id, _)| id.clone()).collect();
        if !due.is_empty() {
            self.put_off.retain(|id, _| !due.contains(id));
            self.refresh();
        }
        due
    }

    pub fn is_put_off(&self, id: &str) -> bool {
        self.put_off.contains_key(id)
    }

    /// Returns when the next question that is put off comes back.
    pub fn due_at(&self) -> Option<Instant> {
        self.put_off.values().flatten().min().copied()
    }

    /// Shows all questions that were put off, and returns them.
    pub fn bring_back(&mut self) -> Vec<String> {
        let back = std::mem::take(&mut self.put_off).into_keys().collect();
        self.refresh();
        back
    }

    /// The oldest question that waits, whether or not it fits the filter.
    pub fn oldest(&self) -> Option<&InboxRow> {
        self.own_rows().find(|row| self.is_waiting(&row.question.id))
    }

    /// The oldest question of this dialog that waits.
    pub fn oldest_of(&self, dialog: &DialogId) -> Option<&InboxRow> {
        let mut own = self.all.iter().filter(|row| row.dialog == *dialog);
        own.find(|row| self.is_waiting(&row.question.id))
    }

    /// The next question that waits after `id`, wrapping around to the first; whether or not it fits the filter.
    pub fn after(&self, id: Option<&str>) -> Option<&InboxRow> {
        let rows = self.in_order();
        let at = id.and_then(|id| self.place_in(&rows, id)).map_or(0, |at| at + 1);
        let (earlier, later) = rows.split_at(at);
        let mut round = later.iter().chain(earlier);
        round.find(|row| self.is_waiting(&row.question.id)).copied()
    }

    /// The question before `id`, wrapping around to the last.
    pub fn before(&self, id: Option<&str>) -> Option<&InboxRow> {
        let rows = self.in_order();
        let at = id.and_then(|id| self.place_in(&rows, id)).unwrap_or(0);
        let (earlier, later) = rows.split_at(at);
        let mut round = earlier.iter().rev().chain(later.iter().rev());
        round.find(|row| self.is_waiting(&row.question.id)).copied()
    }

    /// The place of a question among all that are not put off, from 1.
    pub fn number(&self, id: &str) -> Option<usize> {
        self.place_in(&self.in_order(), id).map(|at| at + 1)
    }

    /// Returns the index of a question among these, or of the one it is merged into.
    fn place_in(&self, rows: &[&InboxRow], id: &str) -> Option<usize> {
        let id = self.merged.get(id).map_or(id, String::as_str);
        rows.iter().position(|row| row.question.id == id)
    }

    /// Returns all questions that are not put off, in the order of the list, without the filter.
    fn in_order(&self) -> Vec<&InboxRow> {
        let here = |row: &&InboxRow| !self.put_off.contains_key(&row.question.id);
        let mut rows: Vec<&InboxRow> = self.own_rows().filter(here).collect();
        if self.order == InboxOrder::BlockedFirst {
            rows.sort_by_key(|row| Reverse(row.blocks.len()));
        }
        rows
    }

    /// Selects and orders the shown rows; the selected row keeps its place on the screen.
    fn refresh(&mut self) {
        let (chosen, on_news) = match (self.selected(), self.selected_news()) {
            (Some(row), _) => (Some(row.question.id.clone()), false),
            (None, item) => (item.map(|item| item.id.clone()), true),
        };
        let on_screen = self.selected.saturating_sub(self.top);
        let (filter, shows) = (self.filter.as_ref(), self.shows);
        let fits = |row: &&InboxRow| {
            shows != InboxShows::News && filter.is_none_or(|filter| filter.fits_question(row))
        };
        self.shown = self.in_order().into_iter().filter(fits).cloned().collect();
        let fits = |item: &&NewsItem| {
            shows != InboxShows::Questions && filter.is_none_or(|filter| filter.fits_news(item))
        };
        self.shown_news = self.news.iter().filter(fits).cloned().collect();
        let at = chosen.and_then(|id| {
            if !on_news {
                return self.position(&id);
            }
            let at = self.shown_news.iter().position(|item| item.id == id)?;
            Some(self.shown.len() + at)
        });
        match at {
            Some(at) => {
                self.selected = at;
                self.top = at.saturating_sub(on_screen);
            }
            None => self.chosen = false,
        }
        self.clamp();
    }

    fn clamp(&mut self) {
        self.selected = self.selected.min(self.row_count().saturating_sub(1));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::tests::fixture::{questions, side};
    use crate::domain::Stamp;
    use crate::domain::asking::inquiry::answers::PartAnswer;

    fn id(row: Option<&InboxRow>) -> &str {
        row.map_or("", |row| row.question.id.as_str())
    }

    /// Three that ask the same, and another one.
    fn same() -> Vec<InboxRow> {
        let mut rows = questions();
        for id in ["q3", "q4"] {
            let mut row = rows[0].clone();
            row.question.id = id.to_owned();
            row.dialog = side(id);
            rows.push(row);
        }
        rows
    }

    #[test]
    fn q10_questions_that_ask_the_same_are_one_row_that_stands_for_all() {
        let mut inbox = Inbox::default();
        inbox.set(same());
        let ids = |inbox: &Inbox| -> Vec<String> {
            inbox.rows().iter().map(|row| row.question.id.clone()).collect()
        };
        assert_eq!((ids(&inbox), inbox.len()), (vec!["q1".to_owned(), "q2".to_owned()], 2));
        let alike: Vec<&str> = inbox.alike("q1").map(|row| row.question.id.as_str()).collect();
        assert_eq!(alike, ["q3", "q4"]);
        assert_eq!((inbox.position("q4"), inbox.number("q4")), (Some(0), Some(1)));
        assert_eq!(id(inbox.after(Some("q4"))), "q2", "it is where its row is");
        inbox.put_off_until("q1", None);
        assert_eq!((ids(&inbox), inbox.put_off()), (vec!["q2".to_owned()], 1), "all of them");
        inbox.bring_back();
        inbox.mark_sent("q1");
        inbox.mark_sent("q3");
        inbox.remove("q1");
        assert_eq!(id(inbox.oldest()), "q2", "an answer to the next one is on its way");
        inbox.unmark_sent("q3");
        assert!(
            inbox.is_waiting("q3") && inbox.position("q3").is_some(),
            "what is refused stays open"
        );
    }

    #[test]
    fn q10_a_part_that_was_answered_otherwise_makes_it_a_question_of_its_own() {
        let answer = |text: &str| PartAnswer {
            option: None,
            text: Some(text.to_owned()),
            at: Stamp::default(),
        };
        let (mut one, mut other) = (same()[0].clone(), same()[2].clone());
        for (own, others, is_merged) in [
            (None, None, true),
            (Some("a"), None, true),
            (Some("a"), Some("a"), true),
            (Some("a"), Some("b"), false),
            (None, Some("b"), false),
        ] {
            let answers = |text: Option<&str>| {
                text.map(|text| ("q1".to_owned(), answer(text))).into_iter().collect()
            };
            (one.answers, other.answers) = (answers(own), answers(others));
            let mut inbox = Inbox::default();
            inbox.set(vec![one.clone(), other.clone()]);
            assert_eq!(inbox.len() == 1, is_merged, "{own:?} {others:?}");
        }
    }

    #[test]
    fn thousands_of_questions_are_grouped_without_comparing_each_with_each() {
        for same_words in [true, false] {
            let rows = (0..3_000).map(|n| {
                let mut row = same()[0].clone();
                row.question.id = format!("q{n}");
                row.dialog = side(&format!("d{n}"));
                if !same_words {
                    row.question.tellask_content = format!("{n}?");
                }
                row
            });
            let mut inbox = Inbox::default();
            let before = LOOKS.get();
            inbox.set(rows.collect());
            assert!((0..100).all(|at| inbox.alike(&format!("q{at}")).count() < 3_000));
            assert!(inbox.get("q2999").is_some());
            assert!(LOOKS.get() - before <= 2 * 3_000, "{}", LOOKS.get() - before);
        }
    }

    #[test]
    fn an_approval_of_the_same_words_for_something_else_is_not_alike() {
        let mut rows = vec![crate::app::tests::approvals::row(); 3];
        for (n, row) in rows.iter_mut().enumerate() {
            row.question.id = format!("q{n}");
            row.dialog = DialogId::main(crate::domain::RootId::new(format!("d{n}")));
        }
        let approval = rows[2].inquiry.as_mut().and_then(|inquiry| inquiry.approval.as_mut());
        approval.expect("an approval").gate = Some("another".to_owned());
        let mut inbox = Inbox::default();
        inbox.set(rows);
        let ids = |of: &str| -> Vec<String> {
            inbox.same_words(of).into_iter().map(|(_, id)| id).collect()
        };
        assert_eq!((ids("q0"), ids("q2")), (vec!["q1".to_owned()], Vec::new()));
    }

    #[test]
    fn a_filter_hides_no_question_from_the_keys_that_answer_the_next() {
        let mut inbox = Inbox::default();
        inbox.set(questions());
        inbox.set_filter(Filter::new("no question says this"));
        assert!(inbox.rows().is_empty());
        assert_eq!((id(inbox.oldest()), id(inbox.after(Some("q1")))), ("q1", "q2"));
        assert_eq!((id(inbox.after(Some("q2"))), id(inbox.before(Some("q1")))), ("q1", "q2"));
        inbox.mark_sent("q1");
        assert_eq!((id(inbox.oldest()), id(inbox.after(Some("q2")))), ("q2", "q2"));
        inbox.put_off_until("q2", None);
        assert_eq!((inbox.oldest(), inbox.after(None), inbox.before(None)), (None, None, None));
    }
}
