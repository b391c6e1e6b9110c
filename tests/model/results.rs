//! Results of tasks that dialogs have asked for: a store in memory, which no crash of the program reaches.

use std::sync::{Arc, Mutex};
use std::time::SystemTime;

use dominds_tui::domain::teams::task::{
    ActiveTask, AttemptId, BlockReason, Delivery, Enqueued, NewTask, RetryRefusal, Task,
    TaskFilter, TaskStatus,
};
use dominds_tui::domain::text::Localized;
use dominds_tui::domain::{DialogId, DialogTree, MsgId, RootId, TaskId, TeamName};
use dominds_tui::tools::{Ending, News, Stored, TaskStore, TasksView, TeamSlots};
use tokio::sync::watch;

use crate::records::Records;

/// What waits for its dialog, and what was delivered.
#[derive(Debug)]
pub struct Results {
    view: watch::Sender<TasksView>,
    all: Mutex<Vec<Delivery>>,
}

impl Default for Results {
    fn default() -> Self {
        let view = watch::Sender::new(TasksView { revision: 1, ..TasksView::default() });
        Self { view, all: Mutex::default() }
    }
}

impl Results {
    /// Leaves a result for a dialog.
    pub fn leave(&self, to: &DialogId, mark: &str, wake: bool) {
        let mut all = self.all.lock().expect("not poisoned");
        let delivery = Delivery {
            of: AttemptId { task: TaskId::new(format!("task-{}", all.len())), attempt: 1 },
            team: TeamName::new("qa"),
            to: to.clone(),
            wake,
            status: TaskStatus::Done,
            text: mark.to_owned(),
        };
        all.push(delivery.clone());
        self.view.send_modify(|view| {
            view.deliveries = view.deliveries.iter().cloned().chain([delivery]).collect();
            view.revision += 1;
        });
    }

    /// Each result that was delivered is in one place of the tree, and none is in two. What waits in a dialog that was
    /// declared dead is dropped with it.
    pub fn check<'a>(
        &self,
        tree: &DialogTree,
        records: impl Iterator<Item = &'a Records>,
    ) -> Result<(), String> {
        let lines: Vec<&String> = records.flat_map(|one| one.lines.values().flatten()).collect();
        let waiting = self.view.borrow().deliveries.clone();
        for Delivery { of, text, .. } in self.all.lock().expect("not poisoned").iter() {
            let id = MsgId::of_delivery(&of.task, of.attempt);
            let named = format!("\"msgId\":\"{id}\"");
            let heard = lines.iter().filter(|line| line.contains(&named)).count();
            let queues = tree.dialogs.values().flat_map(|dialog| &dialog.queue);
            let found = heard + queues.filter(|prompt| prompt.msg_id == id).count();
            let is_delivered = waiting.iter().all(|delivery| delivery.of != *of);
            let may_be_dropped = tree.dialogs.values().any(|dialog| dialog.latest.is_dead());
            if found > 1 || (found == 0 && is_delivered && !may_be_dropped) {
                return Err(format!("the result {text} ({id}) is {found} times in the tree"));
            }
        }
        Ok(())
    }
}

/// There are results alone, and no tasks.
fn none<T: Send + 'static>() -> Stored<T> {
    Box::pin(async { Err(Localized::same("there are no tasks")) })
}

/// The same for every program of an episode.
#[derive(Debug, Clone)]
pub struct ResultStore(pub Arc<Results>);

impl TaskStore for ResultStore {
    fn tasks_view(&self) -> watch::Receiver<TasksView> {
        self.0.view.subscribe()
    }

    fn enqueue(&self, _: NewTask) -> Stored<Enqueued> {
        none()
    }

    fn claim(&self, _: Vec<TeamSlots>, _: Vec<RootId>, _: SystemTime) -> Stored<Vec<ActiveTask>> {
        none()
    }

    fn begun(&self, _: AttemptId) -> Stored<()> {
        none()
    }

    fn cut(&self, _: AttemptId) -> Stored<()> {
        none()
    }

    fn set_blocked(&self, _: AttemptId, _: Option<BlockReason>, _: News) -> Stored<()> {
        none()
    }

    fn end(&self, _: AttemptId, _: Ending) -> Stored<bool> {
        none()
    }

    fn cancel(&self, _: TaskId) -> Stored<Option<TaskStatus>> {
        none()
    }

    fn retry(&self, _: TaskId) -> Stored<Option<Result<(), RetryRefusal>>> {
        none()
    }

    fn put_away(&self, _: AttemptId, _: u64) -> Stored<()> {
        none()
    }

    fn delivered(&self, of: AttemptId) -> Stored<()> {
        self.0.view.send_modify(|view| {
            view.deliveries =
                view.deliveries.iter().filter(|delivery| delivery.of != of).cloned().collect();
            view.revision += 1;
        });
        Box::pin(async { Ok(()) })
    }

    fn task(&self, _: TaskId) -> Stored<Option<Task>> {
        none()
    }

    fn tasks(&self, _: TaskFilter) -> Stored<Vec<Task>> {
        none()
    }
}
