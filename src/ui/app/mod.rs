//! The screen's state: a router over its owners. Only keys and driver events change it; both are plain
//! method calls that return commands.
//!
//! An action (`handlers`), a driver event (`events`) or a key in an overlay is given to the owner it
//! concerns. What follows from it for others comes back as data and is carried out here (`following`).
//! Actions that only read take `facts`.
//!
//! Nothing here waits, reads a clock or writes to the terminal.

use std::sync::Arc;
use std::time::{Duration, Instant};

use ratatui::crossterm::event::{KeyEvent, KeyEventKind};
use ratatui::layout::Size;

use crate::action::{Action, Scope};
use crate::cx::{Cx, UiSettings};
use crate::domain::Clock;
use crate::domain::reading::usage::Prices;
use crate::domain::safety::sandbox::Level;
use crate::draft_writer::DraftTexts;
use crate::effect::Effect;
use crate::focus::Focus;
use crate::follow_up::FollowUp;
use crate::keymap::Chord;
use crate::model::{DraftKey, Model, Tone, UnsavedDraft};
use crate::new_overlay::NewOverlay;
use crate::overlay::{Handled, Overlay};
use crate::panes::composer;
use crate::panes::field::Field;
use crate::panes::transcript::ThinkingView;
use crate::protocol::Command;
use crate::request::Request;
use crate::terminal::MouseUse;
use crate::text::SafeText;
use crate::theme::Glyphs;
use crate::user_settings::SettingOptions;
use answers::undoable::HeldAnswers;
pub(crate) use calling::alerts::{Alerts, Due};
pub use calling::alerts::{AttentionSettings, Looking};
use calling::attention::{Attention, CallFacts};
pub(crate) use calling::call_text::CallText;
pub use calling::quiet_hours::QuietHours;
use composing::writing::Writing;
use dialogs::batch::Batch;
use dialogs::browsing;
use dialogs::preview::{Preview, PreviewStep};
use dialogs::queue_strip::{self, QueueStrip};
use dialogs::reading::Reading;
use dialogs::seen_marks::SeenMarks;
use drawing::app_words;
use drawing::appearance::Appearance;
pub use drawing::appearance::LookChange;
use drawing::focus::FocusState;
use drawing::inline::Inline;
pub use drawing::printing::PrintAmount;
use drawing::redraw::Redraw;
pub use drawing::screen::Screen;
use flow::ending::DemoEnding;
pub use flow::ending::DemoStart;
use flow::facts::Facts;
use flow::quitting::Quitting;
pub use flow::quitting::{Leaving, QuitPolicy};
use flow::requests::Requests;
use flow::startup::Startup;
use keys::begun_keys::Pressed;
use keys::first_hints::FirstHints;
pub use keys::first_hints::{HintUse, MAX_STORED_HINTS, STORED_HINTS};
pub use keys::modes::ComposerKeys;
pub use keys::pointer::Gesture;
use keys::pointer::Pointer;
use keys::pressing::{KeyFacts, Pressing};
use overlays::stack::{ALWAYS_ACTIVE, FROM_ANYWHERE, OverlayFacts, Overlays};

/// What an app is created with.
#[derive(Debug)]
pub struct AppOptions {
    pub ui: UiSettings,
    pub clock: Arc<dyn Clock>,
    /// Drafts of the last session.
    pub drafts: DraftTexts,
    /// How long an answer can be undone before the driver gets it; zero for not at all.
    pub undo_answers: Duration,
    /// The current time, for messages that expire.
    pub moment: Instant,
    pub start: AppStart,
}

/// How the screen is used, and what it shows from the start on.
#[derive(Debug, Default)]
pub struct AppStart {
    /// It is below the text of the terminal, which keeps finished blocks.
    pub inline: bool,
    /// It is read-only.
    pub views_only: bool,
    pub driver: DriverLife,
    pub mouse: MouseUse,
    pub composer_keys: ComposerKeys,
    /// How thinking looks in a dialog that is opened.
    pub thinking: ThinkingView,
    /// When the person is called.
    pub attention: AttentionSettings,
    /// What models cost.
    pub prices: Prices,
    /// The sandbox level of commands, if it is known.
    pub level: Option<Level>,
    /// The settings that can be changed here.
    pub settings: SettingOptions,
    /// The text at the end of a demo, if it is the screen of one.
    pub demo: Option<(String, DemoStart)>,
}

/// What becomes of the driver when the screen is left.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DriverLife {
    /// It ends with the screen.
    #[default]
    WithScreen,
    /// It is in this process and can go on without the screen.
    CanGoOn,
    /// It is another process: leaving this screen ends nothing.
    GoesOn,
}

