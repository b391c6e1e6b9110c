//! Calling the person: bell, notifications, window title, quiet hours.

pub(super) mod alerts;
pub(super) mod attention;
pub(super) mod call_text;
pub(super) mod quiet_hours;
