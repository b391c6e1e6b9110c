//! The journal of the sessions: the commands sent to the driver and its replies, for the next driver of the
//! workspace. A command is in it before it is carried out.

use std::fmt::Debug;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::{Deserialize, Serialize};

use crate::protocol::DriverEvent;
use crate::protocol::command::Ticket;

/// Above this size in bytes the journal is rewritten.
const MAX_BYTES: usize = 1024 * 1024;
/// A longer reply is not kept: after a restart it is not known what became of its command.
const MAX_REPLY_BYTES: usize = 16 * 1024;

/// The file of the journal. Its methods block on the disk.
pub trait SessionFile: Debug + Send + Sync {
    /// Everything in it; nothing if it is absent or damaged.
    ///
    /// # Errors
    /// It cannot be read.
    fn read(&self) -> io::Result<String>;

    /// Appends whole lines; with `synced` they are on the medium when this returns.
    ///
    /// # Errors
    /// It cannot be written.
    fn append(&self, lines: &str, synced: bool) -> io::Result<()>;

    /// Replaces everything in it.
    ///
    /// # Errors
    /// It cannot be written.
    fn replace(&self, lines: &str) -> io::Result<()>;
}

/// One line: a session was connected, a command of it was taken, or was replied to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct JournalLine {
    pub session: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ticket: Option<Ticket>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply: Option<DriverEvent>,
}

impl JournalLine {
    fn text(&self) -> io::Result<String> {
        let mut line = serde_json::to_string(self)?;
        line.push('\n');
        Ok(line)
    }
}

/// Clones write to the same file.
#[derive(Debug, Clone)]
pub(super) struct Journal {
    file: Arc<dyn SessionFile>,
    /// Held while it is written.
    end: Arc<Mutex<End>>,
}

/// The known state of the end of the file.
#[derive(Debug, Default)]
struct End {
    /// Bytes written since it was written anew.
    bytes: usize,
    /// True if the last line is whole. Otherwise a line right behind it could not be read.
    is_whole: bool,
}

impl Journal {
    pub fn new(file: Arc<dyn SessionFile>) -> Self {
        Self { file, end: Arc::default() }
    }

    /// The lines that can be read, oldest first. Blocks on the disk.
    pub fn read(&self) -> io::Result<Vec<JournalLine>> {
        let text = self.file.read()?;
        Ok(text.lines().filter_map(|line| crate::domain::text::json::read(line).ok()).collect())
    }

    /// Rewrites it with the lines that `lines` returns while no other write runs. Blocks on the disk.
    pub fn replace(&self, lines: impl FnOnce() -> Vec<JournalLine>) -> io::Result<()> {
        let mut at_end = self.lock();
        let mut text = String::new();
        for line in lines() {
            let whole = line.text()?;
            let is_kept = line.reply.is_none() || whole.len() <= MAX_REPLY_BYTES;
            text.push_str(&if is_kept {
                whole
            } else {
                JournalLine { reply: None, ..line }.text()?
            });
        }
        self.file.replace(&text)?;
        *at_end = End { bytes: 0, is_whole: true };
        Ok(())
    }

    /// Appends a line, synced unless it is a reply. True if it is time to write the journal anew. Blocks on the disk.
    pub fn append(&self, line: &JournalLine) -> io::Result<bool> {
        let mut text = line.text()?;
        if line.reply.is_some() && text.len() > MAX_REPLY_BYTES {
            return Ok(false);
        }
        let mut at_end = self.lock();
        if !at_end.is_whole {
            text.insert(0, '\n');
        }
        // Until the write succeeds: a failed one may have written a part.
        at_end.is_whole = false;
        self.file.append(&text, line.reply.is_none())?;
        let bytes = at_end.bytes.saturating_add(text.len());
        *at_end = End { bytes, is_whole: true };
        Ok(bytes > MAX_BYTES)
    }

    fn lock(&self) -> MutexGuard<'_, End> {
        self.end.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