/// Something about the screen itself that a person has to know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScreenNotice {
    /// The driver's queue is full; the command is sent later.
    Busy,
    /// No other process can reach the driver of this screen.
    Unreachable,
    /// The terminal has ASCII letters only, by its locale.
    WithoutLetters,
    /// The drafts of the last session could not be read.
    WithoutDrafts,
}

/// What is to be known of a screen when it was left.
#[derive(Debug, Clone, Copy)]
pub struct AppSummary<'a> {
    /// What happens to background processes, as the user chose when quitting.
    pub quit_policy: QuitPolicy,
    /// It was left so that the driver goes on.
    pub has_detached: bool,
    /// The user quit in order to replay the demo.
    pub replays: bool,
    /// The number of open questions, postponed ones included.
    pub open_questions: usize,
    /// The drafts that could not be stored until the end.
    pub unsaved: &'a [UnsavedDraft],
}

#[derive(Debug)]
pub struct App {
    ui: Arc<UiSettings>,
    clock: Arc<dyn Clock>,
    model: Model,
    writing: Writing,
    reading: Reading,
    preview: Preview,
    focus: FocusState,
    overlays: Overlays,
    commands: Vec<Command>,
    effects: Vec<Effect>,
    requests: Requests,
    attention: Attention,
    appearance: Appearance,
    startup: Startup,
    quitting: Quitting,
    ending: DemoEnding,
    redraw: Redraw,
    pressing: Pressing,
    queue: QueueStrip,
    /// The size that was laid out last.
    size: Option<Size>,
    pointer: Pointer,
    batch: Batch,
    held_answers: HeldAnswers,
    seen: SeenMarks,
    hints: FirstHints,
    /// `None` on a screen of its own.
    inline: Option<Inline>,
}

impl App {
    pub fn new(options: AppOptions) -> Self {
        let start = options.start;
        let (mut model, mut writing) = (Model::default(), Writing::new(options.drafts));
        model.tree.restore_looks(writing.drafts().get(&DraftKey::Looked));
        (model.prices, model.level) = (start.prices, start.level);
        model.settings = start.settings;
        model.driver_goes_on = start.driver == DriverLife::GoesOn;
        model.detaches = start.driver == DriverLife::CanGoOn;
        model.views_only = start.views_only;
        writing.use_keys(start.composer_keys);
        if start.views_only {
            writing.only_view();
        }
        let mut attention = Attention::default();
        attention.alerts.set(start.attention);
        let mut pointer = Pointer::default();
        let effects = pointer.use_mouse(start.mouse, start.inline).into_iter().collect();
        let ending = start.demo.map(|(text, begun)| DemoEnding::of_demo(&text, begun));
        Self {
            ui: Arc::new(options.ui),
            clock: options.clock,
            model,
            writing,
            reading: Reading::new(start.thinking),
            preview: Preview::default(),
            focus: FocusState::default(),
            overlays: Overlays::default(),
            commands: Vec::new(),
            effects,
            requests: Requests::default(),
            attention,
            appearance: Appearance::default(),
            startup: Startup::default(),
            quitting: Quitting::default(),
            ending: ending.unwrap_or_default(),
            redraw: Redraw::new(options.moment),
            pressing: Pressing::default(),
            queue: QueueStrip::default(),
            size: None,
            pointer,
            batch: Batch::default(),
            held_answers: HeldAnswers::new(options.undo_answers),
            seen: SeenMarks::default(),
            hints: FirstHints::default(),
            inline: start.inline.then(Inline::default),
        }
    }

    /// Shows the first hints that the person does not know yet. `stored` is the stored text about them, if
    /// any.
    pub fn show_first_hints(&mut self, stored: Option<&str>) {
        self.hints = FirstHints::from_stored(stored);
    }

    /// Handles a key; returns the commands to send, in order.
    pub fn key(&mut self, key: KeyEvent) -> Vec<Command> {
        if key.kind == KeyEventKind::Release {
            return Vec::new();
        }
        self.redraw.mark();
        self.hints.pressed();
        if self.model.is_cut_off() {
            // Shows that a person is there: the next try comes sooner.
            self.commands.push(Command::Refresh);
        }
        let chord = Chord::from(key);
        self.pressing.reports.press(chord.into());
        if !self.pressing.has_begun() && self.overlays.is_empty() && self.vi_key(key) {
            return self.outcome();
        }
        let here = KeyFacts::new(&self.overlays, &self.focus, &self.ui, self.redraw.now());
        let (pressed, told) = self.pressing.press(chord, &self.ending, here);
        self.follow(told);
        match (pressed, self.overlays.is_empty()) {
            (Pressed::Done, _) => {}
            (Pressed::Action(action), true) => self.act_or_type(action, key),
            (Pressed::Unbound, true) if self.focus.is(Focus::Composer) && Field::takes(key) => {
                self.writing.type_key(key, self.redraw.now());
            }
            (Pressed::Unbound, true) => self.report_unused_key(self.focus.scope()),
            (Pressed::Action(action), false) => self.overlay_key(key, Some(action)),
            (Pressed::Unbound, false) => self.overlay_key(key, None),
        }
        self.outcome()
    }

