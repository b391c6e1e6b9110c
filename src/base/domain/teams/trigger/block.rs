//! Fenced blocks in the words of a task, in which it says something to the runtime.

const END: &str = "```";

/// The words without the last block of this kind, and what it says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Taken {
    pub words: String,
    pub said: String,
}

/// Takes the last block that begins with this line out of the words; `None` if there is none.
pub(super) fn take(words: &str, fence: &str) -> Option<Taken> {
    let (before, block) = words.split_at(start(words, fence)?);
    let inner = block.get(fence.len()..).unwrap_or_default();
    let (inner, after) = match inner.split_once(&format!("\n{END}")) {
        Some((inner, after)) => (inner, after),
        None => (inner, ""),
    };
    let rest = format!("{}\n{}", before.trim_end(), after.trim_start());
    Some(Taken { words: rest.trim().to_owned(), said: inner.trim().to_owned() })
}

/// Where the last block begins, at the beginning of a line.
fn start(words: &str, fence: &str) -> Option<usize> {
    let starts = words.match_indices(fence).map(|(at, _)| at);
    let is_first = |at: &usize| {
        words.get(..*at).is_some_and(|before| before.is_empty() || before.ends_with('\n'))
    };
    let is_whole = |at: &usize| {
        let rest = words.get(at + fence.len()..).unwrap_or_default();
        rest.is_empty() || rest.starts_with(char::is_whitespace)
    };
    starts.filter(is_first).filter(is_whole).last()
}
