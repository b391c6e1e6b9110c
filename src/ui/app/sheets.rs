//! Sheets over the open dialog: opening them, asking for what they show, and passing on what a person
//! changes.

use super::{App, InFlight};
use crate::domain::record::Record;
use crate::domain::{DialogId, Entry};
use crate::protocol::{Command, SheetRequest};
use crate::ui::lang::Word;
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
        let Some(open) = &self.model.open else {
            self.notify(Tone::Plain, Word::NothingOpen);
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
        self.model.sheets.open(dialog.clone(), kind.request());
        self.overlays.push(Box::new(SheetPane::new(kind, dialog.clone(), of)));
        self.ask_for_sheet(dialog, kind.request());
    }

    fn ask_for_sheet(&mut self, dialog: DialogId, request: SheetRequest) {
        let ticket = self.ticket(InFlight::Sheet);
        self.commands.push(Command::Sheet { ticket, dialog, request });
    }

    /// Something happened that a sheet may show: in this dialog, or anywhere.
    pub(super) fn refresh_sheet(&mut self, dialog: Option<&DialogId>) {
        if let Some((dialog, request)) = self.model.sheets.reload_request(dialog) {
            self.ask_for_sheet(dialog, request);
        }
    }

    /// A record of the open dialog may change its reminders.
    pub(super) fn refresh_sheet_after(&mut self, dialog: &DialogId, entry: &Entry) {
        if matches!(entry.record, Record::Reminders { .. }) {
            self.refresh_sheet(Some(dialog));
        }
    }

    /// A person changes something on a sheet; what was typed stays a draft until it is on disk.
    pub(super) fn change_on_sheet(
        &mut self,
        dialog: DialogId,
        request: SheetRequest,
        draft: Option<(DraftKey, String)>,
    ) {
        let waiting = match draft {
            Some((key, text)) => {
                self.drafts.set(&key, &text, self.moment);
                self.drafts.save();
                InFlight::Send { key, text }
            }
            None => InFlight::Other,
        };
        let ticket = self.ticket(waiting);
        self.commands.push(Command::Sheet { ticket, dialog, request });
    }

    /// What a sheet shows cannot be read.
    pub(super) fn sheet_refused(&mut self) {
        if self.model.sheets.reminders().is_none() && self.model.sheets.taskdoc().is_none() {
            self.overlays.clear();
            self.model.sheets.close();
        }
    }
}
