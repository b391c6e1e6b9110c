//! `config.yaml`: how the screen looks, which keys it has, and how much may be used up. Every fault is a problem with its line, and
//! is skipped.

use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::Value;

use crate::app::{AnswerLimit, Trust, UserLimits};
use crate::domain::sandbox::Level;
use crate::domain::{Lang, Problem};
use crate::minds::line_of;
use crate::platform::{dirs, env};
use crate::ui::UiSettings;
use crate::ui::backend::Capabilities;
use crate::ui::keymap::Keymap;
use crate::ui::theme::{ColorDepth, EMBEDDED, Glyphs, Theme};
use crate::yaml;

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

/// How this terminal is drawn on.
#[derive(Debug)]
pub struct Setup {
    pub look: UiSettings,
    pub ability: Capabilities,
    pub limits: UserLimits,
    /// What commands may do.
    pub levels: Levels,
    /// What was wrong in the file.
    pub faults: Vec<Problem>,
}

/// What commands of members may do, by workspace.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Levels {
    usual: Level,
    of: Vec<(PathBuf, Level)>,
    /// What MCP servers that are programs may do; `None`: whatever the person may.
    pub servers: Option<Level>,
}

impl Levels {
    /// What the file says of this workspace, else what was chosen there on the screen, else the usual
    /// one. `workspace`: without links in its path.
    pub fn of(&self, workspace: &Path) -> Level {
        let chosen = || Trust::recorded(workspace).level();
        self.set_for(workspace).or_else(chosen).unwrap_or(self.usual)
    }

    /// What the file says of this workspace.
    pub fn set_for(&self, workspace: &Path) -> Option<Level> {
        self.of.iter().find(|(path, _)| path == workspace).map(|(_, level)| *level)
    }
}

/// Where the file belongs, whether or not it is there.
pub fn path() -> Option<PathBuf> {
    dirs::config().map(|dir| dir.join(FILE))
}

/// Reads the file and the terminal's environment.
pub fn read() -> Setup {
    let path = path();
    let read = path.as_deref().map_or(Ok(None), file);
    let shown = path.as_deref().map_or_else(|| FILE.to_owned(), env::shown);
    of(&shown, read, Capabilities { depth: depth(), utf8: is_utf8() })
}

/// What the file says. `shown`: its name for people.
fn of(shown: &str, read: Result<Option<String>, String>, ability: Capabilities) -> Setup {
    let mut report = Report { shown, text: String::new(), faults: Vec::new() };
    let value = report.value(read);
    let theme = theme(&value, ability.depth, &mut report);
    let (keymap, faults) = Keymap::with_overrides(value.get("keys").unwrap_or(&Value::Null));
    for fault in faults {
        report.keys(&fault);
    }
    let lang = match value.get("language") {
        Some(Value::String(name)) if name == "zh" => Lang::Zh,
        Some(Value::String(name)) if name == "en" => Lang::En,
        None | Some(Value::Null) => env::work_language(),
        Some(other) => {
            report.add(&["language"], &format!("{other} is no language"), "use en or zh");
            env::work_language()
        }
    };
    let levels = levels(&value, &mut report);
    for key in value.as_object().into_iter().flat_map(|entries| entries.keys()) {
        if !names_in(&[]).contains(&key.as_str()) {
            let mend = format!("remove it; there are {}", names_in(&[]).join(", "));
            report.add(&[key], &format!("there is no setting {key:?}"), &mend);
        }
    }
    let look = UiSettings { theme, glyphs: *Glyphs::for_terminal(ability.utf8), keymap, lang };
    let limits = limits(value.get("limits").unwrap_or(&Value::Null), &mut report);
    Setup { look, ability, limits, levels, faults: report.faults }
}

/// The text of the file, if there is one.
fn file(path: &Path) -> Result<Option<String>, String> {
    match std::fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error.to_string()),
    }
}

/// Faults, each with its line.
struct Report<'a> {
    shown: &'a str,
    text: String,
    faults: Vec<Problem>,
}

impl Report<'_> {
    fn value(&mut self, read: Result<Option<String>, String>) -> Value {
        match read {
            Ok(text) => self.text = text.unwrap_or_default(),
            Err(error) => {
                self.push(None, "file", &error, "make it readable, or remove it");
                return Value::Null;
            }
        }
        match yaml::parse(&self.text) {
            Ok(value @ (Value::Object(_) | Value::Null)) => value,
            Ok(_) => {
                let mend =
                    format!("begin each setting with its name: {}", names_in(&[]).join(", "));
                self.push(Some(1), "file", "expected a mapping of settings", &mend);
                Value::Null
            }
            Err(error) => {
                self.push(
                    error.line,
                    "file",
                    &error.text,
                    "mend it; until then all of it is skipped",
                );
                Value::Null
            }
        }
    }

    /// A fault of the keymap names scope and action, as far as it is about them.
    fn keys(&mut self, fault: &str) {
        let mut parts = fault.split(": ");
        let named: Vec<&str> = parts.by_ref().take(3).map(|part| part.trim_matches('"')).collect();
        let line = line_of(&self.text, &named);
        let mend = "the names of scopes and actions, and their keys, stand in themes/keys.yaml";
        self.push(line, &format!("keys/{fault}"), fault, mend);
    }

    fn add(&mut self, keys: &[&str], text: &str, mend: &str) {
        let line = line_of(&self.text, keys);
        self.push(line, &keys.join("/"), text, mend);
    }

    fn push(&mut self, line: Option<usize>, id: &str, text: &str, mend: &str) {
        let problem = Problem::new(format!("config/{id}"), self.shown, text, mend).warning();
        self.faults.push(match line {
            Some(line) => problem.at_line(line),
            None => problem,
        });
    }
}

