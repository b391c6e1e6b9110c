//! Lines of safe text with roles, which a theme maps to styles.

use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};

use super::clean::SafeText;
use super::code::CodePart;
use super::width::width;
use crate::links::LinkId;
use crate::theme::{Role, Theme};

/// Emphasis that the text adds to the style of its role.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Emphasis {
    pub strong: bool,
    pub italic: bool,
    pub struck: bool,
}

/// Text in one style; the runs of code have others once they are drawn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StyledSpan {
    pub role: Role,
    pub emphasis: Emphasis,
    pub link: Option<LinkId>,
    pub text: SpanText,
}

/// The text of a span.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SpanText {
    Own(SafeText),
    Code(CodePart),
}

impl SpanText {
    #[must_use]
    pub fn as_str(&self) -> &str {
        match self {
            Self::Own(text) => text.as_str(),
            Self::Code(part) => part.as_str(),
        }
    }
}

impl From<SafeText> for SpanText {
    fn from(text: SafeText) -> Self {
        Self::Own(text)
    }
}

impl From<CodePart> for SpanText {
    fn from(part: CodePart) -> Self {
        Self::Code(part)
    }
}

/// One row of the screen, not wider than requested.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StyledLine {
    pub spans: Vec<StyledSpan>,
}

impl StyledSpan {
    #[must_use]
    pub fn new(role: Role, text: impl Into<SpanText>) -> Self {
        Self { role, emphasis: Emphasis::default(), link: None, text: text.into() }
    }

    /// The same text in another role.
    #[must_use]
    pub fn in_role(&self, role: Role) -> Self {
        Self { role, ..self.clone() }
    }

    /// The theme's style for the role, with the emphasis and the number of the link added.
    #[must_use]
    pub fn style(&self, theme: &Theme) -> Style {
        let mut style = theme.style(self.role);
        let Emphasis { strong, italic, struck } = self.emphasis;
        for (wanted, modifier) in
            [(strong, Modifier::BOLD), (italic, Modifier::ITALIC), (struck, Modifier::CROSSED_OUT)]
        {
            if wanted {
                style = style.add_modifier(modifier);
            }
        }
        match self.link {
            Some(link) => style.underline_color(link.colour()),
            None => style,
        }
    }
}

impl StyledLine {
    /// A line in one role.
    #[must_use]
    pub fn plain(role: Role, text: SafeText) -> Self {
        Self { spans: vec![StyledSpan::new(role, text)] }
    }

    /// The text without its roles.
    #[must_use]
    pub fn text(&self) -> String {
        self.spans.iter().map(|span| span.text.as_str()).collect()
    }

    /// Returns its width in cells.
    #[must_use]
    pub fn width(&self) -> usize {
        self.spans.iter().map(|span| width(span.text.as_str())).sum()
    }

    /// The line in the colours of a theme.
    #[must_use]
    pub fn to_line(&self, theme: &Theme) -> Line<'_> {
        let span = |span| StyledSpan::style(span, theme);
        self.spans.iter().map(|s| Span::styled(s.text.as_str(), span(s))).collect()
    }
}
