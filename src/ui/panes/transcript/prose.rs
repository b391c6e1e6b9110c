//! Recorded text as rows: Markdown for model output, plain wrapping for everything else.

use ratatui::style::Style;

use crate::cx::UiSettings;
use crate::panes::strip::{CodeInk, Joint, Strip};
use crate::text::markdown::RenderMeans;
use crate::text::{SafeText, SpanText, StyledLine, StyledSpan, markdown, wrap};
use crate::theme::Role;

/// Renders model output as rows.
#[derive(Debug, Clone, Copy)]
pub struct Prose<'a> {
    ui: &'a UiSettings,
    /// The role of text without a mark.
    role: Role,
}

impl<'a> Prose<'a> {
    pub fn new(ui: &'a UiSettings) -> Self {
        Self { ui, role: Role::Text }
    }

    /// Uses another role for the text.
    #[must_use]
    pub fn in_role(self, role: Role) -> Self {
        Self { role, ..self }
    }

    /// Returns the means to render Markdown.
    pub fn means(ui: &UiSettings) -> RenderMeans<'_> {
        let UiSettings { glyphs, colours, links, .. } = ui;
        RenderMeans { glyphs, colours, links }
    }

    /// Rows of at most `width` cells after an indentation.
    pub fn rows(self, text: &str, indent: usize, width: usize) -> Vec<Strip> {
        let clean = SafeText::clean(text.trim_end());
        let lines = markdown::render(&clean, width, Self::means(self.ui));
        if lines.is_empty() && !clean.is_empty() {
            // A text of link definitions only has no Markdown to show.
            return plain_rows(text, indent, width, self.ui.style(self.role));
        }
        lines.iter().map(|line| self.strip(line, indent)).collect()
    }

    /// Converts one line to a row.
    pub fn strip(self, line: &StyledLine, indent: usize) -> Strip {
        if line.spans.is_empty() {
            return Strip::new();
        }
        let start = Strip::new().pad_to(indent);
        line.spans.iter().fold(start, |strip, span| match &span.text {
            SpanText::Own(text) => strip.put(text.as_str(), self.style(span)),
            SpanText::Code(part) => {
                strip.put_code(part.clone(), self.style(span), CodeInk::of_text(&self.ui.theme))
            }
        })
    }

    /// The style of a span: unmarked and strong text keep the role of the whole.
    fn style(self, span: &StyledSpan) -> Style {
        let is_plain = matches!(span.role, Role::Text | Role::TextStrong);
        if is_plain && self.role != Role::Text {
            span.in_role(self.role).style(&self.ui.theme)
        } else {
            span.style(&self.ui.theme)
        }
    }
}

/// Wraps text in one style.
pub fn plain_rows(text: &str, indent: usize, width: usize, style: Style) -> Vec<Strip> {
    let clean = SafeText::clean(text.trim_end());
    let clean = clean.as_str();
    let rows = wrap(clean, width);
    let joints = Joint::of_rows(clean, &rows, indent);
    let texts = rows.iter().map(|row| clean.get(row.clone()).unwrap_or_default());
    texts.zip(joints).map(|(row, joint)| indented(row, indent, style).going_on(joint)).collect()
}

fn indented(row: &str, indent: usize, style: Style) -> Strip {
    if row.is_empty() {
        return Strip::new();
    }
    Strip::new().pad_to(indent).put(row, style)
}
