//! One cell of the screen, as it is compared and written.

use ratatui::buffer::Cell;
use unicode_width::UnicodeWidthChar as _;

use super::capabilities::Capabilities;
use super::cell_style::CellStyle;
use crate::links::LinkId;
use crate::text::width::symbol_width;

/// The content of a cell.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Glyph {
    Char(char),
    /// Several code points that form one visible character.
    Cluster(Box<str>),
    /// Covered by the wide glyph to the left.
    Tail,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct ScreenCell {
    pub glyph: Glyph,
    /// Cells it takes; 0 for a tail.
    pub width: u16,
    pub style: CellStyle,
    /// The link it is part of.
    pub link: Option<LinkId>,
}

impl ScreenCell {
    pub const BLANK: Self =
        Self { glyph: Glyph::Char(' '), width: 1, style: CellStyle::DEFAULT, link: None };

    pub fn tail(style: CellStyle) -> Self {
        Self { glyph: Glyph::Tail, width: 0, style, link: None }
    }

    /// The cell as this terminal can show it. Control characters become `?`.
    pub fn of(cell: &Cell, capabilities: Capabilities) -> Self {
        let style = CellStyle::of(cell, capabilities.depth);
        let link = LinkId::of_colour(cell.underline_color);
        let symbol = cell.symbol();
        let mut chars = symbol.chars();
        let (first, more) = (chars.next().unwrap_or(' '), chars.next().is_some());
        if symbol.chars().any(char::is_control) || (!capabilities.utf8 && !symbol.is_ascii()) {
            return Self { glyph: Glyph::Char('?'), width: 1, style, link };
        }
        let width = if symbol.is_empty() { 1 } else { symbol_width(symbol) };
        match (width, more, first) {
            (0, ..) | (1, false, ' ') => Self { link, ..Self::blank(style) },
            (_, false, _) => Self { glyph: Glyph::Char(first), width, style, link },
            (_, true, _) => Self { glyph: Glyph::Cluster(symbol.into()), width, style, link },
        }
    }

    /// Returns a blank; it keeps only the parts of the style that are visible on it.
    pub fn blank(style: CellStyle) -> Self {
        Self { glyph: Glyph::Char(' '), width: 1, style: style.on_blank(), link: None }
    }

    pub fn is_blank(&self) -> bool {
        self.glyph == Glyph::Char(' ')
    }

    /// True for glyphs that have the same width in every terminal.
    pub fn has_fixed_width(&self) -> bool {
        match &self.glyph {
            Glyph::Char(c) => match self.width {
                1 => c.is_ascii(),
                2 => is_east_asian_wide(*c),
                _ => false,
            },
            Glyph::Cluster(_) | Glyph::Tail => false,
        }
    }

    /// True for single characters that some terminals draw one cell wide and others two, as lines and arrows.
    pub fn may_be_wide(&self) -> bool {
        matches!(self.glyph, Glyph::Char(_)) && self.width == 1 && !self.has_fixed_width()
    }

    /// Cells to the right that a terminal may paint over if it draws the parts of a cluster separately.
    pub fn spill(&self) -> u16 {
        match &self.glyph {
            Glyph::Cluster(text) => {
                let parts: usize = text.chars().filter_map(char::width).sum();
                u16::try_from(parts).unwrap_or(u16::MAX).saturating_sub(self.width)
            }
            Glyph::Char(_) | Glyph::Tail => 0,
        }
    }

    /// Bytes of the glyph in UTF-8.
    pub fn len(&self) -> usize {
        match &self.glyph {
            Glyph::Char(c) => c.len_utf8(),
            Glyph::Cluster(text) => text.len(),
            Glyph::Tail => 0,
        }
    }

    pub fn write(&self, out: &mut Vec<u8>) {
        match &self.glyph {
            Glyph::Char(c) => out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
            Glyph::Cluster(text) => out.extend_from_slice(text.as_bytes()),
            Glyph::Tail => {}
        }
    }

    /// Writes only the first part of a cluster, for the edge of the screen: the other parts would wrap
    /// into the next row if a terminal draws them separately.
    pub fn write_first(&self, out: &mut Vec<u8>) {
        if let Glyph::Cluster(text) = &self.glyph
            && let Some(first) = text.chars().next()
        {
            out.extend_from_slice(first.encode_utf8(&mut [0; 4]).as_bytes());
        } else {
            self.write(out);
        }
    }
}

/// Letters of East Asian scripts and their punctuation, wide in every width table. Emoji are not
/// included: their width differs between terminals.
fn is_east_asian_wide(c: char) -> bool {
    matches!(u32::from(c),
        0x2E80..=0x303E | 0x3041..=0x33FF | 0x3400..=0x4DBF | 0x4E00..=0xA4CF | 0xAC00..=0xD7A3
        | 0xF900..=0xFAFF | 0xFE30..=0xFE6F | 0xFF01..=0xFF60 | 0xFFE0..=0xFFE6
        | 0x20000..=0x2FFFD | 0x30000..=0x3FFFD)
}
