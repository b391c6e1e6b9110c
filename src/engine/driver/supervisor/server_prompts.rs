//! The prompts of MCP servers, for a person who writes a message. The servers are started as for a generation; a task of
//! its own waits for them.

use crate::domain::{DialogId, PromptCall};
use crate::driver::reporting::clients::ClientId;
use crate::driver::reporting::reports::DriverReport;
use crate::protocol::DriverEvent;
use crate::protocol::command::Ticket;

use super::trees::Supervisor;

impl Supervisor {
    pub(super) fn list_prompts(&mut self, client: ClientId) {
        let sources = self.engine.sources.clone();
        self.report_later(async move {
            sources.settle().await;
            let prompts = DriverEvent::Prompts(sources.prompts());
            DriverReport::EventFor(client, Box::new(prompts))
        });
    }

    pub(super) fn make_prompt(&mut self, ticket: Ticket, dialog: DialogId, call: PromptCall) {
        let sources = self.engine.sources.clone();
        self.report_later(async move {
            DriverReport::Event(match sources.prompt(dialog, call).await {
                Ok(text) => DriverEvent::Prompt { ticket, text },
                Err(text) => DriverEvent::Refused { ticket, text },
            })
        });
    }

    /// Reports what comes of it, unless the driver ends before.
    fn report_later(&mut self, report: impl Future<Output = DriverReport> + Send + 'static) {
        let (reports, mut alive) = (self.reports.clone(), self.alive.subscribe());
        self.readers.spawn(async move {
            tokio::select! {
                report = report => {
                    let _ = reports.send(report).await;
                }
                _ = alive.changed() => {}
            }
        });
    }
}
