//! Typing, pasting, the history and the caret.

use ratatui::Terminal;
use ratatui::layout::Size;

use super::*;
use crate::app::tests::fixture::*;
use crate::backend::{Capabilities, FrameBounds, ScreenBackend};
use crate::domain::dialogs::latest::Blocker;
use crate::domain::text::Localized;
use crate::domain::{DialogId, DisplayState, PromptArgument, PromptCall};
use crate::protocol::event::Segment;
use crate::protocol::{Command, DriverEvent, Ticket, TreeRow, WorkspaceView};
use crate::theme::{ColorDepth, Glyphs};

fn says(stage: &Stage) -> Vec<(&DialogId, &str)> {
    let sent = stage.sent.iter();
    sent.filter_map(|command| {
        let Command::Say { dialog, text, .. } = command else {
            return None;
        };
        Some((dialog, text.as_str()))
    })
    .collect()
}

#[test]
fn earlier_messages_are_recalled_in_an_empty_field_only() {
    let mut composer = Composer::default();
    composer.remember("one");
    composer.remember("two");
    assert!(composer.recall_earlier());
    assert_eq!(composer.field.text(), "two");
    assert!(composer.recall_earlier() && composer.recall_earlier());
    assert_eq!(composer.field.text(), "one");
    assert!(composer.recall_later() && composer.recall_later());
    assert!(composer.field.is_empty());
    composer.field.set("mine");
    assert!(!composer.recall_earlier());
    assert_eq!(composer.field.text(), "mine");
}

#[test]
fn typed_text_is_sent_to_the_open_dialog_and_recalled_with_the_up_key() {
    let mut stage = streaming(120, 40);
    stage.keys("i hello <alt+enter> you <enter>");
    assert_eq!(says(&stage), [(&main_dialog(), "hello\nyou")]);
    assert!(!stage.screen().contains("› hello"));
    stage.keys("<up>");
    assert!(stage.screen().contains("› hello"));
}

#[test]
fn a_wheel_that_is_sent_as_arrows_changes_nothing_that_is_written() {
    let mut stage = streaming(120, 40);
    stage.keys("i old <enter>");
    let sent = says(&stage).len();
    for (typed, shown) in [("", None), ("two <alt+enter> lines", Some("› two"))] {
        stage.keys(typed);
        for down in [false, false, true, true, true] {
            assert!(stage.app.arrows(down, 3).is_empty());
            let screen = stage.screen();
            assert!(!screen.contains("› old"), "{screen}");
            assert!(shown.is_none_or(|shown| screen.contains(shown)), "{screen}");
        }
    }
    assert_eq!(says(&stage).len(), sent);
    stage.keys("<ctrl+c> <up>");
    assert!(stage.screen().contains("› old"), "a single arrow is a key");
}

#[test]
fn every_key_for_a_new_line_begins_one_and_sends_nothing() {
    for key in ["<alt+enter>", "<ctrl+j>", "<shift+enter>"] {
        let mut stage = streaming(120, 40);
        stage.keys(&format!("i one {key} two"));
        assert!(says(&stage).is_empty(), "{key}");
        stage.keys("<enter>");
        assert_eq!(says(&stage), [(&main_dialog(), "one\ntwo")], "{key}");
    }
}

#[test]
fn pasted_text_never_triggers_actions() {
    let mut stage = streaming(120, 40);
    stage.keys("i");
    let sent = stage.app.paste("q\n\u{1b}[201~y\n");
    assert!(sent.is_empty() && says(&stage).is_empty());
    let screen = stage.screen();
    assert!(screen.contains("› q") && screen.contains("[201~y"), "{screen}");
}

#[test]
fn the_terminal_cursor_is_at_the_caret() {
    let mut stage = streaming(120, 40);
    stage.keys("i 你好");
    let screen = stage.screen();
    let (x, y) = stage.cursor();
    let line = screen.lines().nth(usize::from(y)).expect("a line");
    let before: String = line.chars().take_while(|c| *c != '好').collect();
    assert_eq!(usize::from(x), crate::text::width::width(&before) + 2, "{line}");
}

