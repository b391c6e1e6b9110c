//! Carries out follow-ups: what crosses from one owner to another passes here.

use super::follow_up::FollowUp;
use super::requests::Request;
use crate::action::Action;
use crate::app::App;
use crate::app::answers::answering;
use crate::app::answers::question_choice::Pick;
use crate::app::dialogs::batch::Batch;
use crate::app::drawing::app_words;
use crate::app::drawing::focus::Focus;
use crate::cx::FilteredList;
use crate::domain::text::Localized;
use crate::model::{DraftKey, Filter, Tone};
use crate::overlay::Handled;
use crate::panes::transcript::ScrollMove;
use crate::protocol::{Command, Refusal};

impl App {
    fn request(&mut self, request: Request) {
        let ticket = self.requests.next_ticket();
        self.reading.requested(&request, ticket);
        if let Some(before) = self.preview.requested(&request, ticket) {
            self.requests.finish(before);
        }
        if let Some(before) = self.overlays.requested(&request, ticket) {
            self.requests.finish(before);
        }
        self.commands.push(self.requests.begin(ticket, request));
    }

    /// Says why this screen cannot change anything.
    fn refuse_to_change(&mut self) {
        let why = Localized::from(Refusal::ViewsOnly);
        self.notify(Tone::Plain, why.in_lang(self.ui.lang));
    }

    /// Carries out what follows from an action, an event or a change of one owner, in order.
    pub(in crate::app) fn follow(&mut self, follow_ups: impl IntoIterator<Item = FollowUp>) {
        for follow_up in follow_ups {
            self.carry_out(follow_up);
        }
    }

