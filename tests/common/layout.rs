//! The requirements of Dominds 1.19.2 for the files below `.dialogs`, found by running it on changed ones
//! (docs/on-disk.md). Reads the files without our store: the program's output is compared with what Dominds
//! needs, not with what our own reader accepts. Trees in the layout of Dominds 1.29 are left out.

use std::collections::BTreeSet;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Map, Value};

use super::files::files_below;
use super::layout_values::{
    Field, fits, is_asking, is_assignment, is_call_site, is_call_type, is_course_start,
    is_deferred_reply, is_directive, is_display_state, is_fresh_boots_state, is_marker, is_one,
    is_positive, is_status, is_text, mentions_fit, text,
};

/// The folders in which a main dialog can be.
const BUCKETS: [&str; 3] = ["run", "done", "archive"];
const SIDE_DIALOGS: &str = "sideDialogs";
const IDENTITY: &str = "dialog.yaml";

/// Fails unless Dominds would list, open and show each dialog of a workspace.
pub fn assert_opens_in_dominds(workspace: &Path) {
    let refused = refused_by_dominds(workspace);
    assert!(refused.is_empty(), "Dominds 1.19.2 would refuse:\n{}", refused.join("\n"));
}

/// Checks a workspace when its test has passed: whatever happened to it, Dominds has to open the result.
///
/// Has to be before the checked folder in a struct, since fields are dropped in their order.
pub struct EndCheck {
    workspace: PathBuf,
    is_left_out: AtomicBool,
}

impl EndCheck {
    pub fn of(workspace: PathBuf) -> Self {
        Self { workspace, is_left_out: AtomicBool::new(false) }
    }

    pub fn leave_out(&self) {
        self.is_left_out.store(true, Ordering::SeqCst);
    }
}

impl Drop for EndCheck {
    fn drop(&mut self) {
        if !std::thread::panicking() && !self.is_left_out.load(Ordering::SeqCst) {
            assert_opens_in_dominds(&self.workspace);
        }
    }
}

/// The folders of shared reminders in the layout of Dominds 1.29, below that of all.
const RECENT_REMINDERS: [&str; 2] = ["agents", "agent_tasks"];

/// Returns why Dominds would not open the files, with the file of each reason; nothing if it would.
pub fn refused_by_dominds(workspace: &Path) -> Vec<String> {
    let top = workspace.join(".dialogs");
    let mut reader = Reader { refused: Vec::new(), top: top.clone() };
    for bucket in BUCKETS {
        let bucket = top.join(bucket);
        for folder in main_folders(&bucket).iter().filter(|folder| !is_recent(folder)) {
            reader.tree(&bucket, folder);
        }
    }
    let reminders = top.join("reminders");
    for file in files_below(&reminders) {
        let is_recent = RECENT_REMINDERS.iter().any(|name| file.starts_with(reminders.join(name)));
        if !is_recent && file.extension() == Some("json".as_ref()) {
            reader.shared_reminder(&file);
        }
    }
    reader.refused
}

/// True for the folder of a main dialog in the layout of Dominds 1.29.
fn is_recent(folder: &Path) -> bool {
    let latest = fs::read_to_string(folder.join("latest.yaml")).unwrap_or_default();
    latest.lines().any(|line| line.starts_with("tellaskCalls:"))
}

/// Returns the folders of main dialogs: those with a dialog's files that are in no other such folder.
fn main_folders(folder: &Path) -> Vec<PathBuf> {
    let states = [IDENTITY, "latest.yaml"];
    if states.iter().any(|state| folder.join(state).is_file()) || !courses_in(folder).is_empty() {
        return vec![folder.to_owned()];
    }
    folders_in(folder).iter().flat_map(|below| main_folders(below)).collect()
}

fn folders_in(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).filter(|path| path.is_dir()).collect()
}

/// The path of a dialog's folder below another one, which is its id.
fn id_of(base: &Path, folder: &Path) -> String {
    folder.strip_prefix(base).unwrap_or(folder).to_string_lossy().into_owned()
}

fn courses_in(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).filter(|path| is_course(path)).collect()
}

fn is_course(file: &Path) -> bool {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    name.starts_with("course-") && name.ends_with(".jsonl")
}

/// The facts about one dialog that other files have to agree with.
struct Known {
    id: String,
    agent: String,
    slug: Option<String>,
}

struct Reader {
    refused: Vec<String>,
    top: PathBuf,
}

