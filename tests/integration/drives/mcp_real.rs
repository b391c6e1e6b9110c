//! Servers that others wrote, over both transports. They are fetched once, as `docs/testing.md` says;
//! where they or `node` are absent, these tests are skipped.

use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command as Program, Stdio};

use dominds_tui::llm::{Reply, Sequence};

use crate::common::skip::{has, skip};
use crate::common::wait::until;

use super::mcp::{offered, problems, world_with};
use super::result_of;

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/target/mcp-servers/node_modules/.bin");

/// The program of a server, if it was fetched and can run.
fn server(name: &str) -> Option<PathBuf> {
    let path = Path::new(FOLDER).join(name);
    if !path.exists() {
        skip(&format!("{name} is not in {FOLDER}"));
        return None;
    }
    has("node").then_some(path)
}

/// A server that listens on a port; it ends with this value.
struct Listening(Child, u16);

impl Listening {
    async fn start(program: &Path) -> Self {
        let probe = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = probe.local_addr().expect("an address").port();
        drop(probe);
        let mut command = Program::new(program);
        command.arg("streamableHttp").env("PORT", port.to_string());
        let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("a server");
        until(|| TcpStream::connect(("127.0.0.1", port)).is_ok()).await;
        Self(child, port)
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Checks the answers of the reference server, under names with this prefix.
async fn everything(entry: &str) {
    let round = Reply::call("a", "x_echo", r#"{"message":"hello"}"#)
        .and_call("b", "x_get-sum", r#"{"a":2,"b":3}"#)
        .and_call("c", "x_get-tiny-image", "{}")
        .and_call("d", "x_get-structured-content", r#"{"location":"Chicago"}"#)
        .and_call("e", "x_get-resource-links", r#"{"count":2}"#)
        .and_call("f", "x_get-sum", r#"{"a":"two"}"#)
        .and_call("g", "x_trigger-long-running-operation", r#"{"duration":1,"steps":2}"#);
    let models = Sequence::new().reply("lead", round).reply("lead", Reply::saying("Seen."));
    let world = world_with(
        models,
        &format!("servers:\n  every:\n{entry}    transform: [{{ prefix: x_ }}]\n"),
    );
    let mut running = world.start().await;
    running.talk("Go").await;
    assert_eq!(problems(&running), []);
    let seen = world.models.requests();
    assert!(offered(&seen[0]).contains(&"x_echo"), "{:?}", offered(&seen[0]));
    let result = |call| result_of(&seen[1], call).expect("a result");
    assert!(result("a").contains("hello"), "{}", result("a"));
    assert!(result("b").contains('5'), "{}", result("b"));
    assert!(result("d").contains("temperature"), "{}", result("d"));
    assert!(result("e").contains("://"), "{}", result("e"));
    assert!(result("f").contains("expected number"), "{}", result("f"));
    assert!(result("g").contains("completed"), "{}", result("g"));
    running.shut_down().await;
}

#[tokio::test]
async fn the_reference_server_is_understood_over_pipes() {
    let Some(program) = server("mcp-server-everything") else { return };
    let entry = format!("    command: {}\n    args: [stdio]\n", program.display());
    everything(&entry).await;
}

#[tokio::test]
async fn the_reference_server_is_understood_over_http() {
    let Some(program) = server("mcp-server-everything") else { return };
    let listening = Listening::start(&program).await;
    let url = format!("http://127.0.0.1:{}/mcp", listening.1);
    everything(&format!("    transport: streamable_http\n    url: {url}\n")).await;
}

#[tokio::test]
async fn files_are_read_and_written_through_a_server() {
    let Some(program) = server("mcp-server-filesystem") else { return };
    let models = Sequence::new()
        .reply("lead", Reply::call("a", "fs_write_file", r#"{"path":"note.txt","content":"hi"}"#))
        .reply(
            "lead",
            Reply::call("b", "fs_read_text_file", r#"{"path":"note.txt"}"#).and_call(
                "c",
                "fs_read_text_file",
                r#"{"path":"/etc/passwd"}"#,
            ),
        )
        .reply("lead", Reply::saying("Done."));
    let entry =
        format!("command: {}, args: [.], transform: [{{ prefix: fs_ }}]", program.display());
    let world = world_with(models, &format!("servers: {{ fs: {{ {entry} }} }}\n"));
    let mut running = world.start().await;
    running.talk("Go").await;
    assert_eq!(problems(&running), []);
    let seen = world.models.requests();
    assert_eq!(std::fs::read_to_string(world.path().join("note.txt")).expect("a file"), "hi");
    assert_eq!(result_of(&seen[2], "b"), Some("hi"));
    assert!(result_of(&seen[2], "c").is_some_and(|text| text.contains("denied")));
    running.shut_down().await;
}
