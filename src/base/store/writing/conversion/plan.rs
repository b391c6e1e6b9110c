//! What becomes of the files of a tree in the other layout. Reads, and writes nothing.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde_json::Value;

use crate::domain::dialogs::recent::{RecentState, TriggerKind};
use crate::domain::dialogs::tree::{Bucket, TreeChange};
use crate::domain::text::json;
use crate::domain::text::{Text, localized};
use crate::domain::{self, DialogTree, Loss, Lost, RootId, SelfId};
use crate::yaml;

use super::shared::{SharedCopies, encode};
use super::source::{Source, Stop};
use crate::store::codec::conversion::{
    self, DialogFacts, Keys, Losses, Mapping, StateFiles, TreeFacts,
};
use crate::store::codec::v1_29;
use crate::store::disk::error::{FileAction, StoreError};
use crate::store::disk::layout::{LATEST, PENDING, QUESTIONS, REMINDERS, SIDE_DIALOGS, STACK};
use crate::store::trees::course_lines::LineReader;
use crate::store::writing::Store;

/// Largest state file, in bytes.
const MAX_STATE_BYTES: usize = yaml::LIMIT_BYTES;
/// The log of failed drives, and what 1.29 derives.
const DRIVE_LOG: &str = "backend-drive-stalls.jsonl";
const WAKE_QUEUE: &str = "wake-queue.jsonl";

/// The files of a dialog that are not copied: their new texts, or that they are left out.
pub(super) type ChangedFiles = BTreeMap<&'static str, Option<String>>;

/// How a tree is converted.
#[derive(Debug)]
pub(super) struct Plan<'a> {
    pub source: Source<'a>,
    pub to: domain::Layout,
    /// As it is now.
    pub tree: DialogTree,
    facts: TreeFacts,
    /// By the folders of the dialogs below that of the tree.
    pub dialogs: BTreeMap<PathBuf, (SelfId, ChangedFiles)>,
    pub shared: SharedCopies,
    pub lost: Vec<Lost>,
}

impl Plan<'_> {
    /// A dialog of the tree, for its lines.
    pub fn mapping<'b>(&'b self, dialog: &'b SelfId) -> Option<Mapping<'b>> {
        mapping(&self.tree, &self.facts, dialog)
    }
}

fn mapping<'b>(
    tree: &'b DialogTree,
    facts: &'b TreeFacts,
    dialog: &'b SelfId,
) -> Option<Mapping<'b>> {
    let created_at = tree.get(dialog)?.meta.created_at.as_str();
    Some(Mapping { root: &tree.root, dialog, facts: facts.get(dialog)?, tree: facts, created_at })
}

impl Store {
    /// How a tree would be converted, if it rests and nothing is wrong with it.
    pub(super) fn plan_conversion(
        &self,
        bucket: Bucket,
        root: &RootId,
        to: domain::Layout,
    ) -> Result<Plan<'_>, Stop> {
        if !self.is_there(bucket, root) {
            return Err(StoreError::NotFound(root.clone()).into());
        }
        // Judged first: what changes after that is noticed.
        let source = Source::judge(self.disk(), &self.layout, self.layout.root(bucket, root))?;
        let (loaded, foreign) = self.load_to_show(bucket, root)?;
        if let Some(foreign) = foreign {
            return Err(StoreError::ForeignLayout(root.clone(), foreign).message().into());
        }
        let tree = loaded.tree;
        if tree.layout == to {
            return Err(Stop::Same);
        }
        for id in tree.dialogs.keys() {
            refuse_work(&source, &folder_of(root, id))?;
        }
        let is_damage = |id: &str| !id.starts_with("store/layout/");
        if let Some(problem) = loaded.problems.iter().find(|problem| is_damage(&problem.id)) {
            return Err(problem.message().into());
        }
        for repair in &loaded.repairs {
            if !adds_followups(&source, &tree, repair)? {
                return Err(UNTIDY.into());
            }
        }
        if tree.dialogs.values().any(|dialog| !dialog.queue.is_empty()) {
            return Err(Text::new(
                "a message of yours waits in it: let it be taken up first",
                "其中有你的消息在等待：请先让它得到处理",
            )
            .into());
        }
        let mut facts = TreeFacts::new();
        for id in tree.dialogs.keys() {
            facts.insert(id.clone(), facts_of(&source, &folder_of(root, id))?);
        }
        let (mut lost, mut dialogs) = (Vec::new(), BTreeMap::new());
        let shared = self.shared_copies(&tree, to, &mut lost)?;
        for id in tree.dialogs.keys() {
            let Some(at) = mapping(&tree, &facts, id) else { continue };
            let folder = folder_of(root, id);
            let (files, losses) = changed_files(&source, &folder, to, &at)?;
            let of_dialog = |(loss, count)| Lost { dialog: id.clone(), loss, count };
            lost.extend(losses.into_iter().map(of_dialog));
            dialogs.insert(folder, (id.clone(), files));
        }
        Ok(Plan { source, to, tree, facts, dialogs, shared, lost })
    }
}

