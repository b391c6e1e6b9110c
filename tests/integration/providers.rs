//! `doctor --providers` through the real program, against servers on this machine: those that
//! answer, those that do not, and the messages about them. Proxies and certificates, too.

#![expect(clippy::expect_used, reason = "a test, its functions included, fails by panicking")]
#![expect(clippy::indexing_slicing, reason = "a test that misses something fails")]

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::common::http::{self, Request, page};
use crate::common::wait::{LIMIT, output};

const KEY: &str = "sk-canary-1234";
/// The answer to a request with a login.
const LOGIN_ANSWER: &str = "data: {\"type\":\"response.output_text.delta\",\"output_index\":0,\"delta\":\"ok\"}\n\n\
                            data: {\"type\":\"response.completed\",\"response\":{\"status\":\"completed\",\"output\":[]}}\n\n";

/// Returns the answer of a server, by the first part of the path.
fn answer(path: &str, body: &str) -> String {
    let whole = r#"{"choices":[{"message":{"content":"ok"},"finish_reason":"stop"}]}"#;
    let streamed = "data: {\"choices\":[{\"delta\":{\"content\":\"ok\"},\"finish_reason\":\"stop\"}]}\n\n\
                    data: [DONE]\n\n";
    let error = |text: &str| json!({"error": {"message": text}}).to_string();
    let json = "application/json";
    match path {
        "ok" | "thinks" if body.contains("\"max_tokens\":16") && path == "ok" => {
            page("200 OK", "text/event-stream", streamed)
        }
        "thinks" => page(
            "200 OK",
            json,
            r#"{"choices":[{"message":{"content":""},"finish_reason":"length"}]}"#,
        ),
        "whole" if body.contains("\"stream\":true") => {
            page("400 Bad Request", json, &error("no streams here"))
        }
        "whole" => page("200 OK", json, whole),
        "quirk" if body.contains("stream_options") || body.contains("\"max_tokens\"") => {
            page("400 Bad Request", json, &error("I do not take that"))
        }
        "quirk" => page("200 OK", "text/event-stream", streamed),
        "login" => page("200 OK", "text/event-stream", LOGIN_ANSWER),
        "key" => page("401 Unauthorized", json, &error(&format!("bad key {KEY}"))),
        "model" => page("404 Not Found", json, &error("no such model")),
        "busy" => page("429 Too Many", json, &error("no credit")),
        "page" => page("200 OK", "text/html", "<title>Sign in</title>"),
        "moved" => page("308 Moved", json, ""),
        _ => page("500 No", json, ""),
    }
}

/// Returns the answer to a request; nothing if the server is to hang.
fn answered(request: &Request) -> Option<String> {
    let case = request.path().trim_start_matches("http://model.invalid").split('/').nth(1)?;
    (case != "hang").then(|| answer(case, &request.body))
}

/// Serves until the test ends; tells the heads of the requests.
fn server() -> (u16, Receiver<String>) {
    let (heads, received) = channel();
    let port = http::serve("127.0.0.1:0", move |request| {
        let _ = heads.send(request.head.clone());
        answered(request)
    });
    (port, received)
}

/// A port without a listener, which is reserved as long as this lives.
struct Unused(tokio::net::TcpSocket);

impl Unused {
    fn new() -> Self {
        let socket = tokio::net::TcpSocket::new_v4().expect("a socket");
        socket.bind(([127, 0, 0, 1], 0).into()).expect("a port");
        Self(socket)
    }

    fn port(&self) -> u16 {
        self.0.local_addr().expect("an address").port()
    }
}

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/tls").join(name)
}

/// A server with a certificate that only the authority of the tests vouches for.
fn tls_server() -> u16 {
    static CONFIG: OnceLock<Arc<rustls::ServerConfig>> = OnceLock::new();
    let config = CONFIG.get_or_init(|| Arc::new(tls_config())).clone();
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    thread::spawn(move || {
        for socket in listener.incoming().flatten() {
            let config = config.clone();
            thread::spawn(move || {
                let session = rustls::ServerConnection::new(config).expect("a session");
                let _ = socket.set_read_timeout(Some(LIMIT));
                let mut stream = rustls::StreamOwned::new(session, socket);
                let request = Request::read(&mut stream);
                let _ = stream.write_all(answered(&request).unwrap_or_default().as_bytes());
                stream.conn.send_close_notify();
                let _ = stream.flush();
            });
        }
    });
    port
}

