//! What blocks of a dialog look like: an answer in Markdown, opened calls, and the same on an inline screen.

use serde_json::json;

use super::super::fixture::*;
use super::roles::probe;
use crate::protocol::DriverEvent;
use crate::protocol::event::Segment;

/// Every element of Markdown.
const MARKDOWN: &str = "# Where the codes live\n\n\
    They are **hashed**, *never* kept as ~~text~~ words; see [the notes](https://a.example/notes).\n\n\
    - one row for each code\n  1. a salt\n  2. a hash\n- [x] decided\n- [ ] migrated\n\n\
    > A restore must not lose them. 恢复码不能丢。\n\n\
    | column | type |\n|---|---|\n| `hash` | bytes |\n| 用户 | text |\n\n\
    ```rust\n// One row.\nfn load(id: u32) -> Code {\n    find(\"codes\", id + 1)\n}\n```";

/// A dialog with these records and the focus.
fn reading(width: u16, height: u16, records: &[String]) -> Stage {
    let mut stage = Stage::new(width, height);
    stage.apply(DriverEvent::Workspace(workspace()));
    stage.apply(DriverEvent::Rows(rows())).apply(DriverEvent::Inbox(Vec::new()));
    let lines: Vec<&str> = records.iter().map(String::as_str).collect();
    let (ticket, dialog) = stage.last_open();
    stage.page_at(ticket, dialog, 0, &lines).keys("3").screen();
    stage
}

pub fn markdown(width: u16, height: u16) -> Stage {
    reading(width, height, &[words(MARKDOWN)])
}

/// A call and its result.
fn call(id: &str, name: &str, arguments: &serde_json::Value, result: &str) -> [String; 2] {
    let begun = json!({
        "ts": "2026-11-21 12:00:00", "type": "func_call_record", "genseq": 1, "id": id, "name": name,
        "rawArgumentsText": arguments.to_string(),
    });
    let ended = json!({
        "ts": "2026-11-21 12:00:02", "type": "func_result_record", "genseq": 1, "id": id, "name": name,
        "content": result,
    });
    [begun.to_string(), ended.to_string()]
}

/// Lines that were read, and a command that has failed, both opened.
pub fn opened(width: u16, height: u16) -> Stage {
    let code = "```yaml\nstatus: ok\n```\n\n```\n   9| /// Finds it.\n  10| fn load(id: u32) -> Code {\n\
                \x20 11|     find(\"codes\", id)\n  12| }\n```\n";
    let output = "exit code 1\nstdout:\n\u{1b}[32mok\u{1b}[0m 1\nstderr:\n\u{1b}[31mfailed\u{1b}[0m: login\n";
    let mut records = Vec::from(call("t1", "read_file", &json!({"path": "src/codes.rs"}), code));
    records.extend(call("t2", "shell_cmd", &json!({"command": "cargo test --lib"}), output));
    let mut stage = reading(width, height, &records);
    for key in ["g", "o", "j", "G", "o"] {
        stage.keys(key).screen();
    }
    stage
}

/// An inline screen, with finished blocks and news to print, and live rows while something streams.
pub fn inline(width: u16, height: u16) -> Stage {
    let mut stage = Stage::new(width, height).inline();
    stage.apply(DriverEvent::Workspace(workspace()));
    stage.apply(DriverEvent::Rows(rows())).apply(DriverEvent::Inbox(Vec::new()));
    stage.page(STORY);
    for text in STREAMED {
        stage.live(&main_dialog(), Segment::Saying, text);
    }
    // News are rows from the moment on in which they come.
    stage.wear(probe());
    stage.apply(DriverEvent::Inbox(questions()));
    stage.type_text("rotate it first");
    stage
}
