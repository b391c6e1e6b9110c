//! The store of a workspace, as tools and driver hold it: each request goes to the task that owns the store, the
//! [keeper](super::keeper).

use std::fmt::{self, Debug};
use std::sync::{Arc, Mutex, PoisonError};

use futures_util::future::BoxFuture;
use tokio::sync::{mpsc, oneshot, watch};

use crate::domain::Clock;
use crate::domain::asking::decisions::NewDecision;
use crate::domain::teams::notices::NewNotice;
use crate::domain::teams::task::AttemptId;
use crate::domain::text::{Localized, Text};

use super::fault::StoreFault;
use super::keeper::Keeper;
use super::reader::Reader;
use super::setup::Setup;
use super::store::{Changes, Store};
#[cfg(test)]
use super::test_support::Double;
use super::views::{NewsView, Stored, TasksView};

/// Requests that may wait. With a full queue, adding a notice waits for room; a decision is not recorded.
const QUEUE: usize = 64;

/// Work in the store. It gets a fault instead if the store cannot be opened.
pub(super) type Job = Box<
    dyn for<'a> FnOnce(Result<&'a mut Store, StoreFault>, &'a dyn Clock) -> BoxFuture<'a, JobDone>
        + Send,
>;

/// The fault of a job, and its answer, which is sent when the effect can be seen.
pub(super) struct JobDone {
    pub fault: Option<StoreFault>,
    pub answer: Box<dyn FnOnce() + Send>,
}

/// What the keeper is asked for.
#[derive(Debug)]
pub enum Request {
    /// Keeps a notice, and answers with its id.
    Add { notice: Box<NewNotice>, reply: oneshot::Sender<Result<String, Localized>> },
    /// Dismisses what of these is open.
    Dismiss { ids: Vec<String>, reply: oneshot::Sender<Result<(), Localized>> },
    /// Adds to the history.
    Record(Box<NewDecision>),
    /// The dialog that asked has the result of this attempt.
    Delivered { of: AttemptId, reply: oneshot::Sender<Result<(), Localized>> },
    /// Works on the tasks.
    Tasks(Work),
    /// Rereads the store.
    LookAgain,
    /// Ends.
    Close { reply: oneshot::Sender<()> },
}

/// Work on the tasks, and what it changes.
pub struct Work {
    pub(super) job: Job,
    pub(super) changes: Changes,
}

impl Debug for Work {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Work").finish_non_exhaustive()
    }
}

/// The store of a running driver. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Hive {
    /// `None`: there is no place for tasks.
    pub(super) setup: Option<Setup>,
    requests: mpsc::Sender<Request>,
    /// The requests, until [`Hive::run`] takes them.
    waiting: Arc<Mutex<Option<mpsc::Receiver<Request>>>>,
    view: watch::Sender<NewsView>,
    pub(super) tasks: watch::Sender<TasksView>,
    pub(super) reader: Reader,
    /// What answers in tests of tools.
    #[cfg(test)]
    pub(super) double: Option<Arc<Double>>,
}

impl Hive {
    #[must_use]
    pub fn new(setup: Setup) -> Self {
        let view = watch::Sender::new(NewsView::default());
        let (hive, requests) = Self::kept_by(view, watch::Sender::new(TasksView::default()));
        Self { setup: Some(setup), waiting: Arc::new(Mutex::new(Some(requests))), ..hive }
    }

    /// Where a workspace has no store: nothing is kept.
    #[must_use]
    pub fn nowhere() -> Self {
        let view = watch::Sender::new(NewsView { revision: 1, ..NewsView::default() });
        let tasks = watch::Sender::new(TasksView { revision: 1, ..TasksView::default() });
        Self::kept_by(view, tasks).0
    }

    /// A store that somebody else keeps, who sets these views and gets the requests. There is no place for tasks in it.
    #[must_use]
    pub fn kept_by(
        view: watch::Sender<NewsView>,
        tasks: watch::Sender<TasksView>,
    ) -> (Self, mpsc::Receiver<Request>) {
        let (requests, asked) = mpsc::channel(QUEUE);
        let hive = Self {
            setup: None,
            requests,
            waiting: Arc::default(),
            view,
            tasks,
            reader: Reader::default(),
            #[cfg(test)]
            double: None,
        };
        (hive, asked)
    }

    /// Nobody keeps it.
    fn is_nowhere(&self) -> bool {
        self.setup.is_none() && self.requests.is_closed()
    }

