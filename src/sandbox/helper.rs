//! The first process of a sandbox: this program, started anew. It gives up what the command is not to
//! have, starts the command and waits. What is left when the command has ended either goes on until it
//! ends by itself, or ends now.
//!
//! Behind `bwrap` it is the first process of a namespace, and the kernel ends what it leaves. By Landlock
//! alone it stays outside of the wall, takes in what its command lets go of, and ends that when this
//! program is gone; a second one goes behind the wall and becomes the command.
//!
//! It is reached by the name of a hidden command, before arguments are read in the usual way, so that it
//! starts quickly.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::Write as _;
use std::os::fd::AsFd as _;
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::{Command, ExitCode};
use std::time::Duration;

use landlock::{
    ABI, Access as _, AccessFs, BitFlags, CompatLevel, Compatible as _, Ruleset, RulesetAttr as _,
    RulesetCreated, RulesetCreatedAttr as _, Scope, path_beneath_rules,
};
use rustix::process::{
    Pid, Signal, WaitOptions, WaitStatus, getpid, getppid, kill_process, set_child_subreaper, wait,
};
use rustix::thread::{
    CapabilitySet, CapabilitySets, LinkNameSpaceType, capability_is_in_bounding_set,
    clear_ambient_capability_set, move_into_link_name_space, remove_capability_from_bounding_set,
    set_capabilities,
};

use super::filter::{self, Sockets};
use super::landlock::{FOLDER, LIST, NETWORK, OUTSIDE, READ, WITHIN, WRITE};
use super::{HELPER_NAME, JOIN, STAY};

/// The sandbox could not be made.
const BROKEN: u8 = 125;
/// The command could not be started.
const NOT_RUN: u8 = 126;
const NOT_FOUND: u8 = 127;
/// Between two looks whether the program is still there.
const LOOK: Duration = Duration::from_millis(50);
/// Capabilities there may ever be.
const MAX_CAPABILITIES: u32 = 64;

/// What it was told.
#[derive(Debug, Default)]
struct Told {
    stay: bool,
    network: bool,
    /// Outside of the wall, or within: there are two by Landlock.
    outside: bool,
    within: bool,
    /// The process whose network is joined.
    join: Option<u32>,
    folder: Option<PathBuf>,
    read: Vec<PathBuf>,
    write: Vec<PathBuf>,
    list: Vec<PathBuf>,
    words: Vec<OsString>,
}

impl Told {
    fn read(mut arguments: impl Iterator<Item = OsString>) -> Option<Self> {
        let mut told = Self::default();
        while let Some(argument) = arguments.next() {
            match argument.to_str()? {
                STAY => told.stay = true,
                NETWORK => told.network = true,
                OUTSIDE => told.outside = true,
                WITHIN => told.within = true,
                JOIN => told.join = Some(arguments.next()?.to_str()?.parse().ok()?),
                FOLDER => told.folder = Some(arguments.next()?.into()),
                READ => told.read.push(arguments.next()?.into()),
                WRITE => told.write.push(arguments.next()?.into()),
                LIST => told.list.push(arguments.next()?.into()),
                "--" => {
                    told.words = arguments.collect();
                    return (!told.words.is_empty()).then_some(told);
                }
                _ => return None,
            }
        }
        None
    }
}

/// Runs as the first process of a sandbox, if the program was started as such.
#[must_use]
pub fn run(arguments: impl Iterator<Item = OsString>) -> Option<ExitCode> {
    let mut arguments = arguments.skip(1);
    if arguments.next()? != HELPER_NAME {
        return None;
    }
    let arguments: Vec<OsString> = arguments.collect();
    let Some(told) = Told::read(arguments.iter().cloned()) else {
        return Some(broken("it was started in a wrong way"));
    };
    Some(if let Some(pid) = told.join {
        join(pid, &told)
    } else if told.within {
        within(&told)
    } else if told.outside {
        outside(&told, &arguments)
    } else {
        first(&told)
    })
}

/// The first process of a namespace.
fn first(told: &Told) -> ExitCode {
    if let Err(error) = keep_to_itself().and_then(|()| refuse(Sockets::Held)) {
        return broken(&error);
    }
    let Some((program, arguments)) = told.words.split_first() else {
        return broken("there is no command");
    };
    match Command::new(program).args(arguments).spawn() {
        Ok(child) => reap(child.id(), told.stay),
        Err(error) => not_started(program, &error),
    }
}

/// Enters the network of a process and becomes what builds the wall.
fn join(pid: u32, told: &Told) -> ExitCode {
    let open = |name| fs::File::open(format!("/proc/{pid}/ns/{name}"));
    let entered = open("user").and_then(|user| {
        let network = open("net")?;
        move_into_link_name_space(user.as_fd(), Some(LinkNameSpaceType::User))?;
        Ok(move_into_link_name_space(network.as_fd(), Some(LinkNameSpaceType::Network))?)
    });
    if let Err(error) = entered {
        return broken(&format!("the network of the session: {error}"));
    }
    become_command(told)
}

/// Outside of the wall of Landlock: the end of this program is the end of what it looks after.
fn outside(told: &Told, arguments: &[OsString]) -> ExitCode {
    let parent = getppid();
    let own = match std::env::current_exe() {
        Ok(own) => own,
        Err(error) => return broken(&error.to_string()),
    };
    if let Err(error) = set_child_subreaper(Some(getpid())) {
        return broken(&error.to_string());
    }
    // The first one says that this process stays outside.
    let within = arguments.iter().skip(1);
    let child = Command::new(own).arg(HELPER_NAME).arg(WITHIN).args(within).spawn();
    let child = match child {
        Ok(child) => child.id(),
        Err(error) => return broken(&error.to_string()),
    };
    std::thread::spawn(move || {
        while getppid() == parent {
            std::thread::sleep(LOOK);
        }
        end_children();
    });
    let code = reap(child, told.stay);
    end_children();
    code
}

