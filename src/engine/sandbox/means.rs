//! The ways to sandbox a command, and the gaps of each. `doctor` and `docs/safety.md` list the same gaps.

use std::fmt;

/// The mechanism of a sandbox.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Means {
    /// `bwrap`: namespaces and mounts, with a seccomp filter.
    Bwrap,
    /// Landlock rules of the kernel, with the same filter. Needs no installation.
    Landlock,
}

impl Means {
    /// In order of preference.
    pub const ALL: [Self; 2] = [Self::Bwrap, Self::Landlock];

    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Bwrap => "bwrap",
            Self::Landlock => "landlock",
        }
    }

    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|means| means.name() == name)
    }

    /// Returns the guarantees that it cannot give, one sentence each.
    #[must_use]
    pub fn gaps(self) -> &'static [&'static str] {
        match self {
            Self::Bwrap => &BWRAP,
            Self::Landlock => &LANDLOCK,
        }
    }
}

const BWRAP: [&str; 4] = [
    "A new folder whose name ends in .tsk can be made; it is found after the command, not prevented.",
    "A new repository in a folder below the top can be made, with any configuration; the result of the command says so.",
    "A socket that another program keeps in the workspace can be reached.",
    "While a command runs, a .git/config that you change can be changed by it too; settings that may run something are reported.",
];

const LANDLOCK: [&str; 7] = [
    "Nothing new can be made at the top of the workspace or of .git, so there is no git commit.",
    "Literal /tmp cannot be written; TMPDIR names a private folder.",
    "Without the network there is no loopback either; there is no shared memory and no socket of the file system.",
    "The command lines of other processes, the connections of the machine and whether a path exists can be seen.",
    "The mode and the times of a reserved file can be changed, its content cannot.",
    "A process that leaves its command ends a moment after the program, by a process that looks after it.",
    "A workspace that holds the home folder, or has very many entries beside what is reserved, is refused.",
];

impl fmt::Display for Means {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
