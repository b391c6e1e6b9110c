//! Descriptions of the special calls and their arguments.

use crate::domain::dialogs::call::{ReplyKind, SpecialCall, TellaskKind};
use crate::domain::dialogs::fresh_boots::CONCLUSION_TOOLS;
use crate::domain::text::Text;

use super::Texts;

/// An argument of a special call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallArgument {
    Target,
    Slug,
    Request,
    Question,
    /// What is asked in words.
    QuestionWords,
    /// The parts of a question.
    QuestionParts,
    /// Whether it only asks for consent.
    Confirm,
    Thought,
    Effort,
    Reply,
    /// What a person is told.
    Told,
    Conclusion,
}

impl Texts {
    #[must_use]
    pub fn special_call(self, call: SpecialCall) -> &'static str {
        match call {
            SpecialCall::Tellask(kind) => self.tellask_kind(kind),
            SpecialCall::AskHuman => Text::new(
                "Ask the human. Only one call a round, with all your questions; you go on when the answer \
                 is there.",
                "向人提问。每轮只能调用一次，请一次问完；得到回答后你再继续。",
            )
            .in_lang(self.0),
            SpecialCall::AnswerHuman => Text::new(
                "Tell the human an answer or how things stand. Nobody answers it, and you do not wait: end your \
                 turn, or go on with other calls. To ask something, call `askHuman`.",
                "把答复或进展告诉人。没有人会回答，你也不必等待：可以就此结束，或继续其他调用。要提问请调用 `askHuman`。",
            )
            .in_lang(self.0),
            SpecialCall::Reply(ReplyKind::Session | ReplyKind::Sessionless) => Text::new(
                "Deliver the reply you owe. Use the tool your assignment names.",
                "交付你所欠的回复。请使用任务指明的那个工具。",
            )
            .in_lang(self.0),
            SpecialCall::Reply(ReplyKind::Back) => Text::new(
                "Answer a teammate who works for you and asked you back.",
                "回答为你工作、并向你回问的队友。",
            )
            .in_lang(self.0),
        }
    }

    fn tellask_kind(self, kind: TellaskKind) -> &'static str {
        match kind {
            TellaskKind::Back => Text::new("Ask the tellasker who gave you this work, when its request cannot be answered \
                 without them: what is meant, which of two ways, what is missing. Not for your \
                 result.", "请求离开诉请者就无法回答时，向交给你这项工作的诉请者回问：是什么意思、两条路选哪条、\
                 还缺什么。不要用它交付结果。").in_lang(self.0),
            TellaskKind::Session => Text::new("Ask a teammate in a session that can be asked again under the same slug. You go on \
                 when the reply is there.", "在一个会话中请队友做事，之后可用相同的 slug 再次诉请。得到回复后你再继续。").in_lang(self.0),
            TellaskKind::Sessionless => Text::new("Ask a teammate once. You go on when the reply is there. A second call does not update \
                 the first: it asks anew, and both are worked on. A request that may change belongs \
                 into a session, with `tellask`.", "请队友做一次事。得到回复后你再继续。再次调用不会更新前一次请求，而是另外发起一次，\
                 两次都会被执行。可能变动的请求请用 `tellask` 放在会话中。").in_lang(self.0),
            TellaskKind::FreshBoots => Text::new("Put one question to yourself, to think about it anew: without tools, without this \
                 dialog's history. You go on when the conclusion is there.", "向自己提一个问题并重新思考：没有工具，也看不到本对话的历史。得到结论后你再继续。").in_lang(self.0),
        }
    }

    #[must_use]
    pub fn argument(self, argument: CallArgument) -> &'static str {
        match argument {
            CallArgument::Target => {
                Text::new("id of the teammate, without @", "队友的 id，不带 @").in_lang(self.0)
            }
            CallArgument::Slug => Text::new(
                "short name of the session: letters, digits, - and _",
                "会话的短名：字母、数字、- 和 _",
            )
            .in_lang(self.0),
            CallArgument::Request => Text::new(
                "the whole request, with all the teammate needs to know",
                "完整的请求，包含队友需要知道的一切",
            )
            .in_lang(self.0),
            CallArgument::Question => Text::new(
                "the question, with what is needed to answer it",
                "问题，以及回答它所需的信息",
            )
            .in_lang(self.0),
            CallArgument::QuestionWords => Text::new(
                "one question, with what is needed to answer it; or what is said before `questions`",
                "一个问题，以及回答它所需的信息；或 `questions` 之前要说的话",
            )
            .in_lang(self.0),
            CallArgument::QuestionParts => Text::new(
                "several questions, or one with options: each is answered on its own. `options` are the ways to \
                 answer (`label`, what speaks for it in `pros`, against it in `cons`), `recommended` is the key of \
                 the one you would take (`a`, `b`, … if you give none)",
                "多个问题，或一个带选项的问题：每个单独回答。`options` 是可选的答案（`label`，优点写在 `pros`，\
                 缺点写在 `cons`），`recommended` 是你会选的那个的 key（不写 key 时依次为 `a`、`b`……）",
            )
            .in_lang(self.0),
            CallArgument::Confirm => Text::new(
                "true if you only ask whether you may go on as you mean to; that can be asked once for a piece of work",
                "只是询问可否按你的打算继续时为 true；一项工作只能这样问一次",
            )
            .in_lang(self.0),
            CallArgument::Thought => Text::new(
                "the question, with its goal and every fact it needs",
                "问题，包括目标和所需的全部事实",
            )
            .in_lang(self.0),
            CallArgument::Effort => Text::new(
                "rounds per phase; your usual number if absent, 0 switches it off",
                "每个阶段的轮数；省略时用你的默认值，0 表示关闭",
            )
            .in_lang(self.0),
            CallArgument::Told => {
                Text::new("what the human is to read", "要让人读到的内容").in_lang(self.0)
            }
            CallArgument::Reply => Text::new("the full reply", "完整的回复").in_lang(self.0),
            CallArgument::Conclusion => {
                Text::new("what the asking dialog will read", "提问的对话将读到的内容")
                    .in_lang(self.0)
            }
        }
    }

    /// The two calls that end fresh-boots reasoning, by name and purpose.
    #[must_use]
    pub fn conclusions(self) -> [(&'static str, &'static str); 2] {
        let [conclusion, unreasonable] = CONCLUSION_TOOLS;
        [
            (
                conclusion,
                Text::new("Ends the reasoning with its stable result, without the noise.", "以稳定的结果结束推理，去掉噪声。").in_lang(self.0),
            ),
            (
                unreasonable,
                Text::new("Ends the reasoning where no responsible conclusion is possible, with the reason.", "在无法负责任地下结论时结束推理，并说明原因。").in_lang(self.0),
            ),
        ]
    }
}
