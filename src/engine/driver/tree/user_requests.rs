//! Requests of the user to one tree, acknowledged when they are on disk.

use crate::domain::asking::autonomy::AutonomyLevel;
use crate::domain::asking::inquiry::answers::AnswerInput;
use crate::domain::counted;
use crate::domain::dialogs::keep_going::{KeepGoingSwitch, says_stop};
use crate::domain::dialogs::latest::{DisplayState, StopReason};
use crate::domain::dialogs::queue::{QueuedPrompt, enqueue, has_room, without};
use crate::domain::dialogs::record::Origin;
use crate::domain::dialogs::shown_state::{Activity, derive};
use crate::domain::dialogs::state::{can_continue, next_step};
use crate::domain::teams::task::outcome::Rest;
use crate::domain::text::{Localized, Text, localized};
use tokio::sync::oneshot;

use crate::domain::{Latest, ModelChoice, MsgId, SelfId};
use crate::driver::calls::ask_human::{self, AnswerOutcome, GivenAnswer};
use crate::driver::generation::interjection;
use crate::driver::reporting::reports::DriverReport;
use crate::driver::steps::draft::Draft;
use crate::driver::steps::stop::{end_pause, mark_stopped};
use crate::driver::steps::stored_images::store_attached;
use crate::protocol::command::Ticket;
use crate::protocol::event::DriverEvent;
use crate::protocol::{AttachedImage, Refusal};

use super::reminder_edits::ReminderChange;
use super::state::TreeState;

impl TreeRequest {
    /// True if it changes nothing.
    pub(super) fn only_looks(&self) -> bool {
        matches!(self, Self::Rest { .. })
    }

    /// True if it asks for the tree's state, for an end of what runs, or only acknowledges: it brings nothing that is to be
    /// driven.
    fn brings_nothing(&self) -> bool {
        let ends = matches!(self, Self::Stop { .. } | Self::StopAll { .. } | Self::FinishSteps);
        ends || matches!(self, Self::Acknowledge { .. })
            || self.only_looks()
            || matches!(self, Self::IsIdle { .. } | Self::EndIfIdle { .. })
    }
}

#[derive(Debug)]
pub enum TreeRequest {
    Say {
        ticket: Ticket,
        dialog: SelfId,
        text: String,
        images: Vec<AttachedImage>,
        /// What runs in the dialog is stopped for it.
        at_once: bool,
    },
    TakeBack {
        ticket: Ticket,
        dialog: SelfId,
        message: MsgId,
    },
    Answer {
        ticket: Ticket,
        dialog: SelfId,
        question: String,
        input: AnswerInput,
        /// Also for parts that have an answer.
        replace: bool,
        images: Vec<AttachedImage>,
    },
    /// What the dialog told a person has been read; `item`: the id of the item of the news.
    Acknowledge {
        ticket: Ticket,
        dialog: SelfId,
        item: String,
    },
    Stop {
        dialog: SelfId,
    },
    /// Retries a failing request now.
    RetryNow {
        dialog: SelfId,
    },
    StopAll {
        reason: StopReason,
    },
    /// No step begins any more.
    FinishSteps,
    Continue {
        ticket: Ticket,
        dialog: SelfId,
    },
    /// As `Continue`, for a new fork; without an acknowledgement.
    ContinueFork {
        dialog: SelfId,
    },
    Withdraw {
        ticket: Ticket,
        dialog: SelfId,
    },
    KeepGoing {
        ticket: Ticket,
        dialog: SelfId,
        switch: KeepGoingSwitch,
    },
    SetModel {
        ticket: Ticket,
        dialog: SelfId,
        model: Option<ModelChoice>,
    },
    SetAutonomy {
        ticket: Ticket,
        dialog: SelfId,
        level: Option<AutonomyLevel>,
    },
    Reminder {
        ticket: Ticket,
        dialog: SelfId,
        change: ReminderChange,
    },
    /// Continues everything in this tree that is stopped; replies with the outcome.
    ContinueAll {
        reply: oneshot::Sender<ContinueOutcome>,
    },
    /// Continues what a restart cut off; replies with the outcome.
    TakeUp {
        reply: oneshot::Sender<ContinueOutcome>,
    },
    DeclareDead {
        ticket: Ticket,
        dialog: SelfId,
        note: Option<String>,
    },
    /// Replies how the tree rests.
    Rest {
        reply: oneshot::Sender<Option<Rest>>,
    },
    /// A prompt about a task for a dialog; replies whether there was room.
    Deliver {
        dialog: SelfId,
        prompt: Box<QueuedPrompt>,
        reply: oneshot::Sender<bool>,
    },
    /// Replies whether the tree is idle. It stays idle until the next request.
    IsIdle {
        reply: oneshot::Sender<bool>,
    },
    /// As `IsIdle`; an idle tree then ends.
    EndIfIdle {
        reply: oneshot::Sender<bool>,
    },
}

