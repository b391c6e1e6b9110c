//! Routes the commands of the screen: to a tree, or to what concerns several of them.

use tokio::sync::oneshot;

use crate::domain::asking::inquiry::answers::AnswerInput;
use crate::domain::dialogs::latest::{DisplayState, StopReason};
use crate::domain::dialogs::tree::Bucket;
use crate::domain::text::localized;
use crate::domain::{Course, DialogId, RootId};
use crate::driver::reporting::clients::{ClientId, ClientRights, Request, RequestKind, own};
use crate::driver::reporting::reports::{DriverReport, Subscription};
use crate::driver::shared::blocking::{blocking, interrupted};
use crate::driver::tree::user_requests::{ContinueOutcome, TreeRequest};
use crate::protocol::command::{Command, Ticket};
use crate::protocol::event::DriverEvent;
use crate::protocol::wire::Audience;
use crate::protocol::{AttachedImage, Refusal};
use crate::store::{StoreError, TreeListing};

use super::listing::{PAGE_RECORDS, read_page};
use super::trees::Supervisor;

impl Supervisor {
    pub(super) async fn handle_request(&mut self, request: Request) {
        let Request { client, audience, rights, kind } = request;
        let command = match kind {
            RequestKind::Command(command) => *command,
            RequestKind::Left => return self.client_left(client).await,
            RequestKind::Problems { origin, problems } => {
                let origin = origin.into();
                return self.report(DriverReport::Problems { origin, problems }).await;
            }
        };
        self.is_attended |= audience.is_person();
        if rights == ClientRights::View {
            // A viewer cannot answer: that it looks at a question must not keep others from being called.
            if let Command::Look { .. } = command {
                return;
            }
            if !command.is_read_only() {
                return self.refuse_to_view(client, &command).await;
            }
        }
        self.handle_command((client, audience), command).await;
    }

    /// Gives a message to the tree of its dialog.
    pub(super) async fn say(
        &mut self,
        ticket: Ticket,
        dialog: &DialogId,
        (text, images, at_once): (String, Vec<AttachedImage>, bool),
    ) {
        let this = dialog.this.clone();
        let request = TreeRequest::Say { ticket, dialog: this, text, images, at_once };
        self.forward(Some(ticket), dialog, request).await;
    }

    async fn answer(
        &mut self,
        ticket: Ticket,
        dialog: &DialogId,
        question: String,
        (input, replace, images): (AnswerInput, bool, Vec<AttachedImage>),
    ) {
        self.report(DriverReport::Answering { ticket, question: question.clone() }).await;
        let this = dialog.this.clone();
        let request =
            TreeRequest::Answer { ticket, dialog: this, question, input, replace, images };
        self.forward(Some(ticket), dialog, request).await;
    }

    async fn client_left(&mut self, client: ClientId) {
        self.finding.remove(&client);
        self.previewing.remove(&client);
        self.files_wanted.remove(&client);
        self.engine.looks.set(client, None);
        self.report(DriverReport::Left(client)).await;
    }

    async fn refuse_to_view(&self, client: ClientId, command: &Command) {
        let text = Refusal::ViewsOnly.into();
        let event = match command.ticket() {
            Some(ticket) => DriverEvent::Refused { ticket: own(ticket), text },
            None => DriverEvent::Notice(text),
        };
        self.send_to(client, event).await;
    }

