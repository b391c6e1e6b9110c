//! Vaults in whole dialogs: what a model is sent, what is recorded, and that nothing is different where there is none.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use dominds_tui::domain::TeamName;
use dominds_tui::domain::safety::references::{VaultEntries, VaultEntry, VaultRights, VaultUse};
use dominds_tui::hive::{VaultKeys, VaultOwner};
use dominds_tui::llm::{Reply, Request, Sequence};
use serde_json::json;

use super::result_of;
use crate::common::World;
use crate::common::files::files_below;

const SECRET: &str = "ghp-canary/01+23456789";
const NAMES: [&str; 4] = ["vault_get", "vault_set", "vault_list", "vault_delete"];

/// A workspace with vaults.
fn world(models: Sequence) -> World {
    let mut world = World::new(models);
    world.setup.has_hive = true;
    world.put(".minds/hive/hive.yaml", "version: 1\nvault: on\n");
    world
}

/// Secrets of the root team, as a driver knows them.
fn know(world: &World, secrets: &[(String, String)], is_revealed: bool) {
    let rights = VaultRights { uses: vec![VaultUse::Shell], hosts: Vec::new(), is_revealed };
    let entry = |(key, value): &(String, String)| {
        let entry = VaultEntry { value: value.clone(), rights: rights.clone(), version: 1 };
        (key.clone(), entry)
    };
    let entries: VaultEntries = secrets.iter().map(entry).collect();
    world.setup.vault.set_entries([(TeamName::MAIN.to_owned(), entries)].into());
}

/// The secret `TOKEN`, also in the store.
async fn with_token(world: &World, is_revealed: bool) {
    let folder = tempfile::tempdir().expect("a folder");
    let keys = VaultKeys { folder: Some(folder.path().join("keys")), given: None };
    let mut store = world.hive().open_or_make().await.expect("a store");
    let mut owner = VaultOwner { store: &mut store, keys: &keys };
    let rights = VaultRights { is_revealed, ..VaultRights::default() };
    let now = world.setup.clock.moment();
    let token = (TeamName::main(), "TOKEN".to_owned());
    owner.set(token, SECRET, Some(&rights), now).await.expect("it is set");
    store.close().await;
    know(world, &[("TOKEN".to_owned(), SECRET.to_owned())], is_revealed);
}

/// Gets the secret, repeats it in words and in a call, and ends.
fn models() -> Sequence {
    let args = json!({ "path": "out.txt", "content": SECRET }).to_string();
    let repeats =
        Reply::saying(&format!("It is {SECRET}.")).and_call("w", "create_new_file", &args);
    Sequence::new()
        .reply("lead", Reply::call("g", "vault_get", r#"{"key":"TOKEN"}"#))
        .reply("lead", repeats)
        .reply("lead", Reply::saying("Done."))
}

async fn run(world: &World) -> Vec<Request> {
    let mut running = world.start().await;
    running.begin("Go").await.expect("a dialog");
    running.quiet().await;
    world.models.requests()
}

/// The texts of all files of dialogs.
fn recorded(world: &World) -> String {
    let files = files_below(&world.path().join(".dialogs")).into_iter();
    let texts = files.filter_map(|file| std::fs::read(file).ok());
    texts.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).collect()
}

#[tokio::test]
async fn s15_2_a_readable_value_is_in_requests_and_in_no_record_and_calls_do_what_was_meant() {
    let world = world(models());
    with_token(&world, true).await;
    let requests = run(&world).await;
    let got = result_of(&requests[1], "g").expect("a result");
    assert!(got.contains(SECRET), "{got}");
    let sent = format!("{:?}", requests[2].messages);
    assert!(sent.contains(&format!("It is {SECRET}.")), "{sent}");
    let written = std::fs::read_to_string(world.path().join("out.txt")).expect("a file");
    assert_eq!(written.trim_end(), SECRET);
    let recorded = recorded(&world);
    assert!(!recorded.contains(SECRET) && recorded.contains("${vault:TOKEN}"));
}

#[tokio::test]
async fn s15_2_a_closed_value_is_in_no_request_and_no_record() {
    let world = world(models());
    with_token(&world, false).await;
    let requests = run(&world).await;
    let got = result_of(&requests[1], "g").expect("a result");
    assert!(got.contains(r#""reference":"${vault:TOKEN}""#), "{got}");
    assert!(requests.iter().all(|request| !format!("{request:?}").contains(SECRET)));
    let written = std::fs::read_to_string(world.path().join("out.txt")).expect("a file");
    assert_eq!(written.trim_end(), "[redacted]");
    assert!(!recorded(&world).contains(SECRET));
}

#[tokio::test]
async fn canary_twenty_secrets_in_many_forms_are_in_no_record() {
    let secrets: Vec<(String, String)> =
        (0..20).map(|n| (format!("K{n}"), format!("canary-{n:02}/a+b\"c~0123456789"))).collect();
    let forms = |value: &str| {
        let hex = value.bytes().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().concat();
        let percent = value.bytes().map(|byte| format!("%{byte:02X}")).collect::<Vec<_>>().concat();
        let quoted = json!(value).to_string();
        let quoted = quoted[1..quoted.len() - 1].to_owned();
        [value.to_owned(), STANDARD.encode(value), hex, percent, quoted]
    };
    let all: Vec<String> = secrets.iter().flat_map(|(_, value)| forms(value)).collect();
    let text = all.join(" and\n");
    // Each piece ends within a secret.
    let mut words = Reply::new().and_thinking(&text);
    let letters: Vec<char> = text.chars().collect();
    for piece in letters.chunks(7) {
        words = words.and_saying(&piece.iter().collect::<String>());
    }
    let reminder = json!({ "content": text.chars().take(3_000).collect::<String>() }).to_string();
    let words = words.and_call("r", "add_reminder", &reminder);
    for is_revealed in [false, true] {
        let models =
            Sequence::new().reply("lead", words.clone()).reply("lead", Reply::saying("Done."));
        let world = world(models);
        know(&world, &secrets, is_revealed);
        run(&world).await;
        let recorded = recorded(&world);
        for form in &all {
            assert!(!recorded.contains(form.as_str()), "{form}");
        }
        assert_eq!(recorded.contains("${vault:K7}"), is_revealed);
    }
}

#[tokio::test]
async fn where_vaults_are_off_no_byte_of_a_request_is_different() {
    let mut sent = Vec::new();
    for (config, is_on) in [
        ("version: 1\n", false),
        ("version: 1\nvault: off\n", false),
        ("version: 1\nvault: on\n", true),
    ] {
        let world = world(Sequence::new().reply("lead", Reply::saying("Hi.")));
        world.put(".minds/hive/hive.yaml", config);
        let request = run(&world).await.remove(0);
        let has = |name: &&str| request.tools.iter().any(|tool| tool.name == **name);
        assert_eq!(NAMES.iter().filter(|name| has(name)).count(), if is_on { 4 } else { 0 });
        if !is_on {
            sent.push((request.system, request.messages, request.tools));
        }
    }
    assert_eq!(sent[0], sent[1]);
}
