//! Sheets on top of the open dialog: opening them, requesting their content, and sending the user's
//! changes.

use super::{App, Request};
use crate::domain::record::Record;
use crate::domain::{DialogId, Entry};
use crate::protocol::SheetRequest;
use crate::ui::app::words;
use crate::ui::model::{DraftKey, Tone};
use crate::ui::panes::sheet::{SheetKind, SheetPane};

impl App {
    pub(super) fn open_reminders(&mut self) {
        self.open_sheet(SheetKind::Reminders);
    }

    pub(super) fn open_taskdoc(&mut self) {
        self.open_sheet(SheetKind::Taskdoc);
    }

    fn open_sheet(&mut self, kind: SheetKind) {
        let Some(open) = self.reading.open() else {
            self.notify(Tone::Plain, words::NOTHING_OPEN);
            return;
        };
        let dialog = open.dialog.clone();
        let row = self.model.tree.get(&dialog);
        let of = match kind {
            SheetKind::Reminders => {
                let agent = row.map(|row| &row.agent).or(open.agent.as_ref());
                agent.map(|agent| format!("@{agent}")).unwrap_or_default()
            }
            SheetKind::Taskdoc => row.map(|row| row.taskdoc.clone()).unwrap_or_default(),
        };
        let pane = SheetPane::new(kind, dialog.clone(), of);
        self.overlays.open_sheet(dialog.clone(), kind.request(), pane);
        self.request(Request::Sheet { dialog, request: kind.request() });
    }

    /// Reloads the sheet after something happened in this dialog, or anywhere.
    pub(super) fn refresh_sheet(&mut self, dialog: Option<&DialogId>) {
        if let Some((dialog, request)) = self.overlays.sheet_to_reload(dialog) {
            self.request(Request::Sheet { dialog, request });
        }
    }

    /// A record of the open dialog may change its reminders.
    pub(super) fn refresh_sheet_after(&mut self, dialog: &DialogId, entry: &Entry) {
        if matches!(entry.record, Record::Reminders { .. }) {
            self.refresh_sheet(Some(dialog));
        }
    }

    /// The user changes something on a sheet; the typed text stays a draft until it is on disk.
    pub(super) fn change_on_sheet(
        &mut self,
        dialog: DialogId,
        request: SheetRequest,
        draft: Option<(DraftKey, String)>,
    ) {
        if let Some((key, text)) = &draft {
            self.writing.set_draft(key, text, self.moment);
            self.writing.store();
        }
        self.request(Request::ChangeSheet { dialog, request, draft });
    }
}
