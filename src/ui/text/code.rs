//! Code that is laid out: a row of it is a part of the whole text, and only the parts that are drawn ask for their
//! colours.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use super::clean::SafeText;
use super::width::{clusters, is_plain};
use crate::highlight::{CodeColours, CodeKey, CodeRun, CodeRuns, Language};
use crate::theme::Role;

/// A part of a text of code, which it shares with the other parts.
#[derive(Debug, Clone)]
pub struct CodePart {
    code: Arc<Code>,
    range: Range<usize>,
}

/// The whole text.
#[derive(Debug)]
struct Code {
    text: SafeText,
    language: Option<Language>,
    colours: CodeColours,
    /// Known once a part of it was drawn.
    key: OnceLock<CodeKey>,
}

impl CodePart {
    /// All of a text.
    #[must_use]
    pub fn whole(text: SafeText, language: Option<Language>, colours: &CodeColours) -> Self {
        let range = 0..text.as_str().len();
        let (colours, key) = (colours.clone(), OnceLock::new());
        Self { code: Arc::new(Code { text, language, colours, key }), range }
    }

    /// A part of this part; empty if the range is not on character boundaries.
    #[must_use]
    pub fn part(&self, range: Range<usize>) -> Self {
        let at = |at: usize| self.range.start.saturating_add(at).min(self.range.end);
        Self { code: self.code.clone(), range: at(range.start)..at(range.end) }
    }

    #[must_use]
    pub fn as_str(&self) -> &str {
        self.code.text.as_str().get(self.range.clone()).unwrap_or_default()
    }

    /// Asks for its runs: those that are known, and plain code after them. They always end with it.
    #[must_use]
    pub fn runs(&self) -> Vec<CodeRun> {
        let text = self.as_str();
        let mut runs = match self.code.ask() {
            CodeRuns::Known(runs) => within(text, self.range.start, &runs),
            CodeRuns::Awaited | CodeRuns::Plain => Vec::new(),
        };
        if runs.last().map_or(0, |run| run.end) < text.len() {
            runs.push(CodeRun { end: text.len(), role: Role::Code });
        }
        runs
    }

    /// Asks for its runs; true if they become known later.
    #[must_use]
    pub fn awaits_runs(&self) -> bool {
        matches!(self.code.ask(), CodeRuns::Awaited)
    }
}

impl PartialEq for CodePart {
    fn eq(&self, other: &Self) -> bool {
        let of = |one: &Self| (one.range.clone(), one.code.language);
        of(self) == of(other) && self.code.text == other.code.text
    }
}

impl Eq for CodePart {}

impl Code {
    fn ask(&self) -> CodeRuns {
        self.colours.ask(self.language, self.text.as_str(), &self.key)
    }
}

/// The runs of the part of a text that begins at `start`, as far as they divide it. They end between clusters, so
/// that colours move nothing.
fn within(part: &str, start: usize, runs: &[CodeRun]) -> Vec<CodeRun> {
    let is_plain = is_plain(part.as_bytes());
    let mut ends = clusters(part).map(|cluster| cluster.end());
    let first = runs.partition_point(|run| run.end <= start);
    let (mut kept, mut at) = (Vec::new(), 0);
    for run in runs.iter().skip(first) {
        if at >= part.len() {
            break;
        }
        let wanted = run.end.saturating_sub(start).min(part.len());
        if wanted <= at {
            continue;
        }
        at = if is_plain { wanted } else { ends.find(|end| *end >= wanted).unwrap_or(part.len()) };
        kept.push(CodeRun { end: at, role: run.role });
    }
    kept
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn ends(runs: &[CodeRun]) -> Vec<usize> {
        runs.iter().map(|run| run.end).collect()
    }

    #[test]
    fn a_part_has_the_runs_of_its_text() {
        let colours = CodeColours::at_once();
        colours.begin_frame();
        let text = "let a = \"one\ntwo\"; fn b() {}";
        let code = CodePart::whole(SafeText::clean(text), Language::named("rust"), &colours);
        let second = code.part(13..text.len());
        assert_eq!(second.as_str(), "two\"; fn b() {}");
        let first = second.runs().first().copied();
        assert_eq!(first, Some(CodeRun { end: 4, role: Role::CodeString }), "the string goes on");
        assert_eq!(second.part(6..8).runs(), [CodeRun { end: 2, role: Role::CodeKeyword }]);
        assert_eq!(colours.asked(), 1);
    }

    #[test]
    fn a_run_that_ends_within_a_character_ends_after_it() {
        let run = |end, role| CodeRun { end, role };
        let runs = [run(1, Role::CodeString), run(2, Role::CodeNumber), run(5, Role::Code)];
        let kept = within("e\u{301}ab", 0, &runs);
        assert_eq!(kept, [run(3, Role::CodeString), run(5, Role::Code)]);
    }

    proptest! {
        #[test]
        fn runs_of_another_text_do_no_harm(
            part in "[a日e\u{301}🏳️‍🌈]{0,12}",
            start in 0..40_usize,
            found in proptest::collection::vec(0..99_usize, 0..9),
        ) {
            let found: Vec<CodeRun> =
                found.into_iter().map(|end| CodeRun { end, role: Role::Link }).collect();
            let ends = ends(&within(&part, start, &found));
            prop_assert!(ends.windows(2).all(|pair| pair[0] < pair[1]));
            prop_assert!(ends.iter().all(|end| *end > 0 && part.is_char_boundary(*end)));
        }
    }
}
