//! Measures the overhead of starting a command in a sandbox, for each level and each available backend.
//! `cargo bench --bench sandbox` prints medians and fails if one is over the limit.

#![expect(clippy::expect_used, reason = "a benchmark that cannot run reports the reason")]
#![expect(clippy::print_stdout, reason = "figures are printed")]

use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use dominds_tui::app;
use dominds_tui::domain::safety::sandbox::Level;
use dominds_tui::sandbox::{CommandSpec, Means, Sandbox};

const ROUNDS: usize = 100;
/// Compared to the same command without a sandbox.
const MAX_OVERHEAD: Duration = Duration::from_millis(15);
const COMMAND: [&str; 2] = ["-c", "true"];

/// One way of running the command.
struct Variant {
    name: String,
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
    let mut variants = vec![variant("without a sandbox".to_owned(), plain)];
    for means in Means::ALL {
        for level in [Level::ReadOnly, Level::Workspace, Level::WorkspaceNet] {
            let sandbox = Sandbox::with_means(ground.clone(), level, Some(means));
            match sandbox.means(level) {
                Ok(_) => {
                    let folder = workspace.clone();
                    let start = move || run_in(&sandbox, level, &folder);
                    variants.push(variant(format!("{means} {level}"), start));
                }
                Err(refusal) => println!("SKIPPED: {means} {level}: {refusal}"),
            }
        }
    }
    // Interleaved, so that other load affects all variants alike.
    for _ in 0..ROUNDS {
        for variant in &mut variants {
            let begun = Instant::now();
            (variant.run)();
            variant.times.push(begun.elapsed());
        }
    }
    let mut without = None;
    let mut over = false;
    for variant in &mut variants {
        variant.times.sort();
        let at = |n: usize| variant.times.get(n).copied().unwrap_or_default();
        let (median, least) = (at(ROUNDS / 2), at(0));
        let more = median.saturating_sub(*without.get_or_insert(median));
        over |= more > MAX_OVERHEAD;
        let (name, median) = (&variant.name, shown(median));
        println!("{name:24}  median {median}, least {}: +{}", shown(least), shown(more));
    }
    if over { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

fn variant(name: String, run: impl Fn() + 'static) -> Variant {
    run();
    Variant { name, times: Vec::new(), run: Box::new(run) }
}

fn run_in(sandbox: &Sandbox, level: Level, folder: &Path) {
    let (program, arguments) = ("/bin/sh", &COMMAND);
    let order = CommandSpec { program, arguments, folder, stay: false, apart: false };
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