    async fn handle_command(&mut self, (client, audience): (ClientId, Audience), command: Command) {
        match command {
            Command::Open { ticket, dialog, course } => self.open(ticket, dialog, course).await,
            Command::Page { ticket, dialog, course, before } => {
                self.page(ticket, dialog, Some(course), Some(before)).await;
            }
            Command::Preview { ticket, dialog } => self.preview(ticket, dialog),
            Command::Close => {
                let watch = Subscription::NoDialog;
                self.report(DriverReport::Watch { client, watch }).await;
            }
            Command::Create { ticket, agent, taskdoc, text, priming } => {
                self.create(ticket, (agent, taskdoc, priming), text).await;
            }
            Command::Say { ticket, dialog, text, images } => {
                self.say(ticket, &dialog, (text, images, false)).await;
            }
            Command::SayNow { ticket, dialog, text, images } => {
                self.say(ticket, &dialog, (text, images, true)).await;
            }
            Command::KeepImage { ticket, origin } => {
                self.begin_to_keep_image(ticket, origin).await;
            }
            Command::TakeBack { ticket, dialog, message } => {
                let this = dialog.this.clone();
                let request = TreeRequest::TakeBack { ticket, dialog: this, message };
                self.forward(Some(ticket), &dialog, request).await;
            }
            Command::Answer { ticket, dialog, question, text, images } => {
                let given = (AnswerInput::Words(text), false, images);
                self.answer(ticket, &dialog, question, given).await;
            }
            Command::AnswerParts { ticket, dialog, question, input, replace } => {
                let given = (input, replace, Vec::new());
                self.answer(ticket, &dialog, question, given).await;
            }
            Command::Stop { dialog } => {
                if self.trees.contains_key(&dialog.root) {
                    let request = TreeRequest::Stop { dialog: dialog.this.clone() };
                    self.forward(None, &dialog, request).await;
                }
            }
            Command::RetryNow { dialog } => {
                if self.trees.contains_key(&dialog.root) {
                    let request = TreeRequest::RetryNow { dialog: dialog.this.clone() };
                    self.forward(None, &dialog, request).await;
                }
            }
            Command::StopAll => self.stop_all(audience).await,
            Command::FinishSteps { ticket } => self.finish_steps(ticket).await,
            Command::Continue { ticket, dialog } => {
                let request = TreeRequest::Continue { ticket, dialog: dialog.this.clone() };
                self.forward(Some(ticket), &dialog, request).await;
            }
            Command::KeepGoing { ticket, dialog, switch } => {
                let this = dialog.this.clone();
                let request = TreeRequest::KeepGoing { ticket, dialog: this, switch };
                self.forward(Some(ticket), &dialog, request).await;
            }
            Command::SetModel { ticket, dialog, model } => {
                let this = dialog.this.clone();
                let request = TreeRequest::SetModel { ticket, dialog: this, model };
                self.forward(Some(ticket), &dialog, request).await;
            }
            Command::SetDialogAutonomy { ticket, dialog, level } => {
                let this = dialog.this.clone();
                let request = TreeRequest::SetAutonomy { ticket, dialog: this, level };
                self.forward(Some(ticket), &dialog, request).await;
            }
            Command::Withdraw { ticket, dialog } => {
                let request = TreeRequest::Withdraw { ticket, dialog: dialog.this.clone() };
                self.forward(Some(ticket), &dialog, request).await;
            }
            Command::ContinueAll { ticket } => self.continue_all(ticket).await,
            Command::Lifecycle { ticket, change } => self.change_lifecycle(ticket, change).await,
            Command::Title { ticket, dialog, title } => {
                self.set_title(ticket, dialog, title).await;
            }
            Command::Shelf { ticket } => self.list_shelf(ticket).await,
            Command::Log { ticket } => self.show_log(ticket).await,
            Command::Mind { ticket, agent } => self.show_mind(ticket, agent).await,
            Command::Agree { ticket, digests, level } => self.agree(ticket, digests, level).await,
            Command::SetAutonomy { ticket, scope, level } => {
                self.set_autonomy(ticket, scope, level).await;
            }
            Command::DismissNews { ticket, ids } => self.dismiss_news(ticket, ids).await,
            Command::Tasks { ticket, request } => self.task_request(ticket, request),
            Command::Memories { ticket, request } => self.memory_request(ticket, request),
            Command::Vault { ticket, request } => self.vault_request(ticket, request),
            Command::CheckConsent => self.report_consent().await,
            Command::Sheet { ticket, dialog, request } => self.sheet(ticket, dialog, request).await,
            Command::Drafts { ticket } => self.send_drafts(ticket).await,
            Command::SaveDraft { ticket, name, text } => {
                self.save_draft(ticket, name, text).await;
            }
            Command::Files => self.begin_to_list_files(client),
            Command::Prompts => self.list_prompts(client),
            Command::Prompt { ticket, dialog, call } => self.make_prompt(ticket, dialog, call),
            Command::StopProcess { ticket, pid } => self.stop_process(ticket, pid).await,
            Command::Find { ticket, request } => self.find(client, Some((ticket, request))),
            Command::EndFind => self.find(client, None),
            Command::Look { questions } => self.engine.looks.set(client, questions),
            Command::Refresh => {
                self.report(DriverReport::Refresh(client)).await;
            }
            Command::Shutdown { .. } => {}
        }
    }