impl Reader {
    fn refuse(&mut self, file: &Path, why: &str) {
        let file = file.strip_prefix(&self.top).unwrap_or(file).display();
        self.refused.push(format!("{file}: {why}"));
    }

    fn tree(&mut self, bucket: &Path, folder: &Path) {
        let id = id_of(bucket, folder);
        let sides = folder.join(SIDE_DIALOGS);
        let mut known = Vec::from_iter(self.dialog(folder, &id, true));
        for side in main_folders(&sides) {
            known.extend(self.dialog(&side, &id_of(&sides, &side), false));
        }
        let ids: BTreeSet<&str> = known.iter().map(|one| one.id.as_str()).collect();
        for one in &known {
            let is_main = one.id == id;
            let folder = if is_main { folder.to_owned() } else { sides.join(&one.id) };
            self.asker_stack(&folder, is_main, &ids);
        }
        self.registry(&folder.join("registry.yaml"), &known);
        for file in files_below(folder) {
            let is_identity = file.file_name() == Some(IDENTITY.as_ref());
            let own = file.parent().is_some_and(|parent| {
                parent == folder || known.iter().any(|one| sides.join(&one.id) == parent)
            });
            if is_identity && !own {
                self.refuse(&file, "an identity in a folder that is no dialog's");
            }
        }
    }

    fn dialog(&mut self, folder: &Path, id: &str, is_main: bool) -> Option<Known> {
        self.latest(&folder.join("latest.yaml"));
        self.questions(&folder.join("q4h.yaml"));
        self.pending(&folder.join("pending-sideDialogs.json"));
        if let Some(read) = self.object(&folder.join("reminders.json")) {
            let path = folder.join("reminders.json");
            self.need(&path, &read, &[("updatedAt", is_text)]);
            for reminder in self.list_in(&path, &read, "reminders") {
                self.reminder(&path, &reminder);
            }
        }
        for name in ["sideDialog-responses.json", "sideDialog-responses.processing.json"] {
            if let Some(read) = self.value(&folder.join(name)) {
                self.all_objects(&folder.join(name), &read);
            }
        }
        self.courses(folder);
        self.identity(folder, id, is_main)
    }

    fn identity(&mut self, folder: &Path, id: &str, is_main: bool) -> Option<Known> {
        let path = &folder.join(IDENTITY);
        let Some(read) = self.object(path) else {
            // A dialog that was being created when the program ended is not listed and not missed.
            if files_below(folder).iter().any(|file| is_course(file)) {
                self.refuse(path, "a dialog with records has no identity");
            }
            return None;
        };
        let needed: &[Field] = &[
            ("id", is_text),
            ("agentId", is_text),
            ("taskDocPath", is_text),
            ("createdAt", is_text),
        ];
        self.need(path, &read, needed);
        self.may(path, &read, &[("sessionSlug", is_text), ("priming", Value::is_object)]);
        let foreign: &[&str] = if is_main {
            &["askerDialogId", "assignmentFromAsker", "sessionSlug"]
        } else {
            &["askerDialogId", "assignmentFromAsker", "priming"]
        };
        for key in foreign.iter().filter(|key| read.contains_key(**key)) {
            self.refuse(path, &format!("{key} does not belong there"));
        }
        if text(&read, "id") != id {
            self.refuse(path, "the id is not the path");
        }
        let slug = read.get("sessionSlug").and_then(Value::as_str).map(str::to_owned);
        Some(Known { id: id.to_owned(), agent: text(&read, "agentId").to_owned(), slug })
    }

    fn latest(&mut self, path: &Path) {
        let Some(read) = self.object(path) else { return };
        self.need(
            path,
            &read,
            &[
                ("currentCourse", Value::is_number),
                ("lastModified", is_text),
                ("status", is_status),
            ],
        );
        self.may(
            path,
            &read,
            &[
                ("messageCount", Value::is_number),
                ("functionCallCount", Value::is_number),
                ("sideDialogCount", Value::is_number),
                ("generating", Value::is_boolean),
                ("needsDrive", Value::is_boolean),
                ("displayState", is_display_state),
                ("executionMarker", is_marker),
                ("fbrState", is_fresh_boots_state),
                ("deferredReplyReassertion", is_deferred_reply),
                ("pendingCourseStartPrompt", is_course_start),
                ("disableDiligencePush", Value::is_boolean),
                ("diligencePushRemainingBudget", Value::is_number),
            ],
        );
    }

