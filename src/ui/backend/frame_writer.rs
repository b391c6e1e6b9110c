//! Writes the differences of rows as terminal sequences and tracks the terminal's cursor.

use std::ops::Range;

use ratatui::layout::Position;

use super::cell::{Glyph, ScreenCell};
use super::cell_style::CellStyle;
use super::grid::{Row, Shift};
use crate::links::{LinkId, Links};

const BEGIN_FRAME: &[u8] = b"\x1b[?2026h";
const END_FRAME: &[u8] = b"\x1b[?2026l";
/// Rows that are too wide wrap, or are cut.
const WRAP: &[u8] = b"\x1b[?7h";
const CUT: &[u8] = b"\x1b[?7l";
/// Rows that are gone down by line feeds; for more, a position is as short.
const MAX_LINE_FEEDS: u16 = 4;

/// Where the terminal's cursor is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum CursorAt {
    #[default]
    Unknown,
    /// In this row; the column is not certain.
    Row(u16),
    Cell(u16, u16),
}

/// How the cursor is moved.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Addressing {
    /// By row numbers of the terminal.
    #[default]
    Absolute,
    /// Relative to the cursor: the rows may be anywhere on the terminal.
    Relative,
}

/// The marks around a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FrameMarks {
    /// The terminal shows a small part of a frame as it arrives.
    None,
    /// The terminal shows all of it at once.
    Synchronized,
}

/// The terminal state that sequences depend on, and the frame being written.
#[derive(Debug, Default)]
pub(super) struct FrameWriter {
    addressing: Addressing,
    body: Vec<u8>,
    at: CursorAt,
    style: Option<CellStyle>,
    visible: Option<bool>,
    /// The position of the cursor after the last frame.
    left_at: Option<Position>,
    /// The cursor that the terminal has saved.
    saved: Option<(Position, CellStyle)>,
    /// The link of the text being written; none between two frames.
    link: Option<LinkId>,
}

/// A frame so far, to go back to.
#[derive(Debug, Clone, Copy)]
pub(super) struct Checkpoint {
    len: usize,
    at: CursorAt,
    style: Option<CellStyle>,
    link: Option<LinkId>,
}

/// Returns the end of a run of a glyph on a terminal that draws the glyph two cells wide.
fn widest_end(run: &Range<usize>) -> usize {
    run.end + run.len()
}

/// Returns the run extended by the cell at `at`, if no new position is needed between them: the glyph is the
/// same, and the run stays within the row however wide the terminal draws it.
fn goes_on(run: &Range<usize>, at: usize, row: &[ScreenCell]) -> Option<Range<usize>> {
    let (first, longer) = (row.get(run.start)?, run.start..at + 1);
    let goes_on = run.end == at && row.get(at) == Some(first) && first.may_be_wide();
    Some(longer).filter(|longer| goes_on && widest_end(longer) <= row.len())
}

impl FrameWriter {
    pub fn new(addressing: Addressing) -> Self {
        Self { addressing, ..Self::default() }
    }

    /// Returns a writer that knows nothing of the terminal's state.
    pub fn restarted(&self) -> Self {
        Self::new(self.addressing)
    }

    /// Appends the finished frame to `out`, nothing if it is empty.
    pub fn take_frame(&mut self, out: &mut Vec<u8>, marks: FrameMarks) {
        self.set_link(None, None);
        if self.body.is_empty() {
            return;
        }
        match marks {
            FrameMarks::None => out.append(&mut self.body),
            FrameMarks::Synchronized => {
                out.extend_from_slice(BEGIN_FRAME);
                out.append(&mut self.body);
                out.extend_from_slice(END_FRAME);
            }
        }
    }

    /// Returns the state that a row may change.
    pub fn checkpoint(&self) -> Checkpoint {
        Checkpoint { len: self.body.len(), at: self.at, style: self.style, link: self.link }
    }

    /// Removes the rows written since the checkpoint.
    pub fn restore(&mut self, Checkpoint { len, at, style, link }: Checkpoint) {
        self.body.truncate(len);
        (self.at, self.style, self.link) = (at, style, link);
    }

    /// Bytes of the frame so far.
    pub fn len(&self) -> usize {
        self.body.len()
    }

    /// Erases the screen; afterwards the cursor is at the top left.
    pub fn erase_all(&mut self) {
        self.set_style(CellStyle::DEFAULT);
        self.body.extend_from_slice(b"\x1b[H\x1b[0J");
        self.at = CursorAt::Cell(0, 0);
    }

