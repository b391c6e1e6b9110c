//! The real program in a pseudo terminal: what a person sees, and that the terminal is restored.

#![expect(clippy::expect_used, reason = "a test, its functions included, fails by panicking")]

use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use dominds_tui::app;
use dominds_tui::domain::DialogTree;
use dominds_tui::domain::dialogs::tree::Bucket;
use dominds_tui::store::Access;

use crate::common::files::files_below;
use crate::common::pty::{Home, Program};
use crate::common::wait::{eventually, output};

/// The beginnings of the titles of its dialogs.
const TEAM: [&str; 4] = ["Add two-factor", "Which method", "Please draft", "Read the login"];
const ALT_A: &str = "\x1ba";
const ENTER: &str = "\r";
/// `Enter` as a sequence. As a line end it is a paste if the program, on a busy machine, reads the keys before and after
/// it at once.
const ENTER_KEY: &str = "\x1b[13u";

/// Starts a demo and waits for its two questions.
fn asked(home: &Home) -> Program {
    let program = home.demo("0");
    program.until_shown(&["FOR YOU · 2"]);
    program
}

/// Opens the first dialog of the tree.
fn open_main(program: &mut Program) {
    program.leave_composer();
    program.keys("1gj");
    program.keys(ENTER_KEY);
}

/// Returns the demo's tree on disk.
fn tree_of(workspace: &Path) -> Option<DialogTree> {
    let store = app::open(workspace, Access::ReadOnly).ok()?;
    let survey = store.survey(&[Bucket::Run]);
    let root = &survey.trees.first()?.root;
    store.load(Bucket::Run, root).ok().map(|loaded| loaded.tree)
}

fn questions_on_disk(workspace: &Path) -> usize {
    let tree = tree_of(workspace);
    tree.map_or(0, |tree| {
        tree.dialogs.values().map(|dialog| dialog.history.open_questions().count()).sum()
    })
}

/// The course files that hold a text.
fn courses_with(workspace: &Path, text: &str) -> Vec<PathBuf> {
    let mut files = files_below(&workspace.join(".dialogs"));
    files.retain(|path| {
        let is_course = path.extension().is_some_and(|end| end == "jsonl");
        is_course && fs::read_to_string(path).is_ok_and(|found| found.contains(text))
    });
    files
}

#[test]
fn the_mouse_answers_a_question_once_it_is_switched_on_and_is_given_back_at_the_end() {
    const ON: &[u8] = b"\x1b[?1000h\x1b[?1006h";
    let home = Home::new();
    let mut program = asked(&home);
    let is_on = |program: &Program| program.raw().windows(ON.len()).any(|bytes| bytes == ON);
    program.leave_composer();
    assert!(!is_on(&program), "off by default");
    program.keys("M");
    program.until_shown(&["the mouse is used here"]);
    assert!(is_on(&program));
    let screen = program.screen();
    let title = screen.lines().position(|line| line.contains("FOR YOU · 2")).expect("the inbox");
    let click = format!("\x1b[<0;5;{0}M\x1b[<0;5;{0}m", title + 2);
    program.keys(&click);
    program.keys(&click);
    program.until_shown(&["answer 1 of 2"]);
    program.keys("\x1b");
    program.quit();
    assert_eq!(program.end_restored(), 0);
}

