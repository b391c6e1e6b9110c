//! What of the machine a command sees beside the workspace. It is a list of what is shown: whatever is on
//! no list is not there, whatever its name.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

/// Folders of the system, shown where they are there.
const SYSTEM: [&str; 6] = ["/usr", "/etc", "/opt", "/nix", "/gnu/store", "/run/current-system"];
/// Folders of the system that are links where folders are merged, and folders elsewhere.
const MERGED: [&str; 6] = ["/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"];
/// Below the home folder: programs and caches of tools. They can be read, so that what is there can be used
/// without a network; they cannot be written, because others run what lies there.
const TOOLS: [&str; 20] = [
    ".cargo",
    ".rustup",
    ".npm",
    ".cache/pip",
    ".cache/uv",
    ".cache/go-build",
    ".cache/yarn",
    "go",
    ".pyenv",
    ".nvm",
    ".volta",
    ".bun/bin",
    ".deno/bin",
    ".rbenv",
    ".m2/repository",
    ".gradle/caches",
    ".gradle/wrapper",
    ".local/bin",
    ".local/lib",
    ".local/share/uv",
];
/// Where tools keep what is for nobody else, below one of their folders.
const SECRETS: [&str; 2] = ["credentials", "credentials.toml"];
/// Files of the system that may be links to folders that are not shown; they name who answers for names.
const RESOLVER: [&str; 2] = ["/etc/resolv.conf", "/etc/hosts"];
/// Entries of a folder of settings that are looked at.
const MAX_SETTINGS: usize = 20_000;

/// What is shown, and what of it is not.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Places {
    /// Read-only, under their own names.
    pub system: Vec<PathBuf>,
    /// Links at the top: what they say, and where they are.
    pub links: Vec<(PathBuf, PathBuf)>,
    /// Folders and files of tools, read-only.
    pub tools: Vec<PathBuf>,
    /// Folders below what is shown that are empty.
    pub shut_folders: Vec<PathBuf>,
    /// Files below what is shown that are empty.
    pub shut_files: Vec<PathBuf>,
    /// Shown with the network only.
    pub resolver: Vec<PathBuf>,
}

impl Places {
    /// Looks at the machine. `named`: what variables of the environment name as places of tools.
    pub fn find(home: Option<&Path>, workspace: &Path, named: &[PathBuf]) -> Self {
        let mut places = Self::default();
        for folder in SYSTEM.map(PathBuf::from) {
            if folder.is_dir() {
                places.system.push(folder);
            }
        }
        for folder in MERGED.map(PathBuf::from) {
            match fs::read_link(&folder) {
                Ok(told) => places.links.push((told, folder)),
                Err(_) if folder.is_dir() => places.system.push(folder),
                Err(_) => {}
            }
        }
        let below = home.into_iter().flat_map(|home| TOOLS.map(|tool| home.join(tool)));
        let named = named.iter().filter(|path| is_harmless(path, home, workspace)).cloned();
        for path in below.chain(named) {
            let known = places.system.iter().chain(&places.tools).any(|top| path.starts_with(top));
            if !known && path.exists() {
                places.tools.push(path);
            }
        }
        for folder in &places.tools {
            let secrets = SECRETS.map(|name| folder.join(name)).into_iter();
            places.shut_files.extend(secrets.filter(|path| path.is_file()));
        }
        if is_root() {
            places.shut(Path::new("/etc"), &mut 0);
        }
        for path in RESOLVER.map(PathBuf::from) {
            if let Ok(real) = path.canonicalize()
                && !places.system.iter().any(|top| real.starts_with(top))
            {
                places.resolver.push(real);
            }
        }
        places
    }

    /// Settings that others may not read stay closed for the administrator's commands too.
    fn shut(&mut self, folder: &Path, looked_at: &mut usize) {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            *looked_at += 1;
            let (path, Ok(kind)) = (entry.path(), entry.file_type()) else { continue };
            let Ok(mode) = entry.metadata().map(|meta| meta.permissions().mode()) else { continue };
            if kind.is_dir() {
                if mode & 0o5 != 0o5 || *looked_at > MAX_SETTINGS {
                    self.shut_folders.push(path);
                } else {
                    self.shut(&path, looked_at);
                }
            } else if kind.is_file() && mode & 0o4 == 0 && !is_empty(&entry) {
                self.shut_files.push(path);
            }
        }
    }
}

fn is_empty(entry: &fs::DirEntry) -> bool {
    entry.metadata().is_ok_and(|meta| meta.len() == 0)
}

/// A variable may name anything. What holds the home folder or the workspace, or lies in a hidden folder
/// that is none of a tool, is not shown for its sake.
fn is_harmless(path: &Path, home: Option<&Path>, workspace: &Path) -> bool {
    const PRIVATE: [&str; 8] =
        [".ssh", ".gnupg", ".aws", ".config", ".kube", ".docker", ".azure", ".password-store"];
    let whole = path.is_absolute() && path.components().count() > 2;
    let holds = home.into_iter().chain([workspace]).any(|inner| inner.starts_with(path));
    let private =
        path.components().any(|part| PRIVATE.iter().any(|name| part.as_os_str() == *name));
    whole && !holds && !private
}

/// True if the files of the administrator are one's own.
pub(super) fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variable_shows_a_folder_of_a_tool_and_never_the_home_folder_or_its_secrets() {
        let (home, workspace) = (Path::new("/home/a"), Path::new("/srv/work/p"));
        for (path, shown) in [
            ("/home/a/.cargo", true),
            ("/data/rustup", true),
            ("/home/a", false),
            ("/home", false),
            ("/", false),
            ("relative/path", false),
            ("/srv/work", false),
            ("/home/a/.ssh", false),
            ("/home/a/.config/gh", false),
        ] {
            assert_eq!(is_harmless(Path::new(path), Some(home), workspace), shown, "{path}");
        }
    }

    #[test]
    fn only_caches_of_a_home_folder_are_shown_and_their_credentials_are_not() {
        let home = tempfile::tempdir().unwrap();
        for file in [".cargo/credentials.toml", ".cargo/config.toml", ".ssh/id", ".netrc"] {
            let path = home.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "secret").unwrap();
        }
        let places = Places::find(Some(home.path()), Path::new("/srv/p"), &[]);
        assert_eq!(places.tools, [home.path().join(".cargo")]);
        assert!(places.shut_files.contains(&home.path().join(".cargo/credentials.toml")));
    }
}
