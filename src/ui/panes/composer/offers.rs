//! The completions of a text: names of members and files after `@`, actions and prompts of servers after `/`.

use super::completion::TypedKind;
use crate::action::{Action, Scope};
use crate::domain::{ImageKind, ServerPrompt};
use crate::protocol::MemberView;
use crate::protocol::event::MAX_LISTED_FILES;
use crate::text::SafeText;

/// The most files that are offered.
const MAX_FILES: usize = 50;
/// Characters that end a path for many readers, or mean something to a shell.
const QUOTED: &str = "\"'`\\()[]{}<>|&;*?!$#";

/// A completion of the typed text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offer {
    pub label: String,
    /// What it is.
    pub words: String,
    pub effect: OfferEffect,
}

impl Offer {
    /// Returns the text it inserts.
    pub fn text(&self) -> &str {
        match &self.effect {
            OfferEffect::Text(text) => text,
            OfferEffect::Attach(_) | OfferEffect::Prompt(_) => "",
            OfferEffect::Run(..) => &self.label,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OfferEffect {
    /// Text that replaces what was typed.
    Text(String),
    /// The image with this path is attached, and the typed text is removed.
    Attach(String),
    /// The action is run.
    Run(Scope, Action),
    /// The text of the prompt is put into the draft, and the typed text is removed.
    Prompt(ServerPrompt),
}

/// The files of the workspace that can be mentioned.
#[derive(Debug, Default)]
pub struct OfferedFiles {
    /// Each with the same in lower case.
    paths: Vec<(String, String)>,
    /// True if there are more files than were listed.
    is_cut: bool,
}

impl OfferedFiles {
    /// Makes the list, without names that have hidden characters.
    pub fn new(paths: Vec<String>) -> Self {
        let is_cut = paths.len() >= MAX_LISTED_FILES;
        let clean = |path: &String| SafeText::line(path).as_str() == path;
        let folded = |path: String| (path.to_lowercase(), path);
        let paths = paths.into_iter().filter(clean).map(folded);
        Self { paths: paths.map(|(folded, path)| (path, folded)).collect(), is_cut }
    }

    /// True if there are more files than were listed.
    pub fn is_cut(&self) -> bool {
        self.is_cut
    }

    /// Returns the matching files: first those whose name begins with the typed text, then those whose
    /// name contains it, then those whose path does.
    fn offers(&self, typed: &str) -> Vec<Offer> {
        let wanted = typed.to_lowercase();
        let mut ranked: [Vec<&str>; 3] = Default::default();
        for (path, folded) in self.paths.iter().filter(|(_, folded)| folded.contains(&wanted)) {
            let name = folded.rsplit('/').next().unwrap_or_default();
            let [begins, named, lies] = &mut ranked;
            let rank = if name.starts_with(&wanted) || folded.starts_with(&wanted) {
                begins
            } else if name.contains(&wanted) {
                named
            } else {
                lies
            };
            if rank.len() < MAX_FILES {
                rank.push(path);
            }
        }
        ranked.into_iter().flatten().take(MAX_FILES).map(file_offer).collect()
    }
}

fn file_offer(path: &str) -> Offer {
    let effect = match ImageKind::of_path(path) {
        Some(_) => OfferEffect::Attach(path.to_owned()),
        None => OfferEffect::Text(format!("{} ", quoted(path))),
    };
    Offer { label: path.to_owned(), words: String::new(), effect }
}

/// A path as one word.
pub fn quoted(path: &str) -> String {
    let plain = |c: char| !c.is_whitespace() && !QUOTED.contains(c);
    if path.chars().all(plain) {
        return path.to_owned();
    }
    let escaped = path.replace('\\', "\\\\").replace('"', "\\\"");
    format!("\"{escaped}\"")
}

/// Returns the prompts with this text in the name of their server or their own.
pub fn prompts(typed: &str, all: &[ServerPrompt]) -> Vec<Offer> {
    let offer = |prompt: &ServerPrompt| Offer {
        label: format!("/{}", prompt.id()),
        words: prompt.description.clone(),
        effect: OfferEffect::Prompt(prompt.clone()),
    };
    let fits = |prompt: &&ServerPrompt| prompt.id().to_lowercase().contains(typed);
    all.iter().filter(fits).map(offer).collect()
}

/// Returns the members and files that complete a name; none if the name is a whole member's name.
pub fn names(typed: &str, all: &[MemberView], files: &OfferedFiles) -> Vec<Offer> {
    let Some(mut found) = members(typed, all) else { return Vec::new() };
    if !typed.is_empty() {
        found.extend(files.offers(typed));
    }
    found
}

/// Returns the matching members: those that begin with the typed text first. `None` if one is named completely.
fn members(typed: &str, all: &[MemberView]) -> Option<Vec<Offer>> {
    let wanted = typed.to_lowercase();
    let id = |member: &MemberView| member.id.to_string().to_lowercase();
    let sound = all.iter().filter(|member| member.id.to_string().chars().all(TypedKind::has_in_id));
    let (mut found, others): (Vec<_>, Vec<_>) =
        sound.partition(|member| id(member).starts_with(&wanted));
    let contains = |member: &&MemberView| {
        id(member).contains(&wanted) || member.name.to_lowercase().contains(&wanted)
    };
    found.extend(others.into_iter().filter(contains));
    let is_complete = found.iter().any(|member| id(member) == wanted);
    let offer = |member: &MemberView| Offer {
        label: format!("@{}", member.id),
        words: member.gofor.clone(),
        effect: OfferEffect::Text(format!("@{} ", member.id)),
    };
    (!is_complete).then(|| found.into_iter().map(offer).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(offers: &[Offer]) -> Vec<&str> {
        offers.iter().map(|offer| offer.label.as_str()).collect()
    }

    fn files(paths: &[&str]) -> OfferedFiles {
        OfferedFiles::new(paths.iter().map(|path| (*path).to_owned()).collect())
    }

    #[test]
    fn files_are_in_the_order_of_how_their_names_fit_and_bounded() {
        let all = files(&["src/main/x.rs", "src/domain.rs", "src/main.rs", "docs/Main.md"]);
        let found = names("main", &[], &all);
        let expected = ["src/main.rs", "docs/Main.md", "src/domain.rs", "src/main/x.rs"];
        assert_eq!(labels(&found), expected);
        assert_eq!(labels(&names("src/m", &[], &all)), ["src/main/x.rs", "src/main.rs"]);
        assert!(names("", &[], &all).is_empty() && names("zzz", &[], &all).is_empty());
        let many: Vec<String> = (0..500).map(|n| format!("f{n}")).collect();
        assert_eq!(names("f", &[], &OfferedFiles::new(many)).len(), MAX_FILES);
    }

    #[test]
    fn a_path_with_blanks_or_marks_is_quoted_and_one_that_cannot_be_seen_is_not_offered() {
        for (path, expected) in [
            ("src/a-b_c.rs", "src/a-b_c.rs "),
            ("文档/说明.md", "文档/说明.md "),
            ("my notes.txt", "\"my notes.txt\" "),
            ("a\"b\\c$(x).txt", "\"a\\\"b\\\\c$(x).txt\" "),
        ] {
            let typed: String = path.chars().take(1).collect();
            let found = names(&typed, &[], &files(&[path]));
            assert_eq!(found[0].effect, OfferEffect::Text(expected.to_owned()), "{path}");
        }
        let image = names("sh", &[], &files(&["my shot.PNG"]));
        assert_eq!(image[0].effect, OfferEffect::Attach("my shot.PNG".to_owned()));
        let hostile = ["a\u{1b}[2J", "a\nb", "a\u{202e}b", "a\u{fdd0}", "a\tb"];
        assert!(names("a", &[], &files(&hostile)).is_empty());
    }
}
