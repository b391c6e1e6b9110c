//! The content of the open sheet, as the driver sent it last. Dropped when the sheet is closed.

use std::time::{Duration, Instant};

use crate::domain::{DialogId, RootId};
use crate::protocol::{
    ChangesView, ReminderView, Sheet, SheetRequest, TaskdocView, TimelineView, UsageView,
};

/// The shortest time from content of a whole tree to the request for newer.
const MIN_REST: Duration = Duration::from_secs(1);
/// The rest as a multiple of the time the content took to arrive.
const REST_FACTOR: u32 = 8;

#[derive(Debug, Default)]
pub struct Sheets {
    /// The dialog of the open sheet, and the request for its content.
    open: Option<(DialogId, SheetRequest)>,
    content: Option<Sheet>,
    /// Grows with each content.
    revision: u64,
    awaited: Awaited,
    asked_at: Option<Instant>,
    /// The time before which a whole tree is not read again, however much changes in it.
    rest_until: Option<Instant>,
    /// Something happened since it was read.
    is_due: bool,
}

/// Whether content was requested.
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
        self.close();
        self.open = Some((dialog, request));
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
        if wanted && self.content.as_ref() != Some(&sheet) {
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

    /// Returns the request to repeat after a change in this tree, if the open sheet is about all of it. While
    /// an answer is on its way, and for a while after it, there is none: [`Self::take_due`] has it then.
    pub fn request_after_change(
        &mut self,
        root: &RootId,
        now: Instant,
    ) -> Option<(DialogId, SheetRequest)> {
        let (dialog, request) = self.open.as_ref()?;
        let of_tree = matches!(
            request,
            SheetRequest::Timeline | SheetRequest::Usage | SheetRequest::Changes(_)
        );
        if dialog.root != *root || !of_tree {
            return None;
        }
        if self.awaited != Awaited::No {
            self.awaited = Awaited::Outdated;
            return None;
        }
        self.is_due = true;
        self.take_due(now)
    }

    /// An answer came, or was refused.
    pub fn answered(&mut self, now: Instant) {
        let took = self.asked_at.take().map(|asked| now.saturating_duration_since(asked));
        let rest = took.unwrap_or_default().saturating_mul(REST_FACTOR).max(MIN_REST);
        self.is_due = self.awaited == Awaited::Outdated;
        self.awaited = Awaited::No;
        self.rest_until = Some(now + rest);
    }

    /// Returns when a request is to be repeated; `None` if nothing changed.
    pub fn due_at(&self) -> Option<Instant> {
        self.rest_until.filter(|_| self.is_due && self.awaited == Awaited::No)
    }

    /// The request to repeat, if it is time for it.
    pub fn take_due(&mut self, now: Instant) -> Option<(DialogId, SheetRequest)> {
        let rests = self.rest_until.is_some_and(|until| now < until);
        if !self.is_due || rests || self.awaited != Awaited::No {
            return None;
        }
        self.is_due = false;
        self.awaited = Awaited::Yes;
        self.asked_at = Some(now);
        self.open.clone()
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
