//! Consent while the program runs: the user agrees, and what waited for that continues.

use tokio::sync::oneshot;

use crate::domain::asking::autonomy::{AutonomyLevel, AutonomyScope};
use crate::domain::dialogs::tree::Bucket;
use crate::domain::safety::sandbox::Level;
use crate::domain::text::Localized;
use crate::domain::{RootId, Unagreed};
use crate::driver::shared::blocking::{blocking, interrupted};
use crate::driver::shared::config_problems::minds_report;
use crate::driver::tree::user_requests::TreeRequest;
use crate::protocol::DriverEvent;
use crate::protocol::command::Ticket;

use super::listing::needs_loading;
use super::trees::Supervisor;

impl Supervisor {
    /// The user agreed to what was shown. What changed meanwhile still waits.
    pub(super) async fn agree(
        &mut self,
        ticket: Ticket,
        digests: Vec<String>,
        level: Option<Level>,
    ) {
        let engine = self.engine.clone();
        // The level first: nothing may start with another one.
        let level = level.filter(|_| !engine.level_is_set);
        let save = move || {
            if let Some(level) = level {
                engine.trust.choose_level(level)?;
                engine.shells.set_level(level);
            }
            engine.trust.agree(&digests)
        };
        let agreed = tokio::task::spawn_blocking(save).await;
        self.consent_changed(ticket, agreed.unwrap_or_else(|error| Err(interrupted(&error)))).await;
    }

    /// Handles a change of what is agreed to, or of what needs consent: continues what waited for it.
    async fn consent_changed(&mut self, ticket: Ticket, outcome: Result<(), Localized>) {
        let event = match outcome {
            Ok(()) => DriverEvent::Done { ticket, dialog: None },
            Err(text) => DriverEvent::Refused { ticket, text },
        };
        let has_agreed =
            self.engine.driving.awaits_consent() && matches!(event, DriverEvent::Done { .. });
        self.engine.hive.look_again();
        if has_agreed {
            self.resume_if_agreed().await;
        }
        self.report_consent().await;
        self.send_event(event).await;
    }

    /// The user chose how much members decide alone. It holds from the next generation on.
    pub(super) async fn set_autonomy(
        &mut self,
        ticket: Ticket,
        scope: AutonomyScope,
        level: AutonomyLevel,
    ) {
        let engine = self.engine.clone();
        let choose = move || engine.trust.choose_autonomy(&scope, level);
        let chosen = tokio::task::spawn_blocking(choose).await;
        self.consent_changed(ticket, chosen.unwrap_or_else(|error| Err(interrupted(&error)))).await;
    }

    /// Reports what waits for consent now.
    pub(super) async fn report_consent(&mut self) {
        let engine = self.engine.clone();
        let read = blocking(move |on| minds_report(&engine, &engine.minds(on), on));
        if let Ok(report) = read.await {
            self.report(report).await;
        }
    }

    async fn resume_if_agreed(&mut self) {
        let engine = self.engine.clone();
        let survey = blocking(move |on| {
            let waiting = engine.trust.waiting(&engine.minds(on));
            let may_go_on = !waiting.iter().any(Unagreed::holds_dialogs);
            may_go_on.then(|| engine.store.survey(&[Bucket::Run]))
        });
        let Ok(Some(survey)) = survey.await else { return };
        self.engine.driving.set_awaits_consent(false);
        // Makes loaded trees check again which dialogs can continue.
        for mailbox in self.trees.values() {
            let (reply, _) = oneshot::channel();
            let _ = mailbox.send(TreeRequest::IsIdle { reply }).await;
        }
        if self.may_pick_up() {
            let waiting = survey.trees.iter().filter(|listing| needs_loading(listing));
            let roots: Vec<RootId> = waiting.map(|listing| listing.root.clone()).collect();
            self.pick_up(roots).await;
            self.take_up(&survey.trees).await;
        }
    }
}
