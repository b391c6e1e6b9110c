//! How much of a frame is written, for a connection that takes little.

/// A question that every terminal answers with its status (DSR), to learn what the connection takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum StatusQuestion {
    #[default]
    None,
    /// At the end of the frame.
    After,
    /// Also at its begin, where nothing is known of the connection yet.
    BeforeAndAfter,
}

/// How much of a frame may be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FrameBounds {
    /// At most so many bytes, except for the first row, which is written whole.
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
    /// Nothing differed, or the frame was not accepted.
    pub const NOTHING: Self = Self { bytes: 0, asked: StatusQuestion::None, complete: true };
}
