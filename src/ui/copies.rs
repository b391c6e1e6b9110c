//! Copies of text for other programs: the clipboard program of this machine, and files; the image that the
//! clipboard has; and settings that are written into the file of the person.
//!
//! One thread makes them one by one, so that the screen never waits for a program or the disk. The
//! outcome of each copy is reported.

use std::io;
use std::sync::Arc;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread;

use tokio::sync::mpsc;

use super::text::CopyText;
use crate::domain::DialogId;
use crate::domain::text::Localized;
use crate::user_settings::Setting;

/// Where a copy goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CopyTo {
    Clipboard,
    File,
}

/// The system's part of copying. Its methods may block.
pub trait CopyTarget: Send + 'static {
    /// The name of the clipboard program, if there is one.
    fn program(&self) -> Option<String>;

    /// Gives text to the clipboard program.
    ///
    /// # Errors
    /// It did not take the text.
    fn give(&mut self, text: &str) -> io::Result<()>;

    /// Writes a new private file; returns its path for people. `name` is a suggestion.
    ///
    /// # Errors
    /// It could not be written.
    fn write(&mut self, name: &str, text: &str) -> io::Result<String>;

    /// Writes a whole dialog in the same way, as Markdown.
    ///
    /// # Errors
    /// It could not be read or written.
    fn write_dialog(&mut self, name: &str, dialog: &DialogId) -> io::Result<String>;

    /// Returns the bytes of the image in the clipboard.
    ///
    /// # Errors
    /// There is no image, or no program that returns it: the message for the user.
    fn take_image(&mut self) -> Result<Vec<u8>, Localized>;

    /// Writes a setting into the file of the person; returns its path for people.
    ///
    /// # Errors
    /// It could not be written: the message for the user.
    fn set(&mut self, setting: &Setting) -> Result<String, Localized>;
}

/// A copy to make.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CopyJob {
    Give(CopyText),
    Write {
        name: String,
        text: CopyText,
    },
    WriteDialog {
        name: String,
        dialog: DialogId,
    },
    /// Get the image in the clipboard, for the chip with this number.
    TakeImage {
        number: u64,
    },
    /// Write a setting into the file of the person.
    Set(Setting),
}

/// The outcome of a copy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CopyOutcome {
    /// Sent to the terminal, which reports nothing back.
    Sent {
        bytes: usize,
    },
    /// Too long for the terminal's clipboard.
    TooLong {
        bytes: usize,
    },
    /// The last copies are still being made.
    Busy,
    /// The clipboard program took it.
    Given {
        bytes: usize,
        program: String,
    },
    NotGiven {
        program: String,
        why: String,
    },
    Written {
        path: String,
    },
    NotWritten {
        why: String,
    },
    Image {
        number: u64,
        bytes: Arc<[u8]>,
    },
    NoImage {
        number: u64,
        why: Localized,
    },
    /// The setting is in this file.
    Set {
        path: String,
    },
    /// The setting is used, and in no file.
    NotSet {
        why: Localized,
    },
}

/// The handle to the thread that makes copies. Dropping it lets the thread end after its copy.
#[derive(Debug)]
pub struct CopyMaker {
    jobs: SyncSender<CopyJob>,
    outcomes: Option<mpsc::Receiver<CopyOutcome>>,
    has_program: bool,
}

impl CopyMaker {
    /// Starts the thread.
    ///
    /// # Errors
    /// The thread could not be started.
    pub fn start(mut target: impl CopyTarget) -> io::Result<Self> {
        // A person waits for the copy; when the channel is full, the next one is refused with a message.
        let (tx, jobs) = sync_channel::<CopyJob>(4);
        // Full only while the loop does not run; then the thread waits.
        let (report, outcomes) = mpsc::channel(8);
        let program = target.program();
        let has_program = program.is_some();
        let program = program.unwrap_or_default();
        thread::Builder::new().name("copies".to_owned()).spawn(move || {
            for job in jobs {
                let outcome = make(&mut target, &program, job);
                if report.blocking_send(outcome).is_err() {
                    break;
                }
            }
        })?;
        Ok(Self { jobs: tx, outcomes: Some(outcomes), has_program })
    }

    /// True if there is a clipboard program.
    pub fn has_program(&self) -> bool {
        self.has_program
    }

    /// Makes a copy; false if it cannot be made now. Never blocks.
    pub fn make(&self, job: CopyJob) -> bool {
        self.jobs.try_send(job).is_ok()
    }

    /// Takes the receiver of the outcomes; `None` after the first call.
    pub fn take_outcomes(&mut self) -> Option<mpsc::Receiver<CopyOutcome>> {
        self.outcomes.take()
    }
}

