//! What the teams remember, for clients: reads it, and deletes and restores what a person says. Without `memory: on`
//! nothing is read.

use std::sync::Arc;

use crate::domain::TeamName;
use crate::domain::teams::memory::{
    Found, ListedMemories, MAX_RESULTS, MAX_ROWS, Memory, MemoryFilter, MemoryQuery,
};
use crate::domain::teams::org_change::one_line;
use crate::domain::text::{Localized, Text, localized};
use crate::driver::shared::blocking::{blocking, interrupted};
use crate::driver::shared::engine::Engine;
use crate::protocol::command::Ticket;
use crate::protocol::{DriverEvent, MemoriesRequest};

use super::trees::Supervisor;

/// Most characters of a text in a list.
const LISTED_CHARS: usize = 200;
/// So many bytes of the texts that had one key are sent; the newest is always among them.
const CHAIN_BYTES: usize = 1024 * 1024;
/// The mark of a found text that was replaced; a list says that by itself.
const SUPERSEDED: &str = "[SUPERSEDED] ";

const OFF: Text = Text::new(
    "teams have no memories here: write `memory: on` into .minds/hive/hive.yaml",
    "这里的团队没有记忆：请在 .minds/hive/hive.yaml 中写入 `memory: on`",
);

impl Supervisor {
    pub(super) fn memory_request(&mut self, ticket: Ticket, request: MemoriesRequest) {
        let engine = self.engine.clone();
        self.reply_later(ticket, async move { answer(&engine, ticket, request).await });
    }
}

async fn answer(
    engine: &Arc<Engine>,
    ticket: Ticket,
    request: MemoriesRequest,
) -> Result<DriverEvent, Localized> {
    let reader = engine.clone();
    let minds = blocking(move |on| reader.minds(on)).await.map_err(|error| interrupted(&error))?;
    if !minds.hive().memory {
        return Err(OFF.into());
    }
    match request {
        MemoriesRequest::List { listed } => list(engine, ticket, listed).await,
        MemoriesRequest::Search { text } => search(engine, ticket, &text).await,
        MemoriesRequest::Chain { team, key } => chain(engine, ticket, team, key).await,
        MemoriesRequest::Delete { team, key } => {
            let is_done = engine.hive.delete_memory(team.clone(), key.clone()).await?;
            done(is_done, ticket, (&team, key.as_str()))
        }
        MemoriesRequest::Restore { team, key } => {
            let is_done = engine.hive.restore_memory(team.clone(), key.clone()).await?;
            done(is_done.map_err(|refusal| refusal.text())?, ticket, (&team, key.as_str()))
        }
    }
}

async fn list(
    engine: &Engine,
    ticket: Ticket,
    listed: ListedMemories,
) -> Result<DriverEvent, Localized> {
    let filter = MemoryFilter { team: None, kind: None, listed, most: MAX_ROWS };
    let (memories, total) = engine.hive.memories(filter).await?;
    let rows = memories.into_iter().map(row).collect();
    Ok(DriverEvent::Memories { ticket, rows, total })
}

/// Searches each team: a memory is found by the words of its own team alone, and scores can be compared.
async fn search(engine: &Engine, ticket: Ticket, text: &str) -> Result<DriverEvent, Localized> {
    let mut all: Vec<(f64, Memory)> = Vec::new();
    for team in engine.hive.memory_teams().await? {
        let query = MemoryQuery { team, text: text.to_owned(), kind: None, most: MAX_RESULTS };
        let query = query.checked().map_err(|refusal| refusal.text())?;
        // What was replaced stays behind what replaced it, whatever its score.
        let mut rank = f64::INFINITY;
        for Found { memory, snippet, score, .. } in engine.hive.search_memories(query).await? {
            rank = rank.min(score);
            let content = snippet.strip_prefix(SUPERSEDED).unwrap_or(&snippet).to_owned();
            all.push((rank, row(Memory { content, ..memory })));
        }
    }
    all.sort_by(|(one, _), (other, _)| other.total_cmp(one));
    all.truncate(usize::try_from(MAX_RESULTS).unwrap_or(usize::MAX));
    let rows: Vec<Memory> = all.into_iter().map(|(_, memory)| memory).collect();
    let total = u64::try_from(rows.len()).unwrap_or(u64::MAX);
    Ok(DriverEvent::Memories { ticket, rows, total })
}

async fn chain(
    engine: &Engine,
    ticket: Ticket,
    team: TeamName,
    key: String,
) -> Result<DriverEvent, Localized> {
    let mut chain = engine.hive.memory_chain(team.clone(), key.clone()).await?;
    if chain.is_empty() {
        return Err(unknown(&team, &key));
    }
    let mut sent = 0;
    let fits = |memory: &&Memory| {
        let fits = sent < CHAIN_BYTES;
        sent += memory.content.len();
        fits
    };
    let shown = chain.iter().take_while(fits).count();
    let left_out = u64::try_from(chain.len() - shown).unwrap_or(u64::MAX);
    chain.truncate(shown);
    Ok(DriverEvent::MemoryChain { ticket, chain, left_out })
}

/// A memory as lists show it.
fn row(memory: Memory) -> Memory {
    let content = one_line(&memory.content, LISTED_CHARS);
    Memory { content, supersede_reason: None, ..memory }
}

fn done(
    is_done: bool,
    ticket: Ticket,
    (team, key): (&TeamName, &str),
) -> Result<DriverEvent, Localized> {
    if is_done { Ok(DriverEvent::Done { ticket, dialog: None }) } else { Err(unknown(team, key)) }
}

fn unknown(team: &TeamName, key: &str) -> Localized {
    localized!("team {team} has no memory '{key}'", "团队 {team} 没有记忆 '{key}'")
}
