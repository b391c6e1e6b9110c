//! `notify_human`: a member tells a person something and goes on. It is offered where `.minds/hive/hive.yaml` is, and belongs
//! to no toolset.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::args::not_run;
use super::outcome::ToolOutcome;
use super::tool::{Tool, ToolCx};
use super::typed;
use crate::domain::teams::notices::{MAX_BODY_CHARS, NewNotice, NewsLevel};
use crate::domain::text::{Text, in_lang};

pub(super) const NAME: &str = "notify_human";

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct NotifyHumanArgs {
    text: String,
    level: Option<NewsLevel>,
    title: Option<String>,
}

/// The tool.
pub(crate) fn tool() -> Arc<dyn Tool> {
    typed::asynchronous(
        NAME,
        |lang| Text::of_document(include_str!("notify_human.md")).in_lang(lang),
        run,
    )
}

async fn run(cx: ToolCx, args: NotifyHumanArgs) -> ToolOutcome {
    let lang = cx.lang;
    let NotifyHumanArgs { text, level, title } = args;
    let (text, title) = (cx.keys.redacted(text), title.map(|title| cx.keys.redacted(title)));
    let from = (cx.caller, cx.dialog, cx.call);
    let notice = NewNotice::of(from, level.unwrap_or_default(), (title.as_deref(), &text));
    let Some(notice) = notice else {
        let empty = Text::new("`text` is empty.", "`text` 为空。");
        return ToolOutcome::failed(not_run(NAME, empty.in_lang(lang), lang));
    };
    let cut = notice.cut;
    match cx.news.add(notice).await {
        Ok(id) if cut => {
            let said = in_lang!(
                lang,
                "Only the first {MAX_BODY_CHARS} characters are kept.",
                "只保留了前 {MAX_BODY_CHARS} 个字符。"
            );
            ToolOutcome::done(format!("{}\n{said}", json!({ "notice": id })))
        }
        Ok(id) => ToolOutcome::done(json!({ "notice": id }).to_string()),
        Err(reason) => {
            let reason = format!("{}.", reason.in_lang(lang));
            ToolOutcome::failed(not_run(NAME, &reason, lang))
        }
    }
}

#[cfg(test)]
mod tests;
