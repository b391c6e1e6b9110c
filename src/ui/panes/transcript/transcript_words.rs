//! The texts of the open dialog.

use crate::domain::text::Text;
use crate::words::Counted;

pub(super) use crate::words::{
    COURSE_BEGINS, FRESH_BOOTS, GENERATION, GUIDE, LINES, MORE_LINES, OF, PUSHED, RUNNING, THINKING,
};

pub(super) const NEW_BELOW: Text = Text::new("new", "新");
pub(super) const WORKING: Text = Text::new("working", "进行中");
pub(super) const DIVERGENCE: Text = Text::new("divergence", "发散");
pub(super) const CONVERGENCE: Text = Text::new("convergence", "收敛");
pub(super) const FINALIZATION: Text = Text::new("conclusion", "结论");
pub(super) const WORDS: Counted = Counted::new("word", "words", "词");
pub(super) const YOU: Text = Text::new("you", "你");
pub(super) const PUSH_REASON: Text = Text::new(
    "it stopped without asking or waiting for anybody, so it was told to go on",
    "它停了下来，既没有提问也没有在等任何人，因此被要求继续",
);
pub(super) const REPLIED: Text = Text::new("replied", "已回复");
pub(super) const FAILED: Text = Text::new("failed", "失败");
pub(super) const ASKS: Text = Text::new("asks", "问");
pub(super) const ASKS_YOU: Text = Text::new("asks you", "在问你");
pub(super) const WAITS_FOR_IT: Text = Text::new("waits for it", "在等");
pub(super) const AND: Text = Text::new("and", "和");
pub(super) const REPLY_TO: Text = Text::new("reply", "回复");
pub(super) const DELIVERED: Text = Text::new("delivered", "已送达");
pub(super) const NOT_DELIVERED: Text = Text::new("not delivered", "未送达");
pub(super) const CUT_OFF: Text =
    Text::new("the previous generation was interrupted", "上一次生成中断了");
pub(super) const OMITTED_LINES: Counted =
    Counted::new("line is not recorded", "lines are not recorded", "行未记录");
pub(super) const ALL_IN_PAGER: Text = Text::new("all in the pager", "在分页程序中查看全部");
pub(super) const INTERRUPTED: Text = Text::new("interrupted by a stop", "被停止打断");
pub(super) const UNKNOWN_RECORD: Text = Text::new("unknown record", "未知记录");
pub(super) const NEWER_PROGRAM: Text = Text::new("(newer version?)", "（更新的版本？）");
