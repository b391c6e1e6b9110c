//! The team, from keys to the screen.

use crate::app::tests::fixture::*;
use crate::domain::Problem;
use crate::domain::text::Text;
use crate::protocol::{Command, DriverEvent, MemberView, WorkspaceView};

fn team() -> WorkspaceView {
    let mut workspace = workspace();
    if let Some(member) = workspace.members.first_mut() {
        member.model = "anthropic.com / large-1".to_owned();
        member.toolsets = vec!["ws_mod".to_owned(), "team_mgmt".to_owned()];
        member.tools = vec!["shell_cmd".to_owned()];
    }
    workspace
}

fn problems() -> Vec<Problem> {
    let fix = Text::new("fix it", "请修正");
    vec![
        Problem::new("team/empty/dba/icon", ".minds/team.yaml", Text::new("empty", "为空"), fix),
        Problem::new("x", ".minds/team/dba/persona.md", Text::new("odd", "异常"), fix),
        Problem::new("x/dba", ".minds/llm.yaml", Text::new("other", "其他"), fix),
    ]
}

pub fn shown_on(mut stage: Stage) -> Stage {
    stage.apply(DriverEvent::Workspace(team())).apply(DriverEvent::Problems(problems()));
    stage.keys("1 @").screen();
    stage
}

#[test]
fn the_team_is_also_chinese() {
    insta::assert_snapshot!("team_zh", shown_on(Stage::chinese(80, 24)).screen());
}

#[test]
fn enter_asks_for_the_mind_of_the_chosen_member() {
    let mut stage = shown_on(Stage::new(120, 40));
    stage.keys("j <enter>");
    let asked = stage
        .sent
        .iter()
        .any(|command| matches!(command, Command::Mind { agent, .. } if agent.as_str() == "dba"));
    assert!(asked, "{:?}", stage.sent);
}

#[test]
fn the_open_list_follows_the_team_and_what_members_are_called_is_cleaned() {
    let mut stage = shown_on(Stage::new(120, 40));
    let hostile = MemberView { name: "\u{1b}[2Jx\u{202e}".to_owned(), ..team().members.remove(0) };
    let workspace = WorkspaceView { members: vec![hostile], ..team() };
    let screen = stage.apply(DriverEvent::Workspace(workspace)).screen();
    assert!(!screen.contains(['\u{1b}', '\u{202e}']) && !screen.contains("@dba"), "{screen}");
    let screen = stage.apply(DriverEvent::Workspace(WorkspaceView::default())).screen();
    assert!(screen.contains("there is nobody"), "{screen}");
    stage.keys("j k <enter>");
}
