//! The first process of a sandbox: this program, started again with a hidden command. It drops privileges,
//! starts the command and waits. Processes left over when the command ends either run on until they end by
//! themselves, or are killed.
//!
//! With `bwrap` it is the init process of a PID namespace, and the kernel kills what it leaves. With
//! Landlock one helper stays outside the sandbox as supervisor and subreaper: it adopts orphans of the
//! command and kills them when the main program ends. A second helper enters the sandbox and execs the
//! command.
//!
//! One helper for each program waits for its end, and removes placeholders that it has left (`placeholders.rs`).
//!
//! Before `bwrap` starts, a helper holds the reserved paths of the workspace (`hold.rs`) and execs `bwrap`.
//!
//! The hidden command is handled before the usual argument parsing, so that it starts quickly.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::Write as _;
use std::os::fd::AsFd as _;
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::{Command, ExitCode};
use std::time::Duration;

use landlock::{
    ABI, Access as _, AccessFs, BitFlags, CompatLevel, Compatible as _, PathBeneath, Ruleset,
    RulesetAttr as _, RulesetCreated, RulesetCreatedAttr as _, Scope, path_beneath_rules,
};
use rustix::fs::fstat;
use rustix::process::{
    Pid, Resource, Rlimit, Signal, WaitOptions, WaitStatus, getpid, getppid, getrlimit,
    kill_process, set_child_subreaper, setrlimit, wait,
};
use rustix::thread::{
    CapabilitySet, CapabilitySets, LinkNameSpaceType, capability_is_in_bounding_set,
    clear_ambient_capability_set, move_into_link_name_space, remove_capability_from_bounding_set,
    set_capabilities,
};

use super::beneath::{Object, ObjectId, ObjectKind};
use super::config::{
    BEFORE_BWRAP, CLOSE, CLOSED, FIX, HELPER_NAME, HIDDEN, JOIN_NETWORK, PIN, STAY, SWEEP,
    UNCONFINED, WORKSPACE,
};
use super::hold::{Hold, Holds, enter_mounts, open_root};
use super::landlock::{FOLDER, LIST, NETWORK, NOT_JUDGED, OUTSIDE, READ, WITHIN, WRITE};
use super::placeholders::PlaceholderStore;
use super::seccomp::{self, Sockets};
use crate::domain::safety::command_mark::{NO_LIMIT, limit_below};

/// The sandbox could not be set up.
const SETUP_FAILED: u8 = 125;
/// The command could not be started.
const NOT_RUN: u8 = 126;
const NOT_FOUND: u8 = 127;
/// The wait for children to be adopted, and to end.
const ADOPTION_INTERVAL: Duration = Duration::from_millis(1);
/// After this many empty lists in a row, a child that the system reports is given up: it cannot be seen.
const MOST_EMPTY_LISTS: usize = 1_000;
/// The interval of checks that the main program is alive.
const POLL_INTERVAL: Duration = Duration::from_millis(50);
/// Upper bound for capability numbers.
const MAX_CAPABILITIES: u32 = 64;

/// The parsed command line of the helper.
#[derive(Debug, Default)]
struct HelperArguments {
    stay: bool,
    network: bool,
    /// Landlock: this is the supervisor outside the sandbox.
    supervise: bool,
    /// Landlock: this is the process that enters the sandbox.
    enter_sandbox: bool,
    /// `bwrap` is still to be started.
    before_bwrap: bool,
    /// True for the supervisor of a command without a sandbox.
    unconfined: bool,
    /// The process whose network namespace is joined.
    join_network: Option<u32>,
    holds: Holds,
    folder: Option<PathBuf>,
    read: Vec<Rule>,
    write: Vec<Rule>,
    list: Vec<Rule>,
    command_line: Vec<OsString>,
}

/// A path that may be used; in the workspace, with the object judged there.
type Rule = (PathBuf, Option<ObjectId>);

