//! Text of one paragraph, with runs of different styles.

use std::ops::Range;

use super::super::clean::SafeText;
use super::{Emphasis, StyledLine, StyledSpan};
use crate::links::LinkId;
use crate::links::{Links, addresses};
use crate::theme::Role;

/// The style of a run of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TextStyle {
    pub role: Role,
    pub emphasis: Emphasis,
    pub link: Option<LinkId>,
}

impl Default for TextStyle {
    fn default() -> Self {
        Self { role: Role::Text, emphasis: Emphasis::default(), link: None }
    }
}

/// Text of one paragraph or cell. `runs` cover it without gaps, in order.
#[derive(Debug, Clone, Default)]
pub(super) struct Flow {
    text: SafeText,
    /// The end of each run, and its style.
    runs: Vec<(usize, TextStyle)>,
}

impl Flow {
    pub fn push(&mut self, text: &SafeText, style: TextStyle) {
        if text.is_empty() {
            return;
        }
        self.text.append(text);
        let end = self.len();
        match self.runs.last_mut() {
            Some((last_end, last)) if *last == style => *last_end = end,
            Some(_) | None => self.runs.push((end, style)),
        }
    }

    /// Makes the text from `start` on a link, except parts that are links already.
    pub fn link_from(&mut self, start: usize, link: LinkId) {
        let mut runs = Vec::with_capacity(self.runs.len() + 1);
        let mut run_start = 0;
        for (end, style) in std::mem::take(&mut self.runs) {
            if run_start < start && start < end {
                runs.push((start, style));
            }
            let linked = TextStyle { link: style.link.or(Some(link)), ..style };
            runs.push((end, if end > start { linked } else { style }));
            run_start = end;
        }
        self.runs = runs;
    }

    /// Makes links of the addresses in running text.
    pub fn link_addresses(&mut self, links: &Links) {
        if !self.text().contains("http") {
            return;
        }
        let runs = std::mem::take(&mut self.runs);
        let mut start = 0;
        for (end, style) in runs {
            // Code stays code, and the text of a link names no address of its own.
            if style.link.is_none()
                && !matches!(style.role, Role::Code | Role::Link | Role::TextDim)
            {
                let text = self.text.as_str().get(start..end).unwrap_or_default();
                for at in addresses(text) {
                    let Some(link) = text.get(at.clone()).and_then(|one| links.id_of(one)) else {
                        continue;
                    };
                    if at.start > 0 {
                        self.runs.push((start + at.start, style));
                    }
                    let linked = TextStyle { role: Role::Link, link: Some(link), ..style };
                    self.runs.push((start + at.end, linked));
                }
            }
            if self.runs.last().is_none_or(|(last, _)| *last < end) {
                self.runs.push((end, style));
            }
            start = end;
        }
    }

    /// Appends a text with its styles.
    pub fn append(&mut self, other: &Self) {
        let mut start = 0;
        for (end, style) in &other.runs {
            self.push(&other.text.part(start..*end), *style);
            start = *end;
        }
    }

    pub fn text(&self) -> &str {
        self.text.as_str()
    }

    pub fn text_from(&self, start: usize) -> &str {
        self.text().get(start..).unwrap_or_default()
    }

    pub fn len(&self) -> usize {
        self.text().len()
    }

    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// The same text in one role, with its emphasis.
    pub fn in_role(&self, role: Role) -> Self {
        let runs =
            self.runs.iter().map(|(end, style)| (*end, TextStyle { role, ..*style })).collect();
        Self { text: self.text.clone(), runs }
    }

    /// Splits the text into lines at `rows`, which must be in order.
    pub fn lines(&self, rows: Vec<Range<usize>>) -> Vec<StyledLine> {
        let mut first_run = 0;
        rows.into_iter().map(|row| self.line(&row, &mut first_run)).collect()
    }

    /// Returns one line; `first_run` is advanced to the first run that may reach into the next line.
    fn line(&self, row: &Range<usize>, first_run: &mut usize) -> StyledLine {
        let mut spans = Vec::new();
        let mut start = row.start;
        for (end, style) in self.runs.iter().skip(*first_run) {
            let stop = (*end).min(row.end);
            if stop > start {
                let text = self.text.part(start..stop).into();
                let TextStyle { role, emphasis, link } = *style;
                spans.push(StyledSpan { role, emphasis, link, text });
                start = stop;
            }
            if *end > row.end {
                break;
            }
            *first_run += 1;
        }
        StyledLine { spans }
    }
}
