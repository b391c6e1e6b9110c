//! Vaults in whole dialogs: what a model is sent, what is recorded, and that nothing is different where there is none.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD, URL_SAFE, URL_SAFE_NO_PAD};
use dominds_tui::domain::TeamName;
use dominds_tui::domain::safety::references::{VaultEntries, VaultEntry, VaultRights, VaultUse};
use dominds_tui::domain::teams::vault::ListedEntries;
use dominds_tui::driver::Audience;
use dominds_tui::hive::{VaultKeys, VaultOwner};
use dominds_tui::llm::{Reply, Request, Sequence};
use dominds_tui::protocol::{Command, DriverEvent, VaultRequest};
use serde_json::json;

use super::{reply_to, result_of};
use crate::common::World;
use crate::common::files::files_below;
use crate::common::logged::Logged;

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

/// The secret `TOKEN`, also in the store, and a text that has it.
async fn with_token(world: &World, is_revealed: bool) {
    let folder = tempfile::tempdir().expect("a folder");
    let keys = VaultKeys { folder: Some(folder.path().join("keys")), given: None };
    let mut store = world.hive().open_or_make().await.expect("a store");
    let mut owner = VaultOwner { store: &mut store, keys: &keys };
    let rights = VaultRights { is_revealed, ..VaultRights::default() };
    let now = world.setup.clock.moment();
    let token = (TeamName::main(), "TOKEN".to_owned());
    owner.set(token, SECRET, Some(&rights), now).await.expect("it is set");
    let note = (TeamName::main(), "note".to_owned());
    owner.set(note, &format!("it is {SECRET}"), None, now).await.expect("it is set");
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

/// What is written of a secret, and what must be nowhere then: in each form in which secrets are found.
fn forms(value: &str) -> Vec<(String, String)> {
    let hex =
        |upper: bool, byte: u8| if upper { format!("{byte:02X}") } else { format!("{byte:02x}") };
    let in_address = |kept: &[u8], upper: bool| -> String {
        let one = |byte: u8| {
            let stays = kept.contains(&byte) || (!kept.is_empty() && byte.is_ascii_alphanumeric());
            if stays { char::from(byte).to_string() } else { format!("%{}", hex(upper, byte)) }
        };
        value.bytes().map(one).collect()
    };
    let quoted = json!(value).to_string();
    let quoted = quoted[1..quoted.len() - 1].to_owned();
    let escaped = |is_meant: fn(char) -> bool| -> String {
        let unicode = |c: char| format!("\\u{:04x}", u32::from(c));
        quoted.chars().map(|c| if is_meant(c) { unicode(c) } else { c.to_string() }).collect()
    };
    let mut all = vec![value.to_owned(), quoted.replace('/', "\\/")];
    // As it is escaped for web pages, by Go, and in ASCII.
    all.push(escaped(|c| "<>&'+".contains(c)));
    all.push(escaped(|c| "<>&".contains(c)));
    all.push(escaped(|c| !c.is_ascii()));
    all.push(quoted);
    for upper in [false, true] {
        all.push(value.bytes().map(|byte| hex(upper, byte)).collect());
        // None, RFC 3986, `encodeURIComponent`, `quote` of Python, `encodeURI`, and a form.
        let kept = [&b""[..], b"-._~", b"-._~!'()*", b"-._~/", b"-._~;,/?:@&=+$#!'()*", b"-._*"];
        all.extend(kept.map(|kept| in_address(kept, upper)));
    }
    for engine in [STANDARD, STANDARD_NO_PAD, URL_SAFE, URL_SAFE_NO_PAD] {
        all.push(engine.encode(value));
    }
    let mut all: Vec<(String, String)> = all.into_iter().map(|one| (one.clone(), one)).collect();
    // Behind other bytes only the middle of what base64 writes is always the same.
    for before in ["x", "xy"] {
        for engine in [STANDARD, URL_SAFE] {
            let encoded = engine.encode(format!("{before}{value}\n"));
            all.push((encoded.clone(), encoded[4..encoded.len() - 4].to_owned()));
        }
    }
    all
}

/// A secret that no two of these forms write alike.
fn canary(n: u32) -> String {
    format!("canary-{n:02}/a+b\"c~?????<é>&'0123456789")
}

/// Says all this in pieces that end within secrets, and hands it to whatever keeps texts.
fn spreads(text: &str) -> Reply {
    let mut words = Reply::new().and_thinking(text);
    let letters: Vec<char> = text.chars().collect();
    for piece in letters.chunks(7) {
        words = words.and_saying(&piece.iter().collect::<String>());
    }
    let short: String = letters.iter().take(3_000).collect();
    let calls = [
        ("add_reminder", json!({ "content": short })),
        ("memory_save", json!({ "key": "note", "content": short })),
        ("notify_human", json!({ "text": short })),
        ("vault_set", json!({ "key": "note", "value": text })),
    ];
    let calls = calls.into_iter().enumerate();
    calls.fold(words, |words, (n, (name, args))| {
        words.and_call(&format!("c{n}"), name, &args.to_string())
    })
}

#[tokio::test]
async fn s15_2_of_twenty_secrets_in_every_form_no_record_log_screen_request_or_store_has_one() {
    let secrets: Vec<(String, String)> = (0..20).map(|n| (format!("K{n}"), canary(n))).collect();
    let all: Vec<(String, String)> = secrets.iter().flat_map(|(_, value)| forms(value)).collect();
    let text = all.iter().map(|(written, _)| written.as_str()).collect::<Vec<_>>().join(" and\n");
    for is_revealed in [false, true] {
        let models =
            Sequence::new().reply("lead", spreads(&text)).reply("lead", Reply::saying("Done."));
        let mut world = world(models);
        world.setup.audience = Audience::Follower;
        world.put(".minds/hive/hive.yaml", "version: 1\nvault: on\nmemory: on\n");
        know(&world, &secrets, is_revealed);
        let log = Logged::listen();
        let mut running = world.start().await;
        running.begin("Go").await.expect("a dialog");
        running.quiet().await;
        let seen = running.shut_down().await;
        let live: String = seen
            .iter()
            .filter_map(|event| match event {
                DriverEvent::Live { text, .. } => Some(text.as_str()),
                _ => None,
            })
            .collect();
        let files =
            files_below(world.path()).into_iter().filter_map(|file| std::fs::read(file).ok());
        let files: String =
            files.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).collect();
        // What models of the team may read is in its own requests.
        let requests = world.models.requests();
        let requests = if is_revealed { String::new() } else { format!("{requests:?}") };
        assert!(files.contains("[redacted]") && live.contains("[redacted]"));
        for (sink, text) in [
            ("log", log.text()),
            ("screen", format!("{seen:?}")),
            ("live", live),
            ("files", files),
            ("requests", requests),
        ] {
            for (_, form) in &all {
                assert!(!text.contains(form.as_str()), "{sink}: {form}");
            }
        }
        assert_eq!(recorded(&world).contains("${vault:K7}"), is_revealed);
    }
}

