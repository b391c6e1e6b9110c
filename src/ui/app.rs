//! The screen's state: the model, the drafts, the focus. Only keys and driver events change it; both
//! are plain method calls that return commands.
//!
//! Nothing here waits, reads a clock or writes to the terminal.

mod answering;
mod consent;
mod continuing;
mod ending;
mod events;
mod handlers;
mod jumping;
mod lifecycle;
mod opening;
mod processes;
mod queued;
mod screen;
mod sheets;
mod unused_keys;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use ratatui::crossterm::event::{KeyEvent, KeyEventKind};

use self::ending::DemoEnding;
pub use self::ending::DemoStart;
use self::jumping::BackEntry;
pub use self::processes::QuitPolicy;
use self::queued::PendingTakeBack;
pub use self::screen::Screen;
use crate::domain::sandbox::Level;
use crate::domain::transcript::RecordPosition;
use crate::domain::{Clock, DialogId, RootId};
use crate::protocol::event::QueuedMessage;
use crate::protocol::{Command, Lifecycle, Ticket};
use crate::ui::action::{Action, Scope};
use crate::ui::cx::{Cx, Intent, UiSettings};
use crate::ui::draft_writer::DraftTexts;
use crate::ui::keymap::Chord;
use crate::ui::lang::Word;
use crate::ui::lists;
use crate::ui::model::open::Unfolded;
use crate::ui::model::{DraftKey, Drafts, Model, Tone};
use crate::ui::overlay::{Handled, Overlay};
use crate::ui::panes::composer::{self, Composer};
use crate::ui::panes::confirm::Confirm;
use crate::ui::panes::form::NewDialog;
use crate::ui::panes::transcript::{self, TranscriptPane};
use crate::ui::panes::{inbox, tree};
use crate::ui::text::SafeText;

/// How often ages on the screen are updated while nothing else happens.
const AGE_REFRESH_INTERVAL: Duration = Duration::from_secs(60);
/// Questions that arrive within this time ring the bell once.
const RING_INTERVAL: Duration = Duration::from_secs(3);

/// Actions that work under every overlay.
const ALWAYS_ACTIVE: [Action; 2] = [Action::Suspend, Action::Redraw];

/// Which part of the screen gets the keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Focus {
    Tree,
    Inbox,
    Dialog,
    Composer,
}

/// What the screen requests from the loop beside commands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Effect {
    /// Quit: ask the driver to end and wait for it.
    Quit,
    /// The driver has ended.
    Ended,
    /// Suspend the program.
    Suspend,
    /// Redraw everything.
    Redraw,
    /// The number of open questions, for the window title; sent from the first question on.
    Title(usize),
    /// A question arrived: bell and notification with its headline.
    Ring(SafeText),
}

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

/// A request whose result the screen waits for.
#[derive(Debug, Clone, PartialEq, Eq)]
enum InFlight {
    Open,
    /// A message or answer; its draft is kept until it is on disk.
    Send {
        key: DraftKey,
        text: String,
    },
    Create {
        text: String,
        taskdoc: String,
    },
    /// A change of a dialog, with the dialog's name.
    Lifecycle(Lifecycle, String),
    /// A queued message is taken back.
    TakeBack(PendingTakeBack),
    /// The content of a sheet.
    Sheet,
    /// The keep-going setting of a dialog.
    KeepGoing(DialogId),
    Other,
}

/// The view on a dialog, restored when it is opened again.
#[derive(Debug, Clone, Default)]
struct SavedView {
    position: Option<(RecordPosition, usize)>,
    unfolded: Unfolded,
}

/// Where to return after answering.
#[derive(Debug, Clone)]
struct ReturnPoint {
    focus: Focus,
    dialog: Option<DialogId>,
}

#[derive(Debug)]
pub struct App {
    ui: Arc<UiSettings>,
    clock: Arc<dyn Clock>,
    model: Model,
    drafts: Drafts,
    composer: Composer,
    transcript: TranscriptPane,
    focus: Focus,
    /// The pane the composer was entered from.
    pane: Focus,
    zoomed: bool,
    overlays: Vec<Box<dyn Overlay>>,
    commands: Vec<Command>,
    effects: Vec<Effect>,
    last_ticket: Ticket,
    in_flight: BTreeMap<Ticket, InFlight>,
    saved_views: BTreeMap<DialogId, SavedView>,
    back: Vec<BackEntry>,
    /// A jump searches its target, also in older courses.
    is_seeking: bool,
    before_answering: Option<ReturnPoint>,
    startup: BTreeSet<StartupStep>,
    is_shutting_down: bool,
    quit_policy: QuitPolicy,
    /// The sandbox level of commands, once known.
    level: Option<Level>,
    /// Set for a demo only.
    ending: Option<DemoEnding>,
    dirty: bool,
    moment: Instant,
    drawn_at: Instant,
    rang_at: Option<Instant>,
    title_count: Option<usize>,
    /// The dialog that was marked done or archived last; selected when the list is opened.
    last_put_away: Option<RootId>,
    /// The key being handled.
    pressed: Option<Chord>,
    /// The last key, if it had no action.
    last_unused_key: Option<(Scope, Chord)>,
    /// When the queue of the open dialog became non-empty.
    queued_since: Option<Instant>,
}

