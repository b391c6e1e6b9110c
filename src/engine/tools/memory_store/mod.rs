//! `memory_save`, `memory_search`, `memory_list`, `memory_delete`: what a team remembers. They are offered to its members
//! where `memory` is on, and belong to no toolset. The team is that of the caller, whatever a call says.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::outcome::ToolOutcome;
use super::tool::{Tool, ToolCx};
use super::typed;
use crate::domain::teams::memory::{
    Author, Found, ListedMemories, MAX_ROWS, Memory, MemoryFilter, MemoryQuery, MemoryRefusal,
    MemoryType, NewMemory, Saved,
};
use crate::domain::teams::org::OrgTeam;
use crate::domain::text::{Localized, Text, localized};
use crate::domain::{Course, Lang, TeamName};

const DEFAULT_RESULTS: u32 = 5;
const DEFAULT_ROWS: u32 = 100;
/// Most characters of a content in a list.
const LISTED_CHARS: usize = 200;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct SaveArgs {
    key: String,
    content: String,
    #[serde(rename = "type")]
    kind: Option<String>,
    supersede_reason: Option<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct SearchArgs {
    query: String,
    max_results: Option<u32>,
    #[serde(rename = "type")]
    kind: Option<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ListArgs {
    #[serde(rename = "type")]
    kind: Option<String>,
    limit: Option<u32>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct DeleteArgs {
    key: String,
}

/// The memory tools of a member of this team.
pub(crate) fn tools(team: &OrgTeam) -> Vec<Arc<dyn Tool>> {
    all().into_iter().filter(|tool| team.allows(&tool.spec().name)).collect()
}

pub(super) fn all() -> [Arc<dyn Tool>; 4] {
    [
        typed::asynchronous(
            "memory_save",
            |lang| Text::of_document(include_str!("memory_save.md")).in_lang(lang),
            async |cx: ToolCx, args: SaveArgs| finished(save(&cx, args).await, cx.lang),
        ),
        typed::asynchronous(
            typed::reads("memory_search"),
            |lang| Text::of_document(include_str!("memory_search.md")).in_lang(lang),
            async |cx: ToolCx, args: SearchArgs| finished(search(&cx, args).await, cx.lang),
        ),
        typed::asynchronous(
            typed::reads("memory_list"),
            |lang| Text::of_document(include_str!("memory_list.md")).in_lang(lang),
            async |cx: ToolCx, args: ListArgs| finished(list(&cx, args).await, cx.lang),
        ),
        typed::asynchronous(
            "memory_delete",
            |lang| Text::of_document(include_str!("memory_delete.md")).in_lang(lang),
            async |cx: ToolCx, args: DeleteArgs| finished(delete(&cx, args).await, cx.lang),
        ),
    ]
}

async fn save(cx: &ToolCx, args: SaveArgs) -> Result<Value, Localized> {
    let SaveArgs { key, content, kind, supersede_reason } = args;
    let clean = cx.keys.redacted(content.clone());
    let is_redacted = clean != content;
    let new = NewMemory {
        team: team_of(cx)?,
        key: cx.keys.redacted(key),
        content: clean,
        kind: wanted_type(kind.as_deref())?.unwrap_or(MemoryType::Context),
        reason: supersede_reason.map(|reason| cx.keys.redacted(reason)),
        by: author(cx),
        lang: cx.lang,
    };
    let new = new.checked().map_err(|why| why.text())?;
    let (key, kind) = (new.key.clone(), new.kind);
    let saved = cx.teams.store.save_memory(new).await.map_err(|why| unavailable(&why))?;
    let mut answer = match saved.map_err(|why| why.text())? {
        Saved::New { id, supersedes } => {
            json!({ "success": true, "id": id, "key": key, "type": kind, "supersedes": supersedes })
        }
        Saved::Unchanged { id } => json!({ "success": true, "id": id, "unchanged": true }),
    };
    if let (true, Some(answer)) = (is_redacted, answer.as_object_mut()) {
        answer.insert("redacted".to_owned(), true.into());
    }
    Ok(answer)
}

async fn search(cx: &ToolCx, args: SearchArgs) -> Result<Value, Localized> {
    let wanted = MemoryQuery {
        team: team_of(cx)?,
        text: args.query,
        kind: wanted_type(args.kind.as_deref())?,
        most: args.max_results.unwrap_or(DEFAULT_RESULTS),
    };
    let wanted = wanted.checked().map_err(|why| why.text())?;
    let found = cx.teams.store.search_memories(wanted).await.map_err(|why| unavailable(&why))?;
    Ok(json!({ "success": true, "results": found.iter().map(result).collect::<Value>() }))
}

fn result(found: &Found) -> Value {
    let Found { memory, replaced_for, snippet, score } = found;
    let mut result = json!({
        "key": memory.key,
        "type": memory.kind,
        "snippet": snippet,
        "score": score,
        "is_active": memory.is_active,
        "updated_at": memory.updated_at,
        "updated_by": memory.updated_by,
    });
    let reason = replaced_for.as_ref().or(memory.supersede_reason.as_ref());
    let more = [
        ("superseded_by", memory.superseded_by.map(Value::from)),
        ("supersede_reason", reason.map(|reason| json!(reason))),
    ];
    let more: Map<String, Value> =
        more.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect();
    if let Some(fields) = result.as_object_mut() {
        fields.extend(more);
    }
    result
}

async fn list(cx: &ToolCx, args: ListArgs) -> Result<Value, Localized> {
    let filter = MemoryFilter {
        team: Some(team_of(cx)?),
        kind: wanted_type(args.kind.as_deref())?,
        listed: ListedMemories::Active,
        most: args.limit.unwrap_or(DEFAULT_ROWS).min(MAX_ROWS),
    };
    let (memories, total) =
        cx.teams.store.memories(filter).await.map_err(|why| unavailable(&why))?;
    let row = |memory: &Memory| {
        json!({
            "key": memory.key,
            "type": memory.kind,
            "content": memory.content.chars().take(LISTED_CHARS).collect::<String>(),
            "updated_at": memory.updated_at,
            "updated_by": memory.updated_by,
        })
    };
    let rows: Value = memories.iter().map(row).collect();
    Ok(json!({ "success": true, "memories": rows, "total": total }))
}

async fn delete(cx: &ToolCx, args: DeleteArgs) -> Result<Value, Localized> {
    // No key has a control character, and a server takes no NUL.
    let key: String = args.key.trim().chars().filter(|c| !c.is_control()).collect();
    let deleted =
        cx.teams.store.delete_memory(team_of(cx)?, key).await.map_err(|why| unavailable(&why))?;
    Ok(json!({ "success": true, "deleted": deleted }))
}

fn team_of(cx: &ToolCx) -> Result<TeamName, Localized> {
    let team = cx.teams.org.team_of(&cx.caller).map(|team| team.name.clone());
    team.ok_or_else(|| Text::new("you are in no team", "你不属于任何团队").into())
}

fn author(cx: &ToolCx) -> Author {
    // A call is named by the course that it is in.
    let course = cx.call.split('/').next().and_then(|course| course.parse().ok());
    let course = course.map_or(Course::FIRST, Course);
    Author::Member { id: cx.caller.clone(), dialog: cx.dialog.clone(), course }
}

fn wanted_type(word: Option<&str>) -> Result<Option<MemoryType>, Localized> {
    word.map(MemoryType::of_word).transpose().map_err(|why: MemoryRefusal| why.text())
}

/// The answer where the store cannot be used.
fn unavailable(why: &Localized) -> Localized {
    localized!([why] "memory is not available: {why}", "记忆不可用：{why}")
}

fn finished(done: Result<Value, Localized>, lang: Lang) -> ToolOutcome {
    match done {
        Ok(answer) => ToolOutcome::done(answer.to_string()),
        Err(why) => {
            let answer = json!({ "success": false, "error": why.in_lang(lang) });
            ToolOutcome::failed(answer.to_string())
        }
    }
}

#[cfg(test)]
mod tests;
