//! The seats of connections, and the memory they hold together.
//!
//! When every seat is taken, a newcomer gets a seat of a process that has more of them than its own: that of the
//! connection that was silent longest. So a process that opens many connections only keeps out itself. Only facts
//! known from the kernel and the connection's behaviour count, not its own claims. Messages that are being read have
//! bounded room, too: when it is full, the connection that began first to fill it is ended.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;

use crate::protocol::wire::LONGEST_FROM_CLIENT;

/// Most connections at once.
pub(super) const MOST_SEATS: usize = 128;
/// Bytes of a message that each connection may hold besides.
pub(super) const OWN_BYTES: usize = 64 * 1024;
/// Bytes of longer messages that all connections hold together.
pub(super) const MOST_HELD: usize = 2 * LONGEST_FROM_CLIENT;

/// The seats of a driver; clones are the same ones.
#[derive(Debug, Clone, Default)]
pub(super) struct Seats(Arc<Mutex<Table>>);

#[derive(Debug, Default)]
struct Table {
    taken: BTreeMap<u64, Taken>,
    /// Counts what happens, so that what came first is known.
    moment: u64,
}

#[derive(Debug)]
struct Taken {
    process: i32,
    activity: Activity,
    /// Bytes of a message, and since when.
    held: Option<(u64, usize)>,
    is_needed: watch::Sender<bool>,
}

/// The last activity of a connection, and its time; the least one gives its seat up first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Activity {
    Connected(u64),
    Greeted(u64),
    Commanded(u64),
}

/// A seat; dropped, it is free.
#[derive(Debug)]
pub(super) struct Seat {
    all: Seats,
    number: u64,
    is_needed: watch::Receiver<bool>,
}

impl Seats {
    /// A seat for a connection of this process; `None` if no process has more of them.
    pub fn take(&self, process: i32) -> Option<Arc<Seat>> {
        let mut table = self.table();
        if table.taken.len() >= MOST_SEATS {
            let silent = table.most_silent(process)?;
            table.give_up(silent);
        }
        let number = table.next_moment();
        let (is_needed, needed) = watch::channel(false);
        let activity = Activity::Connected(number);
        table.taken.insert(number, Taken { process, activity, held: None, is_needed });
        Some(Arc::new(Seat { all: self.clone(), number, is_needed: needed }))
    }

    fn table(&self) -> MutexGuard<'_, Table> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Table {
    fn next_moment(&mut self) -> u64 {
        self.moment += 1;
        self.moment
    }

    /// Returns the connection that was silent longest, of the processes with the most seats, if this one has fewer.
    fn most_silent(&self, newcomer: i32) -> Option<u64> {
        let mut seats = BTreeMap::<i32, usize>::new();
        for taken in self.taken.values() {
            *seats.entry(taken.process).or_default() += 1;
        }
        let count = |process: i32| seats.get(&process).copied().unwrap_or(0);
        let most = seats.values().copied().max().unwrap_or(0);
        if count(newcomer) >= most {
            return None;
        }
        let theirs = self.taken.iter().filter(|(_, taken)| count(taken.process) == most);
        theirs.min_by_key(|(_, taken)| taken.activity).map(|(number, _)| *number)
    }

    fn give_up(&mut self, number: u64) {
        if let Some(taken) = self.taken.remove(&number) {
            taken.is_needed.send_replace(true);
        }
    }

    fn held(&self) -> usize {
        self.taken.values().filter_map(|taken| taken.held).map(|(_, bytes)| bytes).sum()
    }

    /// Returns the connection that began first to hold a long message, except this one.
    fn first_holder(&self, but: u64) -> Option<u64> {
        let holders = self.taken.iter().filter(|(number, _)| **number != but);
        let holders = holders.filter_map(|(number, taken)| Some((taken.held?.0, *number)));
        holders.min().map(|(_, number)| number)
    }
}

impl Seat {
    /// Notes that the client has introduced itself.
    pub fn greeted(&self) {
        self.did(Activity::Greeted);
    }

    /// Notes that it has sent a command.
    pub fn commanded(&self) {
        self.did(Activity::Commanded);
    }

    fn did(&self, what: fn(u64) -> Activity) {
        let mut table = self.all.table();
        let now = table.next_moment();
        if let Some(taken) = table.taken.get_mut(&self.number) {
            taken.activity = what(now);
        }
    }

    /// Notes how many bytes of a message it holds now. If that is too much in total, other connections are ended.
    pub fn holds(&self, bytes: usize) {
        let mut table = self.all.table();
        let now = table.next_moment();
        let Some(taken) = table.taken.get_mut(&self.number) else { return };
        let since = taken.held.map_or(now, |(since, _)| since);
        taken.held = (bytes > OWN_BYTES).then_some((since, bytes));
        while table.held() > MOST_HELD
            && let Some(first) = table.first_holder(self.number)
        {
            table.give_up(first);
        }
    }

    /// Completes when somebody else needs the seat, or the room.
    pub async fn needed(&self) {
        let mut is_needed = self.is_needed.clone();
        // The sender ends when the seat is given up, or is this one's.
        let _ = is_needed.wait_for(|needed| *needed).await;
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.all.table().taken.remove(&self.number);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn is_needed(seat: &Seat) -> bool {
        *seat.is_needed.borrow()
    }

    #[test]
    fn a_process_that_takes_all_seats_keeps_out_itself_alone() {
        let seats = Seats::default();
        let many: Vec<_> = (0..MOST_SEATS).map(|_| seats.take(1).unwrap()).collect();
        assert!(seats.take(1).is_none(), "its own next one");
        many[0].commanded();
        many[1].greeted();
        let others: Vec<_> = (2..40).map(|process| seats.take(process).expect("a seat")).collect();
        let given_up: Vec<bool> = many.iter().map(|seat| is_needed(seat)).collect();
        assert_eq!(given_up.iter().filter(|one| **one).count(), others.len());
        assert!(!given_up[0] && !given_up[1], "those that are silent come first");
        assert!(others.iter().all(|seat| !is_needed(seat)));
        drop(many);
        assert_eq!(seats.table().taken.len(), others.len(), "a seat is free once it is left");
    }

    #[test]
    fn of_processes_with_as_many_seats_the_most_silent_connection_is_ended() {
        let seats = Seats::default();
        let screen = seats.take(1).unwrap();
        screen.greeted();
        screen.commanded();
        let mut others: Vec<_> =
            (2..).take(MOST_SEATS - 1).map(|p| seats.take(p).unwrap()).collect();
        for other in &others {
            other.greeted();
        }
        for process in 1_000..1_000 + 100 {
            let seat = seats.take(process).expect("a seat");
            seat.greeted();
            seat.commanded();
            others.push(seat);
        }
        assert!(!is_needed(&screen));
        assert!(others.iter().rev().take(100).all(|seat| !is_needed(seat)));
    }

    proptest! {
        #[test]
        fn what_is_held_together_is_bounded_and_whoever_began_last_goes_on(
            sizes in proptest::collection::vec(0..=LONGEST_FROM_CLIENT, 1..60)
        ) {
            let seats = Seats::default();
            let mut taken = Vec::new();
            for (process, bytes) in (1..).zip(sizes) {
                let seat = seats.take(process).expect("a seat");
                seat.holds(bytes / 2);
                seat.holds(bytes);
                prop_assert!(!is_needed(&seat));
                prop_assert!(seats.table().held() <= MOST_HELD);
                taken.push(seat);
            }
            for seat in &taken {
                seat.holds(0);
            }
            prop_assert_eq!(seats.table().held(), 0);
        }
    }
}
