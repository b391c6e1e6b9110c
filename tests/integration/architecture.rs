//! The layers of the program, held by reading its sources: who may use whom, which crate is named
//! where, how a file has to look. `docs/ARCHITECTURE.md` draws the same picture.
//!
//! Test code is free: `mod tests`, `tests.rs`, files below `tests/`, everything behind `cfg(test)`.

#![expect(clippy::expect_used, reason = "a test that cannot go on says why")]
#![expect(clippy::indexing_slicing, reason = "a test that misses something fails")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Module, and the modules of ours it may name.
const LAYERS: [(&str, &[&str]); 15] = [
    ("yaml", &[]),
    ("domain", &[]),
    ("protocol", &["domain"]),
    ("store", &["domain", "yaml"]),
    ("llm", &["domain"]),
    ("sandbox", &["domain"]),
    ("tools", &["domain", "sandbox"]),
    ("minds", &["domain", "yaml"]),
    ("manage", &["domain", "tools", "minds", "yaml"]),
    ("mcp", &["domain", "llm", "minds", "sandbox", "tools"]),
    ("driver", &["domain", "protocol", "store", "llm", "tools", "minds"]),
    ("ui", &["domain", "protocol", "yaml"]),
    ("platform", &["domain"]),
    ("demo", &["domain", "llm", "protocol", "tools", "yaml"]),
    // They put everything together.
    ("app", ALL),
];

const ALL: &[&str] = &[
    "app", "cli", "demo", "domain", "driver", "llm", "manage", "mcp", "minds", "platform",
    "protocol", "sandbox", "store", "tools", "ui", "yaml",
];

/// External crate, and the places below `src` that may name it.
const CRATES: [(&str, &[&str]); 26] = [
    ("aho_corasick", &["domain/secrets/"]),
    ("grep_matcher", &["tools/"]),
    ("grep_regex", &["tools/"]),
    ("grep_searcher", &["tools/"]),
    ("ignore", &["tools/"]),
    ("landlock", &["sandbox/"]),
    ("seccompiler", &["sandbox/"]),
    ("reqwest", &["llm/", "mcp/"]),
    ("rmcp", &["mcp/"]),
    ("rustls", &["llm/"]),
    ("rustix", &["platform/", "sandbox/", "store/", "tools/"]),
    ("ratatui", &["ui/"]),
    ("crossterm", &["ui/"]),
    ("sha2", &["app/"]),
    ("similar", &["tools/"]),
    ("tui_textarea", &["ui/"]),
    ("pulldown_cmark", &["ui/"]),
    ("serde_yaml", &["yaml.rs"]),
    ("clap", &["cli/", "main.rs"]),
    ("clap_mangen", &["cli/"]),
    ("jiff", &["domain/time.rs", "platform/"]),
    ("rpds", &["domain/history.rs"]),
    ("fastrand", &["platform/"]),
    ("directories", &["platform/"]),
    ("tracing_appender", &["platform/"]),
    ("tracing_subscriber", &["platform/"]),
];

const MAX_LINES: usize = 700;

/// One source file below the package folder.
struct Source {
    /// Relative to the package folder.
    path: PathBuf,
    text: String,
}

/// One line of code outside comments and tests.
struct Line<'a> {
    number: usize,
    code: &'a str,
}

fn package() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn sources(folder: &str) -> Vec<Source> {
    let mut found = Vec::new();
    let mut folders = vec![package().join(folder)];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten() {
            let path = entry.expect("a folder entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "rs") {
                let text = fs::read_to_string(&path).expect("a source file");
                let path = path.strip_prefix(package()).expect("below the package").to_owned();
                found.push(Source { path, text });
            }
        }
    }
    found.sort_by(|a, b| a.path.cmp(&b.path));
    assert!(!found.is_empty(), "no sources below {folder}");
    found
}

/// The sources below `src` that are part of the program.
fn program() -> Vec<Source> {
    let all = sources("src");
    let tests: BTreeSet<PathBuf> = all.iter().flat_map(test_modules).collect();
    all.into_iter().filter(|source| !is_test(&source.path, &tests)).collect()
}

fn is_test(path: &Path, tests: &BTreeSet<PathBuf>) -> bool {
    let named = path.components().any(|part| {
        let part = part.as_os_str().to_string_lossy();
        part == "tests" || part == "tests.rs"
    });
    named || path.ancestors().any(|up| tests.contains(&up.with_extension("")))
}

