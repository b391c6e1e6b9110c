//! Who is offered `man`, and what it shows.

use super::text::TEXTS;
use super::*;
use crate::tools::Registry;
use crate::tools::test_support::TestBench;

fn offered(toolsets: &[&str]) -> bool {
    let names: Vec<String> = toolsets.iter().map(|name| (*name).to_owned()).collect();
    Registry::builtin().for_member(&names, &[], true).0.contains(NAME)
}

fn man(toolsets: &[&str], raw: &str, lang: Lang) -> ToolOutcome {
    let bench = TestBench::new();
    let names: Vec<String> = toolsets.iter().map(|name| (*name).to_owned()).collect();
    let (subset, _) = Registry::builtin().for_member(&names, &[], true);
    bench.finish(subset.run(NAME, raw, ToolCx { lang, ..bench.cx.clone() }))
}

#[test]
fn man_is_there_for_whoever_has_a_toolset_with_a_manual() {
    assert!(!offered(&[]));
    assert!(!offered(&["list_dir"]), "a single tool is no toolset");
    assert!(offered(&["ws_read"]) && offered(&["control"]) && offered(&["*"]));
    assert!(!offered(&["ws_read", "!ws_read"]));
}

#[test]
fn the_shell_manual_is_only_for_who_has_the_shell() {
    let owned = |tools| OwnedToolset { toolset: "os".to_owned(), tools, manual: None };
    let list_dir: Vec<_> = crate::tools::files::tools().into_iter().take(1).collect();
    assert!(tool(vec![owned(Vec::new())]).is_none());
    assert!(tool(vec![owned(list_dir)]).is_none());
}

#[test]
fn every_manual_has_every_topic_in_both_languages() {
    for (name, text) in TEXTS {
        for topic in Topic::ALL.into_iter().filter(|topic| *topic != Topic::Tools) {
            let (en, zh) = (
                text::part(Text::of_document(text).in_lang(Lang::En), topic),
                text::part(Text::of_document(text).in_lang(Lang::Zh), topic),
            );
            assert!(en.is_ascii() && en.len() > 20, "{name} {topic:?}");
            assert!(!zh.is_ascii() && zh.chars().count() > 10, "{name} {topic:?}");
            assert_eq!(en.lines().count(), zh.lines().count(), "{name} {topic:?}");
        }
    }
}

#[test]
fn without_a_toolset_the_manuals_are_listed() {
    let listed = man(&["ws_read", "control"], "{}", Lang::En);
    assert!(listed.ok, "{listed:?}");
    for text in ["- `control`: ", "- `ws_read`: ", "scenarios"] {
        assert!(listed.text.contains(text), "{}", listed.text);
    }
    assert!(!listed.text.contains("`ws_mod`"), "{}", listed.text);
}

#[test]
fn a_topic_is_shown_in_the_work_language() {
    for (lang, word) in [(Lang::En, "Search first"), (Lang::Zh, "先搜索")] {
        let raw = r#"{"toolsetId":"ws_read","topic":"principles"}"#;
        let shown = man(&["ws_read"], raw, lang);
        assert!(shown.text.starts_with("# ws_read: principles\n"), "{}", shown.text);
        assert!(shown.text.contains(word) && !shown.text.contains("## "), "{}", shown.text);
    }
}

#[test]
fn several_topics_come_in_their_order() {
    let raw = r#"{"toolsetId":"ws_mod","topics":["errors","tools"],"topic":"index"}"#;
    let shown = man(&["ws_mod"], raw, Lang::En);
    let headings: Vec<&str> =
        shown.text.lines().filter_map(|line| line.strip_prefix("# ws_mod: ")).collect();
    assert_eq!(headings, ["index", "tools", "errors"]);
}

#[test]
fn what_is_said_about_tools_follows_their_schemas() {
    let shown = man(&["ws_mod"], r#"{"toolsetId":"ws_mod","topic":"tools"}"#, Lang::En);
    for line in ["- `read_file(path, range?, max_lines?, show_linenos?)`: ", "- `list_dir(path?)`"]
    {
        assert!(shown.text.contains(line), "{}", shown.text);
    }
}

#[test]
fn another_toolset_or_topic_is_refused_with_those_there_are() {
    for (raw, known) in [
        (r#"{"toolsetId":"os"}"#, "ws_read"),
        (r#"{"toolsetId":"ws_read","topic":"secrets"}"#, "scenarios"),
        (r#"{"toolsetId":"ws_read","topics":["secrets"]}"#, "scenarios"),
    ] {
        let refused = man(&["ws_read"], raw, Lang::En);
        assert!(!refused.ok && refused.text.contains(known), "{refused:?}");
    }
}

#[test]
fn a_toolset_of_a_server_has_the_manual_that_is_configured() {
    let bench = TestBench::new();
    let mut registry = Registry::builtin();
    let tool = crate::tools::control::tools().swap_remove(0);
    let mut files = Registry::default();
    files.add("files", tool).unwrap();
    files.describe("files", "Ask first.\n\n## When\n\nalways");
    files.describe("absent", "Not there.");
    registry.describe("ws_read", "Never shown.");
    let run = |registry: &Registry, toolset: &str, raw: &str| {
        let (subset, _) = registry.for_member(&[toolset.to_owned()], &[], true);
        bench.finish(subset.run(NAME, raw, bench.cx.clone()))
    };
    let listed = run(&files, "files", "{}");
    assert!(listed.text.contains("- `files`: Ask first.\n"), "{}", listed.text);
    let shown = run(&files, "files", r#"{"toolsetId":"files"}"#);
    assert!(shown.ok && shown.text.contains("## When\n\nalways"), "{}", shown.text);
    let own = run(&registry, "ws_read", r#"{"toolsetId":"ws_read"}"#);
    assert!(own.ok && !own.text.contains("Never shown"), "{}", own.text);
}
