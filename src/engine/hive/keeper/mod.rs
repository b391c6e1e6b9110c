//! The task that owns the store of a running driver. It opens the store when it is needed, publishes what is open, and looks
//! once a second whether another process has changed something.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, sleep_until};

use crate::domain::Problem;
use crate::domain::asking::decisions::NewDecision;
use crate::domain::teams::notices::{NewNotice, NewsItem};

use super::fault::{StoreFault, team_differs};
use super::folder::{Folder, StoreState, off_thread};
use super::handle::{Job, JobDone, Request, Work, job};
use super::lease::Lease;
use super::reader::Reader;
use super::server::StoreChoice;
use super::setup::Setup;
use super::store::{Changes, Listed, Store};
use super::views::{NewsView, Sharing, TasksView};

/// Interval of the check for changes by other processes.
const POLL_INTERVAL: Duration = Duration::from_secs(1);
/// Interval of the retries to settle a team change that is blocked.
const STUCK_INTERVAL: Duration = Duration::from_mins(1);
/// Interval of the check for a store, where none is configured.
const RARE_POLL_INTERVAL: Duration = Duration::from_secs(10);

/// News and tasks, as they were read.
type Seen = (Result<Vec<NewsItem>, StoreFault>, Result<Option<TasksView>, StoreFault>);

/// The task that owns the store.
#[derive(Debug)]
pub(super) struct Keeper {
    setup: Setup,
    /// The lease, if several boxes share the store.
    lease: Option<Lease>,
    /// It has been open since the start.
    is_open: bool,
    /// The problems that keep team changes from being undone or finished, and when that was tried last.
    stuck: (Vec<Problem>, Option<Instant>),
    store: Option<Store>,
    /// A store was configured at the last look.
    is_configured: bool,
    /// The version of the database at the last read.
    version: i64,
    /// The day of the last copy, and its problem if it failed.
    copied: String,
    copy_fault: Option<Problem>,
    /// The published view is what was in the store at the last read.
    is_known: bool,
    /// The last write failed with a fault that may pass.
    is_faulty: bool,
    view: watch::Sender<NewsView>,
    tasks: watch::Sender<TasksView>,
    reader: Reader,
}

impl Keeper {
    pub fn new(
        setup: Setup,
        (view, tasks): (watch::Sender<NewsView>, watch::Sender<TasksView>),
        reader: Reader,
    ) -> Self {
        Self {
            lease: setup.server().map(|server| Lease::new(server, &setup)),
            setup,
            is_open: false,
            stuck: (Vec::new(), None),
            store: None,
            is_configured: false,
            version: 0,
            copied: String::new(),
            copy_fault: None,
            is_known: false,
            is_faulty: false,
            view,
            tasks,
            reader,
        }
    }

    pub async fn run(mut self, mut requests: mpsc::Receiver<Request>) {
        self.look().await;
        let mut looked = Instant::now();
        let closing = loop {
            let uses_one = self.store.is_some() || self.is_configured;
            let pause = if uses_one { POLL_INTERVAL } else { RARE_POLL_INTERVAL };
            tokio::select! {
                heard = heard(self.lease.as_mut()) => {
                    tracing::trace!(heard, "somebody else has changed the store");
                    self.poll().await;
                    looked = Instant::now();
                }
                request = requests.recv() => match request {
                    Some(Request::Close { reply }) => break Some(reply),
                    Some(request) => self.handle(request).await,
                    None => break None,
                },
                () = sleep_until(looked + pause) => {
                    self.poll().await;
                    looked = Instant::now();
                }
            }
        };
        // A search that waits for a connection waits no longer.
        drop(requests);
        self.reader.close().await;
        if let Some(mut store) = self.store.take() {
            if let Err(fault) = store.leave().await {
                // Nothing is lost: the lease runs out by itself, later.
                tracing::warn!(%fault, "the lease could not be given back");
            }
            store.close().await;
        }
        if let Some(closing) = closing {
            let _ = closing.send(());
        }
    }

