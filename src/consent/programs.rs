//! Checksums of the workspace files that a server's command line names: the user agrees to their content
//! too. Files that a program finds by itself (`npm start`, `make`) are not covered; its command line shows
//! that it runs in the workspace.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};

use crate::domain::hex;
use crate::minds::Env;
use crate::minds::mcp_config::{StdioServer, ValueSource};

/// Each such file, relative to the workspace, with its SHA-256, in the order of the arguments.
pub(super) fn checksums(
    workspace: &Path,
    program: &StdioServer,
    env: Env<'_>,
) -> Vec<(String, String)> {
    let Ok(root) = workspace.canonicalize() else { return Vec::new() };
    let cwd = workspace.join(&program.cwd);
    let command = find_program(&cwd, program, env);
    let words = program.args.iter().flat_map(|word| {
        // `--config=run.js` names a file too.
        let value = word.split_once('=').map(|(_, value)| value);
        [Some(word.as_str()), value].into_iter().flatten().map(|word| cwd.join(word))
    });
    let mut found: Vec<(String, String)> = Vec::new();
    for path in command.into_iter().chain(words) {
        let Ok(real) = path.canonicalize() else { continue };
        let Ok(below) = real.strip_prefix(&root) else { continue };
        let name = below.to_string_lossy().into_owned();
        if real.is_file() && !found.iter().any(|(known, _)| *known == name) {
            let sum =
                checksum(&real).unwrap_or_else(|error| format!("unreadable: {}", error.kind()));
            found.push((name, sum));
        }
    }
    found
}

/// Finds a program by its path, else in the folders of its `PATH`.
fn find_program(cwd: &Path, program: &StdioServer, env: Env<'_>) -> Option<PathBuf> {
    if program.command.contains('/') {
        return Some(cwd.join(&program.command));
    }
    let own = program.env.iter().find(|(name, _)| name == "PATH");
    let folders = match own {
        Some((_, ValueSource::Literal(text))) => text.clone(),
        Some((_, ValueSource::Env(variable))) => env(variable)?,
        None => env("PATH")?,
    };
    let mut found = std::env::split_paths(&folders).map(|folder| cwd.join(folder));
    found.find_map(|folder| Some(folder.join(&program.command)).filter(|path| path.is_file()))
}

fn checksum(path: &Path) -> io::Result<String> {
    let mut hash = Sha256::new();
    io::copy(&mut File::open(path)?, &mut HashWriter(&mut hash))?;
    Ok(hex(&hash.finalize()))
}

/// Writes into a hash.
struct HashWriter<'a>(&'a mut Sha256);

impl io::Write for HashWriter<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
