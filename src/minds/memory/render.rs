//! How memories stand in a context: one message each, in the member's own voice, with what it needs to
//! keep them in order. The same files give the same bytes.

use std::time::SystemTime;

use super::{Memory, OwnerMemories, UnusableMemory, UnusableReason};
use crate::domain::counted;
use crate::domain::memory::{FILE_LIMIT_BYTES, MemoryOwner, TOTAL_LIMIT_BYTES};
use crate::domain::{Lang, Stamp};

/// What the texts depend on besides the memories.
pub(in crate::minds) struct RenderOptions<'a> {
    pub lang: Lang,
    /// The tools the member is offered.
    pub tool_names: &'a [String],
    pub stamp: &'a dyn Fn(SystemTime) -> Stamp,
}

/// The messages, in the order of the keepers and of the paths.
pub(in crate::minds) fn messages<'a>(
    shelves: impl Iterator<Item = (MemoryOwner, &'a OwnerMemories)>,
    setting: &RenderOptions<'_>,
) -> Vec<String> {
    let mut messages = Vec::new();
    for (keeper, shelf) in shelves {
        messages
            .extend(shelf.memories.iter().map(|memory| memory_message(keeper, memory, setting)));
        messages.extend(unusable_message(keeper, &shelf.unusable, setting));
    }
    messages
}

fn memory_message(keeper: MemoryOwner, memory: &Memory, setting: &RenderOptions<'_>) -> String {
    let Memory { path, text, bytes, modified } = memory;
    let words = word_count(text);
    let changed = modified.map(setting.stamp).unwrap_or_default();
    let whose = owner_heading(keeper, setting.lang);
    let head = match setting.lang {
        Lang::En => {
            let bytes = counted(*bytes, "byte", "bytes");
            let words = counted(words, "word", "words");
            format!("{whose}: `{path}`, {bytes}, {words}, changed {changed}.")
        }
        Lang::Zh => format!("{whose}：`{path}`，{bytes} 字节，{words} 词，修改于 {changed}。"),
    };
    format!("{head}{}\n\n{text}", tool_hint(keeper, setting))
}

fn owner_heading(keeper: MemoryOwner, lang: Lang) -> &'static str {
    match keeper {
        MemoryOwner::Team => lang.pick("From the memories of our team", "摘自我们团队的记忆"),
        MemoryOwner::Member => lang.pick("From my own memories", "摘自我自己的记忆"),
    }
}

/// With which tools, if the member has them.
fn tool_hint(keeper: MemoryOwner, setting: &RenderOptions<'_>) -> String {
    let [_, replace, drop] = keeper.tools();
    if !setting.tool_names.iter().any(|name| name == replace) {
        return String::new();
    }
    match setting.lang {
        Lang::En => format!(" I change it with `{replace}` and drop it with `{drop}`."),
        Lang::Zh => format!("我用 `{replace}` 修改它，用 `{drop}` 删除它。"),
    }
}

/// What is there but cannot be shown.
fn unusable_message(
    keeper: MemoryOwner,
    unusable: &[UnusableMemory],
    setting: &RenderOptions<'_>,
) -> Option<String> {
    if unusable.is_empty() {
        return None;
    }
    let lang = setting.lang;
    let whose = owner_heading(keeper, lang);
    let names: Vec<String> = unusable
        .iter()
        .map(|found| format!("- `{}`: {}", found.path, reason_text(&found.reason, lang)))
        .collect();
    let head = lang.pick("there, but not shown here", "存在但未在此显示");
    let comma = lang.pick(", ", "，");
    Some(format!("{whose}{comma}{head}:\n{}", names.join("\n")))
}

fn reason_text(reason: &UnusableReason, lang: Lang) -> String {
    let (file, total) = (FILE_LIMIT_BYTES, TOTAL_LIMIT_BYTES);
    match (reason, lang) {
        (UnusableReason::TooLarge, Lang::En) => format!("larger than {file} bytes; shorten it"),
        (UnusableReason::TooLarge, Lang::Zh) => format!("超过 {file} 字节，请缩短"),
        (UnusableReason::OverBudget, Lang::En) => {
            format!("all together are larger than {total} bytes; shorten or drop some")
        }
        (UnusableReason::OverBudget, Lang::Zh) => {
            format!("合计超过 {total} 字节，请缩短或删除一些")
        }
        (UnusableReason::NotAFile, _) => {
            lang.pick("a link, which is not followed", "是链接，不予跟随").into()
        }
        (UnusableReason::Unreadable(_), _) => {
            lang.pick("not readable as text", "无法作为文本读取").into()
        }
        (UnusableReason::TooManyEntries, _) => {
            lang.pick("too many files or folders", "文件或目录过多").into()
        }
    }
}

/// Words between blanks; in writing without blanks every sign counts.
fn word_count(text: &str) -> usize {
    let mut count = 0;
    let mut inside = false;
    for c in text.chars() {
        let sign = matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}');
        let letter = !sign && !c.is_whitespace();
        count += usize::from(sign || (letter && !inside));
        inside = letter;
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_counted_in_either_kind_of_writing() {
        for (text, count) in
            [("", 0), ("one two\nthree", 3), ("你好世界", 4), ("用 cargo 编译", 4), ("ab你cd", 3)]
        {
            assert_eq!(word_count(text), count, "{text}");
        }
    }
}
