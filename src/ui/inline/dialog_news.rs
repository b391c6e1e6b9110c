//! News of dialogs that are not open: that they began, stopped, ended or ask.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::inline_words;
use crate::action::{Action, Scope};
use crate::cx::UiSettings;
use crate::domain::dialogs::latest::DisplayState;
use crate::domain::reading::title::headline;
use crate::domain::{Course, DialogId};
use crate::model::Mark;
use crate::panes::strip::Strip;
use crate::protocol::{InboxRow, TreeRow};
use crate::theme::Role;

/// Rows that wait to be printed; later ones are counted.
const MAX_NEWS: usize = 200;

#[derive(Debug, Default)]
pub(super) struct News {
    marks: BTreeMap<DialogId, Mark>,
    /// The open questions, and whether they were announced; `None` before they are known.
    questions: Option<BTreeMap<String, Announced>>,
    rows: VecDeque<Strip>,
    dropped: usize,
    is_listed: bool,
}

/// Whether a question was announced in a row of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Announced {
    /// With the names of the askers.
    Yes(String),
    /// It is a block of the open dialog.
    No,
}

impl News {
    /// The next row.
    pub fn next(&mut self, ui: &UiSettings) -> Option<Strip> {
        let row = self.rows.pop_front();
        if row.is_some() || self.dropped == 0 {
            return row;
        }
        let dropped = std::mem::take(&mut self.dropped).to_string();
        let text = ui.sentence(inline_words::LEFT_OUT, &dropped);
        Some(Strip::new().put(&text, ui.style(Role::TextDim)))
    }

    pub fn rows_listed(&mut self, rows: &[TreeRow], open: Option<&DialogId>, ui: &UiSettings) {
        if !std::mem::replace(&mut self.is_listed, true) {
            self.marks = rows.iter().map(|row| (row.dialog.clone(), Mark::of(row))).collect();
            return;
        }
        let listed: BTreeSet<&DialogId> = rows.iter().map(|row| &row.dialog).collect();
        self.marks.retain(|dialog, _| listed.contains(dialog));
        for row in rows {
            self.row_changed(row, open, ui);
        }
    }

    /// True if this dialog has begun since the dialogs were listed first, and was not only listed again or forked.
    pub fn is_new(&self, row: &TreeRow) -> bool {
        let begins = row.course == Course::FIRST && row.genseq.0 <= 1;
        begins && self.is_listed && !self.marks.contains_key(&row.dialog)
    }

    pub fn row_changed(&mut self, row: &TreeRow, open: Option<&DialogId>, ui: &UiSettings) {
        let (mark, is_open) = (Mark::of(row), open == Some(&row.dialog));
        let before = self.marks.insert(row.dialog.clone(), mark);
        if before == Some(mark) {
            return;
        }
        // The first one is opened at once.
        if before.is_none() && !is_open && open.is_some() && self.is_listed {
            let begins = ui.text(inline_words::BEGINS);
            self.push(told(ui, (ui.glyphs.asks, Role::Accent), &name(row), begins, &row.title));
        }
        let is_news = match mark {
            Mark::Stopped | Mark::Dead => true,
            Mark::Idle | Mark::Done => !is_open && before.is_some(),
            Mark::Running | Mark::Retrying | Mark::Stopping | Mark::Waiting | Mark::NeedsYou => {
                false
            }
        };
        if is_news {
            let symbol = (mark.glyph(&ui.glyphs), mark.role());
            let reason = match &row.state {
                DisplayState::Stopped { reason, .. } => {
                    reason.message().in_lang(ui.lang).to_owned()
                }
                DisplayState::Dead { .. }
                | DisplayState::Stopping { .. }
                | DisplayState::Proceeding
                | DisplayState::Blocked { .. }
                | DisplayState::Idle => row.title.clone(),
            };
            self.push(told(ui, symbol, &name(row), ui.text(mark.word()), &reason));
        }
    }

    pub fn removed(&mut self, dialog: &DialogId) {
        self.marks.remove(dialog);
        if dialog.is_main() {
            self.marks.retain(|known, _| known.root != dialog.root);
        }
    }

    pub fn inbox_changed(&mut self, open: &[InboxRow], shown: Option<&DialogId>, ui: &UiSettings) {
        let first = self.questions.is_none();
        let known = self.questions.take().unwrap_or_default();
        let mut now = BTreeMap::new();
        for row in open {
            let id = &row.question.id;
            let told_of = match known.get(id) {
                Some(announced) => announced.clone(),
                None if first || shown == Some(&row.dialog) => Announced::No,
                None => self.announce(row, ui),
            };
            now.insert(id.clone(), told_of);
        }
        for (_, gone) in known.into_iter().filter(|(id, _)| !now.contains_key(id)) {
            if let Announced::Yes(who) = gone {
                let symbol = (ui.glyphs.done, Role::TextDim);
                self.push(told(ui, symbol, &who, ui.text(inline_words::ANSWERED), ""));
            }
        }
        self.questions = Some(now);
    }

    fn announce(&mut self, row: &InboxRow, ui: &UiSettings) -> Announced {
        let slug = row.slug.as_ref().map(|slug| format!(" !{slug}")).unwrap_or_default();
        let who = row.asker(ui.lang) + &slug;
        let symbol = (ui.glyphs.needs_you, Role::Attention);
        let question = headline(&row.question.tellask_content);
        let key = ui.key(Scope::ANYWHERE, Action::AnswerOldest);
        let strip = told(ui, symbol, &who, ui.text(inline_words::ASKS), &question);
        self.push(strip.put(&format!("  ({key})"), ui.style(Role::TextDim)));
        Announced::Yes(who)
    }

    fn push(&mut self, row: Strip) {
        if self.rows.len() < MAX_NEWS && self.dropped == 0 {
            self.rows.push_back(row);
        } else {
            self.dropped += 1;
        }
    }
}

fn name(row: &TreeRow) -> String {
    let slug = row.slug.as_ref().map(|slug| format!(" !{slug}")).unwrap_or_default();
    format!("@{}{slug}", row.agent)
}

/// `? @dba !schema asks: keep it?`
fn told(
    ui: &UiSettings,
    (symbol, role): (&str, Role),
    who: &str,
    word: &str,
    about: &str,
) -> Strip {
    let dim = ui.style(Role::TextDim);
    let strip = Strip::new()
        .put(&format!("{symbol} "), ui.style(role))
        .put(who, ui.style(Role::Agent))
        .put(&format!(" {word}"), dim);
    if about.is_empty() {
        return strip;
    }
    strip.put(&format!(" {} ", ui.glyphs.middle_dot), dim).put(about, ui.style(Role::Text))
}
