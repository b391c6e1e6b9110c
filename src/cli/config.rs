//! `config.yaml`: theme, language, keys, limits and sandbox levels. An invalid entry is skipped and
//! reported as a problem with its line.

use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::Value;

use crate::app::{AnswerLimit, UserLimits};
use crate::consent::Trust;
use crate::domain::sandbox::Level;
use crate::domain::{Lang, Problem};
use crate::platform::{dirs, env};
use crate::ui::UiSettings;
use crate::ui::backend::Capabilities;
use crate::ui::bindings;
use crate::ui::keymap::KeyFault;
use crate::ui::theme::{ColorDepth, EMBEDDED, Glyphs, Theme};
use crate::yaml::{self, Lines};

const FILE: &str = "config.yaml";
const DEFAULT_THEME: &str = "dark";

/// A setting of the file. The reader takes those of [`SETTINGS`] and no others, and
/// docs/configure.md lists them.
#[derive(Debug, Clone, Copy)]
pub struct Setting {
    /// Where it is in the file; `PATH` stands for the path of a workspace.
    pub path: &'static [&'static str],
    pub values: Values,
    /// What holds where it is not set.
    pub default: fn() -> String,
    pub meaning: &'static str,
}

/// What a setting may be.
#[derive(Debug, Clone, Copy)]
pub enum Values {
    Theme,
    Language,
    Keys,
    Level,
    /// A whole number from 1 on.
    Number {
        max: u64,
    },
}

impl Values {
    /// The largest number.
    fn max(self) -> Option<u64> {
        match self {
            Self::Number { max } => Some(max),
            Self::Theme | Self::Language | Self::Keys | Self::Level => None,
        }
    }
}

impl fmt::Display for Values {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Theme => {
                let names = EMBEDDED.map(|(name, _)| format!("`{name}`")).join(", ");
                write!(f, "{names}, or a mapping of roles to colours")
            }
            Self::Language => write!(f, "`en`, `zh`"),
            Self::Keys => write!(f, "a mapping of scopes to actions to lists of keys"),
            Self::Level => {
                let names = Level::ALL.map(|level| format!("`{}`", level.name()));
                write!(f, "{}", names.join(", "))
            }
            Self::Number { max } => write!(f, "1 to {max}"),
        }
    }
}

/// In a path of a setting: the path of a workspace.
const ANY_PATH: &str = "PATH";

/// All settings, in the order in which they are shown.
pub const SETTINGS: [Setting; 9] = [
    Setting {
        path: &["theme"],
        values: Values::Theme,
        default: || format!("`{DEFAULT_THEME}`"),
        meaning: "colours of the screen",
    },
    Setting {
        path: &["language"],
        values: Values::Language,
        default: || "the work language".to_owned(),
        meaning: "language of the screen",
    },
    Setting {
        path: &["keys"],
        values: Values::Keys,
        default: || "`themes/keys.yaml`".to_owned(),
        meaning: "keys of actions; an action that is not named keeps its own",
    },
    Setting {
        path: &["limits", "side_dialogs"],
        values: Values::Number { max: 10_000 },
        default: || UserLimits::default().crowd.dialogs.to_string(),
        meaning: "side dialogs of a tree that work at the same time",
    },
    Setting {
        path: &["limits", "side_dialog_depth"],
        values: Values::Number { max: 100 },
        default: || UserLimits::default().crowd.depth.to_string(),
        meaning: "how deep side dialogs may ask one another",
    },
    Setting {
        path: &["limits", "answer_minutes"],
        values: Values::Number { max: 24 * 60 },
        default: || (UserLimits::default().answer.0.as_secs() / 60).to_string(),
        meaning: "minutes for a whole answer of a model",
    },
    Setting {
        path: &["sandbox"],
        values: Values::Level,
        default: || format!("`{}`", Level::default().name()),
        meaning: "what commands of members may do, in all workspaces",
    },
    Setting {
        path: &["workspaces", ANY_PATH, "sandbox"],
        values: Values::Level,
        default: || "what was chosen on the screen, else `sandbox`".to_owned(),
        meaning: "the same for one workspace; its path is absolute",
    },
    Setting {
        path: &["mcp", "sandbox"],
        values: Values::Level,
        default: || format!("`{}`", Level::Off.name()),
        meaning: "what MCP servers that are programs may do, in all workspaces",
    },
];

