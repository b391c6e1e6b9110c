//! The demo: a workspace, a team and its script, embedded in the program. Only the model is
//! scripted; driver, store and screens are real.
//!
//! Existing files are never overwritten, and only a folder created by [`DemoWorkspace::scratch`] is removed.

use std::fs::{self, DirBuilder};
use std::io::{self, ErrorKind};
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

use crate::domain::text::Text;
use crate::domain::{AgentId, Lang};
use crate::guard::set_up;
use crate::llm::Script;
use crate::protocol::command::{Command, Ticket};
use crate::yaml::{self, YamlError};

/// `(path, text)` of files of a demo workspace.
macro_rules! embedded {
    ($folder:literal: $($path:literal),+ $(,)?) => {
        &[$(($path, include_str!(concat!("../../.minds/demo/", $folder, "/", $path)))),+]
    };
}

/// The story of a demo: a workspace, the words and actions of its members, its beginning and its end.
#[derive(Debug)]
pub struct Story {
    /// `(path, text)`; paths are relative to the workspace. The first line of the first one identifies the workspace.
    files: &'static [(&'static str, &'static str)],
    script: &'static str,
    first_message: &'static str,
    /// The member that gets the first message.
    pub lead: &'static str,
    pub taskdoc: &'static str,
    /// The text at the end about what was shown.
    seen: Text,
}

/// Members that ask each other and the person.
pub const DIALOGS: Story = Story {
    files: embedded!(
        "workspace":
        ".minds/llm.yaml",
        ".minds/team.yaml",
        ".minds/env.md",
        ".minds/team/orchestrator/persona.md",
        ".minds/team/researcher/persona.md",
        ".minds/team/dba/persona.md",
        ".minds/team/reviewer/persona.md",
        "add-2fa.tsk/goals.md",
        "add-2fa.tsk/constraints.md",
        "add-2fa.tsk/progress.md",
        "README.md",
        "src/login.rs",
        "src/session.rs",
        "migrations/0007_users.sql",
        "notes/libraries.md",
        "notes/production.md",
        "notes/restore.md",
        "notes/storage.md",
    ),
    script: include_str!("../../.minds/demo/script.yaml"),
    first_message: include_str!("../../.minds/demo/first-message.md"),
    lead: "orchestrator",
    taskdoc: "add-2fa.tsk",
    seen: Text::new(
        "The demo is over: four dialogs shared one task, two asked you, the plan is in notes/two-factor-plan.md.",
        "演示结束：四个对话共同完成了一项任务，其中两个向你提问，计划写在 notes/two-factor-plan.md 里。",
    ),
};

/// Teams that are made, given work, asked, and watched over.
pub const TEAMS: Story = Story {
    files: embedded!(
        "teams/workspace":
        ".minds/llm.yaml",
        ".minds/team.yaml",
        ".minds/hive/hive.yaml",
        ".minds/hive/teams/ops.yaml",
        ".minds/team/coordinator/persona.md",
        ".minds/team/ops/persona.md",
        "launch.tsk/goals.md",
        "launch.tsk/constraints.md",
        "launch.tsk/progress.md",
        "README.md",
        "src/coupons.py",
        "src/payment.py",
        "feed/errors.log",
        "notes/hosting.md",
    ),
    script: include_str!("../../.minds/demo/teams/script.yaml"),
    first_message: include_str!("../../.minds/demo/teams/first-message.md"),
    lead: "coordinator",
    taskdoc: "launch.tsk",
    seen: Text::new(
        "The demo is over: a team was made, took its tasks in their order, asked its way up to you, and told what came of it. Alt+4, \
         Alt+5 and Alt+6 show teams, tasks and triggers.",
        "演示结束：建立了一个团队，它按顺序完成任务，把问题一路上报给你，并报告了结果。Alt+4、Alt+5 和 Alt+6 显示团队、任务和触发器。",
    ),
};

/// Prefix of the names of temporary folders.
const SCRATCH_PREFIX: &str = "dominds-tui-demo";

/// Prefix of the names of folders with an earlier run.
const BACKUP_PREFIX: &str = "earlier-";

/// Numbers tried for a new folder.
const MAX_NUMBERED: u32 = 100;

/// The folder of a demo.
#[derive(Debug)]
pub struct DemoWorkspace {
    story: &'static Story,
    folder: PathBuf,
    /// True if it is removed when the demo ends.
    scratch: bool,
}

impl DemoWorkspace {
    /// A new temporary workspace, removed when this value is dropped.
    ///
    /// # Errors
    /// The folder or a file could not be written.
    pub fn scratch(story: &'static Story) -> io::Result<Self> {
        let stage = Self { story, folder: new_folder(&std::env::temp_dir())?, scratch: true };
        story.write_files(&stage.folder)?;
        Ok(stage)
    }

