//! Writing messages and answers: the composer, its target, and the drafts.

mod answering;
mod images;
mod returning;

use std::collections::VecDeque;
use std::time::Instant;

use ratatui::crossterm::event::KeyEvent;

use crate::action::{Action, Scope};
use crate::app::drawing::app_words;
use crate::cx::UiSettings;
use crate::domain::asking::question::choices::AnswerChoice;
use crate::domain::asking::question::picking::{self, PickedAnswer};
use crate::domain::reading::title::without_marks;
use crate::domain::{DialogId, ServerPrompt};
use crate::draft_writer::DraftTexts;
use crate::focus::Focus;
use crate::follow_up::{FollowUp, ToReading};
use crate::model::{DraftKey, Drafts, Inbox, Tone, attached};
use crate::new_overlay::{NewOverlay, WantedPrompt};
use crate::panes::composer::offers::{self, Offer, OfferedFiles};
use crate::panes::composer::{Composer, SCOPE, SentTexts, Target, TypedKind};
use crate::panes::field::{BegunCommand, ChipOpened, Field, ViKeys, ViMode, ViOutcome};
use crate::panes::transcript::ScrollMove;
use crate::protocol::event::QueuedMessage;
use crate::protocol::{InboxRow, WorkspaceView};
use crate::request::{HeldAnswer, PendingTakeBack, Request, TakeBackEdit};

/// Fields of other targets that are kept; of more, only the drafts.
const MAX_CLOSED: usize = 8;

#[derive(Debug)]
pub(in crate::app) struct Writing {
    composer: Composer,
    drafts: Drafts,
    /// Drafts that are being sent, with their texts.
    sending: Vec<(DraftKey, String)>,
    /// The draft that last got refused texts back, and these texts: the next one is put after them.
    refused: Option<(DraftKey, String)>,
    before_answering: Option<ReturnPoint>,
    /// Fields of former targets, with undo and chips; the last one left is last.
    closed_fields: VecDeque<(DraftKey, Field)>,
    /// The question whose answer was handed to the editor last.
    edited: Option<(DraftKey, DialogId)>,
    /// Images that were asked for; each has its number.
    images_asked: u64,
    /// True if this screen is read-only.
    views_only: bool,
}

/// The result of completing.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::app) enum Completed {
    /// The key has no meaning for the completions.
    Nothing,
    Done,
    /// An action to run.
    Run(Scope, Action),
    /// Done, with follow-ups.
    Follow(Vec<FollowUp>),
}

/// Where to return after answering.
#[derive(Debug, Clone)]
struct ReturnPoint {
    focus: Focus,
    dialog: Option<DialogId>,
}

impl Writing {
    /// Makes it with the stored drafts.
    pub fn new(stored: DraftTexts) -> Self {
        let drafts = Drafts::new(stored);
        Self {
            composer: Composer::new(SentTexts::from_stored(drafts.get(&DraftKey::Sent))),
            drafts,
            sending: Vec::new(),
            refused: None,
            before_answering: None,
            closed_fields: VecDeque::new(),
            edited: None,
            images_asked: 0,
            views_only: false,
        }
    }

    /// Makes it read-only: it has no target.
    pub fn only_view(&mut self) {
        self.views_only = true;
    }

    pub fn composer(&self) -> &Composer {
        &self.composer
    }

    pub fn drafts(&self) -> &Drafts {
        &self.drafts
    }

    pub fn target(&self) -> &Target {
        &self.composer.target
    }

    /// The question being answered.
    pub fn question(&self) -> Option<&str> {
        self.composer.target.question()
    }

    pub fn can_write(&self) -> bool {
        self.composer.target != Target::Nobody
    }

    /// The composer is empty.
    pub fn is_empty(&self) -> bool {
        self.composer.field.is_empty()
    }

    pub fn set_draft(&mut self, key: &DraftKey, text: &str, now: Instant) {
        self.drafts.set(key, text, now);
    }

    /// Hands all drafts over to be stored now.
    pub fn store(&mut self) {
        self.drafts.save();
    }

    /// Hands over the drafts that are due.
    pub fn tick(&mut self, now: Instant) {
        self.drafts.tick(now);
    }

