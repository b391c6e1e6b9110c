//! The screens of docs/memory.md and docs/vault.md in the real program.

use serde_json::{Value, json};

use super::pictures::{pictured, screen};
use super::vault::set;
use crate::common::files;
use crate::common::pty::Program;
use crate::serving::Driver;

const ALT_0: &str = "\x1b0";
const ENTER: &str = "\r";
const ESC: &str = "\x1b";
/// What `ops` is told to do.
const TIMEOUTS: &str = "Find out why Redis times out";
const AGAIN: &str = "Look at the timeouts again";
const FEED: &str = "Read the feed of errors";
const TEAM: &str = "member_defaults: { provider: script, model: m, diligence-push-max: 0 }\n\
                    default_responder: lead\n\
                    members:\n  lead: { name: Lead }\n  ops: { name: Opal }\n";

/// Returns the reply of the model to this input: it makes one call.
fn calls(input: &str, name: &str, arguments: &Value) -> Value {
    let call = json!({ "name": name, "arguments": arguments });
    json!({ "message": input, "role": "user", "response": "I note it.", "funcCalls": [call] })
}

/// A workspace with a team of operators that has memories and a vault.
fn operators() -> Driver {
    let driver = Driver::ended();
    let pool = json!({
        "key": "redis-timeout",
        "type": "lesson",
        "content": "Redis connections timeout after 30s under load. Increase pool size to 20.",
    });
    let leak = json!({
        "key": "redis-timeout",
        "type": "lesson",
        "content": "Redis timeouts were caused by a connection leak in the retry handler, not by \
                    the size of the pool. Close connections in the finally block.",
        "supersede_reason": "with a pool of 20 it came again: connections leaked",
    });
    let answers = [
        calls(TIMEOUTS, "memory_save", &pool),
        calls(AGAIN, "memory_save", &leak),
        calls(FEED, "vault_set", &json!({ "key": "cursor", "value": "event 4711" })),
    ];
    let workspace = driver.home().workspace();
    files::put(&workspace, ".minds/team.yaml", TEAM);
    files::put(&workspace, ".minds/hive/hive.yaml", "version: 1\nmemory: on\nvault: on\n");
    files::put(&workspace, ".minds/hive/teams/ops.yaml", "lead: ops\n");
    files::put(&workspace, "answers/m.yaml", &json!({ "responses": answers }).to_string());
    driver
}

/// The program in this workspace, with the list that a key on the overview opens.
fn list_of(driver: &Driver, key: &str, title: &str) -> Program {
    let mut program = screen(driver.home());
    program.until_shown(&["DIALOGS"]);
    program.keys(ALT_0);
    program.until_shown(&["OVERVIEW"]);
    program.keys(key);
    program.until_shown(&[title]);
    program
}

/// Leads back from a list to the overview, and to the dialogs, and quits.
fn end(mut program: Program, title: &str) {
    program.keys(ESC);
    program.until("the overview", |screen| screen.contains("OVERVIEW") && !screen.contains(title));
    program.keys(ESC);
    program.until("the overview is closed", |screen| !screen.contains("OVERVIEW"));
    program.quit();
    assert_eq!(program.end_restored(), 0);
}

#[test]
fn the_page_about_memory_shows_its_list_and_a_replaced_memory_as_they_are() {
    let driver = operators();
    for task in [TIMEOUTS, AGAIN] {
        driver.ok(&["run", "--agent", "ops", task], 0);
    }
    for (key, text, kind, team) in [
        ("who-we-are", "We run the shop at night and on holidays.", "identity", "ops"),
        ("database", "PostgreSQL, because orders and stock change together.", "decision", "main"),
        ("deploy-days", "We deploy from Monday to Thursday.", "decision", "main"),
        ("migration", "Until Friday both tables of orders are written.", "context", "ops"),
        ("staging", "https://staging.shop.example", "reference", "main"),
    ] {
        driver.ok(&["memory", "save", key, text, "--type", kind, "--team", team], 0);
    }
    let mut program = list_of(&driver, "m", "MEMORY · active");
    let listed = [
        "MEMORY · active",
        "[IDENTITY] ops who-we-are",
        "[LESSON] ops redis-timeout",
        "[DECISION] main database",
        "[REFERENCE]",
        "@ops",
        "@human",
    ];
    pictured(&program, "memory/list", &listed);
    program.keys("s");
    program.until_shown(&["any words, at most"]);
    program.keys("redis pool");
    program.until_shown(&["redis pool"]);
    program.keys(ENTER);
    program.until("both are found, and nothing else", |screen| {
        let found = ["found for “redis pool”", "[SUPERSEDED] [LESSON] ops redis-timeout"];
        found.iter().all(|text| screen.contains(text)) && !screen.contains("[IDENTITY]")
    });
    program.keys(ENTER);
    let whole = [
        "MEMORY · ops · redis-timeout",
        "2 with this key",
        "replaced: with a pool of 20",
        "[SUPERSEDED] [LESSON]",
        "Increase pool size",
    ];
    pictured(&program, "memory/one", &whole);
    program.keys(ESC);
    program.until_shown(&["found for"]);
    end(program, "found for");
}

#[test]
fn the_page_about_vaults_shows_its_list_as_it_is() {
    let driver = operators();
    set(
        &driver,
        &["GITHUB_TOKEN", "--team", "ops", "--secret", "--use", "shell,mcp"],
        "ghp-4f1b-0123456789",
    );
    set(&driver, &["NPM_TOKEN", "--secret"], "npm-77c2-0123456789");
    set(&driver, &["journal", "--team", "ops"], "The night was quiet.\n");
    driver.ok(&["run", "--agent", "ops", FEED], 0);
    let program = list_of(&driver, "v", "VAULT · all entries");
    let listed = [
        "VAULT · all entries",
        "GITHUB_TOKEN",
        "secret · closed · shell mcp",
        "NPM_TOKEN",
        "cursor",
        "event 4711",
        "@ops",
        "@human",
    ];
    pictured(&program, "vault/list", &listed);
    end(program, "VAULT · all entries");
}
