//! `config.yaml`: theme, language, keys, prices, limits and sandbox levels. An invalid entry is skipped and
//! reported as a problem with its line.

use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::Value;

use crate::app::{AnswerLimit, UserLimits};
use crate::consent::Trust;
use crate::domain::sandbox::Level;
use crate::domain::text::{Localized, Text, localized};
use crate::domain::usage::Prices;
use crate::domain::{Lang, Problem};
use crate::platform::{dirs, env};
use crate::ui::backend::Capabilities;
use crate::ui::bindings;
use crate::ui::keymap::{KeyFault, PRESETS};
use crate::ui::links::Links;
use crate::ui::terminal::MouseUse;
use crate::ui::theme::{ColorDepth, EMBEDDED, Glyphs, ShadedThemes};
use crate::ui::{AttentionSettings, ComposerKeys, HintUse, LinkUse, UiSettings};
use crate::yaml::{self, Lines};

pub use self::reload::watch;
pub use self::terminal::HangUp;
pub use self::themes::folder as themes_folder;
use self::themes::{AUTO, ThemeFault};

mod attention;
mod places;
mod prices;
mod reload;
mod terminal;
#[cfg(test)]
mod tests;
mod themes;

const FILE: &str = "config.yaml";

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
    Hours,
    Words,
    Places,
    Price,
    /// One of these words.
    OneOf(&'static [&'static str]),
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
            Self::Theme
            | Self::Language
            | Self::Keys
            | Self::Level
            | Self::Hours
            | Self::Words
            | Self::Places
            | Self::Price
            | Self::OneOf(_) => None,
        }
    }
}

impl fmt::Display for Values {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Theme => {
                let names = EMBEDDED.map(|(name, _)| format!("`{name}`")).join(", ");
                write!(
                    f,
                    "`{AUTO}`, {names}, the name of an own theme, or a mapping of roles to colours"
                )
            }
            Self::Language => write!(f, "`en`, `zh`"),
            Self::Keys => {
                let presets = PRESETS.map(|preset| format!("`{}`", preset.name)).join(", ");
                write!(
                    f,
                    "{presets}, or a mapping of scopes to actions to lists of keys, with `preset` for one of these"
                )
            }
            Self::Level => {
                let names = Level::ALL.map(|level| format!("`{}`", level.name()));
                write!(f, "{}", names.join(", "))
            }
            Self::Hours => write!(f, "two times of the day, such as `\"22:00-07:00\"`"),
            Self::Words => write!(f, "a list of words: a program and its arguments"),
            Self::Places => write!(f, "a list of places: `ssh://HOST/PATH`, or absolute folders"),
            Self::Price => write!(f, "0 to 1000000, with at most six decimals"),
            Self::OneOf(words) => {
                let words: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
                f.write_str(&words.join(", "))
            }
            Self::Number { max } => write!(f, "1 to {max}"),
        }
    }
}

/// In a path of a setting: the path of a workspace.
const ANY_PATH: &str = "PATH";
/// The name of a model, as its provider reports it.
const ANY_MODEL: &str = "MODEL";