    async fn handle(&mut self, request: Request) {
        match request {
            Request::Add { notice, reply } => {
                let added = self.add(&notice).await;
                self.publish(added.as_ref().err()).await;
                let _ = reply.send(added.map_err(|fault| fault.text()));
            }
            Request::Dismiss { ids, reply } => {
                let dismissed = self.dismiss(&ids).await;
                self.publish(dismissed.as_ref().err()).await;
                let _ = reply.send(dismissed.map_err(|fault| fault.text()));
            }
            Request::Record(decision) => {
                let recorded = self.record(&decision).await;
                if let Err(fault) = recorded {
                    // The dialog has the decision or the answer all the same; the fault is a problem.
                    tracing::warn!(%fault, "a decision is not in the history");
                    self.publish(Some(&fault)).await;
                }
            }
            Request::Delivered { of, reply } => {
                let delivered =
                    job(reply, move |store, _| Box::pin(async move { store.delivered(&of).await }));
                self.work(delivered, &Changes::Anything).await;
            }
            Request::Tasks(Work { job, changes }) => self.work(job, &changes).await,
            Request::LookAgain => self.look().await,
            // Ends the loop before.
            Request::Close { .. } => {}
        }
    }

    /// The store, opened or made.
    async fn open(&mut self) -> Result<&mut Store, StoreFault> {
        if let Some(fault) = self.lease.as_ref().and_then(Lease::recent_fault) {
            return Err(fault);
        }
        let mut store = if let Some(store) = self.store.take() {
            store
        } else {
            let opened = self.setup.open_or_make().await;
            let store = opened.inspect_err(|fault| self.note(fault))?;
            self.fresh(store).await?
        };
        let kept = match &mut self.lease {
            Some(lease) => lease.reconnect(&mut store).await,
            None => Ok(()),
        };
        let store = self.store.insert(store);
        kept.map(|()| store)
    }

    /// Registers in a store that was just opened, and ends the queries of an earlier run: nobody waits for them.
    async fn fresh(&mut self, mut store: Store) -> Result<Store, StoreFault> {
        if let Some(lease) = &mut self.lease {
            lease.begin(&mut store).await?;
        }
        if !std::mem::replace(&mut self.is_open, true) {
            store.end_old_queries(self.setup.clock.moment()).await?;
        }
        Ok(store)
    }

    /// Remembers that the connection to a server is lost.
    fn note(&mut self, fault: &StoreFault) {
        if let Some(lease) = &mut self.lease {
            lease.note(fault);
        }
    }

    /// Does a job. The answer comes after the view, so that the asker sees the effect.
    async fn work(&mut self, job: Job, changes: &Changes) {
        let clock = self.setup.clock.clone();
        let JobDone { fault, answer } = match self.open().await {
            Ok(store) => job(Ok(store), clock.as_ref()).await,
            Err(fault) => job(Err(fault), clock.as_ref()).await,
        };
        if let Some(fault) = &fault {
            self.note(fault);
        }
        self.publish_after(changes, fault.as_ref()).await;
        answer();
        self.settle_changes().await;
    }

    /// Undoes or finishes unfinished team changes. A blocked one is tried again once a minute.
    async fn settle_changes(&mut self) {
        let is_due = self.stuck.1.is_none_or(|tried| tried.elapsed() >= STUCK_INTERVAL);
        let (Some(store), true) = (&mut self.store, is_due) else { return };
        if self.tasks.borrow().changes.is_empty() {
            if !self.stuck.0.is_empty() {
                self.stuck = (Vec::new(), None);
                self.publish(None).await;
            }
            return;
        }
        let problems = match self.setup.settle_changes(store).await {
            Ok(problems) => problems,
            Err(fault) => {
                tracing::warn!(%fault, "changes of the teams could not be settled");
                fault.problem().into_iter().collect()
            }
        };
        let tried = (!problems.is_empty()).then(Instant::now);
        self.stuck = (problems, tried);
        self.publish(None).await;
    }

    async fn add(&mut self, notice: &NewNotice) -> Result<String, StoreFault> {
        let now = self.setup.clock.moment();
        self.open().await?.add_notice(notice, now).await
    }

    async fn dismiss(&mut self, ids: &[String]) -> Result<(), StoreFault> {
        let now = self.setup.clock.moment();
        match &mut self.store {
            Some(store) => store.dismiss(ids, now).await,
            None => Ok(()),
        }
    }

