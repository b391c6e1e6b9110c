//! The texts for people and members agree with the program: the manuals of the toolsets, the
//! descriptions of the tools, the tables and examples of the documents.

#![expect(clippy::expect_used, reason = "a test that cannot go on says why")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use dominds_tui::app;
use dominds_tui::cli;
use dominds_tui::domain::safety::server_tools::ToolFacts;
use dominds_tui::domain::text::Localized;
use dominds_tui::domain::{Lang, Quirk, SharedSecrets};
use dominds_tui::llm::Clients;
use dominds_tui::mcp::{NOT_AGREED, Permission, Servers, Setup};
use dominds_tui::minds::Minds;
use dominds_tui::minds::mcp_config::{McpFile, Transport};
use dominds_tui::tools::{Registry, ToolSource as _, ToolSubset};
use dominds_tui::ui::action::{Binding, Scope};
use dominds_tui::ui::bindings;
use dominds_tui::ui::theme::{ColorDepth, EMBEDDED, Pair, Paper, Role, Theme};
use dominds_tui::yaml;
use ratatui::style::{Modifier, Style};

const MANUALS: &str = "src/engine/tools/man";
/// The text about `man` itself.
const ABOUT: &str = "man";
/// Keys of configuration files and words of other programs that look like names of tools.
const OTHER_WORDS: [&str; 3] = ["shell_specialists", "apiKeyEnvVar", "content_hash"];

#[derive(Debug)]
struct Nobody;

impl Permission for Nobody {
    fn may(&self, _server: &str, _transport: &Transport) -> bool {
        false
    }

    fn held_tools(
        &self,
        _server: &str,
        _transport: &Transport,
        _listed: &[ToolFacts],
    ) -> Result<BTreeSet<String>, Localized> {
        Err(NOT_AGREED.into())
    }
}

pub fn document(path: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).expect("a document")
}

/// Every tool of the program.
fn registry() -> Registry {
    let mut registry = app::registry(Arc::default());
    let servers = Servers::new(Setup {
        workspace: Arc::from(Path::new(env!("CARGO_MANIFEST_DIR"))),
        program: Arc::from(Path::new(env!("CARGO_BIN_EXE_dominds-tui"))),
        lang: Lang::En,
        env: &|_| None,
        clients: Clients::default(),
        vault: SharedSecrets::default(),
        permission: Arc::new(Nobody),
        taken: BTreeSet::new(),
        sandbox: None,
    });
    servers.add_to(&mut registry);
    registry
}

/// Returns the tools of a member with one toolset, of which its manual may speak.
fn offered(registry: &Registry, toolset: &str) -> ToolSubset {
    let (subset, unknown) = registry.for_member(&[toolset.to_owned()], &[], true);
    assert!(unknown.is_empty(), "{toolset} is no toolset");
    subset
}

fn arguments(subset: &ToolSubset) -> BTreeSet<&str> {
    let schemas = subset.specs().filter_map(|spec| spec.parameters.get("properties")?.as_object());
    schemas.flat_map(|known| known.keys().map(String::as_str)).collect()
}

/// Each manual by its toolset.
fn manuals() -> BTreeMap<String, String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(MANUALS);
    let entries = fs::read_dir(folder).expect("a folder of manuals");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let texts = paths.filter(|path| path.extension().is_some_and(|ending| ending == "md"));
    let manuals = texts.map(|path| {
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        (name, fs::read_to_string(path).expect("a manual"))
    });
    manuals.filter(|(name, _)| name != ABOUT).collect()
}

/// Returns the texts between backticks, outside of blocks of code.
fn quoted(text: &str) -> BTreeSet<&str> {
    let prose = text.split("```").step_by(2);
    prose.flat_map(|part| part.split('`').skip(1).step_by(2)).collect()
}

/// `a_word`, or `aWord`: how tools and their arguments are written.
fn is_name(word: &str) -> bool {
    let plain = word.starts_with(|first: char| first.is_ascii_lowercase())
        && word.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    plain && word.contains(|c: char| c == '_' || c.is_ascii_uppercase())
}

/// `A_WORD`: how reasons are written.
fn is_code(word: &str) -> bool {
    word.contains('_') && word.chars().all(|c| c.is_ascii_uppercase() || c == '_')
}

