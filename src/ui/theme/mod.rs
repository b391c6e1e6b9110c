//! Colours by role, colour depths, and the symbols drawn on the screen.
//!
//! Panes name a [`Role`], never a colour. A theme is a mapping from role names to a few words
//! (`"cyan bold on black"`); a missing role falls back along its dots (`text.dim` to `text`). A theme is
//! immutable and already reduced to the terminal's abilities.

mod colour;
mod contrast;
mod glyphs;
mod shade;

use std::fmt;
use std::sync::Arc;

use ratatui::buffer::Buffer;
use ratatui::style::{Color, Modifier, Style};
use serde_json::Value;

use crate::domain::text::{Localized, Text, localized};

pub use colour::ColorDepth;
pub use contrast::{Pair, Paper};
pub use glyphs::Glyphs;
pub use shade::{Rgb, Shade, ShadedThemes, shade_of_variable};

/// Themes that come with the program: name and YAML text.
pub const EMBEDDED: [(&str, &str); 4] = [
    ("dark", include_str!("../../../themes/dark.yaml")),
    ("light", include_str!("../../../themes/light.yaml")),
    ("mono", include_str!("../../../themes/mono.yaml")),
    ("contrast", include_str!("../../../themes/contrast.yaml")),
];

macro_rules! roles {
    ($($role:ident = $name:literal,)*) => {
        /// The role of a part of the screen, which the theme maps to a style.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Role { $($role,)* }

        impl Role {
            /// Every role, in the order of declaration.
            pub const ALL: &[Self] = &[$(Self::$role,)*];

            /// The name in themes.
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
    CodeType = "code.type",
    CodeFunction = "code.function",
    Link = "link",
    Quote = "quote",
    DiffAdd = "diff.add",
    DiffAddWord = "diff.add.word",
    DiffAddRow = "diff.add.row",
    DiffRemove = "diff.remove",
    DiffRemoveWord = "diff.remove.word",
    DiffRemoveRow = "diff.remove.row",
    Search = "search",
    SearchCurrent = "search.current",
    Cursor = "cursor",
}

impl Role {
    /// The role with this name in a theme file.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|role| role.name() == name)
    }

    /// The role to use if a theme does not define this one; `None` for plain text.
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

/// A theme that could not be read, with all its errors.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", self.message())]
pub struct ThemeError {
    pub faults: Vec<ThemeFault>,
}

/// One error of a theme.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ThemeFault {
    /// The entry as it is written.
    pub role: Option<String>,
    pub text: Localized,
}

impl ThemeError {
    /// Returns all errors in one text.
    #[must_use]
    pub fn message(&self) -> Localized {
        let mut faults = self.faults.iter().map(|fault| fault.text.clone());
        let first = faults.next().unwrap_or_default();
        let separator = Localized::new("; ", "；");
        let faults = faults.fold(first, |all, fault| all.and(separator.clone()).and(fault));
        localized!([faults] "reading the theme: {faults}", "读取主题：{faults}")
    }
}

impl From<Localized> for ThemeError {
    fn from(fault: Localized) -> Self {
        Self { faults: vec![ThemeFault { role: None, text: fault }] }
    }
}

/// A style for every role.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Theme {
    /// Shared, since laid-out code keeps its theme.
    styles: Arc<[Style]>,
    /// The background of plain text, which fills the screen; `None` for the terminal's background.
    paper: Option<Color>,
}