const UNTIDY: Text = Text::new(
    "its state files and its courses disagree: start dominds-tui, or the Dominds that wrote it, once, which puts them \
     right",
    "它的状态文件与各程不一致：请先启动一次 dominds-tui 或写入它的 Dominds，使其一致",
);

/// True if a start would add no more than triggers of rounds that are to be followed up: these follow from the courses, and
/// 1.19 has no word for them.
fn adds_followups(
    source: &Source<'_>,
    tree: &DialogTree,
    repair: &TreeChange,
) -> Result<bool, Stop> {
    let TreeChange::Latest { dialog, latest } = repair else { return Ok(false) };
    let file = state_files(source, &folder_of(&tree.root, dialog), v1_29::CALLEES)?.latest;
    let recent = tree.get(dialog).and_then(|dialog| dialog.recent.as_ref());
    let Some((file, recent)) = file.zip(recent) else { return Ok(false) };
    let mut file = v1_29::latest::in_terms_of_1_19(file);
    let course = file.get("currentCourse").and_then(Value::as_u64);
    let of_file = v1_29::latest::take_state(&mut file);
    let known: Vec<_> = of_file.next_step.iter().flat_map(|next| &next.triggers).collect();
    let settled = recent.state.next_step.iter().flat_map(|next| &next.triggers);
    let others = settled.filter(|one| one.kind != TriggerKind::Followup || known.contains(one));
    let only_adds = others.eq(known.iter().copied());
    let next_step = recent.state.next_step.clone();
    let is_same = RecentState { next_step, ..of_file } == recent.state;
    Ok(only_adds && is_same && course == Some(latest.current_course.0.into()))
}

/// The folder of a dialog below that of its tree.
fn folder_of(root: &RootId, id: &SelfId) -> PathBuf {
    if id.as_str() == root.as_str() {
        return PathBuf::new();
    }
    Path::new(SIDE_DIALOGS).join(id.as_str())
}

fn facts_of(source: &Source<'_>, folder: &Path) -> Result<DialogFacts, Stop> {
    let mut facts = DialogFacts::default();
    for (course, below) in source.courses(folder) {
        let path = source.shown(below);
        let failed = |error| StoreError::io(FileAction::Reading, Path::new(&path))(error);
        let mut lines = LineReader::new(source.open(below)?);
        while let Some(line) = lines.next().map_err(failed)? {
            if line.is_truncated() {
                let bytes = line.length;
                return Err(localized!(
                    "{path} has a line of {bytes} bytes",
                    "{path} 中有一行长 {bytes} 字节"
                )
                .into());
            }
            if let Ok(text) = std::str::from_utf8(&line.bytes) {
                facts.add(course, text);
            }
        }
    }
    Ok(facts)
}

/// The files of a dialog that are not copied.
fn changed_files(
    source: &Source<'_>,
    folder: &Path,
    to: domain::Layout,
    at: &Mapping<'_>,
) -> Result<(ChangedFiles, Losses), Stop> {
    let (calls, other_calls) = match to {
        domain::Layout::V1_29 => (v1_29::CALLEES, PENDING),
        domain::Layout::V1_19 => (PENDING, v1_29::CALLEES),
    };
    refuse_unfinished(source, folder)?;
    let before = state_files(source, folder, other_calls)?;
    let reminders = before.reminders.clone();
    let (after, mut losses) = conversion::state_files(before, to, at)?;
    let mut files = ChangedFiles::new();
    let latest = folder.join(LATEST);
    let text = yaml::write(&after.latest)
        .map_err(|error| StoreError::Encode { path: latest, text: error.to_string() })?;
    files.insert(LATEST, Some(text));
    files.insert(other_calls, None);
    files.insert(calls, after.calls.as_ref().map(|value| pretty(folder, value)).transpose()?);
    if let Some(frames) = after.stack {
        let mut text = String::new();
        for frame in frames {
            let line = serde_json::to_string(&frame).map_err(|error| encode(folder, &error))?;
            text.push_str(&line);
            text.push('\n');
        }
        files.insert(STACK, Some(text));
    }
    if let Some(value) = after.reminders.filter(|value| reminders.as_ref() != Some(value)) {
        files.insert(REMINDERS, Some(pretty(folder, &value)?));
    }
    let (answers, has_log) =
        (answers(source, folder)?, source.entries.contains_key(&folder.join(DRIVE_LOG)));
    for (loss, count) in [(Loss::HumanAnswers, answers), (Loss::DriveLog, usize::from(has_log))] {
        if count > 0 {
            losses.insert(loss, count);
        }
    }
    for name in [v1_29::ANSWERS, WAKE_QUEUE, DRIVE_LOG] {
        files.insert(name, None);
    }
    Ok((files, losses))
}