/// All settings, in the order in which they are shown.
pub const SETTINGS: [Setting; 22] = [
    Setting {
        path: &["theme"],
        values: Values::Theme,
        default: || format!("`{AUTO}`"),
        meaning: "colours of the screen; `auto` is `light` on a light terminal, else `dark`",
    },
    Setting {
        path: &["code_colours"],
        values: Values::OneOf(terminal::SWITCH),
        default: || "`on`".to_owned(),
        meaning: "colours in code blocks, differences and files read",
    },
    Setting {
        path: &["links"],
        values: Values::OneOf(terminal::LINKS),
        default: || "`auto`".to_owned(),
        meaning: "links of answers are links of the terminal; `auto`: where it is known to show them",
    },
    Setting {
        path: &["mouse"],
        values: Values::OneOf(terminal::SWITCH),
        default: || "`off`".to_owned(),
        meaning: "the wheel scrolls and a click chooses, from the start; `M` switches it",
    },
    Setting {
        path: &["hints"],
        values: Values::OneOf(terminal::SWITCH),
        default: || "`on`".to_owned(),
        meaning: "short hints in the last line for what you have not used yet, a few times each",
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
        path: &["composer_keys"],
        values: Values::OneOf(terminal::COMPOSER_KEYS),
        default: || {
            let (plain, vi) = (ComposerKeys::Plain.name(), ComposerKeys::Vi.name());
            format!("`{plain}`; `{vi}` with the set `{vi}` of `keys`")
        },
        meaning: "keys of the composer: those of a shell, or the modes of vi",
    },
    Setting {
        path: &["quiet_hours"],
        values: Values::Hours,
        default: || "none".to_owned(),
        meaning: "when nothing rings, in local time; what is still open afterwards rings then",
    },
    Setting {
        path: &["remind_minutes"],
        values: Values::Number { max: 24 * 60 },
        default: || "no reminder".to_owned(),
        meaning: "minutes until open questions ring once more, if nothing has changed",
    },
    Setting {
        path: &["notify_command"],
        values: Values::Words,
        default: || "none".to_owned(),
        meaning: "a program that is run when questions ring, and gets them as JSON",
    },
    Setting {
        path: &["hang_up"],
        values: Values::OneOf(terminal::HANG_UP),
        default: || "`go-on`".to_owned(),
        meaning: "what the team does when the terminal of its screen is gone: `go-on`, `finish-step` and stop, or `stop` at once",
    },
    Setting {
        path: &["inbox"],
        values: Values::Places,
        default: || "the workspace".to_owned(),
        meaning: "what `dominds-tui inbox` shows without a PLACE",
    },
    Setting {
        path: &["prices", ANY_MODEL, "input"],
        values: Values::Price,
        default: || "no cost is shown".to_owned(),
        meaning: "price of a million tokens of input of a model",
    },
    Setting {
        path: &["prices", ANY_MODEL, "output"],
        values: Values::Price,
        default: || "no cost is shown".to_owned(),
        meaning: "the same for output",
    },
    Setting {
        path: &["prices", ANY_MODEL, "cached"],
        values: Values::Price,
        default: || "as `input`".to_owned(),
        meaning: "the same for input from the provider's cache",
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
    /// Themes to choose from by the terminal's background; `None` if one is set.
    pub themes: Option<ShadedThemes>,
    pub ability: Capabilities,
    pub limits: UserLimits,
    pub levels: SandboxLevels,
    pub attention: AttentionSettings,
    pub composer_keys: ComposerKeys,
    /// The words of a program that calls the person; none if it is empty.
    pub notify_command: Vec<String>,
    /// Workspaces of `dominds-tui inbox`.
    pub inbox: Vec<String>,
    /// What models cost.
    pub prices: Prices,
    pub mouse: MouseUse,
    pub hints: HintUse,
    pub hang_up: HangUp,
    pub links: LinkUse,
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
    let ability = Capabilities { depth: color_depth(&env::variable), utf8: is_utf8() };
    let themes = path.as_deref().and_then(themes::folder);
    let mut config = from_parts(&shown, read, ability, themes.as_deref());
    config.look.glyphs = *Glyphs::for_terminal(ability.utf8 && has_signs(&env::variable));
    config
}

/// Parses the file. `shown`: its path for messages; `themes`: the folder of the user's own themes.
fn from_parts(
    shown: &str,
    read: Result<Option<String>, String>,
    ability: Capabilities,
    themes: Option<&Path>,
) -> UserConfig {
    let mut report = ConfigReport { shown, lines: Lines::of(""), problems: Vec::new() };
    let value = report.parse(read);
    let read = themes::read(value.get("theme").unwrap_or(&Value::Null), ability.depth, themes);
    let chosen = read.unwrap_or_else(|faults| {
        for fault in faults {
            report.add_theme_fault(fault);
        }
        themes::default_choice(ability.depth)
    });
    let (keymap, faults) = bindings::with_overrides(value.get("keys").unwrap_or(&Value::Null));
    for fault in faults {
        report.add_key_fault(&fault);
    }
    let lang = match value.get("language") {
        Some(Value::String(name)) if name == "zh" => Lang::Zh,
        Some(Value::String(name)) if name == "en" => Lang::En,
        None | Some(Value::Null) => env::work_language(),
        Some(other) => {
            report.add(
                &["language"],
                localized!("{other} is not a language", "{other} 不是语言"),
                Text::new("use en or zh", "请用 en 或 zh"),
            );
            env::work_language()
        }
    };
    let levels = read_levels(&value, &mut report);
    for key in value.as_object().into_iter().flat_map(|entries| entries.keys()) {
        if !names_in(&[]).contains(&key.as_str()) {
            let text = localized!("unknown setting {key:?}", "未知的设置 {key:?}");
            report.add(&[key], text, remove_unknown(&names_in(&[])));
        }
    }
    let look = UiSettings {
        theme: chosen.theme,
        glyphs: *Glyphs::for_terminal(ability.utf8),
        keymap,
        lang,
        colours: terminal::read_code_colours(&value, &mut report),
        links: Links::default(),
    };
    let limits = read_limits(value.get("limits").unwrap_or(&Value::Null), &mut report);
    let attention = attention::read(&value, &mut report);
    let notify_command = attention::read_command(&value, &mut report);
    let inbox = places::read(&value).unwrap_or_else(|| {
        report.add(&["inbox"], places::NO_PLACES, places::WRITE_PLACES);
        Vec::new()
    });
    let mouse = terminal::read_mouse(&value, &mut report);
    let hints = terminal::read_hints(&value, &mut report);
    let links = terminal::read_links(&value, &mut report);
    let hang_up = terminal::read_hang_up(&value, &mut report);
    let composer_keys = terminal::read_composer_keys(&value, &mut report);
    let (prices, faults) = prices::read(&value);
    for fault in faults {
        let keys: Vec<&str> = fault.keys.iter().map(String::as_str).collect();
        report.add(&keys, fault.text, fault.fix);
    }
    UserConfig {
        look,
        themes: chosen.follows,
        ability,
        limits,
        levels,
        attention,
        composer_keys,
        notify_command,
        inbox,
        prices,
        mouse,
        hints,
        hang_up,
        links,
        problems: report.problems,
    }
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
                let text = localized!("{error}", "无法读取：{error}");
                let fix = Text::new("make it readable, or remove it", "请使它可读，或将其移除");
                self.push(None, "file", text, fix);
                return Value::Null;
            }
        };
        self.lines = Lines::of(&text);
        match yaml::parse(&text) {
            Ok(value @ (Value::Object(_) | Value::Null)) => value,
            Ok(_) => {
                let text = Text::new("expected a mapping of settings", "应为设置的映射");
                self.push(Some(1), "file", text, write_mapping(&names_in(&[])));
                Value::Null
            }
            Err(error) => {
                let reason = &error.text;
                let text = localized!([reason] "{reason}", "无法作为 YAML 读取：{reason}");
                let fix = Text::new(
                    "fix it; until then all of it is skipped",
                    "请修正；在此之前整个文件都被跳过",
                );
                self.push(error.line, "file", text, fix);
                Value::Null
            }
        }
    }

    fn add_key_fault(&mut self, fault: &KeyFault) {
        let fix = Text::new(
            "themes/keys.yaml lists all scopes, actions and keys",
            "themes/keys.yaml 列出了所有范围、动作和按键",
        );
        let id = format!("keys/{fault}");
        self.push(self.lines.of_nearest(&fault.keys()), &id, fault.message(), fix);
    }

    fn add_theme_fault(&mut self, fault: ThemeFault) {
        let keys: Vec<&str> =
            ["theme"].into_iter().chain(fault.keys.iter().map(String::as_str)).collect();
        match fault.file {
            None => self.add(&keys, fault.text, fault.fix),
            Some((file, line)) => {
                let id = format!("config/{}", keys.join("/"));
                let problem = Problem::new(id, file, fault.text, fault.fix).warning();
                self.problems.push(match line {
                    Some(line) => problem.at_line(line),
                    None => problem,
                });
            }
        }
    }

    fn add(&mut self, keys: &[&str], text: impl Into<Localized>, fix: impl Into<Localized>) {
        let line = self.lines.of_nearest(keys);
        self.push(line, &keys.join("/"), text, fix);
    }

    fn push(
        &mut self,
        line: Option<usize>,
        id: &str,
        text: impl Into<Localized>,
        fix: impl Into<Localized>,
    ) {
        let problem = Problem::new(format!("config/{id}"), self.shown, text, fix).warning();
        self.problems.push(match line {
            Some(line) => problem.at_line(line),
            None => problem,
        });
    }
}

