//! Looks after the tasks of teams: starts those that may run, reads from their dialogs what has become of them, tells those
//! who asked.
//!
//! One task, the [`dispatcher`]. It waits for the store and for the supervisor; nobody waits for it. It remembers nothing
//! that is not in the store or in the dialogs, so that a restart is the same as a look.

pub mod dispatcher;
mod ending;
mod firing;
mod sharing;
mod stalls;
mod task_notices;
