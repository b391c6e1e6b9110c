//! Wraps a command into a sandbox, and probes once whether that works here.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::beneath::{ObjectId, Root};
use super::config::{
    BEFORE_BWRAP, CLOSE, CLOSED, FIX, HELPER_NAME, HIDDEN, JOIN_NETWORK, PIN, STAY, SandboxConfig,
    WORKSPACE,
};
use super::git_settings::GitSettings;
use super::git_targets;
use super::nested::{Found, Search, Unprotected, is_taskdoc};
use super::placeholders::Placeholders;
use super::refusal::{SandboxRefusal, SandboxRefusalKind};
use super::reserved::{self, Ground, JudgeFault, KnownPaths, ReservedObject, ReservedPaths};
use super::session::Session;
use super::visible::VisiblePaths;
use super::{Means, Sandbox, bwrap, landlock};
use crate::domain::Problem;
use crate::domain::safety::reserved::GIT;
use crate::domain::safety::sandbox::Level;
use crate::domain::text::hidden_chars::is_hidden;
use crate::domain::text::{Localized, Text, localized};

const NOT_INSTALLED: Text = Text::new("it is not installed", "它没有安装");

/// Variables that point to folders a command may write.
const ENVIRONMENT: [(&str, &str); 2] = [("TMPDIR", "/tmp"), ("GOCACHE", "/tmp/.go-build")];
/// `PATH` of a probe.
const PROBE_PATH: &str = "/usr/local/bin:/usr/bin:/bin";
/// Tries a forbidden write; exits with 40 if that is denied.
const PROBE_SCRIPT: &str = r#"(: >"$1/.sandbox-try") 2>/dev/null && exit 41; exit 40"#;
const DENIED_EXIT: i32 = 40;
const PROBE_TIMEOUT: Duration = Duration::from_secs(20);
const POLL_INTERVAL: Duration = Duration::from_millis(2);
/// A workspace with more folders is searched after commands only, not before each too.
const MAX_FOLDERS_BEFORE: usize = 2_000;
/// Most attempts to judge a workspace while another command exchanges files in it.
const MAX_TRIES: usize = 20;
/// Length of a reported error.
const MAX_ERROR_CHARS: usize = 300;

/// A command to be sandboxed.
#[derive(Debug, Clone, Copy)]
pub struct CommandSpec<'a> {
    pub program: &'a str,
    pub arguments: &'a [&'a str],
    pub folder: &'a Path,
    /// Processes that the command leaves behind may go on.
    pub stay: bool,
    /// By `bwrap` it shares neither its loopback nor its `/tmp` with other commands.
    pub apart: bool,
}

/// The command line that runs a command in a sandbox.
#[derive(Debug)]
pub struct SandboxedCommand {
    pub program: PathBuf,
    pub arguments: Vec<OsString>,
    /// Overrides the environment of the command.
    pub environment: Vec<(String, String)>,
    /// Number of nested processes of the sandbox itself, above the command.
    pub layers: usize,
    /// Must be kept until all processes of the command have ended.
    pub placeholders: Placeholders,
}

/// The parts that are set up once.
#[derive(Debug)]
pub(super) struct PreparedSandbox {
    /// The workspace, open from the first command to the last.
    root: Root,
    pub visible: VisiblePaths,
    session: Session,
    last_scan: Mutex<LastScan>,
}

/// Result of the last scan of the workspace.
#[derive(Debug, Default)]
struct LastScan {
    search: Search,
    known: KnownPaths,
    git_settings: GitSettings,
    /// States of git seen so far, and those that appeared while commands ran.
    seen_states: BTreeSet<ObjectId>,
    own_states: BTreeSet<ObjectId>,
    /// Targets of settings that a result has named.
    told: BTreeSet<PathBuf>,
    unprotected: Unprotected,
    /// A command has run since the git settings were checked.
    has_run: bool,
}

