//! A screen as a picture: an SVG made from its cells.

use std::fmt::Write as _;

use vt100::{Cell, Color, Screen};

const CELL_WIDTH: f32 = 8.4;
const CELL_HEIGHT: u16 = 18;
const FONT_SIZE: u16 = 14;
/// The distance from the top of a row to the baseline of its letters.
const BASELINE: u16 = 13;
const MARGIN: u16 = 10;
const BACKGROUND: &str = "#15181d";
const TEXT: &str = "#d0d5dd";

/// The sixteen colours that a terminal chooses itself.
const NAMED: [&str; 16] = [
    "#15181d", "#e06c75", "#8cc570", "#d7ba7d", "#6fb3e0", "#c586c0", "#56b6c2", "#d0d5dd",
    "#7f8896", "#ff7b86", "#a5d68a", "#f0d08a", "#8ac6f0", "#dba0d8", "#7fd0da", "#ffffff",
];

/// Cells that follow each other and look the same.
#[derive(PartialEq)]
struct Look {
    text: String,
    back: Option<String>,
    is_bold: bool,
    is_italic: bool,
    is_underlined: bool,
}

/// The picture of a screen.
pub fn svg(screen: &Screen) -> String {
    let (rows, columns) = screen.size();
    let width = f32::from(columns) * CELL_WIDTH + f32::from(2 * MARGIN);
    let height = rows * CELL_HEIGHT + 2 * MARGIN;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height}\" width=\"{width:.0}\" \
         height=\"{height}\">\n<rect width=\"100%\" height=\"100%\" rx=\"6\" fill=\"{BACKGROUND}\"/>\n\
         <g font-family=\"ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace\" \
         font-size=\"{FONT_SIZE}\" xml:space=\"preserve\">\n"
    );
    for row in 0..rows {
        draw_row(&mut svg, screen, row, columns);
    }
    let (row, column) = screen.cursor_position();
    if !screen.hide_cursor() {
        let (x, y) = place(column, row);
        let _ = writeln!(
            svg,
            "<rect x=\"{x:.1}\" y=\"{y}\" width=\"{CELL_WIDTH}\" height=\"{CELL_HEIGHT}\" fill=\"{TEXT}\" opacity=\"0.5\"/>"
        );
    }
    svg.push_str("</g>\n</svg>\n");
    svg
}

fn draw_row(svg: &mut String, screen: &Screen, row: u16, columns: u16) {
    let mut column = 0;
    while column < columns {
        let start = column;
        let Some(first) = screen.cell(row, column) else { return };
        let look = look(first);
        let mut text = String::new();
        while let Some(cell) = screen.cell(row, column).filter(|cell| self::look(cell) == look) {
            if !cell.is_wide_continuation() {
                text.push_str(if cell.has_contents() { cell.contents() } else { " " });
            }
            column += 1;
        }
        draw_run(svg, &look, &text, (start, row, column - start));
    }
}

fn draw_run(svg: &mut String, look: &Look, text: &str, (column, row, cells): (u16, u16, u16)) {
    let (x, y) = place(column, row);
    let width = f32::from(cells) * CELL_WIDTH;
    if let Some(back) = &look.back {
        let _ = writeln!(
            svg,
            "<rect x=\"{x:.1}\" y=\"{y}\" width=\"{width:.1}\" height=\"{CELL_HEIGHT}\" fill=\"{back}\"/>"
        );
    }
    if text.trim().is_empty() {
        return;
    }
    let mut style = String::new();
    for (is_set, attribute) in [
        (look.is_bold, " font-weight=\"bold\""),
        (look.is_italic, " font-style=\"italic\""),
        (look.is_underlined, " text-decoration=\"underline\""),
    ] {
        style.push_str(if is_set { attribute } else { "" });
    }
    let (y, fill) = (y + BASELINE, &look.text);
    let _ = writeln!(
        svg,
        "<text x=\"{x:.1}\" y=\"{y}\" textLength=\"{width:.1}\" fill=\"{fill}\"{style}>{}</text>",
        escaped(text)
    );
}

fn place(column: u16, row: u16) -> (f32, u16) {
    (f32::from(MARGIN) + f32::from(column) * CELL_WIDTH, MARGIN + row * CELL_HEIGHT)
}

fn look(cell: &Cell) -> Look {
    let (text, back) = (colour(cell.fgcolor()), colour(cell.bgcolor()));
    let (text, back) = if cell.inverse() {
        (back.or(Some(BACKGROUND.to_owned())), text.or(Some(TEXT.to_owned())))
    } else {
        (text, back)
    };
    Look {
        text: text.unwrap_or_else(|| TEXT.to_owned()),
        back,
        is_bold: cell.bold(),
        is_italic: cell.italic(),
        is_underlined: cell.underline(),
    }
}

/// `None` for the terminal's own.
fn colour(colour: Color) -> Option<String> {
    match colour {
        Color::Default => None,
        Color::Rgb(r, g, b) => Some(format!("#{r:02x}{g:02x}{b:02x}")),
        Color::Idx(index) => Some(indexed(index)),
    }
}

fn indexed(index: u8) -> String {
    let level = |step: u8| if step == 0 { 0 } else { 55 + 40 * u16::from(step) };
    match index {
        0..=15 => NAMED[usize::from(index)].to_owned(),
        16..=231 => {
            let cube = index - 16;
            let (r, g, b) = (level(cube / 36), level(cube / 6 % 6), level(cube % 6));
            format!("#{r:02x}{g:02x}{b:02x}")
        }
        232.. => {
            let grey = 8 + 10 * u16::from(index - 232);
            format!("#{grey:02x}{grey:02x}{grey:02x}")
        }
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
