//! Every way out of the workspace, tried with every tool that takes a path. The tools are found by
//! their schemas: a new one with a `path`, `from` or `to` is tried automatically.
//!
//! Three things must hold, whatever is asked: nothing outside and nothing reserved changes; no
//! result shows what stands there; and what is denied is denied by code.

#[cfg(target_os = "linux")]
mod race;

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use serde_json::{Map, Value, json};

use super::outcome::ToolOutcome;
use super::test_support::{TestBench, header};

const SECRET: &str = "KEEP-AWAY-7731";

/// Toolsets whose tools work on any file.
const TOOLSETS: [&str; 3] = ["ws_read", "ws_mod", "codex_inspect_and_patch_tools"];

/// The expected outcome for a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verdict {
    /// Access is denied.
    Denied,
    /// A link out of the workspace: denied, except to tools that work on the link itself.
    LinkOut,
    /// Not a possible path of a file, or one that leads nowhere; any error code will do.
    Refused,
    /// An ordinary place.
    Fine,
}

/// The paths. Those in the look-alike neighbour and absolute ones need the workspace's own name.
fn cases(bench: &TestBench) -> Vec<(String, Verdict)> {
    use Verdict::{Denied, Fine, LinkOut, Refused};
    let root = bench.cx.workspace.to_str().unwrap();
    let fixed = [
        // Up and out.
        ("..", Denied),
        ("../outside.txt", Denied),
        ("../new.txt", Denied),
        ("../ws-evil/x", Denied),
        ("../ws/ok.txt", Denied),
        ("./../outside.txt", Denied),
        ("a/../../outside.txt", Denied),
        ("a/b/../../../outside.txt", Denied),
        ("absent/../../outside.txt", Denied),
        ("a//..//..//outside.txt", Denied),
        // Absolute.
        ("/", Denied),
        ("/etc/passwd", Denied),
        ("//etc/passwd", Denied),
        ("/proc/self/environ", Denied),
        ("/tmp", Denied),
        // Through links.
        ("out-dir/outside.txt", Denied),
        ("out-dir/new.txt", Denied),
        ("chain-out/outside.txt", Denied),
        ("etc/passwd", Denied),
        ("evil/x", Denied),
        ("evil/new/deep", Denied),
        ("proc/etc/passwd", Denied),
        ("a/up/out-dir/outside.txt", Denied),
        ("out-file", LinkOut),
        ("out-dir", LinkOut),
        ("chain-out", LinkOut),
        ("etc", LinkOut),
        ("evil", LinkOut),
        ("escape", LinkOut),
        ("out.gif", LinkOut),
        ("abs-out", LinkOut),
        ("dangling-out", LinkOut),
        ("out-dir/", LinkOut),
        ("out-dir/.", LinkOut),
        // `.minds`, in all spellings.
        (".minds", Denied),
        (".minds/", Denied),
        (".minds/team.yaml", Denied),
        (".minds/new", Denied),
        (".MINDS/team.yaml", Denied),
        (".Minds/x", Denied),
        ("./x/../.minds/team.yaml", Denied),
        ("absent/../.minds/x", Denied),
        (".minds./team.yaml", Denied),
        (".minds /team.yaml", Denied),
        (".min\u{200b}ds/team.yaml", Denied),
        (".m\u{ad}inds/x", Denied),
        (".m\u{131}nds/x", Denied),
        ("\u{ff0e}minds/x", Denied),
        (".mind\u{17f}/x", Denied),
        (".minds::$INDEX_ALLOCATION/x", Denied),
        (".minds\\team.yaml", Denied),
        ("to-minds/team.yaml", Denied),
        ("a/up/.minds/team.yaml", Denied),
        ("to-minds", LinkOut),
        ("a/mid", LinkOut),
        // `.dialogs` at the root.
        (".dialogs", Denied),
        (".dialogs/run/x", Denied),
        (".DIALOGS/run/x", Denied),
        (".dialogs/new", Denied),
        ("to-dialogs/run/x", Denied),
        ("to-dialogs", LinkOut),
        // `.hive` at the root.
        (".hive", Denied),
        (".hive/queue", Denied),
        (".HIVE/queue", Denied),
        (".hive /new", Denied),
        ("a/../.hi\u{200b}ve/x", Denied),
        ("to-hive/queue", Denied),
        ("to-hive", LinkOut),
        // Task documents.
        ("task.tsk", Denied),
        ("task.tsk/goals.md", Denied),
        ("Task.Tsk/goals.md", Denied),
        ("task.tsk./goals.md", Denied),
        ("task.ts\u{212a}/goals.md", Denied),
        ("sub/Other.TSK/goals.md", Denied),
        ("new.tsk/goals.md", Denied),
        ("a/.tsk/x", Denied),
        ("to-task/goals.md", Denied),
        ("to-goals", LinkOut),
        // Names no file can have, and walks without an end.
        ("a\0b", Refused),
        ("a\nb", Refused),
        ("a\r", Refused),
        ("loop/x", Refused),
        ("ping/x", Refused),
        ("ok.txt/x", Refused),
        ("pipe", Refused),
        ("socket", Refused),
        // Look-alikes of reserved names, which are open.
        ("ok.txt", Fine),
        ("./a/../ok.txt", Fine),
        ("a//b///deep.txt", Fine),
        ("sub/.dialogs/x", Fine),
        ("sub/.minds/x", Fine),
        ("sub/.hive/x", Fine),
        (".dialogs-keep/x", Fine),
        ("task.tskx", Fine),
        ("..dots", Fine),
        ("文档/说明.md", Fine),
        ("link-ok", Fine),
        ("link-abs/deep.txt", Fine),
        ("a/up/ok.txt", Fine),
        ("chain1", Fine),
    ];
    let mut cases: Vec<(String, Verdict)> =
        fixed.into_iter().map(|(path, verdict)| (path.to_owned(), verdict)).collect();
    for (rest, verdict) in [
        ("-evil/x", Denied),
        ("/../outside.txt", Denied),
        ("/../ws-evil/x", Denied),
        ("/.minds/team.yaml", Denied),
        ("/.dialogs/run/x", Denied),
        ("/task.tsk/goals.md", Denied),
    ] {
        cases.push((format!("{root}{rest}"), verdict));
    }
    cases.push(("x/".repeat(3_000), Refused));
    cases.push(("x".repeat(300), Refused));
    cases
}

