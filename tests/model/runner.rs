//! Plays episodes until there were enough steps, side by side; a failure is minimized and reported.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use crate::episode::{Failure, play};
use crate::plan::{Game, Planned, plan};

/// The first episode of a run; the others follow.
const FIRST: u64 = 9_000;
/// How often an episode that failed is played again to find out what it does not need.
const TRIES: usize = 120;

/// Plays `steps` steps, or as many as `DOMINDS_MODEL_STEPS` says; with `DOMINDS_MODEL_SEED` only the
/// episode of this number; with `DOMINDS_MODEL_SURVEY` all of them, whatever fails.
pub fn run(game: Game, steps: u64) {
    if let Some(seed) = number("DOMINDS_MODEL_SEED") {
        if let Err(failure) = alone(seed, game, &plan(seed, game.profile)) {
            report(seed, game, failure);
        }
        return;
    }
    let steps = number("DOMINDS_MODEL_STEPS").unwrap_or(steps);
    if number("DOMINDS_MODEL_SURVEY").is_some() {
        return survey(game, steps);
    }
    let (next, done) = (AtomicU64::new(FIRST), AtomicU64::new(0));
    let failed = Mutex::new(None);
    let work = || {
        while done.load(Ordering::SeqCst) < steps {
            if failed.lock().expect("not poisoned").is_some() {
                return;
            }
            let seed = next.fetch_add(1, Ordering::SeqCst);
            match alone(seed, game, &plan(seed, game.profile)) {
                Ok(steps) => _ = done.fetch_add(steps, Ordering::SeqCst),
                Err(failure) => _ = failed.lock().expect("not poisoned").insert((seed, failure)),
            }
        }
    };
    let cores = thread::available_parallelism().map_or(1, std::num::NonZeroUsize::get);
    thread::scope(|scope| {
        for _ in 0..cores.min(4) {
            scope.spawn(work);
        }
    });
    let episodes = next.load(Ordering::SeqCst) - FIRST;
    println!("{game:?}: {} steps in {episodes} episodes", done.load(Ordering::SeqCst));
    if let Some((seed, failure)) = failed.into_inner().expect("not poisoned") {
        report(seed, game, failure);
    }
}

#[expect(clippy::disallowed_methods, reason = "a person chooses what is played")]
fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok()?.parse().ok()
}

/// On a runtime of its own, whose clock stands still.
fn alone(seed: u64, game: Game, plan: &[Planned]) -> Result<u64, Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .start_paused(true)
        .build()
        .expect("a runtime");
    runtime.block_on(play(seed, game, plan))
}

fn report(seed: u64, game: Game, failure: Failure) {
    let (plan, failure) = smaller(seed, game, plan(seed, game.profile), failure);
    for line in &failure.log {
        eprintln!("{line}");
    }
    panic!(
        "{}\n{game:?}, episode {seed} (DOMINDS_MODEL_SEED={seed}), {} steps are enough: {plan:?}",
        failure.why,
        plan.len()
    );
}

/// Leaves out what is not needed for a failure, as far as that is found.
fn smaller(
    seed: u64,
    game: Game,
    mut plan: Vec<Planned>,
    mut failure: Failure,
) -> (Vec<Planned>, Failure) {
    let mut tries = 0;
    let mut size = plan.len().div_ceil(2);
    while size > 0 {
        let mut at = 0;
        while at < plan.len() && tries < TRIES {
            tries += 1;
            let mut less = plan.clone();
            less.drain(at..(at + size).min(plan.len()));
            match alone(seed, game, &less) {
                Err(again) => (plan, failure) = (less, again),
                Ok(_) => at += size,
            }
        }
        size /= 2;
    }
    (plan, failure)
}

/// Goes on after each failure, and counts them by kind.
fn survey(game: Game, steps: u64) {
    let mut kinds: BTreeMap<String, Vec<u64>> = BTreeMap::new();
    let (mut seed, mut done) = (FIRST, 0);
    while done < steps {
        let plan = plan(seed, game.profile);
        match alone(seed, game, &plan) {
            Ok(steps) => done += steps,
            Err(failure) => {
                done += plan.len() as u64;
                let kind = failure.why.chars().filter(|c| !c.is_ascii_digit()).collect();
                kinds.entry(kind).or_default().push(seed);
            }
        }
        seed += 1;
    }
    println!("{game:?}: {done} steps in {} episodes", seed - FIRST);
    for (kind, seeds) in kinds {
        println!("{:6} {kind}: {:?}", seeds.len(), &seeds[..seeds.len().min(5)]);
    }
}