/// The limits; those that are not set, or wrong, are the usual ones.
fn limits(value: &Value, report: &mut Report<'_>) -> UserLimits {
    let none = serde_json::Map::new();
    let names = names_in(&["limits"]);
    let entries = match value {
        Value::Null => &none,
        Value::Object(entries) => entries,
        Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            let mend = format!("write a mapping of {}", names.join(", "));
            report.add(&["limits"], "expected a mapping of limits", &mend);
            &none
        }
    };
    for key in entries.keys().filter(|key| !names.contains(&key.as_str())) {
        let mend = format!("remove it; there are {}", names.join(", "));
        report.add(&["limits", key], &format!("there is no limit {key:?}"), &mend);
    }
    let [dialogs, depth, minutes] = ["side_dialogs", "side_dialog_depth", "answer_minutes"]
        .map(|name| limit(name, entries.get(name)?, report));
    let mut limits = UserLimits::default();
    let size = |number: u64| usize::try_from(number).ok();
    limits.crowd.dialogs = dialogs.and_then(size).unwrap_or(limits.crowd.dialogs);
    limits.crowd.depth = depth.and_then(size).unwrap_or(limits.crowd.depth);
    if let Some(minutes) = minutes {
        limits.answer = AnswerLimit(Duration::from_secs(minutes * 60));
    }
    limits
}

/// One limit; `None` where it is not set, or wrong.
fn limit(name: &str, value: &Value, report: &mut Report<'_>) -> Option<u64> {
    let path = ["limits", name];
    let max = SETTINGS.iter().find(|setting| setting.path == path)?.values.max()?;
    let number = value.as_u64().filter(|number| (1..=max).contains(number));
    if number.is_none() && !value.is_null() {
        let mend = format!("write a whole number from 1 to {max}");
        report.add(&path, &format!("`{name}` cannot be {value}"), &mend);
    }
    number
}

/// A level that cannot be read leaves the usual one, which is no weaker than `workspace`.
fn levels(value: &Value, report: &mut Report<'_>) -> Levels {
    let mut levels = Levels::default();
    if let Some(level) = level(value, &["sandbox"], report) {
        levels.usual = level;
    }
    if let Some(mcp) = value.get("mcp") {
        if is_known(mcp, &["mcp"]) {
            let wanted = level(mcp, &["mcp", "sandbox"], report);
            levels.servers = wanted.filter(|level| *level != Level::Off);
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
            let mend = "write each path with what holds for it: /path: { sandbox: workspace }";
            report.add(&["workspaces"], "expected a mapping of paths", mend);
            serde_json::Map::new()
        }
    };
    for (path, settings) in &workspaces {
        let keys = ["workspaces", path.as_str()];
        if !is_known(settings, &["workspaces", ANY_PATH]) {
            report.add(&keys, "expected sandbox and nothing else", "write { sandbox: workspace }");
        } else if !path.starts_with('/') {
            report.add(&keys, "the path is not whole", "write it from the root on");
        } else if let Some(level) = level(settings, &["workspaces", path, "sandbox"], report) {
            let real = Path::new(path).canonicalize().unwrap_or_else(|_| path.into());
            levels.of.push((real, level));
        }
    }
    levels
}

fn level(value: &Value, keys: &[&str], report: &mut Report<'_>) -> Option<Level> {
    let given = match value.get("sandbox")? {
        Value::Null => return None,
        Value::String(name) => name.clone(),
        other @ (Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_)) => {
            other.to_string()
        }
    };
    let level = Level::named(&given);
    if level.is_none() {
        let mend = format!("use {}", Level::ALL.map(Level::name).join(", "));
        report.add(keys, &format!("{given:?} is no level"), &mend);
    }
    level
}

fn theme(value: &Value, depth: ColorDepth, report: &mut Report<'_>) -> Theme {
    let parse = |text: &str| yaml::parse(text).map_err(|error| error.to_string());
    let read = match value.get("theme") {
        None | Some(Value::Null) => Theme::embedded(DEFAULT_THEME, depth, parse),
        Some(Value::String(name)) => Theme::embedded(name, depth, parse),
        Some(own) => Theme::from_value(own, depth),
    };
    read.unwrap_or_else(|error| {
        let names = EMBEDDED.map(|(name, _)| name).join(", ");
        let mend = format!("use {names}, or a mapping of roles to colours");
        report.add(&["theme"], &error.to_string(), &mend);
        Theme::embedded(DEFAULT_THEME, depth, parse).unwrap_or_else(|_| Theme::plain())
    })
}

