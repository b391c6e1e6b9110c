//! Tellasks: the assignment, the status of the call, and refusals.

use crate::domain::dialogs::record::ReplyStatus;
use crate::domain::text::{Text, in_lang};
use crate::domain::{AgentId, Assignment, CallId, Pending, SideDialogLimit, SideDialogLimits};

use super::{Texts, quote};

impl Texts {
    /// The first prompt of an assignment, in a new or an existing side dialog.
    #[must_use]
    pub fn assignment(
        self,
        assignment: &Assignment,
        slug: Option<&str>,
        reply_tool: &str,
    ) -> String {
        let asker = &assignment.origin_member_id;
        let session = slug.map(|slug| format!(" ({slug})")).unwrap_or_default();
        let mentions = assignment.mention_list.clone().unwrap_or_default().join(" ");
        let request = quote(&format!("{mentions}\n{}", assignment.tellask_content));
        let kind = match slug {
            Some(_) => Text::new("【Tellask Session】", "【长线诉请】").in_lang(self.0),
            None => Text::new("【Fresh Tellask】", "【一次性诉请】").in_lang(self.0),
        };
        in_lang!(
            self.0,
            "[Dominds active reply tool]\n\
                 You owe a reply. Deliver it with `{reply_tool}`; no other reply tool fits.\n\n\
                 You are the responder; the tellasker is @{asker}. This is a {kind}. Do what the \
                 request below asks, then call `{reply_tool}` with the full result. If you end with \
                 plain words instead, those words are delivered as your reply.\n\n\
                 Completion markers are added by the runtime; never write them yourself.\n\n\
                 Request{session}:\n\n{request}\n",
            "[Dominds 当前回复工具]\n\
                 你欠一个回复。请用 `{reply_tool}` 交付，其他回复工具都不合适。\n\n\
                 你是响应者，诉请者是 @{asker}。这是一个{kind}。请完成下面的请求，然后调用 \
                 `{reply_tool}` 交付完整结果。若以普通文字结束，那段文字就作为你的回复交付。\n\n\
                 完成标记由运行时添加，切勿自行书写。\n\n\
                 请求{session}：\n\n{request}\n"
        )
    }

    /// Precedes the assignment when an existing session gets a newer request.
    #[must_use]
    pub fn assignment_update(self) -> String {
        Text::new(
            "The request of this session was replaced. Go on with the one below; no separate \
             acknowledgement is wanted.",
            "本会话的请求已被替换。请按下面的新请求继续，无需另行确认。",
        )
        .in_lang(self.0)
        .to_owned()
    }

    /// The status of a call that has no reply yet.
    #[must_use]
    pub fn waiting(self, call_name: &str, call_id: &CallId) -> String {
        let header = self.status_header();
        in_lang!(
            self.0,
            "{header}\n\n`{call_name}` was made and waits for its reply.\n\n- callId: {call_id}\n\n\
                 This is a status, not the reply. The reply will appear later with the same callId.",
            "{header}\n\n`{call_name}` 已发出，正在等待回复。\n\n- callId: {call_id}\n\n\
                 这是状态，不是回复。回复稍后会以相同的 callId 出现。"
        )
    }

    /// Replaces the status of a call that has been answered.
    #[must_use]
    pub fn answered_below(self, call_name: &str, call_id: &CallId, status: ReplyStatus) -> String {
        let word = match status {
            ReplyStatus::Completed => Text::new(
                "was answered: the reply stands below with the same callId",
                "已得到回复：见下文相同 callId 的内容",
            )
            .in_lang(self.0),
            ReplyStatus::Failed => Text::new(
                "was closed without a reply: the reason stands below",
                "已关闭，没有回复：原因见下文",
            )
            .in_lang(self.0),
            ReplyStatus::Pending => {
                Text::new("still waits for its reply", "仍在等待回复").in_lang(self.0)
            }
        };
        let end = Text::new(".", "。").in_lang(self.0);
        format!("{}\n\n`{call_name}` {word}{end}\n\n- callId: {call_id}", self.status_header())
    }

    #[must_use]
    pub fn self_tellask(self) -> String {
        Text::new(
            "Failed: a tellask goes to a teammate, not to yourself. To think the matter over anew, \
             call `freshBootsReasoning`; otherwise do the work here, or ask somebody else.",
            "失败：诉请只能发给队友，不能发给自己。若要对此重新思考，请调用 `freshBootsReasoning`；\
             否则请在这里完成，或请别人来做。",
        )
        .in_lang(self.0)
        .to_owned()
    }

