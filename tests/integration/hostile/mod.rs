//! A hostile repository: each way in which its files could make something happen. It is opened, driven,
//! read, answered and examined without consent: no program of it runs, no connection is made, nothing is
//! written outside. With consent it acts, which shows that the way is one; after a change it waits again.

#![expect(clippy::expect_used, reason = "a test, its functions included, fails by panicking")]

mod place;
mod tricks;
mod variants;

use std::collections::BTreeSet;
use std::fs;

use crate::common::quarter::quarter;
use crate::common::spread::spread;

use place::{OUTSIDE, Place};
use tricks::ACT_ANYWHERE;
use variants::{Control, Variant, runs, shell};

type Words = &'static [&'static str];

/// Commands that a person might run in an unknown repository.
const COMMANDS: [Words; 12] = [
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

/// Deals out the commands to the variants: of all pairs a quarter.
fn dealt<'a>(variants: impl IntoIterator<Item = &'a Variant>) -> Vec<(&'a Variant, Vec<Words>)> {
    let mut dealt: Vec<_> = variants.into_iter().map(|variant| (variant, Vec::new())).collect();
    let pairs = (0..dealt.len()).flat_map(|at| COMMANDS.map(|command| (at, command)));
    for (at, command) in quarter(pairs) {
        dealt.get_mut(at).expect("a variant").1.push(command);
    }
    dealt
}

