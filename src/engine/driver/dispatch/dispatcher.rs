//! The dispatcher of tasks.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::{Instant, MissedTickBehavior, interval, sleep, sleep_until};

use crate::domain::dialogs::latest::StopReason;
use crate::domain::dialogs::tree::Bucket;
use crate::domain::teams::org::OrgTeam;
use crate::domain::teams::org_change::TeamStatus;
use crate::domain::teams::task::outcome::{Outcome, Rest, outcome};
use crate::domain::teams::task::query::NO_PROVIDER;
use crate::domain::teams::task::{
    ActiveTask, AttemptId, BlockReason, Delivery, EMPTY_RESPONSE, EndedAttempt, TaskEnd, TaskKind,
    TaskStatus,
};
use crate::domain::text::Localized;
use crate::domain::{AgentId, MsgId, QueuedPrompt, RootId, TeamName};
use crate::driver::shared::blocking::blocking;
use crate::driver::shared::engine::Engine;
use crate::driver::supervisor::creation::unused_root;
use crate::driver::supervisor::orders::{Beginning, Order, PuttingAway};
use crate::driver::texts::Texts;
use crate::hive::{TasksView, TeamSlots};
use crate::minds::Minds;

use super::firing::Triggers;
use super::sharing::Sharer;
use super::stalls::{Scan, Stalled, escalation};
use super::task_notices;

/// Interval of the check of all tasks, while there are any.
const POLL_INTERVAL: Duration = Duration::from_secs(5);
/// Pause before a dialog that does not rest yet is put away again, and the number of such retries.
const AWAY_PAUSE: Duration = Duration::from_millis(200);
const AWAY_TRIES: u32 = 25;
/// Interval of the scans for stalled tasks.
const SCAN_INTERVAL: Duration = Duration::from_mins(10);
/// Why a task ends whose dialog a person has moved or deleted.
const DIALOG_IS_GONE: &str = "its dialog was moved or deleted";

/// The task that looks after the tasks of teams.
#[derive(Debug)]
pub struct Dispatcher {
    pub(super) engine: Arc<Engine>,
    orders: mpsc::Sender<Order>,
    view: watch::Receiver<TasksView>,
    /// False: starts nothing; only looks after tasks whose dialogs go on because of a command.
    works: bool,
    /// The triggers that fire here; `None` if none do.
    triggers: Option<Triggers>,
    /// The attempts that have been looked at since the start.
    pub(super) known: BTreeSet<AttemptId>,
    /// Trees in which something has happened.
    moved: BTreeSet<RootId>,
    /// The number of their last mark.
    mark: u64,
    /// All tasks are to be checked.
    is_due: bool,
    /// Rounds in a row in which a dialog that is to be put away did not rest.
    restless: u32,
    sharer: Sharer,
    /// Tasks that have failed since the start.
    pub(super) failed: u64,
    /// It is time to look for tasks that stall.
    scan_is_due: bool,
    /// The stalled items the last scan found.
    stalled: Option<Vec<Stalled>>,
}

/// The duties of a dispatcher.
#[derive(Debug, Clone, Copy)]
pub struct Duties {
    /// Everything is picked up, not only what commands name.
    pub works: bool,
    /// Triggers fire.
    pub fires: bool,
}

/// The supervisor has ended and executes no orders.
pub(super) struct Ended;

impl Dispatcher {
    pub fn new(engine: Arc<Engine>, orders: mpsc::Sender<Order>, duties: Duties) -> Self {
        let view = engine.hive.tasks_view();
        let (known, moved) = (BTreeSet::new(), BTreeSet::new());
        let triggers = duties.fires.then(|| Triggers::new(engine.clone()));
        Self {
            engine,
            orders,
            view,
            works: duties.works,
            triggers,
            known,
            moved,
            mark: 0,
            is_due: false,
            restless: 0,
            sharer: Sharer::default(),
            failed: 0,
            scan_is_due: false,
            stalled: None,
        }
    }

