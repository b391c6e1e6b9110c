//! The languages that are coloured, and by what names code says it is in one.

/// A language, by the name its grammar is found with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Language(&'static str);

/// The name of each grammar, and other names and file endings for it. A language without a grammar uses that
/// of a similar one.
const LANGUAGES: [(&str, &[&str]); 35] = [
    ("bash", &["sh", "shell", "zsh", "ksh", "console", "shellscript"]),
    ("bat", &["cmd", "batch"]),
    ("c", &["h"]),
    ("clj", &["clojure", "cljs", "cljc", "edn"]),
    ("cpp", &["c++", "cc", "cxx", "hpp", "hh", "hxx", "cuda", "cu", "ino"]),
    ("cs", &["csharp", "c#"]),
    ("css", &["scss", "less"]),
    ("d", &[]),
    ("diff", &["patch"]),
    ("dot", &["graphviz", "gv"]),
    ("erl", &["erlang", "hrl"]),
    ("go", &["golang"]),
    ("groovy", &["gradle"]),
    ("hs", &["haskell"]),
    ("html", &["htm", "vue", "svelte", "xhtml"]),
    ("java", &[]),
    ("js", &["javascript", "jsx", "mjs", "cjs", "ts", "typescript", "tsx", "mts", "cts"]),
    ("json", &["jsonc", "json5", "jsonl"]),
    ("lisp", &["cl", "el", "emacs-lisp", "scheme", "scm"]),
    ("lua", &[]),
    ("makefile", &["make", "mk", "gnumakefile"]),
    ("md", &["markdown"]),
    ("ml", &["ocaml", "mli"]),
    ("php", &[]),
    ("pl", &["perl", "pm"]),
    ("properties", &["toml", "ini", "cfg", "conf"]),
    ("py", &["python", "python3", "pyi", "py3"]),
    ("r", &[]),
    ("rb", &["ruby", "gemfile", "rakefile"]),
    ("rs", &["rust"]),
    ("scala", &["kotlin", "kt", "kts", "sbt"]),
    ("sql", &[]),
    ("tex", &["latex"]),
    ("xml", &["svg", "xsd", "xsl", "plist"]),
    ("yaml", &["yml"]),
];

/// No name of a language is longer.
const MAX_NAME: usize = 16;

impl Language {
    /// The language with this name or file ending.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        if name.len() > MAX_NAME {
            return None;
        }
        let name = name.to_ascii_lowercase();
        let is_it = |(grammar, others): &&(&'static str, &[&str])| {
            *grammar == name || others.contains(&name.as_str())
        };
        LANGUAGES.iter().find(is_it).map(|(grammar, _)| Self(grammar))
    }

    /// The language that the fence of a code block names: its first word.
    #[must_use]
    pub fn of_fence(info: &str) -> Option<Self> {
        let info = info.trim_start_matches(['{', '.', ' ']);
        let name = info.split([' ', ',', '{', '}', ':', '\t']).next()?;
        Self::named(name.strip_prefix("language-").unwrap_or(name))
    }

    /// The language of a file, by its ending, or by its name where it has none.
    #[must_use]
    pub fn of_file(path: &str) -> Option<Self> {
        let name = path.rsplit(['/', '\\']).next()?;
        Self::named(name.rsplit('.').next()?)
    }

    /// The name of its grammar.
    pub(super) fn grammar(self) -> &'static str {
        self.0
    }

    /// All of them.
    #[cfg(test)]
    pub(super) fn all() -> impl Iterator<Item = Self> {
        LANGUAGES.iter().map(|(grammar, _)| Self(grammar))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_language_is_found_by_fence_and_by_file() {
        for (info, expected) in [
            ("rust", Some("rs")),
            ("Rust,ignore", Some("rs")),
            ("{.python .numberLines}", Some("py")),
            ("language-ts", Some("js")),
            ("yml title=a", Some("yaml")),
            ("", None),
            ("text", None),
            ("a-language-that-nobody-knows-of", None),
        ] {
            assert_eq!(Language::of_fence(info).map(Language::grammar), expected, "{info}");
        }
        for (path, expected) in [
            ("src/a.rs", Some("rs")),
            ("Makefile", Some("makefile")),
            ("a/b.tar.TOML", Some("properties")),
            ("a.d/notes", None),
            ("", None),
            ("日本語", None),
        ] {
            assert_eq!(Language::of_file(path).map(Language::grammar), expected, "{path}");
        }
    }
}
