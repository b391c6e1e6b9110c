//! Puts a command behind the wall, and tries once whether that works here.

use std::ffi::OsString;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use super::placeholders::Placeholders;
use super::places::Places;
use super::refusal::{SandboxRefusal, SandboxRefusalKind};
use super::reserved::{self, Below, Known, Reserved, is_taskdoc};
use super::session::Session;
use super::settings::Settings;
use super::{Means, Sandbox, SandboxConfig, bwrap, landlock};
use crate::domain::Problem;
use crate::domain::sandbox::Level;

/// What a command gets for the folders in which it may write.
const VARIABLES: [(&str, &str); 2] = [("TMPDIR", "/tmp"), ("GOCACHE", "/tmp/.go-build")];
/// The path of a try.
const PLAIN_PATH: &str = "/usr/local/bin:/usr/bin:/bin";
/// Writes where nothing may be written; 40 if it could not.
const TRY: &str = r#"(: >"$1/.sandbox-try") 2>/dev/null && exit 41; exit 40"#;
const HELD: i32 = 40;
/// A try that takes longer has failed.
const TRY_LIMIT: Duration = Duration::from_secs(20);
/// Between two looks at a try.
const LOOK: Duration = Duration::from_millis(2);
/// Of what a try says.
const SAID_CHARS: usize = 300;

/// A command as it was meant.
#[derive(Debug, Clone, Copy)]
pub struct CommandSpec<'a> {
    pub program: &'a str,
    pub arguments: &'a [&'a str],
    pub folder: &'a Path,
    /// What the command leaves running may go on after its end.
    pub stay: bool,
}

/// A command behind the wall.
#[derive(Debug)]
pub struct Wrapped {
    pub program: PathBuf,
    pub arguments: Vec<OsString>,
    /// Over what the command is told otherwise.
    pub environment: Vec<(String, String)>,
    /// Processes that are the sandbox, one below the other; the command is below them.
    pub layers: usize,
    /// Lives as long as anything of the command does.
    pub standing: Placeholders,
}

/// What is found out and made once.
#[derive(Debug)]
pub(super) struct Built {
    pub places: Places,
    pub session: Session,
    last: Mutex<Last>,
}

/// What was found of the workspace when it was last looked at.
#[derive(Debug, Default)]
struct Last {
    below: Below,
    known: Known,
    settings: Settings,
    /// A command has run since the settings were looked at.
    ran: bool,
}

/// What came into being in the workspace while commands ran, and no sandbox can prevent. Paths are below
/// the workspace.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct NewPaths {
    pub taskdocs: Vec<PathBuf>,
    /// By what git looks for: a `.git`, or the `HEAD` of a top that is a repository by itself.
    pub repositories: Vec<PathBuf>,
}

/// How a means works here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Found {
    pub means: Means,
    /// `bwrap` knows no `--disable-userns`; the filter of system calls does the same.
    pub old: bool,
    /// Commands without the network share a loopback.
    pub joined: bool,
}

impl Built {
    pub fn new(ground: &SandboxConfig) -> Result<Self, SandboxRefusal> {
        refuse_workspace(ground)?;
        let home = ground.home.as_deref();
        let below = Below::find(&ground.workspace);
        let mut known = Known::default();
        known.add(reserved::repositories(&ground.workspace, &below));
        Ok(Self {
            places: Places::find(home, &ground.workspace, &ground.tools),
            last: Mutex::new(Last { below, known, ..Last::default() }),
            session: Session::begin(&ground.state, home).map_err(|error| {
                SandboxRefusal::broken(format!("{}: {error}", ground.state.display()))
            })?,
        })
    }
}

/// A wall around what holds everything would hold nothing.
fn refuse_workspace(ground: &SandboxConfig) -> Result<(), SandboxRefusal> {
    const SHARED: [&str; 12] = [
        "/", "/usr", "/etc", "/opt", "/nix", "/tmp", "/var", "/var/tmp", "/run", "/proc", "/dev",
        "/sys",
    ];
    let workspace = &ground.workspace;
    let why = if ground.home.as_ref() == Some(workspace) {
        "it is the home folder, whose secrets cannot be kept from commands then"
    } else if SHARED.iter().any(|folder| workspace == Path::new(folder)) {
        "it is a folder of the system; choose one of its own"
    } else if workspace.starts_with(&ground.state) {
        "it lies among the files of this program"
    } else {
        return Ok(());
    };
    Err(SandboxRefusal(SandboxRefusalKind::Workspace(why.to_owned())))
}

