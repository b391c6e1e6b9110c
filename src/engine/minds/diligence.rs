//! The diligence push: the text sent to a main dialog that stops before its task is finished.

use std::path::Path;

use super::untrusted_files::{self, FileContent};
use crate::domain::Lang;
use crate::domain::text::Text;

const DEFAULT_TEXT: Text = Text::new(
    "You stopped, and nothing you wait for is on its way. Look at the goal of the Taskdoc.\n\
     - The goal is unclear, or a decision is a person's to make: ask with `askHuman`.\n\
     - The goal is reached: say briefly how you know, and ask with `askHuman` for acceptance.\n\
     - Otherwise: take the next step now, yourself or by asking the teammate who owns it. \
     Announcing a step is not taking it.",
    "你停下了，而且没有任何你在等的事。请看任务文档的目标。\n\
     - 目标不清楚，或需要人来决定：用 `askHuman` 提问。\n\
     - 目标已达成：简短说明依据，并用 `askHuman` 请人验收。\n\
     - 否则：现在就走下一步，自己做，或请负责的队友做。宣布要做不等于做了。",
);

/// The file for the language, else the general one, else the default text. `None` if the file that
/// applies is empty: this switches keep-going off.
pub(super) fn load(workspace: &Path, lang: Lang) -> Option<String> {
    let for_lang = format!(".minds/diligence.{}.md", lang.code());
    for path in [for_lang.as_str(), ".minds/diligence.md"] {
        match untrusted_files::read(workspace, path, untrusted_files::TEXT_LIMIT_BYTES) {
            FileContent::Text(text) => {
                let body = untrusted_files::without_front_matter(&text).trim();
                return (!body.is_empty()).then(|| body.to_owned());
            }
            FileContent::Missing => {}
            FileContent::Unusable(_) => break,
        }
    }
    Some(DEFAULT_TEXT.in_lang(lang).to_owned())
}