#[tokio::test]
async fn s15_1_a_client_reads_entries_and_no_value_of_a_secret() {
    let world = world(Sequence::new());
    with_token(&world, true).await;
    let mut running = world.start().await;
    for (listed, expected) in [
        (ListedEntries::All, &["TOKEN", "note"][..]),
        (ListedEntries::Secrets, &["TOKEN"]),
        (ListedEntries::Texts, &["note"]),
    ] {
        let request = VaultRequest::List { listed };
        let reply = reply_to(&mut running, |ticket| Command::Vault { ticket, request }).await;
        assert!(!format!("{reply:?}").contains(SECRET), "{reply:?}");
        let DriverEvent::Vault { entries, total, .. } = reply else { panic!("no entries") };
        let keys: Vec<&str> = entries.iter().map(|entry| entry.key.as_str()).collect();
        assert_eq!((keys.as_slice(), usize::try_from(total)), (expected, Ok(expected.len())));
    }
    for (key, value) in [("TOKEN", None), ("note", Some("it is [redacted]"))] {
        let request = VaultRequest::Show { team: TeamName::main(), key: key.to_owned() };
        let reply = reply_to(&mut running, |ticket| Command::Vault { ticket, request }).await;
        let DriverEvent::VaultEntry { whole, .. } = reply else { panic!("no entry") };
        assert_eq!((whole.entry.value.as_deref(), whole.entry.is_secret), (value, value.is_none()));
    }
    let request = VaultRequest::Show { team: TeamName::main(), key: "NOPE".to_owned() };
    let refused = running.ask(|ticket| Command::Vault { ticket, request }).await;
    assert_eq!(refused.expect_err("there is none"), "vault key \"NOPE\" not found");
    running.shut_down().await;
}

#[tokio::test]
async fn where_vaults_are_off_a_client_reads_nothing_and_no_store_is_made() {
    let world = world(Sequence::new());
    world.put(".minds/hive/hive.yaml", "version: 1\n");
    let mut running = world.start().await;
    let request = VaultRequest::List { listed: ListedEntries::All };
    let refused = running.ask(|ticket| Command::Vault { ticket, request }).await;
    assert!(refused.expect_err("they are off").contains("vault: on"));
    running.shut_down().await;
    assert!(!world.path().join(".hive").exists());
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
