//! The open dialog: its newest blocks, the streamed text, and the unfolded blocks.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::folding::folded_text;
use super::live::Live;
use crate::domain::dialogs::record::{Entry, Record, RecordClass};
use crate::domain::reading::transcript::{
    Block, BlockBody, BlockChange, Prepended, RecordPosition, Transcript,
};
use crate::domain::{AgentId, CallId, Course, DialogId, Stamp};
use crate::protocol::event::Segment;
use crate::protocol::{Cursor, Ticket, TranscriptPage};
use crate::text::markdown::RenderMeans;

/// Bytes kept of one text; `show` prints all of it from the disk.
const MAX_TEXT_BYTES: usize = 256 * 1024;
/// Blocks kept by [`OpenDialog::trim`].
const BLOCKS_AFTER_TRIM: usize = 400;
/// With more blocks than this, the oldest are dropped.
const MAX_BLOCKS: usize = 600;

#[derive(Debug)]
pub struct OpenDialog {
    pub dialog: DialogId,
    pub agent: Option<AgentId>,
    pub course: Course,
    /// The newest course.
    pub courses: Course,
    pub transcript: Transcript,
    /// Number of the first block, counted from the first one loaded; older ones are negative.
    pub origin: isize,
    /// False until the first page has arrived.
    pub loaded: bool,
    /// A first page was requested; records that arrive before it are buffered in `early_facts`.
    awaiting: bool,
    early_facts: Vec<(Cursor, Arc<Entry>)>,
    /// The running generation's text is on disk, so its live text would be a duplicate.
    recorded: bool,
    /// The request for the first page.
    pub ticket: Ticket,
    /// The request for older records, if one is in flight.
    pub paging: Option<Ticket>,
    /// The position of the oldest record that is loaded.
    first_position: RecordPosition,
    next_line: usize,
    pub live: Live,
    /// The last lines of commands that run.
    printed: BTreeMap<CallId, Arc<[String]>>,
    pub live_width: usize,
    /// The start of the running generation.
    pub began: Option<Stamp>,
    pub unfolded: Unfolded,
}

/// How thinking looks in a dialog that is opened for the first time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ThinkingView {
    #[default]
    Folded,
    Shown,
}

/// The blocks that the user unfolded, kept for the session.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Unfolded {
    blocks: BTreeSet<RecordPosition>,
    /// Thinking is shown.
    pub thinking: bool,
    /// Thinking that is folded while all other is shown, or shown while all other is folded.
    other_thinking: BTreeSet<RecordPosition>,
}

impl Unfolded {
    /// What is unfolded before the user changes it.
    pub fn at_first(thinking: ThinkingView) -> Self {
        Self { thinking: thinking == ThinkingView::Shown, ..Self::default() }
    }

    /// True if this block, which can be folded, is shown whole.
    pub fn has(&self, block: &Block) -> bool {
        if let BlockBody::Thinking { .. } = block.body {
            self.thinking != self.other_thinking.contains(&block.place)
        } else {
            self.blocks.contains(&block.place)
        }
    }

    fn toggle(&mut self, place: RecordPosition, is_thinking: bool) {
        let changed = if is_thinking { &mut self.other_thinking } else { &mut self.blocks };
        if !changed.remove(&place) {
            changed.insert(place);
        }
    }
}

impl OpenDialog {
    pub fn new(dialog: DialogId, unfolded: Unfolded) -> Self {
        Self {
            dialog,
            agent: None,
            course: Course::FIRST,
            courses: Course::FIRST,
            transcript: Transcript::new(MAX_TEXT_BYTES),
            origin: 0,
            loaded: false,
            awaiting: true,
            early_facts: Vec::new(),
            recorded: false,
            ticket: Ticket::default(),
            paging: None,
            first_position: RecordPosition { course: Course::FIRST, line: 0 },
            next_line: 0,
            live: Live::default(),
            printed: BTreeMap::new(),
            live_width: 80,
            began: None,
            unfolded,
        }
    }

    /// Waits for a new first page under another ticket; the current content stays until it arrives.
    pub fn await_page(&mut self, ticket: Ticket) {
        self.ticket = ticket;
        self.paging = None;
        self.awaiting = true;
        self.end_live();
    }

