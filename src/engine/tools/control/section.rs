//! Why a category and a selector name no section of a Taskdoc, in words for a model.

use crate::domain::Lang;
use crate::domain::dialogs::taskdoc::{BEAR_IN_MIND, BORNE, SECTIONS, SectionFault};
use crate::domain::text::in_lang;

/// The fault as a sentence for a model.
pub(super) fn fault_text(fault: SectionFault, lang: Lang) -> String {
    let (top, borne) = (SECTIONS.join(", "), BORNE.join(", "));
    match fault {
        SectionFault::NotAName(field) => in_lang!(
            lang,
            "`{field}` must begin with a letter and hold only letters, digits, `_`, `-` and \
                 single dots between them.",
            "`{field}` 须以字母开头,只含字母、数字、`_`、`-` 以及其间的单个点。"
        ),
        SectionFault::UnknownTop => in_lang!(
            lang,
            "Without a category, `selector` must be one of: {top}.",
            "不带 category 时,`selector` 只能是:{top}。"
        ),
        SectionFault::UnknownBorne => in_lang!(
            lang,
            "In category {BEAR_IN_MIND}, `selector` must be one of: {borne}.",
            "category 为 {BEAR_IN_MIND} 时,`selector` 只能是:{borne}。"
        ),
        SectionFault::ReservedCategory => in_lang!(
            lang,
            "This `category` is a reserved name; choose another.",
            "该 `category` 是保留名,请换一个。"
        ),
        SectionFault::ReservedSelector => in_lang!(
            lang,
            "This `selector` is a reserved name at another level; choose another.",
            "该 `selector` 是其他层级的保留名,请换一个。"
        ),
    }
}
