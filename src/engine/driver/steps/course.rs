//! The start of a new course: what clears the mind of a dialog.

use serde_json::Map;

use crate::domain::dialogs::latest::{CourseStartPrompt, ReplyTarget};
use crate::domain::dialogs::record::Record;
use crate::domain::{CallType, Course, MsgId, SelfId, Slug};
use crate::driver::texts::Texts;

use super::draft::Draft;
use super::position::Position;

/// Clears the mind: the next generation opens a new course with this prompt. Reminders, side dialogs,
/// owed replies and queued messages stay; an open question is withdrawn.
pub fn start_course(draft: &mut Draft, at: &Position, opening: &str, texts: Texts) {
    let Some(dialog) = draft.dialog(&at.dialog) else { return };
    let next = at.course.next();
    let owed = dialog.assignment_owed().cloned();
    let mut content = opening.to_owned();
    let mut target = None;
    if let (Some(assignment), Some(owed)) = (dialog.assignment(), &owed) {
        let slug = dialog.meta.session_slug.as_ref().map(Slug::as_str);
        let again = texts.assignment(assignment, slug, &owed.expected_reply_call_name);
        content = format!("{again}\n---\n{content}");
        target = Some(ReplyTarget {
            owner_dialog_id: owed.target_dialog_id.clone(),
            call_type: if slug.is_some() { CallType::B } else { CallType::C },
            call_id: owed.target_call_id.clone(),
            extra: Map::new(),
        });
    }
    let prompt = CourseStartPrompt {
        content,
        msg_id: MsgId::new(draft.ids.message().as_str()),
        grammar: "markdown".to_owned(),
        origin: "runtime".to_owned(),
        user_language_code: last_language(draft, &at.dialog)
            .or_else(|| Some(texts.0.code().to_owned())),
        skip_taskdoc: None,
        tellask_reply_directive: owed,
        side_dialog_reply_target: target,
        extra: Map::new(),
    };
    let is_main = draft.tree.is_main(&at.dialog);
    draft.edit_latest(&at.dialog, |latest| {
        latest.current_course = next;
        latest.pending_course_start_prompt = Some(prompt);
        if is_main {
            latest.needs_drive = Some(true);
        }
    });
    // After the course: if a crash leaves the questions, recovery withdraws them.
    withdraw_questions(draft, &at.dialog, at.course);
}

/// Withdraws the open questions of the previous course.
pub fn withdraw_questions(draft: &mut Draft, id: &SelfId, course: Course) {
    if draft.dialog(id).is_some_and(|dialog| !dialog.questions.is_empty()) {
        draft.append_detached(id, course, Record::Questions { questions: Vec::new() });
        draft.set_questions(id, Vec::new());
    }
}

/// The language the user was last answered in.
pub fn last_language(draft: &Draft, id: &SelfId) -> Option<String> {
    draft.dialog(id)?.history.language.clone()
}
