//! Replies: the text for the asker, and the result for the sender.

use crate::domain::dialogs::call::{SpecialCall, TellaskKind};
use crate::domain::dialogs::record::ReplyStatus;
use crate::domain::text::{Text, in_lang};
use crate::domain::{CallId, ReplyDirective};

use super::{Texts, quote};

/// The parts of a reply text for the asker.
#[derive(Debug)]
pub struct ReplyText<'a> {
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
    #[must_use]
    pub fn reply(self, reply: &ReplyText<'_>) -> String {
        let marker = self.marker(reply);
        let body = if is_fresh_boots(reply) {
            format!("{}\n\n{}", self.fresh_boots_heading(), reply.text)
        } else {
            self.reply_body(reply)
        };
        format!("{marker}{body}\n\n{}\n{}", self.status_header(), self.reply_footnote(reply))
    }

    /// The first line of a completed reply; only the runtime writes it.
    fn marker(self, reply: &ReplyText<'_>) -> &'static str {
        match (reply.status, SpecialCall::of(reply.call_name)) {
            (ReplyStatus::Failed | ReplyStatus::Pending, _) => "",
            (ReplyStatus::Completed, Some(SpecialCall::Tellask(TellaskKind::FreshBoots))) => {
                Text::new("【FBR-Reasoning Only】\n\n", "【FBR-仅推理】\n\n").in_lang(self.0)
            }
            (ReplyStatus::Completed, Some(SpecialCall::Tellask(TellaskKind::Back))) => {
                Text::new("【TellaskBack】\n\n", "【回问诉请】\n\n").in_lang(self.0)
            }
            (ReplyStatus::Completed, _) => {
                Text::new("【Completed】\n\n", "【最终完成】\n\n").in_lang(self.0)
            }
        }
    }

    fn reply_body(self, reply: &ReplyText<'_>) -> String {
        let (responder, mention) = (reply.responder, reply.mention);
        let session = reply.slug.map(|slug| format!(" • {slug}")).unwrap_or_default();
        let (text, request) = (quote(reply.text), quote(reply.request));
        in_lang!(
            self.0,
            "@{responder} replied:\n\n{text}\n\nto the tellask: {mention}{session}\n\n{request}",
            "@{responder} 回复：\n\n{text}\n\n针对诉请：{mention}{session}\n\n{request}"
        )
    }

    fn reply_footnote(self, reply: &ReplyText<'_>) -> String {
        let (name, id) = (reply.call_name, reply.call_id);
        in_lang!(
            self.0,
            "- function: `{name}`\n- callId: {id}\n\
                 - This is a reply to an earlier tellask, not a new request.\n",
            "- 函数：`{name}`\n- callId: {id}\n- 这是对先前诉请的回复，不是新的请求。\n"
        )
    }

    /// A reply in a later course than its call: the request, then the reply.
    #[must_use]
    pub fn carryover(self, call_course: u32, reply: &ReplyText<'_>) -> String {
        let session = reply.slug.map(|slug| format!(" • {slug}")).unwrap_or_default();
        let (request, text) = (quote(reply.request), quote(reply.text));
        let header = self.status_header();
        let ReplyText { responder, call_name, call_id, .. } = reply;
        let asked = if is_fresh_boots(reply) { reply.call_name } else { reply.mention };
        in_lang!(
            self.0,
            "A reply to a tellask of course C{call_course}, carried over.\n\n\
                 You asked {asked}{session}:\n\n{request}\n\n@{responder} replied:\n\n{text}\n\n\
                 {header}\n- function: `{call_name}`\n- callId: {call_id}\n",
            "来自第 C{call_course} 程对话的诉请回复，延续至此。\n\n\
                 你曾诉请 {asked}{session}：\n\n{request}\n\n@{responder} 的回复：\n\n{text}\n\n\
                 {header}\n- 函数：`{call_name}`\n- callId: {call_id}\n"
        )
    }

    #[must_use]
    pub fn delivered(self, reply_tool: &str) -> String {
        in_lang!(
            self.0,
            "The reply was delivered with `{reply_tool}`.",
            "回复已通过 `{reply_tool}` 送达。"
        )
    }

    #[must_use]
    pub fn wrong_reply_tool(self, expected: &str) -> String {
        in_lang!(
            self.0,
            "Not delivered: the reply you owe is delivered with `{expected}`. Call that tool.",
            "未送达：你所欠的回复要用 `{expected}` 交付，请调用该工具。"
        )
    }

    #[must_use]
    pub fn no_obligation(self) -> String {
        Text::new("Not delivered: you owe no reply now.", "未送达：你现在不欠任何回复。")
            .in_lang(self.0)
            .to_owned()
    }

    #[must_use]
    pub fn stale_reply(self) -> String {
        Text::new(
            "Not delivered: the request was closed or replaced, nobody waits for this reply.",
            "未送达：该请求已关闭或被替换，没有人在等这个回复。",
        )
        .in_lang(self.0)
        .to_owned()
    }

    #[must_use]
    pub fn obligation(self, directive: &ReplyDirective) -> String {
        let (id, tool) = (&directive.target_call_id, &directive.expected_reply_call_name);
        let request = quote(&directive.tellask_content);
        in_lang!(
            self.0,
            "[Dominds active inter-dialog reply obligation]\n\
                 - replies to call: {id}\n- deliver with: `{tool}`\n\nThe request:\n\n{request}",
            "[Dominds 当前跨对话回复义务]\n\
                 - 回复的调用：{id}\n- 交付工具：`{tool}`\n\n请求：\n\n{request}"
        )
    }

    #[must_use]
    pub fn no_obligation_note(self) -> String {
        Text::new(
            "[Dominds no active inter-dialog reply]\n\
             You owe no reply now; do not call a reply tool.",
            "[Dominds 当前无跨对话回复义务]\n你现在不欠任何回复，不要调用回复工具。",
        )
        .in_lang(self.0)
        .to_owned()
    }
}

fn is_fresh_boots(reply: &ReplyText<'_>) -> bool {
    SpecialCall::of(reply.call_name) == Some(SpecialCall::Tellask(TellaskKind::FreshBoots))
}
