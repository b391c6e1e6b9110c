//! Every path below `.dialogs`, and nothing else. No I/O.

use std::path::{Path, PathBuf};

use crate::domain::dialogs::tree::Bucket;
use crate::domain::{self, Course, DialogId, RootId};

pub(in crate::store) const DIALOG: &str = "dialog.yaml";
pub(in crate::store) const LATEST: &str = "latest.yaml";
pub(in crate::store) const REMINDERS: &str = "reminders.json";
pub(in crate::store) const QUESTIONS: &str = "q4h.yaml";
pub(in crate::store) const PENDING: &str = "pending-sideDialogs.json";
pub(in crate::store) const REGISTRY: &str = "registry.yaml";
pub(in crate::store) const STACK: &str = "asker-stack.jsonl";
/// Written by forks only; never read to decide anything.
pub(in crate::store) const RESPONSES: [&str; 2] =
    ["sideDialog-responses.json", "sideDialog-responses.processing.json"];
pub(in crate::store) const SIDE_DIALOGS: &str = "sideDialogs";
/// Folders of a dialog that hold no dialogs.
pub(in crate::store) const ARTIFACTS: &str = "artifacts";

/// The places of one workspace.
#[derive(Debug, Clone)]
pub(in crate::store) struct Layout {
    workspace: PathBuf,
}

impl Layout {
    pub fn new(workspace: &Path) -> Self {
        Self { workspace: workspace.to_owned() }
    }

    pub fn dialogs(&self) -> PathBuf {
        self.workspace.join(".dialogs")
    }

    pub fn bucket(&self, bucket: Bucket) -> PathBuf {
        self.dialogs().join(bucket.folder())
    }

    pub fn root(&self, bucket: Bucket, root: &RootId) -> PathBuf {
        self.bucket(bucket).join(root.as_str())
    }

    pub fn dialog(&self, bucket: Bucket, dialog: &DialogId) -> PathBuf {
        let root = self.root(bucket, &dialog.root);
        if dialog.is_main() { root } else { root.join(SIDE_DIALOGS).join(dialog.this.as_str()) }
    }

    pub fn malformed(&self) -> PathBuf {
        self.dialogs().join("malformed")
    }

    /// Reminders shared by all dialogs of a member.
    pub fn personal(&self, agent: &str) -> PathBuf {
        self.reminders().join(agent)
    }

    /// Reminders shared by all dialogs of a member, in the layout of Dominds 1.29.
    pub fn of_agent(&self, agent: &str) -> PathBuf {
        self.reminders().join("agents").join(agent)
    }

    /// Reminders shared by its dialogs about one Taskdoc, in that layout. `task`: the name for the Taskdoc.
    pub fn of_task(&self, agent: &str, task: &str) -> PathBuf {
        self.reminders().join("agent_tasks").join(agent).join(task)
    }

    pub fn reminders(&self) -> PathBuf {
        self.dialogs().join("reminders")
    }

    /// What this program keeps for itself. Without it no conversation is lost.
    pub fn own_folder(&self) -> PathBuf {
        self.dialogs().join(".tui")
    }

    pub fn lock(&self) -> PathBuf {
        self.own_folder().join("lock")
    }

    /// What lists remember of folders, see `folder_cache.rs`.
    pub fn list_index(&self) -> PathBuf {
        self.own_folder().join("list.index")
    }

    /// What lists remember of trees, see `tree_index.rs`.
    pub fn tree_index(&self) -> PathBuf {
        self.own_folder().join("trees.index")
    }

    /// Copies of images that drafts name.
    pub fn kept_images(&self) -> PathBuf {
        self.own_folder().join("images")
    }

    pub fn drafts(&self) -> PathBuf {
        self.own_folder().join("drafts.json")
    }

    /// How far changes were reviewed.
    pub fn reviewed(&self) -> PathBuf {
        self.own_folder().join("reviewed.json")
    }

    /// How far a person has looked at the dialogs.
    pub fn seen_marks_file(&self) -> PathBuf {
        self.own_folder().join("looked.txt")
    }

    /// The titles that a person gave to dialogs.
    pub fn titles(&self) -> PathBuf {
        self.own_folder().join("titles.json")
    }

    pub fn salvage(&self) -> PathBuf {
        self.own_folder().join("salvage")
    }

    /// Trees that are being deleted.
    pub fn trash(&self) -> PathBuf {
        self.own_folder().join("trash")
    }

    /// The tree that is being made.
    pub fn staging(&self) -> PathBuf {
        self.own_folder().join("staging")
    }

