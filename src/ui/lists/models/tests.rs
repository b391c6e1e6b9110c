//! The models of a dialog.

use crate::app::tests::fixture::{
    Stage, main_dialog, rows, side, streaming, streaming_on, workspace,
};
use crate::domain::ModelChoice;
use crate::protocol::{Command, DriverEvent, ImageSupport, ModelView, TreeRow, WorkspaceView};

fn choice(model: &str) -> ModelChoice {
    ModelChoice { provider: "house".to_owned(), model: model.to_owned() }
}

/// A workspace with these models.
fn with_models(models: &[&str]) -> WorkspaceView {
    let model = |name: &&str| ModelView {
        choice: choice(name),
        name: String::new(),
        context: Some(128_000),
        images: ImageSupport::NotRead,
    };
    WorkspaceView { models: models.iter().map(model).collect(), ..workspace() }
}

/// The list over the dialog of the mock-up, which has a model of its own.
pub fn stage(width: u16, height: u16) -> Stage {
    shown_on(Stage::new(width, height))
}

/// The same on this screen.
pub fn shown_on(stage: Stage) -> Stage {
    let mut stage = streaming_on(stage);
    stage.apply(DriverEvent::Workspace(with_models(&["small", "large"])));
    let row = TreeRow { model: Some(choice("large")), ..rows().remove(0) };
    stage.apply(DriverEvent::Row(Box::new(row)));
    stage.keys("1 <alt+m>");
    stage
}

/// The models that were asked for, with their dialogs.
fn asked(stage: &Stage) -> Vec<(String, Option<ModelChoice>)> {
    let sent = stage.sent.iter().filter_map(|command| {
        let Command::SetModel { dialog, model, .. } = command else { return None };
        Some((dialog.to_string(), model.clone()))
    });
    sent.collect()
}

#[test]
fn the_model_of_the_open_dialog_is_chosen_with_three_keys_and_the_one_that_is_used_is_marked() {
    let mut stage = stage(80, 24);
    let screen = stage.screen();
    let marked = screen.lines().find(|line| line.contains('✓') && line.contains("house / large"));
    assert!(marked.is_some(), "{screen}");
    stage.keys("j <enter>");
    assert_eq!(asked(&stage), [(main_dialog().to_string(), Some(choice("small")))]);
    let mut stage = self::stage(80, 24);
    stage.keys("<enter>");
    assert_eq!(asked(&stage), [(main_dialog().to_string(), None)], "that of its member");
}

#[test]
fn a_model_of_its_own_stands_in_the_head_of_the_dialog() {
    let mut stage = stage(120, 40);
    let screen = stage.keys("<esc>").screen();
    assert!(screen.contains("· large"), "{screen}");
    stage.apply(DriverEvent::Row(Box::new(rows().remove(0))));
    assert!(!stage.screen().contains("· large"));
}

#[test]
fn names_of_models_from_files_cannot_control_the_terminal() {
    let mut stage = streaming(120, 40);
    stage.apply(DriverEvent::Workspace(with_models(&["\u{1b}[2Jx\u{202e}"])));
    let row = TreeRow { model: Some(choice("\u{1b}]0;x\u{7}")), ..rows().remove(0) };
    stage.apply(DriverEvent::Row(Box::new(row)));
    let screen = stage.keys("1 <alt+m>").screen();
    assert!(!screen.contains(['\u{1b}', '\u{202e}', '\u{7}']), "{screen}");
}

#[test]
fn the_list_stays_that_of_its_dialog_and_without_one_it_says_so() {
    let mut stage = stage(80, 24);
    stage.apply(DriverEvent::Row(Box::new(TreeRow { dialog: side("other"), ..rows().remove(0) })));
    stage.keys("<enter>");
    assert_eq!(asked(&stage), [(main_dialog().to_string(), None)]);
    let mut empty = Stage::new(80, 24);
    empty.apply(DriverEvent::Workspace(with_models(&["small"])));
    assert!(empty.keys("<alt+m>").screen().contains("open a dialog first"));
}
