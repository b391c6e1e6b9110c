//! The eight tools as they present themselves: names, arguments, texts.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;

use super::work::{MemoryAction, MemoryJob};
use crate::domain::Lang;
use crate::domain::dialogs::memory::MemoryOwner;
use crate::domain::text::Text;
use crate::tools::tool::Tool;
use crate::tools::typed;

/// Tools for the member's own memories.
pub(in crate::tools) const PERSONAL: [&str; 4] = [
    "add_personal_memory",
    "drop_personal_memory",
    "replace_personal_memory",
    "clear_personal_memory",
];

/// Tools for the memories of the team.
pub(in crate::tools) const TEAM: [&str; 4] =
    ["add_team_memory", "drop_team_memory", "replace_team_memory", "clear_team_memory"];

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct WriteMemoryArgs {
    path: String,
    content: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct DropMemoryArgs {
    path: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ClearMemoryArgs {}

/// Returns all of them: first those for the member's own memories, then those for the team's.
pub(in crate::tools) fn tools() -> Vec<Arc<dyn Tool>> {
    let own: [LocalizedFn; 4] = [
        |lang| Text::of_document(include_str!("add_personal.md")).in_lang(lang),
        |lang| Text::of_document(include_str!("drop_personal.md")).in_lang(lang),
        |lang| Text::of_document(include_str!("replace_personal.md")).in_lang(lang),
        |lang| Text::of_document(include_str!("clear_personal.md")).in_lang(lang),
    ];
    let team: [LocalizedFn; 4] = [
        |lang| Text::of_document(include_str!("add_team.md")).in_lang(lang),
        |lang| Text::of_document(include_str!("drop_team.md")).in_lang(lang),
        |lang| Text::of_document(include_str!("replace_team.md")).in_lang(lang),
        |lang| Text::of_document(include_str!("clear_team.md")).in_lang(lang),
    ];
    let own = tools_of(MemoryOwner::Member, PERSONAL, own);
    own.into_iter().chain(tools_of(MemoryOwner::Team, TEAM, team)).collect()
}

type LocalizedFn = fn(Lang) -> &'static str;

/// Returns the tools in the order of [`PERSONAL`] and [`TEAM`].
fn tools_of(
    owner: MemoryOwner,
    names: [&'static str; 4],
    texts: [LocalizedFn; 4],
) -> [Arc<dyn Tool>; 4] {
    let [add, drop, replace, clear] = names.map(|name| MemoryJob { name, owner });
    let [add_text, drop_text, replace_text, clear_text] = texts;
    [
        typed::blocking(add.name, add_text, move |cx, args: &WriteMemoryArgs| {
            add.change(cx, &args.path, MemoryAction::Add(&args.content))
        }),
        typed::blocking(drop.name, drop_text, move |cx, args: &DropMemoryArgs| {
            drop.change(cx, &args.path, MemoryAction::Drop)
        }),
        typed::blocking(replace.name, replace_text, move |cx, args: &WriteMemoryArgs| {
            replace.change(cx, &args.path, MemoryAction::Replace(&args.content))
        }),
        typed::blocking(clear.name, clear_text, move |cx, _: &ClearMemoryArgs| clear.clear(cx)),
    ]
}
