//! Why a category and a selector name no section of a Taskdoc, in words for a model.

use crate::domain::Lang;
use crate::domain::taskdoc::{BEAR_IN_MIND, BORNE, SECTIONS, SectionFault};

/// The fault as a sentence for a model.
pub(super) fn fault_text(fault: SectionFault, lang: Lang) -> String {
    let (top, borne) = (SECTIONS.join(", "), BORNE.join(", "));
    match (fault, lang) {
        (SectionFault::NotAName(field), Lang::En) => format!(
            "`{field}` must begin with a letter and hold only letters, digits, `_`, `-` and \
                 single dots between them."
        ),
        (SectionFault::NotAName(field), Lang::Zh) => {
            format!("`{field}` 须以字母开头,只含字母、数字、`_`、`-` 以及其间的单个点。")
        }
        (SectionFault::UnknownTop, Lang::En) => {
            format!("Without a category, `selector` must be one of: {top}.")
        }
        (SectionFault::UnknownTop, Lang::Zh) => {
            format!("不带 category 时,`selector` 只能是:{top}。")
        }
        (SectionFault::UnknownBorne, Lang::En) => {
            format!("In category {BEAR_IN_MIND}, `selector` must be one of: {borne}.")
        }
        (SectionFault::UnknownBorne, Lang::Zh) => {
            format!("category 为 {BEAR_IN_MIND} 时,`selector` 只能是:{borne}。")
        }
        (SectionFault::ReservedCategory, Lang::En) => {
            "This `category` is a reserved name; choose another.".to_owned()
        }
        (SectionFault::ReservedCategory, Lang::Zh) => {
            "该 `category` 是保留名,请换一个。".to_owned()
        }
        (SectionFault::ReservedSelector, Lang::En) => {
            "This `selector` is a reserved name at another level; choose another.".to_owned()
        }
        (SectionFault::ReservedSelector, Lang::Zh) => {
            "该 `selector` 是其他层级的保留名,请换一个。".to_owned()
        }
    }
}
