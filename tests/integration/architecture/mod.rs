//! The layers of the program, checked by reading its sources: which module may use which, no cycles,
//! which package is named where, the form of a file, the size of a crate. `docs/ARCHITECTURE.md` has the same table.
//!
//! Test code is free: `mod tests`, `tests.rs`, files below `tests/`, everything behind `cfg(test)`.

#![expect(clippy::expect_used, reason = "a test that cannot go on says why")]
#![expect(clippy::indexing_slicing, reason = "a test that misses something fails")]

mod budget;
mod graph;
mod names;
mod owners;
mod texts;
mod tokens;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use dominds_tui::domain::text::hidden_chars::{HiddenClass, class_of};

use graph::{Graph, Module};

/// Module, and the modules of ours it may name.
const LAYERS: [(&str, &[&str]); 19] = [
    ("domain", &[]),
    ("yaml", &["domain"]),
    // From the store only `Fact`.
    ("protocol", &["domain", "store"]),
    ("store", &["domain", "yaml"]),
    ("llm", &["domain"]),
    ("remote", &["domain", "driver", "platform", "protocol"]),
    ("sandbox", &["domain"]),
    ("guard", &["domain", "sandbox"]),
    ("minds", &["domain", "guard", "yaml"]),
    ("hive", &["domain", "guard", "minds"]),
    ("tools", &["domain", "guard", "hive", "sandbox"]),
    ("manage", &["domain", "guard", "tools", "minds", "yaml"]),
    ("mcp", &["domain", "llm", "minds", "sandbox", "tools"]),
    ("driver", &["domain", "guard", "hive", "protocol", "store", "llm", "tools", "minds"]),
    ("ui", &["domain", "protocol"]),
    ("consent", &["domain", "driver", "guard", "hive", "llm", "mcp", "minds", "platform", "tools"]),
    ("platform", &["domain"]),
    ("demo", &["domain", "guard", "llm", "protocol", "tools", "yaml"]),
    // They put everything together.
    ("app", ALL),
];

const ALL: &[&str] = &[
    "app", "cli", "consent", "demo", "domain", "driver", "guard", "hive", "llm", "manage", "mcp",
    "minds", "platform", "protocol", "remote", "sandbox", "store", "tools", "ui", "yaml",
];

const MAX_LINES: usize = 700;

/// The most files that may use each other in a circle.
const MAX_CIRCLE: usize = 3;

/// Modules whose folders have an order: the module, its file, and its folders from the top down. A folder uses only
/// those of later lines.
const ORDERED: [(&str, &str, &[&[&str]]); 2] = [
    ("driver", "src/engine/driver/mod.rs", &DRIVER_FOLDERS),
    ("store", "src/base/store/mod.rs", &STORE_FOLDERS),
];

const DRIVER_FOLDERS: [&[&str]; 10] = [
    &["dispatch"],
    &["supervisor"],
    &["tree"],
    &["lifecycle", "context"],
    &["generation"],
    &["calls", "drive"],
    &["steps"],
    &["shared"],
    &["reporting"],
    &["texts"],
];

const STORE_FOLDERS: [&[&str]; 7] =
    [&["writing"], &["listing"], &["own"], &["reading"], &["trees"], &["codec"], &["disk"]];

/// One source file below the package folder.
struct Source {
    /// Relative to the package folder.
    path: PathBuf,
    text: String,
}

