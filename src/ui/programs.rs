//! Programs of the person that get the terminal for a while: the editor and the pager.
//!
//! The screen says what to do; the host decides which program is run, and on which file. Its methods
//! may block and run on threads of their own.

use std::ffi::OsString;
use std::path::PathBuf;

use super::model::DraftKey;
use crate::domain::DialogId;
use crate::domain::text::Localized;

/// The job of a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProgramJob {
    /// Open a file in the editor. The path comes from a record: nothing is known of it.
    EditFile { path: String, line: Option<usize> },
    /// Edit a draft; the edited text becomes the draft.
    EditDraft { key: DraftKey, text: String },
    /// Read a whole dialog in the pager.
    Page { dialog: DialogId },
}

/// A program that can be started now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PreparedProgram {
    pub program: PathBuf,
    pub args: Vec<OsString>,
    /// A private file made for it, which is removed with its folder afterwards.
    pub private: Option<PathBuf>,
}

/// How a program ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProgramEnd {
    Succeeded,
    /// It reported a failure, was ended by a signal, or could not be started.
    Failed,
}

/// Runs the programs of the person.
pub trait ProgramHost: std::fmt::Debug + Send + Sync + 'static {
    /// Finds the program and the file or text to open. May block.
    ///
    /// # Errors
    /// There is no such program, or nothing that it may open.
    fn prepare(&self, job: &ProgramJob) -> Result<PreparedProgram, Localized>;

    /// Reads the private file if the program succeeded, and removes it. May block.
    ///
    /// # Errors
    /// The private file is not text, or too long.
    fn finish(
        &self,
        prepared: PreparedProgram,
        end: ProgramEnd,
    ) -> Result<Option<String>, Localized>;
}

/// The outcome of a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProgramOutcome {
    /// It ended well; with the text of the private file.
    Ended(ProgramJob, Option<String>),
    /// It ended badly.
    Failed(ProgramJob),
    /// It was not run, or its result cannot be used.
    Refused(Localized),
}

#[cfg(test)]
pub(crate) mod testing {
    //! A host that runs a program of the test.

    use std::sync::Arc;

    use tokio::sync::Notify;

    use super::*;

    /// Runs this program for everything, and finds this text afterwards.
    #[derive(Debug)]
    pub struct TestHost {
        pub program: &'static str,
        pub args: Vec<OsString>,
        pub found: Option<&'static str>,
        /// Notified when a program has ended and the screen has the terminal.
        pub finished: Arc<Notify>,
    }

    impl TestHost {
        /// Runs a script of a shell.
        pub fn shell(script: &str) -> Self {
            let args = vec!["-c".into(), script.into()];
            Self { program: "/bin/sh", args, found: None, finished: Arc::default() }
        }
    }

    impl Default for TestHost {
        fn default() -> Self {
            Self::shell("")
        }
    }

    impl ProgramHost for TestHost {
        fn prepare(&self, _: &ProgramJob) -> Result<PreparedProgram, Localized> {
            let (program, args) = (self.program.into(), self.args.clone());
            Ok(PreparedProgram { program, args, private: None })
        }

        fn finish(&self, _: PreparedProgram, end: ProgramEnd) -> Result<Option<String>, Localized> {
            self.finished.notify_one();
            let found = self.found.filter(|_| end == ProgramEnd::Succeeded);
            Ok(found.map(str::to_owned))
        }
    }
}
