//! Recorded text as rows: Markdown for model output, plain wrapping for everything else.

use ratatui::style::Style;

use crate::ui::cx::UiSettings;
use crate::ui::panes::strip::Strip;
use crate::ui::text::markdown::RenderMeans;
use crate::ui::text::{SafeText, StyledLine, markdown, wrap};

/// Renders model output as rows.
#[derive(Debug, Clone, Copy)]
pub struct Prose<'a> {
    ui: &'a UiSettings,
}

impl<'a> Prose<'a> {
    pub fn new(ui: &'a UiSettings) -> Self {
        Self { ui }
    }

    /// Rows of at most `width` cells after an indentation.
    pub fn rows(self, text: &str, indent: usize, width: usize) -> Vec<Strip> {
        let clean = SafeText::clean(text.trim_end());
        let UiSettings { glyphs, colours, links, .. } = self.ui;
        let means = RenderMeans { glyphs, colours, links };
        markdown::render(&clean, width, means).iter().map(|line| self.strip(line, indent)).collect()
    }

    fn strip(self, line: &StyledLine, indent: usize) -> Strip {
        if line.spans.is_empty() {
            return Strip::new();
        }
        let start = Strip::new().pad_to(indent);
        line.spans
            .iter()
            .fold(start, |strip, span| strip.put(span.text.as_str(), span.style(&self.ui.theme)))
    }
}

/// Wraps text in one style.
pub fn plain_rows(text: &str, indent: usize, width: usize, style: Style) -> Vec<Strip> {
    let clean = SafeText::clean(text.trim_end());
    wrap(clean.as_str(), width)
        .into_iter()
        .map(|row| indented(clean.as_str().get(row).unwrap_or_default(), indent, style))
        .collect()
}

fn indented(row: &str, indent: usize, style: Style) -> Strip {
    if row.is_empty() {
        return Strip::new();
    }
    Strip::new().pad_to(indent).put(row, style)
}