/// Paths that a command left in the workspace, which no sandbox can prevent, and places that are not
/// protected or were not known before. Paths are relative to the workspace.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct NewPaths {
    pub taskdocs: Vec<PathBuf>,
    /// The `.git` of each, or the `HEAD` of a workspace that is a bare repository.
    pub repositories: Vec<PathBuf>,
    /// Files that settings of git name, which commands cannot write, with the setting.
    pub settings: Vec<(PathBuf, String)>,
    /// Unprotected places, if they were not reported before.
    pub unprotected: Unprotected,
}

/// A mechanism that can be used here, with its limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct UsableMeans {
    pub means: Means,
    /// `bwrap` is too old for `--disable-userns`; the seccomp filter does the same.
    pub old_bwrap: bool,
    /// Commands without network access share a loopback.
    pub shared_loopback: bool,
}

impl PreparedSandbox {
    pub fn new(config: &SandboxConfig) -> Result<Self, SandboxRefusal> {
        check_workspace(config)?;
        let home = config.home.as_deref();
        let failed = |path: &Path, error: std::io::Error| {
            SandboxRefusal::failed(Localized::same(format!("{}: {error}", path.display())))
        };
        let workspace = &config.workspace;
        let root = Root::open(workspace).map_err(|error| failed(workspace, error))?;
        let mut last_scan = LastScan::default();
        let nested = last_scan.search.refresh(&root);
        last_scan.known.add(reserved::repositories(&root, nested));
        let mut visible = VisiblePaths::find(config);
        // Paths in the workspace are visible there, and a command may exchange them.
        visible.tools.retain(|path| !path.starts_with(workspace));
        Ok(Self {
            root,
            visible,
            last_scan: Mutex::new(last_scan),
            session: Session::create(&config.state, home)
                .map_err(|error| failed(&config.state, error))?,
        })
    }

    fn last_scan(&self) -> MutexGuard<'_, LastScan> {
        self.last_scan.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl LastScan {
    /// Judges the reserved paths now. `root`: the workspace.
    fn judge(
        &self,
        root: &Root,
        home: Option<&Path>,
        writes: bool,
    ) -> Result<ReservedPaths, JudgeFault> {
        let (nested, own_states) = (self.search.found(), &self.own_states);
        ReservedPaths::find(Ground { root, home, nested, own_states }, writes)
    }

    /// A rebase or the like that appears while commands run is theirs; any other is the person's. Returns the new ones
    /// of commands.
    fn note_states(&mut self, states: &[ReservedObject], idle: bool) -> Vec<PathBuf> {
        let mut new = Vec::new();
        for ReservedObject { path, id } in states {
            if let Some(id) = *id
                && self.seen_states.insert(id)
                && !idle
            {
                self.own_states.insert(id);
                new.push(path.clone());
            }
        }
        new
    }
}

/// Refuses workspaces that contain the home folder or system folders: a sandbox would protect nothing.
fn check_workspace(config: &SandboxConfig) -> Result<(), SandboxRefusal> {
    const SHARED: [&str; 12] = [
        "/", "/usr", "/etc", "/opt", "/nix", "/tmp", "/var", "/var/tmp", "/run", "/proc", "/dev",
        "/sys",
    ];
    let workspace = &config.workspace;
    let reason = if config.home.as_ref() == Some(workspace) {
        Text::new(
            "it is the home folder, whose secrets could not be protected from commands",
            "它是主目录，无法保护其中的机密不被命令读取",
        )
    } else if SHARED.iter().any(|folder| workspace == Path::new(folder)) {
        Text::new(
            "it is a system folder; choose a folder of its own",
            "它是系统文件夹；请选用单独的文件夹",
        )
    } else if workspace.starts_with(&config.state) {
        Text::new("it lies in the state folder of this program", "它位于本程序的状态文件夹内")
    } else {
        return Ok(());
    };
    Err(SandboxRefusal(SandboxRefusalKind::Workspace(reason.into())))
}

impl Sandbox {
    /// Wraps a command for this level, by the means that works here.
    pub fn wrap(
        &self,
        level: Level,
        command: CommandSpec<'_>,
    ) -> Result<SandboxedCommand, SandboxRefusal> {
        let usable = self.usable(level)?;
        self.sandboxed(usable, level, command)
    }

