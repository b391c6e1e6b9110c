//! Sheets on top of the open dialog: opening them, and sending the user's changes.

use super::new_overlay::NewOverlay;
use crate::app::drawing::app_words;
use crate::app::flow::facts::Facts;
use crate::app::flow::follow_up::{FollowUp, FollowUps};
use crate::app::flow::requests::Request;
use crate::domain::DialogId;
use crate::model::{DraftKey, Tone};
use crate::panes::sheet::SheetKind;
use crate::protocol::{ChangesScope, SheetRequest};

/// Opens a sheet and requests its content.
pub(in crate::app) fn open(kind: SheetKind, facts: Facts<'_>) -> FollowUps {
    let Some(open) = facts.open else {
        return vec![FollowUp::Notify(Tone::Plain, app_words::NOTHING_OPEN)];
    };
    let row = facts.row(&open.dialog);
    let of = match kind {
        SheetKind::Reminders => {
            let agent = row.map(|row| &row.agent).or(open.agent.as_ref());
            agent.map(|agent| format!("@{agent}")).unwrap_or_default()
        }
        SheetKind::Taskdoc => row.map(|row| row.taskdoc.clone()).unwrap_or_default(),
    };
    let (dialog, request) = (open.dialog.clone(), kind.request());
    vec![
        FollowUp::Show(NewOverlay::Sheet { kind, dialog: dialog.clone(), of }),
        FollowUp::Request(Request::Sheet { dialog, request }),
    ]
}

/// Opens the sheet of changes of a dialog's main dialog.
pub(in crate::app) fn open_changes(dialog: &DialogId, _: Facts<'_>) -> FollowUps {
    show_changes(dialog.clone(), ChangesScope::MainDialog)
}

/// Shows these changes on their sheet.
pub(in crate::app) fn show_changes(dialog: DialogId, scope: ChangesScope) -> FollowUps {
    let request = SheetRequest::Changes(scope);
    vec![
        FollowUp::Show(NewOverlay::Changes { dialog: dialog.clone(), scope }),
        FollowUp::Request(Request::Sheet { dialog, request }),
    ]
}

/// Opens the timeline of a dialog's main dialog, with the cursor on the dialog.
pub(in crate::app) fn open_timeline(dialog: &DialogId, _: Facts<'_>) -> FollowUps {
    let (dialog, request) = (dialog.clone(), SheetRequest::Timeline);
    vec![
        FollowUp::Show(NewOverlay::Timeline { dialog: dialog.clone() }),
        FollowUp::Request(Request::Sheet { dialog, request }),
    ]
}

/// Opens the tokens of a dialog's main dialog, with the dialog chosen.
pub(in crate::app) fn open_usage(dialog: &DialogId, _: Facts<'_>) -> FollowUps {
    let (dialog, request) = (dialog.clone(), SheetRequest::Usage);
    vec![
        FollowUp::Show(NewOverlay::Usage { dialog: dialog.clone() }),
        FollowUp::Request(Request::Sheet { dialog, request }),
    ]
}

/// The user changes something on a sheet; the typed text stays a draft until it is on disk.
pub(in crate::app) fn change(
    dialog: DialogId,
    request: SheetRequest,
    draft: Option<(DraftKey, String)>,
) -> FollowUps {
    let mut follow_ups = Vec::new();
    if let Some((key, text)) = &draft {
        follow_ups.push(FollowUp::SaveDraft(key.clone(), text.clone()));
        follow_ups.push(FollowUp::StoreDrafts);
    }
    follow_ups.push(FollowUp::Request(Request::ChangeSheet { dialog, request, draft }));
    follow_ups
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::flow::facts::testing::Workspace;
    use crate::app::tests::fixture::main_dialog;

    #[test]
    fn without_an_open_dialog_there_is_no_sheet() {
        let shown = open(SheetKind::Taskdoc, Workspace::new().facts());
        assert_eq!(shown, [FollowUp::Notify(Tone::Plain, app_words::NOTHING_OPEN)]);
    }

    #[test]
    fn the_text_of_a_change_is_stored_before_the_change_is_sent() {
        let draft = Some((DraftKey::New, "typed".to_owned()));
        let shown = change(main_dialog(), SheetRequest::Reminders, draft);
        assert!(matches!(
            shown[..],
            [FollowUp::SaveDraft(..), FollowUp::StoreDrafts, FollowUp::Request(_)]
        ));
    }
}
