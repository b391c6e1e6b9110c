//! Background processes: counted, listed, stopped, and asked about when the program quits.

use crate::app::tests::fixture::*;
use crate::domain::dialogs::background::{Background, BackgroundState, ProcessExit};
use crate::domain::safety::sandbox::Level;
use crate::domain::{DisplayState, Stamp};
use crate::protocol::{Command, DriverEvent, TreeRow};
use crate::{Effect, QuitPolicy};

fn process(pid: u32, command: &str, state: BackgroundState) -> Background {
    Background {
        pid,
        agent: "dba".into(),
        command: command.to_owned(),
        shell: "/bin/bash".to_owned(),
        started_at: Stamp::new("2026-11-21 12:00:00"),
        state,
    }
}

fn processes() -> Vec<Background> {
    vec![
        process(4100, "cargo watch -x test", BackgroundState::Lost),
        process(4200, "make db", BackgroundState::Ended(ProcessExit::Code(2))),
        process(4300, "npm run dev \u{1b}[2J -- --port 8080", BackgroundState::Running),
    ]
}

/// No dialog runs; the processes are known.
pub fn stage(width: u16, height: u16) -> Stage {
    let mut stage = Stage::new(width, height);
    let idle = |row: TreeRow| TreeRow { state: DisplayState::Idle, questions: 0, ..row };
    stage.apply(DriverEvent::Workspace(workspace()));
    stage.apply(DriverEvent::Rows(rows().into_iter().map(idle).collect()));
    stage.apply(DriverEvent::Inbox(Vec::new()));
    stage.apply(DriverEvent::Processes(processes()));
    stage
}

fn stops(stage: &Stage) -> Vec<u32> {
    let sent = stage.sent.iter().filter_map(|command| {
        let Command::StopProcess { pid, .. } = command else { return None };
        Some(*pid)
    });
    sent.collect()
}

#[test]
fn background_processes_are_counted_and_listed() {
    for (width, height) in [(120, 40), (80, 24), (60, 20)] {
        let mut stage = stage(width, height);
        assert!(stage.screen().contains("1 in background"), "{}", stage.screen());
        stage.keys("1 &");
        assert!(stage.screen().contains("4300  @dba  npm run dev"), "{}", stage.screen());
    }
    let mut none = Stage::new(80, 24);
    none.apply(DriverEvent::Rows(Vec::new())).apply(DriverEvent::Inbox(Vec::new())).keys("&");
    assert!(none.screen().contains("no command is running in the background"));
}

#[test]
fn only_a_running_process_is_stopped_and_after_a_confirmation() {
    let mut stage = stage(80, 24);
    stage.keys("1 & s n");
    assert_eq!(stops(&stage), Vec::<u32>::new());
    stage.keys("s");
    let screen = stage.screen();
    assert!(screen.contains("stop process 4300 "), "by name\n{screen}");
    stage.agree("y");
    assert_eq!(stops(&stage), [4300]);
    stage.keys("j s").agree("y");
    assert_eq!(stops(&stage), [4300], "it has ended");
}

#[test]
fn the_status_line_shows_the_sandbox_level_and_sandboxed_processes_end_with_the_program() {
    for (level, shown, letting) in [
        (Level::Workspace, "sandbox: workspace  ", false),
        (Level::WorkspaceNet, "sandbox: workspace+net  ", false),
        (Level::Off, "sandbox off", true),
    ] {
        let mut stage = stage(80, 24);
        stage.show_level(level);
        let screen = stage.screen();
        assert!(screen.lines().last().unwrap_or_default().contains(shown), "{level}:\n{screen}");
        stage.keys("1 q").agree("");
        let asked = stage.screen();
        assert_eq!(asked.contains("leave running"), letting, "{level}:\n{asked}");
        assert_eq!(asked.contains("they end too"), !letting, "{level}:\n{asked}");
    }
}

#[test]
fn quitting_asks_what_happens_to_running_processes() {
    for (key, leaves, policy) in [
        ("y", true, QuitPolicy::LetRun),
        ("s", true, QuitPolicy::Stop),
        ("n", false, QuitPolicy::LetRun),
        ("<esc>", false, QuitPolicy::LetRun),
    ] {
        let mut stage = stage(80, 24);
        stage.keys("1 q").agree(key);
        let left = stage.app.take_effects().contains(&Effect::Quit);
        assert_eq!((left, stage.app.summary().quit_policy), (leaves, policy), "{key}");
    }
    let mut asked = stage(80, 24);
    asked.keys("1 q").agree("");
    insta::assert_snapshot!("quit-processes-80x24", asked.screen());
    let mut both = stage(80, 24);
    both.apply(DriverEvent::Rows(rows())).keys("1 q");
    let screen = both.screen().split_whitespace().collect::<Vec<_>>().join(" ");
    for what in ["dialogs are still running", "1 background process"] {
        assert!(screen.contains(what), "{what}: {screen}");
    }
    let mut over = stage(80, 24);
    over.apply(DriverEvent::Processes(processes().into_iter().take(2).collect())).keys("1 q");
    assert!(over.app.take_effects().contains(&Effect::Quit));
}
