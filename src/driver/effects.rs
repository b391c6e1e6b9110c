//! What a finished tool call changes in its dialog: its result, reminders, a new course.

use crate::domain::record::{Call, CallResult, Record};
use crate::domain::{HealthLevel, Reminder, SelfId};
use crate::tools::{Change, Outcome, ReminderScope, Render};

use super::calls::Position;
use super::draft::Draft;
use super::generation::start_course;
use super::texts::Texts;

/// Records the result of a call and carries out the changes it asks for.
pub fn record(draft: &mut Draft, at: &Position, call: &Call, outcome: Outcome, texts: Texts) {
    draft.must_last();
    for change in outcome.changes {
        apply(draft, at, change, texts);
    }
    let result = CallResult {
        id: call.id.clone(),
        name: call.name.clone(),
        content: outcome.text,
        content_items: None,
    };
    draft.append(&at.dialog, at.course, at.genseq, Record::FuncResult(result));
}

fn apply(draft: &mut Draft, at: &Position, change: Change, texts: Texts) {
    let level = tight_level(draft, at);
    match change {
        Change::AddReminder { id, content, position, scope, render } => {
            let mut reminder = Reminder {
                scope: scope_name(scope).to_owned(),
                render_mode: render_name(render).to_owned(),
                ..Reminder::new(id, content, draft.now.clone())
            };
            reminder.pack(level);
            edit(draft, at, |reminders| {
                let place = position.map_or(reminders.len(), |n| n.saturating_sub(1));
                reminders.insert(place.min(reminders.len()), reminder);
            });
        }
        Change::UpdateReminder { id, content, render } => edit(draft, at, |reminders| {
            if let Some(reminder) = reminders.iter_mut().find(|reminder| reminder.id == id) {
                reminder.content = content;
                reminder.pack(level);
                if let Some(render) = render {
                    render_name(render).clone_into(&mut reminder.render_mode);
                }
            }
        }),
        Change::DeleteReminder { id } => {
            edit(draft, at, |reminders| reminders.retain(|reminder| reminder.id != id));
        }
        Change::ClearMind { reminder_content } => {
            if let Some(content) = reminder_content {
                let (id, now) = (draft.ids.short(8), draft.now.clone());
                let reminder = Reminder::for_next_course(id, content, now, level);
                edit(draft, at, |reminders| reminders.push(reminder));
            }
            start_course(draft, at, &texts.course_start(), texts);
        }
    }
}

/// The level of a context that is tight.
fn tight_level(draft: &Draft, at: &Position) -> Option<HealthLevel> {
    let fullness = draft.dialog(&at.dialog)?.history.fullness;
    fullness.level.filter(|_| fullness.is_tight())
}

fn edit(draft: &mut Draft, at: &Position, change: impl FnOnce(&mut Vec<Reminder>)) {
    let Some(mut reminders) = draft.dialog(&at.dialog).map(|dialog| dialog.reminders.clone())
    else {
        return;
    };
    change(&mut reminders);
    write(draft, &at.dialog, at, reminders);
}

fn write(draft: &mut Draft, dialog: &SelfId, at: &Position, reminders: Vec<Reminder>) {
    draft.append_aside(dialog, at.course, Record::Reminders { reminders: reminders.clone() });
    draft.reminders(dialog, reminders);
}

fn scope_name(scope: ReminderScope) -> &'static str {
    match scope {
        ReminderScope::Dialog => "dialog",
        ReminderScope::Personal => "personal",
        ReminderScope::AgentShared => "agent_shared",
    }
}

fn render_name(render: Render) -> &'static str {
    match render {
        Render::Markdown => "markdown",
        Render::Plain => "plain",
    }
}