/// Returns the quoted words that are alike in every language: single words, not examples.
fn words(text: &str) -> BTreeSet<&str> {
    quoted(text).into_iter().filter(|word| !word.contains(' ')).collect()
}

fn halves(text: &str) -> (&str, &str) {
    text.split_once("<!-- zh -->").expect("two languages")
}

fn sources(folder: PathBuf, text: &mut String) {
    for entry in fs::read_dir(folder).expect("a folder of sources") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            sources(path, text);
        } else if path.extension().is_some_and(|ending| ending == "rs")
            && !path.ends_with("tests.rs")
        {
            text.push_str(&fs::read_to_string(path).expect("a source file"));
        }
    }
}

#[test]
fn a_manual_names_only_tools_and_arguments_its_readers_have() {
    let registry = registry();
    for (toolset, text) in manuals() {
        let subset = offered(&registry, &toolset);
        let arguments = arguments(&subset);
        for word in quoted(&text) {
            let known = subset.contains(word) || arguments.contains(word);
            let is_tool = registry.tool(word).is_some();
            let other = OTHER_WORDS.contains(&word);
            assert!(known || !is_tool, "{toolset}: its readers do not have `{word}`");
            assert!(known || other || !is_name(word), "{toolset}: there is no `{word}`");
        }
    }
}

#[test]
fn a_reason_a_manual_names_is_one_a_tool_gives() {
    let mut source = String::new();
    sources(Path::new(env!("CARGO_MANIFEST_DIR")).join("src/engine/tools"), &mut source);
    let manuals = manuals();
    let mut found = 0;
    for (toolset, text) in &manuals {
        for code in quoted(text).into_iter().filter(|word| is_code(word)) {
            let variable = code.starts_with("DOMINDS_");
            assert!(variable || source.contains(&format!("\"{code}\"")), "{toolset}: {code}");
            found += 1;
        }
    }
    assert!(found > 10, "the manuals name {found} reasons only");
}

#[test]
fn both_languages_of_a_manual_name_the_same_things() {
    for (toolset, text) in manuals() {
        let (en, zh) = halves(&text);
        assert_eq!(words(en), words(zh), "{toolset}");
    }
}

#[test]
fn a_tool_says_the_same_in_both_languages_and_explains_each_argument() {
    let registry = registry();
    let (all, _) = registry.for_member(&["*".to_owned()], &[], true);
    let mut seen = 0;
    for spec in all.specs() {
        let (en, zh) = (spec.description.text(Lang::En), spec.description.text(Lang::Zh));
        assert_eq!(words(en), words(zh), "{}", spec.name);
        assert!(en.is_ascii() && !zh.is_ascii(), "{}", spec.name);
        let known = spec.parameters.get("properties").and_then(|known| known.as_object());
        for argument in known.into_iter().flat_map(|known| known.keys()) {
            assert!(quoted(en).contains(argument.as_str()), "{}: {argument}", spec.name);
        }
        seen += 1;
    }
    assert!(seen > 50, "{seen} tools only");
}

#[test]
fn a_tool_names_only_tools_there_are() {
    let registry = registry();
    let (all, _) = registry.for_member(&["*".to_owned()], &[], true);
    for spec in all.specs() {
        let own = spec.parameters.get("properties");
        for word in quoted(spec.description.text(Lang::En)).into_iter().filter(|word| is_name(word))
        {
            let known = all.contains(word)
                || own.is_some_and(|own| own.get(word).is_some())
                || OTHER_WORDS.contains(&word);
            assert!(known, "{}: there is no `{word}`", spec.name);
        }
    }
}

/// `alt+a` as people read it.
fn shown(key: &str) -> String {
    let part = |part: &str| match part {
        "alt" => "Alt".to_owned(),
        "ctrl" => "Ctrl".to_owned(),
        "shift" => "Shift".to_owned(),
        "up" => "\u{2191}".to_owned(),
        "down" => "\u{2193}".to_owned(),
        "left" => "\u{2190}".to_owned(),
        "right" => "\u{2192}".to_owned(),
        "pageup" => "PageUp".to_owned(),
        "pagedown" => "PageDown".to_owned(),
        one if one.chars().count() == 1 => one.to_owned(),
        named => {
            named.chars().next().into_iter().flat_map(char::to_uppercase).collect::<String>()
                + named.get(1..).unwrap_or_default()
        }
    };
    format!("`{}`", key.split('+').map(part).collect::<Vec<_>>().join("+"))
}

