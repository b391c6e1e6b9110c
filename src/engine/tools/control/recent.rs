//! The reminder tools of a dialog in the layout of Dominds 1.29: they have other scopes and no places, and a main dialog
//! has a goal.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;

use super::reminders::{added, bounded, find, guarded};
use crate::domain::dialogs::goal::Goal;
use crate::domain::dialogs::reminder::{ReminderAction, ReminderScope};
use crate::domain::text::Text;
use crate::tools::outcome::{ReminderFormat, StateChange, ToolOutcome};
use crate::tools::tool::{Tool, ToolCx};
use crate::tools::typed;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct AddReminderArgs {
    content: String,
    scope: Option<ScopeArg>,
    render_mode: Option<ReminderFormat>,
}

/// The scopes a member can choose.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum ScopeArg {
    Dialog,
    Task,
    Agent,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct MigrateReminderArgs {
    reminder_id: String,
    #[serde(rename = "scope")]
    _scope: TargetArg,
}

/// Where a reminder can be moved to.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum TargetArg {
    Dialog,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct SetGoalArgs {
    mode: ModeArg,
    goal: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum ModeArg {
    Goal,
    FollowTaskdoc,
}

/// The tools, in place of those of the same names.
pub(crate) fn tools(main_dialog: bool) -> Vec<Arc<dyn Tool>> {
    let add_text = |lang| Text::of_document(include_str!("add_reminder_recent.md")).in_lang(lang);
    let migrate_text = |lang| Text::of_document(include_str!("migrate_reminder.md")).in_lang(lang);
    let goal_text = |lang| Text::of_document(include_str!("set_dialog_goal.md")).in_lang(lang);
    let mut tools = vec![
        typed::instant("add_reminder", add_text, add),
        typed::instant("migrate_reminder", migrate_text, migrate),
    ];
    if main_dialog {
        tools.push(typed::instant("set_dialog_goal", goal_text, set_goal));
    }
    tools
}

fn add(cx: &ToolCx, args: &AddReminderArgs) -> ToolOutcome {
    let scope = match args.scope {
        Some(ScopeArg::Dialog) => ReminderScope::Dialog,
        Some(ScopeArg::Agent) => ReminderScope::Personal,
        Some(ScopeArg::Task) | None => ReminderScope::Task,
    };
    added(cx, &args.content, (scope, None), args.render_mode)
}

fn migrate(cx: &ToolCx, args: &MigrateReminderArgs) -> ToolOutcome {
    let reminder = match find(cx, &args.reminder_id) {
        Ok(reminder) => reminder,
        Err(outcome) => return outcome,
    };
    if let Some(refusal) = guarded(reminder, ReminderAction::Update, cx.lang) {
        return refusal;
    }
    if !reminder.scope.is_shared() {
        let text = Text::new(
            "Not done: this reminder is one of this dialog already.",
            "未执行:这条提醒已经只属于本对话。",
        );
        return ToolOutcome::failed(text.in_lang(cx.lang));
    }
    let moved = Text::new(
        "Moved: other dialogs do not see this reminder any more.",
        "已移动:其他对话不再看到这条提醒。",
    );
    let change = StateChange::MoveReminder { id: reminder.id.clone() };
    ToolOutcome::changed(moved.in_lang(cx.lang), change)
}

fn set_goal(cx: &ToolCx, args: &SetGoalArgs) -> ToolOutcome {
    let goal = match (args.mode, args.goal.as_deref().map(str::trim)) {
        (ModeArg::FollowTaskdoc, None) => Goal::Taskdoc,
        (ModeArg::Goal, Some(goal)) if !goal.is_empty() => {
            if let Err(refused) = bounded(goal, "goal", cx.lang) {
                return refused;
            }
            Goal::Stated(goal.to_owned())
        }
        (ModeArg::FollowTaskdoc | ModeArg::Goal, _) => {
            let text = Text::new(
                "Not done: `goal` is wanted with mode `goal`, and with that alone.",
                "未执行:mode 为 `goal` 时须给出 `goal`,其他情况下不能给。",
            );
            return ToolOutcome::failed(text.in_lang(cx.lang));
        }
    };
    let text = Text::new("The goal is recorded.", "目标已记录。").in_lang(cx.lang);
    ToolOutcome::changed(text, StateChange::SetGoal(goal))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::domain::Lang;
    use crate::tools::ReminderView;
    use crate::tools::args::Args;
    use crate::tools::test_support::TestBench;

    fn call(bench: &TestBench, name: &str, args: &Value) -> ToolOutcome {
        let tool = tools(true).into_iter().find(|tool| tool.spec().name == name).unwrap();
        let args = Args::read(&args.to_string()).unwrap();
        bench.finish(tool.call(bench.cx.clone(), args))
    }

    fn view(id: &str, scope: ReminderScope) -> ReminderView {
        let (id, content) = (id.to_owned(), "text".to_owned());
        ReminderView { id, content, scope, owner: None, meta: None }
    }

    #[test]
    fn a_reminder_is_for_the_task_unless_it_is_said_for_whom() {
        let bench = TestBench::new();
        for (args, scope) in [
            (json!({"content": "x"}), Some(ReminderScope::Task)),
            (json!({"content": "x", "scope": "task"}), Some(ReminderScope::Task)),
            (json!({"content": "x", "scope": "agent"}), Some(ReminderScope::Personal)),
            (json!({"content": "x", "scope": "dialog"}), Some(ReminderScope::Dialog)),
            (json!({"content": "x", "scope": "runtime"}), None),
            (json!({"content": "x", "scope": "personal"}), None),
            (json!({"content": "x", "position": 1}), None),
            (json!({"content": " "}), None),
        ] {
            let outcome = call(&bench, "add_reminder", &args);
            let found = outcome.changes.iter().find_map(|change| {
                if let StateChange::AddReminder { scope, .. } = change {
                    Some(*scope)
                } else {
                    None
                }
            });
            assert_eq!((found, outcome.ok), (scope, scope.is_some()), "{args}");
        }
    }

    #[test]
    fn a_shared_reminder_of_a_member_is_moved_and_no_other() {
        let bench = TestBench::new().reminders(vec![
            view("own", ReminderScope::Dialog),
            view("task", ReminderScope::Task),
            view("process", ReminderScope::AgentShared),
        ]);
        for (id, moved) in [("own", false), ("task", true), ("process", false), ("gone", false)] {
            let args = json!({"reminder_id": id, "scope": "dialog"});
            let outcome = call(&bench, "migrate_reminder", &args);
            let changes =
                if moved { vec![StateChange::MoveReminder { id: id.to_owned() }] } else { vec![] };
            assert_eq!((outcome.ok, outcome.changes), (moved, changes), "{id}");
        }
        let outside =
            call(&bench, "migrate_reminder", &json!({"reminder_id": "task", "scope": "agent"}));
        assert!(!outside.ok);
    }

    #[test]
    fn a_goal_is_stated_or_left_to_the_taskdoc() {
        let bench = TestBench::new();
        for (args, goal) in [
            (
                json!({"mode": "goal", "goal": " Paint it. "}),
                Some(Goal::Stated("Paint it.".to_owned())),
            ),
            (json!({"mode": "follow_taskdoc"}), Some(Goal::Taskdoc)),
            (json!({"mode": "follow_taskdoc", "goal": "x"}), None),
            (json!({"mode": "goal"}), None),
            (json!({"mode": "goal", "goal": " "}), None),
            (json!({"mode": "hover"}), None),
        ] {
            let outcome = call(&bench, "set_dialog_goal", &args);
            let expected: Vec<StateChange> = goal.into_iter().map(StateChange::SetGoal).collect();
            assert_eq!(outcome.changes, expected, "{args}");
        }
    }

    #[test]
    fn the_texts_name_all_arguments_in_both_languages() {
        let names = |main| tools(main).iter().map(|tool| tool.spec().name.to_string()).collect();
        let (main, side): (Vec<String>, Vec<String>) = (names(true), names(false));
        assert_eq!((main.len(), side.len()), (3, 2));
        for tool in tools(true) {
            let spec = tool.spec();
            for key in spec.parameters["properties"].as_object().unwrap().keys() {
                for lang in [Lang::En, Lang::Zh] {
                    let text = spec.description.text(lang);
                    assert!(text.contains(&format!("`{key}`")), "{} {key}", spec.name);
                }
            }
        }
    }
}
