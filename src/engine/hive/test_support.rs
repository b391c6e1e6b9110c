//! Consent and databases for tests.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use super::server::{HostedTeams, Registration, Server, TAKEOVER};
use super::setup::Permission;
use super::store::Store;
use crate::domain::TeamName;
use crate::domain::text::Localized;
use crate::postgres::postgres;

/// The stores that were agreed to, and whether something else waits for consent.
#[derive(Debug, Default)]
pub(super) struct Known {
    pub seats: Mutex<Vec<String>>,
    pub awaits: AtomicBool,
}

impl Permission for Known {
    fn awaits_consent(&self) -> bool {
        self.awaits.load(Ordering::Relaxed)
    }

    fn may_open(&self, seat: &str) -> bool {
        self.seats.lock().unwrap().iter().any(|known| known == seat)
    }

    fn made_here(&self, seat: &str) -> Result<(), Localized> {
        self.seats.lock().unwrap().push(seat.to_owned());
        Ok(())
    }
}

/// What a store of a test is kept in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Database {
    File,
    Server,
}

impl Database {
    /// Both, if this machine has a server.
    pub fn all() -> impl Iterator<Item = Self> {
        std::iter::once(Self::File).chain(postgres().map(|_| Self::Server))
    }
}

/// The rows of an organisation of its own, seen from a box.
pub(super) fn server(org: &str, box_name: &str) -> Option<Server> {
    Some(Server {
        url: postgres()?.url.clone(),
        org: org.to_owned(),
        box_name: box_name.to_owned(),
        workspaces: Vec::new(),
        teams: HostedTeams::All,
        takeover: TAKEOVER,
    })
}

/// Begins to work in a shared store for these teams.
pub(super) async fn works(store: &mut Store, id: &str, teams: &[&str]) {
    let engine = Registration { id: id.to_owned(), workspace: format!("/{id}") };
    store.register(&engine).await.unwrap();
    let same = |team: &&str| (TeamName::new(*team), "same".to_owned());
    store.host(teams.iter().map(same).collect()).await.unwrap();
}

/// An organisation that no other test has.
pub(super) fn postgres_org() -> String {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    format!("org-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed))
}
