//! Reads a whole tree: the parts of all its dialogs, set right against each other. Writes nothing.

use std::sync::Arc;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::domain::latest::StopReason;
use crate::domain::tree::{Bucket, Change};
use crate::domain::{
    Dialog, DialogId, DialogMeta, DialogTree, DisplayState, ExecutionMarker, Frame, Latest,
    Pending, Problem, RootId, SelfId,
};

use super::disk::Disk;
use super::error::StoreError;
use super::files;
use super::identity::{self, AllParts, Identities};
use super::layout::{DIALOG, Layout, SIDE_DIALOGS, course_file};
use super::notes::Notes;
use super::own;
use super::parts::{Health, Parts, careful_latest, plain_latest};
use super::reconcile::{self, Member, Members};
use super::scan::{Depth, FlawKind, headline};
use super::walk;

/// A tree as it should be, and what on disk differs from that.
#[derive(Debug)]
pub(super) struct TreeRead {
    pub tree: DialogTree,
    /// State files that disagree with the courses.
    pub mended: Vec<Change>,
    pub problems: Vec<Problem>,
    /// Identities that had to be rebuilt, to be written anew.
    pub identities: Vec<(PathBuf, DialogMeta)>,
    /// Course files with lines that are no records.
    pub broken: Vec<PathBuf>,
    /// Files whose content nothing else holds: copied aside before they are replaced.
    pub irreplaceable: Vec<PathBuf>,
    /// Course files with their sizes in bytes.
    pub sizes: Vec<(PathBuf, u64)>,
    /// The first words of a person in each dialog.
    pub first_words: BTreeMap<SelfId, String>,
}

pub(super) struct TreeReader<'a> {
    pub disk: &'a dyn Disk,
    pub layout: &'a Layout,
    pub bucket: Bucket,
    pub root: &'a RootId,
    pub depth: Depth,
}

impl TreeReader<'_> {
    /// I/O errors end the reading; damage does only where nothing tells who the main dialog is.
    pub fn read(&self) -> Result<TreeRead, StoreError> {
        let folder = self.layout.root(self.bucket, self.root);
        if !files::is_folder_below(&self.layout.dialogs(), &folder)? {
            return Err(StoreError::NotFound(self.root.clone()));
        }
        let mut notes = Notes::new(self.layout);
        let parts = self.parts(&folder, &mut notes)?;
        let identities = Identities::of(self.root, &parts);
        let main = self.root.main();
        if !identities.known.contains_key(&main) {
            return Err(self.beyond_mending(&folder, &parts, &notes));
        }
        let mut build = Build::new(self, notes);
        build.identities(&parts, &identities);
        build.dialogs(parts, &identities)?;
        Ok(build.finish(&folder))
    }

    fn parts(&self, folder: &Path, notes: &mut Notes) -> Result<AllParts, StoreError> {
        let mut parts = BTreeMap::new();
        let main = Parts::read(self.disk, folder, &self.root.main(), self.depth, notes)?;
        parts.insert(main.id.clone(), main);
        let sides = folder.join(SIDE_DIALOGS);
        for id in walk::dialogs_below(self.disk, &sides, notes)? {
            let part =
                Parts::read(self.disk, &sides.join(&id), &SelfId::new(&id), self.depth, notes)?;
            if !part.is_debris() {
                parts.insert(part.id.clone(), part);
            }
        }
        Ok(parts)
    }

    fn beyond_mending(&self, folder: &Path, parts: &AllParts, notes: &Notes) -> StoreError {
        let main = parts.get(&self.root.main());
        if parts.len() == 1 && main.is_some_and(Parts::is_debris) {
            return StoreError::NotFound(self.root.clone());
        }
        let state = match main.map(|main| main.meta.health) {
            Some(Health::Damaged) => "damaged",
            Some(Health::Misplaced) => "not a file",
            Some(Health::Absent | Health::Sound | Health::Adopted) | None => "missing",
        };
        let text = format!(
            "{}: dialog.yaml is {state}, and no record tells whose dialog it is",
            self.root
        );
        let mend = "write dialog.yaml anew (id, agentId, taskDocPath, createdAt)";
        let problem = notes.problem("identity", &folder.join(DIALOG), text, mend);
        StoreError::Damaged(Box::new(problem))
    }
}

