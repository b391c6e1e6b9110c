//! Consent and databases for tests, and a hive without a store that remembers what it is asked for.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use tokio::sync::watch;

use super::handle::Hive;
use super::server::{HostedTeams, Registration, Server, TAKEOVER};
use super::setup::Permission;
use super::store::Store;
use super::views::{NewsView, Stored, TasksView};
use crate::domain::teams::notices::NewNotice;
use crate::domain::teams::org_change::{ChangePreview, Changed, NewTeam, OrgChange, OrgRefusal};
use crate::domain::teams::task::{Enqueued, NewTask, Task, TaskFilter};
use crate::domain::text::Localized;
use crate::domain::{AgentId, TaskId, TeamName};
use crate::postgres::postgres;

/// The stores that were agreed to, and whether something else waits for consent.
#[derive(Debug, Default)]
pub(super) struct Known {
    pub seats: Mutex<Vec<String>>,
    pub awaits: AtomicBool,
}

impl Permission for Known {
    fn awaits_consent(&self) -> bool {
        self.awaits.load(Ordering::Relaxed)
    }

    fn may_open(&self, seat: &str) -> bool {
        self.seats.lock().unwrap().iter().any(|known| known == seat)
    }

    fn made_here(&self, seat: &str) -> Result<(), Localized> {
        self.seats.lock().unwrap().push(seat.to_owned());
        Ok(())
    }
}

/// What a store of a test is kept in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Database {
    File,
    Server,
}

impl Database {
    /// Both, if this machine has a server.
    pub fn all() -> impl Iterator<Item = Self> {
        std::iter::once(Self::File).chain(postgres().map(|_| Self::Server))
    }
}

/// The rows of an organisation of its own, seen from a box.
pub(crate) fn server(org: &str, box_name: &str) -> Option<Server> {
    Some(Server {
        url: postgres()?.url.clone(),
        org: org.to_owned(),
        box_name: box_name.to_owned(),
        workspaces: Vec::new(),
        teams: HostedTeams::All,
        takeover: TAKEOVER,
    })
}

/// Begins to work in a shared store for these teams.
pub(super) async fn works(store: &mut Store, id: &str, teams: &[&str]) {
    let engine = Registration { id: id.to_owned(), workspace: format!("/{id}") };
    store.register(&engine).await.unwrap();
    let same = |team: &&str| (TeamName::new(*team), "same".to_owned());
    store.host(teams.iter().map(same).collect()).await.unwrap();
}

/// An organisation that no other test has.
pub(crate) fn postgres_org() -> String {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    format!("org-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed))
}

/// Records notices as `n-1`, `n-2`, …, queued tasks and changes of teams, and returns preset answers.
#[derive(Debug)]
pub(crate) struct Double {
    pub view: watch::Sender<TasksView>,
    answer: Enqueued,
    pub known: Vec<Task>,
    queued: Mutex<Vec<NewTask>>,
    changes: Mutex<Vec<OrgChange>>,
    notices: Mutex<Vec<NewNotice>>,
}

impl Default for Double {
    fn default() -> Self {
        Self::new(Enqueued::Skipped)
    }
}

impl Double {
    pub fn new(answer: Enqueued) -> Self {
        Self {
            view: watch::Sender::new(TasksView { revision: 1, ..TasksView::default() }),
            answer,
            known: Vec::new(),
            queued: Mutex::default(),
            changes: Mutex::default(),
            notices: Mutex::default(),
        }
    }

    pub fn hive(self: &Arc<Self>) -> Hive {
        let news = watch::Sender::new(NewsView { revision: 1, ..NewsView::default() });
        let (mut hive, _) = Hive::kept_by(news, self.view.clone());
        hive.double = Some(Arc::clone(self));
        hive
    }

    pub fn queued(&self) -> Vec<NewTask> {
        self.queued.lock().unwrap().clone()
    }

    pub fn changes(&self) -> Vec<OrgChange> {
        self.changes.lock().unwrap().clone()
    }

    pub fn notices(&self) -> Vec<NewNotice> {
        self.notices.lock().unwrap().clone()
    }

    pub(super) fn add(&self, notice: NewNotice) -> Stored<String> {
        let mut notices = self.notices.lock().unwrap();
        notices.push(notice);
        let id = format!("n-{}", notices.len());
        Box::pin(async move { Ok(id) })
    }

    pub(super) fn enqueue(&self, task: NewTask) -> Stored<Enqueued> {
        self.queued.lock().unwrap().push(task);
        let answer = self.answer.clone();
        Box::pin(async move { Ok(answer) })
    }

    pub(super) fn task(&self, id: &TaskId) -> Stored<Option<Task>> {
        let found = self.known.iter().find(|task| task.id == *id).cloned();
        Box::pin(async move { Ok(found) })
    }

    pub(super) fn tasks(&self, filter: &TaskFilter) -> Stored<Vec<Task>> {
        let fits = |task: &&Task| {
            filter.team.as_ref().is_none_or(|team| task.team == *team)
                && filter.statuses.contains(&task.status)
        };
        let found = self.known.iter().filter(fits).cloned().collect();
        Box::pin(async move { Ok(found) })
    }

    pub(super) fn preview() -> Stored<Result<ChangePreview, OrgRefusal>> {
        let (diff, basis) = ("+qa\n".to_owned(), "files".to_owned());
        Box::pin(async move { Ok(Ok(ChangePreview { diff, basis })) })
    }

    pub(super) fn change(&self, change: OrgChange) -> Stored<Result<Changed, OrgRefusal>> {
        let done = match &change {
            OrgChange::Spawn(NewTeam { name, .. }) if name == "busy" => {
                Err(OrgRefusal::Running(Some(TeamName::main())))
            }
            OrgChange::Spawn(NewTeam { name, .. }) => {
                Ok(Changed::Spawned { team: TeamName::new(name), task: TaskId::new("task-1") })
            }
            OrgChange::DefineMember(new) => Ok(Changed::Defined(AgentId::new(&new.id))),
            OrgChange::SaveSkill(new) => Ok(Changed::Saved(new.name.clone())),
            OrgChange::Update { add, .. } => Ok(Changed::Updated(add.clone())),
            OrgChange::Shutdown { team, .. } => Ok(Changed::Closing(vec![team.clone()])),
        };
        self.changes.lock().unwrap().push(change);
        Box::pin(async move { Ok(done) })
    }
}
