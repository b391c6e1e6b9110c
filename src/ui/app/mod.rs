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
use tokio::sync::Notify;

use crate::action::{Action, EditingKeys, KeysOf, Scope};
use crate::cx::{Cx, UiSettings};
use crate::domain::Clock;
use crate::domain::reading::usage::Prices;
use crate::domain::safety::sandbox::Level;
use crate::draft_writer::DraftTexts;
use crate::effect::Effect;
use crate::focus::Focus;
use crate::follow_up::FollowUp;
use crate::keymap::Chord;
use crate::links::Links;
use crate::model::{DraftKey, Model, Tone, attached};
use crate::new_overlay::NewOverlay;
use crate::overlay::{Handled, Overlay};
use crate::panes::field::Field;
use crate::panes::queued::QueuedRow;
use crate::panes::{composer, inbox, transcript, tree};
use crate::protocol::Command;
use crate::protocol::event::QueuedMessage;
use crate::request::Request;
use crate::text::SafeText;
use crate::text::wide_chars::WideChars;
use crate::theme::{Glyphs, Shade, ShadedThemes, Theme};
use answers::undoable::HeldAnswers;
pub(crate) use calling::alerts::{Alerts, Due};
pub use calling::alerts::{AttentionSettings, Looking};
use calling::attention::InView;
pub(crate) use calling::call_text::CallText;
pub use calling::quiet_hours::QuietHours;
use composing::writing::Writing;
use dialogs::batch::Batch;
use dialogs::preview::{Preview, PreviewStep};
use dialogs::queue_strip::QueueStrip;
use dialogs::reading::Reading;
use drawing::appearance::Appearance;
pub use drawing::appearance::LookChange;
use drawing::focus::FocusState;
use drawing::inline::Inline;
use drawing::redraw::Redraw;
pub use drawing::screen::Screen;
use flow::ending::DemoEnding;
pub use flow::ending::DemoStart;
use flow::facts::Facts;
pub use flow::quitting::QuitPolicy;
use flow::quitting::Quitting;
use flow::requests::Requests;
use flow::startup::Startup;
use keys::begun_keys::{BegunKeys, Pressed};
use keys::first_hints::FirstHints;
pub use keys::first_hints::{HintUse, MAX_STORED_HINTS, STORED_HINTS};
use keys::key_reports::KeyReports;
pub use keys::modes::ComposerKeys;
pub use keys::pointer::Gesture;
use keys::pointer::Pointer;
use overlays::stack::{ALWAYS_ACTIVE, OverlayFacts, Overlays};

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
    alerts: Alerts,
    /// The dialogs that the driver was last told the person looks at.
    told_looks: Option<Vec<String>>,
    appearance: Appearance,
    startup: Startup,
    quitting: Quitting,
    ending: DemoEnding,
    redraw: Redraw,
    keys: KeyReports,
    /// Keys that begin a longer sequence.
    begun: Option<BegunKeys>,
    /// The time of the last key of an unfinished vi command.
    command_since: Option<Instant>,
    queue: QueueStrip,
    /// The size that was laid out last.
    size: Option<Size>,
    in_view: InView,
    pointer: Pointer,
    batch: Batch,
    held: HeldAnswers,
    /// The time at which the looks of the user are stored.
    store_looks_at: Option<Instant>,
    hints: FirstHints,
    /// `None` on a screen of its own.
    inline: Option<Inline>,
}

impl App {
    pub fn new(options: AppOptions) -> Self {
        let (mut model, writing) = (Model::default(), Writing::new(options.drafts));
        model.tree.restore_looks(writing.drafts().get(&DraftKey::Looked));
        Self {
            ui: Arc::new(options.ui),
            clock: options.clock,
            model,
            writing,
            reading: Reading::default(),
            preview: Preview::default(),
            focus: FocusState::default(),
            overlays: Overlays::default(),
            commands: Vec::new(),
            effects: Vec::new(),
            requests: Requests::default(),
            alerts: Alerts::default(),
            told_looks: None,
            appearance: Appearance::default(),
            startup: Startup::default(),
            quitting: Quitting::default(),
            ending: DemoEnding::default(),
            redraw: Redraw::new(options.moment),
            keys: KeyReports::default(),
            begun: None,
            command_since: None,
            queue: QueueStrip::default(),
            size: None,
            in_view: InView::default(),
            pointer: Pointer::default(),
            batch: Batch::default(),
            held: HeldAnswers::new(options.undo_answers),
            store_looks_at: None,
            hints: FirstHints::default(),
            inline: None,
        }
    }