/// The names that may be at this place of the file.
fn names_in(place: &[&'static str]) -> Vec<&'static str> {
    let below = |setting: &Setting| setting.path.strip_prefix(place)?.first().copied();
    let mut names: Vec<&str> = SETTINGS.iter().filter_map(below).collect();
    names.dedup();
    names
}

/// True if this is a mapping with settings of this place, and nothing else.
fn is_known(value: &Value, place: &[&'static str]) -> bool {
    let names = names_in(place);
    value.as_object().is_some_and(|all| all.keys().all(|key| names.contains(&key.as_str())))
}

/// The parsed `config.yaml`.
#[derive(Debug)]
pub struct UserConfig {
    pub look: UiSettings,
    pub ability: Capabilities,
    pub limits: UserLimits,
    pub levels: SandboxLevels,
    pub problems: Vec<Problem>,
}

/// Sandbox levels of members' commands, by workspace.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SandboxLevels {
    default: Level,
    by_workspace: Vec<(PathBuf, Level)>,
    /// The level of MCP servers that are programs; `None`: no sandbox.
    pub servers: Option<Level>,
}

impl SandboxLevels {
    /// The level in the file for this workspace, else the one chosen on the screen, else the default.
    /// `workspace` must be canonical.
    pub fn of(&self, workspace: &Path) -> Level {
        let chosen = || Trust::recorded(workspace).level();
        self.set_for(workspace).or_else(chosen).unwrap_or(self.default)
    }

    /// The level in the file for this workspace.
    pub fn set_for(&self, workspace: &Path) -> Option<Level> {
        self.by_workspace.iter().find(|(path, _)| path == workspace).map(|(_, level)| *level)
    }
}

/// The path of the file, which may not exist.
pub fn path() -> Option<PathBuf> {
    dirs::config().map(|dir| dir.join(FILE))
}

/// Reads the file and the terminal's environment.
pub fn read() -> UserConfig {
    let path = path();
    let read = path.as_deref().map_or(Ok(None), read_file);
    let shown = path.as_deref().map_or_else(|| FILE.to_owned(), env::display_path);
    from_text(&shown, read, Capabilities { depth: color_depth(), utf8: is_utf8() })
}

/// Parses the file. `shown`: its path for messages.
fn from_text(
    shown: &str,
    read: Result<Option<String>, String>,
    ability: Capabilities,
) -> UserConfig {
    let mut report = ConfigReport { shown, lines: Lines::of(""), problems: Vec::new() };
    let value = report.parse(read);
    let theme = read_theme(&value, ability.depth, &mut report);
    let (keymap, faults) = bindings::with_overrides(value.get("keys").unwrap_or(&Value::Null));
    for fault in faults {
        report.add_key_fault(&fault);
    }
    let lang = match value.get("language") {
        Some(Value::String(name)) if name == "zh" => Lang::Zh,
        Some(Value::String(name)) if name == "en" => Lang::En,
        None | Some(Value::Null) => env::work_language(),
        Some(other) => {
            report.add(&["language"], &format!("{other} is not a language"), "use en or zh");
            env::work_language()
        }
    };
    let levels = read_levels(&value, &mut report);
    for key in value.as_object().into_iter().flat_map(|entries| entries.keys()) {
        if !names_in(&[]).contains(&key.as_str()) {
            let fix = format!("remove it; there are {}", names_in(&[]).join(", "));
            report.add(&[key], &format!("unknown setting {key:?}"), &fix);
        }
    }
    let look = UiSettings { theme, glyphs: *Glyphs::for_terminal(ability.utf8), keymap, lang };
    let limits = read_limits(value.get("limits").unwrap_or(&Value::Null), &mut report);
    UserConfig { look, ability, limits, levels, problems: report.problems }
}

/// The text of the file, if it exists.
fn read_file(path: &Path) -> Result<Option<String>, String> {
    match std::fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error.to_string()),
    }
}

/// Collects problems with their lines.
struct ConfigReport<'a> {
    shown: &'a str,
    lines: Lines,
    problems: Vec<Problem>,
}

