//! The rights of the hidden members when another member asks them.

use std::collections::BTreeSet;

use dominds_tui::llm::{Reply, Request, Sequence};

use super::tellasks::{once, reply, session};
use crate::common::World;

const LLM: &str = "providers: { script: { apiType: mock, baseUrl: db, models: { lead: {}, alice: {}, pangu: {}, fuxi: {} } } }\n";

/// The file of a team: what `lead` and `alice` have, and `more` lines.
fn team(more: &str, pangu: &str) -> String {
    format!(
        "{more}member_defaults: {{ provider: script, diligence-push-max: 0 }}\nmembers:\n  \
         lead: {{ model: lead, toolsets: [ws_read], read_dirs: [src] }}\n  \
         alice: {{ model: alice, toolsets: [ws_mod] }}\n  \
         pangu: {{ model: pangu{pangu} }}\n  fuxi: {{ model: fuxi }}\n"
    )
}

fn ask(id: &str, target: &str) -> Reply {
    Reply::call(id, "tellaskSessionless", &once(target, "Do it."))
}

fn answered(id: &str) -> Reply {
    Reply::call(id, "replyTellaskSessionless", &reply("done"))
}

/// The tools a model was offered.
fn offered(request: &Request) -> BTreeSet<&str> {
    request.tools.iter().map(|tool| tool.name.as_str()).collect()
}

/// The first request of a member.
fn first<'a>(requests: &'a [Request], model: &str) -> &'a Request {
    requests.iter().find(|request| request.model == model).expect("a request")
}

async fn driven(team: &str, models: Sequence) -> (World, Vec<Request>) {
    let world = World::empty(models);
    world.put(".minds/llm.yaml", LLM);
    world.put(".minds/team.yaml", team);
    for path in ["src/a.txt", "docs/b.txt"] {
        world.put(path, "text");
    }
    let mut running = world.start().await;
    running.begin("Go").await.expect("a dialog");
    running.quiet().await;
    let requests = world.models.requests();
    (world, requests)
}

#[tokio::test(start_paused = true)]
async fn asking_a_hidden_member_grants_no_tool_and_no_path_the_asker_lacks() {
    let reads = |id: &str, path: &str| {
        Reply::call(id, "read_file", &serde_json::json!({ "path": path }).to_string())
    };
    let models = Sequence::new()
        .reply("lead", ask("c", "pangu"))
        .reply("pangu", reads("x", "src/a.txt"))
        .reply("pangu", reads("y", "docs/b.txt"))
        .reply("pangu", Reply::call("z", "create_new_file", "{}"))
        .reply("pangu", answered("r"))
        .reply("lead", Reply::saying("Good."));
    let (_world, requests) = driven(&team("", ""), models).await;
    let (lead, pangu) = (offered(first(&requests, "lead")), offered(first(&requests, "pangu")));
    assert!(pangu.contains("read_file"), "{pangu:?}");
    let more: Vec<_> = pangu
        .difference(&lead)
        .filter(|name| !name.starts_with("reply") && !name.starts_with("tellaskBack"))
        .collect();
    assert_eq!(more, [&""; 0]);
    let last = requests.iter().rfind(|request| request.model == "pangu").expect("a request");
    let result = |call| super::result_of(last, call).expect("a result").to_owned();
    assert!(result("x").contains("text"), "{}", result("x"));
    assert!(
        !result("y").contains("text\n") && result("y").contains("read_dirs"),
        "{}",
        result("y")
    );
    assert!(!result("z").contains("created"), "{}", result("z"));
}

#[tokio::test(start_paused = true)]
async fn a_chain_of_hidden_members_lends_what_its_first_asker_has() {
    let models = Sequence::new()
        .reply("lead", ask("c", "pangu"))
        .reply("pangu", ask("d", "fuxi"))
        .reply("fuxi", answered("r"))
        .reply("pangu", answered("s"))
        .reply("lead", Reply::saying("Good."));
    let (_world, requests) = driven(&team("", ""), models).await;
    let fuxi = offered(first(&requests, "fuxi"));
    assert!(!fuxi.iter().any(|name| name.starts_with("team_mgmt")), "{fuxi:?}");
}

#[tokio::test(start_paused = true)]
async fn a_session_of_a_hidden_member_has_what_all_who_ask_in_it_have() {
    let asks = |id: &str| Reply::call(id, "tellask", &session("pangu", "s", "Do it."));
    let models = Sequence::new()
        .reply("lead", asks("a"))
        .reply("pangu", Reply::call("r", "replyTellask", &reply("done")))
        .reply("lead", ask("b", "alice"))
        .reply("alice", asks("c"))
        .reply("pangu", Reply::call("s", "replyTellask", &reply("done")))
        .reply("alice", answered("t"))
        .reply("lead", Reply::saying("Good."));
    let (_world, requests) = driven(&team("", ""), models).await;
    for request in requests.iter().filter(|request| request.model == "pangu") {
        assert!(!offered(request).contains("team_mgmt_list_dir"));
        assert!(!offered(request).contains("shell_cmd"));
    }
}

#[tokio::test(start_paused = true)]
async fn what_the_team_file_names_is_a_hidden_members_own() {
    for (more, own, has, lacks) in [
        ("", ", toolsets: [ws_mod]", "create_new_file", "shell_cmd"),
        ("shell_specialists: [pangu]\n", "", "shell_cmd", "create_new_file"),
        ("shell_specialists: pangu\n", ", toolsets: [os]", "shell_cmd", "read_file"),
    ] {
        let models = Sequence::new()
            .reply("lead", ask("c", "pangu"))
            .reply("pangu", answered("r"))
            .reply("lead", Reply::saying("Good."));
        let (_world, requests) = driven(&team(more, own), models).await;
        let pangu = offered(first(&requests, "pangu"));
        assert!(pangu.contains(has) && !pangu.contains(lacks), "{more}{own}: {pangu:?}");
    }
}
