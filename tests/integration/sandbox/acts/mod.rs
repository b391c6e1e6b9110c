//! The acts, as data. A row: its name, when it counts, whether it is shown to succeed without a sandbox, its
//! target, and a script in each language it is tried in.
//!
//! A script ends with 0 if, and only if, the act succeeded. In it `{target}`, `{home}`, `{ws}`, `{top}`,
//! `{tcp}`, `{udp}`, `{port}`, `{victim}`, `{canary}` and `{n}`, a number of its own, are filled in. A
//! program in C is told the target, the victim, the ports and the number as its arguments.

mod files;
mod git;
mod kernel;
mod network;
mod ordinary;
mod processes;

pub use ordinary::ORDINARY;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    Sh,
    Python,
    Perl,
    Awk,
    /// `find -exec`
    Find,
    /// A program in C.
    Compiled,
}

impl Language {
    pub const ALL: [Self; 6] =
        [Self::Sh, Self::Python, Self::Perl, Self::Awk, Self::Find, Self::Compiled];
}

/// The levels at which a row counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum When {
    Always,
    ReadOnly,
    /// At levels that may write to the workspace.
    Writing,
    NoNetwork,
}

impl When {
    pub fn is_at(self, level: &str) -> bool {
        match self {
            Self::Always => true,
            Self::ReadOnly => level == "read-only",
            Self::Writing => level != "read-only",
            Self::NoNetwork => level != "workspace+net",
        }
    }
}

/// Whether an act is tried without a sandbox first. One that fails there as well proves nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Control {
    /// It succeeds there for every user.
    Succeeds,
    /// It succeeds there for the administrator.
    ForRoot,
    /// It succeeds there on some machines; a failure is printed.
    OnSome,
    /// Not tried: it would do harm.
    Harmful,
}

#[derive(Debug, Clone, Copy)]
pub struct Script {
    pub language: Language,
    pub text: &'static str,
}

#[derive(Debug, Clone, Copy)]
pub struct Act {
    pub name: &'static str,
    pub when: When,
    pub control: Control,
    pub target: &'static str,
    pub scripts: &'static [Script],
}

/// Everything that must not succeed, by kinds.
pub const FORBIDDEN: [(&str, &[Act]); 6] = [
    ("reading secrets", files::READ),
    ("writing what is reserved", files::WRITTEN),
    ("settings of git", git::HELD),
    ("other processes", processes::HELD),
    ("the kernel", kernel::HELD),
    ("the network", network::HELD),
];

pub fn forbidden() -> impl Iterator<Item = &'static Act> {
    FORBIDDEN.into_iter().flat_map(|(_, acts)| acts)
}

pub const fn sh(text: &'static str) -> Script {
    Script { language: Language::Sh, text }
}

const fn python(text: &'static str) -> Script {
    Script { language: Language::Python, text }
}

const fn perl(text: &'static str) -> Script {
    Script { language: Language::Perl, text }
}

const fn awk(text: &'static str) -> Script {
    Script { language: Language::Awk, text }
}

const fn find(text: &'static str) -> Script {
    Script { language: Language::Find, text }
}

const fn compiled(text: &'static str) -> Script {
    Script { language: Language::Compiled, text }
}

const fn act(name: &'static str, scripts: &'static [Script]) -> Act {
    aimed(name, "", scripts)
}

const fn aimed(name: &'static str, target: &'static str, scripts: &'static [Script]) -> Act {
    Act { name, when: When::Always, control: Control::Succeeds, target, scripts }
}

impl Act {
    const fn when(self, when: When) -> Self {
        Self { when, ..self }
    }

    const fn control(self, control: Control) -> Self {
        Self { control, ..self }
    }
}
