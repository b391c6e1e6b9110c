//! What the courses of one dialog say: the fold, and beside it what the fold does not keep but a lost
//! index file can be rebuilt from.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::domain::dialogs::assignment::ReplyDirective;
use crate::domain::dialogs::record::{
    DeliveryMode, Origin, Record, RecordClass, SideDialogCreated,
};
use crate::domain::dialogs::registry::RegistryEntry;
use crate::domain::text::Text;
use crate::domain::{
    AgentId, CallId, Course, Entry, History, Question, RecentPart, Reminder, SpecialCall, Stamp,
};

use super::course_lines::{LineContent, LineReader, RawLine};
use crate::store::codec::v1_29::{facts, records};
use crate::store::disk::Disk;
use crate::store::disk::error::{FileAction, StoreError};
use crate::store::disk::file_stamps::{FileStamp, FolderStamps};
use crate::store::disk::layout::parse_course_file;
use crate::store::disk::small_files::{self, FileKind};

/// How much of the courses is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::store) enum ScanDepth {
    /// Every record.
    Full,
    /// Only records that questions, calls and generations are decided from.
    Facts,
}

/// Marks of the records read at [`ScanDepth::Facts`]; they stand unescaped in no other place.
const FACT_MARKS: [&str; 7] = [
    "\"gen_start_record\"",
    "\"gen_finish_record\"",
    "\"tellask_",
    "\"questions4human_",
    "\"sideDialog_created_",
    "\"human_text_record\"",
    "\"runtime_guide_record\"",
];

/// Something wrong in a course file; reported to people, and for broken lines repaired by a writing store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::store) struct CourseFlaw {
    pub course: Course,
    /// First line is 1; 0 for the whole file.
    pub line: usize,
    pub kind: FlawKind,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::store) enum FlawKind {
    /// Not a record; the next store that writes sets it aside.
    Broken,
    /// The last line has no end; the next append cuts it off.
    Torn {
        bytes: u64,
    },
    /// Some bytes are not text.
    NotText,
    TooLong {
        bytes: u64,
    },
    /// Something other than a file.
    Misplaced(Text),
    /// The id of a call, a result or a reply that stood before.
    Repeated(CallId),
    /// A lower course than one that holds records.
    Missing,
}

#[derive(Debug, Serialize, Deserialize)]
pub(in crate::store) struct CourseScan {
    pub history: History,
    /// Sizes in bytes of the course files read.
    pub courses: BTreeMap<Course, u64>,
    /// Courses that hold more than snapshots of state.
    pub begun: Vec<Course>,
    #[serde(skip)]
    pub flaws: Vec<CourseFlaw>,
    /// Open questions in the order they were asked.
    pub asked: Vec<CallId>,
    /// Questions of the newest snapshot.
    pub snapshot: BTreeMap<CallId, Question>,
    pub called_at: BTreeMap<CallId, Stamp>,
    pub reminders: Option<Vec<Reminder>>,
    pub registry: Option<Vec<RegistryEntry>>,
    pub created: Vec<SideDialogCreated>,
    /// The newest assignment a prompt named.
    pub directive: Option<ReplyDirective>,
    /// Who spoke here, where a record tells.
    pub agent: Option<AgentId>,
    /// What the records say about the derived parts of the layout of Dominds 1.29; only at [`ScanDepth::Full`].
    #[serde(skip)]
    pub recent: RecentPart,
    pub first_message: Option<String>,
    pub first_ts: Option<Stamp>,
    pub last_ts: Option<Stamp>,
}

impl CourseScan {
    fn new() -> Self {
        Self {
            history: History::new(Course::FIRST),
            courses: BTreeMap::new(),
            begun: Vec::new(),
            flaws: Vec::new(),
            asked: Vec::new(),
            snapshot: BTreeMap::new(),
            called_at: BTreeMap::new(),
            reminders: None,
            registry: None,
            created: Vec::new(),
            directive: None,
            agent: None,
            recent: RecentPart::default(),
            first_message: None,
            first_ts: None,
            last_ts: None,
        }
    }

    /// Reads the courses of a dialog folder, in order.
    pub fn read(
        disk: &dyn Disk,
        folder: &DialogFolder,
        depth: ScanDepth,
    ) -> Result<Self, StoreError> {
        let mut scan = Self::new();
        for (course, path) in &folder.courses {
            let course = *course;
            match small_files::kind_of(path)? {
                Some(FileKind::File) => scan.file(disk, course, path, depth)?,
                Some(kind) => {
                    if let Some(what) = kind.misplaced_file() {
                        scan.flaw(course, 0, FlawKind::Misplaced(what));
                    }
                }
                None => {}
            }
        }
        scan.find_gaps();
        Ok(scan)
    }