/// Refuses a dialog that generates, by its state.
fn refuse_work(source: &Source<'_>, folder: &Path) -> Result<(), Stop> {
    let text = source.text(&folder.join(LATEST), MAX_STATE_BYTES)?.unwrap_or_default();
    match yaml::parse(&text) {
        Ok(Value::Object(latest)) if conversion::is_at_work(&latest) => Err(AT_WORK.into()),
        Ok(_) | Err(_) => Ok(()),
    }
}

const AT_WORK: Text = Text::new(
    "a generation is at work in it, or was cut off: let it end, or start once the program that wrote it",
    "其中有生成正在进行或被中断：请等它结束，或先启动一次写入它的程序",
);

fn pretty(folder: &Path, value: &impl Serialize) -> Result<String, Stop> {
    Ok(serde_json::to_string_pretty(value).map_err(|error| encode(folder, &error))?)
}

/// What a dialog told a person, and nobody has acknowledged.
fn answers(source: &Source<'_>, folder: &Path) -> Result<usize, Stop> {
    let text = source.text(&folder.join(v1_29::ANSWERS), MAX_STATE_BYTES)?;
    let Some(text) = text else { return Ok(0) };
    Ok(v1_29::answers::answers(&text)?.0.len())
}

/// A copy that was about to be moved to its place counts while there is nothing in that place.
fn refuse_unfinished(source: &Source<'_>, folder: &Path) -> Result<(), Stop> {
    for (name, path) in source.children(folder) {
        let Some(rest) = unfinished(name) else { continue };
        let mut names = source.children(folder).map(|(name, _)| name);
        if !names.any(|name| rest.strip_prefix(name).is_some_and(|rest| rest.starts_with('.'))) {
            let shown = source.shown(path);
            return Err(localized!(
                "{shown} was not finished: start once the program that wrote it",
                "{shown} 尚未写完：请先启动一次写入它的程序"
            )
            .into());
        }
    }
    Ok(())
}

/// The name of a file that is being written, without its mark.
pub(super) fn unfinished(name: &str) -> Option<&str> {
    name.strip_prefix('.')?.strip_suffix(".tmp")
}

fn state_files(source: &Source<'_>, folder: &Path, calls: &str) -> Result<StateFiles, Stop> {
    let text = |name: &str| source.text(&folder.join(name), MAX_STATE_BYTES);
    let unreadable = |name: &str| {
        let shown = source.shown(&folder.join(name));
        Stop::from(localized!("{shown} cannot be read", "无法读取 {shown}"))
    };
    let of_yaml = |name: &str| -> Result<Option<Value>, Stop> {
        let read = text(name)?.map(|text| yaml::parse(&text).map_err(|_| unreadable(name)));
        read.transpose()
    };
    let of_json = |name: &str| -> Result<Option<Value>, Stop> {
        let read = text(name)?.map(|text| json::read(&text).map_err(|_| unreadable(name)));
        read.transpose()
    };
    let latest = match of_yaml(LATEST)? {
        None => None,
        Some(Value::Object(map)) => Some(map),
        Some(_) => return Err(unreadable(LATEST)),
    };
    let lines = text(STACK)?;
    let frames: Option<Result<Vec<Keys>, Stop>> = lines.map(|text| {
        let lines = text.lines().filter(|line| !line.trim().is_empty());
        lines.map(|line| json::read::<Keys>(line).map_err(|_| unreadable(STACK))).collect()
    });
    Ok(StateFiles {
        latest,
        questions: of_yaml(QUESTIONS)?,
        calls: of_json(calls)?,
        stack: frames.transpose()?,
        reminders: of_json(REMINDERS)?,
    })
}
