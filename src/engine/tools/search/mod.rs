//! Tools that search the files of the workspace, inside this program: no other program is run.
//! Each entry passes the guard before it is opened; what is closed to the member is not searched.
//!
//! ```text
//! query ◀── options          what is asked for
//!   │
//!   ▼
//!  run ──▶ walk ──▶ filter   which files
//!   ├────▶ find ──▶ pieces   what is in one
//!   └────▶ show              the result
//!
//!  listing ──▶ walk          names only, for a person
//! ```

mod filter;
mod find;
mod line_splits;
mod listing;
mod matcher;
mod options;
mod query;
mod run;
mod show;
mod tools;
mod walk;

pub use listing::list_files;
pub(super) use tools::{NAMES, tools};

#[cfg(test)]
mod tests;
