//! The content of the open sheet, as the driver sent it last. Dropped when the sheet is closed.

use crate::domain::{DialogId, RootId};
use crate::protocol::{
    ChangesView, ReminderView, Sheet, SheetRequest, TaskdocView, TimelineView, UsageView,
};

#[derive(Debug, Default)]
pub struct Sheets {
    /// The dialog of the open sheet, and the request for its content.
    open: Option<(DialogId, SheetRequest)>,
    content: Option<Sheet>,
    /// Grows with each content.
    revision: u64,
    awaited: Awaited,
}

/// Whether content is on its way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Awaited {
    #[default]
    No,
    Yes,
    /// Something changed since it was requested.
    Outdated,
}

impl Sheets {
    /// Opens a sheet; the content of another is dropped.
    pub fn open(&mut self, dialog: DialogId, request: SheetRequest) {
        self.open = Some((dialog, request));
        self.content = None;
        self.awaited = Awaited::Yes;
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
                    Sheet::Timeline(_) => *request == SheetRequest::Timeline,
                    Sheet::Usage(_) => *request == SheetRequest::Usage,
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

    /// The request to repeat after something happened in this tree, if the open sheet is about all of it. While
    /// an answer is on its way there is none: [`Self::request_if_outdated`] has it then.
    pub fn request_after_change(&mut self, root: &RootId) -> Option<(DialogId, SheetRequest)> {
        let (dialog, request) = self.open.as_ref()?;
        let of_tree = [SheetRequest::Timeline, SheetRequest::Usage].contains(request);
        if dialog.root != *root || !of_tree {
            return None;
        }
        if self.awaited != Awaited::No {
            self.awaited = Awaited::Outdated;
            return None;
        }
        self.awaited = Awaited::Yes;
        self.open.clone()
    }

    /// An answer came, or was refused. If something changed meanwhile, the request to repeat.
    pub fn request_if_outdated(&mut self) -> Option<(DialogId, SheetRequest)> {
        let outdated = self.awaited == Awaited::Outdated;
        self.awaited = if outdated { Awaited::Yes } else { Awaited::No };
        if outdated { self.open.clone() } else { None }
    }

    pub fn is_empty(&self) -> bool {
        self.content.is_none()
    }

    /// Another one for each content.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    pub fn reminders(&self) -> Option<&[ReminderView]> {
        if let Some(Sheet::Reminders(reminders)) = &self.content { Some(reminders) } else { None }
    }

    pub fn taskdoc(&self) -> Option<&TaskdocView> {
        if let Some(Sheet::Taskdoc(taskdoc)) = &self.content { Some(taskdoc) } else { None }
    }

    pub fn changes(&self) -> Option<&ChangesView> {
        if let Some(Sheet::Changes(changes)) = &self.content { Some(changes) } else { None }
    }

    pub fn timeline(&self) -> Option<&TimelineView> {
        if let Some(Sheet::Timeline(timeline)) = &self.content { Some(timeline) } else { None }
    }

    pub fn usage(&self) -> Option<&UsageView> {
        if let Some(Sheet::Usage(usage)) = &self.content { Some(usage) } else { None }
    }
}
