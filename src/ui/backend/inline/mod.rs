//! The live rows of an inline screen, and what is printed above them.
//!
//! Everything is addressed relative to the cursor, which is in the live rows, so these may begin anywhere on
//! the terminal. To print, the live rows are erased, the new rows are written where they began, and the live
//! rows are drawn again below, all in one frame; printed rows are never touched again. They leave the screen
//! as any program's output does, so they are in the scrollback of every terminal.

use std::io::Write;

use ratatui::buffer::Buffer;
use ratatui::layout::{Rect, Size};
use ratatui::text::Line;

use super::frame_writer::{Addressing, FrameWriter};
use super::grid::Row;
use super::{Capabilities, ScreenBackend};
use crate::terminal::LiveRows;
use crate::text::drawn::set_line;

/// The state of an inline screen beside its live rows.
#[derive(Debug)]
pub(super) struct InlineArea {
    /// The size of the terminal.
    pub terminal: Size,
    live: LiveRows,
    /// Rows to be printed with the next frame; kept until that was accepted.
    printing: Vec<Row>,
    /// Another program had the terminal: where the cursor is in its row is unknown, and the live rows are gone.
    begins: bool,
}

impl InlineArea {
    /// The size of the live rows on a terminal of another size.
    pub fn resized(&mut self, terminal: Size, rows: u16) -> Size {
        self.terminal = terminal;
        // No cursor is further from the top than that.
        self.live.set_above(self.live.above().min(terminal.height.saturating_sub(1)));
        Size { width: terminal.width, height: rows.min(terminal.height) }
    }
}

impl<W: Write> ScreenBackend<W> {
    /// Makes it an inline screen, with one live row, before the first frame.
    #[must_use]
    pub fn inline(mut self, live: LiveRows) -> Self {
        let terminal = self.size;
        self.frame_writer = FrameWriter::new(Addressing::Relative);
        self.resize_grid(Size { height: 1, ..terminal });
        self.inline = Some(InlineArea { terminal, live, printing: Vec::new(), begins: true });
        self
    }

    /// Prints rows above the live rows with the next frame, which has this many live rows. Only on an inline screen.
    pub fn print(&mut self, rows: &[Line<'static>], live_rows: u16) {
        let Some(inline) = &mut self.inline else { return };
        let Size { width, height } = inline.terminal;
        let rows = rows.iter().map(|row| printed(row, width, self.capabilities));
        inline.printing.extend(rows);
        self.resize_grid(Size { width, height: live_rows.clamp(1, height.max(1)) });
    }

    /// Another program had the terminal: the live rows begin where the cursor is now.
    pub fn begin_again(&mut self) {
        if let Some(inline) = &mut self.inline {
            inline.begins = true;
        }
        self.invalidate();
    }

    /// Prints the pending rows, and redraws the live rows if they moved or are unknown.
    pub(super) fn begin_live_rows(&mut self) {
        let Some(inline) = &self.inline else { return };
        let (begins, printing) = (inline.begins, &inline.printing);
        if !std::mem::take(&mut self.repaint) && !begins && printing.is_empty() {
            return;
        }
        let writer = &mut self.frame_writer;
        if begins {
            writer.begin_empty_row(inline.terminal.width);
        } else {
            writer.erase_live_rows(inline.live.above());
        }
        if !printing.is_empty() {
            writer.print(printing, self.links.as_ref());
        }
        writer.reserve_rows(self.size.height);
        self.shown.clear();
    }

    /// Notes that the frame was accepted, and with it the printed rows.
    pub(super) fn live_rows_written(&mut self) {
        let Some(inline) = &mut self.inline else { return };
        inline.printing.clear();
        inline.begins = false;
        inline.live.set_above(self.frame_writer.cursor_row());
    }
}

/// A row of text as cells.
fn printed(line: &Line<'static>, width: u16, capabilities: Capabilities) -> Row {
    let mut buffer = Buffer::empty(Rect::new(0, 0, width, 1));
    set_line(&mut buffer, (0, 0), line, width);
    Row::of(buffer.content(), capabilities, true)
}

#[cfg(test)]
mod tests;
