//! The command line of `bwrap`: an empty root, visible paths bound read-only, an empty home folder, and the
//! workspace last.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::config::SandboxConfig;
use super::session::Session;
use super::visible::VisiblePaths;
use crate::domain::safety::sandbox::Level;

/// Paths where `bwrap` may be: only an administrator can write there.
const BWRAP_PATHS: [&str; 4] =
    ["/usr/bin/bwrap", "/usr/local/bin/bwrap", "/bin/bwrap", "/run/current-system/sw/bin/bwrap"];
/// The path at which this program is mounted as the first process of a sandbox.
pub(super) const HELPER_PATH: &str = "/run/dominds-tui";
/// The path of the hidden copy of the workspace, with what is pinned (`hold.rs`). A cover hides it.
const PINS_PATH: &str = "/run/dominds-tui-pins";

/// The path of `bwrap`, if it is installed.
pub(super) fn find() -> Option<PathBuf> {
    BWRAP_PATHS.iter().map(PathBuf::from).find(|path| path.is_file())
}

/// Builder of the argument list.
#[derive(Debug, Default)]
struct ArgumentList(Vec<OsString>);

impl ArgumentList {
    fn add<const N: usize>(&mut self, words: [&dyn AsRef<std::ffi::OsStr>; N]) {
        self.0.extend(words.map(|word| word.as_ref().to_owned()));
    }

    fn ro_bind(&mut self, path: &Path) {
        self.add([&"--ro-bind", &path, &path]);
    }

    /// Mounts an empty tmpfs there, with this mode.
    fn tmpfs(&mut self, path: &Path, mode: &str) {
        self.add([&"--perms", &mode, &"--tmpfs", &path]);
    }

    fn mask_folder(&mut self, path: &Path) {
        self.tmpfs(path, "0000");
    }

    /// Hides a file. One that is gone meanwhile needs no mask.
    fn mask_file(&mut self, path: &Path) {
        if path.symlink_metadata().is_ok() {
            self.add([&"--ro-bind", &"/dev/null", &path]);
        }
    }
}

/// The way to run `bwrap`.
#[derive(Debug, Clone, Copy)]
pub(super) struct BwrapMode {
    pub level: Level,
    /// `bwrap` is too old for `--disable-userns`.
    pub old_version: bool,
    /// True for a network namespace of its own.
    pub own_network: bool,
    /// True for an empty `/tmp` of its own.
    pub own_tmp: bool,
}

/// Returns all arguments before the command. Reserved paths are held already (`hold.rs`).
pub(super) fn options(
    config: &SandboxConfig,
    BwrapMode { level, old_version, own_network, own_tmp }: BwrapMode,
    (visible, session): (&VisiblePaths, &Session),
    folder: &Path,
) -> Vec<OsString> {
    let mut all = ArgumentList::default();
    all.add([&"--unshare-user", &"--cap-drop", &"ALL"]);
    if !old_version {
        all.add([&"--disable-userns"]);
    }
    all.add([&"--unshare-pid", &"--unshare-ipc", &"--unshare-uts", &"--unshare-cgroup-try"]);
    all.add([&"--die-with-parent", &"--new-session", &"--as-pid-1"]);
    if own_network {
        all.add([&"--unshare-net"]);
    }
    system(&mut all, level, visible, (!own_tmp).then(|| session.tmp()));
    all.add([&"--dir", &"/run", &"--ro-bind", &config.program, &HELPER_PATH]);
    if level.writes() {
        // It lies in the root of the sandbox, so that nobody outside can remove its mount point.
        all.add([&"--bind", &session.pins(), &PINS_PATH]);
        all.mask_folder(Path::new(PINS_PATH));
    }
    // A home folder inside the workspace is emptied after that is bound, else before.
    let inner_home = config.home.as_deref().filter(|home| home.starts_with(&config.workspace));
    if inner_home.is_none() {
        home(&mut all, config, visible, session);
    }
    let bind = if level.writes() { "--bind" } else { "--ro-bind" };
    all.add([&bind, &config.workspace, &config.workspace]);
    if inner_home.is_some() {
        home(&mut all, config, visible, session);
    }
    if config.state.starts_with(&config.workspace)
        && !inner_home.is_some_and(|home| config.state.starts_with(home))
        && config.state.is_dir()
    {
        all.mask_folder(&config.state);
    }
    if let Some(home) = &config.home
        && is_mounted(home, visible, &config.workspace)
    {
        all.add([&"--remount-ro", &home]);
    }
    all.add([&"--remount-ro", &"/", &"--chdir", &folder, &"--"]);
    all.0
}

/// True if the home folder lies in a visible path. Otherwise it is a folder of the empty root: one mount
/// less starts faster.
fn is_mounted(home: &Path, visible: &VisiblePaths, workspace: &Path) -> bool {
    let tmp = [Path::new("/tmp"), Path::new("/var/tmp"), workspace];
    let mounted = visible.system.iter().map(PathBuf::as_path).chain(tmp);
    home.is_dir() && mounted.into_iter().any(|top| home.starts_with(top))
}

fn system(all: &mut ArgumentList, level: Level, visible: &VisiblePaths, tmp: Option<PathBuf>) {
    for folder in &visible.system {
        all.ro_bind(folder);
    }
    for (target, link) in &visible.links {
        all.add([&"--symlink", target, link]);
    }
    for folder in &visible.masked_folders {
        all.mask_folder(folder);
    }
    let in_system = |path: &&PathBuf| visible.system.iter().any(|top| path.starts_with(top));
    for file in visible.masked_files.iter().filter(in_system) {
        all.mask_file(file);
    }
    if level.has_network() {
        for path in &visible.resolver {
            all.add([&"--ro-bind-try", path, path]);
        }
    }
    // Kernel settings that root may write are below /proc.
    all.add([&"--proc", &"/proc", &"--remount-ro", &"/proc", &"--dev", &"/dev"]);
    all.add([&"--ro-bind-try", &"/sys/devices/system", &"/sys/devices/system"]);
    match tmp {
        Some(tmp) => all.add([&"--bind", &tmp, &"/tmp"]),
        None => all.tmpfs(Path::new("/tmp"), "0700"),
    }
    all.add([&"--symlink", &"../tmp", &"/var/tmp"]);
}

fn home(all: &mut ArgumentList, config: &SandboxConfig, visible: &VisiblePaths, session: &Session) {
    if let Some(home) = config.home.as_deref().filter(|home| home.is_dir()) {
        if is_mounted(home, visible, &config.workspace) {
            all.tmpfs(home, "0755");
        } else {
            all.add([&"--perms", &"0755", &"--dir", &home]);
        }
        all.add([&"--ro-bind", &session.git_settings(), &home.join(".gitconfig")]);
    }
    for path in &visible.tools {
        all.ro_bind(path);
    }
    let of_tool = |path: &&PathBuf| visible.tools.iter().any(|top| path.starts_with(top));
    for file in visible.masked_files.iter().filter(of_tool) {
        all.mask_file(file);
    }
}
