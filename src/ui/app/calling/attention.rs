//! Draws attention to questions: which of them are still open when it is time to ring, and whether the person
//! sees them.

use std::collections::BTreeSet;
use std::time::Instant;

use ratatui::layout::Rect;

use super::alerts::{Alerts, Due};
use super::call_text::CallText;
use crate::app::drawing::app_words;
use crate::caller::Call;
use crate::domain::teams::notices::{self, NewsItem, NewsKind, NewsLevel};
use crate::domain::{Clock, Lang};
use crate::effect::Effect;
use crate::follow_up::FollowUp;
use crate::model::{Model, Tone};
use crate::panes::inbox;
use crate::protocol::{Command, InboxRow};

/// The areas where questions were in view in the last layout; empty if they were not.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::app) struct InView {
    /// The rows of the inbox.
    pub inbox: Rect,
    pub composer: Rect,
}

/// What a call to the person depends on.
#[derive(Debug, Clone, Copy)]
pub(in crate::app) struct CallFacts<'a> {
    pub model: &'a Model,
    /// The question that is being answered.
    pub answered: Option<&'a str>,
    pub lang: Lang,
}

/// Calls the person, and knows what the person sees.
#[derive(Debug, Default)]
pub(in crate::app) struct Attention {
    pub alerts: Alerts,
    pub in_view: InView,
    /// The questions that the driver was last told the person looks at.
    told: Option<Vec<String>>,
}

impl Attention {
    /// Rings, if it is time, for questions that are open and not being looked at.
    pub fn ring_if_due(
        &mut self,
        facts: CallFacts<'_>,
        clock: &dyn Clock,
        now: Instant,
    ) -> Option<Effect> {
        if !self.alerts.is_due(now) {
            return None;
        }
        let quiet = self.alerts.quiet_hours();
        if let Some(left) = quiet.and_then(|quiet| quiet.time_until_end(&clock.now())) {
            self.alerts.postpone(left, now);
            return None;
        }
        match self.alerts.take_due(now)? {
            Due::New(came) => self.call_for_new(came, facts, now),
            Due::Reminder => self.remind(facts, now),
        }
    }

    fn call_for_new(
        &mut self,
        came: BTreeSet<String>,
        facts: CallFacts<'_>,
        now: Instant,
    ) -> Option<Effect> {
        let inbox = &facts.model.inbox;
        let (failed, came) =
            came.into_iter().partition::<BTreeSet<_>, _>(|id| inbox.is_failure(id));
        let (came, unlisted) =
            came.into_iter().partition::<BTreeSet<_>, _>(|id| inbox.get(id).is_some());
        self.alerts.await_list(unlisted);
        let questions = self.to_ring_for(facts, |id| came.contains(id));
        if let Some(call) = call_text(facts, |text| text.of_new(&questions)) {
            self.alerts.rang(now);
            // Failures ring separately, not too soon after the questions.
            for id in failed {
                self.alerts.came(id, now);
            }
            return Some(Effect::Ring(call));
        }
        let call = self.call_for_failures(&failed, facts)?;
        self.alerts.rang_for_failures(now);
        Some(Effect::Ring(call))
    }

    /// Rings for all open questions. If none rings now, the time starts again.
    fn remind(&mut self, facts: CallFacts<'_>, now: Instant) -> Option<Effect> {
        let questions = self.to_ring_for(facts, |_| true);
        let Some(call) = call_text(facts, |text| text.of_reminder(&questions)) else {
            self.alerts.remind_later(now);
            return None;
        };
        self.alerts.reminded(now);
        Some(Effect::Ring(call))
    }

    /// Returns the call for failures; none if the person looks, because the last line shows them.
    fn call_for_failures(&self, ids: &BTreeSet<String>, facts: CallFacts<'_>) -> Option<Call> {
        if self.alerts.is_looked_at() {
            return None;
        }
        let news = facts.model.inbox.news().iter();
        let failures: Vec<&NewsItem> = news.filter(|item| ids.contains(&item.id)).collect();
        call_text(facts, |text| text.of_failures(&failures))
    }

    /// Returns those of these questions that wait for an answer and are not looked at; oldest first.
    fn to_ring_for<'a>(
        &self,
        facts: CallFacts<'a>,
        is_meant: impl Fn(&str) -> bool,
    ) -> Vec<&'a InboxRow> {
        let looked_at = self.alerts.is_looked_at();
        let seen = if looked_at { self.questions_in_view(facts) } else { Vec::new() };
        let inbox = &facts.model.inbox;
        let rings = |id: &str| {
            let waits = is_meant(id) && inbox.is_waiting(id);
            waits && !seen.iter().any(|one| one == id)
        };
        inbox.all().iter().filter(|row| rings(&row.question.id)).collect()
    }

    /// Tells the driver which questions the person looks at, if that changed.
    pub fn tell_looks(&mut self, facts: CallFacts<'_>) -> Option<Command> {
        let looks = self.alerts.is_looked_at().then(|| self.questions_in_view(facts));
        if looks == self.told {
            return None;
        }
        self.told.clone_from(&looks);
        Some(Command::Look { questions: looks })
    }

    /// It may be another driver, which was not told anything yet.
    pub fn forget_told(&mut self) {
        self.told = None;
    }

    /// Announces the newest new item once; failures ring.
    pub fn news_changed(
        &mut self,
        known: &[NewsItem],
        items: &[NewsItem],
        lang: Lang,
        now: Instant,
    ) -> Option<FollowUp> {
        for gone in notices::gone(known, items) {
            self.alerts.drop_question(&gone.id);
        }
        let new: Vec<&NewsItem> = notices::added(known, items).collect();
        for failure in new.iter().filter(|item| item.kind == NewsKind::Failure) {
            self.alerts.came(failure.id.clone(), now);
        }
        let item = new.into_iter().max_by(|a, b| a.updated_at.cmp(&b.updated_at))?;
        let tone = match (item.kind, item.level) {
            (NewsKind::Failure, _) | (_, NewsLevel::Warning) => Tone::Bad,
            (NewsKind::Notice | NewsKind::Answer, NewsLevel::Info) => Tone::Plain,
        };
        Some(FollowUp::NotifyText(tone, app_words::news(item, lang)))
    }

    /// The questions that are on the screen: in the inbox, or above the answer that is being written.
    fn questions_in_view(&self, facts: CallFacts<'_>) -> Vec<String> {
        let InView { inbox: area, composer } = self.in_view;
        let answered = facts.answered.filter(|_| !composer.is_empty());
        let listed = (!area.is_empty()).then(|| inbox::in_view(&facts.model.inbox, area));
        let listed = listed.into_iter().flatten().map(|row| row.question.id.clone());
        answered.map(str::to_owned).into_iter().chain(listed).collect()
    }
}

fn call_text<R>(facts: CallFacts<'_>, write: impl FnOnce(CallText<'_>) -> R) -> R {
    let tree = &facts.model.tree;
    let title_of = |dialog: &_| tree.get(dialog).map(|row| row.title.as_str());
    write(CallText { lang: facts.lang, title_of: &title_of })
}