/// The beginning of a generated part of a document: `<!-- generated: NAME -->`. It ends with [`END`].
const BEGIN: &str = "<!-- generated: ";
const END: &str = "<!-- end -->";

/// Makes the text of a generated part.
type Render = fn() -> String;

/// The generated parts: document, name, and what makes the text from the definitions.
const GENERATED: [(&str, &str, Render); 5] = [
    ("docs/keys.md", "keys", keys),
    ("docs/commands.md", "commands", commands),
    ("docs/configure.md", "settings", settings),
    ("docs/models.md", "providers", providers),
    ("docs/themes.md", "contrast", contrast),
];

/// Returns a document with a generated part replaced by `text`.
fn with_generated(document: &str, name: &str, text: &str) -> String {
    let marker = format!("{BEGIN}{name} -->\n");
    let (before, rest) = document.split_once(&marker).expect("the beginning of a generated part");
    let (_, after) = rest.split_once(END).expect("the end of a generated part");
    format!("{before}{marker}\n{}\n\n{END}{after}", text.trim())
}

/// The command that writes the generated parts.
const UPDATE: &str =
    concat!("UPDATE_DOCS=1 cargo test --test ", env!("CARGO_CRATE_NAME"), " generated");

#[expect(clippy::disallowed_methods, reason = "whether to write is asked for from outside")]
pub fn is_update() -> bool {
    std::env::var("UPDATE_DOCS").is_ok_and(|value| value == "1")
}

/// With `UPDATE_DOCS=1` they are written instead of compared.
#[test]
fn what_is_generated_in_the_documents_is_current() {
    let update = is_update();
    for (path, name, render) in GENERATED {
        let current = document(path);
        let wanted = with_generated(&current, name, &render());
        if update {
            let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
            fs::write(path, wanted).expect("writing a document");
        } else {
            assert!(current == wanted, "`{name}` in {path} is not current: {UPDATE}");
        }
    }
}

#[test]
fn every_generated_part_has_what_makes_it() {
    let count = |path| {
        fs::read_to_string(path)
            .expect("a document")
            .lines()
            .filter(|line| line.starts_with(BEGIN))
            .count()
    };
    assert_eq!(documents().into_iter().map(count).sum::<usize>(), GENERATED.len());
}

/// A text in a cell of a table.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}

/// A table for each scope, with all actions that can be bound there.
fn keys() -> String {
    let table = |scope: Scope| {
        let rows = bindings_in(scope).map(|binding| {
            let keys: Vec<String> = binding.keys.iter().map(|key| shown(key)).collect();
            let (name, does) = (binding.action.name(), cell(binding.sentence(Lang::En)));
            format!("| {} | `{name}` | {does} |\n", keys.join(" "))
        });
        let rows: String = rows.collect();
        format!("## `{}`\n\n| key | action | what it does |\n|---|---|---|\n{rows}\n", scope.name())
    };
    bindings::scopes().into_iter().map(table).collect()
}

fn bindings_in(scope: Scope) -> impl Iterator<Item = &'static Binding> {
    bindings::all().iter().filter(move |binding| binding.scope == scope)
}

/// The default keys as a file, for users to copy from.
const KEY_FILE: &str = "themes/keys.yaml";

/// With `UPDATE_DOCS=1` it is written instead of compared.
#[test]
fn the_generated_file_of_default_keys_is_current() {
    let mut wanted = "# The default keys. Copy what you want to change into your own key file; an empty \
                      list takes the keys away.\n# Plain characters cannot be bound in `anywhere` and \
                      `composer`: there they are typed text.\n"
        .to_owned();
    for scope in bindings::scopes() {
        wanted.push_str(&format!("\n{}:\n", scope.name()));
        for binding in bindings_in(scope) {
            let keys: Vec<String> = binding.keys.iter().map(|key| format!("\"{key}\"")).collect();
            wanted.push_str(&format!("  {}: [{}]\n", binding.action.name(), keys.join(", ")));
        }
    }
    if is_update() {
        fs::write(Path::new(env!("CARGO_MANIFEST_DIR")).join(KEY_FILE), wanted).expect(KEY_FILE);
    } else {
        assert!(document(KEY_FILE) == wanted, "{KEY_FILE} is not current: {UPDATE}");
    }
}