    /// Works until the supervisor ends.
    pub async fn run(mut self) {
        if self.ask(|reply| Order::Surveyed { reply }).await.is_err() {
            return;
        }
        let mut poll = interval(POLL_INTERVAL);
        poll.set_missed_tick_behavior(MissedTickBehavior::Delay);
        // The first one is at the start.
        let mut scan = interval(SCAN_INTERVAL);
        scan.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            let view = self.view.borrow_and_update().clone();
            let has_work = view.has_work() || view.sharing.is_some();
            if self.round(&view).await.is_err() {
                return;
            }
            let wake = self.triggers.as_ref().and_then(Triggers::wake);
            tokio::select! {
                changed = self.view.changed() => if changed.is_err() { return },
                (moved, mark) = self.engine.changed_trees.next() => {
                    self.moved.extend(moved);
                    self.mark = mark;
                }
                // Retries what was missed or could not be written.
                _ = poll.tick(), if has_work => self.is_due = true,
                () = sleep(AWAY_PAUSE), if self.awaits_rest() => {}
                () = sleep_until(wake.unwrap_or_else(Instant::now)), if wake.is_some() => {}
                _ = scan.tick(), if has_work => self.scan_is_due = true,
                () = self.orders.closed() => return,
            }
        }
    }

    async fn round(&mut self, view: &TasksView) -> Result<(), Ended> {
        let is_on = self.engine.driving.is_on();
        let moved = std::mem::take(&mut self.moved);
        let is_due = std::mem::take(&mut self.is_due);
        let restless = std::mem::take(&mut self.restless);
        if view.is_cut_off() {
            return self.pause(view).await;
        }
        self.sharer.keep_running(view);
        if is_on
            && self.works
            && self.sharer.is_to_tell(view, is_due)
            && let Some(minds) = self.minds().await
        {
            self.sharer.tell(&self.engine.hive, &minds).await;
        }
        if !self.works || !is_on {
            // Closing a team drives nothing.
            self.close_teams(view).await?;
        }
        if is_on && !self.works {
            self.follow_named(view, &moved, is_due).await?;
        } else if is_on && view.revision > 0 {
            let mut wanted = Vec::new();
            for active in view.active.iter() {
                let is_new = !self.known.contains(&active.attempt());
                let is_meant = moved.contains(&active.root)
                    || self.sharer.is_paused(&active.root)
                    || is_due && self.may_differ(active).await;
                if is_new || is_meant && !self.goes_on(active).await? {
                    wanted.push(active);
                }
            }
            for delivery in view.deliveries.iter() {
                self.deliver(delivery).await?;
            }
            let stalled = self.stalled.iter().flatten();
            if self.scan_is_due || stalled.into_iter().any(|stalled| !stalled.is_still(view)) {
                self.scan(view).await;
            }
            self.fire(view, is_due).await;
            // Most of what happens in a tree is no reason to read the configuration.
            let asked = view.queries.iter().any(|query| is_due || !query.started);
            let waits = asked || !view.pending.is_empty();
            let is_quiet = wanted.is_empty() && view.ended.is_empty() && !waits;
            if !is_quiet && !self.carry_on(view, &wanted).await? {
                return Ok(());
            }
        }
        if self.restless > 0 {
            self.restless = restless.saturating_add(1);
        }
        let now = self.view.borrow().clone();
        let runs = now.active.iter().any(|active| active.task.status == TaskStatus::Running);
        let runs = self.works && runs;
        let is_same = now.revision == view.revision && self.moved.is_empty();
        let is_done = is_same && !runs && !self.awaits_rest();
        if !is_on || is_done {
            let (revision, moved, failed) = (now.revision, self.mark, self.failed);
            let settled = Order::Settled { revision, moved, failed };
            return self.orders.send(settled).await.map_err(|_| Ended);
        }
        Ok(())
    }

    /// Stops all work here.
    async fn pause(&mut self, view: &TasksView) -> Result<(), Ended> {
        for root in self.sharer.take_running(view) {
            // Nothing is lost: the stop has its reason, and the store is a problem.
            tracing::warn!(%root, "a task is stopped: the store is not reached");
            let stop = Some(StopReason::store_is_away());
            let how = PuttingAway { to: None, stop, even_done: false };
            self.ask(|reply| Order::PutAway { root, how, reply }).await?;
        }
        Ok(())
    }

    /// True while a dialog that was stopped is about to rest, so that it can be put away.
    fn awaits_rest(&self) -> bool {
        (1..=AWAY_TRIES).contains(&self.restless)
    }

    /// Looks after the tasks whose trees a command has continued, and after queries.
    async fn follow_named(
        &mut self,
        view: &TasksView,
        moved: &BTreeSet<RootId>,
        is_due: bool,
    ) -> Result<(), Ended> {
        let is_named = |active: &&ActiveTask| active.begun && moved.contains(&active.root);
        let wanted: Vec<&ActiveTask> = view.active.iter().filter(is_named).collect();
        let is_ours = |ended: &&EndedAttempt| ended.of_query || self.known.contains(&ended.of);
        let ended: Vec<&EndedAttempt> = view.ended.iter().filter(is_ours).collect();
        let asked = view.queries.iter().any(|query| is_due || !query.started);
        if wanted.is_empty() && ended.is_empty() && !asked {
            return Ok(());
        }
        let Some(minds) = self.minds().await else { return Ok(()) };
        for ended in ended {
            self.put_away(ended, minds.hive().keeps_open).await?;
        }
        for active in wanted {
            self.known.insert(active.attempt());
            self.attend(active, &minds).await?;
        }
        self.start_queries(view, &minds).await
    }

    /// Archives the dialogs of teams that are shut down, and delivers the results that others wait for.
    async fn close_teams(&mut self, view: &TasksView) -> Result<(), Ended> {
        let closing = |team: &TeamName| view.status_of(team) == TeamStatus::ShuttingDown;
        for ended in view.ended.iter().filter(|ended| ended.of_closing_team) {
            self.put_away(ended, false).await?;
        }
        for delivery in view.deliveries.iter().filter(|delivery| closing(&delivery.team)) {
            self.deliver(delivery).await?;
        }
        Ok(())
    }

    /// Carries on by the current configuration; false if it could not be read.
    async fn carry_on(&mut self, view: &TasksView, wanted: &[&ActiveTask]) -> Result<bool, Ended> {
        let Some(minds) = self.minds().await else { return Ok(false) };
        for ended in view.ended.iter() {
            self.put_away(ended, minds.hive().keeps_open).await?;
        }
        for active in wanted {
            self.known.insert(active.attempt());
            self.attend(active, &minds).await?;
        }
        self.start_queries(view, &minds).await?;
        self.claim(view, &minds).await?;
        Ok(true)
    }

    /// Fires triggers that are due, or that a message matches.
    async fn fire(&mut self, view: &TasksView, is_due: bool) {
        let Some(triggers) = &self.triggers else { return };
        let is_used = view.has_active_trigger() || !view.messages.is_empty();
        if !(is_used && is_due || triggers.may_be_due(view)) {
            return;
        }
        let Some(minds) = self.minds().await else { return };
        if let Some(triggers) = &mut self.triggers {
            triggers.fire(view, &minds).await;
        }
    }

    /// Scans for stalled tasks, triggers and team changes, and reports them.
    async fn scan(&mut self, view: &TasksView) {
        let Some(minds) = self.minds().await else { return };
        let (rule, org) = (minds.hive().stall, minds.hive().org());
        let tasks = self.engine.hive.clone();
        let Some(old) = Self::stored(tasks.long_open(rule.youngest()).await) else { return };
        self.scan_is_due = false;
        let scan = Scan::of(old, view, (minds.hive(), self.engine.clock.as_ref()));
        scan.log();
        let found = scan.found();
        let is_clean = found.is_empty();
        // After a restart it is not known what was told.
        let before = self.stalled.replace(found);
        if !is_clean || before.is_none_or(|before| !before.is_empty()) {
            let news = scan.news(view, (org, self.engine.user_lang));
            Self::stored(tasks.tell_stalls(news).await);
        }
        let (day, texts) = (self.engine.clock.now(), self.engine.texts());
        for stall in &scan.tasks {
            if let Some(task) = escalation(stall, org, (&day, texts)) {
                // A repetition on the same day is refused.
                Self::stored(tasks.enqueue(task).await);
            }
        }
    }

    /// True if the task goes on: the state of its tree requires no action.
    async fn goes_on(&self, active: &ActiveTask) -> Result<bool, Ended> {
        let root = active.root.clone();
        let seen = self.ask(|reply| Order::Look { root, reply }).await?.flatten();
        let outcome = seen.map(|rest| outcome(active.task.status, rest, active.cuts));
        Ok(active.begun && outcome.is_some_and(|outcome| matches!(outcome, Outcome::Goes)))
    }

    /// `None` if it could not be read; then it is tried again later.
    async fn minds(&self) -> Option<Arc<Minds>> {
        let engine = self.engine.clone();
        blocking(move |on| engine.minds(on)).await.ok()
    }

    /// Gives an order and waits for its reply; `None` if the order could not be carried out.
    async fn ask<T>(
        &self,
        order: impl FnOnce(oneshot::Sender<T>) -> Order,
    ) -> Result<Option<T>, Ended> {
        let (reply, answer) = oneshot::channel();
        self.orders.send(order(reply)).await.map_err(|_| Ended)?;
        Ok(answer.await.ok())
    }

    /// The result of a write to the store. A failed write is logged and tried again; the store is then a problem.
    pub(super) fn stored<T>(done: Result<T, Localized>) -> Option<T> {
        done.inspect_err(|error| tracing::warn!(%error, "the store of tasks")).ok()
    }

    async fn put_away(&mut self, ended: &EndedAttempt, keeps_open: bool) -> Result<(), Ended> {
        let to = match ended.status {
            _ if ended.of_closing_team => Some(Bucket::Archive),
            _ if ended.of_query => Some(Bucket::Done),
            TaskStatus::Done | TaskStatus::Failed if keeps_open => None,
            TaskStatus::Done | TaskStatus::Failed => Some(Bucket::Done),
            TaskStatus::Cancelled
            | TaskStatus::Pending
            | TaskStatus::Running
            | TaskStatus::Blocked => Some(Bucket::Archive),
        };
        let root = ended.root.clone();
        // Words that come after the end are not waited for.
        let stop = if ended.of_query {
            Some(StopReason::system(Texts::query_is_over()))
        } else {
            (to == Some(Bucket::Archive)).then_some(StopReason::UserStop)
        };
        let how = PuttingAway { to, stop, even_done: ended.of_closing_team };
        let is_away = self.ask(|reply| Order::PutAway { root, how, reply }).await?;
        if is_away == Some(true) {
            let tokens = if ended.is_counted { 0 } else { self.tokens_of(&ended.root).await };
            Self::stored(self.engine.hive.put_away(ended.of.clone(), tokens).await);
        } else {
            self.restless = 1;
        }
        Ok(())
    }

    async fn deliver(&self, delivery: &Delivery) -> Result<(), Ended> {
        let texts = self.engine.texts();
        let of = &delivery.of;
        let id = MsgId::of_delivery(&of.task, of.attempt);
        let prompt = QueuedPrompt::of_runtime(id, texts.task_result(delivery), texts.0);
        let prompt = Box::new(QueuedPrompt { quiet: !delivery.wake, ..prompt });
        let to = delivery.to.clone();
        if self.ask(|reply| Order::Deliver { to, prompt, reply }).await? == Some(true) {
            Self::stored(self.engine.hive.delivered(of.clone()).await);
        }
        Ok(())
    }

    /// False for a task that waits for a person and whose dialog was not moved: a tree that rests is left alone.
    async fn may_differ(&self, active: &ActiveTask) -> bool {
        if active.task.status == TaskStatus::Running {
            return true;
        }
        let (engine, root) = (self.engine.clone(), active.root.clone());
        let found = blocking(move |_| engine.store.find(&root)).await;
        found.is_ok_and(|bucket| bucket != Some(Bucket::Run))
    }

    /// The member that works on a task.
    fn worker(active: &ActiveTask, minds: &Minds) -> Option<AgentId> {
        let team = minds.hive().org().team(&active.task.team)?;
        let member = active.task.member.clone().filter(|id| team.members.contains(id));
        if active.task.member.is_some() { member } else { team.lead.clone() }
    }

    /// Brings a task and its dialog together.
    async fn attend(&mut self, active: &ActiveTask, minds: &Minds) -> Result<(), Ended> {
        let found = Self::worker(active, minds);
        let is_gone = found.is_none();
        let named = || active.task.member.clone();
        let worker =
            found.or_else(named).unwrap_or_else(|| AgentId::new(active.task.team.as_str()));
        // A task that has begun goes on, even if the team files change meanwhile.
        if is_gone && !active.begun {
            let team = &active.task.team;
            let error = match &active.task.member {
                Some(member) => format!("member '{member}' is not in team '{team}'"),
                None => format!("Team '{team}' not found"),
            };
            return self.end(active, &worker, TaskEnd::Failed { error }, minds).await;
        }
        if !active.begun && !self.begin(active, &worker, minds).await? {
            return Ok(());
        }
        let root = active.root.clone();
        let Some(seen) = self.ask(|reply| Order::Look { root, reply }).await? else {
            return Ok(());
        };
        let Some(rest) = seen else {
            let error = DIALOG_IS_GONE.to_owned();
            return self.end(active, &worker, TaskEnd::Cancelled { error }, minds).await;
        };
        self.follow(active, &worker, rest, minds).await
    }

    /// Makes the dialog of an attempt; false if that is to be tried again.
    async fn begin(
        &mut self,
        active: &ActiveTask,
        worker: &AgentId,
        minds: &Minds,
    ) -> Result<bool, Ended> {
        let usable = minds.member(worker).map(|member| minds.model_of(member, self.engine.env));
        let fault = match usable {
            None => Some(format!("@{worker} is not in .minds/team.yaml")),
            Some(Err(problem)) => Some(problem.message().to_string()),
            Some(Ok(_)) => None,
        };
        if let Some(fault) = fault {
            let (team, is_query) = (&active.task.team, active.task.kind == TaskKind::Query);
            if is_query {
                // The query ends with an error for its asker; the cause is for this log.
                tracing::warn!(%fault, %team, "a query cannot be answered");
            }
            let error = if is_query { NO_PROVIDER.to_owned() } else { fault };
            self.end(active, worker, TaskEnd::Failed { error }, minds).await?;
            return Ok(false);
        }
        let texts = self.engine.texts();
        let autonomy = minds.hive().autonomy_of(worker);
        let policies: BTreeMap<&str, &str> =
            autonomy.all().map(|(kind, policy)| (kind.name(), policy.name())).collect();
        let policies = serde_json::to_string(&policies).ok().filter(|_| autonomy.is_configured());
        let content = match active.task.kind {
            TaskKind::Query => texts.query(&active.task, policies.as_deref()),
            TaskKind::Bootstrap | TaskKind::Delegate | TaskKind::Escalation | TaskKind::Trigger => {
                texts.task(active, minds.hive().limits.max_attempts, policies.as_deref())
            }
        };
        let id = MsgId::of_attempt(&active.task.id, active.task.attempt);
        let prompt = QueuedPrompt::of_runtime(id, content, texts.0);
        let beginning = Box::new(Beginning {
            root: active.root.clone(),
            agent: worker.clone(),
            taskdoc: format!("{}.tsk", active.task.team),
            title: texts.task_title(&active.task),
            prompt,
        });
        match self.ask(|reply| Order::Begin { beginning, reply }).await? {
            Some(Ok(())) => {
                Self::stored(self.engine.hive.begun(active.attempt()).await);
                Ok(true)
            }
            Some(Err(error)) => {
                // Nothing is lost: it is tried again at the next look.
                tracing::warn!(%error, task = %active.task.id, "the dialog of a task could not be made");
                self.known.remove(&active.attempt());
                Ok(false)
            }
            None => Ok(false),
        }
    }

    /// Acts on the state in which the tree of a task rests.
    async fn follow(
        &mut self,
        active: &ActiveTask,
        worker: &AgentId,
        rest: Rest,
        minds: &Minds,
    ) -> Result<(), Ended> {
        let tasks = self.engine.hive.clone();
        let is_query = active.task.kind == TaskKind::Query;
        match outcome(active.task.status, rest, active.cuts) {
            // Its time limit goes on.
            Outcome::Block(BlockReason::OpenQuestion) if is_query => {}
            Outcome::Block(_) | Outcome::Continue { .. } if is_query => {
                let error = "its dialog was stopped".to_owned();
                self.end(active, worker, TaskEnd::Failed { error }, minds).await?;
            }
            Outcome::Goes => {}
            Outcome::Unblock => {
                Self::stored(tasks.set_blocked(active.attempt(), None, None).await);
            }
            Outcome::Block(reason) if active.task.block_reason == Some(reason) => {}
            Outcome::Block(reason) => {
                let told = (reason == BlockReason::Restart)
                    .then(|| task_notices::of_restart(active, worker, self.engine.user_lang))
                    .flatten();
                Self::stored(tasks.set_blocked(active.attempt(), Some(reason), told).await);
            }
            Outcome::Continue { is_cut } => {
                let root = active.root.clone();
                self.sharer.resume(&root);
                if is_cut {
                    Self::stored(tasks.cut(active.attempt()).await);
                }
                self.ask(|reply| Order::Continue { root, reply }).await?;
            }
            Outcome::Done(words) => {
                let conclusion = self.conclusion(active, &words, minds);
                self.end_as(active, worker, conclusion, minds).await?;
            }
            // It used all its steps for work and gave no answer.
            Outcome::Failed(reason)
                if is_query && reason == Texts::max_steps_reached(active.task.max_steps) =>
            {
                let error = EMPTY_RESPONSE.to_owned();
                self.end(active, worker, TaskEnd::Failed { error }, minds).await?;
            }
            Outcome::Failed(reason) => {
                let error = self.kept(reason.in_lang(self.engine.lang), minds);
                self.end(active, worker, TaskEnd::Failed { error }, minds).await?;
            }
            Outcome::Empty => {
                let error = EMPTY_RESPONSE.to_owned();
                self.end(active, worker, TaskEnd::Failed { error }, minds).await?;
            }
        }
        Ok(())
    }

    /// Starts queries; they have their slots already.
    async fn start_queries(&mut self, view: &TasksView, minds: &Minds) -> Result<(), Ended> {
        if view.queries.is_empty() {
            return Ok(());
        }
        let new = view.queries.iter().filter(|query| !query.started).count();
        let Some(roots) = self.draw_roots(new).await else { return Ok(()) };
        let started = self.engine.hive.start_queries(roots).await;
        for active in Self::stored(started).unwrap_or_default() {
            self.known.insert(active.attempt());
            self.attend(&active, minds).await?;
        }
        Ok(())
    }

    /// Draws ids for this many new dialogs.
    async fn draw_roots(&self, count: usize) -> Option<Vec<RootId>> {
        let engine = self.engine.clone();
        let drawn = blocking(move |on| -> Vec<RootId> {
            (0..count).map(|_| RootId::new(unused_root(&engine, on).as_str())).collect()
        });
        drawn.await.ok()
    }

    /// Starts tasks for which there are slots.
    async fn claim(&mut self, view: &TasksView, minds: &Minds) -> Result<(), Ended> {
        let org = minds.hive().org();
        let waits = view.pending.iter().filter_map(|(name, _)| org.team(name));
        // Its credentials are to be moved first.
        let waits = waits.filter(|team| team.held_back.is_none());
        let (today, lang) = (self.engine.clock.now(), self.engine.user_lang);
        let slots = |team: &OrgTeam| TeamSlots {
            team: team.name.clone(),
            limits: team.limits,
            used_up: task_notices::of_used_up((team, &view.listed), &today, lang),
        };
        let teams: Vec<TeamSlots> = waits.map(slots).collect();
        let is_task = |one: &&ActiveTask| one.task.kind != TaskKind::Query;
        let running = view.active.iter().filter(is_task);
        let running = running.filter(|one| one.task.status == TaskStatus::Running);
        let most = usize::try_from(minds.hive().limits.max_running_tasks).unwrap_or(usize::MAX);
        let room = most.saturating_sub(running.count());
        if !org.is_on() || teams.is_empty() || room == 0 {
            return Ok(());
        }
        let Some(roots) = self.draw_roots(room).await else { return Ok(()) };
        let day = self.engine.clock.day_began();
        let claimed = self.engine.hive.claim(teams, roots, day).await;
        for active in Self::stored(claimed).unwrap_or_default() {
            self.known.insert(active.attempt());
            self.attend(&active, minds).await?;
        }
        Ok(())
    }
}
