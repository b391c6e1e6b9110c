//! Key hints: in the composer's title and in the status line.

use super::Screen;
use crate::action::{Action, Scope};
use crate::app::Focus;
use crate::app::drawing::app_words;
use crate::app::keys::modes::mode_word;
use crate::cx::UiSettings;
use crate::domain::text::Text;
use crate::lists::queued;
use crate::model::Mark;
use crate::panes::composer::{Heading, PART, SCOPE, Target, TypedKind, hint};
use crate::panes::field::ViMode;
use crate::panes::inbox::times_of;
use crate::protocol::{InboxRow, TreeRow};
use crate::words::COMMENTS;

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
                Heading { left: ui.text(app_words::NO_TARGET).to_owned(), right: String::new() }
            }
            Target::Dialog(dialog) => {
                let row = self.app.model.tree.get(dialog);
                let open = self.app.reading.open().and_then(|open| open.agent.as_ref());
                let agent = row.map(|row| &row.agent).or(open);
                let who = agent.map(|agent| format!("@{agent}")).unwrap_or_default();
                let mut hints = self.first_hints(ui, app_words::SEND);
                hints.extend(self.paste_hint(ui));
                hints.extend(self.send_now_hint(row, ui));
                hints.push(hint(ui, SCOPE, Action::NewLine, app_words::NEW_LINE));
                let left = format!("{} {who}", ui.text(app_words::MESSAGE_TO));
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
                hint(ui, SCOPE, Action::FocusNext, app_words::COMPLETE),
                hint(ui, SCOPE, Action::Send, send),
            ],
            Some(TypedKind::Action) => vec![hint(ui, SCOPE, Action::Send, app_words::RUN)],
            None => vec![hint(ui, SCOPE, Action::Send, send)],
        }
    }

    /// Returns the note that the images are not seen, which is more important than the target of the text.
    fn image_note(&self, ui: &UiSettings) -> Option<String> {
        self.app.writing.unseen_images(&self.app.model).map(|unseen| unseen.text(ui))
    }

    /// The key that opens a chip, if there is one.
    fn paste_hint(&self, ui: &UiSettings) -> Option<String> {
        let has_chips = self.app.writing.composer().field.has_chips();
        has_chips.then(|| hint(ui, SCOPE, Action::OpenPaste, app_words::SHOW_PASTE))
    }

    /// The key that sends at once, if there is a text to send and something that it would stop.
    fn send_now_hint(&self, row: Option<&TreeRow>, ui: &UiSettings) -> Option<String> {
        let runs = row.is_some_and(|row| row.state.is_running());
        let writes = self.app.focus.is(Focus::Composer) && !self.app.writing.is_empty();
        (runs && writes).then(|| hint(ui, SCOPE, Action::SendNow, app_words::SEND_NOW))
    }

    /// Returns the effect of the key that leaves the composer: with vi keys it ends a mode first.
    fn leave_word(&self) -> Text {
        match self.app.writing.composer().mode() {
            Some(ViMode::Insert | ViMode::Visual | ViMode::VisualLines) => {
                mode_word(ViMode::Normal)
            }
            Some(ViMode::Normal) | None => app_words::KEEP,
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
        let who = row.map(|row| row.asker(ui.lang) + &times).unwrap_or_default();
        let send = if inbox.after(Some(id)).is_some_and(|next| next.question.id != id) {
            app_words::SEND_AND_NEXT
        } else {
            app_words::SEND
        };
        let part = self.app.writing.part(inbox);
        let part_of = row.and_then(|row| self.part_of(row));
        let goes_on = row.is_some_and(|row| self.app.writing.has_next_part(row));
        let send = if goes_on { app_words::NEXT_PART } else { send };
        let mut hints = self.first_hints(ui, send);
        let keys: Vec<String> = if let Some(part) = part {
            part.options.iter().map(|option| option.key.to_string()).collect()
        } else {
            let choices = row.map(InboxRow::choices).unwrap_or_default();
            choices.iter().map(|choice| choice.key.to_string()).collect()
        };
        if !keys.is_empty() {
            hints.push(format!("{} {}", keys.join(" "), ui.text(app_words::PICK)));
        }
        if part.is_some_and(|part| part.recommended.is_some()) {
            hints.push(hint(ui, SCOPE, Action::TakeRecommended, app_words::RECOMMENDED));
        }
        if part_of.is_some() {
            hints.push(hint(ui, SCOPE, Action::DismissRest, app_words::SEND_ANSWERED));
        }
        hints.extend(self.paste_hint(ui));
        hints.push(hint(ui, SCOPE, Action::Leave, self.leave_word()));
        if let Some((at, all)) = part_of {
            let dot = ui.glyphs.middle_dot;
            let left = format!(
                "{} {at} {} {all} {dot} {who}",
                ui.text(app_words::PART),
                ui.text(app_words::OF)
            );
            return Heading { left, right: hints.join(PART) };
        }
        let left = format!(
            "{} {number} {} {} {} {who}",
            ui.text(app_words::ANSWER),
            ui.text(app_words::OF),
            inbox.len(),
            ui.glyphs.middle_dot
        );
        let left = match self.app.writing.drafts().comments(id).len() {
            0 => left,
            // They go with the answer.
            more => format!("{left} {} {}", ui.glyphs.middle_dot, ui.counted(more, COMMENTS)),
        };
        Heading { left: self.image_note(ui).unwrap_or(left), right: hints.join(PART) }
    }

    /// The key hints of the strip of queued messages.
    pub(super) fn queue_keys(&self, ui: &UiSettings) -> String {
        let list = Action::Show(queued::SCOPE);
        let list = hint(ui, Scope::ANYWHERE, list, app_words::QUEUED_LIST);
        if self.app.focus.is(Focus::Composer) && self.app.writing.is_empty() {
            return format!("{}{PART}{list}", hint(ui, SCOPE, Action::HistoryUp, app_words::EDIT));
        }
        list
    }

    /// The keys that work here, the most useful ones first, help last.
    pub(super) fn hints(&self) -> Vec<(Action, Text)> {
        if self.app.focus.now() == Focus::Tree && self.app.model.tree.is_empty() {
            return vec![(Action::NewDialog, app_words::NEW), (Action::Help, app_words::HELP_HINT)];
        }
        if self.app.focus.now() == Focus::Dialog && self.app.reading.is_selecting() {
            return vec![
                (Action::CopyBlock, app_words::COPY),
                (Action::WriteFile, app_words::TO_FILE),
                (Action::Cancel, app_words::END_SELECTION),
            ];
        }
        let inbox = &self.app.model.inbox;
        let (asked, on_news) = (inbox.has_questions(), inbox.selected_news().is_some());
        let mut hints = match self.app.focus.now() {
            Focus::Tree => vec![(Action::Open, app_words::OPEN)],
            Focus::Inbox if on_news => {
                vec![(Action::Answer, app_words::OPEN), (Action::Dismiss, app_words::DISMISS)]
            }
            Focus::Inbox => vec![(Action::Answer, app_words::ANSWER)],
            Focus::Dialog => vec![(Action::Compose, app_words::WRITE)],
            Focus::Composer => vec![(Action::Send, app_words::SEND)],
        };
        match self.app.focus.now() {
            Focus::Tree => {
                if asked {
                    hints.push((Action::Answer, app_words::ANSWER));
                }
                let tree = &self.app.model.tree;
                let filtered = tree.filter().is_some();
                let new = if filtered { app_words::NEXT_FITTING } else { app_words::NEW };
                hints.push((Action::NewDialog, new));
                let row = tree.shown_selection().and_then(|dialog| tree.get(dialog));
                match row.map(Mark::of) {
                    Some(Mark::Running) => hints.push((Action::Stop, app_words::STOP)),
                    Some(Mark::Retrying) => hints.extend([
                        (Action::RetryNow, app_words::TRY_NOW),
                        (Action::Stop, app_words::STOP),
                    ]),
                    Some(Mark::Stopped) => hints.push((Action::Continue, app_words::CONTINUE)),
                    _ => {}
                }
            }
            Focus::Inbox => {
                hints.push((Action::CallSite, app_words::CALL_SITE));
                if self.app.model.inbox.filter().is_some() {
                    hints.push((Action::NewDialog, app_words::NEXT_FITTING));
                }
            }
            Focus::Dialog => {
                if asked {
                    hints.push((Action::Answer, app_words::ANSWER));
                }
                if self.app.reading.can_open_here() {
                    hints.push((Action::ToggleCall, app_words::OPEN));
                }
                let facts = self.app.facts();
                let from = facts.open_row().and_then(|row| row.asker.as_ref());
                if let Some(there) = self.app.reading.other_end(from) {
                    hints.push((Action::OtherEnd, there));
                }
                hints.push((Action::ToggleThinking, app_words::THINKING));
            }
            Focus::Composer => {
                hints.push((Action::Leave, self.leave_word()));
                if asked {
                    hints.push((Action::AnswerOldest, app_words::QUESTIONS));
                }
            }
        }
        if self.app.held_answers.seconds_left(self.app.redraw.now()).is_some() {
            hints.insert(0, (Action::UndoAnswer, app_words::UNDO_SENT));
        }
        hints.push((Action::Help, app_words::HELP_HINT));
        hints
    }
}
