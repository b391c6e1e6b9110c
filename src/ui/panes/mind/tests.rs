//! The mind of a member, from keys to the screen.

use crate::app::tests::fixture::*;
use crate::domain::Problem;
use crate::domain::text::Text;
use crate::protocol::{Command, DriverEvent, MindTool, MindView, Ticket};

fn mind() -> MindView {
    MindView {
        agent: "orchestrator".into(),
        provider: "anthropic.com".to_owned(),
        model: "large-1".to_owned(),
        settings: vec![("max_tokens".to_owned(), "8192".to_owned())],
        system: "# Identity\nYou plan and delegate.\n\n".to_owned()
            + &"One more rule.\n".repeat(30),
        context: vec!["[Taskdoc]\nnone yet".to_owned(), "\u{1b}[2J\u{202e}hostile".to_owned()],
        tools: vec![MindTool {
            name: "read_file".to_owned(),
            description: "Reads a file of the workspace.".to_owned(),
            parameters: r#"{"type":"object"}"#.to_owned(),
        }],
    }
}

fn asked(stage: &Stage) -> Ticket {
    let found = stage.sent.iter().rev().find_map(|command| {
        let Command::Mind { ticket, .. } = command else { return None };
        Some(*ticket)
    });
    found.expect("a request")
}

pub fn shown_on(mut stage: Stage) -> Stage {
    stage.apply(DriverEvent::Workspace(workspace()));
    let fix = Text::new("fix it", "请修正");
    let path = ".minds/team/orchestrator/persona.md";
    let problem = Problem::new("persona", path, Text::new("not text", "不是文本"), fix).at_line(3);
    stage.apply(DriverEvent::Problems(vec![problem])).keys("1 @ <enter>");
    let ticket = asked(&stage);
    stage.apply(DriverEvent::Mind { ticket, mind: Box::new(mind()) }).screen();
    stage
}

#[test]
fn the_mind_is_also_chinese() {
    insta::assert_snapshot!("mind_zh", shown_on(Stage::chinese(80, 24)).screen());
}

#[test]
fn keys_go_from_part_to_part_and_escape_leads_back_to_the_team() {
    let mut stage = shown_on(Stage::new(60, 20));
    for (keys, expected) in [
        ("]", "MODEL"),
        ("]", "SYSTEM PROMPT"),
        ("[", "MODEL"),
        ("G", "read_file"),
        ("g", "persona.md:3: not text"),
    ] {
        let screen = stage.keys(keys).screen();
        assert!(screen.contains(expected), "{keys}\n{screen}");
    }
    let screen = stage.keys("G").screen();
    assert!(!screen.contains(['\u{1b}', '\u{202e}']), "{screen}");
    let screen = stage.keys("<esc>").screen();
    assert!(screen.contains("TEAM") && !screen.contains("MIND"), "{screen}");
}

#[test]
fn a_late_or_refused_mind_opens_nothing() {
    let mut stage = shown_on(Stage::new(80, 24));
    stage.keys("<esc>");
    let ticket = asked(&stage);
    stage.apply(DriverEvent::Mind { ticket, mind: Box::new(mind()) });
    assert!(!stage.screen().contains("MIND"), "it was shown already");
    stage.keys("<enter>");
    let ticket = asked(&stage);
    let text = Text::new("no provider has a key", "没有提供方有密钥").into();
    let screen = stage.apply(DriverEvent::Refused { ticket, text }).screen();
    assert!(screen.contains("no provider has a key"), "{screen}");
}

#[test]
fn the_open_sheet_follows_the_files_of_the_team_and_stays_where_it_is() {
    let mut stage = shown_on(Stage::new(60, 20));
    stage.keys("] ]").screen();
    let asked_for = |stage: &Stage| {
        stage.sent.iter().filter(|command| matches!(command, Command::Mind { .. })).count()
    };
    stage.apply(DriverEvent::Workspace(workspace()));
    assert_eq!(asked_for(&stage), 2);
    let changed = MindView { system: "# Identity\nYou review.\n".to_owned(), ..mind() };
    let ticket = asked(&stage);
    stage.apply(DriverEvent::Mind { ticket, mind: Box::new(changed) });
    let screen = stage.screen();
    assert!(screen.contains("You review.") && !screen.contains("You plan"), "{screen}");
    stage.apply(DriverEvent::Workspace(workspace())).keys("<esc>");
    let ticket = asked(&stage);
    let screen = stage.apply(DriverEvent::Mind { ticket, mind: Box::new(mind()) }).screen();
    assert!(
        screen.contains("TEAM") && !screen.contains("MIND"),
        "it was closed meanwhile: {screen}"
    );
    stage.apply(DriverEvent::Workspace(workspace()));
    assert_eq!(asked_for(&stage), 3, "nothing to follow");
}

#[test]
fn a_word_of_what_a_member_is_told_is_found_and_escape_goes_back() {
    for (width, height) in [(120, 40), (80, 24), (60, 20), (40, 12)] {
        let mut stage = shown_on(Stage::new(width, height));
        let before = stage.screen();
        let screen = stage.keys("/").type_text("reads a file").screen();
        assert!(screen.contains("Reads a file") && screen.contains("1 of 1"), "{screen}");
        assert_eq!(stage.keys("<esc>").screen(), before, "{width}x{height}");
        stage.keys("/").type_text("more rule");
        let screen = stage.keys("<enter> n").screen();
        assert!(screen.contains("2 of 30"), "{screen}");
        assert!(stage.keys("<esc>").screen().contains("MIND"), "the search ends first");
    }
}