    /// Opens the demo workspace in `folder`, created if missing. An earlier demo continues where it stopped.
    ///
    /// # Errors
    /// As [`Story::write_workspace`].
    pub fn kept(story: &'static Story, folder: &Path) -> io::Result<Self> {
        story.write_workspace(folder)?;
        Ok(Self { story, folder: folder.canonicalize()?, scratch: false })
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Restarts the demo. In a kept folder, all files are moved to a new subfolder, which is a complete
    /// workspace; a temporary folder is removed.
    ///
    /// # Errors
    /// A file could not be moved or written; nothing is lost.
    pub fn restarted(self) -> io::Result<Self> {
        if self.scratch {
            return Self::scratch(self.story);
        }
        move_to_backup(&self.folder)?;
        self.story.write_files(&self.folder)?;
        Ok(Self { story: self.story, folder: self.folder.clone(), scratch: false })
    }

    /// The text at the end of the demo.
    #[must_use]
    pub fn ending(&self, lang: Lang) -> String {
        let seen = self.story.seen.in_lang(lang);
        let kept = if self.scratch {
            Text::new("`demo --dir DIR` keeps its files.", "用 `demo --dir DIR` 可保留文件。")
                .in_lang(lang)
        } else {
            Text::new(
                "Played again, it keeps this run in a folder `earlier-N`.",
                "重新播放时，这一次会保留在 `earlier-N` 文件夹里。",
            )
            .in_lang(lang)
        };
        let next = Text::new(
            "Next: `dominds-tui init` in a folder of yours.",
            "下一步：在你自己的文件夹里运行 `dominds-tui init`。",
        )
        .in_lang(lang);
        let gap = Text::new(" ", "").in_lang(lang);
        [seen, next, kept].join(gap)
    }
}

impl Drop for DemoWorkspace {
    fn drop(&mut self) {
        if self.scratch
            && let Err(error) = fs::remove_dir_all(&self.folder)
        {
            // It stays among the temporary files, which the system removes.
            tracing::warn!(folder = %self.folder.display(), %error, "could not remove the demo");
        }
    }
}

impl Story {
    /// Writes its workspace; existing files are not changed.
    ///
    /// # Errors
    /// The folder contains something other than a workspace of this story, or a file could not be written.
    pub fn write_workspace(&self, folder: &Path) -> io::Result<()> {
        if !self.is_usable(folder)? {
            let text = "the folder is not empty; name an empty one, or one of an earlier demo of this kind";
            return Err(io::Error::new(ErrorKind::AlreadyExists, text));
        }
        self.write_files(folder)
    }

    /// The scripted answers of its members.
    ///
    /// # Errors
    /// Never with an embedded script; a test checks this.
    pub fn script(&self) -> Result<Script, YamlError> {
        yaml::read(self.script)
    }

    /// The user's first message.
    #[must_use]
    pub fn first_message(&self) -> &'static str {
        self.first_message.trim_end()
    }

    /// The command that starts it, for a workspace without dialogs.
    #[must_use]
    pub fn first_command(&self, ticket: Ticket) -> Command {
        Command::Create {
            ticket,
            agent: AgentId::new(self.lead),
            taskdoc: self.taskdoc.to_owned(),
            text: self.first_message().to_owned(),
            priming: Vec::new(),
        }
    }

    /// True for a folder that is missing, empty, or a workspace of this story.
    fn is_usable(&self, folder: &Path) -> io::Result<bool> {
        let mut entries = match fs::read_dir(folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(true),
            Err(error) => return Err(error),
        };
        let is_of_story = || {
            self.files.first().is_some_and(|(mark, text)| {
                let found = fs::read_to_string(folder.join(mark)).unwrap_or_default();
                found.lines().next() == text.lines().next()
            })
        };
        Ok(entries.next().is_none() || is_of_story())
    }

    fn write_files(&self, folder: &Path) -> io::Result<()> {
        set_up(folder, self.files).map(drop)
    }
}

/// Creates a new folder.
fn new_folder(parent: &Path) -> io::Result<PathBuf> {
    create_numbered(parent, &format!("{SCRATCH_PREFIX}-{}-", std::process::id()))?.canonicalize()
}

/// Creates a private folder with the first free number appended to its name.
fn create_numbered(parent: &Path, name: &str) -> io::Result<PathBuf> {
    for n in 1..MAX_NUMBERED {
        let folder = parent.join(format!("{name}{n}"));
        match DirBuilder::new().mode(0o700).create(&folder) {
            Ok(()) => return Ok(folder),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    let text = format!("{}: too many folders {name}…", parent.display());
    Err(io::Error::new(ErrorKind::AlreadyExists, text))
}

/// Moves all files to a new subfolder; the marker file goes last, so that an interrupted demo is still
/// recognized.
fn move_to_backup(folder: &Path) -> io::Result<()> {
    let entries: Vec<_> = fs::read_dir(folder)?.collect::<io::Result<_>>()?;
    let mut names: Vec<_> = entries.iter().map(fs::DirEntry::file_name).collect();
    names.retain(|name| !name.to_string_lossy().starts_with(BACKUP_PREFIX));
    names.sort_by_key(|name| name == ".minds");
    let aside = create_numbered(folder, BACKUP_PREFIX)?;
    names.iter().try_for_each(|name| fs::rename(folder.join(name), aside.join(name)))
}
