//! The consent sheet.

use crate::app::tests::fixture::*;
use crate::domain::safety::sandbox::Level;
use crate::domain::safety::trust::{TrustEntry, TrustKind, Unagreed};
use crate::protocol::{Command, ConsentView, DriverEvent};

fn shell(member: &str) -> Unagreed {
    let act = "may run any command, also in the background";
    let entry = TrustEntry::new(TrustKind::Shell, member, act, format!("shell-{member}"));
    Unagreed { entry, before: None }
}

fn server(act: &str, before: Option<&str>) -> Unagreed {
    let entry = TrustEntry::new(TrustKind::Server, "files", act, format!("server-{act}"));
    Unagreed { entry, before: before.map(str::to_owned) }
}

fn provider(host: &str) -> Unagreed {
    let act = format!("sends dialogs and the key in OPENAI_API_KEY to https://{host}");
    let entry = TrustEntry::new(TrustKind::Provider, "fast", &act, format!("provider-{host}"));
    Unagreed { entry, before: None }
}

fn view(waiting: Vec<Unagreed>, look_only: bool) -> DriverEvent {
    let level = Some(Level::Workspace);
    DriverEvent::Consent(ConsentView {
        waiting,
        read_only: look_only,
        level,
        level_is_set: false,
        autonomy: None,
    })
}

/// A workspace that has just been opened.
pub fn opened(width: u16, height: u16, waiting: Vec<Unagreed>) -> Stage {
    let mut stage = streaming(width, height);
    stage.apply(view(waiting, true));
    stage
}

/// The commands about consent and continuing.
fn sent(stage: &Stage) -> Vec<String> {
    let told = stage.sent.iter().filter_map(|command| {
        if let Command::Agree { digests, level, .. } = command {
            let level = level.map(|level| format!(" {level}")).unwrap_or_default();
            return Some(format!("agree {}{level}", digests.join(" ")));
        }
        if let Command::Continue { dialog, .. } = command {
            return Some(format!("continue {}", dialog.this));
        }
        (*command == Command::CheckConsent).then(|| "look".to_owned())
    });
    told.collect()
}

pub fn three() -> Vec<Unagreed> {
    let now = "starts \"sh\" \"tools/run.sh\" in \".\" (tools/run.sh: sha256 0f343b0931126a20)";
    let before = "starts \"sh\" \"tools/run.sh\" in \".\" (tools/run.sh: sha256 ca978112ca1bbdca)";
    vec![shell("coder"), server(now, Some(before)), provider("evil.example:8443")]
}

#[test]
fn a_workspace_with_missing_consent_shows_the_sheet_at_the_start() {
    for (width, height) in [(120, 40), (80, 24), (60, 20)] {
        let mut stage = opened(width, height, three());
        assert!(stage.screen().contains("CONSENT"), "{}", stage.screen());
    }
}

#[test]
fn a_tool_of_a_server_is_shown_as_it_was_and_is_and_holds_nothing_up() {
    let entry =
        |name: &str, act: &str| TrustEntry::new(TrustKind::Tool, name, act, format!("tool-{name}"));
    let changed = entry("github/send", "offered as send: \"Sends all.\"");
    let changed = Unagreed { entry: changed, before: Some("offered as send: \"Sends.\"".into()) };
    let new = Unagreed { entry: entry("github/more\u{202e}", "offered as more"), before: None };
    let mut stage = streaming(100, 30);
    stage.apply(view(vec![changed, new], false));
    let screen = stage.screen();
    assert!(!screen.contains("CONSENT") && screen.contains("2 wait for consent"), "{screen}");
    stage.keys("3 W");
    let screen = stage.screen();
    for shown in ["tool github/send", "changed", "Sends all.", "Sends.", "\\u{202e}", "Members"] {
        assert!(screen.contains(shown), "{shown}\n{screen}");
    }
    stage.keys("a");
    assert!(sent(&stage).iter().any(|one| one.starts_with("agree tool-github/send tool-")));
}

#[test]
fn the_three_choices_work_and_other_keys_do_nothing() {
    for (keys, expected, open) in [
        ("a", vec!["agree shell-coder provider-h"], false),
        ("l", vec![], false),
        ("<esc>", vec![], false),
        ("q", vec![], false),
        ("<enter>", vec![], true),
        ("y", vec![], true),
        ("n i c", vec![], true),
    ] {
        let mut stage = opened(80, 24, vec![shell("coder"), provider("h")]);
        stage.screen();
        stage.keys(keys);
        assert_eq!(sent(&stage), expected, "{keys}");
        assert_eq!(stage.screen().contains("CONSENT"), open, "{keys}");
    }
}