    /// Forgets what a list does not need: see [`History::strip_details`].
    pub fn strip_details(&mut self) {
        self.history.strip_details(&self.asked);
        let replies = &self.history.replies;
        self.called_at.retain(|call, _| !replies.contains_key(call));
    }

    /// True if the courses hold something no index file can tell.
    pub fn is_empty(&self) -> bool {
        self.begun.is_empty()
    }

    fn file(
        &mut self,
        disk: &dyn Disk,
        course: Course,
        path: &Path,
        depth: ScanDepth,
    ) -> Result<(), StoreError> {
        let failed = |error| StoreError::io(FileAction::Reading, path)(error);
        let mut lines = LineReader::new(disk.open_read(path).map_err(failed)?);
        let mut number = 0;
        while let Some(line) = lines.next().map_err(failed)? {
            number += 1;
            if depth == ScanDepth::Full || is_fact(&line) {
                self.line(course, number, &line, depth);
            }
        }
        self.courses.insert(course, lines.offset());
        Ok(())
    }

    fn line(&mut self, course: Course, number: usize, line: &RawLine, depth: ScanDepth) {
        let reading = line.read();
        match reading {
            LineContent::Blank => return,
            LineContent::Entry(entry) => {
                if let Some(id) = self.repeated(&entry.record) {
                    self.flaw(course, number, FlawKind::Repeated(id));
                }
                self.take(course, *entry, depth);
            }
            LineContent::Glued(_) | LineContent::Broken if !line.terminated => {
                self.flaw(course, number, FlawKind::Torn { bytes: line.length });
                return;
            }
            LineContent::Glued(glued) => {
                self.flaw(course, number, FlawKind::Broken);
                for line in glued {
                    self.take(course, line.entry, depth);
                }
                return;
            }
            LineContent::Broken => {
                self.flaw(course, number, FlawKind::Broken);
                return;
            }
        }
        if line.is_truncated() {
            self.flaw(course, number, FlawKind::TooLong { bytes: line.length });
        } else if !line.is_text() {
            self.flaw(course, number, FlawKind::NotText);
        }
    }

    /// The id of a call, a result or a reply that stands already.
    fn repeated(&self, record: &Record) -> Option<CallId> {
        let history = &self.history;
        let (id, stands) = if let Record::FuncCall(call) | Record::TellaskCall { call, .. } = record
        {
            (&call.id, history.calls.contains_key(&call.id))
        } else if let Record::FuncResult(result) = record {
            (&result.id, history.results.contains(&result.id))
        } else if let Record::TellaskResult(result) = record {
            (&result.call_id, history.replies.contains_key(&result.call_id))
        } else {
            return None;
        };
        stands.then(|| id.clone())
    }

    fn flaw(&mut self, course: Course, line: usize, kind: FlawKind) {
        self.flaws.push(CourseFlaw { course, line, kind });
    }

    fn find_gaps(&mut self) {
        let Some(newest) = self.begun.last().copied() else {
            return;
        };
        let present = |course: &Course| {
            self.courses.contains_key(course) || self.flaws.iter().any(|f| f.course == *course)
        };
        let newest = newest.0.min(MAX_COURSES);
        let gaps: Vec<Course> = (1..newest).map(Course).filter(|c| !present(c)).collect();
        for course in gaps {
            self.flaw(course, 0, FlawKind::Missing);
        }
    }

    fn take(&mut self, course: Course, entry: Entry, depth: ScanDepth) {
        let entry = records::in_domain(entry);
        if depth == ScanDepth::Full {
            facts::note(&mut self.recent, &self.history, course, &entry);
        }
        if !entry.ts.as_str().is_empty() {
            self.first_ts.get_or_insert_with(|| entry.ts.clone());
            self.last_ts = Some(entry.ts.clone());
        }
        self.note(&entry);
        let is_new = self.begun.last() != Some(&course);
        if is_new && entry.record.class() != RecordClass::Snapshot {
            self.begun.push(course);
        }
        self.history.fold(course, Arc::new(entry));
    }

    fn note(&mut self, entry: &Entry) {
        let record = &entry.record;
        if let Record::TellaskCall { call, delivery_mode: DeliveryMode::TellaskCallStart } = record
        {
            self.called_at.entry(call.id.clone()).or_insert_with(|| entry.ts.clone());
            if SpecialCall::of(&call.name) == Some(SpecialCall::AskHuman)
                && !self.asked.contains(&call.id)
            {
                self.asked.push(call.id.clone());
            }
        } else if let Record::TellaskResult(result) = record {
            self.answered(&result.call_id);
            self.agent = result.responder.origin_member_id.clone().or(self.agent.take());
        } else if let Record::Carryover(reply) = record {
            self.answered(&reply.call_id);
            self.agent = Some(reply.origin_member_id.clone());
        } else if let Record::Questions { questions } = record {
            self.questions(questions);
        } else if let Record::Reminders { reminders } = record {
            self.reminders = Some(reminders.clone());
        } else if let Record::Registry { entries } = record {
            self.registry = Some(entries.clone());
        } else if let Record::SideDialogCreated(created) = record {
            self.agent = Some(created.assignment_from_asker.origin_member_id.clone());
            self.created.push(created.clone());
        } else if let Record::HumanText(text) = record {
            if self.first_message.is_none() && text.origin == Origin::User {
                self.first_message = Some(headline(&text.content));
            }
            if let Some(directive) = &text.tellask_reply_directive {
                self.directive = Some(directive.clone());
            }
        }
    }