struct Build<'a> {
    reader: &'a TreeReader<'a>,
    notes: Notes,
    tree: DialogTree,
    mended: Vec<Change>,
    identities: Vec<(PathBuf, DialogMeta)>,
    broken: Vec<PathBuf>,
    irreplaceable: Vec<PathBuf>,
    sizes: Vec<(PathBuf, u64)>,
    first_words: BTreeMap<SelfId, String>,
}

impl<'a> Build<'a> {
    fn new(reader: &'a TreeReader<'a>, notes: Notes) -> Self {
        Self {
            reader,
            notes,
            tree: DialogTree::new(reader.root.clone(), reader.bucket),
            mended: Vec::new(),
            identities: Vec::new(),
            broken: Vec::new(),
            irreplaceable: Vec::new(),
            sizes: Vec::new(),
            first_words: BTreeMap::new(),
        }
    }

    fn finish(self, folder: &Path) -> TreeRead {
        TreeRead {
            tree: self.tree,
            mended: self.mended,
            problems: self.notes.finish(folder),
            identities: self.identities,
            broken: self.broken,
            irreplaceable: self.irreplaceable,
            sizes: self.sizes,
            first_words: self.first_words,
        }
    }

    fn identities(&mut self, parts: &AllParts, identities: &Identities) {
        for id in &identities.rebuilt {
            let Some((part, meta)) = parts.get(id).zip(identities.known.get(id)) else {
                continue;
            };
            if part.meta.health != Health::Damaged {
                let text = match part.meta.health {
                    Health::Sound => format!("its id is not that of its folder, {id}"),
                    _ => format!("missing: {id} is known from the records of its tree"),
                };
                let mend = "nothing to do: the next writing start rebuilds it";
                self.notes.add("identity", &part.meta.path, text, mend);
            }
            if part.meta.health != Health::Misplaced {
                self.identities.push((part.meta.path.clone(), meta.clone()));
            }
            self.keep_copy(part.meta.health, &part.meta.path);
        }
        for id in &identities.lost {
            if let Some(part) = parts.get(id) {
                let text = format!("side dialog {id} is left out: nothing tells whose it is");
                let mend = "write its dialog.yaml anew, or move the folder away";
                self.notes.add("identity", &part.folder, text, mend);
            }
        }
        for (id, part) in parts {
            if part.meta.health == Health::Adopted
                && let Some(meta) = identities.known.get(id)
            {
                self.identities.push((part.meta.path.clone(), meta.clone()));
            }
        }
    }

    fn keep_copy(&mut self, health: Health, path: &Path) {
        if health == Health::Damaged {
            self.irreplaceable.push(path.to_owned());
        }
    }

    fn dialogs(&mut self, parts: AllParts, identities: &Identities) -> Result<(), StoreError> {
        let mut stacks = self.stacks(&parts, identities);
        let mut latests = self.latests(&parts, identities);
        let indexes = self.indexes(&parts, identities, &stacks, &latests);
        let orphans = orphans(&parts, &stacks);
        for (id, part) in parts {
            let Some(meta) = identities.known.get(&id) else {
                continue;
            };
            self.flaws(&part);
            if let Some(words) = part.scan.first_words.clone() {
                self.first_words.insert(id.clone(), words);
            }
            let latest =
                latests.remove(&id).unwrap_or_else(|| careful_latest(meta.created_at.clone()));
            let mut dialog = Dialog::new(meta.clone(), latest);
            dialog.stack = stacks.remove(&id).unwrap_or_default();
            if let Some((questions, pending)) = indexes.get(&id) {
                dialog.questions.clone_from(questions);
                dialog.pending.clone_from(pending);
            }
            dialog.reminders = self.reminders(&part);
            self.sizes.extend(
                part.scan
                    .courses
                    .iter()
                    .map(|(course, size)| (part.folder.join(course_file(*course)), *size)),
            );
            dialog.queue = self.queue(&id, &part)?;
            dialog.history = part.scan.history;
            if orphans.contains(&id) {
                hold(&mut dialog.latest, StopReason::ServerRestart);
            }
            self.tree.dialogs.insert(id, Arc::new(dialog));
        }
        Ok(())
    }

