//! Whether a dialog may go on, and what it does next, from facts alone.

use super::assignment::ReplyDirective;
use super::dialog::Dialog;
use super::fresh_boots::{self, FbrStep};
use super::latest::StopReason;
use super::pending::{Pending, WaitGroup};
use super::queue;
use super::record::{Origin, Record, ReplyStatus};
use crate::domain::ids::CallId;

/// Why a dialog goes on without anybody's help.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NextStep {
    /// A prompt of the runtime waits, mostly the first one of a new course.
    StartCourse,
    /// A prompt waits: words of a person, mostly.
    TakePrompt,
    /// An assignment has not begun.
    StartAssignment,
    /// The model has not seen the results of its last calls.
    FollowUp,
    /// Replies came that no generation has seen.
    ReadReplies,
    /// One of its side dialogs asked back.
    HearAskBack,
    /// A person said: go on.
    Resume,
    /// Its plain words are the reply it owes; they only need delivering.
    DeliverWords,
    /// A person was answered; its own work waits until they say so.
    Pause,
    /// It rests without the reply it owes, and waits for nothing: it is told so.
    AskAgain,
    /// It was told so already: it waits for a person.
    GiveUp,
    /// A round of fresh-boots reasoning begins, or goes on.
    Reason,
    /// Fresh-boots reasoning is over; what it came to only needs delivering.
    Conclude,
}

/// Decides what a dialog does next, whether it rests or has just ended a generation. A question it
/// asked holds it; a person's words are heard always, and answered to the end.
pub fn next_step(dialog: &Dialog) -> Option<NextStep> {
    if dialog.latest.is_dead() || is_stopped(dialog) {
        return None;
    }
    if dialog.is_fresh_boots() {
        return fresh_boots::due(dialog).map(|due| match due {
            FbrStep::Prompt(_) | FbrStep::Again(_) => NextStep::Reason,
            FbrStep::Conclude(_) => NextStep::Conclude,
        });
    }
    if course_waits(dialog) {
        return Some(NextStep::StartCourse);
    }
    if queue::loud(&dialog.queue).next().is_some() {
        return Some(NextStep::TakePrompt);
    }
    if dialog.unstarted_assignment().is_some() {
        // What it has just said in answer to a question asked back is not lost to a newer request.
        let said = plain_reply(dialog).is_some();
        return Some(if said { NextStep::DeliverWords } else { NextStep::StartAssignment });
    }
    if dialog.history.owes_followup() && !is_held_in_its_round(dialog) {
        return Some(NextStep::FollowUp);
    }
    if dialog.talks_to_a_person() {
        let last = &dialog.history.last;
        let cut_off = last.open || last.broken_off;
        let answered = dialog.history.unread.iter().any(|reply| reply.from_human);
        if cut_off && (answered || dialog.latest.needs_drive == Some(true)) {
            return Some(NextStep::Resume);
        }
        return (!last.open).then_some(NextStep::Pause);
    }
    if dialog.questions.is_empty() { own_work(dialog) } else { None }
}

/// True if a question keeps it from reading the results of its calls. One that was open before a person spoke does not:
/// their words get a full round.
fn is_held_in_its_round(dialog: &Dialog) -> bool {
    let history = &dialog.history;
    if dialog.questions.is_empty() || history.last.prompted_by != Some(Origin::User) {
        return !dialog.questions.is_empty();
    }
    let spoke = |record: &Record| {
        matches!(record, Record::HumanText(text)
            if text.origin == Origin::User && text.q4h_answer_call_id.is_none())
    };
    let spoken = history.entries.iter().rev().find(|entry| spoke(&entry.record));
    let Some(spoken) = spoken.and_then(|entry| entry.genseq) else { return true };
    let asked = dialog.questions.iter().map(|open| open.call_site_ref.call_site_genseq);
    asked.into_iter().any(|asked| asked.is_none_or(|asked| asked >= spoken))
}

/// True if a person has to say `Continue`. Only a main dialog takes up a waiting course by itself.
fn is_stopped(dialog: &Dialog) -> bool {
    dialog.latest.interruption().is_some_and(|reason| {
        !matches!(reason, StopReason::PendingCourseStart) || dialog.assignment().is_some()
    })
}

