//! Colours by role, colour depths, and the signs drawn on the screen.
//!
//! Panes name a [`Role`], never a colour. A theme is a mapping from role names to a few words
//! (`"cyan bold on black"`); a role it leaves out falls back along its dots (`text.dim` to `text`).
//! A theme is immutable once made and already reduced to what the terminal can show.

mod colour;
mod glyphs;

use std::fmt;

use ratatui::style::{Color, Modifier, Style};
use serde_json::Value;

pub use colour::ColorDepth;
pub use glyphs::Glyphs;

/// Themes that come with the program: name and YAML text.
pub const EMBEDDED: [(&str, &str); 4] = [
    ("dark", include_str!("../../themes/dark.yaml")),
    ("light", include_str!("../../themes/light.yaml")),
    ("mono", include_str!("../../themes/mono.yaml")),
    ("contrast", include_str!("../../themes/contrast.yaml")),
];

/// The theme used when none is chosen.
pub const DEFAULT_THEME: &str = "dark";

macro_rules! roles {
    ($($role:ident = $name:literal,)*) => {
        /// What a piece of the screen is, for the theme to colour.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Role { $($role,)* }

        impl Role {
            /// Every role, in the order of declaration.
            pub const ALL: &[Self] = &[$(Self::$role,)*];

            /// The name themes use.
            pub fn name(self) -> &'static str {
                match self { $(Self::$role => $name,)* }
            }
        }
    };
}

roles! {
    Text = "text",
    TextDim = "text.dim",
    TextStrong = "text.strong",
    Accent = "accent",
    Attention = "attention",
    Good = "good",
    Warning = "warning",
    Bad = "bad",
    Rule = "rule",
    Title = "title",
    TitleFocus = "title.focus",
    RowSelected = "row.selected",
    You = "you",
    Agent = "agent",
    Thinking = "thinking",
    Tool = "tool",
    ToolBad = "tool.bad",
    Code = "code",
    CodeKeyword = "code.keyword",
    CodeString = "code.string",
    CodeNumber = "code.number",
    CodeComment = "code.comment",
    Link = "link",
    Quote = "quote",
    DiffAdd = "diff.add",
    DiffRemove = "diff.remove",
    Search = "search",
    Cursor = "cursor",
}

impl Role {
    /// The role with this name in a theme file.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|role| role.name() == name)
    }

    /// The next role to ask when a theme says nothing about this one; `None` for plain text.
    fn fallback(self) -> Option<Self> {
        if self == Self::Text {
            return None;
        }
        let shorter = self.name().rsplit_once('.').and_then(|(head, _)| Self::named(head));
        Some(shorter.unwrap_or(Self::Text))
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A theme that could not be read; each line names one fault.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("reading the theme: {}", .faults.join("; "))]
pub struct ThemeError {
    pub faults: Vec<String>,
}

impl From<String> for ThemeError {
    fn from(fault: String) -> Self {
        Self { faults: vec![fault] }
    }
}

/// A style for every role.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Theme {
    styles: Vec<Style>,
}

impl Theme {
    /// Reads a theme from parsed YAML: a mapping of role names to words.
    ///
    /// # Errors
    /// Every unknown role and every word that is neither a colour nor a modifier.
    pub fn from_value(value: &Value, depth: ColorDepth) -> Result<Self, ThemeError> {
        let Value::Object(entries) = value else {
            return Err("expected a mapping of roles to colours".to_owned().into());
        };
        let mut given: Vec<Option<Style>> = vec![None; Role::ALL.len()];
        let mut faults = Vec::new();
        for (name, words) in entries {
            match parse_entry(name, words) {
                Ok((role, style)) => {
                    if let Some(slot) = given.get_mut(role as usize) {
                        *slot = Some(style);
                    }
                }
                Err(fault) => faults.push(fault),
            }
        }
        if faults.is_empty() {
            Ok(Self::from_given(&given, depth))
        } else {
            Err(ThemeError { faults })
        }
    }

    /// One of [`EMBEDDED`], read with the program's YAML parser.
    ///
    /// # Errors
    /// An unknown name, or a fault in the file (which a test rules out).
    pub fn embedded(
        name: &str,
        depth: ColorDepth,
        parse: impl Fn(&str) -> Result<Value, String>,
    ) -> Result<Self, ThemeError> {
        let (_, text) = EMBEDDED
            .iter()
            .find(|(known, _)| *known == name)
            .ok_or_else(|| format!("no theme is named {name:?}"))?;
        Self::from_value(&parse(text)?, depth)
    }

    /// The terminal's own colours everywhere: what is left when no theme can be read.
    #[must_use]
    pub fn plain() -> Self {
        Self { styles: vec![Style::default(); Role::ALL.len()] }
    }

    /// How this role is drawn.
    #[must_use]
    pub fn style(&self, role: Role) -> Style {
        self.styles.get(role as usize).copied().unwrap_or_default()
    }

    fn from_given(given: &[Option<Style>], depth: ColorDepth) -> Self {
        let find = |role: Role| {
            let mut at = Some(role);
            while let Some(role) = at {
                if let Some(style) = given.get(role as usize).copied().flatten() {
                    return style;
                }
                at = role.fallback();
            }
            Style::default()
        };
        let paper = find(Role::Text).bg;
        let reduced = |role: &Role| depth.reduce_style(find(*role), paper);
        Self { styles: Role::ALL.iter().map(reduced).collect() }
    }
}

fn parse_entry(name: &str, words: &Value) -> Result<(Role, Style), String> {
    let role = Role::named(name).ok_or_else(|| format!("no role is named {name:?}"))?;
    let Value::String(words) = words else {
        return Err(format!("{name}: expected words such as \"cyan bold\""));
    };
    let style = style_from_words(words).map_err(|fault| format!("{name}: {fault}"))?;
    Ok((role, style))
}

/// Reads `[colour] [on colour] [modifier …]`.
fn style_from_words(words: &str) -> Result<Style, String> {
    let mut style = Style::default();
    let mut words = words.split_whitespace();
    while let Some(word) = words.next() {
        if word == "on" {
            let colour = words.next().ok_or("a colour is missing after \"on\"")?;
            style = style.bg(colour_or_fault(colour)?);
        } else if let Some(modifier) = modifier(word) {
            style = style.add_modifier(modifier);
        } else {
            style = style.fg(colour_or_fault(word)?);
        }
    }
    Ok(style)
}

fn colour_or_fault(word: &str) -> Result<Color, String> {
    colour::parse(word).ok_or_else(|| format!("{word:?} is neither a colour nor a modifier"))
}

fn modifier(word: &str) -> Option<Modifier> {
    Some(match word {
        "bold" => Modifier::BOLD,
        "dim" => Modifier::DIM,
        "italic" => Modifier::ITALIC,
        "underline" => Modifier::UNDERLINED,
        "reverse" => Modifier::REVERSED,
        "strike" => Modifier::CROSSED_OUT,
        _ => return None,
    })
}

#[cfg(test)]
mod tests;
