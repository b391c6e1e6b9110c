//! The files of one dialog, each read by itself. `tree.rs` decides what each of them is worth beside the others.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Map, Value};

use crate::domain::dialogs::assignment::FRAME_KIND;
use crate::domain::dialogs::record::{Origin, Record};
use crate::domain::dialogs::registry::RegistryEntry;
use crate::domain::dialogs::remaining_work::seems_active;
use crate::domain::text::json;
use crate::domain::text::{Localized, Text, localized};
use crate::domain::{
    AssignmentFrame, DialogMeta, Latest, Pending, Question, RecentPart, Reminder, SelfId,
};
use crate::yaml;

use super::earlier_layout;
use super::scan::{CourseScan, DialogFolder, ScanDepth};
use crate::store::codec;
use crate::store::codec::lists::{
    NOT_A_MAPPING, ParseResult, json_list, list_under, require_stamp, said,
};
use crate::store::codec::v1_29;
use crate::store::disk::Disk;
use crate::store::disk::error::StoreError;
use crate::store::disk::layout::{DIALOG, LATEST, PENDING, QUESTIONS, REGISTRY, REMINDERS, STACK};
use crate::store::disk::problem_collector::ProblemCollector;
use crate::store::disk::small_files::{self, FileContent};

/// Largest state file read, in bytes.
const MAX_STATE_BYTES: usize = yaml::LIMIT_BYTES;
const REBUILT_FIX: Text =
    Text::new("nothing to do: it is rebuilt from the courses", "无需处理：由各程的记录重建");
const REBUILT_AS_KNOWN: Text =
    Text::new("nothing to do: it is rebuilt as far as known", "无需处理：按已知内容重建");
const CHECK_DIALOG: Text =
    Text::new("check the dialog, then continue it", "请检查该对话，然后继续");

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::store) enum FileHealth {
    Absent,
    Sound,
    /// Not all of it could be read. A copy is kept before it is replaced.
    Damaged,
    /// The file is absent, but a finished copy was about to be moved in its place.
    Adopted,
    /// Something other than a file; never replaced.
    Misplaced,
}

/// A state file: what could be read of it.
#[derive(Debug)]
pub(in crate::store) struct StateFile<T> {
    pub folder: Arc<Path>,
    pub name: &'static str,
    pub value: Option<T>,
    pub health: FileHealth,
}

impl<T> StateFile<T> {
    pub fn path(&self) -> PathBuf {
        self.folder.join(self.name)
    }
}

#[derive(Debug)]
pub(in crate::store) struct DialogParts {
    pub id: SelfId,
    pub folder: Arc<Path>,
    pub meta: StateFile<Map<String, Value>>,
    pub latest: StateFile<Latest>,
    pub reminders: StateFile<Vec<Reminder>>,
    pub questions: StateFile<Vec<Question>>,
    pub pending: StateFile<Vec<Pending>>,
    pub registry: StateFile<Vec<RegistryEntry>>,
    pub stack: StateFile<Vec<AssignmentFrame>>,
    /// True if it has the layout of an earlier Dominds.
    pub earlier: bool,
    /// What only the layout of Dominds 1.29 has, once it is read.
    pub recent: Option<Box<RecentPart>>,
    pub scan: CourseScan,
}

impl DialogParts {
    /// Reads the dialog in `path`. I/O errors end the reading; damage is noted.
    pub fn read(
        disk: &dyn Disk,
        path: &Path,
        id: &SelfId,
        depth: ScanDepth,
        problems: &mut ProblemCollector,
    ) -> Result<Self, StoreError> {
        let folder = DialogFolder::open(path)?;
        Self::of_folder(disk, &folder, id, depth, problems)
    }

    pub fn of_folder(
        disk: &dyn Disk,
        folder: &DialogFolder,
        id: &SelfId,
        depth: ScanDepth,
        problems: &mut ProblemCollector,
    ) -> Result<Self, StoreError> {
        let shared: Arc<Path> = Arc::from(folder.path.as_path());
        let mut reader = PartsReader { disk, folder, shared: &shared, problems };
        let mut parts = Self {
            id: id.clone(),
            folder: shared.clone(),
            meta: reader.file(DIALOG, REBUILT_AS_KNOWN, meta)?,
            latest: reader.file(LATEST, CHECK_DIALOG, codec::latest)?,
            reminders: reader.file(REMINDERS, REBUILT_FIX, reminders)?,
            questions: reader.file(QUESTIONS, REBUILT_FIX, questions)?,
            pending: reader.file(PENDING, REBUILT_FIX, json_list)?,
            registry: reader.file(REGISTRY, REBUILT_FIX, registry)?,
            stack: reader.file(STACK, REBUILT_FIX, stack)?,
            earlier: false,
            recent: None,
            scan: CourseScan::read(disk, folder, depth)?,
        };
        parts.earlier = earlier_layout::is_earlier(folder, parts.meta.value.as_ref());
        if depth == ScanDepth::Facts && (parts.seems_active() || parts.was_spoken_to()) {
            // What a cut-off generation left undone is known only from all of its records, and so is what a dialog that
            // owes a reply has still to tell a person.
            parts.scan = CourseScan::read(disk, folder, ScanDepth::Full)?;
        } else if depth == ScanDepth::Facts {
            parts.scan.strip_details();
        }
        Ok(parts)
    }

