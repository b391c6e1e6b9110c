//! Parts of a text that are shown as one short label, such as a long paste.
//!
//! In the text area a chip is one character, its mark: the caret is never inside of it, and undo and yank
//! treat it as any other. Marks are characters that Unicode reserves for use inside of a program; what comes
//! from outside has none, because [`without_marks`] removes them.

/// U+FDD0 to U+FDEF: no characters, and never to be interchanged. In one text there are no more chips.
const FIRST_MARK: char = '\u{fdd0}';
const LAST_MARK: char = '\u{fdef}';

/// A part of the text shown as its label.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chip {
    pub text: String,
    pub label: String,
}

/// The chips of a text. None is forgotten: undo may bring it back.
#[derive(Debug, Clone, Default)]
pub struct Chips {
    chips: Vec<Chip>,
}

impl Chips {
    /// The mark of a new chip; `None` if there are many already.
    pub fn add(&mut self, chip: Chip) -> Option<char> {
        let mark = (FIRST_MARK..=LAST_MARK).nth(self.chips.len())?;
        self.chips.push(chip);
        Some(mark)
    }

    pub fn get(&self, mark: char) -> Option<&Chip> {
        self.chips.get((FIRST_MARK..=LAST_MARK).position(|known| known == mark)?)
    }

    /// A part of the text area with the texts of its chips.
    pub fn whole(&self, shown: &str) -> String {
        let mut whole = String::with_capacity(shown.len());
        for (text, mark) in parts(shown) {
            whole.push_str(text);
            whole.push_str(mark.and_then(|mark| self.get(mark)).map_or("", |chip| &chip.text));
        }
        whole
    }

    /// The bytes of [`Chips::whole`].
    pub fn whole_len(&self, shown: &str) -> usize {
        if self.chips.is_empty() {
            return shown.len();
        }
        let chip = |mark| self.get(mark).map_or(0, |chip| chip.text.len());
        parts(shown).map(|(text, mark)| text.len() + mark.map_or(0, chip)).sum()
    }
}

pub fn is_mark(c: char) -> bool {
    (FIRST_MARK..=LAST_MARK).contains(&c)
}

/// Text from outside.
pub fn without_marks(text: &str) -> String {
    text.chars().filter(|c| !is_mark(*c)).collect()
}

/// The text up to each mark, with the mark; after the last one without.
pub fn parts(shown: &str) -> impl Iterator<Item = (&str, Option<char>)> {
    shown.split_inclusive(is_mark).map(|part| {
        let mark = part.chars().next_back().filter(|c| is_mark(*c));
        (part.trim_end_matches(is_mark), mark)
    })
}