fn make(target: &mut impl CopyTarget, program: &str, job: CopyJob) -> CopyOutcome {
    match job {
        CopyJob::Give(text) => {
            let program = program.to_owned();
            match target.give(text.as_str()) {
                Ok(()) => CopyOutcome::Given { bytes: text.as_str().len(), program },
                Err(error) => CopyOutcome::NotGiven { program, why: error.to_string() },
            }
        }
        CopyJob::Write { name, text } => written(target.write(&name, text.as_str())),
        CopyJob::WriteDialog { name, dialog } => written(target.write_dialog(&name, &dialog)),
        CopyJob::TakeImage { number } => match target.take_image() {
            Ok(bytes) => CopyOutcome::Image { number, bytes: bytes.into() },
            Err(why) => CopyOutcome::NoImage { number, why },
        },
        CopyJob::Set(setting) => match target.set(&setting) {
            Ok(path) => CopyOutcome::Set { path },
            Err(why) => CopyOutcome::NotSet { why },
        },
    }
}

fn written(path: io::Result<String>) -> CopyOutcome {
    match path {
        Ok(path) => CopyOutcome::Written { path },
        Err(error) => CopyOutcome::NotWritten { why: error.to_string() },
    }
}

#[cfg(test)]
pub(crate) mod testing {
    //! A clipboard program and a folder in memory.

    use super::*;

    /// Accepts everything, or refuses everything.
    #[derive(Debug, Clone, Copy)]
    pub enum MemoryTarget {
        NoProgram,
        Takes,
        Refuses,
    }

    impl CopyTarget for MemoryTarget {
        fn program(&self) -> Option<String> {
            (!matches!(self, Self::NoProgram)).then(|| "clip".to_owned())
        }

        fn give(&mut self, _: &str) -> io::Result<()> {
            if matches!(self, Self::Takes) { Ok(()) } else { Err(io::ErrorKind::TimedOut.into()) }
        }

        fn write(&mut self, name: &str, _: &str) -> io::Result<String> {
            if matches!(self, Self::Takes) {
                Ok(format!("/copies/{name}"))
            } else {
                Err(io::ErrorKind::PermissionDenied.into())
            }
        }

        fn write_dialog(&mut self, name: &str, _: &DialogId) -> io::Result<String> {
            self.write(name, "")
        }

        fn take_image(&mut self) -> Result<Vec<u8>, Localized> {
            if matches!(self, Self::Takes) {
                Ok(b"\x89PNG\r\n\x1a\nsome bytes".to_vec())
            } else {
                Err(Localized::same("no image"))
            }
        }

        fn set(&mut self, setting: &Setting) -> Result<String, Localized> {
            if matches!(self, Self::Takes) {
                Ok(format!("/config/{}", setting.name()))
            } else {
                Err(Localized::same("no file"))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::testing::MemoryTarget;
    use super::*;

    async fn outcome(target: MemoryTarget, job: CopyJob) -> CopyOutcome {
        let mut maker = CopyMaker::start(target).unwrap();
        let mut outcomes = maker.take_outcomes().unwrap();
        assert!(maker.make(job));
        tokio::time::timeout(Duration::from_secs(20), outcomes.recv()).await.unwrap().unwrap()
    }

    #[tokio::test]
    async fn each_copy_is_reported_with_what_became_of_it() {
        let give = || CopyJob::Give(CopyText::clean("text"));
        let write = || CopyJob::Write { name: "a.md".to_owned(), text: CopyText::clean("text") };
        let program = "clip".to_owned();
        for (target, job, expected) in [
            (
                MemoryTarget::Takes,
                give(),
                CopyOutcome::Given { bytes: 4, program: program.clone() },
            ),
            (
                MemoryTarget::Refuses,
                give(),
                CopyOutcome::NotGiven { program, why: "timed out".to_owned() },
            ),
            (
                MemoryTarget::Takes,
                write(),
                CopyOutcome::Written { path: "/copies/a.md".to_owned() },
            ),
            (
                MemoryTarget::Refuses,
                write(),
                CopyOutcome::NotWritten { why: "permission denied".to_owned() },
            ),
            (
                MemoryTarget::Takes,
                CopyJob::TakeImage { number: 7 },
                CopyOutcome::Image {
                    number: 7,
                    bytes: Arc::from(b"\x89PNG\r\n\x1a\nsome bytes".as_slice()),
                },
            ),
            (
                MemoryTarget::Takes,
                CopyJob::Set(Setting::Keys("vi".to_owned())),
                CopyOutcome::Set { path: "/config/keys".to_owned() },
            ),
            (
                MemoryTarget::Refuses,
                CopyJob::Set(Setting::RemindMinutes(None)),
                CopyOutcome::NotSet { why: Localized::same("no file") },
            ),
            (
                MemoryTarget::NoProgram,
                CopyJob::TakeImage { number: 7 },
                CopyOutcome::NoImage { number: 7, why: Localized::same("no image") },
            ),
        ] {
            assert_eq!(outcome(target, job).await, expected);
        }
    }
}