    /// Loads the newest records of a course; replaces the current content.
    pub fn load(&mut self, page: TranscriptPage) {
        self.agent = Some(page.agent);
        self.course = page.course;
        self.courses = page.courses;
        self.transcript = Transcript::new(MAX_TEXT_BYTES);
        self.origin = 0;
        self.first_position = RecordPosition { course: page.course, line: page.first_line };
        self.next_line = page.first_line;
        self.loaded = true;
        self.awaiting = false;
        let streamed = std::mem::take(&mut self.live);
        for entry in page.entries {
            let line = self.next_line;
            self.apply(RecordPosition { course: page.course, line }, &entry);
        }
        if !self.recorded && self.course == self.courses {
            self.live = streamed;
        }
        for (at, entry) in std::mem::take(&mut self.early_facts) {
            self.fact(at, &entry);
        }
    }

    /// Adds older records. Returns the numbers of the items that are gone: each later one has a number less by
    /// one for each of them.
    #[must_use]
    pub fn prepend(&mut self, page: &TranscriptPage) -> Vec<isize> {
        self.paging = None;
        let reaches = page.first_line + page.entries.len() == self.first_position.line;
        if page.course != self.first_position.course || !reaches {
            return Vec::new();
        }
        let first = RecordPosition { course: page.course, line: page.first_line };
        let Prepended { added, removed } = self.transcript.prepend(first, &page.entries);
        let former = self.origin;
        self.origin = former.saturating_sub_unsigned(added);
        self.first_position = first;
        removed.into_iter().map(|at| former.saturating_add_unsigned(at)).collect()
    }

    /// Adds a new record; false if it changes nothing that is shown.
    pub fn fact(&mut self, at: Cursor, entry: &Arc<Entry>) -> bool {
        if self.awaiting {
            self.early_facts.push((at, entry.clone()));
            return false;
        }
        let shows_newest = self.course == self.courses;
        self.courses = self.courses.max(at.course);
        if !shows_newest || at.course < self.course {
            return false;
        }
        if at.course == self.course && at.line < self.next_line {
            return false;
        }
        self.course = at.course;
        self.apply(RecordPosition { course: at.course, line: at.line }, entry);
        true
    }

    fn apply(&mut self, place: RecordPosition, entry: &Entry) {
        self.next_line = place.line + 1;
        let record = &entry.record;
        if record.class() == RecordClass::Generation {
            let begins = matches!(record, Record::GenStart);
            self.began = begins.then(|| entry.ts.clone());
            self.recorded = false;
        } else if let Record::Thought { .. } = record {
            if self.settle(Segment::Thinking) {
                self.unfolded.toggle(place, true);
            }
        } else if let Record::Words { .. } = record {
            self.settle(Segment::Saying);
        } else if let Record::FuncCall(_) | Record::TellaskCall { .. } = record {
            self.recorded = true;
        }
        let _: BlockChange = self.transcript.push(place, entry);
    }

    /// Returns what [`Live::remove_recorded`] does.
    fn settle(&mut self, segment: Segment) -> bool {
        self.recorded = true;
        self.live.remove_recorded(segment)
    }

    /// Adds streamed text.
    pub fn push_live(&mut self, segment: Segment, text: &str) -> bool {
        if !self.awaiting && self.course != self.courses {
            return false;
        }
        self.live.push(segment, text);
        true
    }

    /// Takes the last lines that the command of a call has printed.
    pub fn set_printed(&mut self, call: CallId, lines: Vec<String>) -> bool {
        self.printed.insert(call, lines.into());
        true
    }

    /// The last lines of the command of a block, while it runs.
    pub fn printed(&self, block: &Block) -> Option<&Arc<[String]>> {
        let BlockBody::Tool(tool) = &block.body else { return None };
        self.printed.get(&tool.call).filter(|_| tool.result.is_none())
    }

    /// The running generation has ended: nothing streams, and no command runs.
    pub fn end_live(&mut self) {
        self.live.clear();
        self.printed.clear();
    }

    /// Lays the streamed text out for this width; with all thinking, or only where it is shown.
    pub fn lay_out_live(&mut self, cells: usize, means: RenderMeans<'_>, with_thinking: bool) {
        self.live_width = cells;
        let shown = self.unfolded.thinking;
        self.live.lay_out(cells, means, |one| with_thinking || one.is_shown(shown));
    }

