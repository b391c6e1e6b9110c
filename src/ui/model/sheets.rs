//! The content of the open sheet, as the driver sent it last. Dropped when the sheet is closed.

use crate::domain::DialogId;
use crate::protocol::{ChangesView, ReminderView, Sheet, SheetRequest, TaskdocView};

#[derive(Debug, Default)]
pub struct Sheets {
    /// The dialog of the open sheet, and the request for its content.
    open: Option<(DialogId, SheetRequest)>,
    content: Option<Sheet>,
    /// Grows with each content.
    revision: u64,
}

impl Sheets {
    /// Opens a sheet; the content of another is dropped.
    pub fn open(&mut self, dialog: DialogId, request: SheetRequest) {
        self.open = Some((dialog, request));
        self.content = None;
    }

    pub fn close(&mut self) {
        *self = Self { revision: self.revision, ..Self::default() };
    }

    /// Stores content from the driver; false if its sheet is not open.
    pub fn update(&mut self, dialog: &DialogId, sheet: Sheet) -> bool {
        let wanted = self.open.as_ref().is_some_and(|(of, request)| {
            of == dialog
                && match sheet {
                    Sheet::Reminders(_) => *request == SheetRequest::Reminders,
                    Sheet::Taskdoc(_) => *request == SheetRequest::Taskdoc,
                    Sheet::Changes(ref view) => *request == SheetRequest::Changes(view.scope),
                }
        });
        if wanted {
            self.revision += 1;
            self.content = Some(sheet);
        }
        wanted
    }

    /// The request to repeat after something happened in this dialog.
    pub fn reload_request(&self, dialog: Option<&DialogId>) -> Option<(DialogId, SheetRequest)> {
        let open = self.open.as_ref()?;
        dialog.is_none_or(|dialog| open.0 == *dialog).then(|| open.clone())
    }

    pub fn is_empty(&self) -> bool {
        self.content.is_none()
    }

    /// Another one for each content.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    pub fn reminders(&self) -> Option<&[ReminderView]> {
        match &self.content {
            Some(Sheet::Reminders(reminders)) => Some(reminders),
            Some(Sheet::Taskdoc(_) | Sheet::Changes(_)) | None => None,
        }
    }

    pub fn taskdoc(&self) -> Option<&TaskdocView> {
        match &self.content {
            Some(Sheet::Taskdoc(taskdoc)) => Some(taskdoc),
            Some(Sheet::Reminders(_) | Sheet::Changes(_)) | None => None,
        }
    }

    pub fn changes(&self) -> Option<&ChangesView> {
        match &self.content {
            Some(Sheet::Changes(changes)) => Some(changes),
            Some(Sheet::Reminders(_) | Sheet::Taskdoc(_)) | None => None,
        }
    }
}
