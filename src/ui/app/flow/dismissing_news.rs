//! What a person does with notices and failures.

use super::facts::Facts;
use crate::app::Request;
use crate::app::drawing::app_words;
use crate::follow_up::{FollowUp, FollowUps, ToReading};
use crate::lists::notice;
use crate::model::Tone;

/// Shows the selected one, if the selection is on the news.
pub(in crate::app) fn show_selected(facts: Facts<'_>) -> Option<FollowUps> {
    facts.model.inbox.selected_news()?;
    Some(vec![FollowUp::ShowList(notice::SCOPE)])
}

/// Opens the dialog in which the selected one was said, if the selection is on the news.
pub(in crate::app) fn open_dialog(facts: Facts<'_>) -> Option<FollowUps> {
    let item = facts.model.inbox.selected_news()?;
    Some(match &item.dialog {
        Some(dialog) => vec![FollowUp::Reading(ToReading::Open(dialog.clone()))],
        None => vec![FollowUp::Notify(Tone::Plain, app_words::NO_DIALOG_OF_NEWS)],
    })
}

/// Dismisses the selected one, if the selection is on the news.
pub(in crate::app) fn dismiss_selected(facts: Facts<'_>) -> Option<FollowUps> {
    let item = facts.model.inbox.selected_news()?;
    Some(vec![dismiss(vec![item.id.clone()])])
}

/// Dismisses all that are listed, but for answers; what comes in meanwhile stays.
pub(in crate::app) fn clear(facts: Facts<'_>) -> FollowUps {
    let news = facts.model.inbox.news().iter().filter(|item| item.can_be_dismissed());
    let ids: Vec<String> = news.map(|item| item.id.clone()).collect();
    if ids.is_empty() {
        return vec![FollowUp::Notify(Tone::Plain, app_words::NO_NEWS)];
    }
    vec![dismiss(ids)]
}

fn dismiss(ids: Vec<String>) -> FollowUp {
    FollowUp::Request(Request::DismissNews { ids })
}
