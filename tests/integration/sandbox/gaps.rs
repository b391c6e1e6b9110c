//! The known gaps of a means: acts it cannot prevent, or ordinary ones that fail under it. All other
//! acts have to behave as in `acts`, and every listed gap has to exist; else the list is too long.

use super::acts::{FORBIDDEN, ORDINARY};
use super::run::Means::{self, Bwrap, Landlock};

/// One act and its actual outcome.
#[derive(Debug)]
pub struct Gap {
    pub means: Means,
    /// A forbidden act that succeeds, or an ordinary one that fails.
    pub act: &'static str,
    pub levels: &'static [&'static str],
    /// The reason, for a person.
    pub why: &'static str,
}

const ALL: &[&str] = &["read-only", "workspace", "workspace+net"];
const WRITING: &[&str] = &["workspace", "workspace+net"];
const WITHOUT_NETWORK: &[&str] = &["read-only", "workspace"];

const fn gap(
    means: Means,
    levels: &'static [&'static str],
    act: &'static str,
    why: &'static str,
) -> Gap {
    Gap { means, act, levels, why }
}

const NEW_NAME: &str = "a name that is not there cannot be held, only found afterwards";
const SOCKETS: &str = "a socket in the workspace is a file of the workspace";

const NAMES: &str = "what exists can be asked of any path";
const METADATA: &str = "no rule of this means is about the mode and the times of a file";
const PROC: &str = "/proc is that of the machine";
const FROZEN: &str = "a folder that holds what is reserved gets no new entries";
const NO_TMP: &str = "/tmp is shared; TMPDIR names a private folder";
const NO_SHM: &str = "shared memory of the machine is closed";
const NO_LOOPBACK: &str = "without the network there is no loopback either";
const NO_SOCKETS: &str = "a socket of the file system could be anybody's";

pub const GAPS: &[Gap] = &[
    gap(Bwrap, WRITING, "make a new Taskdoc", NEW_NAME),
    gap(Bwrap, WRITING, "make a repository that git looks into from the top", NEW_NAME),
    gap(Bwrap, WRITING, "put another folder in place of one with a repository in it", NEW_NAME),
    gap(Bwrap, ALL, "reach a socket in the workspace", SOCKETS),
    gap(Landlock, ALL, "list the home folder", NAMES),
    gap(Landlock, ALL, "change the mode of a reserved file", METADATA),
    gap(Landlock, ALL, "change the times of a reserved file", METADATA),
    gap(Landlock, ALL, "see the command line of another process", PROC),
    gap(Landlock, WITHOUT_NETWORK, "see the connections of the machine", PROC),
    gap(Landlock, WRITING, "make a file and a folder at the top", FROZEN),
    gap(Landlock, WRITING, "commit, branch and merge", FROZEN),
    gap(Landlock, ALL, "write /tmp", NO_TMP),
    gap(Landlock, ALL, "write /var/tmp and shared memory", NO_SHM),
    gap(Landlock, ALL, "a pair of sockets, pipes and queues", NO_SHM),
    gap(Landlock, ALL, "threads and processes of python", NO_SHM),
    gap(Landlock, WITHOUT_NETWORK, "a server and a client on loopback", NO_LOOPBACK),
    gap(Landlock, WITHOUT_NETWORK, "a datagram on loopback", NO_LOOPBACK),
    gap(Landlock, ALL, "sockets of one's own in the private folder", NO_SOCKETS),
];

/// True if the act is known to be otherwise.
pub fn is_known(means: Means, level: &str, act: &str) -> bool {
    GAPS.iter().any(|gap| gap.means == means && gap.act == act && gap.levels.contains(&level))
}

/// The table of `docs/safety.md`: how many acts each means holds, and those it does not.
pub fn table() -> String {
    let mut lines = vec![
        "| acts in a sandbox | `bwrap` | Landlock with seccomp |".to_owned(),
        "|---|---|---|".to_owned(),
    ];
    let given = ("ordinary acts", ORDINARY);
    for (kind, acts) in FORBIDDEN.into_iter().chain([given]) {
        let of = |means: Means| {
            let open = acts.iter().filter(|act| has_gap(means, act.name)).count();
            format!("{} of {}", acts.len() - open, acts.len())
        };
        let verb = if kind == given.0 { "succeed" } else { "held" };
        lines.push(format!("| {kind}: {verb} | {} | {} |", of(Bwrap), of(Landlock)));
    }
    lines.extend(["", "| not so | means | why |", "|---|---|---|"].map(str::to_owned));
    for gap in GAPS {
        let levels = match gap.levels {
            [_, _, _] => String::new(),
            some => format!(" (`{}`)", some.join("`, `")),
        };
        lines.push(format!("| {}{levels} | {} | {} |", gap.act, gap.means.title(), gap.why));
    }
    lines.join("\n")
}

fn has_gap(means: Means, act: &str) -> bool {
    GAPS.iter().any(|gap| gap.means == means && gap.act == act)
}
