//! The consent sheet, and what continues after the user agrees.

use crate::action::{Action, Scope};
use crate::app::drawing::app_words;
use crate::app::flow::facts::Facts;
use crate::domain::DialogId;
use crate::follow_up::{FollowUp, FollowUps};
use crate::model::Tone;
use crate::new_overlay::NewOverlay;
use crate::panes::composer::hint;
use crate::protocol::{Command, ConsentView};
use crate::request::Request;

/// Returns what follows when the things that wait for consent have changed from `known` and the sheet is
/// not open. A workspace in which nothing runs before the user agrees shows the sheet once. Later entries
/// are reported in the status line only: they must not interrupt typing.
pub(in crate::app) fn changed(known: &ConsentView, facts: Facts<'_>) -> Option<FollowUp> {
    let consent = &facts.model.consent;
    if consent.waiting.iter().all(|one| known.waiting.contains(one)) {
        return None;
    }
    if consent.read_only && !known.read_only {
        return Some(FollowUp::Show(NewOverlay::Consent { then: None }));
    }
    let waiting = facts.ui.counted(consent.waiting.len(), app_words::WAIT_FOR_CONSENT);
    let key = hint(facts.ui, Scope::PANES, Action::OpenConsent, app_words::SHOW);
    Some(FollowUp::NotifyText(Tone::Bad, format!("{waiting} · {key}")))
}

/// Shows the sheet, which is checked again.
pub(in crate::app) fn open() -> FollowUps {
    show(None)
}

fn show(then: Option<DialogId>) -> FollowUps {
    let sheet = FollowUp::Show(NewOverlay::Consent { then });
    vec![FollowUp::Command(Command::CheckConsent), sheet]
}

/// Continues a dialog. Where consent is missing, the sheet is shown first.
pub(in crate::app) fn continue_dialog(dialog: &DialogId, facts: Facts<'_>) -> FollowUps {
    let dialog = dialog.clone();
    if facts.model.consent.read_only {
        show(Some(dialog))
    } else {
        vec![FollowUp::Request(Request::Continue { dialog })]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::flow::facts::testing::Workspace;
    use crate::app::tests::fixture::main_dialog;

    #[test]
    fn without_consent_the_sheet_comes_before_a_dialog_continues() {
        let mut workspace = Workspace::new();
        let dialog = main_dialog();
        let continues = FollowUp::Request(Request::Continue { dialog: dialog.clone() });
        let shown = continue_dialog(&dialog, workspace.facts());
        assert_eq!(shown, [continues]);
        workspace.model.consent.read_only = true;
        let then = Some(dialog.clone());
        let sheet = FollowUp::Show(NewOverlay::Consent { then });
        let shown = continue_dialog(&dialog, workspace.facts());
        assert_eq!(shown, [FollowUp::Command(Command::CheckConsent), sheet]);
    }

    #[test]
    fn nothing_new_waits_for_consent_unless_an_entry_was_added() {
        let workspace = Workspace::new();
        assert_eq!(changed(&ConsentView::default(), workspace.facts()), None);
    }
}
