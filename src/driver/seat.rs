//! The right to drive a dialog, as a value: whoever holds the seat may write to that transcript.
//! The tree mints one seat per dialog and has it back when the drive ends; it is moved, never copied.

use std::sync::Arc;

use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use crate::domain::SelfId;
use crate::domain::latest::StopReason;
use crate::domain::state::Activity;

#[derive(Debug)]
pub struct Seat {
    dialog: SelfId,
}

impl Seat {
    pub fn dialog(&self) -> &SelfId {
        &self.dialog
    }
}

/// Where a dialog's seat is.
#[derive(Debug)]
pub enum Place {
    Home(Seat),
    Out {
        stop: CancellationToken,
        /// Why it was told to stop, if it was.
        told: Option<StopReason>,
        /// Ends its wait for the next attempt.
        hurry: Arc<Notify>,
    },
}

impl Place {
    /// The only way a seat comes into being: for a dialog that is loaded, or whose drive broke down.
    pub fn mint(dialog: &SelfId) -> Self {
        Self::Home(Seat { dialog: dialog.clone() })
    }

    pub fn activity(&self) -> Activity {
        match self {
            Self::Home(_) => Activity::Resting,
            Self::Out { told: None, .. } => Activity::Driving,
            Self::Out { told: Some(reason), .. } => match reason {
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
