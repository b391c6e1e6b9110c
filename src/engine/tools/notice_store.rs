//! Where notices for people and the history of decisions are kept. The program has one such store for a workspace; where
//! none is configured, there is [`NoNews`].

use std::fmt::Debug;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use tokio::sync::watch;

use crate::domain::Problem;
use crate::domain::asking::decisions::NewDecision;
use crate::domain::teams::notices::{NewNotice, NewsItem};
use crate::domain::text::{Localized, Text};

/// The open items, and the problems that keep the store from working.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct NewsView {
    /// Grows with each change; 0 until the store was read.
    pub revision: u64,
    /// The newest first.
    pub items: Arc<[NewsItem]>,
    pub problems: Vec<Problem>,
}

/// The notices, the failures and the history of one workspace.
pub trait NewsStore: Send + Sync + Debug {
    /// Works until [`NewsStore::close`]; called once.
    fn run(&self) -> BoxFuture<'static, ()>;

    /// Returns a receiver of the open items, which is told of every change.
    fn view(&self) -> watch::Receiver<NewsView>;

    /// Keeps a notice. Its id is returned once it is on disk.
    fn add(&self, notice: NewNotice) -> BoxFuture<'static, Result<String, Localized>>;

    /// Dismisses what of these is open.
    fn dismiss(&self, ids: Vec<String>) -> BoxFuture<'static, Result<(), Localized>>;

    /// Adds to the history in the background. No answer waits for that, and none is lost if it fails.
    fn record(&self, decision: NewDecision);

    /// Rereads the store: a person has agreed to it, or it is configured now.
    fn look_again(&self);

    /// Ends what runs, when all that was recorded is on disk.
    fn close(&self) -> BoxFuture<'static, ()>;
}

/// Keeps nothing.
#[derive(Debug, Clone)]
pub struct NoNews(watch::Sender<NewsView>);

impl Default for NoNews {
    fn default() -> Self {
        Self(watch::Sender::new(NewsView { revision: 1, ..NewsView::default() }))
    }
}

impl NewsStore for NoNews {
    fn run(&self) -> BoxFuture<'static, ()> {
        Box::pin(async {})
    }

    fn view(&self) -> watch::Receiver<NewsView> {
        self.0.subscribe()
    }

    fn add(&self, _notice: NewNotice) -> BoxFuture<'static, Result<String, Localized>> {
        let text = Text::new("there is no place for notices here", "这里没有保存通知的地方");
        Box::pin(async move { Err(text.into()) })
    }

    fn dismiss(&self, _ids: Vec<String>) -> BoxFuture<'static, Result<(), Localized>> {
        Box::pin(async { Ok(()) })
    }

    fn record(&self, _decision: NewDecision) {}

    fn look_again(&self) {}

    fn close(&self) -> BoxFuture<'static, ()> {
        Box::pin(async {})
    }
}