/// A workspace full of traps.
fn trapped() -> TestBench {
    let bench = TestBench::new();
    let root = bench.cx.workspace.to_str().unwrap().to_owned();
    for path in [
        "ok.txt",
        "a/b/deep.txt",
        "..dots",
        "sub/.dialogs/x",
        "sub/.minds/x",
        "sub/.hive/x",
        ".dialogs-keep/x",
        "task.tskx",
        "文档/说明.md",
    ] {
        bench.put(path, "fine\n");
    }
    for path in [
        ".minds/team.yaml",
        ".dialogs/run/x",
        ".hive/queue",
        "task.tsk/goals.md",
        "sub/Other.TSK/goals.md",
        "../outside.txt",
        "../ws-evil/x",
    ] {
        bench.put(path, format!("{SECRET}\n"));
    }
    for (link, target) in [
        ("link-ok", "ok.txt"),
        ("a/up", ".."),
        ("chain1", "chain2"),
        ("chain2", "a/up/ok.txt"),
        ("out-file", "../outside.txt"),
        ("out-dir", ".."),
        ("chain-out", "out-dir"),
        ("etc", "/etc"),
        ("proc", "/proc/self/root"),
        ("escape", "a/../../outside.txt"),
        ("out.gif", "../outside.gif"),
        ("abs-out", "/nowhere/at/all"),
        ("dangling-out", "../nowhere"),
        ("to-minds", ".minds"),
        ("a/mid", "../.MINDS/team.yaml"),
        ("to-dialogs", "./a/../.dialogs"),
        ("to-hive", ".hive"),
        ("to-task", "task.tsk"),
        ("to-goals", "task.tsk/goals.md"),
        ("loop", "loop"),
        ("ping", "pong"),
        ("pong", "ping"),
    ] {
        bench.link(link, target);
    }
    bench.link("link-abs", format!("{root}/a/b")).link("evil", format!("{root}-evil"));
    std::os::unix::net::UnixListener::bind(bench.at("socket")).unwrap();
    assert!(Command::new("mkfifo").arg(bench.at("pipe")).status().unwrap().success());
    bench
}

