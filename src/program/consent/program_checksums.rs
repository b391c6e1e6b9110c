//! Checksums of the workspace files that a server runs, as far as its entry tells: the files that its command
//! line names, the manifests that a program on it reads (`npm start`, `make`), and the program files that
//! these files name in turn. The user agrees to their content too. Files that a program finds in other ways
//! are not covered; the command line shows that the server runs in the workspace.

use std::collections::BTreeSet;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};

use super::references::{is_program, named_in};
use super::runners::{ENTRY_FILES, manifests};
use crate::domain::hex;
use crate::minds::Env;
use crate::minds::mcp_config::{StdioServer, ValueSource};

/// Files that are looked at; what further ones hold is not covered.
const MAX_FILES: usize = 64;
/// Words of a command line that are looked at.
const MAX_WORDS: usize = 1_000;

/// Files of the workspace, relative to it, each with its SHA-256.
#[derive(Debug, Default)]
pub(super) struct Checksums {
    /// Files that the command line names, and manifests of its programs.
    pub named: Vec<(String, String)>,
    /// Program files that those name, and so on.
    pub followed: Vec<(String, String)>,
    /// True if there are more files than are checked.
    pub has_more: bool,
}

pub(super) fn checksums(workspace: &Path, program: &StdioServer, env: Env<'_>) -> Checksums {
    let Ok(root) = workspace.canonicalize() else { return Checksums::default() };
    let cwd = workspace.join(&program.cwd);
    let mut checked = CheckedFiles { root, known: BTreeSet::new(), found: Checksums::default() };
    let mut queue = Vec::new();
    for path in named_by(&cwd, program, env) {
        if let Some(file) = checked.add(&path, false) {
            queue.push(file);
        }
    }
    let mut next = 0;
    while let Some(file) = queue.get(next).cloned() {
        next += 1;
        for path in named_in(&file, &cwd) {
            if is_program(&path)
                && let Some(file) = checked.add(&path, true)
            {
                queue.push(file);
            }
        }
    }
    checked.found
}

struct CheckedFiles {
    root: PathBuf,
    known: BTreeSet<PathBuf>,
    found: Checksums,
}

impl CheckedFiles {
    /// The file itself, if it is one of the workspace that was not looked at yet.
    fn add(&mut self, path: &Path, followed: bool) -> Option<PathBuf> {
        if !path.is_file() {
            return None;
        }
        let real = path.canonicalize().ok()?;
        let name = real.strip_prefix(&self.root).ok()?.to_string_lossy().into_owned();
        if self.known.contains(&real) {
            return None;
        }
        if self.known.len() >= MAX_FILES {
            self.found.has_more = true;
            return None;
        }
        let sum = checksum(&real).unwrap_or_else(|error| format!("unreadable: {}", error.kind()));
        let list = if followed { &mut self.found.followed } else { &mut self.found.named };
        list.push((name, sum));
        self.known.insert(real.clone());
        Some(real)
    }
}

/// Returns the paths that a command line names, in its order, with entry files of folders and manifests of programs.
fn named_by(cwd: &Path, program: &StdioServer, env: Env<'_>) -> Vec<PathBuf> {
    let words: Vec<&str> =
        program.args.iter().flat_map(|word| words(word)).take(MAX_WORDS).collect();
    let folders: Vec<PathBuf> =
        words.iter().map(|word| cwd.join(word)).filter(|path| path.is_dir()).collect();
    let bases: Vec<&Path> =
        std::iter::once(cwd).chain(folders.iter().map(PathBuf::as_path)).collect();
    let mut paths: Vec<PathBuf> = find_program(cwd, program, env).into_iter().collect();
    for word in &words {
        paths.push(cwd.join(word));
        // `python -m a.b`
        let module = cwd.join(word.replace('.', "/"));
        paths.extend([module.with_extension("py"), module.join("__main__.py")]);
    }
    for folder in &folders {
        paths.extend(ENTRY_FILES.map(|name| folder.join(name)));
    }
    for name in std::iter::once(program.command.as_str()).chain(words.iter().copied()) {
        let name = Path::new(name).file_name().unwrap_or_default().to_string_lossy();
        let files = manifests(&name);
        paths.extend(bases.iter().flat_map(|base| files.iter().map(move |file| base.join(file))));
        if files.contains(&"package.json") {
            let local = words.iter().map(|word| cwd.join("node_modules/.bin").join(word));
            paths.extend(local);
        }
    }
    paths
}

/// An argument, the words in it (`sh -c "node a.js"`), and the value of an option (`--config=a.js`).
fn words(argument: &str) -> impl Iterator<Item = &str> {
    let parts = argument.split(|c: char| c.is_whitespace() || "\"'`;|&()<>=,".contains(c));
    let value = argument.split_once('=').map(|(_, value)| value);
    std::iter::once(argument).chain(value).chain(parts).filter(|word| !word.is_empty())
}

/// Finds a program by its path, else in the folders of its `PATH`.
fn find_program(cwd: &Path, program: &StdioServer, env: Env<'_>) -> Option<PathBuf> {
    if program.command.contains('/') {
        return Some(cwd.join(&program.command));
    }
    let own = program.env.iter().find(|(name, _)| name == "PATH");
    let folders = match own {
        Some((_, ValueSource::Literal(text))) => text.clone(),
        Some((_, ValueSource::Env { prefix, variable })) => format!("{prefix}{}", env(variable)?),
        Some((_, ValueSource::Vault { .. })) => return None,
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
