//! Driver events, applied to the model.

use super::{App, Effect, Focus, Request};
use crate::domain::text::Localized;
use crate::domain::transcript::BlockChange;
use crate::domain::{DialogId, Problem};
use crate::protocol::{Command, DriverEvent, InboxRow, Ticket, TreeRow};
use crate::ui::app::words;
use crate::ui::model::{DraftKey, Tone};

impl App {
    /// Applies one event; returns the commands to send, in order.
    pub fn apply(&mut self, event: DriverEvent) -> Vec<Command> {
        self.dirty |= self.apply_event(event);
        self.open_first_dialog();
        self.track_queue();
        self.take_commands()
    }

    /// True if the screen may have changed.
    fn apply_event(&mut self, event: DriverEvent) -> bool {
        match event {
            DriverEvent::Workspace(workspace) => self.model.workspace = workspace,
            DriverEvent::Rows(rows) => {
                self.model.tree.set(rows);
                self.startup.rows_arrived();
            }
            DriverEvent::Row(row) => self.apply_row(*row),
            DriverEvent::Removed(dialog) => self.dialog_removed(&dialog),
            DriverEvent::Inbox(rows) => self.apply_inbox(rows),
            DriverEvent::Asked { headline, .. } => {
                self.effects.extend(self.alerts.ring(&headline, self.moment));
            }
            DriverEvent::Answered { question, .. } => self.question_removed(&question),
            DriverEvent::Page { ticket, page } => {
                self.requests.finish(ticket);
                self.reading.apply_page(ticket, *page);
            }
            DriverEvent::Sheet { dialog, sheet } => {
                return self.overlays.update_sheet(&dialog, *sheet);
            }
            DriverEvent::Fact(fact) => {
                self.refresh_sheet_after(fact.dialog(), fact.entry());
                return self
                    .reading
                    .change(fact.dialog(), |open| open.fact((&fact).into(), fact.entry()));
            }
            DriverEvent::Live { dialog, segment, text } => {
                return self.reading.change(&dialog, |open| open.push_live(segment, &text));
            }
            DriverEvent::LiveEnd { dialog } => {
                return self.reading.change(&dialog, |open| {
                    open.live.clear();
                    true
                });
            }
            DriverEvent::Retry { dialog, retry } => {
                self.model.retries.update(dialog, retry, self.moment);
            }
            DriverEvent::ToolEnded { dialog, call, ok } => {
                self.refresh_sheet(Some(&dialog));
                return self.reading.change(&dialog, |open| {
                    open.transcript.ended(&call, ok) != BlockChange::Nothing
                });
            }
            DriverEvent::Problems(problems) => self.apply_problems(problems),
            DriverEvent::Done { ticket, dialog } => self.request_done(ticket, dialog),
            DriverEvent::Refused { ticket, text } => self.request_refused(ticket, &text),
            DriverEvent::Forked { dialog, next } => self.forked(&dialog, next),
            DriverEvent::Shelf { ticket, rows } => self.show_shelf(ticket, rows),
            DriverEvent::Processes(processes) => self.model.processes = processes,
            DriverEvent::Consent(consent) => self.apply_consent(consent),
            DriverEvent::Notice(text) => self.notify_text(Tone::Plain, text.in_lang(self.ui.lang)),
            DriverEvent::Quiet(outcome) => {
                return self.ending.update(outcome, !self.model.tree.is_empty());
            }
            DriverEvent::Halted(_) => return false,
            DriverEvent::Lagged => self.reload_all(),
            DriverEvent::Stopped => self.effects.push(Effect::Ended),
        }
        true
    }

    fn apply_row(&mut self, row: TreeRow) {
        if row.state.is_running() {
            self.ending.hide();
        } else {
            self.model.retries.forget(&row.dialog);
        }
        self.model.tree.put(row);
    }

    fn dialog_removed(&mut self, dialog: &DialogId) {
        self.model.tree.remove(dialog);
        let follow_ups = self.reading.removed(dialog);
        let lost = !follow_ups.is_empty();
        self.follow(follow_ups);
        if lost && matches!(self.focus.now(), Focus::Composer | Focus::Dialog) {
            self.set_focus(Focus::Tree);
        }
    }

    fn apply_inbox(&mut self, rows: Vec<InboxRow>) {
        self.model.inbox.set(rows);
        self.startup.inbox_arrived();
        let gone = self.writing.question().filter(|id| self.model.inbox.get(id).is_none());
        if let Some(id) = gone.map(str::to_owned) {
            self.question_removed(&id);
        }
    }