/// What has to arrive before the first dialog is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum StartupStep {
    Rows,
    Inbox,
    DialogOpened,
}

impl App {
    pub fn new(options: AppOptions) -> Self {
        Self {
            ui: Arc::new(options.ui),
            clock: options.clock,
            model: Model::default(),
            drafts: Drafts::new(options.drafts),
            composer: Composer::default(),
            transcript: TranscriptPane::default(),
            focus: Focus::Tree,
            pane: Focus::Tree,
            zoomed: false,
            overlays: Vec::new(),
            commands: Vec::new(),
            effects: Vec::new(),
            last_ticket: 0,
            in_flight: BTreeMap::new(),
            saved_views: BTreeMap::new(),
            back: Vec::new(),
            is_seeking: false,
            before_answering: None,
            startup: BTreeSet::new(),
            is_shutting_down: false,
            quit_policy: QuitPolicy::default(),
            level: None,
            ending: None,
            dirty: true,
            moment: options.moment,
            drawn_at: options.moment,
            rang_at: None,
            title_count: None,
            last_put_away: None,
            pressed: None,
            last_unused_key: None,
            queued_since: None,
        }
    }

    /// Handles a key; returns the commands to send, in order.
    pub fn key(&mut self, key: KeyEvent) -> Vec<Command> {
        if key.kind == KeyEventKind::Release {
            return Vec::new();
        }
        self.dirty = true;
        let chord = Chord::from(key);
        self.pressed = Some(chord);
        // After another key, an unused key is reported again.
        self.last_unused_key.take_if(|(_, dead)| *dead != chord);
        if self.overlays.is_empty() {
            let known = self.ending_action(chord);
            match known.or_else(|| self.ui.keymap.action(self.scope(), chord)) {
                Some(action) => self.act_or_type(action, key),
                None if self.focus == Focus::Composer => self.type_or_notify(key),
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
        if self.focus != Focus::Composer {
            self.focus_composer();
        }
        if self.focus == Focus::Composer {
            if self.composer.field.paste(text) {
                self.keep_draft();
            } else {
                self.notify(Tone::Bad, Word::PasteTooLong);
            }
        }
        self.take_commands()
    }

    /// Advances the time. Call it before keys and events, and at [`App::wake_at`].
    pub fn tick(&mut self, now: Instant) {
        self.moment = now;
        self.dirty |= self.model.notices.tick(now);
        self.drafts.tick(now);
        let ages = !self.model.tree.is_empty() && now >= self.drawn_at + AGE_REFRESH_INTERVAL;
        let due = [self.countdown_changes_at(), self.queue_appears_at()];
        self.dirty |= ages || due.into_iter().flatten().any(|at| now >= at);
    }

    /// When something changes without an event.
    pub fn wake_at(&self) -> Option<Instant> {
        let ages = (!self.model.tree.is_empty()).then(|| self.drawn_at + AGE_REFRESH_INTERVAL);
        let times = [
            self.model.notices.until(),
            self.drafts.save_at(),
            ages,
            self.countdown_changes_at(),
            self.queue_appears_at(),
        ];
        times.into_iter().flatten().min()
    }

    /// When the retry countdown of the open dialog changes.
    fn countdown_changes_at(&self) -> Option<Instant> {
        self.model.retries.changes_at(&self.model.open.as_ref()?.dialog, self.drawn_at)
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
        self.drafts.take_outgoing()
    }

    pub fn take_effects(&mut self) -> Vec<Effect> {
        let count = self.model.inbox.len();
        let counts = count > 0 || self.title_count.is_some() || self.rang_at.is_some();
        if counts && self.title_count.replace(count) != Some(count) {
            self.effects.push(Effect::Title(count));
        }
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
        self.is_shutting_down = true;
        self.dirty = true;
        self.drafts.save();
    }

    /// Hands all drafts over to be stored, also those that changed just now.
    pub fn save_drafts(&mut self) {
        self.drafts.save();
    }

    /// The number of open questions, for the summary after the screen is closed.
    pub fn open_questions(&self) -> usize {
        self.model.inbox.len()
    }

    /// True once rows and inbox have arrived: before that the screen must not report them as empty.
    fn is_listed(&self) -> bool {
        self.startup.contains(&StartupStep::Rows) && self.startup.contains(&StartupStep::Inbox)
    }

    /// The scope in which keys are resolved.
    fn scope(&self) -> Scope {
        match self.focus {
            Focus::Tree => tree::SCOPE,
            Focus::Inbox => inbox::SCOPE,
            Focus::Dialog => transcript::SCOPE,
            Focus::Composer => composer::SCOPE,
        }
    }

    fn ticket(&mut self, waiting: InFlight) -> Ticket {
        self.last_ticket += 1;
        self.in_flight.insert(self.last_ticket, waiting);
        self.last_ticket
    }

    fn notify(&mut self, tone: Tone, word: Word) {
        self.notify_text(tone, self.ui.word(word));
    }

    fn notify_text(&mut self, tone: Tone, text: &str) {
        self.model.notices.show(tone, text, self.moment);
        self.dirty = true;
    }

    fn overlay_key(&mut self, key: KeyEvent) {
        let scope = self.overlays.last().map_or(Scope::PANES, |pane| pane.scope());
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
        let Some(mut pane) = self.overlays.pop() else {
            return false;
        };
        let mut intents = Vec::new();
        let handled = work(pane.as_mut(), &mut self.cx(&self.queued(), &mut intents));
        if handled != Handled::Close {
            self.overlays.push(pane);
        } else if self.overlays.is_empty() {
            self.model.sheets.close();
            self.drafts.save();
        }
        for intent in intents {
            self.apply_intent(intent);
        }
        handled != Handled::Ignored
    }

    fn cx<'a>(&'a self, queued: &'a [QueuedMessage], intents: &'a mut Vec<Intent>) -> Cx<'a> {
        Cx { model: &self.model, queued, drafts: &self.drafts, ui: &self.ui, intents }
    }

