//! The input of arranging and drawing the transcript, beside the dialog.

use super::block::{Answering, NameLookup};
use crate::cx::View;
use crate::panes::strip::Strip;

/// The input of drawing beside the dialog.
#[derive(Debug, Clone, Copy)]
pub struct TranscriptContext<'a> {
    pub view: View<'a>,
    pub speaker: &'a str,
    pub names: &'a dyn NameLookup,
    pub answering: Option<Answering<'a>>,
    /// The headline of the question in the composer; kept in view.
    pub headline: Option<&'a str>,
    /// Lines about the dialog's state, below everything.
    pub tail: &'a [Strip],
    /// The pane has the focus.
    pub focused: bool,
}

impl std::fmt::Debug for dyn NameLookup + '_ {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Names")
    }
}
