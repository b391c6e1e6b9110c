//! Acts from inside a sandbox, on a real machine: what must not succeed, and what must. Each act is a row of
//! `acts`; here they are run by `dominds-tui sandbox`, by every level and means, and for the
//! administrator as an ordinary user too. What a means cannot give is a row of `gaps.rs`.
//!
//! A forbidden act is run without a sandbox first, in a place of its own. One that fails there as well
//! would prove nothing.

#![expect(clippy::expect_used, reason = "a test that cannot go on says why")]

mod acts;
mod gaps;
mod place;
mod projects;
mod race;
mod run;
mod servers;

use std::collections::BTreeSet;
use std::os::unix::fs::MetadataExt as _;
use std::process::{Child, Command};

use crate::common::children::{DAEMON, KINDS};
use crate::common::processes::{is_in_an_argument, with_argument};
use crate::common::quarter::quarter;
use crate::common::skip::{has, skip};
use crate::common::spread::spread;
use crate::common::wait::{self, eventually, output, read_all};

use acts::{Act, Control, FORBIDDEN, ORDINARY, Script, forbidden};
use gaps::GAPS;
use place::{CANARY, Place};
use run::{Means, Ran, User, can_run, is_root, tools};

const LEVELS: [&str; 3] = ["read-only", "workspace", "workspace+net"];
/// The one at which acts are tried in every language.
const FULL: &str = "workspace";
/// The least number of forbidden acts that have to succeed without a sandbox.
const PROVED: usize = 60;

