//! Said after the screen is closed: which drafts are not in the workspace, and where their texts are.

use std::io;

use crate::cli::output;
use crate::domain::Lang;
use crate::domain::text::in_lang;
use crate::platform::{env, private_file};
use crate::ui::UnsavedDraft;

/// The folder of the copies, in the state folder of the user: the one for copies from the screen.
const FOLDER: &str = "copies";

/// Writes each draft to a private file and prints its path; if that fails, prints the text.
pub fn report(drafts: &[UnsavedDraft], lang: Lang) {
    let text = text(drafts, lang, |text| {
        let path = private_file::create(FOLDER, "draft.md", text)?;
        Ok(env::display_path(&path))
    });
    if let Some(text) = text {
        output::note(&text);
    }
}

fn text(
    drafts: &[UnsavedDraft],
    lang: Lang,
    mut write: impl FnMut(&str) -> io::Result<String>,
) -> Option<String> {
    let mut below = String::new();
    let named = drafts.iter().map(|draft| {
        let what = draft.what.in_lang(lang);
        match write(&draft.text) {
            Ok(path) => in_lang!(lang, "{what} (in {path})", "{what}（在 {path}）"),
            Err(error) => {
                tracing::error!(%error, "a draft is in no file");
                below.push('\n');
                below.push_str(&draft.text);
                in_lang!(lang, "{what} (below)", "{what}（见下）")
            }
        }
    });
    let named: Vec<String> = named.collect();
    if named.is_empty() {
        return None;
    }
    let named = named.join(in_lang!(lang, ", ", "、").as_str());
    let line = in_lang!(
        lang,
        "dominds-tui: not sent, and not saved in the workspace: {named}",
        "dominds-tui：未发送，也未保存在工作区：{named}"
    );
    Some(line + &below)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::text::localized;

    #[test]
    fn leaving_names_each_draft_that_is_not_saved_and_where_its_text_is() {
        let draft = |text: &str| UnsavedDraft {
            what: localized!("the answer to {text}", "对 {text} 的回答"),
            text: text.to_owned(),
        };
        let drafts = [draft("q1"), draft("q2")];
        for (lang, what) in [(Lang::En, "the answer to q1"), (Lang::Zh, "对 q1 的回答")] {
            assert_eq!(text(&[], lang, |_| Ok(String::new())), None);
            let line = text(&drafts, lang, |text| Ok(format!("~/copies/{text}.md"))).unwrap();
            assert!(line.contains(what) && line.contains("~/copies/q2.md"), "{line}");
            assert_eq!(line.lines().count(), 1);
            let line = text(&drafts, lang, |_| Err(io::ErrorKind::StorageFull.into())).unwrap();
            assert!(line.contains(what) && line.ends_with("\nq1\nq2"), "{line}");
        }
    }
}