    /// Reads what only the layout of Dominds 1.29 has: it is known by now that the tree is in that layout. Returns it as
    /// the files have it; in the parts it is set right by the records, as far as they are read.
    pub fn read_recent(
        &mut self,
        disk: &dyn Disk,
        depth: ScanDepth,
        problems: &mut ProblemCollector,
    ) -> Result<RecentPart, StoreError> {
        let mut recent = RecentPart::default();
        let mut drive_wanted = false;
        if let Some(latest) = &mut self.latest.value {
            drive_wanted = v1_29::latest::take_own(&mut latest.extra);
            recent.state = v1_29::latest::take_state(&mut latest.extra);
            if let Some(why) = v1_29::latest::fault(&recent.state) {
                let path = self.latest.path();
                problems.add("damaged", &path, small_files::damaged(&why), CHECK_DIALOG);
                if self.latest.health == FileHealth::Sound {
                    self.latest.health = FileHealth::Damaged;
                }
            }
        }
        let (folder, shared) = (DialogFolder::open(&self.folder)?, self.folder.clone());
        let mut reader = PartsReader { disk, folder: &folder, shared: &shared, problems };
        let callees = reader.file(v1_29::CALLEES, CHECK_DIALOG, v1_29::callees::batches)?;
        let answers = reader.file(v1_29::ANSWERS, CHECK_DIALOG, v1_29::answers::answers)?;
        recent.human_answers = answers.value.unwrap_or_default();
        let StateFile { folder, name, value, health } = callees;
        let pending = value.as_deref().map(v1_29::callees::pending);
        self.pending = StateFile { folder, name, value: pending, health };
        recent.batches = value.unwrap_or_default();
        let file = recent.clone();
        let history = &mut self.scan.history;
        if health != FileHealth::Damaged {
            v1_29::taking_up::tell_unread(&mut recent.batches, history);
        }
        if let Some(latest) = &mut self.latest.value {
            let left = v1_29::taking_up::has_work(latest, &recent.state, &recent.batches, history);
            latest.needs_drive = (drive_wanted || left).then_some(true);
        }
        if depth == ScanDepth::Full {
            let noted = std::mem::take(&mut self.scan.recent);
            recent.state = v1_29::taking_up::completed(recent.state, noted.state, history);
            recent.state.unread.clear();
        }
        self.recent = Some(Box::new(recent));
        Ok(file)
    }

    fn seems_active(&self) -> bool {
        let latest = self.latest.value.as_ref();
        latest.is_some_and(|latest| seems_active(latest, &self.scan.history))
            || self.scan.history.last.open
    }

    /// True if a person spoke, in this course, to a dialog that owes a reply.
    fn was_spoken_to(&self) -> bool {
        let frames = self.stack.value.iter().flatten();
        let mut owed = frames.filter_map(|frame| frame.tellask_reply_obligation.as_ref());
        let spoke = |record: &Record| {
            matches!(record, Record::HumanText(text)
                if text.origin == Origin::User && text.q4h_answer_call_id.is_none())
        };
        owed.next().is_some() && self.scan.history.entries.iter().any(|entry| spoke(&entry.record))
    }

    /// `dialog.yaml` where it is whole and names this dialog.
    pub fn valid_meta(&self) -> Option<DialogMeta> {
        let map = self.meta.value.clone()?;
        let meta: DialogMeta = serde_json::from_value(Value::Object(map)).ok()?;
        (meta.id == self.id).then_some(meta)
    }

    /// True if nothing here was ever part of a conversation: a folder left by a crash while it was made.
    pub fn is_leftover(&self) -> bool {
        self.meta.health == FileHealth::Absent && self.scan.is_empty() && self.scan.flaws.is_empty()
    }
}

struct PartsReader<'a> {
    disk: &'a dyn Disk,
    folder: &'a DialogFolder,
    shared: &'a Arc<Path>,
    problems: &'a mut ProblemCollector,
}

