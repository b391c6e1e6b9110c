//! Which file of a task document a selector and a category name. Pure.
//!
//! A name that has a meaning at one level has none at another, in any letter case, so no section
//! can be mistaken for a second one.

use crate::domain::Lang;

/// Sections at the top, always in context.
const TOP: [&str; 3] = ["goals", "constraints", "progress"];

/// The directory of sections that are in context when they are filled.
const BEAR_IN_MIND: &str = "bearinmind";

/// The sections it may hold.
const BORNE: [&str; 6] = ["contracts", "acceptance", "grants", "runbook", "decisions", "risks"];

/// Longest selector or category.
const NAME_LIMIT_BYTES: usize = 100;

/// A section, by its file below the task document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Section {
    pub file: String,
    pub top_level: bool,
}

/// Why a selector and a category name no section.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SectionFault {
    NotAName(&'static str),
    UnknownTop,
    UnknownBorne,
    ReservedCategory,
    ReservedSelector,
}

/// Finds the section. A leading `!` of the selector is ignored, a blank category is none.
pub(super) fn section(category: Option<&str>, selector: &str) -> Result<Section, SectionFault> {
    let selector = selector.trim();
    let selector = selector.strip_prefix('!').unwrap_or(selector);
    let category = category.map(str::trim).filter(|category| !category.is_empty());
    if !is_name(selector) {
        return Err(SectionFault::NotAName("selector"));
    }
    let Some(category) = category else {
        if !TOP.contains(&selector) {
            return Err(SectionFault::UnknownTop);
        }
        return Ok(Section { file: format!("{selector}.md"), top_level: true });
    };
    if !is_name(category) {
        return Err(SectionFault::NotAName("category"));
    }
    if category == BEAR_IN_MIND {
        if !BORNE.contains(&selector) {
            return Err(SectionFault::UnknownBorne);
        }
    } else if is_reserved(category) {
        return Err(SectionFault::ReservedCategory);
    } else if is_reserved(selector) {
        return Err(SectionFault::ReservedSelector);
    }
    Ok(Section { file: format!("{category}/{selector}.md"), top_level: false })
}

impl SectionFault {
    /// The fault as a sentence for a model.
    pub(super) fn text(self, lang: Lang) -> String {
        let (top, borne) = (TOP.join(", "), BORNE.join(", "));
        match (self, lang) {
            (Self::NotAName(field), Lang::En) => format!(
                "`{field}` must begin with a letter and hold only letters, digits, `_`, `-` and \
                 single dots between them."
            ),
            (Self::NotAName(field), Lang::Zh) => {
                format!("`{field}` 须以字母开头,只含字母、数字、`_`、`-` 以及其间的单个点。")
            }
            (Self::UnknownTop, Lang::En) => {
                format!("Without a category, `selector` must be one of: {top}.")
            }
            (Self::UnknownTop, Lang::Zh) => format!("不带 category 时,`selector` 只能是:{top}。"),
            (Self::UnknownBorne, Lang::En) => {
                format!("In category {BEAR_IN_MIND}, `selector` must be one of: {borne}.")
            }
            (Self::UnknownBorne, Lang::Zh) => {
                format!("category 为 {BEAR_IN_MIND} 时,`selector` 只能是:{borne}。")
            }
            (Self::ReservedCategory, Lang::En) => {
                "This `category` is a reserved name; choose another.".to_owned()
            }
            (Self::ReservedCategory, Lang::Zh) => "该 `category` 是保留名,请换一个。".to_owned(),
            (Self::ReservedSelector, Lang::En) => {
                "This `selector` is a reserved name at another level; choose another.".to_owned()
            }
            (Self::ReservedSelector, Lang::Zh) => {
                "该 `selector` 是其他层级的保留名,请换一个。".to_owned()
            }
        }
    }
}

/// A letter, then letters, digits, `_` and `-`, in parts separated by single dots.
fn is_name(text: &str) -> bool {
    let word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    text.len() <= NAME_LIMIT_BYTES
        && text.starts_with(|first: char| first.is_ascii_alphabetic())
        && text.split('.').all(|part| !part.is_empty() && part.bytes().all(word))
}

fn is_reserved(name: &str) -> bool {
    let mut reserved = TOP.iter().chain(&BORNE).chain([&BEAR_IN_MIND]);
    reserved.any(|word| word.eq_ignore_ascii_case(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn selectors_and_categories_name_one_file_or_none() {
        let selector = Err(SectionFault::NotAName("selector"));
        let category = Err(SectionFault::NotAName("category"));
        for (given, name, expected) in [
            (None, "goals", Ok("goals.md")),
            (None, "!progress", Ok("progress.md")),
            (Some(""), " constraints ", Ok("constraints.md")),
            (Some("bearinmind"), "risks", Ok("bearinmind/risks.md")),
            (Some("research"), "findings", Ok("research/findings.md")),
            (Some("a-b_c.d1"), "x.y-z", Ok("a-b_c.d1/x.y-z.md")),
            (None, "Goals", Err(SectionFault::UnknownTop)),
            (None, "risks", Err(SectionFault::UnknownTop)),
            (None, "bearinmind", Err(SectionFault::UnknownTop)),
            (Some("bearinmind"), "goals", Err(SectionFault::UnknownBorne)),
            (Some("bearinmind"), "notes", Err(SectionFault::UnknownBorne)),
            (Some("BearInMind"), "risks", Err(SectionFault::ReservedCategory)),
            (Some("goals"), "x", Err(SectionFault::ReservedCategory)),
            (Some("risks"), "x", Err(SectionFault::ReservedCategory)),
            (Some("research"), "goals", Err(SectionFault::ReservedSelector)),
            (Some("research"), "RISKS", Err(SectionFault::ReservedSelector)),
            (None, "", selector),
            (None, "!!goals", selector),
            (Some("research"), "../../x", selector),
            (Some("research"), "a..b", selector),
            (Some("research"), ".a", selector),
            (Some("research"), "a.", selector),
            (Some("research"), "1a", selector),
            (Some("research"), "a b", selector),
            (Some("research"), "é", selector),
            (Some("research"), "a\0", selector),
            (Some("../x"), "a", category),
            (Some("a/b"), "a", category),
            (Some(".minds"), "a", category),
        ] {
            let found = section(given, name).map(|section| section.file);
            assert_eq!(found, expected.map(str::to_owned), "{given:?} {name:?}");
        }
        assert!(section(Some(&"a".repeat(101)), "x").is_err());
    }
}
