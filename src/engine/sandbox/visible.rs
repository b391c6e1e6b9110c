//! The paths outside the workspace that a command can see. This is an allowlist: everything else is absent.

use std::fs;
use std::os::unix::fs::{FileTypeExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use super::config::SandboxConfig;
use super::tool_folders::{
    CERTIFICATES, TOOL_FOLDERS, is_key_file, may_hold_key, may_hold_private_key,
};

/// System folders, visible where they exist.
const SYSTEM_FOLDERS: [&str; 6] =
    ["/usr", "/etc", "/opt", "/nix", "/gnu/store", "/run/current-system"];
/// System folders that are symlinks on systems with a merged `/usr`, and folders elsewhere.
const MERGED_FOLDERS: [&str; 6] = ["/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"];
/// Configuration of name resolution; may be symlinks into folders that are not visible.
const RESOLVER_FILES: [&str; 2] = ["/etc/resolv.conf", "/etc/hosts"];
/// Entries of a folder of settings that are checked.
const MAX_SETTINGS: usize = 20_000;
/// Entries of a visible folder, and levels with its own, that are looked at for keys and sockets.
const MAX_LOOKED_AT: usize = 500;
const MAX_LEVELS: usize = 4;
/// Folders of the system that programs of a person put sockets into.
const WITH_SOCKETS: [&str; 2] = ["/opt", "/usr/local"];
/// Folders with a socket of the system, whose server does more than a sandbox may.
const SOCKET_FOLDERS: [&str; 1] = ["/nix/var/nix/daemon-socket"];
/// Names of folders that are private, anywhere.
const PRIVATE_NAMES: [&str; 11] = [
    ".ssh",
    ".gnupg",
    ".aws",
    ".config",
    ".kube",
    ".docker",
    ".azure",
    ".password-store",
    ".mozilla",
    ".git",
    "keyrings",
];
/// Folders below the home folder that hold private ones.
const HOLDS_PRIVATE: [&str; 3] = [".local/share", ".local/state", ".cache"];

/// The visible paths, and those of them that are masked.
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
    /// Visible files whose content is hidden, and sockets.
    pub masked_files: Vec<PathBuf>,
    /// Visible only with the network.
    pub resolver: Vec<PathBuf>,
    /// Settings of tools that are not visible because they may hold a key.
    pub withheld: Vec<PathBuf>,
}

