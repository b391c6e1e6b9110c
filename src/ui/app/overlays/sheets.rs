//! Opens sheets on top of the open dialog.

use crate::app::drawing::app_words;
use crate::app::flow::facts::Facts;
use crate::domain::DialogId;
use crate::follow_up::{FollowUp, FollowUps};
use crate::model::Tone;
use crate::new_overlay::{NewOverlay, SheetKind};
use crate::protocol::ChangesScope;

/// Opens a sheet.
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
    vec![FollowUp::Show(NewOverlay::Sheet { kind, dialog: open.dialog.clone(), of })]
}

/// Opens the sheet of changes of a dialog's main dialog.
pub(in crate::app) fn open_changes(dialog: &DialogId, _: Facts<'_>) -> FollowUps {
    let (dialog, scope) = (dialog.clone(), ChangesScope::MainDialog);
    vec![FollowUp::Show(NewOverlay::Changes { dialog, scope })]
}

/// Opens the timeline of a dialog's main dialog, with the cursor on the dialog.
pub(in crate::app) fn open_timeline(dialog: &DialogId, _: Facts<'_>) -> FollowUps {
    vec![FollowUp::Show(NewOverlay::Timeline { dialog: dialog.clone() })]
}

/// Opens the tokens of a dialog's main dialog, with the dialog chosen.
pub(in crate::app) fn open_usage(dialog: &DialogId, _: Facts<'_>) -> FollowUps {
    vec![FollowUp::Show(NewOverlay::Usage { dialog: dialog.clone() })]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::flow::facts::testing::Workspace;

    #[test]
    fn without_an_open_dialog_there_is_no_sheet() {
        let shown = open(SheetKind::Taskdoc, Workspace::new().facts());
        assert_eq!(shown, [FollowUp::Notify(Tone::Plain, app_words::NOTHING_OPEN)]);
    }
}
