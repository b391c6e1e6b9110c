//! What is shown of a long text of the person until it is opened.

/// A text with more lines than this is folded, and lines of it that are shown then.
const MOST_LINES: usize = 20;
const LINES_OF_FOLDED: usize = 10;

/// Returns the part of a long text that is shown while it is folded, and the number of its other lines.
pub(super) fn folded_text(text: &str) -> Option<(&str, usize)> {
    let text = text.trim_end();
    let lines = text.lines().count();
    let (end, _) = text.match_indices('\n').nth(LINES_OF_FOLDED - 1)?;
    text.get(..end).filter(|_| lines > MOST_LINES).map(|shown| (shown, lines - LINES_OF_FOLDED))
}