fn pasted(lines: usize) -> String {
    let lines: Vec<String> = (1..=lines).map(|n| format!("line {n}\n")).collect();
    lines.concat()
}

#[test]
fn a_paste_of_over_twenty_lines_is_a_chip_and_sent_whole() {
    for (mut stage, label) in [
        (streaming(120, 40), "look: [pasted 21 lines]!"),
        (streaming(40, 12), "look: [pasted 21 lines]!"),
    ] {
        stage.keys("i");
        stage.type_text("look: ");
        stage.app.paste(&pasted(21));
        stage.type_text("!");
        let screen = stage.screen();
        assert!(screen.contains(label) && !screen.contains("line 7"), "{screen}");
        assert_eq!(stage.composer_text(), format!("look: {}!", pasted(21)));
        stage.keys("<enter>");
        assert_eq!(says(&stage), [(&main_dialog(), format!("look: {}!", pasted(21)).as_str())]);
    }
}

#[test]
fn a_paste_of_twenty_lines_is_shown_in_full() {
    let mut stage = streaming(120, 40);
    stage.keys("i");
    stage.app.paste(&pasted(20));
    assert!(stage.screen().contains("line 20"));
}

#[test]
fn a_chip_is_opened_with_its_key_and_deleted_with_one() {
    let mut stage = streaming(120, 40);
    stage.keys("i");
    stage.app.paste(&pasted(30));
    assert!(stage.screen().contains("Alt+o show paste"), "{}", stage.screen());
    stage.keys("<backspace>");
    assert!(!stage.screen().contains("[pasted"));
    stage.keys("<alt+u>");
    assert!(stage.screen().contains("[pasted 30 lines]"));
    stage.keys("<alt+o>");
    let screen = stage.screen();
    assert!(screen.contains("› line 1") && !screen.contains("[pasted"), "{screen}");
    stage.keys("<alt+o>");
    assert!(stage.screen().contains("no pasted text is folded at the caret"));
}

#[test]
fn a_paste_that_is_too_long_says_so_and_changes_nothing() {
    let mut stage = streaming(120, 40);
    stage.keys("i kept");
    stage.app.paste(&"x\n".repeat(crate::panes::field::MAX_BYTES));
    let screen = stage.screen();
    assert!(screen.contains("› kept") && screen.contains("too long"), "{screen}");
}

#[test]
fn the_composer_grows_to_half_the_pane() {
    for (width, height, most) in [(120, 40, 17), (80, 24, 9), (40, 12, 2)] {
        let mut stage = streaming(width, height);
        stage.keys("i");
        for n in 0..30 {
            stage.type_text(&format!("row{n}"));
            stage.keys("<alt+enter>");
        }
        let screen = stage.screen();
        let rows = screen.lines().filter(|line| line.contains("row")).count();
        assert_eq!(rows, most, "{screen}");
    }
}

#[test]
fn the_arrows_recall_only_from_the_first_and_the_last_row_on_the_screen() {
    let mut stage = streaming(40, 12);
    stage.keys("i sent <enter>");
    stage.type_text("these words are more than one row of the screen");
    stage.screen();
    stage.keys("<up> x");
    let text = stage.composer_text();
    assert!(text.contains('x') && text.starts_with("these") && !text.ends_with('x'), "{text}");
}

/// A stage on which these texts were sent.
pub fn having_sent(width: u16, height: u16, texts: &[&str]) -> Stage {
    let mut stage = streaming(width, height);
    stage.keys("i");
    for text in texts {
        stage.type_text(text);
        stage.keys("<enter>");
    }
    stage
}

#[test]
fn ctrl_r_finds_what_was_sent_and_enter_takes_it() {
    let mut stage = having_sent(120, 40, &["run the tests", "read it", "Run all tests"]);
    stage.type_text("draft");
    stage.keys("<ctrl+r> test");
    let screen = stage.screen();
    assert!(
        screen.contains("sent before · 1 of 2") && screen.contains("› Run all tests"),
        "{screen}"
    );
    stage.keys("<ctrl+r>");
    assert!(stage.screen().contains("2 of 2"), "{}", stage.screen());
    stage.keys("<enter>");
    assert_eq!(stage.composer_text(), "run the tests");
    stage.keys("<alt+u>");
    assert_eq!(stage.composer_text(), "draft");
}