#[test]
fn the_demo_grows_its_tree_asks_twice_and_ends_when_both_are_answered_with_keys() {
    let home = Home::new();
    let mut program = asked(&home);
    program.until_shown(&TEAM);
    for (title, answer) in [(" of 2 · @", "go with b"), ("answer 1 of 1", "keep it 90 days")] {
        program.keys(ALT_A);
        program.until_shown(&[title]);
        program.keys(answer);
        program.until_shown(&[title, answer]);
        program.keys(ENTER);
        program.until("the question is gone", |screen| !screen.contains(title));
    }
    program.until_shown(&["nothing waits for you", "The demo is over", "r play again"]);
    open_main(&mut program);
    program.until_shown(&["@orchestrator · ", "Not done: nothing was changed in the code"]);
    program.quit();
    assert_eq!(program.end_restored(), 0);
    let tree = tree_of(&home.workspace()).expect("a tree");
    let said = tree.main().and_then(|main| main.history.last.words.clone()).unwrap_or_default();
    assert!(said.contains("The plan is ready"), "{said}");

    let mut again = home.demo("0");
    again.until_shown(&["nothing waits for you", "The demo is over"]);
    again.keys("r");
    again.until_shown(&["FOR YOU · 2"]);
    assert_eq!(questions_on_disk(&home.workspace()), 2);
    let earlier = home.workspace().join("earlier-1");
    assert_eq!(questions_on_disk(&earlier), 0);
    assert!(earlier.join("notes/two-factor-plan.md").is_file());
    again.quit();
    assert_eq!(again.end_restored(), 0);
}

/// Colours of the light theme in the palette of 256: of names of members.
const LIGHT: &str = "38;5;25m";
const LIGHT_REPLY: &str = "\x1b]11;rgb:ffff/ffff/ffff\x1b\\\x1b[?62;22c";

fn wrote(program: &Program, text: &str) -> bool {
    String::from_utf8_lossy(&program.raw()).contains(text)
}

#[test]
fn a_terminal_that_is_light_is_asked_and_gets_the_light_theme_and_its_replies_are_not_typed() {
    let home = Home::new();
    let mut program = home.demo("0");
    assert!(eventually(|| wrote(&program, "\x1b]11;?\x1b\\\x1b[c")), "it is asked");
    program.keys(LIGHT_REPLY);
    program.until_shown(&["FOR YOU · 2"]);
    assert!(eventually(|| wrote(&program, LIGHT)), "it is light");
    program.keys(ALT_A);
    program.until_shown(&[" of 2 · @"]);
    // Late, stray and meaningless replies, in the middle of typed text.
    program.keys("one\x1b]11;rgb:0/0/0\x07 two\x1b[?997;1n\x1bP>|XTerm\x1b\\ three\x1b[12;40R");
    program.until_shown(&["one two three"]);
    assert!(!program.screen().contains("rgb"), "{}", program.screen());
    program.quit();
    assert_eq!(program.end_restored(), 0);
}

#[test]
fn a_terminal_that_draws_signs_two_cells_wide_gets_the_symbols_of_ascii() {
    let home = Home::new();
    let mut program = home.demo("0");
    assert!(eventually(|| wrote(&program, "\x1b[6n…я\x1b[6n")), "it is measured");
    program.keys("\x1b[1;1R\x1b[1;5R\x1b[?62c");
    program.until_shown(&["FOR YOU - 2"]);
    assert!(!program.screen().contains(['─', '│', '·']), "{}", program.screen());
    program.quit();
    assert_eq!(program.end_restored(), 0);
}

#[test]
fn a_terminal_that_cannot_reply_or_has_no_colours_is_not_asked_for_them() {
    // The console of Linux has few signs beside letters.
    for (set, title) in [(("TERM", "linux"), "FOR YOU - 2"), (("NO_COLOR", "1"), "FOR YOU · 2")] {
        let home = Home::new();
        let mut program = home.demo_in("0", &[set]);
        program.until_shown(&[title]);
        assert!(!wrote(&program, "\x1b]11;?"), "{set:?}");
        program.quit();
        assert_eq!(program.end_restored(), 0);
    }
}

