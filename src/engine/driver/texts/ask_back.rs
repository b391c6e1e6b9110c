//! Texts about questions asked back, and about interjections of the user.

use crate::domain::text::{Text, in_lang};
use crate::domain::{AgentId, Assignment, ReplyDirective, ReplyKind};

use super::{Texts, quote};

impl Texts {
    /// The prompt that gives an asker the question of its side dialog.
    #[must_use]
    pub fn ask_back(
        self,
        from: &AgentId,
        assignment: &Assignment,
        question: &ReplyDirective,
    ) -> String {
        let to = &assignment.origin_member_id;
        let tool = &question.expected_reply_call_name;
        let (request, asked) =
            (quote(&assignment.tellask_content), quote(&question.tellask_content));
        in_lang!(
            self.0,
            "[Dominds active reply tool]\n\
                 Answer with `{tool}`; no other reply tool fits.\n\n\
                 @{from} sent 【TellaskBack】 to @{to}. Your request to @{from} was:\n\n{request}\n\n\
                 Before going on, @{from} asks you:\n\n{asked}\n\n\
                 Answer just this. Your own work goes on when the reply to your request is there.\n",
            "[Dominds 当前回复工具]\n\
                 请用 `{tool}` 回答，其他回复工具都不适用。\n\n\
                 @{from} 向 @{to} 发出【回问诉请】。你交给 @{from} 的诉请是：\n\n{request}\n\n\
                 @{from} 需要先问清：\n\n{asked}\n\n\
                 只需回答这一点；等诉请的回复到达后，你自己的工作再继续。\n"
        )
    }

    #[must_use]
    pub fn nobody_to_ask_back(self) -> String {
        Text::new(
            "Failed: the dialog that gave you this work is gone; nobody can be asked back.",
            "失败：交给你这项工作的对话已不在，无人可回问。",
        )
        .in_lang(self.0)
        .to_owned()
    }

    /// Precedes a message of the user if a reply is owed.
    #[must_use]
    pub fn answer_the_person_first(self) -> String {
        Text::new("[Dominds handle this interjection first]\n\
             A person speaks to you. Answer them, and leave the reply you owe for later: you will be \
             told when to take it up again.", "[Dominds 先接住这轮]\n\
             有人在对你说话。请先回应他；你欠着的回复暂且放下，需要继续时会再提醒你。").in_lang(self.0)
        .to_owned()
    }

    /// Precedes a message of a person to a main dialog that waits for replies, in trees of Dominds 1.29.
    #[must_use]
    pub fn answer_the_person_while_waiting(self) -> String {
        Text::new(
            "[Dominds handle this interjection first]\n\
             A person speaks to you while you wait for replies. Answer them; the replies come to you later.",
            "[Dominds 先接住这轮]\n\
             你在等待回复时，有人在对你说话。请先回应他；回复到达后会交给你。",
        )
        .in_lang(self.0)
        .to_owned()
    }

    /// Resumes the work on an owed reply. A question asked back is quoted, since there may be several.
    #[must_use]
    pub fn back_to_the_task(self, owed: &ReplyDirective) -> String {
        let tool = &owed.expected_reply_call_name;
        let back = in_lang!(
            self.0,
            "[Dominds long-line reminder]\n\
                 The talk with the person is over for now. Take up your earlier task again; it is still \
                 to be answered, with `{tool}`",
            "[Dominds 长线提醒]\n\
                 与用户的插话先到这里。请继续原来的任务；它仍等着你用 `{tool}` 回复"
        );
        if tool == ReplyKind::Back.name() {
            format!(
                "{back}{}\n\n{}",
                Text::new(":", "：").in_lang(self.0),
                quote(&owed.tellask_content)
            )
        } else {
            format!("{back}{}", Text::new(".", "。").in_lang(self.0))
        }
    }

    /// For a dialog that ended without the reply it owes.
    #[must_use]
    pub fn still_owed(self, owed: &ReplyDirective) -> String {
        let (tool, request) = (&owed.expected_reply_call_name, quote(&owed.tellask_content));
        in_lang!(
            self.0,
            "[Dominds long-line reminder]\n\
                 You ended without the reply you owe, and nothing you asked for is still to come. \
                 Answer now, with `{tool}`:\n\n{request}",
            "[Dominds 长线提醒]\n\
                 你已停下，但所欠的回复还没有给出，也没有别的回复要等。请现在用 `{tool}` 回复：\n\n{request}"
        )
    }
}