    pub fn store_at(&self) -> Option<Instant> {
        self.drafts.save_at()
    }

    /// Takes the drafts to be stored.
    pub fn take_outgoing(&mut self) -> DraftTexts {
        self.drafts.take_outgoing()
    }

    /// A dialog was opened: the composer turns to it unless a question is being answered.
    pub fn dialog_shown(&mut self, dialog: DialogId, now: Instant) {
        if self.question().is_none() {
            self.write_to(Target::Dialog(dialog), now);
        }
    }

    /// Changes the target; the typed text stays as a draft.
    pub fn write_to(&mut self, target: Target, now: Instant) {
        let target = if self.views_only { Target::Nobody } else { target };
        if target == self.composer.target {
            return;
        }
        if !matches!(target, Target::Question { .. }) {
            self.before_answering = None;
        }
        self.composer.reset_mode();
        self.keep(now);
        self.drafts.save();
        let before = std::mem::take(&mut self.composer.field);
        if let Some(key) = self.composer.target.key().filter(|_| !before.is_empty()) {
            self.closed_fields.retain(|(of, _)| *of != key);
            self.closed_fields.push_back((key, before));
            self.closed_fields.drain(..self.closed_fields.len().saturating_sub(MAX_CLOSED));
        }
        let draft = target.key().map(|key| self.unsent_draft(&key)).unwrap_or_default();
        self.composer.field = self.take_closed(&target, &draft);
        self.composer.target = target;
    }

    /// Takes the field as it was left, if it has this text; else makes a new one.
    fn take_closed(&mut self, target: &Target, draft: &str) -> Field {
        let key = target.key();
        let at = self.closed_fields.iter().position(|(of, _)| Some(of) == key.as_ref());
        let closed = at.and_then(|at| self.closed_fields.remove(at)).map(|(_, field)| field);
        closed.filter(|field| field.text() == draft).unwrap_or_else(|| Field::of_draft(draft))
    }

    /// A draft, unless it is already being sent.
    fn unsent_draft(&self, key: &DraftKey) -> String {
        let draft = self.drafts.get(key);
        let is_sent = self.sending.iter().any(|(of, text)| of == key && text == draft);
        if is_sent { String::new() } else { draft.to_owned() }
    }

    /// Keeps the typed text as a draft.
    pub fn keep(&mut self, now: Instant) {
        let text = self.composer.field.text();
        if let Some(key) = self.composer.target.key() {
            let is_sent = text.is_empty() && self.unsent_draft(&key) != self.drafts.get(&key);
            if !is_sent {
                self.drafts.set(&key, &text, now);
                self.keep_asker(&text, now);
            }
        }
    }

    pub fn type_key(&mut self, key: KeyEvent, now: Instant) {
        if self.can_write() && self.composer.field.typed(key) {
            self.keep(now);
        }
    }

    /// Another draft takes the place of all that is typed; it can be undone.
    pub fn replace_draft(&mut self, draft: &str, now: Instant) {
        self.composer.field.clear();
        self.composer.field.paste_draft(draft);
        self.keep(now);
    }

    pub fn new_line(&mut self, now: Instant) -> Vec<FollowUp> {
        self.composer.field.new_line();
        self.keep(now);
        Vec::new()
    }

    /// Recalls a message that was sent before.
    pub fn recall(&mut self, down: bool, now: Instant) -> Vec<FollowUp> {
        let changed =
            if down { self.composer.recall_later() } else { self.composer.recall_earlier() };
        if changed {
            self.keep(now);
        }
        Vec::new()
    }

    pub fn clear(&mut self, now: Instant, ui: &UiSettings) -> Vec<FollowUp> {
        self.composer.field.clear();
        self.keep(now);
        let (dot, key) = (ui.glyphs.middle_dot, ui.key(SCOPE, Action::Undo));
        let (cleared, back) = (ui.text(app_words::DRAFT_CLEARED), ui.text(app_words::BRINGS_BACK));
        vec![FollowUp::NotifyText(Tone::Plain, format!("{cleared} {dot} {key} {back}"))]
    }