    /// Converted trees that are about to take the place of others, in a folder for each bucket.
    pub fn converting(&self, to: domain::Layout) -> PathBuf {
        self.own_folder().join("converting").join(to.name())
    }

    /// Trees as they were before they were converted.
    pub fn converted(&self) -> PathBuf {
        self.own_folder().join("converted")
    }

    pub fn quarantine_log(&self) -> PathBuf {
        self.own_folder().join("quarantine.jsonl")
    }

    pub fn all_queues(&self) -> PathBuf {
        self.own_folder().join("queue")
    }

    pub fn queues(&self, root: &RootId) -> PathBuf {
        self.all_queues().join(flat_name(root.as_str()))
    }

    pub fn queue(&self, dialog: &DialogId) -> PathBuf {
        self.queues(&dialog.root).join(format!("{}.json", flat_name(dialog.this.as_str())))
    }

    pub fn all_answers(&self) -> PathBuf {
        self.own_folder().join("answers")
    }

    /// Answers to parts of open questions.
    pub fn answers_below(&self, root: &RootId) -> PathBuf {
        self.all_answers().join(flat_name(root.as_str()))
    }

    pub fn answers(&self, dialog: &DialogId) -> PathBuf {
        self.answers_below(&dialog.root).join(format!("{}.json", flat_name(dialog.this.as_str())))
    }

    /// What clients sent and were replied.
    pub fn sessions(&self) -> PathBuf {
        self.own_folder().join("sessions.jsonl")
    }

    pub fn all_spools(&self) -> PathBuf {
        self.own_folder().join("spool")
    }

    pub fn spools(&self, root: &RootId) -> PathBuf {
        self.all_spools().join(flat_name(root.as_str()))
    }

    /// The text of the answer that a dialog is receiving.
    pub fn spool(&self, dialog: &DialogId) -> PathBuf {
        self.spools(&dialog.root).join(format!("{}.part", flat_name(dialog.this.as_str())))
    }

    /// The path as people see it: relative to the workspace.
    pub fn display_path(&self, path: &Path) -> String {
        let relative = path.strip_prefix(&self.workspace).unwrap_or(path);
        relative.to_string_lossy().into_owned()
    }
}

/// An id as one file name; different ids never meet.
pub(in crate::store) fn flat_name(id: &str) -> String {
    id.replace('%', "%25").replace('-', "%2d").replace('/', "-")
}

pub(in crate::store) fn course_file(course: Course) -> String {
    format!("course-{:03}.jsonl", course.0)
}

pub(in crate::store) fn parse_course_file(name: &str) -> Option<Course> {
    let digits = name.strip_prefix("course-")?.strip_suffix(".jsonl")?;
    let course = Course(digits.parse().ok()?);
    (course >= Course::FIRST && course_file(course) == name).then_some(course)
}

/// True if `text` may name a file or folder of ours directly: one part, printable, not hidden.
pub(in crate::store) fn is_plain_name(text: &str) -> bool {
    !text.is_empty()
        && text.len() <= 200
        && !text.starts_with('.')
        && !text.contains(['/', '\\'])
        && !text.chars().any(char::is_control)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::SelfId;

    #[test]
    fn side_dialogs_lie_flat_below_their_root() {
        let layout = Layout::new(Path::new("/w"));
        let root = RootId::new("aa/bb/01");
        let side = DialogId::side(&root, &SelfId::new("cc/dd/02"));
        assert_eq!(
            layout.dialog(Bucket::Done, &side),
            Path::new("/w/.dialogs/done/aa/bb/01/sideDialogs/cc/dd/02")
        );
        assert_eq!(layout.display_path(&layout.root(Bucket::Run, &root)), ".dialogs/run/aa/bb/01");
    }

    #[test]
    fn course_files_are_recognised_by_their_exact_name() {
        for (name, expected) in [
            ("course-001.jsonl", Some(Course(1))),
            ("course-1000.jsonl", Some(Course(1000))),
            ("course-1.jsonl", None),
            ("course-000.jsonl", None),
            ("course-001.yaml", None),
            ("course-99999999999.jsonl", None),
        ] {
            assert_eq!(parse_course_file(name), expected, "{name}");
        }
    }

    #[test]
    fn flat_names_of_different_ids_never_meet() {
        assert_ne!(flat_name("a-b/c"), flat_name("a/b-c"));
        assert_ne!(flat_name("a%2db"), flat_name("a-b"));
        assert_eq!(flat_name("aa/bb/01"), "aa-bb-01");
    }
}
