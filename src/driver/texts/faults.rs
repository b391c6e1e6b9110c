//! Why a special call was not carried out as it was written.

use super::Texts;

/// What is wrong with the arguments of a special call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// With what the parser says.
    NotJson(String),
    NotAnObject,
    NotAText(&'static str),
    Empty(&'static str),
    NoTarget,
    NotASlug,
    NotAnEffort,
}

impl Texts {
    #[must_use]
    pub fn invalid_call(self, name: &str, fault: &Fault) -> String {
        let reason = self.fault(fault);
        self.pick(
            format!(
                "Invalid arguments for `{name}`: {reason}. Correct the call and make it again."
            ),
            format!("`{name}` 的参数无效：{reason}。请改正后重新调用。"),
        )
    }

    fn fault(self, fault: &Fault) -> String {
        match fault {
            Fault::NotJson(error) => self.pick(
                format!("they must be valid JSON ({error})"),
                format!("参数必须是合法的 JSON（{error}）"),
            ),
            Fault::NotAnObject => {
                self.pick("they must be a JSON object", "参数必须是一个 JSON 对象").to_owned()
            }
            Fault::NotAText(key) => {
                self.pick(format!("`{key}` must be a text"), format!("`{key}` 必须是文本"))
            }
            Fault::Empty(key) => {
                self.pick(format!("`{key}` must not be empty"), format!("`{key}` 不能为空"))
            }
            Fault::NoTarget => self
                .pick("`targetAgentId` must name a teammate", "`targetAgentId` 必须是一位队友的 id")
                .to_owned(),
            Fault::NotASlug => self
                .pick(
                    "`sessionSlug` must be letters, digits, `-` and `_`, starting with a letter, in \
                     parts joined by single dots",
                    "`sessionSlug` 由字母、数字、`-` 和 `_` 组成，以字母开头，各段之间用单个点连接",
                )
                .to_owned(),
            Fault::NotAnEffort => self
                .pick("`effort` must be a whole number, 0 to 100", "`effort` 必须是 0 到 100 的整数")
                .to_owned(),
        }
    }

    /// In both languages: a model that asks twice may have lost the thread of the language too.
    #[must_use]
    pub fn one_question_a_round(self) -> String {
        "Only one question can be asked in a round, so none of them was asked. Merge them into one \
         `askHuman` call and make it again. (每轮只能向人提一个问题，请合并后重试。)"
            .to_owned()
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
