//! Forwards reports to the screen. While the screen is slow it goes on receiving, so no task ever waits
//! for a terminal.

use tokio::sync::mpsc;

use crate::protocol::{DriverEvent, Outbox};

use super::reports::DriverReport;
use super::screen_state::ScreenState;

/// Runs until all senders of reports are dropped, then sends [`DriverEvent::Stopped`].
pub async fn pump(
    mut reports: mpsc::Receiver<DriverReport>,
    screen: mpsc::Sender<DriverEvent>,
    mut state: ScreenState,
    mut outbox: Outbox,
) {
    let mut open = true;
    while open || !outbox.is_empty() {
        tokio::select! {
            item = reports.recv(), if open => if let Some(item) = item { state.apply(item, &mut outbox) } else {
                open = false;
                outbox.push(DriverEvent::Stopped);
            },
            permit = screen.reserve(), if !outbox.is_empty() => match permit {
                Ok(permit) => if let Some(event) = outbox.pop() { permit.send(event) },
                // The screen has closed; reports are still received, so that the trees can end.
                Err(_) => while outbox.pop().is_some() {},
            },
        }
    }
}
