//! Copies that people make on the screen: the clipboard program of this machine, and private files.

use std::io;

use crate::platform::clipboard::ClipboardProgram;
use crate::platform::{env, private_file};
use crate::ui::CopyTarget;

/// The folder of the files, in the state folder of the user.
const FOLDER: &str = "copies";

#[derive(Debug)]
pub struct Copies(Option<ClipboardProgram>);

impl Default for Copies {
    fn default() -> Self {
        Self(ClipboardProgram::find())
    }
}

impl CopyTarget for Copies {
    fn program(&self) -> Option<String> {
        self.0.as_ref().map(|program| program.name().to_owned())
    }

    fn give(&mut self, text: &str) -> io::Result<()> {
        self.0.as_ref().map_or(Err(io::ErrorKind::NotFound.into()), |program| program.give(text))
    }

    fn write(&mut self, name: &str, text: &str) -> io::Result<String> {
        let path = private_file::create(FOLDER, name, text)?;
        Ok(env::display_path(&path))
    }
}
