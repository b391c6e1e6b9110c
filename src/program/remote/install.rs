//! Copies a program, usually this very one, to another machine through the program that connects to it, in one
//! session, so that a password is typed once. Nothing is replaced before the copy there has the right checksum and runs.

use std::io::{self, Write as _};
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use flate2::Compression;
use flate2::write::GzEncoder;
use sha2::{Digest as _, Sha256};
use tokio::io::AsyncWriteExt as _;
use tokio::process::Command;
use tokio::time::timeout;

use crate::domain::hex;
use crate::domain::safety::references::VAULT_KEY;

use super::line::{Line, Said, quoted};
use super::machine::Needs;

/// The path it is copied to, as people write it.
pub const INSTALLED: &str = "~/.local/bin/dominds-tui";
/// Bytes per piece.
const PIECE: usize = 64 * 1024;
/// Timeout for one piece.
const PIECE_TIMEOUT: Duration = Duration::from_mins(2);
/// Timeout for the end: up to two megabytes may still be queued in `ssh`, more than four minutes at 64 kbit/s.
const END_TIMEOUT: Duration = Duration::from_mins(15);

/// Statuses of [`Program::script`].
const OTHER_SYSTEM: i32 = 91;
const OTHER_CHECKSUM: i32 = 92;
const DOES_NOT_RUN: i32 = 93;

/// A copy of a program, to be put there.
#[derive(Debug)]
pub struct Program {
    /// The compressed program, as it is sent.
    packed: Vec<u8>,
    /// The digest of the program itself.
    digest: String,
    /// The output of `uname -s -m` on the machine it is for.
    system: String,
    /// The path of its loader, if it needs one.
    loader: Option<String>,
}

/// Why it could not be put there.
#[derive(Debug, thiserror::Error)]
pub enum InstallError {
    #[error(
        "{name} is {there}, and the program is for {here}: build it there, see docs/install.md"
    )]
    OtherSystem { name: String, here: String, there: String },
    #[error(
        "{name} has another C library (no {loader}): build the program there, see docs/install.md"
    )]
    OtherLibrary { name: String, loader: String },
    #[error("{0}: what arrived is not what was sent; try again")]
    OtherChecksum(String),
    #[error(
        "{0}: the program does not run there, or is another version than {version}: build it there, see docs/install.md",
        version = env!("CARGO_PKG_VERSION")
    )]
    DoesNotRun(String),
    #[error("{0}")]
    Failed(String),
}

impl Program {
    /// Reads and compresses it. Blocks for a second.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn read(path: &Path) -> io::Result<Self> {
        let bytes = std::fs::read(path)?;
        let digest = hex(&Sha256::digest(&bytes));
        let uname = rustix::system::uname();
        let (name, here) = (uname.sysname().to_string_lossy(), uname.machine().to_string_lossy());
        let Needs { machine, loader } = Needs::of(&bytes);
        let machine = machine.unwrap_or(&here);
        let mut packer = GzEncoder::new(Vec::new(), Compression::default());
        packer.write_all(&bytes)?;
        Ok(Self { packed: packer.finish()?, digest, system: format!("{name} {machine}"), loader })
    }

    /// Returns the number of bytes that are sent.
    #[must_use]
    pub fn size(&self) -> usize {
        self.packed.len()
    }

    /// The system and the machine it is for.
    #[must_use]
    pub fn system(&self) -> &str {
        &self.system
    }

    /// Returns the script that reads the program from its standard input.
    fn script(&self) -> String {
        let (system, digest, version) = (&self.system, &self.digest, env!("CARGO_PKG_VERSION"));
        format!(
            r#"set -eu; umask 022
[ "$(uname -s -m)" = {system} ] || {{ uname -s -m; exit {OTHER_SYSTEM}; }}
mkdir -p "$HOME/.local/bin"
new="$HOME/.local/bin/.dominds-tui.$$"
trap 'rm -f "$new"' EXIT
set -C; gzip -dc >"$new"; set +C
sum="$(sha256sum "$new")"
[ "${{sum%% *}}" = {digest} ] || exit {OTHER_CHECKSUM}
chmod 755 "$new"
[ "$("$new" --version)" = 'dominds-tui {version}' ] || exit {DOES_NOT_RUN}
mv -f "$new" "$HOME/.local/bin/dominds-tui""#,
            system = quoted(system)
        )
    }
}

