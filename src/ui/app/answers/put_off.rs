//! Questions that are put off. Until when is stored beside the drafts, so that it outlives the program; a
//! question that is put off until the next start is not stored.

use std::time::{Duration, Instant};

use crate::app::calling::alerts::Alerts;
use crate::app::composing::writing::Writing;
use crate::app::drawing::app_words;
use crate::app::flow::facts::Facts;
use crate::domain::asking::put_off;
use crate::domain::{DialogId, Stamp};
use crate::follow_up::{FollowUp, FollowUps, PutOff};
use crate::model::{DraftKey, Inbox, Tone};
use crate::new_overlay::{NewOverlay, PromptPurpose};

/// Asks how long the selected question is put off.
pub(in crate::app) fn ask(facts: Facts<'_>) -> FollowUps {
    let Some(row) = facts.model.inbox.selected() else {
        return vec![FollowUp::Notify(Tone::Plain, app_words::NO_QUESTIONS)];
    };
    let purpose = PromptPurpose::PutOff(row.question.id.clone());
    let name = name_of(&row.dialog, facts);
    vec![FollowUp::Show(NewOverlay::Prompt { purpose, name, text: "15".to_owned() })]
}

fn name_of(dialog: &DialogId, facts: Facts<'_>) -> String {
    crate::app::dialogs::lifecycle::name_of(dialog, facts)
}

impl Writing {
    /// Puts a question off, with those that ask the same and share its row. `clock` is the time of day.
    pub(in crate::app) fn put_off(
        &mut self,
        (question, time): (&str, PutOff),
        (inbox, alerts): (&mut Inbox, &mut Alerts),
        (clock, now): (&Stamp, Instant),
    ) -> FollowUps {
        let until = match time {
            PutOff::Minutes(minutes) => Some(Duration::from_secs(minutes * 60)),
            PutOff::UntilNextStart => None,
        };
        let end = until.and_then(|time| {
            Some(clock.seconds()?.saturating_add(i64::try_from(time.as_secs()).ok()?))
        });
        let stored = end.map(|end| end.to_string()).unwrap_or_default();
        let same = inbox.alike(question).map(|row| row.question.id.clone());
        let all: Vec<String> = same.chain([question.to_owned()]).collect();
        for question in all {
            inbox.put_off_until(&question, until.map(|time| now + time));
            alerts.drop_question(&question);
            self.set_draft(&DraftKey::PutOff(question), &stored, now);
        }
        self.store();
        vec![FollowUp::Notify(Tone::Plain, app_words::IS_PUT_OFF)]
    }

    /// Puts questions off until their stored times; a time that has passed or is invalid is removed.
    pub(in crate::app) fn put_off_as_stored(
        &mut self,
        inbox: &mut Inbox,
        (clock, now): (&Stamp, Instant),
    ) {
        let questions = inbox.all().iter().map(|row| row.question.id.clone());
        for question in questions.collect::<Vec<_>>() {
            let key = DraftKey::PutOff(question.clone());
            if !self.drafts().has(&key) || inbox.is_put_off(&question) {
                continue;
            }
            match put_off::time_left(self.drafts().get(&key), clock) {
                Some(left) => inbox.put_off_until(&question, Some(now + left)),
                None => self.set_draft(&key, "", now),
            }
        }
    }

    /// Shows the questions that are not put off any longer.
    pub(in crate::app) fn bring_back_due(
        &mut self,
        inbox: &mut Inbox,
        alerts: &mut Alerts,
        now: Instant,
    ) -> FollowUps {
        let due = inbox.due(now);
        self.forget_put_off(&due, now);
        if due.is_empty() {
            return Vec::new();
        }
        for question in due {
            alerts.came(question, now);
        }
        vec![FollowUp::Notify(Tone::Plain, app_words::IS_BACK)]
    }

    /// Shows all that was put off.
    pub(in crate::app) fn bring_back(&mut self, inbox: &mut Inbox, now: Instant) -> FollowUps {
        let back = inbox.bring_back();
        self.forget_put_off(&back, now);
        let word = if back.is_empty() { app_words::NOTHING_PUT_OFF } else { app_words::IS_BACK };
        vec![FollowUp::Notify(Tone::Plain, word)]
    }

    /// Removes the stored times of questions that are no longer put off.
    pub(in crate::app) fn forget_put_off(&mut self, questions: &[String], now: Instant) {
        for question in questions {
            self.set_draft(&DraftKey::PutOff(question.clone()), "", now);
        }
    }
}
