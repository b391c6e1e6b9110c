//! A login against a local server of answers and renewals, and files that hold none.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::PathBuf;
use std::time::Duration;

use futures_util::FutureExt as _;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpListener;
use tokio::time::timeout;

use super::*;
use crate::domain::{Clock, SharedSecrets, Stamp};
use crate::llm::canned::{
    Items, JSON, STREAM, accept, data, ends, failure, listen, merged, request, says,
};
use crate::samples::assert_translated;

const LIMIT: Duration = Duration::from_mins(1);
const REFUSED: &str = "HTTP/1.1 401 Unauthorized\r\nconnection: close\r\n\r\n";

#[derive(Debug)]
struct Noon;

impl Clock for Noon {
    fn now(&self) -> Stamp {
        Stamp::new("2026-11-21 12:00:00")
    }
}

/// A folder with a login, and a server for its requests.
struct Fixture {
    folder: TempDir,
    listener: TcpListener,
    known: SharedSecrets,
    codex: Codex,
}

impl Fixture {
    async fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (listener, url) = listen().await;
        let base = url.replace("/v1/", "/backend-api/");
        let known = SharedSecrets::default();
        let clients = Clients::default();
        let noon: Arc<dyn Clock> = Arc::new(Noon);
        let mut login = CodexLogin::new(folder.path(), clients.clone(), noon, known.clone());
        login.server = base.replace("/backend-api/", "");
        let codex = Codex::new(Arc::new(login), Endpoint::new(&base), clients);
        let fixture = Self { folder, listener, known, codex };
        fixture.write(&login_with("one"));
        fixture
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join(LOGIN_FILE)
    }

    fn write(&self, file: &Value) {
        fs::write(self.path(), file.to_string()).unwrap();
        set_mode(&self.path(), 0o600);
    }

    fn file(&self) -> Value {
        serde_json::from_slice(&fs::read(self.path()).unwrap()).unwrap()
    }

    /// Answers one request.
    async fn serve(&self, head: &str, body: &str) -> String {
        self.serve_after(|| {}, head, body).await
    }

    /// Answers one request, after something has happened.
    async fn serve_after(&self, happens: impl FnOnce(), head: &str, body: &str) -> String {
        let (mut socket, seen) = accept(&self.listener).await;
        happens();
        drop(socket.write_all(format!("{head}{body}").as_bytes()).await);
        drop(socket.shutdown().await);
        seen
    }

    /// Asks, and answers the requests for it in turn.
    async fn ask(&self, answers: &[(&str, &str)]) -> (Items, Vec<String>) {
        let served = async {
            let mut seen = Vec::new();
            for (head, body) in answers {
                seen.push(self.serve(head, body).await);
            }
            seen
        };
        self.ask_while(served).await
    }

    /// Asks, and does something else meanwhile.
    async fn ask_while<T>(&self, meanwhile: impl Future<Output = T>) -> (Items, T) {
        let asked = self.codex.stream(request()).collect::<Items>();
        timeout(LIMIT, async { tokio::join!(asked, meanwhile) }).await.expect("it ends")
    }

    /// Why it fails without any request.
    async fn refusal(&self) -> LlmError {
        let (items, _) = self.ask(&[]).await;
        failure(items)
    }
}