    /// Scrolls a band of full rows by deleting or inserting lines, which every terminal with a scroll region
    /// knows and which never go into its scrollback. Not every emulator moves the cursor when the region ends:
    /// afterwards it is anywhere.
    pub fn scroll(&mut self, rows: &Range<u16>, lines: u16, shift: Shift) {
        if self.style.is_none_or(|style| style.bg != CellStyle::DEFAULT.bg) {
            self.set_style(CellStyle::DEFAULT);
        }
        let direction = match shift {
            Shift::Up => 'M',
            Shift::Down => 'L',
        };
        let (top, bottom) = (rows.start + 1, rows.end);
        let sequence = format!("\x1b[{top};{bottom}r\x1b[{top}H\x1b[{lines}{direction}\x1b[r");
        self.body.extend_from_slice(sequence.as_bytes());
        self.at = CursorAt::Unknown;
    }

    /// Erases the live rows of an inline screen, which begin `above` rows above the cursor, and everything below
    /// them; afterwards the cursor is where they began.
    pub fn erase_live_rows(&mut self, above: u16) {
        self.set_style(CellStyle::DEFAULT);
        self.body.push(b'\r');
        if above > 0 {
            self.body.extend_from_slice(format!("\x1b[{above}A").as_bytes());
        }
        self.body.extend_from_slice(b"\x1b[J");
        self.at = CursorAt::Cell(0, 0);
    }

    /// Begins an empty row: the current one, or the next one if the cursor is not at its start, which is
    /// unknown. As many blanks as a row has cells wrap in the second case only.
    pub fn begin_empty_row(&mut self, cells: u16) {
        self.set_style(CellStyle::DEFAULT);
        self.body.extend_from_slice(WRAP);
        self.body.extend(std::iter::repeat_n(b' ', usize::from(cells)));
        self.body.extend_from_slice(CUT);
        self.erase_live_rows(0);
    }

    /// Writes rows that go into the scrollback. Nothing of them is lost on a terminal that has just become
    /// narrower: they wrap.
    pub fn print(&mut self, rows: &[Row], links: Option<&Links>) {
        self.body.extend_from_slice(WRAP);
        for row in rows {
            let blank = vec![ScreenCell::BLANK; row.cells().len()];
            self.row(0, &blank, row.cells(), links);
            self.set_link(None, None);
            self.set_style(CellStyle::DEFAULT);
            self.body.extend_from_slice(b"\r\n");
            self.at = CursorAt::Cell(0, 0);
        }
        self.body.extend_from_slice(CUT);
    }

    /// Makes room for this many rows from the cursor on; the terminal scrolls if it has to.
    pub fn reserve_rows(&mut self, rows: u16) {
        let below = rows.saturating_sub(1);
        (0..below).for_each(|_| self.body.extend_from_slice(b"\r\n"));
        if below > 0 {
            self.body.extend_from_slice(format!("\x1b[{below}A").as_bytes());
        }
        self.at = CursorAt::Cell(0, 0);
    }

    /// The row of the cursor.
    pub fn cursor_row(&self) -> u16 {
        match self.at {
            CursorAt::Unknown => 0,
            CursorAt::Row(row) | CursorAt::Cell(_, row) => row,
        }
    }

    /// Shows or hides the cursor and moves it to its position, if that changes anything. A hidden cursor of
    /// an inline screen is at the start of the live rows: it stays there even if a new width moves them.
    pub fn cursor(&mut self, wanted: bool, position: Position, row: &[ScreenCell]) {
        match self.addressing {
            Addressing::Absolute => self.place_cursor(wanted, position, row),
            // A saved position would be a row of the terminal, and rows are printed meanwhile.
            Addressing::Relative if wanted => self.move_to(position.x, position.y, row),
            Addressing::Relative => self.move_to(0, 0, &[]),
        }
        if self.visible != Some(wanted) {
            self.visible = Some(wanted);
            self.body.extend_from_slice(if wanted { b"\x1b[?25h" } else { b"\x1b[?25l" });
        }
    }

    /// A cursor that stays where it is while other rows change is saved by the terminal: going back to it is
    /// shortest then.
    fn place_cursor(&mut self, wanted: bool, position: Position, row: &[ScreenCell]) {
        let away = self.at != CursorAt::Cell(position.x, position.y);
        match self.saved {
            Some((saved, style)) if wanted && away && saved == position => {
                self.body.extend_from_slice(b"\x1b8");
                self.at = CursorAt::Cell(position.x, position.y);
                self.style = Some(style);
            }
            Some(_) | None if wanted => {
                self.move_to(position.x, position.y, row);
                if away && self.left_at == Some(position) {
                    self.set_style(CellStyle::DEFAULT);
                    self.body.extend_from_slice(b"\x1b7");
                    self.saved = Some((position, CellStyle::DEFAULT));
                }
            }
            Some(_) | None => {}
        }
        self.left_at = Some(position).filter(|_| wanted);
    }

