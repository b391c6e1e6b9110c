//! A network of nothing but loopback that all commands of a run share, so that a server in one command is
//! reached by another one. It lives in a process that waits for the end of this program.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};

/// Tells its number and waits for its input to end.
const HOLD: &str = "echo $$; read -r word";

/// The process. Dropped, it ends.
#[derive(Debug)]
pub(super) struct Network {
    /// Whose namespaces are joined.
    pub pid: u32,
    child: Child,
    input: Option<ChildStdin>,
}

impl Network {
    /// `None` where the system does not let one have it.
    pub fn begin(bwrap: &Path) -> Option<Self> {
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
                HOLD,
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
        let told = BufReader::new(child.stdout.take()?).read_line(&mut line);
        let pid = told.ok().and_then(|_| line.trim().parse().ok());
        let network = Self { pid: pid.unwrap_or_default(), child, input };
        (network.pid > 1).then_some(network)
    }
}

impl Drop for Network {
    fn drop(&mut self) {
        drop(self.input.take());
        // Commands in it may still run; the namespace lives as long as they do.
        let _ = self.child.wait();
    }
}
