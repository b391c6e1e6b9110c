//! What the driver tells a model, in one place. Markers in brackets are Dominds's, the words are ours.
//!
//! Each text stands in English and, with [`Texts::pick`], in Chinese; the texts of one rule are one file.

mod ask_back;

use crate::domain::call::TellaskKind;
use crate::domain::record::ReplyStatus;
use crate::domain::{Assignment, CallId, Lang, Pending, Reminder, ReplyDirective};

/// A line that tells status text from content; also where the mock provider cuts.
const STATUS_HEADER: &str = "[Dominds tellask status]";

/// The runtime's sentences in one work language.
#[derive(Debug, Clone, Copy)]
pub struct Texts(pub Lang);

/// A reply as the asker is to read it.
#[derive(Debug)]
pub struct Reply<'a> {
    pub responder: &'a str,
    pub text: &'a str,
    pub status: ReplyStatus,
    pub call_name: &'a str,
    pub call_id: &'a CallId,
    pub mention: &'a str,
    pub slug: Option<&'a str>,
    pub request: &'a str,
}

impl Texts {
    /// The text in the work language.
    fn pick<T>(self, english: T, chinese: T) -> T {
        match self.0 {
            Lang::En => english,
            Lang::Zh => chinese,
        }
    }

    /// The first prompt of an assignment, in a new or a known side dialog.
    #[must_use]
    pub fn assignment(
        self,
        assignment: &Assignment,
        slug: Option<&str>,
        reply_tool: &str,
    ) -> String {
        let asker = &assignment.origin_member_id;
        let kind = if slug.is_some() { "【Tellask Session】" } else { "【Fresh Tellask】" };
        let session = slug.map(|slug| format!(" ({slug})")).unwrap_or_default();
        let mentions = assignment.mention_list.clone().unwrap_or_default().join(" ");
        format!(
            "[Dominds active reply tool]\n\
             You owe a reply. Deliver it with `{reply_tool}`; no other reply tool fits.\n\n\
             You are the responder; the tellasker is @{asker}. This is a {kind}. Do what the request \
             below asks, then call `{reply_tool}` with the full result. If you end with plain words \
             instead, those words are delivered as your reply.\n\n\
             Completion markers are added by the runtime; never write them yourself.\n\n\
             Request{session}:\n\n{}\n",
            quote(&format!("{mentions}\n{}", assignment.tellask_content))
        )
    }

    /// Stands before the assignment when a known session gets a newer request.
    #[must_use]
    pub fn assignment_update(self) -> String {
        "The request of this session was replaced. Go on with the one below; no separate \
         acknowledgement is wanted."
            .to_owned()
    }

    /// Where a call's result will be read that has none yet.
    #[must_use]
    pub fn waiting(self, call_name: &str, call_id: &CallId) -> String {
        format!(
            "{STATUS_HEADER}\n\n`{call_name}` was made and waits for its reply.\n\n\
             - callId: {call_id}\n\n\
             This is a status, not the reply. The reply will appear later with the same callId."
        )
    }

    /// Stands for the status of a call that has been answered.
    #[must_use]
    pub fn answered_below(self, call_name: &str, call_id: &CallId, status: ReplyStatus) -> String {
        let word = match status {
            ReplyStatus::Completed => "was answered: the reply stands below with the same callId",
            ReplyStatus::Failed => "was closed without a reply: the reason stands below",
            ReplyStatus::Pending => "still waits for its reply",
        };
        format!("{STATUS_HEADER}\n\n`{call_name}` {word}.\n\n- callId: {call_id}")
    }

    #[must_use]
    pub fn reply(self, reply: &Reply<'_>) -> String {
        let marker = match reply.status {
            ReplyStatus::Completed if reply.call_name == TellaskKind::Back.name() => {
                self.pick("【TellaskBack】\n\n", "【回问诉请】\n\n")
            }
            ReplyStatus::Completed => "【Completed】\n\n",
            ReplyStatus::Failed | ReplyStatus::Pending => "",
        };
        let session = reply.slug.map(|slug| format!(" • {slug}")).unwrap_or_default();
        format!(
            "{marker}@{} replied:\n\n{}\n\nto the tellask: {}{session}\n\n{}\n\n{STATUS_HEADER}\n\
             - function: `{}`\n- callId: {}\n- This is a reply to an earlier tellask, not a new request.\n",
            reply.responder,
            quote(reply.text),
            reply.mention,
            quote(reply.request),
            reply.call_name,
            reply.call_id,
        )
    }

    /// A reply that comes in a later course than its call: what was asked, then the answer.
    #[must_use]
    pub fn carryover(self, call_course: u32, reply: &Reply<'_>) -> String {
        let session = reply.slug.map(|slug| format!(" • {slug}")).unwrap_or_default();
        let (request, text) = (quote(reply.request), quote(reply.text));
        let Reply { responder, mention, call_name, call_id, .. } = reply;
        self.pick(
            format!(
                "A reply to a tellask of course C{call_course}, carried over.\n\n\
                 You asked {mention}{session}:\n\n{request}\n\n@{responder} replied:\n\n{text}\n\n\
                 {STATUS_HEADER}\n- function: `{call_name}`\n- callId: {call_id}\n"
            ),
            format!(
                "来自第 C{call_course} 程对话的诉请回复，延续至此。\n\n\
                 你曾诉请 {mention}{session}：\n\n{request}\n\n@{responder} 的回复：\n\n{text}\n\n\
                 {STATUS_HEADER}\n- 函数：`{call_name}`\n- callId: {call_id}\n"
            ),
        )
    }

