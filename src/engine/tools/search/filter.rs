//! Which files a search looks at: globs, kinds of files, ignore files, hidden names. The order of
//! decisions is that of the command `rg`. Pure, but for reading ignore files that are handed in.

use std::ffi::OsStr;
use std::fs::File;
use std::io::Read as _;
use std::os::unix::ffi::OsStrExt as _;
use std::sync::Arc;

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use ignore::overrides::{Override, OverrideBuilder};
use ignore::types::{Types, TypesBuilder};

use super::query::{Query, TypeRule};
use crate::guard::{Guard, OpenDir};

/// Files with ignore rules; a later one overrules those before it.
const RULE_FILES: [&str; 3] = [".gitignore", ".ignore", ".rgignore"];
/// Most bytes read of one of them.
const RULES_LIMIT_BYTES: u64 = 256 * 1024;
/// The store of git is never searched by the way, hidden files or not.
const GIT_STORE: &str = ".git";
/// Most globs of one call.
const MAX_GLOBS: usize = 100;
/// The longest glob.
const GLOB_LIMIT_BYTES: usize = 1_024;

/// What holds for the whole search.
#[derive(Debug)]
pub(super) struct SearchFilter {
    globs: Override,
    types: Types,
    hidden: bool,
}

/// Why there is no filter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum FilterFault {
    Glob(String),
    Type(String),
    TooManyGlobs,
}

/// The ignore rules that apply in a directory: its own first, then those of its parents.
#[derive(Debug, Clone, Default)]
pub(super) struct IgnoreRules(Option<Arc<IgnoreNode>>);

#[derive(Debug)]
struct IgnoreNode {
    own: Gitignore,
    above: IgnoreRules,
}

impl SearchFilter {
    pub(super) fn new(query: &Query) -> Result<Self, FilterFault> {
        Ok(Self { globs: globs(&query.globs)?, types: types(&query.types)?, hidden: query.hidden })
    }

    /// Whether an entry is looked at. `path` is below the workspace.
    pub(super) fn keeps(
        &self,
        rules: &IgnoreRules,
        path: &str,
        name: &OsStr,
        is_dir: bool,
    ) -> bool {
        if name == GIT_STORE {
            return false;
        }
        match self.globs.matched(path, is_dir) {
            Match::Ignore(_) => return false,
            Match::Whitelist(_) => return true,
            Match::None => {}
        }
        let mut wanted = false;
        match rules.decide(path, is_dir) {
            Some(true) => return false,
            Some(false) => wanted = true,
            None => {}
        }
        match self.types.matched(path, is_dir) {
            Match::Ignore(_) => return false,
            Match::Whitelist(_) => wanted = true,
            Match::None => {}
        }
        wanted || self.hidden || !name.as_bytes().starts_with(b".")
    }
}

impl IgnoreRules {
    /// The rules for a directory, with those of all directories above it.
    pub(super) fn of(guard: &Guard, dir: &OpenDir) -> Self {
        let above = guard.above(dir);
        let outer = above.iter().fold(Self::default(), |rules, dir| rules.within(guard, dir));
        outer.within(guard, dir)
    }

    /// Returns these rules with those of a directory below.
    pub(super) fn within(&self, guard: &Guard, dir: &OpenDir) -> Self {
        let mut builder = GitignoreBuilder::new(if dir.shown == "." { "" } else { &dir.shown });
        for name in RULE_FILES {
            for line in guard.rule_file(dir, name).map(lines).unwrap_or_default() {
                // A line that is no glob is no rule.
                let _ = builder.add_line(None, &line);
            }
        }
        match builder.build() {
            Ok(own) if !own.is_empty() => {
                Self(Some(Arc::new(IgnoreNode { own, above: self.clone() })))
            }
            Ok(_) | Err(_) => self.clone(),
        }
    }

    /// Returns whether the nearest rule that matches the path says to ignore it.
    fn decide(&self, path: &str, is_dir: bool) -> Option<bool> {
        let mut next = self.0.as_deref();
        while let Some(node) = next {
            match node.own.matched(path, is_dir) {
                Match::Ignore(_) => return Some(true),
                Match::Whitelist(_) => return Some(false),
                Match::None => next = node.above.0.as_deref(),
            }
        }
        None
    }
}

fn lines(file: File) -> Vec<String> {
    let mut bytes = Vec::new();
    if file.take(RULES_LIMIT_BYTES).read_to_end(&mut bytes).is_err() {
        return Vec::new();
    }
    String::from_utf8_lossy(&bytes).lines().map(str::to_owned).collect()
}

fn globs(globs: &[String]) -> Result<Override, FilterFault> {
    if globs.len() > MAX_GLOBS {
        return Err(FilterFault::TooManyGlobs);
    }
    let mut builder = OverrideBuilder::new("");
    for glob in globs {
        if glob.len() > GLOB_LIMIT_BYTES {
            return Err(FilterFault::Glob(format!("longer than {GLOB_LIMIT_BYTES} bytes")));
        }
        builder.add(glob).map_err(|error| FilterFault::Glob(error.to_string()))?;
    }
    builder.build().map_err(|error| FilterFault::Glob(error.to_string()))
}

