//! Copying from the open dialog: the block with the cursor, a part of it, or selected rows.

use super::Reading;
use crate::app::drawing::app_words;
use crate::copies::CopyTo;
use crate::domain::text::Text;
use crate::follow_up::FollowUp;
use crate::model::Tone;
use crate::new_overlay::NewOverlay;
use crate::text::CopyText;
use crate::text::excerpts::{Excerpt, excerpts};

impl Reading {
    /// Copies the selected rows, or the block with the cursor.
    pub fn copy_block(&mut self, to: CopyTo) -> Vec<FollowUp> {
        if self.transcript.is_selecting() {
            self.transcript.take_selection(to);
            return Vec::new();
        }
        let Some(open) = &self.open else { return plain(app_words::NOTHING_OPEN) };
        let source = self.transcript.source_at_cursor(open);
        copy(to, source.map(|source| source.text), app_words::NOTHING_TO_COPY)
    }

    /// Copies the last code block of the block with the cursor, or the nearest above it.
    pub fn copy_code(&self) -> Vec<FollowUp> {
        let Some(open) = &self.open else { return plain(app_words::NOTHING_OPEN) };
        copy(CopyTo::Clipboard, self.transcript.code_at_cursor(open), app_words::NO_CODE_ABOVE)
    }

    /// Lists the parts of the block with the cursor that can be copied.
    pub fn show_parts(&self) -> Vec<FollowUp> {
        let Some(open) = &self.open else { return plain(app_words::NOTHING_OPEN) };
        let source = self.transcript.source_at_cursor(open);
        let Some(source) = source.filter(|source| !source.text.trim().is_empty()) else {
            return plain(app_words::NOTHING_TO_COPY);
        };
        let parts: Vec<Excerpt> =
            if source.is_markdown { excerpts(&source.text) } else { Vec::new() };
        vec![FollowUp::Show(NewOverlay::CopyParts { whole: source.text, parts })]
    }

    /// Begins a selection by lines; a second call ends it.
    pub fn select_lines(&mut self) -> Vec<FollowUp> {
        if !self.open.as_ref().is_some_and(|open| open.loaded) {
            return plain(app_words::NOTHING_OPEN);
        }
        if !self.transcript.end_selection() {
            self.transcript.begin_selection();
        }
        Vec::new()
    }

    /// Rows are being selected.
    pub fn is_selecting(&self) -> bool {
        self.transcript.is_selecting()
    }

    /// Ends a selection; false if there was none.
    pub fn end_selection(&mut self) -> bool {
        self.transcript.end_selection()
    }
}

fn plain(word: Text) -> Vec<FollowUp> {
    vec![FollowUp::Notify(Tone::Plain, word)]
}

fn copy(to: CopyTo, text: Option<String>, missing: Text) -> Vec<FollowUp> {
    let text = text.map(|text| CopyText::clean(&text)).filter(|text| !text.is_empty());
    text.map_or_else(|| plain(missing), |text| vec![FollowUp::Copy(to, text)])
}