impl HelperArguments {
    fn read(mut arguments: impl Iterator<Item = OsString>) -> Option<Self> {
        let mut args = Self::default();
        while let Some(argument) = arguments.next() {
            match argument.to_str()? {
                STAY => args.stay = true,
                NETWORK => args.network = true,
                OUTSIDE => args.supervise = true,
                WITHIN => args.enter_sandbox = true,
                BEFORE_BWRAP => args.before_bwrap = true,
                UNCONFINED => args.unconfined = true,
                JOIN_NETWORK => args.join_network = Some(arguments.next()?.to_str()?.parse().ok()?),
                FOLDER => args.folder = Some(arguments.next()?.into()),
                WORKSPACE => args.holds.workspace = Some(judged(&mut arguments)?),
                PIN => args.holds.add(Hold::Pin, judged(&mut arguments)?),
                FIX => args.holds.add(Hold::Fix, judged(&mut arguments)?),
                CLOSE => args.holds.add(Hold::Close, judged(&mut arguments)?),
                CLOSED => {
                    args.holds.closed = Some((arguments.next()?.into(), arguments.next()?.into()));
                }
                HIDDEN => args.holds.hidden = Some(arguments.next()?.into()),
                READ => args.read.push(rule(&mut arguments)?),
                WRITE => args.write.push(rule(&mut arguments)?),
                LIST => args.list.push(rule(&mut arguments)?),
                "--" => {
                    args.command_line = arguments.collect();
                    return (!args.command_line.is_empty()).then_some(args);
                }
                _ => return None,
            }
        }
        None
    }
}

/// Parses a path with the object judged there.
fn judged(arguments: &mut impl Iterator<Item = OsString>) -> Option<(PathBuf, ObjectId)> {
    Some((arguments.next()?.into(), arguments.next()?.to_str()?.parse().ok()?))
}

fn rule(arguments: &mut impl Iterator<Item = OsString>) -> Option<Rule> {
    let path = arguments.next()?.into();
    let id = arguments.next()?;
    Some((path, if id == NOT_JUDGED { None } else { Some(id.to_str()?.parse().ok()?) }))
}

/// Runs as the first process of a sandbox, if the program was started as such.
#[must_use]
pub fn run(arguments: impl Iterator<Item = OsString>) -> Option<ExitCode> {
    let mut arguments = arguments.skip(1);
    if arguments.next()? != HELPER_NAME {
        return None;
    }
    let arguments: Vec<OsString> = arguments.collect();
    if let [flag, state, workspace] = arguments.as_slice()
        && flag == SWEEP
    {
        let store = PlaceholderStore::new(state.as_ref(), workspace.as_ref());
        store.sweep_after(std::io::stdin().lock());
        return Some(ExitCode::SUCCESS);
    }
    let Some(args) = HelperArguments::read(arguments.iter().cloned()) else {
        return Some(fail("invalid arguments"));
    };
    Some(if args.before_bwrap {
        before_bwrap(&args)
    } else if args.enter_sandbox {
        enter_sandbox(&args)
    } else if args.supervise {
        supervise_sandbox(&args, &arguments)
    } else if args.unconfined {
        supervise_unconfined(&args)
    } else {
        run_as_init(&args)
    })
}

/// The init process of a PID namespace.
fn run_as_init(args: &HelperArguments) -> ExitCode {
    if let Err(error) = confine_ipc().and_then(|()| apply_seccomp(Sockets::Isolated)) {
        return fail(&error);
    }
    let Some((program, arguments)) = args.command_line.split_first() else {
        return fail("there is no command");
    };
    match Command::new(program).args(arguments).spawn() {
        Ok(child) => reap(child.id(), args.stay),
        Err(error) => not_started(program, &error),
    }
}

/// Joins a network, holds the reserved paths, then execs `bwrap`.
fn before_bwrap(args: &HelperArguments) -> ExitCode {
    if let Some(Err(error)) = args.join_network.map(join_network) {
        return fail(&format!("the network of the session: {error}"));
    }
    if let Err(error) = enter_mounts(args.join_network.is_some()) {
        return fail(&format!("a mount namespace: {error}"));
    }
    if let Err(error) = args.holds.apply() {
        return fail(&error);
    }
    exec_command(args)
}

/// Joins the user and network namespaces of a process.
fn join_network(pid: u32) -> std::io::Result<()> {
    let open = |name| fs::File::open(format!("/proc/{pid}/ns/{name}"));
    let (user, network) = (open("user")?, open("net")?);
    move_into_link_name_space(user.as_fd(), Some(LinkNameSpaceType::User))?;
    Ok(move_into_link_name_space(network.as_fd(), Some(LinkNameSpaceType::Network))?)
}

/// The supervisor outside a Landlock sandbox.
fn supervise_sandbox(args: &HelperArguments, arguments: &[OsString]) -> ExitCode {
    let own = match std::env::current_exe() {
        Ok(own) => own,
        Err(error) => return fail(&error.to_string()),
    };
    let mut command = Command::new(own);
    // The first argument is the flag for this role.
    command.arg(HELPER_NAME).arg(WITHIN).args(arguments.iter().skip(1));
    supervise(args, command)
}

/// The supervisor of a command that nothing confines.
fn supervise_unconfined(args: &HelperArguments) -> ExitCode {
    let Some((program, arguments)) = args.command_line.split_first() else {
        return fail("there is no command");
    };
    let mut command = Command::new(program);
    command.args(arguments);
    mark_as_command();
    supervise(args, command)
}

