//! The texts that only an inline screen prints.

use crate::domain::text::Text;

pub(super) const EARLIER: Text = Text::new(
    "earlier blocks are not printed; {} in the open dialog shows all",
    "较早的内容未打印；在打开的对话中按 {} 可查看全部",
);
pub(super) const MORE_ROWS: Text = Text::new("{} more rows", "另有 {} 行");
pub(super) const GOES_ON: Text = Text::new(
    "it goes on; {} in the open dialog shows all",
    "未完；在打开的对话中按 {} 可查看全部",
);
pub(super) const BEGINS: Text = Text::new("begins", "开始");
pub(super) const ASKS: Text = Text::new("asks", "问");
pub(super) const ANSWERED: Text =
    Text::new("the question is answered or withdrawn", "问题已答复或撤回");
pub(super) const LEFT_OUT: Text =
    Text::new("{} events of other dialogs were left out", "略去了其他对话的 {} 个事件");