fn set_mode(path: &std::path::Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

/// A login whose tokens end with this word.
fn login_with(word: &str) -> Value {
    json!({
        "auth_mode": "chatgpt",
        "OPENAI_API_KEY": null,
        "tokens": {
            "id_token": format!("id-canary-{word}"),
            "access_token": format!("access-canary-{word}"),
            "refresh_token": format!("refresh-canary-{word}"),
            "account_id": "account-7",
        },
        "last_refresh": "2026-11-01T00:00:00Z",
        "future": {"kept": true},
    })
}

fn sent_tokens(word: &str) -> String {
    json!({"access_token": format!("access-canary-{word}"), "refresh_token": format!("refresh-canary-{word}")})
        .to_string()
}

fn hello() -> String {
    let answer = json!({"object": "response", "status": "completed", "model": "m-1", "output": []});
    let text = json!({"type": "response.output_text.delta", "output_index": 0, "delta": "hello"});
    data(&text) + &data(&json!({"type": "response.completed", "response": answer}))
}

fn bearer(word: &str) -> String {
    format!("authorization: Bearer access-canary-{word}\r\n")
}

#[tokio::test]
async fn the_login_of_the_file_is_sent_with_its_account_and_is_a_secret_from_then_on() {
    let fixture = Fixture::new().await;
    let (items, seen) = fixture.ask(&[(STREAM, hello().as_str())]).await;
    assert_eq!(merged(items).unwrap(), [says("hello"), ends()]);
    let seen = &seen[0];
    assert!(seen.starts_with("POST /backend-api/codex/responses HTTP/1.1\r\n"), "{seen}");
    assert!(seen.contains(&bearer("one")), "{seen}");
    assert!(seen.contains("chatgpt-account-id: account-7\r\n"), "{seen}");
    assert!(seen.contains("originator: dominds_tui\r\n"), "{seen}");
    assert!(!seen.contains("refresh-canary") && !seen.contains("id-canary"), "{seen}");
    for token in ["access-canary-one", "refresh-canary-one", "id-canary-one"] {
        assert!(fixture.known.secrets().is_in(token), "{token}");
        assert!(!format!("{:?}", fixture.codex).contains(token), "{token}");
    }
    assert_eq!(fixture.file(), login_with("one"), "nothing was renewed");
}

#[tokio::test]
async fn its_requests_are_streams_with_instructions_and_without_a_limit_of_the_output() {
    let mut asked = request();
    (asked.system, asked.streaming, asked.output_limit) = (String::new(), false, Some(9));
    asked.params.max_tokens = Some(5);
    let body = login_body(&asked, &Endpoint::new("http://127.0.0.1:1")).unwrap();
    let body: Value = serde_json::from_slice(&body).unwrap();
    assert_eq!((&body["stream"], &body["store"]), (&json!(true), &json!(false)));
    assert!(body["instructions"].as_str().is_some_and(|text| !text.is_empty()), "{body}");
    assert_eq!(body.get("max_output_tokens"), None);
    let protocol = LoginResponses { account: String::new() };
    assert_eq!(protocol.path("https://chatgpt.com/backend-api/codex/", &asked), "responses");
}

#[tokio::test]
async fn a_refused_login_is_renewed_once_and_all_else_in_its_file_stays() {
    let fixture = Fixture::new().await;
    let (two, hello) = (sent_tokens("two"), hello());
    let answers = [(REFUSED, ""), (JSON, two.as_str()), (STREAM, hello.as_str())];
    let (items, seen) = fixture.ask(&answers).await;
    assert_eq!(merged(items).unwrap(), [says("hello"), ends()]);
    assert!(seen[1].starts_with("POST /oauth/token HTTP/1.1\r\n"), "{}", seen[1]);
    assert!(seen[1].contains("refresh-canary-one") && !seen[1].contains("access-canary"));
    assert!(seen[2].contains(&bearer("two")), "{}", seen[2]);
    let mut expected = login_with("two");
    expected["tokens"]["id_token"] = json!("id-canary-one");
    expected["last_refresh"] = json!("2026-11-21T12:00:00Z");
    assert_eq!(fixture.file(), expected);
    let mode = fs::metadata(fixture.path()).unwrap().permissions().mode() & 0o7777;
    assert_eq!(mode, 0o600);
    assert_eq!(fs::read_dir(fixture.folder.path()).unwrap().count(), 1, "no copy is left");
    assert!(fixture.known.secrets().is_in("refresh-canary-two"));
    let (_, seen) = fixture.ask(&[(STREAM, hello.as_str())]).await;
    assert!(seen[0].contains(&bearer("two")), "{}", seen[0]);
}

#[tokio::test]
async fn a_login_that_somebody_else_renewed_is_used_and_not_renewed_again() {
    let fixture = Fixture::new().await;
    let served = async {
        fixture.serve_after(|| fixture.write(&login_with("other")), REFUSED, "").await;
        fixture.serve(STREAM, &hello()).await
    };
    let (items, seen) = fixture.ask_while(served).await;
    assert_eq!(merged(items).unwrap(), [says("hello"), ends()]);
    assert!(seen.contains(&bearer("other")), "{seen}");
    assert_eq!(fixture.file(), login_with("other"));
}

#[tokio::test]
async fn a_file_that_changed_during_a_renewal_is_not_overwritten() {
    let fixture = Fixture::new().await;
    let served = async {
        fixture.serve(REFUSED, "").await;
        let change = || fixture.write(&login_with("other"));
        fixture.serve_after(change, JSON, &sent_tokens("two")).await;
        fixture.serve(STREAM, &hello()).await
    };
    let (items, seen) = fixture.ask_while(served).await;
    assert_eq!(merged(items).unwrap(), [says("hello"), ends()]);
    assert!(seen.contains(&bearer("other")), "{seen}");
    assert_eq!(fixture.file(), login_with("other"));
}

#[tokio::test]
async fn a_renewal_goes_on_when_nobody_waits_for_it_any_more() {
    let fixture = Fixture::new().await;
    let mut asked = fixture.codex.stream(request());
    let begun = async {
        fixture.serve(REFUSED, "").await;
        accept(&fixture.listener).await.0
    };
    let mut socket = tokio::select! {
        socket = timeout(LIMIT, begun) => socket.expect("the renewal begins"),
        item = asked.next() => panic!("{item:?}"),
    };
    drop(asked);
    socket.write_all(format!("{JSON}{}", sent_tokens("two")).as_bytes()).await.unwrap();
    drop(socket.shutdown().await);
    drop(socket);
    let (items, seen) = fixture.ask(&[(STREAM, hello().as_str())]).await;
    assert_eq!(merged(items).unwrap(), [says("hello"), ends()]);
    assert!(seen[0].contains(&bearer("two")), "{}", seen[0]);
    assert_eq!(fixture.file()["tokens"]["refresh_token"], json!("refresh-canary-two"));
}

#[tokio::test]
async fn a_login_that_cannot_be_renewed_says_why_and_what_to_do() {
    const BAD: &str = "HTTP/1.1 400 Bad Request\r\nconnection: close\r\n\r\n";
    const DOWN: &str = "HTTP/1.1 503 Down\r\nconnection: close\r\n\r\n";
    let code = |code: &str| json!({"error": {"code": code, "message": "no"}}).to_string();
    for (head, body, class, words) in [
        (REFUSED, String::new(), ErrorClass::Rejected, "`codex login`"),
        (BAD, code("refresh_token_reused"), ErrorClass::Rejected, "`codex login`"),
        (BAD, json!({"error": "invalid_grant"}).to_string(), ErrorClass::Rejected, "`codex login`"),
        (DOWN, "refresh-canary-one".to_owned(), ErrorClass::Server, "cannot renew"),
        (JSON, "[]".to_owned(), ErrorClass::Malformed, "no tokens"),
        (
            JSON,
            json!({"access_token": "two\nlines"}).to_string(),
            ErrorClass::Malformed,
            "no tokens",
        ),
        (JSON, " ".repeat(100_000), ErrorClass::Malformed, "no tokens"),
    ] {
        let fixture = Fixture::new().await;
        let (items, _) = fixture.ask(&[(REFUSED, ""), (head, body.as_str())]).await;
        let error = failure(items);
        assert_eq!(error.class(), class, "{error}");
        assert!(error.to_string().contains(words), "{error}");
        assert!(!error.to_string().contains("canary"), "{error}");
        assert_translated(error.message());
        assert_eq!(fixture.file(), login_with("one"), "{error}");
    }
}

#[tokio::test]
async fn a_login_that_is_refused_after_its_renewal_is_not_renewed_again() {
    let fixture = Fixture::new().await;
    let quoted = "no access-canary-two here";
    let two = sent_tokens("two");
    let answers = [(REFUSED, ""), (JSON, two.as_str()), (REFUSED, quoted)];
    let (items, _) = fixture.ask(&answers).await;
    let error = failure(items);
    assert_eq!((error.class(), error.status()), (ErrorClass::Rejected, Some(401)));
    let text = error.to_string();
    assert!(text.contains("`codex login`") && !text.contains("canary"), "{text}");
    assert_translated(error.message());
}

#[tokio::test]
async fn a_login_that_cannot_be_written_is_used_in_this_run_and_the_person_is_told() {
    let fixture = Fixture::new().await;
    let served = async {
        fixture.serve(REFUSED, "").await;
        // Nothing can be put beside the file.
        let pid = std::process::id();
        let beside = fixture.folder.path().join(format!(".{LOGIN_FILE}.{pid}.tmp"));
        let obstruct = || fs::create_dir(beside).unwrap();
        fixture.serve_after(obstruct, JSON, &sent_tokens("two")).await;
        fixture.serve(STREAM, &hello()).await
    };
    let (items, seen) = fixture.ask_while(served).await;
    assert_eq!(merged(items).unwrap(), [GenEvent::Notice(NOT_SAVED), says("hello"), ends()]);
    assert!(seen.contains(&bearer("two")), "{seen}");
    assert_eq!(fixture.file(), login_with("one"));
    let (_, seen) = fixture.ask(&[(STREAM, hello().as_str())]).await;
    assert!(seen[0].contains(&bearer("two")), "{}", seen[0]);
}

#[tokio::test]
async fn what_is_no_renewable_login_is_refused_before_any_request() {
    let changed = |change: &dyn Fn(&mut Value)| {
        let mut file = login_with("one");
        change(&mut file);
        file.to_string()
    };
    let without = |name: &'static str| {
        changed(&|file| drop(file["tokens"].as_object_mut().unwrap().remove(name)))
    };
    let mode = |mode: &'static str| changed(&|file| file["auth_mode"] = json!(mode));
    for (content, words) in [
        (json!({"OPENAI_API_KEY": "sk-canary"}).to_string(), "API key"),
        (mode("apikey"), "API key"),
        (mode("chatgptAuthTokens"), "that can be renewed"),
        (json!({}).to_string(), "that can be renewed"),
        (without("refresh_token"), "incomplete"),
        (without("id_token"), "incomplete"),
        (without("account_id"), "incomplete"),
        (changed(&|file| file["tokens"]["access_token"] = json!("a\r\nb: c")), "incomplete"),
        (String::new(), "not valid JSON"),
        ("[".repeat(10_000), "not valid JSON"),
        (" ".repeat(1_000_000), "larger than 256 KiB"),
    ] {
        let fixture = Fixture::new().await;
        fs::write(fixture.path(), content).unwrap();
        let error = fixture.refusal().await;
        assert_eq!(error.class(), ErrorClass::Rejected, "{error}");
        let text = error.to_string();
        assert!(text.contains(words) && text.contains("`codex login`"), "{text}");
        assert!(text.contains(LOGIN_FILE) && !text.contains("canary"), "{text}");
        assert_translated(error.message());
        assert!(fixture.listener.accept().now_or_never().is_none(), "nothing was sent");
    }
}