    /// Works on the tasks of the store, which is made if need be; returns once what it changes is in the view.
    pub(super) fn on_tasks<T: Send + 'static>(
        &self,
        work: impl for<'a> FnOnce(&'a mut Store, &'a dyn Clock) -> BoxFuture<'a, Result<T, StoreFault>>
        + Send
        + 'static,
    ) -> Stored<T> {
        self.on_tasks_changing(Changes::Anything, work)
    }

    /// As [`Self::on_tasks`], for work that makes only these changes.
    pub(super) fn on_tasks_changing<T: Send + 'static>(
        &self,
        changes: Changes,
        work: impl for<'a> FnOnce(&'a mut Store, &'a dyn Clock) -> BoxFuture<'a, Result<T, StoreFault>>
        + Send
        + 'static,
    ) -> Stored<T> {
        if self.setup.is_none() {
            return no_place();
        }
        self.sent(|reply| Request::Tasks(Work { job: job(reply, work), changes }))
    }

    /// Queues such work without waiting for it; with a full queue it is not done.
    pub(super) fn on_tasks_later<T: Send + 'static>(
        &self,
        work: impl for<'a> FnOnce(&'a mut Store, &'a dyn Clock) -> BoxFuture<'a, Result<T, StoreFault>>
        + Send
        + 'static,
    ) {
        let job = job(oneshot::channel().0, work);
        let _ = self.requests.try_send(Request::Tasks(Work { job, changes: Changes::Anything }));
    }

    /// Sends a request, and waits for its answer.
    pub(super) fn sent<T: Send + 'static>(
        &self,
        make: impl FnOnce(oneshot::Sender<Result<T, Localized>>) -> Request,
    ) -> Stored<T> {
        if self.is_nowhere() {
            return no_place();
        }
        let (reply, answer) = oneshot::channel();
        let (requests, request) = (self.requests.clone(), make(reply));
        Box::pin(async move {
            let ended = || StoreFault::Ended.text();
            requests.send(request).await.map_err(|_| ended())?;
            answer.await.unwrap_or_else(|_| Err(ended()))
        })
    }

    /// Works until [`Hive::close`]; called once.
    pub fn run(&self) -> BoxFuture<'static, ()> {
        let requests = self.waiting.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some((setup, requests)) = self.setup.clone().zip(requests) else {
            return Box::pin(async {});
        };
        let views = (self.view.clone(), self.tasks.clone());
        let keeper = Keeper::new(setup, views, self.reader.clone());
        Box::pin(keeper.run(requests))
    }

    /// Returns a receiver of the open items, which is told of every change.
    pub fn view(&self) -> watch::Receiver<NewsView> {
        self.view.subscribe()
    }

    /// Keeps a notice. Its id is returned once it is on disk.
    pub fn add(&self, notice: NewNotice) -> Stored<String> {
        #[cfg(test)]
        if let Some(double) = &self.double {
            return double.add(notice);
        }
        if self.is_nowhere() {
            let text = Text::new("there is no place for notices here", "这里没有保存通知的地方");
            return Box::pin(async move { Err(text.into()) });
        }
        let notice = Box::new(notice);
        self.sent(|reply| Request::Add { notice, reply })
    }

    /// Dismisses what of these is open.
    pub fn dismiss(&self, ids: Vec<String>) -> Stored<()> {
        if self.is_nowhere() {
            return Box::pin(async { Ok(()) });
        }
        self.sent(|reply| Request::Dismiss { ids, reply })
    }

    /// Adds to the history in the background. No answer waits for that, and none is lost if it fails.
    pub fn record(&self, decision: NewDecision) {
        let sent = self.requests.try_send(Request::Record(Box::new(decision)));
        if sent.is_err() && !self.is_nowhere() {
            // The dialog has the decision or the answer all the same. So many requests wait only for a store that hangs, and its
            // fault is a problem.
            tracing::warn!("a decision is not in the history: the store does not keep up");
        }
    }

    /// Rereads the store: a person has agreed to it, or it is configured now.
    pub fn look_again(&self) {
        // With a full queue it looks anyway.
        let _ = self.requests.try_send(Request::LookAgain);
    }

    /// Ends what runs, when all that was recorded is on disk.
    pub fn close(&self) -> BoxFuture<'static, ()> {
        let requests = self.requests.clone();
        Box::pin(async move {
            let (reply, ended) = oneshot::channel();
            if requests.send(Request::Close { reply }).await.is_ok() {
                let _ = ended.await;
            }
        })
    }
}

/// The refusal of a request where tasks are not kept.
pub(super) fn no_place<T: Send + 'static>() -> Stored<T> {
    let text = Text::new("there is no place for tasks here", "这里没有保存任务的地方");
    Box::pin(async move { Err(text.into()) })
}

/// The work, as the keeper does it.
pub(super) fn job<T: Send + 'static>(
    reply: oneshot::Sender<Result<T, Localized>>,
    work: impl for<'a> FnOnce(&'a mut Store, &'a dyn Clock) -> BoxFuture<'a, Result<T, StoreFault>>
    + Send
    + 'static,
) -> Job {
    Box::new(move |store, clock| {
        Box::pin(async move {
            let done = match store {
                Ok(store) => work(store, clock).await,
                Err(fault) => Err(fault),
            };
            let (answer, fault) = match done {
                Ok(done) => (Ok(done), None),
                Err(fault) => (Err(fault.text()), Some(fault)),
            };
            JobDone { fault, answer: Box::new(move || drop(reply.send(answer))) }
        })
    })
}
