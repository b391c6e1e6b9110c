//! The paths outside the workspace that a command can see. This is an allowlist: everything else is absent.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

/// System folders, visible where they exist.
const SYSTEM_FOLDERS: [&str; 6] =
    ["/usr", "/etc", "/opt", "/nix", "/gnu/store", "/run/current-system"];
/// System folders that are symlinks on systems with a merged `/usr`, and folders elsewhere.
const MERGED_FOLDERS: [&str; 6] = ["/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"];
/// Programs and caches of tools below the home folder. Readable, so that they can be used without a
/// network; not writable, because programs outside the sandbox run them.
const TOOL_FOLDERS: [&str; 20] = [
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
/// Files with credentials in the folders of tools.
const CREDENTIAL_FILES: [&str; 2] = ["credentials", "credentials.toml"];
/// Configuration of name resolution; may be symlinks into folders that are not visible.
const RESOLVER_FILES: [&str; 2] = ["/etc/resolv.conf", "/etc/hosts"];
/// Entries of a folder of settings that are checked.
const MAX_SETTINGS: usize = 20_000;

/// What is visible, and what of that is masked.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct VisiblePaths {
    /// Read-only, at their own paths.
    pub system: Vec<PathBuf>,
    /// Symlinks in `/`: target and path.
    pub links: Vec<(PathBuf, PathBuf)>,
    /// Folders and files of tools; read-only.
    pub tools: Vec<PathBuf>,
    /// Visible folders whose content is hidden.
    pub masked_folders: Vec<PathBuf>,
    /// Visible files whose content is hidden.
    pub masked_files: Vec<PathBuf>,
    /// Visible only with the network.
    pub resolver: Vec<PathBuf>,
}

impl VisiblePaths {
    /// Reads the disk. `named`: folders of tools that environment variables name.
    pub fn find(home: Option<&Path>, workspace: &Path, named: &[PathBuf]) -> Self {
        let mut visible = Self::default();
        for folder in SYSTEM_FOLDERS.map(PathBuf::from) {
            if folder.is_dir() {
                visible.system.push(folder);
            }
        }
        for folder in MERGED_FOLDERS.map(PathBuf::from) {
            match fs::read_link(&folder) {
                Ok(target) => visible.links.push((target, folder)),
                Err(_) if folder.is_dir() => visible.system.push(folder),
                Err(_) => {}
            }
        }
        let in_home = home.into_iter().flat_map(|home| TOOL_FOLDERS.map(|tool| home.join(tool)));
        let named = named.iter().filter(|path| may_be_visible(path, home, workspace)).cloned();
        for path in in_home.chain(named) {
            let is_covered =
                visible.system.iter().chain(&visible.tools).any(|top| path.starts_with(top));
            if !is_covered && path.exists() {
                visible.tools.push(path);
            }
        }
        for folder in &visible.tools {
            let secrets = CREDENTIAL_FILES.map(|name| folder.join(name)).into_iter();
            visible.masked_files.extend(secrets.filter(|path| path.is_file()));
        }
        if is_root() {
            visible.mask_private(Path::new("/etc"), &mut 0);
        }
        for path in RESOLVER_FILES.map(PathBuf::from) {
            if let Ok(real) = path.canonicalize()
                && !visible.system.iter().any(|top| real.starts_with(top))
            {
                visible.resolver.push(real);
            }
        }
        visible
    }

    /// Files that only root can read are hidden from commands that run as root, too.
    fn mask_private(&mut self, folder: &Path, checked: &mut usize) {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            *checked += 1;
            let (path, Ok(kind)) = (entry.path(), entry.file_type()) else { continue };
            let Ok(mode) = entry.metadata().map(|meta| meta.permissions().mode()) else { continue };
            if kind.is_dir() {
                if mode & 0o5 != 0o5 || *checked > MAX_SETTINGS {
                    self.masked_folders.push(path);
                } else {
                    self.mask_private(&path, checked);
                }
            } else if kind.is_file() && mode & 0o4 == 0 && !is_empty(&entry) {
                self.masked_files.push(path);
            }
        }
    }
}

fn is_empty(entry: &fs::DirEntry) -> bool {
    entry.metadata().is_ok_and(|meta| meta.len() == 0)
}

/// An environment variable may name any path. One that contains the home folder or the workspace, or that
/// lies in a private folder, is not made visible.
fn may_be_visible(path: &Path, home: Option<&Path>, workspace: &Path) -> bool {
    const PRIVATE: [&str; 8] =
        [".ssh", ".gnupg", ".aws", ".config", ".kube", ".docker", ".azure", ".password-store"];
    let is_specific = path.is_absolute() && path.components().count() > 2;
    let contains_own = home.into_iter().chain([workspace]).any(|inner| inner.starts_with(path));
    let is_private =
        path.components().any(|part| PRIVATE.iter().any(|name| part.as_os_str() == *name));
    is_specific && !contains_own && !is_private
}

/// True if this process runs as root.
pub(super) fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variable_makes_a_tool_folder_visible_but_never_the_home_folder_or_its_secrets() {
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
            assert_eq!(may_be_visible(Path::new(path), Some(home), workspace), shown, "{path}");
        }
    }

    #[test]
    fn only_tool_folders_of_a_home_folder_are_visible_and_their_credentials_are_not() {
        let home = tempfile::tempdir().unwrap();
        for file in [".cargo/credentials.toml", ".cargo/config.toml", ".ssh/id", ".netrc"] {
            let path = home.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "secret").unwrap();
        }
        let visible = VisiblePaths::find(Some(home.path()), Path::new("/srv/p"), &[]);
        assert_eq!(visible.tools, [home.path().join(".cargo")]);
        assert!(visible.masked_files.contains(&home.path().join(".cargo/credentials.toml")));
    }
}
