//! Bounds of what is written per frame, for a slow connection.

/// A question that every terminal answers with its status (DSR), to measure the connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum StatusQuestion {
    #[default]
    None,
    /// At the end of the frame.
    After,
    /// Also at the start of the frame, while nothing is known of the connection yet.
    BeforeAndAfter,
}

/// Bounds of what is written of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FrameBounds {
    /// Most bytes; the first row is always written whole.
    pub bytes: Option<usize>,
    pub question: StatusQuestion,
}

/// What was written of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Drawn {
    pub bytes: usize,
    pub asked: StatusQuestion,
    /// False if rows are left for the next frame.
    pub complete: bool,
}

impl Drawn {
    /// No cell differed, or the frame was not accepted.
    pub const NOTHING: Self = Self { bytes: 0, asked: StatusQuestion::None, complete: true };
}
