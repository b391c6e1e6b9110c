//! The lease of a running program in a shared store: its work is its own as long as the lease is renewed.

use std::time::Duration;

use tokio::time::Instant;

use super::fault::StoreFault;
use super::server::{LEASE, Registration, Server};
use super::setup::Setup;
use super::store::{Listener, Store};
use crate::domain::Lang;

/// Interval of the renewals.
const RENEWAL: Duration = Duration::from_secs(10);
/// After this time without a renewal, work stops here: others may soon be given it.
const CUT_OFF: Duration = Duration::from_secs(25);
/// Pause before a server that could not be reached is tried again.
const RETRY_PAUSE: Duration = Duration::from_secs(1);
/// Hex digits of the id of a program.
const ID_DIGITS: usize = 16;

const _: () = assert!(RENEWAL.as_secs() < CUT_OFF.as_secs() && CUT_OFF.as_secs() < LEASE.as_secs());

#[derive(Debug)]
pub(super) struct Lease {
    engine: Registration,
    takeover: Duration,
    lang: Lang,
    /// When it was renewed last, on the monotonic clock.
    renewed: Option<Instant>,
    /// Why the server cannot be reached, and when that was found last.
    down: Option<(String, Instant)>,
    /// Tells what others change, while the server can be reached.
    listener: Option<Listener>,
}

impl Lease {
    pub fn new(server: &Server, setup: &Setup) -> Self {
        let random = (setup.random_name)();
        let id = random.get(..ID_DIGITS).unwrap_or(&random).to_owned();
        let workspace = setup.workspace.display().to_string();
        let engine = Registration { id, workspace };
        let (takeover, lang) = (server.takeover, setup.lang);
        Self { engine, takeover, lang, renewed: None, down: None, listener: None }
    }

    /// Why the server is not tried again yet.
    pub fn recent_fault(&self) -> Option<StoreFault> {
        let (why, at) = self.down.as_ref()?;
        (at.elapsed() < RETRY_PAUSE).then(|| StoreFault::Lost(why.clone()))
    }

    pub fn is_down(&self) -> bool {
        self.down.is_some()
    }

    /// True if others may soon be given the work of this box.
    pub fn is_cut_off(&self) -> bool {
        self.renewed.is_none_or(|at| at.elapsed() >= CUT_OFF)
    }

    /// Remembers a lost connection.
    pub fn note(&mut self, fault: &StoreFault) {
        if let StoreFault::Lost(why) = fault {
            self.listener = None;
            self.down = Some((why.clone(), Instant::now()));
        }
    }

    /// Waits until another program changes something; false if the listener was lost.
    pub async fn heard(&mut self) -> bool {
        let Some(listener) = &mut self.listener else { return std::future::pending().await };
        let heard = listener.heard().await;
        if let Err(fault) = &heard {
            tracing::info!(%fault, "changes of others are looked for instead");
            self.listener = None;
        }
        heard.is_ok()
    }

    /// Registers this program in a store that was just opened.
    ///
    /// # Errors
    /// A copy of this workspace works in it; the server.
    pub async fn begin(&mut self, store: &mut Store) -> Result<(), StoreFault> {
        let asked = Instant::now();
        let begun = store.register(&self.engine).await;
        begun.inspect_err(|fault| self.note(fault))?;
        self.renewed = Some(asked);
        self.down = None;
        self.listen(store).await;
        Ok(())
    }

    /// Connects anew, if the connection broke.
    ///
    /// # Errors
    /// As for [`Self::begin`].
    pub async fn reconnect(&mut self, store: &mut Store) -> Result<(), StoreFault> {
        if self.down.is_none() {
            return Ok(());
        }
        store.reconnect().await.inspect_err(|fault| self.note(fault))?;
        tracing::info!("the server of the store is reached again");
        self.renew(store).await?;
        self.down = None;
        Ok(())
    }

    /// Renews the lease when that is due, and takes over what lost programs have left.
    ///
    /// # Errors
    /// As for [`Self::begin`].
    pub async fn keep(&mut self, store: &mut Store) -> Result<(), StoreFault> {
        if self.renewed.is_some_and(|at| at.elapsed() < RENEWAL) {
            return Ok(());
        }
        let kept = self.renew_and_take_over(store).await;
        kept.inspect_err(|fault| self.note(fault))
    }

    async fn renew_and_take_over(&mut self, store: &mut Store) -> Result<(), StoreFault> {
        self.renew(store).await?;
        self.listen(store).await;
        if store.wants_more() {
            store.host_again().await?;
        }
        store.take_over_lost(self.takeover, self.lang).await
    }

    /// Starts to listen for changes. Without a listener they are polled.
    async fn listen(&mut self, store: &Store) {
        if self.listener.is_none() {
            let listener = store.listener().await;
            self.listener = listener
                .inspect_err(|fault| tracing::warn!(%fault, "changes of others are looked for"))
                .unwrap_or_default();
        }
    }

    async fn renew(&mut self, store: &mut Store) -> Result<(), StoreFault> {
        let asked = Instant::now();
        if !store.renew().await? {
            store.register(&self.engine).await?;
        }
        self.renewed = Some(asked);
        Ok(())
    }
}