    fn queue(
        &mut self,
        id: &SelfId,
        part: &Parts,
    ) -> Result<Vec<crate::domain::QueuedPrompt>, StoreError> {
        let dialog = DialogId::side(self.reader.root, id);
        let path = self.reader.layout.queue(&dialog);
        let read = own::read_queue(self.reader.disk, &path, &dialog)?;
        let (mut queue, damage) = read;
        if let Some(why) = damage {
            let text = format!("damaged: {why}; messages that waited are lost");
            self.notes.add("queue", &path, text, "say them again");
            self.irreplaceable.push(path);
        }
        let before = queue.len();
        queue.retain(|prompt| !part.scan.history.messages.contains(&prompt.msg_id));
        if queue.len() != before {
            self.mended.push(Change::Queue { dialog: id.clone(), queue: queue.clone() });
        }
        Ok(queue)
    }

    fn reminders(&mut self, part: &Parts) -> Vec<crate::domain::Reminder> {
        let file = &part.reminders;
        let backup = part.scan.reminders.clone();
        match file.health {
            Health::Sound | Health::Misplaced => {
                return file.value.clone().or(backup).unwrap_or_default();
            }
            Health::Absent | Health::Damaged | Health::Adopted => {}
        }
        let found = match file.health {
            Health::Adopted => file.value.clone(),
            _ => backup.or_else(|| file.value.clone()),
        };
        let reminders = found.unwrap_or_default();
        // At facts depth the snapshots were not read, so nothing is known to be missing.
        if file.health == Health::Absent && reminders.is_empty() {
            return reminders;
        }
        if file.health == Health::Absent {
            let text = "missing: taken from the newest record of the reminders";
            let mend = "nothing to do: the next writing start rebuilds it";
            self.notes.add("missing", &file.path, text, mend);
        }
        self.keep_copy(file.health, &file.path);
        self.mended
            .push(Change::Reminders { dialog: part.id.clone(), reminders: reminders.clone() });
        reminders
    }

    fn latests(&mut self, parts: &AllParts, identities: &Identities) -> BTreeMap<SelfId, Latest> {
        let mut latests = BTreeMap::new();
        for (id, part) in parts {
            let Some(meta) = identities.known.get(id) else {
                continue;
            };
            latests.insert(id.clone(), self.latest(part, meta));
        }
        latests
    }

    fn latest(&mut self, part: &Parts, meta: &DialogMeta) -> Latest {
        let modified = part.scan.last_ts.clone().unwrap_or_else(|| meta.created_at.clone());
        let file = &part.latest;
        let mut latest = match (&file.value, file.health) {
            (Some(latest), _) => latest.clone(),
            (None, Health::Absent) => plain_latest(modified.clone()),
            (None, _) => careful_latest(modified.clone()),
        };
        if latest.last_modified.as_str().is_empty() {
            latest.last_modified = modified;
        }
        let recorded = part.scan.history.course;
        let starts_next = latest.pending_course_start_prompt.is_some();
        let course = reconcile::current_course(latest.current_course, recorded, starts_next);
        let ahead = latest.current_course > course
            && !part.scan.courses.contains_key(&latest.current_course);
        if ahead && file.health == Health::Sound {
            let text = format!("it names course {}, the newest is {course}", latest.current_course);
            let mend = "nothing to do: the newest course counts";
            self.notes.add("course", &file.path, text, mend);
        }
        let moved = latest.current_course != course;
        latest.current_course = course;
        let rewrite = match file.health {
            Health::Absent | Health::Misplaced => false,
            Health::Sound => moved,
            Health::Damaged | Health::Adopted => true,
        };
        self.keep_copy(file.health, &file.path);
        if rewrite {
            self.mended
                .push(Change::Latest { dialog: part.id.clone(), latest: Box::new(latest.clone()) });
        }
        hold_if_unreadable(part, &mut latest);
        latest
    }

    fn stacks(&mut self, parts: &AllParts, ids: &Identities) -> BTreeMap<SelfId, Vec<Frame>> {
        let mut stacks = BTreeMap::new();
        for (id, part) in parts {
            let Some(meta) = ids.known.get(id) else {
                continue;
            };
            let is_main = id.as_str() == self.reader.root.as_str();
            let read = part.stack.value.clone().unwrap_or_default();
            let complete =
                is_main || read.iter().any(|frame| frame.assignment_from_asker.is_some());
            let usable = part.stack.health != Health::Damaged && complete;
            let stack = if usable { read } else { self.rebuilt_stack(part, meta, parts, ids) };
            stacks.insert(id.clone(), stack);
        }
        stacks
    }

