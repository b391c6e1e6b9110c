//! `env_get`, `env_set`, `env_unset`: a few variables that members may read, and set for the commands
//! of this run of the program.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;

use super::environment::is_settable;
use crate::domain::Lang;
use crate::domain::safety::secrets::looks_secret;
use crate::domain::text::{Text, in_lang};
use crate::tools::outcome::ToolOutcome;
use crate::tools::tool::{Tool, ToolCx};
use crate::tools::typed;

/// Names shown back are cut to this many characters.
const NAME_CHARS: usize = 80;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct EnvGetArgs {
    key: String,
    reveal: Option<bool>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct EnvSetArgs {
    key: String,
    value: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct EnvUnsetArgs {
    key: String,
}

pub(super) fn tools() -> Vec<Arc<dyn Tool>> {
    let get_text = |lang| Text::of_document(include_str!("env_get.md")).in_lang(lang);
    let set_text = |lang| Text::of_document(include_str!("env_set.md")).in_lang(lang);
    let unset_text = |lang| Text::of_document(include_str!("env_unset.md")).in_lang(lang);
    vec![
        typed::instant(typed::reads("env_get"), get_text, env_get),
        typed::instant("env_set", set_text, env_set),
        typed::instant("env_unset", unset_text, env_unset),
    ]
}

fn env_get(cx: &ToolCx, args: &EnvGetArgs) -> ToolOutcome {
    let key = match settable(&args.key, cx.lang) {
        Ok(key) => key,
        Err(refused) => return refused,
    };
    let reveal = args.reveal.unwrap_or_default();
    ToolOutcome::done(match cx.shells.variable(key) {
        None => "(unset)".to_owned(),
        Some(_) if cx.keys.is_one(key) => {
            Text::new("(a key; it is never shown)", "(密钥,不会显示)").in_lang(cx.lang).to_owned()
        }
        Some(value) if reveal || !looks_secret(key) => value,
        Some(value) => {
            let chars = value.chars().count();
            in_lang!(
                cx.lang,
                "(redacted, {chars} characters; `reveal` shows it)",
                "(已隐去,{chars} 个字符;用 `reveal` 显示)"
            )
        }
    })
}

fn env_set(cx: &ToolCx, args: &EnvSetArgs) -> ToolOutcome {
    let key = match settable(&args.key, cx.lang) {
        Ok(key) => key,
        Err(refused) => return refused,
    };
    let value = args.value.as_str();
    if value.contains('\0') {
        return ToolOutcome::failed(
            Text::new("`value` cannot hold a NUL character.", "`value` 不能包含 NUL 字符。")
                .in_lang(cx.lang),
        );
    }
    if cx.keys.is_one(key) {
        return ToolOutcome::failed(in_lang!(
            cx.lang,
            "{key} holds a key; commands never see it, so it is not set.",
            "{key} 保存密钥;命令无法看到它,因此未设置。"
        ));
    }
    cx.shells.set_variable(key, Some(value.to_owned()));
    ToolOutcome::done(in_lang!(
        cx.lang,
        "{key} is set for commands that start from now on, until the program ends.",
        "{key} 已设置,对此后启动的命令有效,直到程序结束。"
    ))
}

fn env_unset(cx: &ToolCx, args: &EnvUnsetArgs) -> ToolOutcome {
    let key = match settable(&args.key, cx.lang) {
        Ok(key) => key,
        Err(refused) => return refused,
    };
    cx.shells.set_variable(key, None);
    ToolOutcome::done(in_lang!(
        cx.lang,
        "{key} is not set for commands that start from now on.",
        "{key} 对此后启动的命令不再设置。"
    ))
}

fn settable(key: &str, lang: Lang) -> Result<&str, ToolOutcome> {
    let key = key.trim();
    if is_settable(key) {
        return Ok(key);
    }
    let shown: String = key.chars().take(NAME_CHARS).flat_map(char::escape_debug).collect();
    Err(ToolOutcome::failed(in_lang!(
        lang,
        "`{shown}` is not for members. Names that are: MCP_*, UX_*, DOMINDS_TEST_* and \
             DOMINDS_LOG_LEVEL, in letters, digits and `_`.",
        "成员不能使用 `{shown}`。可用的名称:MCP_*、UX_*、DOMINDS_TEST_* 和 \
             DOMINDS_LOG_LEVEL,由字母、数字和 `_` 组成。"
    )))
}