#[test]
fn escape_leaves_the_draft_and_nothing_is_taken_without_a_match() {
    for keys in ["<ctrl+r> test <esc>", "<ctrl+r> zzz <enter>", "<ctrl+r> <ctrl+c>"] {
        let mut stage = having_sent(40, 12, &["run the tests"]);
        stage.type_text("draft");
        stage.keys(keys);
        assert_eq!(stage.composer_text(), "draft", "{keys}");
        assert!(stage.screen().contains("› draft"), "{}", stage.screen());
    }
    let mut stage = streaming(120, 40);
    stage.keys("i <ctrl+r>");
    assert!(stage.screen().contains("nothing was sent yet"));
}

#[test]
fn the_match_is_in_view_at_every_size_also_in_a_later_line_and_in_chinese() {
    let long = format!("{}\n{} 你好 needle\u{1b}[31m end", "first", "x ".repeat(100));
    for (width, height) in [(120, 40), (80, 24), (40, 12)] {
        let mut stage = having_sent(width, height, &[]);
        stage.app.paste(&long);
        stage.keys("<enter> <ctrl+r>");
        stage.type_text("好 need");
        let screen = stage.screen();
        assert!(screen.contains("…好 needle") && screen.contains("2 lines"), "{screen}");
    }
}

#[test]
fn what_was_sent_is_known_after_a_restart() {
    let drafts = Notebook::with("sent", "one\u{1e}two\nlines");
    let mut stage = Stage::with(120, 40, drafts.clone(), &Glyphs::UTF8);
    stage.apply(DriverEvent::Rows(rows())).apply(DriverEvent::Inbox(Vec::new()));
    stage.keys("1 <enter>").page(STORY);
    stage.keys("i <up>");
    assert_eq!(stage.composer_text(), "two\nlines");
    stage.keys("<ctrl+c>").type_text("three");
    stage.keys("<enter>").wait(std::time::Duration::from_secs(1));
    assert_eq!(drafts.get("sent").as_deref(), Some("one\u{1e}two\nlines\u{1e}three"));
}

/// A stage with the members of the workspace, and the focus in the composer.
pub fn with_members(width: u16, height: u16) -> Stage {
    let mut stage = streaming(width, height);
    stage.apply(DriverEvent::Workspace(workspace()));
    stage.keys("i");
    stage
}

#[test]
fn members_are_offered_above_the_composer_and_taken_with_tab() {
    for (width, height) in [(120, 40), (80, 24), (40, 12)] {
        let mut stage = with_members(width, height);
        stage.type_text("ask @r");
        let screen = stage.screen();
        assert!(screen.contains("› @reviewer  reads changes"), "{screen}");
        assert!(screen.contains(" members and files · 2 "), "{screen}");
        assert!(width == 40 || screen.contains("tab complete"), "{screen}");
        stage.keys("<down> <tab>");
        assert_eq!(stage.composer_text(), "ask @orchestrator ");
        assert!(!stage.screen().contains("plans and delegates"));
        stage.keys("<enter>");
        assert_eq!(says(&stage), [(&main_dialog(), "ask @orchestrator ")]);
    }
}

#[test]
fn enter_sends_what_is_typed_although_a_member_is_offered() {
    let mut stage = with_members(120, 40);
    stage.type_text("mail @d");
    stage.keys("<enter>");
    assert_eq!(says(&stage), [(&main_dialog(), "mail @d")]);
}

