//! The texts of the sheet of changes.

use crate::domain::text::Text;
use crate::words::Counted;

pub(super) const TITLE: Text = Text::new("CHANGES", "改动");
pub(super) const OF_DIALOG: Text = Text::new("this dialog", "此对话");
pub(super) const OF_MAIN_DIALOG: Text = Text::new("main dialog", "主线对话");
pub(super) const UNREVIEWED: Text = Text::new("not reviewed", "未审阅");
pub(super) const FILES: Counted = Counted::new("file", "files", "个文件");
pub(super) const NO_BRANCH: Text = Text::new("no branch", "不在分支上");
pub(super) const ALL_COMMITTED: Text = Text::new("all committed", "全部已提交");
pub(super) const NOT_COMMITTED: Counted =
    Counted::new("file not committed", "files not committed", "个文件未提交");
pub(super) const MORE_FILES: Counted = Counted::new("more file", "more files", "个文件未列出");
pub(super) const LEFT_OUT: Counted =
    Counted::new("older change is left out", "older changes are left out", "个更早的改动未显示");
pub(super) const OMITTED_LINES: Counted =
    Counted::new("line is not recorded", "lines are not recorded", "行未记录");
pub(super) const AFTER_OTHERS: Text =
    Text::new("after a change by something else", "其间被其他程序改动过");
pub(super) const NONE: Text = Text::new(
    "No tool changed a file here. What commands change is not recorded.",
    "此处没有工具改动过文件。命令所做的改动不会被记录。",
);
pub(super) const ALL_REVIEWED: Text = Text::new(
    "Nothing was changed since you marked the changes as reviewed.",
    "自你标为已审阅以来没有改动。",
);
pub(super) const OTHER: Text = Text::new("other changes", "其他范围");
pub(super) const REVIEWED: Text = Text::new("reviewed", "已审阅");
pub(super) const CALL: Text = Text::new("call", "调用");
