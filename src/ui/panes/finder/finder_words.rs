//! The texts of the search in the records of dialogs.

use crate::domain::reading::transcript::SpokenKind;
use crate::domain::text::Text;
use crate::protocol::{FindRequest, FindScope};
use crate::words::Counted;

pub(super) const FOUND: Counted = Counted::new("record", "records", "条记录");
pub(super) const MATCHES: Counted = Counted::new("match", "matches", "处匹配");
pub(super) const FIRST: Text = Text::new("the first {}", "前 {}");
pub(super) const SEARCHING: Text = Text::new("searching …", "正在搜索 …");
pub(super) const NOTHING: Text = Text::new("nothing found", "没有找到");
pub(super) const TYPE: Text = Text::new(
    "Type a word. It is searched in everything that was said, thought, called and answered.",
    "输入要查找的词。会在说过、想过、调用过和回答过的一切中查找。",
);
pub(super) const UNREAD: Counted =
    Counted::new("course is unreadable", "courses are unreadable", "个课程无法读取");
pub(super) const OTHER: Text = Text::new("other scope", "其他范围");
pub(super) const COURSE: Text = Text::new("course", "课程");
pub(super) const YOU: Text = Text::new("you", "你");

pub(super) fn title(wanted: &FindRequest) -> Text {
    if wanted.said {
        return Text::new("CONVERSATIONS", "会话记录");
    }
    match wanted.scope {
        FindScope::Dialog => Text::new("FIND IN THIS DIALOG", "在此对话中查找"),
        FindScope::MainDialog => Text::new("FIND IN THIS MAIN DIALOG", "在此主线对话中查找"),
        FindScope::All => Text::new("FIND IN ALL DIALOGS", "在所有对话中查找"),
    }
}

pub(super) fn kind(kind: SpokenKind) -> Text {
    match kind {
        SpokenKind::You => Text::new("message", "消息"),
        SpokenKind::Assignment => Text::new("assignment", "任务"),
        SpokenKind::Guide => Text::new("runtime guide", "运行时提示"),
        SpokenKind::Push => Text::new("automatic push", "自动续推"),
        SpokenKind::Notice => Text::new("notice", "通知"),
        SpokenKind::Thinking => Text::new("thinking", "思考"),
        SpokenKind::Saying => Text::new("words", "发言"),
        SpokenKind::Call => Text::new("call", "调用"),
        SpokenKind::Result => Text::new("result", "结果"),
        SpokenKind::Request => Text::new("asks", "请求"),
        SpokenKind::Reply => Text::new("reply", "回复"),
        SpokenKind::Question => Text::new("question", "问题"),
        SpokenKind::Answer => Text::new("answer", "回答"),
    }
}
