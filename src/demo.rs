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
use crate::llm::Script;
use crate::protocol::command::{Command, Ticket};
use crate::tools::guard::set_up;
use crate::yaml::{self, YamlError};

/// `(path, text)` of a file of the demo workspace.
macro_rules! embedded {
    ($path:literal) => {
        ($path, include_str!(concat!("../.minds/demo/workspace/", $path)))
    };
}

/// The member that gets the first message.
pub const LEAD: &str = "orchestrator";

/// The Taskdoc of the demo.
pub const TASKDOC: &str = "add-2fa.tsk";

/// Prefix of the names of temporary folders.
const SCRATCH_PREFIX: &str = "dominds-tui-demo";

/// Prefix of the names of folders with an earlier run.
const BACKUP_PREFIX: &str = "earlier-";

/// Numbers tried for a new folder.
const MAX_NUMBERED: u32 = 100;

const FIRST_MESSAGE: &str = include_str!("../.minds/demo/first-message.md");
const SCRIPT: &str = include_str!("../.minds/demo/script.yaml");

/// The file that identifies a demo workspace.
const MARKER_FILE: (&str, &str) = embedded!(".minds/llm.yaml");

/// `(path, text)`; paths are relative to the workspace.
const FILES: [(&str, &str); 18] = [
    MARKER_FILE,
    embedded!(".minds/team.yaml"),
    embedded!(".minds/env.md"),
    embedded!(".minds/team/orchestrator/persona.md"),
    embedded!(".minds/team/researcher/persona.md"),
    embedded!(".minds/team/dba/persona.md"),
    embedded!(".minds/team/reviewer/persona.md"),
    embedded!("add-2fa.tsk/goals.md"),
    embedded!("add-2fa.tsk/constraints.md"),
    embedded!("add-2fa.tsk/progress.md"),
    embedded!("README.md"),
    embedded!("src/login.rs"),
    embedded!("src/session.rs"),
    embedded!("migrations/0007_users.sql"),
    embedded!("notes/libraries.md"),
    embedded!("notes/production.md"),
    embedded!("notes/restore.md"),
    embedded!("notes/storage.md"),
];

/// The folder of a demo.
#[derive(Debug)]
pub struct DemoWorkspace {
    folder: PathBuf,
    /// True if it is removed when the demo ends.
    scratch: bool,
}

impl DemoWorkspace {
    /// A new temporary workspace, removed when this value is dropped.
    ///
    /// # Errors
    /// The folder or a file could not be written.
    pub fn scratch() -> io::Result<Self> {
        let stage = Self { folder: new_folder(&std::env::temp_dir())?, scratch: true };
        write_files(&stage.folder)?;
        Ok(stage)
    }

    /// The demo workspace in `folder`, created if missing. An earlier demo continues where it stopped.
    ///
    /// # Errors
    /// As [`write_workspace`].
    pub fn kept(folder: &Path) -> io::Result<Self> {
        write_workspace(folder)?;
        Ok(Self { folder: folder.canonicalize()?, scratch: false })
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
            return Self::scratch();
        }
        move_to_backup(&self.folder)?;
        write_files(&self.folder)?;
        Ok(Self { folder: self.folder.clone(), scratch: false })
    }

    /// The text at the end of the demo.
    #[must_use]
    pub fn ending(&self, lang: Lang) -> String {
        let seen = Text::new("The demo is over: four dialogs shared one task, two asked you, the plan is in \
             notes/two-factor-plan.md.", "演示结束：四个对话共同完成了一项任务，其中两个向你提问，计划写在 notes/two-factor-plan.md 里。").in_lang(lang);
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
            tracing::warn!(folder = %self.folder.display(), %error, "could not remove the demo");
        }
    }
}

/// Writes the demo workspace; existing files are not changed.
///
/// # Errors
/// The folder contains something other than a demo workspace, or a file could not be written.
pub fn write_workspace(folder: &Path) -> io::Result<()> {
    if !is_usable(folder)? {
        let text = "the folder is not empty; name an empty one, or one of an earlier demo";
        return Err(io::Error::new(ErrorKind::AlreadyExists, text));
    }
    write_files(folder)
}

/// The scripted answers of the team.
///
/// # Errors
/// Never with the embedded script; a test checks this.
pub fn script() -> Result<Script, YamlError> {
    yaml::read(SCRIPT)
}

/// The user's first message.
pub fn first_message() -> &'static str {
    FIRST_MESSAGE.trim_end()
}

/// The command that starts the demo, for a workspace without dialogs.
pub fn first_command(ticket: Ticket) -> Command {
    Command::Create {
        ticket,
        agent: AgentId::new(LEAD),
        taskdoc: TASKDOC.to_owned(),
        text: first_message().to_owned(),
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

/// True for a folder that is missing, empty, or a demo workspace.
fn is_usable(folder: &Path) -> io::Result<bool> {
    let mut entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(true),
        Err(error) => return Err(error),
    };
    let (mark, text) = MARKER_FILE;
    let is_demo = || {
        let found = fs::read_to_string(folder.join(mark)).unwrap_or_default();
        found.lines().next() == text.lines().next()
    };
    Ok(entries.next().is_none() || is_demo())
}

fn write_files(folder: &Path) -> io::Result<()> {
    set_up(folder, &FILES).map(drop)
}
