//! The paths a source names: in `use`, in code, in visibilities, and in the attributes of serde that take
//! a path as a string.

use std::collections::BTreeSet;

use super::tokens::{Placed, Token, program};

/// One leaf of a `use`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Import {
    pub line: usize,
    /// As written, from its first name; `*` and `self` at the end are kept.
    pub path: Vec<String>,
    /// The name in the file.
    pub name: String,
    /// True for a re-export.
    pub public: bool,
}

/// A path of two names or more outside of `use`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mention {
    pub line: usize,
    pub path: Vec<String>,
}

#[derive(Debug, Default)]
pub struct Names {
    pub imports: Vec<Import>,
    pub mentions: Vec<Mention>,
    /// Every name outside of `use`.
    pub words: BTreeSet<String>,
    /// The modules declared here.
    pub children: Vec<String>,
}

/// Attributes of serde whose value is a path.
const PATHS_IN_TEXT: [&str; 9] = [
    "with",
    "serialize_with",
    "deserialize_with",
    "default",
    "skip_serializing_if",
    "try_from",
    "from",
    "into",
    "remote",
];

pub fn names(text: &str) -> Names {
    let tokens = program(text);
    let mut names = Names::default();
    let mut at = 0;
    while let Some(placed) = tokens.get(at) {
        at = match placed.token {
            Token::Word("use") if is_import(&tokens, at) => {
                let mut tree = Tree { tokens: &tokens, at: at + 1, imports: Vec::new() };
                tree.read(&[]);
                let public = is_public(&tokens, at);
                names.imports.extend(tree.imports.into_iter().map(|i| Import { public, ..i }));
                tree.at
            }
            Token::Word("mod") => {
                names.children.extend(word(&tokens, at + 1).map(str::to_owned));
                at + 2
            }
            Token::Word(_) => read_path(&tokens, at, &mut names),
            Token::Text(text) => {
                read_text(&tokens, at, text, &mut names);
                at + 1
            }
            Token::Colons | Token::Mark(_) => at + 1,
        };
    }
    names
}

fn word<'a>(tokens: &[Placed<'a>], at: usize) -> Option<&'a str> {
    match tokens.get(at)?.token {
        Token::Word(word) => Some(word),
        Token::Text(_) | Token::Colons | Token::Mark(_) => None,
    }
}