    /// Changes the shown row to the wanted one. `links` has the addresses, if the terminal knows links.
    pub fn row(
        &mut self,
        y: u16,
        shown: &[ScreenCell],
        wanted: &[ScreenCell],
        links: Option<&Links>,
    ) {
        let plain = |cell: &ScreenCell| *cell == ScreenCell::BLANK;
        let content_end = wanted.iter().rposition(|cell| !plain(cell)).map_or(0, |at| at + 1);
        let pairs = || shown.iter().zip(wanted);
        let change_end = pairs().rposition(|(old, new)| old != new).map_or(0, |at| at + 1);
        // Cells that a glyph before them may have painted over.
        let mut spilled = 0;
        // A run: the same glyph several times in one row.
        let mut run: Option<Range<usize>> = None;
        for (x, (old, new)) in (0_u16..).zip(pairs()) {
            let at = usize::from(x);
            if at >= content_end && self.erase_rest(x, y, wanted, change_end.max(spilled)) {
                return;
            }
            let covered = at < spilled;
            if (old == new && !covered) || new.glyph == Glyph::Tail {
                continue;
            }
            let end = if let Some(longer) = run.as_ref().and_then(|run| goes_on(run, at, wanted)) {
                new.write(&mut self.body);
                widest_end(run.insert(longer))
            } else {
                self.glyph((x, y), new, wanted, links);
                run = Some(at..at + 1);
                // A letter beside it is written again where the terminal paints over it.
                let beside = wanted.get(at + 1).is_some_and(|next| !next.is_blank());
                at + usize::from(new.width + new.spill()) + usize::from(new.may_be_wide() && beside)
            };
            spilled = spilled.max(end);
        }
    }

    /// Erases from `x` to the end of the row if that is shorter than writing blanks.
    fn erase_rest(&mut self, x: u16, y: u16, row: &[ScreenCell], change_end: usize) -> bool {
        const ERASE: &[u8] = b"\x1b[K";
        if change_end.saturating_sub(usize::from(x)) <= ERASE.len() {
            return false;
        }
        self.move_to(x, y, row);
        self.set_link(None, None);
        self.set_style(self.style_for(&ScreenCell::BLANK));
        self.body.extend_from_slice(ERASE);
        true
    }

    fn glyph(
        &mut self,
        (x, y): (u16, u16),
        cell: &ScreenCell,
        row: &[ScreenCell],
        links: Option<&Links>,
    ) {
        self.move_to(x, y, row);
        self.set_link(cell.link, links);
        self.set_style(self.style_for(cell));
        let fixed_width = cell.has_fixed_width();
        if !fixed_width && cell.width > 1 {
            // A terminal that draws it narrower must not leave old text beside it.
            self.body.extend(std::iter::repeat_n(b' ', usize::from(cell.width)));
            self.at = CursorAt::Row(y);
            self.move_to(x, y, row);
        }
        let end = x + cell.width;
        let available = row.len().saturating_sub(usize::from(end));
        if usize::from(cell.spill()) <= available {
            cell.write(&mut self.body);
        } else {
            cell.write_first(&mut self.body);
        }
        let at_edge = available == 0;
        self.at = match (fixed_width, at_edge) {
            (true, false) => CursorAt::Cell(end, y),
            (true, true) | (false, false) => CursorAt::Row(y),
            // If the terminal draws it wider, the cursor may have wrapped; rows of an inline screen do not wrap.
            (false, true) => match self.addressing {
                Addressing::Absolute => CursorAt::Unknown,
                Addressing::Relative => CursorAt::Row(y),
            },
        };
    }

    /// The style a cell is written with.
    fn style_for(&self, cell: &ScreenCell) -> CellStyle {
        match self.style {
            Some(current) if cell.is_blank() => cell.style.for_blank(current),
            Some(_) | None => cell.style,
        }
    }