    /// Returns the paths that appeared in the workspace since the last command started. Creating them cannot
    /// be prevented; once found, they are protected. Reads the disk.
    #[must_use]
    pub fn new_paths(&self) -> NewPaths {
        let Ok(prepared) = self.prepared() else { return NewPaths::default() };
        let (config, root) = (self.config(), &prepared.root);
        let mut last_scan = prepared.last_scan();
        let last_scan = &mut *last_scan;
        let nested = last_scan.search.refresh(root);
        let taskdocs = reserved::taskdocs(root, nested).unwrap_or_default();
        let repositories = reserved::repositories(root, nested);
        let unprotected = nested.unprotected.clone();
        let short = |path: PathBuf| path.strip_prefix(root.path()).unwrap_or(&path).to_owned();
        let mut new = |found: Vec<Found>| last_scan.known.add(found);
        let (taskdocs, repositories) = (new(taskdocs), new(repositories));
        let mut settings = Vec::new();
        if let Ok(judged) = last_scan.judge(root, config.home.as_deref(), true) {
            let states = last_scan.note_states(&judged.states, false);
            for path in repositories.iter().chain(&states) {
                last_scan.git_settings.add_created(root, path);
            }
            for (path, target) in judged.targets {
                if last_scan.told.insert(path.clone()) {
                    settings.push((short(path), target.setting));
                }
            }
        }
        let is_told = last_scan.unprotected == unprotected;
        last_scan.unprotected = unprotected.clone();
        NewPaths {
            taskdocs: taskdocs.into_iter().map(short).collect(),
            repositories: repositories.into_iter().map(short).collect(),
            settings,
            unprotected: if is_told { Unprotected::default() } else { unprotected },
        }
    }

    /// Files of the workspace that settings of git name, with the setting; commands cannot write them. Relative to the
    /// workspace.
    #[must_use]
    pub fn settings_of_git(&self) -> Vec<(PathBuf, String)> {
        let Ok(prepared) = self.prepared() else { return Vec::new() };
        let root = &prepared.root;
        let judged = prepared.last_scan().judge(root, self.config().home.as_deref(), true);
        let targets = judged.map(|judged| judged.targets).unwrap_or_default().into_iter();
        let short = |path: PathBuf| path.strip_prefix(root.path()).unwrap_or(&path).to_owned();
        targets.map(|(path, target)| (short(path), target.setting)).collect()
    }

    /// Names of the settings by which a repository of the workspace has git run a program on content. Reads the disk.
    #[must_use]
    pub fn drivers_of_git(&self) -> BTreeSet<String> {
        let Ok(prepared) = self.prepared() else { return BTreeSet::new() };
        let (root, mut last_scan) = (&prepared.root, prepared.last_scan());
        if last_scan.search.folders() <= MAX_FOLDERS_BEFORE {
            last_scan.search.refresh(root);
        }
        let nested = last_scan.search.found().repositories.iter().map(|found| found.path.clone());
        let all = std::iter::once(root.path().join(GIT)).chain(nested);
        git_targets::drivers(root, self.config().home.as_deref(), all)
    }

    /// Returns the problem that parts of the workspace are not protected from commands.
    #[must_use]
    pub fn unprotected(&self) -> Option<Problem> {
        let prepared = self.prepared().ok()?;
        prepared.last_scan().search.found().unprotected.problem(prepared.root.path())
    }

