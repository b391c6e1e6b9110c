//! The rows of a result, and the text around the chosen one. All text of records is sanitized by the rows.

use std::borrow::Cow;

use super::finder_words;
use crate::cx::{UiSettings, View};
use crate::domain::Bucket;
use crate::domain::reading::title::without_marks;
use crate::domain::reading::transcript::SpokenKind;
use crate::domain::text::search_pattern::SearchPattern;
use crate::model::age;
use crate::panes::strip::Strip;
use crate::panes::transcript::prose::plain_rows;
use crate::protocol::FoundRecord;
use crate::theme::Role;
use crate::words::{ARCHIVED, DONE};

/// Cells before the text.
const INDENT: usize = 2;

/// Returns the line with the match, and below it its origin; each with the text at its right edge.
pub(super) fn found_rows(
    found: &FoundRecord,
    pattern: &SearchPattern,
    view: View<'_>,
) -> [(Strip, Strip); 2] {
    let ui = view.ui;
    let dim = ui.style(Role::TextDim);
    let line = Strip::new()
        .put(" ", dim)
        .put(&shown_line(found, pattern), ui.style(Role::Text))
        .marked(pattern, ui.style(Role::Search));
    let count = if found.matches > 1 {
        Strip::new().put(&ui.counted(found.matches, finder_words::MATCHES), dim)
    } else {
        Strip::new()
    };
    let age = age::short(&found.when, view.now);
    [(line, count), (about(found, ui), Strip::new().put(&age, dim))]
}

/// The line with the match: words without the marks of Markdown, unless the match is in these.
fn shown_line<'a>(found: &'a FoundRecord, pattern: &SearchPattern) -> Cow<'a, str> {
    let raw = Cow::Borrowed(found.line.as_str());
    match found.kind {
        SpokenKind::Call | SpokenKind::Result => raw,
        SpokenKind::You
        | SpokenKind::Assignment
        | SpokenKind::Guide
        | SpokenKind::Push
        | SpokenKind::Notice
        | SpokenKind::Thinking
        | SpokenKind::Saying
        | SpokenKind::Request
        | SpokenKind::Reply
        | SpokenKind::Question
        | SpokenKind::Answer => {
            let plain = without_marks(&found.line);
            let matches = |text: &str| pattern.ranges(text).count();
            if matches(&plain) == matches(&raw) { plain.into() } else { raw }
        }
    }
}

/// Who, in which course, what kind of record, and the title of the dialog.
fn about(found: &FoundRecord, ui: &UiSettings) -> Strip {
    let dim = ui.style(Role::TextDim);
    let dot = format!(" {} ", ui.glyphs.middle_dot);
    let kind = ui.text(finder_words::kind(found.kind));
    let what = match (&found.tool, &found.teammate) {
        (Some(tool), _) => format!("{kind} {tool}"),
        (None, Some(teammate)) => format!("{kind} @{teammate}"),
        (None, None) => kind.to_owned(),
    };
    let place = match found.bucket {
        Bucket::Run => String::new(),
        Bucket::Done => format!("{dot}{}", ui.text(DONE)),
        Bucket::Archive => format!("{dot}{}", ui.text(ARCHIVED)),
    };
    let course = format!("{} {}", ui.text(finder_words::COURSE), found.at.course);
    let who = Strip::new().put("   ", dim).put(&format!("@{}", found.agent), ui.style(Role::Agent));
    let who = match found.kind {
        SpokenKind::You | SpokenKind::Answer => {
            who.put(&format!(" {} {}", ui.glyphs.middle_dot, ui.text(finder_words::YOU)), dim)
        }
        SpokenKind::Assignment
        | SpokenKind::Guide
        | SpokenKind::Push
        | SpokenKind::Notice
        | SpokenKind::Thinking
        | SpokenKind::Saying
        | SpokenKind::Call
        | SpokenKind::Result
        | SpokenKind::Request
        | SpokenKind::Reply
        | SpokenKind::Question => who,
    };
    who.put(&format!("{dot}{what}{dot}{course}{place}{dot}{}", found.title), dim)
}

/// Returns at most `most` rows of the text around the match; the match is among them.
pub(super) fn preview_rows(
    found: &FoundRecord,
    pattern: &SearchPattern,
    most: usize,
    width: u16,
    ui: &UiSettings,
) -> Vec<Strip> {
    let width = usize::from(width).saturating_sub(INDENT + 1).max(1);
    let rows = plain_rows(&found.around, INDENT, width, ui.style(Role::Text));
    let first = rows.iter().position(|row| pattern.count(&row.plain(), 1) > 0).unwrap_or(0);
    let last_start = rows.len().saturating_sub(most);
    let start = first.saturating_sub(most / 2).min(last_start);
    let shown = rows.into_iter().skip(start).take(most);
    shown.map(|row| row.marked(pattern, ui.style(Role::Search))).collect()
}
