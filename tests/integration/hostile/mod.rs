//! A hostile repository: each way in which its files could make something happen. It is opened, driven,
//! read, answered and examined without consent: no program of it runs, no connection is made, nothing is
//! written outside. With consent it acts, which shows that the way is one; after a change it waits again.

#![expect(clippy::expect_used, reason = "a test, its functions included, fails by panicking")]

mod place;
mod variants;

use std::collections::BTreeSet;

use crate::common::spread::spread;

use place::Place;
use variants::{Control, Variant};

/// What a person might do with a repository they know nothing of.
const COMMANDS: [&[&str]; 12] = [
    &["doctor"],
    &["doctor", "--json"],
    &["doctor", "--mcp"],
    &["doctor", "--providers", "--timeout", "2"],
    &["read"],
    &["read", "lead"],
    &["dialogs", "--all"],
    &["q4h"],
    &["trust"],
    &["resume", "--all"],
    &["drive", "--timeout", "30"],
    &["run", "--timeout", "30", "go"],
];

/// Does all of it, the screen at the end, and says what happened.
fn opened(place: &Place, variant: &Variant) -> Vec<String> {
    let mut seen = Vec::new();
    for command in COMMANDS {
        let output = place.program(command);
        assert!(output.status.code().is_some_and(|code| code != 101), "{command:?}: {output:?}");
        seen.extend(place.acts().into_iter().map(|act| format!("{command:?}: {act}")));
        if command.contains(&"--providers") {
            // A model of this machine may be asked whether it is there.
            place.forget_requests();
        }
    }
    let screen = place.screen(&variant.waits);
    for entry in &variant.waits {
        assert!(
            screen.contains(entry),
            "{}: `{entry}` is not on the sheet\n{screen}",
            variant.name
        );
    }
    seen.extend(place.acts().into_iter().map(|act| format!("screen: {act}")));
    seen
}

#[test]
fn nothing_a_repository_brings_along_acts_before_a_person_agreed() {
    let all = variants::all();
    assert!(all.len() >= 30, "{}", all.len());
    let names: BTreeSet<&str> = all.iter().map(|variant| variant.name).collect();
    assert_eq!(names.len(), all.len());
    spread(&all, |variant| {
        let place = Place::with(variant);
        assert_eq!(opened(&place, variant), [""; 0], "{}", variant.name);
        if !variant.waits.is_empty() {
            assert_eq!(place.driven(), 0, "{}: a dialog went on", variant.name);
        }
    });
}

#[test]
fn with_consent_it_acts_and_after_a_change_it_waits_again() {
    let all = variants::all();
    spread(all.iter().filter(|variant| !variant.waits.is_empty()), |variant| {
        let place = Place::with(variant);
        let agreed = place.program(&["trust", "--yes"]);
        assert!(agreed.status.success(), "{}: {agreed:?}", variant.name);
        place.program(&["drive", "--timeout", "30"]);
        let acts = place.acts();
        match variant.control {
            Control::Acts => assert!(!acts.is_empty(), "{}: it never acts", variant.name),
            Control::None => assert_eq!(acts, [""; 0], "{}", variant.name),
        }
        let Some((path, from, to)) = &variant.change else { return };
        place.change(path, from, to);
        assert_eq!(opened(&place, variant), [""; 0], "{}: after a change", variant.name);
    });
}