    /// Returns problems with git settings that appeared while commands ran, and with unprotected places.
    pub(super) fn workspace_problems(&self, prepared: &PreparedSandbox) -> Vec<Problem> {
        let (workspace, root) = (&self.config().workspace, &prepared.root);
        let mut last_scan = prepared.last_scan();
        if last_scan.has_run
            && let Ok(judged) = last_scan.judge(root, self.config().home.as_deref(), true)
        {
            let files = judged.fixed.iter().map(|held| held.path.as_path());
            last_scan.git_settings.check(root, files, false);
            last_scan.has_run = self.placeholder_store().has_users();
        }
        let findings = last_scan.git_settings.findings().into_iter();
        let mut problems: Vec<Problem> = findings
            .map(|(path, names)| {
                let file = path.strip_prefix(workspace).unwrap_or(&path).display().to_string();
                let names = names.join(", ");
                let text = localized!(
                    "a command may have set this while it ran: {names}",
                    "命令执行时可能改了这些设置：{names}"
                );
                let fix = Text::new(
                    "if it was not you, remove it before you use git there, which runs what it names",
                    "若不是你设置的，请先删除再在那里使用 git：git 会执行其中写的程序",
                );
                Problem::new(format!("sandbox/{file}"), file, text, fix)
            })
            .collect();
        problems.extend(last_scan.search.found().unprotected.problem(workspace));
        problems
    }

    /// Probes each means with exactly the options that will be used, in order of preference.
    pub(super) fn probe(&self, level: Level) -> Result<UsableMeans, SandboxRefusal> {
        let mut errors = Vec::new();
        for means in Means::ALL.into_iter().filter(|means| self.may_use(*means)) {
            let mut first = None;
            for (old_bwrap, shared_loopback) in self.variants(means, level) {
                let usable = UsableMeans { means, old_bwrap, shared_loopback };
                match self.probe_one(usable, level) {
                    Ok(()) => return Ok(usable),
                    Err(SandboxRefusal(SandboxRefusalKind::Failed(reason))) => {
                        _ = first.get_or_insert(reason);
                    }
                    Err(refusal) => return Err(refusal),
                }
            }
            errors.push((means.name(), first.unwrap_or_default()));
        }
        Err(SandboxRefusal(SandboxRefusalKind::NoMeans(errors)))
    }

    /// Variants of a means as (old, shared loopback), in order of preference.
    fn variants(&self, means: Means, level: Level) -> Vec<(bool, bool)> {
        if means == Means::Landlock {
            return vec![(false, false)];
        }
        let shared_loopback = !level.has_network() && self.network().is_some();
        let shared: &[bool] = if shared_loopback { &[true, false] } else { &[false] };
        let with_age =
            |old_bwrap| shared.iter().map(move |shared_loopback| (old_bwrap, *shared_loopback));
        with_age(false).chain(with_age(true)).collect()
    }

    fn probe_one(&self, usable: UsableMeans, level: Level) -> Result<(), SandboxRefusal> {
        let config = self.config();
        let area = config.workspace.join(".minds");
        let arguments = ["-c", PROBE_SCRIPT, "sh", &area.to_string_lossy()];
        let folder = config.workspace.as_path();
        let command = CommandSpec {
            program: "/bin/sh",
            arguments: &arguments,
            folder,
            stay: false,
            apart: false,
        };
        let sandboxed = self.sandboxed(usable, level, command)?;
        let mut child = Command::new(&sandboxed.program)
            .args(&sandboxed.arguments)
            .current_dir("/")
            .env_clear()
            .env("PATH", PROBE_PATH)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(SandboxRefusal::of_error)?;
        let mut waited = Duration::ZERO;
        let code = loop {
            match child.try_wait().map_err(SandboxRefusal::of_error)? {
                Some(status) => break status.code(),
                None if waited >= PROBE_TIMEOUT => {
                    let _ = child.kill();
                    break None;
                }
                None => {}
            }
            std::thread::sleep(POLL_INTERVAL);
            waited += POLL_INTERVAL;
        };
        if code == Some(DENIED_EXIT) {
            return Ok(());
        }
        let mut text = String::new();
        if let Some(stderr) = child.stderr.take() {
            let _ = stderr.take(4096).read_to_string(&mut text);
        }
        let written = area.join(".sandbox-try");
        if written.exists() {
            drop(std::fs::remove_file(written));
            let text = Text::new("it does not restrict writes", "它不限制写入");
            return Err(SandboxRefusal::failed(text));
        }
        let one_line = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let output: String =
            one_line.chars().filter(|&c| !is_hidden(c)).take(MAX_ERROR_CHARS).collect();
        Err(SandboxRefusal::failed(if output.is_empty() {
            Text::new("it did not start", "它没有启动").into()
        } else {
            Localized::same(output)
        }))
    }

