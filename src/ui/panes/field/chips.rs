//! Parts of a text that are shown as one short label, such as a long paste.
//!
//! In the text area a chip is one character, its mark: the caret is never inside it, and undo and yank treat
//! it as any other. Marks are characters that Unicode reserves for internal use; outside text has none,
//! because [`without_marks`] removes them.

use crate::model::DraftImage;

/// U+FDD0 to U+FDEF: no characters, and never to be interchanged. In one text there are no more different chips.
const FIRST_MARK: char = '\u{fdd0}';
const LAST_MARK: char = '\u{fdef}';

/// A part of the text shown as its label.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chip {
    pub text: String,
    pub label: String,
    pub kind: ChipKind,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChipKind {
    /// A long text.
    Text,
    /// The path of an image that is being read, with the number of the request.
    Reading(u64),
    /// An image; with the path it was attached from.
    Image { from: String },
}

impl Chip {
    pub fn of_text(text: String, label: String) -> Self {
        Self { text, label, kind: ChipKind::Text }
    }

    pub fn of_image(image: &DraftImage) -> Self {
        let kind = ChipKind::Image { from: image.from().to_owned() };
        Self { text: image.token(), label: image.label(), kind }
    }
}

/// The chips of a text. None is forgotten: undo may bring it back.
#[derive(Debug, Clone, Default)]
pub struct Chips {
    chips: Vec<Chip>,
}

impl Chips {
    /// Adds a chip and returns its mark, that of an equal chip if there is one; `None` if there are too many.
    pub fn add(&mut self, chip: Chip) -> Option<char> {
        let known = self.chips.iter().position(|it| *it == chip);
        let mark = (FIRST_MARK..=LAST_MARK).nth(known.unwrap_or(self.chips.len()))?;
        if known.is_none() {
            self.chips.push(chip);
        }
        Some(mark)
    }

    /// The mark of the chip whose image was requested with this number.
    pub fn reading(&self, number: u64) -> Option<char> {
        let at = self.chips.iter().position(|chip| chip.kind == ChipKind::Reading(number))?;
        (FIRST_MARK..=LAST_MARK).nth(at)
    }

    /// Replaces a chip, wherever its mark is.
    pub fn set(&mut self, mark: char, chip: Chip) {
        let at = (FIRST_MARK..=LAST_MARK).position(|known| known == mark);
        if let Some(known) = at.and_then(|at| self.chips.get_mut(at)) {
            *known = chip;
        }
    }

    pub fn get(&self, mark: char) -> Option<&Chip> {
        self.chips.get((FIRST_MARK..=LAST_MARK).position(|known| known == mark)?)
    }

    pub fn is_empty(&self) -> bool {
        self.chips.is_empty()
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
