//! The parts of a Taskdoc: which file a category and a selector name. Pure.
//!
//! A name that has a meaning at one level has none at another, in any letter case, so no section
//! can be mistaken for a second one.

/// Sections at the top, always in context, in the order of the package.
pub const SECTIONS: [&str; 3] = ["goals", "constraints", "progress"];

/// The directory of sections that are in context when they are filled.
pub const BEAR_IN_MIND: &str = "bearinmind";

/// The sections it may hold, in the order shown.
pub const BORNE: [&str; 6] = ["contracts", "acceptance", "grants", "runbook", "decisions", "risks"];

/// Longest selector or category.
const NAME_LIMIT_BYTES: usize = 100;

/// A section, by its file below the task document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section {
    /// With `/` between folder and file.
    pub file: String,
    pub top_level: bool,
}

/// Why a selector and a category name no section.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SectionFault {
    NotAName(&'static str),
    UnknownTop,
    UnknownBorne,
    ReservedCategory,
    ReservedSelector,
}

impl Section {
    /// What people and models call it: `goals`, `bearinmind/risks`, `research/findings`.
    #[must_use]
    pub fn name(&self) -> &str {
        self.file.strip_suffix(".md").unwrap_or(&self.file)
    }

    /// The section with this name.
    pub fn named(name: &str) -> Result<Self, SectionFault> {
        match name.split_once('/') {
            Some((category, selector)) => section(Some(category), selector),
            None => section(None, name),
        }
    }
}

/// Finds the section. A leading `!` of the selector is ignored, a blank category is none.
pub fn section(category: Option<&str>, selector: &str) -> Result<Section, SectionFault> {
    let selector = selector.trim();
    let selector = selector.strip_prefix('!').unwrap_or(selector);
    let category = category.map(str::trim).filter(|category| !category.is_empty());
    if !is_name(selector) {
        return Err(SectionFault::NotAName("selector"));
    }
    let Some(category) = category else {
        if !SECTIONS.contains(&selector) {
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

/// Names a content of a section, as Dominds does: a model that replaces it says what it has seen.
#[must_use]
pub fn content_hash(text: &str) -> String {
    let bit = |crc: u32, _| (crc >> 1) ^ (0xEDB8_8320 * (crc & 1));
    let byte = |crc: u32, byte: u8| (0..8).fold(crc ^ u32::from(byte), bit);
    format!("crc32:{:08x}", !text.bytes().fold(u32::MAX, byte))
}

/// A letter, then letters, digits, `_` and `-`, in parts separated by single dots.
pub fn is_name(text: &str) -> bool {
    let word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    text.len() <= NAME_LIMIT_BYTES
        && text.starts_with(|first: char| first.is_ascii_alphabetic())
        && text.split('.').all(|part| !part.is_empty() && part.bytes().all(word))
}

fn is_reserved(name: &str) -> bool {
    let mut reserved = SECTIONS.iter().chain(&BORNE).chain([&BEAR_IN_MIND]);
    reserved.any(|word| word.eq_ignore_ascii_case(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_content_is_named_by_its_checksum() {
        assert_eq!(content_hash(""), "crc32:00000000");
        assert_eq!(content_hash("123456789"), "crc32:cbf43926");
    }

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
        for name in ["goals", "bearinmind/risks", "research/findings"] {
            assert_eq!(Section::named(name).as_ref().map(Section::name), Ok(name));
        }
        assert!(Section::named("a/b/c").is_err() && Section::named("notes").is_err());
    }
}