    /// Judges the workspace and makes the placeholders; repeats this while another command exchanges files in
    /// it.
    fn reserve(
        &self,
        prepared: &PreparedSandbox,
        level: Level,
    ) -> Result<(ReservedPaths, Placeholders), SandboxRefusal> {
        let (root, home) = (&prepared.root, self.config().home.as_deref());
        let mut fault = None;
        for _ in 0..MAX_TRIES {
            let mut last_scan = prepared.last_scan();
            if fault.is_some() || last_scan.search.folders() <= MAX_FOLDERS_BEFORE {
                last_scan.search.refresh(root);
            }
            let idle = !self.placeholder_store().has_users();
            let mut reserved = match last_scan.judge(root, home, level.writes()) {
                Ok(reserved) => reserved,
                Err(judged) => {
                    fault = Some(match judged {
                        // A link, perhaps for this moment only.
                        JudgeFault::Refused(reason) => {
                            SandboxRefusal(SandboxRefusalKind::Workspace(reason))
                        }
                        JudgeFault::Changed(path) => SandboxRefusal::failed(changed(&path)),
                    });
                    drop(last_scan);
                    std::thread::sleep(POLL_INTERVAL);
                    continue;
                }
            };
            let taskdocs = reserved.areas.iter().filter(|held| is_taskdoc(&held.path));
            let found =
                |held: &ReservedObject| Some(Found { path: held.path.clone(), id: held.id? });
            last_scan.known.add(taskdocs.filter_map(found));
            if level.writes() {
                let new = last_scan.note_states(&reserved.states, idle);
                for path in new {
                    last_scan.git_settings.add_created(root, &path);
                }
                let idle = !last_scan.has_run;
                let files = reserved.fixed.iter().map(|held| held.path.as_path());
                last_scan.git_settings.check(root, files, idle);
                last_scan.has_run = true;
            }
            drop(last_scan);
            match self.placeholder_store().create(root, &reserved.missing) {
                Ok((placeholders, made)) => {
                    if !reserved.missing.is_empty() {
                        self.placeholder_store().keep_swept(&self.config().program);
                    }
                    reserved.made(&made);
                    return Ok((reserved, placeholders));
                }
                Err(error) => fault = Some(SandboxRefusal::of_error(error)),
            }
            std::thread::sleep(POLL_INTERVAL);
        }
        Err(fault.unwrap_or_else(|| SandboxRefusal::failed(Localized::default())))
    }