/// The files behind `#[cfg(test)] mod name;`, without their extension.
fn test_modules(source: &Source) -> Vec<PathBuf> {
    let folder = folder_of(&source.path);
    let lines: Vec<&str> = source.text.lines().map(str::trim).collect();
    let behind = lines.windows(2).filter(|pair| pair[0] == "#[cfg(test)]");
    let names = behind.filter_map(|pair| pair[1].split("mod ").nth(1)?.strip_suffix(';'));
    names.map(|name| folder.join(name)).collect()
}

/// Where the modules that a file declares lie.
fn folder_of(path: &Path) -> PathBuf {
    match path.file_name().and_then(|name| name.to_str()) {
        Some("mod.rs" | "lib.rs" | "main.rs") => path.parent().unwrap_or(path).to_owned(),
        _ => path.with_extension(""),
    }
}

/// The lines that are neither comment nor behind `cfg(test)`. Relies on the sources being formatted.
fn code(source: &Source) -> Vec<Line<'_>> {
    let mut lines = Vec::new();
    let mut skipped: Option<usize> = None;
    for (n, code) in source.text.lines().enumerate() {
        let trimmed = code.trim_start();
        let indent = code.len() - trimmed.len();
        if let Some(start) = skipped {
            let ends = trimmed.ends_with(';') || trimmed.starts_with('}');
            if indent == start && ends {
                skipped = None;
            }
        } else if trimmed.starts_with("#[cfg(test)]") {
            skipped = Some(indent);
        } else if !trimmed.starts_with("//") {
            lines.push(Line { number: n + 1, code });
        }
    }
    lines
}

/// How many modules lie between a file and the root of the crate.
fn depth(path: &Path) -> usize {
    folder_of(path).components().count() - 1
}

/// The top-level module a file belongs to; the roots of the crate belong to none.
fn module(path: &Path) -> Option<String> {
    let folder = folder_of(path);
    let first = folder.components().nth(1)?;
    Some(first.as_os_str().to_string_lossy().into_owned())
}

/// Everything after `marker` where it stands as a path of its own.
fn after<'a>(code: &'a str, marker: &str) -> Vec<&'a str> {
    let own = |at: usize| {
        let before = code[..at].chars().next_back();
        !before.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == ':' || c == '"')
    };
    code.match_indices(marker)
        .filter(|(at, _)| own(*at))
        .map(|(at, _)| &code[at + marker.len()..])
        .collect()
}

fn identifier(text: &str) -> &str {
    let end = text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
    &text[..end]
}

/// The first identifiers of a path: one, or those of the outermost braces.
fn heads(path: &str) -> Vec<String> {
    let Some(group) = path.strip_prefix('{') else { return vec![identifier(path).to_owned()] };
    let mut nesting = 0_usize;
    let mut heads = vec![String::new()];
    for c in group.chars() {
        match c {
            '{' => nesting += 1,
            '}' if nesting == 0 => break,
            '}' => nesting -= 1,
            ',' if nesting == 0 => heads.push(String::new()),
            c => heads.last_mut().expect("one at least").push(c),
        }
    }
    heads.iter().map(|head| identifier(head.trim()).to_owned()).filter(|h| !h.is_empty()).collect()
}

