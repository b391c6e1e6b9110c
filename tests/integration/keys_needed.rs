//! The keys that docs/keys.md names for the most frequent actions, pressed and counted in the real program.

#![expect(clippy::expect_used, reason = "a test, its functions included, fails by panicking")]

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use serde_json::Value;

use super::documents::document;
use crate::common::files::files_below;
use crate::common::pty::{Home, Program};
use crate::common::wait::{eventually, next_second};
use crate::serving::Driver;

const ALT_A: &str = "\x1ba";
/// The keys go to the open dialog.
const ALT_3: &str = "\x1b3";
const ENTER: &str = "\r";
/// The page's sign for words of the person, which do not count.
const WORDS: &str = "…";

/// A program, and the place where its team works.
struct Stage {
    program: Program,
    place: Place,
}

enum Place {
    Demo(Home),
    Served(Driver),
}

impl Stage {
    fn home(&self) -> &Home {
        match &self.place {
            Place::Demo(home) => home,
            Place::Served(driver) => driver.home(),
        }
    }

    fn driver(&self) -> &Driver {
        match &self.place {
            Place::Demo(_) => unreachable!("commands do not drive the demo"),
            Place::Served(driver) => driver,
        }
    }

    /// True if the screen shows all of these.
    fn shows(&self, texts: &[&str]) -> bool {
        let screen = self.program.screen();
        texts.iter().all(|text| screen.contains(text))
    }

    /// Returns what commands list about the only dialog.
    fn listed(&self, field: &str) -> Value {
        let listed = self.driver().json(&["dialogs", "--json"]);
        listed.pointer(field).cloned().unwrap_or_default()
    }

    fn retries(&self) -> bool {
        self.listed("/0/retrying") == Value::Bool(true)
    }

    fn is_stopped(&self) -> bool {
        self.listed("/0/state") == "stopped" && !self.retries()
    }

    /// Ends the program, whatever has the focus.
    fn end(mut self) {
        self.program.signal("TERM");
        self.program.end_restored();
    }
}

/// The demo with its two questions.
fn asked() -> Stage {
    let home = Home::new();
    let mut program = home.demo("0");
    program.until_shown(&["FOR YOU · 2"]);
    program.leave_composer();
    Stage { program, place: Place::Demo(home) }
}

/// Both questions of the demo are answered, and the story is over.
fn over() -> Stage {
    let mut stage = asked();
    let program = &mut stage.program;
    for (answer, left) in [("b", "FOR YOU · 1"), ("keep it", "nothing waits for you")] {
        program.keys(ALT_A);
        program.until_shown(&["esc keep"]);
        program.keys(answer);
        program.until_shown(&[&format!("› {answer}")]);
        program.keys(ENTER);
        program.until_shown(&[left]);
    }
    program.until_shown(&["The demo is over"]);
    program.leave_composer();
    stage
}

/// A screen with an open dialog, which has answered.
fn greeted() -> Stage {
    let driver = Driver::start();
    driver.ok(&["run", "hi"], 0);
    let mut program = driver.screen_of(&["attach"], 120, 40);
    program.until_shown(&["Hello."]);
    program.leave_composer();
    program.keys(ALT_3);
    Stage { program, place: Place::Served(driver) }
}

/// Another dialog waits for the person.
fn waited_for() -> Stage {
    let stage = greeted();
    stage.driver().ok(&["run", "ask"], 3);
    stage.program.until_shown(&["FOR YOU · 1"]);
    stage
}

/// The model of the open dialog does not answer any more, so it tries again.
fn retrying() -> Stage {
    let mut stage = greeted();
    stage.program.keys("i");
    stage.program.until_shown(&["f1 help"]);
    stage.program.keys("down");
    stage.program.until_shown(&["› down"]);
    stage.program.keys(ENTER);
    assert!(eventually(|| stage.retries()), "{}", stage.program.screen());
    stage.program.leave_composer();
    stage
}

fn stopped() -> Stage {
    let mut stage = retrying();
    stage.program.keys("s");
    assert!(eventually(|| stage.is_stopped()), "{}", stage.program.screen());
    stage
}

/// A key or words of the person, and what is shown before the next key.
struct Press {
    words: &'static str,
    until: &'static str,
}

const fn key(until: &'static str) -> Press {
    Press { words: "", until }
}

const fn words(words: &'static str, until: &'static str) -> Press {
    Press { words, until }
}

/// A row of the page: how it is begun, what its keys lead to, and how many they may be.
struct Row {
    what: &'static str,
    most: usize,
    start: fn() -> Stage,
    presses: &'static [Press],
    effect: fn(&Stage) -> bool,
}

