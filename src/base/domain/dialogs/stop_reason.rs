//! Why a dialog stopped, on disk and for people. A stop of the system keeps its text in both languages.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::domain::lang::Lang;
use crate::domain::text::{Localized, Text, localized};

/// The detail of the stop that follows a person's words to a dialog with other work to do.
const PAUSED: &str = "user_interjection_pause_resume_original_task";

/// Why a dialog stopped. All of these can be continued by a person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum StopReason {
    UserStop,
    EmergencyStop,
    ServerRestart,
    /// A prompt of the runtime waits, mostly the first one of a new course.
    PendingCourseStart,
    ForkContinueReady,
    #[serde(rename_all = "camelCase")]
    SystemStop {
        detail: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        i18n_stop_reason: Option<Value>,
    },
    #[serde(rename_all = "camelCase")]
    LlmRetryStopped {
        error: String,
        display: Value,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        recovery_action: Option<Value>,
    },
}

impl StopReason {
    /// A stop with this text.
    #[must_use]
    pub fn system(text: impl Into<Localized>) -> Self {
        let text = text.into();
        let [en, zh] = [Lang::En, Lang::Zh].map(|lang| text.in_lang(lang));
        let texts = if en == zh {
            serde_json::json!({ "en": en })
        } else {
            serde_json::json!({ "en": en, "zh": zh })
        };
        Self::SystemStop { detail: en.to_owned(), i18n_stop_reason: Some(texts) }
    }

    /// A person was answered; the dialog's own work waits for `Continue`.
    #[must_use]
    pub fn paused() -> Self {
        Self::SystemStop {
            detail: PAUSED.to_owned(),
            i18n_stop_reason: Some(serde_json::json!({
                "en": "you were answered; its own task waits: continue it, or go on talking",
                "zh": "已回应你的插话；原任务暂停中：可继续原任务，也可接着对话",
            })),
        }
    }

    /// It ended again and again without the reply it owes.
    #[must_use]
    pub fn without_reply() -> Self {
        Self::system(Text::new(
            "it ended without the reply it owes, also when it was told so: continue it, or tell it what \
             is missing",
            "它没有给出所欠的回复，提醒后也没有：可继续，或告诉它缺什么",
        ))
    }

    /// It began course after course, and cleared its mind at once in each.
    #[must_use]
    pub fn in_circles() -> Self {
        Self::system(Text::new(
            "it cleared its mind at the beginning of course after course and did nothing else: continue it, or tell it \
             what to do",
            "它在每个新课程开头就清空思路，没有做别的事：可继续，或告诉它该做什么",
        ))
    }

    /// It made the same call again and again, with the same result, also when it was told so.
    #[must_use]
    pub fn repeats_itself(tool: &str) -> Self {
        Self::system(localized!(
            "it called {tool} again and again with the same arguments and the same result, also when it was told so: \
             continue it, or tell it what to do",
            "它以相同的参数反复调用 {tool}，结果也相同，提醒后仍然如此：可继续，或告诉它该做什么"
        ))
    }

    /// Nobody waits for what it does: the dialog it works for, or one above that, is dead.
    #[must_use]
    pub fn asker_is_dead() -> Self {
        Self::system(Text::new(
            "the dialog it works for is dead: nobody waits for its reply",
            "它为之工作的对话已死亡：没有人等它的回复",
        ))
    }

    /// The store of the teams cannot be reached, so that others may soon be given its work: it goes on by itself when
    /// the store is there again.
    #[must_use]
    pub fn store_is_away() -> Self {
        Self::system(Text::new(
            "the store cannot be reached: it goes on by itself when it can be reached again",
            "无法连接存储：恢复连接后它会自动继续",
        ))
    }

    /// True if only this program kept it from going on, which takes it up again without a person.
    #[must_use]
    pub fn is_of_the_program(&self) -> bool {
        matches!(self, Self::ServerRestart | Self::PendingCourseStart)
            || *self == Self::store_is_away()
    }

    #[must_use]
    pub fn is_pause(&self) -> bool {
        matches!(self, Self::SystemStop { detail, .. } if detail == PAUSED)
    }

