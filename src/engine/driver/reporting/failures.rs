//! Dialogs that do not go on by themselves, as failures in the inbox. Derived from what happens now: a failure is over
//! when its dialog does something else, and the next driver finds it again if it still exists.

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime};

use crate::domain::dialogs::remaining_work::WaitCause;
use crate::domain::reading::title::short_headline;
use crate::domain::teams::notices::{MAX_TITLE_CHARS, NewsItem, NewsKind, NewsLevel};
use crate::domain::text::{Localized, Text, localized};
use crate::domain::{AgentId, Clock, DialogId, DisplayState, Lang};
use crate::protocol::event::RetryView;

/// A request that is retried for at least this long is a failure.
const LONG: Duration = Duration::from_mins(2);
/// Prefix of the ids of these failures.
const ID: &str = "dialog:";

/// The failures of the dialogs.
#[derive(Debug, Default)]
pub(super) struct DialogFailures {
    retries: BTreeMap<DialogId, Retried>,
    open: BTreeMap<DialogId, Failure>,
}

#[derive(Debug)]
struct Retried {
    since: SystemTime,
    /// Sum of the waits between attempts, including the current one.
    waits: Duration,
    /// The answer to the current attempt has begun.
    is_answered: bool,
}

#[derive(Debug)]
struct Failure {
    item: NewsItem,
    /// True: it lasts while its dialog runs. False: while its dialog is stopped.
    while_running: bool,
    is_dismissed: bool,
}

impl DialogFailures {
    /// The failures that are not dismissed.
    pub fn items(&self) -> impl Iterator<Item = &NewsItem> {
        self.open.values().filter(|failure| !failure.is_dismissed).map(|failure| &failure.item)
    }

    /// A request failed, or is over; true if that changed the failures. `agent`: whose dialog it is.
    pub fn retry(
        &mut self,
        dialog: &DialogId,
        agent: Option<&AgentId>,
        retry: &RetryView,
        (clock, lang): (&dyn Clock, Lang),
    ) -> bool {
        let RetryView::Waiting { error, seconds, server } = retry else {
            let is_over = matches!(retry, RetryView::Resolved | RetryView::Stopped);
            return is_over && self.end_retries(dialog);
        };
        let now = clock.moment();
        let begun = Retried { since: now, waits: Duration::ZERO, is_answered: false };
        let begun = self.retries.entry(dialog.clone()).or_insert(begun);
        let wait = Duration::from_secs(*seconds);
        begun.waits += wait;
        begun.is_answered = false;
        let lasts = now.duration_since(begun.since).unwrap_or_default() + wait;
        if lasts.max(begun.waits) < LONG {
            return false;
        }
        let since = clock.stamp(begun.since);
        let title = localized!([error]
            "no answer from {server} since {since}: {error}",
            "{server} 自 {since} 起没有回应：{error}"
        );
        let body = Text::new(
            "The request is made again and again. In its dialog it can be made at once, or the dialog stopped.",
            "请求会不断重试。可在其对话中立即重试，或停止该对话。",
        );
        self.set(dialog, agent, (&title, body), true, (clock, lang))
    }

    /// True while its failed request waits for the next attempt, or for the answer to it.
    pub fn is_retried(&self, dialog: &DialogId) -> bool {
        self.retries.get(dialog).is_some_and(|retried| !retried.is_answered)
    }

    /// The answer to its request begins; true if that was a retry.
    pub fn answer_begins(&mut self, dialog: &DialogId) -> bool {
        let retried = self.retries.get_mut(dialog);
        retried.is_some_and(|retried| !std::mem::replace(&mut retried.is_answered, true))
    }

    fn end_retries(&mut self, dialog: &DialogId) -> bool {
        self.retries.remove(dialog);
        self.over(dialog, true)
    }

    /// Ends the failure of a running dialog, or of a stopped one; true if there was one.
    fn over(&mut self, dialog: &DialogId, while_running: bool) -> bool {
        let is_over = |failure: &Failure| failure.while_running == while_running;
        self.open.get(dialog).is_some_and(is_over) && self.open.remove(dialog).is_some()
    }

    /// A dialog waits for a person after a restart.
    pub fn waits_after_restart(
        &mut self,
        dialog: &DialogId,
        agent: Option<&AgentId>,
        cause: WaitCause,
        by: (&dyn Clock, Lang),
    ) -> bool {
        let (title, body) = match cause {
            WaitCause::UnknownCall => (
                Text::new(
                    "the program ended in a call, and nobody knows what that call did",
                    "程序在调用中途结束，无人知道该调用做了什么",
                ),
                Text::new(
                    "It is not repeated. Look at what the call did, then continue the dialog, or tell it what to do.",
                    "该调用不会重复执行。请查看它做了什么，再继续对话，或告诉它该做什么。",
                ),
            ),
            WaitCause::CutAgain => (
                Text::new(
                    "the program ended again and again while it worked",
                    "它工作时程序一再结束",
                ),
                Text::new(
                    "It does not go on by itself any more. See the log, then continue the dialog.",
                    "它不再自动继续。请查看日志，再继续对话。",
                ),
            ),
        };
        self.set(dialog, agent, (&title.into(), body), false, by)
    }