fn own_work(dialog: &Dialog) -> Option<NextStep> {
    if answers_a_question(dialog) {
        return Some(NextStep::DeliverWords);
    }
    if replies_are_in(dialog) {
        return Some(NextStep::ReadReplies);
    }
    if plain_reply(dialog).is_some() {
        return Some(NextStep::DeliverWords);
    }
    if dialog.ask_back_to_hear().is_some() {
        return Some(NextStep::HearAskBack);
    }
    // A dialog that was asked back is waited for by those it waits for.
    let free = !dialog.waits_for_others() || dialog.is_asked_back();
    if dialog.latest.needs_drive == Some(true) && free {
        return Some(NextStep::Resume);
    }
    let owed = owed_in_vain(dialog)?;
    let asked_for = dialog.history.asked_for.as_ref();
    let asked_twice =
        asked_for.is_some_and(|asked| asked.call == owed.target_call_id && asked.times > 1);
    Some(if asked_twice { NextStep::GiveUp } else { NextStep::AskAgain })
}

/// The reply it owes, if it rests without having given it and nothing is awaited that would make it go
/// on: those who wait for it would wait for ever.
fn owed_in_vain(dialog: &Dialog) -> Option<&ReplyDirective> {
    let last = &dialog.history.last;
    let ended = last.course.is_some() && !last.open;
    dialog.obligation().filter(|owed| ended && dialog.has_all_it_asked_for(owed))
}

fn course_waits(dialog: &Dialog) -> bool {
    let prompt = dialog.latest.pending_course_start_prompt.as_ref();
    prompt.is_some_and(|prompt| !dialog.history.messages.contains(&prompt.msg_id))
}

/// True if replies came that no generation has seen, and the calls made together with them are all
/// answered. A person's answer waits for every side dialog.
fn replies_are_in(dialog: &Dialog) -> bool {
    let waits_in = |group: WaitGroup| {
        dialog.pending.iter().any(|p| p.group() == group)
            || dialog.history.asked_back().any(|(_, call)| call.group() == group)
    };
    dialog.history.unread.iter().any(|unread| {
        if unread.from_human {
            !dialog.waits_for_others() || dialog.is_asked_back()
        } else {
            !unread.group.is_some_and(waits_in) && !is_asked_anew(dialog, &unread.call)
        }
    })
}

/// True if this call was closed because its session was asked again, and the newer call still waits:
/// its reply will be read for both.
fn is_asked_anew(dialog: &Dialog, call: &CallId) -> bool {
    // Records that no generation has seen come after the start of the last one.
    let newest = dialog.history.entries.iter().rev();
    let mut unseen = newest.take_while(|entry| !matches!(entry.record, Record::GenStart));
    let closed = unseen.find_map(|entry| {
        let (closed, status, session) = if let Record::TellaskResult(result) = &entry.record {
            let session = (&result.call.session_slug, &result.call.mention_list);
            (&result.call_id, result.status, session)
        } else if let Record::Carryover(reply) = &entry.record {
            (&reply.call_id, reply.status, (&reply.session_slug, &reply.mention_list))
        } else {
            return None;
        };
        (closed == call && status == ReplyStatus::Failed).then_some(session)
    });
    closed.is_some_and(|(slug, mentions)| {
        let same = |p: &Pending| p.session_slug == *slug && p.mention_list == *mentions;
        slug.is_some() && dialog.pending.iter().any(same)
    })
}

/// The reply a dialog gave in plain words and that is not delivered yet.
///
/// Words said to a person who spoke in between are not the reply.
#[must_use]
pub fn plain_reply(dialog: &Dialog) -> Option<&str> {
    let owed = dialog.obligation()?;
    let rests = dialog.questions.is_empty()
        && queue::loud(&dialog.queue).next().is_none()
        && dialog.latest.interruption().is_none();
    let to_a_person = dialog.history.last.prompted_by == Some(Origin::User);
    if !rests || to_a_person || !dialog.has_all_it_asked_for(owed) {
        return None;
    }
    dialog.history.plain_answer()
}

