//! What git says of the workspace, beside the changes: a column where there is room, else a row above them.

use ratatui::layout::Rect;

use super::changes_words;
use crate::cx::UiSettings;
use crate::domain::reading::git_state::GitState;
use crate::panes::strip::Strip;
use crate::text::SafeText;
use crate::text::width::shorten_middle;
use crate::theme::Role;

/// Cells of the column.
const CELLS: u16 = 32;
/// The least width of the changes with the column beside them.
const MIN_CELLS: u16 = 100;
/// Cells before the path of a file.
const PATH_AT: usize = 4;

/// The area of the changes, and that of the column; the column is empty where there is no room for it.
pub(super) fn beside(area: Rect, git: Option<&GitState>) -> (Rect, Rect) {
    let cells = if git.is_some() && area.width >= MIN_CELLS { CELLS } else { 0 };
    let changes = Rect { width: area.width - cells, ..area };
    (changes, Rect { x: changes.right(), width: cells, ..area })
}

/// `main · 3 files not committed`
fn heading(git: &GitState, ui: &UiSettings) -> Strip {
    let branch = match git.branch.as_str() {
        "" => ui.text(changes_words::NO_BRANCH),
        branch => branch,
    };
    let files = match git.uncommitted() {
        0 => ui.text(changes_words::ALL_COMMITTED).to_owned(),
        files => ui.counted(files, changes_words::NOT_COMMITTED),
    };
    Strip::new()
        .put(branch, ui.style(Role::TextStrong))
        .put(&format!(" {} {files}", ui.glyphs.middle_dot), ui.style(Role::TextDim))
}

/// Returns the row above the changes: the heading, then the files as far as they fit.
pub(super) fn above(git: &GitState, cells: usize, ui: &UiSettings) -> Strip {
    let dim = ui.style(Role::TextDim);
    let mut row = Strip::new().pad_to(2).join(heading(git, ui));
    // Each takes some cells.
    for (at, file) in git.files.iter().take(cells).enumerate() {
        let gap = if at == 0 { ": " } else { ", " };
        row = row.put(gap, dim).put(&file.state, ui.style(Role::Attention));
        row = row.put(" ", dim).put(&file.path, dim);
    }
    row.shortened(cells, ui.glyphs.cut, dim)
}

/// Returns the rows of the column, at most `height`.
pub(super) fn column(git: &GitState, height: usize, ui: &UiSettings) -> Vec<Strip> {
    let (dim, cells) = (ui.style(Role::TextDim), usize::from(CELLS));
    let mut rows = vec![Strip::new().pad_to(1).join(heading(git, ui))];
    let all = git.uncommitted();
    let room = height.saturating_sub(1);
    let shown = if all > room { room.saturating_sub(1) } else { all };
    for file in git.files.iter().take(shown) {
        let path = SafeText::line(&file.path);
        let path = shorten_middle(path.as_str(), cells.saturating_sub(PATH_AT), ui.glyphs.cut);
        let row = Strip::new().pad_to(1).put(&file.state, ui.style(Role::Attention));
        rows.push(row.pad_to(PATH_AT).put(&path, ui.style(Role::Text)));
    }
    let hidden = all.saturating_sub(shown.min(git.files.len()));
    if hidden > 0 {
        rows.push(Strip::new().pad_to(1).put(&ui.counted(hidden, changes_words::MORE_FILES), dim));
    }
    rows.truncate(height);
    rows.into_iter().map(|row| row.shortened(cells, ui.glyphs.cut, dim)).collect()
}
