//! What keeps the store from working.

use std::io;
use std::path::{Path, PathBuf};

pub use crate::domain::reading::problem::STORE_PROBLEM;
use crate::domain::safety::ownership::Distrust;
use crate::domain::text::{Localized, Text, localized};
use crate::domain::{Problem, TeamName};

use super::folder::DATABASE;
use crate::minds::{STORE_FOLDER as PATH, team_file};

/// Why something of the store could not be done.
#[derive(Debug, thiserror::Error)]
pub enum StoreFault {
    #[error("nobody has agreed to this store")]
    NotAgreed,
    #[error("the store has no name of its own")]
    Nameless,
    #[error("{0} is a link, or has several names")]
    Link(PathBuf),
    #[error("{path} {}", why.reason())]
    Distrusted { path: PathBuf, why: Distrust },
    #[error("{path}: {error}")]
    Io { path: PathBuf, error: io::Error },
    #[error("the store is of a newer version")]
    Newer,
    #[error("the store is damaged: {0}")]
    Damaged(String),
    #[error("another program holds the store")]
    Busy,
    #[error("the disk is full")]
    Full,
    #[error("too many notices are open")]
    TooMany,
    #[error("the store has ended")]
    Ended,
    /// The address of a shared store cannot be used.
    #[error("{0}")]
    Settings(Localized),
    /// The server of a shared store cannot be reached, or the connection to it broke.
    #[error("the server of the store: {0}")]
    Lost(String),
    /// The server refuses something.
    #[error("the server of the store: {0}")]
    Server(String),
    /// The name of this workspace in a shared store was not drawn here.
    #[error("the name in .hive/seat came with this workspace")]
    ForeignSeat,
    /// A copy of this workspace uses the shared store, on this box.
    #[error("a copy of this workspace on {0} uses the store")]
    SeatInUse(String),
    #[error("{0}")]
    Other(String),
}

impl StoreFault {
    /// True if the connection to a server is lost.
    #[must_use]
    pub fn is_lost(&self) -> bool {
        matches!(self, Self::Lost(_))
    }

    /// True for a fault that passes without a change of the store. On a damaged store nothing is tried.
    #[must_use]
    pub fn may_pass(&self) -> bool {
        matches!(self, Self::Busy | Self::Full)
    }

    /// The message for a person.
    #[must_use]
    pub fn text(&self) -> Localized {
        match self {
            Self::NotAgreed => Text::new(
                "the store .hive came with this workspace, and nobody has agreed to it: `dominds-tui trust` shows it",
                "存储 .hive 随工作区而来，尚无人同意：`dominds-tui trust` 会列出它",
            )
            .into(),
            Self::Nameless => Text::new(
                "the store .hive/hive.db was not made here: its name in .hive/seat is missing",
                "存储 .hive/hive.db 不是在这里建立的：缺少 .hive/seat 中的名称",
            )
            .into(),
            Self::Link(path) => {
                let path = path.display();
                localized!(
                    "{path} is a link or has a second name, so the store is not opened: put a folder or a file there",
                    "{path} 是链接或有第二个名称，因此不打开存储：请在那里放置真正的文件夹或文件"
                )
            }
            Self::Distrusted { path, why } => {
                let (text, fix) = (not_obeyed(path, *why), why.fix(&path.display().to_string()));
                localized!([text, fix] "{text}; {fix}", "{text}；{fix}")
            }
            Self::Io { path, error } => {
                let path = path.display();
                localized!("{path}: {error}", "{path}：{error}")
            }
            Self::Newer => Text::new(
                "the store was written by a newer version of this program: use that version",
                "存储由更新版本的程序写成：请使用该版本",
            )
            .into(),
            Self::Damaged(why) => localized!(
                "the store {PATH}/{DATABASE} cannot be read: {why}",
                "存储 {PATH}/{DATABASE} 无法读取：{why}"
            ),
            Self::Busy => Text::new(
                "another program holds the store; try again",
                "另一个程序占用着存储；请重试",
            )
            .into(),
            Self::Full => Text::new(
                "no room on the disk for the store: free some",
                "磁盘已满，存储无法写入：请腾出空间",
            )
            .into(),
            Self::TooMany => Text::new(
                "too many notices are open: a person has to dismiss some first",
                "未处理的通知过多：需要先由人清除一些",
            )
            .into(),
            Self::Ended => Text::new("the program is ending", "程序正在结束").into(),
            Self::Settings(why) => localized!(
                [why] "the store of this workspace cannot be used: {why}",
                "本工作区的存储无法使用：{why}"
            ),
            Self::Lost(why) => localized!(
                "the server of the store cannot be reached: {why}",
                "无法连接存储的服务器：{why}"
            ),
            Self::Server(why) => localized!(
                "the server of the store refuses: {why}",
                "存储的服务器拒绝了请求：{why}"
            ),
            Self::ForeignSeat => Text::new(
                "the name in .hive/seat came with this workspace, and may be that of another one in the shared store",
                ".hive/seat 中的名称随工作区而来，在共享存储中可能属于另一个工作区",
            )
            .into(),
            Self::SeatInUse(place) => localized!(
                "a copy of this workspace uses the shared store: {place}",
                "本工作区的一个副本正在使用共享存储：{place}"
            ),
            Self::Other(why) => {
                localized!("the store {PATH}/{DATABASE}: {why}", "存储 {PATH}/{DATABASE}：{why}")
            }
        }
    }

    /// The problem that the copy of this day is missing, with this fault as the reason.
    #[must_use]
    pub fn of_copy(&self) -> Problem {
        let why = self.text();
        let text = localized!(
            [why] "there is no copy of the store of this day: {why}",
            "今天没有存储的副本：{why}"
        );
        let fix = Text::new(
            "remove the cause; `dominds-tui hive backup FILE` makes a copy now",
            "请排除原因；`dominds-tui hive backup 文件` 会立即建立副本",
        );
        Problem::new("hive/backup", PATH, text, fix).warning()
    }

