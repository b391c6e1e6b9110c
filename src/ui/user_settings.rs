//! Settings of the person that can be changed on the screen: what there is to choose from, and what is set. They are
//! kept in `config.yaml`; the screen uses a new value at once and has it written.

use serde_json::Value;

use crate::action::EditingKeys;
use crate::theme::{ShadedThemes, Theme};

/// The quiet hours that never end.
pub const ALWAYS: &str = "always";

/// A setting with its new value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Setting {
    /// A theme, by its name.
    Theme(String),
    /// A set of keys, by its name; empty for the keys of the program.
    Keys(String),
    /// When nothing rings; `None`: never.
    QuietHours(Option<String>),
    /// Minutes until the reminder; `None`: there is none.
    RemindMinutes(Option<u64>),
}

impl Setting {
    /// The name in `config.yaml`.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Theme(_) => "theme",
            Self::Keys(_) => "keys",
            Self::QuietHours(_) => "quiet_hours",
            Self::RemindMinutes(_) => "remind_minutes",
        }
    }
}

/// A theme that can be chosen.
#[derive(Debug, Clone, PartialEq)]
pub struct ThemeOption {
    pub name: String,
    pub theme: Theme,
    /// Those to choose from by the background of the terminal.
    pub follows: Option<ShadedThemes>,
}

/// A set of keys that can be chosen.
#[derive(Debug, Clone, PartialEq)]
pub struct KeysOption {
    /// Empty for the keys of the program.
    pub name: String,
    /// The changes of the default keys, also the person's own.
    pub overrides: Value,
    pub composer: EditingKeys,
}

/// What can be chosen, and what is set.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SettingOptions {
    pub themes: Vec<ThemeOption>,
    /// The name of the theme; `None` for colours of the person's own.
    pub theme: Option<String>,
    pub keys: Vec<KeysOption>,
    /// The name of the set of keys.
    pub keys_set: String,
    pub quiet_hours: Option<String>,
    /// The hours that were set at the start.
    pub own_hours: Option<String>,
    pub remind_minutes: Option<u64>,
}

impl SettingOptions {
    /// Notes what is set from now on.
    pub fn note(&mut self, setting: &Setting) {
        match setting.clone() {
            Setting::Theme(name) => self.theme = Some(name),
            Setting::Keys(name) => self.keys_set = name,
            Setting::QuietHours(hours) => self.quiet_hours = hours,
            Setting::RemindMinutes(minutes) => self.remind_minutes = minutes,
        }
    }

    /// The theme with this name.
    #[must_use]
    pub fn theme_named(&self, name: &str) -> Option<&ThemeOption> {
        self.themes.iter().find(|option| option.name == name)
    }

    /// The set of keys with this name.
    #[must_use]
    pub fn keys_named(&self, name: &str) -> Option<&KeysOption> {
        self.keys.iter().find(|option| option.name == name)
    }
}