/// Usage, arguments and options of each command.
fn commands() -> String {
    let mut text = String::new();
    section(&cli::definitions(), &mut text);
    text
}

fn section(command: &clap::Command, text: &mut String) {
    let name = command.get_bin_name().unwrap_or(command.get_name());
    let about = command.get_about().map(ToString::to_string).unwrap_or_default();
    let usage = command.clone().render_usage().to_string();
    let usage = usage.trim_start_matches("Usage:").trim();
    text.push_str(&format!("## {name}\n\n{}.\n\n```text\n{usage}\n```\n\n", cell(&about)));
    // `-C`, `--help` and `--version` are shown once, at the program itself.
    let is_top = !name.contains(' ');
    let shown = command.get_arguments().filter(|argument| {
        !argument.is_hide_set() && (is_top || !argument.is_global_set()) && !is_help(argument)
    });
    let rows: String = shown.map(row).collect();
    if !rows.is_empty() {
        text.push_str(&format!("| argument | meaning |\n|---|---|\n{rows}\n"));
    }
    for below in command.get_subcommands().filter(|below| !below.is_hide_set()) {
        section(below, text);
    }
}

fn is_help(argument: &clap::Arg) -> bool {
    matches!(argument.get_id().as_str(), "help" | "version")
}

/// An argument with its possible values and its default.
fn row(argument: &clap::Arg) -> String {
    let help = argument.get_help().map(ToString::to_string).unwrap_or_default();
    let mut meaning = cell(&help);
    let values: Vec<String> = argument
        .get_possible_values()
        .iter()
        .filter(|_| argument.get_action().takes_values())
        .map(|value| match value.get_help() {
            Some(help) => format!("`{}`: {help}", value.get_name()),
            None => format!("`{}`", value.get_name()),
        })
        .collect();
    if !values.is_empty() {
        meaning.push_str(&format!(" ({})", values.join("; ")));
    }
    let defaults = argument.get_default_values().iter().map(|value| value.to_string_lossy());
    let defaults: Vec<_> = defaults.filter(|_| argument.get_action().takes_values()).collect();
    if !defaults.is_empty() {
        meaning.push_str(&format!(" (default: {})", defaults.join(" ")));
    }
    format!("| `{}` | {meaning} |\n", cell(&argument.to_string()))
}

/// The settings of `config.yaml`.
fn settings() -> String {
    let rows = cli::SETTINGS.iter().map(|setting| {
        let name = setting.path.join(": ");
        let (values, default) = (setting.values.to_string(), (setting.default)());
        format!("| `{name}` | {} | {} | {default} |\n", cell(setting.meaning), cell(&values))
    });
    let rows: String = rows.collect();
    format!("| setting | meaning | values | default |\n|---|---|---|---|\n{rows}")
}

/// The contrast of each role in each theme with exact colours; where there is none, its modifiers.
fn contrast() -> String {
    let themes: Vec<(&str, Theme)> = EMBEDDED
        .into_iter()
        .map(|(name, _)| {
            let parse = |text: &str| yaml::parse(text).map_err(|error| error.message());
            (name, Theme::embedded(name, ColorDepth::True, parse).expect("a theme"))
        })
        .collect();
    let mut table = "| role |".to_owned();
    for (name, _) in &themes {
        table.push_str(&format!(" `{name}` |"));
    }
    table.push_str(&format!("\n|---|{}\n", "---|".repeat(themes.len())));
    for role in Role::ALL {
        table.push_str(&format!("| `{role}` |"));
        for (name, theme) in &themes {
            let pair = Pair::of(theme, *role, Paper::of(name));
            let shown = match pair {
                Some(pair) => format!("{:.1}", pair.contrast()),
                None if Paper::of(name) == Paper::Terminal => modifiers(theme.style(*role)),
                None => "–".to_owned(),
            };
            table.push_str(&format!(" {shown} |"));
        }
        table.push('\n');
    }
    table
}

