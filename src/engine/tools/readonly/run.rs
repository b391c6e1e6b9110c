//! Runs the checked programs of a line, without any shell: each is started with its words unchanged, and
//! the output of one is the input of the next.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use super::parse::{Pipeline, RunCondition};
use crate::domain::Secrets;
use crate::domain::dialogs::background::ProcessExit;
use crate::tools::shell::{CommandSandbox, GroupReaper, Launch, RunningCommand, StreamWindow};

/// The folders in which programs are looked up: only an administrator can write there.
const FOLDERS: [&str; 6] =
    ["/usr/local/bin", "/usr/bin", "/bin", "/usr/sbin", "/sbin", "/opt/homebrew/bin"];

/// A line that may run.
#[derive(Debug)]
pub(super) struct CommandLine<'a> {
    pub pipelines: Vec<Pipeline>,
    pub folder: &'a Path,
    pub environment: &'a BTreeMap<String, String>,
    pub enders: &'a GroupReaper,
    /// The secrets that its output must not hold.
    pub keys: &'a Arc<Secrets>,
    pub command_sandbox: Option<CommandSandbox>,
}

/// The output of a line.
#[derive(Debug, Default)]
pub(super) struct RunOutput {
    pub out: StreamWindow,
    pub err: StreamWindow,
    /// The exit of the last program that ran; `None` after a timeout.
    pub exit: Option<ProcessExit>,
}

/// The program behind a name.
pub(super) fn resolve(name: &str) -> Option<PathBuf> {
    FOLDERS.iter().map(|folder| Path::new(folder).join(name)).find(|path| path.is_file())
}

/// The path children look for programs in.
pub(super) fn search_path() -> String {
    FOLDERS.join(":")
}

impl CommandLine<'_> {
    /// Runs until the end or the limit; programs that still run then are killed.
    pub async fn run(&self, limit: Duration) -> io::Result<RunOutput> {
        let mut ran = RunOutput::default();
        let whole = tokio::time::timeout(limit, self.all(&mut ran)).await;
        match whole {
            Ok(ended) => ran.exit = Some(ended?),
            Err(_over) => ran.exit = None,
        }
        Ok(ran)
    }

    async fn all(&self, ran: &mut RunOutput) -> io::Result<ProcessExit> {
        let mut last = ProcessExit::Code(0);
        for pipeline in &self.pipelines {
            let wanted = match pipeline.after {
                RunCondition::Nothing => true,
                RunCondition::Success => last == ProcessExit::Code(0),
                RunCondition::Failure => last != ProcessExit::Code(0),
            };
            if wanted {
                last = self.pipeline(pipeline, ran).await?;
            }
        }
        Ok(last)
    }

    /// Runs all programs of a pipeline at once; returns the exit of the last one.
    async fn pipeline(&self, pipeline: &Pipeline, ran: &mut RunOutput) -> io::Result<ProcessExit> {
        let mut started: Vec<RunningCommand> = Vec::new();
        let mut input = Stdio::null();
        let last = pipeline.commands.len().saturating_sub(1);
        for (at, words) in pipeline.commands.iter().enumerate() {
            let Some((program, arguments)) = words.split_first() else { continue };
            let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
            let launch = Launch {
                program,
                arguments: &arguments,
                folder: self.folder,
                environment: self.environment,
                command_sandbox: self.command_sandbox.clone(),
            };
            let mut working = launch.start(input, self.enders).await?;
            working.out = StreamWindow::of(self.keys);
            working.err = StreamWindow::of(self.keys);
            input = if at == last { Stdio::null() } else { working.output()? };
            started.push(working);
        }
        // The time limit applies to the whole line.
        let ends = started.iter_mut().map(|working| working.finish(Duration::MAX));
        let ends = futures_util::future::join_all(ends).await;
        for working in started {
            ran.out.append(&working.out);
            ran.err.append(&working.err);
        }
        ends.into_iter().flatten().last().unwrap_or(Ok(ProcessExit::Unknown))
    }
}
