//! Finds the runs of code with the grammars of syntect.
//!
//! The code is hostile, the grammars come with the package. A long line is not parsed, a text that takes too
//! long stays plain from there on, and the grammars' memory is freed when code of more than a few languages
//! was read.

use std::cmp::Reverse;
use std::time::{Duration, Instant};

use syntect::parsing::{ParseState, Scope, ScopeStack, SyntaxSet};

use super::{CodeJob, CodeRun, Language};
use crate::theme::Role;

/// Bytes of a line; a longer one is plain.
const MAX_LINE: usize = 1_000;
/// The time limit for one text, once its grammars are loaded.
const TIME_LIMIT: Duration = Duration::from_millis(250);
/// Languages whose grammars are in memory at once: one takes about 10 MB once it is used.
const MAX_LANGUAGES: usize = 4;
/// Scopes that are looked at, from the innermost.
const MAX_DEPTH: usize = 16;

/// The roles of grammar scopes. The most specific one applies; scopes that are not listed look like their surroundings.
const SCOPES: [(&str, Role); 26] = [
    ("comment", Role::CodeComment),
    ("string", Role::CodeString),
    ("constant", Role::CodeNumber),
    ("constant.character.escape", Role::CodeString),
    ("constant.other.placeholder", Role::CodeString),
    ("constant.other", Role::Code),
    ("keyword", Role::CodeKeyword),
    ("keyword.operator", Role::Code),
    ("keyword.operator.word", Role::CodeKeyword),
    ("keyword.operator.logical.python", Role::CodeKeyword),
    ("storage", Role::CodeKeyword),
    ("variable.language", Role::CodeKeyword),
    ("entity.name.function", Role::CodeFunction),
    ("support.function", Role::CodeFunction),
    ("variable.function", Role::CodeFunction),
    ("entity.name", Role::CodeType),
    ("entity.other.inherited-class", Role::CodeType),
    ("entity.other.attribute-name", Role::CodeType),
    ("support.type", Role::CodeType),
    ("support.class", Role::CodeType),
    ("entity.name.tag", Role::CodeKeyword),
    ("markup.heading", Role::CodeKeyword),
    ("markup.raw", Role::CodeString),
    ("markup.inserted", Role::DiffAdd),
    ("markup.deleted", Role::DiffRemove),
    ("source", Role::Code),
];

#[derive(Default)]
pub(super) struct CodeParser {
    grammars: Option<SyntaxSet>,
    used: Vec<Language>,
    /// The scopes of [`SCOPES`], the longest first.
    roles: Vec<(Scope, Role)>,
}

impl CodeParser {
    /// The runs of a text; empty where its language has no grammar.
    pub fn runs(&mut self, job: &CodeJob) -> Vec<CodeRun> {
        self.runs_within(job.language, &job.text, TIME_LIMIT)
    }

    /// Finds the runs however busy the machine is.
    #[cfg(test)]
    pub fn patient_runs(&mut self, job: &CodeJob) -> Vec<CodeRun> {
        self.runs_within(job.language, &job.text, Duration::from_mins(10))
    }

    fn runs_within(&mut self, language: Language, text: &str, limit: Duration) -> Vec<CodeRun> {
        self.use_language(language);
        if self.roles.is_empty() {
            self.roles = roles();
        }
        let grammars = self.grammars.get_or_insert_with(SyntaxSet::load_defaults_newlines);
        let Some(grammar) = grammars.find_syntax_by_token(language.grammar()) else {
            return Vec::new();
        };
        let until = Instant::now() + limit;
        let mut state = ParseState::new(grammar);
        let mut stack = ScopeStack::new();
        let mut runs = Runs::new(text);
        let mut start = 0;
        for line in text.split_inclusive('\n') {
            if Instant::now() >= until {
                break;
            }
            let end = start + line.len();
            if line.len() <= MAX_LINE {
                let whole = format!("{}\n", line.trim_end_matches('\n'));
                let Ok(changes) = state.parse_line(&whole, grammars) else { break };
                for (at, change) in changes {
                    runs.push((start + at).min(end), role_of(&stack, &self.roles));
                    if stack.apply(&change).is_err() {
                        return runs.finish();
                    }
                }
                runs.push(end, role_of(&stack, &self.roles));
            } else {
                runs.push(end, Role::Code);
            }
            start = end;
        }
        runs.finish()
    }

    /// Drops the grammars if another language would be one too many.
    fn use_language(&mut self, language: Language) {
        if self.used.contains(&language) {
            return;
        }
        if self.used.len() >= MAX_LANGUAGES {
            self.used.clear();
            self.grammars = None;
        }
        self.used.push(language);
    }
}

fn roles() -> Vec<(Scope, Role)> {
    let known = |(name, role): &(&str, Role)| Some((Scope::new(name).ok()?, *role));
    let mut roles: Vec<(Scope, Role)> = SCOPES.iter().filter_map(known).collect();
    roles.sort_by_key(|(scope, _)| Reverse(scope.len()));
    roles
}

/// The role of the innermost scope that has one.
fn role_of(stack: &ScopeStack, roles: &[(Scope, Role)]) -> Role {
    let innermost = stack.as_slice().iter().rev().take(MAX_DEPTH);
    let role = |scope: &Scope| roles.iter().find(|(prefix, _)| prefix.is_prefix_of(*scope));
    innermost.filter_map(role).map(|(_, role)| *role).next().unwrap_or(Role::Code)
}