/// True if its plain words answer a question it was asked back. A reply that came meanwhile belongs to
/// other work, unless it was asked for to answer this question; what is said about it is no answer.
fn answers_a_question(dialog: &Dialog) -> bool {
    let heard = dialog.heard_ask_back().and_then(|owed| dialog.heard_at(&owed.target_call_id));
    let Some(heard) = heard else { return false };
    let since = |group: WaitGroup| (group.course, group.genseq) >= heard;
    let unread = &dialog.history.unread;
    plain_reply(dialog).is_some() && !unread.iter().any(|reply| reply.group.is_none_or(since))
}

/// True if `Continue` means something: the dialog was stopped, or it owes a reply and rests.
#[must_use]
pub fn can_continue(dialog: &Dialog) -> bool {
    let stopped = dialog.latest.marked().is_some();
    let owes = dialog.obligation().is_some()
        && !dialog.is_fresh_boots()
        && dialog.questions.is_empty()
        && !dialog.waits_for_others();
    !dialog.latest.is_dead() && (stopped || owes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::ExecutionMarker;
    use crate::domain::asking::question::{CallSite, Question};
    use crate::domain::dialogs::history::UnreadReply;
    use crate::domain::dialogs::pending::CallType;
    use crate::domain::ids::SelfId;
    use crate::domain::number::{Course, Genseq};
    use crate::domain::time::Stamp;

    fn group(genseq: u32) -> WaitGroup {
        WaitGroup { course: Course::FIRST, genseq: Genseq(genseq) }
    }

    impl Dialog {
        pub(in crate::domain) fn asking(mut self) -> Self {
            let site = CallSite {
                course: Course::FIRST,
                message_index: 0,
                call_site_genseq: None,
                extra: serde_json::Map::new(),
            };
            let id = crate::domain::DialogId::main(crate::domain::RootId::new("aa/bb/01"));
            self.questions.push(Question::new(&id, &CallId::new("q"), "?", Stamp::default(), site));
            self
        }

        pub(in crate::domain) fn waiting_in(mut self, genseq: u32) -> Self {
            self.pending.push(Pending {
                side_dialog_id: SelfId::new("cc/dd/02"),
                created_at: Stamp::default(),
                call_name: "tellask".to_owned(),
                mention_list: None,
                tellask_content: String::new(),
                target_agent_id: "a".into(),
                call_id: CallId::new("c"),
                call_site_course: Course::FIRST,
                call_site_genseq: Genseq(genseq),
                call_type: CallType::B,
                session_slug: None,
                extra: serde_json::Map::new(),
            });
            self
        }

        fn replied_in(mut self, genseq: u32) -> Self {
            let unread = UnreadReply {
                call: CallId::new("r"),
                group: Some(group(genseq)),
                from_human: false,
                at_rest: true,
            };
            self.history.unread.push(unread);
            self
        }

        fn answered_by_a_person(mut self) -> Self {
            let unread = UnreadReply {
                call: CallId::new("q"),
                group: Some(group(1)),
                from_human: true,
                at_rest: true,
            };
            self.history.unread.push(unread);
            self
        }

        pub(in crate::domain) fn stopped(mut self, reason: StopReason) -> Self {
            self.latest.execution_marker = Some(ExecutionMarker::Interrupted { reason });
            self
        }
    }

    #[test]
    fn an_asker_goes_on_when_its_wait_group_is_answered_and_no_question_is_open() {
        for (dialog, expected) in [
            (crate::samples::dialog_of(&[]), None),
            (crate::samples::dialog_of(&[]).replied_in(1), Some(NextStep::ReadReplies)),
            (crate::samples::dialog_of(&[]).replied_in(1).waiting_in(1), None),
            (
                crate::samples::dialog_of(&[]).replied_in(1).waiting_in(2),
                Some(NextStep::ReadReplies),
            ),
            (crate::samples::dialog_of(&[]).replied_in(1).asking(), None),
            (crate::samples::dialog_of(&[]).replied_in(1).stopped(StopReason::UserStop), None),
            (crate::samples::dialog_of(&[]).answered_by_a_person(), Some(NextStep::ReadReplies)),
            (crate::samples::dialog_of(&[]).answered_by_a_person().waiting_in(1), None),
        ] {
            assert_eq!(next_step(&dialog), expected, "{dialog:?}");
        }
    }
}
