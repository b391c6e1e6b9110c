//! How the text of a message names an image that is attached to it: `[image shot.png]`. The model and people read
//! there which image is meant; the image itself is an item of the record, which has no name.

use std::ops::Range;

use crate::domain::text::Text;
use crate::domain::text::hidden_chars::class_of;

/// The word in front of the name.
pub const IMAGE: Text = Text::new("image", "图片");
/// Most characters of a name.
const MAX_NAME: usize = 60;
/// The name of an image without a usable name.
const NAMELESS: &str = "image";

/// A name that can stand in a reference: one line without brackets, of letters that are seen.
#[must_use]
pub fn image_name(text: &str) -> String {
    let shown = |c: &char| class_of(*c).is_none();
    let plain = |c: char| match c {
        '[' | ']' => '_',
        c if c.is_whitespace() => ' ',
        c => c,
    };
    let name: String = text.chars().filter(shown).map(plain).collect();
    let count = name.chars().count();
    // The end says what kind of file it is.
    let name: String = name.chars().skip(count.saturating_sub(MAX_NAME)).collect();
    let name = name.trim();
    if name.is_empty() { NAMELESS.to_owned() } else { name.to_owned() }
}

/// `[image shot.png]`
#[must_use]
pub fn image_reference(word: &str, name: &str) -> String {
    format!("[{word} {name}]")
}

/// Where a text names images, in order, with the names.
pub fn image_references(text: &str) -> impl Iterator<Item = (Range<usize>, &str)> {
    text.match_indices('[').filter_map(|(start, _)| {
        let rest = text.get(start + 1..)?;
        let after =
            words().into_iter().find_map(|word| rest.strip_prefix(word)?.strip_prefix(' '))?;
        let mut near = after.char_indices().take(MAX_NAME + 1);
        let (length, _) = near.find(|(_, c)| *c == ']')?;
        let name = after.get(..length)?;
        let end = start + 1 + (rest.len() - after.len()) + name.len() + 1;
        (image_name(name) == name).then_some((start..end, name))
    })
}

fn words() -> [&'static str; 2] {
    [IMAGE.in_lang(crate::domain::Lang::En), IMAGE.in_lang(crate::domain::Lang::Zh)]
}

/// The names of the `count` images attached to a text; `None` for those whose names are not known, because the text
/// names others or none.
#[must_use]
pub fn names_of_images(text: &str, count: usize) -> Vec<Option<&str>> {
    let names: Vec<&str> = image_references(text).map(|(_, name)| name).take(count + 1).collect();
    if names.len() == count { names.into_iter().map(Some).collect() } else { vec![None; count] }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reference_is_found_as_it_was_written_in_both_languages() {
        let text = "a [image x.png] b [图片 图.webp][image ] [image a[image b.gif]";
        let found: Vec<_> = image_references(text).collect();
        let names: Vec<&str> = found.iter().map(|(_, name)| *name).collect();
        assert_eq!(names, ["x.png", "图.webp", "b.gif"]);
        assert_eq!(text.get(found[0].0.clone()), Some("[image x.png]"));
        assert_eq!(image_reference("image", "x.png"), "[image x.png]");
    }

    #[test]
    fn a_name_is_one_line_that_is_seen_and_keeps_its_ending() {
        for (text, expected) in [
            ("shot.png", "shot.png"),
            ("my shot [1].png", "my shot _1_.png"),
            ("a\u{1b}]0;x\u{7}\u{202e}b\n.png", "a_0;xb.png"),
            ("", "image"),
            ("\u{200b}", "image"),
        ] {
            assert_eq!(image_name(text), expected, "{text:?}");
            assert_eq!(image_name(&image_name(text)), expected, "{text:?}");
        }
        let long = image_name(&format!("{}.png", "x".repeat(500)));
        assert!(long.chars().count() == MAX_NAME && long.contains("x.png"));
    }

    #[test]
    fn names_are_known_only_where_the_text_names_as_many_images() {
        assert_eq!(names_of_images("[image a] [image b]", 2), [Some("a"), Some("b")]);
        assert_eq!(names_of_images("[image a] [image b]", 1), [None]);
        assert_eq!(names_of_images("none", 2), [None, None]);
        assert_eq!(names_of_images("none", 0), Vec::<Option<&str>>::new());
    }
}
