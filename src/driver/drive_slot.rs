//! The right to drive a dialog, as a value: whoever holds the seat may write to that transcript.
//! The tree mints one seat per dialog and has it back when the drive ends; it is moved, never copied.

use std::sync::Arc;

use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use crate::domain::SelfId;
use crate::domain::latest::StopReason;
use crate::domain::state::Activity;

#[derive(Debug)]
pub struct DriveSlot {
    dialog: SelfId,
}

impl DriveSlot {
    pub fn dialog(&self) -> &SelfId {
        &self.dialog
    }
}

/// Where a dialog's seat is.
#[derive(Debug)]
pub enum SlotState {
    Home(DriveSlot),
    Out {
        stop: CancellationToken,
        /// Why it was told to stop, if it was.
        stop_reason: Option<StopReason>,
        /// Ends its wait for the next attempt.
        retry_now: Arc<Notify>,
    },
}

impl SlotState {
    /// The only way a seat comes into being: for a dialog that is loaded, or whose drive broke down.
    pub fn free(dialog: &SelfId) -> Self {
        Self::Home(DriveSlot { dialog: dialog.clone() })
    }

    pub fn activity(&self) -> Activity {
        match self {
            Self::Home(_) => Activity::Resting,
            Self::Out { stop_reason: None, .. } => Activity::Driving,
            Self::Out { stop_reason: Some(reason), .. } => match reason {
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
