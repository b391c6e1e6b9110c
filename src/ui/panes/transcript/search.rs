//! The matches of a search in the open dialog: the number in each block and streamed text, and the current
//! match. Only new or changed blocks are searched again.

use std::collections::BTreeMap;

use super::anchor::number_without;
use super::open::OpenDialog;
use crate::domain::reading::transcript::Block;
use crate::domain::text::search_pattern::SearchPattern;
use crate::model::{FoundPlace, ViewPosition};

/// Matches counted in one block.
const MAX_PER_BLOCK: usize = 1_000;

/// A match: the block, and which of its matches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Match {
    pub item: isize,
    pub nth: usize,
}

/// The match to go to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wanted {
    /// The nearest at or above this item; if there is none, below.
    Near(isize),
    Next,
    Previous,
}

/// The target that a search found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lead {
    To(Match),
    /// It may be in older records.
    Older,
    Nowhere,
}

/// The progress of a search, for people.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SearchCount {
    /// The number of the current match, from 1; 0 if there is none.
    pub current: usize,
    pub total: usize,
    /// Older records are not loaded, and not counted.
    pub has_older: bool,
    /// Older records are being read.
    pub reads_older: bool,
}

/// The matches of an item.
#[derive(Debug, Clone, Copy)]
struct Counted {
    count: usize,
    /// The revision of its block; streamed text is counted again each time.
    revision: Option<u32>,
}

#[derive(Debug)]
pub(super) struct Search {
    pub pattern: SearchPattern,
    counts: BTreeMap<isize, Counted>,
    pub current: Option<Match>,
    pub wanted: Option<Wanted>,
    /// The item with the cursor, and the view, before the search; no view while it followed the end.
    pub start: (isize, Option<ViewPosition>),
}

impl Search {
    pub fn new(start: (isize, Option<ViewPosition>)) -> Self {
        Self {
            pattern: SearchPattern::default(),
            counts: BTreeMap::new(),
            current: None,
            wanted: None,
            start,
        }
    }

    /// Searches for other text.
    pub fn set(&mut self, text: &str) {
        self.pattern = SearchPattern::new(text);
        self.counts.clear();
        self.current = None;
        self.wanted = Some(Wanted::Near(self.start.0));
    }

    /// Renumbers after these items were removed; later ones have smaller numbers. All are counted again.
    pub fn renumber(&mut self, gone: &[isize]) {
        self.counts.clear();
        self.start.0 = number_without(self.start.0, gone);
        self.current = self
            .current
            .map(|current| Match { item: number_without(current.item, gone), ..current });
        self.wanted = self.wanted.map(|wanted| match wanted {
            Wanted::Near(item) => Wanted::Near(number_without(item, gone)),
            Wanted::Next | Wanted::Previous => wanted,
        });
    }

    /// Counts the matches in new or changed blocks and in streamed text, and drops the counts of removed blocks.
    pub fn scan(&mut self, open: &OpenDialog) {
        self.counts = self.counts.split_off(&open.origin);
        self.counts.split_off(&open.end());
        for (item, block) in (open.origin..).zip(open.transcript.blocks()) {
            let revision = Some(block.revision);
            if self.counts.get(&item).is_none_or(|known| known.revision != revision) {
                let count = matches(&self.pattern, block);
                self.counts.insert(item, Counted { count, revision });
            }
        }
        for (item, live) in (open.end()..).zip(open.live.segments()) {
            let count = self.pattern.count(live.text(), MAX_PER_BLOCK);
            self.counts.insert(item, Counted { count, revision: None });
        }
        self.current = self.current.filter(|current| self.count_of(current.item) > current.nth);
    }

    pub fn has(&self, wanted: Match) -> bool {
        self.count_of(wanted.item) > wanted.nth
    }

    /// Returns which match of a block is the first one of this record.
    pub fn first_of(&self, open: &OpenDialog, item: isize, found: &FoundPlace) -> usize {
        let Some(block) = open.block(item).filter(|block| block.place != found.place) else {
            return 0;
        };
        let before = block.body.texts_when_made();
        let before = before.iter().map(|text| self.pattern.count(text, MAX_PER_BLOCK)).sum();
        self.count_of(item).saturating_sub(1).min(before)
    }

    fn count_of(&self, item: isize) -> usize {
        self.counts.get(&item).map_or(0, |counted| counted.count)
    }

    pub fn lead(&self, wanted: Wanted, is_complete: bool) -> Lead {
        let older = if is_complete { Lead::Nowhere } else { Lead::Older };
        match (wanted, self.current) {
            (Wanted::Near(_), _) | (_, None) => {
                let item = if let Wanted::Near(item) = wanted { item } else { self.start.0 };
                let found = self.last_in(..=item).or_else(|| self.first_in(item + 1..));
                found.map_or(older, Lead::To)
            }
            (Wanted::Next, Some(Match { item, nth })) if nth + 1 < self.count_of(item) => {
                Lead::To(Match { item, nth: nth + 1 })
            }
            (Wanted::Next, Some(Match { item, .. })) => {
                let found = self.first_in(item + 1..).or_else(|| self.first_in(..));
                found.map_or(Lead::Nowhere, Lead::To)
            }
            (Wanted::Previous, Some(Match { item, nth })) => match nth.checked_sub(1) {
                Some(nth) => Lead::To(Match { item, nth }),
                None => match (self.last_in(..item), older) {
                    (Some(found), _) => Lead::To(found),
                    (None, Lead::Older) => Lead::Older,
                    (None, _) => self.last_in(..).map_or(Lead::Nowhere, Lead::To),
                },
            },
        }
    }

    fn first_in(&self, items: impl std::ops::RangeBounds<isize>) -> Option<Match> {
        let (item, _) = self.counts.range(items).find(|(_, counted)| counted.count > 0)?;
        Some(Match { item: *item, nth: 0 })
    }

    fn last_in(&self, items: impl std::ops::RangeBounds<isize>) -> Option<Match> {
        let (item, counted) = self.counts.range(items).rfind(|(_, counted)| counted.count > 0)?;
        Some(Match { item: *item, nth: counted.count - 1 })
    }

    pub fn count(&self, is_complete: bool) -> SearchCount {
        let total = self.counts.values().map(|counted| counted.count).sum();
        let before = self.current.map(|current| {
            let earlier = self.counts.range(..current.item).map(|(_, counted)| counted.count);
            earlier.sum::<usize>() + current.nth + 1
        });
        SearchCount {
            current: before.unwrap_or(0),
            total,
            has_older: !is_complete,
            reads_older: self.wanted.is_some() && !is_complete,
        }
    }
}

/// The matches in a block.
fn matches(pattern: &SearchPattern, block: &Block) -> usize {
    let texts = block.body.searched_texts();
    texts.map(|text| pattern.count(text, MAX_PER_BLOCK)).sum()
}
