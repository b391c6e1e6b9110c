//! Images in a draft. A draft is one text; an image is a token in it, between two control characters that
//! cannot be typed or pasted, so that a draft with its images is stored, sent and given back as any other. In
//! the composer a token is a chip; in the message that is sent it is its name in brackets.

use crate::domain::Lang;
use crate::domain::dialogs::image_reference::{
    IMAGE, image_name, image_reference, image_references,
};
use crate::domain::text::size::size;
use crate::protocol::AttachedImage;

/// Stands before and after a token. No text has it: pastes and files lose their control characters.
const MARK: char = '\u{1c}';

/// An image that is attached to a draft.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DraftImage {
    image: AttachedImage,
    /// The language of its name in brackets.
    lang: Lang,
    /// The path it was attached from; empty for one without.
    from: String,
}

/// A part of a draft.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DraftPart<'a> {
    Text(&'a str),
    Image(DraftImage),
}

impl DraftImage {
    pub fn new(image: AttachedImage, lang: Lang, from: &str) -> Self {
        let from = from.chars().filter(|c| !c.is_control()).collect();
        let name = image_name(&image.name);
        Self { image: AttachedImage { name, ..image }, lang, from }
    }

    /// Returns the label in the composer.
    pub fn label(&self) -> String {
        let bytes = usize::try_from(self.image.bytes).unwrap_or(usize::MAX);
        let named = format!("{} {}", self.image.name, size(bytes, self.lang));
        image_reference(IMAGE.in_lang(self.lang), &named)
    }

    /// Returns the text in its place in the message.
    pub fn reference(&self) -> String {
        image_reference(IMAGE.in_lang(self.lang), &self.image.name)
    }

    pub fn from(&self) -> &str {
        &self.from
    }

    /// Returns the token in its place in the draft.
    pub fn token(&self) -> String {
        let stored = serde_json::to_string(&(&self.image, self.lang, &self.from));
        stored.map_or_else(|_| self.reference(), |it| format!("{MARK}{it}{MARK}"))
    }

    /// Reads a token. Text that another program wrote into the file of drafts is cleaned.
    fn read(token: &str) -> Option<Self> {
        let (image, lang, from): (_, _, String) = serde_json::from_str(token).ok()?;
        Some(Self::new(image, lang, &from))
    }
}

/// Returns the parts of a draft, in order: every second one is a token. The marks are left out.
pub fn parts(draft: &str) -> impl Iterator<Item = DraftPart<'_>> {
    let part = |(at, text): (usize, _)| {
        let image = if at % 2 == 1 { DraftImage::read(text) } else { None };
        image.map_or(DraftPart::Text(text), DraftPart::Image)
    };
    draft.split(MARK).enumerate().filter(|(_, text)| !text.is_empty()).map(part)
}

fn images_of(draft: &str) -> impl Iterator<Item = DraftImage> {
    parts(draft).filter_map(|part| match part {
        DraftPart::Image(image) => Some(image),
        DraftPart::Text(_) => None,
    })
}

fn with_images_as(draft: &str, shown: impl Fn(&DraftImage) -> String) -> String {
    let part = |part| match part {
        DraftPart::Text(text) => text.to_owned(),
        DraftPart::Image(image) => shown(&image),
    };
    parts(draft).map(part).collect()
}

/// The text of the message that a draft becomes.
pub fn content(draft: &str) -> String {
    with_images_as(draft, DraftImage::reference)
}

/// The images of the message, each once.
pub fn images(draft: &str) -> Vec<AttachedImage> {
    let mut all: Vec<AttachedImage> = Vec::new();
    for DraftImage { image, .. } in images_of(draft) {
        if all.iter().all(|known| known.source != image.source) {
            all.push(image);
        }
    }
    all
}

/// The draft for an editor, which has only text.
pub fn labelled(draft: &str) -> String {
    with_images_as(draft, DraftImage::label)
}

/// Turns the text from an editor into a draft: an image stays attached if its label is still there.
pub fn relabelled(edited: &str, draft: &str) -> String {
    let mut text = edited.replace(MARK, "");
    for image in images_of(draft) {
        text = replaced(&text, &image.label(), &image.token());
    }
    text
}

/// A message that comes back with its images. If its text does not name them all, they stand at its end.
pub fn restored(text: &str, images: &[AttachedImage]) -> String {
    let text = text.replace(MARK, "");
    let references: Vec<_> = image_references(&text).take(images.len() + 1).collect();
    let lang_of = |reference: &str| {
        let chinese = reference.get(1..).is_some_and(|it| it.starts_with(IMAGE.in_lang(Lang::Zh)));
        if chinese { Lang::Zh } else { Lang::En }
    };
    if references.len() != images.len() {
        let token = |image: &AttachedImage| DraftImage::new(image.clone(), Lang::En, "").token();
        let tokens = images.iter().map(token);
        return std::iter::once(text.clone()).chain(tokens).collect::<Vec<_>>().join(" ");
    }
    let (mut whole, mut at) = (String::new(), 0);
    for ((range, name), image) in references.into_iter().zip(images) {
        let lang = lang_of(text.get(range.clone()).unwrap_or_default());
        let image = AttachedImage { name: name.to_owned(), ..image.clone() };
        whole.push_str(text.get(at..range.start).unwrap_or_default());
        whole.push_str(&DraftImage::new(image, lang, "").token());
        at = range.end;
    }
    whole.push_str(text.get(at..).unwrap_or_default());
    whole
}

