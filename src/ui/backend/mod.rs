//! The backend of the drawing library: shows the same screen with the fewest bytes.
//!
//! It keeps a copy of what the terminal shows and of what it should show, and writes only the
//! difference: one write per frame, between synchronized-update marks, and nothing if nothing differs. On a slow
//! connection a frame has bounds: the rows that are left come with the next one.
//! Full rows that only moved are moved by the terminal. After a glyph whose width differs between terminals, the cursor is positioned explicitly. The
//! terminal is never queried, so no reply is awaited.
//!
//! On an inline screen it draws some live rows below the text of the ordinary screen, and prints rows above them
//! (`inline`).

mod bounds;
mod capabilities;
mod cell;
mod cell_style;
mod frame_writer;
mod grid;
mod inline;
mod movement;

use std::io::{self, Write};

use ratatui::backend::{Backend, ClearType, WindowSize};
use ratatui::buffer::{Buffer, Cell};
use ratatui::layout::{Position, Rect, Size};
use ratatui::{Frame, Terminal};

use super::links::Links;
use super::terminal::Control;
use super::text::width::symbol_width;
pub use bounds::{Drawn, FrameBounds, StatusQuestion};
pub use capabilities::Capabilities;
use cell::ScreenCell;
use frame_writer::{FrameMarks, FrameWriter};
use grid::{Grid, Row};
use inline::InlineArea;
use movement::Movement;