fn write_mapping(names: &[&str]) -> Localized {
    let names = names.join(", ");
    localized!("write a mapping of {names}", "请写成映射，键为 {names}")
}

fn remove_unknown(names: &[&str]) -> Localized {
    let names = names.join(", ");
    localized!("remove it; there are {names}", "请删除；可用的有 {names}")
}

/// The problem and the fix where a level stands with something else, or not at all.
const ONLY_SANDBOX: (Text, Text) = (
    Text::new("expected sandbox and nothing else", "这里只应有 sandbox"),
    Text::new("write { sandbox: workspace }", "请写 { sandbox: workspace }"),
);

/// Limits that are not set, or invalid, have their defaults.
fn read_limits(value: &Value, report: &mut ConfigReport<'_>) -> UserLimits {
    let none = serde_json::Map::new();
    let names = names_in(&["limits"]);
    let entries = match value {
        Value::Null => &none,
        Value::Object(entries) => entries,
        Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            let text = Text::new("expected a mapping of limits", "应为限额的映射");
            report.add(&["limits"], text, write_mapping(&names));
            &none
        }
    };
    for key in entries.keys().filter(|key| !names.contains(&key.as_str())) {
        let text = localized!("unknown limit {key:?}", "未知的限额 {key:?}");
        report.add(&["limits", key], text, remove_unknown(&names));
    }
    let [dialogs, depth, minutes] = ["side_dialogs", "side_dialog_depth", "answer_minutes"]
        .map(|name| read_number(&["limits", name], entries.get(name)?, report));
    let mut limits = UserLimits::default();
    let size = |number: u64| usize::try_from(number).ok();
    limits.crowd.dialogs = dialogs.and_then(size).unwrap_or(limits.crowd.dialogs);
    limits.crowd.depth = depth.and_then(size).unwrap_or(limits.crowd.depth);
    if let Some(minutes) = minutes {
        limits.answer = AnswerLimit(Duration::from_secs(minutes * 60));
    }
    limits
}

