//! Acts from inside a sandbox, on a real machine: what must not succeed, and what must. Each act is a row of
//! `acts.rs`; here they are run by `dominds-tui sandbox`, by every level and means, and for the
//! administrator as an ordinary user too.
//!
//! A forbidden act is run without a sandbox first, in a place of its own. One that fails there as well
//! would prove nothing.

#![expect(clippy::expect_used, reason = "a test that cannot go on says why")]

mod acts;
mod place;
mod run;

use acts::{Act, FORBIDDEN, ORDINARY, When};
use place::Place;
use run::{Means, User, can_run};

/// Without a working `bwrap` these tests show nothing. CI has to have it.
fn ready(means: Means, user: User) -> bool {
    let place = Place::new(user);
    let why = can_run(&place, means);
    if let Some(why) = &why {
        let ci = std::env::var_os("CI").is_some_and(|value| !value.is_empty());
        assert!(!ci, "no sandbox by {means:?} as {user:?}: {why}");
        eprintln!("SKIPPED: no sandbox by {means:?} as {user:?}: {why}");
    }
    why.is_none()
}

/// Those of the rows that a level is meant to stop, or to let through.
fn rows(all: &'static [Act], level: &str) -> impl Iterator<Item = &'static Act> {
    let meant = match level {
        "read-only" => [When::Always, When::ReadOnly, When::NoNetwork],
        "workspace" => [When::Always, When::Writing, When::NoNetwork],
        _ => [When::Always, When::Writing, When::Writing],
    };
    all.iter().filter(move |act| meant.contains(&act.when))
}

fn forbidden_acts_fail(means: Means) {
    let mut faults = Vec::new();
    for user in User::all().into_iter().filter(|user| ready(means, *user)) {
        for level in ["read-only", "workspace", "workspace+net"] {
            let mut place = Place::new(user);
            for act in rows(FORBIDDEN, level) {
                for script in act.scripts.iter().filter(|script| script.language.is_there()) {
                    let outcome = place.attempt(Some((means, level)), act, script);
                    if let Some(fault) = outcome {
                        faults.push(format!("{means:?} {level} {user:?}: {}: {fault}", act.name));
                        place = Place::new(user);
                    }
                }
            }
        }
    }
    assert!(faults.is_empty(), "{} acts succeeded:\n{}", faults.len(), faults.join("\n"));
}

fn ordinary_acts_succeed(means: Means) {
    let mut faults = Vec::new();
    for user in User::all().into_iter().filter(|user| ready(means, *user)) {
        for level in ["read-only", "workspace", "workspace+net"] {
            let place = Place::new(user);
            for act in rows(ORDINARY, level).filter(|act| !act.not_by.contains(&means)) {
                for script in act.scripts.iter().filter(|script| script.language.is_there()) {
                    let ran = place.run(Some((means, level)), script);
                    if ran.code != Some(0) {
                        let (name, said) = (act.name, ran.said);
                        faults.push(format!("{means:?} {level} {user:?}: {name}: {said}"));
                    }
                }
            }
        }
    }
    assert!(faults.is_empty(), "{} acts failed:\n{}", faults.len(), faults.join("\n"));
}

#[test]
fn every_forbidden_act_succeeds_where_nothing_holds_it() {
    let mut faults = Vec::new();
    for user in User::all() {
        for act in FORBIDDEN.iter().filter(|act| act.control) {
            for script in act.scripts.iter().filter(|script| script.language.is_there()) {
                let place = Place::new(user);
                if place.attempt(None, act, script).is_none() {
                    faults.push(format!("{user:?}: {} by {:?}", act.name, script.language));
                }
            }
        }
    }
    assert!(faults.is_empty(), "these prove nothing:\n{}", faults.join("\n"));
}

#[test]
fn forbidden_acts_fail_by_bwrap() {
    forbidden_acts_fail(Means::Bwrap);
}

#[test]
fn ordinary_acts_succeed_by_bwrap() {
    ordinary_acts_succeed(Means::Bwrap);
}

#[test]
fn forbidden_acts_fail_by_landlock() {
    forbidden_acts_fail(Means::Landlock);
}

#[test]
fn ordinary_acts_succeed_by_landlock_but_for_those_it_cannot_give() {
    ordinary_acts_succeed(Means::Landlock);
}

#[test]
fn the_exit_status_of_the_command_is_passed_on_and_nothing_is_left_in_the_workspace() {
    if !ready(Means::Bwrap, User::Own) {
        return;
    }
    let place = Place::new(User::Own);
    let before = place.names();
    for means in [Means::Bwrap, Means::Landlock].into_iter().filter(|one| ready(*one, User::Own)) {
        for (command, code) in [("exit 0", 0), ("exit 7", 7), ("kill -9 $$", 137), ("no-such", 127)]
        {
            let ran = place.sh(Some((means, "workspace")), command);
            assert_eq!(ran.code, Some(code), "{means:?} {command}: {}", ran.said);
        }
    }
    assert_eq!(place.names(), before);
}

#[test]
fn what_a_command_started_ends_with_the_program_by_each_means() {
    for means in [Means::Bwrap, Means::Landlock].into_iter().filter(|one| ready(*one, User::Own)) {
        for signal in ["TERM", "KILL"] {
            let place = Place::new(User::Own);
            let word = format!("8{}.{}", std::process::id(), signal.len());
            let slow = format!("sleep {word}");
            let command = format!("setsid {slow} & (setsid {slow} &); nohup {slow} & {slow}");
            let mut program = place.start(means, &command);
            assert!(run::eventually(|| run::with_argument(&word) == 4), "{means:?}: they began");
            let id = program.id().to_string();
            let sent = std::process::Command::new("kill").args(["-s", signal, &id]).status();
            assert!(sent.expect("kill").success());
            program.wait().expect("a child");
            assert!(run::eventually(|| run::with_argument(&word) == 0), "{means:?} {signal}");
        }
    }
}