/// The outcome of continuing everything.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct ContinueOutcome {
    /// Number of dialogs that continue.
    pub dialogs: usize,
    /// Dialogs that do not, each with the reason.
    pub refused: Vec<Localized>,
}

impl ContinueOutcome {
    pub fn add(&mut self, other: Self) {
        self.dialogs += other.dialogs;
        self.refused.extend(other.refused);
    }

    /// One line for the user.
    #[must_use]
    pub fn message(&self) -> Localized {
        let go_on = match self.dialogs {
            0 => Text::new("no dialog goes on", "没有对话继续").into(),
            n => {
                let go_on = counted(n, "dialog goes on", "dialogs go on");
                localized!("{go_on}", "{n} 个对话继续")
            }
        };
        let Some((first, others)) = self.refused.split_first() else { return go_on };
        let reasons = others
            .iter()
            .fold(first.clone(), |all, one| localized!([all, one] "{all}; {one}", "{all}；{one}"));
        let n = self.refused.len();
        localized!([go_on, reasons] "{go_on}; {n} cannot: {reasons}", "{go_on}；{n} 个不能：{reasons}")
    }
}

impl TreeState {
    /// Returns whether something was asked for and accepted.
    pub(super) async fn handle_request(&mut self, request: TreeRequest) -> bool {
        let is_wanted = !request.brings_nothing();
        match request {
            TreeRequest::Say { ticket, dialog, text, images, at_once } => {
                let outcome = self.say(&dialog, &text, images, at_once).await;
                return self.acknowledge(ticket, &dialog, outcome).await;
            }
            TreeRequest::TakeBack { ticket, dialog, message } => {
                let outcome = self.take_back_message(&dialog, &message).await;
                return self.acknowledge(ticket, &dialog, outcome).await;
            }
            TreeRequest::Answer { ticket, dialog, question, input, replace, images } => {
                let given = (&input, replace, images);
                let outcome = self.answer_question(&dialog, &question, given).await;
                return self.acknowledge(ticket, &dialog, outcome).await;
            }
            TreeRequest::Acknowledge { ticket, dialog, item } => {
                let outcome = self.acknowledge_answer(&dialog, &item).await;
                self.acknowledge(ticket, &dialog, outcome).await;
            }
            TreeRequest::Stop { dialog } => self.stop(&dialog, StopReason::UserStop),
            TreeRequest::RetryNow { dialog } => self.drives.retry_now(&dialog),
            TreeRequest::StopAll { reason } => self.stop_all(&reason),
            TreeRequest::FinishSteps => self.stop_asking_back_if_finishing(),
            TreeRequest::Continue { ticket, dialog } => {
                let outcome = self.continue_dialog(&dialog).await;
                return self.acknowledge(ticket, &dialog, outcome).await;
            }
            TreeRequest::ContinueFork { dialog } => {
                if let Err(text) = self.continue_dialog(&dialog).await {
                    self.send_event(DriverEvent::Notice(text)).await;
                }
            }
            TreeRequest::Withdraw { ticket, dialog } => {
                let outcome = self.withdraw(&dialog).await;
                return self.acknowledge(ticket, &dialog, outcome).await;
            }
            TreeRequest::KeepGoing { ticket, dialog, switch } => {
                let outcome = self.switch_keep_going(&dialog, switch).await;
                return self.acknowledge(ticket, &dialog, outcome).await;
            }
            TreeRequest::SetModel { ticket, dialog, model } => {
                let outcome = self.choose_model(&dialog, model).await;
                return self.acknowledge(ticket, &dialog, outcome).await;
            }
            TreeRequest::SetAutonomy { ticket, dialog, level } => {
                let outcome = self.choose_autonomy(&dialog, level).await;
                return self.acknowledge(ticket, &dialog, outcome).await;
            }
            TreeRequest::Reminder { ticket, dialog, change } => {
                let outcome = self.change_reminder(&dialog, change).await;
                let is_accepted = self.acknowledge(ticket, &dialog, outcome).await;
                self.send_reminders(&dialog).await;
                return is_accepted;
            }
            TreeRequest::ContinueAll { reply } => {
                let _ = reply.send(self.continue_all().await);
            }
            TreeRequest::TakeUp { reply } => {
                let _ = reply.send(self.take_up().await);
            }
            TreeRequest::DeclareDead { ticket, dialog, note } => {
                let outcome = self.declare_dead(&dialog, note.as_deref()).await;
                return self.acknowledge(ticket, &dialog, outcome).await;
            }
            TreeRequest::Rest { reply } => {
                let _ = reply.send(Some(self.rest()));
            }
            TreeRequest::Deliver { dialog, prompt, reply } => {
                let taken = self.take_prompt(&dialog, *prompt).await;
                let _ = reply.send(taken);
            }
            TreeRequest::IsIdle { reply } => {
                let _ = reply.send(self.is_idle());
            }
            TreeRequest::EndIfIdle { reply } => {
                let is_idle = self.is_idle();
                if is_idle {
                    self.close();
                }
                let _ = reply.send(is_idle);
            }
        }
        is_wanted
    }

