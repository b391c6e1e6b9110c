//! A screen that a shell runs as a job: it is stopped from outside, goes on, and is ended while it is stopped.

#![expect(clippy::expect_used, reason = "a test, its functions included, fails by panicking")]

use std::ffi::OsStr;
use std::fs;
use std::process::Command;

use crate::common::pty::{Program, asks_before_it_quits};
use crate::common::skip::has;
use crate::common::wait::{eventually, output};
use crate::serving::Driver;

const PROMPT: &str = "ready>";

/// Modes of the screen that a shell does not use itself: the bytes that set and reset each.
const MODES: [(&str, &str); 3] = [
    ("\x1b[?1049h", "\x1b[?1049l"),
    ("\x1b[?1004h", "\x1b[?1004l"),
    ("\x1b[?2031h", "\x1b[?2031l"),
];

/// Whom a signal is sent to.
#[derive(Debug, Clone, Copy)]
enum Target {
    Screen,
    /// The process that the shell waits for.
    Waiter,
    Group,
}

/// A shell and a screen that it has started.
struct Job {
    driver: Driver,
    shell: Program,
}

impl Job {
    fn start() -> Self {
        let driver = Driver::ended();
        let mut environment = driver.home().environment();
        environment.push(("PS1", format!("{PROMPT} ").into()));
        let args: [&OsStr; 3] = ["--norc", "--noprofile", "-i"].map(OsStr::new);
        let mut shell = Program::start_other("bash".as_ref(), environment, &args, (100, 30));
        shell.until_shown(&[PROMPT]);
        let workspace = driver.home().workspace();
        let program = env!("CARGO_BIN_EXE_dominds-tui");
        shell.keys(&format!("'{program}' -C '{}'\r", workspace.display()));
        shell.until_shown(&["DIALOGS", " help"]);
        assert!(eventually(|| driver.running().0 == 1), "it does not listen");
        shell.until_still();
        Self { driver, shell }
    }

    /// Sends a signal and waits for the shell.
    fn stop(&self, signal: &str, target: Target) {
        let screen = self.driver.running().1;
        let whom = match target {
            Target::Screen => screen.to_string(),
            Target::Waiter => parent_and_group(screen)[0].to_string(),
            Target::Group => format!("-{}", parent_and_group(screen)[1]),
        };
        let sent = output(Command::new("kill").args(["-s", signal, "--", &whom]));
        assert!(sent.status.success(), "{signal} to {target:?}: {sent:?}");
        self.shell.until("the prompt", is_at_prompt);
        let raw = String::from_utf8_lossy(&self.shell.raw()).into_owned();
        for (on, off) in MODES {
            assert!(raw.rfind(off) > raw.rfind(on), "{signal} to {target:?}: {off:?} in {raw:?}");
        }
    }

    /// How often the screen has taken the terminal.
    fn entered(&self) -> usize {
        String::from_utf8_lossy(&self.shell.raw()).matches(MODES[0].0).count()
    }

    fn leave(&mut self) {
        self.shell.leave_composer();
        self.shell.keys("q");
        self.shell.until("an end", |shown| asks_before_it_quits(shown) || is_at_prompt(shown));
        if asks_before_it_quits(&self.shell.screen()) {
            self.shell.keys("y");
        }
        self.shell.until("the prompt", is_at_prompt);
    }
}

fn is_at_prompt(shown: &str) -> bool {
    !shown.contains("DIALOGS") && shown.trim_end().ends_with(PROMPT)
}

/// The parent of a process, and its group.
fn parent_and_group(process: u64) -> [u64; 2] {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).expect("a process");
    let mut fields = stat.rsplit(')').next().expect("fields").split_whitespace().skip(1);
    let mut number = || fields.next().and_then(|field| field.parse().ok()).expect("a number");
    [number(), number()]
}

#[test]
fn a_job_that_is_stopped_from_outside_gives_the_terminal_back_and_is_whole_when_it_goes_on() {
    if !has("bash") {
        return;
    }
    for (signal, target) in [
        ("TSTP", Target::Screen),
        ("TSTP", Target::Waiter),
        ("TSTP", Target::Group),
        // It cannot be handled: who waits gives the terminal back.
        ("STOP", Target::Screen),
    ] {
        let mut job = Job::start();
        job.stop(signal, target);
        job.shell.keys("echo $((40 + 2)) typed\r");
        job.shell.until_shown(&["42 typed"]);
        job.shell.resize(90, 25);
        job.shell.keys("fg\r");
        job.shell.until("the screen at the new size", |shown| {
            let last = shown.lines().nth(24).is_some_and(|row| row.contains(" help"));
            last && shown.contains("DIALOGS") && !shown.contains("42 typed")
        });
        job.leave();
    }
}

#[test]
fn a_job_that_is_ended_while_it_is_stopped_leaves_the_terminal_to_the_shell() {
    if !has("bash") {
        return;
    }
    let mut job = Job::start();
    job.stop("TSTP", Target::Screen);
    let entered = job.entered();
    job.shell.keys("kill %1\r");
    assert!(eventually(|| job.driver.running().0 == 0), "{}", job.shell.screen());
    job.shell.until_still();
    job.shell.keys("echo $((40 + 2)) typed\r");
    job.shell.until_shown(&["42 typed"]);
    job.shell.until("the prompt", is_at_prompt);
    assert_eq!(job.entered(), entered, "it does not take the terminal again");
}