#[test]
fn the_sandbox_level_is_chosen_on_the_sheet_unless_the_config_file_sets_it() {
    for (keys, expected) in [
        ("a", "agree shell-coder"),
        ("s a", "agree shell-coder workspace+net"),
        ("s s a", "agree shell-coder off"),
        ("s s s a", "agree shell-coder read-only"),
        ("s s s s a", "agree shell-coder"),
    ] {
        let mut stage = opened(80, 24, vec![shell("coder")]);
        stage.screen();
        for key in keys.split(' ') {
            stage.keys(key);
            stage.screen();
        }
        assert_eq!(sent(&stage), [expected], "{keys}");
    }
    let mut stage = opened(80, 24, vec![shell("coder")]);
    stage.keys("s s");
    insta::assert_snapshot!("consent-off", stage.screen());
    let mut stage = streaming(80, 24);
    let consent = ConsentView {
        waiting: vec![shell("coder")],
        read_only: true,
        level: Some(Level::ReadOnly),
        level_is_set: true,
        autonomy: None,
    };
    stage.apply(DriverEvent::Consent(consent));
    assert!(stage.screen().contains("read-only · config.yaml"));
    stage.keys("s");
    stage.screen();
    stage.keys("a");
    assert_eq!(sent(&stage), ["agree shell-coder"]);
}

#[test]
fn look_only_is_shown_in_the_status_line_and_the_sheet_can_be_reopened() {
    let mut stage = opened(80, 24, vec![shell("coder")]);
    stage.screen();
    stage.keys("l");
    insta::assert_snapshot!("consent-look-only", stage.screen());
    stage.keys("3 W");
    assert_eq!(sent(&stage), ["look"]);
    stage.screen();
    stage.keys("a");
    assert_eq!(sent(&stage), ["look", "agree shell-coder"]);
    stage.apply(view(Vec::new(), false));
    assert!(!stage.screen().contains("look only"));
}

#[test]
fn continuing_a_dialog_without_consent_shows_the_sheet_first() {
    let mut stage = opened(80, 24, vec![shell("coder")]);
    stage.screen();
    stage.keys("l");
    stage.keys("3 c");
    assert_eq!(sent(&stage), ["look"]);
    stage.screen();
    stage.keys("a");
    let goes_on = format!("continue {}", main_dialog().this);
    assert_eq!(sent(&stage), ["look", "agree shell-coder", &goes_on]);
}

#[test]
fn later_entries_never_interrupt_typing() {
    let mut stage = streaming(80, 24);
    stage.keys("3 i");
    stage.apply(view(vec![shell("coder")], false));
    let screen = stage.screen();
    assert!(screen.contains("1 waits for consent"), "{screen}");
    stage.type_text("a");
    assert_eq!(sent(&stage), [""; 0]);
    stage.keys("<esc> W");
    assert!(stage.screen().contains("commands of coder"));
    stage.keys("a");
    assert_eq!(sent(&stage), ["look", "agree shell-coder"]);
}

#[test]
fn what_was_not_wholly_on_the_screen_cannot_be_agreed_to() {
    let many = || (0..30).map(|n| shell(&format!("m{n}"))).collect::<Vec<_>>();
    let mut stage = opened(80, 24, many());
    stage.keys("a");
    assert_eq!(sent(&stage), [""; 0], "nothing was drawn yet");
    stage.screen();
    stage.keys("a");
    assert_eq!(sent(&stage), [""; 0], "the end was not shown");
    for _ in 0..12 {
        stage.keys("<space>");
        stage.screen();
    }
    stage.apply(view([many(), vec![shell("late")]].concat(), true));
    stage.screen();
    stage.keys("a");
    assert_eq!(sent(&stage), [""; 0], "one more came since");
    for _ in 0..14 {
        stage.keys("<space>");
        stage.screen();
    }
    stage.keys("a");
    assert_eq!(sent(&stage).len(), 1);
}

#[test]
fn at_another_width_all_of_it_is_to_be_read_again_from_its_beginning() {
    let mut stage = opened(80, 24, (0..30).map(|n| shell(&format!("m{n}"))).collect());
    let read = |stage: &mut Stage| {
        for _ in 0..14 {
            stage.keys("<space>").screen();
        }
    };
    let first = stage.screen();
    read(&mut stage);
    stage.resize(70, 24);
    stage.screen();
    stage.keys("a");
    assert_eq!(sent(&stage), [""; 0]);
    stage.resize(80, 24);
    assert_eq!(stage.screen(), first);
    read(&mut stage);
    stage.keys("a");
    assert_eq!(sent(&stage).len(), 1);
}

#[test]
fn text_of_a_workspace_stays_inside_its_column() {
    let mut stage = opened(60, 20, vec![server("starts \"a\u{1b}[2J\u{202e}\n CONSENT\"", None)]);
    let screen = stage.screen();
    assert!(screen.contains("\\u{1b}[2J\\u{202e}\\u{a}"), "{screen}");
    let named: Vec<&str> = screen.lines().filter(|line| line.contains("CONSENT")).collect();
    assert_eq!(named.len(), 2, "{screen}");
    assert!(named.iter().skip(1).all(|line| line.starts_with("    ")), "{screen}");
}

#[test]
fn the_key_that_agrees_is_offered_only_where_there_is_something_to_agree_to() {
    let mut stage = streaming(80, 24);
    stage.apply(view(Vec::new(), false));
    let screen = stage.keys("3 W").screen();
    assert!(screen.contains("CONSENT") && !screen.contains("a agree"), "{screen}");
    let mut stage = opened(80, 24, vec![shell("coder")]);
    assert!(stage.screen().contains("a agree"), "{}", stage.screen());
}