fn depth() -> ColorDepth {
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
    fn every_fault_in_the_file_is_told_with_its_line_and_what_to_do() {
        let ability = Capabilities { depth: ColorDepth::None, utf8: true };
        for (text, expected) in [
            ("theme: dark\nlanguage: zh\nkeys:\n  tree:\n    stop: [x]\n", vec![]),
            ("", vec![]),
            ("theme: [\n", vec![(true, "")]),
            ("- a\n", vec![(true, "expected a mapping of settings")]),
            ("\ntheme: pink\n", vec![(true, "pink")]),
            ("language: fr\n", vec![(true, "is no language")]),
            ("sandbox: off\nworkspaces: { /a/b: { sandbox: workspace+net } }\n", vec![]),
            ("mcp: { sandbox: workspace }\n", vec![]),
            ("mcp: { wall: workspace }\n", vec![(true, "expected sandbox")]),
            ("sandbox: none\n", vec![(true, "\"none\" is no level")]),
            ("workspaces: { a: { sandbox: off } }\n", vec![(true, "not whole")]),
            ("workspaces: { /a: { box: off } }\n", vec![(true, "expected sandbox")]),
            ("workspaces: [/a]\n", vec![(true, "mapping of paths")]),
            ("colour: 1\n", vec![(true, "there is no setting \"colour\"")]),
            ("keys:\n  tree:\n    dance: x\n", vec![(true, "dance")]),
            ("keys:\n  tree:\n    stop: d\n", vec![(true, "stop: d is the key of done too")]),
            ("keys:\n  attic: {}\n  tree: 1\n", vec![(true, "attic"), (true, "tree")]),
            ("limits: 5\n", vec![(true, "a mapping of limits")]),
            ("limits:\n  side_dialogs: 0\n", vec![(true, "`side_dialogs` cannot be 0")]),
            ("limits:\n  answer_minutes: 1.5\n", vec![(true, "cannot be 1.5")]),
            ("limits:\n  depth: 5\n", vec![(true, "there is no limit \"depth\"")]),
        ] {
            let setup = of("~/config.yaml", Ok(Some(text.to_owned())), ability);
            let told: Vec<(bool, &str)> = setup
                .faults
                .iter()
                .map(|fault| (fault.line.is_some(), fault.text.as_str()))
                .collect();
            assert_eq!(told.len(), expected.len(), "{text:?}: {told:?}");
            for ((has_line, told), (line, part)) in told.into_iter().zip(expected) {
                assert!(has_line == line && told.contains(part), "{text:?}: {told}");
            }
            for fault in setup.faults {
                assert!(fault.path == "~/config.yaml" && !fault.fix.is_empty(), "{fault:?}");
            }
        }
        let setup = of("c", Err("permission denied".to_owned()), ability);
        assert_eq!(setup.faults.len(), 1);
    }

    #[test]
    fn the_example_of_the_document_names_every_setting_and_has_no_fault() {
        let page = include_str!("../../docs/configure.md");
        let example = page.split("```yaml").nth(1).and_then(|rest| rest.split("```").next());
        let ability = Capabilities { depth: ColorDepth::None, utf8: true };
        let setup = of("c", Ok(example.map(str::to_owned)), ability);
        assert_eq!(setup.faults, []);
        for setting in SETTINGS {
            let name = setting.path.last().unwrap();
            assert!(example.unwrap().contains(&format!("{name}:")), "{name}");
        }
    }

    #[test]
    fn limits_are_the_usual_ones_where_the_file_sets_no_others() {
        let ability = Capabilities { depth: ColorDepth::None, utf8: true };
        let limits = |text: &str| of("c", Ok(Some(text.to_owned())), ability).limits;
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
    fn the_level_of_a_workspace_goes_before_the_usual_one_and_a_wrong_one_weakens_nothing() {
        let ability = Capabilities { depth: ColorDepth::None, utf8: true };
        let text = "sandbox: read-only\nworkspaces:\n  /no/such/a: { sandbox: off }\n  /no/such/b: { sandbox: x }\n";
        let levels = of("c", Ok(Some(text.to_owned())), ability).levels;
        for (path, level) in [
            ("/no/such/a", Level::Off),
            ("/no/such/b", Level::ReadOnly),
            ("/no/such", Level::ReadOnly),
        ] {
            assert_eq!(levels.of(Path::new(path)), level, "{path}");
        }
        let levels = of("c", Ok(Some("sandbox: [\n".to_owned())), ability).levels;
        assert_eq!(levels.of(Path::new("/")), Level::Workspace);
    }

    #[test]
    fn a_fault_points_to_the_line_of_the_key_it_is_about() {
        let ability = Capabilities { depth: ColorDepth::None, utf8: true };
        let text = "theme: dark\nkeys:\n  tree:\n    stop: [x]\n    dance: [y]\nlanguage: fr\n";
        let setup = of("c", Ok(Some(text.to_owned())), ability);
        let lines: Vec<Option<usize>> = setup.faults.iter().map(|fault| fault.line).collect();
        assert_eq!(lines, [Some(5), Some(6)]);
    }
}
