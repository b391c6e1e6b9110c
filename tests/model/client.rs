//! The client of a driver, as a person uses it: commands that nobody waits for, and everything that was reported.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use dominds_tui::domain::teams::notices::NewsItem;
use dominds_tui::domain::{Course, DialogId, Entry};
use dominds_tui::protocol::event::{InboxRow, TreeRow};
use dominds_tui::protocol::{Command, DriverEvent};
use dominds_tui::store::Store;

use crate::common::wait::{in_time, until};
use crate::common::{Running, World};
use crate::ledger::Ledger;
use crate::notices::Dismissals;

/// A record that was reported to be on disk.
#[derive(Debug)]
pub struct ReportedRecord {
    pub dialog: DialogId,
    pub course: Course,
    pub line: usize,
    pub entry: Arc<Entry>,
}

/// What persons know of all programs that ran one after the other.
#[derive(Debug, Default)]
pub struct Memory {
    pub ledger: Ledger,
    pub dismissals: Dismissals,
    pub records: Vec<ReportedRecord>,
    /// Reports that must never come.
    pub faults: Vec<String>,
    /// The main dialog, once it is made.
    pub main: Option<DialogId>,
}

pub struct Client {
    running: Running,
    pub rows: BTreeMap<DialogId, TreeRow>,
    pub inbox: Vec<InboxRow>,
    pub news: Vec<NewsItem>,
}

impl Client {
    pub fn open(world: &World) -> Self {
        let running = world.try_start().expect("a workspace to write to");
        Self { running, rows: BTreeMap::new(), inbox: Vec::new(), news: Vec::new() }
    }

    pub async fn send(&mut self, command: Command) {
        self.running.send(command).await;
    }

    /// Lets time pass and takes in what is reported.
    pub async fn wait(&mut self, time: Duration, memory: &mut Memory) {
        tokio::time::sleep(time).await;
        self.listen(memory).await;
    }

    async fn listen(&mut self, memory: &mut Memory) {
        // The one that carries events needs its turn after each of them.
        while let Ok(event) = self.running.driver.events.try_recv() {
            self.take(event, memory);
            tokio::task::yield_now().await;
        }
    }

    fn take(&mut self, event: DriverEvent, memory: &mut Memory) {
        match event {
            DriverEvent::Rows(rows) => {
                self.rows = rows.into_iter().map(|row| (row.dialog.clone(), row)).collect();
            }
            DriverEvent::Row(row) => _ = self.rows.insert(row.dialog.clone(), *row),
            DriverEvent::Removed(dialog) => self.rows.retain(|id, _| id.root != dialog.root),
            DriverEvent::Inbox(rows) => self.inbox = rows,
            DriverEvent::News(items) => self.news = items,
            DriverEvent::Fact(fact) => memory.records.push(ReportedRecord {
                dialog: fact.dialog().clone(),
                course: fact.course(),
                line: fact.line(),
                entry: fact.entry().clone(),
            }),
            DriverEvent::Done { ticket, dialog } => {
                memory.ledger.acknowledged(ticket);
                memory.dismissals.acknowledged(ticket);
                memory.main = memory.main.take().or(dialog);
            }
            DriverEvent::Refused { ticket, text } => {
                memory.ledger.refused(ticket, &text.to_string());
            }
            DriverEvent::Notice(text) if text.to_string().contains("internal error") => {
                memory.faults.push(text.to_string());
            }
            _ => {}
        }
    }

    /// Dialogs that are at work, as they were last reported.
    pub fn running(&self) -> Vec<&DialogId> {
        let running = self.rows.values().filter(|row| row.state.is_running());
        running.map(|row| &row.dialog).collect()
    }

    /// Ends the program as a person would.
    pub async fn close(mut self, memory: &mut Memory) {
        self.send(Command::Shutdown { grace: Duration::from_secs(3) }).await;
        loop {
            let event = in_time(self.running.driver.events.recv()).await.expect("an end");
            if matches!(event, DriverEvent::Stopped) {
                break;
            }
            self.take(event, memory);
        }
        let Running { driver, store, .. } = self.running;
        in_time(driver.join()).await;
        gone(&store).await;
    }

    /// Ends it as a kill would: nobody writes another byte.
    pub async fn kill(mut self, memory: &mut Memory) {
        self.listen(memory).await;
        let Running { driver, store, .. } = self.running;
        drop(driver);
        gone(&store).await;
    }
}

/// Waits until nobody else holds the store.
async fn gone(store: &Arc<Store>) {
    until(|| Arc::strong_count(store) == 1).await;
}