fn tls_config() -> rustls::ServerConfig {
    use rustls::pki_types::pem::PemObject as _;
    use rustls::pki_types::{CertificateDer, PrivateKeyDer};
    let certificate = CertificateDer::from_pem_file(fixture("server.pem")).expect("a certificate");
    let key = PrivateKeyDer::from_pem_file(fixture("server.key")).expect("a key");
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("versions")
        .with_no_client_auth()
        .with_single_cert(vec![certificate], key)
        .expect("a configuration")
}

/// A workspace with some providers, and a home beside it.
struct Place {
    top: tempfile::TempDir,
}

impl Place {
    fn new(llm: &str) -> Self {
        let top = tempfile::tempdir().expect("a folder");
        let minds = top.path().join("work/.minds");
        fs::create_dir_all(&minds).expect("folders");
        fs::create_dir(top.path().join("home")).expect("a home");
        fs::write(minds.join("llm.yaml"), format!("providers:\n{llm}")).expect("a file");
        Self { top }
    }

    /// Agrees to all that waits for consent.
    fn agree(&self) {
        let agreed = self.program(&["trust", "--yes"], &[]);
        assert!(agreed.status.success(), "{agreed:?}");
    }

    fn program(&self, arguments: &[&str], variables: &[(&str, &str)]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_dominds-tui"));
        command.arg("-C").arg(self.top.path().join("work")).args(arguments).env_clear();
        command.env("HOME", self.top.path().join("home")).envs(variables.iter().copied());
        output(&mut command)
    }

    /// Asks all providers, with these variables set.
    fn doctor(&self, arguments: &[&str], variables: &[(&str, &str)]) -> Output {
        self.program(&[&["doctor", "--providers"], arguments].concat(), variables)
    }

    /// The rows of the answer by provider.
    fn found(&self, variables: &[(&str, &str)]) -> Vec<Value> {
        let output = self.doctor(&["--json", "--timeout", "5"], variables);
        let answer: Value = serde_json::from_slice(&output.stdout).expect("a JSON value");
        answer["providers"].as_array().expect("a list").clone()
    }
}

fn provider(key: &str, url: &str, more: &str) -> String {
    format!(
        "  {key}: {{ apiType: openai-compatible, baseUrl: '{url}', models: {{ m: {{}} }}, {more} }}\n"
    )
}

#[test]
fn doctor_says_of_every_provider_what_is_wrong_and_how_to_fix_it() {
    let (port, _heads) = server();
    let cases = [
        ("ok", "", None, ""),
        ("thinks", "", None, ""),
        ("quirk", "apiQuirks: [no_stream_options, max_completion_tokens]", None, ""),
        ("whole", "", Some("no streams here"), "`streaming: false`"),
        ("key", "apiKeyEnvVar: GIVEN", Some("HTTP 401: bad key [redacted]"), "the key in GIVEN"),
        ("model", "", Some("no such model"), "name of the model"),
        ("busy", "", Some("no credit"), "limits of your account"),
        ("page", "", Some("not a stream: Sign in"), "does not speak this API"),
        ("moved", "", Some("HTTP 308"), "into `baseUrl`"),
        ("down", "", Some("HTTP 500"), "internal error"),
        ("missing", "apiKeyEnvVar: MISSING", Some("MISSING, which is not set"), "set MISSING"),
    ];
    let mut llm = String::new();
    for (key, more, _, _) in &cases {
        llm.push_str(&provider(key, &format!("http://127.0.0.1:{port}/{key}/v1"), more));
    }
    let unused = Unused::new();
    let refused = format!("http://127.0.0.1:{}/v1", unused.port());
    llm.push_str(&provider("refused", &refused, ""));
    let held = format!("http://0.0.0.0:{port}/ok/v1");
    llm.push_str(&provider("held", &held, "apiKeyEnvVar: GIVEN"));
    llm.push_str("  odd: { apiType: telepathy, baseUrl: 'http://127.0.0.1:1' }\n");
    writeln!(llm, "  none: {{ apiType: openai, baseUrl: '{refused}' }}").expect("a text");
    let place = Place::new(&llm);
    let found = place.found(&[("GIVEN", KEY)]);
    let others = [
        ("refused", "", Some("cannot connect"), "whether the server runs"),
        ("held", "", Some("nobody has agreed to that"), "dominds-tui trust"),
        ("odd", "", Some("`telepathy`"), "use "),
        ("none", "", Some("lists no model"), "`models`"),
    ];
    let expected: Vec<_> = cases.iter().chain(&others).collect();
    assert_eq!(found.len(), expected.len(), "{found:#?}");
    for (row, (key, _, text, fix)) in found.iter().zip(expected) {
        assert_eq!(row["provider"], *key);
        assert_eq!(row["ok"], text.is_none(), "{row}");
        let says = |field: &str, words: &str| row[field].as_str().unwrap_or("").contains(words);
        assert!(text.is_none_or(|text| says("text", text)) && says("fix", fix), "{row}");
    }
    assert!(!format!("{found:?}").contains(KEY));
}

