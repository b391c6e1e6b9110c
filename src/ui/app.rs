//! The screen's state: the model, the drafts, the focus. Only keys and driver events change it; both
//! are plain method calls that return commands.
//!
//! Nothing here waits, reads a clock or writes to the terminal.

mod alerts;
mod answering;
mod consent;
mod continuing;
mod effect;
mod ending;
mod events;
mod focus;
mod follow_up;
mod handlers;
mod key_reports;
mod lifecycle;
mod overlays;
mod pick;
mod processes;
mod queue_strip;
mod queued;
mod quitting;
mod reading;
mod requests;
mod screen;
mod sheets;
mod startup;
mod unused_keys;
mod writing;

use std::sync::Arc;
use std::time::{Duration, Instant};

use ratatui::crossterm::event::{KeyEvent, KeyEventKind};

use self::alerts::Alerts;
pub use self::effect::Effect;
use self::ending::DemoEnding;
pub use self::ending::DemoStart;
pub use self::focus::Focus;
use self::focus::FocusState;
use self::follow_up::FollowUp;
use self::key_reports::KeyReports;
use self::overlays::{OverlayFacts, Overlays};
use self::pick::Pick;
use self::queue_strip::QueueStrip;
pub use self::quitting::QuitPolicy;
use self::quitting::Quitting;
use self::reading::Reading;
use self::requests::{PendingTakeBack, Request, Requests};
pub use self::screen::Screen;
use self::startup::Startup;
use self::writing::Writing;
use crate::domain::{Clock, DialogId};
use crate::protocol::Command;
use crate::ui::action::{Action, Scope};
use crate::ui::cx::{Cx, Intent, UiSettings};
use crate::ui::draft_writer::DraftTexts;
use crate::ui::keymap::Chord;
use crate::ui::lang::Word;
use crate::ui::model::{DraftKey, Model, Tone};
use crate::ui::overlay::{Handled, Overlay};
use crate::ui::panes::composer;
use crate::ui::panes::confirm::Confirm;
use crate::ui::panes::form::NewDialog;
use crate::ui::panes::transcript;
use crate::ui::panes::{inbox, tree};

/// How often ages on the screen are updated while nothing else happens.
const AGE_REFRESH_INTERVAL: Duration = Duration::from_secs(60);
/// Actions that work under every overlay.
const ALWAYS_ACTIVE: [Action; 2] = [Action::Suspend, Action::Redraw];

/// What an app is created with.
#[derive(Debug)]
pub struct AppOptions {
    pub ui: UiSettings,
    pub clock: Arc<dyn Clock>,
    /// Drafts of the last session.
    pub drafts: DraftTexts,
    /// The current time, for messages that expire.
    pub moment: Instant,
}

#[derive(Debug)]
pub struct App {
    ui: Arc<UiSettings>,
    clock: Arc<dyn Clock>,
    model: Model,
    writing: Writing,
    reading: Reading,
    focus: FocusState,
    overlays: Overlays,
    commands: Vec<Command>,
    effects: Vec<Effect>,
    requests: Requests,
    alerts: Alerts,
    startup: Startup,
    quitting: Quitting,
    ending: DemoEnding,
    dirty: bool,
    moment: Instant,
    drawn_at: Instant,
    keys: KeyReports,
    queue: QueueStrip,
}

impl App {
    pub fn new(options: AppOptions) -> Self {
        Self {
            ui: Arc::new(options.ui),
            clock: options.clock,
            model: Model::default(),
            writing: Writing::new(options.drafts),
            reading: Reading::default(),
            focus: FocusState::default(),
            overlays: Overlays::default(),
            commands: Vec::new(),
            effects: Vec::new(),
            requests: Requests::default(),
            alerts: Alerts::default(),
            startup: Startup::default(),
            quitting: Quitting::default(),
            ending: DemoEnding::default(),
            dirty: true,
            moment: options.moment,
            drawn_at: options.moment,
            keys: KeyReports::default(),
            queue: QueueStrip::default(),
        }
    }

    /// Handles a key; returns the commands to send, in order.
    pub fn key(&mut self, key: KeyEvent) -> Vec<Command> {
        if key.kind == KeyEventKind::Release {
            return Vec::new();
        }
        self.dirty = true;
        let chord = Chord::from(key);
        self.keys.press(chord);
        if self.overlays.is_empty() {
            let known = self.ending.action(chord, self.focus.now(), &self.ui.keymap);
            match known.or_else(|| self.ui.keymap.action(self.scope(), chord)) {
                Some(action) => self.act_or_type(action, key),
                None if self.focus.now() == Focus::Composer => self.type_or_notify(key),
                None => self.report_unused_key(self.scope(), chord),
            }
        } else {
            self.overlay_key(key);
        }
        self.track_queue();
        self.take_commands()
    }

    /// Handles pasted text. It never triggers actions.
    pub fn paste(&mut self, text: &str) -> Vec<Command> {
        self.dirty = true;
        if self.with_overlay(|pane, cx| {
            pane.paste(text, cx);
            Handled::Done
        }) {
            return self.take_commands();
        }
        if self.focus.now() != Focus::Composer {
            self.focus_composer();
        }
        if self.focus.now() == Focus::Composer && !self.writing.paste(text, self.moment) {
            self.notify(Tone::Bad, Word::PasteTooLong);
        }
        self.take_commands()
    }