#[tokio::test]
async fn a_file_that_is_not_this_users_alone_is_not_used() {
    type Change = fn(&Fixture);
    let changes: [(Change, &str); 6] = [
        (|fixture| fs::remove_file(fixture.path()).unwrap(), "there is no "),
        (|fixture| set_mode(&fixture.path(), 0o644), "chmod 600 "),
        (|fixture| set_mode(&fixture.path(), 0o620), "chmod 600 "),
        (|fixture| set_mode(fixture.folder.path(), 0o777), "chmod go-w "),
        (
            |fixture| {
                let elsewhere = fixture.folder.path().join("elsewhere");
                fs::rename(fixture.path(), &elsewhere).unwrap();
                symlink(elsewhere, fixture.path()).unwrap();
            },
            "a link or no file",
        ),
        (
            |fixture| {
                fs::remove_file(fixture.path()).unwrap();
                fs::create_dir(fixture.path()).unwrap();
            },
            "a link or no file",
        ),
    ];
    for (change, words) in changes {
        let fixture = Fixture::new().await;
        change(&fixture);
        let error = fixture.refusal().await;
        assert_eq!(error.class(), ErrorClass::Rejected, "{error}");
        assert!(error.to_string().contains(words), "{error}");
        assert_translated(error.message());
    }
}
