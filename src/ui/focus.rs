//! The parts of the screen that can have the focus.

/// A part of the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Focus {
    Tree,
    Inbox,
    Dialog,
    Composer,
}
