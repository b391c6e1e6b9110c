//! What is kept out until its fault is mended. Each gate goes with its fault; none may be added for a new
//! one.

/// Updates of a session, and rings (issue 9, points 2 and 3).
pub const SESSIONS_ARE_ASKED_AGAIN: bool = false;
/// A side dialog that only thinks leaves its asker waiting.
pub const THOUGHTS_ALONE: bool = false;
/// Faults that end an episode without failing it: words that are given to the wrong one, and side dialogs
/// that rest without the reply they owe (issue 9, points 1 and 2).
pub const KNOWN: [&str; 5] = [
    "was said to a person",
    "was given to",
    "waits for something that nobody will do",
    "rests and owes",
    "wait for each other",
];