/// The modifiers of a style, as themes name them.
fn modifiers(style: Style) -> String {
    let words: Vec<&str> = [
        (Modifier::BOLD, "bold"),
        (Modifier::DIM, "dim"),
        (Modifier::REVERSED, "reverse"),
        (Modifier::UNDERLINED, "underline"),
        (Modifier::CROSSED_OUT, "strike"),
    ]
    .into_iter()
    .filter(|(modifier, _)| style.add_modifier.contains(*modifier))
    .map(|(_, word)| word)
    .collect();
    if words.is_empty() { "–".to_owned() } else { words.join(" ") }
}

/// The providers that are there without a file.
fn providers() -> String {
    let empty = tempfile::tempdir().expect("a folder");
    let minds = Minds::load(empty.path(), Lang::En);
    let usable = minds.providers().iter().filter(|provider| provider.api_type.is_supported());
    let rows = usable.map(|provider| {
        let variable = provider.api_key_env_var.as_deref().unwrap_or_default();
        let (key, api) = (&provider.key, provider.api_type.name());
        format!("| `{key}` | `{api}` | {} | `{variable}` |\n", provider.base_url)
    });
    let rows: String = rows.collect();
    format!("| provider | `apiType` | `baseUrl` | `apiKeyEnvVar` |\n|---|---|---|---|\n{rows}")
}

#[test]
fn the_table_of_toolsets_names_each_that_has_a_manual() {
    let tools = document("docs/tools.md");
    let table = tools.split("| toolset | what is in it |").nth(1).expect("a table of toolsets");
    let rows = table.lines().skip(2).take_while(|line| line.starts_with('|'));
    let named: BTreeSet<&str> =
        rows.flat_map(|row| quoted(row.split('|').nth(1).unwrap_or_default())).collect();
    let known = manuals();
    assert_eq!(named, known.keys().map(String::as_str).collect());
}

#[test]
fn the_table_of_quirks_names_each() {
    let models = document("docs/models.md");
    let table = models.split("| quirk | for a server that |").nth(1).expect("a table of quirks");
    let rows = table.lines().skip(2).take_while(|line| line.starts_with('|'));
    let documented: BTreeSet<&str> =
        rows.flat_map(|row| quoted(row.split('|').nth(1).unwrap_or_default())).collect();
    assert_eq!(documented, Quirk::ALL.map(Quirk::name).into());
}

/// The block of YAML in a document that holds this line.
fn example(text: &str, line: &str) -> String {
    let blocks = text.split("```yaml\n").skip(1).filter_map(|rest| rest.split("```").next());
    let found = blocks.into_iter().find(|block| block.lines().any(|one| one == line));
    found.expect("an example").to_owned()
}

#[test]
fn the_examples_of_a_configuration_are_read_without_a_finding() {
    let workspace = tempfile::tempdir().expect("a folder");
    let folder = workspace.path().join(".minds");
    fs::create_dir(&folder).expect("a folder");
    for (page, name, line) in [
        ("docs/team.md", "team.yaml", "members:"),
        ("README.md", "llm.yaml", "providers:"),
        ("docs/mcp.md", "mcp.yaml", "servers:"),
    ] {
        fs::write(folder.join(name), example(&document(page), line)).expect("a file");
    }
    let minds = Minds::load(workspace.path(), Lang::En);
    assert_eq!(minds.problems(), []);
    let registry = registry();
    assert_eq!(minds.unknown_tools(&registry.names()), []);
    assert!(McpFile::load(workspace.path()).servers.len() > 1);
    assert!(minds.team().visible().count() > 3);
}

/// All documents, by their paths.
fn documents() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folders = [root.to_owned(), root.join("docs"), root.join("docs/adr")];
    let entries = folders.iter().flat_map(|folder| fs::read_dir(folder).expect("a folder"));
    let paths = entries.map(|entry| entry.expect("an entry").path());
    paths.filter(|path| path.extension().is_some_and(|ending| ending == "md")).collect()
}

/// The part of an address that leads to a heading.
fn anchor(heading: &str) -> String {
    let kept = |c: &char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_');
    heading.to_lowercase().chars().filter(kept).collect::<String>().replace(' ', "-")
}

