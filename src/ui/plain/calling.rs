//! Calls to the person without a screen: by the rules of the screen, for questions that no one looks at.

use std::collections::BTreeSet;
use std::time::Instant;

use super::attendant::Looks;
use super::numbers::Numbers;
use crate::domain::teams::notices::{self, NewsItem, NewsKind};
use crate::domain::{DialogId, Lang, Stamp};
use crate::protocol::event::{DriverEvent, InboxRow};
use crate::ui::app::{Alerts, AttentionSettings, CallText, Due};
use crate::ui::caller::Call;

#[derive(Debug, Default)]
pub(super) struct Calling {
    alerts: Alerts,
    /// The open notices and failures; `None` until they are known.
    news: Option<Vec<NewsItem>>,
}

impl Calling {
    pub fn set(&mut self, settings: AttentionSettings) {
        self.alerts.set(settings);
    }

    pub fn wake_at(&self) -> Option<Instant> {
        self.alerts.wake_at()
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
            // There is no window title for the count.
            let _ = self.alerts.title(numbers.questions().len(), now);
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
        if !self.alerts.is_due(now) {
            return None;
        }
        if let Some(left) = self.alerts.quiet_hours().and_then(|quiet| quiet.left(stamp)) {
            self.alerts.postpone(left, now);
            return None;
        }
        let title_of =
            |dialog: &DialogId| numbers.dialog(dialog).map(|dialog| dialog.row.title.as_str());
        let text = CallText { lang, title_of: &title_of };
        let is_seen = |id: &str| looks.as_ref().is_some_and(|seen| seen.contains(id));
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