    #[must_use]
    pub fn tellask_to_asker(self, asker: &str) -> String {
        in_lang!(
            self.0,
            "Failed: @{asker} waits for your reply. Ask back with `tellaskBack` where you have \
                 it, or say in your reply what is missing.",
            "失败：@{asker} 正在等你的回复。有 `tellaskBack` 时请用它回问，\
                 否则请在回复里说明还缺什么。"
        )
    }

    #[must_use]
    pub fn unknown_teammate(self, wanted: &str, known: &str) -> String {
        in_lang!(
            self.0,
            "Failed: there is no teammate @{wanted}. Teammates: {known}.",
            "失败：没有队友 @{wanted}。现有队友：{known}。"
        )
    }

    /// Refusal: the dialog of the session waits for the asking one.
    #[must_use]
    pub fn wait_cycle(self, around: &str) -> String {
        in_lang!(
            self.0,
            "Failed: these dialogs would wait for each other, and none could go on: {around}. \
                 Ask your own asker with `tellaskBack`, or say in your reply what is missing.",
            "失败：这些对话会互相等待，谁都无法继续：{around}。\
                 请用 `tellaskBack` 回问你的诉请者，或在回复里说明还缺什么。"
        )
    }

    /// Refusal: the limits of side dialogs are reached.
    #[must_use]
    pub fn exceeded_limit(self, what: SideDialogLimit, most: SideDialogLimits) -> String {
        let SideDialogLimits { dialogs, depth } = most;
        match what {
            SideDialogLimit::Dialogs => in_lang!(
                self.0,
                "Failed: {dialogs} side dialogs of this tree are at work already, and no more may \
                     be. Nobody was asked. Wait for replies before you ask again, or do the work here.",
                "失败：本对话树中已有 {dialogs} 个支线对话在工作，不能再增加。没有向任何人发出请求。\
                     请等到有回复后再诉请，或在这里自己完成。"
            ),
            SideDialogLimit::Depth => in_lang!(
                self.0,
                "Failed: side dialogs may ask one another {depth} deep, and this one would go \
                     deeper. Nobody was asked. Do the work here, or say in your reply what is missing.",
                "失败：支线对话逐级诉请最多 {depth} 层，这次会超出。没有向任何人发出请求。\
                     请在这里自己完成，或在回复里说明还缺什么。"
            ),
        }
    }

    /// The result of a call whose session got a newer request, `by` another dialog or by the same one.
    #[must_use]
    pub fn superseded(self, pending: &Pending, by: Option<&AgentId>) -> String {
        let what = self.closed_call(pending);
        let why = match by {
            None => in_lang!(
                self.0,
                "{what}: you gave this session a newer request, and the reply to that one counts.",
                "{what}：你已给该会话更新的请求，以对新请求的回复为准。"
            ),
            Some(by) => in_lang!(
                self.0,
                "{what}: @{by} gave this session a newer request. Nobody works on yours any more. \
                     If you still need it, ask again; with another sessionSlug if both are to be done.",
                "{what}：@{by} 已给该会话更新的请求，你的请求不再有人处理。若仍有需要，请重新诉请；\
                     若两者都要完成，请换一个 sessionSlug。"
            ),
        };
        format!("{why}\n\n{}", super::quote(&pending.tellask_content))
    }

    /// The start of a notice that closes a call without a reply.
    pub(super) fn closed_call(self, pending: &Pending) -> String {
        let (call, agent) = (&pending.call_id, &pending.target_agent_id);
        let session = pending.session_slug.as_ref();
        let session = session.map(|slug| in_lang!(self.0, ", session `{slug}`", "、会话 `{slug}`"));
        let session = session.unwrap_or_default();
        let name = &pending.call_name;
        in_lang!(
            self.0,
            "[System notice] Your `{name}` (callId {call}) to @{agent}{session} is closed without \
                 a reply",
            "【系统提示】你的 `{name}`（callId {call}，发给 @{agent}{session}）已关闭，没有回复"
        )
    }
}

/// `@target request`, as in the reminder of tellasks in flight and its signature; fresh-boots reasoning has
/// no target.
#[must_use]
pub fn mentioned(pending: &Pending) -> String {
    let mut words = pending.mention_list.clone().unwrap_or_default();
    words.push(pending.tellask_content.clone());
    words.join(" ")
}