impl Sandbox {
    /// The command behind the wall of this level, by what works here.
    pub fn wrap(&self, level: Level, order: CommandSpec<'_>) -> Result<Wrapped, SandboxRefusal> {
        let found = self.found(level)?;
        self.wrapped(found, level, order)
    }

    /// What was made since a command last began. A Taskdoc cannot be kept from being made, only found, nor
    /// can a repository below the top; what is found is held from then on. Touches the disk.
    #[must_use]
    pub fn made(&self) -> NewPaths {
        let Ok(built) = self.built() else { return NewPaths::default() };
        let workspace = &self.ground().workspace;
        let below = Below::find(workspace);
        let mut taskdocs = reserved::top_taskdocs(workspace);
        taskdocs.extend(below.taskdocs.iter().cloned());
        let repositories = reserved::repositories(workspace, &below);
        let mut last = built.last.lock().unwrap_or_else(PoisonError::into_inner);
        last.below = below;
        let mut new = |paths| {
            let new = last.known.add(paths).into_iter();
            let short = new.map(|path| path.strip_prefix(workspace).unwrap_or(&path).to_owned());
            short.collect()
        };
        let made = NewPaths { taskdocs: new(taskdocs), repositories: new(repositories) };
        for path in &made.repositories {
            last.settings.made(&workspace.join(path));
        }
        made
    }

    /// What is to be said of settings of git that came while commands ran.
    pub(super) fn settings(&self, built: &Built) -> Vec<Problem> {
        let workspace = &self.ground().workspace;
        let mut last = built.last.lock().unwrap_or_else(PoisonError::into_inner);
        if last.ran
            && let Ok(reserved) = Reserved::find(workspace, &last.below, true)
        {
            last.settings.look(reserved.fixed.iter(), false);
            last.ran = self.stands().are_used();
        }
        let found = last.settings.found().into_iter();
        found
            .map(|(path, names)| {
                let file = path.strip_prefix(workspace).unwrap_or(&path).display().to_string();
                let text = format!("a command may have set this while it ran: {}", names.join(", "));
                let mend = "if it was not you, remove it before you use git there, which runs what it names";
                Problem::new(format!("sandbox/{file}"), file, text, mend)
            })
            .collect()
    }

    /// Tries each means with the very options that are used, the better one first.
    pub(super) fn try_all(&self, level: Level) -> Result<Found, SandboxRefusal> {
        let mut said = Vec::new();
        for means in Means::ALL.into_iter().filter(|means| self.may_use(*means)) {
            let mut first = None;
            for (old, joined) in self.ways(means, level) {
                let found = Found { means, old, joined };
                match self.try_one(found, level) {
                    Ok(()) => return Ok(found),
                    Err(SandboxRefusal(SandboxRefusalKind::Broken(why))) => {
                        _ = first.get_or_insert(why);
                    }
                    Err(refusal) => return Err(refusal),
                }
            }
            said.push((means.name(), first.unwrap_or_default()));
        }
        Err(SandboxRefusal(SandboxRefusalKind::NoMeans(said)))
    }

    /// The better one first.
    fn ways(&self, means: Means, level: Level) -> Vec<(bool, bool)> {
        if means == Means::Landlock {
            return vec![(false, false)];
        }
        let joined = !level.has_network() && self.network().is_some();
        let shared: &[bool] = if joined { &[true, false] } else { &[false] };
        let old = |old| shared.iter().map(move |joined| (old, *joined));
        old(false).chain(old(true)).collect()
    }

