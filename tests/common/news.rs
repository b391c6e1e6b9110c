//! A store of notices in memory, which every program of a workspace has. It has no tasks, only results for dialogs.

use std::sync::{Arc, Mutex};

use dominds_tui::domain::Stamp;
use dominds_tui::domain::asking::decisions::NewDecision;
use dominds_tui::domain::teams::notices::{NewNotice, NewsItem, NewsKind};
use dominds_tui::domain::teams::task::AttemptId;
use dominds_tui::hive::{Hive, NewsView, Request, TasksView};
use tokio::runtime::Handle;
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;

/// Ids are `n-CALL`.
#[derive(Debug, Default)]
pub struct KeptNews {
    pub kept: Kept,
    keepers: Mutex<JoinSet<()>>,
}

/// The same for every program.
#[derive(Debug, Clone)]
pub struct Kept {
    view: watch::Sender<NewsView>,
    decisions: Arc<Mutex<Vec<NewDecision>>>,
    /// The results that wait for their dialogs.
    pub tasks: watch::Sender<TasksView>,
}

impl Default for Kept {
    fn default() -> Self {
        let nothing = NewsView { revision: 1, ..NewsView::default() };
        let no_tasks = TasksView { revision: 1, ..TasksView::default() };
        Self {
            view: watch::Sender::new(nothing),
            decisions: Arc::default(),
            tasks: watch::Sender::new(no_tasks),
        }
    }
}

impl KeptNews {
    pub fn items(&self) -> Vec<NewsItem> {
        self.kept.view.borrow().items.to_vec()
    }

    pub fn decisions(&self) -> Vec<NewDecision> {
        self.kept.decisions.lock().expect("not poisoned").clone()
    }

    /// The store as one program has it; it answers if there is a runtime.
    pub fn hive(&self) -> Hive {
        let (hive, asked) = Hive::kept_by(self.kept.view.clone(), self.kept.tasks.clone());
        if let Ok(runtime) = Handle::try_current() {
            let keeping = self.kept.clone().keep(asked);
            self.keepers.lock().expect("not poisoned").spawn_on(keeping, &runtime);
        }
        hive
    }
}

impl Kept {
    /// Answers as long as somebody may ask.
    async fn keep(self, mut asked: mpsc::Receiver<Request>) {
        while let Some(request) = asked.recv().await {
            match request {
                Request::Add { notice, reply } => _ = reply.send(Ok(self.add(*notice))),
                Request::Dismiss { ids, reply } => {
                    self.dismiss(&ids);
                    _ = reply.send(Ok(()));
                }
                Request::Record(decision) => {
                    self.decisions.lock().expect("not poisoned").push(*decision);
                }
                Request::Delivered { of, reply } => {
                    self.delivered(&of);
                    _ = reply.send(Ok(()));
                }
                Request::Tasks(_) | Request::LookAgain | Request::Close { .. } => {}
            }
        }
    }

    fn add(&self, notice: NewNotice) -> String {
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
        id
    }

    fn dismiss(&self, ids: &[String]) {
        self.view.send_modify(|view| {
            let left: Arc<[NewsItem]> =
                view.items.iter().filter(|item| !ids.contains(&item.id)).cloned().collect();
            view.items = left;
            view.revision += 1;
        });
    }

    fn delivered(&self, of: &AttemptId) {
        self.tasks.send_modify(|view| {
            view.deliveries =
                view.deliveries.iter().filter(|delivery| delivery.of != *of).cloned().collect();
            view.revision += 1;
        });
    }
}