    /// Advances the time. Call it before keys and events, and at [`App::wake_at`].
    pub fn tick(&mut self, now: Instant) {
        self.moment = now;
        self.dirty |= self.model.notices.tick(now);
        self.writing.tick(now);
        let ages = !self.model.tree.is_empty() && now >= self.drawn_at + AGE_REFRESH_INTERVAL;
        let due = [self.countdown_changes_at(), self.queue_appears_at()];
        self.dirty |= ages || due.into_iter().flatten().any(|at| now >= at);
    }

    /// When something changes without an event.
    pub fn wake_at(&self) -> Option<Instant> {
        let ages = (!self.model.tree.is_empty()).then(|| self.drawn_at + AGE_REFRESH_INTERVAL);
        let times = [
            self.model.notices.until(),
            self.writing.store_at(),
            ages,
            self.countdown_changes_at(),
            self.queue_appears_at(),
        ];
        times.into_iter().flatten().min()
    }

    /// When the retry countdown of the open dialog changes.
    fn countdown_changes_at(&self) -> Option<Instant> {
        self.model.retries.changes_at(self.reading.dialog()?, self.drawn_at)
    }

    /// True if the screen changed since the last call.
    pub fn take_dirty(&mut self) -> bool {
        std::mem::take(&mut self.dirty)
    }

    /// Commands caused by drawing or by timers.
    pub fn take_commands(&mut self) -> Vec<Command> {
        std::mem::take(&mut self.commands)
    }

    /// Drafts to store. They are stored before commands with the user's text are sent.
    pub fn take_drafts(&mut self) -> DraftTexts {
        self.writing.take_outgoing()
    }

    pub fn take_effects(&mut self) -> Vec<Effect> {
        let count = self.model.inbox.len();
        self.effects.extend(self.alerts.title(count));
        std::mem::take(&mut self.effects)
    }

    /// The terminal was resized or overwritten.
    pub fn resized(&mut self) {
        self.dirty = true;
    }

    /// The driver's queue is full; the command is sent later.
    pub fn busy(&mut self) {
        self.notify(Tone::Plain, Word::Busy);
    }

    /// The driver is asked to end; the screen shows that until it has.
    pub fn begin_shutdown(&mut self) {
        self.quitting.begin();
        self.dirty = true;
        self.writing.store();
    }

    /// Hands all drafts over to be stored, also those that changed just now.
    pub fn save_drafts(&mut self) {
        self.writing.store();
    }

    /// Makes this the screen of a demo, which shows `text` at its end.
    pub fn end_with(&mut self, text: &str, begun: DemoStart) {
        self.ending = DemoEnding::of_demo(text, begun);
    }

    /// True if the user quit in order to replay the demo.
    pub fn replays(&self) -> bool {
        self.ending.replays()
    }

    /// The number of open questions, for the summary after the screen is closed.
    pub fn open_questions(&self) -> usize {
        self.model.inbox.len()
    }

    /// The scope in which keys are resolved.
    fn scope(&self) -> Scope {
        match self.focus.now() {
            Focus::Tree => tree::SCOPE,
            Focus::Inbox => inbox::SCOPE,
            Focus::Dialog => transcript::SCOPE,
            Focus::Composer => composer::SCOPE,
        }
    }

    /// Sends a request.
    fn request(&mut self, request: Request) {
        let ticket = self.requests.next_ticket();
        self.reading.requested(&request, ticket);
        self.commands.push(self.requests.begin(ticket, request));
    }

    /// Carries out what follows from a change of one owner in others, in order.
    fn follow(&mut self, follow_ups: impl IntoIterator<Item = FollowUp>) {
        for follow_up in follow_ups {
            match follow_up {
                FollowUp::Notify(tone, word) => self.notify(tone, word),
                FollowUp::NotifyText(tone, text) => self.notify_text(tone, &text),
                FollowUp::Request(request) => self.request(request),
                FollowUp::Command(command) => self.commands.push(command),
                FollowUp::Focus(focus) => self.set_focus(focus),
                FollowUp::EnterComposer => self.focus.set(Focus::Composer),
                FollowUp::DialogShown(dialog) => self.writing.dialog_shown(dialog, self.moment),
                FollowUp::WriteTo(target) => self.writing.write_to(target, self.moment),
                FollowUp::SelectDialog(dialog) => self.model.tree.select(&dialog),
                FollowUp::Scroll(to) => self.reading.scroll(to),
                FollowUp::SelectQuestion(id) => self.model.inbox.select_id(&id),
                FollowUp::MarkSent(id) => self.model.inbox.mark_sent(&id),
                FollowUp::UnmarkSent(id) => self.model.inbox.unmark_sent(&id),
                FollowUp::ShowQuestion(row) => {
                    let newest = self.model.tree.get(&row.dialog).map(|row| row.course);
                    let shown = self.reading.show_question(&row, newest);
                    self.follow(shown);
                }
                FollowUp::AnswerCall(dialog, call) => {
                    self.answer_picked(&Pick::Call(dialog, call));
                }
                FollowUp::AfterAnswer(answered) => self.after_answer(&answered),
                FollowUp::ReturnTo(dialog) => {
                    let shown = self.reading.return_to(&dialog);
                    self.follow(shown);
                }
            }
        }
    }