    fn try_one(&self, found: Found, level: Level) -> Result<(), SandboxRefusal> {
        let ground = self.ground();
        let area = ground.workspace.join(".minds");
        let arguments = ["-c", TRY, "sh", &area.to_string_lossy()];
        let folder = ground.workspace.as_path();
        let order = CommandSpec { program: "/bin/sh", arguments: &arguments, folder, stay: false };
        let wrapped = self.wrapped(found, level, order)?;
        let mut child = Command::new(&wrapped.program)
            .args(&wrapped.arguments)
            .current_dir("/")
            .env_clear()
            .env("PATH", PLAIN_PATH)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(SandboxRefusal::broken)?;
        let mut waited = Duration::ZERO;
        let code = loop {
            match child.try_wait().map_err(SandboxRefusal::broken)? {
                Some(status) => break status.code(),
                None if waited >= TRY_LIMIT => {
                    let _ = child.kill();
                    break None;
                }
                None => {}
            }
            std::thread::sleep(LOOK);
            waited += LOOK;
        };
        if code == Some(HELD) {
            return Ok(());
        }
        let mut text = String::new();
        if let Some(stderr) = child.stderr.take() {
            let _ = stderr.take(4096).read_to_string(&mut text);
        }
        let written = area.join(".sandbox-try");
        if written.exists() {
            drop(std::fs::remove_file(written));
            "it held nothing".clone_into(&mut text);
        }
        let one_line = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let said: String = one_line.chars().filter(|c| !c.is_control()).take(SAID_CHARS).collect();
        Err(SandboxRefusal::broken(if said.is_empty() {
            "it did not start".to_owned()
        } else {
            said
        }))
    }

    fn wrapped(
        &self,
        found: Found,
        level: Level,
        order: CommandSpec<'_>,
    ) -> Result<Wrapped, SandboxRefusal> {
        let built = self.built()?;
        let ground = self.ground();
        let mut last = built.last.lock().unwrap_or_else(PoisonError::into_inner);
        let reserved = Reserved::find(&ground.workspace, &last.below, level.writes())
            .map_err(|why| SandboxRefusal(SandboxRefusalKind::Workspace(why)))?;
        last.known.add(reserved.areas.iter().filter(|path| is_taskdoc(path)).cloned());
        if level.writes() {
            let idle = !last.ran;
            last.settings.look(reserved.fixed.iter(), idle);
            last.ran = true;
        }
        drop(last);
        let standing = self.stands().make(&reserved.missing).map_err(SandboxRefusal::broken)?;
        match found.means {
            Means::Bwrap => {
                let program =
                    bwrap::find().ok_or_else(|| SandboxRefusal::broken("it is not installed"))?;
                let parts = (&built.places, &reserved, &built.session);
                let network = self.network().filter(|_| found.joined);
                let alone = network.is_none() && !level.has_network();
                let ways = bwrap::Ways { level, old: found.old, alone };
                let mut arguments = Vec::new();
                let mut first = program.clone();
                if let Some(network) = network {
                    first.clone_from(&ground.program);
                    let pid = network.pid.to_string();
                    let join = [super::HELPER_NAME, super::JOIN, &pid, "--"];
                    arguments.extend(join.map(OsString::from));
                    arguments.push(program.into());
                }
                arguments.extend(bwrap::options(ground, ways, parts, order.folder));
                arguments.push(bwrap::HELPER.into());
                arguments.extend(helped(order));
                let environment =
                    VARIABLES.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec();
                Ok(Wrapped { program: first, arguments, environment, layers: 2, standing })
            }
            Means::Landlock => {
                if !cfg!(target_os = "linux") {
                    return Err(SandboxRefusal::broken("it is a means of Linux"));
                }
                let parts = (&built.places, &reserved, &built.session);
                let rules = landlock::rules(ground, level, parts)
                    .map_err(|why| SandboxRefusal(SandboxRefusalKind::Workspace(why)))?;
                let folder = order.folder.as_os_str().to_owned();
                let head = [super::HELPER_NAME, landlock::OUTSIDE, landlock::FOLDER];
                let mut arguments: Vec<OsString> = head.map(OsString::from).to_vec();
                arguments.push(folder);
                arguments.extend(rules);
                arguments.extend(helped(order).skip(1));
                let tmp = built.session.tmp().display().to_string();
                let settings = built.session.git_settings().display().to_string();
                let environment = vec![
                    ("GOCACHE".to_owned(), format!("{tmp}/.go-build")),
                    ("TMPDIR".to_owned(), tmp),
                    ("GIT_CONFIG_GLOBAL".to_owned(), settings),
                ];
                let program = ground.program.clone();
                Ok(Wrapped { program, arguments, environment, layers: 1, standing })
            }
        }
    }
}

/// What the first process is told.
fn helped(order: CommandSpec<'_>) -> impl Iterator<Item = OsString> {
    let stay = order.stay.then_some(super::STAY);
    let head = std::iter::once(super::HELPER_NAME).chain(stay).chain(["--", order.program]);
    head.chain(order.arguments.iter().copied()).map(OsString::from)
}
