//! `config.yaml`: theme, language, keys, prices, limits and sandbox levels. An invalid entry is skipped and
//! reported as a problem with its line.

use std::io::Read as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::Value;

use crate::app::{AnswerLimit, UserLimits};
use crate::consent::{Trust, is_inside};
use crate::domain::reading::usage::Prices;
use crate::domain::safety::ownership::distrust;
use crate::domain::safety::sandbox::Level;
use crate::domain::text::{Text, localized};
use crate::domain::{Lang, Layout, Problem};
use crate::driver::AfterRestart;
use crate::platform::{dirs, env, own_uid};
use crate::ui::backend::Capabilities;
use crate::ui::bindings;
use crate::ui::links::Links;
use crate::ui::terminal::MouseUse;
use crate::ui::theme::{ColorDepth, Glyphs, ShadedThemes};
use crate::ui::user_settings::SettingOptions;
use crate::ui::{AttentionSettings, ComposerKeys, HintUse, LinkUse, ThinkingView, UiSettings};
use crate::yaml::{self, Lines};

pub use self::edit::write as write_setting;
pub use self::hive::SharedStore;
pub use self::reload::watch;
use self::report::{ConfigReport, UnreadFile, read_number, remove_unknown, write_mapping};
use self::settings::{ANY_PATH, names_in};
pub use self::settings::{SETTINGS, Setting, Values};
pub use self::terminal::HangUp;
pub use self::themes::folder as themes_folder;

mod attention;
mod edit;
mod hive;
mod options;
mod places;
mod prices;
mod reload;
mod report;
mod settings;
mod terminal;
#[cfg(test)]
mod tests;
mod themes;

const FILE: &str = "config.yaml";
/// Mode bits of users other than the owner.
const OTHERS_MASK: u32 = 0o077;

/// True if this is a mapping with settings of this place only.
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
    /// The prices of models.
    pub prices: Prices,
    pub mouse: MouseUse,
    pub hints: HintUse,
    pub thinking: ThinkingView,
    pub hang_up: HangUp,
    pub after_restart: AfterRestart,
    /// The layout of new trees; `None`: that of the workspace.
    pub layout: Option<Layout>,
    pub links: LinkUse,
    /// The store of the teams' tasks.
    pub tasks: SharedStore,
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
    /// Used if the person's setting cannot be read.
    const STRICTEST: Self =
        Self { default: Level::ReadOnly, by_workspace: Vec::new(), servers: Some(Level::ReadOnly) };

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

/// Reads the file and the terminal's environment. A file in the workspace is ignored: the author of the
/// workspace, and its members, could write it.
pub fn read(workspace: &Path) -> UserConfig {
    let path = path();
    let read = path.as_deref().map_or(Ok(None), |path| read_file(path, workspace));
    let shown = path.as_deref().map_or_else(|| FILE.to_owned(), env::display_path);
    let ability = Capabilities { depth: color_depth(&env::variable), utf8: is_utf8() };
    let obeyed = path.as_deref().filter(|_| read.is_ok());
    let themes = obeyed.and_then(themes::folder);
    let is_private = path.as_deref().is_none_or(is_private);
    let mut config = from_parts((&shown, is_private), read, ability, themes.as_deref());
    config.look.glyphs = *Glyphs::for_terminal(ability.utf8 && has_signs(&env::variable));
    config
}

/// What the screen offers to change of the settings. A file that is not obeyed counts as empty.
pub fn setting_options(workspace: &Path, depth: ColorDepth) -> SettingOptions {
    let path = path();
    let read = path.as_deref().map_or(Ok(None), |path| read_file(path, workspace));
    let themes = path.as_deref().filter(|_| read.is_ok()).and_then(themes::folder);
    let text = read.ok().flatten().unwrap_or_default();
    options::read(&yaml::parse(&text).unwrap_or_default(), depth, themes.as_deref())
}