    /// True if the dialog stopped because something went wrong with it. A dead asker was a person's decision; a store
    /// that is away is no failure of the dialog.
    #[must_use]
    pub fn is_failure(&self) -> bool {
        let failed = matches!(self, Self::SystemStop { .. } | Self::LlmRetryStopped { .. });
        failed && !self.is_pause() && ![Self::asker_is_dead(), Self::store_is_away()].contains(self)
    }

    /// One sentence for a person. A text of another writer without a translation is the same in both
    /// languages.
    #[must_use]
    pub fn message(&self) -> Localized {
        match self {
            Self::UserStop => Text::new("stopped by you", "由你停止").into(),
            Self::EmergencyStop => {
                Text::new("stopped by you, with all others", "由你停止，连同其他所有对话").into()
            }
            Self::ServerRestart => {
                Text::new("the program ended while it worked", "它工作时程序结束了").into()
            }
            Self::PendingCourseStart => {
                Text::new("a prompt of the runtime waits", "运行时的一条提示在等待").into()
            }
            Self::ForkContinueReady => {
                Text::new("a fork, ready to continue", "分支，可以继续").into()
            }
            Self::SystemStop { detail, i18n_stop_reason } => {
                let chinese = i18n_stop_reason.as_ref().and_then(|texts| chinese(texts));
                let english = if self.is_pause() { PAUSED_SENTENCE } else { detail };
                Localized::new(english, chinese.unwrap_or(detail))
            }
            // The provider's own text is not translated.
            Self::LlmRetryStopped { error, display, .. } => {
                match display.get("summaryTextI18n").and_then(chinese) {
                    Some(chinese) => localized!("{error}", "{chinese}（{error}）"),
                    None => Localized::same(error),
                }
            }
        }
    }
}

const PAUSED_SENTENCE: &str = "you were answered; its own task waits for Continue";

/// The Chinese text of a stop that carries its own texts.
fn chinese(texts: &Value) -> Option<&str> {
    let text = texts.get(Lang::Zh.code())?.as_str()?.trim();
    (!text.is_empty()).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::assert_translated;

    #[test]
    fn every_stop_reason_is_shown_in_the_language_of_the_reader() {
        let display =
            serde_json::json!({ "summaryTextI18n": { "en": "no", "zh": "模型没有回应" } });
        let retry = StopReason::LlmRetryStopped {
            error: "status 500".to_owned(),
            display,
            recovery_action: None,
        };
        for reason in [
            StopReason::UserStop,
            StopReason::EmergencyStop,
            StopReason::ServerRestart,
            StopReason::PendingCourseStart,
            StopReason::ForkContinueReady,
            StopReason::paused(),
            StopReason::without_reply(),
            StopReason::asker_is_dead(),
            StopReason::store_is_away(),
            StopReason::system(Text::new("full", "已满")),
            retry.clone(),
        ] {
            assert_translated(&reason.message());
        }
        assert_eq!(retry.message(), Localized::new("status 500", "模型没有回应（status 500）"));
    }

    #[test]
    fn a_stop_reason_without_a_translation_is_shown_unchanged() {
        for (texts, expected) in [
            (None, "no key"),
            (Some(serde_json::json!({ "en": "no key" })), "no key"),
            (Some(serde_json::json!({ "zh": " " })), "no key"),
            (Some(serde_json::json!({ "zh": 1 })), "no key"),
            (Some(serde_json::json!("x")), "no key"),
            (Some(serde_json::json!({ "zh": "没有密钥" })), "没有密钥"),
        ] {
            let reason =
                StopReason::SystemStop { detail: "no key".to_owned(), i18n_stop_reason: texts };
            assert_eq!(reason.message(), Localized::new("no key", expected));
        }
    }

    #[test]
    fn a_stop_keeps_its_text_on_disk_in_both_languages_and_one_that_is_the_same_only_once() {
        for (text, expected) in [
            (Localized::new("full", "已满"), serde_json::json!({ "en": "full", "zh": "已满" })),
            (Localized::same("status 500"), serde_json::json!({ "en": "status 500" })),
        ] {
            let detail = text.to_string();
            let i18n_stop_reason = Some(expected);
            assert_eq!(
                StopReason::system(text),
                StopReason::SystemStop { detail, i18n_stop_reason }
            );
        }
    }
}
