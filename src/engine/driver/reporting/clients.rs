//! The clients of a driver: screens and scripts, each with its own outbox, its own view, and its own tickets.
//!
//! Within the driver a ticket names its client, too: its upper half is the client, its lower half what the client
//! chose. So a reply finds its way without a table.

use std::collections::BTreeMap;

use crate::domain::{DialogId, Problem};
use crate::protocol::command::{Command, Ticket};
use crate::protocol::event::DriverEvent;
use crate::protocol::wire::Audience;
use crate::protocol::{LARGEST_TICKET, Outbox};

use super::reports::Subscription;

/// Bits of a ticket that its client chooses.
const OWN_BITS: u32 = 32;
const _: () = assert!(LARGEST_TICKET >> OWN_BITS == 0, "a ticket leaves room for its client");

/// Events that may wait for a slow screen before it is told [`DriverEvent::Lagged`] instead.
const OUTBOX_EVENTS: usize = 4096;
/// Events that may wait for a client in another process that must not miss any.
const MOST_EVENTS_ELSEWHERE: usize = 65_536;
/// About how many bytes may wait for all clients in other processes together.
const MOST_BYTES_ELSEWHERE: usize = 128 * 1024 * 1024;
/// Bytes kept for a client whose outbox was too large.
const LEFT_BYTES: usize = 512 * 1024;

/// Numbered in the order in which they joined; no number comes twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClientId(u32);

impl ClientId {
    /// The client that joins when the driver starts.
    pub const FIRST: Self = Self(0);

    pub const fn numbered(number: u32) -> Self {
        Self(number)
    }

    /// The ticket within the driver.
    fn address(self, own: Ticket) -> Ticket {
        (Ticket::from(self.0) << OWN_BITS) | (own & LARGEST_TICKET)
    }

    /// The client of a ticket within the driver.
    pub fn of(ticket: Ticket) -> Self {
        Self(u32::try_from(ticket >> OWN_BITS).unwrap_or(u32::MAX))
    }
}

/// A client's description of itself, given when it joined.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClientProfile {
    pub audience: Audience,
    /// The name the other clients see.
    pub name: String,
    pub rights: ClientRights,
    pub origin: ClientOrigin,
}

/// Where a client is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClientOrigin {
    /// In this process: it is waited for at the end, and what it must not miss is kept for it.
    Own,
    /// In another process, which may stop reading.
    Elsewhere,
}