    /// The problem, if the fault stays until a person does something.
    #[must_use]
    pub fn problem(&self) -> Option<Problem> {
        let fix = match self {
            Self::TooMany | Self::Ended => return None,
            Self::NotAgreed => Text::new(
                "agree with `dominds-tui trust`, or begin with a store of your own: `dominds-tui hive reset`",
                "用 `dominds-tui trust` 同意，或用 `dominds-tui hive reset` 建立自己的存储",
            ),
            Self::Distrusted { path, why } => {
                let fix = why.fix(&path.display().to_string());
                return Some(Problem::new(STORE_PROBLEM, PATH, not_obeyed(path, *why), fix));
            }
            Self::Link(_) => Text::new("replace it", "请替换它"),
            Self::Io { .. } => Text::new("correct its permissions", "请更正其权限"),
            Self::Newer => Text::new("use the newer version", "请使用更新的版本"),
            Self::Nameless | Self::Damaged(_) | Self::Other(_) => Text::new(
                "`dominds-tui hive restore FILE` takes a copy from .hive/backups, `dominds-tui hive reset` begins with an empty one; what is there is kept",
                "`dominds-tui hive restore 文件` 使用 .hive/backups 中的副本，`dominds-tui hive reset` 从空的开始；现有的会保留",
            ),
            Self::Settings(_) => {
                Text::new("correct `hive` in config.yaml", "请更正 config.yaml 中的 `hive`")
            }
            Self::Lost(_) => Text::new(
                "nothing to do if it comes back; else correct `hive` in config.yaml, or start the server",
                "若会恢复则无需处理；否则请更正 config.yaml 中的 `hive`，或启动服务器",
            ),
            Self::Server(_) => Text::new(
                "remove the cause on the server, or correct `hive` in config.yaml",
                "请在服务器上排除原因，或更正 config.yaml 中的 `hive`",
            ),
            Self::ForeignSeat => Text::new(
                "remove .hive/seat: this workspace gets a name of its own",
                "请删除 .hive/seat：本工作区会得到自己的名称",
            ),
            Self::SeatInUse(_) => Text::new(
                "end the driver there, or remove .hive/seat here if this is the copy",
                "请结束那里的驱动程序；若这里是副本，请删除 .hive/seat",
            ),
            Self::Busy => Text::new("end the program that holds it", "请结束占用它的程序"),
            Self::Full => Text::new("free some room on the disk", "请腾出磁盘空间"),
        };
        let place = match self {
            Self::Settings(_) | Self::Lost(_) | Self::Server(_) => "config.yaml",
            Self::NotAgreed
            | Self::Nameless
            | Self::Link(_)
            | Self::Distrusted { .. }
            | Self::Io { .. }
            | Self::Newer
            | Self::Damaged(_)
            | Self::Busy
            | Self::Full
            | Self::TooMany
            | Self::Ended
            | Self::ForeignSeat
            | Self::SeatInUse(_)
            | Self::Other(_) => PATH,
        };
        let problem = Problem::new(STORE_PROBLEM, place, self.text(), fix);
        // This is no failure: a person has not decided yet.
        Some(if matches!(self, Self::NotAgreed) { problem.warning() } else { problem })
    }
}

/// The problem of a team that is not worked for here because its file differs elsewhere.
pub(super) fn team_differs(team: &TeamName) -> Problem {
    let text = localized!(
        "another box works for team {team} by another file: its tasks are not started here",
        "另一台机器按不同的文件为团队 {team} 工作：它的任务不在这里启动"
    );
    let fix = Text::new(
        "make the files of the team the same on all boxes",
        "请使该团队的文件在所有机器上一致",
    );
    Problem::new(format!("hive/team-differs/{team}"), team_file(team), text, fix)
}

fn not_obeyed(path: &Path, why: Distrust) -> Localized {
    let (path, reason) = (path.display(), why.reason());
    localized!(
        [reason] "{path} {reason}, so the store is not opened",
        "{path} {reason}，因此不打开存储"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Lang;
    use crate::samples::assert_translated;

    #[test]
    fn nothing_is_tried_on_a_store_that_is_damaged_or_of_a_newer_version() {
        let damaged = StoreFault::Damaged("why".to_owned());
        let all = [damaged, StoreFault::Newer, StoreFault::Busy, StoreFault::Full];
        assert_eq!(all.map(|fault| fault.may_pass()), [false, false, true, true]);
    }

    #[test]
    fn every_fault_is_told_in_both_languages() {
        for fault in [
            StoreFault::NotAgreed,
            StoreFault::Nameless,
            StoreFault::Link(PathBuf::from("x")),
            StoreFault::Distrusted { path: PathBuf::from("x"), why: Distrust::Writable(0o666) },
            StoreFault::Newer,
            StoreFault::Damaged("why".to_owned()),
            StoreFault::Busy,
            StoreFault::Full,
            StoreFault::TooMany,
            StoreFault::Ended,
            StoreFault::Settings(Text::new("why", "为何").into()),
            StoreFault::Lost("why".to_owned()),
            StoreFault::Server("why".to_owned()),
            StoreFault::ForeignSeat,
            StoreFault::SeatInUse("box".to_owned()),
            StoreFault::Other("why".to_owned()),
        ] {
            assert_translated(&fault.text());
        }
        // Its words are those of the system.
        let io = StoreFault::Io { path: PathBuf::from("x"), error: io::Error::other("no") };
        assert_eq!(io.text().in_lang(Lang::Zh), "x：no");
    }
}
