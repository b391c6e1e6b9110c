//! Tools for memories: texts that outlive a dialog, of one member or of the team. Each tool knows
//! one folder, and the guard lets it do nothing elsewhere.

mod path;
mod tools;
mod work;

pub(super) use tools::{PERSONAL, TEAM, tools};

#[cfg(test)]
mod tests;