fn is(tokens: &[Placed<'_>], at: usize, token: Token<'_>) -> bool {
    tokens.get(at).is_some_and(|placed| placed.token == token)
}

/// Not the `use<'a>` of a type.
fn is_import(tokens: &[Placed<'_>], at: usize) -> bool {
    !is(tokens, at + 1, Token::Mark('<'))
}

fn is_public(tokens: &[Placed<'_>], at: usize) -> bool {
    let Some(before) = at.checked_sub(1) else { return false };
    if is(tokens, before, Token::Mark(')')) {
        let open = (0..before).rev().find(|open| is(tokens, *open, Token::Mark('(')));
        return open.and_then(|open| open.checked_sub(1)).and_then(|at| word(tokens, at))
            == Some("pub");
    }
    word(tokens, before) == Some("pub")
}

/// Reads a path of the code from its first name on; the number of the token behind it.
fn read_path(tokens: &[Placed<'_>], from: usize, names: &mut Names) -> usize {
    let continues = from.checked_sub(1).is_some_and(|before| is(tokens, before, Token::Colons));
    let mut path = Vec::new();
    let mut at = from;
    while let Some(part) = word(tokens, at) {
        path.push(part.to_owned());
        at += 1;
        if !is(tokens, at, Token::Colons) || word(tokens, at + 1).is_none() {
            break;
        }
        at += 1;
    }
    names.words.extend(path.iter().cloned());
    if !continues && path.len() > 1 {
        names.mentions.push(Mention { line: tokens[from].line, path });
    }
    at
}

fn read_text(tokens: &[Placed<'_>], at: usize, text: &str, names: &mut Names) {
    let assigned = at >= 2 && is(tokens, at - 1, Token::Mark('='));
    if assigned && word(tokens, at - 2).is_some_and(|word| PATHS_IN_TEXT.contains(&word)) {
        let path: Vec<String> = text.split("::").map(str::to_owned).collect();
        names.words.extend(path.iter().cloned());
        if path.len() > 1 {
            names.mentions.push(Mention { line: tokens[at].line, path });
        }
    }
}

/// Reads what follows `use`, braces in braces.
struct Tree<'t, 'a> {
    tokens: &'t [Placed<'a>],
    at: usize,
    imports: Vec<Import>,
}

impl Tree<'_, '_> {
    fn read(&mut self, before: &[String]) {
        let mut path = before.to_vec();
        while let Some(placed) = self.tokens.get(self.at) {
            self.at += 1;
            match placed.token {
                Token::Word("as") => {
                    let name = word(self.tokens, self.at).unwrap_or("_").to_owned();
                    self.at += 1;
                    self.imports.push(Import { line: placed.line, path, name, public: false });
                    return;
                }
                Token::Word(part) => {
                    path.push(part.to_owned());
                    if !self.goes_on() {
                        return self.leaf(placed.line, path);
                    }
                }
                Token::Mark('*') => {
                    path.push("*".to_owned());
                    return self.leaf(placed.line, path);
                }
                Token::Mark('{') => return self.group(&path),
                Token::Colons => {}
                Token::Text(_) | Token::Mark(_) => return,
            }
        }
    }

    fn goes_on(&self) -> bool {
        is(self.tokens, self.at, Token::Colons) || word(self.tokens, self.at) == Some("as")
    }

    fn leaf(&mut self, line: usize, path: Vec<String>) {
        let own = path.iter().rev().find(|part| *part != "self").cloned();
        self.imports.push(Import { line, path, name: own.unwrap_or_default(), public: false });
    }

    fn group(&mut self, path: &[String]) {
        while let Some(placed) = self.tokens.get(self.at) {
            match placed.token {
                Token::Mark('}') => {
                    self.at += 1;
                    return;
                }
                Token::Mark(',') => self.at += 1,
                Token::Word(_) | Token::Text(_) | Token::Colons | Token::Mark(_) => self.read(path),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn imports(text: &str) -> Vec<(String, String, bool)> {
        let import = |i: Import| (i.path.join("::"), i.name, i.public);
        names(text).imports.into_iter().map(import).collect()
    }

    fn mentions(text: &str) -> Vec<String> {
        names(text).mentions.into_iter().map(|mention| mention.path.join("::")).collect()
    }

    #[test]
    fn a_use_is_read_leaf_by_leaf_with_its_name_and_whether_it_is_passed_on() {
        let text = "use crate::{a, b::{self, C as D, e::{F, g::*}}};\npub(in crate::x) use super::H;\n\
                    pub use self::i::J;\nuse super::super::k as _;\nuse l;";
        let expected = [
            ("crate::a", "a", false),
            ("crate::b::self", "b", false),
            ("crate::b::C", "D", false),
            ("crate::b::e::F", "F", false),
            ("crate::b::e::g::*", "*", false),
            ("super::H", "H", true),
            ("self::i::J", "J", true),
            ("super::super::k", "_", false),
            ("l", "l", false),
        ];
        let expected = expected.map(|(path, name, public)| (path.into(), name.into(), public));
        assert_eq!(imports(text), expected);
    }

    #[test]
    fn paths_in_code_are_read_to_their_last_name() {
        let text = "fn a() -> crate::b::C { super::d::e(self::f::<G>, h::I { j: k.l::<m::N>() }) }";
        assert_eq!(mentions(text), ["crate::b::C", "super::d::e", "self::f", "h::I", "m::N"]);
    }

    #[test]
    fn the_rest_of_a_generic_path_and_the_bounds_of_a_type_are_no_paths() {
        assert_eq!(mentions("Vec::<A>::new(); <A as b::C>::d(); impl D + use<'a>;"), ["b::C"]);
        assert!(imports("fn a() -> impl D + use<'a> { b }").is_empty());
    }

    #[test]
    fn a_path_in_an_attribute_counts_where_serde_takes_one() {
        let text = "#[serde(with = \"super::a\", rename = \"b::c\")] x: D";
        assert_eq!(mentions(text), ["super::a"]);
    }

    #[test]
    fn modules_are_listed_and_lines_are_known() {
        let read = names("mod a;\npub mod b;\n\nuse c::D;\nfn e() { f::g(); }");
        assert_eq!(read.children, ["a", "b"]);
        assert_eq!((read.imports[0].line, read.mentions[0].line), (4, 5));
    }
}
