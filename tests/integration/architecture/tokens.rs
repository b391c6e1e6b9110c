//! The tokens of a source that matter for names and paths: without comments, and without items
//! behind `cfg(test)`.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Token<'a> {
    Word(&'a str),
    /// The inside of a string.
    Text(&'a str),
    /// `::`
    Colons,
    Mark(char),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Placed<'a> {
    /// From 1.
    pub line: usize,
    pub token: Token<'a>,
}

/// The tokens of the program in a source.
pub fn program(text: &str) -> Vec<Placed<'_>> {
    without_tests(&all(text))
}

fn all(text: &str) -> Vec<Placed<'_>> {
    let mut reader = Reader { text, at: 0, line: 1 };
    std::iter::from_fn(|| reader.next()).collect()
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    line: usize,
}

impl<'a> Reader<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn take(&mut self, bytes: usize) -> &'a str {
        let taken = &self.rest()[..bytes];
        self.line += taken.matches('\n').count();
        self.at += bytes;
        taken
    }

    fn take_while(&mut self, of: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        self.take(rest.find(|c| !of(c)).unwrap_or(rest.len()))
    }

    fn next(&mut self) -> Option<Placed<'a>> {
        self.skip_blank_and_comments();
        let line = self.line;
        let rest = self.rest();
        let first = rest.chars().next()?;
        let token = if let Some(hashes) = raw_string(rest) {
            self.raw_text(hashes)
        } else if let Some(quote) = quoted(rest) {
            self.take(quote);
            self.text_in_quotes()
        } else if first == '\'' {
            self.character_or_lifetime()
        } else if is_word(first) {
            let word = self.take_while(is_word);
            if word == "r" && self.rest().starts_with('#') {
                self.take(1);
                Token::Word(self.take_while(is_word))
            } else {
                Token::Word(word)
            }
        } else if rest.starts_with("::") {
            self.take(2);
            Token::Colons
        } else {
            self.take(first.len_utf8());
            Token::Mark(first)
        };
        Some(Placed { line, token })
    }

    fn skip_blank_and_comments(&mut self) {
        loop {
            self.take_while(char::is_whitespace);
            if self.rest().starts_with("//") {
                self.take_while(|c| c != '\n');
            } else if self.rest().starts_with("/*") {
                self.skip_block();
            } else {
                return;
            }
        }
    }

    fn skip_block(&mut self) {
        let mut nesting = 0_usize;
        while let Some(c) = self.rest().chars().next() {
            if self.rest().starts_with("/*") {
                nesting += 1;
                self.take(2);
            } else if self.rest().starts_with("*/") {
                nesting -= 1;
                self.take(2);
                if nesting == 0 {
                    return;
                }
            } else {
                self.take(c.len_utf8());
            }
        }
    }

    fn raw_text(&mut self, hashes: usize) -> Token<'a> {
        self.take_while(|c| c != '"');
        self.take(1);
        let end = format!("\"{}", "#".repeat(hashes));
        let length = self.rest().find(&end).unwrap_or(self.rest().len());
        let text = self.take(length);
        self.take(end.len().min(self.rest().len()));
        Token::Text(text)
    }

    fn text_in_quotes(&mut self) -> Token<'a> {
        let mut escaped = false;
        let end = self.rest().char_indices().find(|(_, c)| {
            let ends = *c == '"' && !escaped;
            escaped = *c == '\\' && !escaped;
            ends
        });
        let text = self.take(end.map_or(self.rest().len(), |(at, _)| at));
        self.take(1.min(self.rest().len()));
        Token::Text(text)
    }

    fn character_or_lifetime(&mut self) -> Token<'a> {
        let mut inside = self.rest().chars().skip(1);
        let (first, second) = (inside.next(), inside.next());
        self.take(1);
        if first == Some('\\') {
            self.take(1);
            self.take(self.rest().chars().next().map_or(0, char::len_utf8));
            self.take_while(|c| c != '\'');
            self.take(1);
        } else if second == Some('\'') {
            self.take(first.map_or(0, char::len_utf8) + 1);
        } else {
            self.take_while(is_word);
        }
        Token::Mark('\'')
    }
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The number of hashes of the raw string that begins here.
fn raw_string(rest: &str) -> Option<usize> {
    let after = ["r", "br", "cr"].iter().find_map(|prefix| rest.strip_prefix(prefix))?;
    let hashes = after.len() - after.trim_start_matches('#').len();
    after[hashes..].starts_with('"').then_some(hashes)
}

/// The length of what opens the string that begins here.
fn quoted(rest: &str) -> Option<usize> {
    ["\"", "b\"", "c\""].iter().find(|open| rest.starts_with(**open)).map(|open| open.len())
}