/// A number; `None` if it is not set or invalid.
fn read_number(path: &[&str], value: &Value, report: &mut ConfigReport<'_>) -> Option<u64> {
    let max = SETTINGS.iter().find(|setting| setting.path == path)?.values.max()?;
    let number = value.as_u64().filter(|number| (1..=max).contains(number));
    if number.is_none() && !value.is_null() {
        let name = path.last().copied().unwrap_or_default();
        let text = localized!("`{name}` cannot be {value}", "`{name}` 不能是 {value}");
        let fix = localized!("write a whole number from 1 to {max}", "请写 1 到 {max} 的整数");
        report.add(path, text, fix);
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
            report.add(&["mcp"], ONLY_SANDBOX.0, ONLY_SANDBOX.1);
        }
    }
    let workspaces = match value.get("workspaces") {
        Some(Value::Object(workspaces)) => workspaces.clone(),
        None | Some(Value::Null) => serde_json::Map::new(),
        Some(_) => {
            let text = Text::new("expected a mapping of paths", "应为路径的映射");
            let fix = Text::new(
                "write each path with what holds for it: /path: { sandbox: workspace }",
                "请为每个路径写上它的设置：/path: { sandbox: workspace }",
            );
            report.add(&["workspaces"], text, fix);
            serde_json::Map::new()
        }
    };
    for (path, settings) in &workspaces {
        let keys = ["workspaces", path.as_str()];
        if !is_known(settings, &["workspaces", ANY_PATH]) {
            report.add(&keys, ONLY_SANDBOX.0, ONLY_SANDBOX.1);
        } else if !path.starts_with('/') {
            let text = Text::new("the path is not absolute", "路径不是绝对路径");
            report.add(&keys, text, Text::new("write an absolute path", "请写绝对路径"));
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
        let names = Level::ALL.map(Level::name).join(", ");
        let text = localized!("{given:?} is not a level", "{given:?} 不是级别");
        report.add(keys, text, localized!("use {names}", "请用 {names}"));
    }
    level
}

/// How many colours the terminal shows, by the environment.
fn color_depth(variable: &dyn Fn(&str) -> Option<String>) -> ColorDepth {
    let term = variable("TERM").unwrap_or_default();
    let truecolor = variable("COLORTERM").is_some_and(|c| c == "truecolor" || c == "24bit");
    if variable("NO_COLOR").is_some() || term == "dumb" {
        ColorDepth::None
    } else if truecolor {
        ColorDepth::True
    } else if term.contains("256color") {
        ColorDepth::Palette
    } else {
        ColorDepth::Sixteen
    }
}

/// The font of the Linux console has few signs beside letters.
fn has_signs(variable: &dyn Fn(&str) -> Option<String>) -> bool {
    variable("TERM").is_none_or(|term| term != "linux")
}

fn is_utf8() -> bool {
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(env::variable);
    locale.is_some_and(|name| {
        let name = name.to_ascii_lowercase();
        name.contains("utf-8") || name.contains("utf8")
    })
}