    /// The route of a side dialog whose stack cannot be used; empty where nothing tells it.
    fn rebuilt_stack(
        &mut self,
        part: &Parts,
        meta: &DialogMeta,
        parts: &AllParts,
        ids: &Identities,
    ) -> Vec<Frame> {
        if part.id.as_str() == self.reader.root.as_str() {
            return Vec::new();
        }
        let waiting = parts.iter().find_map(|(asker, other)| {
            let mut entries = other.pending.value.iter().flatten();
            Some((asker, entries.rfind(|entry| entry.side_dialog_id == part.id)?))
        });
        let rebuilt = reconcile::stack(
            meta,
            &part.scan,
            identity::created(parts, &part.id),
            waiting,
            |asker| ids.known.get(asker).map(|meta| meta.agent_id.clone()),
            |asker, call| {
                let asker = parts.get(asker);
                asker.is_some_and(|asker| asker.scan.history.replies.contains_key(call))
            },
        );
        let path = &part.stack.path;
        let Some(stack) = rebuilt else {
            let text = format!("nothing tells who asked {}: it does not go on", part.id);
            self.notes.add("route", path, text, "ask anew in another session");
            return Vec::new();
        };
        if matches!(part.stack.health, Health::Absent | Health::Sound) {
            let text = format!("it names no assignment of {}", part.id);
            let mend = "nothing to do: it is rebuilt from the records of the asker";
            self.notes.add("route", path, text, mend);
        }
        self.keep_copy(part.stack.health, path);
        if part.stack.health != Health::Misplaced {
            self.mended.push(Change::Stack { dialog: part.id.clone(), stack: stack.clone() });
        }
        stack
    }

    fn indexes(
        &mut self,
        parts: &AllParts,
        ids: &Identities,
        stacks: &BTreeMap<SelfId, Vec<Frame>>,
        latests: &BTreeMap<SelfId, Latest>,
    ) -> BTreeMap<SelfId, (Vec<crate::domain::Question>, Vec<Pending>)> {
        let members: Members = parts
            .iter()
            .filter_map(|(id, part)| {
                let member = Member {
                    meta: ids.known.get(id)?,
                    scan: &part.scan,
                    stack: stacks.get(id)?,
                    dead: latests.get(id)?.is_dead(),
                };
                Some((id, member))
            })
            .collect();
        let mut indexes = BTreeMap::new();
        for (id, member) in &members {
            let Some(part) = parts.get(*id) else { continue };
            // The questions of the dead stay in their file and are asked no more.
            let questions = if member.dead { Vec::new() } else { self.questions(part) };
            indexes.insert((*id).clone(), (questions, self.pending(part, &members)));
        }
        if let Some(main) = parts.get(&self.reader.root.main()) {
            self.registry(main, &members);
        }
        indexes
    }

    fn questions(&mut self, part: &Parts) -> Vec<crate::domain::Question> {
        let file = part.questions.value.as_deref().unwrap_or_default();
        let dialog = DialogId::side(self.reader.root, &part.id);
        let index = reconcile::questions(&dialog, &part.scan, file);
        let changed = index.entries != file;
        if self.take_index(&part.questions.path, part.questions.health, &index, changed) {
            self.mended.push(Change::Questions {
                dialog: part.id.clone(),
                questions: index.entries.clone(),
            });
        }
        index.entries
    }

    fn pending(&mut self, part: &Parts, members: &Members) -> Vec<Pending> {
        let file = part.pending.value.as_deref().unwrap_or_default();
        let index = reconcile::pending(&part.id, members, file);
        let changed = index.entries != file;
        if self.take_index(&part.pending.path, part.pending.health, &index, changed) {
            self.mended
                .push(Change::Pending { dialog: part.id.clone(), pending: index.entries.clone() });
        }
        index.entries
    }

    fn registry(&mut self, main: &Parts, members: &Members) {
        let file = main.registry.value.as_deref();
        let index = reconcile::registry(members, file);
        let changed = index.entries != file.unwrap_or_default();
        if self.take_index(&main.registry.path, main.registry.health, &index, changed) {
            self.mended.push(Change::Registry { entries: index.entries.clone() });
        }
        self.tree.registry = index.entries;
    }

