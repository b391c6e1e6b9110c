//! Finds many forms at once, in bytes that come one by one. Line ends between them are passed over, up to
//! a few in a row, because base64 is written in lines, and so are certificates.

use std::fmt;
use std::sync::Arc;

use aho_corasick::Anchored;
use aho_corasick::automaton::{Automaton, StateID};
use aho_corasick::nfa::noncontiguous::NFA;

use super::stream::REDACTED;

/// Line ends in a row that are passed over; after more of them something else begins.
pub(super) const MAX_LINE_ENDS: u8 = 4;

/// All forms of all secrets.
pub(super) struct SecretMatcher {
    forms: NFA,
    start: StateID,
    /// Number of matched bytes of a form in a state, by the number of the state.
    depths: Vec<usize>,
    longest: usize,
    /// Bytes that begin a form.
    begins: [bool; 256],
    /// What stands in place of each form, if it has a name.
    names: Vec<Option<Arc<str>>>,
}

/// A form to be found, and what stands in its place; `None`: that something was taken out.
pub(super) type NamedForm = (Vec<u8>, Option<Arc<str>>);

/// Where a finder is after some bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct MatchState {
    state: StateID,
    line_ends: u8,
}

impl fmt::Debug for SecretMatcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Finder").finish_non_exhaustive()
    }
}

impl SecretMatcher {
    /// `None` where there is nothing to find.
    pub fn new(forms: impl IntoIterator<Item = NamedForm>) -> Option<Self> {
        let forms = forms.into_iter().map(|(form, name)| (without_line_ends(&form), name));
        let (forms, names): (Vec<Vec<u8>>, Vec<Option<Arc<str>>>) =
            forms.filter(|(form, _)| form.len() >= super::forms::SHORTEST).unzip();
        if forms.is_empty() {
            return None;
        }
        // Neither of these fails for forms of bounded number and length.
        let nfa = NFA::new(&forms).ok()?;
        let start = nfa.start_state(Anchored::No).ok()?;
        let mut finder = Self {
            start,
            depths: Vec::new(),
            longest: forms.iter().map(Vec::len).max().unwrap_or_default(),
            begins: [false; 256],
            names,
            forms: nfa,
        };
        for form in &forms {
            finder.learn_depths(form);
        }
        Some(finder)
    }

    fn learn_depths(&mut self, form: &[u8]) {
        if let Some(first) = form.first()
            && let Some(begins) = self.begins.get_mut(usize::from(*first))
        {
            *begins = true;
        }
        let mut state = self.start;
        for (n, byte) in form.iter().enumerate() {
            state = self.forms.next_state(Anchored::No, state, *byte);
            let at = state.as_usize();
            if self.depths.len() <= at {
                self.depths.resize(at + 1, 0);
            }
            if let Some(depth) = self.depths.get_mut(at) {
                *depth = n + 1;
            }
        }
    }

    pub fn start(&self) -> MatchState {
        MatchState { state: self.start, line_ends: 0 }
    }

    /// The length of the longest form.
    pub fn longest(&self) -> usize {
        self.longest
    }

    /// The number of bytes, up to and with the last one, that may be the beginning of a form.
    pub fn depth(&self, place: MatchState) -> usize {
        self.depths.get(place.state.as_usize()).copied().unwrap_or_default()
    }

    /// Number of bytes at the beginning of `bytes` that begin no form; 0 if one has begun.
    pub fn idle(&self, place: MatchState, bytes: &[u8]) -> usize {
        if place.state != self.start {
            return 0;
        }
        let begins = |byte: &u8| self.begins.get(usize::from(*byte)).is_some_and(|begins| *begins);
        bytes.iter().position(begins).unwrap_or(bytes.len())
    }

    /// Goes on by a byte. False for a line end that is passed over.
    pub fn step(&self, place: &mut MatchState, byte: u8) -> bool {
        let is_end = matches!(byte, b'\n' | b'\r');
        if is_end && place.line_ends < MAX_LINE_ENDS {
            place.line_ends += 1;
            return false;
        }
        if !is_end {
            place.line_ends = 0;
        }
        place.state = self.forms.next_state(Anchored::No, place.state, byte);
        true
    }

    /// The longest form that ends here: its length and its number.
    pub fn found(&self, place: MatchState) -> Option<(usize, usize)> {
        if !self.forms.is_match(place.state) {
            return None;
        }
        let count = self.forms.match_len(place.state);
        let forms = (0..count).map(|n| {
            let form = self.forms.match_pattern(place.state, n);
            (self.forms.pattern_len(form), form.as_usize())
        });
        forms.max()
    }

    /// What stands in place of the form with this number; of none, where several forms lie on each other.
    pub fn mark(&self, form: Option<usize>) -> &str {
        let name = form.and_then(|form| self.names.get(form)?.as_deref());
        name.unwrap_or(REDACTED)
    }

    pub fn finds(&self, bytes: &[u8]) -> bool {
        let (mut place, mut rest) = (self.start(), bytes);
        loop {
            rest = rest.get(self.idle(place, rest)..).unwrap_or_default();
            let Some((byte, more)) = rest.split_first() else { return false };
            rest = more;
            if self.step(&mut place, *byte) && self.found(place).is_some() {
                return true;
            }
        }
    }
}

/// A form as it is looked for.
fn without_line_ends(form: &[u8]) -> Vec<u8> {
    let mut line_ends = 0;
    let mut kept = Vec::with_capacity(form.len());
    for &byte in form {
        let is_end = matches!(byte, b'\n' | b'\r');
        if is_end && line_ends < MAX_LINE_ENDS {
            line_ends += 1;
            continue;
        }
        if !is_end {
            line_ends = 0;
        }
        kept.push(byte);
    }
    kept
}
