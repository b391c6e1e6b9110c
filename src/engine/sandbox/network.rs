//! A loopback-only network namespace that all commands of a run share, so that one command can reach a
//! server in another. A helper process keeps it alive until this program ends.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};

/// Prints its process id and waits for the end of its input.
const SCRIPT: &str = "echo $$; read -r word";

/// The namespace and its process. Dropping it ends the process.
#[derive(Debug)]
pub(super) struct SharedLoopback {
    /// The process whose namespaces are joined.
    pub pid: u32,
    child: Child,
    input: Option<ChildStdin>,
}

impl SharedLoopback {
    /// `None` where the system does not allow it.
    pub fn start(bwrap: &Path) -> Option<Self> {
        let mut child = Command::new(bwrap)
            .args([
                "--unshare-user",
                "--unshare-net",
                "--ro-bind",
                "/",
                "/",
                "--",
                "/bin/sh",
                "-c",
                SCRIPT,
            ])
            .current_dir("/")
            .env_clear()
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .ok()?;
        let input = child.stdin.take();
        let mut line = String::new();
        let read = BufReader::new(child.stdout.take()?).read_line(&mut line);
        let pid = read.ok().and_then(|_| line.trim().parse().ok());
        let network = Self { pid: pid.unwrap_or_default(), child, input };
        (network.pid > 1).then_some(network)
    }
}

impl Drop for SharedLoopback {
    fn drop(&mut self) {
        drop(self.input.take());
        // The namespace lives on while commands in it run.
        let _ = self.child.wait();
    }
}