#[test]
fn files_are_listed_once_a_name_is_begun_and_taken_as_paths() {
    for (width, height) in [(120, 40), (80, 24), (40, 12)] {
        let mut stage = with_members(width, height);
        stage.type_text("read @s");
        let asked = stage.sent.iter().filter(|command| **command == Command::Files).count();
        assert_eq!(asked, 1);
        assert!(!stage.screen().contains("src/schema.rs"));
        let files = ["src/schema.rs", "my schema.sql", "evil\u{1b}[2Jschema"].map(str::to_owned);
        stage.apply(DriverEvent::Files(files.to_vec()));
        stage.type_text("chem");
        let screen = stage.screen();
        assert!(screen.contains("› src/schema.rs") && screen.contains("my schema.sql"), "{screen}");
        assert!(!screen.contains("evil"), "{screen}");
        stage.keys("<down> <tab>");
        stage.type_text("and @schem");
        stage.keys("<tab> <enter>");
        let said = "read \"my schema.sql\" and src/schema.rs ";
        assert_eq!(says(&stage), [(&main_dialog(), said)]);
    }
}

/// A stage where a server offers prompts, and this is typed.
fn with_prompts(width: u16, height: u16, typed: &str) -> Stage {
    let mut stage = with_members(width, height);
    stage.apply(DriverEvent::Workspace(WorkspaceView { has_prompts: true, ..workspace() }));
    stage.type_text("/");
    let argument = |name: &str, required| PromptArgument {
        name: name.to_owned(),
        description: "what to look at".to_owned(),
        required,
    };
    let prompt = |name: &str, arguments| ServerPrompt {
        server: "lens".to_owned(),
        name: name.to_owned(),
        description: "Reads\u{1b}[2J a change".to_owned(),
        arguments,
    };
    let arguments = vec![argument("path", true), argument("style", false)];
    let prompts = vec![prompt("review", arguments), prompt("stop-all", Vec::new())];
    stage.apply(DriverEvent::Prompts(prompts));
    stage.type_text(typed);
    stage
}

/// The same, while an argument is asked for.
pub fn asked_for_an_argument(width: u16, height: u16) -> Stage {
    let mut stage = with_prompts(width, height, "lens");
    stage.keys("<enter> src/a.rs");
    stage
}

/// The prompts whose texts were asked for.
fn prompts_asked(stage: &Stage) -> Vec<(Ticket, PromptCall)> {
    let asked = stage.sent.iter().filter_map(|command| {
        let Command::Prompt { ticket, call, .. } = command else { return None };
        Some((*ticket, call.clone()))
    });
    asked.collect()
}

#[test]
fn a_prompt_of_a_server_is_in_the_message_once_its_arguments_are_given_and_is_not_sent() {
    for (width, height) in [(120, 40), (80, 24), (40, 12)] {
        let mut stage = with_prompts(width, height, "lens");
        assert!(stage.screen().contains("› /lens:review"), "{}", stage.screen());
        stage.keys("<enter> <enter>");
        assert!(stage.screen().contains("lens:review  path"), "{}", stage.screen());
        stage.keys("src/a.rs <enter> <enter>");
        let asked = prompts_asked(&stage);
        let arguments = [("path".to_owned(), "src/a.rs".to_owned())].into();
        let (server, name) = ("lens".to_owned(), "review".to_owned());
        assert_eq!(asked[0].1, PromptCall { server, name, arguments });
        assert_eq!((asked.len(), stage.composer_text()), (1, String::new()));
        let text = "Read it.\u{1b}[2J".to_owned();
        stage.apply(DriverEvent::Prompt { ticket: asked[0].0, text });
        assert_eq!(stage.composer_text(), "Read it.[2J");
        assert!(says(&stage).is_empty());
        stage.apply(DriverEvent::Prompt { ticket: asked[0].0, text: "Again".to_owned() });
        assert_eq!(stage.composer_text(), "Read it.[2J", "it was asked for once");
    }
}

#[test]
fn prompts_are_asked_for_only_where_servers_are_to_offer_some_and_hide_no_action() {
    let mut stage = with_members(120, 40);
    stage.type_text("/");
    assert!(!stage.sent.contains(&Command::Prompts));
    let mut stage = with_prompts(120, 40, "stop-all");
    let asked = stage.sent.iter().filter(|command| **command == Command::Prompts);
    assert_eq!(asked.count(), 1);
    let screen = stage.screen();
    assert!(screen.contains("› /stop-all"), "{screen}");
    assert!(line_of(&screen, "/stop-all") < line_of(&screen, "/lens:stop-all"), "{screen}");
    stage.apply(DriverEvent::Workspace(workspace()));
    assert!(!stage.screen().contains("/lens:stop-all"), "the key is gone");
}

