//! The role of each cell, found by a theme in which no two roles look alike.

use ratatui::buffer::Buffer;
use ratatui::style::{Color, Modifier, Style};
use serde_json::{Map, Value, json};

use crate::text::width::width;
use crate::theme::{ColorDepth, Role, Theme};

/// Roles that mark a place, also where it is blank.
const MARKS: [Role; 8] = [
    Role::RowSelected,
    Role::Search,
    Role::SearchCurrent,
    Role::Cursor,
    Role::DiffAddWord,
    Role::DiffRemoveWord,
    Role::DiffAddRow,
    Role::DiffRemoveRow,
];

/// A theme that names the roles: the number of a role is its last part of a colour.
pub fn probe() -> Theme {
    let mut words = Map::new();
    for (at, role) in Role::ALL.iter().enumerate() {
        let ink = format!("#0001{at:02x}");
        let marks = if MARKS.contains(role) { format!("on #0002{at:02x}") } else { String::new() };
        let text = if *role == Role::RowSelected { marks } else { format!("{ink} {marks}") };
        words.insert(role.name().to_owned(), json!(text));
    }
    Theme::from_value(&Value::Object(words), ColorDepth::True).unwrap()
}

fn role_of(colour: Color, kind: u8) -> Option<Role> {
    let Color::Rgb(0, known, at) = colour else { return None };
    (known == kind).then(|| Role::ALL.get(usize::from(at)).copied()).flatten()
}

/// What was drawn.
pub struct Cells(pub Buffer);

/// One symbol of it.
#[derive(Debug)]
pub struct DrawnCell<'a> {
    pub symbol: &'a str,
    pub style: Style,
}

/// The role of a text, and of its background.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CellRoles {
    pub ink: Option<Role>,
    pub mark: Option<Role>,
    added: Modifier,
}

impl Cells {
    /// All symbols, row by row.
    pub fn drawn(&self) -> impl Iterator<Item = DrawnCell<'_>> {
        (0..self.0.area.height).flat_map(|y| self.row(y)).map(|(_, cell)| cell)
    }

    /// Returns the symbols of a row with their columns, without the second cell of wide ones.
    fn row(&self, y: u16) -> impl Iterator<Item = (u16, DrawnCell<'_>)> {
        let mut next = 0;
        (0..self.0.area.width).filter_map(move |x| {
            let cell = &self.0[(x, y)];
            if x < next {
                return None;
            }
            next = x + u16::try_from(width(cell.symbol()).max(1)).unwrap_or(1);
            Some((x, DrawnCell { symbol: cell.symbol(), style: cell.style() }))
        })
    }
}

impl DrawnCell<'_> {
    pub fn is_blank(&self) -> bool {
        self.symbol.trim().is_empty()
    }

    pub fn has_no_colour(&self) -> bool {
        let none = |colour: Option<Color>| colour.is_none_or(|colour| colour == Color::Reset);
        none(self.style.fg) && none(self.style.bg)
    }

    pub fn roles(&self) -> CellRoles {
        CellRoles {
            ink: self.style.fg.and_then(|colour| role_of(colour, 1)),
            mark: self.style.bg.and_then(|colour| role_of(colour, 2)),
            added: self.style.add_modifier,
        }
    }
}

impl CellRoles {
    fn name(self) -> String {
        let ink = self.ink.map_or("none", Role::name);
        let mut name = ink.to_owned();
        for (modifier, word) in [
            (Modifier::BOLD, "bold"),
            (Modifier::ITALIC, "italic"),
            (Modifier::UNDERLINED, "underline"),
            (Modifier::CROSSED_OUT, "strike"),
        ] {
            if self.added.contains(modifier) {
                name.push('+');
                name.push_str(word);
            }
        }
        name
    }

    /// True if a cell of these roles looks so in a theme. Code that looks as other code does has in an added
    /// line the colour of the line.
    pub fn looks(self, theme: &Theme, drawn: &DrawnCell<'_>) -> bool {
        let is_code = self.ink.is_some_and(|ink| ink.name().starts_with("code."));
        let is_plain = self.ink.map(|ink| theme.style(ink)) == Some(theme.style(Role::Code));
        let added = Self { ink: Some(Role::DiffAdd), ..self };
        self.looks_exactly(theme, drawn)
            || (is_code && is_plain && added.looks_exactly(theme, drawn))
    }

    fn looks_exactly(self, theme: &Theme, drawn: &DrawnCell<'_>) -> bool {
        let (fg, bg) = (theme.style(Role::Text).fg, theme.paper());
        let paper = Style { fg, bg, ..Style::default() };
        let base = self.ink.map_or(paper, |ink| paper.patch(theme.style(ink)));
        let expected = match self.mark.filter(|mark| Some(*mark) != self.ink) {
            Some(mark) => base.patch(theme.style(mark)),
            None => base,
        };
        let same = |a: Option<Color>, b: Option<Color>| {
            a.unwrap_or(Color::Reset) == b.unwrap_or(Color::Reset)
        };
        let modifiers = expected.add_modifier | self.added;
        same(expected.fg, drawn.style.fg)
            && same(expected.bg, drawn.style.bg)
            && drawn.style.add_modifier.contains(modifiers)
    }
}

/// The rows. Beside each the columns at which a role begins, and from where to where one marks the row.
pub fn with_roles(cells: &Cells) -> String {
    let area = cells.0.area;
    let mut text = String::new();
    for y in 0..area.height {
        let line: String = cells.row(y).map(|(_, cell)| cell.symbol).collect();
        let blanks = " ".repeat(usize::from(area.width).saturating_sub(width(&line)));
        let row = format!("{line}{blanks}┃ {}", runs_of(cells, y).join(" · "));
        text.push_str(row.trim_end());
        text.push('\n');
    }
    text
}

fn runs_of(cells: &Cells, y: u16) -> Vec<String> {
    let (mut runs, mut marks) = (Vec::new(), Vec::<(Role, u16, u16)>::new());
    let mut last = None;
    for (x, cell) in cells.row(y) {
        let roles = cell.roles();
        let ink = CellRoles { mark: None, ..roles };
        if !cell.is_blank() && last.replace(ink) != Some(ink) {
            runs.push(format!("{x} {}", ink.name()));
        }
        match (roles.mark, marks.last_mut()) {
            (Some(mark), Some((role, _, end))) if *role == mark && *end + 2 >= x => *end = x,
            (Some(mark), _) => marks.push((mark, x, x)),
            (None, _) => {}
        }
    }
    runs.extend(marks.into_iter().map(|(role, from, to)| format!("{from}-{to} on {role}")));
    runs
}