#[test]
fn a_login_is_sent_after_consent_alone_and_what_is_wrong_with_it_is_said() {
    let (port, heads) = server();
    let url = format!("http://127.0.0.1:{port}/login/backend-api/");
    let place = Place::new(&format!(
        "  p: {{ apiType: codex, baseUrl: '{url}', models: {{ m: {{}} }} }}\n"
    ));
    let folder = place.top.path().join("codex");
    let file = folder.join("auth.json");
    fs::create_dir(&folder).expect("a folder");
    let private = |path: &Path, mode| {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("its mode");
    };
    private(&folder, 0o700);
    let variable = ("CODEX_HOME", folder.to_str().expect("a path"));
    let login = |mode: &str| {
        let tokens = json!({"id_token": "id-canary", "access_token": "access-canary",
            "refresh_token": "refresh-canary", "account_id": "account-7"});
        let text = json!({"auth_mode": mode, "tokens": tokens}).to_string();
        fs::write(&file, text).expect("a file");
        private(&file, 0o600);
    };
    let refused = |variables: &[(&str, &str)], words: &str, fix: &str| {
        let found = place.found(variables);
        let says =
            |field: &str, words: &str| found[0][field].as_str().unwrap_or("").contains(words);
        assert!(says("text", words) && says("fix", fix), "{found:?}");
        assert!(!format!("{found:?}").contains("canary"), "{found:?}");
    };
    login("chatgpt");
    refused(&[variable], "nobody has agreed to that", "dominds-tui trust");
    let agreed = place.program(&["trust", "--yes"], &[variable]);
    assert!(agreed.status.success(), "{agreed:?}");
    let shown = String::from_utf8_lossy(&agreed.stdout).into_owned();
    assert!(shown.contains(file.to_str().expect("a path")), "{shown}");
    refused(&[variable, ("CODEX_ACCESS_TOKEN", "x")], "CODEX_ACCESS_TOKEN", "codex login");
    login("apikey");
    refused(&[variable], "holds an API key", "codex login");
    assert!(heads.try_recv().is_err(), "nothing was sent so far");
    login("chatgpt");
    let found = place.found(&[variable]);
    assert_eq!(found[0]["ok"], true, "{found:?}");
    let head = heads.recv_timeout(LIMIT).expect("a request").to_ascii_lowercase();
    assert!(head.starts_with("post /login/backend-api/codex/responses "), "{head}");
    assert!(head.contains("authorization: bearer access-canary"), "{head}");
    fs::remove_file(&file).expect("it was there");
    refused(&[variable], "there is no ", "codex login");
}

#[test]
fn doctor_ends_with_0_if_all_answer_and_with_6_if_not() {
    let (port, _heads) = server();
    let good = provider("good", &format!("http://127.0.0.1:{port}/ok/v1"), "");
    let bad = provider("bad", &format!("http://127.0.0.1:{port}/page/v1"), "");
    for (llm, status, lines) in [
        (good.clone(), 0, vec!["ok    good m: answers ("]),
        (format!("{good}{bad}"), 6, vec!["ok    good m: answers (", "fault bad m: the provider"]),
    ] {
        let output = Place::new(&llm).doctor(&[], &[]);
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert_eq!(output.status.code(), Some(status), "{text}");
        assert!(lines.iter().all(|line| text.contains(line)), "{text}");
        assert_eq!(text.lines().count(), lines.len(), "{text}");
    }
    let nobody = Place::new("  {}\n").doctor(&[], &[("OPENAI_API_KEY", KEY)]);
    assert_eq!(nobody.status.code(), Some(6), "{nobody:?}");
    assert!(String::from_utf8_lossy(&nobody.stdout).contains("no provider to probe"));
    assert_eq!(Place::new(&good).doctor(&["--timeout", "-1"], &[]).status.code(), Some(2));
}