impl ClientProfile {
    /// Of this program itself, which may do everything.
    #[must_use]
    pub fn own(audience: Audience) -> Self {
        let (rights, origin) = (ClientRights::All, ClientOrigin::Own);
        Self { audience, name: String::new(), rights, origin }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClientRights {
    All,
    /// It sees everything and changes nothing.
    View,
}

/// What a client asks for.
#[derive(Debug)]
pub struct Request {
    pub client: ClientId,
    pub audience: Audience,
    pub rights: ClientRights,
    pub kind: RequestKind,
}

#[derive(Debug)]
pub enum RequestKind {
    Command(Box<Command>),
    /// The client has gone.
    Left,
    /// All problems of an origin outside of the driver.
    Problems {
        origin: &'static str,
        problems: Vec<Problem>,
    },
}

/// The part of a ticket that the client chose.
pub fn own(ticket: Ticket) -> Ticket {
    ticket & LARGEST_TICKET
}

/// Gives the ticket of a command its client.
pub fn addressed(client: ClientId, mut command: Command) -> Command {
    if let Some(ticket) = command.ticket_mut() {
        *ticket = client.address(*ticket);
    }
    command
}

/// The outboxes of all clients.
#[derive(Debug, Default)]
pub struct Outboxes(BTreeMap<ClientId, ClientView>);

/// What one client is sent.
#[derive(Debug)]
struct ClientView {
    profile: ClientProfile,
    watch: Subscription,
    outbox: Outbox,
}

/// The first subscription of a client, and how many events may wait for it.
fn start(audience: Audience) -> (Subscription, usize) {
    match audience {
        Audience::Screen => (Subscription::NoDialog, OUTBOX_EVENTS),
        Audience::Lines => (Subscription::AllRecords, OUTBOX_EVENTS),
        Audience::Script => (Subscription::AllRecords, usize::MAX),
        Audience::Follower => (Subscription::AllRecordsAndText, usize::MAX),
    }
}

impl Outboxes {
    pub fn add(&mut self, client: ClientId, profile: ClientProfile) {
        let (watch, limit) = start(profile.audience);
        let limit = match profile.origin {
            ClientOrigin::Own => limit,
            ClientOrigin::Elsewhere => limit.min(MOST_EVENTS_ELSEWHERE),
        };
        self.0.insert(client, ClientView { profile, watch, outbox: Outbox::new(limit) });
    }

    pub fn remove(&mut self, client: ClientId) {
        self.0.remove(&client);
    }

    /// The outbox of a client that has not left.
    pub fn of(&mut self, client: ClientId) -> Option<&mut Outbox> {
        self.0.get_mut(&client).map(|view| &mut view.outbox)
    }

    /// Clients that must not miss an event and have fallen behind.
    pub fn lost(&self) -> impl Iterator<Item = ClientId> {
        let is_lost =
            |view: &ClientView| view.outbox.has_lagged() && !view.profile.audience.is_person();
        self.0.iter().filter(move |(_, view)| is_lost(view)).map(|(client, _)| *client)
    }

    /// The clients for which events wait.
    pub fn waiting(&self) -> impl Iterator<Item = ClientId> {
        self.0.iter().filter(|(_, view)| !view.outbox.is_empty()).map(|(client, _)| *client)
    }

    pub fn name(&self, client: ClientId) -> Option<&str> {
        self.0.get(&client).map(|view| view.profile.name.as_str())
    }

    /// Changes what a client is sent; true if it sees one dialog at a time.
    pub fn watch(&mut self, client: ClientId, watch: Subscription) -> bool {
        let Some(view) = self.0.get_mut(&client) else { return false };
        let sees_one_dialog = view.profile.audience.sees_one_dialog();
        if sees_one_dialog {
            view.watch = watch;
        }
        sees_one_dialog
    }

    /// Sends an event to all clients; one with a ticket only to the client of that ticket.
    pub fn push(&mut self, mut event: DriverEvent) {
        if let Some(ticket) = event.ticket_mut() {
            let client = ClientId::of(*ticket);
            *ticket = own(*ticket);
            return self.push_to(client, event);
        }
        self.push_where(|_| true, event);
    }

    pub fn push_to(&mut self, client: ClientId, event: DriverEvent) {
        if let Some(view) = self.0.get_mut(&client) {
            view.outbox.push(event);
        }
        self.keep_bound();
    }

    /// While the outboxes for other processes are too large together, sheds from the largest one.
    fn keep_bound(&mut self) {
        let elsewhere =
            |(_, view): &(&ClientId, &ClientView)| view.profile.origin == ClientOrigin::Elsewhere;
        for _ in 0..self.0.len() {
            let views = || self.0.iter().filter(elsewhere);
            let all: usize = views().map(|(_, view)| view.outbox.weight()).sum();
            let heaviest = views().max_by_key(|(_, view)| view.outbox.weight());
            let Some((client, _)) = heaviest.filter(|_| all > MOST_BYTES_ELSEWHERE) else { return };
            let client = *client;
            if let Some(outbox) = self.of(client) {
                outbox.shed(LEFT_BYTES);
            }
        }
    }

    /// Sends an event to all clients but one.
    pub fn push_to_others(&mut self, but: ClientId, event: &DriverEvent) {
        for (_, view) in self.0.iter_mut().filter(|(client, _)| **client != but) {
            view.outbox.push(event.clone());
        }
        self.keep_bound();
    }

    /// An event of the records of a dialog.
    pub fn push_record(&mut self, dialog: &DialogId, event: DriverEvent) {
        self.push_where(|view| view.watch.sees_records(dialog), event);
    }

    /// An event of the text that is being written in a dialog.
    pub fn push_live(&mut self, dialog: &DialogId, event: DriverEvent) {
        self.push_where(|view| view.watch.sees_live(dialog), event);
    }

    /// An event of a run, for those who follow runs and not dialogs.
    pub fn push_to_scripts(&mut self, event: DriverEvent) {
        self.push_where(|view| !view.profile.audience.is_person(), event);
    }

    fn push_where(&mut self, sees: impl Fn(&ClientView) -> bool, event: DriverEvent) {
        let mut views = self.0.values_mut().filter(|view| sees(view));
        let Some(first) = views.next() else { return };
        for view in views {
            view.outbox.push(event.clone());
        }
        first.outbox.push(event);
        self.keep_bound();
    }
}

#[cfg(test)]
impl Outboxes {
    /// With the one client that joins at the start.
    pub fn with_first(profile: ClientProfile) -> Self {
        let mut outboxes = Self::default();
        outboxes.add(ClientId::FIRST, profile);
        outboxes
    }

    /// What the first client is sent.
    pub fn watching(watch: Subscription) -> Self {
        let mut outboxes = Self::with_first(ClientProfile::own(Audience::Screen));
        outboxes.watch(ClientId::FIRST, watch);
        outboxes
    }

    pub fn take(&mut self, client: ClientId) -> Vec<DriverEvent> {
        let outbox = self.of(client).expect("a client");
        std::iter::from_fn(|| outbox.pop()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::RootId;
    use crate::domain::text::Localized;
    use crate::protocol::event::Segment;

    const SECOND: ClientId = ClientId::numbered(1);

    fn dialog(name: &str) -> DialogId {
        DialogId::main(RootId::new(name))
    }

    fn two() -> Outboxes {
        let mut outboxes = Outboxes::watching(Subscription::NoDialog);
        outboxes.add(SECOND, ClientProfile::own(Audience::Screen));
        outboxes
    }

    #[test]
    fn a_reply_goes_to_the_client_that_asked_with_the_ticket_it_chose() {
        let mut outboxes = two();
        for (client, other) in [(ClientId::FIRST, SECOND), (SECOND, ClientId::FIRST)] {
            for own in [0, 7, LARGEST_TICKET] {
                let Command::Shelf { ticket } = addressed(client, Command::Shelf { ticket: own })
                else {
                    panic!("another command");
                };
                outboxes.push(DriverEvent::Done { ticket, dialog: None });
                let done = DriverEvent::Done { ticket: own, dialog: None };
                assert_eq!(outboxes.take(client), [done]);
                assert_eq!(outboxes.take(other), []);
            }
        }
    }

    #[test]
    fn a_ticket_that_is_too_long_never_names_another_client() {
        let mut outboxes = two();
        let foreign = SECOND.address(7);
        let Command::Shelf { ticket } =
            addressed(ClientId::FIRST, Command::Shelf { ticket: foreign })
        else {
            panic!("another command");
        };
        outboxes.push(DriverEvent::Done { ticket, dialog: None });
        assert_eq!(outboxes.take(SECOND), []);
        assert_eq!(outboxes.take(ClientId::FIRST).len(), 1);
    }

    #[test]
    fn each_client_is_sent_the_text_of_the_dialog_it_shows() {
        let mut outboxes = two();
        outboxes.watch(ClientId::FIRST, Subscription::Dialog(dialog("a")));
        outboxes.watch(SECOND, Subscription::Dialog(dialog("b")));
        for of in ["a", "b", "c"] {
            let live = DriverEvent::Live {
                dialog: dialog(of),
                segment: Segment::Saying,
                text: of.to_owned(),
            };
            outboxes.push_live(&dialog(of), live);
        }
        for (client, of) in [(ClientId::FIRST, "a"), (SECOND, "b")] {
            let sent = outboxes.take(client);
            let is_own =
                |event: &DriverEvent| matches!(event, DriverEvent::Live { text, .. } if text == of);
            assert!(sent.len() == 1 && sent.iter().all(is_own), "{sent:?}");
        }
    }

    #[test]
    fn a_client_that_has_left_is_sent_nothing_and_stops_nobody() {
        let mut outboxes = two();
        outboxes.remove(ClientId::FIRST);
        outboxes.push(DriverEvent::Notice(Localized::same("all".to_owned())));
        outboxes.push(DriverEvent::Done { ticket: 1, dialog: None });
        assert_eq!(outboxes.take(SECOND).len(), 1);
        assert_eq!(outboxes.waiting().count(), 0);
    }

    #[test]
    fn a_script_of_another_process_that_falls_behind_is_lost_and_a_screen_is_not() {
        for (audience, origin, lost) in [
            (Audience::Script, ClientOrigin::Elsewhere, true),
            (Audience::Screen, ClientOrigin::Elsewhere, false),
            (Audience::Script, ClientOrigin::Own, false),
        ] {
            let mut outboxes =
                Outboxes::with_first(ClientProfile { origin, ..ClientProfile::own(audience) });
            for _ in 0..=MOST_EVENTS_ELSEWHERE {
                outboxes.push(DriverEvent::LiveEnd { dialog: dialog("a") });
            }
            assert_eq!(outboxes.lost().count(), usize::from(lost), "{audience:?} {origin:?}");
        }
    }

    #[test]
    fn what_waits_for_clients_that_read_nothing_is_bounded_together() {
        let mut outboxes = Outboxes::with_first(ClientProfile::own(Audience::Screen));
        let profile = ClientProfile {
            origin: ClientOrigin::Elsewhere,
            ..ClientProfile::own(Audience::Screen)
        };
        let clients = (1..=60).map(ClientId::numbered);
        clients.clone().for_each(|client| outboxes.add(client, profile.clone()));
        let one = 1_000_000;
        for n in 0..20 {
            // What can be asked for again, and what is said only once.
            outboxes.push(DriverEvent::Files(vec!["f".repeat(one), n.to_string()]));
            for client in clients.clone() {
                let texts = BTreeMap::from([(n.to_string(), "d".repeat(one))]);
                outboxes.push_to(client, DriverEvent::Drafts { ticket: 1, texts });
            }
            let all = clients.clone().map(|client| outboxes.of(client).unwrap().weight());
            assert!(all.sum::<usize>() <= MOST_BYTES_ELSEWHERE + 2 * one);
        }
        let told = clients.clone().map(|client| outboxes.take(client));
        let told = told.filter(|events| events.first() == Some(&DriverEvent::Lagged));
        assert!(told.count() > 0, "whoever missed something is told so");
        assert!(!outboxes.take(ClientId::FIRST).contains(&DriverEvent::Lagged));
    }

    #[test]
    fn a_script_sees_every_dialog_whatever_it_opens() {
        let mut outboxes = Outboxes::with_first(ClientProfile::own(Audience::Script));
        assert!(!outboxes.watch(ClientId::FIRST, Subscription::Dialog(dialog("a"))));
        let ended = DriverEvent::LiveEnd { dialog: dialog("b") };
        outboxes.push_record(&dialog("b"), ended);
        assert_eq!(outboxes.take(ClientId::FIRST).len(), 1);
    }
}