/// Does these things, the screen at the end, and says what happened.
fn opened(place: &Place, variant: &Variant, commands: &[Words]) -> Vec<String> {
    let mut seen = Vec::new();
    for command in commands {
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
    assert!(all.len() >= 45, "{}", all.len());
    let names: BTreeSet<&str> = all.iter().map(|variant| variant.name).collect();
    assert_eq!(names.len(), all.len());
    spread(dealt(&all), |(variant, commands)| {
        let place = Place::with(variant);
        assert_eq!(opened(&place, variant, &commands), [""; 0], "{}", variant.name);
        if !variant.waits.is_empty() {
            assert_eq!(place.driven(), 0, "{}: a dialog went on", variant.name);
        }
    });
}

#[test]
fn with_consent_it_acts_and_after_a_change_it_waits_again() {
    let all = variants::all();
    let waiting = all.iter().filter(|variant| !variant.waits.is_empty());
    spread(dealt(waiting), |(variant, commands)| {
        let place = Place::with(variant);
        let agreed = place.program(&["trust", "--yes"]);
        assert!(agreed.status.success(), "{}: {agreed:?}", variant.name);
        place.program(&["drive", "--timeout", "30"]);
        let acts = place.acts();
        let outside = acts.iter().any(|act| act.starts_with(OUTSIDE));
        assert!(!outside, "{}: {acts:?}", variant.name);
        match variant.control {
            Control::Acts => assert!(!acts.is_empty(), "{}: it never acts", variant.name),
            Control::None => assert_eq!(acts, [""; 0], "{}", variant.name),
        }
        let Some((path, from, to)) = &variant.change else { return };
        place.change(path, from, to);
        assert_eq!(opened(&place, variant, &commands), [""; 0], "{}: after a change", variant.name);
    });
}

/// A workspace whose commands want to write outside of it.
fn reaching_out(name: &'static str) -> Variant {
    Variant {
        calls: vec![runs(ACT_ANYWHERE)],
        ..shell(name, "shell_specialists: [lead]", "toolsets: [os]")
    }
}

#[test]
fn nobody_agrees_for_the_person_where_there_is_no_terminal() {
    let waiting = variants::all().into_iter().filter(|variant| !variant.waits.is_empty());
    // One of each kind: the common parts are tested with all of them, above.
    let mut kinds = BTreeSet::new();
    let kind = |variant: &Variant| variant.waits.first().and_then(|wait| wait.split(' ').next());
    let first: Vec<Variant> = waiting.filter(|variant| kinds.insert(kind(variant))).collect();
    assert!(first.len() >= 4, "{kinds:?}");
    let set = |names: &[&'static str]| -> Vec<(&'static str, String)> {
        names.iter().map(|&name| (name, "true".to_owned())).collect()
    };
    let environments = [set(&[]), set(&["CI", "GITHUB_ACTIONS"]), set(&["NONINTERACTIVE"])];
    let rows =
        first.iter().flat_map(|variant| environments.iter().map(move |more| (variant, more)));
    let rows: Vec<_> = rows.collect();
    spread(&rows, |(variant, more)| {
        let place = Place::with(variant);
        let status = |command: &[&str]| place.program_with(command, more).status.code();
        let name = variant.name;
        assert_eq!(status(&["run", "--timeout", "30", "go"]), Some(6), "{name}");
        assert_eq!(status(&["drive", "--timeout", "30"]), Some(6), "{name}");
        assert_eq!(status(&["trust"]), Some(2), "{name}");
        place.served(more, || {
            assert_eq!(status(&["run", "--timeout", "30", "go"]), Some(6), "{name}");
        });
        assert_eq!(place.acts(), [""; 0], "{name}");
        assert_eq!(place.driven(), 0, "{name}: a dialog went on");
    });
}

#[test]
fn folders_of_the_person_that_lie_in_the_workspace_are_not_obeyed() {
    type Moved = fn(&dyn Fn(&str) -> String) -> Vec<(&'static str, String)>;
    let at = |place: &Place, name: &str| place.at("work").join(name).display().to_string();
    let moved: [(&str, Moved); 3] = [
        ("the home folder", |at| vec![("HOME", at(""))]),
        ("a relative home folder", |_| vec![("HOME", ".".to_owned())]),
        ("both folders", |at| {
            vec![("XDG_STATE_HOME", at(".local/state")), ("XDG_CONFIG_HOME", at(".config"))]
        }),
    ];
    spread(&moved, |(name, moved)| {
        let place = Place::with(&reaching_out(name));
        let record = place.record_of_consent();
        place.put("work/.local/state/dominds-tui/trusted.jsonl", &record);
        place.put("work/.config/dominds-tui/config.yaml", "sandbox: off\n");
        let more = moved(&|name| at(&place, name));
        let drive = place.program_with(&["drive", "--timeout", "30"], &more);
        assert_eq!(drive.status.code(), Some(6), "{name}: {drive:?}");
        assert_eq!(place.acts(), [""; 0], "{name}");
        let doctor = place.program_with(&["doctor"], &more);
        let told = String::from_utf8_lossy(&doctor.stdout).into_owned();
        assert!(told.contains("it is in the workspace"), "{name}: {told}");
        // With consent its commands run, if at all, at the read-only level.
        let drive = place.program_with(&["drive", "--timeout", "30", "--trust"], &more);
        assert_eq!(place.acts(), [""; 0], "{name}: {drive:?}");
    });
}

#[test]
fn configuration_that_was_absent_is_not_made_by_a_command() {
    const ABSENT: [&str; 9] = [
        ".minds/mcp.yaml",
        ".minds/hive/hive.yaml",
        ".minds/hive/teams/x.yaml",
        ".minds/skills/x/SKILL.md",
        ".minds/team/lead/persona.md",
        ".minds/config.yaml",
        ".hive/hive.db",
        ".hive/seat",
        ".dialogs/.tui/trusted.jsonl",
    ];
    let script = |path: &str| format!("mkdir -p $(dirname {path}); echo x >{path}; ");
    let command: String = ABSENT.iter().map(|path| script(path)).collect();
    let name = "absent configuration";
    let place = Place::with(&Variant {
        calls: vec![runs(&format!("{command} echo ran >>acted"))],
        ..reaching_out(name)
    });
    let agreed = place.program(&["trust", "--yes"]);
    assert!(agreed.status.success(), "{agreed:?}");
    let drive = place.program(&["drive", "--timeout", "30"]);
    assert_eq!(place.acts(), ["a program ran"], "{drive:?}");
    let made: Vec<&str> = ABSENT
        .into_iter()
        .filter(|path| {
            fs::read_to_string(place.at("work").join(path)).is_ok_and(|text| text == "x\n")
        })
        .collect();
    assert_eq!(made, [""; 0]);
}