    /// Reports what an index contradicts; true if its file is to be written anew.
    fn take_index<T>(
        &mut self,
        path: &Path,
        health: Health,
        index: &reconcile::Index<T>,
        changed: bool,
    ) -> bool {
        for text in &index.contradictions {
            self.notes.add("contradiction", path, text.clone(), "check what the dialog waits for");
        }
        self.keep_copy(health, path);
        if index.dropped > 0 {
            self.irreplaceable.push(path.to_owned());
        }
        match health {
            Health::Misplaced => false,
            Health::Absent | Health::Sound => changed,
            Health::Damaged | Health::Adopted => true,
        }
    }

    fn flaws(&mut self, part: &Parts) {
        for flaw in &part.scan.flaws {
            let path = part.folder.join(course_file(flaw.course));
            let (kind, text, mend) = describe(&flaw.kind);
            let mut problem = self.notes.problem(kind, &path, text, mend);
            if flaw.line > 0 {
                problem.id = format!("{}:{}", problem.id, flaw.line);
                problem = problem.at_line(flaw.line);
            }
            self.notes.push(problem);
            if flaw.kind == FlawKind::Broken && self.broken.last() != Some(&path) {
                self.broken.push(path);
            }
        }
    }
}

fn describe(kind: &FlawKind) -> (&'static str, String, &'static str) {
    match kind {
        FlawKind::Broken => (
            "line",
            "not a record: left out".to_owned(),
            "nothing to do: the next writing start sets it aside",
        ),
        FlawKind::Torn { bytes } => (
            "torn",
            format!("the last line is incomplete ({bytes} bytes)"),
            "nothing to do: the next record sets it aside",
        ),
        FlawKind::NotText => {
            ("text", "some bytes are not text: shown with marks".to_owned(), "nothing to do")
        }
        FlawKind::TooLong { bytes } => {
            ("long", format!("a line of {bytes} bytes: shown cut"), "nothing to do")
        }
        FlawKind::Misplaced(what) => (
            "misplaced",
            format!("it is {what}: ignored, and the dialog held"),
            "put the course file back",
        ),
        FlawKind::Missing => (
            "missing",
            "missing, although a later course holds records".to_owned(),
            "put the course file back if there is a copy",
        ),
    }
}

/// A dialog whose course cannot be opened must not write over what it does not know.
fn hold_if_unreadable(part: &Parts, latest: &mut Latest) {
    let misplaced = |flaw: &super::scan::Flaw| matches!(flaw.kind, FlawKind::Misplaced(_));
    if latest.is_dead() || !part.scan.flaws.iter().any(misplaced) {
        return;
    }
    hold(latest, StopReason::system("a course file cannot be read"));
}

/// Side dialogs that were made, but whose call never came to be recorded: nobody waits for them.
fn orphans(parts: &AllParts, stacks: &BTreeMap<SelfId, Vec<Frame>>) -> BTreeSet<SelfId> {
    let waited_for = |id: &SelfId| {
        let mut entries = parts.values().flat_map(|part| part.pending.value.iter().flatten());
        entries.any(|entry| entry.side_dialog_id == *id)
    };
    let is_orphan = |id: &SelfId, stack: &[Frame]| {
        let owed = stack.last().and_then(|frame| frame.tellask_reply_obligation.as_ref());
        let called = owed.is_none_or(|owed| {
            parts
                .get(&owed.target_dialog_id)
                .is_some_and(|asker| asker.scan.history.calls.contains_key(&owed.target_call_id))
        });
        let begun = parts.get(id).is_some_and(|part| !part.scan.is_empty());
        !called && !begun && !waited_for(id)
    };
    stacks.iter().filter(|(id, stack)| is_orphan(id, stack)).map(|(id, _)| id.clone()).collect()
}

/// Holds a dialog until a person lets it continue; in memory only.
fn hold(latest: &mut Latest, reason: StopReason) {
    if latest.is_dead() {
        return;
    }
    latest.display_state =
        Some(DisplayState::Stopped { reason: reason.clone(), continue_enabled: Some(true) });
    latest.execution_marker = Some(ExecutionMarker::Interrupted { reason });
}

/// What a dialog is about: its assignment, or the first words of a person.
pub(super) fn about(dialog: &Dialog, first_words: Option<&String>) -> String {
    dialog.assignment().map_or_else(
        || first_words.cloned().unwrap_or_default(),
        |assignment| headline(&assignment.tellask_content),
    )
}