impl ConfigReport<'_> {
    fn parse(&mut self, read: Result<Option<String>, String>) -> Value {
        let text = match read {
            Ok(text) => text.unwrap_or_default(),
            Err(error) => {
                self.push(None, "file", &error, "make it readable, or remove it");
                return Value::Null;
            }
        };
        self.lines = Lines::of(&text);
        match yaml::parse(&text) {
            Ok(value @ (Value::Object(_) | Value::Null)) => value,
            Ok(_) => {
                let fix = format!("write a mapping of {}", names_in(&[]).join(", "));
                self.push(Some(1), "file", "expected a mapping of settings", &fix);
                Value::Null
            }
            Err(error) => {
                self.push(
                    error.line,
                    "file",
                    &error.text,
                    "fix it; until then all of it is skipped",
                );
                Value::Null
            }
        }
    }

    fn add_key_fault(&mut self, fault: &KeyFault) {
        let fix = "themes/keys.yaml lists all scopes, actions and keys";
        let text = fault.to_string();
        self.push(self.lines.of_nearest(&fault.keys()), &format!("keys/{text}"), &text, fix);
    }

    fn add(&mut self, keys: &[&str], text: &str, fix: &str) {
        let line = self.lines.of_nearest(keys);
        self.push(line, &keys.join("/"), text, fix);
    }

    fn push(&mut self, line: Option<usize>, id: &str, text: &str, fix: &str) {
        let problem = Problem::new(format!("config/{id}"), self.shown, text, fix).warning();
        self.problems.push(match line {
            Some(line) => problem.at_line(line),
            None => problem,
        });
    }
}

/// Limits that are not set, or invalid, have their defaults.
fn read_limits(value: &Value, report: &mut ConfigReport<'_>) -> UserLimits {
    let none = serde_json::Map::new();
    let names = names_in(&["limits"]);
    let entries = match value {
        Value::Null => &none,
        Value::Object(entries) => entries,
        Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            let fix = format!("write a mapping of {}", names.join(", "));
            report.add(&["limits"], "expected a mapping of limits", &fix);
            &none
        }
    };
    for key in entries.keys().filter(|key| !names.contains(&key.as_str())) {
        let fix = format!("remove it; there are {}", names.join(", "));
        report.add(&["limits", key], &format!("unknown limit {key:?}"), &fix);
    }
    let [dialogs, depth, minutes] = ["side_dialogs", "side_dialog_depth", "answer_minutes"]
        .map(|name| read_limit(name, entries.get(name)?, report));
    let mut limits = UserLimits::default();
    let size = |number: u64| usize::try_from(number).ok();
    limits.crowd.dialogs = dialogs.and_then(size).unwrap_or(limits.crowd.dialogs);
    limits.crowd.depth = depth.and_then(size).unwrap_or(limits.crowd.depth);
    if let Some(minutes) = minutes {
        limits.answer = AnswerLimit(Duration::from_secs(minutes * 60));
    }
    limits
}

/// One limit; `None` if it is not set or invalid.
fn read_limit(name: &str, value: &Value, report: &mut ConfigReport<'_>) -> Option<u64> {
    let path = ["limits", name];
    let max = SETTINGS.iter().find(|setting| setting.path == path)?.values.max()?;
    let number = value.as_u64().filter(|number| (1..=max).contains(number));
    if number.is_none() && !value.is_null() {
        let fix = format!("write a whole number from 1 to {max}");
        report.add(&path, &format!("`{name}` cannot be {value}"), &fix);
    }
    number
}

