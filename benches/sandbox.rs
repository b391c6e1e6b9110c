//! How much longer a command takes to start behind its wall: each level, by each means that works here.
//! `cargo bench --bench sandbox` prints medians and fails if one is over the goal.

#![expect(clippy::expect_used, reason = "a measurement that cannot be made says why")]
#![expect(clippy::print_stdout, reason = "figures are printed")]

use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use dominds_tui::app;
use dominds_tui::domain::sandbox::Level;
use dominds_tui::sandbox::{Means, Order, Sandbox};

const ROUNDS: usize = 60;
/// Over the same command without a wall.
const GOAL: Duration = Duration::from_millis(15);
const COMMAND: [&str; 2] = ["-c", "true"];

fn main() -> ExitCode {
    let top = tempfile::tempdir().expect("a folder");
    let workspace = top.path().join("ws");
    std::fs::create_dir_all(workspace.join(".minds")).expect("a workspace");
    let git = Command::new("git").args(["init", "-q"]).current_dir(&workspace).status();
    assert!(git.expect("git").success());
    let mut ground = app::ground(&workspace);
    ground.program = env!("CARGO_BIN_EXE_dominds-tui").into();
    ground.state = top.path().join("state");
    let mut plain = Command::new("/bin/sh");
    plain.args(COMMAND);
    let (without, least) = median(|| run(&mut plain));
    println!("{:25}  median {}, least {}", "without a wall", shown(without), shown(least));
    let mut over = false;
    for means in Means::ALL {
        for level in [Level::ReadOnly, Level::Workspace, Level::WorkspaceNet] {
            let sandbox = Sandbox::by(ground.clone(), level, Some(means));
            if let Err(refusal) = sandbox.means(level) {
                println!("SKIPPED: {means} {level}: {refusal}");
                continue;
            }
            let (program, folder) = ("/bin/sh", workspace.as_path());
            let order = Order { program, arguments: &COMMAND, folder, stay: false };
            let (list, _) = median(|| drop(sandbox.wrap(level, order).expect("a wall")));
            let (with, least) = median(|| {
                let wrapped = sandbox.wrap(level, order).expect("a wall");
                let mut command = Command::new(&wrapped.program);
                command.args(&wrapped.arguments).envs(wrapped.environment);
                run(&mut command);
            });
            let more = with.saturating_sub(without);
            over |= more > GOAL;
            println!(
                "{:10} {:14}  median {}, least {}, with {} for the list: +{}",
                means.name(),
                level.name(),
                shown(with),
                shown(least),
                shown(list),
                shown(more)
            );
        }
    }
    if over { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

fn run(command: &mut Command) {
    let ended = command.stdin(Stdio::null()).stdout(Stdio::null()).status();
    assert!(ended.expect("a program").success());
}

/// And the least.
fn median(mut work: impl FnMut()) -> (Duration, Duration) {
    let mut all: Vec<Duration> = (0..ROUNDS)
        .map(|_| {
            let begun = Instant::now();
            work();
            begun.elapsed()
        })
        .collect();
    all.sort();
    let at = |n: usize| all.get(n).copied().unwrap_or_default();
    (at(ROUNDS / 2), at(0))
}

fn shown(time: Duration) -> String {
    format!("{:5.1} ms", time.as_secs_f64() * 1e3)
}
