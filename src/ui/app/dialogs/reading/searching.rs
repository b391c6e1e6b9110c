//! Searching in the open dialog.

use super::Reading;
use crate::app::drawing::app_words;
use crate::follow_up::FollowUp;
use crate::model::Tone;
use crate::new_overlay::NewOverlay;
use crate::panes::transcript::{SearchCount, Towards};

impl Reading {
    /// Asks what to search for.
    pub fn find(&mut self) -> Vec<FollowUp> {
        if !self.open.as_ref().is_some_and(|open| open.loaded) {
            return vec![FollowUp::Notify(Tone::Plain, app_words::NOTHING_OPEN)];
        }
        self.transcript.end_search();
        self.transcript.end_selection();
        vec![FollowUp::Show(NewOverlay::Search)]
    }

    /// Searches for this text, from where the search began.
    pub fn search(&mut self, text: &str) {
        if let Some(open) = &self.open {
            self.transcript.search(open, text);
        }
    }

    /// Goes to the next or the previous match; false if nothing is searched for.
    pub fn step_search(&mut self, towards: Towards) -> bool {
        self.transcript.step_search(towards)
    }

    /// Goes back to where the search began.
    pub fn leave_search(&mut self) {
        self.transcript.leave_search();
    }

    /// Ends the search at the match; false if there is none.
    pub fn end_search(&mut self) -> bool {
        self.transcript.end_search()
    }

    /// Ends a selection, or else a search; false if there was neither.
    pub fn cancel(&mut self) -> bool {
        self.end_selection() || self.end_search()
    }

    pub fn is_searching(&self) -> bool {
        self.transcript.is_searching()
    }

    pub fn search_count(&self) -> Option<SearchCount> {
        self.transcript.search_count(self.open.as_ref()?)
    }
}