/// True if no other user can read the file.
fn is_private(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|about| about.permissions().mode() & OTHERS_MASK == 0)
}

/// Parses the file. `shown`: its path for messages; `is_private`: true if no other user can read it;
/// `themes`: the folder of the user's own themes.
fn from_parts(
    (shown, is_private): (&str, bool),
    read: Result<Option<String>, UnreadFile>,
    ability: Capabilities,
    themes: Option<&Path>,
) -> UserConfig {
    let mut report = ConfigReport { shown, lines: Lines::of(""), problems: Vec::new() };
    let is_read = read.is_ok();
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
    let levels = if is_read { read_levels(&value, &mut report) } else { SandboxLevels::STRICTEST };
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
    let thinking = terminal::read_thinking(&value, &mut report);
    let links = terminal::read_links(&value, &mut report);
    let hang_up = terminal::read_hang_up(&value, &mut report);
    let after_restart = terminal::read_after_restart(&value, &mut report);
    let layout = terminal::read_layout(&value, &mut report);
    let composer_keys = terminal::read_composer_keys(&value, &mut report);
    let tasks = hive::read(&value, is_private, &mut report);
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
        thinking,
        hang_up,
        after_restart,
        layout,
        links,
        tasks,
        problems: report.problems,
    }
}

/// The text of the file, if it exists.
fn read_file(path: &Path, workspace: &Path) -> Result<Option<String>, UnreadFile> {
    let mut file = match std::fs::File::open(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        opened => opened?,
    };
    if workspace.exists() && is_inside(path, workspace) {
        return Err(UnreadFile::in_workspace());
    }
    if let Some(why) = distrust(&file.metadata()?, own_uid()) {
        return Err(UnreadFile::not_obeyed(why, &env::display_path(path)));
    }
    let mut text = String::new();
    file.read_to_string(&mut text)?;
    Ok(Some(text))
}

/// The problem and the fix if a level has other keys beside it, or is missing.
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
    let most = &mut limits.side_dialog_limits;
    most.dialogs = dialogs.and_then(size).unwrap_or(most.dialogs);
    most.depth = depth.and_then(size).unwrap_or(most.depth);
    if let Some(minutes) = minutes {
        limits.answer = AnswerLimit(Duration::from_secs(minutes * 60));
    }
    limits
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

/// Returns the colour depth of the terminal, by the environment.
fn color_depth(variable: &dyn Fn(&str) -> Option<String>) -> ColorDepth {
    let term = variable("TERM").unwrap_or_default();
    let truecolor = variable("COLORTERM").is_some_and(|c| c == "truecolor" || c == "24bit");
    if variable("NO_COLOR").is_some() || term == "dumb" || is_monochrome(&term) {
        ColorDepth::None
    } else if truecolor || has_all_colours(&term) {
        ColorDepth::True
    } else if term.contains("256color") {
        ColorDepth::Palette
    } else {
        ColorDepth::Sixteen
    }
}

/// True for names of terminals with 24 bits for each colour. COLORTERM does not come over SSH, the name does.
fn has_all_colours(term: &str) -> bool {
    const NAMES: [&str; 10] = [
        "alacritty",
        "contour",
        "foot",
        "ghostty",
        "iterm2",
        "kitty",
        "mintty",
        "rio",
        "wezterm",
        "vscode",
    ];
    let name = term.strip_prefix("xterm-").unwrap_or(term);
    let family = name.split(['-', '.']).next().unwrap_or_default();
    NAMES.contains(&family) || name.split('-').any(|part| part == "direct")
}

/// True for terminals of DEC, which have no colours (`vt100`, `vt220`), and for others with such a name.
fn is_monochrome(term: &str) -> bool {
    let (name, rest) = term.split_once('-').unwrap_or((term, ""));
    let number = name.strip_prefix("vt").unwrap_or_default();
    let is_dec = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    (is_dec && !rest.contains("color")) || rest.split('-').any(|part| matches!(part, "m" | "mono"))
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
