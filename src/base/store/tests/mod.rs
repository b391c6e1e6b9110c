//! The store as a whole: round trips, recordings of Dominds, damage, crashes.

mod artifacts;
mod conversion;
mod crash;
mod damage;
mod foreign;
mod kept_images;
mod listing;
mod moves;
mod recent;
mod recent_steps;
mod recent_writing;
mod recordings;
mod round_trip;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{Access, Committed, Disk, RealDisk, Store, StoreError, StoreOptions, SyncLevel};
use crate::domain::dialogs::assignment::AssignmentFrame;
use crate::domain::dialogs::tree::{Batch, Bucket, TreeChange};
use crate::domain::{
    Assignment, Course, DialogMeta, Entry, Latest, Pending, RootId, SelfId, Slug, Stamp,
};
use crate::samples::Shows;

pub(super) const ROOT: &str = "aa/bb/00000001";
pub(super) const SIDE: &str = "cc/dd/00000002";

const CLOCK: Shows = Shows("2026-11-21 12:00:00");

/// A workspace in a folder of its own.
struct Workspace {
    dir: tempfile::TempDir,
}

impl Workspace {
    fn new() -> Self {
        Self { dir: tempfile::tempdir().unwrap() }
    }

    fn path(&self) -> &Path {
        self.dir.path()
    }

    fn at(&self, below: &str) -> PathBuf {
        self.path().join(".dialogs").join(below)
    }

    fn of_root(&self, name: &str) -> PathBuf {
        self.at("run").join(ROOT).join(name)
    }

    fn open(&self) -> Store {
        self.open_on(Arc::new(RealDisk)).unwrap()
    }

    /// New trees are in the layout of Dominds 1.19.2, whose files are written out in these tests.
    fn open_on(&self, disk: Arc<dyn Disk>) -> Result<Store, StoreError> {
        let options = StoreOptions { sync: SyncLevel::Normal, disk, clock: Arc::new(CLOCK) };
        let store = Store::open(self.path(), Access::ReadWrite, options)?;
        Ok(store.with_new_trees_in(Some(crate::domain::Layout::V1_19)))
    }

    fn view(&self) -> Store {
        let options = StoreOptions::new(Arc::new(CLOCK));
        Store::open(self.path(), Access::ReadOnly, options).unwrap()
    }
}

fn root() -> RootId {
    RootId::new(ROOT)
}

fn main_id() -> SelfId {
    root().main()
}

fn side_id() -> SelfId {
    SelfId::new(SIDE)
}

fn batch(changes: Vec<TreeChange>) -> Batch {
    Batch { root: root(), changes, durable: true }
}

fn commit(store: &Store, changes: Vec<TreeChange>) -> Result<Committed, StoreError> {
    store.commit(batch(changes))?.sync()
}

fn meta(id: &SelfId, agent: &str, slug: Option<&str>) -> Box<DialogMeta> {
    Box::new(DialogMeta {
        id: id.clone(),
        agent_id: agent.into(),
        task_doc_path: "task.tsk".to_owned(),
        created_at: Stamp::new("2026-11-21 11:00:00"),
        session_slug: slug.map(Slug::new),
        extra: serde_json::Map::new(),
    })
}

fn latest() -> Box<Latest> {
    Box::new(Latest::new(Stamp::new("2026-11-21 11:00:00")))
}

fn create_main() -> TreeChange {
    TreeChange::Create { meta: meta(&main_id(), "lead", None), latest: latest(), stack: Vec::new() }
}

fn append(dialog: &SelfId, lines: &[&str]) -> TreeChange {
    TreeChange::Append {
        dialog: dialog.clone(),
        course: Course::FIRST,
        entries: lines.iter().map(|line| Arc::new(Entry::parse(line).unwrap())).collect(),
    }
}

fn say(id: &str) -> String {
    format!(
        r#"{{"ts":"t","type":"human_text_record","genseq":1,"content":"words of {id}","msgId":"{id}","grammar":"markdown","origin":"user"}}"#
    )
}

const START: &str = r#"{"ts":"t","type":"gen_start_record","genseq":1}"#;
const FINISH: &str = r#"{"ts":"t","type":"gen_finish_record","genseq":1}"#;
const ASK: &str = r#"{"ts":"t1","type":"tellask_call_record","genseq":1,"id":"q","name":"askHuman","rawArgumentsText":"{\"tellaskContent\":\"Which db?\"}","deliveryMode":"tellask_call_start"}"#;
const ANSWER: &str = r#"{"ts":"t","type":"tellask_result_record","callId":"q","callName":"askHuman","status":"completed","content":"postgres","responder":{"responderId":"human"},"call":{"tellaskContent":"Which db?"}}"#;
const TELLASK: &str = r#"{"ts":"t2","type":"tellask_call_record","genseq":1,"id":"s","name":"tellask","rawArgumentsText":"{\"targetAgentId\":\"dev\",\"sessionSlug\":\"main\",\"tellaskContent\":\"Do it.\"}","deliveryMode":"tellask_call_start"}"#;
const REPLY: &str = r#"{"ts":"t","type":"tellask_result_record","callId":"s","callName":"tellask","status":"completed","content":"done","responder":{"responderId":"dev"},"call":{"tellaskContent":"Do it."}}"#;

fn assignment() -> Assignment {
    Assignment {
        call_name: "tellask".to_owned(),
        mention_list: Some(vec!["@dev".to_owned()]),
        tellask_content: "Do it.".to_owned(),
        origin_member_id: "lead".into(),
        asker_dialog_id: main_id(),
        call_id: "s".into(),
        collective_targets: Some(vec!["dev".into()]),
        effective_fbr_effort: None,
        extra: serde_json::Map::new(),
    }
}

fn create_side() -> TreeChange {
    TreeChange::Create {
        meta: meta(&side_id(), "dev", Some("main")),
        latest: latest(),
        stack: vec![AssignmentFrame::owing(assignment(), "replyTellask")],
    }
}

fn waiting() -> Pending {
    Pending {
        side_dialog_id: side_id(),
        created_at: Stamp::new("t2"),
        call_name: "tellask".to_owned(),
        mention_list: Some(vec!["@dev".to_owned()]),
        tellask_content: "Do it.".to_owned(),
        target_agent_id: "dev".into(),
        call_id: "s".into(),
        call_site_course: Course::FIRST,
        call_site_genseq: crate::domain::Genseq(1),
        call_type: crate::domain::CallType::B,
        session_slug: Some(Slug::new("main")),
        extra: serde_json::Map::new(),
    }
}

/// Every path below a folder, with the bytes of files.
fn contents(folder: &Path) -> Vec<(PathBuf, Option<Vec<u8>>)> {
    let mut found = Vec::new();
    let Ok(entries) = fs::read_dir(folder) else {
        return found;
    };
    for entry in entries {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.push((path.clone(), None));
            found.extend(contents(&path));
        } else {
            found.push((path.clone(), fs::read(&path).ok()));
        }
    }
    found.sort_unstable();
    found
}

fn run() -> Bucket {
    Bucket::Run
}