const ROWS: &[Row] = &[
    Row {
        what: "answer the oldest question",
        most: 2,
        start: asked,
        presses: &[key("esc keep"), words("with care", "› with care"), key("")],
        effect: |stage| stage.shows(&["FOR YOU · 1"]),
    },
    Row {
        what: "open the next dialog that waits for you",
        most: 1,
        start: waited_for,
        presses: &[key("")],
        effect: |stage| stage.shows(&["A question."]),
    },
    Row {
        what: "write to the open dialog",
        most: 2,
        start: greeted,
        presses: &[key("f1 help"), words("ask", "› ask"), key("")],
        effect: |stage| stage.shows(&["A question."]),
    },
    Row {
        what: "stop what it does, and let it go on with your words",
        most: 2,
        start: retrying,
        presses: &[key("f1 help"), words("ask", "› ask"), key("")],
        effect: |stage| stage.shows(&["A question."]),
    },
    Row {
        what: "start a dialog",
        most: 2,
        start: asked,
        presses: &[
            key("NEW DIALOG"),
            words("look at the colours", "› look at the colours"),
            key(""),
        ],
        effect: |stage| {
            stage.shows(&["look at the colours", "message to @orchestrator"])
                && !stage.shows(&["NEW DIALOG"])
        },
    },
    Row {
        what: "stop the open dialog",
        most: 1,
        start: retrying,
        presses: &[key("")],
        effect: Stage::is_stopped,
    },
    Row {
        what: "let it go on",
        most: 1,
        start: stopped,
        presses: &[key("")],
        effect: Stage::retries,
    },
    Row {
        what: "review the last changes",
        most: 3,
        start: over,
        presses: &[key("")],
        effect: |stage| stage.shows(&["CHANGES", "3 files", "two-factor-plan.md"]),
    },
    Row {
        what: "find a word in all dialogs, and go there",
        most: 4,
        start: over,
        presses: &[key("FIND IN ALL DIALOGS"), words("coffee", "· 1 record"), key("")],
        effect: |stage| {
            stage.shows(&["a cup of coffee", "message to @dba"])
                && !stage.shows(&["FIND IN ALL DIALOGS"])
        },
    },
    Row {
        what: "copy the last block of code",
        most: 3,
        start: over,
        presses: &[key(""), key("terminal's clipboard")],
        effect: is_copied,
    },
    Row {
        what: "write a whole dialog to a file",
        most: 2,
        start: over,
        presses: &[key(""), key("written: ")],
        effect: is_written,
    },
    Row {
        what: "find an action by its words, and do it",
        most: 2,
        start: greeted,
        presses: &[key("ACTIONS"), words("who ran", ": who ran"), key("")],
        effect: |stage| stage.shows(&["TIMELINE"]),
    },
    Row {
        what: "change the model of the open dialog",
        most: 4,
        start: over,
        presses: &[key("demo / dba"), key(""), key("")],
        effect: |stage| stage.shows(&["demo / orchestrator answers here"]),
    },
    Row {
        what: "see what all teams do",
        most: 1,
        start: greeted,
        presses: &[key("")],
        effect: |stage| stage.shows(&["OVERVIEW"]),
    },
];

/// The terminal was given the beginning of the block, in base64.
fn is_copied(stage: &Stage) -> bool {
    let sent = String::from_utf8_lossy(&stage.program.raw()).into_owned();
    sent.contains("\x1b]52;c;bWF0Y2ggc2Vzc2lvbi5zdGF0ZSgpIHsK")
}

/// There is one file, which is private and has the dialog with its title.
fn is_written(stage: &Stage) -> bool {
    let files = files_below(&stage.home().state_folder().join("copies"));
    let [file] = files.as_slice() else { return false };
    let mode = file.metadata().map_or(0, |found| found.permissions().mode());
    let text = fs::read_to_string(file).unwrap_or_default();
    let heading = text.lines().next().unwrap_or_default();
    let has_title = heading.contains(" · ") && !heading.ends_with("· ");
    let is_whole = heading.starts_with("# @") && text.contains("\n## course 1\n");
    mode & 0o777 == 0o600 && has_title && is_whole
}

/// Returns the rows of the page: what is done, and with which keys.
fn documented() -> Vec<(String, Vec<String>)> {
    let page = document("docs/keys.md");
    let table = page.split("| what | keys |").nth(1).expect("the table of the most frequent");
    let rows = table.lines().skip(2).take_while(|line| line.starts_with('|'));
    let cells = rows.map(|row| {
        let mut cells = row.split('|').skip(1).map(str::trim);
        let what = cells.next().unwrap_or_default().to_owned();
        let keys = cells.next().unwrap_or_default().split(' ');
        (what, keys.map(|key| key.trim_matches('`').to_owned()).collect())
    });
    cells.collect()
}

/// Returns what a terminal sends for a key of the page.
fn bytes(key: &str) -> String {
    if key == "Enter" {
        return ENTER.to_owned();
    }
    let (held, letter) = key.split_once('+').unwrap_or(("", key));
    assert_eq!(letter.chars().count(), 1, "{key}");
    match held {
        "Alt" => format!("\x1b{letter}"),
        "Ctrl" => letter.bytes().map(|byte| char::from(byte & 0x1f)).collect(),
        _ => key.to_owned(),
    }
}