/// An invalid level is ignored: the default is no weaker than `workspace`.
fn read_levels(value: &Value, report: &mut ConfigReport<'_>) -> SandboxLevels {
    let mut levels = SandboxLevels::default();
    if let Some(level) = read_level(value, &["sandbox"], report) {
        levels.default = level;
    }
    if let Some(mcp) = value.get("mcp") {
        if is_known(mcp, &["mcp"]) {
            let level = read_level(mcp, &["mcp", "sandbox"], report);
            levels.servers = level.filter(|level| *level != Level::Off);
        } else {
            report.add(
                &["mcp"],
                "expected sandbox and nothing else",
                "write { sandbox: workspace }",
            );
        }
    }
    let workspaces = match value.get("workspaces") {
        Some(Value::Object(workspaces)) => workspaces.clone(),
        None | Some(Value::Null) => serde_json::Map::new(),
        Some(_) => {
            let fix = "write each path with what holds for it: /path: { sandbox: workspace }";
            report.add(&["workspaces"], "expected a mapping of paths", fix);
            serde_json::Map::new()
        }
    };
    for (path, settings) in &workspaces {
        let keys = ["workspaces", path.as_str()];
        if !is_known(settings, &["workspaces", ANY_PATH]) {
            report.add(&keys, "expected sandbox and nothing else", "write { sandbox: workspace }");
        } else if !path.starts_with('/') {
            report.add(&keys, "the path is not absolute", "write an absolute path");
        } else if let Some(level) = read_level(settings, &["workspaces", path, "sandbox"], report) {
            let real = Path::new(path).canonicalize().unwrap_or_else(|_| path.into());
            levels.by_workspace.push((real, level));
        }
    }
    levels
}

fn read_level(value: &Value, keys: &[&str], report: &mut ConfigReport<'_>) -> Option<Level> {
    let given = match value.get("sandbox")? {
        Value::Null => return None,
        Value::String(name) => name.clone(),
        other @ (Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_)) => {
            other.to_string()
        }
    };
    let level = Level::named(&given);
    if level.is_none() {
        let fix = format!("use {}", Level::ALL.map(Level::name).join(", "));
        report.add(keys, &format!("{given:?} is not a level"), &fix);
    }
    level
}

fn read_theme(value: &Value, depth: ColorDepth, report: &mut ConfigReport<'_>) -> Theme {
    let parse = |text: &str| yaml::parse(text).map_err(|error| error.to_string());
    let read = match value.get("theme") {
        None | Some(Value::Null) => Theme::embedded(DEFAULT_THEME, depth, parse),
        Some(Value::String(name)) => Theme::embedded(name, depth, parse),
        Some(own) => Theme::from_value(own, depth),
    };
    read.unwrap_or_else(|error| {
        let names = EMBEDDED.map(|(name, _)| name).join(", ");
        let fix = format!("use {names}, or a mapping of roles to colours");
        report.add(&["theme"], &error.to_string(), &fix);
        Theme::embedded(DEFAULT_THEME, depth, parse).unwrap_or_else(|_| Theme::plain())
    })
}

fn color_depth() -> ColorDepth {
    let term = env::variable("TERM").unwrap_or_default();
    let truecolor = env::variable("COLORTERM").is_some_and(|c| c == "truecolor" || c == "24bit");
    if env::variable("NO_COLOR").is_some() {
        ColorDepth::None
    } else if truecolor {
        ColorDepth::True
    } else if term.contains("256color") {
        ColorDepth::Palette
    } else {
        ColorDepth::Sixteen
    }
}

