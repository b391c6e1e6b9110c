//! A project of cargo and one of node, whose dependencies lie in the caches of the home folder.

use std::fs;
use std::process::Command;

use crate::common::http;
use crate::common::skip::has;
use crate::common::wait::output;

use super::place::Place;

/// Puts everything in place for a build without the network.
pub fn put(place: &Place) {
    // The build of this program has left the dependency in the cache.
    place.put(
        "ws/crate/Cargo.toml",
        "[package]\nname = \"c\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[dependencies]\nitoa = \"1\"\n",
    );
    place.put(
        "ws/crate/src/main.rs",
        "fn main() { println!(\"{}\", itoa::Buffer::new().format(7)); }\n#[test]\nfn t() {}\n",
    );
    if has("npm") {
        node(place);
    }
    place.give();
}

fn node(place: &Place) {
    let leaf = "{\"name\": \"leaf\", \"version\": \"1.0.0\", \"main\": \"i.js\"}";
    place.put("leaf/package.json", leaf);
    place.put("leaf/i.js", "module.exports = 7;\n");
    place.put(
        "ws/node/package.json",
        "{\"name\": \"n\", \"version\": \"1.0.0\", \"dependencies\": {\"leaf\": \"1.0.0\"}, \
         \"scripts\": {\"build\": \"node -e 'if (require(\\\"leaf\\\") !== 7) process.exit(1)'\"}}",
    );
    let packed_as = npm(place, "leaf", &["pack", "--json"]);
    let packed_as: serde_json::Value = serde_json::from_slice(&packed_as).expect("JSON");
    let digest = packed_as.pointer("/0/integrity");
    let digest = digest.and_then(serde_json::Value::as_str).expect("a digest").to_owned();
    let packed = fs::read(place.top().join("leaf/leaf-1.0.0.tgz")).expect("a package");
    let registry = registry(packed, digest);
    npm(place, "ws/node", &["install", "--silent", "--no-audit", "--registry", &registry]);
    fs::remove_dir_all(place.workspace().join("node/node_modules")).expect("a folder");
}

fn npm(place: &Place, folder: &str, words: &[&str]) -> Vec<u8> {
    let mut command = Command::new("npm");
    command.args(words).current_dir(place.top().join(folder)).env("HOME", place.home());
    let ran = output(&mut command);
    assert!(ran.status.success(), "{words:?}: {}", String::from_utf8_lossy(&ran.stderr));
    ran.stdout
}

/// A server that knows one package; its address.
fn registry(packed: Vec<u8>, digest: String) -> String {
    let port = http::serve("127.0.0.1:0", move |request| {
        let body = if request.path().starts_with("/leaf/-/") {
            packed.clone()
        } else {
            let host = request
                .head
                .lines()
                .find_map(|line| line.to_lowercase().strip_prefix("host: ").map(str::to_owned));
            let host = host.unwrap_or_default();
            let version = format!(
                "{{\"name\": \"leaf\", \"version\": \"1.0.0\", \"main\": \"i.js\", \
                 \"dist\": {{\"tarball\": \"http://{host}/leaf/-/leaf-1.0.0.tgz\", \
                 \"integrity\": \"{digest}\"}}}}"
            );
            format!(
                "{{\"name\": \"leaf\", \"dist-tags\": {{\"latest\": \"1.0.0\"}}, \
                 \"versions\": {{\"1.0.0\": {version}}}}}"
            )
            .into_bytes()
        };
        let head = format!(
            "HTTP/1.1 200 OK\r\nCache-Control: max-age=9999\r\nETag: \"1\"\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
            body.len()
        );
        Some([head.as_bytes(), &body].concat())
    });
    format!("http://127.0.0.1:{port}")
}
