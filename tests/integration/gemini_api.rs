//! The real program with a provider that speaks the protocol of Gemini, on this machine: the configuration
//! reaches the server, a call runs, and the signature of the call goes back with its result.

use std::fs;
use std::process::Command;
use std::sync::mpsc::channel;
use std::time::Duration;

use serde_json::{Value, json};

use crate::common::http;
use crate::common::wait::output;

const CALL: &str = r#"{"modelVersion":"m-1","candidates":[{"content":{"role":"model","parts":[{"functionCall":{"name":"list_dir","args":{"path":"."}},"thoughtSignature":"c2ln"}]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":5,"candidatesTokenCount":2}}"#;
const ANSWER: &str = r#"{"modelVersion":"m-1","candidates":[{"content":{"role":"model","parts":[{"text":"Hello there."}]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":5,"candidatesTokenCount":2}}"#;

#[test]
fn a_member_of_gemini_is_asked_with_its_own_settings_and_its_signature_comes_back() {
    let (requests, received) = channel();
    let port = http::serve("127.0.0.1:0", move |request| {
        let _ = requests.send(request.clone());
        let has_result = request.body.contains("functionResponse");
        Some(http::json("200 OK", if has_result { ANSWER } else { CALL }))
    });
    let top = tempfile::tempdir().expect("a folder");
    let minds = top.path().join(".minds");
    fs::create_dir(&minds).expect("a folder");
    let llm = format!(
        "providers:\n  p:\n    apiType: google\n    baseUrl: http://127.0.0.1:{port}\n    \
         apiKeyEnvVar: SOME_KEY\n    models: {{ m: {{ default_thinking: true }} }}\n"
    );
    fs::write(minds.join("llm.yaml"), llm).expect("a file");
    let team = "members:\n  lead:\n    provider: p\n    model: m\n    streaming: false\n    \
                diligence-push-max: 0\n    model_params:\n      openai: { top_p: 0.1 }\n      \
                google: { thinking_budget: 2000, temperature: 0.5 }\n";
    fs::write(minds.join("team.yaml"), team).expect("a file");
    let mut command = Command::new(env!("CARGO_BIN_EXE_dominds-tui"));
    command.args(["-C".as_ref(), top.path().as_os_str(), "run".as_ref(), "Hi".as_ref()]);
    let run = output(command.env_clear().env("HOME", top.path()).env("SOME_KEY", "sk-1"));
    let output = String::from_utf8_lossy(&run.stdout);
    assert!(output.contains("Hello there."), "{output}{}", String::from_utf8_lossy(&run.stderr));
    assert_eq!(run.status.code(), Some(0), "{output}");
    let request = || received.recv_timeout(Duration::from_secs(5)).expect("a request");
    let (first, second) = (request(), request());
    let head = first.head.to_lowercase();
    assert!(head.starts_with("post /v1beta/models/m:generatecontent "), "{head}");
    assert!(head.contains("x-goog-api-key: sk-1") && !head.contains("authorization"), "{head}");
    let body: Value = serde_json::from_str(&first.body).expect("JSON");
    let thinking = json!({"includeThoughts": true, "thinkingBudget": 2000});
    let config = json!({"temperature": 0.5, "thinkingConfig": thinking});
    assert_eq!(body["generationConfig"], config);
    let body: Value = serde_json::from_str(&second.body).expect("JSON");
    let contents = body["contents"].as_array().expect("contents");
    let parts = || contents.iter().flat_map(|one| one["parts"].as_array().into_iter().flatten());
    let called = parts().find(|part| part.get("functionCall").is_some()).expect("a call");
    assert_eq!(called["thoughtSignature"], "c2ln");
    let answered = parts().find_map(|part| part.get("functionResponse")).expect("a result");
    assert_eq!(answered["name"], "list_dir");
    assert_eq!(answered["id"], called["functionCall"]["id"]);
}