    /// Nothing is recorded where no store is configured.
    async fn record(&mut self, decision: &NewDecision) -> Result<(), StoreFault> {
        if self.store.is_none() {
            let setup = self.setup.clone();
            if !off_thread(move || Ok(setup.is_configured())).await? {
                return Ok(());
            }
        }
        let now = self.setup.clock.moment();
        self.open().await?.record(decision, now).await
    }

    /// Opens the store if there is one, and deletes what is old.
    async fn look(&mut self) {
        if self.store.is_none() {
            let setup = self.setup.clone();
            self.is_configured =
                off_thread(move || Ok(setup.is_configured())).await.unwrap_or(false);
            let opened = match self.setup.open().await {
                Ok(None) => Ok(None),
                Ok(Some(store)) => self.fresh(store).await.map(Some),
                Err(fault) => Err(fault),
            };
            match opened {
                Ok(store) => self.store = store,
                Err(fault) => {
                    self.note(&fault);
                    return self.publish(Some(&fault)).await;
                }
            }
        }
        self.copy_of_day().await;
        let Some(store) = &mut self.store else { return self.publish(None).await };
        let deleted = store.delete_old(self.setup.clock.moment()).await;
        self.publish(deleted.err().as_ref()).await;
        self.settle_changes().await;
    }

    /// Makes a copy once a day, then removes memories that were deleted long ago. A copy that fails is a problem, and is tried
    /// again the next day. True if something was tried.
    async fn copy_of_day(&mut self) -> bool {
        let day: String = self.setup.clock.now().as_str().chars().take(10).collect();
        let is_own = self.setup.store == StoreChoice::Own;
        let store = self.store.as_mut().filter(|_| self.copied != day);
        let Some(store) = store else { return false };
        if is_own {
            let copied = self.setup.copy_of_day(store).await;
            self.copy_fault = copied.err().map(|fault| fault.of_copy());
        }
        self.copied = day;
        self.setup.look_after_memories(store).await || is_own
    }

    async fn poll(&mut self) {
        self.reader.close_idle().await;
        if self.copy_of_day().await {
            self.publish(None).await;
        }
        if self.store.is_none() {
            // Another process may have made one.
            let folder = Folder::of(&self.setup.workspace);
            let is_there = off_thread(move || Ok(folder.state() != StoreState::Missing)).await;
            if self.lease.is_some() || matches!(is_there, Ok(true)) {
                self.look().await;
            }
            return;
        }
        match self.changed_version().await {
            Ok(None) if self.is_faulty => self.look_at_fault().await,
            Ok(None) => {}
            Ok(Some(version)) => {
                self.version = version;
                if let Some(store) = &mut self.store {
                    store.look_at_missing_memories().await;
                }
                if self.is_faulty {
                    self.look_at_fault().await;
                } else {
                    self.publish(None).await;
                }
            }
            Err(fault) => {
                self.note(&fault);
                return self.publish(Some(&fault)).await;
            }
        }
        self.settle_changes().await;
    }

    /// A fault is over when something can be written.
    async fn look_at_fault(&mut self) {
        let Some(store) = &mut self.store else { return };
        let tried = store.try_writing().await;
        if let Err(fault) = &tried {
            self.note(fault);
        }
        self.publish(tried.err().as_ref()).await;
    }

    /// The version of the store; `None` if neither it nor the state of the lease has changed.
    async fn changed_version(&mut self) -> Result<Option<i64>, StoreFault> {
        let was_held = !self.is_cut_off();
        self.open().await?;
        let (Some(store), known) = (&mut self.store, self.version) else { return Ok(None) };
        if let Some(lease) = &mut self.lease {
            lease.keep(store).await?;
        }
        let version = store.version().await?;
        Ok((version != known || was_held == self.is_cut_off()).then_some(version))
    }

    fn is_cut_off(&self) -> bool {
        self.lease.as_ref().is_some_and(Lease::is_cut_off)
    }

    /// Publishes what is open now, and the fault.
    async fn publish(&mut self, fault: Option<&StoreFault>) {
        self.publish_after(&Changes::Anything, fault).await;
    }