    fn set(
        &mut self,
        dialog: &DialogId,
        agent: Option<&AgentId>,
        (title, body): (&Localized, Text),
        while_running: bool,
        (clock, lang): (&dyn Clock, Lang),
    ) -> bool {
        let now = clock.now();
        let known = self.open.get(dialog).filter(|known| known.while_running == while_running);
        let is_dismissed = known.is_some_and(|known| known.is_dismissed);
        let created_at = known.map_or_else(|| now.clone(), |known| known.item.created_at.clone());
        let item = NewsItem {
            id: format!("{ID}{}#{}", dialog.root, dialog.this),
            kind: NewsKind::Failure,
            level: NewsLevel::Warning,
            agent: agent.cloned(),
            dialog: Some(dialog.clone()),
            work: None,
            title: short_headline(title.in_lang(lang), MAX_TITLE_CHARS),
            body: body.in_lang(lang).to_owned(),
            count: 1,
            created_at,
            updated_at: now,
            resolved_at: None,
        };
        self.open.insert(dialog.clone(), Failure { item, while_running, is_dismissed });
        !is_dismissed
    }

    /// A dialog is in this state now; true if that ended a failure.
    pub fn moved(&mut self, dialog: &DialogId, state: &DisplayState) -> bool {
        if state.is_running() {
            return self.over(dialog, false);
        }
        let is_stopped = matches!(state, DisplayState::Stopped { .. });
        self.end_retries(dialog) || (!is_stopped && self.over(dialog, false))
    }

    /// Drops the failures of dialogs that are gone; true if there were any.
    pub fn keep(&mut self, is_there: impl Fn(&DialogId) -> bool) -> bool {
        let before = self.open.len();
        self.retries.retain(|dialog, _| is_there(dialog));
        self.open.retain(|dialog, _| is_there(dialog));
        self.open.len() < before
    }

    /// A person has read these.
    pub fn dismiss(&mut self, ids: &[String]) -> bool {
        let mut changed = false;
        for failure in self.open.values_mut().filter(|failure| ids.contains(&failure.item.id)) {
            changed |= !std::mem::replace(&mut failure.is_dismissed, true);
        }
        changed
    }
}

/// True if a failure with this id is of a dialog.
#[must_use]
pub fn is_of_dialog(id: &str) -> bool {
    id.starts_with(ID)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::RootId;
    use crate::domain::dialogs::latest::StopReason;
    use crate::samples::Shows;

    const CLOCK: Shows = Shows("2026-11-21 12:00:00");

    fn dialog() -> DialogId {
        DialogId::main(RootId::new("aa/bb/1"))
    }

    fn titles(failures: &DialogFailures) -> Vec<&str> {
        failures.items().map(|item| item.title.as_str()).collect()
    }

    #[test]
    fn a_request_is_a_failure_from_two_minutes_of_retries_on_and_until_they_end() {
        let by: (&dyn Clock, Lang) = (&CLOCK, Lang::En);
        let waiting = |seconds| RetryView::Waiting {
            error: Localized::same("status 500"),
            seconds,
            server: "api.example".to_owned(),
        };
        for (waits, is_failure) in
            [(vec![30], false), (vec![30, 30, 30], false), (vec![30; 4], true), (vec![7200], true)]
        {
            let mut failures = DialogFailures::default();
            for seconds in &waits {
                failures.retry(&dialog(), None, &waiting(*seconds), by);
                failures.retry(&dialog(), None, &RetryView::Running, by);
            }
            let listed = titles(&failures);
            assert_eq!(!listed.is_empty(), is_failure, "{waits:?}");
            for title in listed {
                assert_eq!(
                    title,
                    "no answer from api.example since 2026-11-21 12:00:00: status 500"
                );
            }
            let changed = failures.retry(&dialog(), None, &RetryView::Resolved, by);
            assert_eq!((changed, titles(&failures).len()), (is_failure, 0));
            failures.retry(&dialog(), None, &waiting(30), by);
            assert_eq!(titles(&failures), [""; 0], "it is counted anew");
        }
    }

    #[test]
    fn what_was_dismissed_stays_so_until_the_dialog_does_something_else() {
        let by: (&dyn Clock, Lang) = (&CLOCK, Lang::Zh);
        let mut failures = DialogFailures::default();
        assert!(failures.waits_after_restart(&dialog(), None, WaitCause::UnknownCall, by));
        let id = failures.items().next().expect("a failure").id.clone();
        let stopped = DisplayState::stopped(StopReason::ServerRestart);
        assert!(is_of_dialog(&id) && !failures.moved(&dialog(), &stopped));
        assert!(failures.dismiss(std::slice::from_ref(&id)) && !failures.dismiss(&[id]));
        assert!(!failures.waits_after_restart(&dialog(), None, WaitCause::UnknownCall, by));
        assert_eq!(failures.items().count(), 0);
        assert!(failures.moved(&dialog(), &DisplayState::Proceeding));
        assert!(failures.waits_after_restart(&dialog(), None, WaitCause::CutAgain, by));
        assert!(failures.keep(|_| false) && failures.items().count() == 0);
    }
}
