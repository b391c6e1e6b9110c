//! Renders memories for the context: one message each, in the first person, with the tools to change
//! them. The same files give the same bytes.

use std::time::SystemTime;

use super::{Memory, OwnerMemories, UnusableMemory, UnusableReason};
use crate::domain::counted;
use crate::domain::dialogs::memory::{FILE_LIMIT_BYTES, MemoryOwner, TOTAL_LIMIT_BYTES};
use crate::domain::text::{Text, in_lang};
use crate::domain::{Lang, Stamp};

/// Input besides the memories.
pub(in crate::minds) struct RenderOptions<'a> {
    pub lang: Lang,
    /// The member's tools.
    pub tool_names: &'a [String],
    pub stamp: &'a dyn Fn(SystemTime) -> Stamp,
}

/// The messages, sorted by owner and path.
pub(in crate::minds) fn messages<'a>(
    memories: impl Iterator<Item = (MemoryOwner, &'a OwnerMemories)>,
    setting: &RenderOptions<'_>,
) -> Vec<String> {
    let mut messages = Vec::new();
    for (owner, owned) in memories {
        messages.extend(owned.memories.iter().map(|memory| memory_message(owner, memory, setting)));
        messages.extend(unusable_message(owner, &owned.unusable, setting));
    }
    messages
}

fn memory_message(owner: MemoryOwner, memory: &Memory, setting: &RenderOptions<'_>) -> String {
    let Memory { path, text, bytes, modified } = memory;
    let words = word_count(text);
    let changed = modified.map(setting.stamp).unwrap_or_default();
    let whose = owner_heading(owner, setting.lang);
    let (size, length) = (counted(*bytes, "byte", "bytes"), counted(words, "word", "words"));
    let head = in_lang!(
        setting.lang,
        "{whose}: `{path}`, {size}, {length}, changed {changed}.",
        "{whose}：`{path}`，{bytes} 字节，{words} 词，修改于 {changed}。"
    );
    format!("{head}{}\n\n{text}", tool_hint(owner, setting))
}

fn owner_heading(owner: MemoryOwner, lang: Lang) -> &'static str {
    match owner {
        MemoryOwner::Team => {
            Text::new("From the memories of our team", "摘自我们团队的记忆").in_lang(lang)
        }
        MemoryOwner::Member => Text::new("From my own memories", "摘自我自己的记忆").in_lang(lang),
    }
}

/// Names the tools to change it, if the member has them.
fn tool_hint(owner: MemoryOwner, setting: &RenderOptions<'_>) -> String {
    let [_, replace, drop] = owner.tools();
    if !setting.tool_names.iter().any(|name| name == replace) {
        return String::new();
    }
    in_lang!(
        setting.lang,
        " I change it with `{replace}` and drop it with `{drop}`.",
        "我用 `{replace}` 修改它，用 `{drop}` 删除它。"
    )
}

/// Lists the files that cannot be shown.
fn unusable_message(
    owner: MemoryOwner,
    unusable: &[UnusableMemory],
    setting: &RenderOptions<'_>,
) -> Option<String> {
    if unusable.is_empty() {
        return None;
    }
    let lang = setting.lang;
    let whose = owner_heading(owner, lang);
    let names: Vec<String> = unusable
        .iter()
        .map(|found| format!("- `{}`: {}", found.path, reason_text(&found.reason, lang)))
        .collect();
    let head = Text::new("there, but not shown here", "存在但未在此显示").in_lang(lang);
    let comma = Text::new(", ", "，").in_lang(lang);
    Some(format!("{whose}{comma}{head}:\n{}", names.join("\n")))
}

fn reason_text(reason: &UnusableReason, lang: Lang) -> String {
    let (file, total) = (FILE_LIMIT_BYTES, TOTAL_LIMIT_BYTES);
    match reason {
        UnusableReason::TooLarge => {
            in_lang!(lang, "larger than {file} bytes; shorten it", "超过 {file} 字节，请缩短")
        }
        UnusableReason::OverBudget => in_lang!(
            lang,
            "all together are larger than {total} bytes; shorten or drop some",
            "合计超过 {total} 字节，请缩短或删除一些"
        ),
        UnusableReason::NotAFile => {
            Text::new("a link, which is not followed", "是链接，不予跟随").in_lang(lang).into()
        }
        UnusableReason::Unreadable(_) => {
            Text::new("not readable as text", "无法作为文本读取").in_lang(lang).into()
        }
        UnusableReason::TooManyEntries => {
            Text::new("too many files or folders", "文件或目录过多").in_lang(lang).into()
        }
    }
}

/// Words separated by whitespace; each Chinese or Japanese character counts as one.
fn word_count(text: &str) -> usize {
    let mut count = 0;
    let mut inside = false;
    for c in text.chars() {
        let ideograph = matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}');
        let letter = !ideograph && !c.is_whitespace();
        count += usize::from(ideograph || (letter && !inside));
        inside = letter;
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_counted_with_and_without_spaces() {
        for (text, count) in
            [("", 0), ("one two\nthree", 3), ("你好世界", 4), ("用 cargo 编译", 4), ("ab你cd", 3)]
        {
            assert_eq!(word_count(text), count, "{text}");
        }
    }
}