    /// Shows a list, or does what it wants instead.
    fn show_list(&mut self, scope: Scope) {
        let mut intents = Vec::new();
        let opened = lists::open(scope, &mut self.cx(&self.queued(), &mut intents));
        self.overlays.extend(opened);
        for intent in intents {
            self.apply_intent(intent);
        }
    }

    fn apply_intent(&mut self, intent: Intent) {
        match intent {
            Intent::Quit => self.effects.push(Effect::Quit),
            Intent::QuitAndStop => self.quit_and_stop(),
            Intent::StopProcess(pid) => self.stop_process(pid),
            Intent::StopAll => self.commands.push(Command::StopAll),
            Intent::Lifecycle(change) => self.change_lifecycle(change),
            Intent::Open(dialog) => {
                self.open(&dialog, None);
                self.set_focus(Focus::Dialog);
            }
            Intent::Agree { digests, level, then } => self.agree(digests, level, then),
            Intent::SaveDraft(key, text) => self.drafts.set(&key, &text, self.moment),
            Intent::Sheet { dialog, request, draft } => {
                self.change_on_sheet(dialog, request, draft);
            }
            Intent::EditQueued { dialog, words } => self.edit_queued(dialog, &words),
            Intent::TakeBack { dialog, message } => self.take_back(dialog, message),
            Intent::ChangeShelved(change, name) => self.send_lifecycle(change, name),
            Intent::Confirm(question, yes) => {
                self.overlays.push(Box::new(Confirm::with_text(&question, *yes)));
            }
            Intent::ConfirmPermanent(question, yes) => {
                self.overlays.push(Box::new(Confirm::permanent(&question, *yes)));
            }
            Intent::Notify(text) => self.notify_text(Tone::Plain, &text),
            Intent::Create { agent, taskdoc, text } => {
                self.drafts.set(&DraftKey::New, &text, self.moment);
                let ticket =
                    self.ticket(InFlight::Create { text: text.clone(), taskdoc: taskdoc.clone() });
                self.commands.push(Command::Create { ticket, agent, taskdoc, text });
            }
        }
    }

    fn new_dialog(&mut self) {
        let draft = self.drafts.get(&DraftKey::New);
        let form = NewDialog::new(&self.model.workspace, draft);
        self.overlays.push(Box::new(form));
    }
}

#[cfg(test)]
pub(in crate::ui) mod tests;
