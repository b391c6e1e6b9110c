//! The `theme` of `config.yaml`.

use serde_json::Value;

use crate::domain::text::{Localized, localized};
use crate::ui::theme::{ColorDepth, EMBEDDED, ShadedThemes, Theme, ThemeError};
use crate::yaml;

/// The name of the choice by the terminal's background.
pub(super) const AUTO: &str = "auto";

/// The theme to begin with, and those to choose from by the terminal's background.
#[derive(Debug)]
pub(super) struct ThemeChoice {
    pub theme: Theme,
    pub follows: Option<ShadedThemes>,
}

/// Reads the setting; null is not set.
pub(super) fn read(value: &Value, depth: ColorDepth) -> Result<ThemeChoice, ThemeError> {
    let theme = match value {
        Value::Null => return by_background(depth),
        Value::String(name) if name == AUTO => return by_background(depth),
        Value::String(name) => embedded(name, depth)?,
        Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
            Theme::from_value(value, depth)?
        }
    };
    Ok(ThemeChoice { theme, follows: None })
}

fn by_background(depth: ColorDepth) -> Result<ThemeChoice, ThemeError> {
    let themes = ShadedThemes { dark: embedded("dark", depth)?, light: embedded("light", depth)? };
    // Without colours both look the same.
    let follows = (themes.dark != themes.light).then(|| themes.clone());
    Ok(ThemeChoice { theme: themes.dark, follows })
}

/// What is shown if the setting is invalid.
pub(super) fn default_choice(depth: ColorDepth) -> ThemeChoice {
    by_background(depth).unwrap_or_else(|_| ThemeChoice { theme: Theme::plain(), follows: None })
}

/// What to do about an invalid setting.
pub(super) fn fix() -> Localized {
    let names = EMBEDDED.map(|(name, _)| name).join(", ");
    localized!(
        "use {AUTO}, {names}, or a mapping of roles to colours",
        "请用 {AUTO}、{names}，或角色到颜色的映射"
    )
}

fn embedded(name: &str, depth: ColorDepth) -> Result<Theme, ThemeError> {
    Theme::embedded(name, depth, |text| yaml::parse(text).map_err(|error| error.message()))
}