impl Line {
    /// Compares the machine there with the one that the program is for, if a shell has named it.
    ///
    /// # Errors
    /// The program cannot run there, and why.
    pub fn fits(&self, program: &Program) -> Result<(), InstallError> {
        let Some(machine) = self.machine() else { return Ok(()) };
        let name = self.name().to_owned();
        if machine.system != program.system {
            let (here, there) = (program.system.clone(), machine.system.clone());
            return Err(InstallError::OtherSystem { name, here, there });
        }
        match &program.loader {
            // Loaders in other folders are not listed.
            Some(loader) if loader.starts_with("/lib") && !machine.loaders.contains(loader) => {
                Err(InstallError::OtherLibrary { name, loader: loader.clone() })
            }
            Some(_) | None => Ok(()),
        }
    }

    /// Copies the program there, as [`INSTALLED`].
    ///
    /// # Errors
    /// Nothing was installed, and why.
    pub async fn install(&self, program: &Program) -> Result<(), InstallError> {
        let failed = |text: String| InstallError::Failed(format!("{}: {text}", self.name()));
        let [leads_there, arguments @ ..] = self.words() else {
            return Err(failed("there is no program that leads there".to_owned()));
        };
        let mut command = Command::new(leads_there);
        command.args(arguments).arg(format!("sh -c {}", quoted(&program.script())));
        command.env_remove(VAULT_KEY);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child =
            command.kill_on_drop(true).spawn().map_err(|error| failed(error.to_string()))?;
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(mut input), Some(output), Some(errors)) = pipes else {
            return Err(failed("it has no pipes".to_owned()));
        };
        let (printed, said) = (Said::of(output), Said::of(errors));
        for piece in program.packed.chunks(PIECE) {
            match timeout(PIECE_TIMEOUT, input.write_all(piece)).await {
                Ok(Ok(())) => {}
                // It has ended, and its status says why.
                Ok(Err(_)) => break,
                Err(_) => return Err(failed("nothing was taken any more".to_owned())),
            }
        }
        drop(input);
        let ended = timeout(END_TIMEOUT, child.wait()).await;
        let status = ended.map_err(|_| failed("no answer".to_owned()))?;
        let status = status.map_err(|error| failed(error.to_string()))?;
        let (printed, said) = (printed.whole().await, said.whole().await);
        let name = || self.name().to_owned();
        match status.code() {
            Some(0) => Ok(()),
            Some(OTHER_SYSTEM) => {
                let there = printed.trim().to_owned();
                Err(InstallError::OtherSystem { name: name(), here: program.system.clone(), there })
            }
            Some(OTHER_CHECKSUM) => Err(InstallError::OtherChecksum(name())),
            Some(DOES_NOT_RUN) => Err(InstallError::DoesNotRun(name())),
            Some(_) | None => Err(failed(said.trim().to_owned())),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt as _;
    use std::path::PathBuf;

    use crate::protocol::wire::{Audience, Hello};
    use crate::remote::machine::tests::elf;
    use crate::remote::{ConnectError, Leaving};

    use super::*;

    /// Another machine: a home, and a folder of programs that precedes those of this one.
    struct There {
        folder: tempfile::TempDir,
    }

    impl There {
        fn new() -> Self {
            let folder = tempfile::tempdir().unwrap();
            fs::create_dir(folder.path().join("bin")).unwrap();
            Self { folder }
        }

        fn with(self, name: &str, script: &str) -> Self {
            let path = self.folder.path().join("bin").join(name);
            fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
            fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
            self
        }

        fn line(&self) -> Line {
            let folder = self.folder.path().display();
            let via = format!("env HOME={folder} PATH={folder}/bin:/usr/bin:/bin sh -c");
            Line::parse("/w", Some(&via)).unwrap()
        }

        fn installed(&self) -> PathBuf {
            self.folder.path().join(".local/bin/dominds-tui")
        }

        /// Returns the number of files in the folder of the installed program.
        fn files(&self) -> usize {
            fs::read_dir(self.folder.path().join(".local/bin")).map_or(0, Iterator::count)
        }
    }

    fn program(bytes: impl AsRef<[u8]>) -> Program {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("program");
        fs::write(&path, bytes).unwrap();
        Program::read(&path).unwrap()
    }

    fn that_runs() -> Program {
        let padding = "#".repeat(300_000);
        program(format!("#!/bin/sh\necho dominds-tui {}\n{padding}\n", env!("CARGO_PKG_VERSION")))
    }

    #[tokio::test]
    async fn the_program_is_put_there_whole_and_runs_there() {
        let (there, program) = (There::new(), that_runs());
        there.line().install(&program).await.unwrap();
        let installed = fs::read(there.installed()).unwrap();
        assert_eq!(hex(&Sha256::digest(&installed)), program.digest);
        assert!(program.size() < installed.len() / 10, "{} bytes are sent", program.size());
        assert_eq!(fs::metadata(there.installed()).unwrap().permissions().mode() & 0o777, 0o755);
        assert_eq!(there.files(), 1);
        // Again, over the existing one.
        there.line().install(&program).await.unwrap();
        assert_eq!(there.files(), 1);
    }

    #[tokio::test]
    async fn what_does_not_fit_is_not_put_there_and_the_error_says_why() {
        for (there, program, part) in [
            (There::new().with("uname", "echo Darwin arm64"), that_runs(), "is Darwin arm64"),
            (There::new().with("sha256sum", "echo 00 x"), that_runs(), "not what was sent"),
            (There::new(), program("#!/bin/sh\nexit 1\n"), "does not run there"),
            (There::new().with("mkdir", "echo no room >&2; exit 1"), that_runs(), "no room"),
        ] {
            let error = there.line().install(&program).await.unwrap_err().to_string();
            assert!(error.starts_with("/w") && error.contains(part), "{error}");
            assert_eq!(there.files(), 0, "{part}");
        }
        let nowhere = Line::parse("/w", Some("no-such-program-here")).unwrap();
        let error = nowhere.install(&that_runs()).await.unwrap_err().to_string();
        assert!(error.starts_with("/w: "), "{error}");
    }

    #[tokio::test]
    async fn a_program_for_another_machine_or_library_does_not_fit_before_anything_is_sent() {
        let there =
            There::new().with("uname", "echo Linux aarch64").with("dominds-tui", "exit 127");
        let line = there.line();
        line.fits(&program(elf(62, None))).unwrap();
        let hello = Hello::new(Audience::Screen, "pts/1");
        let missing = line.connect(hello, Leaving::DriverStays).await.err().unwrap();
        assert!(matches!(missing, ConnectError::NotInstalled(_)), "{missing}");
        for (file, part) in [
            (elf(62, None), Some("is Linux aarch64, and the program is for Linux x86_64")),
            (elf(183, Some("/lib/ld-of-nobody.so.1")), Some("no /lib/ld-of-nobody.so.1")),
            (elf(183, Some("/elsewhere/ld.so.1")), None),
            (elf(183, None), None),
        ] {
            let fault = line.fits(&program(file)).err().map(|error| error.to_string());
            assert_eq!(fault.is_some(), part.is_some(), "{fault:?}");
            assert!(fault.unwrap_or_default().contains(part.unwrap_or_default()));
        }
    }

    #[tokio::test]
    async fn a_line_that_is_cut_meanwhile_leaves_what_was_there() {
        let there = There::new().with("gzip", "head -c 1000");
        fs::create_dir_all(there.installed().parent().unwrap()).unwrap();
        fs::write(there.installed(), "earlier").unwrap();
        let error = there.line().install(&that_runs()).await.unwrap_err();
        assert!(matches!(error, InstallError::OtherChecksum(_)), "{error}");
        assert_eq!(fs::read_to_string(there.installed()).unwrap(), "earlier");
        assert_eq!(there.files(), 1);
    }
}