    /// Begins or ends a link (OSC 8). The same id makes its parts one link, wherever the text is broken.
    fn set_link(&mut self, wanted: Option<LinkId>, links: Option<&Links>) {
        if self.link == wanted {
            return;
        }
        let address = wanted.and_then(|id| Some((id, links?.address(id)?)));
        // Another link ends the one before.
        match &address {
            Some((id, address)) => {
                let begins = format!("\x1b]8;id={};{address}\x1b\\", id.number());
                self.body.extend_from_slice(begins.as_bytes());
            }
            None if self.link.is_some() => self.body.extend_from_slice(b"\x1b]8;;\x1b\\"),
            None => {}
        }
        self.link = address.map(|(id, _)| id);
    }

    fn set_style(&mut self, style: CellStyle) {
        style.change(self.style, &mut self.body);
        self.style = Some(style);
    }

    /// Moves to a cell with the fewest bytes; `row` is what row `y` shows.
    fn move_to(&mut self, x: u16, y: u16, row: &[ScreenCell]) {
        if self.at == CursorAt::Cell(x, y) {
            return;
        }
        let jump = match self.addressing {
            Addressing::Absolute => self.shortest_jump(x, y),
            Addressing::Relative => self.relative_jump(x, y),
        };
        if !self.write_gap(x, y, row, jump.len()) {
            self.body.extend_from_slice(jump.as_bytes());
        }
        self.at = CursorAt::Cell(x, y);
    }

    /// Rewrites the unchanged cells up to `x` if that takes no more bytes than a cursor movement.
    fn write_gap(&mut self, x: u16, y: u16, row: &[ScreenCell], jump: usize) -> bool {
        let CursorAt::Cell(from, in_row) = self.at else { return false };
        let gap = row.get(usize::from(from)..usize::from(x)).unwrap_or_default();
        if in_row != y || from >= x || gap.len() > jump {
            return false;
        }
        let covers = gap.iter().map(|cell| cell.width).sum::<u16>() == x - from;
        let same = |cell: &ScreenCell| {
            cell.glyph == Glyph::Tail
                || (cell.has_fixed_width()
                    && cell.link == self.link
                    && Some(self.style_for(cell)) == self.style)
        };
        let bytes: usize = gap.iter().map(ScreenCell::len).sum();
        let write = covers && bytes <= jump && gap.iter().all(same);
        if write {
            for cell in gap {
                cell.write(&mut self.body);
            }
        }
        write
    }

    /// Returns a move of the cursor by relative sequences only.
    fn relative_jump(&self, x: u16, y: u16) -> String {
        let (from, row) = match self.at {
            CursorAt::Unknown => (None, 0),
            CursorAt::Row(row) => (None, row),
            CursorAt::Cell(from, row) => (Some(from), row),
        };
        if x == 0 && y == row + 1 {
            return "\r\n".to_owned();
        }
        // Line feeds go down: if the terminal has just become shorter, it scrolls, and the way back up is as long.
        let vertical = match row.checked_sub(y) {
            Some(0) => String::new(),
            Some(1) => "\x1b[A".to_owned(),
            Some(up) => format!("\x1b[{up}A"),
            None => "\n".repeat(usize::from(y - row)),
        };
        let horizontal = match from {
            Some(from) if from == x => String::new(),
            _ if x == 0 => "\r".to_owned(),
            Some(from) if from < x && x - from == 1 => "\x1b[C".to_owned(),
            Some(from) if from < x => format!("\x1b[{}C", x - from),
            Some(_) | None => format!("\x1b[{}G", x + 1),
        };
        vertical + &horizontal
    }

    fn shortest_jump(&self, x: u16, y: u16) -> String {
        let absolute = if x == 0 && y == 0 {
            "\x1b[H".to_owned()
        } else if x == 0 {
            format!("\x1b[{}H", y + 1)
        } else {
            format!("\x1b[{};{}H", y + 1, x + 1)
        };
        let (from, row) = match self.at {
            CursorAt::Unknown => return absolute,
            CursorAt::Row(row) => (None, row),
            CursorAt::Cell(from, row) => (Some(from), row),
        };
        // Only downwards, and only to existing rows: a line feed in the last row would scroll.
        let Some(down) = y.checked_sub(row).filter(|down| *down <= MAX_LINE_FEEDS) else {
            return absolute;
        };
        let across = match from {
            Some(from) if from == x => String::new(),
            Some(_) | None if x == 0 => "\r".to_owned(),
            Some(from) if from < x && x - from == 1 => "\x1b[C".to_owned(),
            Some(from) if from < x => format!("\x1b[{}C", x - from),
            Some(_) | None => format!("\x1b[{}G", x + 1),
        };
        let relative = across + &"\n".repeat(usize::from(down));
        if relative.len() <= absolute.len() { relative } else { absolute }
    }
}