/// Marks this process, so that its children are recognised as commands, even after it has ended.
fn mark_as_command() {
    let own = getrlimit(Resource::Locks).maximum.unwrap_or(NO_LIMIT);
    let limit = Some(limit_below(own));
    // If the kernel has no such limit, they are still recognised by their parents.
    let _ = setrlimit(Resource::Locks, Rlimit { current: limit, maximum: limit });
}

/// Kills what a command started, however it detached, when the command or the main program ends.
fn supervise(args: &HelperArguments, mut command: Command) -> ExitCode {
    let parent = getppid();
    if let Err(error) = set_child_subreaper(Some(getpid())) {
        return fail(&error.to_string());
    }
    let child = match command.spawn() {
        Ok(child) => child.id(),
        Err(error) => return not_started(command.get_program(), &error),
    };
    std::thread::spawn(move || {
        while getppid() == parent {
            std::thread::sleep(POLL_INTERVAL);
        }
        end_children();
    });
    let code = reap(child, args.stay);
    end_children();
    code
}

/// Enters the Landlock sandbox and execs the command.
fn enter_sandbox(args: &HelperArguments) -> ExitCode {
    let sockets = if args.network { Sockets::NetworkOnly } else { Sockets::None };
    let confined = drop_capabilities()
        .and_then(|()| apply_landlock(args))
        .and_then(|()| apply_seccomp(sockets));
    if let Err(error) = confined {
        return fail(&error);
    }
    exec_command(args)
}

fn exec_command(args: &HelperArguments) -> ExitCode {
    let Some((program, arguments)) = args.command_line.split_first() else {
        return fail("there is no command");
    };
    let mut command = Command::new(program);
    command.args(arguments);
    if let Some(folder) = &args.folder {
        command.current_dir(folder);
    }
    let error = command.exec();
    not_started(program, &error)
}

/// Waits for the command, and with `stay` also for the processes it leaves.
fn reap(main: u32, stay: bool) -> ExitCode {
    let main = i32::try_from(main).ok().and_then(Pid::from_raw);
    let mut code = SETUP_FAILED;
    loop {
        match wait(WaitOptions::empty()) {
            Ok(Some((pid, status))) if Some(pid) == main => {
                code = exit_code(status);
                if !stay {
                    return ExitCode::from(code);
                }
            }
            Ok(_) => {}
            Err(error) if error == rustix::io::Errno::INTR => {}
            // No child is left.
            Err(_) => return ExitCode::from(code),
        }
    }
}

/// Kills the children, then their children (which this process adopts), until there are none.
fn end_children() {
    let own = getpid().as_raw_nonzero().get().to_string();
    let list = || {
        let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
        let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
        pids.filter(|pid| is_child(*pid, &own)).filter_map(Pid::from_raw).collect()
    };
    // It may have ended meanwhile.
    let kill = |child| {
        let _ = kill_process(child, Signal::KILL);
    };
    // Another thread may reap some of them.
    let has_any = || loop {
        match wait(WaitOptions::NOHANG) {
            Ok(Some(_)) => {}
            Ok(None) => return true,
            Err(_) => return false,
        }
    };
    end_all(list, kill, has_any, || std::thread::sleep(ADOPTION_INTERVAL));
}