    /// Returns which segment of streamed text an item is.
    pub fn live_at(&self, item: isize) -> Option<usize> {
        let at = usize::try_from(item.checked_sub(self.end())?).ok()?;
        (at < self.live.segments().len()).then_some(at)
    }

    /// True if unfolding an item shows more of it.
    pub fn is_openable(&self, item: isize) -> bool {
        if let Some(at) = self.live_at(item) {
            let live = self.live.segments().get(at);
            return live.is_some_and(|live| live.segment == Segment::Thinking);
        }
        self.block(item).is_some_and(|block| is_openable(&block.body))
    }

    /// True if all of an item is shown.
    pub fn is_open(&self, item: isize) -> bool {
        if let Some(at) = self.live_at(item) {
            let live = self.live.segments().get(at);
            return live.is_some_and(|live| live.is_shown(self.unfolded.thinking));
        }
        let block = self.block(item);
        block.is_some_and(|block| !is_openable(&block.body) || self.unfolded.has(block))
    }

    /// Opens or folds an item; false if there is no more to see of it.
    pub fn toggle(&mut self, item: isize) -> bool {
        if let Some(at) = self.live_at(item) {
            return self.live.toggle(at);
        }
        let Some(block) = self.block(item).filter(|block| is_openable(&block.body)) else {
            return false;
        };
        let is_thinking = matches!(block.body, BlockBody::Thinking { .. });
        self.unfolded.toggle(block.place, is_thinking);
        true
    }

    /// Shows or folds all thinking.
    pub fn toggle_thinking(&mut self) {
        self.unfolded.thinking = !self.unfolded.thinking;
        self.unfolded.other_thinking.clear();
        self.live.toggle_none();
    }

    /// The line before which older records can be requested.
    pub fn older_before(&self) -> Option<usize> {
        let asks = self.loaded && self.first_position.line > 0 && self.paging.is_none();
        asks.then_some(self.first_position.line)
    }

    /// The course of the oldest record: the view may have moved on into the next course.
    pub fn first_course(&self) -> Course {
        self.first_position.course
    }

    /// True if all records of this course are loaded.
    pub fn is_complete(&self) -> bool {
        self.loaded && !self.awaiting && self.first_position.line == 0 && self.paging.is_none()
    }

    /// Drops old blocks; for a view that shows the end.
    pub fn trim(&mut self) {
        if self.transcript.blocks().len() <= MAX_BLOCKS {
            return;
        }
        let dropped = self.transcript.forget_oldest(BLOCKS_AFTER_TRIM);
        self.origin = self.origin.saturating_add_unsigned(dropped);
        if let Some(first) = self.transcript.blocks().first() {
            self.first_position = first.place;
        }
    }

    /// One past the number of the last block.
    pub fn end(&self) -> isize {
        self.origin.saturating_add_unsigned(self.transcript.blocks().len())
    }

    /// The block with this number.
    pub fn block(&self, number: isize) -> Option<&Block> {
        let at = usize::try_from(number.checked_sub(self.origin)?).ok()?;
        self.transcript.blocks().get(at)
    }

    /// The number of the block with which the text of this one begins.
    pub fn first_part(&self, number: isize) -> isize {
        let earlier =
            self.block(number).and_then(|block| block.part.as_ref()).map(|one| one.number);
        number.saturating_sub_unsigned(earlier.unwrap_or_default())
    }

    /// The blocks with the text of this one: several if it is very long.
    pub fn parts_of(&self, number: isize) -> impl Iterator<Item = &Block> {
        let first = self.first_part(number);
        let part = move |at| self.block(at).filter(|block| block.goes_on());
        let later = (first + 1..).map_while(part);
        self.block(first).into_iter().chain(later)
    }

    /// The number of the newest block that matches.
    pub fn find(&self, wanted: impl Fn(&Block) -> bool) -> Option<isize> {
        let at = self.transcript.blocks().iter().rposition(wanted)?;
        Some(self.origin.saturating_add_unsigned(at))
    }

    pub fn is_streaming(&self) -> bool {
        !self.live.is_empty()
    }
}

