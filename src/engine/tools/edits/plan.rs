//! Which lines a call wants to change, and to what. Pure: every planner maps arguments and lines to
//! a [`PlannedEdit`] change or a [`Refusal`].

use std::ops::Range;

use crate::domain::Lang;
use crate::tools::typed::ToolArgs;

/// How one of the preparing tools finds its lines.
pub(super) type Planner<A> = fn(&A, &[&str], Lang) -> Result<PlannedEdit, PlanRefusal>;

/// The arguments that all preparing tools share. How their lines are found differs, see [`Planner`].
pub(super) trait EditArgs: ToolArgs + Sync {
    fn target(&self) -> EditTarget<'_>;
}

/// The text and the file it is for.
#[derive(Debug, Clone, Copy)]
pub(super) struct EditTarget<'a> {
    pub path: &'a str,
    pub content: &'a str,
    /// The id of a prepared edit that this one is instead of.
    pub replaces: Option<&'a str>,
    /// A file that is not there is made.
    pub may_create: bool,
    /// True if the text belongs at the end of the file as it is when the edit is applied.
    pub appends: bool,
}

/// The lines an edit replaces, and how they were found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PlannedEdit {
    /// Lines to be replaced, counted from 0; empty for an insertion.
    pub range: Range<usize>,
    /// Names and lines that show that the right place was found.
    pub evidence: Vec<(&'static str, String)>,
}

/// Why nothing was planned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PlanRefusal {
    pub code: &'static str,
    pub text: String,
}

impl PlanRefusal {
    pub(super) fn new(code: &'static str, text: impl Into<String>) -> Self {
        Self { code, text: text.into() }
    }
}