    /// Sets what models cost.
    pub fn set_prices(&mut self, prices: Prices) {
        self.model.prices = prices;
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
        self.keys.press(chord.into());
        if self.begun.is_none() && self.overlays.is_empty() && self.vi_key(key) {
            return self.outcome();
        }
        match (self.press(chord), self.overlays.is_empty()) {
            (Pressed::Done, _) => {}
            (Pressed::Action(action), true) => self.act_or_type(action, key),
            (Pressed::Unbound, true) if self.focus.is(Focus::Composer) && Field::takes(key) => {
                self.writing.type_key(key, self.redraw.now());
            }
            (Pressed::Unbound, true) => self.report_unused_key(self.scope()),
            (Pressed::Action(action), false) => self.overlay_key(key, Some(action)),
            (Pressed::Unbound, false) => self.overlay_key(key, None),
        }
        self.outcome()
    }

    /// Handles pasted text. It never triggers actions.
    pub fn paste(&mut self, text: &str) -> Vec<Command> {
        self.redraw.mark();
        self.begun = None;
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
        self.look_at_open();
        self.queue.track(self.queue_messages().is_empty(), self.redraw.now());
        self.writing.settle_vi();
        self.refresh_offers();
        self.take_commands()
    }

    /// Advances the time. Call it before keys and events, and at [`App::wake_at`].
    pub fn tick(&mut self, now: Instant) {
        let prints = self.prints_between(self.redraw.now(), now);
        self.redraw.mark_if(prints);
        self.redraw.tick(now);
        self.store_looks_due(now);
        self.writing.tick(now);
        let due = self.held.due(now);
        self.redraw.mark_if(!due.is_empty());
        self.follow(due.into_iter().map(|held| FollowUp::Request(held.request())));
        let back = self.bring_back_due(now);
        self.redraw.mark_if(back);
        self.tell_looks();
        self.draw_attention(now);
        match self.preview.tick(now) {
            PreviewStep::Nothing => {}
            PreviewStep::Ended => self.redraw.mark(),
            PreviewStep::Wants(request) => self.follow([FollowUp::Request(request)]),
        }
        let again = self.overlays.reload_due_sheet(now);
        self.follow(again);
        let expired = self.model.notices.tick(now);
        let fills = self.fills_at();
        if fills.is_some_and(|at| now >= at) {
            self.reading.fill();
        }
        self.redraw.mark_if(expired || self.redraw_at().is_some_and(|at| now >= at));
    }

    /// Returns the next time at which something changes without an event.
    pub fn wake_at(&self) -> Option<Instant> {
        let (notice, back) = (self.model.notices.until(), self.model.inbox.due_at());
        let (stored, rings) = (self.writing.store_at(), self.alerts.wake_at());
        let (preview, looks) = (self.preview.wake_at(), self.store_looks_at);
        let sheet = self.overlays.sheet_due_at();
        let times = [notice, back, stored, rings, preview, looks, sheet, self.redraw_at()];
        times.into_iter().flatten().min()
    }

    /// Returns the same while the screen is not shown.
    pub fn wake_hidden_at(&self) -> Option<Instant> {
        let (notice, back) = (self.model.notices.until(), self.model.inbox.due_at());
        let (stored, held) = (self.writing.store_at(), self.held.due_at());
        let calls = self.alerts.wake_at();
        [notice, back, stored, held, calls, self.store_looks_at].into_iter().flatten().min()
    }