    /// Handles pasted text. It never triggers actions.
    pub fn paste(&mut self, text: &str) -> Vec<Command> {
        self.redraw.mark();
        self.pressing.take_back();
        let taken = self.with_overlay(|pane, cx| {
            pane.paste(text, cx);
            Handled::Done
        });
        if !taken {
            if !self.focus.is(Focus::Composer) {
                self.follow([FollowUp::Focus(Focus::Composer)]);
            }
            if self.focus.is(Focus::Composer) {
                let pasted = self.writing.paste(text, &self.ui, self.redraw.now());
                self.follow(pasted);
            }
        }
        self.outcome()
    }

    /// Returns the commands to send after a key or event.
    fn outcome(&mut self) -> Vec<Command> {
        let now = self.redraw.now();
        self.seen.look_at(self.reading.dialog(), &mut self.model.tree, now);
        let queued = queue_strip::of_open(self.facts(), &self.requests);
        self.queue.track(queued.is_empty(), now);
        self.writing.settle_vi();
        if self.focus.is(Focus::Composer) {
            self.commands.extend(self.writing.offer(&self.model, &self.ui));
        }
        self.take_commands()
    }

    /// Advances the time. Call it before keys and events, and at [`App::wake_at`].
    pub fn tick(&mut self, now: Instant) {
        let before = self.redraw.now();
        let prints = self.inline.as_ref().is_some_and(|inline| inline.prints_between(before, now));
        self.redraw.mark_if(prints);
        self.redraw.tick(now);
        self.seen.store_due(&mut self.model.tree, &mut self.writing, now);
        self.writing.tick(now);
        let due = self.held_answers.due(now);
        self.redraw.mark_if(!due.is_empty());
        self.follow(due.into_iter().map(|held| FollowUp::Request(held.request())));
        let alerts = &mut self.attention.alerts;
        let back = self.writing.bring_back_due(&mut self.model.inbox, alerts, now);
        self.follow(back);
        let calls =
            CallFacts { model: &self.model, answered: self.writing.question(), lang: self.ui.lang };
        self.commands.extend(self.attention.tell_looks(calls));
        self.effects.extend(self.attention.ring_if_due(calls, &*self.clock, now));
        match self.preview.tick(now) {
            PreviewStep::Nothing => {}
            PreviewStep::Ended => self.redraw.mark(),
            PreviewStep::Wants(request) => self.follow([FollowUp::Request(request)]),
        }
        let again = self.overlays.reload_due_sheet(now);
        self.follow(again);
        let expired = self.model.notices.tick(now);
        let fills = self.reading.fills_at(self.redraw.drawn_at());
        if fills.is_some_and(|at| now >= at) && !self.shows_live_rows() {
            self.reading.fill();
            self.redraw.mark();
        }
        self.redraw.mark_if(expired || self.redraw_at().is_some_and(|at| now >= at));
    }

    /// Returns the next time at which something changes without an event.
    pub fn wake_at(&self) -> Option<Instant> {
        let (notice, back) = (self.model.notices.until(), self.model.inbox.due_at());
        let (stored, rings) = (self.writing.store_at(), self.attention.alerts.wake_at());
        let (preview, looks) = (self.preview.wake_at(), self.seen.store_at());
        let sheet = self.overlays.sheet_due_at();
        let times = [notice, back, stored, rings, preview, looks, sheet, self.redraw_at()];
        times.into_iter().flatten().min()
    }

    /// Returns the same while the screen is not shown.
    pub fn wake_hidden_at(&self) -> Option<Instant> {
        let (notice, back) = (self.model.notices.until(), self.model.inbox.due_at());
        let (stored, held) = (self.writing.store_at(), self.held_answers.due_at());
        let (calls, looks) = (self.attention.alerts.wake_at(), self.seen.store_at());
        [notice, back, stored, held, calls, looks].into_iter().flatten().min()
    }

