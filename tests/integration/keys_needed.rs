//! The number of keys for the most frequent actions, counted in the real program.

use std::os::unix::fs::PermissionsExt as _;

use crate::common::pty::{Home, Program};

const ENTER: &str = "\r";

/// A program and the keys that were pressed since the last look at the count.
struct Counted {
    program: Program,
    pressed: usize,
}

impl Counted {
    /// Presses one key and counts it.
    fn key(&mut self, bytes: &str) {
        self.program.keys(bytes);
        self.pressed += 1;
    }

    /// Words of the user, which do not count.
    fn words(&mut self, text: &str) {
        self.program.keys(text);
        self.program.until_shown(&[text]);
    }

    fn taken(&mut self) -> usize {
        std::mem::take(&mut self.pressed)
    }
}

/// The demo with its two questions.
fn asked(home: &Home) -> Counted {
    let program = home.demo("0");
    program.until_shown(&["FOR YOU · 2"]);
    Counted { program, pressed: 0 }
}

/// Both questions of the demo are answered, and the story is over.
fn over(home: &Home) -> Counted {
    let mut counted = asked(home);
    for (answer, left) in [("b", "FOR YOU · 1"), ("keep it", "nothing waits for you")] {
        counted.key("\x1ba");
        counted.program.until_shown(&["esc keep"]);
        counted.words(answer);
        counted.key(ENTER);
        counted.program.until_shown(&[left]);
    }
    counted.program.until_shown(&["The demo is over"]);
    counted.program.leave_composer();
    counted.taken();
    counted
}

fn end(counted: Counted) {
    let mut program = counted.program;
    program.quit();
    assert_eq!(program.end_restored(), 0);
}

#[test]
fn the_oldest_question_is_answered_with_two_keys_and_the_answer() {
    let home = Home::new();
    let mut counted = asked(&home);
    counted.key("\x1ba");
    counted.program.until_shown(&["esc keep"]);
    counted.words("with care");
    counted.key(ENTER);
    counted.program.until_shown(&["FOR YOU · 1"]);
    assert!(counted.taken() <= 2);
    end(counted);
}

#[test]
fn the_last_change_is_reviewed_with_three_keys() {
    let home = Home::new();
    let mut counted = over(&home);
    counted.key("m");
    counted.program.until_shown(&["CHANGES", "3 files", "two-factor-plan.md"]);
    assert!(counted.taken() <= 3);
    counted.key("\x1b");
    end(counted);
}

#[test]
fn a_word_in_another_dialog_is_found_with_four_keys_and_the_word() {
    let home = Home::new();
    let mut counted = over(&home);
    counted.key("F");
    counted.program.until_shown(&["FIND IN ALL DIALOGS"]);
    counted.words("coffee");
    counted.program.until_shown(&["· 1 record", "a cup of coffee"]);
    counted.key(ENTER);
    counted.program.until_shown(&["a cup of coffee", "message to @dba"]);
    assert!(counted.taken() <= 4);
    end(counted);
}

#[test]
fn the_last_code_block_is_copied_with_three_keys() {
    let home = Home::new();
    let mut counted = over(&home);
    counted.key("3");
    counted.key("b");
    counted.program.until_shown(&["terminal's clipboard"]);
    assert!(counted.taken() <= 3);
    let sent = String::from_utf8_lossy(&counted.program.raw()).into_owned();
    // The beginning of the block in base64.
    assert!(sent.contains("\x1b]52;c;bWF0Y2ggc2Vzc2lvbi5zdGF0ZSgpIHsK"), "{sent:?}");
    end(counted);
}

#[test]
fn a_whole_dialog_is_in_a_private_file_with_two_keys() {
    let home = Home::new();
    let mut counted = over(&home);
    counted.key("1");
    counted.key("Y");
    counted.program.until_shown(&["written: "]);
    assert!(counted.taken() <= 2);
    let copies = home.state_folder().join("copies");
    let files: Vec<_> = std::fs::read_dir(&copies).expect("a folder").collect();
    let [file] = &files[..] else { panic!("one file: {files:?}") };
    let path = file.as_ref().expect("a file").path();
    let mode = path.metadata().expect("a file").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let text = std::fs::read_to_string(&path).expect("text");
    assert!(text.starts_with("# @") && text.contains("\n## course 1\n"), "{text}");
    let heading = text.lines().next().unwrap_or_default();
    assert!(heading.contains(" · ") && !heading.ends_with("· "), "a title: {heading}");
    end(counted);
}