    async fn continue_all(&mut self) -> ContinueOutcome {
        let stopped: Vec<SelfId> = self
            .tree()
            .dialogs
            .values()
            .filter(|dialog| {
                dialog.latest.marked().is_some() || self.is_unwritable(&dialog.meta.id)
            })
            .map(|dialog| dialog.meta.id.clone())
            .collect();
        let mut outcome = ContinueOutcome::default();
        for dialog in stopped {
            match self.continue_dialog(&dialog).await {
                Ok(()) => outcome.dialogs += 1,
                Err(text) => {
                    let id = self.tree().id(&dialog);
                    outcome.refused.push(localized!([text] "{id}: {text}", "{id}：{text}"));
                }
            }
        }
        outcome
    }

    /// Returns whether it was accepted.
    async fn acknowledge(
        &self,
        ticket: Ticket,
        dialog: &SelfId,
        outcome: Result<(), Localized>,
    ) -> bool {
        let is_accepted = outcome.is_ok();
        let event = match outcome {
            Ok(()) => DriverEvent::Done { ticket, dialog: Some(self.tree().id(dialog)) },
            Err(text) => DriverEvent::Refused { ticket, text },
        };
        self.send_event(event).await;
        is_accepted
    }

    /// Puts the message into the durable queue; the next generation takes it from there, `at_once` if what runs is
    /// stopped for it.
    async fn say(
        &mut self,
        id: &SelfId,
        text: &str,
        images: Vec<AttachedImage>,
        at_once: bool,
    ) -> Result<(), Localized> {
        self.may_say(id, text)?;
        let images = self.read_images(images).await?;
        let mut draft = self.draft();
        draft.set_durable();
        let dialog = self.tree().get(id).ok_or(Refusal::NoSuchDialog)?;
        let (mut queue, msg_id) = (dialog.queue.clone(), self.engine.ids.message());
        let content_items = store_attached(&mut draft, id, &msg_id, images);
        let prompt = QueuedPrompt {
            msg_id,
            content: text.to_owned(),
            origin: Origin::User,
            language: Some(self.engine.user_lang.code().to_owned()),
            directive: None,
            assigns: None,
            content_items,
            quiet: false,
        };
        enqueue(&mut queue, prompt);
        draft.set_queue(id, queue);
        // A message continues a stopped dialog.
        draft.edit_latest(id, Latest::clear_interruption);
        self.commit_wish(id, draft).await?;
        if at_once {
            // Only now: a message that is not on disk stops nothing.
            self.drives.interrupt(id);
            self.report_row(id).await;
        }
        Ok(())
    }

    fn may_say(&self, id: &SelfId, text: &str) -> Result<(), Localized> {
        let dialog = self.tree().get(id).ok_or(Refusal::NoSuchDialog)?;
        if dialog.latest.is_dead() {
            return Err(Refusal::DeadTakesNoMessages.into());
        }
        if dialog.is_fresh_boots() {
            return Err(Refusal::TakesNoMessages.into());
        }
        if text.trim().is_empty() {
            return Err(Refusal::NothingToSend.into());
        }
        if !has_room(&dialog.queue, text) {
            return Err(Refusal::QueueIsFull.into());
        }
        Ok(())
    }

    /// Removes a message from the queue if no generation has taken it.
    async fn take_back_message(&mut self, id: &SelfId, message: &MsgId) -> Result<(), Localized> {
        let dialog = self.tree().get(id).ok_or(Refusal::NoSuchDialog)?;
        let queue = without(&dialog.queue, message).ok_or(Refusal::TakenAlready)?;
        let mut draft = self.draft();
        draft.set_durable();
        draft.set_queue(id, queue);
        self.commit_request(draft).await
    }