    fn questions(&mut self, path: &Path) {
        let Some(read) = self.object(path) else { return };
        self.need(path, &read, &[("updatedAt", is_text)]);
        for question in self.list_in(path, &read, "questions") {
            self.need(
                path,
                &question,
                &[
                    ("id", is_text),
                    ("tellaskContent", is_text),
                    ("askedAt", is_text),
                    ("callId", is_text),
                    ("callSiteRef", is_call_site),
                ],
            );
        }
    }

    fn pending(&mut self, path: &Path) {
        let Some(read) = self.value(path) else { return };
        let mut sessions = BTreeSet::new();
        for one in self.all_objects(path, &read) {
            self.need(
                path,
                &one,
                &[
                    ("sideDialogId", is_text),
                    ("createdAt", is_text),
                    ("callName", is_asking),
                    ("tellaskContent", is_text),
                    ("targetAgentId", is_text),
                    ("callId", is_text),
                    ("callSiteCourse", is_positive),
                    ("callSiteGenseq", is_positive),
                    ("callType", is_call_type),
                ],
            );
            self.may(path, &one, &[("sessionSlug", is_text)]);
            if !mentions_fit(&one) {
                self.refuse(path, "the mentions do not fit the call");
            }
            let session =
                (text(&one, "targetAgentId").to_owned(), text(&one, "sessionSlug").to_owned());
            if text(&one, "callType") == "B" && !sessions.insert(session) {
                self.refuse(path, "two calls of one session");
            }
        }
    }

    fn reminder(&mut self, path: &Path, reminder: &Map<String, Value>) {
        self.need(
            path,
            reminder,
            &[
                ("id", is_text),
                ("content", is_text),
                ("createdAt", is_text),
                ("priority", |value| is_one(value, &["high", "medium", "low"])),
            ],
        );
        self.may(
            path,
            reminder,
            &[
                ("ownerName", is_text),
                ("echoback", Value::is_boolean),
                ("scope", |value| is_one(value, &["dialog", "personal", "agent_shared"])),
                ("renderMode", |value| is_one(value, &["plain", "markdown"])),
            ],
        );
    }

    fn shared_reminder(&mut self, path: &Path) {
        let Some(read) = self.object(path) else { return };
        self.reminder(path, &read);
        if path.file_stem() != Some(text(&read, "id").as_ref()) {
            self.refuse(path, "the id is not the name of the file");
        }
    }

    fn registry(&mut self, path: &Path, known: &[Known]) {
        let Some(read) = self.object(path) else { return };
        for entry in self.list_in(path, &read, "entries") {
            self.need(
                path,
                &entry,
                &[("key", is_text), ("sideDialogId", is_text), ("agentId", is_text)],
            );
            let target = known.iter().find(|one| one.id == text(&entry, "sideDialogId"));
            let slug = entry.get("sessionSlug").and_then(Value::as_str);
            if !target.is_some_and(|one| {
                one.agent == text(&entry, "agentId") && one.slug.as_deref() == slug
            }) {
                self.refuse(path, &format!("no such side dialog: {}", Value::Object(entry)));
            }
        }
    }

    fn asker_stack(&mut self, folder: &Path, is_main: bool, ids: &BTreeSet<&str>) {
        let path = folder.join("asker-stack.jsonl");
        let read = self.text(&path).unwrap_or_default();
        let mut is_assigned = is_main;
        for line in read.lines() {
            let Ok(Value::Object(frame)) = serde_json::from_str(line) else {
                self.refuse(&path, &format!("not a frame: {line}"));
                continue;
            };
            let kind = |value: &Value| is_one(value, &["asker_dialog_stack_frame"]);
            self.need(&path, &frame, &[("kind", kind), ("askerDialogId", is_text)]);
            self.may(&path, &frame, &[("tellaskReplyObligation", is_directive)]);
            let asker = text(&frame, "askerDialogId");
            if !ids.contains(asker) {
                self.refuse(&path, &format!("there is no asker {asker}"));
            }
            if let Some(assignment) = frame.get("assignmentFromAsker") {
                is_assigned = true;
                if !is_assignment(assignment) || assignment["askerDialogId"] != *asker {
                    self.refuse(&path, &format!("not an assignment of {asker}: {assignment}"));
                }
            }
            if let Some(owed) = frame.get("tellaskReplyObligation") {
                let assignment = frame.get("assignmentFromAsker");
                if owed["targetDialogId"] != *asker || !assignment.is_none_or(|of| fits(owed, of)) {
                    self.refuse(
                        &path,
                        &format!("what is owed does not fit what was asked: {line}"),
                    );
                }
            }
        }
        if !is_assigned {
            self.refuse(&path, "nobody has asked this side dialog");
        }
    }

