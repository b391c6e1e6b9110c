//! Keys pressed one after another: `g g`, `ctrl+x ctrl+s`. One key is a sequence of one.

use std::fmt;

use super::Chord;

/// At least one key; several have to be pressed in this order.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct KeySequence(Vec<Chord>);

impl KeySequence {
    /// The most keys of a sequence.
    pub const MAX_KEYS: usize = 4;

    /// Reads key names with blanks between them; the blank key is `space`.
    #[must_use]
    pub fn parse(names: &str) -> Option<Self> {
        if let Some(chord) = Chord::parse(names) {
            return Some(chord.into());
        }
        let chords: Vec<Chord> =
            names.split_whitespace().map(Chord::parse).collect::<Option<_>>()?;
        (1..=Self::MAX_KEYS).contains(&chords.len()).then_some(Self(chords))
    }

    pub fn chords(&self) -> &[Chord] {
        &self.0
    }

    /// True if it has more than one key.
    pub fn is_long(&self) -> bool {
        self.0.len() > 1
    }

    /// Returns this sequence with another key at its end.
    #[must_use]
    pub fn then(&self, chord: Chord) -> Self {
        Self(self.0.iter().copied().chain([chord]).collect())
    }

    /// Returns the keys after `begun`; `None` if there are none, or the sequence begins in another way.
    pub fn after(&self, begun: &Self) -> Option<Self> {
        let rest = self.0.strip_prefix(begun.chords()).filter(|rest| !rest.is_empty())?;
        Some(Self(rest.to_vec()))
    }
}

impl From<Chord> for KeySequence {
    fn from(chord: Chord) -> Self {
        Self(vec![chord])
    }
}

impl fmt::Display for KeySequence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, chord) in self.0.iter().enumerate() {
            let blank = if at > 0 { " " } else { "" };
            write!(f, "{blank}{chord}")?;
        }
        Ok(())
    }
}
