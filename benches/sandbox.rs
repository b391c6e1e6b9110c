//! How much longer a command takes to start in a sandbox: each level, by each means that works here.
//! `cargo bench --bench sandbox` prints medians and fails if one is over the goal.

#![expect(clippy::expect_used, reason = "a measurement that cannot be made says why")]
#![expect(clippy::print_stdout, reason = "figures are printed")]

use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use dominds_tui::app;
use dominds_tui::domain::sandbox::Level;
use dominds_tui::sandbox::{CommandSpec, Means, Sandbox};

const ROUNDS: usize = 100;
/// Over the same command without a sandbox.
const GOAL: Duration = Duration::from_millis(15);
const COMMAND: [&str; 2] = ["-c", "true"];

/// One way of running the command.
struct Way {
    name: String,
    /// Of each round, in no order.
    times: Vec<Duration>,
    run: Box<dyn Fn()>,
}

fn main() -> ExitCode {
    let top = tempfile::tempdir().expect("a folder");
    let workspace = top.path().join("ws");
    for name in [".minds", ".dialogs"] {
        std::fs::create_dir_all(workspace.join(name)).expect("a workspace");
    }
    let git = Command::new("git").args(["init", "-q"]).current_dir(&workspace).status();
    assert!(git.expect("git").success());
    let mut ground = app::sandbox_config(&workspace);
    ground.program = env!("CARGO_BIN_EXE_dominds-tui").into();
    ground.state = top.path().join("state");
    let plain = || {
        let mut plain = Command::new("/bin/sh");
        run(plain.args(COMMAND));
    };
    let mut ways = vec![way("without a sandbox".to_owned(), plain)];
    for means in Means::ALL {
        for level in [Level::ReadOnly, Level::Workspace, Level::WorkspaceNet] {
            let sandbox = Sandbox::with_means(ground.clone(), level, Some(means));
            match sandbox.means(level) {
                Ok(_) => {
                    let folder = workspace.clone();
                    let start = move || run_in(&sandbox, level, &folder);
                    ways.push(way(format!("{means} {level}"), start));
                }
                Err(refusal) => println!("SKIPPED: {means} {level}: {refusal}"),
            }
        }
    }
    // By turns, so that what else the machine does is the same for all.
    for _ in 0..ROUNDS {
        for way in &mut ways {
            let begun = Instant::now();
            (way.run)();
            way.times.push(begun.elapsed());
        }
    }
    let mut without = None;
    let mut over = false;
    for way in &mut ways {
        way.times.sort();
        let at = |n: usize| way.times.get(n).copied().unwrap_or_default();
        let (median, least) = (at(ROUNDS / 2), at(0));
        let more = median.saturating_sub(*without.get_or_insert(median));
        over |= more > GOAL;
        let (name, median) = (&way.name, shown(median));
        println!("{name:24}  median {median}, least {}: +{}", shown(least), shown(more));
    }
    if over { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

fn way(name: String, run: impl Fn() + 'static) -> Way {
    run();
    Way { name, times: Vec::new(), run: Box::new(run) }
}

fn run_in(sandbox: &Sandbox, level: Level, folder: &Path) {
    let order = CommandSpec { program: "/bin/sh", arguments: &COMMAND, folder, stay: false };
    let wrapped = sandbox.wrap(level, order).expect("a sandbox");
    let mut command = Command::new(&wrapped.program);
    run(command.args(&wrapped.arguments).envs(wrapped.environment));
}

fn run(command: &mut Command) {
    let ended = command.stdin(Stdio::null()).stdout(Stdio::null()).status();
    assert!(ended.expect("a program").success());
}

fn shown(time: Duration) -> String {
    format!("{:5.1} ms", time.as_secs_f64() * 1e3)
}
