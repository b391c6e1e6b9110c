//! Calls to the person without a screen: by the rules of the screen, for questions that no one looks at.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use super::attendant::Looks;
use super::numbers::Numbers;
use crate::app::{Alerts, AttentionSettings, CallText, Due};
use crate::caller::Call;
use crate::domain::asking::put_off::PutOffs;
use crate::domain::teams::notices::{self, NewsItem, NewsKind};
use crate::domain::{DialogId, Lang, Stamp};
use crate::protocol::event::{DriverEvent, InboxRow};

#[derive(Debug, Default)]
pub(super) struct Calling {
    alerts: Alerts,
    /// The open notices and failures; `None` until they are known.
    news: Option<Vec<NewsItem>>,
    /// When the questions that are put off come back.
    later: BTreeMap<String, Instant>,
}

impl Calling {
    pub fn set(&mut self, settings: AttentionSettings) {
        self.alerts.set(settings);
    }

    pub fn wake_at(&self) -> Option<Instant> {
        self.alerts.wake_at().into_iter().chain(self.later.values().copied()).min()
    }

    /// Takes the questions that are put off now. They do not count, and nobody is called for them.
    pub fn put_off(&mut self, left: &PutOffs, numbers: &Numbers, now: Instant) {
        self.bring_back(numbers, now);
        let open = left.iter().filter(|(question, _)| is_open(numbers, question));
        self.later = open.map(|(question, left)| (question.clone(), now + *left)).collect();
        self.count(numbers, now);
    }

    /// Rings for the questions whose time has come, as if they were new.
    fn bring_back(&mut self, numbers: &Numbers, now: Instant) {
        let due = self.later.iter().filter(|(_, at)| **at <= now);
        let due: Vec<String> = due.map(|(question, _)| question.clone()).collect();
        for question in due {
            self.later.remove(&question);
            if is_open(numbers, &question) {
                self.alerts.came(question, now);
            }
        }
    }

    /// Counts the questions that wait. There is no window title for the count.
    fn count(&mut self, numbers: &Numbers, now: Instant) {
        let waiting = open(numbers, |id| !self.later.contains_key(id)).len();
        let _ = self.alerts.title(waiting, now);
    }

    /// Handles an event after it was applied.
    pub fn event(&mut self, event: &DriverEvent, numbers: &Numbers, now: Instant) {
        if let DriverEvent::Asked { question, .. } = event {
            self.alerts.came(question.clone(), now);
        } else if let DriverEvent::Answered { question, .. } = event {
            self.alerts.drop_question(question);
        } else if let DriverEvent::Inbox(_) = event {
            let news = self.news.as_deref().unwrap_or_default();
            self.alerts.listed(|id| is_open(numbers, id) || is_failure(news, id), now);
            self.later.retain(|id, _| is_open(numbers, id));
            self.count(numbers, now);
        } else if let DriverEvent::News(items) = event {
            self.news_changed(items, now);
        }
    }

    fn news_changed(&mut self, items: &[NewsItem], now: Instant) {
        let Some(known) = self.news.replace(items.to_vec()) else { return };
        for gone in notices::gone(&known, items) {
            self.alerts.drop_question(&gone.id);
        }
        let new = notices::added(&known, items).filter(|item| item.kind == NewsKind::Failure);
        for failure in new {
            self.alerts.came(failure.id.clone(), now);
        }
    }

    /// The call that is to be made now, if any. `stamp`: the time of day.
    pub fn due(
        &mut self,
        numbers: &Numbers,
        looks: &Looks,
        lang: Lang,
        (now, stamp): (Instant, &Stamp),
    ) -> Option<Call> {
        self.bring_back(numbers, now);
        if !self.alerts.is_due(now) {
            return None;
        }
        let quiet = self.alerts.quiet_hours();
        if let Some(left) = quiet.and_then(|quiet| quiet.time_until_end(stamp)) {
            self.alerts.postpone(left, now);
            return None;
        }
        let title_of =
            |dialog: &DialogId| numbers.dialog(dialog).map(|dialog| dialog.row.title.as_str());
        let text = CallText { lang, title_of: &title_of };
        let later = &self.later;
        let is_seen = |id: &str| {
            later.contains_key(id) || looks.as_ref().is_some_and(|seen| seen.contains(id))
        };
        match self.alerts.take_due(now)? {
            Due::New(came) => {
                let news = self.news.as_deref().unwrap_or_default();
                let (failed, came): (BTreeSet<_>, BTreeSet<_>) =
                    came.into_iter().partition(|id| is_failure(news, id));
                let (came, unlisted): (BTreeSet<_>, _) =
                    came.into_iter().partition(|id| is_open(numbers, id));
                self.alerts.await_list(unlisted);
                if let Some(call) =
                    text.of_new(&open(numbers, |id| came.contains(id) && !is_seen(id)))
                {
                    self.alerts.rang(now);
                    // Failures ring separately, not too soon after the questions.
                    for id in failed {
                        self.alerts.came(id, now);
                    }
                    return Some(call);
                }
                // A screen that is looked at shows failures itself.
                let failures: Vec<&NewsItem> = news
                    .iter()
                    .filter(|item| looks.is_none() && failed.contains(&item.id))
                    .collect();
                let call = text.of_failures(&failures)?;
                self.alerts.rang_for_failures(now);
                Some(call)
            }
            Due::Reminder => {
                let Some(call) = text.of_reminder(&open(numbers, |id| !is_seen(id))) else {
                    self.alerts.remind_later(now);
                    return None;
                };
                self.alerts.reminded(now);
                Some(call)
            }
        }
    }
}

fn is_failure(news: &[NewsItem], id: &str) -> bool {
    news.iter().any(|item| item.id == id && item.kind == NewsKind::Failure)
}

fn is_open(numbers: &Numbers, id: &str) -> bool {
    numbers.questions().any(|(_, row)| row.question.id == id)
}

/// The open questions of these, oldest first.
fn open(numbers: &Numbers, is_meant: impl Fn(&str) -> bool) -> Vec<&InboxRow> {
    let rows = numbers.questions().map(|(_, row)| row);
    rows.filter(|row| is_meant(&row.question.id)).collect()
}
