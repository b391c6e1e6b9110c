//! Applies a finished tool call to its dialog: its result with images, changed reminders, a new course, a decision that
//! requires approval.

use crate::domain::dialogs::goal::Goal;
use crate::domain::dialogs::record::{Call, CallResult, Record};
use crate::domain::dialogs::reminder::{CarryOver, NewWording, ReminderScope};
use crate::domain::{FileChange, HealthLevel, Reminder};
use crate::driver::calls::ask_human;
use crate::driver::steps::course::start_course;
use crate::driver::steps::draft::Draft;
use crate::driver::steps::goals;
use crate::driver::steps::position::Position;
use crate::driver::steps::reminders::{self, EditError, ReminderEdit};
use crate::driver::steps::stored_images::store_images;
use crate::driver::texts::Texts;
use crate::tools::{DecisionOutcome, ReminderFormat, StateChange, ToolOutcome};

/// What is outside of the tree, as far as a change depends on it.
#[derive(Debug, Clone, Copy)]
pub struct Surroundings<'a> {
    /// The current reminders that dialogs of the member share.
    pub shared: &'a [Reminder],
    /// The member has another main dialog.
    pub parallel: bool,
}

/// Records the result of a call and applies the changes it requests. True if the call succeeded.
pub fn record(
    draft: &mut Draft,
    at: &Position,
    call: &Call,
    outcome: ToolOutcome,
    around: Surroundings<'_>,
    texts: Texts,
) -> bool {
    draft.set_durable();
    let (mut ok, mut content) = (outcome.ok, outcome.text);
    let file_changes = FileChange::recorded(&outcome.file_changes);
    let mut approval = None;
    for change in outcome.changes {
        if let StateChange::Decision { outcome: DecisionOutcome::Asked(inquiry), .. } = change {
            match ask_human::approval_call(draft, at, texts) {
                Ok((call, question)) => {
                    content = texts.decision_pending(&question);
                    approval = Some((call, inquiry));
                }
                Err(reason) => (ok, content) = (false, reason),
            }
            continue;
        }
        let not_enough = around.parallel && change == StateChange::SetGoal(Goal::Taskdoc);
        match apply(draft, at, change, around, texts) {
            Ok(()) if not_enough => (ok, content) = (false, texts.goal_needs_person()),
            Ok(()) => {}
            Err(EditError::Missing) => (ok, content) = (false, texts.reminder_gone()),
            Err(EditError::Full) => (ok, content) = (false, texts.too_many_reminders()),
        }
    }
    let (id, name) = (call.id.clone(), call.name.clone());
    let (content_items, dropped) = store_images(draft, &at.dialog, &name, outcome.images);
    if dropped > 0 {
        content = format!("{content}\n{}", texts.images_not_stored(dropped));
    }
    if let Some((call, inquiry)) = approval {
        // First, so that no result on disk promises a question that is not there.
        let (arguments, content) = (inquiry.arguments(texts.0), inquiry.content(texts.0));
        ask_human::ask_for(draft, at, call, (&arguments, &content), texts);
    }
    let result = CallResult { id, name, content, content_items, file_changes };
    draft.append(&at.dialog, at.course, at.genseq, Record::FuncResult(result));
    ok
}

fn apply(
    draft: &mut Draft,
    at: &Position,
    change: StateChange,
    around: Surroundings<'_>,
    texts: Texts,
) -> Result<(), EditError> {
    let shared = around.shared;
    let level = pressure_level(draft, at);
    let edit = match change {
        StateChange::AddReminder { id, content, position, scope, render } => {
            let dialog = draft.dialog(&at.dialog).ok_or(EditError::Missing)?;
            reminders::check_limit(dialog, shared, scope)?;
            let mut reminder = Reminder {
                scope: scope.name(draft.tree.layout).to_owned(),
                render_mode: render_name(render).to_owned(),
                ..Reminder::new(id, content, draft.now.clone())
            };
            reminder.pack(level);
            ReminderEdit::Add { reminder: Box::new(reminder), position }
        }
        StateChange::UpdateReminder { id, content, render } => {
            let render_mode = render.map(|render| render_name(render).to_owned());
            let packing = CarryOver::By(level);
            ReminderEdit::Update { id, rewrite: NewWording { content, render_mode, packing } }
        }
        StateChange::DeleteReminder { id } => ReminderEdit::Delete { id },
        StateChange::MoveReminder { id } => ReminderEdit::Move { id },
        StateChange::SetGoal(goal) => {
            goals::set(draft, &at.dialog, at.course, (&goal, around.parallel), texts);
            return Ok(());
        }
        StateChange::Follow { id, content, owner, meta } => {
            let reminder = Reminder {
                owner_name: Some(owner.to_owned()),
                meta: Some(meta),
                scope: ReminderScope::AgentShared.name(draft.tree.layout).to_owned(),
                render_mode: render_name(ReminderFormat::Plain).to_owned(),
                ..Reminder::new(id, content, draft.now.clone())
            };
            ReminderEdit::Add { reminder: Box::new(reminder), position: None }
        }
        StateChange::ClearMind { reminder_content } => {
            if let Some(content) = reminder_content {
                let (id, now) = (draft.ids.short(8), draft.now.clone());
                let reminder = Box::new(Reminder::for_next_course(id, content, now, level));
                let add = ReminderEdit::Add { reminder, position: None };
                reminders::apply_edit(draft, &at.dialog, at.course, shared, add)?;
            }
            start_course(draft, at, &texts.course_start(), texts);
            return Ok(());
        }
        // Changes nothing by itself: it is logged and told when its step is on disk.
        StateChange::Decision { .. } => return Ok(()),
    };
    reminders::apply_edit(draft, &at.dialog, at.course, shared, edit)
}

/// The level of a context under pressure.
fn pressure_level(draft: &Draft, at: &Position) -> Option<HealthLevel> {
    let pressure = draft.dialog(&at.dialog)?.history.pressure;
    pressure.level.filter(|_| pressure.is_tight())
}

fn render_name(render: ReminderFormat) -> &'static str {
    match render {
        ReminderFormat::Markdown => "markdown",
        ReminderFormat::Plain => "plain",
    }
}
