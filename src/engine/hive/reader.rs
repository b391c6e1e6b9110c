//! A second connection to the store of a running driver. It only reads, so a search holds up nothing that the
//! [keeper](super::keeper) does.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Mutex;
use tokio::time::Instant;

use crate::domain::Clock;
use crate::domain::teams::memory::{Found, MemoryQuery};

use super::store::Store;

/// It is closed after this time without a search.
const IDLE: Duration = Duration::from_mins(1);

/// The connection while it is open, and when it was used last. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub(super) struct Reader(Arc<Mutex<Option<(Store, Instant)>>>);

impl Reader {
    /// Searches by the connection, which `open` opens. `None`: the keeper has to search, and to say what is wrong.
    pub async fn search(
        &self,
        open: impl Future<Output = Option<Store>>,
        wanted: &MemoryQuery,
        clock: &dyn Clock,
    ) -> Option<Vec<Found>> {
        let mut held = self.0.lock().await;
        let mut store = match held.take() {
            Some((store, _)) => store,
            None => open.await?,
        };
        let found = store.search_memories(wanted, clock).await.ok()?;
        if store.misses_memories() {
            return None;
        }
        *held = Some((store, Instant::now()));
        Some(found)
    }

    /// Closes it if it was not used for some time. Waits for no search.
    pub async fn close_idle(&self) {
        let Ok(mut held) = self.0.try_lock() else { return };
        let is_idle = held.as_ref().is_some_and(|(_, used)| used.elapsed() >= IDLE);
        if is_idle && let Some((store, _)) = held.take() {
            store.close().await;
        }
    }

    pub async fn close(&self) {
        if let Some((store, _)) = self.0.lock().await.take() {
            store.close().await;
        }
    }
}
