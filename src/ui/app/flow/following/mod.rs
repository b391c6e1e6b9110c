//! Carries out follow-ups: what crosses from one owner to another passes here.

mod model;
mod reading;
mod settings;
mod writing;

use super::quitting;
use crate::action::{Action, Scope};
use crate::app::App;
use crate::app::dialogs::batch::Batch;
use crate::app::dialogs::{copying, lifecycle};
use crate::app::drawing::{app_words, focus};
use crate::domain::text::Localized;
use crate::focus::Focus;
use crate::follow_up::{FollowUp, FollowUps};
use crate::model::Tone;
use crate::new_overlay::NewOverlay;
use crate::overlay::Handled;
use crate::protocol::{Command, Refusal};
use crate::request::Request;

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
                self.follow([refused_to_change()]);
            }
            FollowUp::Request(request) => {
                let alike = self.writing.answers_alike(&request, &mut self.model.inbox, now);
                for request in std::iter::once(request).chain(alike) {
                    self.request(request);
                }
            }
            FollowUp::Command(command) if self.model.views_only && !command.is_read_only() => {
                self.follow([refused_to_change()]);
            }
            FollowUp::Command(command) => self.commands.push(command),
            FollowUp::Effect(effect) => self.effects.push(effect),
            FollowUp::Copy(to, text) => {
                let agent = self.reading.open().and_then(|open| open.agent.as_ref());
                let copied = copying::copy_out(to, text, (agent, &self.clock.now()));
                self.follow([copied]);
            }
            FollowUp::Set(setting) => self.use_setting(setting),
            FollowUp::QuitAndStop => self.effects.push(self.quitting.quit_and_stop()),
            FollowUp::Detach => self.follow([quitting::detach(self.facts())]),
            FollowUp::Lifecycle(change) => self.follow(lifecycle::change(change, self.facts())),

            FollowUp::Act(action) => {
                if self.act(action) == Handled::Ignored {
                    self.notify(Tone::Plain, self.ui.text(app_words::NOT_HERE));
                }
            }
            FollowUp::Run(scope, action) => {
                self.model.ran(action);
                self.follow(run(scope, action, self.focus.now()));
            }
            FollowUp::ActInOverlay(scope, action) => {
                self.model.ran(action);
                if self.overlays.scope() != Some(scope) || !self.act_in_overlay(action) {
                    self.notify(Tone::Plain, self.ui.text(app_words::NOT_HERE));
                }
            }

            FollowUp::Show(overlay) => {
                let content = self.overlays.show(overlay, &self.model, self.writing.drafts());
                self.follow(content);
            }
            FollowUp::ShowList(scope) => {
                let shown = self.in_overlays(|overlays, facts| overlays.show_list(facts, scope));
                self.follow(shown);
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

            FollowUp::Focus(Focus::Composer) if self.model.views_only => {
                self.follow([refused_to_change()]);
            }
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

            FollowUp::Reading(to) => self.follow_reading(to),
            FollowUp::Writing(to) => self.follow_writing(to),
            FollowUp::Model(to) => self.follow_model(to),
        }
    }
}

/// Says why this screen cannot change anything.
fn refused_to_change() -> FollowUp {
    FollowUp::NotifyWhy(Tone::Plain, Localized::from(Refusal::ViewsOnly))
}

/// Does what an action does in this scope, which may not be where the focus is.
fn run(scope: Scope, action: Action, focus: Focus) -> FollowUps {
    // In panes this key is also for a search or a filter.
    if scope == Scope::PANES && action == Action::NewDialog {
        let leave = (focus == Focus::Composer).then_some(FollowUp::Act(Action::Leave));
        return leave.into_iter().chain([FollowUp::Show(NewOverlay::NewDialog)]).collect();
    }
    if scope == Scope::PANES && focus == Focus::Composer {
        return vec![FollowUp::Act(Action::Leave), FollowUp::Act(action)];
    }
    let part = focus::part_of(scope).filter(|known| *known != focus);
    part.map(FollowUp::Focus).into_iter().chain([FollowUp::Act(action)]).collect()
}