#[test]
fn a_theme_is_read_again_when_it_is_saved_and_an_invalid_one_changes_nothing() {
    let home = Home::new();
    let (config, theme) = (home.config_file("config.yaml"), home.config_file("themes/sea.yaml"));
    fs::create_dir_all(theme.parent().expect("a folder")).expect("a folder");
    fs::write(&config, "theme: sea\n").expect("a file");
    fs::write(&theme, "base: light\n").expect("a file");
    let mut program = home.demo("0");
    program.until_shown(&["FOR YOU · 2"]);
    assert!(eventually(|| wrote(&program, LIGHT)), "it is light");
    fs::write(&theme, "base: light\n\nacent: cyan\n").expect("a file");
    program.until_shown(&["sea.yaml:3: no role is named \"acent\"", "the old theme stays"]);
    assert!(!wrote(&program, "38;5;201m"));
    fs::write(&theme, "base: light\nagent: 201\n").expect("a file");
    assert!(eventually(|| wrote(&program, "38;5;201m")), "it has changed");
    program.quit();
    assert_eq!(program.end_restored(), 0);
}

#[test]
fn every_end_gives_the_terminal_back() {
    for (signal, status) in [("TERM", 143), ("HUP", 143), ("INT", 130)] {
        let home = Home::new();
        let mut program = asked(&home);
        program.signal(signal);
        assert_eq!(program.end_restored(), status, "{signal}");
    }
    let home = Home::new();
    let mut program = asked(&home);
    program.quit();
    assert_eq!(program.end_restored(), 0, "q");
}

#[test]
fn an_end_in_the_middle_of_a_stream_gives_the_terminal_back_and_the_team_goes_on_later() {
    for (signal, status) in [("TERM", 143), ("INT", 130)] {
        let home = Home::new();
        let mut program = home.demo("1");
        program.until_shown(&["Two-factor login"]);
        program.signal(signal);
        assert_eq!(program.end_restored(), status, "{signal}");
        let mut again = home.demo("0");
        again.until_shown(&["@orchestrator"]);
        again.quit();
        assert_eq!(again.end_restored(), 0, "{signal}");
    }
}

#[test]
fn a_line_that_is_cut_ends_the_program_by_itself_and_loses_nothing() {
    let home = Home::new();
    let mut program = asked(&home);
    program.hang_up();
    program.end();
    assert_eq!(questions_on_disk(&home.workspace()), 2);
    let mut again = home.demo("0");
    again.until_shown(&["FOR YOU · 2"]);
    again.quit();
    assert_eq!(again.end_restored(), 0);
}

#[test]
fn a_storm_of_sizes_ends_in_the_layout_of_the_last_one() {
    let home = Home::new();
    let mut program = asked(&home);
    let mut random = fastrand::Rng::with_seed(7);
    for _ in 0..200 {
        program.resize_line(random.u16(1..=300), random.u16(1..=100));
    }
    program.resize(80, 24);
    program.until("two columns", |screen| {
        screen.contains("FOR YOU · 2") && screen.contains("DIALOGS") && screen.contains('│')
    });
    program.resize(60, 20);
    program.until("the tab line", |screen| {
        let first = screen.lines().next().unwrap_or_default();
        first.contains("1 dialogs") && first.contains("2 for you·2") && first.contains("3 ")
    });
    program.resize(30, 8);
    program.until_shown(&["needs 40x12"]);
    program.resize(120, 40);
    program.until_shown(&["FOR YOU · 2"]);
    assert!(program.is_alive());
    program.quit();
    assert_eq!(program.end_restored(), 0);
}

#[test]
fn l02_a_terminal_nobody_reads_holds_up_nobody_and_is_right_when_it_is_read_again() {
    let home = Home::new();
    let mut program = home.demo("20");
    program.until_shown(&["@orchestrator"]);
    program.be_read(false);
    // More full screens than a terminal takes in unread.
    for _ in 0..20 {
        program.keys("\x0c");
    }
    let workspace = home.workspace();
    assert!(eventually(|| questions_on_disk(&workspace) == 2), "the team stands still");
    assert!(!program.screen().contains("FOR YOU · 2"), "nobody has read it");
    program.be_read(true);
    program.until_shown(&["FOR YOU · 2"]);
    program.until_shown(&TEAM);
    program.quit();
    assert_eq!(program.end_restored(), 0);
}