/// Kills the listed processes until the system reports no child. An empty list proves nothing: a process
/// whose parent ends while the list is made may have been missed before it was adopted.
fn end_all<P>(
    list: impl Fn() -> Vec<P>,
    mut kill: impl FnMut(P),
    has_any: impl Fn() -> bool,
    pause: impl Fn(),
) {
    let mut without = 0;
    while without < MOST_EMPTY_LISTS {
        let children = list();
        without = if children.is_empty() { without + 1 } else { 0 };
        for child in children {
            kill(child);
        }
        if !has_any() {
            return;
        }
        pause();
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

/// The exit code; 128 + signal, as in a shell, if a signal ended the command.
fn exit_code(status: WaitStatus) -> u8 {
    let signal = status.terminating_signal().map(|signal| signal + 128);
    let code = status.exit_status().or(signal);
    code.and_then(|code| u8::try_from(code).ok()).unwrap_or(SETUP_FAILED)
}

/// Confines abstract Unix sockets and signals to the sandbox, where the kernel supports that.
fn confine_ipc() -> Result<(), String> {
    let rules = Ruleset::default().scope(Scope::from_all(ABI::V6));
    let restricted = rules.and_then(Ruleset::create).and_then(RulesetCreated::restrict_self);
    restricted.map(|_| ()).map_err(|error| error.to_string())
}

/// Drops all capabilities, and the means to regain them.
fn drop_capabilities() -> Result<(), String> {
    for number in 0..MAX_CAPABILITIES {
        let one = CapabilitySet::from_bits_retain(1 << number);
        if matches!(capability_is_in_bounding_set(one), Ok(true)) {
            // A process without capabilities may not do this either.
            let _ = remove_capability_from_bounding_set(one);
        }
    }
    let _ = clear_ambient_capability_set();
    let none = CapabilitySet::empty();
    let none = CapabilitySets { effective: none, permitted: none, inheritable: none };
    set_capabilities(None, none).map_err(|error| error.to_string())
}

/// Restricts the file system to the paths of the arguments.
fn apply_landlock(args: &HelperArguments) -> Result<(), String> {
    let all = AccessFs::from_all(ABI::V5);
    let read = AccessFs::ReadFile | AccessFs::ReadDir | AccessFs::Execute;
    let write = all & !(AccessFs::MakeChar | AccessFs::MakeBlock);
    let each: [(&[Rule], BitFlags<AccessFs>); 3] =
        [(&args.read, read), (&args.write, write), (&args.list, AccessFs::ReadDir.into())];
    let (workspace, id) = args.holds.workspace.as_ref().ok_or("no workspace")?;
    let root = open_root(workspace, *id)?;
    let made = || {
        let mut rules = Ruleset::default()
            // A kernel that cannot restrict truncation is not enough.
            .set_compatibility(CompatLevel::HardRequirement)
            .handle_access(AccessFs::from_all(ABI::V3))?
            .set_compatibility(CompatLevel::BestEffort)
            .handle_access(all)?
            .scope(Scope::from_all(ABI::V6))?
            .create()?;
        for (paths, rights) in each {
            let outside = paths.iter().filter(|(_, id)| id.is_none()).map(|(path, _)| path);
            rules = rules.add_rules(path_beneath_rules(outside, rights))?;
            let inside = paths.iter().filter_map(|(path, id)| Some((path, (*id)?)));
            for (path, id) in inside {
                // An object that is gone or was replaced gets no rule.
                let Ok(opened) = root.open_path(path) else { continue };
                let Ok(object) = fstat(&opened).map(|stat| Object::of(&stat)) else { continue };
                if object.id != id {
                    continue;
                }
                let of_file = AccessFs::from_file(ABI::V5);
                let rights =
                    if object.kind == ObjectKind::Folder { rights } else { rights & of_file };
                if !rights.is_empty() {
                    rules = rules.add_rule(PathBeneath::new(opened, rights))?;
                }
            }
        }
        rules.restrict_self()
    };
    made().map(|_| ()).map_err(|error: landlock::RulesetError| error.to_string())
}

fn apply_seccomp(sockets: Sockets) -> Result<(), String> {
    let program = seccomp::program(sockets).map_err(|error| error.to_string())?;
    seccompiler::apply_filter(&program).map_err(|error| error.to_string())
}

fn not_started(program: &OsStr, error: &std::io::Error) -> ExitCode {
    print_error(&format!("{}: {error}", program.display()));
    let exists = error.kind() != std::io::ErrorKind::NotFound;
    ExitCode::from(if exists { NOT_RUN } else { NOT_FOUND })
}

fn fail(reason: &str) -> ExitCode {
    print_error(reason);
    ExitCode::from(SETUP_FAILED)
}

fn print_error(text: &str) {
    let _ = writeln!(std::io::stderr(), "sandbox: {text}");
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    /// Returns the children that are killed; each turn has the listed children, and whether any exist.
    fn killed(turns: &[(&[&'static str], bool)]) -> Vec<&'static str> {
        let (turn, mut killed) = (Cell::new(0), Vec::new());
        let now = || turns.get(turn.get()).copied().unwrap_or((&[], false));
        end_all(
            || now().0.to_vec(),
            |child| killed.push(child),
            || now().1,
            || turn.set(turn.get() + 1),
        );
        killed
    }

    #[test]
    fn a_child_that_is_adopted_while_its_parent_ends_is_killed_too() {
        // The second list was made before the child was adopted, and without its parent.
        let turns: [(&[&str], bool); 3] = [(&["parent"], true), (&[], true), (&["child"], false)];
        assert_eq!(killed(&turns), ["parent", "child"]);
    }

    #[test]
    fn a_child_that_cannot_be_seen_is_given_up() {
        let unseen: (&[&str], bool) = (&[], true);
        assert_eq!(killed(&vec![unseen; 2 * MOST_EMPTY_LISTS]), Vec::<&str>::new());
    }
}