#[test]
fn an_action_is_run_by_its_name_after_a_slash_and_the_draft_is_empty_then() {
    for (width, height) in [(120, 40), (80, 24), (40, 12)] {
        let mut stage = with_members(width, height);
        stage.type_text("/hel");
        let screen = stage.screen();
        assert!(screen.contains("› /help"), "{screen}");
        assert!(
            width == 40 || (screen.contains("Enter run") || screen.contains("⏎ run")),
            "{screen}"
        );
        stage.keys("<enter>");
        assert!(stage.composer_text().is_empty() && says(&stage).is_empty());
        assert!(stage.screen().contains("KEYS"), "{}", stage.screen());
    }
    let mut stage = with_members(120, 40);
    stage.type_text("/find-s");
    stage.keys("<tab>");
    assert_eq!(stage.composer_text(), "/find-sent");
    stage.keys("<enter>");
    assert!(stage.screen().contains("nothing was sent yet"), "{}", stage.screen());
}

#[test]
fn a_message_that_begins_with_a_slash_and_names_no_action_is_sent() {
    for text in ["/tmp", "/etc/hosts is wrong", "/help me", "/Help", "//", "/zoom\nit"] {
        let mut stage = with_members(120, 40);
        stage.app.paste(text);
        stage.keys("<enter>");
        assert_eq!(says(&stage), [(&main_dialog(), text)]);
    }
    let mut stage = with_members(120, 40);
    stage.keys("/help <esc> <enter>");
    assert_eq!(says(&stage), [(&main_dialog(), "/help")]);
}

#[test]
fn escape_closes_the_offer_before_it_leaves_and_tab_then_goes_to_the_next_pane() {
    let mut stage = with_members(120, 40);
    stage.keys("@d <esc>");
    assert!(!stage.screen().contains("schemas and migrations"));
    stage.keys("x");
    assert_eq!(stage.composer_text(), "@dx");
    stage.keys("<tab> x");
    assert_eq!(stage.composer_text(), "@dx");
}

#[test]
fn what_was_undone_is_done_again() {
    let mut stage = streaming(120, 40);
    stage.keys("i one <alt+u>");
    assert!(!stage.screen().contains("› one"));
    stage.keys("<alt+y>");
    assert!(stage.screen().contains("› one"));
    stage.keys("<alt+y>");
    assert!(stage.screen().contains("there is nothing to redo"));
}

/// The terminal's cursor after everything that was written for a frame.
fn cursor_after(
    stage: &mut Stage,
    backend: &mut Terminal<ScreenBackend<Vec<u8>>>,
    emulator: &mut vt100::Parser,
) -> (u16, u16) {
    let size = backend.backend().area();
    let screen = stage.app.layout(size);
    crate::backend::draw(backend, FrameBounds::default(), |frame| screen.draw(frame)).unwrap();
    emulator.process(&std::mem::take(backend.backend_mut().writer_mut()));
    assert!(!emulator.screen().hide_cursor());
    emulator.screen().cursor_position()
}

#[test]
fn the_terminal_cursor_ends_every_frame_at_the_caret_also_while_text_streams_and_in_prompts() {
    let capabilities = Capabilities { depth: ColorDepth::None, utf8: true };
    for (width, height) in [(120, 40), (80, 24), (40, 12)] {
        let mut stage = streaming(width, height);
        let backend = ScreenBackend::new(Vec::new(), Size::new(width, height), capabilities);
        let mut backend = Terminal::new(backend).unwrap();
        let mut emulator = vt100::Parser::new(height, width, 0);
        stage.keys("i 你好");
        let at = cursor_after(&mut stage, &mut backend, &mut emulator);
        for n in 0..20 {
            stage.live(&main_dialog(), Segment::Saying, &format!("word {n} 你好\n"));
            assert_eq!(cursor_after(&mut stage, &mut backend, &mut emulator), at);
            let (y, x) = at;
            assert_eq!(emulator.screen().cell(y, x - 2).unwrap().contents(), "好");
        }
        stage.keys("<enter> <esc>");
        for opens in ["3 /", "1 /", "n", "i <ctrl+r>"] {
            stage.keys(opens);
            stage.type_text("woé");
            let (y, x) = cursor_after(&mut stage, &mut backend, &mut emulator);
            let before = emulator.screen().cell(y, x - 1).unwrap().contents();
            assert_eq!(before, "é", "{opens}: {}", emulator.screen().contents());
            stage.live(&main_dialog(), Segment::Saying, "more\n");
            assert_eq!(cursor_after(&mut stage, &mut backend, &mut emulator), (y, x), "{opens}");
            stage.keys("<esc> <esc>");
        }
    }
}