    pub fn undo(&mut self, now: Instant) -> Vec<FollowUp> {
        let was_empty = self.is_empty();
        if !self.composer.undo() {
            return vec![FollowUp::Notify(Tone::Plain, app_words::NOTHING_TO_UNDO)];
        }
        self.keep(now);
        let restored =
            was_empty.then_some(FollowUp::Notify(Tone::Plain, app_words::DRAFT_RESTORED));
        restored.into_iter().collect()
    }

    /// Redoes the last undone change.
    pub fn redo(&mut self, now: Instant) -> Vec<FollowUp> {
        if !self.composer.field.redo() {
            return vec![FollowUp::Notify(Tone::Plain, app_words::NOTHING_TO_REDO)];
        }
        self.keep(now);
        Vec::new()
    }

    /// Handles Ctrl+R: searches in the sent messages.
    pub fn find_sent(&self) -> Vec<FollowUp> {
        if self.composer.sent().is_empty() {
            return vec![FollowUp::Notify(Tone::Plain, app_words::NOTHING_SENT)];
        }
        vec![FollowUp::Show(NewOverlay::Sent)]
    }

    pub fn take_sent(&mut self, text: &str, now: Instant) {
        if self.can_write() {
            self.composer.take_sent(text);
            self.keep(now);
        }
    }

    /// Finds what completes the text at the caret; returns the kind of text that is begun, for which more may be asked
    /// for.
    pub fn refresh_offers(
        &mut self,
        workspace: &WorkspaceView,
        actions: impl FnOnce(&str) -> Vec<Offer>,
    ) -> Option<TypedKind> {
        if self.composer.mode().is_some_and(|mode| mode != ViMode::Insert) {
            self.composer.completion.hide();
            return None;
        }
        let with_prompts = self.offers_prompts(workspace);
        let Composer { completion, field, files, prompts, .. } = &mut self.composer;
        completion.refresh(field, |kind, typed| match kind {
            TypedKind::Name => offers::names(typed, &workspace.members, files),
            // No server hides an action by the name of a prompt.
            TypedKind::Action if with_prompts => {
                [actions(typed), offers::prompts(typed, prompts)].concat()
            }
            TypedKind::Action => actions(typed),
        })
    }

    /// True if the text is a message, and servers are to offer prompts for it.
    pub fn offers_prompts(&self, workspace: &WorkspaceView) -> bool {
        workspace.has_prompts && matches!(self.target(), Target::Dialog(_))
    }

    /// The composer has the keys of vi, or not.
    pub fn set_vi(&mut self, vi: Option<ViKeys>) {
        self.composer.vi = vi;
    }

    pub fn has_vi(&self) -> bool {
        self.composer.vi.is_some()
    }

    /// The command of vi that is begun.
    pub fn begun_command(&self) -> Option<BegunCommand> {
        self.composer.vi.as_ref().and_then(ViKeys::begun)
    }

    /// Gives a key to vi, if the composer has its keys.
    pub fn vi_key(&mut self, key: KeyEvent, now: Instant) -> ViOutcome {
        let Composer { vi, field, .. } = &mut self.composer;
        let Some(vi) = vi.as_mut() else { return ViOutcome::NotTaken };
        let outcome = vi.press(key, field);
        if outcome == ViOutcome::Taken {
            self.keep(now);
        }
        outcome
    }

    /// Moves the caret onto a character in normal mode, whatever moved it; called after each key and event.
    pub fn settle_vi(&mut self) {
        let Composer { vi, field, .. } = &mut self.composer;
        if let Some(vi) = vi {
            vi.settle(field);
        }
    }

    /// Resets the mode when the composer gets the focus: typed characters are text.
    pub fn entered(&mut self) {
        self.composer.reset_mode();
    }

    /// Marks the completions as stale, as after a change of members.
    pub fn offers_changed(&mut self) {
        self.composer.completion.set_stale();
    }

    /// The files of the workspace were listed.
    pub fn set_files(&mut self, paths: Vec<String>) {
        self.composer.files = OfferedFiles::new(paths);
        self.offers_changed();
    }

    /// The prompts of servers were listed.
    pub fn set_prompts(&mut self, prompts: Vec<ServerPrompt>) {
        self.composer.prompts = prompts;
        self.offers_changed();
    }

