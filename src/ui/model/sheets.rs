//! The sheets of a dialog as they were told last. Held while one lies open, forgotten after.

use crate::domain::DialogId;
use crate::protocol::{ReminderView, Sheet, SheetRequest, TaskdocView};

#[derive(Debug, Default)]
pub struct Sheets {
    /// Whose sheet lies open, and how it is asked for.
    open: Option<(DialogId, SheetRequest)>,
    content: Option<Sheet>,
}

impl Sheets {
    /// A sheet is opened; what was told of another is forgotten.
    pub fn open(&mut self, dialog: DialogId, request: SheetRequest) {
        self.open = Some((dialog, request));
        self.content = None;
    }

    pub fn close(&mut self) {
        *self = Self::default();
    }

    /// Takes in what the driver tells; false if nobody looks at it.
    pub fn update(&mut self, dialog: &DialogId, sheet: Sheet) -> bool {
        let wanted = self.open.as_ref().is_some_and(|(of, request)| {
            of == dialog
                && match sheet {
                    Sheet::Reminders(_) => *request == SheetRequest::Reminders,
                    Sheet::Taskdoc(_) => *request == SheetRequest::Taskdoc,
                }
        });
        if wanted {
            self.content = Some(sheet);
        }
        wanted
    }

    /// What to ask for again, if something happened in this dialog.
    pub fn reload_request(&self, dialog: Option<&DialogId>) -> Option<(DialogId, SheetRequest)> {
        let open = self.open.as_ref()?;
        dialog.is_none_or(|dialog| open.0 == *dialog).then(|| open.clone())
    }

    pub fn reminders(&self) -> Option<&[ReminderView]> {
        match &self.content {
            Some(Sheet::Reminders(reminders)) => Some(reminders),
            Some(Sheet::Taskdoc(_)) | None => None,
        }
    }

    pub fn taskdoc(&self) -> Option<&TaskdocView> {
        match &self.content {
            Some(Sheet::Taskdoc(taskdoc)) => Some(taskdoc),
            Some(Sheet::Reminders(_)) | None => None,
        }
    }
}
