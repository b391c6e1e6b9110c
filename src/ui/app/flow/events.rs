//! Driver events, applied to the owners.

use super::{problems, results};
use crate::app::answers::consent;
use crate::app::dialogs::lifecycle;
use crate::app::drawing::app_words;
use crate::app::{App, Effect, Focus, Request};
use crate::domain::reading::transcript::BlockChange;
use crate::follow_up::{FollowUp, ToReading};
use crate::lists::{memories, memory};
use crate::model::{MemoryChain, Tone};
use crate::new_overlay::NewOverlay;
use crate::panes::consent as consent_sheet;
use crate::protocol::{Command, DriverEvent, VaultRequest};
use crate::request::HeldAnswer;

impl App {
    /// Applies one event; returns the commands to send, in order.
    pub fn apply(&mut self, event: DriverEvent) -> Vec<Command> {
        let closes = matches!(event, DriverEvent::Inbox(_) | DriverEvent::Answered { .. });
        let changed = self.apply_event(event);
        self.redraw.mark_if(changed);
        self.open_first();
        if closes {
            // Shown after the notice about the restored draft of another question.
            let told = self.writing.give_back_gone(&self.model.inbox, self.redraw.now());
            self.follow(told);
        }
        self.outcome()
    }

    /// Opens the first dialog: on an inline screen one writes to it.
    fn open_first(&mut self) {
        let first = self.startup.open_first(&self.model, self.writing.drafts(), self.ui.lang);
        if self.inline.is_none() || first.is_empty() || self.model.views_only {
            return self.follow(first);
        }
        self.focus.set(Focus::Composer);
        self.writing.entered();
        self.follow(first);
        if !self.writing.can_write() {
            self.follow([FollowUp::Focus(Focus::Tree)]);
        }
    }