    /// Returns the time at which the drawn screen is out of date without an event: ages, the countdown
    /// of a retry, the strip of queued messages, rows that following left blank.
    fn redraw_at(&self) -> Option<Instant> {
        let drawn = self.redraw.drawn_at();
        let ages = (!self.model.tree.is_empty()).then(|| self.redraw.ages_at());
        let open = self.reading.dialog();
        let countdown = open.and_then(|open| self.model.retries.changes_at(open, drawn));
        let strip = self.queue.appears_at(drawn, self.reading.is_generating());
        let undo = self.held_answers.changes_at(drawn);
        let now = self.redraw.now();
        let waits = self.inline.as_ref().and_then(|inline| inline.log.wake_at());
        let prints = waits.filter(|at| *at > now && self.shows_live_rows());
        let here = KeyFacts::new(&self.overlays, &self.focus, &self.ui, now);
        let next_keys = self.pressing.lists_at(&self.writing, here, drawn);
        // Never while the dialog is not on the screen.
        let fills = self.reading.fills_at(drawn).filter(|_| !self.shows_live_rows());
        let asked = self.overlays.changes_at(drawn);
        [ages, countdown, strip, undo, fills, prints, next_keys, asked].into_iter().flatten().min()
    }

    /// True if the screen changed since the last call.
    pub fn take_dirty(&mut self) -> bool {
        self.redraw.take()
    }

    /// Commands caused by drawing or by timers.
    pub fn take_commands(&mut self) -> Vec<Command> {
        std::mem::take(&mut self.commands)
    }

    /// Takes the drafts to store, and the state of the hints. They are stored before commands with the user's
    /// text are sent.
    pub fn take_drafts(&mut self) -> DraftTexts {
        let mut drafts = self.writing.take_outgoing();
        drafts.extend(self.hints.take_stored().map(|text| (STORED_HINTS.to_owned(), text)));
        drafts
    }

    pub fn take_effects(&mut self) -> Vec<Effect> {
        let count = self.model.inbox.len();
        self.effects.extend(self.attention.alerts.title(count, self.redraw.now()));
        std::mem::take(&mut self.effects)
    }

    /// The terminal was resized or overwritten, or colours of code are known now.
    pub fn resized(&mut self) {
        self.redraw.mark();
    }

    /// The settings of the screen.
    pub fn settings(&self) -> &UiSettings {
        &self.ui
    }

    /// The terminal reports whether somebody looks at it.
    pub fn look(&mut self, looking: Looking) {
        self.attention.alerts.look(looking);
    }

    /// Tells the person something about the screen itself.
    pub fn tell(&mut self, notice: ScreenNotice) {
        self.follow([match notice {
            ScreenNotice::Busy => FollowUp::Notify(Tone::Plain, app_words::BUSY),
            ScreenNotice::Unreachable => FollowUp::Notify(Tone::Plain, app_words::UNREACHABLE),
            ScreenNotice::WithoutDrafts => FollowUp::Notify(Tone::Bad, app_words::WITHOUT_DRAFTS),
            // Without other letters it is English in every language.
            ScreenNotice::WithoutLetters => {
                let text = "no UTF-8 in the locale: other letters are ?; LC_ALL=C.UTF-8 helps";
                FollowUp::NotifyText(Tone::Bad, text.to_owned())
            }
        }]);
    }

    /// The screen is being left: answers that could still be undone are sent, and drafts stored.
    pub fn begin_leaving(&mut self, leaving: Leaving) {
        self.quitting.begin(leaving);
        self.redraw.mark_if(leaving == Leaving::WithDriver);
        let held = self.held_answers.all();
        self.follow(held.into_iter().map(|held| FollowUp::Request(held.request())));
        self.save_drafts();
    }

    /// Hands all drafts over to be stored, the latest changes included.
    pub fn save_drafts(&mut self) {
        self.seen.store(&mut self.model.tree, &mut self.writing, self.redraw.now());
        self.writing.store();
    }

