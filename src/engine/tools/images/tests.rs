//! The image tools, as a model meets them.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;

use crate::tools::test_support::{TestBench, header};

const PNG: &[u8] = b"\x89PNG\r\n\x1a\nrest.";

#[test]
fn read_picture_attaches_what_the_file_truly_is() {
    let bench = TestBench::new();
    bench.put("a.png", PNG).put("b.jpg", PNG).put("c.png", "text").put("d.svg", "<svg/>");
    bench.put("big.png", [PNG, &vec![0; 4 * 1024 * 1024]].concat()).put(".minds/a.png", PNG);
    let outcome = bench.run("read_picture", &json!({"path": "a.png"}));
    assert!(outcome.ok, "{}", outcome.text);
    assert_eq!(header(&outcome, "media_type"), Some("image/png"));
    let [image] = outcome.images.as_slice() else { panic!("one image") };
    assert_eq!((image.media_type, image.bytes.as_ref()), ("image/png", PNG));
    for (path, code) in [
        ("b.jpg", "FORMAT_MISMATCH"),
        ("c.png", "FORMAT_MISMATCH"),
        ("d.svg", "UNSUPPORTED_FORMAT"),
        ("big.png", "IMAGE_TOO_LARGE"),
        ("none.png", "NOT_FOUND"),
        (".minds/a.png", "ACCESS_DENIED"),
    ] {
        let outcome = bench.run("read_picture", &json!({"path": path}));
        assert_eq!(header(&outcome, "error"), Some(code), "{path}");
        assert!(outcome.images.is_empty());
    }
}

#[test]
fn a_model_that_cannot_look_is_told_so_and_sent_nothing() {
    let mut bench = TestBench::new();
    bench.cx.sees_images = false;
    bench.put("a.png", PNG);
    let outcome = bench.run("read_picture", &json!({"path": "a.png"}));
    assert_eq!(header(&outcome, "error"), Some("NO_IMAGE_INPUT"));
    let write = json!({"path": "b.png", "data_base64": STANDARD.encode(PNG)});
    let written = bench.run("write_picture", &write);
    assert!(written.ok && outcome.images.is_empty() && written.images.is_empty());
}

#[test]
fn write_picture_writes_only_what_is_a_picture_of_that_kind() {
    let bench = TestBench::new();
    let data = STANDARD.encode(PNG);
    let url = format!("data:image/png;base64,{data}");
    bench.put("old.png", "x").link("gone.png", "nowhere");
    for (call, result) in [
        (json!({"path": "d/a.png", "data_base64": data}), None),
        (json!({"path": "b.png", "data_base64": url}), None),
        (json!({"path": "c.png", "data_base64": data, "mime_type": "image/png"}), None),
        (json!({"path": "old.png", "data_base64": data}), Some("FILE_EXISTS")),
        (json!({"path": "gone.png", "data_base64": data}), Some("FILE_EXISTS")),
        (json!({"path": "old.png", "data_base64": data, "overwrite": true}), None),
        (json!({"path": "e.gif", "data_base64": data}), Some("FORMAT_MISMATCH")),
        (
            json!({"path": "e.png", "data_base64": data, "mime_type": "image/gif"}),
            Some("FORMAT_MISMATCH"),
        ),
        (
            json!({"path": "e.png", "data_base64": data, "mime_type": "text/html"}),
            Some("UNSUPPORTED_FORMAT"),
        ),
        (json!({"path": "e.html", "data_base64": data}), Some("UNSUPPORTED_FORMAT")),
        (json!({"path": "e.png", "data_base64": "PGh0bWw+"}), Some("FORMAT_MISMATCH")),
        (
            json!({"path": "e.png", "data_base64": data.trim_end_matches('=')}),
            Some("INVALID_BASE64"),
        ),
        (
            json!({"path": "e.png", "data_base64": format!("{}\n{}", &data[..8], &data[8..])}),
            Some("INVALID_BASE64"),
        ),
        (json!({"path": "../e.png", "data_base64": data}), Some("ACCESS_DENIED")),
    ] {
        let outcome = bench.run("write_picture", &call);
        assert_eq!(header(&outcome, "error"), result, "{call}: {}", outcome.text);
        assert_eq!(outcome.images.len(), usize::from(outcome.ok));
    }
    for path in ["d/a.png", "b.png", "c.png", "old.png"] {
        assert_eq!(std::fs::read(bench.at(path)).unwrap(), PNG);
    }
    assert!(!bench.at("e.png").exists() && !bench.at("nowhere").exists());
}