impl VisiblePaths {
    /// Reads the disk.
    pub fn find(config: &SandboxConfig) -> Self {
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
        visible.add_tools(config);
        for folder in visible.tools.clone() {
            visible.mask_in(&folder, true);
        }
        for folder in WITH_SOCKETS.map(Path::new) {
            visible.mask_in(folder, false);
        }
        let listed = fs::read_to_string("/proc/net/unix").unwrap_or_default();
        visible.mask_listed_sockets(&listed);
        let folders = SOCKET_FOLDERS.map(PathBuf::from).into_iter();
        visible.masked_folders.extend(folders.filter(|folder| folder.is_dir()));
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

    fn add_tools(&mut self, config: &SandboxConfig) {
        for tool in &TOOL_FOLDERS {
            let in_home =
                config.home.iter().filter_map(|home| tool.in_home.map(|folder| home.join(folder)));
            let named = config.tools.iter().filter(|(name, _)| tool.variable == Some(*name));
            let folders = in_home.chain(named.map(|(_, path)| path.clone()));
            let is_called = |path: &PathBuf| tool.called.is_none_or(|name| path.ends_with(name));
            let is_certificate = tool.variable.is_some_and(|name| CERTIFICATES.contains(&name));
            for folder in folders.filter(is_called) {
                // A path with a slash at its end has to be a folder.
                let at =
                    |name: &&str| if name.is_empty() { folder.clone() } else { folder.join(name) };
                for path in tool.shown.iter().map(at) {
                    let has_key = is_certificate && !path.is_dir() && may_hold_private_key(&path);
                    self.add_unless(has_key, path.clone(), config);
                    if is_certificate && self.tools.contains(&path) {
                        self.mask_private_keys(&path);
                    }
                }
                for path in tool.settings.iter().map(at) {
                    self.add_unless(may_hold_key(&path), path, config);
                }
            }
        }
    }

    fn add_unless(&mut self, has_key: bool, path: PathBuf, config: &SandboxConfig) {
        if !has_key {
            self.add_tool(path, config);
        } else if path.symlink_metadata().is_ok() {
            self.withheld.push(path);
        }
    }

    fn add_tool(&mut self, path: PathBuf, config: &SandboxConfig) {
        let is_covered = self.system.iter().chain(&self.tools).any(|top| path.starts_with(top));
        // The target is judged as well: the path may be a link.
        let Ok(real) = path.canonicalize() else { return };
        if !is_covered && [&path, &real].into_iter().all(|path| may_be_visible(path, config)) {
            self.tools.push(path);
        }
    }

    /// Masks the private keys beside certificates.
    fn mask_private_keys(&mut self, folder: &Path) {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten().take(MAX_LOOKED_AT) {
            let path = entry.path();
            if path.is_file() && may_hold_private_key(&path) {
                self.mask_file(path);
            }
        }
    }

    /// Masks sockets, and with `keys` the files in which tools keep keys, within the limits of the search.
    fn mask_in(&mut self, folder: &Path, keys: bool) {
        let (mut level, mut left) = (vec![folder.to_owned()], MAX_LOOKED_AT);
        for _ in 0..MAX_LEVELS {
            let mut below = Vec::new();
            for folder in level {
                for entry in fs::read_dir(&folder).into_iter().flatten().flatten().take(left) {
                    left = left.saturating_sub(1);
                    let Ok(kind) = entry.file_type() else { continue };
                    let name = entry.file_name();
                    let is_key = || keys && is_key_file(&folder, &name.to_string_lossy());
                    if kind.is_dir() {
                        below.push(entry.path());
                    } else if kind.is_socket() || kind.is_file() && is_key() {
                        self.mask_file(entry.path());
                    }
                }
            }
            level = below;
        }
    }

    /// Masks the sockets in visible folders that the kernel lists, wherever they are.
    fn mask_listed_sockets(&mut self, listed: &str) {
        /// Columns before the path.
        const COLUMNS: usize = 7;
        let tops: Vec<(PathBuf, PathBuf)> = self
            .system
            .iter()
            .chain(&self.tools)
            .filter_map(|top| Some((top.canonicalize().ok()?, top.clone())))
            .collect();
        for line in listed.lines() {
            let path = line.split_ascii_whitespace().nth(COLUMNS).and_then(|word| {
                let at = line.find(&format!(" {word}"))?;
                Some(Path::new(line.get(at + 1..)?))
            });
            let real = path
                .filter(|path| path.is_absolute())
                .and_then(|path| Some(path.parent()?.canonicalize().ok()?.join(path.file_name()?)));
            let is_socket = |path: &PathBuf| {
                path.symlink_metadata().is_ok_and(|about| about.file_type().is_socket())
            };
            let Some(socket) = real.filter(is_socket) else { continue };
            for (real, top) in &tops {
                if let Ok(below) = socket.strip_prefix(real) {
                    self.mask_file(top.join(below));
                }
            }
        }
    }

    fn mask_file(&mut self, path: PathBuf) {
        if !self.masked_files.contains(&path) {
            self.masked_files.push(path);
        }
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

/// An environment variable may name any path, and a folder of a tool may be a link. A path that contains the home
/// folder, the workspace or the state of this program is not made visible, nor one within a private folder. Paths in
/// the workspace are visible as part of it only: a command could have put a link to anything there.
fn may_be_visible(path: &Path, config: &SandboxConfig) -> bool {
    let home = config.home.as_deref();
    let is_specific = path.is_absolute() && path.components().count() > 2;
    let own = [config.workspace.as_path(), config.state.as_path()];
    let holds_private = home.into_iter().flat_map(|home| HOLDS_PRIVATE.map(|name| home.join(name)));
    let contains_own = home.into_iter().chain(own).any(|inner| inner.starts_with(path))
        || holds_private.into_iter().any(|inner| inner.starts_with(path));
    let is_own = own.into_iter().any(|outer| path.starts_with(outer));
    let below = home.and_then(|home| path.strip_prefix(home).ok()).unwrap_or(path);
    let is_private =
        below.components().any(|part| PRIVATE_NAMES.iter().any(|name| part.as_os_str() == *name));
    is_specific && !contains_own && !is_own && !is_private
}

/// True if this process runs as root.
pub(super) fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;
    use std::os::unix::net::UnixListener;

    use super::*;

    fn config(home: &Path, tools: &[(&'static str, &str)]) -> SandboxConfig {
        SandboxConfig {
            workspace: "/srv/work/p".into(),
            home: Some(home.to_owned()),
            state: home.join("state"),
            program: PathBuf::new(),
            tools: tools.iter().map(|(name, path)| (*name, home.join(path))).collect(),
        }
    }

    /// A home folder with these files; a path with a slash at its end is a folder.
    fn home(files: &[&str]) -> (tempfile::TempDir, PathBuf) {
        let top = tempfile::tempdir().unwrap();
        let home = top.path().canonicalize().unwrap();
        for file in files {
            put(&home.join(file), "x");
        }
        (top, home)
    }

    fn put(path: &Path, text: &str) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        if !path.to_string_lossy().ends_with('/') {
            fs::write(path, text).unwrap();
        }
    }

    /// The paths below the home folder, in order.
    fn names(paths: &[PathBuf], home: &Path) -> Vec<String> {
        let below = paths.iter().filter_map(|path| path.strip_prefix(home).ok());
        let mut names: Vec<String> = below.map(|path| path.display().to_string()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_variable_makes_a_tool_folder_visible_but_never_the_home_folder_or_its_secrets() {
        let config =
            SandboxConfig { state: "/data/state/d".into(), ..config(Path::new("/home/a"), &[]) };
        for (path, shown) in [
            ("/home/a/.cargo", true),
            ("/data/rustup", true),
            ("/home/a", false),
            ("/home", false),
            ("/", false),
            ("relative/path", false),
            ("/srv/work", false),
            ("/srv/work/p/.venv", false),
            ("/home/a/.ssh", false),
            ("/home/a/.config/gh", false),
            ("/home/a/.local", false),
            ("/home/a/.local/share", false),
            ("/home/a/.cache", false),
            ("/home/a/.cache/uv", true),
            ("/data/state", false),
            ("/data/state/d/sandbox", false),
        ] {
            assert_eq!(may_be_visible(Path::new(path), &config), shown, "{path}");
        }
    }

    #[test]
    fn of_a_tool_folder_only_programs_and_caches_are_visible() {
        let (_top, home) = home(&[
            ".cargo/bin/tool",
            ".cargo/registry/cache/x",
            ".cargo/credentials.toml",
            ".cargo/config.toml",
            ".ssh/id",
            ".netrc",
            ".npm/_cacache/x",
            ".npm/_logs/x",
            ".config/pip/pip.conf",
            "go/pkg/mod/x",
            "go/src/private/x.go",
            ".local/share/uv/tools/x",
            ".local/share/uv/credentials/credentials.toml",
            ".m2/repository/x",
            ".m2/settings.xml",
            ".gradle/caches/x",
            ".gradle/gradle.properties",
            "other-go/bin/x",
            "other-go/src/private/x.go",
            "venv/lib/x",
            "venv/pip.conf",
            "jdk/bin/java",
            "jdk/private/x",
            "modules/node_modules/x",
            "project/x",
        ]);
        let named = [
            ("GOPATH", "other-go"),
            ("VIRTUAL_ENV", "venv"),
            ("JAVA_HOME", "jdk"),
            ("NODE_PATH", "modules/node_modules"),
            ("NODE_PATH", "project"),
        ];
        let visible = VisiblePaths::find(&config(&home, &named));
        let shown = [
            ".cargo/bin",
            ".cargo/config.toml",
            ".cargo/registry",
            ".gradle/caches",
            ".local/share/uv/tools",
            ".m2/repository",
            ".npm/_cacache",
            "go/pkg",
            "jdk/bin",
            "modules/node_modules",
            "other-go/bin",
            "venv/lib",
        ];
        assert_eq!(names(&visible.tools, &home), shown);
        assert_eq!(names(&visible.masked_files, &home), [""; 0]);
        assert_eq!(visible.withheld, Vec::<PathBuf>::new());
    }

    #[test]
    fn settings_and_certificates_with_a_key_are_withheld() {
        let (_top, home) = home(&["certs/a.pem", "certs/b.pem", "more/a.pem"]);
        put(&home.join(".cargo/config.toml"), "[registry]\ntoken = \"x\"\n");
        put(&home.join(".cargo/config"), "[source.v]\ndirectory = \"/v\"\n");
        put(&home.join("certs/b.pem"), "-----BEGIN PRIVATE KEY-----\n");
        put(&home.join("more/own.pem"), "-----BEGIN PRIVATE KEY-----\n");
        let named = [
            ("SSL_CERT_FILE", "certs/a.pem"),
            ("SSL_CERT_DIR", "more"),
            ("NODE_EXTRA_CA_CERTS", "certs/b.pem"),
        ];
        let visible = VisiblePaths::find(&config(&home, &named));
        assert_eq!(names(&visible.tools, &home), [".cargo/config", "certs/a.pem", "more"]);
        assert_eq!(names(&visible.masked_files, &home), ["more/own.pem"]);
        assert_eq!(names(&visible.withheld, &home), [".cargo/config.toml", "certs/b.pem"]);
    }

    #[test]
    fn keys_and_sockets_in_a_visible_folder_are_masked() {
        let (_top, home) = home(&[
            ".nvm/versions/node/v20/etc/npmrc",
            ".pyenv/versions/3.12/pip.conf",
            ".pyenv/versions/3.12/bin/python",
            ".local/bin/.netrc",
            ".cache/uv/a/b/c/d/e/file",
            "conda/conda-meta/state",
            "conda/lib/state",
        ]);
        let near = UnixListener::bind(home.join(".local/bin/near")).unwrap();
        let far = UnixListener::bind(home.join(".cache/uv/a/b/c/d/e/agent sock")).unwrap();
        let outside = UnixListener::bind(home.join("outside")).unwrap();
        let visible = VisiblePaths::find(&config(&home, &[("CONDA_PREFIX", "conda")]));
        let masked = [
            ".cache/uv/a/b/c/d/e/agent sock",
            ".local/bin/.netrc",
            ".local/bin/near",
            ".nvm/versions/node/v20/etc/npmrc",
            ".pyenv/versions/3.12/pip.conf",
            "conda/conda-meta/state",
        ];
        assert_eq!(names(&visible.masked_files, &home), masked);
        drop((near, far, outside));
    }

    #[test]
    fn a_tool_folder_that_leads_to_what_is_private_or_to_the_workspace_is_not_visible() {
        let (_top, home) = home(&[".ssh/id", "ws/.venv/bin/x", "disk/cargo/bin/x", "real/bin/x"]);
        symlink(home.join("disk/cargo"), home.join(".cargo")).unwrap();
        fs::create_dir(home.join(".npm")).unwrap();
        symlink(home.join(".ssh"), home.join(".npm/_cacache")).unwrap();
        fs::create_dir(home.join("go")).unwrap();
        symlink(&home, home.join("go/pkg")).unwrap();
        symlink(home.join("ws/.venv/bin"), home.join("go/bin")).unwrap();
        let workspace = home.join("ws");
        // As a command could leave it.
        symlink(home.join("real"), workspace.join("venv")).unwrap();
        let config = SandboxConfig { workspace, ..config(&home, &[("VIRTUAL_ENV", "ws/venv")]) };
        let visible = VisiblePaths::find(&config);
        assert_eq!(names(&visible.tools, &home), [".cargo/bin"]);
    }
}
