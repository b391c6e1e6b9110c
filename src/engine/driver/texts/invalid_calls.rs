//! Why a special call was not executed as written.

use crate::domain::asking::inquiry::InquiryFault;
use crate::domain::dialogs::call::{SpecialCall, TellaskKind};
use crate::domain::text::json::{MAX_NESTING, TooDeep};
use crate::domain::text::{Localized, Text, in_lang};

use super::Texts;

/// What is wrong with the arguments of a special call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ArgumentError {
    /// With the error of the parser.
    NotJson(String),
    TooDeep(TooDeep),
    NotAnObject,
    NotAText(&'static str),
    Empty(&'static str),
    NoTarget,
    NotASlug,
    NotAnEffort,
    /// Neither words nor parts.
    NothingAsked,
    /// Something in the parts of a question does not have their form.
    NotParts(Localized),
    /// The questions in the words of a model have no text.
    NoUsableQuestion,
    /// The parts of a question cannot be asked.
    Inquiry(InquiryFault),
    /// An argument that does not belong to the call.
    Misplaced {
        call: SpecialCall,
        key: String,
    },
}

/// Longest argument name that is quoted to the model.
const KEY_CHARS: usize = 40;

impl Texts {
    #[must_use]
    pub fn invalid_call(self, name: &str, fault: &ArgumentError) -> String {
        let reason = self.fault(fault);
        in_lang!(
            self.0,
            "Invalid arguments for `{name}`: {reason}. Correct the call and make it again.",
            "`{name}` 的参数无效：{reason}。请改正后重新调用。"
        )
    }

    pub(super) fn fault(self, fault: &ArgumentError) -> String {
        match fault {
            ArgumentError::NotJson(error) => in_lang!(
                self.0,
                "they must be valid JSON ({error})",
                "参数必须是合法的 JSON（{error}）"
            ),
            ArgumentError::TooDeep(at) => in_lang!(
                self.0,
                (
                    "they nest more than {MAX_NESTING} deep (line {}, column {}); make them flatter",
                    at.line,
                    at.column
                ),
                ("嵌套超过 {MAX_NESTING} 层（第 {} 行第 {} 列）；请减少层数", at.line, at.column)
            ),
            ArgumentError::NotAnObject => {
                Text::new("they must be a JSON object", "参数必须是一个 JSON 对象")
                    .in_lang(self.0)
                    .to_owned()
            }
            ArgumentError::NotAText(key) => {
                in_lang!(self.0, "`{key}` must be a text", "`{key}` 必须是文本")
            }
            ArgumentError::Empty(key) => {
                in_lang!(self.0, "`{key}` must not be empty", "`{key}` 不能为空")
            }
            ArgumentError::NoTarget => Text::new(
                "`targetAgentId` must name a teammate",
                "`targetAgentId` 必须是一位队友的 id",
            )
            .in_lang(self.0)
            .to_owned(),
            ArgumentError::NotASlug => Text::new(
                "`sessionSlug` must be letters, digits, `-` and `_`, starting with a letter, in \
                     parts joined by single dots",
                "`sessionSlug` 由字母、数字、`-` 和 `_` 组成，以字母开头，各段之间用单个点连接",
            )
            .in_lang(self.0)
            .to_owned(),
            ArgumentError::NotAnEffort => Text::new(
                "`effort` must be a whole number, 0 to 100",
                "`effort` 必须是 0 到 100 的整数",
            )
            .in_lang(self.0)
            .to_owned(),
            ArgumentError::NothingAsked => Text::new(
                "give the question in `tellaskContent`, or several in `questions`",
                "请在 `tellaskContent` 中写问题，或在 `questions` 中写多个问题",
            )
            .in_lang(self.0)
            .to_owned(),
            ArgumentError::NotParts(mismatch) => {
                let mismatch = mismatch.in_lang(self.0);
                in_lang!(
                    self.0,
                    "{mismatch} A question has `text`, and perhaps `id`, `createdAt`, `options` and `recommended`; \
                     an option has `label`, and perhaps `key`, `pros` and `cons`",
                    "{mismatch} 一个问题有 `text`，以及可选的 `id`、`createdAt`、`options` 和 `recommended`；\
                     一个选项有 `label`，以及可选的 `key`、`pros` 和 `cons`"
                )
            }
            ArgumentError::NoUsableQuestion => {
                Text::new("no item of the list has a `text`", "列表中没有一项有 `text`")
                    .in_lang(self.0)
                    .to_owned()
            }
            ArgumentError::Inquiry(fault) => fault.text(self.0),
            ArgumentError::Misplaced { call, key } => {
                let shown: String = key.chars().take(KEY_CHARS).collect();
                let (name, advice) = (call.name(), self.misplaced(*call, key));
                in_lang!(
                    self.0,
                    "`{shown}` does not belong to `{name}`: {advice}",
                    "`{shown}` 不是 `{name}` 的参数：{advice}"
                )
            }
        }
    }

    /// Advice: what to call instead, or what to leave out.
    fn misplaced(self, call: SpecialCall, key: &str) -> &'static str {
        match call {
            SpecialCall::Tellask(kind) => self.misplaced_in_tellask(kind, key),
            SpecialCall::AskHuman if is_of_teammates(key) => Text::new(
                "the question goes to the human; to ask a teammate, call `tellask` or \
                 `tellaskSessionless`",
                "问题是问人的；要问队友，请调用 `tellask` 或 `tellaskSessionless`",
            )
            .in_lang(self.0),
            SpecialCall::AskHuman => Text::new(
                "it takes `tellaskContent` and `questions`",
                "它的参数是 `tellaskContent` 和 `questions`",
            )
            .in_lang(self.0),
            SpecialCall::AnswerHuman => {
                Text::new("it takes `answerContent` alone", "它只有 `answerContent` 一个参数")
                    .in_lang(self.0)
            }
            SpecialCall::Reply(_) => Text::new(
                "a reply goes to whoever asked; it takes `replyContent` alone",
                "回复总是交给提出诉请的一方；它只有 `replyContent` 一个参数",
            )
            .in_lang(self.0),
        }
    }

    fn misplaced_in_tellask(self, kind: TellaskKind, key: &str) -> &'static str {
        match (kind, key) {
            (TellaskKind::Session | TellaskKind::Sessionless, "mentionList") => Text::new("name one teammate in `targetAgentId`, and make one call for each", "在 `targetAgentId` 中写一位队友，每位队友各调用一次").in_lang(self.0),
            (TellaskKind::Sessionless, "sessionSlug") => Text::new("to ask in a session, call `tellask` with it; to ask once, leave it out", "要在会话中诉请，请带上它调用 `tellask`；只诉请一次则去掉它").in_lang(self.0),
            (TellaskKind::Session | TellaskKind::Sessionless, "effort") => Text::new("it is for `freshBootsReasoning` alone: leave it out", "它只用于 `freshBootsReasoning`：请去掉").in_lang(self.0),
            (TellaskKind::Session, _) => Text::new("it takes `targetAgentId`, `sessionSlug` and `tellaskContent`", "它的参数是 `targetAgentId`、`sessionSlug` 和 `tellaskContent`").in_lang(self.0),
            (TellaskKind::Sessionless, _) => Text::new("it takes `targetAgentId` and `tellaskContent`", "它的参数是 `targetAgentId` 和 `tellaskContent`").in_lang(self.0),
            (TellaskKind::Back, key) if is_of_teammates(key) => Text::new("it goes to the tellasker who gave you this work, leave it out; to ask a teammate in \
                 a session, call `tellask`, to ask one once, `tellaskSessionless`", "它总是回问交给你这项工作的诉请者，请去掉；要在会话中请队友做事，请调用 `tellask`，\
                 只请一次用 `tellaskSessionless`").in_lang(self.0),
            (TellaskKind::FreshBoots, key) if is_of_teammates(key) => Text::new("it goes to yourself and begins anew each time, leave it out; to ask a teammate in a \
                 session, call `tellask`, to ask one once, `tellaskSessionless`", "它总是由你自己从头思考，请去掉；要在会话中请队友做事，请调用 `tellask`，\
                 只请一次用 `tellaskSessionless`").in_lang(self.0),
            (TellaskKind::Back, _) => {
                Text::new("it takes `tellaskContent` alone", "它只有 `tellaskContent` 一个参数").in_lang(self.0)
            }
            (TellaskKind::FreshBoots, _) => Text::new("it takes `tellaskContent` and perhaps `effort`", "它的参数是 `tellaskContent`，以及可选的 `effort`").in_lang(self.0),
        }
    }

    /// In both languages: a model that asks twice may have lost track of the language too.
    #[must_use]
    pub fn one_question_a_round() -> String {
        "Only one `askHuman` call can be made in a round, so none of them was made. Put all questions into \
         `questions` of one call and make it again. (每轮只能调用一次 `askHuman`，请把所有问题放进一次调用的 \
         `questions` 后重试。)"
            .to_owned()
    }

    /// The result of a call beyond the limit of one round.
    #[must_use]
    pub fn too_many_calls(self, most: usize) -> String {
        in_lang!(
            self.0,
            "Not done: a round holds at most {most} calls, and this one came after them. Make it \
                 again if you still need it.",
            "未执行：一轮最多 {most} 个调用，这一个超出了。若仍需要，请再次调用。"
        )
    }

    #[must_use]
    pub fn question_already_open(self) -> String {
        Text::new(
            "Not asked: an earlier question of this dialog still waits for the human.",
            "没有提问：本对话之前的一个问题还在等人回答。",
        )
        .in_lang(self.0)
        .to_owned()
    }
}

/// True for arguments that name the teammate or the session.
fn is_of_teammates(key: &str) -> bool {
    matches!(key, "sessionSlug" | "mentionList" | "targetAgentId" | "agentId" | "target")
}
