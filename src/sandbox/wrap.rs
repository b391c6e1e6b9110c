//! Wraps a command into a sandbox, and probes once whether that works here.

use std::ffi::OsString;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use super::config::{HELPER_NAME, JOIN_NETWORK, STAY, SandboxConfig};
use super::git_settings::GitSettings;
use super::placeholders::Placeholders;
use super::refusal::{SandboxRefusal, SandboxRefusalKind};
use super::reserved::{self, KnownPaths, NestedPaths, ReservedPaths, is_taskdoc};
use super::session::Session;
use super::visible::VisiblePaths;
use super::{Means, Sandbox, bwrap, landlock};
use crate::domain::Problem;
use crate::domain::hidden_chars::is_hidden;
use crate::domain::sandbox::Level;
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
    /// To be kept until all processes of the command have ended.
    pub placeholders: Placeholders,
}

/// What is set up once.
#[derive(Debug)]
pub(super) struct PreparedSandbox {
    pub visible: VisiblePaths,
    pub session: Session,
    last_scan: Mutex<LastScan>,
}

/// Result of the last scan of the workspace.
#[derive(Debug, Default)]
struct LastScan {
    nested: NestedPaths,
    known: KnownPaths,
    git_settings: GitSettings,
    /// A command has run since the git settings were checked.
    has_run: bool,
}

/// Paths that appeared in the workspace while commands ran and that no sandbox can prevent, relative to the
/// workspace.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct NewPaths {
    pub taskdocs: Vec<PathBuf>,
    /// The `.git` of each, or the `HEAD` of a workspace that is a bare repository.
    pub repositories: Vec<PathBuf>,
}

/// How a means can be used here.
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
        let nested = NestedPaths::find(&config.workspace);
        let mut known = KnownPaths::default();
        known.add(reserved::repositories(&config.workspace, &nested));
        Ok(Self {
            visible: VisiblePaths::find(home, &config.workspace, &config.tools),
            last_scan: Mutex::new(LastScan { nested, known, ..LastScan::default() }),
            session: Session::create(&config.state, home).map_err(|error| {
                let state = config.state.display();
                SandboxRefusal::failed(Localized::same(format!("{state}: {error}")))
            })?,
        })
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

    /// Taskdocs and repositories created since the last command started. Creating them cannot be prevented;
    /// once found, they are protected. Reads the disk.
    #[must_use]
    pub fn new_paths(&self) -> NewPaths {
        let Ok(prepared) = self.prepared() else { return NewPaths::default() };
        let workspace = &self.config().workspace;
        let nested = NestedPaths::find(workspace);
        let mut taskdocs = reserved::top_taskdocs(workspace);
        taskdocs.extend(nested.taskdocs.iter().cloned());
        let repositories = reserved::repositories(workspace, &nested);
        let mut last_scan = prepared.last_scan.lock().unwrap_or_else(PoisonError::into_inner);
        last_scan.nested = nested;
        let mut relative_new = |paths| {
            let new = last_scan.known.add(paths).into_iter();
            let short = new.map(|path| path.strip_prefix(workspace).unwrap_or(&path).to_owned());
            short.collect()
        };
        let created =
            NewPaths { taskdocs: relative_new(taskdocs), repositories: relative_new(repositories) };
        for path in &created.repositories {
            last_scan.git_settings.add_created(&workspace.join(path));
        }
        created
    }

    /// Problems with git settings that appeared while commands ran.
    pub(super) fn git_settings_problems(&self, prepared: &PreparedSandbox) -> Vec<Problem> {
        let workspace = &self.config().workspace;
        let mut last_scan = prepared.last_scan.lock().unwrap_or_else(PoisonError::into_inner);
        if last_scan.has_run
            && let Ok(reserved) = ReservedPaths::find(workspace, &last_scan.nested, true)
        {
            last_scan.git_settings.check(reserved.fixed.iter(), false);
            last_scan.has_run = self.placeholder_store().has_users();
        }
        let findings = last_scan.git_settings.findings().into_iter();
        findings
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
            .collect()
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
        let command =
            CommandSpec { program: "/bin/sh", arguments: &arguments, folder, stay: false };
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

    fn sandboxed(
        &self,
        usable: UsableMeans,
        level: Level,
        command: CommandSpec<'_>,
    ) -> Result<SandboxedCommand, SandboxRefusal> {
        let prepared = self.prepared()?;
        let config = self.config();
        let mut last_scan = prepared.last_scan.lock().unwrap_or_else(PoisonError::into_inner);
        let reserved = ReservedPaths::find(&config.workspace, &last_scan.nested, level.writes())
            .map_err(|reason| SandboxRefusal(SandboxRefusalKind::Workspace(reason)))?;
        last_scan.known.add(reserved.areas.iter().filter(|path| is_taskdoc(path)).cloned());
        if level.writes() {
            let idle = !last_scan.has_run;
            last_scan.git_settings.check(reserved.fixed.iter(), idle);
            last_scan.has_run = true;
        }
        drop(last_scan);
        let placeholders =
            self.placeholder_store().create(&reserved.missing).map_err(SandboxRefusal::of_error)?;
        match usable.means {
            Means::Bwrap => {
                let program = bwrap::find().ok_or_else(|| SandboxRefusal::failed(NOT_INSTALLED))?;
                let parts = (&prepared.visible, &reserved, &prepared.session);
                let network = self.network().filter(|_| usable.shared_loopback);
                let own_network = network.is_none() && !level.has_network();
                let mode = bwrap::BwrapMode { level, old_version: usable.old_bwrap, own_network };
                let mut arguments = Vec::new();
                let mut first = program.clone();
                if let Some(network) = network {
                    first.clone_from(&config.program);
                    let pid = network.pid.to_string();
                    let join = [HELPER_NAME, JOIN_NETWORK, &pid, "--"];
                    arguments.extend(join.map(OsString::from));
                    arguments.push(program.into());
                }
                arguments.extend(bwrap::options(config, mode, parts, command.folder));
                arguments.push(bwrap::HELPER_PATH.into());
                arguments.extend(helper_arguments(command));
                let environment =
                    ENVIRONMENT.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec();
                Ok(SandboxedCommand {
                    program: first,
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
                let parts = (&prepared.visible, &reserved, &prepared.session);
                let rules = landlock::rules(config, level, parts)
                    .map_err(|reason| SandboxRefusal(SandboxRefusalKind::Workspace(reason)))?;
                let folder = command.folder.as_os_str().to_owned();
                let head = [HELPER_NAME, landlock::OUTSIDE, landlock::FOLDER];
                let mut arguments: Vec<OsString> = head.map(OsString::from).to_vec();
                arguments.push(folder);
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

/// Arguments of the helper.
fn helper_arguments(command: CommandSpec<'_>) -> impl Iterator<Item = OsString> {
    let stay = command.stay.then_some(STAY);
    let head = std::iter::once(HELPER_NAME).chain(stay).chain(["--", command.program]);
    head.chain(command.arguments.iter().copied()).map(OsString::from)
}