/// Returns everything that must not change: files beside the workspace, and its reserved areas.
fn guarded(bench: &TestBench) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let beside = bench.dir.path();
    for entry in std::fs::read_dir(beside).unwrap() {
        let path = entry.unwrap().path();
        if path != *bench.cx.workspace {
            collect(&path, &mut found);
        }
    }
    for reserved in [".minds", ".hive", ".dialogs", "task.tsk", "sub/Other.TSK"] {
        collect(&bench.at(reserved), &mut found);
    }
    found
}

fn collect(path: &Path, found: &mut BTreeMap<String, String>) {
    let meta = std::fs::symlink_metadata(path).unwrap();
    let text = if meta.is_file() { std::fs::read_to_string(path).unwrap() } else { String::new() };
    found.insert(format!("{} {:?}", path.display(), meta.file_type()), text);
    if meta.is_dir() {
        for entry in std::fs::read_dir(path).unwrap() {
            collect(&entry.unwrap().path(), found);
        }
    }
}

/// A tool, and the argument of it that takes a path.
struct PathTool {
    tool: String,
    field: String,
    schema: Value,
}

/// Every path-taking argument of every tool. A patch has one way for each kind of section.
fn ways(bench: &TestBench) -> Vec<PathTool> {
    let specs = bench.specs(&TOOLSETS);
    let mut ways = Vec::new();
    for (tool, schema) in specs {
        let fields = schema["properties"].as_object().unwrap().clone();
        let patch = ["add", "delete", "update", "move-from", "move-to"];
        let fields: Vec<&str> = if fields.contains_key("patch") {
            patch.to_vec()
        } else {
            ["path", "from", "to"].into_iter().filter(|name| fields.contains_key(*name)).collect()
        };
        for field in fields {
            ways.push(PathTool {
                tool: tool.clone(),
                field: field.to_owned(),
                schema: schema.clone(),
            });
        }
    }
    ways
}

impl PathTool {
    /// A call that would do harm at this path if it were let.
    fn call(&self, path: &str) -> Value {
        if self.schema["properties"].get("patch").is_some() {
            return json!({"patch": patch(&self.field, path)});
        }
        let mut call = Map::new();
        for (name, value) in [
            ("path", json!("ok.txt")),
            ("from", json!("ok.txt")),
            ("to", json!("moved.txt")),
            ("range", json!("1~1")),
            ("anchor", json!("i")),
            ("start_anchor", json!("i")),
            ("end_anchor", json!("i")),
            ("content", json!("x")),
            ("known_old_total_lines", json!(1)),
            ("known_old_total_bytes", json!(5)),
            ("data_base64", json!("R0lGODlhAAAA")),
            ("recursive", json!(true)),
            ("overwrite", json!(true)),
            ("pattern", json!("KEEP")),
            ("literal", json!("KEEP")),
        ] {
            let known = self.schema["properties"].get(name).is_some();
            if known {
                call.insert(name.to_owned(), value);
            }
        }
        for required in self.schema["required"].as_array().into_iter().flatten() {
            let name = required.as_str().unwrap();
            assert!(call.contains_key(name), "{}: say what `{name}` is to be here", self.tool);
        }
        if self.tool == "move_dir" {
            call.insert("from".to_owned(), json!("a"));
        }
        call.insert(self.field.clone(), json!(path));
        Value::Object(call)
    }

