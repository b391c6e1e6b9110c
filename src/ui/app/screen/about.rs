//! What the screen says about the open dialog: who speaks, how long it runs, why it stands still.

use std::time::Instant;

use crate::domain::latest::DisplayState;
use crate::domain::question::headline;
use crate::domain::{CallId, DialogId, SelfId};
use crate::protocol::TreeRow;
use crate::ui::action::Action;
use crate::ui::cx::{Look, View};
use crate::ui::lang::Word;
use crate::ui::model::{Inbox, Mark, OpenDialog, Retry, Tree, age, retries};
use crate::ui::panes::strip::Strip;
use crate::ui::panes::transcript::Names;
use crate::ui::theme::Role;

/// Who is who around the open dialog.
pub(super) struct Around<'a> {
    pub tree: &'a Tree,
    pub inbox: &'a Inbox,
    pub dialog: &'a DialogId,
}

impl Names for Around<'_> {
    fn member(&self, dialog: &SelfId) -> Option<String> {
        let id = DialogId::side(&self.dialog.root, dialog);
        self.tree.get(&id).map(|row| format!("@{}", row.agent))
    }

    fn asker(&self) -> Option<String> {
        self.member(self.tree.get(self.dialog)?.asker.as_ref()?)
    }

    fn waiting_for(&self, call: &CallId) -> Vec<String> {
        let mut rows = self.inbox.rows().iter();
        let row = rows.find(|row| row.dialog == *self.dialog && row.question.call_id == *call);
        let blocks = row.map_or(&[][..], |row| row.blocks.as_slice());
        blocks.iter().map(|agent| format!("@{agent}")).collect()
    }
}

pub(super) fn speaker(open: &OpenDialog, row: Option<&TreeRow>) -> String {
    let agent = row.map(|row| &row.agent).or(open.agent.as_ref());
    agent.map(|agent| format!("@{agent}")).unwrap_or_default()
}

/// `● 0:42` while it runs, else the state's sign and word.
pub(super) fn elapsed(open: &OpenDialog, row: Option<&TreeRow>, view: View<'_>) -> Strip {
    let Some(mark) = row.map(Mark::of) else {
        return Strip::new();
    };
    let look = view.look;
    let sign = mark.glyph(&look.glyphs);
    let running = open.began.as_ref().filter(|_| mark.is_running() || open.is_streaming());
    let text = match running.and_then(|began| age::seconds_since(began, view.now)) {
        Some(seconds) => age::clock(seconds),
        None => look.word(mark.word()).to_owned(),
    };
    Strip::new()
        .put(&format!("{sign} "), look.style(mark.role()))
        .put(&text, look.style(Role::TextDim))
}

/// What a person should know about the dialog's state, below its text.
pub(super) fn tail_lines(
    retry: Option<&Retry>,
    moment: Instant,
    row: Option<&TreeRow>,
    look: &Look,
) -> Vec<Strip> {
    let mut lines = Vec::new();
    let warn = look.style(Role::Warning);
    let dim = look.style(Role::TextDim);
    match retry {
        Some(Retry::Waiting { error, until }) => {
            let left = retries::shown(until.saturating_duration_since(moment));
            let text = format!("{} {}", look.word(Word::Retrying), age::long(left));
            let key = look.key(Action::DialogRetryNow);
            let hint = format!("  {key} {}  ", look.word(Word::TryNow));
            lines.push(Strip::new().put(&text, warn).put(&hint, dim).put(headline(error), dim));
        }
        Some(Retry::Running) => {
            lines.push(Strip::new().put(look.word(Word::RetryRunning), dim));
        }
        None => {}
    }
    if let Some(DisplayState::Stopped { reason, .. }) = row.map(|row| &row.state) {
        let sign = look.glyphs.stopped;
        let why = reason.sentence();
        let line = Strip::new()
            .put(&format!("{sign} "), warn)
            .put(
                headline(&why),
                look.style(if reason.is_failure() { Role::Bad } else { Role::Text }),
            )
            .put(
                &format!("  {} {}", look.key(Action::DialogContinue), look.word(Word::GoesOn)),
                dim,
            );
        lines.push(line);
    }
    lines
}