#[test]
fn looking_into_dialogs_while_the_team_works_stops_nobody() {
    let home = Home::new();
    let workspace = home.workspace();
    let mut program = home.demo("20");
    program.until_shown(&["@orchestrator"]);
    let stopped = || {
        let files = files_below(&workspace.join(".dialogs"));
        let mut states = files.iter().filter(|path| path.ends_with("latest.yaml"));
        states
            .find_map(|path| fs::read_to_string(path).ok().filter(|s| s.contains("kind: stopped")))
    };
    let looks = ["1gj", "1j", "1j", "1j"].map(|moves| format!("{moves}{ENTER_KEY}")).concat();
    let come_to_an_end = eventually(|| {
        program.keys(&looks.repeat(3));
        questions_on_disk(&workspace) == 2 || stopped().is_some()
    });
    assert_eq!(stopped(), None);
    assert!(come_to_an_end, "{}", program.screen());
    program.until_shown(&["FOR YOU · 2"]);
    program.quit();
    assert_eq!(program.end_restored(), 0);
}

#[test]
fn a_draft_survives_a_kill() {
    const DRAFT: &str = "not yet sent: mind the runbook";
    let home = Home::new();
    let mut program = asked(&home);
    program.keys(ALT_A);
    program.until_shown(&[" of 2 · @"]);
    program.keys(DRAFT);
    program.until_shown(&[DRAFT]);
    let is_kept = || {
        let files = files_below(&home.workspace().join(".dialogs"));
        files.iter().any(|path| fs::read_to_string(path).is_ok_and(|text| text.contains(DRAFT)))
    };
    assert!(eventually(is_kept), "it is never kept");
    program.kill();
    let mut again = home.demo("0");
    again.until_shown(&["FOR YOU · 2"]);
    again.keys(ALT_A);
    again.until_shown(&[" of 2 · @", DRAFT]);
    again.quit();
    assert_eq!(again.end_restored(), 0);
}

/// Sequences that would do something to the terminal, without the byte that begins them.
const HOSTILE: [(&str, &str); 9] = [
    ("\x1b", "]0;EVIL"),
    ("\x1b", "]52;c;RVZJTA=="),
    ("\x1b", "]8;;http://evil/"),
    ("\x1b", "[7777;1H"),
    ("\x1b", "[?1003h"),
    ("\x1b", "cEVIL"),
    ("\x1b", "P+q544e"),
    ("\u{9b}", "7777m"),
    ("\u{9d}", "0;EVIL"),
];

#[test]
fn no_control_character_of_a_course_reaches_the_terminal() {
    let home = Home::new();
    let mut program = asked(&home);
    program.quit();
    assert_eq!(program.end_restored(), 0);
    let written = "one decision comes up that I should not make for you";
    let courses = courses_with(&home.workspace(), written);
    let [course] = courses.as_slice() else { panic!("{courses:?}") };
    let payload = HOSTILE.map(|(begin, rest)| [begin, rest].concat()).join(" ");
    let quoted = serde_json::to_string(&format!("HARMLESS {payload}")).expect("a text");
    let text = fs::read_to_string(course).expect("a course");
    fs::write(course, text.replace(written, quoted.trim_matches('"'))).expect("a course");

    let mut again = home.demo("0");
    again.until_shown(&["FOR YOU · 2"]);
    open_main(&mut again);
    again.until_shown(&["HARMLESS"]);
    again.quit();
    let (status, raw) = again.end();
    assert_eq!(status, 0);
    for (begin, rest) in HOSTILE {
        let sequence = [begin, rest].concat();
        let leaked = raw.windows(sequence.len()).any(|window| window == sequence.as_bytes());
        assert!(!leaked, "{sequence:?}");
    }
    let c1 = raw.windows(2).any(|pair| pair[0] == 0xc2 && (0x80..0xa0).contains(&pair[1]));
    assert!(!c1, "a C1 control in UTF-8");
    assert!(!raw.contains(&0x7f), "DEL");
}

