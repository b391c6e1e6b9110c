//! The texts of the sheet with the program's log.

use crate::domain::text::Text;
use crate::words::Counted;

pub(super) const TITLE: Text = Text::new("LOG", "日志");
pub(super) const LINES: Counted = Counted::new("line", "lines", "行");
pub(super) const AGAIN: Text = Text::new("read again", "重新读取");
pub(super) const FIND: Text = Text::new("Find in these lines", "在这些行中查找");
pub(super) const LEVEL: Text = Text::new("level", "级别");
pub(super) const TEAM: Text = Text::new("team", "团队");
pub(super) const SPAN: Text = Text::new("time", "时间");
pub(super) const HOUR: Text = Text::new("last hour", "最近一小时");
pub(super) const TEN_MINUTES: Text = Text::new("last 10 min", "最近 10 分钟");
pub(super) const LEFT_OUT: Text = Text::new("older lines are in the file", "更早的行在文件中");
pub(super) const NONE: Text = Text::new("There are no such lines today.", "今天没有这样的行。");
pub(super) const ALL: Text = Text::new("all", "全部");
pub(super) const INFO: Text = Text::new("info and above", "信息及以上");
pub(super) const WARN: Text = Text::new("warnings and errors", "警告与错误");
pub(super) const ERROR: Text = Text::new("errors", "错误");
