//! The demo: a workspace, a team and its script, embedded in the program. Only the model is
//! scripted; driver, store and screens are the real ones.
//!
//! Nothing that exists is ever overwritten, and only a folder made by [`Stage::scratch`] is removed.

use std::fs::{self, OpenOptions};
use std::io::{self, ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use crate::domain::AgentId;
use crate::llm::Script;
use crate::protocol::command::{Command, Ticket};
use crate::yaml::{self, YamlError};

/// A file of the demo workspace with its text.
macro_rules! embedded {
    ($path:literal) => {
        ($path, include_str!(concat!("../.minds/demo/workspace/", $path)))
    };
}

/// Who is spoken to.
pub const LEAD: &str = "orchestrator";

/// What the team works on.
pub const TASKDOC: &str = "add-2fa.tsk";

/// How a folder made for one demo is called; the rest of the name tells it from others.
const SCRATCH_NAME: &str = "dominds-tui-demo";

/// Scratch folders of this process that may lie about before another name is given up.
const MOST_NAMES: u32 = 100;

const FIRST_MESSAGE: &str = include_str!("../.minds/demo/first-message.md");
const SCRIPT: &str = include_str!("../.minds/demo/script.yaml");

/// By this file a demo workspace is known again.
const MARK: (&str, &str) = embedded!(".minds/llm.yaml");

/// Path below the workspace, and text.
const FILES: [(&str, &str); 18] = [
    MARK,
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

/// The folder a demo plays in.
#[derive(Debug)]
pub struct Stage {
    folder: PathBuf,
    /// True if it is removed when the demo is over.
    scratch: bool,
}

impl Stage {
    /// A new workspace below the folder for temporary files, gone when this value is dropped.
    ///
    /// # Errors
    /// The folder or a file of it could not be written.
    pub fn scratch() -> io::Result<Self> {
        let stage = Self { folder: new_folder(&std::env::temp_dir())?, scratch: true };
        write_files(&stage.folder)?;
        Ok(stage)
    }

    /// The demo workspace in `folder`, made if need be and kept. One that was played before goes on
    /// where it was.
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
}

impl Drop for Stage {
    fn drop(&mut self) {
        if self.scratch
            && let Err(error) = fs::remove_dir_all(&self.folder)
        {
            tracing::warn!(folder = %self.folder.display(), %error, "could not remove the demo");
        }
    }
}

/// Writes the demo workspace; what is there already is left as it is.
///
/// # Errors
/// The folder holds something else than a demo workspace, or a file could not be written.
pub fn write_workspace(folder: &Path) -> io::Result<()> {
    if !is_free(folder)? {
        let text = "the folder holds something else; name an empty one, or one of an earlier demo";
        return Err(io::Error::new(ErrorKind::AlreadyExists, text));
    }
    write_files(folder)
}

/// What everybody of the team does.
///
/// # Errors
/// Never with the script the program was built with; a test holds that.
pub fn script() -> Result<Script, YamlError> {
    yaml::read(SCRIPT)
}

/// What the person says to begin with.
pub fn first_message() -> &'static str {
    FIRST_MESSAGE.trim_end()
}

/// Begins the story. To be sent once to a workspace without dialogs.
pub fn opening(ticket: Ticket) -> Command {
    Command::Create {
        ticket,
        agent: AgentId::new(LEAD),
        taskdoc: TASKDOC.to_owned(),
        text: first_message().to_owned(),
    }
}

/// Makes a folder that was not there before.
fn new_folder(parent: &Path) -> io::Result<PathBuf> {
    let process = std::process::id();
    for n in 1..MOST_NAMES {
        let folder = parent.join(format!("{SCRATCH_NAME}-{process}-{n}"));
        match fs::create_dir(&folder) {
            Ok(()) => return folder.canonicalize(),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    let text = format!("{}: too many folders {SCRATCH_NAME}-{process}-…", parent.display());
    Err(io::Error::new(ErrorKind::AlreadyExists, text))
}

/// True for a folder that is absent, empty, or a demo workspace.
fn is_free(folder: &Path) -> io::Result<bool> {
    let mut entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(true),
        Err(error) => return Err(error),
    };
    let (mark, text) = MARK;
    let is_demo = || {
        let found = fs::read_to_string(folder.join(mark)).unwrap_or_default();
        found.lines().next() == text.lines().next()
    };
    Ok(entries.next().is_none() || is_demo())
}

fn write_files(folder: &Path) -> io::Result<()> {
    FILES.iter().try_for_each(|(relative, text)| {
        write_new(&folder.join(relative), text)
            .map_err(|error| io::Error::new(error.kind(), format!("{relative}: {error}")))
    })
}

fn write_new(path: &Path, text: &str) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    match OpenOptions::new().write(true).create_new(true).open(path) {
        Ok(mut file) => file.write_all(text.as_bytes()),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(error),
    }
}