#[test]
fn keys_typed_while_text_streams_are_shown() {
    const TYPED: &str = "please mind the audit log";
    let home = Home::new();
    let mut program = home.demo("1");
    program.until_shown(&["Two-factor login"]);
    program.keys("i");
    program.until_shown(&["message to @orchestrator"]);
    for letter in TYPED.chars() {
        program.keys(&letter.to_string());
    }
    program.until_shown(&[TYPED]);
    assert_eq!(questions_on_disk(&home.workspace()), 0, "the text has not come to its question");
    program.signal("TERM");
    program.end_restored();
}

#[test]
fn without_a_terminal_it_says_so_and_exits_with_2() {
    let home = Home::new();
    for args in [vec!["demo"], vec![]] {
        let mut program = Command::new(env!("CARGO_BIN_EXE_dominds-tui"));
        program
            .args(&args)
            .current_dir(home.environment().swap_remove(0).1)
            .env_clear()
            .envs(home.environment());
        let program = output(&mut program);
        let said = String::from_utf8_lossy(&program.stderr);
        assert_eq!(program.status.code(), Some(2), "{said}");
        assert!(said.contains("not a terminal"), "{said}");
        assert_eq!(program.stdout, b"");
    }
}

/// The demo as lines, in a terminal that knows nothing but lines.
fn lines_of_demo(home: &Home, term: &str, args: &[&str]) -> Program {
    let mut environment = home.environment();
    environment.retain(|(name, _)| *name != "TERM");
    environment.push(("TERM", term.into()));
    let workspace = home.workspace();
    let mut all: Vec<&OsStr> = ["demo", "--speed", "0", "--dir"].map(OsStr::new).to_vec();
    all.push(workspace.as_os_str());
    all.extend(args.iter().map(OsStr::new));
    Program::start(environment, &all, 200, 100)
}

#[test]
fn lines_never_move_the_cursor_take_answers_by_number_and_call_the_person() {
    for (term, args) in [("dumb", [].as_slice()), ("xterm-256color", &["--plain"])] {
        let home = Home::new();
        let (config, called) = (home.config_file("config.yaml"), home.config_file("called"));
        fs::create_dir_all(config.parent().expect("a folder")).expect("a folder");
        let setting =
            format!("notify_command: [sh, -c, 'cat >> \"$0\"', '{}']\n", called.display());
        fs::write(config, setting).expect("a file");
        let mut program = lines_of_demo(&home, term, args);
        program.until_shown(&["question 1  @orchestrator", "question 2  @dba"]);
        assert!(eventually(|| wrote(&program, "\x07")), "it rings");
        let is_called = || fs::read_to_string(&called).is_ok_and(|text| text.ends_with("}\n"));
        assert!(eventually(is_called), "the program is run");
        program.keys("1\n");
        program.until_shown(&["answer to 1"]);
        program.keys("a\n");
        program.until_shown(&["question 1 is answered"]);
        program.keys("2 keep it\n");
        program.until_shown(&["question 2 is answered", "nothing is left to do"]);
        program.keys("quit\n");
        let (status, raw) = program.end();
        assert_eq!(status, 0, "{term}");
        let controls: Vec<u8> =
            raw.into_iter().filter(|byte| *byte < 0x20 && !b"\r\n\x07".contains(byte)).collect();
        assert!(controls.is_empty(), "{term}: only line ends and the bell, not {controls:?}");
    }
}

#[test]
fn on_leaving_a_line_says_that_a_question_is_open() {
    let home = Home::new();
    let mut demo = asked(&home);
    demo.keys(ALT_A);
    demo.until_shown(&[" of 2 · @"]);
    demo.keys("go with b");
    demo.until_shown(&["go with b"]);
    demo.keys(ENTER);
    demo.until_shown(&["FOR YOU · 1"]);
    demo.until_still();
    demo.quit();
    assert_eq!(demo.end_restored(), 0);
    let mut program = command(&home, &[]);
    program.until_shown(&["FOR YOU · 1"]);
    program.quit();
    assert_eq!(program.end_restored(), 0);
    let line = "dominds-tui: 1 question is open (`dominds-tui q4h` lists it)";
    assert_eq!(program.screen().trim(), line, "and nothing else is left");
}

