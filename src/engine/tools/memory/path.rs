//! The name of a memory: a path below the folder of its keeper. Pure.

use crate::domain::dialogs::memory::{MemoryOwner, is_shown};
use crate::domain::text::{Text, in_lang};
use crate::domain::{AgentId, Lang};

/// Why a path names no memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum MemoryPathFault {
    Empty,
    Absolute,
    Up,
    /// Begins with the folder of all configuration.
    FromWorkspace,
    /// Begins with the member's own id.
    OwnId(String),
}

/// The tidy path below the keeper's folder.
pub(super) fn normalize(
    written: &str,
    owner: MemoryOwner,
    member: &AgentId,
) -> Result<String, MemoryPathFault> {
    let written = written.trim();
    if written.starts_with('/') {
        return Err(MemoryPathFault::Absolute);
    }
    let names: Vec<&str> = written.split('/').filter(|name| !matches!(*name, "" | ".")).collect();
    let first = names.first().ok_or(MemoryPathFault::Empty)?;
    if names.contains(&"..") {
        return Err(MemoryPathFault::Up);
    }
    if *first == ".minds" {
        return Err(MemoryPathFault::FromWorkspace);
    }
    if owner == MemoryOwner::Member && *first == member.as_str() {
        return Err(MemoryPathFault::OwnId(member.to_string()));
    }
    Ok(names.join("/"))
}

/// Whether a memory of this tidy path is put into contexts.
pub(super) fn shown_in_contexts(path: &str) -> bool {
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
    is_shown(name) && !folders.split('/').any(|folder| folder.starts_with('.'))
}

impl MemoryPathFault {
    /// What is wrong and what to do instead.
    pub(super) fn text(&self, lang: Lang) -> String {
        match (self, lang) {
            (Self::Empty, _) => Text::new(
                "The path is empty. Give a name such as `notes/build.md`.",
                "路径为空。请给出如 `notes/build.md` 的名称。",
            )
            .in_lang(lang),
            (Self::Absolute, _) => Text::new(
                "The path must not begin with `/`. It is below the folder of these memories; give \
                 a name such as `notes/build.md`.",
                "路径不能以 `/` 开头。它相对于该记忆的目录,请给出如 `notes/build.md` 的名称。",
            )
            .in_lang(lang),
            (Self::Up, _) => Text::new(
                "The path must not hold `..`: it stays below the folder of these memories.",
                "路径不能含有 `..`:它只能位于该记忆的目录之内。",
            )
            .in_lang(lang),
            (Self::FromWorkspace, _) => Text::new(
                "Leave out `.minds/memory/...`: the path is already below the folder of these \
                 memories.",
                "请去掉 `.minds/memory/...`:路径已相对于该记忆的目录。",
            )
            .in_lang(lang),
            (Self::OwnId(id), lang) => {
                return in_lang!(
                    lang,
                    "Leave out `{id}/`: the path is already below your own folder.",
                    "请去掉 `{id}/`:路径已相对于你自己的目录。"
                );
            }
        }
        .to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn c18_a_path_stays_below_the_folder_of_its_keeper() {
        let lead = AgentId::new("lead");
        for (written, own, team) in [
            ("a.md", Ok("a.md"), Ok("a.md")),
            ("./notes//a.md", Ok("notes/a.md"), Ok("notes/a.md")),
            (" a b.md ", Ok("a b.md"), Ok("a b.md")),
            ("", Err(MemoryPathFault::Empty), Err(MemoryPathFault::Empty)),
            (" ./ ", Err(MemoryPathFault::Empty), Err(MemoryPathFault::Empty)),
            ("../x", Err(MemoryPathFault::Up), Err(MemoryPathFault::Up)),
            ("a/../../x", Err(MemoryPathFault::Up), Err(MemoryPathFault::Up)),
            ("/etc/x", Err(MemoryPathFault::Absolute), Err(MemoryPathFault::Absolute)),
            (".minds/x", Err(MemoryPathFault::FromWorkspace), Err(MemoryPathFault::FromWorkspace)),
            ("lead/a.md", Err(MemoryPathFault::OwnId("lead".into())), Ok("lead/a.md")),
            ("leader/a.md", Ok("leader/a.md"), Ok("leader/a.md")),
        ] {
            for (keeper, expected) in [(MemoryOwner::Member, own), (MemoryOwner::Team, team)] {
                let expected = expected.map(str::to_owned);
                assert_eq!(normalize(written, keeper, &lead), expected, "{written:?} {keeper:?}");
            }
        }
    }

    #[test]
    fn only_plain_markdown_names_are_put_into_contexts() {
        for (path, shown) in [
            ("a.md", true),
            ("x/y/a.md", true),
            ("a", false),
            ("a.txt", false),
            (".x/a.md", false),
            ("x/.a.md", false),
        ] {
            assert_eq!(shown_in_contexts(path), shown, "{path}");
        }
    }
}
