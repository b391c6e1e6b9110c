//! A text field: the state of an editor widget, drawn here with the terminal's cursor at the caret.

use std::collections::VecDeque;

use ratatui::Frame;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;
use tui_textarea::{CursorMove, TextArea};

use super::strip::Strip;
use crate::ui::text::width::{clusters, width};
use crate::ui::text::{SafeText, wrap_hard};

/// Characters that edit the field together with Ctrl or Alt.
const CTRL_KEYS: &str = "abcdefhjkmnpruvwxy";
const ALT_KEYS: &str = "bdfhnp<>";

/// The size limit of a field in bytes.
pub const MAX_BYTES: usize = 1024 * 1024;

#[derive(Debug, Default)]
pub struct Field {
    area: TextArea<'static>,
}

impl Field {
    pub fn new(text: &str) -> Self {
        let mut field = Self::default();
        field.set(text);
        field
    }

    /// Replaces the text; the caret moves to its end.
    pub fn set(&mut self, text: &str) {
        self.area = TextArea::new(text.split('\n').map(str::to_owned).collect());
        self.area.move_cursor(CursorMove::Bottom);
        self.area.move_cursor(CursorMove::End);
    }

    pub fn text(&self) -> String {
        self.area.lines().join("\n")
    }

    pub fn is_empty(&self) -> bool {
        self.area.is_empty()
    }

    /// True if the caret is on the first line, or with `down` on the last.
    pub fn at_edge(&self, down: bool) -> bool {
        let last = self.area.lines().len().saturating_sub(1);
        let row = self.area.cursor().0;
        if down { row == last } else { row == 0 }
    }

    /// Removes all text; [`Field::undo`] restores it.
    pub fn clear(&mut self) {
        self.area.clear();
    }

    /// Undoes the last change; false if there is none.
    pub fn undo(&mut self) -> bool {
        self.area.undo()
    }

    /// Handles a key; true if the text changed. The caret moves and deletes by grapheme clusters. There
    /// is no selection, since none is drawn.
    pub fn typed(&mut self, mut key: KeyEvent) -> bool {
        if !matches!(key.code, KeyCode::Char(_)) {
            key.modifiers -= KeyModifiers::SHIFT;
        }
        let is = |code, modifiers| key.code == code && key.modifiers == modifiers;
        let ctrl = |c| is(KeyCode::Char(c), KeyModifiers::CONTROL);
        let plain = |code| is(code, KeyModifiers::NONE);
        if plain(KeyCode::Backspace) || ctrl('h') {
            return self.delete_before();
        }
        if plain(KeyCode::Delete) || ctrl('d') {
            let after = self.cluster_after();
            return if after > 0 {
                self.area.delete_str(after)
            } else {
                self.area.delete_next_char()
            };
        }
        if plain(KeyCode::Left) || ctrl('b') {
            self.step(CursorMove::Back, self.cluster_before());
            return false;
        }
        if plain(KeyCode::Right) || ctrl('f') {
            self.step(CursorMove::Forward, self.cluster_after());
            return false;
        }
        if ctrl('u') {
            return self.area.delete_line_by_head();
        }
        self.area.input(key)
    }

    /// True for a key that a field handles, whether or not it changes something.
    pub fn takes(key: KeyEvent) -> bool {
        let held = key.modifiers & (KeyModifiers::CONTROL | KeyModifiers::ALT);
        if let KeyCode::Char(c) = key.code {
            return match held {
                KeyModifiers::CONTROL => CTRL_KEYS.contains(c),
                KeyModifiers::ALT => ALT_KEYS.contains(c),
                _ => true,
            };
        }
        matches!(
            key.code,
            KeyCode::Backspace
                | KeyCode::Delete
                | KeyCode::Left
                | KeyCode::Right
                | KeyCode::Up
                | KeyCode::Down
                | KeyCode::Home
                | KeyCode::End
                | KeyCode::PageUp
                | KeyCode::PageDown
        )
    }

    fn delete_before(&mut self) -> bool {
        let before = self.cluster_before();
        if before == 0 {
            return self.area.delete_char();
        }
        self.step(CursorMove::Back, before);
        self.area.delete_str(before)
    }

    /// Moves by `characters`, or over the end of the line.
    fn step(&mut self, to: CursorMove, characters: usize) {
        for _ in 0..characters.max(1) {
            self.area.move_cursor(to);
        }
    }

