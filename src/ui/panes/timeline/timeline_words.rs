//! The texts of the timeline.

use crate::domain::text::Text;
use crate::words::Counted;

pub(super) const TITLE: Text = Text::new("TIMELINE", "时间线");
pub(super) const DIALOGS: Counted = Counted::new("dialog", "dialogs", "个对话");
pub(super) const LEFT_OUT: Counted =
    Counted::new("dialog is left out", "dialogs are left out", "个对话未显示");
pub(super) const NOTHING: Text =
    Text::new("Nothing is recorded of this dialog yet.", "此对话还没有记录。");
pub(super) const NOT_IN_RECORDS: Text =
    Text::new("there is nothing to see of it in the dialog", "对话中没有可看的内容");
pub(super) const GO: Text = Text::new("go there", "到那里");
pub(super) const LARGER: Text = Text::new("larger", "放大");
pub(super) const SMALLER: Text = Text::new("smaller", "缩小");

/// What the symbols of the chart mean.
pub(super) const RAN: Text = Text::new("ran", "运行");
pub(super) const FOR_DIALOGS: Text = Text::new("waited for a dialog", "等待对话");
pub(super) const FOR_PERSON: Text = Text::new("waited for you", "等你");
pub(super) const READY: Text = Text::new("ready, not driven", "可继续，未驱动");
pub(super) const STOPPED: Text = Text::new("stopped", "已停止");
pub(super) const SHORTENED: Text = Text::new("idle, shortened", "空闲，已缩短");
pub(super) const NOTHING_TO_DO: Text = Text::new("nothing to do", "无事可做");