/// Draws one frame and writes what differs from the previous one.
///
/// Use this instead of the library's own `draw`: the library compares frames too, but misses cells
/// that a wide glyph covered, and looks at each cell several times. Here the frame is taken from it as it was
/// rendered, rows that are those of the frame before are passed over, and the others are compared with what the
/// terminal shows.
///
/// # Errors
/// The writer's; the next frame then draws everything.
pub fn draw<W: Write>(
    terminal: &mut Terminal<ScreenBackend<W>>,
    bounds: FrameBounds,
    render: impl FnOnce(&mut Frame<'_>),
) -> io::Result<Drawn> {
    terminal.autoresize()?;
    let area = terminal.get_frame().area();
    let backend = terminal.backend_mut();
    (backend.bounds, backend.drawn) = (bounds, Drawn::NOTHING);
    let mut frame = std::mem::take(&mut backend.spare);
    frame.resize(area);
    frame.reset();
    *terminal.current_buffer_mut() = frame;
    let mut rendered = Buffer::default();
    terminal.backend_mut().is_rendering = true;
    let outcome = terminal.draw(|frame| {
        render(frame);
        // The library finds nothing to compare.
        let nothing = Buffer::empty(Rect { height: 0, ..area });
        rendered = std::mem::replace(frame.buffer_mut(), nothing);
    });
    let outcome = outcome.map(|_| ());
    let backend = terminal.backend_mut();
    backend.is_rendering = false;
    outcome?;
    backend.take_rendered(rendered);
    let written = backend.flush();
    // Later writes, by others, are not bounded.
    backend.bounds = FrameBounds::default();
    written.map(|()| backend.drawn)
}

/// Blanks an area for something drawn on top. A wide glyph that reaches into it from the left is
/// removed too; the library would otherwise let it hide the first column of the area.
pub fn clear_area(buffer: &mut Buffer, area: Rect) {
    let area = area.intersection(buffer.area);
    for y in area.top()..area.bottom() {
        let before = area.left().checked_sub(1).and_then(|x| buffer.cell_mut((x, y)));
        if let Some(cell) = before.filter(|cell| symbol_width(cell.symbol()) > 1) {
            cell.set_symbol(" ");
        }
        for x in area.left()..area.right() {
            if let Some(cell) = buffer.cell_mut((x, y)) {
                cell.reset();
            }
        }
    }
}

/// Writes frames to a terminal of a known size.
#[derive(Debug)]
pub struct ScreenBackend<W: Write> {
    writer: W,
    capabilities: Capabilities,
    size: Size,
    /// What is known to be on the terminal.
    shown: Grid,
    /// The screen as it should be after the next flush.
    wanted: Grid,
    /// The frame of the library that `wanted` was made of; `None` once anything else has changed it.
    rendered: Option<Buffer>,
    /// The memory of the next frame.
    spare: Buffer,
    /// The library is rendering a frame: what it flushes is incomplete.
    is_rendering: bool,
    /// The terminal's content is unknown: erase and draw everything.
    repaint: bool,
    cursor: Position,
    cursor_wanted: bool,
    frame_writer: FrameWriter,
    controls: Vec<u8>,
    /// The addresses of links; `None` where the terminal does not know links.
    links: Option<Links>,
    /// The state of an inline screen.
    inline: Option<InlineArea>,
    /// The bounds of the frame being drawn.
    bounds: FrameBounds,
    drawn: Drawn,
    /// The row that the next frame goes on with, where the last one was not complete.
    go_on_at: u16,
}

impl<W: Write> ScreenBackend<W> {
    /// Makes a backend that assumes nothing about the content of the terminal.
    pub fn new(writer: W, size: Size, capabilities: Capabilities) -> Self {
        Self {
            writer,
            capabilities,
            size,
            shown: Grid::new(size),
            wanted: Grid::new(size),
            rendered: None,
            spare: Buffer::default(),
            is_rendering: false,
            repaint: true,
            cursor: Position::ORIGIN,
            cursor_wanted: false,
            frame_writer: FrameWriter::default(),
            controls: Vec::new(),
            links: None,
            inline: None,
            bounds: FrameBounds::default(),
            drawn: Drawn::NOTHING,
            go_on_at: 0,
        }
    }

    /// The size of the terminal.
    pub fn area(&self) -> Size {
        self.inline.as_ref().map_or(self.size, |inline| inline.terminal)
    }

    /// The terminal has a new size. The next frame draws everything.
    pub fn resize(&mut self, size: Size) {
        let size = match &mut self.inline {
            Some(inline) => inline.resized(size, self.size.height),
            None => size,
        };
        self.resize_grid(size);
    }

    fn resize_grid(&mut self, size: Size) {
        if size != self.size {
            self.size = size;
            self.shown = Grid::new(size);
            self.wanted = Grid::new(size);
            self.rendered = None;
            self.invalidate();
        }
    }

    /// The content of the terminal is unknown (after a stall, a suspension, another program's output):
    /// the next flush erases it and draws everything, even without a change.
    pub fn invalidate(&mut self) {
        self.repaint = true;
        // Characters may have another width now.
        self.rendered = None;
        self.frame_writer = self.frame_writer.restarted();
    }

    /// Links are written from the next frame on; this has their addresses.
    pub fn show_links(&mut self, links: Links) {
        self.links = Some(links);
        self.rendered = None;
    }

    /// Sends a title, a bell or a notification with the next flush.
    pub fn control(&mut self, control: &Control) {
        self.controls.extend_from_slice(control.bytes());
    }

    pub fn writer(&self) -> &W {
        &self.writer
    }

    pub fn writer_mut(&mut self) -> &mut W {
        &mut self.writer
    }

    /// Takes the frame the library has rendered: rows that differ from the frame before become wanted.
    fn take_rendered(&mut self, frame: Buffer) {
        let width = usize::from(frame.area.width).max(1);
        let before = self.rendered.take().filter(|before| before.area == frame.area);
        let with_links = self.links.is_some();
        for (y, cells) in (0_u16..).zip(frame.content().chunks(width)) {
            let start = usize::from(y) * width;
            let former = before.as_ref().and_then(|old| old.content().get(start..start + width));
            if former != Some(cells) {
                self.wanted.set_row(y, Row::of(cells, self.capabilities, with_links));
            }
        }
        self.spare = before.unwrap_or_default();
        self.rendered = Some(frame);
    }

    /// Writes the difference into the frame.
    fn compose(&mut self) {
        if self.inline.is_some() {
            self.begin_live_rows();
        } else if std::mem::take(&mut self.repaint) {
            self.frame_writer.erase_all();
            self.shown.clear();
        }
        let mut changed = movement::changed_rows(&self.shown, &self.wanted);
        // The terminal moves rows by their number, which is not known of live rows.
        let moves_rows = self.inline.is_none();
        let moved =
            moves_rows.then(|| movement::find(&self.shown, &self.wanted, &changed)).flatten();
        if let Some(moved) = moved {
            self.move_rows(moved);
            changed = movement::changed_rows(&self.shown, &self.wanted);
        }
        if let Some(cleared) =
            moves_rows.then(|| movement::cleared(&self.shown, &self.wanted)).flatten()
        {
            self.move_rows(cleared);
            changed = movement::changed_rows(&self.shown, &self.wanted);
        }
        self.order(&mut changed);
        let limit = self.limit().unwrap_or(usize::MAX);
        let mut rows = changed.into_iter().peekable();
        let mut has_row = false;
        while let Some(y) = rows.peek().copied() {
            let (shown, wanted) = (self.shown.cells(y), self.wanted.cells(y));
            let before = self.frame_writer.checkpoint();
            self.frame_writer.row(y, shown, wanted, self.links.as_ref());
            if has_row && self.frame_writer.len() > limit {
                self.frame_writer.restore(before);
                break;
            }
            self.shown.copy_row(y, &self.wanted);
            has_row = true;
            rows.next();
        }
        let left = rows.next();
        self.drawn.complete = left.is_none();
        self.go_on_at = left.unwrap_or(0);
        let row = self.wanted.cells(self.cursor.y);
        self.frame_writer.cursor(self.cursor_wanted, self.cursor, row);
    }

    /// The bytes of a frame. Live rows are short, and always drawn together.
    fn limit(&self) -> Option<usize> {
        self.bounds.bytes.filter(|_| self.inline.is_none())
    }

    /// Orders the rows: that of the cursor first, where the person types, then those that have waited longest.
    fn order(&self, rows: &mut [u16]) {
        let cursor = Some(self.cursor.y).filter(|_| self.cursor_wanted);
        rows.sort_by_key(|y| (Some(*y) != cursor, *y < self.go_on_at, *y));
    }

    fn move_rows(&mut self, Movement { rows, lines, shift }: Movement) {
        self.frame_writer.scroll(&rows, lines, shift);
        self.shown.scroll(rows, lines, shift);
    }

    fn write_out(&mut self) -> io::Result<()> {
        let mut bytes = std::mem::take(&mut self.controls);
        let marks = self.limit().map_or(FrameMarks::Synchronized, |_| FrameMarks::None);
        self.frame_writer.take_frame(&mut bytes, marks);
        if bytes.is_empty() {
            return Ok(());
        }
        // On an inline screen the terminal is not queried.
        let question =
            if self.inline.is_some() { StatusQuestion::None } else { self.bounds.question };
        let (before, after) = match question {
            StatusQuestion::None => (0, 0),
            StatusQuestion::After => (0, 1),
            StatusQuestion::BeforeAndAfter => (1, 1),
        };
        let ask = Control::ask_status();
        let bytes = [ask.bytes().repeat(before), bytes, ask.bytes().repeat(after)].concat();
        self.writer.write_all(&bytes)?;
        self.writer.flush()?;
        (self.drawn.bytes, self.drawn.asked) = (bytes.len(), question);
        Ok(())
    }
}

impl<W: Write> Backend for ScreenBackend<W> {
    type Error = io::Error;

    fn draw<'a, I>(&mut self, content: I) -> io::Result<()>
    where
        I: Iterator<Item = (u16, u16, &'a Cell)>,
    {
        let mut covered = (0, 0..0);
        for (x, y, cell) in content {
            // The library also reports cells under the wide glyph it has just reported, for
            // terminals that draw it narrow. The frame writer handles those.
            if covered.0 == y && covered.1.contains(&x) {
                continue;
            }
            let mut cell = ScreenCell::of(cell, self.capabilities);
            cell.link = cell.link.filter(|_| self.links.is_some());
            covered = (y, x.saturating_add(1)..x.saturating_add(cell.width));
            self.wanted.put(x, y, cell);
            self.rendered = None;
        }
        Ok(())
    }

    fn hide_cursor(&mut self) -> io::Result<()> {
        self.cursor_wanted = false;
        Ok(())
    }

    fn show_cursor(&mut self) -> io::Result<()> {
        self.cursor_wanted = true;
        Ok(())
    }

    /// The position set last; the terminal is not queried.
    fn get_cursor_position(&mut self) -> io::Result<Position> {
        Ok(self.cursor)
    }

    fn set_cursor_position<P: Into<Position>>(&mut self, position: P) -> io::Result<()> {
        self.cursor = position.into();
        Ok(())
    }

    /// Blanks the wanted content; writes nothing, and the known content of the terminal stays.
    fn clear(&mut self) -> io::Result<()> {
        self.clear_region(ClearType::All)
    }

    fn clear_region(&mut self, clear_type: ClearType) -> io::Result<()> {
        let Position { x, y } = self.cursor;
        let Size { width, height } = self.size;
        self.rendered = None;
        match clear_type {
            ClearType::All => self.wanted.clear(),
            ClearType::AfterCursor => {
                self.wanted.erase(y, x..width);
                (y.saturating_add(1)..height).for_each(|row| self.wanted.erase(row, 0..width));
            }
            ClearType::BeforeCursor => {
                (0..y).for_each(|row| self.wanted.erase(row, 0..width));
                self.wanted.erase(y, 0..x.saturating_add(1));
            }
            ClearType::CurrentLine => self.wanted.erase(y, 0..width),
            ClearType::UntilNewLine => self.wanted.erase(y, x..width),
        }
        Ok(())
    }

    fn size(&self) -> io::Result<Size> {
        Ok(self.size)
    }

    fn window_size(&mut self) -> io::Result<WindowSize> {
        Ok(WindowSize { columns_rows: self.size, pixels: Size::default() })
    }

    /// Writes the frame. After an error the terminal's content counts as unknown.
    fn flush(&mut self) -> io::Result<()> {
        if self.is_rendering {
            return Ok(());
        }
        self.compose();
        self.write_out().inspect_err(|_| self.invalidate())?;
        self.live_rows_written();
        Ok(())
    }
}

#[cfg(test)]
mod tests;