fn is_utf8() -> bool {
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(env::variable);
    locale.is_some_and(|name| {
        let name = name.to_ascii_lowercase();
        name.contains("utf-8") || name.contains("utf8")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_invalid_entry_is_reported_with_its_line_and_a_fix() {
        let ability = Capabilities { depth: ColorDepth::None, utf8: true };
        for (text, expected) in [
            ("theme: dark\nlanguage: zh\nkeys:\n  tree:\n    stop: [x]\n", vec![]),
            ("", vec![]),
            ("theme: [\n", vec![(true, "")]),
            ("- a\n", vec![(true, "expected a mapping of settings")]),
            ("\ntheme: pink\n", vec![(true, "pink")]),
            ("language: fr\n", vec![(true, "is not a language")]),
            ("sandbox: off\nworkspaces: { /a/b: { sandbox: workspace+net } }\n", vec![]),
            ("mcp: { sandbox: workspace }\n", vec![]),
            ("mcp: { level: workspace }\n", vec![(true, "expected sandbox")]),
            ("sandbox: none\n", vec![(true, "\"none\" is not a level")]),
            ("workspaces: { a: { sandbox: off } }\n", vec![(true, "not absolute")]),
            ("workspaces: { /a: { box: off } }\n", vec![(true, "expected sandbox")]),
            ("workspaces: [/a]\n", vec![(true, "mapping of paths")]),
            ("colour: 1\n", vec![(true, "unknown setting \"colour\"")]),
            ("keys:\n  tree:\n    dance: x\n", vec![(true, "dance")]),
            ("keys:\n  tree:\n    stop: d\n", vec![(true, "stop: d is also bound to done")]),
            ("keys:\n  attic: {}\n  tree: 1\n", vec![(true, "attic"), (true, "tree")]),
            ("limits: 5\n", vec![(true, "a mapping of limits")]),
            ("limits:\n  side_dialogs: 0\n", vec![(true, "`side_dialogs` cannot be 0")]),
            ("limits:\n  answer_minutes: 1.5\n", vec![(true, "cannot be 1.5")]),
            ("limits:\n  depth: 5\n", vec![(true, "unknown limit \"depth\"")]),
        ] {
            let setup = from_text("~/config.yaml", Ok(Some(text.to_owned())), ability);
            let reported: Vec<(bool, &str)> = setup
                .problems
                .iter()
                .map(|fault| (fault.line.is_some(), fault.text.as_str()))
                .collect();
            assert_eq!(reported.len(), expected.len(), "{text:?}: {reported:?}");
            for ((has_line, message), (line, part)) in reported.into_iter().zip(expected) {
                assert!(has_line == line && message.contains(part), "{text:?}: {message}");
            }
            for fault in setup.problems {
                assert!(fault.path == "~/config.yaml" && !fault.fix.is_empty(), "{fault:?}");
            }
        }
        let setup = from_text("c", Err("permission denied".to_owned()), ability);
        assert_eq!(setup.problems.len(), 1);
    }

    #[test]
    fn the_example_of_the_document_names_every_setting_and_has_no_problem() {
        let page = include_str!("../../docs/configure.md");
        let example = page.split("```yaml").nth(1).and_then(|rest| rest.split("```").next());
        let ability = Capabilities { depth: ColorDepth::None, utf8: true };
        let config = from_text("c", Ok(example.map(str::to_owned)), ability);
        assert_eq!(config.problems, []);
        for setting in SETTINGS {
            let name = setting.path.last().unwrap();
            assert!(example.unwrap().contains(&format!("{name}:")), "{name}");
        }
    }

    #[test]
    fn limits_have_defaults_if_the_file_does_not_set_them() {
        let ability = Capabilities { depth: ColorDepth::None, utf8: true };
        let limits = |text: &str| from_text("c", Ok(Some(text.to_owned())), ability).limits;
        assert_eq!(limits(""), UserLimits::default());
        assert_eq!(
            limits("limits: { side_dialogs: -1, answer_minutes: soon }"),
            UserLimits::default()
        );
        let set = limits("limits: { side_dialogs: 7, side_dialog_depth: 3, answer_minutes: 5 }");
        assert_eq!((set.crowd.dialogs, set.crowd.depth), (7, 3));
        assert_eq!(set.answer, AnswerLimit(Duration::from_secs(300)));
    }

    #[test]
    fn the_level_of_a_workspace_wins_over_the_default_and_an_invalid_one_is_ignored() {
        let ability = Capabilities { depth: ColorDepth::None, utf8: true };
        let text = "sandbox: read-only\nworkspaces:\n  /no/such/a: { sandbox: off }\n  /no/such/b: { sandbox: x }\n";
        let levels = from_text("c", Ok(Some(text.to_owned())), ability).levels;
        for (path, level) in [
            ("/no/such/a", Level::Off),
            ("/no/such/b", Level::ReadOnly),
            ("/no/such", Level::ReadOnly),
        ] {
            assert_eq!(levels.of(Path::new(path)), level, "{path}");
        }
        let levels = from_text("c", Ok(Some("sandbox: [\n".to_owned())), ability).levels;
        assert_eq!(levels.of(Path::new("/")), Level::Workspace);
    }

    #[test]
    fn a_problem_has_the_line_of_its_key() {
        let ability = Capabilities { depth: ColorDepth::None, utf8: true };
        let text = "theme: dark\nkeys:\n  tree:\n    stop: [x]\n    dance: [y]\nlanguage: fr\n";
        let setup = from_text("c", Ok(Some(text.to_owned())), ability);
        let lines: Vec<Option<usize>> = setup.problems.iter().map(|fault| fault.line).collect();
        assert_eq!(lines, [Some(5), Some(6)]);
    }
}