    fn answered(&mut self, call: &CallId) {
        self.asked.retain(|asked| asked != call);
        self.snapshot.remove(call);
    }

    /// A snapshot replaces what was open before: a new course clears its question that way.
    fn questions(&mut self, questions: &[Question]) {
        self.asked = questions.iter().map(|q| q.call_id.clone()).collect();
        self.snapshot = questions.iter().map(|q| (q.call_id.clone(), q.clone())).collect();
    }
}

/// Maximum number of courses that are searched for gaps.
const MAX_COURSES: u32 = 10_000;

/// Longest summary of what a dialog is about, in characters.
const MAX_ABOUT_CHARS: usize = 120;

/// The first line that says something, of bounded length.
pub(in crate::store) fn headline(content: &str) -> String {
    crate::domain::asking::question::short_headline(content, MAX_ABOUT_CHARS)
}

fn is_fact(line: &RawLine) -> bool {
    if !line.terminated {
        return true;
    }
    match std::str::from_utf8(&line.bytes) {
        Ok(text) => {
            let whole = text.starts_with('{') && text.trim_end().ends_with('}');
            !whole || FACT_MARKS.iter().any(|mark| text.contains(mark))
        }
        Err(_) => true,
    }
}

fn is_temp(name: &str) -> bool {
    name.strip_prefix('.').and_then(|name| name.strip_suffix(".tmp")).is_some()
}

/// What lies in the folder of a dialog.
#[derive(Debug)]
pub(in crate::store) struct DialogFolder {
    pub path: PathBuf,
    /// Names of everything in it.
    names: BTreeSet<String>,
    pub courses: BTreeMap<Course, PathBuf>,
    /// Names of files that were being written when a process ended.
    pub temps: Vec<String>,
}

impl DialogFolder {
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        let failed = |error| StoreError::io(FileAction::Reading, path)(error);
        let mut folder = Self::empty(path);
        for entry in fs::read_dir(path).map_err(failed)? {
            folder.take(&entry.map_err(failed)?, None);
        }
        folder.temps.sort_unstable();
        Ok(folder)
    }

    /// As [`Self::open`], with the stamps of the folder and everything in it; `None` if they cannot be read, or cannot
    /// be relied on.
    pub fn open_with_stamps(path: &Path) -> Result<(Self, Option<FolderStamps>), StoreError> {
        let failed = |error| StoreError::io(FileAction::Reading, path)(error);
        let mut folder = Self::empty(path);
        let own = FileStamp::of(&fs::symlink_metadata(path).map_err(failed)?);
        let mut stamps = Some(FolderStamps::new(path.to_owned(), own));
        for entry in fs::read_dir(path).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            if !folder.take(&entry, stamps.as_mut()) {
                stamps = None;
            }
        }
        folder.temps.sort_unstable();
        Ok((folder, stamps))
    }

    fn empty(path: &Path) -> Self {
        Self {
            path: path.to_owned(),
            names: BTreeSet::new(),
            courses: BTreeMap::new(),
            temps: Vec::new(),
        }
    }

    /// False if its stamp was wanted and cannot be read.
    fn take(&mut self, entry: &fs::DirEntry, stamps: Option<&mut FolderStamps>) -> bool {
        let name = entry.file_name();
        let Some(name) = name.to_str() else { return false };
        if let Some(course) = parse_course_file(name) {
            self.courses.insert(course, entry.path());
        } else if is_temp(name) {
            self.temps.push(name.to_owned());
        }
        self.names.insert(name.to_owned());
        let Some(stamps) = stamps else { return true };
        match entry.metadata() {
            Ok(meta) => stamps.add(name, &meta),
            Err(_) => return false,
        }
        true
    }

    /// True if there was something of this name when it was opened.
    pub fn has(&self, name: &str) -> bool {
        self.names.contains(name)
    }

    /// The newest unfinished copy of `name`.
    pub fn temp_of(&self, name: &str) -> Option<PathBuf> {
        self.temps_of(name).last()
    }

    /// The unfinished copies of `name`, the newest last.
    pub fn temps_of(&self, name: &str) -> impl Iterator<Item = PathBuf> {
        let prefix = format!(".{name}.");
        let temps = self.temps.iter().filter(move |temp| temp.starts_with(&prefix));
        temps.map(|temp| self.path.join(temp))
    }
}