    #[must_use]
    pub fn delivered(self, reply_tool: &str) -> String {
        format!("The reply was delivered with `{reply_tool}`.")
    }

    #[must_use]
    pub fn wrong_reply_tool(self, expected: &str) -> String {
        format!("Not delivered: the reply you owe is delivered with `{expected}`. Call that tool.")
    }

    #[must_use]
    pub fn no_obligation(self) -> String {
        "Not delivered: you owe no reply now.".to_owned()
    }

    #[must_use]
    pub fn stale_reply(self) -> String {
        "Not delivered: the request was closed or replaced, nobody waits for this reply.".to_owned()
    }

    #[must_use]
    pub fn invalid_call(self, name: &str, reason: &str) -> String {
        format!("Invalid arguments for `{name}`: {reason}. Correct the call and make it again.")
    }

    #[must_use]
    pub fn one_question_a_round(self) -> String {
        "Only one question can be asked in a round, so none of them was asked. Merge them into one \
         `askHuman` call and make it again. (每轮只能向人提一个问题，请合并后重试。)"
            .to_owned()
    }

    #[must_use]
    pub fn question_already_open(self) -> String {
        "Not asked: an earlier question of this dialog still waits for the human.".to_owned()
    }

    #[must_use]
    pub fn self_tellask(self) -> String {
        "Failed: a tellask goes to a teammate, not to yourself. Do the work here, or ask somebody \
         else."
            .to_owned()
    }

    #[must_use]
    pub fn tellask_to_asker(self, asker: &str) -> String {
        format!(
            "Failed: @{asker} waits for your reply. Ask back with `tellaskBack` where you have it, or \
             say in your reply what is missing."
        )
    }

    #[must_use]
    pub fn unknown_teammate(self, wanted: &str, known: &str) -> String {
        format!("Failed: there is no teammate @{wanted}. Teammates: {known}.")
    }

    #[must_use]
    pub fn superseded(self) -> String {
        "Closed without a reply: the request was replaced by a newer one of the same session."
            .to_owned()
    }

    #[must_use]
    pub fn unknown_outcome(self) -> String {
        "The program ended while this call ran. Its outcome is unknown; it was not run again. Check \
         before you repeat it."
            .to_owned()
    }

    #[must_use]
    pub fn stopped_call(self) -> String {
        "Stopped by the human before it finished; its outcome is unknown.".to_owned()
    }

    /// What an interrupted saying ends with in the model's context.
    #[must_use]
    pub fn interrupted(self) -> &'static str {
        self.pick(" [interrupted here]", "【在此中断】")
    }

    #[must_use]
    pub fn course_start(self) -> String {
        "A new course begins: your earlier messages are cleared. Your reminders and the Taskdoc say \
         where you stand. Go on from there."
            .to_owned()
    }

    #[must_use]
    pub fn reminders_begin(self) -> String {
        "[System notice] Reminder context block begins. You manage these notes with the reminder \
         tools."
            .to_owned()
    }

    #[must_use]
    pub fn reminders_end(self) -> String {
        "[System notice] Reminder context block ends.".to_owned()
    }

    #[must_use]
    pub fn reminder(self, reminder: &Reminder) -> String {
        if reminder.owner_name.is_some() {
            return format!("[System notice] Kept by the runtime.\n\n{}", reminder.content);
        }
        format!("[System notice] Reminder, reminder_id: {}\n\n{}", reminder.id, reminder.content)
    }

    #[must_use]
    pub fn obligation(self, directive: &ReplyDirective) -> String {
        format!(
            "[Dominds active inter-dialog reply obligation]\n\
             - replies to call: {}\n- deliver with: `{}`\n\nThe request:\n\n{}",
            directive.target_call_id,
            directive.expected_reply_call_name,
            quote(&directive.tellask_content)
        )
    }

    #[must_use]
    pub fn no_obligation_note(self) -> String {
        "[Dominds no active inter-dialog reply]\nYou owe no reply now; do not call a reply tool."
            .to_owned()
    }

    /// The reminder that lists the tellasks in flight.
    #[must_use]
    pub fn in_flight(self, pending: &[Pending]) -> String {
        if pending.is_empty() {
            return "Tellasks in flight: none. Nobody works for you now; do not wait.".to_owned();
        }
        let mut text = format!(
            "Tellasks in flight: {}. Nobody else works for you. This list keeps itself.\n",
            pending.len()
        );
        for (n, one) in pending.iter().enumerate() {
            let session = one
                .session_slug
                .as_ref()
                .map(|slug| format!(" | session: {slug}"))
                .unwrap_or_default();
            text.push_str(&format!("\n{}. {}{session} | {}", n + 1, one.call_name, mentioned(one)));
        }
        text
    }

    #[must_use]
    pub fn in_flight_guard(self) -> String {
        "This reminder follows the tellasks in flight and keeps itself. To change a request, make a \
         `tellask` with the same sessionSlug; otherwise wait for the reply."
            .to_owned()
    }
}

/// `@target request`, as the pending reminder and its signature name a tellask.
#[must_use]
pub fn mentioned(pending: &Pending) -> String {
    let mentions = pending.mention_list.clone().unwrap_or_default().join(" ");
    format!("{mentions} {}", pending.tellask_content)
}

fn quote(text: &str) -> String {
    text.lines().map(|line| format!("> {line}")).collect::<Vec<_>>().join("\n")
}
