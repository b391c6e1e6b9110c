//! Reads untrusted files of the workspace: bounded, regular files only, and never through a link that
//! leads outside the workspace, also one that is put there meanwhile.

use std::io::{ErrorKind, Read as _};
use std::path::Path;

use crate::domain::text::{Localized, Text, localized};
use crate::guard::{InvalidPath, PathFault, PathFaultKind, open_to_read};

/// Largest text read from `.minds`, in bytes (a persona, an environment text).
pub(crate) const TEXT_LIMIT_BYTES: usize = 256 * 1024;

/// Largest configuration file read from `.minds`, in bytes.
pub const CONFIG_LIMIT_BYTES: usize = 512 * 1024;

/// The content of a path.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum FileContent {
    Text(String),
    Missing,
    /// The reason, as the end of the sentence "the file cannot be used: …".
    Unusable(Localized),
}

/// Reads `relative` inside `workspace`, at most `limit` bytes, without a byte order mark.
pub(crate) fn read(workspace: &Path, relative: &str, limit: usize) -> FileContent {
    match read_bytes(workspace, relative, limit) {
        Ok(bytes) => match String::from_utf8(bytes) {
            Ok(text) => FileContent::Text(text.trim_start_matches('\u{feff}').to_owned()),
            Err(_) => unusable(Text::new("it is not UTF-8 text", "不是 UTF-8 文本")),
        },
        Err(found) => found,
    }
}

fn read_bytes(workspace: &Path, relative: &str, limit: usize) -> Result<Vec<u8>, FileContent> {
    // Blanks at its ends belong to it.
    let written = format!("./{relative}");
    let opened = open_to_read(workspace, &written).map_err(|fault| content_of_fault(&fault))?;
    let mut bytes = Vec::new();
    let max_bytes = u64::try_from(limit).unwrap_or(u64::MAX).saturating_add(1);
    let read = opened.file.take(max_bytes).read_to_end(&mut bytes);
    read.map_err(|error| unusable(Localized::same(error.to_string())))?;
    if bytes.len() > limit {
        let kib = limit.div_ceil(1024);
        return Err(unusable(localized!("it is larger than {kib} KiB", "超过 {kib} KiB")));
    }
    Ok(bytes)
}

fn content_of_fault(fault: &PathFault) -> FileContent {
    match fault.kind {
        PathFaultKind::NotFound
        | PathFaultKind::NotADirectory
        | PathFaultKind::Invalid(InvalidPath::TooLong)
        | PathFaultKind::Io(ErrorKind::InvalidFilename) => FileContent::Missing,
        PathFaultKind::Denied(_) => {
            unusable(Text::new("it leads outside the workspace", "它指向工作区之外"))
        }
        PathFaultKind::NotAFile => unusable(Text::new("it is not a regular file", "不是普通文件")),
        PathFaultKind::Io(kind) => unusable(Localized::same(kind.to_string())),
        PathFaultKind::Invalid(_)
        | PathFaultKind::Listed { .. }
        | PathFaultKind::Exists
        | PathFaultKind::NotEmpty
        | PathFaultKind::TooManyLinks
        | PathFaultKind::Changed => unusable(Localized::of(|lang| fault.text(lang))),
    }
}

fn unusable(reason: impl Into<Localized>) -> FileContent {
    FileContent::Unusable(reason.into())
}

/// The text after the front matter; the complete text without one.
pub(crate) fn without_front_matter(text: &str) -> &str {
    front_matter(text).map_or(text, |(_, body)| body)
}

/// The block between two `---` lines at the very start, and the text after it.
pub(crate) fn front_matter(text: &str) -> Option<(&str, &str)> {
    let rest = text.strip_prefix("---")?;
    let (_, block) = rest.split_once('\n').filter(|(line, _)| blank(line))?;
    let mut at = 0;
    for line in block.split_inclusive('\n') {
        let start = at;
        at += line.len();
        if line.strip_prefix("---").is_some_and(blank) {
            return block.get(..start).zip(block.get(at..));
        }
    }
    None
}

fn blank(text: &str) -> bool {
    text.trim().is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_read_within_its_limit_and_inside_the_workspace() {
        let outer = tempfile::tempdir().unwrap();
        let workspace = outer.path().join("ws");
        std::fs::create_dir_all(workspace.join("dir")).unwrap();
        std::fs::write(outer.path().join("secret"), "s").unwrap();
        std::fs::write(workspace.join("a"), "\u{feff}abc").unwrap();
        std::fs::write(workspace.join("bytes"), [0xff]).unwrap();
        assert_eq!(read(&workspace, "a", 6), FileContent::Text("abc".to_owned()));
        assert!(matches!(read(&workspace, "a", 5), FileContent::Unusable(_)));
        assert!(matches!(read(&workspace, "bytes", 9), FileContent::Unusable(_)));
        assert!(matches!(read(&workspace, "dir", 9), FileContent::Unusable(_)));
        assert!(matches!(read(&workspace, "../secret", 9), FileContent::Unusable(_)));
        assert_eq!(read(&workspace, "none", 9), FileContent::Missing);
        assert_eq!(read(&workspace, "a/b", 9), FileContent::Missing);
    }

    #[cfg(unix)]
    #[test]
    fn a_link_is_followed_only_inside_the_workspace() {
        let outer = tempfile::tempdir().unwrap();
        let workspace = outer.path().join("ws");
        std::fs::create_dir(&workspace).unwrap();
        std::fs::write(outer.path().join("secret"), "s").unwrap();
        std::fs::write(workspace.join("a"), "abc").unwrap();
        std::os::unix::fs::symlink("a", workspace.join("inside")).unwrap();
        std::os::unix::fs::symlink("../secret", workspace.join("outside")).unwrap();
        assert_eq!(read(&workspace, "inside", 9), FileContent::Text("abc".to_owned()));
        assert!(matches!(read(&workspace, "outside", 9), FileContent::Unusable(_)));
    }

    #[test]
    fn front_matter_is_stripped_only_when_it_is_closed() {
        for (text, expected) in [
            ("---\na: 1\n---\nbody\n", "body\n"),
            ("---\r\na: 1\r\n---\r\nbody", "body"),
            ("---\na: 1\n---", ""),
            ("---\na: 1\n", "---\na: 1\n"),
            ("body\n---\n", "body\n---\n"),
            ("----\nx\n---\n", "----\nx\n---\n"),
        ] {
            assert_eq!(without_front_matter(text), expected, "{text:?}");
        }
    }
}