    /// As [`Self::publish`], after work that made only these changes since.
    async fn publish_after(&mut self, changes: &Changes, fault: Option<&StoreFault>) {
        let (listed, tasks) = match changes {
            Changes::Queued(..) | Changes::Started | Changes::Nothing
                if fault.is_none() && self.is_known =>
            {
                self.read_after(changes).await
            }
            Changes::Queued(..) | Changes::Started | Changes::Nothing | Changes::Anything => {
                self.read().await
            }
        };
        self.is_known = self.store.is_some() && listed.is_ok() && matches!(tasks, Ok(Some(_)));
        let (tasks, unreadable) = match tasks {
            Ok(tasks) => (tasks, None),
            Err(fault) => (None, Some(fault)),
        };
        if let Some(fault) = &unreadable {
            self.note(fault);
        }
        let fault = fault.or(unreadable.as_ref());
        let is_cut_off = self.is_cut_off();
        self.tasks.send_if_modified(|view| {
            let revision = view.revision;
            let mut now =
                tasks.map_or_else(|| view.clone(), |tasks| TasksView { revision, ..tasks });
            now.sharing = now.sharing.map(|sharing| with_cut_off(sharing, is_cut_off));
            let changes = revision == 0 || now != *view;
            *view = now;
            view.revision += u64::from(changes);
            changes
        });
        self.is_faulty = fault.is_some_and(StoreFault::may_pass);
        let fault = fault.and_then(StoreFault::problem);
        let of_store = self.store.as_ref().and_then(Store::problem);
        let problem = fault.into_iter().chain(of_store).chain(self.differing());
        let copy_fault = &self.copy_fault;
        let stuck = &self.stuck.0;
        self.view.send_if_modified(|view| {
            let before = view.clone();
            match listed {
                Ok(items) => {
                    view.items = items.into();
                    view.problems = {
                        let all = problem.chain(copy_fault.clone());
                        all.chain(stuck.iter().cloned()).collect()
                    };
                }
                Err(fault) => view.problems = fault.problem().into_iter().collect(),
            }
            let changes = view.revision == 0 || *view != before;
            view.revision += u64::from(changes);
            changes
        });
    }

    /// Reads what is open in the store. `None` for tasks: the last known ones stay.
    async fn read(&mut self) -> Seen {
        let is_down = self.lease.as_ref().is_some_and(Lease::is_down);
        match &mut self.store {
            // The last known news stay.
            _ if is_down => (Ok(self.view.borrow().items.to_vec()), Ok(None)),
            Some(store) => {
                let clock = self.setup.clock.as_ref();
                let ended = store.end_unfinished().await;
                let listed = store.news(Listed::Open, clock).await;
                let tasks = store.tasks_view(clock).await;
                (listed, ended.and(tasks).map(Some))
            }
            None => (Ok(Vec::new()), Ok(Some(TasksView::default()))),
        }
    }

    /// As [`Self::read`], if only these changes were made.
    async fn read_after(&mut self, changes: &Changes) -> Seen {
        let Some(store) = &mut self.store else { return self.read().await };
        let before = self.tasks.borrow().clone();
        let ended = store.end_unfinished().await;
        let clock = self.setup.clock.as_ref();
        let listed = match changes {
            Changes::Queued(..) | Changes::Nothing => Ok(self.view.borrow().items.to_vec()),
            Changes::Started | Changes::Anything => store.news(Listed::Open, clock).await,
        };
        let tasks = store.tasks_view_after(changes, &before, clock).await;
        (listed, ended.and(tasks).map(Some))
    }

    /// The problems of teams that are not worked for here, because their files differ from those elsewhere.
    fn differing(&self) -> Vec<Problem> {
        let view = self.tasks.borrow();
        let teams = view.sharing.iter().flat_map(|sharing| &sharing.differing);
        teams.map(team_differs).collect()
    }
}

/// Waits for a change by another program in a shared store; false if the listener was lost.
async fn heard(lease: Option<&mut Lease>) -> bool {
    match lease {
        Some(lease) => lease.heard().await,
        None => std::future::pending().await,
    }
}

/// The shared state, with whether the lease has run out.
fn with_cut_off(sharing: Arc<Sharing>, is_cut_off: bool) -> Arc<Sharing> {
    if sharing.is_cut_off == is_cut_off {
        return sharing;
    }
    Arc::new(Sharing { is_cut_off, ..Arc::unwrap_or_clone(sharing) })
}

#[cfg(test)]
mod tests;