type Row = (&'static Act, &'static Script);
/// An act that did not end as it has to, and how it ended.
type Found = (&'static Act, String);

/// Checks the sandbox: without a working `bwrap` these tests prove nothing. CI has to have it.
fn ready(means: Means, user: User) -> bool {
    let place = Place::new(user);
    let why = can_run(&place, means);
    if let Some(why) = &why {
        skip(&format!("no sandbox by {means:?} as {user:?}: {why}"));
    }
    why.is_none()
}

/// Returns the rows: in every language at the first level of an act, and at levels with a gap; elsewhere
/// in one, since the effect of a level does not depend on the language. Gaps are in every run, and each act once as
/// the user who runs the tests; of the others it is a quarter.
fn rows(
    all: impl Iterator<Item = &'static Act>,
    means: Means,
    level: &str,
    user: User,
) -> Vec<Row> {
    let (mut rows, mut others) = (Vec::new(), Vec::new());
    for act in all.filter(|act| act.when.is_at(level)) {
        let there = act.scripts.iter().filter(|script| script.language.is_there());
        let full = level == FULL || !act.when.is_at(FULL);
        let is_gap = gaps::is_known(means, level, act.name);
        let most = if full || is_gap { act.scripts.len() } else { 1 };
        let always = if is_gap { most } else { usize::from(full && user == User::Own) };
        for (nth, script) in there.take(most).enumerate() {
            if nth < always { rows.push((act, script)) } else { others.push((act, script)) }
        }
    }
    rows.extend(quarter(others));
    rows
}

fn run_all(place: &Place, sandbox: Option<(Means, &str)>, rows: &[Row]) -> Vec<Option<Ran>> {
    let scripts: Vec<_> = rows.iter().map(|(act, script)| (act.target, *script)).collect();
    place.run_all(sandbox, &scripts)
}

/// Returns the acts of a level that achieved something, and how.
fn achieved(means: Means, level: &str, user: User) -> Vec<Found> {
    let place = Place::new(user);
    let all = rows(forbidden(), means, level, user);
    // Acts that are known to succeed change the targets of others.
    let (known, held): (Vec<Row>, Vec<Row>) =
        all.into_iter().partition(|(act, _)| gaps::is_known(means, level, act.name));
    let before = place.watched();
    let mut done = Vec::new();
    for ((act, script), ran) in held.iter().zip(run_all(&place, Some((means, level)), &held)) {
        let how = match ran {
            Some(ran) => ran.achieved(),
            None => Some("it was not reached".to_owned()),
        };
        done.extend(how.map(|how| (*act, format!("by {:?}: {how}", script.language))));
    }
    if place.changed(&before).is_some() {
        done.extend(writers(means, level, user, &held));
    }
    // One way shows that a gap is there.
    let mut open = BTreeSet::new();
    for row in &known {
        if !open.contains(row.0.name) {
            let found = alone(means, level, user, row);
            open.extend(found.iter().map(|(act, _)| act.name));
            done.extend(found);
        }
    }
    done
}

/// Returns the rows that write reserved paths, by bisection.
fn writers(means: Means, level: &str, user: User, all: &[Row]) -> Vec<Found> {
    if let [row] = all {
        return alone(means, level, user, row).into_iter().collect();
    }
    let place = Place::new(user);
    let before = place.watched();
    run_all(&place, Some((means, level)), all);
    if place.changed(&before).is_none() {
        return Vec::new();
    }
    let (one, other) = all.split_at(all.len() / 2);
    let halves = [one, other].map(|half| writers(means, level, user, half));
    halves.into_iter().flatten().collect()
}

/// Runs one row in a place of its own.
fn alone(means: Means, level: &str, user: User, row: &Row) -> Option<Found> {
    let place = Place::new(user);
    let before = place.watched();
    let ran = run_all(&place, Some((means, level)), &[*row]).pop().flatten()?;
    let changed = place.changed(&before).map(|what| format!("{what} changed"));
    let how = changed.or_else(|| ran.achieved())?;
    Some((row.0, format!("by {:?}: {how}", row.1.language)))
}

/// Checks every level and each user: only known gaps are found, and all of them.
fn only_gaps(means: Means, acts: &[&'static Act], found: fn(Means, &str, User) -> Vec<Found>) {
    let (mut faults, mut seen) = (Vec::new(), BTreeSet::new());
    let users: Vec<User> = User::all().into_iter().filter(|user| ready(means, *user)).collect();
    let all = users.iter().flat_map(|user| LEVELS.map(|level| (*user, level)));
    for (user, level, found) in
        spread(all, |(user, level)| (user, level, found(means, level, user)))
    {
        for (act, how) in found {
            if gaps::is_known(means, level, act.name) {
                seen.insert((act.name, level));
            } else {
                faults.push(format!("{means:?} {level} {user:?}: {}: {how}", act.name));
            }
        }
    }
    assert!(faults.is_empty(), "{} acts are not as listed:\n{}", faults.len(), faults.join("\n"));
    if !users.is_empty() {
        the_list_is_true(means, acts, &seen);
    }
}

fn forbidden_acts_fail(means: Means) {
    only_gaps(means, &forbidden().collect::<Vec<_>>(), achieved);
}

fn ordinary_acts_succeed(means: Means) {
    only_gaps(means, &ORDINARY.iter().collect::<Vec<_>>(), failed);
}

/// Checks that every listed gap still exists.
fn the_list_is_true(means: Means, acts: &[&'static Act], seen: &BTreeSet<(&str, &str)>) {
    let is_one = |name: &str| acts.iter().any(|act| act.name == name);
    let listed = GAPS.iter().filter(|gap| gap.means == means && is_one(gap.act));
    let listed = listed.flat_map(|gap| gap.levels.iter().map(|level| (gap.act, *level)));
    let wrong: Vec<_> = listed.filter(|row| !seen.contains(row)).collect();
    assert!(wrong.is_empty(), "{means:?}: these are no gaps any more: {wrong:?}");
}

/// The ordinary acts that a level does not let succeed: the act, and how it ended.
fn failed(means: Means, level: &str, user: User) -> Vec<Found> {
    let place = Place::new(user);
    if level != "read-only" {
        projects::put(&place);
    }
    let mut all = rows(ORDINARY.iter(), means, level, user);
    all.retain(|(act, _)| has_tools(&place, act));
    let ran = run_all(&place, Some((means, level)), &all);
    let failed = all.into_iter().zip(ran).filter_map(|((act, script), ran)| {
        let how = match ran {
            Some(Ran { code: Some(0), .. }) => return None,
            Some(ran) => format!("{:?} {}", ran.code, ran.said.trim()),
            None => "it was not reached".to_owned(),
        };
        Some((act, format!("by {:?}: {how}", script.language)))
    });
    failed.collect()
}

/// True if the tools of an act are there. A person's compilers are in that person's home folder only.
fn has_tools(place: &Place, act: &Act) -> bool {
    if act.name.contains("cargo") && place.user == User::Own && tools().is_none() {
        skip(&format!("{}: there is no cargo", act.name));
    }
    (!act.name.contains("cargo") || place.user == User::Own && tools().is_some())
        && (!act.name.contains("node") || has("npm"))
}

/// Runs the acts of a kind without a sandbox. Returns the names of those that succeed, and of those
/// that should have succeeded and did not.
fn unheld(user: User, kind: &str, acts: &'static [Act]) -> (Vec<&'static str>, Vec<String>) {
    let (mut proved, mut faults) = (Vec::new(), Vec::new());
    let root = user == User::Own && is_root();
    let writes = kind.starts_with("writing") || kind.starts_with("settings");
    let mut place = Place::new(user);
    for (act, script) in unheld_rows(user, acts) {
        let needed = match act.control {
            Control::Succeeds => true,
            Control::ForRoot => root,
            Control::OnSome | Control::Harmful => false,
        };
        let before = place.watched();
        let ran = run_all(&place, None, &[(act, script)]).pop().flatten();
        let ran = ran.expect("a script that was run");
        let changed = place.watched() != before;
        if changed || ran.achieved().is_some() {
            proved.push(act.name);
        } else if needed {
            let by = script.language;
            faults.push(format!("{user:?}: {} by {by:?}: {}", act.name, ran.said.trim()));
        }
        // The next act gets a fresh place.
        if changed || writes {
            place = Place::new(user);
        }
    }
    (proved, faults)
}

/// The rows that are run without a sandbox: each act once as the user who runs the tests, and a quarter of those in
/// its other languages, or as another user. The language of a script does not depend on the user.
fn unheld_rows(user: User, acts: &'static [Act]) -> Vec<Row> {
    let (mut rows, mut others) = (Vec::new(), Vec::new());
    for act in acts.iter().filter(|act| act.control != Control::Harmful) {
        let mut there = act.scripts.iter().filter(|script| script.language.is_there());
        let first = there.next().map(|script| (act, script));
        if user == User::Own {
            rows.extend(first);
            others.extend(there.map(|script| (act, script)));
        } else {
            others.extend(first);
        }
    }
    rows.extend(quarter(others));
    rows
}

#[test]
fn every_forbidden_act_succeeds_where_nothing_holds_it() {
    let users = User::all();
    let all = users.iter().flat_map(|user| FORBIDDEN.map(|(kind, acts)| (*user, kind, acts)));
    let (mut faults, mut proved) = (Vec::new(), BTreeSet::new());
    for (names, open) in spread(all, |(user, kind, acts)| unheld(user, kind, acts)) {
        proved.extend(names);
        faults.extend(open);
    }
    assert!(faults.is_empty(), "these prove nothing:\n{}", faults.join("\n"));
    let names = forbidden().map(|act| act.name);
    let open: Vec<_> = names.filter(|name| !proved.contains(name)).collect();
    eprintln!("{} acts succeed without a sandbox; of {open:?} nothing is known here", proved.len());
    assert!(proved.len() >= PROVED, "only {} acts prove something", proved.len());
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
fn forbidden_acts_fail_by_landlock_but_for_those_it_cannot_hold() {
    forbidden_acts_fail(Means::Landlock);
}

#[test]
fn ordinary_acts_succeed_by_landlock_but_for_those_it_cannot_give() {
    ordinary_acts_succeed(Means::Landlock);
}

#[test]
fn every_row_has_a_name_of_its_own_and_every_gap_is_about_one() {
    let mut names = BTreeSet::new();
    for act in forbidden().chain(ORDINARY) {
        assert!(names.insert(act.name), "{} is there twice", act.name);
        assert!(!act.scripts.is_empty(), "{}", act.name);
    }
    for gap in GAPS {
        assert!(names.contains(gap.act) && !gap.why.is_empty(), "{gap:?}");
    }
}

#[test]
fn the_page_about_safety_says_which_means_holds_what() {
    let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/safety.md"))
        .expect("a page");
    let table = gaps::table();
    assert!(page.contains(&table), "docs/safety.md has to hold this table:\n{table}");
}

#[test]
fn the_exit_status_of_the_command_is_passed_on_and_nothing_is_left_in_the_workspace() {
    let place = Place::new(User::Own);
    let before = place.names();
    for means in [Means::Bwrap, Means::Landlock].into_iter().filter(|one| ready(*one, User::Own)) {
        for (command, code) in [("exit 0", 0), ("exit 7", 7), ("kill -9 $$", 137), ("no-such", 127)]
        {
            let ran = place.sh(Some((means, "workspace")), command);
            assert_eq!(ran.code, Some(code), "{means:?} {command}: {}", ran.said);
        }
        let ran = place.words(Some((means, "workspace")), &["no-such-program".to_owned()]);
        assert_eq!(ran.code, Some(127), "{means:?}: {}", ran.said);
    }
    assert_eq!(place.names(), before);
}

#[test]
fn nothing_is_left_of_the_private_folder_whatever_modes_a_command_gave_to_what_is_in_it() {
    const SCRIPT: &str = "d=${TMPDIR:-/tmp} && mkdir -p $d/a/b/c && echo x >$d/a/b/c/f && \
        chmod 000 $d/a/b/c $d/a/b $d/a $d";
    let all = User::all();
    let all = all.iter().flat_map(|user| [Means::Bwrap, Means::Landlock].map(|one| (one, *user)));
    for (means, user) in all.filter(|(means, user)| ready(*means, *user)) {
        let place = Place::new(user);
        let ran = place.sh(Some((means, "workspace")), SCRIPT);
        assert_eq!(ran.code, Some(0), "{means:?} {user:?}: {}", ran.said);
        let state = place.home().join(".local/state/dominds-tui/sandbox");
        let entries = std::fs::read_dir(state).expect("a folder").flatten();
        let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
        let left: Vec<_> = names.filter(|name| name.starts_with("run-")).collect();
        assert_eq!(left, [""; 0], "{means:?} {user:?}");
    }
}

/// `bwrap` would set missing flags by name, which another command may have exchanged.
#[test]
fn held_paths_have_every_flag_that_bwrap_asks_for_before_it_starts() {
    for user in User::all().into_iter().filter(|user| ready(Means::Bwrap, *user)) {
        let place = Place::new(user);
        let judged = |flag: &str, path: &str| {
            let path = std::fs::canonicalize(place.top().join(path)).expect("a path");
            let meta = path.metadata().expect("there");
            let id = format!("{}:{}", meta.dev(), meta.ino());
            [flag.to_owned(), path.display().to_string(), id]
        };
        for folder in ["closed", "pins"] {
            std::fs::create_dir(place.top().join(folder)).expect("a folder");
        }
        place.put("closed-file", "");
        let top = std::fs::canonicalize(place.top()).expect("a path");
        let at = |path: &str| top.join(path).display().to_string();
        let mut words = vec!["sandbox-helper".to_owned(), "--before".to_owned()];
        words.extend(judged("--workspace", "ws"));
        words.extend(["--closed".to_owned(), at("closed"), at("closed-file")]);
        words.extend(["--hidden".to_owned(), at("pins")]);
        words.extend(judged("--pin", "ws/.git"));
        words.extend(judged("--fix", "ws/.git/config"));
        words.extend(["--", "cat", "/proc/self/mountinfo"].map(str::to_owned));
        let said = place.helper(&words);
        let mount = |path: &str| {
            let path = at(path);
            said.lines().find(|line| line.split(' ').nth(4) == Some(path.as_str()))
        };
        for path in ["pins", "pins/.git", "ws/.git/config"] {
            let line = mount(path).unwrap_or_default();
            let flags: Vec<&str> = line.split(' ').nth(5).unwrap_or_default().split(',').collect();
            for flag in ["ro", "nosuid", "nodev"] {
                assert!(flags.contains(&flag), "{user:?} {path} {flag}: {said}");
            }
        }
        // The way to what is held leads through no other mount.
        assert_eq!(mount("ws/.git"), None, "{user:?}: {said}");
    }
}

#[test]
fn no_file_the_program_was_started_with_is_open_for_a_command() {
    let place = Place::new(User::Own);
    let program = place.program().display().to_string();
    let secret = place.home().join(".netrc").display().to_string();
    let shell = |script: &str| {
        let ran = output(Command::new("/bin/sh").args(["-c", script, &program, &secret]));
        String::from_utf8_lossy(&ran.stdout).into_owned()
    };
    assert_eq!(shell("exec 7<$1; cat <&7"), CANARY);
    let ready = [Means::Bwrap, Means::Landlock].map(|means| ready(means, User::Own));
    let means = ["--means bwrap", "--means landlock"].into_iter().zip(ready);
    let means = means.filter_map(|(words, ready)| ready.then_some(words));
    for words in means.chain(["--level off"]) {
        let script = format!(
            "exec 7<$1; cd {}; $0 sandbox {words} -- sh -c 'echo begun; cat <&7 2>&1'",
            place.workspace().display()
        );
        let said = shell(&script);
        assert!(said.starts_with("begun") && !said.contains(CANARY), "{words}: {said}");
    }
}

/// A process that is killed when the test ends, pass or fail.
struct Started(Child);

impl Started {
    /// Ends it.
    fn said(&mut self) -> String {
        let _ = self.0.kill();
        self.0.stdout.take().map(read_all).unwrap_or_default()
    }
}

impl Drop for Started {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The way in which programs end whose commands have children.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ending {
    OfCommand,
    By(&'static str),
}

/// Every kind of child, each in a program of its own; then all of these end.
fn children_end(means: Means) {
    const ENDINGS: [Ending; 3] = [Ending::OfCommand, Ending::By("TERM"), Ending::By("KILL")];
    let users = User::all().into_iter().filter(|user| ready(means, *user));
    for (user, ending) in quarter(users.flat_map(|user| ENDINGS.map(|ending| (user, ending)))) {
        let place = Place::new(user);
        let before = place.names();
        let daemon = place.compiled(DAEMON).display().to_string();
        let mut programs = Vec::new();
        for kind in KINDS {
            let word = format!("86{}.{}", Place::number(), place.mark());
            let begin = kind.script.replace("{word}", &word).replace("{daemon}", &daemon);
            let begin = match ending {
                Ending::OfCommand => format!("{{ {begin}\n}} &"),
                Ending::By(_) => begin,
            };
            let script = format!("{begin}\nuntil [ -e src/go ]; do sleep 0.5; done; exit 0");
            let words = ["/bin/sh".to_owned(), "-c".to_owned(), script];
            let program = Started(place.start(Some((means, "workspace")), &words));
            programs.push((kind, word, program));
        }
        for (kind, word, program) in &mut programs {
            let began = eventually(|| with_argument(word) > 0);
            let said = if began { String::new() } else { program.said() };
            assert!(began, "{means:?} {user:?}: {} did not begin: {said}", kind.name);
        }
        match ending {
            Ending::OfCommand => place.put("ws/src/go", ""),
            Ending::By(signal) => {
                let ids: Vec<String> =
                    programs.iter().map(|(_, _, child)| child.0.id().to_string()).collect();
                let sent = output(Command::new("kill").args(["-s", signal]).args(ids));
                assert!(sent.status.success());
            }
        }
        let mut left = Vec::new();
        for (kind, word, child) in &mut programs {
            wait::end(&mut child.0);
            if !eventually(|| !is_in_an_argument(word)) {
                left.push(kind.name);
            }
        }
        assert!(left.is_empty(), "{means:?} {user:?} {ending:?}: left are {left:?}");
        // Also the placeholders of a program that was killed.
        let is_swept = eventually(|| place.names() == before);
        assert!(is_swept, "{means:?} {user:?} {ending:?}: {:?} was {before:?}", place.names());
    }
}

#[test]
fn no_child_outlives_its_command_or_the_program_by_bwrap() {
    children_end(Means::Bwrap);
}

#[test]
fn no_child_outlives_its_command_or_the_program_by_landlock() {
    children_end(Means::Landlock);
}