impl PartsReader<'_> {
    fn file<T>(
        &mut self,
        name: &'static str,
        fix: Text,
        parse: fn(&str) -> ParseResult<T>,
    ) -> Result<StateFile<T>, StoreError> {
        let path = self.folder.path.join(name);
        let found = if self.folder.has(name) {
            small_files::read_small(self.disk, &path, MAX_STATE_BYTES)?
        } else {
            FileContent::Absent
        };
        let (value, health) = match found {
            FileContent::Absent => self.adopt_copy(name, parse)?,
            FileContent::Text(text) => match parse(&text) {
                Ok((value, None)) => (Some(value), FileHealth::Sound),
                Ok((value, Some(why))) => {
                    self.damaged(&path, &why, fix);
                    (Some(value), FileHealth::Damaged)
                }
                Err(why) => {
                    self.damaged(&path, &why, fix);
                    (None, FileHealth::Damaged)
                }
            },
            FileContent::Damaged(why) => {
                self.damaged(&path, &why, fix);
                (None, FileHealth::Damaged)
            }
            FileContent::Misplaced(what) => {
                let fix = Text::new("move it away", "请将其移走");
                self.problems.add("misplaced", &path, small_files::it_is_ignored(what), fix);
                (None, FileHealth::Misplaced)
            }
        };
        Ok(StateFile { folder: self.shared.clone(), name, value, health })
    }

    fn damaged(&mut self, path: &Path, why: &Localized, fix: Text) {
        self.problems.add("damaged", path, small_files::damaged(why), fix);
    }

    /// A process ended between writing a copy and moving it in place: the copy counts.
    fn adopt_copy<T>(
        &mut self,
        name: &str,
        parse: fn(&str) -> ParseResult<T>,
    ) -> Result<(Option<T>, FileHealth), StoreError> {
        let absent = (None, FileHealth::Absent);
        let Some(temp) = self.folder.temp_of(name) else {
            return Ok(absent);
        };
        let FileContent::Text(text) = small_files::read_small(self.disk, &temp, MAX_STATE_BYTES)?
        else {
            return Ok(absent);
        };
        let Ok((value, None)) = parse(&text) else {
            return Ok(absent);
        };
        Ok((Some(value), FileHealth::Adopted))
    }
}

fn meta(text: &str) -> ParseResult<Map<String, Value>> {
    let Value::Object(map) = yaml::parse(text).map_err(|error| error.message())? else {
        return Err(NOT_A_MAPPING.into());
    };
    let whole = serde_json::from_value::<DialogMeta>(Value::Object(map.clone()));
    Ok((map, whole.err().map(|error| said(&error))))
}

fn reminders(text: &str) -> ParseResult<Vec<Reminder>> {
    let value: Value = json::read(text).map_err(|error| said(&error))?;
    list_under(&value, "reminders").map(|list| require_stamp(&value, list))
}

fn questions(text: &str) -> ParseResult<Vec<Question>> {
    let value = yaml::parse(text).map_err(|error| error.message())?;
    list_under(&value, "questions").map(|list| require_stamp(&value, list))
}

fn registry(text: &str) -> ParseResult<Vec<RegistryEntry>> {
    let value = yaml::parse(text).map_err(|error| error.message())?;
    list_under(&value, "entries")
}

fn stack(text: &str) -> ParseResult<Vec<AssignmentFrame>> {
    let mut frames = Vec::new();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let frame: AssignmentFrame = json::read(line).map_err(|error| said(&error))?;
        if frame.kind != FRAME_KIND {
            let kind = &frame.kind;
            return Err(localized!("a frame of the kind {kind:?}", "类型为 {kind:?} 的帧"));
        }
        if !frame_is_consistent(&frame) {
            let text = Text::new(
                "a frame names two different askers or calls",
                "一个帧写了两个不同的诉请者或调用",
            );
            return Err(text.into());
        }
        frames.push(frame);
    }
    Ok((frames, None))
}

fn frame_is_consistent(frame: &AssignmentFrame) -> bool {
    let asker = &frame.asker_dialog_id;
    let assignment = frame.assignment_from_asker.as_ref();
    let obligation = frame.tellask_reply_obligation.as_ref();
    let calls_agree = match (assignment, obligation) {
        (Some(assignment), Some(owed)) => assignment.call_id == owed.target_call_id,
        (Some(_) | None, None) | (None, Some(_)) => true,
    };
    calls_agree
        && assignment.is_none_or(|assignment| assignment.asker_dialog_id == *asker)
        && obligation.is_none_or(|owed| owed.target_dialog_id == *asker)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_keeps_its_readable_entries() {
        let one = r#"{"id":"q","tellaskContent":"?","askedAt":"t","callId":"c","callSiteRef":{"course":1,"messageIndex":0}}"#;
        let (found, why) = questions(&format!("{{\"questions\":[{one},5]}}")).unwrap();
        assert_eq!((found.len(), why.is_some()), (1, true));
        assert!(questions("questions: 5\n").is_err());
    }

    #[test]
    fn a_frame_that_contradicts_itself_is_damage() {
        let frame = r#"{"kind":"asker_dialog_stack_frame","askerDialogId":"a","tellaskReplyObligation":{"expectedReplyCallName":"replyTellask","targetDialogId":"b","targetCallId":"c","tellaskContent":"x"}}"#;
        assert!(stack(frame).is_err());
        assert!(stack(&frame.replace("\"b\"", "\"a\"")).is_ok());
        assert!(stack("{\"kind\":").is_err());
        assert_eq!(stack("").unwrap().0, []);
    }
}
