//! Text in the cells of the drawing library.

use ratatui::buffer::Buffer;
use ratatui::style::Style;
use ratatui::text::Line;

use super::width::{clusters, is_plain};

/// As [`Buffer::set_line`], but with the widths of [`super::width`], and without searching for clusters in text of
/// single bytes: most drawn text is such, and all of it is drawn for each key.
pub fn set_line(buffer: &mut Buffer, (mut x, y): (u16, u16), line: &Line<'_>, cells: u16) {
    let right = x.saturating_add(cells).min(buffer.area.right());
    for span in line {
        let text = span.content.as_ref();
        let style = line.style.patch(span.style);
        if !is_plain(text.as_bytes()) {
            x = set_clusters(buffer, (x, y), right, (text, style));
            continue;
        }
        for (column, at) in (x..right).zip(0..text.len()) {
            let (Some(cell), Some(symbol)) = (buffer.cell_mut((column, y)), text.get(at..=at))
            else {
                return;
            };
            cell.set_symbol(symbol).set_style(style);
            x = column + 1;
        }
    }
}

/// Draws the clusters that end before `right`; returns the column after the last one.
fn set_clusters(
    buffer: &mut Buffer,
    (mut x, y): (u16, u16),
    right: u16,
    (text, style): (&str, Style),
) -> u16 {
    for cluster in clusters(text).filter(|cluster| cluster.width > 0) {
        let end = x.saturating_add(u16::try_from(cluster.width).unwrap_or(u16::MAX));
        if end > right {
            break;
        }
        for column in x..end {
            let Some(cell) = buffer.cell_mut((column, y)) else { return x };
            if column == x {
                cell.set_symbol(cluster.text).set_style(style);
            } else {
                // Hidden by the one before it.
                cell.reset();
            }
        }
        x = end;
    }
    x
}

#[cfg(test)]
mod tests {
    use ratatui::buffer::Cell;
    use ratatui::layout::Rect;

    use super::super::wide_chars::WideChars;
    use super::super::wide_chars::testing::Measured;
    use super::*;

    fn drawn(text: &str) -> Vec<String> {
        let mut buffer = Buffer::filled(Rect::new(0, 0, 6, 1), Cell::new("x"));
        set_line(&mut buffer, (0, 0), &Line::raw(text), 5);
        buffer.content().iter().map(|cell| cell.symbol().to_owned()).collect()
    }

    #[test]
    fn a_character_hides_the_cell_beside_it_where_it_has_two() {
        assert_eq!(drawn("яé…!"), ["я", "é", "…", "!", "x", "x"]);
        let _wide = Measured::begin(WideChars::SignsAndLetters);
        assert_eq!(drawn("яé…!"), ["я", " ", "é", " ", "x", "x"], "no half of one");
        assert_eq!(drawn("a你…"), ["a", "你", " ", "…", " ", "x"]);
    }
}