    fn carry_out(&mut self, follow_up: FollowUp) {
        let now = self.redraw.now();
        match follow_up {
            FollowUp::Notify(tone, word) => self.notify(tone, self.ui.text(word)),
            FollowUp::NotifyWhy(tone, text) => self.notify(tone, text.in_lang(self.ui.lang)),
            FollowUp::NotifyText(tone, text) => self.notify(tone, &text),
            FollowUp::Request(request) if self.model.views_only && request.changes() => {
                self.refuse_to_change();
            }
            FollowUp::Request(request) => {
                let alike = self.answers_alike(&request);
                for request in std::iter::once(request).chain(alike) {
                    self.request(request);
                }
            }
            FollowUp::Command(command) if self.model.views_only && !command.is_read_only() => {
                self.refuse_to_change();
            }
            FollowUp::Command(command) => self.commands.push(command),
            FollowUp::Effect(effect) => self.effects.push(effect),
            FollowUp::Copy(to, text) => self.copy_out(to, text),
            FollowUp::QuitAndStop => self.effects.push(self.quitting.quit_and_stop()),

            FollowUp::Act(action) => {
                if self.act(action) == Handled::Ignored {
                    self.notify(Tone::Plain, self.ui.text(app_words::NOT_HERE));
                }
            }

            FollowUp::ActInOverlay(scope, action) => {
                if self.overlays.scope() != Some(scope) || !self.act_in_overlay(action) {
                    self.notify(Tone::Plain, self.ui.text(app_words::NOT_HERE));
                }
            }

            FollowUp::Show(overlay) => {
                let (workspace, drafts) = (&self.model.workspace, self.writing.drafts());
                self.overlays.show(overlay, workspace, drafts);
            }
            FollowUp::ShowList(scope) => {
                let intents = self.in_overlays(|overlays, facts| overlays.show_list(facts, scope));
                self.carry_out_intents(intents);
            }
            FollowUp::BeginBatch { to, dialogs } => self.batch = Batch::new(to, dialogs),
            FollowUp::BatchDone => {
                let told = self.batch.done(&self.ui);
                self.follow(told);
            }
            FollowUp::BatchRefused { name, why } => {
                let told = self.batch.refused(name, &why, &self.ui);
                self.follow(told);
            }
            FollowUp::PutAway(root) => self.overlays.put_away(root),
            FollowUp::SheetRefused => {
                self.overlays.sheet_refused();
                self.overlays.sheet_answered(self.redraw.now());
            }
            FollowUp::EndFind => {
                if let Some(ticket) = self.overlays.end_find() {
                    self.requests.finish(ticket);
                    self.commands.push(Command::EndFind);
                }
            }

            FollowUp::Focus(Focus::Composer) if self.model.views_only => self.refuse_to_change(),
            FollowUp::Focus(Focus::Composer) if !self.writing.can_write() => {
                self.notify(Tone::Plain, self.ui.text(app_words::NO_TARGET));
            }
            FollowUp::Focus(focus) => {
                if self.focus.is(Focus::Composer) && focus != Focus::Composer {
                    self.writing.keep(now);
                }
                if focus == Focus::Composer && !self.focus.is(Focus::Composer) {
                    self.writing.entered();
                }
                let to_tree = focus == Focus::Tree;
                if to_tree != self.focus.is(Focus::Tree) {
                    self.model.tree.set_focused(to_tree);
                }
                self.focus.set(focus);
            }

            FollowUp::Open(dialog) => {
                let shown = self.reading.open_dialog(&dialog, None);
                self.follow(shown);
            }
            FollowUp::Read(dialog) => {
                self.follow([FollowUp::Open(dialog), FollowUp::Focus(Focus::Dialog)]);
            }
            FollowUp::ReadIfNew(dialog) => {
                let shown = self.reading.open_if_new(&dialog);
                self.follow(shown.into_iter().chain([FollowUp::Focus(Focus::Dialog)]));
            }
            FollowUp::ReturnTo(dialog) => {
                let shown = self.reading.return_to(&dialog);
                self.follow(shown);
            }
            FollowUp::GoToPlace(place) => {
                let shown = self.reading.go_to_place(place);
                self.follow(shown);
            }
            FollowUp::ShowQuestion(row) => {
                let newest = self.model.tree.get(&row.dialog).map(|row| row.course);
                let shown = self.reading.show_question(&row, newest);
                self.follow(shown);
            }
            FollowUp::ShowCall(dialog, call) => {
                let shown = self.reading.show_call(&dialog, call);
                self.follow(shown);
            }
            FollowUp::ShowGeneration(dialog, course, genseq) => {
                let newest = self.model.tree.get(&dialog).map(|row| row.course);
                let shown = self.reading.show_generation(&dialog, (course, genseq), newest);
                self.follow(shown);
            }
            FollowUp::ShowFound(dialog, found) => {
                let shown = self.reading.show_found(&dialog, found);
                self.follow(shown);
            }
            FollowUp::Scroll(to) => {
                // The live rows always show the end.
                let is_shown = to == ScrollMove::End;
                self.reading.scroll(to);
                if self.shows_live_rows() && !is_shown {
                    self.follow([FollowUp::Focus(Focus::Dialog)]);
                }
            }
            FollowUp::Search(text) => {
                if !self.overlays.search(&text) {
                    self.reading.search(&text);
                }
            }
            FollowUp::StepSearch(towards) => {
                if !self.overlays.step_search(towards) {
                    self.reading.step_search(towards);
                }
            }
            FollowUp::LeaveSearch => {
                if !self.overlays.leave_search() {
                    self.reading.leave_search();
                }
            }
            FollowUp::ShowParts => {
                let shown = self.reading.show_parts();
                self.follow(shown);
            }
            FollowUp::PreviewRefused { ticket, why } => {
                self.preview.refused(ticket, why.in_lang(self.ui.lang));
            }
            FollowUp::OpenRefused(ticket) => self.reading.refused(ticket),

            FollowUp::DialogShown(dialog) => self.writing.dialog_shown(dialog, now),
            FollowUp::WriteTo(target) => self.writing.write_to(target, now),
            FollowUp::Answer(pick) => {
                let picked = pick.find(&self.model.inbox, self.writing.question());
                let sent = picked.map(|row| row.question.id.clone());
                if let Some(id) = sent.filter(|id| self.model.inbox.is_sent(id)) {
                    let undone = self.held.take(&id).map(FollowUp::AnswerUndone);
                    let sending = FollowUp::Notify(Tone::Plain, app_words::ANSWER_ON_ITS_WAY);
                    self.follow([undone.unwrap_or(sending)]);
                    return;
                }
                let from = (self.return_focus(), self.reading.dialog());
                let turned = self.writing.answer_picked(&pick, &self.model.inbox, from, now);
                self.follow(turned);
            }
            FollowUp::HoldAnswer(answer) => {
                let mut alike = self.model.inbox.same_words(&answer.question);
                // A question with text typed already may get another answer.
                let drafts = self.writing.drafts();
                alike.retain(|(_, id)| answer.part.is_none() && !drafts.has_answer(id));
                self.follow(answering::ask_about_alike(&answer, alike, &self.ui));
                self.follow([FollowUp::HoldOne(answer)]);
            }
            FollowUp::SendAlike(answer) => {
                self.writing.sent_alike(&answer, now);
                self.model.inbox.mark_sent(&answer.question);
                self.follow([FollowUp::HoldOne(answer)]);
            }
            FollowUp::AlikeSent => {
                let here = self.writing.question().filter(|id| self.model.inbox.is_sent(id));
                let next = here.map(|id| FollowUp::AfterAnswer(id.to_owned()));
                self.follow(next);
            }
            FollowUp::HoldOne(answer) => {
                let now_due = self.held.hold(answer, now);
                self.follow(now_due.map(|answer| FollowUp::Request(answer.request())));
            }
            FollowUp::AnswerUndone(answer) => {
                let refused = self.writing.refused(&answer.key(), &answer.typed, now);
                self.follow(refused);
                self.follow([
                    FollowUp::Answer(Pick::Question(answer.question)),
                    FollowUp::Notify(Tone::Good, app_words::ANSWER_UNDONE),
                ]);
            }
            FollowUp::AfterAnswer(answered) => {
                let from = (self.return_focus(), self.reading.dialog());
                let turned = self.writing.after_answer(&answered, &self.model.inbox, from, now);
                self.follow(turned);
                if self.held.seconds_left(now).is_some() {
                    let key = self.ui.key(self.scope(), Action::UndoAnswer);
                    let (sent, dot) = (self.ui.text(app_words::SENT), self.ui.glyphs.middle_dot);
                    let text = format!("{sent} {dot} {key} {}", self.ui.text(app_words::UNDO_SENT));
                    self.notify(Tone::Good, &text);
                }
            }
            FollowUp::SaveDraft(key, text) => self.writing.set_draft(&key, &text, now),
            FollowUp::StoreDrafts => self.writing.store(),
            FollowUp::Saved(key, text) => {
                self.writing.saved(&key, &text, now);
                self.result_of_answer(&key);
            }
            FollowUp::MessageRefused(key, text) => {
                let refused = self.writing.refused(&key, &text, now);
                self.follow(refused);
                self.result_of_answer(&key);
            }
            FollowUp::EditQueued(dialog, message) => {
                let edited = self.writing.edit_queued(dialog, &message, now);
                self.follow(edited);
            }
            FollowUp::ImageRefused(number) => self.writing.image_refused(number, now),
            FollowUp::NotTakenBack(back) => self.writing.not_taken_back(back, now),
            FollowUp::TakeSent(text) => self.writing.take_sent(&text, now),

            FollowUp::SelectDialog(dialog) => self.model.tree.select(&dialog),
            FollowUp::SelectQuestion(id) => self.model.inbox.select_id(&id),
            FollowUp::PutOff(question, time) => self.put_off(&question, time),
            FollowUp::Filter(FilteredList::Dialogs, text) => {
                self.model.tree.set_filter(Filter::new(&text));
            }
            FollowUp::Filter(FilteredList::Questions, text) => {
                self.model.inbox.set_filter(Filter::new(&text));
            }
            FollowUp::StepIn(FilteredList::Dialogs, rows) => self.model.tree.step(rows),
            FollowUp::StepIn(FilteredList::Questions, rows) => self.model.inbox.step(rows),
            FollowUp::ClearMarks => self.model.tree.clear_marks(),
            FollowUp::MarkSent(id) => self.model.inbox.mark_sent(&id),
            FollowUp::UnmarkSent(id) => self.model.inbox.unmark_sent(&id),
            FollowUp::TaskdocUsed(taskdoc) => {
                self.model.workspace.move_taskdoc_to_front(taskdoc);
            }
        }
    }

    /// Handles the result of an answer: its question may have closed meanwhile.
    fn result_of_answer(&mut self, key: &DraftKey) {
        if key.question().is_some() {
            self.give_back_gone();
        }
    }
}
