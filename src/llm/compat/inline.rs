//! Takes thinking that stands between tags at the beginning of an answer's text apart from the rest.
//!
//! What must stay true: no text is lost or repeated, wherever the pieces are cut.

const OPENING: &str = "<think>";
const CLOSING: &str = "</think>";
/// Blank text before the opening tag that is waited through.
const MAX_BLANK: usize = 64;

/// Where in the text we are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Place {
    #[default]
    Before,
    Inside,
    After,
}

/// The text, as far as it has come.
#[derive(Debug, Default)]
pub(super) struct Inline {
    place: Place,
    /// What may become a tag.
    held: String,
}

/// What became ready; the thinking comes first.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Parted {
    pub thinking: String,
    pub saying: String,
}

impl Inline {
    /// Takes the next piece.
    pub(super) fn take(&mut self, text: &str) -> Parted {
        self.held.push_str(text);
        let mut parted = Parted::default();
        if self.place == Place::Before && !self.begin() {
            return parted;
        }
        if self.place == Place::Inside {
            if let Some((thought, rest)) = self.held.split_once(CLOSING) {
                thought.clone_into(&mut parted.thinking);
                self.held = rest.to_owned();
                self.place = Place::After;
            } else {
                let sure = self.held.len() - half_tag(&self.held);
                parted.thinking = self.held.drain(..sure).collect();
            }
        }
        if self.place == Place::After {
            parted.saying = std::mem::take(&mut self.held);
        }
        parted
    }

    /// True between the opening tag and the closing one.
    pub(super) fn is_open(&self) -> bool {
        self.place == Place::Inside
    }

    /// Nothing more comes: what was held is text after all.
    pub(super) fn finish(&mut self) -> Parted {
        let held = std::mem::take(&mut self.held);
        match self.place {
            Place::Inside => Parted { thinking: held, saying: String::new() },
            Place::Before | Place::After => Parted { thinking: String::new(), saying: held },
        }
    }

    /// Looks for the opening tag; false while it may still come.
    fn begin(&mut self) -> bool {
        let text = self.held.trim_start();
        if let Some(rest) = text.strip_prefix(OPENING) {
            self.held = rest.to_owned();
            self.place = Place::Inside;
            return true;
        }
        if OPENING.starts_with(text) && self.held.len() <= MAX_BLANK {
            return false;
        }
        self.place = Place::After;
        true
    }
}

/// How many bytes at the end may be the beginning of the closing tag.
fn half_tag(text: &str) -> usize {
    let begins = |length: &usize| CLOSING.get(..*length).is_some_and(|tag| text.ends_with(tag));
    (1..CLOSING.len()).rev().find(begins).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parted(pieces: &[&str]) -> (String, String) {
        let mut inline = Inline::default();
        let mut whole = Parted::default();
        let mut add = |more: Parted| {
            whole.thinking.push_str(&more.thinking);
            whole.saying.push_str(&more.saying);
        };
        for piece in pieces {
            add(inline.take(piece));
        }
        add(inline.finish());
        (whole.thinking, whole.saying)
    }

    #[test]
    fn thinking_between_tags_is_taken_apart_wherever_it_is_cut() {
        for (text, thinking, saying) in [
            ("<think>hm</think>yes", "hm", "yes"),
            ("\n <think>\nhm\n</think>\n\nyes", "\nhm\n", "\n\nyes"),
            ("yes", "", "yes"),
            ("yes <think>no</think>", "", "yes <think>no</think>"),
            ("<thinking>yes", "", "<thinking>yes"),
            ("<thi", "", "<thi"),
            ("<think>hm 字 </thin", "hm 字 </thin", ""),
            ("<think>a < b </x></think>c", "a < b </x>", "c"),
            ("<think></think>", "", ""),
            ("", "", ""),
        ] {
            let expected = (thinking.to_owned(), saying.to_owned());
            assert_eq!(parted(&[text]), expected, "{text}");
            let letters: Vec<String> = text.chars().map(String::from).collect();
            let letters: Vec<&str> = letters.iter().map(String::as_str).collect();
            assert_eq!(parted(&letters), expected, "{text}, letter by letter");
        }
    }

    #[test]
    fn a_flood_of_blanks_is_not_held() {
        let mut inline = Inline::default();
        assert_eq!(inline.take(&" ".repeat(MAX_BLANK)), Parted::default());
        assert_eq!(inline.take(" ").saying.len(), MAX_BLANK + 1);
    }
}
