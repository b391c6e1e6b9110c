//! Which lines a call wants to change, and to what. Pure: every planner maps arguments and lines to
//! a [`Planned`] change or a [`Refusal`].

use std::ops::Range;

use crate::domain::Lang;
use crate::tools::args::Args;

/// How one of the preparing tools finds its lines.
pub(super) type Planner = fn(&Args, &[&str], Lang) -> Result<PlannedEdit, Refusal>;

/// What is to be put where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PlannedEdit {
    /// Lines that go, counted from 0; empty where lines are only put in.
    pub range: Range<usize>,
    /// What shows that the right place was found: names and lines.
    pub evidence: Vec<(&'static str, String)>,
}

/// Why nothing was planned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Refusal {
    pub code: &'static str,
    pub text: String,
}

impl Refusal {
    pub(super) fn new(code: &'static str, text: impl Into<String>) -> Self {
        Self { code, text: text.into() }
    }
}