    fn apply_problems(&mut self, problems: Vec<Problem>) {
        let known = std::mem::replace(&mut self.model.problems, problems);
        // Missing consent has a sheet and a count in the status line.
        let is_reported = |problem: &&Problem| !problem.id.starts_with("trust/");
        let mut fresh = self.model.problems.iter().filter(is_reported);
        let fresh = fresh.find(|p| !known.iter().any(|k| k.id == p.id));
        if let Some(text) = fresh.map(|problem| problem.message().in_lang(self.ui.lang).to_owned())
        {
            self.notify_text(Tone::Bad, &text);
        } else if self.model.problems.is_empty() && known.iter().any(|one| is_reported(&one)) {
            self.notify(Tone::Good, words::ALL_FIXED);
        }
    }

    fn request_done(&mut self, ticket: Ticket, dialog: Option<DialogId>) {
        match self.requests.finish(ticket) {
            Some(Request::Say { dialog, typed, .. }) => {
                self.writing.saved(&DraftKey::Message(dialog), &typed, self.moment);
            }
            Some(Request::Answer { question, typed, .. }) => {
                self.writing.saved(&DraftKey::Answer(question), &typed, self.moment);
            }
            Some(Request::ChangeSheet { draft: Some((key, text)), .. }) => {
                self.writing.saved(&key, &text, self.moment);
            }
            Some(Request::Create { text, taskdoc, .. }) => {
                self.writing.saved(&DraftKey::New, &text, self.moment);
                self.model.workspace.move_taskdoc_to_front(taskdoc);
                if let Some(dialog) = dialog {
                    self.read(&dialog);
                }
            }
            Some(Request::TakeBack(back)) => {
                let edits = back.edit.is_some();
                let word = if edits { words::TAKEN_BACK_TO_EDIT } else { words::TAKEN_BACK };
                self.notify(Tone::Good, word);
            }
            Some(Request::Lifecycle { change, name }) => self.lifecycle_changed(&change, &name),
            Some(Request::KeepGoing { dialog, .. }) => self.notify_keep_going(&dialog),
            Some(
                Request::Open { .. }
                | Request::Sheet { .. }
                | Request::Reload { .. }
                | Request::Page { .. }
                | Request::Agree { .. }
                | Request::Continue { .. }
                | Request::ContinueAll
                | Request::Shelf
                | Request::StopProcess { .. }
                | Request::ChangeSheet { draft: None, .. },
            )
            | None => {}
        }
    }

    fn request_refused(&mut self, ticket: Ticket, text: &Localized) {
        match self.requests.finish(ticket) {
            Some(Request::Say { dialog, typed, .. }) => {
                self.message_refused(&DraftKey::Message(dialog), &typed);
            }
            Some(Request::Answer { question, typed, .. }) => {
                self.message_refused(&DraftKey::Answer(question), &typed);
            }
            Some(Request::ChangeSheet { draft: Some((key, text)), .. }) => {
                self.message_refused(&key, &text);
            }
            Some(Request::Create { text, .. }) => self.message_refused(&DraftKey::New, &text),
            Some(Request::Open { .. }) => self.reading.refused(ticket),
            Some(Request::TakeBack(back)) => self.writing.not_taken_back(back, self.moment),
            Some(Request::Sheet { .. }) => self.overlays.sheet_refused(),
            Some(
                Request::Lifecycle { .. }
                | Request::KeepGoing { .. }
                | Request::Reload { .. }
                | Request::Page { .. }
                | Request::Agree { .. }
                | Request::Continue { .. }
                | Request::ContinueAll
                | Request::Shelf
                | Request::StopProcess { .. }
                | Request::ChangeSheet { draft: None, .. },
            )
            | None => {}
        }
        self.notify_text(Tone::Bad, text.in_lang(self.ui.lang));
    }

    /// A message was refused: it is a draft again.
    fn message_refused(&mut self, key: &DraftKey, text: &str) {
        let follow_ups = self.writing.refused(key, text, self.moment);
        self.follow(follow_ups);
    }

    fn reload_all(&mut self) {
        self.notify(Tone::Plain, words::LAGGED);
        self.model.retries.clear();
        self.commands.push(Command::Refresh);
        let follow_ups = self.reading.reload();
        self.follow(follow_ups);
        self.refresh_sheet(None);
    }

    /// At the start, opens the oldest question with its draft, else the newest dialog.
    fn open_first_dialog(&mut self) {
        if !self.startup.is_due() {
            return;
        }
        if let Some(row) = self.model.inbox.oldest().cloned() {
            self.startup.opened();
            let has_draft = self.writing.drafts().has(&DraftKey::Answer(row.question.id.clone()));
            self.answer(&row);
            if has_draft {
                self.notify(Tone::Plain, words::DRAFT_RESTORED);
            }
            return;
        }
        let mains = self.model.tree.all().filter(|row| row.dialog.is_main());
        let newest = mains.max_by(|a, b| a.last_modified.cmp(&b.last_modified));
        // Without a dialog, the first that arrives is opened.
        if let Some(dialog) = newest.map(|row| row.dialog.clone()) {
            self.startup.opened();
            let follow_ups = self.reading.show(&dialog, None);
            self.follow(follow_ups);
        }
    }
}
