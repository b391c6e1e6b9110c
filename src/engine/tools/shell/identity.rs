//! Identifies a process. A pid is reused after a while; together with the start time of the process, counted
//! from a certain boot of the machine, it is unique.

use std::fs;

use serde::{Deserialize, Serialize};

/// Identifies a process, distinct from later ones with the same pid.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Identity {
    pub pid: u32,
    /// Ticks from the boot of the machine to the start of the process; 0 if the system does not say.
    pub started_ticks: u64,
    /// Names this run of the machine; empty where the system does not say.
    pub boot: String,
}

/// What the system says about one process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct ProcessStat {
    /// It has exited and was not reaped.
    ended: bool,
    parent: u32,
    group: u32,
    session: u32,
    started_ticks: u64,
}

/// The process that has a pid now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PidHolder {
    /// The process itself, running.
    Itself,
    /// The process itself: it has exited and was not reaped, so its pid is not reused yet.
    Ended,
    /// No process; a group or a session may still have it.
    Nobody,
    /// Another process, or the pid is from another boot of the machine.
    Other,
    /// The system does not tell.
    Unknown,
}

impl Identity {
    /// Identifies a process that exists now.
    pub(crate) fn of(pid: u32) -> Self {
        let started_ticks = stat(pid).map_or(0, |stat| stat.started_ticks);
        Self { pid, started_ticks, boot: boot() }
    }

    /// Returns what has its pid now.
    pub(super) fn holder(&self) -> PidHolder {
        let known = self.started_ticks > 0 && !self.boot.is_empty();
        match stat(self.pid) {
            _ if !known => PidHolder::Unknown,
            _ if self.boot != boot() => PidHolder::Other,
            None => PidHolder::Nobody,
            Some(stat) if stat.started_ticks != self.started_ticks => PidHolder::Other,
            Some(stat) if stat.ended => PidHolder::Ended,
            Some(_) => PidHolder::Itself,
        }
    }

    /// True if this very process is still at work; false where the system cannot tell.
    pub(super) fn is_there(&self) -> bool {
        self.holder() == PidHolder::Itself
    }
}

/// The processes that belong to the group or the session that this process began, where the system
/// says. They came after it.
pub(super) fn members(leader: &Identity) -> Vec<u32> {
    let (pid, since) = (leader.pid, leader.started_ticks);
    at_work(|stat| stat.started_ticks >= since && (stat.group == pid || stat.session == pid))
}

/// Returns the processes of the leader's session that moved to another group.
pub(super) fn strays(leader: &Identity) -> Vec<u32> {
    let (pid, since) = (leader.pid, leader.started_ticks);
    at_work(|stat| stat.started_ticks >= since && stat.session == pid && stat.group != pid)
}

/// Returns the descendants of a process with their depths, level by level, the oldest first.
pub(super) fn below(pid: u32) -> Vec<(u32, usize)> {
    let mut all = all_at_work();
    all.sort_unstable_by_key(|(one, stat)| (stat.started_ticks, *one));
    let mut found = Vec::new();
    let mut parents = vec![pid];
    for distance in 1..=all.len() {
        let children: Vec<u32> = all
            .iter()
            .filter(|(_, stat)| parents.contains(&stat.parent))
            .map(|(one, _)| *one)
            .collect();
        if children.is_empty() {
            break;
        }
        found.extend(children.iter().map(|child| (*child, distance)));
        parents = children;
    }
    found
}

fn at_work(is_meant: impl Fn(&ProcessStat) -> bool) -> Vec<u32> {
    all_at_work().into_iter().filter(|(_, stat)| is_meant(stat)).map(|(one, _)| one).collect()
}

fn all_at_work() -> Vec<(u32, ProcessStat)> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    let known = pids.filter_map(|one| Some((one, stat(one)?)));
    known.filter(|(_, stat)| !stat.ended).collect()
}

fn boot() -> String {
    let text = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    text.trim().to_owned()
}

fn stat(pid: u32) -> Option<ProcessStat> {
    parse(&fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
}

/// The name in parentheses may hold anything, so fields are counted from the last parenthesis.
fn parse(text: &str) -> Option<ProcessStat> {
    let (_, fields) = text.rsplit_once(") ")?;
    let fields: Vec<&str> = fields.split_ascii_whitespace().collect();
    let number = |at: usize| fields.get(at)?.parse::<u64>().ok();
    Some(ProcessStat {
        ended: matches!(fields.first(), Some(&("Z" | "X" | "x"))),
        parent: u32::try_from(number(1)?).ok()?,
        group: u32::try_from(number(2)?).ok()?,
        session: u32::try_from(number(3)?).ok()?,
        started_ticks: number(19)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TAIL: &str = "1 7 8 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 4242 0 0";

    #[test]
    fn a_process_is_known_by_its_start_whatever_its_name() {
        let at_work =
            ProcessStat { ended: false, parent: 1, group: 7, session: 8, started_ticks: 4242 };
        for (text, expected) in [
            (format!("9 (sh) S {TAIL}"), Some(at_work)),
            (format!("9 (a) R 1 2) (b) S {TAIL}"), Some(at_work)),
            (format!("9 (sh) Z {TAIL}"), Some(ProcessStat { ended: true, ..at_work })),
            ("9 (sh) S 1 7".to_owned(), None),
            (String::new(), None),
        ] {
            assert_eq!(parse(&text), expected, "{text}");
        }
    }

    #[test]
    fn another_process_with_the_same_number_is_not_the_same() {
        let mine = Identity::of(std::process::id());
        if mine.started_ticks == 0 {
            eprintln!("skipped: this system does not tell when a process started");
            return;
        }
        assert!(mine.is_there());
        for other in [
            Identity { started_ticks: mine.started_ticks + 1, ..mine.clone() },
            Identity { boot: "another run of the machine".to_owned(), ..mine.clone() },
            Identity { boot: String::new(), ..mine.clone() },
            Identity { pid: 0, ..mine.clone() },
        ] {
            assert!(!other.is_there(), "{other:?}");
        }
    }
}
