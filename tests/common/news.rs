//! A store of notices in memory.

use std::sync::{Arc, Mutex};

use dominds_tui::domain::Stamp;
use dominds_tui::domain::asking::decisions::NewDecision;
use dominds_tui::domain::teams::notices::{NewNotice, NewsItem, NewsKind};
use dominds_tui::domain::text::Localized;
use dominds_tui::tools::{NewsStore, NewsView};
use futures_util::future::BoxFuture;
use tokio::sync::watch;

/// Ids are `n-CALL`.
#[derive(Debug)]
pub struct KeptNews {
    view: watch::Sender<NewsView>,
    decisions: Mutex<Vec<NewDecision>>,
}

impl Default for KeptNews {
    fn default() -> Self {
        let nothing = NewsView { revision: 1, ..NewsView::default() };
        Self { view: watch::Sender::new(nothing), decisions: Mutex::default() }
    }
}

impl KeptNews {
    pub fn items(&self) -> Vec<NewsItem> {
        self.view.borrow().items.to_vec()
    }

    pub fn decisions(&self) -> Vec<NewDecision> {
        self.decisions.lock().expect("not poisoned").clone()
    }
}

impl NewsStore for KeptNews {
    fn run(&self) -> BoxFuture<'static, ()> {
        Box::pin(async {})
    }

    fn view(&self) -> watch::Receiver<NewsView> {
        self.view.subscribe()
    }

    fn add(&self, notice: NewNotice) -> BoxFuture<'static, Result<String, Localized>> {
        let id = format!("n-{}", notice.call);
        let item = NewsItem {
            id: id.clone(),
            kind: NewsKind::Notice,
            level: notice.level,
            agent: Some(notice.agent),
            dialog: notice.dialog,
            work: notice.work,
            title: notice.title,
            body: notice.body,
            count: 1,
            created_at: Stamp::default(),
            updated_at: Stamp::default(),
            resolved_at: None,
        };
        self.view.send_modify(|view| {
            view.revision += 1;
            view.items = std::iter::once(item).chain(view.items.iter().cloned()).collect();
        });
        Box::pin(async move { Ok(id) })
    }

    fn dismiss(&self, ids: Vec<String>) -> BoxFuture<'static, Result<(), Localized>> {
        self.view.send_modify(|view| {
            let left: Arc<[NewsItem]> =
                view.items.iter().filter(|item| !ids.contains(&item.id)).cloned().collect();
            view.items = left;
            view.revision += 1;
        });
        Box::pin(async { Ok(()) })
    }

    fn record(&self, decision: NewDecision) {
        self.decisions.lock().expect("not poisoned").push(decision);
    }

    fn look_again(&self) {}

    fn close(&self) -> BoxFuture<'static, ()> {
        Box::pin(async {})
    }
}
