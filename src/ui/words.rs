//! The texts that several parts of the screen share. Texts of one pane or list are in its file, those of the
//! app in `app/drawing/app_words.rs`.

use std::fmt::Display;

use crate::domain::Lang;
use crate::domain::counted;
use crate::domain::dialogs::question_kind::QuestionKind;
use crate::domain::teams::notices::NewsKind;
use crate::domain::teams::task::{BlockReason, Priority, TaskStatus};
use crate::domain::text::{Text, in_lang};

/// A noun that is counted on the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Counted {
    one: &'static str,
    many: &'static str,
    zh: &'static str,
}

impl Counted {
    pub const fn new(one: &'static str, many: &'static str, zh: &'static str) -> Self {
        Self { one, many, zh }
    }

    /// The number with its noun.
    pub fn text<N: Copy + Display + PartialEq + From<u8>>(self, number: N, lang: Lang) -> String {
        let Self { one, many, zh } = self;
        in_lang!(lang, ("{}", counted(number, one, many)), "{number} {zh}")
    }
}

pub const LINES: Counted = Counted::new("line", "lines", "行");
pub const MORE_LINES: Counted = Counted::new("more line", "more lines", "行未显示");
pub const WAIT_FOR_CONSENT: Counted =
    Counted::new("waits for consent", "wait for consent", "项等待同意");

pub const NEWS: Counted = Counted::new("news", "news", "条消息");

pub const RUNNING: Text = Text::new("running", "运行中");
pub const RETRYING: Text = Text::new("retrying", "正在重试");
pub const BLOCKED: Text = Text::new("blocked", "被阻塞");
/// The boxes where tasks of a team are started, or one was done.
pub const ON_BOXES: Text = Text::new("on {}", "在 {}");
pub const DONE: Text = Text::new("done", "完成");
pub const LOADING: Text = Text::new("loading …", "读取中 …");
pub const THINKING: Text = Text::new("thinking", "思考");
pub const COURSE_BEGINS: Text = Text::new("course", "课程");
pub const GENERATION: Text = Text::new("gen", "生成");
pub const PUSHED: Text = Text::new("automatic push", "自动续推");
pub const GUIDE: Text = Text::new("runtime guide", "运行时提示");
pub const CONTEXT: Text = Text::new("ctx", "上下文");
pub const OF: Text = Text::new("of", "/");
pub const NEW_LINE: Text = Text::new("line", "换行");
pub const KEEP: Text = Text::new("keep", "保留");
pub const QUEUED: Text = Text::new("queued", "排队中");
pub const QUEUED_EARLIER: Text = Text::new("earlier", "条更早的");
pub const SENDING: Text = Text::new("sending …", "发送中 …");
pub const TASKDOC: Text = Text::new("Taskdoc", "任务文档");
pub const FILE_IS_GONE: Text = Text::new("the file was removed", "此文件已被删除");
pub const FIND: Text = Text::new("find", "查找");
pub const RUN: Text = Text::new("run", "执行");
pub const COMMENT: Text = Text::new("comment", "评注");
pub const COMMENTS: Counted = Counted::new("comment", "comments", "条评注");
pub const CLOSE: Text = Text::new("close", "关闭");
pub const LOOK_ONLY: Text = Text::new("look only", "只看不运行");
pub const YES: Text = Text::new("yes", "是");
pub const DRAFT_RESTORED: Text = Text::new("draft restored", "草稿已恢复");
pub const PASTE_TOO_LONG: Text =
    Text::new("pasted text is too long: use a file", "粘贴内容太长：请放进文件");
pub const EDIT: Text = Text::new("edit", "编辑");
pub const DELETE: Text = Text::new("delete", "删除");
pub const KEEP_GOING: Text = Text::new("keep-going", "续推");
pub const OPEN: Text = Text::new("open", "打开");
pub const DELETE_QUESTION: Text = Text::new(
    "permanently delete {} with all its side dialogs?",
    "连同所有支线对话永久删除 {} 吗？",
);
pub const ARCHIVED: Text = Text::new("archived", "已归档");
pub const FRESH_BOOTS: Text = Text::new("FBR", "重新思考");
pub const APPROVAL: Text = Text::new("approval", "批准");
pub const CHOICE: Text = Text::new("choice", "选择");
pub const FREE_TEXT: Text = Text::new("free text", "自由回答");
pub const PARTS: Text = Text::new("several parts", "多个部分");

/// Headings of questions that are confirmed: what they are about.
pub const SUBJECT_QUIT: Text = Text::new("QUIT", "退出");
pub const SUBJECT_STOP_ALL: Text = Text::new("STOP ALL", "全部停止");
pub const SUBJECT_STOP_PROCESS: Text = Text::new("STOP PROCESS", "停止进程");
pub const SUBJECT_DONE: Text = Text::new("MARK DONE", "标记为完成");
pub const SUBJECT_ARCHIVE: Text = Text::new("ARCHIVE", "归档");
pub const SUBJECT_DELETE: Text = Text::new("DELETE", "删除");
pub const SUBJECT_DEAD: Text = Text::new("DECLARE DEAD", "宣告死亡");
pub const SUBJECT_CANCEL_TASK: Text = Text::new("CANCEL TASK", "取消任务");
pub const SUBJECT_SHUT_DOWN: Text = Text::new("SHUT DOWN TEAM", "关闭团队");
pub const SUBJECT_ANSWER: Text = Text::new("ANSWER", "答复");

/// Returns the name of a kind of news.
pub fn kind_of_news(kind: NewsKind) -> Text {
    match kind {
        NewsKind::Notice => Text::new("notice", "通知"),
        NewsKind::Failure => Text::new("failure", "故障"),
        NewsKind::Answer => Text::new("answer", "回答"),
    }
}

/// Returns the state of a task, or what a blocked one waits for.
pub fn task_state(status: TaskStatus, reason: Option<BlockReason>) -> Text {
    match (reason, status) {
        (Some(BlockReason::OpenQuestion), _) => Text::new("open question", "有问题待答"),
        (Some(BlockReason::Restart), _) => Text::new("interrupted", "被中断"),
        (Some(BlockReason::Stopped), _) => Text::new("stopped", "已停止"),
        (None, TaskStatus::Pending) => QUEUED,
        (None, TaskStatus::Running) => RUNNING,
        (None, TaskStatus::Blocked) => BLOCKED,
        (None, TaskStatus::Done) => DONE,
        (None, TaskStatus::Failed) => Text::new("failed", "失败"),
        (None, TaskStatus::Cancelled) => Text::new("cancelled", "已取消"),
    }
}

/// Returns the word for a priority.
pub fn priority_word(priority: Priority) -> Text {
    match priority {
        Priority::Critical => Text::new("critical", "紧急"),
        Priority::High => Text::new("high", "高"),
        Priority::Normal => Text::new("normal", "普通"),
        Priority::Low => Text::new("low", "低"),
    }
}

/// Returns the word for how a question is answered.
pub fn kind_word(kind: QuestionKind) -> Text {
    match kind {
        QuestionKind::Approval => APPROVAL,
        QuestionKind::Choice => CHOICE,
        QuestionKind::FreeText => FREE_TEXT,
        QuestionKind::Parts => PARTS,
    }
}
