//! Stopping dialogs, retrying a failed request now, and switching or refilling keep-going.

use crate::app::drawing::app_words;
use crate::app::flow::facts::Facts;
use crate::domain::dialogs::keep_going::KeepGoingSwitch;
use crate::domain::{DialogId, RootId};
use crate::follow_up::{FollowUp, FollowUps};
use crate::model::{Retry, Tone};
use crate::new_overlay::NewOverlay;
use crate::protocol::Command;
use crate::request::Request;

/// The driver decides; a dialog that does not run is reported.
pub(in crate::app) fn stop(dialog: &DialogId, facts: Facts<'_>) -> FollowUps {
    let runs = facts.row(dialog).is_some_and(|row| row.state.is_running());
    let report = (!runs).then_some(FollowUp::Notify(Tone::Plain, app_words::NOT_RUNNING));
    let command = FollowUp::Command(Command::Stop { dialog: dialog.clone() });
    report.into_iter().chain([command]).collect()
}

pub(in crate::app) fn ask_to_stop_all(facts: Facts<'_>) -> FollowUps {
    vec![if facts.model.tree.any_running() {
        let yes = vec![FollowUp::Command(Command::StopAll)];
        let question = app_words::STOP_ALL_QUESTION;
        FollowUp::Show(NewOverlay::Confirm(app_words::SUBJECT_STOP_ALL, question, yes))
    } else {
        FollowUp::Notify(Tone::Plain, app_words::NOTHING_RUNS)
    }]
}

pub(in crate::app) fn retry_now(dialog: &DialogId, facts: Facts<'_>) -> FollowUps {
    let waits = match facts.model.retries.get(dialog) {
        Some(retry) => matches!(retry, Retry::Waiting { .. }),
        // It failed before this screen came.
        None => facts.row(dialog).is_some_and(|row| row.retrying),
    };
    vec![if waits {
        FollowUp::Command(Command::RetryNow { dialog: dialog.clone() })
    } else {
        FollowUp::Notify(Tone::Plain, app_words::NOTHING_TO_RETRY)
    }]
}

/// Reconnects at once, whichever dialog the command names.
pub(in crate::app) fn connect_now(facts: Facts<'_>) -> FollowUps {
    let selected = facts.model.tree.shown_selection();
    let dialog = facts.open_dialog().or(selected).cloned();
    let dialog = dialog.unwrap_or_else(|| DialogId::main(RootId::new("")));
    vec![
        FollowUp::Notify(Tone::Plain, app_words::CONNECTING),
        FollowUp::Command(Command::RetryNow { dialog }),
    ]
}

/// Toggles keep-going.
pub(in crate::app) fn switch_keep_going(dialog: &DialogId, facts: Facts<'_>) -> FollowUps {
    let is_on = facts.row(dialog).is_some_and(|row| row.keep_going.is_some());
    keep_going(dialog, if is_on { KeepGoingSwitch::Off } else { KeepGoingSwitch::On })
}

pub(in crate::app) fn refill(dialog: &DialogId, _: Facts<'_>) -> FollowUps {
    keep_going(dialog, KeepGoingSwitch::Refill)
}

fn keep_going(dialog: &DialogId, switch: KeepGoingSwitch) -> FollowUps {
    vec![FollowUp::Request(Request::KeepGoing { dialog: dialog.clone(), switch })]
}

/// Reports the new state of keep-going; the status line has no space for it on most screens.
pub(in crate::app) fn keep_going_switched(dialog: &DialogId, facts: Facts<'_>) -> FollowUps {
    let pushes = facts.row(dialog).and_then(|row| row.keep_going);
    let Some((left, limit)) = pushes else {
        return vec![FollowUp::Notify(Tone::Plain, app_words::KEEP_GOING_OFF)];
    };
    let ui = facts.ui;
    let text =
        format!("{} {left} {} {limit}", ui.text(app_words::KEEP_GOING), ui.text(app_words::OF));
    vec![FollowUp::NotifyText(Tone::Plain, text)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::flow::facts::testing::Workspace;
    use crate::app::tests::fixture::{main_dialog, side};

    #[test]
    fn a_dialog_that_does_not_run_is_reported_and_stopped_all_the_same() {
        let workspace = Workspace::new();
        let command = |dialog| FollowUp::Command(Command::Stop { dialog });
        assert_eq!(stop(&main_dialog(), workspace.facts()), [command(main_dialog())]);
        let report = FollowUp::Notify(Tone::Plain, app_words::NOT_RUNNING);
        assert_eq!(stop(&side("v"), workspace.facts()), [report, command(side("v"))]);
    }

    #[test]
    fn only_a_request_that_waits_for_its_retry_is_retried_now() {
        let workspace = Workspace::new();
        let nothing = FollowUp::Notify(Tone::Plain, app_words::NOTHING_TO_RETRY);
        assert_eq!(retry_now(&main_dialog(), workspace.facts()), [nothing]);
    }

    #[test]
    fn keep_going_is_switched_off_where_it_is_on_and_on_elsewhere() {
        let workspace = Workspace::new();
        let request = |dialog, switch| FollowUp::Request(Request::KeepGoing { dialog, switch });
        let off = request(main_dialog(), KeepGoingSwitch::Off);
        assert_eq!(switch_keep_going(&main_dialog(), workspace.facts()), [off]);
        let on = request(side("v"), KeepGoingSwitch::On);
        assert_eq!(switch_keep_going(&side("v"), workspace.facts()), [on]);
    }
}