impl Theme {
    /// Reads a theme from parsed YAML: a mapping of role names to words.
    ///
    /// # Errors
    /// Every unknown role and every word that is neither a colour nor a modifier.
    pub fn from_value(value: &Value, depth: ColorDepth) -> Result<Self, ThemeError> {
        let Value::Object(entries) = value else {
            let text = Text::new("expected a mapping of roles to colours", "应为角色到颜色的映射");
            return Err(Localized::from(text).into());
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
                Err(text) => faults.push(ThemeFault { role: Some(name.clone()), text }),
            }
        }
        if faults.is_empty() {
            Ok(Self::from_given(&given, depth))
        } else {
            Err(ThemeError { faults })
        }
    }

    /// Reads one of [`EMBEDDED`] with the program's YAML parser.
    ///
    /// # Errors
    /// An unknown name, or an error in the file (which a test rules out).
    pub fn embedded(
        name: &str,
        depth: ColorDepth,
        parse: impl Fn(&str) -> Result<Value, Localized>,
    ) -> Result<Self, ThemeError> {
        let (_, text) = EMBEDDED
            .iter()
            .find(|(known, _)| *known == name)
            .map(|(known, _)| depth.theme(known))
            .and_then(|used| EMBEDDED.iter().find(|(known, _)| *known == used))
            .ok_or_else(|| localized!("no theme is named {name:?}", "没有名为 {name:?} 的主题"))?;
        Self::from_value(&parse(text)?, depth)
    }

    /// Returns this theme without colours: where it marks one of the `given` roles by more than a colour,
    /// that style; `base` everywhere else.
    #[must_use]
    pub fn marked_on(&self, mut base: Self, given: impl Iterator<Item = Role>) -> Self {
        let styles = Arc::make_mut(&mut base.styles);
        for role in given {
            let style = self.style(role);
            if let Some(slot) =
                styles.get_mut(role as usize).filter(|_| !style.add_modifier.is_empty())
            {
                *slot = style;
            }
        }
        base
    }

    /// The terminal's default colours everywhere, for when no theme can be read.
    #[must_use]
    pub fn plain() -> Self {
        Self { styles: vec![Style::default(); Role::ALL.len()].into(), paper: None }
    }

    /// The style of this role.
    #[must_use]
    pub fn style(&self, role: Role) -> Style {
        self.styles.get(role as usize).copied().unwrap_or_default()
    }

    /// Returns the background of the screen, unless it is the terminal's.
    #[must_use]
    pub fn paper(&self) -> Option<Color> {
        self.paper.filter(|paper| *paper != Color::Reset)
    }

    /// Gives cells without colours of their own the colours of plain text, if the theme sets them.
    pub fn fill(&self, buffer: &mut Buffer) {
        let ink = self.style(Role::Text).fg.filter(|ink| *ink != Color::Reset);
        let paper = self.paper();
        if ink.is_none() && paper.is_none() {
            return;
        }
        for cell in &mut buffer.content {
            cell.fg = ink.filter(|_| cell.fg == Color::Reset).unwrap_or(cell.fg);
            cell.bg = paper.filter(|_| cell.bg == Color::Reset).unwrap_or(cell.bg);
        }
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
        let own = find(Role::Text).bg;
        let paper = own.map(|paper| depth.reduce_paper(paper));
        let reduced = |role: &Role| {
            let style = find(*role);
            // A text without a background leaves that of a selected row visible.
            let style = Style { bg: style.bg.filter(|bg| Some(*bg) != own), ..style };
            if *role == Role::RowSelected {
                depth.reduce_row(style)
            } else if matches!(role, Role::DiffAddRow | Role::DiffRemoveRow) {
                depth.reduce_tint(style)
            } else {
                depth.reduce_style(style, paper)
            }
        };
        let styles = Role::ALL.iter().map(reduced).collect();
        Self { styles, paper }
    }
}

fn parse_entry(name: &str, words: &Value) -> Result<(Role, Style), Localized> {
    let unknown = || localized!("no role is named {name:?}", "没有名为 {name:?} 的角色");
    let role = Role::named(name).ok_or_else(unknown)?;
    let words = match words {
        Value::String(words) => words.clone(),
        // A number of the palette alone needs no quotes.
        Value::Number(number) => number.to_string(),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => {
            return Err(localized!(
                "{name}: expected words such as \"cyan bold\"",
                "{name}：应为 \"cyan bold\" 这样的词"
            ));
        }
    };
    let style = style_from_words(&words)
        .map_err(|fault| localized!([fault] "{name}: {fault}", "{name}：{fault}"))?;
    Ok((role, style))
}

const NO_COLOUR: Text = Text::new("a colour is missing after \"on\"", "\"on\" 之后缺少颜色");

/// Reads `[colour] [on colour] [modifier …]`.
fn style_from_words(words: &str) -> Result<Style, Localized> {
    let mut style = Style::default();
    let mut words = words.split_whitespace();
    while let Some(word) = words.next() {
        if word == "on" {
            let colour = words.next().ok_or(NO_COLOUR)?;
            style = style.bg(colour_or_fault(colour)?);
        } else if let Some(modifier) = modifier(word) {
            style = style.add_modifier(modifier);
        } else {
            style = style.fg(colour_or_fault(word)?);
        }
    }
    Ok(style)
}

fn colour_or_fault(word: &str) -> Result<Color, Localized> {
    colour::parse(word).ok_or_else(|| {
        localized!("{word:?} is neither a colour nor a modifier", "{word:?} 既不是颜色也不是修饰")
    })
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
pub(crate) mod tests;
