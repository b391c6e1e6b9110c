//! The options of `bwrap`: an empty root, what is shown bound read-only, the home folder empty, the
//! workspace last.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::SandboxConfig;
use super::places::Places;
use super::reserved::Reserved;
use super::session::Session;
use crate::domain::sandbox::Level;

/// Where it is looked for: places only an administrator writes to.
const FOLDERS: [&str; 4] =
    ["/usr/bin/bwrap", "/usr/local/bin/bwrap", "/bin/bwrap", "/run/current-system/sw/bin/bwrap"];
/// Where a command finds this program as the first process of its sandbox.
pub(super) const HELPER: &str = "/run/dominds-tui";

/// The program, if it is there.
pub(super) fn find() -> Option<PathBuf> {
    FOLDERS.iter().map(PathBuf::from).find(|path| path.is_file())
}

/// A list of arguments that grows.
#[derive(Debug, Default)]
struct Options(Vec<OsString>);

impl Options {
    fn add<const N: usize>(&mut self, words: [&dyn AsRef<std::ffi::OsStr>; N]) {
        self.0.extend(words.map(|word| word.as_ref().to_owned()));
    }

    fn shown(&mut self, path: &Path) {
        self.add([&"--ro-bind", &path, &path]);
    }

    /// An empty folder in its place, with this mode.
    fn emptied(&mut self, path: &Path, mode: &str) {
        self.add([&"--perms", &mode, &"--tmpfs", &path]);
    }

    /// What a command writes there nobody else sees.
    fn shut_folder(&mut self, path: &Path) {
        self.emptied(path, "0000");
    }

    fn shut_file(&mut self, path: &Path) {
        self.add([&"--ro-bind", &"/dev/null", &path]);
    }
}

/// What there is to choose.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ways {
    pub level: Level,
    /// It knows no `--disable-userns`.
    pub old: bool,
    /// With a network that no other command is in.
    pub alone: bool,
}

/// Everything before the command. What is reserved must stand there already.
pub(super) fn options(
    ground: &SandboxConfig,
    Ways { level, old, alone }: Ways,
    (places, reserved, session): (&Places, &Reserved, &Session),
    folder: &Path,
) -> Vec<OsString> {
    let mut all = Options::default();
    all.add([&"--unshare-user", &"--cap-drop", &"ALL"]);
    if !old {
        all.add([&"--disable-userns"]);
    }
    all.add([&"--unshare-pid", &"--unshare-ipc", &"--unshare-uts", &"--unshare-cgroup-try"]);
    all.add([&"--die-with-parent", &"--new-session", &"--as-pid-1"]);
    if alone {
        all.add([&"--unshare-net"]);
    }
    system(&mut all, level, places, session);
    all.add([&"--dir", &"/run", &"--ro-bind", &ground.program, &HELPER]);
    // A home folder inside the workspace is emptied after that is bound, else before.
    let inner_home = ground.home.as_deref().filter(|home| home.starts_with(&ground.workspace));
    if inner_home.is_none() {
        home(&mut all, ground, places, session);
    }
    workspace(&mut all, &ground.workspace, level, reserved);
    if inner_home.is_some() {
        home(&mut all, ground, places, session);
    }
    if ground.state.starts_with(&ground.workspace)
        && !inner_home.is_some_and(|home| ground.state.starts_with(home))
        && ground.state.is_dir()
    {
        all.shut_folder(&ground.state);
    }
    if let Some(home) = &ground.home
        && is_mounted(home, places, &ground.workspace)
    {
        all.add([&"--remount-ro", &home]);
    }
    all.add([&"--remount-ro", &"/", &"--chdir", &folder, &"--"]);
    all.0
}

/// True for a home folder that lies in something shown. Else it is a folder of the empty root; a mount
/// less starts faster.
fn is_mounted(home: &Path, places: &Places, workspace: &Path) -> bool {
    let tmp = [Path::new("/tmp"), Path::new("/var/tmp"), workspace];
    let shown = places.system.iter().map(PathBuf::as_path).chain(tmp);
    home.is_dir() && shown.into_iter().any(|top| home.starts_with(top))
}

fn system(all: &mut Options, level: Level, places: &Places, session: &Session) {
    for folder in &places.system {
        all.shown(folder);
    }
    for (told, link) in &places.links {
        all.add([&"--symlink", told, link]);
    }
    for folder in &places.shut_folders {
        all.shut_folder(folder);
    }
    let in_system = |path: &&PathBuf| places.system.iter().any(|top| path.starts_with(top));
    for file in places.shut_files.iter().filter(in_system) {
        all.shut_file(file);
    }
    if level.has_network() {
        for path in &places.resolver {
            all.add([&"--ro-bind-try", path, path]);
        }
    }
    // Settings of the kernel, which an administrator may write, are below /proc.
    all.add([&"--proc", &"/proc", &"--remount-ro", &"/proc", &"--dev", &"/dev"]);
    all.add([&"--ro-bind-try", &"/sys/devices/system", &"/sys/devices/system"]);
    all.add([&"--bind", &session.tmp(), &"/tmp", &"--symlink", &"../tmp", &"/var/tmp"]);
}

fn home(all: &mut Options, ground: &SandboxConfig, places: &Places, session: &Session) {
    if let Some(home) = ground.home.as_deref().filter(|home| home.is_dir()) {
        if is_mounted(home, places, &ground.workspace) {
            all.emptied(home, "0755");
        } else {
            all.add([&"--perms", &"0755", &"--dir", &home]);
        }
        all.add([&"--ro-bind", &session.git_settings(), &home.join(".gitconfig")]);
    }
    for path in &places.tools {
        all.shown(path);
    }
    let of_tool = |path: &&PathBuf| places.tools.iter().any(|top| path.starts_with(top));
    for file in places.shut_files.iter().filter(of_tool) {
        all.shut_file(file);
    }
}

fn workspace(all: &mut Options, workspace: &Path, level: Level, reserved: &Reserved) {
    if level.writes() {
        all.add([&"--bind", &workspace, &workspace]);
        for path in &reserved.areas {
            all.shown(path);
        }
        for path in &reserved.pinned {
            all.add([&"--bind", path, path]);
        }
        for path in &reserved.fixed {
            all.shown(path);
        }
        return;
    }
    all.shown(workspace);
    for path in &reserved.areas {
        if path.is_dir() { all.shut_folder(path) } else { all.shut_file(path) }
    }
}
