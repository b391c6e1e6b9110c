//! The tools for memories, as a model meets them.

use serde_json::json;

use crate::domain::dialogs::memory::FILE_LIMIT_BYTES;
use crate::domain::{AccessLists, Lang};
use crate::tools::test_support::{TestBench, header};

const OWN: &str = ".minds/memory/individual/lead";
const TEAM: &str = ".minds/memory/team_shared";

#[test]
fn c18_a_memory_is_added_once_replaced_and_dropped() {
    let bench = TestBench::new();
    for (who, folder) in [("personal", OWN), ("team", TEAM)] {
        let [add, replace, drop] =
            ["add", "replace", "drop"].map(|act| format!("{act}_{who}_memory"));
        let at = format!("{folder}/notes/a.md");
        let text = json!({"path": "notes/a.md", "content": "first"});
        let early = bench.run(&replace, &text);
        assert_eq!(header(&early, "error"), Some("NOT_FOUND"));
        assert!(early.text.contains(&format!("`{add}`")), "{}", early.text);
        let added = bench.run(&add, &text);
        assert!(added.ok, "{}", added.text);
        assert_eq!(header(&added, "path"), Some("'notes/a.md'"));
        assert_eq!(bench.text(&at), "first\n");
        let twice = bench.run(&add, &json!({"path": "notes/a.md", "content": "second"}));
        assert_eq!(header(&twice, "error"), Some("FILE_EXISTS"));
        assert!(twice.text.contains(&format!("`{replace}`")), "{}", twice.text);
        assert_eq!(bench.text(&at), "first\n");
        assert!(bench.run(&replace, &json!({"path": "notes/a.md", "content": "third\n"})).ok);
        assert_eq!(bench.text(&at), "third\n");
        assert!(bench.run(&drop, &json!({"path": "notes/a.md"})).ok);
        assert!(!bench.at(&at).exists());
        assert!(!bench.run(&drop, &json!({"path": "notes/a.md"})).ok);
    }
}

#[test]
fn c18_no_path_and_no_link_leads_out_of_the_folder() {
    let bench = TestBench::new();
    bench.put(".minds/team.yaml", "members: {}\n").put("plain.md", "plain\n");
    bench.put(".minds/memory/individual/other/a.md", "theirs\n").put("../out.md", "out\n");
    bench.link(&format!("{OWN}/up"), "..").link(&format!("{OWN}/team.md"), "../../../team.yaml");
    bench.link(&format!("{OWN}/out"), "../../../../../").link(&format!("{OWN}/p.md"), "/plain.md");
    let before = bench.text(".minds/team.yaml");
    for path in [
        "../x.md",
        "../other/a.md",
        "up/other/a.md",
        "up/new.md",
        "out/out.md",
        "out/new.md",
        "team.md",
        "p.md",
        "/plain.md",
        ".minds/team.yaml",
        "lead/a.md",
        "a\nb.md",
        "x.tsk/a.md",
        "",
        ".",
    ] {
        for name in ["add_personal_memory", "replace_personal_memory"] {
            let outcome = bench.run(name, &json!({"path": path, "content": "mine"}));
            assert!(!outcome.ok, "{name} {path:?}: {}", outcome.text);
        }
        assert!(!bench.run("drop_personal_memory", &json!({"path": path})).ok, "{path:?}");
    }
    assert_eq!(bench.text(".minds/team.yaml"), before);
    assert_eq!(bench.text(".minds/memory/individual/other/a.md"), "theirs\n");
    assert_eq!(
        (bench.text("plain.md"), bench.text("../out.md")),
        ("plain\n".into(), "out\n".into())
    );
    assert!(!bench.at(".minds/memory/individual/new.md").exists());
    assert!(!bench.at("../new.md").exists());
}