#[test]
fn lines_end_with_their_input() {
    let home = Home::new();
    let mut command = Command::new(env!("CARGO_BIN_EXE_dominds-tui"));
    command.args(["demo", "--plain"]).env_clear().envs(home.environment());
    let program = output(&mut command);
    assert_eq!(program.status.code(), Some(0));
    assert!(String::from_utf8_lossy(&program.stdout).contains("`help` lists"));
}

/// A workspace whose model answers everything with two sentences.
fn staffed(home: &Home) -> PathBuf {
    let workspace = home.workspace();
    for (path, text) in [
        (
            ".minds/team.yaml",
            "member_defaults:\n  provider: script\n  model: m\n  diligence-push-max: 0\nmembers:\n  lead:\n    name: Lead\n",
        ),
        (
            ".minds/llm.yaml",
            "providers:\n  script:\n    name: Script\n    apiType: mock\n    baseUrl: answers\n    models:\n      m:\n        name: M\n",
        ),
        (
            "answers/m.yaml",
            "responses:\n  - message: hi\n    role: user\n    response: Hello you.\n",
        ),
    ] {
        let path = workspace.join(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("folders");
        fs::write(path, text).expect("a file");
    }
    workspace
}

fn command(home: &Home, args: &[&str]) -> Program {
    let workspace = home.workspace();
    let mut all: Vec<&std::ffi::OsStr> = vec!["-C".as_ref(), workspace.as_ref()];
    all.extend(args.iter().map(std::ffi::OsStr::new));
    Program::start(home.environment(), &all, 80, 24)
}

#[test]
fn a_run_at_a_terminal_shows_words_as_they_come_and_leaves_no_status_behind() {
    let home = Home::new();
    staffed(&home);
    let mut program = command(&home, &["run", "hi"]);
    let (status, raw) = program.end();
    let raw = String::from_utf8_lossy(&raw).into_owned();
    assert_eq!(status, 0, "{raw}");
    assert!(raw.contains("@lead is running"), "{raw:?}");
    assert_eq!(raw.matches("Hello you.").count(), 1, "{raw:?}");
    assert_eq!(program.screen().trim(), "@lead  Hello you.");
}

#[test]
fn a_run_at_a_terminal_shows_a_tool_call_with_its_arguments_in_a_line() {
    let home = Home::new();
    let workspace = staffed(&home);
    for (path, text) in [
        (
            ".minds/team.yaml",
            "member_defaults:\n  provider: script\n  model: m\n  diligence-push-max: 0\nmembers:\n  lead:\n    name: Lead\n    toolsets: [ws_mod]\n",
        ),
        (
            "answers/m.yaml",
            "responses:\n  - message: look\n    role: user\n    response: I look.\n    funcCalls:\n      - name: list_dir\n        arguments: {path: answers}\n",
        ),
    ] {
        fs::write(workspace.join(path), text).expect("a file");
    }
    let mut program = command(&home, &["run", "look"]);
    assert_eq!(program.end().0, 0);
    let screen = program.screen();
    assert!(screen.contains(r#"@lead  > list_dir {"path":"answers"}"#), "{screen}");
}

#[test]
fn json_at_a_terminal_holds_no_character_that_acts_on_it() {
    let home = Home::new();
    staffed(&home);
    assert_eq!(command(&home, &["run", "hi \u{202e}x\u{9b}31m"]).end().0, 0);
    let (status, raw) = command(&home, &["dialogs", "--json"]).end();
    let raw = String::from_utf8_lossy(&raw).into_owned();
    assert_eq!(status, 0, "{raw}");
    assert!(raw.contains("\"title\":\"hi x 31m\""), "{raw:?}");
    let root = raw.split("\"rootId\":\"").nth(1).and_then(|rest| rest.split('"').next());
    let shown = command(&home, &["show", root.expect("a dialog"), "--json"]).end().1;
    let shown = String::from_utf8_lossy(&shown).into_owned();
    assert!(shown.contains("hi \\u202ex\\u009b31m"), "{shown:?}");
    for text in [raw, shown] {
        assert!(!text.contains(['\u{202e}', '\u{9b}']), "{text:?}");
    }
}

#[test]
fn a_screen_that_is_opened_and_closed_leaves_no_folder_of_dialogs_and_a_fault_in_its_settings_lasts()
 {
    let home = Home::new();
    let workspace = staffed(&home);
    let settings = home.workspace().with_file_name("config").join("dominds-tui");
    fs::create_dir_all(&settings).expect("a folder");
    fs::write(settings.join("config.yaml"), "theme: pink\n").expect("a file");
    let mut program = command(&home, &[]);
    program.until_shown(&["1 problem"]);
    program.quit();
    assert_eq!(program.end_restored(), 0);
    assert!(!workspace.join(".dialogs").exists());
}

/// Makes an editor that prints its arguments, and writes the typed line into the file.
fn editor(home: &Home) -> PathBuf {
    let path = home.workspace().with_file_name("my editor");
    let script = "#!/bin/sh\nprintf 'EDITING %s\\n' \"$*\"\ncat \"$2\"\nread line\n\
                  test \"$line\" = fail && exit 1\nprintf '%s\\n' \"$line\" > \"$2\"\n";
    fs::write(&path, script).expect("an editor");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o700)).expect("to be run");
    path
}

#[test]
fn an_editor_has_the_terminal_alone_and_its_text_is_the_draft() {
    let home = Home::new();
    let named = format!("'{}' -x", editor(&home).display());
    let mut program = home.demo_in("0", &[("EDITOR", &named)]);
    program.until_shown(&["FOR YOU · 2"]);
    program.keys(ALT_A);
    program.until("an answer", |screen| screen.contains(" of 2 · @"));
    program.keys("first draft");
    program.until_shown(&["first draft"]);
    for (typed, expected) in [("qqq jj 语", "qqq jj 语"), ("fail", "qqq jj 语")] {
        program.keys("\x05");
        program.until("the editor", |screen| {
            screen.contains("EDITING -x ") && !screen.contains("FOR YOU")
        });
        // Keys that the screen would act on.
        program.keys(&format!("{typed}\r"));
        program.until_shown(&["FOR YOU · 2", expected]);
    }
    program.until_shown(&["the draft is as it was"]);
    let left = files_below(&home.workspace().with_file_name("state"));
    assert!(!left.iter().any(|path| path.ends_with("message.md")), "{left:?}");
    program.keys("\x05");
    program.until_shown(&["EDITING"]);
    program.signal("TERM");
    assert_eq!(program.end_restored(), 143);
}

#[test]
fn a_pager_shows_the_whole_dialog_and_its_file_is_removed() {
    let home = Home::new();
    let pager = home.workspace().with_file_name("pager");
    let script = "#!/bin/sh\nprintf 'PAGING %s\\n' \"$(head -n 1 \"$1\")\"\nread line\n";
    fs::write(&pager, script).expect("a pager");
    fs::set_permissions(&pager, fs::Permissions::from_mode(0o700)).expect("to be run");
    let pager = pager.display().to_string();
    let mut program = home.demo_in("0", &[("PAGER", &pager)]);
    program.until_shown(&["FOR YOU · 2"]);
    open_main(&mut program);
    program.keys("O");
    program.until_shown(&["PAGING # @orchestrator"]);
    program.keys("\r");
    program.until_shown(&["FOR YOU · 2"]);
    let left = files_below(&home.workspace().with_file_name("state"));
    assert!(!left.iter().any(|path| path.ends_with("dialog.md")), "{left:?}");
    program.quit();
    assert_eq!(program.end_restored(), 0);
}
