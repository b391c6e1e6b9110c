//! Why the store could not do what it was asked. Nothing that failed here was acknowledged.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use crate::domain::text::{Localized, Text, localized};
use crate::domain::{ForeignLayout, Problem, RootId};

#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Another process writes to this workspace.
    Held {
        holder: LockHolder,
    },
    /// A file of another user lies where the lock belongs: that user could hold it at will.
    UntrustedLock {
        path: PathBuf,
        reason: Localized,
    },
    ReadOnly,
    NotFound(RootId),
    Io {
        action: FileAction,
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    /// The file grew or shrank since it was last read or written here. Nothing was written.
    ExternalWriter(PathBuf),
    /// A link, folder or device lies where a file or folder of the layout belongs.
    Misplaced {
        path: PathBuf,
        expected: ExpectedKind,
    },
    Exists(PathBuf),
    /// The tree is damaged beyond repair; in a writing store it was set aside.
    Damaged(Box<Problem>),
    /// The tree is not in the layout that is written here.
    ForeignLayout(RootId, ForeignLayout),
    /// Nor is one that was set aside, and it stays there.
    ForeignAside {
        path: String,
        root: RootId,
        layout: ForeignLayout,
    },
    BadName {
        name: String,
    },
    Interrupted(String),
    Encode {
        path: PathBuf,
        text: String,
    },
    /// More than the file of drafts may have.
    DraftsTooLarge {
        bytes: usize,
        most: usize,
    },
}

/// What was being done with a file or folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileAction {
    Reading,
    /// Asking for its kind and size.
    LookingAt,
    Opening,
    Writing,
    Making,
    Locking,
    /// Taking the rights of other users away.
    ClosingToOthers,
    Moving,
    Copying,
    CopyingAside,
    Fixing,
    Removing,
    Syncing,
}

/// What belongs at a path of the layout.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExpectedKind {
    RegularFile,
    Folder,
}

/// Who holds a workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LockHolder {
    /// As its lock file says.
    Named(String),
    /// Its lock file belongs to another user.
    User(u32),
    /// Its lock file says nothing.
    Unnamed,
    /// One process after the other holds it.
    Changing,
}

impl StoreError {
    /// The message for a person.
    #[must_use]
    pub fn message(&self) -> Localized {
        match self {
            Self::Held { holder } => {
                let holder = holder.message();
                localized!([holder] "the workspace is in use by {holder}", "工作区正被占用：{holder}")
            }
            Self::UntrustedLock { path, reason } => {
                let path = path.display();
                localized!(
                    [reason] "{path} is not your lock file: {reason}. If nobody else uses this \
                              workspace, remove it",
                    "{path} 不是你的锁文件：{reason}。若无他人使用此工作区，请删除它"
                )
            }
            Self::ReadOnly => {
                Text::new("the workspace is open for reading only", "工作区以只读方式打开").into()
            }
            Self::NotFound(root) => {
                localized!("there is no dialog {root}", "没有对话 {root}")
            }
            Self::Io { action, path, source } => {
                let (action, path) = (action.text(), path.display());
                localized!([action] "{action} {path}: {source}", "{action} {path}：{source}")
            }
            Self::ExternalWriter(path) => localized!(
                ("{}: another program writes to it", path.display()),
                ("{}：另有程序在写入", path.display())
            ),
            Self::Misplaced { path, expected } => {
                let (path, expected) = (path.display(), expected.text());
                localized!([expected] "{path} is not {expected}", "{path} 不是{expected}")
            }
            Self::Exists(path) => {
                localized!(("{} exists already", path.display()), ("{} 已存在", path.display()))
            }
            Self::Damaged(problem) => problem.message(),
            Self::ForeignLayout(root, layout) => {
                let reason = layout.reason();
                localized!([reason] "{root} {reason}", "{root} {reason}")
            }
            Self::ForeignAside { path, root, layout } => {
                let (reason, fix) = (layout.reason(), fix_of_foreign_aside(root, *layout));
                localized!([reason, fix] "{path} {reason}; {fix}", "{path} {reason}；{fix}")
            }
            Self::BadName { name } => {
                localized!("{name:?} cannot name a file", "{name:?} 不能作为文件名")
            }
            Self::Interrupted(reason) => {
                localized!("the store was cut off: {reason}", "存储操作被中断：{reason}")
            }
            Self::Encode { path, text } => localized!(
                ("writing {}: {text}", path.display()),
                ("写入 {}：{text}", path.display())
            ),
            Self::DraftsTooLarge { bytes, most } => localized!(
                "all drafts together would take {bytes} bytes of {most}: send or shorten one",
                "所有草稿共需 {bytes} 字节，上限为 {most} 字节：请发送或缩短其中一份"
            ),
        }
    }

    /// True if another process holds the workspace.
    #[must_use]
    pub fn is_held(&self) -> bool {
        matches!(self, Self::Held { .. })
    }

