//! Key hints: in the composer's title and in the status line.

use super::Screen;
use crate::domain::text::Text;
use crate::protocol::InboxRow;
use crate::ui::action::{Action, Scope};
use crate::ui::app::Focus;
use crate::ui::app::modes::mode_word;
use crate::ui::app::words;
use crate::ui::cx::UiSettings;
use crate::ui::lists::queued;
use crate::ui::model::Mark;
use crate::ui::panes::composer::{Heading, PART, SCOPE, Target, TypedKind, hint};
use crate::ui::panes::field::ViMode;
use crate::ui::panes::inbox::times_of;

impl Screen<'_> {
    /// The composer's title: the mode of vi, the recipient, and what Enter does.
    pub(super) fn heading(&self, ui: &UiSettings) -> Heading {
        let heading = self.target_heading(ui);
        let mode = self.app.writing.composer().mode();
        match mode.filter(|_| self.app.focus.is(Focus::Composer)) {
            Some(mode) => {
                let (mode, dot) = (ui.text(mode_word(mode)), ui.glyphs.middle_dot);
                Heading { left: format!("{mode} {dot} {}", heading.left), ..heading }
            }
            None => heading,
        }
    }

    fn target_heading(&self, ui: &UiSettings) -> Heading {
        let parts = |hints: &[String]| hints.join(PART);
        match self.app.writing.target() {
            Target::Nobody if !self.app.startup.is_listed() => Heading::default(),
            Target::Nobody => {
                Heading { left: ui.text(words::NO_TARGET).to_owned(), right: String::new() }
            }
            Target::Dialog(dialog) => {
                let row = self.app.model.tree.get(dialog);
                let open = self.app.reading.open().and_then(|open| open.agent.as_ref());
                let agent = row.map(|row| &row.agent).or(open);
                let who = agent.map(|agent| format!("@{agent}")).unwrap_or_default();
                let mut hints = self.first_hints(ui, words::SEND);
                hints.extend(self.paste_hint(ui));
                hints.push(hint(ui, SCOPE, Action::NewLine, words::NEW_LINE));
                let left = format!("{} {who}", ui.text(words::MESSAGE_TO));
                Heading { left: self.image_note(ui).unwrap_or(left), right: parts(&hints) }
            }
            Target::Question { id, .. } => self.answer_heading(id, ui),
        }
    }

    /// Returns the keys for the completions, and what `Enter` does.
    fn first_hints(&self, ui: &UiSettings, send: Text) -> Vec<String> {
        let shown = self.app.writing.composer().completion.shown();
        match shown.filter(|_| self.app.focus.is(Focus::Composer)) {
            Some(TypedKind::Name) => vec![
                hint(ui, SCOPE, Action::FocusNext, words::COMPLETE),
                hint(ui, SCOPE, Action::Send, send),
            ],
            Some(TypedKind::Action) => vec![hint(ui, SCOPE, Action::Send, words::RUN)],
            None => vec![hint(ui, SCOPE, Action::Send, send)],
        }
    }

    /// Returns the note that the images are not seen, which is more important than the target of the text.
    fn image_note(&self, ui: &UiSettings) -> Option<String> {
        self.app.unseen_images().map(|unseen| unseen.text(ui))
    }

    /// The key that opens a chip, if there is one.
    fn paste_hint(&self, ui: &UiSettings) -> Option<String> {
        let has_chips = self.app.writing.composer().field.has_chips();
        has_chips.then(|| hint(ui, SCOPE, Action::OpenPaste, words::SHOW_PASTE))
    }

    /// Returns the effect of the key that leaves the composer: with vi keys it ends a mode first.
    fn leave_word(&self) -> Text {
        match self.app.writing.composer().mode() {
            Some(ViMode::Insert | ViMode::Visual | ViMode::VisualLines) => {
                mode_word(ViMode::Normal)
            }
            Some(ViMode::Normal) | None => words::KEEP,
        }
    }

    /// The number of the part that is answered, and how many there are.
    fn part_of(&self, row: &InboxRow) -> Option<(usize, usize)> {
        let (parts, part) = (row.several_parts()?, self.app.writing.part(&self.app.model.inbox)?);
        let at = parts.iter().position(|one| one.id == part.id)?;
        Some((at + 1, parts.len()))
    }

    fn answer_heading(&self, id: &str, ui: &UiSettings) -> Heading {
        let inbox = &self.app.model.inbox;
        let number = inbox.number(id).unwrap_or(1);
        let row = inbox.get(id);
        let times = row.map_or(1, |row| times_of(inbox, row, self.app.writing.drafts()));
        let times = if times > 1 { format!(" {}{times}", ui.glyphs.times) } else { String::new() };
        let who = row.map(|row| format!("@{}{times}", row.agent)).unwrap_or_default();
        let send = if inbox.after(Some(id)).is_some_and(|next| next.question.id != id) {
            words::SEND_AND_NEXT
        } else {
            words::SEND
        };
        let part = self.app.writing.part(inbox);
        let part_of = row.and_then(|row| self.part_of(row));
        let goes_on = row.is_some_and(|row| self.app.writing.has_next_part(row));
        let send = if goes_on { words::NEXT_PART } else { send };
        let mut hints = self.first_hints(ui, send);
        let keys: Vec<String> = if let Some(part) = part {
            part.options.iter().map(|option| option.key.to_string()).collect()
        } else {
            let choices = row.map(InboxRow::choices).unwrap_or_default();
            choices.iter().map(|choice| choice.key.to_string()).collect()
        };
        if !keys.is_empty() {
            hints.push(format!("{} {}", keys.join(" "), ui.text(words::PICK)));
        }
        if part.is_some_and(|part| part.recommended.is_some()) {
            hints.push(hint(ui, SCOPE, Action::TakeRecommended, words::RECOMMENDED));
        }
        if part_of.is_some() {
            hints.push(hint(ui, SCOPE, Action::DismissRest, words::SEND_ANSWERED));
        }
        hints.extend(self.paste_hint(ui));
        hints.push(hint(ui, SCOPE, Action::Leave, self.leave_word()));
        if let Some((at, all)) = part_of {
            let dot = ui.glyphs.middle_dot;
            let left =
                format!("{} {at} {} {all} {dot} {who}", ui.text(words::PART), ui.text(words::OF));
            return Heading { left, right: hints.join(PART) };
        }
        let left = format!(
            "{} {number} {} {} {} {who}",
            ui.text(words::ANSWER),
            ui.text(words::OF),
            inbox.len(),
            ui.glyphs.middle_dot
        );
        Heading { left: self.image_note(ui).unwrap_or(left), right: hints.join(PART) }
    }

    /// The key hints of the strip of queued messages.
    pub(super) fn queue_keys(&self, ui: &UiSettings) -> String {
        let list = Action::Show(queued::SCOPE);
        let list = hint(ui, Scope::ANYWHERE, list, words::QUEUED_LIST);
        if self.app.focus.is(Focus::Composer) && self.app.writing.is_empty() {
            return format!("{}{PART}{list}", hint(ui, SCOPE, Action::HistoryUp, words::EDIT));
        }
        list
    }

    /// The keys that work here, the most useful ones first, help last.
    pub(super) fn hints(&self) -> Vec<(Action, Text)> {
        if self.app.focus.now() == Focus::Tree && self.app.model.tree.is_empty() {
            return vec![(Action::NewDialog, words::NEW), (Action::Help, words::HELP_HINT)];
        }
        if self.app.focus.now() == Focus::Dialog && self.app.reading.is_selecting() {
            return vec![
                (Action::CopyBlock, words::COPY),
                (Action::WriteFile, words::TO_FILE),
                (Action::Cancel, words::END_SELECTION),
            ];
        }
        let inbox = &self.app.model.inbox;
        let (asked, on_news) = (inbox.has_questions(), inbox.selected_news().is_some());
        let mut hints = match self.app.focus.now() {
            Focus::Tree => vec![(Action::Open, words::OPEN)],
            Focus::Inbox if on_news => {
                vec![(Action::Answer, words::OPEN), (Action::Dismiss, words::DISMISS)]
            }
            Focus::Inbox => vec![(Action::Answer, words::ANSWER)],
            Focus::Dialog => vec![(Action::Compose, words::WRITE)],
            Focus::Composer => vec![(Action::Send, words::SEND)],
        };
        match self.app.focus.now() {
            Focus::Tree => {
                if asked {
                    hints.push((Action::Answer, words::ANSWER));
                }
                let tree = &self.app.model.tree;
                let filtered = tree.filter().is_some();
                let new = if filtered { words::NEXT_FITTING } else { words::NEW };
                hints.push((Action::NewDialog, new));
                let row = tree.shown_selection().and_then(|dialog| tree.get(dialog));
                match row.map(Mark::of) {
                    Some(Mark::Running) => hints.push((Action::Stop, words::STOP)),
                    Some(Mark::Stopped) => hints.push((Action::Continue, words::CONTINUE)),
                    _ => {}
                }
            }
            Focus::Inbox => {
                hints.push((Action::CallSite, words::CALL_SITE));
                if self.app.model.inbox.filter().is_some() {
                    hints.push((Action::NewDialog, words::NEXT_FITTING));
                }
            }
            Focus::Dialog => {
                if asked {
                    hints.push((Action::Answer, words::ANSWER));
                }
                if self.app.reading.can_open_here() {
                    hints.push((Action::ToggleCall, words::OPEN));
                }
                let facts = self.app.facts();
                let from = facts.open_row().and_then(|row| row.asker.as_ref());
                if let Some(there) = self.app.reading.other_end(from) {
                    hints.push((Action::OtherEnd, there));
                }
                hints.push((Action::ToggleThinking, words::THINKING));
            }
            Focus::Composer => {
                hints.push((Action::Leave, self.leave_word()));
                if asked {
                    hints.push((Action::AnswerOldest, words::QUESTIONS));
                }
            }
        }
        if self.app.held.seconds_left(self.app.redraw.now()).is_some() {
            hints.insert(0, (Action::UndoAnswer, words::UNDO_SENT));
        }
        hints.push((Action::Help, words::HELP_HINT));
        hints
    }
}
