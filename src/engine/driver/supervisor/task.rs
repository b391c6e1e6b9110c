//! The supervisor task: takes commands, notices the ends of trees, ends them all.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc;
use tokio::time::MissedTickBehavior;

use crate::driver::reporting::clients::{ClientRights, Request, RequestKind};
use crate::driver::reporting::reports::{DriverReport, ReportSender};
use crate::driver::reporting::run_outcome::PickUp;
use crate::driver::shared::engine::Engine;
use crate::protocol::command::Command;
use crate::protocol::wire::Audience;

use super::minds::MINDS_POLL_INTERVAL;
use super::orders::Order;
use super::trees::Supervisor;

/// How long the store of the news may take to be opened before anything is driven.
const NEWS_TIMEOUT: Duration = Duration::from_secs(5);

#[derive(Debug)]
pub struct SupervisorTask {
    supervisor: Supervisor,
    requests: mpsc::Receiver<Request>,
    orders: mpsc::Receiver<Order>,
}

impl SupervisorTask {
    pub fn new(
        engine: Arc<Engine>,
        reports: ReportSender,
        (requests, orders): (mpsc::Receiver<Request>, mpsc::Receiver<Order>),
        pick_up: PickUp,
        audience: Audience,
    ) -> Self {
        let supervisor = Supervisor::new(engine, reports, pick_up, audience);
        Self { supervisor, requests, orders }
    }

    pub async fn run(mut self) {
        let mut news = self.supervisor.engine.hive.view();
        // Reported first: news that exists before anything is driven is not new.
        let known =
            tokio::time::timeout(NEWS_TIMEOUT, news.wait_for(|view| view.revision > 0)).await;
        if let Ok(Ok(view)) = known.map(|known| known.map(|view| view.clone())) {
            self.supervisor.send_news(view).await;
        }
        let mut tasks = self.supervisor.engine.hive.tasks_view();
        let revision = tasks.borrow_and_update().revision;
        self.supervisor.send_tasks().await;
        self.supervisor.report(DriverReport::TasksSeen { revision }).await;
        let saving = self.supervisor.initial_survey().await;
        let mut grace = Duration::from_secs(3);
        let mut minds_poll = tokio::time::interval(MINDS_POLL_INTERVAL);
        minds_poll.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut processes = self.supervisor.engine.shells.changes();
        self.supervisor.send_processes().await;
        loop {
            tokio::select! {
                request = self.requests.recv() => {
                    let Some(request) = request else { break };
                    if let Some(given) = shutdown_of(&request) {
                        grace = given;
                        break;
                    }
                    self.supervisor.handle_request(request).await;
                },
                Some(order) = self.orders.recv() => self.supervisor.carry_out(order).await,
                Ok(()) = processes.changed() => self.supervisor.send_processes().await,
                Ok(()) = news.changed() => {
                    let view = news.borrow_and_update().clone();
                    self.supervisor.send_news(view).await;
                }
                Ok(()) = tasks.changed() => {
                    tasks.mark_unchanged();
                    self.supervisor.send_tasks().await;
                }
                Some(ended) = self.supervisor.tasks.join_next() => self.supervisor.tree_ended(ended).await,
                Some(_) = self.supervisor.readers.join_next() => {}
                Some(listed) = self.supervisor.listings.join_next() => self.supervisor.files_listed(listed).await,
                Some(kept) = self.supervisor.images.join_next() => self.supervisor.image_kept(kept).await,
                _ = minds_poll.tick(), if self.supervisor.is_attended => self.supervisor.check_minds().await,
            }
        }
        self.orders.close();
        while self.orders.try_recv().is_ok() {}
        self.supervisor.trees.clear();
        self.supervisor.end_reading().await;
        let all_ended = async {
            while self.supervisor.tasks.join_next().await.is_some() {}
            if let Some(saving) = saving {
                let _ = saving.await;
            }
        };
        if tokio::time::timeout(grace, all_ended).await.is_err() {
            // Nothing is lost that a kill would not lose: recovery closes what stays open.
            tracing::warn!("some drives did not settle in time; their state is on disk");
            self.supervisor.tasks.shutdown().await;
        }
        self.supervisor.engine.sources.close().await;
        self.supervisor.engine.hive.close().await;
        self.supervisor.engine.log.log_totals();
    }
}

/// How long streams may take to end, if this ends the driver.
fn shutdown_of(request: &Request) -> Option<Duration> {
    let RequestKind::Command(command) = &request.kind else { return None };
    let Command::Shutdown { grace } = command.as_ref() else { return None };
    (request.rights == ClientRights::All).then_some(*grace)
}
