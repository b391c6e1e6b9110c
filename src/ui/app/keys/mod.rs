//! Keys and the mouse: what a key means now, what it does, and what is offered.

pub(super) mod begun_keys;
pub(super) mod first_hints;
pub(super) mod handlers;
pub(super) mod key_reports;
pub(super) mod modes;
pub(super) mod offering;
pub(super) mod pointer;
pub(super) mod pressing;