#[test]
fn c18_a_folder_that_is_a_link_itself_is_not_written_through() {
    let bench = TestBench::new();
    bench.put("src/a.md", "code\n").put("../out/a.md", "out\n");
    bench.link(TEAM, "../../src").link(OWN, "../../../../out");
    for who in ["team", "personal"] {
        for path in ["new.md", "deep/new.md"] {
            let args = json!({"path": path, "content": "x"});
            assert!(!bench.run(&format!("add_{who}_memory"), &args).ok, "{who} {path}");
        }
        assert!(!bench.run(&format!("drop_{who}_memory"), &json!({"path": "a.md"})).ok);
        assert!(!bench.run(&format!("clear_{who}_memory"), &json!({})).ok);
    }
    for folder in ["src", "../out"] {
        assert_eq!(std::fs::read_dir(bench.at(folder)).unwrap().count(), 1, "{folder}");
    }
}

#[test]
fn c18_clearing_removes_everything_below_and_nothing_beside() {
    let bench = TestBench::new();
    bench.put(&format!("{OWN}/a.md"), "a").put(&format!("{OWN}/deep/er/b.md"), "b");
    bench.put(&format!("{TEAM}/t.md"), "t").put("plain.md", "plain");
    bench
        .link(&format!("{OWN}/l.md"), "../../../../plain.md")
        .link(&format!("{OWN}/d"), "../../..");
    let outcome = bench.run("clear_personal_memory", &json!({}));
    assert_eq!(header(&outcome, "removed_files"), Some("4"), "{}", outcome.text);
    assert_eq!(bench.text("plain.md"), "plain");
    assert_eq!(bench.text(&format!("{TEAM}/t.md")), "t");
    let again = bench.run("clear_personal_memory", &json!({}));
    assert_eq!(header(&again, "removed_files"), Some("0"));
    assert!(bench.run("clear_team_memory", &json!({})).ok);
    assert!(!bench.at(&format!("{TEAM}/t.md")).exists());
    let empty = TestBench::new();
    assert!(empty.run("clear_team_memory", &json!({})).ok);
}

#[test]
fn c18_a_name_that_is_no_markdown_is_kept_with_a_warning() {
    let bench = TestBench::new();
    for (path, warned) in [("a.md", false), ("b", true), ("c.txt", true), (".d.md", true)] {
        let args = json!({"path": path, "content": "x"});
        let outcome = bench.run("add_personal_memory", &args);
        assert!(outcome.ok);
        assert_eq!(header(&outcome, "warning").is_some(), warned, "{path}");
        assert_eq!(outcome.text.contains("`.md`"), warned, "{path}");
    }
}

#[test]
fn c18_a_text_that_is_blank_or_too_large_is_refused() {
    let mut bench = TestBench::new();
    for lang in [Lang::En, Lang::Zh] {
        bench.cx.lang = lang;
        for (content, code) in
            [(" \n".to_owned(), "EMPTY_CONTENT"), ("x".repeat(FILE_LIMIT_BYTES), "TOO_LARGE")]
        {
            let args = json!({"path": "a.md", "content": content});
            let outcome = bench.run("add_team_memory", &args);
            assert_eq!(header(&outcome, "error"), Some(code));
        }
    }
    let most = json!({"path": "a.md", "content": "x".repeat(FILE_LIMIT_BYTES - 1)});
    assert!(bench.run("add_team_memory", &most).ok);
    assert_eq!(bench.text(&format!("{TEAM}/a.md")).len(), FILE_LIMIT_BYTES);
}

#[test]
fn c18_the_members_lists_do_not_close_its_memories() {
    let lists = AccessLists {
        no_write_dirs: vec![".minds/**".to_owned()],
        read_dirs: vec!["src".to_owned()],
        ..AccessLists::default()
    };
    let bench = TestBench::new().access(&lists);
    assert!(bench.run("add_personal_memory", &json!({"path": "a.md", "content": "x"})).ok);
    assert!(!bench.run("read_file", &json!({"path": format!("{OWN}/a.md")})).ok);
}
