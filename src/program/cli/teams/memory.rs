//! `memory`: what the teams of a workspace remember, as a person reads, corrects and exports it.

use std::fs::{DirBuilder, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::Path;

use serde_json::{Value, json};

use crate::domain::teams::memory::{
    Author, Found, ListedMemories, MAX_ROWS, Memory, MemoryFilter, MemoryQuery, MemoryRefusal,
    MemoryType, NewMemory, Saved,
};
use crate::domain::teams::org_change::one_line;
use crate::domain::{AgentId, Clock as _, Lang, TeamName};
use crate::guard::edit_file;
use crate::hive::{Store, StoreFault};
use crate::minds::{CONFIG_LIMIT_BYTES, Minds};
use crate::platform::{SystemClock, env};

use crate::cli::args::memory_args::{MemberText, MemoryCommand, MemoryPlace};
use crate::cli::commands::drive::text_or_stdin;
use crate::cli::exit::{CommandError, Status};
use crate::cli::output;
use crate::cli::running::team_store::{known_secrets, open_or_make, refused};

/// All teams, as an argument.
const ALL_TEAMS: &str = "*";
/// Most characters of a text in a line.
const MAX_LINE: usize = 120;

pub async fn memory(workspace: &Path, wanted: MemoryCommand) -> Result<Status, CommandError> {
    let minds = Minds::load(workspace, Lang::En);
    if !minds.hive().memory {
        return Err(CommandError::refused(
            "teams have no memories here: write `memory: on` into .minds/hive/hive.yaml",
        ));
    }
    let mut work = Work { minds, store: open_or_make(workspace).await? };
    let done = work.run(workspace, wanted).await;
    work.store.close().await;
    done.map(|()| Status::Done)
}

/// The open store, and the configuration it is used with.
struct Work {
    minds: Minds,
    store: Store,
}

impl Work {
    async fn run(&mut self, workspace: &Path, wanted: MemoryCommand) -> Result<(), CommandError> {
        match wanted {
            MemoryCommand::Search { query, limit, of } => self.search(query, limit, &of).await,
            MemoryCommand::List { kind, superseded, of } => self.list(kind, superseded, &of).await,
            MemoryCommand::Show { key, chain, of } => self.show(&key, chain, &of).await,
            MemoryCommand::Save { key, text, kind, reason, of } => {
                let content = text_or_stdin(&text)?;
                self.save(workspace, (key, content), (kind, reason), &of).await
            }
            MemoryCommand::Delete { yes: false, key, .. } => Err(CommandError::usage(format!(
                "this deletes '{key}' with all that it replaced; for 90 days `memory restore` brings it back. `--yes` does it"
            ))),
            MemoryCommand::Delete { key, of, .. } => self.delete(&key, &of).await,
            MemoryCommand::Restore { key, of } => self.restore(&key, &of).await,
            MemoryCommand::Export { folder, of } => self.export(workspace, &folder, &of).await,
            MemoryCommand::Promote { key, to, text, of } => {
                self.promote(workspace, &key, (&to, text), &of).await
            }
            MemoryCommand::Reindex { json } => {
                let count = self.store.reindex_memories().await.map_err(|fault| refused(&fault))?;
                say(
                    json,
                    &json!({ "memories": count }),
                    &format!("{count} memories are in the index"),
                );
                Ok(())
            }
        }
    }

    fn team(&self, of: &MemoryPlace) -> Result<TeamName, CommandError> {
        super::team_named(self.minds.hive().org(), &of.team).map(|team| team.name.clone())
    }

    async fn search(
        &mut self,
        text: String,
        most: u32,
        of: &MemoryPlace,
    ) -> Result<(), CommandError> {
        let teams = if of.team == ALL_TEAMS {
            self.store.memory_teams().await.map_err(|fault| refused(&fault))?
        } else {
            vec![self.team(of)?]
        };
        let mut found: Vec<Found> = Vec::new();
        for team in teams {
            let query = MemoryQuery { team, text: text.clone(), kind: None, most };
            let query = query.checked().map_err(|why| error_of(&why))?;
            let more = self.store.search_memories(&query, &SystemClock).await;
            found.extend(more.map_err(|fault| refused(&fault))?);
        }
        // Those of one team are in their order already.
        if of.team == ALL_TEAMS {
            found.sort_by(|a, b| b.score.total_cmp(&a.score));
            found.truncate(usize::try_from(most).unwrap_or(usize::MAX));
        }
        if of.json {
            output::json(&json!({ "memories": found }));
            return Ok(());
        }
        for one in &found {
            let (score, snippet) = (one.score, one_line(&one.snippet, MAX_LINE));
            output::print(&format!("{}  {score:.2}  {snippet}", head(&one.memory)));
        }
        if found.is_empty() {
            output::print("nothing was found");
        }
        Ok(())
    }

    async fn list(
        &mut self,
        kind: Option<MemoryType>,
        superseded: bool,
        of: &MemoryPlace,
    ) -> Result<(), CommandError> {
        let team = if of.team == ALL_TEAMS { None } else { Some(self.team(of)?) };
        let listed = if superseded { ListedMemories::Superseded } else { ListedMemories::Active };
        let filter = MemoryFilter { team, kind, listed, most: MAX_ROWS };
        let listed = self.store.memories(&filter, &SystemClock).await;
        let (memories, total) = listed.map_err(|fault| refused(&fault))?;
        if of.json {
            output::json(&json!({ "memories": memories, "total": total }));
            return Ok(());
        }
        for one in &memories {
            output::print(&format!("{}  {}", head(one), one_line(&one.content, MAX_LINE)));
        }
        if memories.is_empty() {
            output::print("there is no memory");
        }
        Ok(())
    }

    /// All that had this key, the newest first.
    async fn chain(&mut self, key: &str, team: &TeamName) -> Result<Vec<Memory>, CommandError> {
        let chain = self.store.memory_chain(team, key.trim(), &SystemClock).await;
        let chain = chain.map_err(|fault| refused(&fault))?;
        if chain.is_empty() { Err(unknown(key, team)) } else { Ok(chain) }
    }

    async fn show(&mut self, key: &str, all: bool, of: &MemoryPlace) -> Result<(), CommandError> {
        let team = self.team(of)?;
        let mut chain = self.chain(key, &team).await?;
        if !all {
            chain.truncate(1);
        }
        if of.json {
            let one = chain.first().map_or(Value::Null, |memory| json!(memory));
            output::json(&if all { json!({ "chain": chain }) } else { one });
            return Ok(());
        }
        for memory in &chain {
            output::print(&format!(
                "{}  {}  {}",
                head(memory),
                memory.updated_at,
                memory.updated_by
            ));
            output::print(&memory.content);
            if let Some(reason) = &memory.supersede_reason {
                output::print(&format!("-- replaced the one before it: {reason}"));
            }
        }
        Ok(())
    }

    async fn save(
        &mut self,
        workspace: &Path,
        (key, content): (String, String),
        (kind, reason): (MemoryType, Option<String>),
        of: &MemoryPlace,
    ) -> Result<(), CommandError> {
        let team = self.team(of)?;
        let secrets = known_secrets(workspace, &self.minds, &mut self.store, &team).await?;
        let given = [Some(&key), Some(&content), reason.as_ref()];
        let is_redacted = given.into_iter().flatten().any(|text| secrets.is_in(text));
        let (key, content) = (secrets.redacted(key), secrets.redacted(content));
        let reason = reason.map(|reason| secrets.redacted(reason));
        let (by, lang) = (Author::Human, env::work_language());
        let new = NewMemory { team, key, content, kind, reason, by, lang };
        let new = new.checked().map_err(|why| error_of(&why))?;
        let saved = self.store.save_memory(&new, SystemClock.moment()).await;
        let (mut answer, became) = match done(saved)? {
            Saved::New { id, supersedes } => {
                let answer =
                    json!({ "id": id, "key": new.key, "type": kind, "supersedes": supersedes });
                (answer, "is saved")
            }
            Saved::Unchanged { id } => (json!({ "id": id, "unchanged": true }), "is there already"),
        };
        let mut text = format!("memory {} {became}", new.key);
        if let (true, Some(answer)) = (is_redacted, answer.as_object_mut()) {
            answer.insert("redacted".to_owned(), true.into());
            text.push_str("; a secret was taken out");
        }
        say(of.json, &answer, &text);
        Ok(())
    }

    async fn delete(&mut self, key: &str, of: &MemoryPlace) -> Result<(), CommandError> {
        let team = self.team(of)?;
        let deleted = self.store.delete_memory(&team, key.trim(), SystemClock.moment()).await;
        if !deleted.map_err(|fault| refused(&fault))? {
            return Err(unknown(key, &team));
        }
        say(of.json, &json!({ "deleted": true }), &format!("memory {key} is deleted"));
        Ok(())
    }

    async fn restore(&mut self, key: &str, of: &MemoryPlace) -> Result<(), CommandError> {
        let team = self.team(of)?;
        if !done(self.store.restore_memory(&team, key.trim()).await)? {
            return Err(unknown(key, &team));
        }
        say(of.json, &json!({ "restored": true }), &format!("memory {key} is back"));
        Ok(())
    }

    async fn export(
        &mut self,
        workspace: &Path,
        folder: &Path,
        of: &MemoryPlace,
    ) -> Result<(), CommandError> {
        let team = self.team(of)?;
        let secrets = known_secrets(workspace, &self.minds, &mut self.store, &team).await?;
        let team = Some(team);
        let listed = ListedMemories::Active;
        let filter = MemoryFilter { team, kind: None, listed, most: u32::MAX };
        let listed = self.store.memories(&filter, &SystemClock).await;
        let (memories, _) = listed.map_err(|fault| refused(&fault))?;
        let failed = |path: &Path, error: &io::Error| {
            CommandError::invalid(format!("{}: {error}", path.display()))
        };
        let made = DirBuilder::new().recursive(true).mode(0o700).create(folder);
        made.map_err(|error| failed(folder, &error))?;
        let mut files = Vec::new();
        for memory in memories {
            let memory = memory.redacted(&secrets);
            let path = folder.join(memory.file_name());
            let opened = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path);
            let written = opened.and_then(|mut file| file.write_all(memory.markdown().as_bytes()));
            written.map_err(|error| failed(&path, &error))?;
            files.push(memory.file_name());
        }
        let text = format!("{} memories are in {}", files.len(), folder.display());
        say(of.json, &json!({ "files": files }), &text);
        Ok(())
    }

    /// The file comes first: after a kill it is found there, and only the memory is changed.
    async fn promote(
        &mut self,
        workspace: &Path,
        key: &str,
        (member, text): (&str, MemberText),
        of: &MemoryPlace,
    ) -> Result<(), CommandError> {
        let team = self.team(of)?;
        let member = AgentId::new(member);
        if self.minds.member(&member).is_none() {
            return Err(CommandError::usage(format!("@{member} is not in .minds/team.yaml")));
        }
        let chain = self.chain(key, &team).await?;
        let active = chain.into_iter().find(|memory| memory.is_active);
        let memory = active.ok_or_else(|| unknown(key, &team))?;
        let file = text_file(workspace, &member, text);
        let secrets = known_secrets(workspace, &self.minds, &mut self.store, &team).await?;
        // The store has its key as it is, also where a secret is in it.
        let (stored_key, memory) = (memory.key.clone(), memory.redacted(&secrets));
        let added = memory.content.trim();
        let with = |before: &str| {
            let before = before.trim_end();
            let is_there = format!("\n{before}\n").contains(&format!("\n{added}\n"));
            let between = if before.is_empty() || is_there { "" } else { "\n\n" };
            let added = if is_there { "" } else { added };
            Ok(format!("{before}{between}{added}\n"))
        };
        edit_file(workspace, &file, CONFIG_LIMIT_BYTES, with)
            .map_err(|why| CommandError::invalid(why.to_string()))?;
        let new = NewMemory {
            team,
            key: stored_key,
            content: memory.content,
            kind: MemoryType::Historical,
            reason: Some(format!("promoted into {file}")),
            by: Author::Human,
            lang: env::work_language(),
        };
        done(self.store.save_memory(&new, SystemClock.moment()).await)?;
        say(of.json, &json!({ "file": file }), &format!("memory {key} is in {file} now"));
        Ok(())
    }
}

