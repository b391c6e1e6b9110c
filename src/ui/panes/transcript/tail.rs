//! The items below the blocks: streamed text, and lines about the dialog's state.

use super::context::TranscriptContext;
use super::live::LiveSegment;
use super::open::OpenDialog;
use super::prose::Prose;
use super::transcript_words;
use crate::panes::strip::Strip;
use crate::protocol::event::Segment;
use crate::theme::Role;

/// Cells before streamed text.
const INDENT: usize = 2;

/// Rows of a live segment or of the tail, without the blank row before.
pub(super) fn height(open: &OpenDialog, context: &TranscriptContext<'_>, item: isize) -> usize {
    match segment(open, item) {
        Some(live) if is_folded(open, live) => 1,
        Some(live) => live.height() + 1,
        None if item >= open.end() => context.tail.len(),
        None => 0,
    }
}

/// Returns one row, and the text at its right edge.
pub(super) fn rows(
    open: &OpenDialog,
    context: &TranscriptContext<'_>,
    item: isize,
    row: usize,
) -> (Strip, Strip) {
    let Some(live) = segment(open, item) else {
        return (context.tail.get(row).cloned().unwrap_or_default(), Strip::new());
    };
    if live.segment == Segment::Thinking && row == 0 {
        return thinking_head(open, context, live);
    }
    let ui = context.view.ui;
    let (role, head_role) = match live.segment {
        Segment::Thinking => (Role::Thinking, Role::TextDim),
        Segment::Saying => (Role::Text, Role::Agent),
    };
    let Some(at) = row.checked_sub(1) else {
        return (Strip::new().put(context.speaker, ui.style(head_role)), Strip::new());
    };
    let prose = Prose::new(ui).in_role(role);
    let mut strip = live.row(at).map(|line| prose.strip(line, INDENT)).unwrap_or_default();
    // A full row has no cell left for it.
    if at + 1 == live.height() && strip.width() < INDENT + open.live_width {
        strip = strip.pad_to(INDENT).put(" ", ui.style(Role::Cursor));
    }
    (strip, Strip::new())
}

/// The head of streamed thinking: while folded, with its last words.
fn thinking_head(
    open: &OpenDialog,
    context: &TranscriptContext<'_>,
    live: &LiveSegment,
) -> (Strip, Strip) {
    let ui = context.view.ui;
    let dim = ui.style(Role::TextDim);
    let dot = format!(" {} ", ui.glyphs.middle_dot);
    let mut strip = Strip::new().put(ui.text(transcript_words::THINKING), dim).put(&dot, dim);
    if is_folded(open, live) {
        let available = open.live_width.saturating_sub(strip.width() + 2);
        strip.push(live.last_words(available).as_str(), ui.style(Role::Thinking));
        let symbol = ui.glyphs.closed;
        return (strip, Strip::new().put(symbol, dim));
    }
    let count = ui.counted(live.words(), transcript_words::WORDS);
    strip.push(&count, dim);
    (strip, Strip::new().put(ui.glyphs.open, dim))
}

fn is_folded(open: &OpenDialog, live: &LiveSegment) -> bool {
    !live.is_shown(open.unfolded.thinking)
}

fn segment(open: &OpenDialog, item: isize) -> Option<&LiveSegment> {
    open.live.segments().get(open.live_at(item)?)
}