#[test]
fn a_server_that_hangs_is_waited_for_no_longer_than_allowed_and_holds_up_nobody() {
    let (port, _heads) = server();
    let hang = |key: &str| provider(key, &format!("http://127.0.0.1:{port}/hang/v1"), "");
    let place = Place::new(&[hang("one"), hang("two"), hang("three")].concat());
    let began = Instant::now();
    let output = place.doctor(&["--timeout", "0.5"], &[]);
    assert!(began.elapsed() < Duration::from_secs(50), "they were waited for");
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(text.matches("there was no answer within 0.5 s").count(), 3, "{text}");
}

#[test]
fn the_models_of_members_are_asked_and_a_provider_nobody_uses_with_its_first_one() {
    let (port, heads) = server();
    let url = format!("http://127.0.0.1:{port}/ok/v1");
    let llm = format!(
        "  used: {{ apiType: openai-compatible, baseUrl: '{url}', models: {{ a: {{}}, b: {{}}, c: {{}} }} }}\n{}",
        provider("idle", &url, "")
    );
    let place = Place::new(&llm);
    let team = "members:\n  one: { provider: used, model: b }\n  two: { provider: used, model: a }\n  \
                three: { provider: used, model: b }\n";
    fs::write(place.top.path().join("work/.minds/team.yaml"), team).expect("a file");
    let asked: Vec<Value> = place.found(&[]).iter().map(|row| row["model"].clone()).collect();
    assert_eq!(asked, ["b", "a", "m"]);
    assert_eq!(heads.iter().take(3).count(), 3);
}

#[test]
fn the_proxy_of_the_environment_is_used_except_for_this_machine() {
    let (port, heads) = server();
    let proxy = format!("http://127.0.0.1:{port}");
    let place = Place::new(&provider("away", "http://model.invalid/ok/v1", ""));
    place.agree();
    let found = place.found(&[("HTTP_PROXY", &proxy), ("http_proxy", &proxy)]);
    assert_eq!(found[0]["ok"], true, "{found:?}");
    let head = heads.recv_timeout(Duration::from_secs(5)).expect("a request");
    assert!(head.starts_with("POST http://model.invalid/ok/v1/chat/completions"), "{head}");

    let unused = Unused::new();
    let dead = format!("http://127.0.0.1:{}", unused.port());
    for host in ["127.0.0.1", "localhost"] {
        let place = Place::new(&provider("here", &format!("http://{host}:{port}/ok/v1"), ""));
        let found =
            place.found(&[("HTTP_PROXY", &dead), ("http_proxy", &dead), ("ALL_PROXY", &dead)]);
        assert_eq!(found[0]["ok"], true, "{host}: {found:?}");
    }
}

#[test]
fn a_certificate_is_trusted_only_if_the_file_or_the_environment_says_so() {
    let port = tls_server();
    let ca = fixture("ca.pem");
    let ca = ca.to_str().expect("a path");
    let url = format!("https://127.0.0.1:{port}/ok/v1");
    let named = format!("caFile: '{ca}'");
    for (what, more, variables, ok, words) in [
        ("unknown", "", vec![], false, "caFile"),
        ("in the file", named.as_str(), vec![], true, ""),
        ("in the environment", "", vec![("SSL_CERT_FILE", ca)], true, ""),
        ("missing", "caFile: /nowhere/ca.pem", vec![], false, "/nowhere/ca.pem"),
    ] {
        let found = Place::new(&provider("p", &url, more)).found(&variables);
        assert_eq!(found[0]["ok"], ok, "{what}: {found:?}");
        assert!(found[0].to_string().contains(words), "{what}: {found:?}");
    }
    let place = Place::new("  {}\n");
    let [own, link] = ["ca.pem", "link.pem"].map(|name| place.top.path().join("work").join(name));
    fs::copy(fixture("ca.pem"), &own).expect("a file");
    // An author of the workspace could change the target of the link later.
    std::os::unix::fs::symlink(fixture("ca.pem"), &link).expect("a link");
    for path in [own, link] {
        let named = format!("caFile: '{}'", path.display());
        let llm = format!("providers:\n{}", provider("p", &url, &named));
        fs::write(place.top.path().join("work/.minds/llm.yaml"), llm).expect("a file");
        let found = place.found(&[]);
        let text = found[0]["text"].as_str().unwrap_or("");
        assert!(text.contains("is in the workspace"), "{path:?}: {found:?}");
    }
}
