//! What preparing and applying have in common.

use super::hunks::HunkMissing;
use crate::domain::Lang;
use crate::domain::text::Text;
use crate::tools::outcome::ToolOutcome;
use crate::tools::report::ToolReport;

/// The tool that applies. It has no other name: where edits are made at once, nothing is prepared.
pub(in crate::tools) const APPLY: &str = "apply_file_modification";

/// Works where blocking is allowed; `None` if that broke down.
pub(super) async fn in_background<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Option<T> {
    tokio::task::spawn_blocking(work).await.ok()
}

/// The result of a call that names no prepared edit it may use.
pub(super) fn no_hunk(mode: &str, path: &str, reason: HunkMissing, lang: Lang) -> ToolOutcome {
    let (code, summary) = match reason {
        HunkMissing::NotFound => (
            "HUNK_NOT_FOUND",
            Text::new(
                "There is no such prepared edit: unknown, used, replaced, or older than an hour. \
                 An edit can be applied only in a round after the one that prepared it. \
                 Prepare it (again), read the diff, then apply it.",
                "没有这个已准备的修改:未知、已用过、已被替换,或超过一小时。\
                 修改只能在准备它的那一轮之后应用。请(重新)准备,核对 diff,再应用。",
            )
            .in_lang(lang),
        ),
        HunkMissing::WrongOwner => (
            "WRONG_OWNER",
            Text::new(
                "Another member prepared this edit. Prepare your own.",
                "该修改由其他成员准备。请自行准备。",
            )
            .in_lang(lang),
        ),
    };
    ToolReport::error(mode, path, code).summary(summary).outcome()
}
