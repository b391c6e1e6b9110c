//! Answers to questions: which question a key answers, what can be undone, what is put off.

pub(super) mod alike;
pub(super) mod answering;
pub(super) mod consent;
pub(super) mod put_off;
pub(super) mod undoable;