    /// Applies an action to the completions at the caret.
    pub fn complete(&mut self, action: Action, ui: &UiSettings, now: Instant) -> Completed {
        let Composer { completion, field, .. } = &mut self.composer;
        let takes = action == Action::FocusNext;
        if let Some(path) = takes.then(|| completion.take_image(field)).flatten() {
            return Completed::Follow(self.attach(vec![path], ui, now));
        }
        let Composer { completion, field, target, .. } = &mut self.composer;
        if (takes || action == Action::Send)
            && let (Some(prompt), Target::Dialog(dialog)) = (completion.chosen_prompt(), &*target)
        {
            let wanted = WantedPrompt::new(dialog.clone(), prompt.clone());
            field.clear();
            self.keep(now);
            return Completed::Follow(vec![wanted.next_step()]);
        }
        let chosen = completion.chosen_action().filter(|_| action == Action::Send);
        let done = (action == Action::FocusNext && completion.take(field))
            || (action == Action::HistoryDown && completion.step(true))
            || (action == Action::HistoryUp && completion.step(false))
            || (action == Action::Leave && completion.close());
        if chosen.is_some() {
            field.clear();
        }
        if done || chosen.is_some() {
            self.keep(now);
        }
        match chosen {
            Some((scope, action)) => Completed::Run(scope, action),
            None if done => Completed::Done,
            None => Completed::Nothing,
        }
    }

    /// Shows all of the pasted text at the caret.
    pub fn open_paste(&mut self) -> Vec<FollowUp> {
        let why = match self.composer.field.open_chip() {
            ChipOpened::Opened => return Vec::new(),
            ChipOpened::NoChip => app_words::NO_PASTE_HERE,
            ChipOpened::TooLarge => app_words::PASTE_TOO_LARGE,
            ChipOpened::NoText => app_words::IMAGE_WITHOUT_PATH,
        };
        vec![FollowUp::Notify(Tone::Plain, why)]
    }

    /// The composer is this wide.
    pub fn lay_out(&mut self, cells: u16) {
        self.composer.lay_out(cells);
    }

    /// The typed text with the options it picks. The texts of options are recorded, not their letters,
    /// which mean nothing without the question.
    fn read_answer(&self, typed: &str, inbox: &Inbox) -> (Vec<AnswerChoice>, PickedAnswer) {
        let row = self.question().and_then(|id| inbox.get(id));
        let choices = row.map(InboxRow::choices).unwrap_or_default();
        let mut answer = picking::answer(&choices, typed);
        // The keys of options that the asker named mean something to the driver.
        if row.is_some_and(InboxRow::has_parts) {
            typed.clone_into(&mut answer.text);
        }
        (choices, answer)
    }

    /// The options picked by the composer's text.
    pub fn picked_options(&self, inbox: &Inbox) -> String {
        let typed = attached::content(&self.composer.field.text());
        if let Some(part) = self.part(inbox) {
            let option = part.picked(&typed).and_then(|key| part.option(key));
            return option.map(|option| without_marks(&option.label)).unwrap_or_default();
        }
        let (choices, answer) = self.read_answer(&typed, inbox);
        if answer.text == typed {
            return String::new();
        }
        let texts =
            answer.picked.iter().filter_map(|at| Some(without_marks(&choices.get(*at)?.text)));
        texts.collect::<Vec<_>>().join(", ")
    }