    /// Characters of the cluster before the caret.
    fn cluster_before(&self) -> usize {
        self.at_caret(|line, at| {
            let start = clusters(line).take_while(|cluster| cluster.start < at).last()?.start;
            line.get(start..at)
        })
    }

    /// Characters of the cluster after the caret.
    fn cluster_after(&self) -> usize {
        self.at_caret(|line, at| {
            let end = clusters(line).find(|cluster| cluster.end() > at)?.end();
            line.get(at..end)
        })
    }

    /// The characters in a part of the caret's line; the caret is given in bytes.
    fn at_caret(&self, part: impl Fn(&str, usize) -> Option<&str>) -> usize {
        let cursor = self.area.cursor();
        let line = self.area.lines().get(cursor.0).map_or("", String::as_str);
        let at = line.char_indices().nth(cursor.1).map_or(line.len(), |(at, _)| at);
        part(line, at).map_or(0, |part| part.chars().count())
    }

    pub fn new_line(&mut self) {
        self.area.insert_newline();
    }

    /// Inserts pasted text without its control characters; false if it is too long.
    pub fn paste(&mut self, text: &str) -> bool {
        let size: usize = self.area.lines().iter().map(String::len).sum();
        if size + text.len() > MAX_BYTES {
            return false;
        }
        let text = text.replace("\r\n", "\n").replace('\r', "\n");
        let kept: String =
            text.chars().filter(|c| !c.is_control() || matches!(c, '\n' | '\t')).collect();
        self.area.insert_str(kept);
        true
    }

    /// Rows the text takes at a width, counted up to `most`.
    pub fn height(&self, cells: usize, limit: usize) -> usize {
        let mut rows = 0;
        for line in self.area.lines() {
            rows += rows_of(line, cells).len();
            if rows >= limit {
                return limit;
            }
        }
        let (x, _) = self.caret(cells);
        rows + usize::from(x >= cells)
    }

    /// Draws the rows around the caret, and the caret if `caret` is true.
    pub fn draw(&self, frame: &mut Frame<'_>, area: Rect, style: Style, caret: bool) {
        let (rows, cursor) = self.window(usize::from(area.width), usize::from(area.height));
        for (y, row) in (area.y..area.bottom()).zip(&rows) {
            Strip::new().put(row, style).draw(frame.buffer_mut(), area, y);
        }
        if caret && area.height > 0 && area.width > 0 {
            let x = area.x + cells(cursor.0).min(area.width - 1);
            let y = area.y + cells(cursor.1).min(area.height - 1);
            frame.set_cursor_position(Position { x, y });
        }
    }

    /// The rows in view and the caret among them.
    fn window(&self, cells: usize, height: usize) -> (Vec<String>, (usize, usize)) {
        let lines = self.area.lines();
        let at = self.area.cursor().0;
        let (x, mut row) = self.caret(cells);
        let line = lines.get(at).map_or("", String::as_str);
        let mut rows: VecDeque<String> = rows_of(line, cells).into();
        let mut x = x;
        if x >= cells {
            x = 0;
            row += 1;
            rows.insert(row.min(rows.len()), String::new());
        }
        for line in lines.get(..at).unwrap_or_default().iter().rev() {
            if row + 1 >= height {
                break;
            }
            for text in rows_of(line, cells).into_iter().rev() {
                rows.push_front(text);
                row += 1;
            }
        }
        for line in lines.get(at + 1..).unwrap_or_default() {
            if rows.len() >= row + height {
                break;
            }
            rows.extend(rows_of(line, cells));
        }
        let top = (row + 1).saturating_sub(height);
        (rows.into_iter().skip(top).take(height).collect(), (x, row.saturating_sub(top)))
    }

    /// Column and row of the caret within its own line.
    fn caret(&self, cells: usize) -> (usize, usize) {
        let cursor = self.area.cursor();
        let line = self.area.lines().get(cursor.0).map_or("", String::as_str);
        let before: String = line.chars().take(cursor.1).collect();
        let clean = SafeText::clean(line);
        let offset = SafeText::clean(&before).as_str().len().min(clean.as_str().len());
        let rows = wrap_hard(clean.as_str(), cells);
        let row = rows.iter().rposition(|row| row.start <= offset).unwrap_or(0);
        let start = rows.get(row).map_or(0, |row| row.start);
        let left = clean.as_str().get(start..offset).unwrap_or_default();
        (width(left), row)
    }
}