#[test]
fn every_link_of_a_document_leads_to_a_file_and_a_heading() {
    let mut broken = Vec::new();
    let mut seen = 0;
    for path in documents() {
        let text = fs::read_to_string(&path).expect("a document");
        let prose: String = text.split("```").step_by(2).collect();
        let links = prose.split("](").skip(1).filter_map(|rest| rest.split(')').next());
        for link in links.filter(|link| !link.starts_with("http")) {
            let (file, heading) = link.split_once('#').unwrap_or((link, ""));
            let folder = path.parent().expect("a folder");
            let target = if file.is_empty() { path.clone() } else { folder.join(file) };
            let there = heading.is_empty() && target.exists()
                || fs::read_to_string(&target).is_ok_and(|text| {
                    let headings = text.lines().filter_map(|line| line.strip_prefix('#'));
                    headings.map(|line| line.trim_matches(['#', ' '])).any(|h| anchor(h) == heading)
                });
            seen += 1;
            if !there {
                broken.push(format!("{}: {link}", path.display()));
            }
        }
    }
    assert!(seen > 50, "{seen} links only");
    assert_eq!(broken, Vec::<String>::new());
}

/// True for the path of a file or a folder, as the guide for contributors writes it.
fn is_path(word: &str) -> bool {
    let is_pattern = word.contains("TOOLSET");
    let names_one = word.ends_with('/') || Path::new(word).extension().is_some();
    word.contains('/') && names_one && !is_pattern
}

#[test]
fn every_path_in_the_guide_for_contributors_exists() {
    let text = document("CONTRIBUTING.md");
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let paths: BTreeSet<&str> = quoted(&text).into_iter().filter(|word| is_path(word)).collect();
    assert!(paths.len() > 50, "{} paths only", paths.len());
    let missing: Vec<&str> = paths.into_iter().filter(|path| !root.join(path).exists()).collect();
    assert_eq!(missing, Vec::<&str>::new());
}

/// The names of tests in the sources and in `tests/`, with their files.
fn tests_by_file() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = Vec::new();
    let mut folders = vec![root.join("src"), root.join("tests")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                let file = path.strip_prefix(root).expect("below the root").to_string_lossy();
                let text = fs::read_to_string(&path).expect("a source file");
                let names = text.lines().filter_map(|line| line.trim().split("fn ").nth(1));
                found.extend(names.map(|name| (name.to_owned(), file.clone().into_owned())));
            }
        }
    }
    found
}

/// True if the test says that it holds the scenario: `c05_c06_no_path_leads_out`.
fn holds(test: &str, scenario: &str) -> bool {
    let ids = test.split('_').take_while(|part| {
        part.len() == 3 && part.chars().skip(1).all(|digit| digit.is_ascii_digit())
    });
    ids.into_iter().any(|id| id.eq_ignore_ascii_case(scenario))
}

#[test]
fn every_guarantee_of_safety_names_tests_there_are() {
    let safety = document("docs/safety.md");
    let table = safety.split("| guarantee | test |").nth(1).expect("a table of guarantees");
    let rows: Vec<&str> = table.lines().skip(2).take_while(|line| line.starts_with('|')).collect();
    assert!(rows.len() > 10, "{}", rows.len());
    let all = tests_by_file();
    for row in rows {
        let column = row.split('|').nth(2).unwrap_or_default();
        let named = quoted(column);
        assert!(!named.is_empty(), "{row}");
        for test in named {
            let begins = format!("{test}(");
            let known = all.iter().any(|(name, _)| name.starts_with(&begins));
            assert!(known, "there is no test {test}");
        }
    }
}

#[test]
fn the_table_of_scenarios_names_files_that_test_them() {
    let document = document("docs/testing.md");
    let table = document.split("| scenario | rule | tested in |").nth(1).expect("a table");
    let tests = tests_by_file();
    for row in table.lines().skip(2).take_while(|line| line.starts_with('|')) {
        let scenario = row.split('|').nth(1).expect("an id").trim();
        let named: BTreeSet<&str> =
            quoted(row.rsplit('|').nth(1).expect("files")).into_iter().collect();
        let known: BTreeSet<&str> = tests
            .iter()
            .filter(|(name, _)| holds(name, scenario))
            .map(|(_, file)| file.as_str())
            .collect();
        assert!(!named.is_empty() && named.is_subset(&known), "{scenario}: {known:?}");
    }
}