/// Runs in the making: neighbours of one role are one run.
struct Runs<'t> {
    text: &'t str,
    found: Vec<CodeRun>,
    /// Most runs of a text; one with more is hostile, and plain from there on.
    limit: usize,
}

impl<'t> Runs<'t> {
    fn new(text: &'t str) -> Self {
        Self { text, found: Vec::new(), limit: text.len() / 4 + 64 }
    }

    fn push(&mut self, end: usize, role: Role) {
        let start = self.found.last().map_or(0, |run| run.end);
        let Some(part) = self.text.get(start..end).filter(|part| !part.is_empty()) else { return };
        let is_blank = part.bytes().all(|byte| byte.is_ascii_whitespace());
        // A blank looks the same in every role.
        let joins = |last: &&mut CodeRun| last.role == role || is_blank;
        if let Some(last) = self.found.last_mut().filter(joins) {
            last.end = end;
        } else if self.found.len() < self.limit {
            self.found.push(CodeRun { end, role });
        }
    }

    fn finish(self) -> Vec<CodeRun> {
        self.found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn runs(language: &str, text: &str) -> Vec<(String, Role)> {
        let language = Language::named(language).unwrap();
        let limit = Duration::from_mins(10);
        let runs = CodeParser::default().runs_within(language, text, limit);
        let mut start = 0;
        let part = |run: CodeRun| {
            let part = text[start..run.end].to_owned();
            start = run.end;
            (part, run.role)
        };
        runs.into_iter().map(part).collect()
    }

    fn role_in(language: &str, text: &str, part: &str) -> Role {
        let at = text.find(part).unwrap();
        let mut end = 0;
        let runs = runs(language, text);
        let run = runs.iter().find(|(run, _)| {
            end += run.len();
            end > at
        });
        run.map_or(Role::Code, |(_, role)| *role)
    }

    #[test]
    fn every_language_has_a_grammar() {
        let grammars = SyntaxSet::load_defaults_newlines();
        for language in Language::all() {
            assert!(grammars.find_syntax_by_token(language.grammar()).is_some(), "{language:?}");
        }
    }

    #[test]
    fn parts_of_code_have_their_roles_in_languages_that_teams_write() {
        let rust = "/// Doc\npub fn load(path: &str) -> u32 {\n    let n = \"a\\n\"; // why\n    call(42)\n}\n";
        let python = "class A(B):\n    def f(self):\n        return \"x\" if None else 7  # no\n";
        let script = "const a = `x`; function f(b) { return b + 1.5 } // c\n";
        let shell = "if [ -f a ]; then echo \"$A\"; fi # c\n";
        let go = "func Add(a int) string {\n\treturn \"x\" // c\n}\n";
        for (language, text, part, role) in [
            ("rust", rust, "Doc", Role::CodeComment),
            ("rust", rust, "fn", Role::CodeKeyword),
            ("rust", rust, "load", Role::CodeFunction),
            ("rust", rust, "path", Role::Code),
            ("rust", rust, "u32", Role::CodeKeyword),
            ("rust", rust, "\"a", Role::CodeString),
            ("rust", rust, "\\n", Role::CodeString),
            ("rust", rust, "// why", Role::CodeComment),
            ("rust", rust, "call", Role::CodeFunction),
            ("rust", rust, "42", Role::CodeNumber),
            ("py", python, "class", Role::CodeKeyword),
            ("py", python, "A(", Role::CodeType),
            ("py", python, "def", Role::CodeKeyword),
            ("py", python, "f(", Role::CodeFunction),
            ("py", python, "\"x\"", Role::CodeString),
            ("py", python, "None", Role::CodeNumber),
            ("py", python, "# no", Role::CodeComment),
            ("ts", script, "const", Role::CodeKeyword),
            ("ts", script, "1.5", Role::CodeNumber),
            ("sh", shell, "if", Role::CodeKeyword),
            ("sh", shell, "# c", Role::CodeComment),
            ("go", go, "func", Role::CodeKeyword),
            ("go", go, "\"x\"", Role::CodeString),
            ("json", "{\"a\": 1}", "1", Role::CodeNumber),
            ("yaml", "a: \"b\" # c\n", "# c", Role::CodeComment),
            ("diff", "-a\n+b\n", "-a", Role::DiffRemove),
            ("diff", "-a\n+b\n", "+b", Role::DiffAdd),
        ] {
            assert_eq!(role_in(language, text, part), role, "{language}: {part}");
        }
    }

    #[test]
    fn a_long_line_is_plain_and_those_after_it_are_not() {
        let text = format!("fn a() {{}}\n{}\nfn b() {{}}\n", "fn ".repeat(400));
        let runs = runs("rust", &text);
        let long = runs.iter().find(|(part, _)| part.len() > 1000).unwrap();
        assert_eq!(long.1, Role::Code);
        let is_b = |(part, role): &(String, Role)| part == "b" && *role == Role::CodeFunction;
        assert!(runs.iter().any(is_b), "{runs:?}");
    }

    #[test]
    fn a_text_that_takes_too_long_is_plain_from_there_on() {
        let language = Language::named("rust").unwrap();
        let runs = CodeParser::default().runs_within(language, "fn a() {}\n", Duration::ZERO);
        assert_eq!(runs, []);
    }

    #[test]
    fn grammars_of_a_few_languages_are_in_memory_at_once() {
        let mut parser = CodeParser::default();
        let limit = Duration::from_mins(10);
        for language in Language::all().take(5) {
            parser.runs_within(language, "a", limit);
            assert!((1..=MAX_LANGUAGES).contains(&parser.used.len()));
            assert!(parser.used.contains(&language));
        }
    }
}
