//! The end of a generation: its text, its last record, and the stop of its dialog if it failed.

use crate::domain::dialogs::latest::StopReason;
use crate::domain::dialogs::record::Record;
use crate::driver::calls::fresh_boots;
use crate::driver::drive::answer::AnswerSegment;
use crate::driver::steps::draft::Draft;
use crate::driver::steps::position::Position;
use crate::driver::steps::stop::mark_stopped;
use crate::protocol::event::Segment;

/// Records the segments of an answer. `interrupted` marks the last text as truncated.
pub fn record_segments(
    draft: &mut Draft,
    at: &Position,
    segments: Vec<AnswerSegment>,
    interrupted: bool,
) {
    let last = segments.len().saturating_sub(1);
    for (n, AnswerSegment { segment, text: content, payload }) in segments.into_iter().enumerate() {
        let record = match segment {
            Segment::Thinking => Record::Thought {
                reasoning: Some(payload.unwrap_or_else(|| {
                    serde_json::json!({ "summary": [{ "type": "summary_text", "text": content }] })
                })),
                content,
                provider_data: None,
            },
            Segment::Saying => Record::Words { content, interrupted: interrupted && n == last },
        };
        draft.append(&at.dialog, at.course, at.genseq, record);
    }
}

/// Ends a generation with its last record.
pub fn finish(draft: &mut Draft, at: &Position, finish: Record) {
    close(draft, at, finish);
    fresh_boots::advance(draft, &at.dialog);
}

/// Ends a generation that failed or was stopped, and stops its dialog. It records no context health.
pub fn abort(draft: &mut Draft, at: &Position, reason: StopReason, model: Option<String>) {
    close(draft, at, Record::GenFinish { context_health: None, llm_gen_model: model });
    mark_stopped(draft, &at.dialog, reason);
}

/// Ends a failed generation whose dialog continues.
pub fn finish_failed(draft: &mut Draft, at: &Position, model: Option<String>) {
    draft.set_durable();
    close(draft, at, Record::GenFinish { context_health: None, llm_gen_model: model });
}

fn close(draft: &mut Draft, at: &Position, finish: Record) {
    draft.append(&at.dialog, at.course, at.genseq, finish);
    draft.edit_latest(&at.dialog, |latest| latest.generating = Some(false));
}