    /// Sends the text. Not while the composer holds a message that is being taken back.
    pub fn send(&mut self, inbox: &Inbox, taking_back: bool, now: Instant) -> Vec<FollowUp> {
        let typed = self.composer.field.text();
        let content = attached::content(&typed);
        if content.trim().is_empty() {
            return self.skip_part(inbox, now);
        }
        if let Some(why) = self.fault_in_answer(&typed, &content, inbox) {
            return vec![FollowUp::NotifyWhy(Tone::Bad, why)];
        }
        if let Some(first) = self.unread_approval(&content, inbox) {
            return first;
        }
        if let Some(why) = self.images_refusal(&typed) {
            return vec![FollowUp::Notify(Tone::Bad, why)];
        }
        let Some(key) = self.composer.target.key() else {
            return Vec::new();
        };
        if taking_back {
            return vec![FollowUp::Notify(Tone::Plain, app_words::BUSY)];
        }
        self.take_comments(inbox, now);
        let typed = self.composer.field.text();
        let content = attached::content(&typed);
        self.keep(now);
        self.drafts.save();
        let (_, PickedAnswer { text, .. }) = self.read_answer(&content, inbox);
        self.sending.push((key, typed.clone()));
        self.composer.remember(&text);
        // After the draft was handed over, which the message does not wait for.
        self.drafts.set(&DraftKey::Sent, &self.composer.sent().to_stored(), now);
        self.composer.field.set("");
        self.composer.reset_mode();
        match self.composer.target.clone() {
            Target::Nobody => Vec::new(),
            Target::Dialog(dialog) => vec![
                FollowUp::Request(Request::Say { dialog, text, typed, at_once: false }),
                FollowUp::Reading(ToReading::Scroll(ScrollMove::End)),
            ],
            Target::Question { dialog, id, part } => {
                let answer = HeldAnswer { dialog, question: id, part, text, typed };
                self.sent_answer(answer, inbox)
            }
        }
    }

    /// Esc: keeps the draft and returns to where the user was.
    pub fn leave(&mut self, pane: Focus, open: Option<&DialogId>, now: Instant) -> Vec<FollowUp> {
        self.keep(now);
        self.drafts.save();
        if self.question().is_some() {
            self.stop_answering(open, now)
        } else {
            vec![FollowUp::Focus(pane)]
        }
    }

    /// The message is on disk: its draft is removed.
    pub fn saved(&mut self, key: &DraftKey, text: &str, now: Instant) {
        self.no_longer_sending(key, text);
        if self.drafts.get(key) == text {
            self.drafts.set(key, "", now);
            if let Some(id) = key.question().filter(|id| !self.has_answer(id)) {
                self.drafts.set(&DraftKey::AskedIn(id.to_owned()), "", now);
            }
            self.drafts.save();
        }
    }

    fn no_longer_sending(&mut self, key: &DraftKey, text: &str) {
        if let Some(at) = self.sending.iter().position(|(of, sent)| of == key && sent == text) {
            self.sending.remove(at);
        }
    }

    /// Puts a queued message into the composer, and stores it as a draft before the driver is asked to
    /// remove it from the queue.
    pub fn edit_queued(
        &mut self,
        dialog: DialogId,
        queued: &QueuedMessage,
        now: Instant,
    ) -> Vec<FollowUp> {
        self.write_to(Target::Dialog(dialog.clone()), now);
        let before = self.composer.field.text();
        let back = attached::restored(&queued.text, &queued.images);
        let with = match before.trim() {
            "" => back,
            _ => format!("{back}\n\n{before}"),
        };
        self.composer.field.set_draft(&with);
        self.keep(now);
        self.drafts.save();
        let (message, edit) = (queued.message.clone(), Some(TakeBackEdit { with, before }));
        let back = PendingTakeBack { dialog, message, edit };
        vec![FollowUp::Focus(Focus::Composer), FollowUp::Request(Request::TakeBack(back))]
    }

    /// On an empty line takes back the newest queued message of the open dialog, if there is one; else
    /// recalls a message that was sent before.
    pub fn edit_or_recall(
        &mut self,
        newest: Option<&QueuedMessage>,
        open: Option<&DialogId>,
        now: Instant,
    ) -> Vec<FollowUp> {
        let Target::Dialog(dialog) = self.composer.target.clone() else {
            return self.recall(false, now);
        };
        match newest.filter(|_| open == Some(&dialog) && self.is_empty()) {
            Some(newest) => self.edit_queued(dialog, newest, now),
            None => self.recall(false, now),
        }
    }

    /// A generation was faster: an unedited message is removed from the composer again.
    pub fn not_taken_back(&mut self, back: PendingTakeBack, now: Instant) {
        let Some(edit) = back.edit else { return };
        let key = DraftKey::Message(back.dialog);
        if self.composer.target.key().as_ref() == Some(&key) {
            if self.composer.field.text() == edit.with {
                self.composer.field.set_draft(&edit.before);
                self.keep(now);
            }
        } else if self.drafts.get(&key) == edit.with {
            self.drafts.set(&key, &edit.before, now);
        }
    }
}

