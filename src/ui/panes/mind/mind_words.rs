//! The texts of the sheet with the mind of a member.

use crate::domain::text::Text;

pub(super) const TITLE: Text = Text::new("MIND", "心智");
pub(super) const NEW_DIALOG: Text = Text::new("of a new dialog", "新对话中");
pub(super) const PART: Text = Text::new("next part", "下一部分");
pub(super) const FIND: Text = Text::new("Find in this mind", "在此心智中查找");
pub(super) const PROBLEMS: Text = Text::new("PROBLEMS", "问题");
pub(super) const MODEL: Text = Text::new("MODEL", "模型");
pub(super) const SYSTEM: Text = Text::new("SYSTEM PROMPT", "系统提示");
pub(super) const CONTEXT: Text = Text::new("CONTEXT", "上下文");
pub(super) const TOOLS: Text = Text::new("TOOLS", "工具");
pub(super) const NONE: Text = Text::new("none", "无");
