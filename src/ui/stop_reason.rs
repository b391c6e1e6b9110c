//! Why a dialog stopped, in the language of the screen. English is the domain's sentence, as on the
//! command line; a stop may carry its own text in other languages.

use std::borrow::Cow;

use crate::domain::Lang;
use crate::domain::latest::StopReason;

/// One sentence for the user.
#[must_use]
pub fn sentence(reason: &StopReason, lang: Lang) -> Cow<'_, str> {
    match lang {
        Lang::En => reason.sentence().into(),
        Lang::Zh => chinese(reason),
    }
}

fn chinese(reason: &StopReason) -> Cow<'_, str> {
    let translated = reason.text_in(Lang::Zh);
    match reason {
        StopReason::UserStop => "由你停止".into(),
        StopReason::EmergencyStop => "由你停止，连同其他所有对话".into(),
        StopReason::ServerRestart => "它工作时程序结束了".into(),
        StopReason::PendingCourseStart => "新的课程即将开始".into(),
        StopReason::ForkContinueReady => "分支，可以继续".into(),
        StopReason::SystemStop { detail, .. } => translated.unwrap_or(detail).into(),
        // The provider's own text is not translated.
        StopReason::LlmRetryStopped { error, .. } => match translated {
            Some(translated) => format!("{translated}（{error}）").into(),
            None => error.into(),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_stop_reason_is_shown_in_the_language_of_the_screen() {
        let is_chinese = |text: &str| text.chars().any(|c| ('\u{4e00}'..'\u{9fff}').contains(&c));
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
            StopReason::system_in("full".to_owned(), "已满"),
            retry.clone(),
        ] {
            assert!(is_chinese(&sentence(&reason, Lang::Zh)), "{reason:?}");
            assert_eq!(sentence(&reason, Lang::En), reason.sentence());
        }
        assert_eq!(sentence(&retry, Lang::Zh), "模型没有回应（status 500）");
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
            assert_eq!(sentence(&reason, Lang::Zh), expected);
        }
    }
}