    fn open(&mut self, dialog: &DialogId) {
        let follow_ups = self.reading.open_dialog(dialog, None);
        self.follow(follow_ups);
    }

    /// Opens a dialog and gives it the focus.
    fn read(&mut self, dialog: &DialogId) {
        self.open(dialog);
        self.set_focus(Focus::Dialog);
    }

    fn notify(&mut self, tone: Tone, word: Word) {
        self.notify_text(tone, self.ui.word(word));
    }

    fn notify_text(&mut self, tone: Tone, text: &str) {
        self.model.notices.show(tone, text, self.moment);
        self.dirty = true;
    }

    fn overlay_key(&mut self, key: KeyEvent) {
        let scope = self.overlays.scope().unwrap_or(Scope::PANES);
        let action = self.ui.keymap.action(scope, Chord::from(key));
        if let Some(global) = action.filter(|action| ALWAYS_ACTIVE.contains(action)) {
            self.act(global);
            return;
        }
        let used = self.with_overlay(|pane, cx| {
            let handled = action.map_or(Handled::Ignored, |action| pane.act(action, cx));
            let types = action.is_none() || scope == composer::SCOPE;
            if handled == Handled::Ignored && types { pane.typed(key, cx) } else { handled }
        });
        if !used {
            self.report_unused_key(scope, Chord::from(key));
        }
    }

    /// Calls the topmost overlay; false if there is none or it ignored the call.
    fn with_overlay(
        &mut self,
        work: impl FnOnce(&mut dyn Overlay, &mut Cx<'_>) -> Handled,
    ) -> bool {
        let queued = self.queued();
        let facts = OverlayFacts {
            model: &self.model,
            open: self.reading.dialog(),
            queued: &queued,
            places: self.reading.places(),
            drafts: self.writing.drafts(),
            ui: &self.ui,
        };
        let Some((handled, intents)) = self.overlays.call(facts, work) else {
            return false;
        };
        for intent in intents {
            self.apply_intent(intent);
        }
        handled != Handled::Ignored
    }

    /// Shows a list, or does what it wants instead.
    fn show_list(&mut self, scope: Scope) {
        let queued = self.queued();
        let facts = OverlayFacts {
            model: &self.model,
            open: self.reading.dialog(),
            queued: &queued,
            places: self.reading.places(),
            drafts: self.writing.drafts(),
            ui: &self.ui,
        };
        for intent in self.overlays.show_list(facts, scope) {
            self.apply_intent(intent);
        }
    }

    fn apply_intent(&mut self, intent: Intent) {
        match intent {
            Intent::Quit => self.effects.push(Effect::Quit),
            Intent::QuitAndStop => self.effects.push(self.quitting.quit_and_stop()),
            Intent::StopProcess(pid) => self.request(Request::StopProcess { pid }),
            Intent::StopAll => self.commands.push(Command::StopAll),
            Intent::Lifecycle(change) => self.change_lifecycle(change),
            Intent::GoTo(place) => self.in_dialog(|reading| reading.go_to_place(place)),
            Intent::RequestShelf => self.request(Request::Shelf),
            Intent::Open(dialog) => self.read(&dialog),
            Intent::Agree { digests, level, then } => self.agree(digests, level, then),
            Intent::StoreDrafts => self.writing.store(),
            Intent::SaveDraft(key, text) => self.writing.set_draft(&key, &text, self.moment),
            Intent::Sheet { dialog, request, draft } => {
                self.change_on_sheet(dialog, request, draft);
            }
            Intent::EditQueued { dialog, words } => {
                let follow_ups = self.writing.edit_queued(dialog, &words, self.moment);
                self.follow(follow_ups);
            }
            Intent::TakeBack { dialog, message } => {
                self.request(Request::TakeBack(PendingTakeBack { dialog, message, edit: None }));
            }
            Intent::ChangeShelved(change, name) => self.send_lifecycle(change, name),
            Intent::Confirm(question, yes) => {
                self.overlays.push(Confirm::with_text(&question, *yes));
            }
            Intent::ConfirmPermanent(question, yes) => {
                self.overlays.push(Confirm::permanent(&question, *yes));
            }
            Intent::Notify(text) => self.notify_text(Tone::Plain, &text),
            Intent::Create { agent, taskdoc, text } => {
                self.writing.set_draft(&DraftKey::New, &text, self.moment);
                self.request(Request::Create { agent, taskdoc, text });
            }
        }
    }

    fn new_dialog(&mut self) {
        let draft = self.writing.drafts().get(&DraftKey::New);
        let form = NewDialog::new(&self.model.workspace, draft);
        self.overlays.push(form);
    }
}

#[cfg(test)]
pub(in crate::ui) mod tests;
