//! The tools for the vault of the caller's team. What a member stores is never secret, and what it reads of a secret is a
//! reference.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::call::{Refused, finished};
use crate::domain::AgentId;
use crate::domain::safety::references::{VaultUse, check_entry, reference_to};
use crate::domain::teams::org::{Org, OrgTeam};
use crate::domain::text::{Text, localized};
use crate::hive::{VaultFault, VaultRow};
use crate::tools::tool::{Tool, ToolCx};
use crate::tools::typed;

/// The tool that reads an entry.
pub(crate) const VAULT_GET: &str = "vault_get";
/// Most characters of a key that are repeated.
const SHOWN_KEY_CHARS: usize = 200;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct KeyArgs {
    key: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct SetArgs {
    key: String,
    value: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ListArgs {
    prefix: Option<String>,
}

/// The vault tools of a member, where teams have vaults.
pub(crate) fn vault_tools(org: &Org, member: &AgentId) -> Vec<Arc<dyn Tool>> {
    let Some(team) = org.team_of(member) else { return Vec::new() };
    of_vault().into_iter().filter(|tool| team.allows(&tool.spec().name)).collect()
}

/// All vault tools.
pub(crate) fn of_vault() -> [Arc<dyn Tool>; 4] {
    [
        typed::asynchronous(
            typed::reads(VAULT_GET),
            |lang| Text::of_document(include_str!("vault_get.md")).in_lang(lang),
            async |cx: ToolCx, args: KeyArgs| finished(get(&cx, &args.key).await, &cx),
        ),
        typed::asynchronous(
            "vault_set",
            |lang| Text::of_document(include_str!("vault_set.md")).in_lang(lang),
            async |cx: ToolCx, args: SetArgs| finished(set(&cx, args).await, &cx),
        ),
        typed::asynchronous(
            typed::reads("vault_list"),
            |lang| Text::of_document(include_str!("vault_list.md")).in_lang(lang),
            async |cx: ToolCx, args: ListArgs| finished(list(&cx, args.prefix).await, &cx),
        ),
        typed::asynchronous(
            "vault_delete",
            |lang| Text::of_document(include_str!("vault_delete.md")).in_lang(lang),
            async |cx: ToolCx, args: KeyArgs| finished(delete(&cx, args.key).await, &cx),
        ),
    ]
}

/// The team of the caller.
fn own_team(cx: &ToolCx) -> Result<&OrgTeam, Refused> {
    let none = Text::new("you are in no team", "你不属于任何团队");
    cx.teams.org.team_of(&cx.caller).ok_or_else(|| none.into())
}

async fn get(cx: &ToolCx, key: &str) -> Result<Value, Refused> {
    let team = own_team(cx)?;
    let row = cx.teams.store.vault_row(team.name.clone(), key.to_owned()).await?;
    let shown: String = key.chars().take(SHOWN_KEY_CHARS).collect();
    let Some(row) = row else { return Err(VaultFault::missing(&shown).text().into()) };
    if !row.is_secret {
        return Ok(json!({ "success": true, "value": row.value }));
    }
    let Some(entry) = cx.keys.entry(&row.key) else {
        let text = localized!(
            "vault key \"{shown}\" cannot be read: its key is not here, or it is not as it was set; a person finds more in `doctor`",
            "保管库的键 \"{shown}\" 无法读取：这里没有它的密钥，或它与设置时不同；人可用 `doctor` 查看详情"
        );
        return Err(text.into());
    };
    let reference = reference_to(&row.key);
    if entry.rights.is_revealed {
        // The value takes its place in the request to the model.
        return Ok(json!({ "success": true, "value": reference, "secret": true }));
    }
    let uses: Vec<&str> = entry.rights.uses.iter().map(|one| one.name()).collect();
    let mut answer = json!({
        "success": true, "secret": true, "reference": reference, "use": uses, "hosts": entry.rights.hosts,
    });
    let is_for_shell = entry.rights.uses.contains(&VaultUse::Shell);
    let variable = team.shell_secrets.iter().find(|(_, of)| is_for_shell && *of == row.key);
    if let (Some((variable, _)), Some(answer)) = (variable, answer.as_object_mut()) {
        answer.insert("env".to_owned(), json!(variable));
    }
    Ok(answer)
}

async fn set(cx: &ToolCx, args: SetArgs) -> Result<Value, Refused> {
    let SetArgs { key, value } = args;
    check_entry(&key, &value)?;
    if cx.keys.is_in(&key) {
        return Err(Text::new("a key must not be a secret", "键不能是机密").into());
    }
    let kept = cx.keys.redacted(value.clone());
    let is_redacted = kept != value;
    let team = own_team(cx)?.name.clone();
    let row = VaultRow::plain(team, key.clone(), kept, &format!("@{}", cx.caller));
    let at = cx.teams.store.set_in_vault(row).await?.map_err(|refusal| refusal.text())?;
    let entry =
        json!({ "key": key, "is_secret": false, "updated_at": cx.clock.stamp(at).as_str() });
    Ok(if is_redacted {
        json!({ "success": true, "entry": entry, "redacted": true })
    } else {
        json!({ "success": true, "entry": entry })
    })
}

async fn list(cx: &ToolCx, prefix: Option<String>) -> Result<Value, Refused> {
    let rows = cx.teams.store.vault_rows(own_team(cx)?.name.clone()).await?;
    let prefix = prefix.unwrap_or_default();
    let entry = |row: &VaultRow| {
        if row.is_secret {
            let uses: Vec<&str> = row.rights().uses.into_iter().map(VaultUse::name).collect();
            json!({ "key": row.key, "is_secret": true, "use": uses })
        } else {
            json!({ "key": row.key, "is_secret": false, "value": row.value })
        }
    };
    let rows = rows.iter().filter(|row| row.key.starts_with(&prefix));
    Ok(json!({ "success": true, "entries": rows.map(entry).collect::<Value>() }))
}

async fn delete(cx: &ToolCx, key: String) -> Result<Value, Refused> {
    let deleted = cx.teams.store.delete_from_vault(own_team(cx)?.name.clone(), key).await?;
    let deleted = deleted.map_err(|refusal| refusal.text())?;
    Ok(json!({ "success": true, "deleted": deleted }))
}

#[cfg(test)]
mod tests {
    use tokio::task::JoinSet;
    use tokio::time::{Duration, timeout};

    use super::*;
    use crate::domain::safety::references::{VaultEntries, VaultEntry, VaultRights};
    use crate::domain::teams::org::MAIN;
    use crate::domain::{Lang, SharedSecrets, TeamName};
    use crate::hive::test_support::{Database, postgres_org, server};
    use crate::hive::{AnyStore, Hive, Setup, StoreChoice, VaultKeys, VaultOwner};
    use crate::samples::Shows;
    use crate::samples::org::team;
    use crate::tools::test_support::TestBench;
    use crate::tools::{TeamPlace, ToolSubset};

    const SECRET: &str = "ghp-canary-0123456789";
    const DEADLINE: Duration = Duration::from_secs(30);

    struct Bench {
        folder: TestBench,
        cx: ToolCx,
        _tasks: JoinSet<()>,
    }

    impl Bench {
        /// `qa` has the secrets `CLOSED` and `OPEN`; models of it may read the second one.
        async fn on(database: Database) -> Self {
            let bench = TestBench::new();
            let store = match database {
                Database::File => StoreChoice::Own,
                Database::Server => {
                    StoreChoice::Server(Box::new(server(&postgres_org(), "box").unwrap()))
                }
            };
            let setup = Setup {
                workspace: bench.cx.workspace.to_path_buf(),
                clock: Arc::new(Shows("2026-11-30 12:00:00")),
                permission: Arc::new(AnyStore),
                random_name: || "ab12".to_owned(),
                store,
                vault_keys: VaultKeys::default(),
                lang: Lang::En,
            };
            let hive = Hive::new(setup.clone());
            bench.put(".minds/hive/hive.yaml", "version: 1\nvault: on\n");
            let mut tasks = JoinSet::new();
            tasks.spawn(hive.run());
            let shell_secrets = vec![("GITHUB".to_owned(), "CLOSED".to_owned())];
            let qa = OrgTeam { shell_secrets, ..team("qa", MAIN, &["qa"]) };
            let known = ["lead", "qa"].map(AgentId::new);
            let (org, _) = Org::new(team(MAIN, "", &["lead"]), vec![qa], &known, true);
            let teams =
                TeamPlace { org: Arc::new(org), store: hive.clone(), ..TeamPlace::default() };
            let cx = ToolCx { caller: AgentId::new("qa"), teams, ..bench.cx.clone() };
            let mut made = Self { folder: bench, cx, _tasks: tasks };
            made.call("vault_set", &json!({ "key": "journal", "value": "1" })).await;
            made.set_secrets(&setup).await;
            made
        }

        async fn set_secrets(&mut self, setup: &Setup) {
            let mut store = setup.open_or_make().await.unwrap();
            let keys = VaultKeys { folder: Some(self.folder.at("../keys")), given: None };
            let closed = VaultRights {
                uses: vec![VaultUse::Shell, VaultUse::Web],
                hosts: vec!["api.github.com".to_owned()],
                is_revealed: false,
            };
            let qa = TeamName::new("qa");
            let mut entries = VaultEntries::new();
            for (key, rights) in [("CLOSED", closed), ("OPEN", VaultRights::migrated())] {
                let value = format!("{SECRET}-{key}");
                let mut owner = VaultOwner { store: &mut store, keys: &keys };
                let of = (qa.clone(), key.to_owned());
                let now = self.cx.clock.moment();
                owner.set(of, &value, Some(&rights), now).await.unwrap();
                entries.insert(key.to_owned(), VaultEntry { value, rights, version: 1 });
            }
            store.close().await;
            let secrets = SharedSecrets::default();
            secrets.set_entries([("qa".to_owned(), entries)].into());
            self.cx.keys = secrets.seen_by("qa");
        }

        async fn call(&self, name: &str, args: &Value) -> (bool, Value) {
            let offered = vault_tools(&self.cx.teams.org, &self.cx.caller);
            let tools = offered.into_iter().fold(ToolSubset::default(), ToolSubset::with_tool);
            let args = args.to_string();
            let run = tools.run(name, &args, self.cx.clone());
            let outcome = timeout(DEADLINE, run).await.unwrap();
            assert!(!outcome.text.contains(SECRET), "{}", outcome.text);
            (outcome.ok, serde_json::from_str(&outcome.text).unwrap())
        }

        async fn refused(&self, name: &str, args: &Value) -> String {
            let (ok, answer) = self.call(name, args).await;
            assert!(!ok && answer["success"] == false, "{answer}");
            answer["error"].as_str().unwrap().to_owned()
        }
    }

    #[tokio::test]
    async fn s15_1_texts_are_set_read_listed_and_deleted() {
        for database in Database::all() {
            let bench = Bench::on(database).await;
            let set = bench.call("vault_set", &json!({ "key": "cursor", "value": "7" })).await;
            let at = &set.1["entry"]["updated_at"];
            assert!(at.is_string(), "{at}");
            let entry = json!({ "key": "cursor", "is_secret": false, "updated_at": at });
            assert_eq!(set.1, json!({ "success": true, "entry": entry }));
            let got = bench.call("vault_get", &json!({ "key": "cursor" })).await;
            assert_eq!(got, (true, json!({ "success": true, "value": "7" })));
            let (_, all) = bench.call("vault_list", &json!({})).await;
            let expected = json!({ "success": true, "entries": [
                { "key": "CLOSED", "is_secret": true, "use": ["web", "shell"] },
                { "key": "OPEN", "is_secret": true, "use": ["web", "shell", "mcp", "plugin"] },
                { "key": "cursor", "is_secret": false, "value": "7" },
                { "key": "journal", "is_secret": false, "value": "1" },
            ] });
            assert_eq!(all, expected);
            let (_, some) = bench.call("vault_list", &json!({ "prefix": "j" })).await;
            assert_eq!(some["entries"].as_array().unwrap().len(), 1);
            let deleted = bench.call("vault_delete", &json!({ "key": "cursor" })).await;
            assert_eq!(deleted, (true, json!({ "success": true, "deleted": true })));
            let again = bench.call("vault_delete", &json!({ "key": "cursor" })).await;
            assert_eq!(again.1["deleted"], false);
            let missing = bench.refused("vault_get", &json!({ "key": "cursor" })).await;
            assert_eq!(missing, "vault key \"cursor\" not found");
        }
    }

    #[tokio::test]
    async fn s15_1_of_a_secret_a_model_gets_a_reference_and_changes_nothing() {
        for database in Database::all() {
            let bench = Bench::on(database).await;
            let (_, closed) = bench.call("vault_get", &json!({ "key": "CLOSED" })).await;
            let expected = json!({
                "success": true, "secret": true, "reference": "${vault:CLOSED}", "use": ["shell", "web"],
                "hosts": ["api.github.com"], "env": "GITHUB",
            });
            assert_eq!(closed, expected);
            let (_, open) = bench.call("vault_get", &json!({ "key": "OPEN" })).await;
            assert_eq!(open, json!({ "success": true, "value": "${vault:OPEN}", "secret": true }));
            let args = json!({ "key": "CLOSED", "value": "x" });
            let refused = bench.refused("vault_set", &args).await;
            assert_eq!(refused, "cannot overwrite system-managed secret \"CLOSED\"");
            let refused = bench.refused("vault_delete", &json!({ "key": "CLOSED" })).await;
            assert_eq!(refused, "cannot delete system-managed secret \"CLOSED\"");
            let args = json!({ "key": "note", "value": format!("it is {SECRET}-CLOSED") });
            let (_, kept) = bench.call("vault_set", &args).await;
            assert_eq!(kept["redacted"], true);
            let (_, read) = bench.call("vault_get", &json!({ "key": "note" })).await;
            assert_eq!(read["value"], "it is [redacted]");
            let args = json!({ "key": format!("{SECRET}-CLOSED"), "value": "x" });
            assert_eq!(bench.refused("vault_set", &args).await, "a key must not be a secret");
            let args = json!({ "key": "a b", "value": "x" });
            let refused = bench.refused("vault_set", &args).await;
            assert_eq!(refused, "key must be 1 to 200 characters of letters, digits and . _ : / -");
        }
    }

    #[tokio::test]
    async fn a_member_has_the_vault_of_its_own_team_alone() {
        let mut bench = Bench::on(Database::File).await;
        bench.cx.caller = AgentId::new("lead");
        bench.cx.keys = Arc::default();
        let (_, all) = bench.call("vault_list", &json!({})).await;
        assert_eq!(all["entries"], json!([]));
        let missing = bench.refused("vault_get", &json!({ "key": "OPEN" })).await;
        assert_eq!(missing, "vault key \"OPEN\" not found");
        bench.cx.caller = AgentId::new("qa");
        let unread = bench.refused("vault_get", &json!({ "key": "OPEN" })).await;
        assert!(unread.starts_with("vault key \"OPEN\" cannot be read: "), "{unread}");
        assert!(vault_tools(&bench.cx.teams.org, &AgentId::new("fuxi")).is_empty());
    }

    #[test]
    fn every_vault_tool_explains_its_arguments_in_both_languages() {
        for tool in of_vault() {
            let spec = tool.spec();
            let (en, zh) = (spec.description.text(Lang::En), spec.description.text(Lang::Zh));
            assert!(en.is_ascii() && !zh.is_ascii(), "{}", spec.name);
            for field in spec.parameters["properties"].as_object().unwrap().keys() {
                let named = format!("`{field}`");
                assert!(en.contains(&named) && zh.contains(&named), "{} {field}", spec.name);
            }
        }
    }
}
