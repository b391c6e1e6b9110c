//! How a task ends, and who is told of it.

use crate::domain::teams::task::{ActiveTask, MAX_RESULT_CHARS, TaskEnd, TaskKind};
use crate::domain::teams::trigger::{cursor, notify};
use crate::domain::{AgentId, RootId};
use crate::driver::shared::blocking::blocking;
use crate::driver::supervisor::usage::tokens_of_tree;
use crate::hive::Ending;
use crate::minds::Minds;

use super::dispatcher::{Dispatcher, Ended};
use super::task_notices;

/// How a task ends, and what follows from that.
pub(super) struct Conclusion {
    end: TaskEnd,
    /// A person is told of it, if this kind of task is told at all.
    is_for_a_person: bool,
    /// Where a tick of a window stopped.
    cursor: Option<String>,
}

impl Conclusion {
    fn of(end: TaskEnd) -> Self {
        Self { end, is_for_a_person: true, cursor: None }
    }
}

impl Dispatcher {
    /// Reads the result, the cursor and whether to tell a person from the last words of a task.
    pub(super) fn conclusion(&self, active: &ActiveTask, words: &str, minds: &Minds) -> Conclusion {
        let Some(trigger) = &active.task.trigger else {
            return Conclusion::of(TaskEnd::Done { result: self.kept(words, minds) });
        };
        let (rest, cursor) =
            if trigger.is_tick { cursor::read(words) } else { (words.to_owned(), None) };
        let report = notify::read(&rest);
        let end = TaskEnd::Done { result: self.kept(&report.words, minds) };
        let cursor = cursor.map(|cursor| self.engine.secrets(minds).redacted(cursor));
        Conclusion { end, is_for_a_person: report.is_for_a_person, cursor }
    }

    /// A text of a model as it is kept: without keys, and not too long.
    pub(super) fn kept(&self, text: &str, minds: &Minds) -> String {
        let text = self.engine.secrets(minds).redacted(text.trim().to_owned());
        text.chars().take(MAX_RESULT_CHARS).collect()
    }

    pub(super) async fn end(
        &mut self,
        active: &ActiveTask,
        worker: &AgentId,
        end: TaskEnd,
        minds: &Minds,
    ) -> Result<(), Ended> {
        self.end_as(active, worker, Conclusion::of(end), minds).await
    }

    /// Ends an attempt, and tells a person if it is for one.
    pub(super) async fn end_as(
        &mut self,
        active: &ActiveTask,
        worker: &AgentId,
        Conclusion { end, is_for_a_person, cursor }: Conclusion,
        minds: &Minds,
    ) -> Result<(), Ended> {
        let lang = self.engine.user_lang;
        let news = match &active.task.trigger {
            Some(trigger) if matches!(end, TaskEnd::Done { .. }) => {
                let tells = is_for_a_person.then_some((&end, trigger));
                tells.and_then(|said| task_notices::of_message(active, worker, said, lang))
            }
            // The failure of a triggered task is told like any other.
            Some(_) | None => {
                task_notices::of_end(active, worker, &end, (minds.hive().org(), lang))
            }
        };
        let disables = active.task.trigger.as_ref();
        let disables =
            disables.map(|trigger| task_notices::of_disabled(active, worker, trigger, lang));
        let tokens = self.tokens_of(&active.root).await;
        let is_query = active.task.kind == TaskKind::Query;
        let is_failure = matches!(end, TaskEnd::Failed { .. }) && !is_query;
        let ending = Ending { end, tokens, news, disables, cursor };
        let ended = self.engine.hive.end(active.attempt(), ending).await;
        match Self::stored(ended) {
            Some(counts) => self.failed += u64::from(counts && is_failure),
            None => drop(self.known.remove(&active.attempt())),
        }
        Ok(())
    }

    pub(super) async fn tokens_of(&self, root: &RootId) -> u64 {
        let (engine, root) = (self.engine.clone(), root.clone());
        blocking(move |on| tokens_of_tree(&engine, &root, on)).await.unwrap_or_default()
    }
}
