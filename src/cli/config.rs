//! `config.yaml`: how the screen looks and which keys it has. Every fault is said and skipped.

use std::path::Path;

use serde_json::Value;

use crate::domain::Lang;
use crate::platform::{dirs, env};
use crate::ui::Look;
use crate::ui::backend::Ability;
use crate::ui::keymap::Keymap;
use crate::ui::theme::{ColorDepth, Glyphs, Theme};
use crate::yaml;

const FILE: &str = "config.yaml";
const DEFAULT_THEME: &str = "dark";

/// How this terminal is drawn on.
#[derive(Debug)]
pub struct Setup {
    pub look: Look,
    pub ability: Ability,
    /// What was wrong in the file, one sentence each.
    pub faults: Vec<String>,
}

/// Reads the file and the terminal's environment.
pub fn read() -> Setup {
    let mut faults = Vec::new();
    let value = dirs::config().map_or(Value::Null, |dir| file(&dir.join(FILE), &mut faults));
    let depth = depth();
    let utf8 = is_utf8();
    let theme = theme(&value, depth, &mut faults);
    let (keymap, key_faults) = Keymap::with_overrides(value.get("keys").unwrap_or(&Value::Null));
    faults.extend(key_faults);
    let lang = match value.get("language").and_then(Value::as_str) {
        Some("zh") => Lang::Zh,
        Some("en") => Lang::En,
        Some(_) | None => env::work_language(),
    };
    let look = Look { theme, glyphs: *Glyphs::for_terminal(utf8), keymap, lang };
    Setup { look, ability: Ability { depth, utf8 }, faults }
}

fn file(path: &Path, faults: &mut Vec<String>) -> Value {
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Value::Null,
        Err(error) => {
            faults.push(format!("{}: {error}", path.display()));
            return Value::Null;
        }
    };
    yaml::parse(&text).unwrap_or_else(|error| {
        faults.push(format!("{}: {error}", path.display()));
        Value::Null
    })
}

fn theme(value: &Value, depth: ColorDepth, faults: &mut Vec<String>) -> Theme {
    let parse = |text: &str| yaml::parse(text).map_err(|error| error.to_string());
    let read = match value.get("theme") {
        None | Some(Value::Null) => Theme::embedded(DEFAULT_THEME, depth, parse),
        Some(Value::String(name)) => Theme::embedded(name, depth, parse),
        Some(own) => Theme::from_value(own, depth),
    };
    read.unwrap_or_else(|error| {
        faults.push(format!("{FILE}: {error}"));
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
