//! What stands below the blocks: the text being written, and lines about the dialog's state.

use ratatui::style::Style;

use super::TranscriptContext;
use crate::protocol::event::Segment;
use crate::ui::lang::{Counted, Word};
use crate::ui::model::OpenDialog;
use crate::ui::model::live::LiveSegment;
use crate::ui::panes::strip::Strip;
use crate::ui::theme::Role;

/// Rows of a live segment or of the tail, without the blank row before it.
pub(super) fn height(open: &OpenDialog, scene: &TranscriptContext<'_>, item: isize) -> usize {
    match segment(open, item) {
        Some(live) if is_folded(open, live) => 1,
        Some(live) => live.height() + 1,
        None if item >= open.end() => scene.tail.len(),
        None => 0,
    }
}

/// One row, and what stands at its right edge.
pub(super) fn rows(
    open: &OpenDialog,
    scene: &TranscriptContext<'_>,
    item: isize,
    row: usize,
) -> (Strip, Strip) {
    let Some(live) = segment(open, item) else {
        return (scene.tail.get(row).cloned().unwrap_or_default(), Strip::new());
    };
    if live.segment == Segment::Thinking && row == 0 {
        return thinking_head(open, scene, live);
    }
    let ui = scene.view.ui;
    let (role, head_role) = match live.segment {
        Segment::Thinking => (Role::Thinking, Role::TextDim),
        Segment::Saying => (Role::Text, Role::Agent),
    };
    let Some(at) = row.checked_sub(1) else {
        return (Strip::new().put(scene.speaker, ui.style(head_role)), Strip::new());
    };
    let mut strip =
        Strip::new().put("  ", Style::default()).put(live.row(at).as_str(), ui.style(role));
    if at + 1 == live.height() {
        strip.push(" ", ui.style(Role::Cursor));
    }
    (strip, Strip::new())
}

/// While it streams and is folded: one line with its last words.
fn thinking_head(
    open: &OpenDialog,
    scene: &TranscriptContext<'_>,
    live: &LiveSegment,
) -> (Strip, Strip) {
    let ui = scene.view.ui;
    let dim = ui.style(Role::TextDim);
    let dot = format!(" {} ", ui.glyphs.middle_dot);
    let mut strip = Strip::new().put(ui.word(Word::Thinking), dim).put(&dot, dim);
    if is_folded(open, live) {
        let room = open.live_width.saturating_sub(strip.width() + 2);
        strip.push(live.last_words(room).as_str(), ui.style(Role::Thinking));
        let sign = ui.glyphs.closed;
        return (strip, Strip::new().put(sign, dim));
    }
    let count = ui.counted(live.words(), Counted::Words);
    strip.push(&count, dim);
    (strip, Strip::new().put(ui.glyphs.open, dim))
}

fn is_folded(open: &OpenDialog, live: &LiveSegment) -> bool {
    live.segment == Segment::Thinking && !open.unfolded.thinking
}

fn segment(open: &OpenDialog, item: isize) -> Option<&LiveSegment> {
    let at = usize::try_from(item.checked_sub(open.end())?).ok()?;
    open.live.segments().get(at)
}