fn without_tests<'a>(tokens: &[Placed<'a>]) -> Vec<Placed<'a>> {
    let mut kept = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        match attribute_end(tokens, at) {
            Some(end) if is_for_tests(&tokens[at..end]) => at = item_end(tokens, end),
            _ => {
                kept.push(tokens[at]);
                at += 1;
            }
        }
    }
    kept
}

/// Behind the attribute that begins here.
fn attribute_end(tokens: &[Placed<'_>], at: usize) -> Option<usize> {
    let begins = is_mark(tokens.get(at)?, '#') && is_mark(tokens.get(at + 1)?, '[');
    begins.then(|| group_end(tokens, at + 1))
}

fn is_for_tests(attribute: &[Placed<'_>]) -> bool {
    let has = |word| attribute.iter().any(|placed| placed.token == Token::Word(word));
    has("cfg") && has("test") && !has("not")
}

fn is_mark(placed: &Placed<'_>, mark: char) -> bool {
    placed.token == Token::Mark(mark)
}

/// Returns the index after the bracket that closes the one at `open`.
fn group_end(tokens: &[Placed<'_>], open: usize) -> usize {
    let mut nesting = 0_usize;
    for (at, placed) in tokens.iter().enumerate().skip(open) {
        match placed.token {
            Token::Mark('(' | '[' | '{') => nesting += 1,
            Token::Mark(')' | ']' | '}') => nesting -= 1,
            Token::Word(_) | Token::Text(_) | Token::Colons | Token::Mark(_) => {}
        }
        if nesting == 0 {
            return at + 1;
        }
    }
    tokens.len()
}

/// Behind the item, field, arm or statement that begins here.
fn item_end(tokens: &[Placed<'_>], from: usize) -> usize {
    let mut at = from;
    while let Some(end) = attribute_end(tokens, at) {
        at = end;
    }
    let head = tokens[at..].iter().find_map(|placed| match placed.token {
        Token::Word("pub" | "crate" | "super" | "in") | Token::Mark('(' | ')') => None,
        Token::Word(word) => Some(word),
        Token::Text(_) | Token::Colons | Token::Mark(_) => Some(""),
    });
    let whole_statement = matches!(head, Some("use" | "const" | "static" | "let" | "type"));
    let item = whole_statement
        || matches!(head, Some("fn" | "impl" | "struct" | "enum" | "mod" | "trait" | "async"));
    while let Some(placed) = tokens.get(at) {
        match placed.token {
            Token::Mark(';') => return at + 1,
            Token::Mark(',') if !item => return at + 1,
            Token::Mark(')' | ']' | '}') => return at,
            Token::Mark('{') if !whole_statement => {
                let end = group_end(tokens, at);
                let comma = tokens.get(end).is_some_and(|next| !item && is_mark(next, ','));
                return end + usize::from(comma);
            }
            Token::Mark('(' | '[' | '{') => at = group_end(tokens, at),
            Token::Word(_) | Token::Text(_) | Token::Colons | Token::Mark(_) => at += 1,
        }
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<&str> {
        let tokens = program(text).into_iter();
        let word = |token| if let Token::Word(word) = token { Some(word) } else { None };
        tokens.filter_map(|placed| word(placed.token)).collect()
    }

    #[test]
    fn comments_strings_characters_and_lifetimes_hide_no_code_and_are_none() {
        let text =
            "a /* b /* c */ d */ e // f\n\"g \\\" h\" r#\"i \" j\"# b\"k\" '\"' l '\\'' m 'n o";
        assert_eq!(words(text), ["a", "e", "l", "m", "o"]);
    }

    #[test]
    fn lines_are_counted_through_strings_and_comments() {
        let tokens = program("/*\n*/ a \"\n\" b");
        let lines: Vec<usize> = tokens.iter().map(|placed| placed.line).collect();
        assert_eq!(lines, [2, 2, 3]);
    }

    #[test]
    fn what_is_for_tests_is_left_out_and_nothing_else() {
        for (text, kept) in [
            ("#[cfg(test)] mod a { fn b() {} } c", vec!["c"]),
            ("#[cfg(test)] mod a; b", vec!["b"]),
            ("#[cfg(test)] use a::{b, c}; d", vec!["d"]),
            ("#[cfg(test)] #[must_use] pub(super) fn a<B, C>(d: [u8; 2]) -> E { f } g", vec!["g"]),
            ("#[cfg(test)] pub const A: B = C { d: 1 }; e", vec!["e"]),
            ("x { #[cfg(test)] a: b, c }", vec!["x", "c"]),
            ("x { #[cfg(test)] A => { b } C => d }", vec!["x", "C", "d"]),
            ("x { a, #[cfg(test)] b: c } d", vec!["x", "a", "d"]),
        ] {
            assert_eq!(words(text), kept, "{text}");
        }
        assert_eq!(words("#[cfg(not(test))] a"), ["cfg", "not", "test", "a"]);
    }
}
