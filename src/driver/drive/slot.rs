//! The right to drive a dialog, as a value: whoever owns the slot may write to that transcript. The tree
//! creates one slot per dialog and gets it back when the drive ends; it is moved, never copied.

use std::sync::Arc;

use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use crate::domain::SelfId;
use crate::domain::latest::StopReason;
use crate::domain::shown_state::Activity;

#[derive(Debug)]
pub struct DriveSlot {
    dialog: SelfId,
}

impl DriveSlot {
    pub fn dialog(&self) -> &SelfId {
        &self.dialog
    }
}

/// Whether a dialog's slot is in use by a drive.
#[derive(Debug)]
pub enum SlotState {
    Free(DriveSlot),
    InUse {
        stop: CancellationToken,
        /// Set when the drive was requested to stop.
        stop_reason: Option<StopReason>,
        /// Ends the wait for the next attempt.
        retry_now: Arc<Notify>,
    },
}

impl SlotState {
    /// The only place that creates a slot: for a dialog that was loaded or created, or whose drive panicked.
    pub fn new(dialog: &SelfId) -> Self {
        Self::Free(DriveSlot { dialog: dialog.clone() })
    }

    pub fn activity(&self) -> Activity {
        match self {
            Self::Free(_) => Activity::Resting,
            Self::InUse { stop_reason: None, .. } => Activity::Driving,
            Self::InUse { stop_reason: Some(reason), .. } => match reason {
                StopReason::EmergencyStop => {
                    Activity::Stopping(crate::domain::latest::StopRequest::EmergencyStop)
                }
                StopReason::UserStop
                | StopReason::ServerRestart
                | StopReason::PendingCourseStart
                | StopReason::ForkContinueReady
                | StopReason::SystemStop { .. }
                | StopReason::LlmRetryStopped { .. } => {
                    Activity::Stopping(crate::domain::latest::StopRequest::UserStop)
                }
            },
        }
    }
}