/// The whole program text from a line on, so that a group over several lines is seen whole.
fn joined(lines: &[Line<'_>], from: usize) -> String {
    let mut text = String::new();
    for line in &lines[from..] {
        text.push_str(line.code.trim());
        if line.code.contains(';') {
            break;
        }
    }
    text
}

/// The top-level modules that a file names, with the line.
fn used(source: &Source) -> Vec<(usize, String)> {
    let lines = code(source);
    let up = "super::".repeat(depth(&source.path));
    let mut used = Vec::new();
    for (n, line) in lines.iter().enumerate() {
        for marker in ["crate::", up.as_str()] {
            let here = after(line.code.trim(), marker).len();
            let paths = joined(&lines, n);
            for path in after(&paths, marker).into_iter().take(here) {
                used.extend(heads(path).into_iter().map(|head| (line.number, head)));
            }
        }
    }
    used
}

fn report(rule: &str, broken: &[String]) {
    assert!(broken.is_empty(), "{rule}:\n{}", broken.join("\n"));
}

#[test]
fn every_module_uses_only_the_layers_below_it() {
    let mut broken = Vec::new();
    for source in program() {
        let Some(module) = module(&source.path) else { continue };
        let may = match LAYERS.iter().find(|(name, _)| *name == module) {
            Some((_, may)) => *may,
            None if module == "cli" => ALL,
            None => {
                broken.push(format!("{}: `{module}` is in no layer", source.path.display()));
                continue;
            }
        };
        for (line, other) in used(&source) {
            let ours = ALL.contains(&other.as_str());
            if ours && other != module && !may.contains(&other.as_str()) {
                broken.push(format!("{}:{line}: {module} → {other}", source.path.display()));
            }
        }
    }
    report("a module uses one it must not know", &broken);
}

#[test]
fn outside_the_driver_only_its_front_is_known() {
    let mut broken = Vec::new();
    for source in program().iter().filter(|s| module(&s.path).as_deref() != Some("driver")) {
        let lines = code(source);
        for (n, line) in lines.iter().enumerate() {
            if !line.code.contains("driver::") {
                continue;
            }
            let text = joined(&lines, n);
            for head in after(&text, "crate::driver::").into_iter().flat_map(heads) {
                if head.starts_with(|c: char| c.is_lowercase()) {
                    let place = format!("{}:{}", source.path.display(), line.number);
                    broken.push(format!("{place}: driver::{head}"));
                }
            }
        }
    }
    report("the inside of the driver is used from outside", &broken);
}

#[test]
fn every_external_crate_has_its_place() {
    let mut broken = Vec::new();
    for source in program() {
        let below =
            source.path.strip_prefix("src").expect("below src").to_string_lossy().into_owned();
        for line in code(&source) {
            for (name, places) in CRATES {
                let as_path = !after(line.code, &format!("{name}::")).is_empty();
                let whole = line.code.trim() == format!("use {name};");
                if (as_path || whole) && !places.iter().any(|place| below.starts_with(place)) {
                    broken.push(format!("{}:{}: {name}", source.path.display(), line.number));
                }
            }
        }
    }
    report("a crate is named outside its place", &broken);
}

#[test]
fn no_file_is_longer_than_one_can_read() {
    let all = sources("src").into_iter().chain(sources("tests"));
    let long = all.filter_map(|source| {
        let lines = source.text.lines().count();
        (lines > MAX_LINES).then(|| format!("{}: {lines} lines", source.path.display()))
    });
    report("longer than 700 lines", &long.collect::<Vec<_>>());
}

#[test]
fn every_file_says_what_it_is_for() {
    let all = sources("src").into_iter().chain(sources("tests"));
    let silent = all.filter(|source| !source.text.starts_with("//! "));
    let silent: Vec<String> = silent.map(|source| format!("{}:1", source.path.display())).collect();
    report("begins without `//!`", &silent);
}

#[test]
fn nothing_is_left_for_later_and_no_lint_is_silenced() {
    let marks = [
        concat!("TO", "DO"),
        concat!("FIX", "ME"),
        concat!("X", "XX"),
        concat!("#[", "allow("),
        concat!("#![", "allow("),
    ];
    let mut broken = Vec::new();
    for source in sources("src").into_iter().chain(sources("tests")) {
        for (n, line) in source.text.lines().enumerate() {
            for mark in marks.iter().filter(|mark| line.contains(**mark)) {
                broken.push(format!("{}:{}: {mark}", source.path.display(), n + 1));
            }
        }
    }
    report("left for later, or silenced", &broken);
}

#[test]
fn the_reading_of_paths_finds_groups_and_leaves_names_alone() {
    let text = "use crate::{app, store::{Store, Page}, yaml as y};\n\
                fn f() { crate::driver::x(); mycrate::ui::y(); }\n\
                #[cfg(test)]\nmod tests {\n    use crate::ui::A;\n}\n\
                // crate::tools is only mentioned\n\
                use super::super::llm::Request;\n";
    let source = Source { path: PathBuf::from("src/minds/deep.rs"), text: text.to_owned() };
    let found: Vec<(usize, String)> = used(&source);
    let found: Vec<(usize, &str)> = found.iter().map(|(n, head)| (*n, head.as_str())).collect();
    assert_eq!(found, [(1, "app"), (1, "store"), (1, "yaml"), (2, "driver"), (8, "llm")]);
}