/// Goes behind the wall and becomes the command.
fn within(told: &Told) -> ExitCode {
    let sockets = if told.network { Sockets::Network } else { Sockets::None };
    let walled = give_up().and_then(|()| let_through(told)).and_then(|()| refuse(sockets));
    if let Err(error) = walled {
        return broken(&error);
    }
    become_command(told)
}

fn become_command(told: &Told) -> ExitCode {
    let Some((program, arguments)) = told.words.split_first() else {
        return broken("there is no command");
    };
    let mut command = Command::new(program);
    command.args(arguments);
    if let Some(folder) = &told.folder {
        command.current_dir(folder);
    }
    let error = command.exec();
    not_started(program, &error)
}

/// Waits for the command, and if told so for whatever it leaves.
fn reap(main: u32, stay: bool) -> ExitCode {
    let main = i32::try_from(main).ok().and_then(Pid::from_raw);
    let mut code = BROKEN;
    loop {
        match wait(WaitOptions::empty()) {
            Ok(Some((pid, status))) if Some(pid) == main => {
                code = code_of(status);
                if !stay {
                    return ExitCode::from(code);
                }
            }
            Ok(_) => {}
            Err(error) if error == rustix::io::Errno::INTR => {}
            // Nobody is left.
            Err(_) => return ExitCode::from(code),
        }
    }
}

/// Ends the children, and their children, who are then its own, until there are none.
fn end_children() {
    let own = getpid().as_raw_nonzero().get().to_string();
    loop {
        let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
        let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
        let children: Vec<Pid> =
            pids.filter(|pid| is_child(*pid, &own)).filter_map(Pid::from_raw).collect();
        if children.is_empty() {
            return;
        }
        for child in children {
            // One that is gone meanwhile needs no signal.
            let _ = kill_process(child, Signal::KILL);
        }
        // Whoever waits for children meanwhile takes some of them.
        while let Ok(Some(_)) = wait(WaitOptions::NOHANG) {}
    }
}

/// True for a child that has not ended yet.
fn is_child(pid: i32, parent: &str) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let fields = stat.rsplit_once(") ").map(|(_, fields)| fields).unwrap_or_default();
    let mut fields = fields.split(' ');
    let ended = matches!(fields.next(), Some("Z" | "X"));
    !ended && fields.next() == Some(parent)
}

/// A command that a signal ended tells it as a shell does.
fn code_of(status: WaitStatus) -> u8 {
    let signal = status.terminating_signal().map(|signal| signal + 128);
    let code = status.exit_status().or(signal);
    code.and_then(|code| u8::try_from(code).ok()).unwrap_or(BROKEN)
}

/// Sockets without a name in the file system, and signals, stay within the sandbox, where the kernel can
/// hold them.
fn keep_to_itself() -> Result<(), String> {
    let rules = Ruleset::default().scope(Scope::from_all(ABI::V6));
    let restricted = rules.and_then(Ruleset::create).and_then(RulesetCreated::restrict_self);
    restricted.map(|_| ()).map_err(|error| error.to_string())
}

/// The rights of an administrator, and the way back to them.
fn give_up() -> Result<(), String> {
    for number in 0..MAX_CAPABILITIES {
        let one = CapabilitySet::from_bits_retain(1 << number);
        if matches!(capability_is_in_bounding_set(one), Ok(true)) {
            // Who has none of these rights may not do this either.
            let _ = remove_capability_from_bounding_set(one);
        }
    }
    let _ = clear_ambient_capability_set();
    let none = CapabilitySet::empty();
    let none = CapabilitySets { effective: none, permitted: none, inheritable: none };
    set_capabilities(None, none).map_err(|error| error.to_string())
}

/// Nothing of the file system but this.
fn let_through(told: &Told) -> Result<(), String> {
    let all = AccessFs::from_all(ABI::V5);
    let read = AccessFs::ReadFile | AccessFs::ReadDir | AccessFs::Execute;
    let write = all & !(AccessFs::MakeChar | AccessFs::MakeBlock);
    let each: [(&[PathBuf], BitFlags<AccessFs>); 3] =
        [(&told.read, read), (&told.write, write), (&told.list, AccessFs::ReadDir.into())];
    let made = || {
        let mut rules = Ruleset::default()
            // A kernel that cannot hold the length of a file holds nothing.
            .set_compatibility(CompatLevel::HardRequirement)
            .handle_access(AccessFs::from_all(ABI::V3))?
            .set_compatibility(CompatLevel::BestEffort)
            .handle_access(all)?
            .scope(Scope::from_all(ABI::V6))?
            .create()?;
        for (paths, rights) in each {
            rules = rules.add_rules(path_beneath_rules(paths, rights))?;
        }
        rules.restrict_self()
    };
    made().map(|_| ()).map_err(|error: landlock::RulesetError| error.to_string())
}

fn refuse(sockets: Sockets) -> Result<(), String> {
    let program = filter::program(sockets).map_err(|error| error.to_string())?;
    seccompiler::apply_filter(&program).map_err(|error| error.to_string())
}

fn not_started(program: &OsStr, error: &std::io::Error) -> ExitCode {
    say(&format!("{}: {error}", program.display()));
    let found = error.kind() != std::io::ErrorKind::NotFound;
    ExitCode::from(if found { NOT_RUN } else { NOT_FOUND })
}

fn broken(why: &str) -> ExitCode {
    say(why);
    ExitCode::from(BROKEN)
}

fn say(text: &str) {
    let _ = writeln!(std::io::stderr(), "sandbox: {text}");
}