/// The file of a text of a member: the one that is read, or a new one.
fn text_file(workspace: &Path, member: &AgentId, text: MemberText) -> String {
    let names = match text {
        MemberText::Knowhow => ["knowhow", "knowledge"],
        MemberText::Pitfalls => ["pitfalls", "lessons"],
    };
    let (lang, [newest, _]) = (env::work_language(), names);
    let of = |name: String| format!(".minds/team/{member}/{name}.md");
    let known =
        names.into_iter().flat_map(|name| [format!("{name}.{}", lang.code()), name.to_owned()]);
    let mut known = known.map(of);
    let found = known.find(|path| workspace.join(path).symlink_metadata().is_ok());
    found.unwrap_or_else(|| of(newest.to_owned()))
}

/// `[LESSON] ops redis-timeout`.
fn head(memory: &Memory) -> String {
    let kind = memory.kind.name().to_uppercase();
    let state = match (&memory.deleted_at, memory.is_active) {
        (Some(_), _) => "  deleted",
        (None, false) => "  superseded",
        (None, true) => "",
    };
    format!("[{kind}] {} {}{state}", memory.team, memory.key)
}

fn say(as_json: bool, answer: &Value, text: &str) {
    if as_json { output::json(answer) } else { output::print(text) }
}

fn done<T>(done: Result<Result<T, MemoryRefusal>, StoreFault>) -> Result<T, CommandError> {
    done.map_err(|fault| refused(&fault))?.map_err(|why| error_of(&why))
}

fn unknown(key: &str, team: &TeamName) -> CommandError {
    CommandError::refused(format!("team {team} has no memory '{key}'"))
}

fn error_of(refusal: &MemoryRefusal) -> CommandError {
    CommandError::refused(refusal.text().to_string())
}