/// Presses the keys of a row, and wants its effect.
fn press(row: &Row, keys: &[String]) {
    let what = row.what;
    assert_eq!(keys.len(), row.presses.len(), "{what}: {keys:?}");
    let mut stage = (row.start)();
    assert!(!(row.effect)(&stage), "{what}: it is so before any key\n{}", stage.program.screen());
    let mut pressed = 0;
    for (key, press) in keys.iter().zip(row.presses) {
        assert_eq!(key == WORDS, !press.words.is_empty(), "{what}: {keys:?}");
        if key == WORDS {
            stage.program.keys(press.words);
        } else {
            stage.program.keys(&bytes(key));
            pressed += 1;
        }
        stage.program.until_shown(&[press.until]);
    }
    assert!(pressed <= row.most, "{what}: {pressed} keys");
    let is_done = eventually(|| (row.effect)(&stage));
    assert!(is_done, "{what}: {keys:?} do not do it\n{}", stage.program.screen());
    stage.end();
}

#[test]
fn the_most_frequent_is_done_with_the_keys_that_the_page_names_and_no_others() {
    let documented = documented();
    let named: Vec<&str> = documented.iter().map(|(what, _)| what.as_str()).collect();
    let known: Vec<&str> = ROWS.iter().map(|row| row.what).collect();
    assert_eq!(named, known);
    for (row, (_, keys)) in ROWS.iter().zip(&documented) {
        press(row, keys);
    }
}

/// Where a person may be: the keys that lead there from a dialog, and what is shown only there.
const PLACES: &[(&str, &str)] = &[
    ("\x1b1", ""),
    ("", ""),
    ("?", "KEYS THAT WORK HERE"),
    (":", "ACTIONS"),
    ("n", "NEW DIALOG"),
    ("m", "CHANGES"),
    ("F", "FIND IN ALL DIALOGS"),
    ("w", "TIMELINE"),
    ("$", "TOKENS"),
    ("J", "LOG ·"),
    ("!", "PROBLEMS"),
    ("@", "TEAM "),
    ("L", "AUTONOMY"),
    ("&", "BACKGROUND PROCESSES"),
    ("r", "REMINDERS"),
    ("T", "Taskdoc ·"),
    ("E", "its title; without text"),
    ("/", "── find ─"),
    ("\x1b1/", "filter the dialogs"),
    ("\x1b1u", "DONE AND ARCHIVED"),
    ("\x1b0", "OVERVIEW"),
    ("\x1b4", "TEAMS"),
    ("\x1b5", "TASKS"),
    ("\x1b6", "TRIGGERS"),
];

/// The draft of the answer to the oldest question, in the composer.
const DRAFT: &str = "› blue";

/// Presses the one key, and waits until the oldest question is answered, and nothing is in front of it.
fn go_to_oldest(program: &mut Program, from: &str) {
    program.keys(ALT_A);
    program.until(&format!("the oldest question, from {from:?}"), |screen| {
        let answers = screen.contains("esc keep") && screen.contains(DRAFT);
        answers && (from.is_empty() || !screen.contains(from))
    });
}

/// Returns the ids of the open questions.
fn open_questions(driver: &Driver) -> Vec<String> {
    let open = driver.json(&["q4h", "--json"]);
    let ids = open.as_array().into_iter().flatten().filter_map(|one| one.get("id")?.as_str());
    ids.map(str::to_owned).collect()
}

#[test]
fn from_anything_one_key_leads_to_the_oldest_question_and_typed_text_stays() {
    let mut stage = waited_for();
    let oldest = open_questions(stage.driver());
    next_second();
    stage.driver().ok(&["run", "choose"], 3);
    let mut later = open_questions(stage.driver());
    later.retain(|one| !oldest.contains(one));
    assert_eq!((oldest.len(), later.len()), (1, 1));
    let program = &mut stage.program;
    program.until_shown(&["FOR YOU · 2"]);
    program.keys(ALT_A);
    program.until_shown(&["esc keep"]);
    program.keys("blue");
    program.until_shown(&[DRAFT]);
    for (keys, shown) in PLACES {
        program.leave_composer();
        program.until("the dialog before", |screen| !screen.contains(DRAFT));
        program.keys(ALT_3);
        // A dialog that is not loaded yet has nothing to be found in.
        program.until_shown(&["Hello.", "i write"]);
        program.keys(keys);
        program.until_shown(&[*shown]);
        go_to_oldest(program, shown);
    }
    program.leave_composer();
    program.keys(ALT_3);
    program.keys("i");
    program.until_shown(&["f1 help"]);
    program.keys("half a message");
    program.until_shown(&["› half a message"]);
    go_to_oldest(program, "› half a message");
    program.keys(ENTER);
    let is_answered = eventually(|| open_questions(stage.driver()) == later);
    assert!(is_answered, "another one was answered\n{}", stage.program.screen());
    let drafts = stage.home().workspace().join(".dialogs/.tui/drafts.json");
    let is_kept = || fs::read_to_string(&drafts).is_ok_and(|text| text.contains("half a message"));
    assert!(eventually(is_kept), "{}", stage.program.screen());
    stage.end();
}
