//! Which blocks of a dialog are to be printed now.

use crate::domain::CallId;
use crate::domain::reading::transcript::{
    AskedBlock, Block, BlockBody, RecordPosition, TellaskStatus,
};

/// Blocks of a dialog that is printed for the first time: its end.
const FIRST_BLOCKS: usize = 8;

/// The progress of printing a dialog.
#[derive(Debug, Default)]
pub struct PrintedDialog {
    /// Every block up to here was printed, or waits for its outcome, or came before the dialog was first printed.
    last: Option<RecordPosition>,
    /// Calls whose outcome is to be printed.
    waiting: Vec<CallId>,
    begun: Begun,
}

/// When a dialog began.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Begun {
    /// Before this screen; only its end is printed.
    #[default]
    Earlier,
    Meanwhile,
}

/// Blocks that are to be printed, in order.
#[derive(Debug, Default, PartialEq)]
pub struct DueBlocks {
    pub blocks: Vec<Block>,
    /// Blocks before these are not printed.
    pub leaves_out: bool,
}

/// The part of a block that can be printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// All of it: it does not change any more.
    Whole,
    /// The call; its outcome is printed later.
    Asked,
    /// Nothing before its outcome.
    Awaited,
}

impl PrintedDialog {
    /// A dialog that has just begun: all of it is printed.
    pub fn begun_now() -> Self {
        Self { begun: Begun::Meanwhile, ..Self::default() }
    }

    /// Takes the blocks that are due from the loaded ones. `is_from_start`: no block comes before these in
    /// their course.
    pub fn take(&mut self, loaded: &[Block], is_from_start: bool) -> DueBlocks {
        let Some(newest) = loaded.last().map(|block| block.place) else {
            return DueBlocks::default();
        };
        let mut due = DueBlocks::default();
        if self.last.is_none() {
            due.leaves_out = !is_from_start;
            if self.begun == Begun::Earlier {
                self.skip_to_end(loaded, &mut due);
            }
        } else {
            due.leaves_out = self.has_gap(loaded, is_from_start);
        }
        let last = self.last;
        self.take_outcomes(loaded, &mut due);
        // Of a very long text the first part is printed.
        let new = |block: &&Block| Some(block.place) > last && !block.goes_on();
        for block in loaded.iter().filter(new) {
            self.take_new(block, &mut due);
        }
        self.last = Some(newest).max(last);
        due
    }

    /// The blocks whose outcome is waited for, the oldest first.
    pub fn waiting<'a>(&'a self, loaded: &'a [Block]) -> impl Iterator<Item = &'a Block> {
        self.waiting.iter().filter_map(|call| made_by(call, loaded))
    }

    /// Skips all but the end of a dialog that is printed for the first time; calls that are still open before
    /// it wait for their outcome, and an open question is printed.
    fn skip_to_end(&mut self, loaded: &[Block], due: &mut DueBlocks) {
        let mut skipped = loaded.len().saturating_sub(FIRST_BLOCKS);
        while loaded.get(skipped).is_some_and(Block::goes_on) {
            skipped = skipped.saturating_sub(1);
        }
        let Some((skipped, _)) = loaded.split_at_checked(skipped) else { return };
        // Blocks of one record stay together.
        let Some(end) = skipped.last().map(|block| block.place) else { return };
        due.leaves_out = true;
        self.last = Some(end);
        let open = |block: &&Block| stage(&block.body) != Stage::Whole;
        for block in loaded.iter().filter(|block| block.place <= end).filter(open) {
            self.waiting.extend(block.body.call().cloned());
            if matches!(block.body, BlockBody::Question(_)) {
                due.blocks.push(block.clone());
            }
        }
    }

    /// True if blocks between the last printed one and the first loaded one may be missing.
    fn has_gap(&self, loaded: &[Block], is_from_start: bool) -> bool {
        let first = loaded.first().map(|block| block.place);
        let (Some(last), Some(first)) = (self.last, first) else { return false };
        first > last && (first.course == last.course || !is_from_start)
    }

    fn take_outcomes(&mut self, loaded: &[Block], due: &mut DueBlocks) {
        let last = self.last;
        self.waiting.retain(|call| {
            let Some(block) = made_by(call, loaded) else {
                // Its call is no longer loaded; its reply makes a block of its own.
                return loaded.iter().any(|block| block.body.call() == Some(call));
            };
            let is_known = Some(block.place) <= last;
            let is_open = stage(&block.body) != Stage::Whole;
            if is_known && !is_open {
                due.blocks.push(outcome(block));
            }
            !is_known || is_open
        });
    }

    fn take_new(&mut self, block: &Block, due: &mut DueBlocks) {
        let known = block.body.call().and_then(|call| {
            let at = self.waiting.iter().position(|waiting| waiting == call)?;
            Some(self.waiting.remove(at))
        });
        match (stage(&block.body), known) {
            (Stage::Whole, None) => due.blocks.push(block.clone()),
            (Stage::Whole, Some(_)) => due.blocks.push(outcome(block)),
            (Stage::Asked, None) => {
                due.blocks.push(block.clone());
                self.waiting.extend(block.body.call().cloned());
            }
            (Stage::Asked | Stage::Awaited, known) => {
                self.waiting.extend(known.or_else(|| block.body.call().cloned()));
            }
        }
    }
}

/// The block of the call itself.
fn made_by<'a>(call: &CallId, loaded: &'a [Block]) -> Option<&'a Block> {
    loaded.iter().rev().find(|block| block.body.makes_call(call))
}

/// Returns the outcome of a call that was printed already; of anything else, the whole block.
fn outcome(block: &Block) -> Block {
    let BlockBody::Question(AskedBlock { answer: Some((text, at)), .. }) = &block.body else {
        return block.clone();
    };
    let body = BlockBody::You { text: text.clone(), images: Vec::new() };
    Block { at: at.clone(), body, ..block.clone() }
}

fn stage(body: &BlockBody) -> Stage {
    let is_awaited = matches!(body, BlockBody::Tool(tool) if tool.result.is_none())
        || matches!(body, BlockBody::Reply(one) if !one.delivered && one.refused.is_none());
    let is_asked = matches!(body, BlockBody::Tellask(one) if one.status == TellaskStatus::Working)
        || matches!(body, BlockBody::Question(one) if one.answer.is_none());
    match (is_awaited, is_asked) {
        (true, _) => Stage::Awaited,
        (false, true) => Stage::Asked,
        (false, false) => Stage::Whole,
    }
}

#[cfg(test)]
mod tests;