    /// Records, and each call and each result once over all courses.
    fn courses(&mut self, folder: &Path) {
        let mut seen = BTreeSet::new();
        for path in courses_in(folder) {
            let Some(read) = self.bytes(&path) else { continue };
            // An interrupted append can leave half a character.
            let read = String::from_utf8_lossy(&read);
            // The rest of an interrupted append is ignored.
            let whole = read.rfind('\n').map_or("", |end| &read[..end]);
            for line in whole.lines().filter(|line| !line.trim().is_empty()) {
                let Ok(Value::Object(record)) = serde_json::from_str(line) else {
                    self.refuse(&path, &format!("not a record: {line}"));
                    continue;
                };
                self.record(&path, &record);
                let id = ["id", "callId"].map(|key| text(&record, key)).concat();
                let once = match text(&record, "type") {
                    "func_call_record" | "tellask_call_record" => format!("call {id}"),
                    "func_result_record" => format!("result {id}"),
                    "tellask_result_record" => format!("reply {id}"),
                    _ => continue,
                };
                if !seen.insert(once.clone()) {
                    self.refuse(&path, &format!("a second {once}"));
                }
            }
        }
    }

    fn record(&mut self, path: &Path, record: &Map<String, Value>) {
        self.need(path, record, &[("type", is_text)]);
        let needed: &[Field] = match text(record, "type") {
            "tellask_result_record" => &[
                ("callId", is_text),
                ("callName", is_text),
                ("status", |value| is_one(value, &["pending", "completed", "failed"])),
                ("content", is_text),
                ("call", Value::is_object),
                ("responder", Value::is_object),
            ],
            "func_call_record" | "tellask_call_record" => {
                &[("id", is_text), ("name", is_text), ("rawArgumentsText", is_text)]
            }
            "func_result_record" => &[("id", is_text), ("name", is_text), ("content", is_text)],
            "human_text_record" => &[("msgId", is_text), ("content", is_text), ("origin", is_text)],
            _ => &[],
        };
        self.need(path, record, needed);
    }

    /// Returns the content of a YAML or JSON file; nothing if there is no such file.
    fn value(&mut self, path: &Path) -> Option<Value> {
        let text = self.text(path)?;
        let read = if path.extension() == Some("json".as_ref()) {
            serde_json::from_str(&text).map_err(|error| error.to_string())
        } else {
            serde_yaml::from_str(&text).map_err(|error| error.to_string())
        };
        read.map_err(|error| self.refuse(path, &error)).ok()
    }

    /// Returns the text of a file; nothing if there is none, or it is not text, which is refused.
    fn text(&mut self, path: &Path) -> Option<String> {
        let read = String::from_utf8(self.bytes(path)?);
        read.map_err(|error| self.refuse(path, &error.to_string())).ok()
    }

    fn bytes(&mut self, path: &Path) -> Option<Vec<u8>> {
        match fs::read(path) {
            Ok(read) => Some(read),
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(error) => {
                self.refuse(path, &error.to_string());
                None
            }
        }
    }

    fn object(&mut self, path: &Path) -> Option<Map<String, Value>> {
        match self.value(path)? {
            Value::Object(object) => Some(object),
            other => {
                self.refuse(path, &format!("not an object: {other}"));
                None
            }
        }
    }

    fn list_in(
        &mut self,
        path: &Path,
        object: &Map<String, Value>,
        key: &str,
    ) -> Vec<Map<String, Value>> {
        self.all_objects(path, object.get(key).unwrap_or(&Value::Null))
    }

    fn all_objects(&mut self, path: &Path, list: &Value) -> Vec<Map<String, Value>> {
        let all = list.as_array().map(|list| list.iter().map(|one| one.as_object().cloned()));
        all.and_then(Iterator::collect).unwrap_or_else(|| {
            self.refuse(path, &format!("not a list of objects: {list}"));
            Vec::new()
        })
    }

    fn need(&mut self, path: &Path, object: &Map<String, Value>, fields: &[Field]) {
        for (key, _) in fields.iter().filter(|(key, _)| !object.contains_key(*key)) {
            self.refuse(path, &format!("no {key}"));
        }
        self.may(path, object, fields);
    }

    fn may(&mut self, path: &Path, object: &Map<String, Value>, fields: &[Field]) {
        for (key, is_right) in fields {
            if let Some(value) = object.get(*key).filter(|value| !is_right(value)) {
                self.refuse(path, &format!("{key} cannot be {value}"));
            }
        }
    }
}