#[test]
fn ctrl_u_deletes_to_the_start_of_the_line_as_in_a_shell() {
    let mut stage = streaming(80, 24);
    stage.keys("i").type_text("wrong words");
    stage.keys("<ctrl+u> right <enter>");
    let said = stage
        .sent
        .iter()
        .any(|command| matches!(command, Command::Say { text, .. } if text == "right"));
    assert!(said, "{:?}", stage.sent);
}

/// The messages that are sent at once.
fn said_now(stage: &Stage) -> Vec<(u64, &DialogId, &str)> {
    let sent = stage.sent.iter();
    sent.filter_map(|command| {
        let Command::SayNow { ticket, dialog, text, .. } = command else {
            return None;
        };
        Some((*ticket, dialog, text.as_str()))
    })
    .collect()
}

/// The open dialog is in this state and the composer has the focus.
fn writing_to(shown: DisplayState) -> Stage {
    let mut stage = streaming(120, 40);
    let row = TreeRow { state: shown, ..rows().remove(0) };
    stage.apply(DriverEvent::Row(Box::new(row))).keys("i");
    stage
}

#[test]
fn one_key_sends_at_once_whatever_the_dialog_does() {
    for state in [
        DisplayState::Proceeding,
        DisplayState::Idle,
        stopped(),
        blocked(Blocker::Human),
        blocked(Blocker::SideDialogs),
    ] {
        let mut stage = writing_to(state.clone());
        stage.type_text("rather not").keys("<alt+g>");
        let said = said_now(&stage);
        assert!(matches!(said[..], [(_, dialog, "rather not")] if *dialog == main_dialog()));
        assert!(says(&stage).is_empty() && stage.composer_text().is_empty(), "{state:?}");
    }
}

#[test]
fn its_key_is_named_while_there_is_something_to_send_and_something_that_it_would_stop() {
    for (state, runs) in [(DisplayState::Proceeding, true), (DisplayState::Idle, false)] {
        let mut stage = writing_to(state);
        assert!(!stage.screen().contains("Alt+g send now"), "{}", stage.screen());
        stage.type_text("rather not");
        assert_eq!(stage.screen().contains("Alt+g send now"), runs, "{}", stage.screen());
    }
}

#[test]
fn a_message_sent_at_once_that_is_refused_is_a_draft_again() {
    let mut stage = writing_to(DisplayState::Proceeding);
    stage.keys("<alt+g>");
    assert!(said_now(&stage).is_empty(), "there is nothing to send");
    stage.type_text("rather not").keys("<alt+g>");
    let ticket = said_now(&stage)[0].0;
    stage.apply(DriverEvent::Refused { ticket, text: Localized::same("the line was cut") });
    assert_eq!(stage.composer_text(), "rather not");
}

#[test]
fn an_answer_sent_at_once_is_sent_as_with_enter() {
    let answers = |keys: &str| {
        let mut stage = answering(120, 40);
        stage.keys(keys);
        assert!(said_now(&stage).is_empty());
        let sent = stage.sent.iter().filter_map(|command| {
            let Command::Answer { question, text, .. } = command else { return None };
            Some((question.clone(), text.clone()))
        });
        sent.collect::<Vec<_>>()
    };
    let sent = answers("<alt+a> neither <alt+g>");
    assert_eq!(sent.len(), 1);
    assert_eq!(sent, answers("<alt+a> neither <enter>"));
}
