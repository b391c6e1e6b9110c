//! The settings that `config.yaml` may have.

use std::fmt;

use crate::app::UserLimits;
use crate::domain::safety::sandbox::Level;
use crate::hive::TAKEOVER;
use crate::ui::ComposerKeys;
use crate::ui::keymap::PRESETS;
use crate::ui::theme::EMBEDDED;
use crate::ui::user_settings::ALWAYS;

use super::terminal;
use super::themes::AUTO;

/// A setting of the file. The reader takes those of [`SETTINGS`] and no others, and
/// docs/configure.md lists them.
#[derive(Debug, Clone, Copy)]
pub struct Setting {
    /// Its keys in the file; `PATH` stands for the path of a workspace.
    pub path: &'static [&'static str],
    pub values: Values,
    /// The value if it is not set.
    pub default: fn() -> String,
    pub meaning: &'static str,
}

/// The allowed values of a setting.
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
    /// Values that these words describe.
    Described(&'static str),
    /// A whole number from 1 on.
    Number {
        max: u64,
    },
}

impl Values {
    /// The largest number.
    pub(super) fn max(self) -> Option<u64> {
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
            | Self::OneOf(_)
            | Self::Described(_) => None,
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
            Self::Hours => {
                write!(f, "two times of the day, such as `\"22:00-07:00\"`, or `{ALWAYS}`")
            }
            Self::Words => write!(f, "a list of words: a program and its arguments"),
            Self::Places => write!(f, "a list of places: `ssh://HOST/PATH`, or absolute folders"),
            Self::Price => write!(f, "0 to 1000000, with at most six decimals"),
            Self::OneOf(words) => {
                let words: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
                f.write_str(&words.join(", "))
            }
            Self::Described(words) => f.write_str(words),
            Self::Number { max } => write!(f, "1 to {max}"),
        }
    }
}

/// A key in the path of a setting that stands for the path of a workspace.
pub(super) const ANY_PATH: &str = "PATH";
/// The name of a model, as its provider reports it.
const ANY_MODEL: &str = "MODEL";

/// All settings, in the order of the documents.
pub const SETTINGS: [Setting; 32] = [
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
        path: &["thinking"],
        values: Values::OneOf(terminal::THINKING),
        default: || "`folded`".to_owned(),
        meaning: "how thinking looks in a dialog that is opened: `folded` to a line, or `shown`; `t` switches it",
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
        path: &["after_restart"],
        values: Values::OneOf(terminal::AFTER_RESTART),
        default: || "`continue`".to_owned(),
        meaning: "what becomes of dialogs that worked when the program ended: `continue`, or `ask` you first",
    },
    Setting {
        path: &["layout"],
        values: Values::OneOf(terminal::LAYOUTS),
        default: || "that of the newest tree; `1.29` in an empty workspace".to_owned(),
        meaning: "the version of Dominds in whose layout new trees are written; each tree keeps its own",
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
        default: || UserLimits::default().side_dialog_limits.dialogs.to_string(),
        meaning: "side dialogs of a tree that work at the same time",
    },
    Setting {
        path: &["limits", "side_dialog_depth"],
        values: Values::Number { max: 100 },
        default: || UserLimits::default().side_dialog_limits.depth.to_string(),
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
    Setting {
        path: &["hive", "urlEnv"],
        values: Values::Described("the name of an environment variable"),
        default: || "none".to_owned(),
        meaning: "the variable that holds the address of a shared store: `postgres://USER:PASSWORD@HOST/DATABASE`",
    },
    Setting {
        path: &["hive", "url"],
        values: Values::Described("a URL of PostgreSQL"),
        default: || "none".to_owned(),
        meaning: "the address itself, in a `config.yaml` that only you can read",
    },
    Setting {
        path: &["hive", "org"],
        values: Values::Described("letters, digits, `-`, `_` and `.`"),
        default: || "none: it has to be set".to_owned(),
        meaning: "whose teams and tasks are used; the same on all boxes",
    },
    Setting {
        path: &["hive", "box"],
        values: Values::Described("letters, digits, `-`, `_` and `.`"),
        default: || "the host name".to_owned(),
        meaning: "the name of this box for the others",
    },
    Setting {
        path: &["hive", "workspaces"],
        values: Values::Described("a list of absolute folders, or of folders below `~`"),
        default: || "none: it has to be set".to_owned(),
        meaning: "the workspaces that use the shared store; all others have their own",
    },
    Setting {
        path: &["hive", "teams"],
        values: Values::Described("`all`, or a list of teams"),
        default: || "`all`".to_owned(),
        meaning: "the teams whose tasks are started on this box",
    },
    Setting {
        path: &["hive", "takeover_seconds"],
        values: Values::Number { max: 24 * 60 * 60 },
        default: || TAKEOVER.as_secs().to_string(),
        meaning: "how long after a box was heard of last, and half a minute, its tasks are given to others",
    },
];

/// The names that may be at this place of the file.
pub(super) fn names_in(place: &[&'static str]) -> Vec<&'static str> {
    let below = |setting: &Setting| setting.path.strip_prefix(place)?.first().copied();
    let mut names: Vec<&str> = SETTINGS.iter().filter_map(below).collect();
    names.dedup();
    names
}