    /// Returns the time at which the drawn screen is out of date without an event: ages, the countdown
    /// of a retry, the strip of queued messages, rows that following left blank.
    fn redraw_at(&self) -> Option<Instant> {
        let drawn = self.redraw.drawn_at();
        let ages = (!self.model.tree.is_empty()).then(|| self.redraw.ages_at());
        let open = self.reading.dialog();
        let countdown = open.and_then(|open| self.model.retries.changes_at(open, drawn));
        let strip = self.queue.appears_at(drawn, self.reading.is_generating());
        let undo = self.held.changes_at(drawn);
        let (fills, prints) = (self.fills_at(), self.prints_at());
        let begun = self.begun.as_ref().map(|begun| begun.since);
        let begun = begun.or_else(|| self.begun_command().map(|(_, since)| since));
        let next_keys = begun.and_then(|since| keys::begun_keys::appears_at(since, drawn));
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
        self.effects.extend(self.alerts.title(count, self.redraw.now()));
        std::mem::take(&mut self.effects)
    }

    /// The terminal was resized or overwritten, or colours of code are known now.
    pub fn resized(&mut self) {
        self.redraw.mark();
    }

    /// The addresses of links on the screen.
    pub fn links(&self) -> Links {
        self.ui.links.clone()
    }

    /// Notified when more colours of code are known; then [`App::resized`] draws them.
    pub fn code_coloured(&self) -> Arc<Notify> {
        self.ui.colours.done()
    }

    /// The driver's queue is full; the command is sent later.
    pub fn busy(&mut self) {
        self.follow([FollowUp::Notify(Tone::Plain, drawing::app_words::BUSY)]);
    }

    /// The driver is asked to end; the screen shows that until it has.
    pub fn begin_shutdown(&mut self) {
        self.quitting.begin();
        self.send_held();
        self.redraw.mark();
        self.store_looks();
        self.writing.store();
    }

    /// Sends the answers that could still be undone.
    fn send_held(&mut self) {
        let held = self.held.all();
        self.follow(held.into_iter().map(|held| FollowUp::Request(held.request())));
    }

