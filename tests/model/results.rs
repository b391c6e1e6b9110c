//! Results of tasks that dialogs have asked for: they are in memory, where no crash of the program reaches them.

use std::sync::Mutex;

use dominds_tui::domain::teams::task::{AttemptId, Delivery, TaskStatus};
use dominds_tui::domain::{DialogId, DialogTree, MsgId, TaskId, TeamName};
use dominds_tui::hive::TasksView;
use tokio::sync::watch;

use crate::common::World;
use crate::records::Records;

/// What waits for its dialog, and what was delivered.
#[derive(Debug)]
pub struct Results {
    view: watch::Sender<TasksView>,
    all: Mutex<Vec<Delivery>>,
}

impl Results {
    /// Those in the store of a world.
    pub fn of(world: &World) -> Self {
        Self { view: world.setup.news.kept.tasks.clone(), all: Mutex::default() }
    }

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