    fn sandboxed(
        &self,
        usable: UsableMeans,
        level: Level,
        command: CommandSpec<'_>,
    ) -> Result<SandboxedCommand, SandboxRefusal> {
        let prepared = self.prepared()?;
        let config = self.config();
        let root = &prepared.root;
        let (reserved, placeholders) = self.reserve(prepared, level)?;
        let id = root.id().map_err(SandboxRefusal::of_error)?;
        let workspace: [OsString; 3] = [WORKSPACE.into(), root.path().into(), id.into()];
        match usable.means {
            Means::Bwrap => {
                let program = bwrap::find().ok_or_else(|| SandboxRefusal::failed(NOT_INSTALLED))?;
                let network = self.network().filter(|_| usable.shared_loopback && !command.apart);
                let own_network = network.is_none() && !level.has_network();
                let (old_version, own_tmp) = (usable.old_bwrap, command.apart);
                let mode = bwrap::BwrapMode { level, old_version, own_network, own_tmp };
                let mut arguments = [HELPER_NAME, BEFORE_BWRAP].map(OsString::from).to_vec();
                if let Some(network) = network {
                    arguments.extend([JOIN_NETWORK.into(), network.pid.to_string().into()]);
                }
                arguments.extend(workspace);
                arguments.extend(holds(config, prepared, &reserved, level)?);
                arguments.extend(["--".into(), program.into()]);
                let parts = (&prepared.visible, &prepared.session);
                arguments.extend(bwrap::options(config, mode, parts, command.folder));
                arguments.push(bwrap::HELPER_PATH.into());
                arguments.extend(helper_arguments(command));
                let environment =
                    ENVIRONMENT.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec();
                Ok(SandboxedCommand {
                    program: config.program.clone(),
                    arguments,
                    environment,
                    layers: 2,
                    placeholders,
                })
            }
            Means::Landlock => {
                if !cfg!(target_os = "linux") {
                    let text = Text::new("it exists only on Linux", "只有 Linux 才有");
                    return Err(SandboxRefusal::failed(text));
                }
                let parts = (root, &prepared.visible, &reserved, &prepared.session);
                let rules = landlock::rules(config, level, parts)
                    .map_err(|reason| SandboxRefusal(SandboxRefusalKind::Workspace(reason)))?;
                let folder = command.folder.as_os_str().to_owned();
                let head = [HELPER_NAME, landlock::OUTSIDE, landlock::FOLDER];
                let mut arguments: Vec<OsString> = head.map(OsString::from).to_vec();
                arguments.push(folder);
                arguments.extend(workspace);
                arguments.extend(rules);
                arguments.extend(helper_arguments(command).skip(1));
                let tmp = prepared.session.tmp().display().to_string();
                let settings = prepared.session.git_settings().display().to_string();
                let environment = vec![
                    ("GOCACHE".to_owned(), format!("{tmp}/.go-build")),
                    ("TMPDIR".to_owned(), tmp),
                    ("GIT_CONFIG_GLOBAL".to_owned(), settings),
                ];
                let program = config.program.clone();
                Ok(SandboxedCommand { program, arguments, environment, layers: 1, placeholders })
            }
        }
    }
}

/// Returns the paths that the helper holds before `bwrap` starts. At a level without writing nothing is pinned, and
/// no hidden copy is made.
fn holds(
    config: &SandboxConfig,
    prepared: &PreparedSandbox,
    reserved: &ReservedPaths,
    level: Level,
) -> Result<Vec<OsString>, SandboxRefusal> {
    let PreparedSandbox { root, session, .. } = prepared;
    let mut arguments =
        vec![CLOSED.into(), session.closed_folder().into(), session.closed_file().into()];
    if level.writes() {
        arguments.extend([HIDDEN.into(), session.pins().into()]);
    }
    let mut add = |how: &str, path: &Path, id: ObjectId| {
        arguments.extend([how.into(), path.into(), id.into()]);
    };
    // A home or state folder in the workspace is hidden, even if it is moved.
    let own = config.home.iter().chain([&config.state]);
    for path in own.filter(|path| path.starts_with(root.path())) {
        if let Some(object) = root.look(path).map_err(SandboxRefusal::of_error)? {
            add(CLOSE, path, object.id);
        }
    }
    let (areas, fixed) = (reserved.areas.iter(), reserved.fixed.iter());
    let area = if level.writes() { FIX } else { CLOSE };
    let pinned = reserved.pinned.iter().map(|held| (PIN, held));
    for (how, ReservedObject { path, id }) in
        pinned.chain(areas.map(|held| (area, held))).chain(fixed.map(|held| (FIX, held)))
    {
        let gone = || SandboxRefusal::failed(changed(path));
        add(how, path, id.ok_or_else(gone)?);
    }
    Ok(arguments)
}

fn changed(path: &Path) -> Localized {
    let path = path.display();
    localized!(
        "{path} is replaced again and again by something that runs; end it, then try again",
        "{path} 不断被正在运行的程序替换；请先结束该程序再重试"
    )
}

/// Arguments of the helper.
fn helper_arguments(command: CommandSpec<'_>) -> impl Iterator<Item = OsString> {
    let stay = command.stay.then_some(STAY);
    let head = std::iter::once(HELPER_NAME).chain(stay).chain(["--", command.program]);
    head.chain(command.arguments.iter().copied()).map(OsString::from)
}