fn rows_of(line: &str, cells: usize) -> Vec<String> {
    let clean = SafeText::clean(line);
    wrap_hard(clean.as_str(), cells)
        .into_iter()
        .map(|row| clean.as_str().get(row).unwrap_or_default().to_owned())
        .collect()
}

fn cells(count: usize) -> u16 {
    u16::try_from(count).unwrap_or(u16::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_caret_is_where_the_next_character_goes() {
        for (text, cells, expected) in [
            ("", 10, (vec![""], (0, 0))),
            ("abc", 10, (vec!["abc"], (3, 0))),
            ("abc", 3, (vec!["abc", ""], (0, 1))),
            ("abcd", 3, (vec!["abc", "d"], (1, 1))),
            ("你好", 10, (vec!["你好"], (4, 0))),
            ("a\nb", 10, (vec!["a", "b"], (1, 1))),
            ("a\tb", 10, (vec!["a   b"], (5, 0))),
        ] {
            let (rows, caret) = Field::new(text).window(cells, 5);
            assert_eq!((rows.iter().map(String::as_str).collect(), caret), expected, "{text:?}");
        }
    }

    #[test]
    fn the_caret_stays_in_view() {
        let field = Field::new("1\n2\n3\n4");
        assert_eq!(field.window(9, 2), (vec!["3".to_owned(), "4".to_owned()], (1, 1)));
    }

    fn press(field: &mut Field, code: KeyCode, modifiers: KeyModifiers) {
        field.typed(KeyEvent::new(code, modifiers));
    }

    #[test]
    fn backspace_and_delete_remove_one_grapheme_cluster() {
        for one in [
            "x",
            "你",
            "e\u{301}",
            "👩\u{200d}👩\u{200d}👧",
            "👍🏽",
            "🇩🇪",
            "⚠\u{fe0f}",
            "한",
            "\u{1112}\u{1161}\u{11ab}",
            "1\u{fe0f}\u{20e3}",
            "नि",
        ] {
            let mut field = Field::new(&format!("a{one}"));
            press(&mut field, KeyCode::Backspace, KeyModifiers::NONE);
            assert_eq!(field.text(), "a", "{one:?}");
            assert!(field.undo());
            assert_eq!(field.text(), format!("a{one}"), "{one:?}");

            let mut field = Field::new(&format!("{one}b"));
            for code in [KeyCode::Left, KeyCode::Left, KeyCode::Delete] {
                press(&mut field, code, KeyModifiers::NONE);
            }
            assert_eq!(field.text(), "b", "{one:?}");
        }
        let mut field = Field::new("🇩🇪🇫🇷");
        press(&mut field, KeyCode::Char('h'), KeyModifiers::CONTROL);
        assert_eq!(field.text(), "🇩🇪");
        let mut field = Field::new("a\n");
        press(&mut field, KeyCode::Backspace, KeyModifiers::NONE);
        assert_eq!(field.text(), "a");
    }

    #[test]
    fn ctrl_u_deletes_to_the_start_of_the_line_and_undo_is_another_key() {
        let mut field = Field::new("one\ntwo three");
        press(&mut field, KeyCode::Char('u'), KeyModifiers::CONTROL);
        assert_eq!(field.text(), "one\n");
        assert!(field.undo());
        assert_eq!(field.text(), "one\ntwo three");
        assert!(!field.undo());
    }

    #[test]
    fn one_undo_restores_cleared_text() {
        let long = "one\ntwo 你好\n".repeat(200);
        let mut field = Field::new(&long);
        field.clear();
        assert!(field.is_empty());
        assert!(field.undo());
        assert_eq!(field.text(), long);
    }

    #[test]
    fn shift_does_not_select() {
        let mut field = Field::new("abc");
        press(&mut field, KeyCode::Left, KeyModifiers::SHIFT);
        press(&mut field, KeyCode::Home, KeyModifiers::SHIFT);
        press(&mut field, KeyCode::Char('x'), KeyModifiers::NONE);
        assert_eq!(field.text(), "xabc");
    }

    #[test]
    fn control_characters_are_removed_from_pasted_text() {
        let mut field = Field::default();
        assert!(field.paste("a\u{1b}[2Jb\r\nc\u{7}"));
        assert_eq!(field.text(), "a[2Jb\nc");
        assert!(!field.paste(&"x".repeat(MAX_BYTES)));
    }
}