    /// Hands all drafts over to be stored, the latest changes included.
    pub fn save_drafts(&mut self) {
        self.store_looks();
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

    /// Returns what happens to background processes, as the user chose when quitting.
    pub fn quit_policy(&self) -> QuitPolicy {
        self.quitting.policy()
    }

    /// The driver is another process: leaving this screen ends nothing.
    pub fn leave_driver_running(&mut self) {
        self.model.driver_goes_on = true;
    }

    /// No other process can reach the driver of this screen.
    pub fn tell_unreachable(&mut self) {
        self.follow([FollowUp::Notify(Tone::Plain, drawing::app_words::UNREACHABLE)]);
    }

    /// Warns that the terminal has ASCII letters only, by its locale; so this is English in every language.
    pub fn tell_without_letters(&mut self) {
        self.notify(Tone::Bad, "no UTF-8 in the locale: other letters are ?; LC_ALL=C.UTF-8 helps");
    }

    /// The drafts of the last session could not be read.
    pub fn tell_without_drafts(&mut self) {
        self.follow([FollowUp::Notify(Tone::Bad, drawing::app_words::WITHOUT_DRAFTS)]);
    }

    /// Makes this screen read-only.
    pub fn only_view(&mut self) {
        self.model.views_only = true;
        self.writing.only_view();
    }

    /// The driver of this process can go on without this screen.
    pub fn may_detach(&mut self) {
        self.model.detaches = true;
    }

    /// Leaves the screen while the driver goes on: held answers are sent and drafts stored.
    pub fn begin_detach(&mut self) {
        self.quitting.detach();
        self.send_held();
        self.store_looks();
        self.writing.store();
    }

    /// True if the screen was left so that the driver goes on.
    pub fn has_detached(&self) -> bool {
        self.quitting.has_detached()
    }

    /// Sets the sandbox level of commands to show.
    pub fn show_level(&mut self, level: Level) {
        self.model.level = Some(level);
        self.redraw.mark();
    }

    /// Uses the theme that fits the terminal's background, now and when it changes.
    pub fn follow_background(&mut self, themes: ShadedThemes) {
        let theme = self.appearance.follow(themes);
        self.wear(theme);
    }

    /// The terminal's background is dark or light.
    pub fn show_on(&mut self, shade: Shade) {
        let theme = self.appearance.show_on(shade);
        self.wear(theme);
    }

    /// The user has changed the theme.
    pub fn change_look(&mut self, change: LookChange) {
        match change {
            LookChange::Look { theme, follows } => {
                let theme = self.appearance.choose(theme, follows);
                self.wear(Some(theme));
            }
            LookChange::Invalid(reason) => {
                let reason = SafeText::line(reason.in_lang(self.ui.lang));
                let text = self.ui.sentence(drawing::app_words::THEME_STAYS, reason.as_str());
                self.notify(Tone::Bad, &text);
            }
        }
    }

    /// Draws everything in another theme, if there is one and it differs.
    fn wear(&mut self, theme: Option<Theme>) {
        if let Some(theme) = theme.filter(|theme| *theme != self.ui.theme) {
            Arc::make_mut(&mut self.ui).theme = theme;
            self.forget_layout();
        }
    }

    /// The terminal draws these two cells wide: they count as two, and the symbols are those of ASCII.
    pub fn widen(&mut self, wide: WideChars) {
        wide.set();
        Arc::make_mut(&mut self.ui).glyphs = Glyphs::ASCII;
        self.forget_layout();
    }

    /// Draws everything anew.
    fn forget_layout(&mut self) {
        self.reading.forget_layout();
        self.preview.forget_layout();
        self.overlays.forget_rows();
        self.redraw.mark();
    }

    /// Returns the number of open questions, postponed ones included, for the line after the screen is closed.
    pub fn open_questions(&self) -> usize {
        self.model.inbox.all().len()
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

    /// Applies moves of the transcript that wait for the next layout: an action on the block with the cursor
    /// then concerns the block the user went to, however fast.
    fn settle(&mut self) {
        if self.reading.has_pending_moves()
            && let Some(size) = self.next_size()
        {
            self.layout(size);
        }
    }

    /// Continues a search in older records as soon as some of them arrived: the next ones are requested
    /// at once, not a frame later.
    fn seek_on(&mut self) {
        if let Some(size) = self.size.filter(|_| self.reading.seeks_older()) {
            self.layout(size);
        }
    }

    /// What actions may read.
    fn facts(&self) -> Facts<'_> {
        let (open, focus) = (self.reading.open(), self.focus.now());
        Facts { model: &self.model, open, focus, ui: &self.ui }
    }

    /// The queued messages of the open dialog as the driver reported them, without those being taken back.
    fn queued(&self) -> Arc<[QueuedMessage]> {
        let row = self.facts().open_row();
        row.map(|row| self.requests.not_taken_back(&row.queued)).unwrap_or_default()
    }

    /// The queued messages of the open dialog, including those not yet on disk.
    fn queue_messages(&self) -> Vec<QueuedRow> {
        let Some(dialog) = self.reading.dialog() else { return Vec::new() };
        let key = DraftKey::Message(dialog.clone());
        let sending: Vec<String> = self.requests.texts_for(&key).map(attached::content).collect();
        dialogs::queue_strip::messages(&self.queued(), sending.iter().map(String::as_str))
    }

    fn notify(&mut self, tone: Tone, text: &str) {
        self.model.notices.show(tone, text, self.redraw.now());
        self.redraw.mark();
    }

    /// Returns whose keys help and the palette show while no overlay is open.
    fn pane_keys(&self) -> KeysOf {
        let keys = if self.writing.has_vi() { EditingKeys::Vi } else { EditingKeys::Plain };
        KeysOf::pane(self.scope(), self.focus.is(Focus::Composer).then_some(keys))
    }

    /// Reports that the key being handled does nothing here.
    fn report_unused_key(&mut self, scope: Scope) {
        let report = self.keys.report(scope, &self.ui);
        self.follow(report);
    }

    fn overlay_key(&mut self, key: KeyEvent, action: Option<Action>) {
        let scope = self.key_scope();
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
        if self.overlays.awaits_layout()
            && let Some(size) = self.next_size()
        {
            self.layout(size);
        }
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
        let queued = self.queued();
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
