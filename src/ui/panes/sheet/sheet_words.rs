//! The texts of the sheets.

use crate::domain::text::Text;

pub(super) use crate::words::{
    CLOSE, DELETE, DRAFT_RESTORED, EDIT, KEEP, LINES, LOADING, NEW_LINE, PASTE_TOO_LONG, TASKDOC,
};

pub(super) const REMINDERS: Text = Text::new("REMINDERS", "提醒");
pub(super) const NO_REMINDERS: Text = Text::new("no reminders yet", "还没有提醒");
pub(super) const OF_THIS_DIALOG: Text = Text::new("this dialog", "本对话");
pub(super) const PERSONAL: Text = Text::new("all dialogs of the member", "该成员的所有对话");
pub(super) const OF_THE_TASK: Text =
    Text::new("dialogs of the member about this Taskdoc", "该成员关于此任务文档的对话");
pub(super) const SHARED_BY_PROGRAM: Text =
    Text::new("all dialogs of the member, managed by the program", "该成员的所有对话，由程序维护");
pub(super) const KEPT_BY: Text = Text::new("managed by", "维护者");
pub(super) const HIDDEN_FROM_MODEL: Text = Text::new("not shown to the model", "不给模型看");
pub(super) const EDIT_REMINDER: Text = Text::new("edit the reminder", "编辑提醒");
pub(super) const NEW_REMINDER: Text = Text::new("new reminder of this dialog", "本对话的新提醒");
pub(super) const NEW_PERSONAL_REMINDER: Text =
    Text::new("new reminder for all dialogs", "所有对话的新提醒");
pub(super) const DELETE_REMINDER_QUESTION: Text =
    Text::new("permanently delete the reminder {}?", "永久删除提醒 {} 吗？");
pub(super) const NOT_BY_HAND: Text = Text::new("not editable", "不能编辑");
pub(super) const TEXT_MISSING: Text = Text::new("there is nothing to save", "没有可保存的内容");
pub(super) const SECTION_TOO_LARGE: Text =
    Text::new("too large to be changed here", "太大，不能在此修改");
pub(super) const SECTIONS_ARE_FIXED: Text =
    Text::new("sections of a Taskdoc are only edited here", "这里只能编辑任务文档的章节");
pub(super) const EMPTY_SECTION: Text = Text::new("empty", "空");
pub(super) const LAYOUT_PROBLEMS: Text = Text::new("layout problems", "布局问题");
pub(super) const ADD: Text = Text::new("add", "添加");
pub(super) const ADD_PERSONAL: Text = Text::new("add for all dialogs", "为所有对话添加");
pub(super) const SAVE: Text = Text::new("save", "保存");