#[cfg(test)]
pub(in crate::app) mod tests {
    use super::*;
    use crate::domain::RootId;

    pub(in crate::app) fn dialog() -> DialogId {
        DialogId::main(RootId::new("a"))
    }

    pub(in crate::app) fn key() -> DraftKey {
        DraftKey::Message(dialog())
    }

    pub(in crate::app) fn writing(text: &str) -> (Writing, Instant) {
        let now = Instant::now();
        let mut writing = Writing::new(DraftTexts::new());
        writing.write_to(Target::Dialog(dialog()), now);
        writing.composer.field.set(text);
        writing.keep(now);
        (writing, now)
    }

    pub(in crate::app) fn send(writing: &mut Writing, now: Instant) -> Vec<FollowUp> {
        writing.send(&Inbox::default(), false, now)
    }

    #[test]
    fn a_message_is_a_draft_until_it_is_saved_and_not_typed_again_meanwhile() {
        let (mut writing, now) = writing("hello");
        let (text, typed) = ("hello".to_owned(), "hello".to_owned());
        let say = Request::Say { dialog: dialog(), text, typed, at_once: false };
        let request = FollowUp::Request(say);
        assert_eq!(
            send(&mut writing, now),
            [request, FollowUp::Reading(ToReading::Scroll(ScrollMove::End))]
        );
        assert_eq!(writing.drafts().get(&key()), "hello");
        writing.write_to(Target::Nobody, now);
        writing.write_to(Target::Dialog(dialog()), now);
        assert!(writing.is_empty());
        writing.saved(&key(), "hello", now);
        assert!(!writing.drafts().has(&key()));
    }

    #[test]
    fn another_target_leaves_undo_and_chips_as_they_were() {
        let (mut writing, now) = writing("");
        let pasted = "line\n".repeat(30);
        assert!(writing.composer.field.paste_shown(&pasted, |_| Some("[chip]".to_owned())));
        writing.write_to(Target::Nobody, now);
        writing.write_to(Target::Dialog(dialog()), now);
        assert!(writing.composer().field.has_chips());
        assert_eq!(writing.drafts().get(&key()), pasted);
        writing.undo(now);
        assert!(writing.is_empty());
    }

    #[test]
    fn nothing_is_sent_while_a_message_is_taken_back_or_without_text() {
        let (mut writing, now) = writing("hello");
        let busy = [FollowUp::Notify(Tone::Plain, app_words::BUSY)];
        assert_eq!(writing.send(&Inbox::default(), true, now), busy);
        let (mut writing, now) = self::writing(" ");
        let nothing = [FollowUp::Notify(Tone::Plain, app_words::NOTHING_TO_SEND)];
        assert_eq!(send(&mut writing, now), nothing);
    }

    #[test]
    fn leaving_a_message_gives_the_focus_back_to_the_pane_and_stores_the_draft() {
        let (mut writing, now) = writing("half");
        assert_eq!(writing.leave(Focus::Tree, None, now), [FollowUp::Focus(Focus::Tree)]);
        assert_eq!(writing.take_outgoing().into_values().collect::<Vec<_>>(), ["half"]);
    }

    #[test]
    fn an_edited_message_is_stored_before_it_is_taken_back_and_removed_if_that_fails() {
        let (mut writing, now) = writing("mine");
        let queued =
            QueuedMessage { message: "m".into(), text: "queued".into(), images: Vec::new() };
        let mut follow_ups = writing.edit_queued(dialog(), &queued, now);
        assert_eq!(writing.composer().field.text(), "queued\n\nmine");
        assert_eq!(writing.take_outgoing().into_values().collect::<Vec<_>>(), ["queued\n\nmine"]);
        let Some(FollowUp::Request(Request::TakeBack(back))) = follow_ups.pop() else {
            panic!("it is taken back")
        };
        writing.not_taken_back(back, now);
        assert_eq!(writing.composer().field.text(), "mine");
    }
}
