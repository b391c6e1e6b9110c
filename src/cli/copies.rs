//! Copies that people make on the screen: the clipboard program of this machine, and private files.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use super::programs::write_whole;
use crate::domain::DialogId;
use crate::platform::clipboard::ClipboardProgram;
use crate::platform::{env, private_file};
use crate::ui::CopyTarget;

/// The folder of the files, in the state folder of the user.
const FOLDER: &str = "copies";

#[derive(Debug)]
pub struct Copies {
    program: Option<ClipboardProgram>,
    workspace: PathBuf,
}

impl Copies {
    pub fn new(workspace: &Path) -> Self {
        Self { program: ClipboardProgram::find(), workspace: workspace.to_path_buf() }
    }
}

impl CopyTarget for Copies {
    fn program(&self) -> Option<String> {
        self.program.as_ref().map(|program| program.name().to_owned())
    }

    fn give(&mut self, text: &str) -> io::Result<()> {
        self.program
            .as_ref()
            .map_or(Err(io::ErrorKind::NotFound.into()), |program| program.give(text))
    }

    fn write(&mut self, name: &str, text: &str) -> io::Result<String> {
        let path = private_file::create(FOLDER, name, text)?;
        Ok(env::display_path(&path))
    }

    fn write_dialog(&mut self, name: &str, dialog: &DialogId) -> io::Result<String> {
        let write = |file: &mut File| write_whole(&self.workspace, dialog, file);
        let path = private_file::create_by(FOLDER, name, write)?;
        Ok(env::display_path(&path))
    }
}