    async fn answer_question(
        &mut self,
        id: &SelfId,
        question: &str,
        (input, replace, images): (&AnswerInput, bool, Vec<AttachedImage>),
    ) -> Result<(), Localized> {
        let words = input.words();
        if words.is_some_and(|words| words.trim().is_empty()) {
            return Err(Refusal::AnswerIsEmpty.into());
        }
        let images = self.read_images(images).await?;
        let mut draft = self.draft();
        let items = store_attached(&mut draft, id, &self.engine.ids.message(), images);
        let stops = self.tree().get(id).is_some_and(|dialog| {
            let asked = dialog.questions.iter().find(|open| open.id == question);
            asked.zip(words).is_some_and(|(open, words)| says_stop(&open.call_id, words))
        });
        let given = GivenAnswer { input, replace, images: items };
        let outcome = ask_human::answer(&mut draft, id, question, given, self.engine.texts())?;
        let AnswerOutcome::Recorded(how, decision) = outcome else {
            return self.commit_wish(id, draft).await;
        };
        end_pause(&mut draft, id);
        if stops {
            // No further request is made; the model reads the answer when the dialog continues.
            mark_stopped(&mut draft, id, StopReason::UserStop);
        }
        self.wake_askers(&mut draft);
        self.mark_can_go_on(&mut draft, id);
        let closing = |how| DriverReport::Closing { question: question.to_owned(), how };
        let _ = self.reports.send(closing(Some(how))).await;
        let committed = self.commit_wish(id, draft).await;
        if committed.is_ok() {
            self.engine.hive.record(*decision);
        } else {
            let _ = self.reports.send(closing(None)).await;
        }
        committed
    }

    pub(super) async fn continue_dialog(&mut self, id: &SelfId) -> Result<(), Localized> {
        let dialog = self.tree().get(id).ok_or(Refusal::NoSuchDialog)?;
        let is_idle = self.activity(id) == Activity::Resting;
        let may = is_idle && can_continue(dialog) || self.is_unwritable(id);
        if dialog.latest.is_dead() || !may {
            return Err(refusal(&derive(dialog, self.activity(id))).into());
        }
        let mut draft = self.draft();
        draft.set_durable();
        if !interjection::continue_dialog(&mut draft, id, self.engine.texts()) {
            draft.edit_latest(id, |latest| latest.needs_drive = Some(true));
        }
        self.mark_can_go_on(&mut draft, id);
        self.commit_wish(id, draft).await
    }

    /// With driving off, marks on disk that this dialog can continue: the next process that drives does so,
    /// Dominds lets the user continue it.
    fn mark_can_go_on(&self, draft: &mut Draft, id: &SelfId) {
        if !self.engine.driving.is_on() && draft.dialog(id).is_some_and(|d| next_step(d).is_some())
        {
            draft.edit_latest(id, Latest::request_resume);
        }
    }

    /// Stops a dialog that was marked to continue, before anything has driven it.
    async fn withdraw(&mut self, id: &SelfId) -> Result<(), Localized> {
        let dialog = self.tree().get(id).ok_or(Refusal::NoSuchDialog)?;
        if self.activity(id) != Activity::Resting || !dialog.latest.is_resume_requested() {
            return Err(Refusal::NotAboutToContinue.into());
        }
        let mut draft = self.draft();
        mark_stopped(&mut draft, id, StopReason::UserStop);
        self.commit_request(draft).await
    }
}

/// Why a dialog cannot be continued.
fn refusal(state: &DisplayState) -> Refusal {
    match state {
        DisplayState::Idle => Refusal::NothingToContinue,
        DisplayState::Proceeding | DisplayState::Stopping { .. } => Refusal::RunsAlready,
        DisplayState::Stopped { .. } => Refusal::CannotContinue,
        DisplayState::Blocked { .. } => Refusal::Waits,
        DisplayState::Dead { .. } => Refusal::IsDead,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Lang;
    use crate::samples::assert_translated;

    #[test]
    fn the_outcome_of_continuing_all_is_in_both_languages_with_each_reason() {
        let refused =
            |id: &str| localized!(("{id}: this dialog is dead"), ("{id}：这个对话已经死亡"));
        for (dialogs, refused, en, zh) in [
            (0, vec![], "no dialog goes on", "没有对话继续"),
            (1, vec![], "1 dialog goes on", "1 个对话继续"),
            (
                2,
                vec![refused("a"), refused("b")],
                "2 dialogs go on; 2 cannot: a: this dialog is dead; b: this dialog is dead",
                "2 个对话继续；2 个不能：a：这个对话已经死亡；b：这个对话已经死亡",
            ),
        ] {
            let message = ContinueOutcome { dialogs, refused }.message();
            assert_translated(&message);
            assert_eq!((message.in_lang(Lang::En), message.in_lang(Lang::Zh)), (en, zh));
        }
    }
}