fn types(rules: &[TypeRule]) -> Result<Types, FilterFault> {
    if rules.is_empty() {
        return Ok(Types::empty());
    }
    let mut builder = TypesBuilder::new();
    builder.add_defaults();
    for rule in rules {
        match rule {
            TypeRule::Only(name) => builder.select(name),
            TypeRule::Not(name) => builder.negate(name),
        };
    }
    builder.build().map_err(|error| FilterFault::Type(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(root: &str, text: &str, above: &IgnoreRules) -> IgnoreRules {
        let mut builder = GitignoreBuilder::new(root);
        for line in text.lines() {
            builder.add_line(None, line).unwrap();
        }
        IgnoreRules(Some(Arc::new(IgnoreNode {
            own: builder.build().unwrap(),
            above: above.clone(),
        })))
    }

    fn keeps(query: &Query, rules: &IgnoreRules, path: &str) -> bool {
        let is_dir = path.ends_with('/');
        let path = path.trim_end_matches('/');
        let name = path.rsplit('/').next().unwrap();
        SearchFilter::new(query).unwrap().keeps(rules, path, OsStr::new(name), is_dir)
    }

    fn globbed(globs: &[&str]) -> Query {
        Query { globs: globs.iter().map(|&glob| glob.to_owned()).collect(), ..Query::default() }
    }

    #[test]
    fn globs_decide_first_then_ignore_files_then_kinds_then_hidden_names() {
        let ignoring = rules("", "target/\n*.log\n/build\n!keep.log\n", &IgnoreRules::default());
        let inner = rules("src", "gen.rs\n!debug.log\n", &ignoring);
        let rust = Query { types: vec![TypeRule::Only("rust".into())], ..Query::default() };
        let not_rust = Query { types: vec![TypeRule::Not("rust".into())], ..Query::default() };
        let hidden = Query { hidden: true, ..Query::default() };
        let any = Query::default();
        for (query, rules, path, kept) in [
            (&any, &IgnoreRules::default(), "a.rs", true),
            (&any, &IgnoreRules::default(), ".env", false),
            (&any, &IgnoreRules::default(), ".cache/", false),
            (&hidden, &IgnoreRules::default(), ".env", true),
            (&hidden, &IgnoreRules::default(), ".git/", false),
            (&any, &ignoring, "target/", false),
            (&any, &ignoring, "sub/target/", false),
            (&any, &ignoring, "target", true),
            (&any, &ignoring, "build/", false),
            (&any, &ignoring, "sub/build/", true),
            (&any, &ignoring, "a.log", false),
            (&any, &ignoring, "keep.log", true),
            (&any, &inner, "src/gen.rs", false),
            (&any, &inner, "src/debug.log", true),
            (&any, &inner, "src/a.log", false),
            (&hidden, &ignoring, "a.log", false),
            (&globbed(&["*.log"]), &ignoring, "a.log", true),
            (&globbed(&["*.log"]), &ignoring, "a.rs", false),
            (&globbed(&["*.log"]), &ignoring, "src/", true),
            (&globbed(&["!*.rs"]), &IgnoreRules::default(), "src/a.rs", false),
            (&globbed(&["!*.rs"]), &IgnoreRules::default(), "src/a.md", true),
            (&globbed(&["src/**/*.rs"]), &IgnoreRules::default(), "src/a/b.rs", true),
            (&globbed(&["src/**/*.rs"]), &IgnoreRules::default(), "lib/b.rs", false),
            (&globbed(&["*.rs", "!src/x.rs"]), &IgnoreRules::default(), "src/x.rs", false),
            (&globbed(&[".env"]), &IgnoreRules::default(), ".env", true),
            (&rust, &IgnoreRules::default(), "a.rs", true),
            (&rust, &IgnoreRules::default(), "a.md", false),
            (&rust, &IgnoreRules::default(), "src/", true),
            (&not_rust, &IgnoreRules::default(), "a.rs", false),
            (&not_rust, &IgnoreRules::default(), "a.md", true),
        ] {
            assert_eq!(keeps(query, rules, path), kept, "{query:?} {path}");
        }
    }

    #[test]
    fn what_is_no_glob_or_no_kind_is_said() {
        assert!(matches!(SearchFilter::new(&globbed(&["a{"])), Err(FilterFault::Glob(_))));
        let odd = Query { types: vec![TypeRule::Only("rost".into())], ..Query::default() };
        assert!(
            matches!(SearchFilter::new(&odd), Err(FilterFault::Type(text)) if text.contains("rost"))
        );
        let many = globbed(&["a"; MAX_GLOBS + 1]);
        assert!(matches!(SearchFilter::new(&many), Err(FilterFault::TooManyGlobs)));
    }
}
