//! Why a special call was not executed as written.

use crate::domain::call::{SpecialCall, TellaskKind};
use crate::domain::json::{MAX_NESTING, TooDeep};

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
        self.pick(
            format!(
                "Invalid arguments for `{name}`: {reason}. Correct the call and make it again."
            ),
            format!("`{name}` 的参数无效：{reason}。请改正后重新调用。"),
        )
    }

    fn fault(self, fault: &ArgumentError) -> String {
        match fault {
            ArgumentError::NotJson(error) => self.pick(
                format!("they must be valid JSON ({error})"),
                format!("参数必须是合法的 JSON（{error}）"),
            ),
            ArgumentError::TooDeep(at) => self.pick(
                format!(
                    "they nest more than {MAX_NESTING} deep (line {}, column {}); make them flatter",
                    at.line, at.column
                ),
                format!(
                    "嵌套超过 {MAX_NESTING} 层（第 {} 行第 {} 列）；请减少层数",
                    at.line, at.column
                ),
            ),
            ArgumentError::NotAnObject => {
                self.pick("they must be a JSON object", "参数必须是一个 JSON 对象").to_owned()
            }
            ArgumentError::NotAText(key) => {
                self.pick(format!("`{key}` must be a text"), format!("`{key}` 必须是文本"))
            }
            ArgumentError::Empty(key) => {
                self.pick(format!("`{key}` must not be empty"), format!("`{key}` 不能为空"))
            }
            ArgumentError::NoTarget => self
                .pick("`targetAgentId` must name a teammate", "`targetAgentId` 必须是一位队友的 id")
                .to_owned(),
            ArgumentError::NotASlug => self
                .pick(
                    "`sessionSlug` must be letters, digits, `-` and `_`, starting with a letter, in \
                     parts joined by single dots",
                    "`sessionSlug` 由字母、数字、`-` 和 `_` 组成，以字母开头，各段之间用单个点连接",
                )
                .to_owned(),
            ArgumentError::NotAnEffort => self
                .pick("`effort` must be a whole number, 0 to 100", "`effort` 必须是 0 到 100 的整数")
                .to_owned(),
            ArgumentError::Misplaced { call, key } => {
                let shown: String = key.chars().take(KEY_CHARS).collect();
                let (name, advice) = (call.name(), self.misplaced(*call, key));
                self.pick(
                    format!("`{shown}` does not belong to `{name}`: {advice}"),
                    format!("`{shown}` 不是 `{name}` 的参数：{advice}"),
                )
            }
        }
    }

    /// Advice: what to call instead, or what to leave out.
    fn misplaced(self, call: SpecialCall, key: &str) -> &'static str {
        match call {
            SpecialCall::Tellask(kind) => self.misplaced_in_tellask(kind, key),
            SpecialCall::AskHuman if is_of_teammates(key) => self.pick(
                "the question goes to the human; to ask a teammate, call `tellask` or \
                 `tellaskSessionless`",
                "问题是问人的；要问队友，请调用 `tellask` 或 `tellaskSessionless`",
            ),
            SpecialCall::AskHuman => {
                self.pick("it takes `tellaskContent` alone", "它只有 `tellaskContent` 一个参数")
            }
            SpecialCall::Reply(_) => self.pick(
                "a reply goes to whoever asked; it takes `replyContent` alone",
                "回复总是交给提出诉请的一方；它只有 `replyContent` 一个参数",
            ),
        }
    }

    fn misplaced_in_tellask(self, kind: TellaskKind, key: &str) -> &'static str {
        match (kind, key) {
            (TellaskKind::Session | TellaskKind::Sessionless, "mentionList") => self.pick(
                "name one teammate in `targetAgentId`, and make one call for each",
                "在 `targetAgentId` 中写一位队友，每位队友各调用一次",
            ),
            (TellaskKind::Sessionless, "sessionSlug") => self.pick(
                "to ask in a session, call `tellask` with it; to ask once, leave it out",
                "要在会话中诉请，请带上它调用 `tellask`；只诉请一次则去掉它",
            ),
            (TellaskKind::Session | TellaskKind::Sessionless, "effort") => self.pick(
                "it is for `freshBootsReasoning` alone: leave it out",
                "它只用于 `freshBootsReasoning`：请去掉",
            ),
            (TellaskKind::Session, _) => self.pick(
                "it takes `targetAgentId`, `sessionSlug` and `tellaskContent`",
                "它的参数是 `targetAgentId`、`sessionSlug` 和 `tellaskContent`",
            ),
            (TellaskKind::Sessionless, _) => self.pick(
                "it takes `targetAgentId` and `tellaskContent`",
                "它的参数是 `targetAgentId` 和 `tellaskContent`",
            ),
            (TellaskKind::Back, key) if is_of_teammates(key) => self.pick(
                "it goes to the tellasker who gave you this work, leave it out; to ask a teammate in \
                 a session, call `tellask`, to ask one once, `tellaskSessionless`",
                "它总是回问交给你这项工作的诉请者，请去掉；要在会话中请队友做事，请调用 `tellask`，\
                 只请一次用 `tellaskSessionless`",
            ),
            (TellaskKind::FreshBoots, key) if is_of_teammates(key) => self.pick(
                "it goes to yourself and begins anew each time, leave it out; to ask a teammate in a \
                 session, call `tellask`, to ask one once, `tellaskSessionless`",
                "它总是由你自己从头思考，请去掉；要在会话中请队友做事，请调用 `tellask`，\
                 只请一次用 `tellaskSessionless`",
            ),
            (TellaskKind::Back, _) => {
                self.pick("it takes `tellaskContent` alone", "它只有 `tellaskContent` 一个参数")
            }
            (TellaskKind::FreshBoots, _) => self.pick(
                "it takes `tellaskContent` and perhaps `effort`",
                "它的参数是 `tellaskContent`，以及可选的 `effort`",
            ),
        }
    }

    /// In both languages: a model that asks twice may have lost track of the language too.
    #[must_use]
    pub fn one_question_a_round() -> String {
        "Only one question can be asked in a round, so none of them was asked. Merge them into one \
         `askHuman` call and make it again. (每轮只能向人提一个问题，请合并后重试。)"
            .to_owned()
    }

    /// The result of a call beyond the limit of one round.
    #[must_use]
    pub fn too_many_calls(self, most: usize) -> String {
        self.pick(
            format!(
                "Not done: a round holds at most {most} calls, and this one came after them. Make it \
                 again if you still need it."
            ),
            format!("未执行：一轮最多 {most} 个调用，这一个超出了。若仍需要，请再次调用。"),
        )
    }

    #[must_use]
    pub fn question_already_open(self) -> String {
        self.pick(
            "Not asked: an earlier question of this dialog still waits for the human.",
            "没有提问：本对话之前的一个问题还在等人回答。",
        )
        .to_owned()
    }
}

/// True for arguments that name the teammate or the session.
fn is_of_teammates(key: &str) -> bool {
    matches!(key, "sessionSlug" | "mentionList" | "targetAgentId" | "agentId" | "target")
}