    /// Works on names, so that a link out may itself be moved or removed.
    fn works_on_the_link(&self) -> bool {
        matches!(self.tool.as_str(), "rm_file" | "rm_dir" | "move_file" | "move_dir")
            || self.tool == "apply_patch" && self.field == "delete"
    }

    /// True if the argument names something new; whatever exists there is refused.
    fn wants_a_free_name(&self) -> bool {
        self.field == "to"
            || matches!(self.tool.as_str(), "create_new_file" | "write_picture" | "mk_dir")
            || matches!(self.field.as_str(), "add" | "move-to")
    }
}

fn patch(kind: &str, path: &str) -> String {
    let section = match kind {
        "add" => format!("*** Add File: {path}\n+x\n"),
        "delete" => format!("*** Delete File: {path}\n"),
        "update" => format!("*** Update File: {path}\n@@\n+x\n"),
        "move-from" => format!("*** Update File: {path}\n*** Move to: moved.txt\n@@\n+x\n"),
        _ => format!("*** Update File: ok.txt\n*** Move to: {path}\n@@\n+x\n"),
    };
    format!("*** Begin Patch\n{section}*** End Patch\n")
}

/// Runs a prepared edit at once, so that preparing tools do all the harm they can.
fn run(bench: &TestBench, way: &PathTool, path: &str) -> ToolOutcome {
    let outcome = bench.run(&way.tool, &way.call(path));
    if let Some(id) = header(&outcome, "hunk_id").filter(|_| outcome.ok) {
        let call = json!({"hunk_id": id.trim_matches('\'')});
        let applied = bench.run("apply_file_modification", &call);
        assert!(!applied.text.contains(SECRET));
    }
    outcome
}

#[test]
fn c05_c06_no_path_leads_out_with_any_tool() {
    let mut bench = trapped();
    let cases_count = cases(&bench).len();
    assert!(cases_count >= 60);
    let ways = ways(&bench);
    assert!(ways.len() >= 20, "{}", ways.len());
    let mut wrong = Vec::new();
    for way in &ways {
        let mut before = guarded(&bench);
        for index in 0..cases_count {
            let (path, verdict) = cases(&bench).swap_remove(index);
            let outcome = run(&bench, way, &path);
            let attempt = format!("{} {} {path:?}: {}", way.tool, way.field, outcome.text);
            assert_eq!(guarded(&bench), before, "something changed: {attempt}");
            assert!(!outcome.text.contains(SECRET), "something was shown: {attempt}");
            if !right(way, verdict, &outcome) {
                wrong.push(format!("{verdict:?}: {attempt}"));
            }
            if outcome.ok {
                bench = trapped();
                before = guarded(&bench);
            }
        }
    }
    eprintln!("{cases_count} paths, {} ways", ways.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// True if the outcome is the expected one.
fn right(way: &PathTool, verdict: Verdict, outcome: &ToolOutcome) -> bool {
    let code = header(outcome, "error");
    let is = |codes: &[&str]| code.is_some_and(|code| codes.contains(&code));
    // The patch has its own word for paths that begin with a slash.
    let denied = is(&["ACCESS_DENIED"]) || way.tool == "apply_patch" && is(&["INVALID_PATCH"]);
    match verdict {
        Verdict::Denied => denied,
        Verdict::LinkOut if way.wants_a_free_name() => {
            denied || is(&["FILE_EXISTS", "NOT_A_FILE", "UNSUPPORTED_FORMAT"])
        }
        Verdict::LinkOut if way.works_on_the_link() => {
            outcome.ok || is(&["NOT_A_FILE", "NOT_A_DIRECTORY"])
        }
        Verdict::LinkOut => denied || is(&["NOT_A_FILE"]),
        Verdict::Refused => !outcome.ok,
        Verdict::Fine => !denied,
    }
}