    /// True if the screen may have changed.
    fn apply_event(&mut self, event: DriverEvent) -> bool {
        if let Some(inline) = &mut self.inline {
            inline.hear(&event, self.reading.dialog(), &self.ui);
        }
        match event {
            DriverEvent::Workspace(workspace) => {
                self.model.workspace = workspace;
                self.writing.offers_changed();
                self.follow(self.overlays.reload_mind());
            }
            DriverEvent::Files(paths) => self.writing.set_files(paths),
            DriverEvent::Prompts(prompts) => self.writing.set_prompts(prompts),
            DriverEvent::Rows(rows) => {
                self.attention.forget_told();
                self.model.tree.set(rows);
                self.startup.mark_rows_received();
            }
            DriverEvent::Row(row) => {
                self.ending.row_changed(&row);
                let again = self.overlays.reload_sheet_of(&row.dialog.root, self.redraw.now());
                self.model.put_row(*row);
                self.follow(again);
            }
            DriverEvent::Removed(dialog) => {
                self.model.tree.remove(&dialog);
                let closed = self.reading.removed(&dialog, self.focus.now());
                self.follow(closed);
            }
            DriverEvent::Inbox(rows) => {
                self.model.inbox.set(rows);
                if !self.focus.is_or_was(Focus::Inbox) {
                    self.model.inbox.rest();
                }
                let (inbox, now) = (&self.model.inbox, self.redraw.now());
                let is_open = |id: &str| inbox.get(id).is_some() || inbox.is_failure(id);
                self.attention.alerts.listed(is_open, now);
                let times = (&self.clock.now(), now);
                self.writing.put_off_as_stored(&mut self.model.inbox, times);
                self.startup.mark_inbox_received();
                self.inbox_changed();
            }
            DriverEvent::Asked { question, .. } => {
                self.attention.alerts.came(question, self.redraw.now());
            }
            DriverEvent::Answered { question, headline, by, .. } => {
                if let Some(name) = by {
                    let text = app_words::answered_by(&headline, &name, self.ui.lang);
                    self.notify(Tone::Plain, &text);
                }
                self.model.inbox.remove(&question);
                self.attention.alerts.drop_question(&question);
                self.writing.forget_put_off(&[question], self.redraw.now());
                self.inbox_changed();
            }
            DriverEvent::Page { ticket, page } => {
                if let Some(Request::Preview { .. }) = self.requests.finish(ticket) {
                    return self.preview.arrived(ticket, *page);
                }
                self.hints.saw(&page.dialog, &page.entries);
                self.reading.apply_page(ticket, *page);
                // A search goes on in older records at once, not a frame later.
                if let Some(size) = self.size.filter(|_| self.reading.seeks_older()) {
                    self.layout(size);
                }
            }
            DriverEvent::Sheet { dialog, sheet } => {
                let changed = self.overlays.update_sheet(&dialog, *sheet);
                self.overlays.sheet_answered(self.redraw.now());
                return changed;
            }
            DriverEvent::Fact(fact) => {
                self.hints.saw(fact.dialog(), std::slice::from_ref(fact.entry()));
                self.follow(self.overlays.reload_sheet_after(fact.dialog(), fact.entry()));
                return self
                    .reading
                    .change(fact.dialog(), |open| open.fact((&fact).into(), fact.entry()));
            }
            DriverEvent::Live { dialog, segment, text } => {
                return self.reading.change(&dialog, |open| open.push_live(segment, &text));
            }
            DriverEvent::LiveEnd { dialog } => {
                return self.reading.change(&dialog, |open| {
                    open.end_live();
                    true
                });
            }
            DriverEvent::Printed { dialog, call, lines } => {
                return self.reading.change(&dialog, |open| open.set_printed(call, lines));
            }
            DriverEvent::Retry { dialog, retry } => {
                self.model.retries.update(dialog, retry, self.redraw.now());
            }
            DriverEvent::ToolEnded { dialog, call, ok } => {
                self.follow(self.overlays.reload_sheet(Some(&dialog)));
                return self.reading.change(&dialog, |open| {
                    open.transcript.ended(&call, ok) != BlockChange::Nothing
                });
            }
            DriverEvent::Problems(problems) => {
                let told = problems::replace(&mut self.model, problems, self.ui.lang);
                self.follow(told);
            }
            DriverEvent::Done { ticket, dialog } => {
                if let Some(request) = self.requests.finish(ticket) {
                    self.follow(results::done(request, dialog, self.facts()));
                }
            }
            DriverEvent::Refused { ticket, text } => {
                let request = self.requests.finish(ticket);
                let follow_up =
                    request.and_then(|request| results::refused(request, ticket, &text));
                let tells = |follow_up: &FollowUp| {
                    matches!(
                        follow_up,
                        FollowUp::BatchRefused { .. }
                            | FollowUp::Reading(ToReading::PreviewRefused { .. })
                    )
                };
                if !follow_up.as_ref().is_some_and(tells) {
                    self.notify(Tone::Bad, text.in_lang(self.ui.lang));
                }
                self.follow(follow_up);
            }
            DriverEvent::Forked { dialog, next } => self.follow(lifecycle::forked(dialog, next)),
            DriverEvent::Shelf { ticket, rows } => {
                let shown = self.requests.finish(ticket).map(|_| NewOverlay::Shelf(rows));
                self.follow(shown.map(FollowUp::Show));
            }
            DriverEvent::Found { ticket, part } => {
                if part.end.is_some() {
                    self.requests.finish(ticket);
                }
                return self.overlays.add_found(ticket, *part);
            }
            DriverEvent::ImageKept { ticket, image } => {
                if let Some(Request::KeepImage { number, origin }) = self.requests.finish(ticket) {
                    let (kept, now) = ((number, *image), self.redraw.now());
                    let told =
                        self.writing.attach_kept(kept, &origin, (&self.model, &self.ui), now);
                    self.follow(told);
                }
            }
            DriverEvent::Prompt { ticket, text } => {
                if let Some(Request::Prompt { dialog, .. }) = self.requests.finish(ticket) {
                    let told = self.writing.append_prompt(&dialog, &text, self.redraw.now());
                    self.follow(told);
                }
            }
            DriverEvent::Log { ticket, log } => {
                if let Some(Request::Log(filter)) = self.requests.finish(ticket) {
                    self.follow([FollowUp::Show(NewOverlay::Log(log, filter))]);
                }
            }
            DriverEvent::Mind { ticket, mind } => match self.requests.finish(ticket) {
                Some(Request::MindAgain { .. }) => self.overlays.update_mind(&mind),
                Some(_) => self.follow([FollowUp::Show(NewOverlay::Mind(mind))]),
                None => {}
            },
            DriverEvent::Processes(processes) => self.model.processes = processes,
            DriverEvent::Consent(consent) => {
                let known = self.model.set_consent(consent);
                if !self.overlays.shows(consent_sheet::SCOPE) {
                    self.follow(consent::changed(&known, self.facts()));
                }
            }
            DriverEvent::News(items) => {
                let known = self.startup.mark_news_received().then(|| self.model.inbox.news());
                let (lang, now) = (self.ui.lang, self.redraw.now());
                let told =
                    known.and_then(|known| self.attention.news_changed(known, &items, lang, now));
                self.follow(told);
                self.model.inbox.set_news(items);
                if !self.focus.is_or_was(Focus::Inbox) {
                    self.model.inbox.rest();
                }
            }
            DriverEvent::Teams(teams) => self.model.teams.set(&teams),
            DriverEvent::Triggers(rows) => self.model.teams.set_triggers(rows),
            DriverEvent::Tasks(tasks) => self.model.teams.set_tasks(tasks),
            DriverEvent::TaskUpdated(task) => self.model.teams.put(*task),
            DriverEvent::Task { ticket, task } => {
                let shown = self.requests.finish(ticket).map(|_| NewOverlay::Task(task));
                self.follow(shown.map(FollowUp::Show));
            }
            DriverEvent::Memories { ticket, rows, total } => {
                if let Some(Request::Memories { request, opens }) = self.requests.finish(ticket) {
                    let list = &mut self.model.memories;
                    (list.asked, list.rows, list.total) = (Some(request), rows, total);
                    let shown = opens && !self.overlays.shows(memories::SCOPE);
                    self.follow(shown.then_some(FollowUp::Show(NewOverlay::Memories)));
                }
            }
            DriverEvent::MemoryChain { ticket, chain: memories, left_out } => {
                if let Some(Request::Memories { opens, .. }) = self.requests.finish(ticket) {
                    self.model.memories.chain = MemoryChain { memories, left_out };
                    let shown = opens && !self.overlays.shows(memory::SCOPE);
                    self.follow(shown.then_some(FollowUp::Show(NewOverlay::Memory)));
                }
            }
            DriverEvent::Vault { ticket, entries, total } => {
                let asked = self.requests.finish(ticket);
                if let Some(Request::Vault(VaultRequest::List { listed })) = asked {
                    self.follow([FollowUp::Show(NewOverlay::Vault { listed, entries, total })]);
                }
            }
            DriverEvent::VaultEntry { ticket, whole } => {
                let shown = self.requests.finish(ticket).map(|_| NewOverlay::Entry(whole));
                self.follow(shown.map(FollowUp::Show));
            }
            DriverEvent::Notice(text) => self.notify(Tone::Plain, text.in_lang(self.ui.lang)),
            DriverEvent::Quiet(outcome) => {
                return self.ending.update(outcome, !self.model.tree.is_empty());
            }
            DriverEvent::Halted(_) | DriverEvent::TreeQuiet { .. } | DriverEvent::Drafts { .. } => {
                return false;
            }
            DriverEvent::Lagged => {
                self.model.retries.clear();
                let lost = FollowUp::Notify(Tone::Plain, app_words::LAGGED);
                self.follow([lost, FollowUp::Command(Command::Refresh)]);
                self.follow(self.reading.reload());
                self.follow(self.overlays.reload_sheet(None));
                self.follow(self.overlays.find_again());
                self.preview.ask_again(self.redraw.now());
            }
            DriverEvent::Stopped => self.effects.push(Effect::Ended),
        }
        true
    }

    /// Turns the composer away from a question that was closed.
    fn inbox_changed(&mut self) {
        let (inbox, open) = (&self.model.inbox, self.reading.dialog());
        let here = (self.focus.is(Focus::Composer), open);
        let left = self.writing.inbox_changed(inbox, here, self.redraw.now());
        self.follow(left);
        for answer in self.held_answers.without_question(&self.model.inbox) {
            let key = answer.key();
            let HeldAnswer { dialog, typed, .. } = answer;
            let now = self.redraw.now();
            // The new draft is stored before the old one goes.
            self.writing.give_back(&dialog, &typed, now);
            self.writing.saved(&key, &typed, now);
            self.notify(Tone::Bad, self.ui.text(app_words::QUESTION_GONE));
        }
    }
}
