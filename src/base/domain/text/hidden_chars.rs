//! Which characters are not seen, or change how the text around them is seen. The only place that
//! knows; who shows, sanitizes or compares text asks here.

/// Why a character is not seen for what it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HiddenClass {
    Control,
    /// Ends a line or a paragraph; white space besides.
    Separator,
    /// Takes no place, fills one without a mark, or changes the direction of writing.
    Invisible,
    /// Chooses the form of the character before it, as of an emoji.
    Selector,
    /// Private use, or no character at all: what it looks like is not agreed.
    NoGlyph,
}

/// `None` for a character that is seen.
#[must_use]
pub fn class_of(c: char) -> Option<HiddenClass> {
    let code = u32::from(c);
    match code {
        0..=0x1f | 0x7f..=0x9f => Some(HiddenClass::Control),
        0x20..=0x7e => None,
        0x2028..=0x2029 => Some(HiddenClass::Separator),
        0xfe00..=0xfe0f => Some(HiddenClass::Selector),
        0xad
        | 0x034f
        | 0x061c
        | 0x115f..=0x1160
        | 0x17b4..=0x17b5
        | 0x180b..=0x180f
        | 0x200b..=0x200f
        | 0x202a..=0x202e
        | 0x2060..=0x206f
        | 0x3164
        | 0xfeff
        | 0xffa0
        | 0xfff0..=0xfffb
        | 0x1_3430..=0x1_343f
        | 0x1_bca0..=0x1_bca3
        | 0x1_d173..=0x1_d17a
        | 0xe_0000..=0xe_0fff => Some(HiddenClass::Invisible),
        0xe000..=0xf8ff | 0xfdd0..=0xfdef | 0xf_0000..=0x10_ffff => Some(HiddenClass::NoGlyph),
        // The last two of each plane.
        _ if code & 0xfffe == 0xfffe => Some(HiddenClass::NoGlyph),
        _ => None,
    }
}

/// True for a control character and for an invisible one: what is taken out of a text before a person
/// or a model reads it.
#[must_use]
pub fn is_hidden(c: char) -> bool {
    matches!(class_of(c), Some(HiddenClass::Control | HiddenClass::Invisible))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_seen_is_known_by_its_class() {
        for (chars, class) in [
            ("\0\n\t\u{1b}\u{7f}\u{85}\u{9f}", Some(HiddenClass::Control)),
            ("\u{2028}\u{2029}", Some(HiddenClass::Separator)),
            ("\u{ad}\u{34f}\u{61c}\u{1160}\u{17b4}\u{180e}\u{3164}", Some(HiddenClass::Invisible)),
            ("\u{200b}\u{200d}\u{202a}\u{202e}\u{2060}\u{2066}", Some(HiddenClass::Invisible)),
            ("\u{feff}\u{ffa0}\u{fff9}\u{1d173}\u{e0041}\u{e01ef}", Some(HiddenClass::Invisible)),
            ("\u{fe00}\u{fe0f}", Some(HiddenClass::Selector)),
            ("\u{e000}\u{f8ff}\u{fdd0}\u{fffe}\u{1ffff}\u{10ffff}", Some(HiddenClass::NoGlyph)),
            ("a ~é\u{a0}字한🦀\u{300}\u{2027}\u{202f}\u{fffc}\u{fffd}", None),
        ] {
            for c in chars.chars() {
                assert_eq!(class_of(c), class, "{:x}", u32::from(c));
            }
        }
    }

    #[test]
    fn every_control_character_is_hidden() {
        for c in ('\0'..=char::MAX).filter(|c| c.is_control()) {
            assert!(is_hidden(c), "{:x}", u32::from(c));
        }
    }
}