/// True if unfolding a block shows more of it.
fn is_openable(body: &BlockBody) -> bool {
    if let BlockBody::Tool(tool) = body {
        tool.has_details()
    } else if let BlockBody::You { text, images } = body {
        !images.is_empty() || folded_text(text).is_some()
    } else {
        matches!(
            body,
            BlockBody::Thinking { .. }
                | BlockBody::Guide { .. }
                | BlockBody::Push { .. }
                | BlockBody::Tellask(_)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::RootId;

    fn page(first_line: usize, lines: &[&str]) -> TranscriptPage {
        TranscriptPage {
            dialog: DialogId::main(RootId::new("aa/bb/1")),
            agent: "lead".into(),
            course: Course::FIRST,
            courses: Course::FIRST,
            first_line,
            entries: lines.iter().map(|line| words(line)).collect(),
        }
    }

    fn words(text: &str) -> Entry {
        let line = format!(r#"{{"ts":"t","type":"agent_words_record","content":"{text}"}}"#);
        Entry::parse(&line).expect("a record")
    }

    fn fact(text: &str) -> Arc<Entry> {
        Arc::new(words(text))
    }

    fn open(first_line: usize, lines: &[&str]) -> OpenDialog {
        let dialog = DialogId::main(RootId::new("aa/bb/1"));
        let mut open = OpenDialog::new(dialog, Unfolded::default());
        open.load(page(first_line, lines));
        open
    }

    fn texts(open: &OpenDialog) -> Vec<&str> {
        open.transcript.blocks().iter().map(|block| block.body.text()).collect()
    }

    #[test]
    fn a_record_that_came_with_a_page_is_not_shown_twice() {
        let mut open = open(4, &["a", "b"]);
        let at = |line| Cursor { course: Course::FIRST, line };
        assert!(!open.fact(at(5), &fact("b")));
        assert!(open.fact(at(6), &fact("c")));
        assert_eq!(texts(&open), ["a", "b", "c"]);
    }

    #[test]
    fn older_records_keep_the_numbers_of_the_newer() {
        let mut open = open(2, &["c"]);
        assert_eq!(open.older_before(), Some(2));
        assert!(open.prepend(&page(0, &["a", "b"])).is_empty());
        assert_eq!((open.older_before(), open.origin, open.end()), (None, -2, 1));
        assert_eq!(open.block(0).map(|block| block.body.text()), Some("c"));
        assert!(open.prepend(&page(7, &["z"])).is_empty());
        assert_eq!(texts(&open), ["a", "b", "c"]);
    }

    #[test]
    fn records_that_arrive_before_the_first_page_are_not_lost() {
        let dialog = DialogId::main(RootId::new("aa/bb/1"));
        let mut open = OpenDialog::new(dialog, Unfolded::default());
        let at = |line| Cursor { course: Course::FIRST, line };
        open.fact(at(1), &fact("b"));
        open.fact(at(2), &fact("c"));
        open.push_live(Segment::Saying, "d");
        open.load(page(0, &["a", "b"]));
        assert_eq!(texts(&open), ["a", "b", "c"]);
    }

    #[test]
    fn live_text_whose_record_came_with_the_page_is_not_shown_twice() {
        for (recorded, live) in [(false, 1), (true, 0)] {
            let dialog = DialogId::main(RootId::new("aa/bb/1"));
            let mut open = OpenDialog::new(dialog, Unfolded::default());
            open.push_live(Segment::Saying, "a");
            open.load(page(0, if recorded { &["a"] } else { &[] }));
            assert_eq!(open.live.segments().len(), live);
        }
    }

    #[test]
    fn an_old_course_is_not_changed_by_records_of_the_newest() {
        let mut open = open(0, &["a"]);
        open.courses = Course(2);
        assert!(!open.fact(Cursor { course: Course(2), line: 0 }, &fact("new")));
        assert!(!open.push_live(Segment::Saying, "x"));
    }

    #[test]
    fn a_long_dialog_drops_its_oldest_blocks() {
        let mut open = open(0, &[]);
        for line in 0..1000 {
            open.fact(Cursor { course: Course::FIRST, line }, &fact("x"));
            open.trim();
        }
        assert!(open.transcript.blocks().len() <= MAX_BLOCKS);
        assert_eq!(open.end(), 1000);
        assert!(open.older_before().is_some());
    }
}