    /// The work was cut off before it could report.
    #[must_use]
    pub fn interrupted(reason: &str) -> Self {
        Self::Interrupted(reason.to_owned())
    }

    /// Wraps an I/O error: `.map_err(StoreError::io(FileAction::Reading, path))`.
    pub(in crate::store) fn io(action: FileAction, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io { action, path, source }
    }
}

/// The fix of a tree that was set aside and may only be read.
pub(in crate::store) fn fix_of_foreign_aside(root: &RootId, layout: ForeignLayout) -> Localized {
    let fix = layout.fix();
    localized!(
        [fix] "{fix}; to see it here, move its folder to .dialogs/run/{root} yourself",
        "{fix}；若要在此查看，请自行把它的文件夹移到 .dialogs/run/{root}"
    )
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.message().fmt(f)
    }
}

impl FileAction {
    /// The beginning of a message that goes on with the path.
    const fn text(self) -> Text {
        match self {
            Self::Reading => Text::new("reading", "读取"),
            Self::LookingAt => Text::new("looking at", "查看"),
            Self::Opening => Text::new("opening", "打开"),
            Self::Writing => Text::new("writing", "写入"),
            Self::Making => Text::new("making", "创建"),
            Self::Locking => Text::new("locking", "锁定"),
            Self::ClosingToOthers => Text::new("closing to others", "收回他人权限"),
            Self::Moving => Text::new("moving", "移动"),
            Self::Copying => Text::new("copying", "复制"),
            Self::CopyingAside => Text::new("copying aside", "另存副本"),
            Self::Fixing => Text::new("fixing", "修复"),
            Self::Removing => Text::new("removing", "删除"),
            Self::Syncing => Text::new("syncing", "同步到磁盘"),
        }
    }
}

impl ExpectedKind {
    const fn text(self) -> Text {
        match self {
            Self::RegularFile => Text::new("a regular file", "普通文件"),
            Self::Folder => Text::new("a folder", "文件夹"),
        }
    }
}

impl LockHolder {
    /// Who it is, for a person.
    #[must_use]
    pub fn message(&self) -> Localized {
        match self {
            Self::Named(name) => Localized::same(name),
            Self::User(user) => localized!("user {user}", "用户 {user}"),
            Self::Unnamed => Text::new("another process", "另一个进程").into(),
            Self::Changing => {
                Text::new("processes that start and end all the time", "不断启动又结束的进程")
                    .into()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Lang;
    use crate::samples::assert_translated;

    #[test]
    fn every_error_has_both_languages_and_keeps_the_words_of_the_system() {
        use FileAction::{
            ClosingToOthers, Copying, CopyingAside, Fixing, Locking, LookingAt, Making, Moving,
            Opening, Reading, Removing, Syncing, Writing,
        };
        let path = PathBuf::from("a/b");
        let root = || RootId::new("aa/bb");
        let holders = [
            LockHolder::Named("pid 7".to_owned()),
            LockHolder::User(7),
            LockHolder::Unnamed,
            LockHolder::Changing,
        ];
        let kinds = [ExpectedKind::RegularFile, ExpectedKind::Folder];
        let actions = [
            Reading,
            LookingAt,
            Opening,
            Writing,
            Making,
            Locking,
            ClosingToOthers,
            Moving,
            Copying,
            CopyingAside,
            Fixing,
            Removing,
            Syncing,
        ];
        let io = |action| StoreError::io(action, &path)(io::Error::other("disk on fire"));
        let others = [
            StoreError::UntrustedLock { path: path.clone(), reason: Localized::new("no", "不") },
            StoreError::ReadOnly,
            StoreError::NotFound(root()),
            StoreError::ExternalWriter(path.clone()),
            StoreError::Exists(path.clone()),
            StoreError::BadName { name: "..".to_owned() },
            StoreError::interrupted("panic"),
            StoreError::Encode { path: path.clone(), text: "no".to_owned() },
            StoreError::DraftsTooLarge { bytes: 2, most: 1 },
        ];
        let held = holders.map(|holder| StoreError::Held { holder });
        let misplaced =
            kinds.map(|expected| StoreError::Misplaced { path: path.clone(), expected });
        let foreign = ForeignLayout::ALL.map(|layout| StoreError::ForeignLayout(root(), layout));
        let aside = ForeignLayout::ALL.map(|layout| {
            let path = ".dialogs/malformed/aa/bb".to_owned();
            StoreError::ForeignAside { path, root: root(), layout }
        });
        let all = others
            .into_iter()
            .chain(held)
            .chain(foreign)
            .chain(aside)
            .chain(misplaced)
            .chain(actions.map(io));
        for error in all {
            assert_translated(&error.message());
            assert_eq!(error.to_string(), error.message().to_string());
        }
        let chinese = io(Syncing).message();
        assert_eq!(chinese.in_lang(Lang::Zh), "同步到磁盘 a/b：disk on fire");
    }
}