fn package() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn document(path: &str) -> String {
    fs::read_to_string(package().join(path)).expect("a document")
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

/// Files that only say of which modules a crate is made.
const CRATE_ROOTS: [&str; 2] = ["src/base/lib.rs", "src/engine/lib.rs"];

/// The sources below `src` that are part of the program.
fn program() -> Vec<Source> {
    let all = sources("src");
    let tests: BTreeSet<PathBuf> = all.iter().flat_map(test_modules).collect();
    let is_root = |path: &Path| CRATE_ROOTS.iter().any(|root| path == Path::new(root));
    all.into_iter()
        .filter(|source| !is_test(&source.path, &tests) && !is_root(&source.path))
        .collect()
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

/// Returns the folder of the modules that a file declares.
fn folder_of(path: &Path) -> PathBuf {
    match path.file_name().and_then(|name| name.to_str()) {
        Some("mod.rs" | "lib.rs" | "main.rs") => path.parent().unwrap_or(path).to_owned(),
        _ => path.with_extension(""),
    }
}

/// A module by its names, as the library of the program has them: the crates below pass on their modules. `main.rs` is
/// a program of its own, and the crate of the screen is a module itself.
fn module(path: &Path) -> Module {
    if path.ends_with("main.rs") {
        return vec!["main".to_owned()];
    }
    let names = folder_of(path);
    let crate_folders = if path.starts_with("src/ui") { 1 } else { 2 };
    let names = names.components().skip(crate_folders);
    names.map(|name| name.as_os_str().to_string_lossy().into_owned()).collect()
}

/// The program, with the path of each module's file; read once.
static PROGRAM: LazyLock<(Graph, BTreeMap<Module, PathBuf>)> = LazyLock::new(|| {
    let sources = program();
    let graph = Graph::new(sources.iter().map(|s| (module(&s.path), s.text.as_str())));
    (graph, sources.into_iter().map(|s| (module(&s.path), s.path)).collect())
});

/// The manifests of the crates.
const MANIFESTS: [&str; 4] =
    ["Cargo.toml", "src/base/Cargo.toml", "src/engine/Cargo.toml", "src/ui/Cargo.toml"];

fn is_ours(package: &str) -> bool {
    package.starts_with("dominds_tui")
}

/// The packages of others that our crates ask for in the sections with this name, also for one system alone.
fn asked_for(section: &str) -> BTreeSet<String> {
    let asked = MANIFESTS.iter().flat_map(|path| owners::asked_for(&document(path), section));
    asked.filter(|package| !is_ours(package)).collect()
}

fn report(rule: &str, broken: &[String]) {
    assert!(broken.is_empty(), "{rule}:\n{}", broken.join("\n"));
}

#[test]
fn every_module_uses_only_the_layers_below_it() {
    let (graph, files) = &*PROGRAM;
    let mut broken = Vec::new();
    for (module, path) in files {
        let [top, ..] = module.as_slice() else { continue };
        let may = match LAYERS.iter().find(|(name, _)| name == top) {
            Some((_, may)) => *may,
            None if top == "cli" || top == "main" => ALL,
            None => {
                broken.push(format!("{}: `{top}` is in no layer", path.display()));
                continue;
            }
        };
        for used in graph.uses(module) {
            let Some(other) = used.path.first() else { continue };
            let ours = ALL.contains(&other.as_str());
            if ours && other != top && !may.contains(&other.as_str()) {
                broken.push(format!("{}:{}: {top} → {other}", path.display(), used.line));
            }
        }
    }
    report("a module uses one it must not know", &broken);
}

#[test]
fn the_table_of_layers_is_the_one_that_is_checked() {
    let text = document("docs/ARCHITECTURE.md");
    let mut written: BTreeMap<_, BTreeSet<_>> = owners::layers(&text)
        .into_iter()
        .map(|(m, used)| (m, used.into_iter().collect()))
        .collect();
    for top in ["app", "cli"] {
        assert!(written.remove(top).is_some(), "{top} has no row");
    }
    let checked = LAYERS.iter().filter(|(module, _)| *module != "app").map(|(module, used)| {
        ((*module).to_owned(), used.iter().map(|&used| used.to_owned()).collect())
    });
    assert_eq!(written, checked.collect());
}

#[test]
fn folders_have_the_order_that_the_comment_of_their_module_says() {
    for (module, path, order) in ORDERED {
        let text = document(path);
        let rows =
            text.lines().filter_map(|line| line.strip_prefix("//! | `")?.split(" | ").next());
        let written: Vec<String> = rows.map(|row| row.replace('`', "")).collect();
        let checked: Vec<String> = order.iter().map(|folders| folders.join(", ")).collect();
        assert_eq!(written, checked, "{module}");
    }
}

#[test]
fn outside_the_driver_only_its_front_is_known() {
    let (graph, files) = &*PROGRAM;
    let mut broken = Vec::new();
    for (module, path) in files.iter().filter(|(m, _)| m.first().is_none_or(|m| m != "driver")) {
        for used in graph.uses(module) {
            let [top, inside, ..] = used.path.as_slice() else { continue };
            if top == "driver" && !inside.starts_with(char::is_uppercase) && inside != "self" {
                broken.push(format!("{}:{}: driver::{inside}", path.display(), used.line));
            }
        }
    }
    report("the inside of the driver is used from outside", &broken);
}

#[test]
fn of_the_store_the_protocol_knows_only_facts() {
    let (graph, files) = &*PROGRAM;
    let mut broken = Vec::new();
    for (module, path) in files.iter().filter(|(m, _)| m.first().is_some_and(|m| m == "protocol")) {
        for used in graph.uses(module) {
            let [top, inside, ..] = used.path.as_slice() else { continue };
            if top == "store" && inside != "Fact" {
                broken.push(format!("{}:{}: store::{inside}", path.display(), used.line));
            }
        }
    }
    report("the protocol uses more of the store than facts", &broken);
}

#[test]
fn a_folder_of_an_ordered_module_uses_only_those_below_it() {
    let (graph, files) = &*PROGRAM;
    let mut broken = Vec::new();
    for (module, path) in files {
        let [top, folder, ..] = module.as_slice() else { continue };
        let Some((_, _, order)) = ORDERED.iter().find(|(name, ..)| name == top) else { continue };
        let line = |folder: &str| order.iter().position(|line| line.contains(&folder));
        for used in graph.uses(module) {
            let [to, other, ..] = used.path.as_slice() else { continue };
            let below = line(folder).is_some_and(|at| line(other).is_some_and(|to| to > at));
            if to == top && other != folder && !below {
                let at = format!("{}:{}", path.display(), used.line);
                broken.push(format!("{at}: {top}: {folder} → {other}"));
            }
        }
    }
    report("a folder uses one it must not know", &broken);
}

#[test]
fn no_circle_has_more_than_three_files() {
    let (graph, _) = &*PROGRAM;
    let circles = graph.circles(MAX_CIRCLE).into_iter();
    let shown = circles.map(|circle| format!("{} files\n{}", circle.len(), graph.show(&circle)));
    report("files in a circle", &shown.collect::<Vec<_>>());
}

#[test]
fn no_circle_goes_through_two_folders() {
    let (graph, _) = &*PROGRAM;
    let circles = graph.circles_of_folders().into_iter();
    let names = |circle: &BTreeSet<Module>| {
        let names: Vec<String> = circle.iter().map(|module| module.join("::")).collect();
        format!("{}\n{}", names.join(" "), graph.show_folders(circle))
    };
    let shown: Vec<String> = circles.map(|circle| names(&circle)).collect();
    report("folders in a circle", &shown);
}

#[test]
fn every_package_is_named_exactly_where_the_document_says() {
    let (graph, files) = &*PROGRAM;
    let text = document("docs/deps.md");
    let rows = owners::rows(&text, "## In the program");
    let mut broken = Vec::new();
    for (row, package) in rows.iter().flat_map(|row| row.packages.iter().map(move |p| (row, p))) {
        let mut found: BTreeSet<&[String]> = BTreeSet::new();
        for (module, path) in files {
            let Some((line, _)) = graph.packages(module).into_iter().find(|(_, n)| n == package)
            else {
                continue;
            };
            match row.owners.iter().find(|owner| module.starts_with(owner)) {
                Some(owner) => {
                    found.insert(owner);
                }
                None => broken.push(format!("{}:{line}: {package}", path.display())),
            }
        }
        let silent = row.owners.iter().filter(|owner| !found.contains(owner.as_slice()));
        broken.extend(silent.map(|o| format!("docs/deps.md: {} names no {package}", o.join("/"))));
    }
    report("a package has other owners than the document says", &broken);
}

#[test]
fn every_package_of_the_manifest_has_its_row_and_every_row_its_package() {
    let text = document("docs/deps.md");
    let listed = |heading| -> BTreeSet<String> {
        owners::rows(&text, heading).into_iter().flat_map(|row| row.packages).collect()
    };
    let (program, tests) = (asked_for("dependencies"), asked_for("dev-dependencies"));
    assert_eq!(listed("## In the program"), program);
    assert_eq!(listed("## In tests"), tests.difference(&program).cloned().collect());
    let versions = owners::asked_for(&document("Cargo.toml"), "workspace.dependencies");
    assert!(program.union(&tests).eq(versions.iter().filter(|name| !is_ours(name))));
}

/// The packages that the project is built on, as code names them. Others come and go with a reason, these stay.
const FIXED_PACKAGES: [&str; 9] = [
    "directories",
    "ratatui",
    "reqwest",
    "serde",
    "serde_json",
    "serde_yaml",
    "tokio",
    "tracing_appender",
    "tui_textarea",
];

#[test]
fn the_packages_that_the_project_is_built_on_are_declared_and_used() {
    let (graph, files) = &*PROGRAM;
    let declared = asked_for("dependencies");
    let named = files.keys().flat_map(|module| graph.packages(module));
    let named: BTreeSet<String> = named.map(|(_, package)| package).collect();
    for package in FIXED_PACKAGES {
        let is_declared = declared.iter().any(|one| one == package);
        assert!(is_declared && named.contains(package), "{package}");
    }
    // Named through ratatui, so that there is one version.
    assert!(declared.iter().any(|one| one == "crossterm"), "crossterm");
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

/// The most methods of the app of the screen, which only gives things to their owners.
const MAX_APP_METHODS: usize = 60;

/// Returns how many methods a source gives the app.
fn methods_of_app(text: &str) -> usize {
    let mut is_inside = false;
    let is_method = |line: &&str| {
        is_inside = *line == "impl App {" || (is_inside && *line != "}");
        let code = line.strip_prefix("    ").unwrap_or_default();
        is_inside && (code.starts_with("fn ") || (code.starts_with("pub") && code.contains(" fn ")))
    };
    text.lines().filter(is_method).count()
}

#[test]
fn the_app_has_at_most_sixty_methods() {
    let owner = "impl Reading {\n    pub fn open(&self) {}\n}\n";
    let router = "impl App {\n    pub fn key(&mut self) {\n        fn inner() {}\n    }\n\n    fn act() {}\n}\n";
    assert_eq!(methods_of_app(&format!("{router}{owner}{router}")), 4);
    let sources = program().into_iter().filter(|source| source.path.starts_with("src/ui/app"));
    let methods: usize = sources.map(|source| methods_of_app(&source.text)).sum();
    assert!(
        (1..=MAX_APP_METHODS).contains(&methods),
        "{methods}: what is about one owner is its own"
    );
}

#[test]
fn every_file_says_what_it_is_for() {
    let all = sources("src").into_iter().chain(sources("tests"));
    let silent = all.filter(|source| !source.text.starts_with("//! "));
    let silent: Vec<String> = silent.map(|source| format!("{}:1", source.path.display())).collect();
    report("begins without `//!`", &silent);
}

/// The lines that hold something of the program, with their numbers.
fn lines(source: &Source) -> Vec<(usize, &str)> {
    let held: BTreeSet<usize> = tokens::program(&source.text).iter().map(|t| t.line).collect();
    let lines = source.text.lines().enumerate().map(|(at, line)| (at + 1, line));
    lines.filter(|(number, _)| held.contains(number)).collect()
}

/// Code that exists in one place only: its text, and its file.
const MADE_ONCE: [(&str, &str); 4] = [
    ("TreeRow {", "src/engine/driver/reporting/tree_rows.rs"),
    ("InboxRow {", "src/engine/driver/reporting/tree_rows.rs"),
    ("return DisplayState::Proceeding", "src/base/domain/dialogs/shown_state.rs"),
    ("fn class(&self) -> RecordClass", "src/base/domain/dialogs/record.rs"),
];

#[test]
fn rows_and_shown_states_are_made_in_one_place() {
    let program = program();
    for (made, place) in MADE_ONCE {
        let makes = |(_, line): &(usize, &str)| {
            let named = ["struct ", "impl ", "-> ", "for "].iter().any(|word| line.contains(word));
            line.contains(made) && (made.starts_with("fn ") || !named)
        };
        let found = program.iter().filter(|source| lines(source).iter().any(makes));
        let found: Vec<&Path> = found.map(|source| source.path.as_path()).collect();
        assert_eq!(found, [Path::new(place)], "{made}");
    }
}

/// Single hidden characters that others may name: the mark at the beginning of a file, the joiners and
/// the selectors of emoji.
const NAMED_HIDDEN: [u32; 5] = [0xfeff, 0x200c, 0x200d, 0xfe0e, 0xfe0f];

#[test]
fn one_module_knows_the_hidden_characters() {
    // The reader of YAML names the line breaks that its library gets wrong.
    let known = ["src/base/domain/text/hidden_chars.rs", "src/base/yaml/mod.rs"].map(Path::new);
    let mut broken = Vec::new();
    for source in program().iter().filter(|source| !known.contains(&source.path.as_path())) {
        for (number, line) in lines(source) {
            let hidden = |code: &u32| {
                let class = char::from_u32(*code).and_then(class_of);
                let hides = matches!(class, Some(HiddenClass::Invisible | HiddenClass::Selector));
                *code > 0xff && hides && !NAMED_HIDDEN.contains(code)
            };
            for code in code_points(line).into_iter().filter(hidden) {
                broken.push(format!("{}:{number}: {code:x}", source.path.display()));
            }
        }
    }
    assert_eq!(code_points("'\\u{202e}' | 0x1_bca0..=0xFe0f"), [0x202e, 0x1bca0, 0xfe0f]);
    assert!(broken.is_empty(), "ask domain::hidden_chars instead:\n{}", broken.join("\n"));
}

/// The numbers that a line writes as `\u{…}` or `0x…`.
fn code_points(line: &str) -> Vec<u32> {
    let mut found = Vec::new();
    for mark in ["\\u{", "0x"] {
        for rest in line.split(mark).skip(1) {
            let digits = rest.chars().take_while(|c| c.is_ascii_hexdigit() || *c == '_');
            let digits: String = digits.filter(|c| *c != '_').collect();
            found.extend(u32::from_str_radix(&digits, 16));
        }
    }
    found
}

/// The guard of the tools works on open directories; a path through a descriptor is written where the system has no call
/// for what is open: a name for a file without one, a mount, the mode of a folder, a socket.
#[test]
fn a_path_leads_through_a_descriptor_only_where_the_system_has_no_call_for_it() {
    let named = [
        "src/engine/sandbox/hold.rs",
        "src/engine/sandbox/nameless.rs",
        "src/engine/sandbox/removal.rs",
        "src/program/remote/socket.rs",
    ]
    .map(PathBuf::from);
    let marks = ["proc/self/fd", "dev/fd"];
    let holds = |source: &Source| {
        lines(source).iter().any(|(_, line)| marks.iter().any(|mark| line.contains(mark)))
    };
    let found: Vec<PathBuf> = program().into_iter().filter(holds).map(|s| s.path).collect();
    assert_eq!(found, named);
}

/// Files that look at a language for something else than words of their own.
const NAMES_A_LANGUAGE: [&str; 5] = [
    "src/base/domain/lang.rs",
    "src/base/domain/text/mod.rs",
    // The setting.
    "src/program/cli/config/mod.rs",
    // Names of files in a language.
    "src/engine/minds/skills/find.rs",
    // It takes the reader's language in addition to that of the text.
    "src/engine/driver/texts/courses.rs",
];

#[test]
fn only_one_module_chooses_words_by_language() {
    let chooses = |source: &Source| {
        let named = NAMES_A_LANGUAGE.iter().any(|path| source.path == Path::new(path));
        let arm = |line: &str| {
            ["En", "Zh"].iter().any(|lang| {
                line.contains(&format!("Lang::{lang} =>"))
                    || line.contains(&format!("Lang::{lang}) =>"))
                    || line.contains(&format!("== Lang::{lang}"))
            })
        };
        !named && lines(source).iter().any(|(_, line)| arm(line))
    };
    let found: Vec<String> = program()
        .iter()
        .filter(|source| chooses(source))
        .map(|one| one.path.display().to_string())
        .collect();
    report("write it as a `Text` or with `in_lang!`", &found);
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
