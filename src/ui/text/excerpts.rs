//! The code blocks and links in Markdown, to be copied one by one.

use pulldown_cmark::{CodeBlockKind, Event, Parser, Tag, TagEnd, TextMergeStream};

use crate::links::addresses;

/// Excerpts of one text that are listed.
const MAX_EXCERPTS: usize = 200;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ExcerptKind {
    /// A fenced code block with its language, which may be empty.
    Code(String),
    Link,
}

/// A part of a text. It is not sanitized.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Excerpt {
    pub kind: ExcerptKind,
    pub text: String,
}

/// The fenced code blocks and the links of a text, each link once, in the order of the text.
#[must_use]
pub fn excerpts(markdown: &str) -> Vec<Excerpt> {
    let mut finder = Finder::default();
    for event in TextMergeStream::new(Parser::new(markdown)) {
        finder.event(event);
        if finder.found.len() >= MAX_EXCERPTS {
            break;
        }
    }
    finder.found
}

/// The last fenced code block.
#[must_use]
pub fn last_code(markdown: &str) -> Option<String> {
    if !markdown.contains("```") && !markdown.contains("~~~") {
        return None;
    }
    let mut finder = Finder::default();
    let mut last = None;
    for event in TextMergeStream::new(Parser::new(markdown)) {
        finder.event(event);
        let code = finder.found.drain(..).rev().find(|one| one.kind != ExcerptKind::Link);
        last = code.map(|code| code.text).or(last);
    }
    last
}

/// The code block that is being read.
#[derive(Debug, Default)]
struct CodeText {
    /// The language of a fenced one.
    lang: Option<String>,
    text: String,
}

#[derive(Debug, Default)]
struct Finder {
    found: Vec<Excerpt>,
    code: Option<CodeText>,
    /// Links around the text that is being read.
    links: usize,
}

impl Finder {
    fn event(&mut self, event: Event<'_>) {
        if let Event::Start(Tag::CodeBlock(kind)) = event {
            self.begin_code(&kind);
        } else if event == Event::End(TagEnd::CodeBlock) {
            self.end_code();
        } else if let Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) = event
        {
            self.links += 1;
            self.link(&dest_url);
        } else if let Event::End(TagEnd::Link | TagEnd::Image) = event {
            self.links = self.links.saturating_sub(1);
        } else if let Event::Text(text) = event {
            self.text(&text);
        }
    }

    fn begin_code(&mut self, kind: &CodeBlockKind<'_>) {
        self.code = Some(match kind {
            CodeBlockKind::Fenced(about) => {
                let lang = about.split_whitespace().next().unwrap_or_default();
                CodeText { lang: Some(lang.to_owned()), text: String::new() }
            }
            CodeBlockKind::Indented => CodeText::default(),
        });
    }

    fn end_code(&mut self) {
        let Some(CodeText { lang: Some(lang), text }) = self.code.take() else { return };
        let text = text.trim_end_matches('\n').to_owned();
        if !text.is_empty() {
            self.found.push(Excerpt { kind: ExcerptKind::Code(lang), text });
        }
    }

    fn text(&mut self, text: &str) {
        if let Some(code) = &mut self.code {
            code.text.push_str(text);
        } else if self.links == 0 {
            addresses(text).filter_map(|at| text.get(at)).for_each(|address| self.link(address));
        }
    }

    fn link(&mut self, target: &str) {
        let known = |one: &Excerpt| one.kind == ExcerptKind::Link && one.text == target;
        if !target.is_empty() && !self.found.iter().any(known) {
            self.found.push(Excerpt { kind: ExcerptKind::Link, text: target.to_owned() });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(markdown: &str) -> Vec<String> {
        let line = |one: Excerpt| match one.kind {
            ExcerptKind::Code(lang) => format!("{lang}:{}", one.text),
            ExcerptKind::Link => one.text,
        };
        excerpts(markdown).into_iter().map(line).collect()
    }

    #[test]
    fn code_blocks_and_links_are_found_in_the_order_of_the_text() {
        let text = "See [the page](https://a.example/x_y) and https://b.example/z, (http://c.example).\n\n\
                    ```rust\nfn main() {}\n\n// https://in.code\n```\n\n> ~~~\n> quoted\n> ~~~\n\n<https://a.example/x_y>";
        assert_eq!(
            shown(text),
            [
                "https://a.example/x_y",
                "https://b.example/z",
                "http://c.example",
                "rust:fn main() {}\n\n// https://in.code",
                ":quoted",
            ]
        );
    }

    #[test]
    fn an_unclosed_fence_is_a_code_block_and_an_empty_one_is_none() {
        assert_eq!(shown("```sh\nls"), ["sh:ls"]);
        assert_eq!(shown("```sh\n```\n    indented"), [""; 0]);
    }

    #[test]
    fn the_last_code_block_is_found_behind_any_number_of_others() {
        let text = (0..300).fold(String::new(), |text, n| format!("{text}```\n{n}\n```\n\n"));
        assert_eq!(last_code(&text).as_deref(), Some("299"));
        assert_eq!(excerpts(&text).len(), MAX_EXCERPTS);
        assert_eq!(last_code("no code, `only` this"), None);
    }
}