/// The first `label` outside of tokens is replaced.
fn replaced(text: &str, label: &str, token: &str) -> String {
    let mut start = 0;
    for (at, part) in text.split(MARK).enumerate() {
        if at % 2 == 0
            && let Some(found) = part.find(label)
        {
            let (before, after) = text.split_at_checked(start + found).unwrap_or((text, ""));
            return format!("{before}{token}{}", after.get(label.len()..).unwrap_or_default());
        }
        start += part.len() + MARK.len_utf8();
    }
    text.to_owned()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::protocol::ImageSource;

    fn image(name: &str) -> AttachedImage {
        let source = ImageSource::Copy(format!("{name}-copy"));
        AttachedImage { name: name.to_owned(), bytes: 123_456, source }
    }

    fn token(name: &str) -> String {
        DraftImage::new(image(name), Lang::En, "/p/x.png").token()
    }

    #[test]
    fn a_draft_with_images_is_a_text_that_names_them_and_each_image_once() {
        let draft = format!("see {} and {} and {}", token("a.png"), token("b.gif"), token("a.png"));
        assert_eq!(content(&draft), "see [image a.png] and [image b.gif] and [image a.png]");
        assert_eq!(images(&draft), [image("a.png"), image("b.gif")]);
        assert_eq!(labelled(&token("a.png")), "[image a.png 123.4 KB]");
        let chinese = DraftImage::new(image("图.png"), Lang::Zh, "");
        assert_eq!(
            (chinese.label().as_str(), chinese.reference().as_str()),
            ("[图片 图.png 123.4 KB]", "[图片 图.png]")
        );
    }

    #[test]
    fn text_of_others_attaches_nothing() {
        let forged = token("a.png").replace(MARK, "");
        for text in [forged.as_str(), "[image a.png]", "", "\u{1c}", "a\u{1c}b", "\u{1c}{}\u{1c}"] {
            assert_eq!(images(text), [], "{text:?}");
            assert_eq!(images(&restored(text, &[])), [], "{text:?}");
            assert_eq!(images(&relabelled(text, "")), [], "{text:?}");
        }
        let beside = format!("{}{forged}", token("b.png"));
        assert_eq!(images(&beside), [image("b.png")]);
        let queued = restored(&token("evil.png"), &[]);
        assert!(images(&queued).is_empty() && !queued.contains(MARK));
        let hostile = AttachedImage { name: "x]\u{1b}[2J\u{202e}".to_owned(), ..image("a") };
        let shown = DraftImage::new(hostile, Lang::En, "/p\u{1b}[2J\n").token();
        let Some(DraftPart::Image(read)) = parts(&shown).next() else { panic!("{shown}") };
        assert_eq!((read.reference().as_str(), read.from()), ("[image x__2J]", "/p[2J"));
    }

    #[test]
    fn an_image_stays_after_the_editor_where_its_label_stands() {
        let draft = format!("see {} and {}", token("a.png"), token("b.gif"));
        let edited =
            labelled(&draft).replace("see", "look at").replace(" and [image b.gif 123.4 KB]", "");
        assert_eq!(relabelled(&edited, &draft), format!("look at {}", token("a.png")));
        assert_eq!(relabelled(&labelled(&draft), &draft), draft);
    }

    #[test]
    fn a_message_comes_back_with_its_images_where_its_text_names_them_or_at_its_end() {
        let own = |name: &str| DraftImage::new(image(name), Lang::En, "").token();
        let both = [image("a.png"), image("b.gif")];
        let named = restored("see [image a.png], [image b.gif]!", &both);
        assert_eq!(named, format!("see {}, {}!", own("a.png"), own("b.gif")));
        assert_eq!(restored("see", &both), format!("see {} {}", own("a.png"), own("b.gif")));
        assert_eq!(images(&restored("[image x] [image y] [image z]", &both)), both);
        let nameless = AttachedImage { name: String::new(), ..image("a") };
        assert_eq!(content(&restored("[图片 a.png]", &[nameless])), "[图片 a.png]");
    }

    proptest! {
        #[test]
        fn a_sent_draft_comes_back_as_it_was(texts in proptest::collection::vec("[a-z\\[\\] \n图]{0,12}", 1..6)) {
            let names = ["a.png", "b.gif", "c.webp", "d.jpg", "e.png"];
            let mut draft = texts[0].clone();
            for (text, name) in texts[1..].iter().zip(names) {
                draft.push_str(&DraftImage::new(image(name), Lang::Zh, "").token());
                draft.push_str(text);
            }
            let (sent, attached) = (content(&draft), images(&draft));
            let back = restored(&sent, &attached);
            prop_assert_eq!(content(&back).trim_end().len() >= sent.trim_end().len(), true);
            prop_assert_eq!(images(&back).len(), attached.len());
            let named = image_references(&sent).count() == attached.len();
            prop_assert!(!named || back == draft, "{} became {}", draft, back);
            prop_assert_eq!(relabelled(&labelled(&draft), &draft), draft);
        }
    }
}