    async fn stop_all(&mut self, audience: Audience) {
        let reason =
            if audience.is_person() { StopReason::EmergencyStop } else { StopReason::UserStop };
        for mailbox in self.trees.values() {
            let _ = mailbox.send(TreeRequest::StopAll { reason: reason.clone() }).await;
        }
    }

    async fn finish_steps(&mut self, ticket: Ticket) {
        self.engine.driving.finish_steps();
        for mailbox in self.trees.values() {
            let _ = mailbox.send(TreeRequest::FinishSteps).await;
        }
        self.send_event(DriverEvent::Done { ticket, dialog: None }).await;
    }

    async fn continue_all(&mut self, ticket: Ticket) {
        let engine = self.engine.clone();
        let survey = blocking(move |_| engine.store.survey(&[Bucket::Run])).await;
        let listed = survey.map(|survey| survey.trees).unwrap_or_default();
        let stopped = listed.into_iter().filter(|tree| self.has_stopped(tree));
        let stopped: Vec<RootId> = stopped.map(|tree| tree.root).collect();
        let mut outcome = ContinueOutcome::default();
        for root in stopped {
            let (reply, continued) = oneshot::channel();
            let request = TreeRequest::ContinueAll { reply };
            if let Err(error) = self.try_forward(&root, request).await {
                let error = error.message();
                outcome.refused.push(localized!([error] "{root}: {error}", "{root}：{error}"));
            } else if let Ok(continued) = continued.await {
                outcome.add(continued);
            }
        }
        if outcome == ContinueOutcome::default() {
            let text = Refusal::NothingIsStopped.into();
            self.send_event(DriverEvent::Refused { ticket, text }).await;
        } else if outcome.dialogs == 0 {
            self.send_event(DriverEvent::Refused { ticket, text: outcome.message() }).await;
        } else {
            // With driving off nothing continues yet.
            if self.engine.driving.is_on() || !outcome.refused.is_empty() {
                let notice = DriverEvent::Notice(outcome.message());
                self.send_to(ClientId::of(ticket), notice).await;
            }
            self.send_event(DriverEvent::Done { ticket, dialog: None }).await;
        }
    }

    /// True if a dialog in it has stopped, also by the end of the process that drove it: then the stop may not be on
    /// disk yet. A loaded tree reports its stop itself; one that may only be read does not go on here.
    fn has_stopped(&self, tree: &TreeListing) -> bool {
        let is_loaded = self.trees.contains_key(&tree.root);
        tree.foreign.is_none()
            && tree.dialogs.iter().any(|dialog| {
                let is_left = !is_loaded && matches!(dialog.state, DisplayState::Stopped { .. });
                is_left || dialog.latest.marked().is_some()
            })
    }

    async fn open(&mut self, ticket: Ticket, dialog: DialogId, course: Option<Course>) {
        let (client, watch) = (ClientId::of(ticket), Subscription::Dialog(dialog.clone()));
        self.report(DriverReport::Watch { client, watch }).await;
        self.page(ticket, dialog, course, None).await;
    }

    async fn page(
        &mut self,
        ticket: Ticket,
        dialog: DialogId,
        course: Option<Course>,
        before: Option<usize>,
    ) {
        let engine = self.engine.clone();
        let read = move || read_page(&engine, dialog, course, before, PAGE_RECORDS);
        let page_read = tokio::task::spawn_blocking(read);
        let event = match page_read.await {
            Ok(Ok(page)) => DriverEvent::Page { ticket, page: Box::new(page) },
            Ok(Err(StoreError::NotFound(root))) => return self.refuse_missing(ticket, root),
            Ok(Err(error)) => DriverEvent::Refused { ticket, text: error.message() },
            Err(error) => DriverEvent::Refused { ticket, text: interrupted(&error) },
        };
        self.send_event(event).await;
    }
}
