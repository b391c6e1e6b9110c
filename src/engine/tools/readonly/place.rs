//! Where the programs of a line work, and which paths they may be given. The guard of the file tools judges a
//! path; here it is made sure that a program means the same file by it.

use std::fs;
use std::path::{Component, Path, PathBuf};

use super::refusal::LineRefusal;
use crate::domain::Lang;
use crate::domain::text::Text;
use crate::tools::access::{Access, AccessOp};
use crate::tools::guard::{Guard, PathFault, PathFaultKind};
use crate::tools::shell::CommandSandbox;

#[derive(Debug)]
pub(super) struct PathCheck<'a> {
    pub guard: &'a Guard,
    pub access: &'a Access,
    pub workspace: &'a Path,
    /// Below the workspace; no part of it is a link.
    pub folder: PathBuf,
    pub lang: Lang,
    /// The sandbox for programs that are run while a line is judged.
    pub command_sandbox: Option<CommandSandbox>,
}

/// The kind of path that an argument may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PathUse {
    File,
    /// For a program that prints names and sizes, or whose argument says what to leave out.
    Any,
}

impl PathCheck<'_> {
    /// Judges a path. A missing one is accepted: the program reports it.
    pub fn judge(&self, path: &str, kind: PathUse) -> Result<(), LineRefusal> {
        self.judge_at(&self.folder, path, kind)
    }

    /// Judges a path for a program that works in this folder below the workspace.
    pub fn judge_at(&self, folder: &Path, path: &str, kind: PathUse) -> Result<(), LineRefusal> {
        if path.is_empty() || path.trim() != path || goes_back_later(path) {
            let why = Text::new(
                "write it without blanks at its ends, and with `..` at its beginning only",
                "路径首尾不要有空白,`..` 只能放在开头",
            )
            .in_lang(self.lang);
            return Err(refused(path, why));
        }
        let below = below(folder, path);
        match self.guard.open_dir(&below) {
            Ok(_) if kind == PathUse::File => {
                Err(refused(path, Text::new("it is a folder", "它是目录").in_lang(self.lang)))
            }
            Ok(_) => Ok(()),
            Err(fault) if fault.kind == PathFaultKind::NotADirectory => {
                self.unless_missing(path, self.guard.open_file(&below, AccessOp::Read).map(drop))
            }
            Err(fault) => self.unless_missing(path, Err(fault)),
        }
    }

    /// The folder `cd` goes to.
    pub fn inner(&self, path: &str) -> Result<PathBuf, LineRefusal> {
        self.judge(path, PathUse::Any)?;
        let below = below(&self.folder, path);
        let opened = self.guard.open_dir(&below);
        let folder = opened.map_err(|fault| refused(path, &fault.text(self.lang)))?.shown;
        let folder = if folder == "." { PathBuf::new() } else { PathBuf::from(folder) };
        let real = |path: &Path| fs::canonicalize(path).ok();
        let straight = real(self.workspace).map(|top| top.join(&folder));
        if real(&self.workspace.join(&folder)) == straight {
            return Ok(folder);
        }
        let why = Text::new("name the folder itself, not a link to it", "请写目录本身,不要用链接")
            .in_lang(self.lang);
        Err(refused(path, why))
    }

    fn unless_missing(&self, path: &str, judged: Result<(), PathFault>) -> Result<(), LineRefusal> {
        match judged {
            Ok(()) => Ok(()),
            Err(fault) if fault.kind == PathFaultKind::NotFound => Ok(()),
            Err(fault) => Err(refused(path, &fault.text(self.lang))),
        }
    }
}

fn below(folder: &Path, path: &str) -> String {
    folder.join(path).to_string_lossy().into_owned()
}

fn refused(path: &str, why: &str) -> LineRefusal {
    LineRefusal::Path { path: path.to_owned(), why: why.to_owned() }
}

/// True if `..` follows a name: its target depends on whether the name is a link.
fn goes_back_later(path: &str) -> bool {
    let parts = Path::new(path).components();
    let mut parts =
        parts.skip_while(|part| matches!(part, Component::ParentDir | Component::CurDir));
    parts.any(|part| part == Component::ParentDir)
}
