//! The driver against chance: random sequences of what models, persons and crashes can do to a tree of a
//! few dialogs, and the promises that hold after each of them (docs/testing.md). The store, the driver
//! and their files are real, time stands still, and what happens follows from one number: a run that
//! fails prints that number and the shortest list of steps it has found. It takes all cores for as long as
//! it is told to, and is a program of its own therefore.

#![expect(clippy::expect_used, clippy::panic, reason = "a test that cannot go on says why")]
#![expect(clippy::indexing_slicing, reason = "a test that misses something fails")]
#![expect(clippy::wildcard_enum_match_arm, reason = "a test looks for what it is about")]
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a run tells what it did")]

#[path = "../common/mod.rs"]
#[expect(dead_code, reason = "other tests use more of it")]
mod common;

mod actor;
mod answers;
mod checks;
mod client;
mod disk;
mod episode;
mod ledger;
mod notices;
mod plan;
mod records;
mod results;
mod runner;
mod tool;
mod waiting;

use dominds_tui::domain::Layout;

use plan::{Game, Profile};

/// Steps in each layout in an ordinary run of all tests.
const STEPS: u64 = 2_000;

#[test]
fn whatever_models_persons_and_crashes_do_every_promise_holds() {
    in_both_layouts(Profile::Everything);
}

#[test]
fn after_any_tellask_ask_back_update_reply_stop_say_or_crash_nobody_waits_for_nothing() {
    in_both_layouts(Profile::Waits);
}

fn in_both_layouts(profile: Profile) {
    for layout in Layout::ALL {
        runner::run(Game { profile, layout }, STEPS);
    }
}
