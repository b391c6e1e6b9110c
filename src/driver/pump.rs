//! Carries news to the screen. It never waits for both sides: while the screen is slow it goes on
//! accepting, so nobody behind it ever waits for a terminal.

use tokio::sync::mpsc;

use crate::protocol::{Outbox, UiEvent};

use super::picture::{News, Picture};

/// Runs until every sender of news is gone, then says [`UiEvent::Stopped`].
pub async fn pump(
    mut news: mpsc::Receiver<News>,
    screen: mpsc::Sender<UiEvent>,
    mut picture: Picture,
    mut outbox: Outbox,
) {
    let mut open = true;
    while open || !outbox.is_empty() {
        tokio::select! {
            item = news.recv(), if open => if let Some(item) = item { picture.take(item, &mut outbox) } else {
                open = false;
                outbox.push(UiEvent::Stopped);
            },
            permit = screen.reserve(), if !outbox.is_empty() => match permit {
                Ok(permit) => if let Some(event) = outbox.pop() { permit.send(event) },
                // The screen is gone; news are still taken, so that the trees can end in peace.
                Err(_) => while outbox.pop().is_some() {},
            },
        }
    }
}