    /// Returns what is to be known of the screen when it was left.
    pub fn summary(&self) -> AppSummary<'_> {
        AppSummary {
            quit_policy: self.quitting.policy(),
            has_detached: self.quitting.has_detached(),
            replays: self.ending.replays(),
            open_questions: self.model.inbox.all().len(),
            unsaved: &self.model.unsaved_at_end,
        }
    }

    /// Draws everything anew, as it has to look now.
    pub fn change_look(&mut self, change: LookChange) {
        let mut is_changed = false;
        let theme = match change {
            LookChange::Look { theme, follows } => self.appearance.choose(theme, follows),
            LookChange::Themes(themes) => self.appearance.follow(themes),
            LookChange::Background(shade) => self.appearance.show_on(shade),
            LookChange::Tried(tried) => self.appearance.try_on(tried, &self.ui.theme),
            LookChange::Invalid(reason) => {
                let reason = SafeText::line(reason.in_lang(self.ui.lang));
                let text = self.ui.sentence(app_words::THEME_STAYS, reason.as_str());
                return self.notify(Tone::Bad, &text);
            }
            LookChange::Wide(wide) => {
                wide.set();
                Arc::make_mut(&mut self.ui).glyphs = Glyphs::ASCII;
                is_changed = true;
                None
            }
        };
        if let Some(theme) = theme.filter(|theme| *theme != self.ui.theme) {
            Arc::make_mut(&mut self.ui).theme = theme;
            is_changed = true;
        }
        if is_changed {
            self.reading.forget_layout();
            self.preview.forget_layout();
            self.overlays.forget_rows();
            self.redraw.mark();
        }
    }

    /// What actions may read.
    fn facts(&self) -> Facts<'_> {
        let (open, focus) = (self.reading.open(), self.focus.now());
        Facts { model: &self.model, open, focus, ui: &self.ui }
    }

    fn notify(&mut self, tone: Tone, text: &str) {
        self.model.notices.show(tone, text, self.redraw.now());
        self.redraw.mark();
    }

    /// Reports that the key being handled does nothing here.
    fn report_unused_key(&mut self, scope: Scope) {
        let report = self.pressing.reports.report(scope, &self.ui);
        self.follow(report);
    }

    fn overlay_key(&mut self, key: KeyEvent, action: Option<Action>) {
        let scope = self.overlays.scope().unwrap_or_else(|| self.focus.scope());
        let acted = action.is_some_and(|action| self.act_in_overlay(action));
        let types = action.is_none() || scope == composer::SCOPE;
        let used = acted || (types && self.with_overlay(|pane, cx| pane.typed(key, cx)));
        if !used {
            self.report_unused_key(scope);
        }
    }

    /// Does what an action does in the topmost overlay; false if that is nothing.
    fn act_in_overlay(&mut self, action: Action) -> bool {
        if ALWAYS_ACTIVE.contains(&action) {
            self.act(action);
            return true;
        }
        if FROM_ANYWHERE.contains(&action) && !self.overlays.keeps(action) {
            if browsing::leads_to_dialog(action, self.facts()) {
                let left = self.overlays.leave();
                self.follow(left);
            }
            if !self.overlays.uncover(action) {
                self.act(action);
            }
            return true;
        }
        if !self.overlays.keeps(action)
            && let Some(keys) = self.overlays.keys(&self.ui.keymap)
        {
            if action == Action::Help {
                self.follow([FollowUp::Show(NewOverlay::Help(keys))]);
                return true;
            }
            if action == Action::Palette {
                self.follow([FollowUp::Show(NewOverlay::Palette(keys))]);
                return true;
            }
        }
        // Keys may come faster than frames.
        self.settle(self.overlays.awaits_layout());
        if let Some(shown) = self.overlays.search_key(action, &self.ui) {
            self.follow(shown);
            return true;
        }
        self.with_overlay(|pane, cx| pane.act(action, cx))
    }

    /// Calls the topmost overlay; false if there is none or it ignored the call.
    fn with_overlay(
        &mut self,
        work: impl FnOnce(&mut dyn Overlay, &mut Cx<'_>) -> Handled,
    ) -> bool {
        let called = self.in_overlays(|overlays, facts| overlays.call(facts, work));
        let Some((handled, follow_ups)) = called else { return false };
        self.follow(follow_ups);
        handled != Handled::Ignored
    }

    /// Runs `work` on the overlays with the state they may read.
    fn in_overlays<R>(&mut self, work: impl FnOnce(&mut Overlays, OverlayFacts<'_>) -> R) -> R {
        let queued = self.requests.still_queued(self.facts().open_row());
        let now = self.clock.now();
        let facts = OverlayFacts {
            model: &self.model,
            open: self.reading.dialog(),
            found: self.reading.search_count(),
            queued: &queued,
            places: self.reading.places(),
            drafts: self.writing.drafts(),
            sent: self.writing.composer().sent(),
            ui: &self.ui,
            moment: self.redraw.now(),
            now: &now,
        };
        work(&mut self.overlays, facts)
    }
}

mod answers;
mod calling;
mod composing;
mod dialogs;
mod drawing;
mod flow;
mod keys;
mod overlays;
#[cfg(test)]
pub(crate) mod tests;
