//! The texts of the app itself: the titles and hints it composes, and its messages in the status line.

use crate::domain::Lang;
use crate::domain::teams::notices::NewsItem;
use crate::domain::text::{Text, in_lang};
use crate::words::{Counted, kind_of_news};

pub(in crate::app) use crate::words::{
    CLOSE, DELETE_QUESTION, DRAFT_RESTORED, EDIT, FILE_IS_GONE, KEEP, KEEP_GOING, LOADING,
    NEW_LINE, OF, OPEN, PASTE_TOO_LONG, RUN, SUBJECT_ANSWER, SUBJECT_ARCHIVE, SUBJECT_DELETE,
    SUBJECT_DONE, SUBJECT_QUIT, SUBJECT_STOP_ALL, THINKING, WAIT_FOR_CONSENT,
};

pub(in crate::app) const PROMPT_IN_DRAFT: Text = Text::new(
    "the text of the prompt is in your message; it is not sent",
    "提示词的文本已放进你的消息；尚未发送",
);
pub(in crate::app) const MOUSE_USED: Text = Text::new(
    "the mouse is used here; Shift selects text in most terminals",
    "鼠标在此使用；多数终端按住 Shift 可选择文字",
);
pub(in crate::app) const MOUSE_NOT_USED: Text =
    Text::new("the mouse is left to the terminal", "鼠标已交还给终端");
pub(in crate::app) const MOUSE_STAYS: Text =
    Text::new("with --inline the terminal keeps the mouse", "使用 --inline 时鼠标由终端使用");
pub(in crate::app) const THEME_STAYS: Text = Text::new("{}; the old theme stays", "{}；主题未改变");
pub(in crate::app) const NO_FILE_HERE: Text =
    Text::new("no file was changed or read here", "此处没有改动或读取文件");
pub(in crate::app) const PAGER_FAILED: Text =
    Text::new("the pager could not be run, or failed", "分页程序无法运行或已失败");
pub(in crate::app) const EDITOR_FAILED: Text =
    Text::new("the editor could not be run, or failed", "编辑器无法运行或已失败");
pub(in crate::app) const EDITOR_FAILED_DRAFT_KEPT: Text = Text::new(
    "the editor could not be run, or failed; the draft is as it was",
    "编辑器无法运行或已失败；草稿未变",
);
pub(in crate::app) const NO_ASKER: Text =
    Text::new("nobody asked it: it is a main dialog", "没有谁向它提问：它是主线对话");
pub(in crate::app) const NOBODY_WAITS: Text =
    Text::new("no dialog waits for you or has stopped", "没有等待或停止的对话");
pub(in crate::app) const TAKEN_BACK_TO_EDIT: Text =
    Text::new("taken back: queued again once you send it", "已撤回，发送后才会再排队");
pub(in crate::app) const STOP_ALL_QUESTION: Text =
    Text::new("stop every running dialog?", "停止所有运行中的对话？");
pub(in crate::app) const RETRYING: Text =
    Text::new("the model did not answer; next retry in", "模型没有回应；下次重试还有");
pub(in crate::app) const NOTHING_TO_RETRY: Text =
    Text::new("no failed request waits here", "这里没有等待重试的请求");
pub(in crate::app) const NOT_FOUND: Text =
    Text::new("the other end was not found in its records", "那个对话的记录里没有另一端");
pub(in crate::app) const ONLY_SIDE_DIALOGS: Text =
    Text::new("only a side dialog can be declared dead", "只有支线对话可以宣告死亡");
pub(in crate::app) const ARCHIVE_OPEN: Text =
    Text::new("{} still has open work; archive it anyway?", "{} 中还有未了之事，仍要归档吗？");
pub(in crate::app) const DIALOGS: Text = Text::new("DIALOGS", "对话");
pub(in crate::app) const FOR_YOU: Text = Text::new("FOR YOU", "等你");
pub(in crate::app) const NOTHING_WAITS: Text = Text::new("nothing waits for you", "没有等你的事");
pub(in crate::app) const NOTHING_OPEN: Text = Text::new("no dialog is open", "没有打开对话");
pub(in crate::app) const ANSWERED: Text = Text::new("answered", "已答复");
pub(in crate::app) const MESSAGE_TO: Text = Text::new("message to", "发消息给");
pub(in crate::app) const ANSWER: Text = Text::new("answer", "回答");
pub(in crate::app) const SEND: Text = Text::new("send", "发送");
pub(in crate::app) const SEND_NOW: Text = Text::new("send now", "立即发送");
pub(in crate::app) const SEND_AND_NEXT: Text = Text::new("send and next", "发送并到下一个");
pub(in crate::app) const NEXT_PART: Text = Text::new("next part", "下一部分");
pub(in crate::app) const RECOMMENDED: Text = Text::new("recommended", "推荐");
pub(in crate::app) const SEND_ANSWERED: Text = Text::new("send what is there", "发出已答部分");
pub(in crate::app) const PART: Text = Text::new("part", "部分");
pub(in crate::app) const PICK: Text = Text::new("pick", "选");
pub(in crate::app) const DOES_NOTHING: Text = Text::new("does nothing here", "在此无作用");
pub(in crate::app) const NOT_BOUND_HERE: Text =
    Text::new("{} is not bound here", "{} 在此没有绑定");
pub(in crate::app) const CHOOSE_DIALOG: Text =
    Text::new("choose a dialog first", "请先选择一个对话");
pub(in crate::app) const NOT_RUNNING: Text = Text::new("it does not run now", "它现在没有运行");
pub(in crate::app) const NOTHING_RUNS: Text =
    Text::new("no dialog runs now", "现在没有运行中的对话");
pub(in crate::app) const NOTHING_BEFORE: Text =
    Text::new("there is nothing to go back to", "没有可返回之处");
pub(in crate::app) const NOTHING_TO_OPEN: Text =
    Text::new("nothing here can be opened", "这里没有可展开的内容");
pub(in crate::app) const NO_SUCH_QUESTION: Text =
    Text::new("no question has this number", "没有这个编号的问题");
pub(in crate::app) const NO_TARGET: Text =
    Text::new("open a dialog to write to it", "打开一个对话再写");
pub(in crate::app) const ALL_ANSWERED: Text = Text::new("all answered", "全部已答");
pub(in crate::app) const NO_PARTS: Text =
    Text::new("this question has no parts", "这个问题没有多个部分");
pub(in crate::app) const NOTHING_RECOMMENDED: Text =
    Text::new("nothing is recommended here", "这里没有推荐的选项");
pub(in crate::app) const TAKE_RECOMMENDED: Text =
    Text::new("answer with what is recommended: {}?", "以推荐的选项作答：{}？");
pub(in crate::app) const AUTONOMY_SET: Text =
    Text::new("autonomy is {} from the next generation on", "自主权从下一轮生成起为 {}");
pub(in crate::app) const AUTONOMY_SET_HERE: Text =
    Text::new("autonomy is {} here from the next generation on", "此处的自主权从下一轮生成起为 {}");
pub(in crate::app) const AUTONOMY_AS_CONFIGURED: Text = Text::new(
    "autonomy is as configured here from the next generation on",
    "此处的自主权从下一轮生成起按配置",
);
pub(in crate::app) const MODEL_SET: Text =
    Text::new("{} answers here from the next generation on", "从下一轮生成起由 {} 回答");
pub(in crate::app) const MODEL_OF_MEMBER: Text = Text::new(
    "the model of its member answers here from the next generation on",
    "从下一轮生成起由其成员的模型回答",
);
pub(in crate::app) const REJECT_DECISION: Text = Text::new(
    "reject the decision of {}? to say why, answer it",
    "拒绝 {} 的决定吗？要说明原因请直接答复",
);
pub(in crate::app) const DISMISS_QUESTION: Text =
    Text::new("close the question of {} without an answer?", "不回答而关闭 {} 的问题吗？");
pub(in crate::app) const NOTHING_TO_SEND: Text = Text::new("write something first", "请先写点什么");
pub(in crate::app) const QUESTION_COUNT: Counted = Counted::new("question", "questions", "个问题");
pub(in crate::app) const STILL_OPEN: Counted =
    Counted::new("question is still open", "questions are still open", "个问题仍未回答");
pub(in crate::app) const NO_QUESTIONS: Text =
    Text::new("no question waits for you", "没有等你的问题");
pub(in crate::app) const QUEUED_LIST: Text = Text::new("all", "全部");
pub(in crate::app) const TAKEN_BACK: Text =
    Text::new("taken back: it will not be delivered", "已撤回，不会送达");
pub(in crate::app) const READ_FIRST: Text = Text::new(
    "not approved: read all of it, to its end, and then answer again",
    "尚未批准：请把全部内容读到末尾，然后再次答复",
);
pub(in crate::app) const WITHOUT_DRAFTS: Text = Text::new(
    "the driver does not say what you typed last time; what you type now may not be kept",
    "驱动进程没有返回你上次输入的内容；现在输入的内容可能不会保存",
);
pub(in crate::app) const UNREACHABLE: Text = Text::new(
    "there is no place for a socket: no other screen or command can reach this driver",
    "没有可放套接字的位置：其他界面和命令无法连接此驱动进程",
);
pub(in crate::app) const CANNOT_DETACH: Text =
    Text::new("here the driver ends with its screen", "这里的驱动进程会随界面结束");
pub(in crate::app) const LEAVE_QUESTION: Text =
    Text::new("leave this screen? the driver goes on", "离开此界面？驱动进程会继续运行");
pub(in crate::app) const QUIT_QUESTION: Text = Text::new("quit the program?", "退出程序吗？");
pub(in crate::app) const SHOW: Text = Text::new("show", "查看");
pub(in crate::app) const CONNECTING: Text = Text::new("connecting …", "正在连接 …");
pub(in crate::app) const DRIVER_GOES_ON: Text =
    Text::new("leaving: the driver goes on …", "正在离开：驱动进程继续运行 …");
pub(in crate::app) const LEAVING: Text =
    Text::new("quitting: dialogs are stopping …", "正在退出：对话正在停止 …");
pub(in crate::app) const BUSY: Text =
    Text::new("busy: the last command is queued", "忙：上一条命令在排队");
pub(in crate::app) const LAGGED: Text =
    Text::new("the screen fell behind: reloading", "屏幕落后，正在重新读取");
pub(in crate::app) const TOO_SMALL: Text = Text::new("needs 40x12 (now", "至少需要 40x12（现在");
pub(in crate::app) const TRY_NOW: Text = Text::new("retry now", "立即重试");
pub(in crate::app) const ALL_FIXED: Text = Text::new("all problems are fixed", "问题都已解决");
pub(in crate::app) const PLAY_AGAIN: Text = Text::new("play again", "重新播放");
pub(in crate::app) const LEAVE_PROGRAM: Text = Text::new("quit", "退出");
pub(in crate::app) const DRAFT_CLEARED: Text = Text::new("draft cleared", "草稿已清空");
pub(in crate::app) const BRINGS_BACK: Text = Text::new("restores it", "恢复");
pub(in crate::app) const NOTHING_TO_UNDO: Text =
    Text::new("there is nothing to undo", "没有可撤销的改动");
pub(in crate::app) const NOTHING_TO_REDO: Text =
    Text::new("there is nothing to redo", "没有可重做的改动");
pub(in crate::app) const NOTHING_SENT: Text = Text::new("nothing was sent yet", "还没有发送过文字");
pub(in crate::app) const COMPLETE: Text = Text::new("complete", "补全");
pub(in crate::app) const SHOW_PASTE: Text = Text::new("show paste", "展开粘贴");
pub(in crate::app) const PASTE_TOO_LARGE: Text = Text::new(
    "it is too large to be shown here; edit it in your editor",
    "内容太大，无法在此展开；请用编辑器编辑",
);
pub(in crate::app) const IMAGES_READING: Text =
    Text::new("not sent: an image is still being read", "未发送：还有图片正在读取");
pub(in crate::app) const TOO_MANY_IMAGES: Text =
    Text::new("not sent: a message takes 10 images", "未发送：一条消息最多 10 张图片");
pub(in crate::app) const TOO_MANY_CHIPS: Text = Text::new(
    "not attached: send this message first, then attach more",
    "未附加：请先发送这条消息，再附加更多",
);
pub(in crate::app) const ONLY_TOLD: Text =
    Text::new("(it is only told of them)", "（只会被告知有图片）");
pub(in crate::app) const READS_IMAGES_UP_TO: Text =
    Text::new("reads images up to {}", "只读不超过 {} 的图片");
pub(in crate::app) const READS_NO_IMAGES: Text = Text::new("reads no images", "不读图片");
pub(in crate::app) const IMAGE_WITHOUT_PATH: Text = Text::new(
    "this image has no path; it is sent with the message",
    "这张图片没有路径，将随消息发送",
);
pub(in crate::app) const INSERT_MODE: Text = Text::new("insert", "插入");
pub(in crate::app) const NORMAL_MODE: Text = Text::new("normal", "普通");
pub(in crate::app) const VISUAL_MODE: Text = Text::new("visual", "可视");
pub(in crate::app) const VISUAL_LINES_MODE: Text = Text::new("visual lines", "可视行");
pub(in crate::app) const NO_PASTE_HERE: Text =
    Text::new("no pasted text is folded at the caret", "光标处没有折叠的粘贴文字");
pub(in crate::app) const NO_CALL_ABOVE: Text =
    Text::new("no call above in this course", "此课程中上方没有调用");
pub(in crate::app) const NO_CHANGE_ABOVE: Text =
    Text::new("no change of files above in this course", "此课程上方没有文件改动");
pub(in crate::app) const NO_QUESTION_ABOVE: Text =
    Text::new("no question above in this course", "此课程中上方没有问题");
pub(in crate::app) const ALIKE: Counted = Counted::new(
    "other question has the same words: answer it the same?",
    "other questions have the same words: answer them the same?",
    "个内容相同的问题：也这样回答吗？",
);
pub(in crate::app) const NOT_HERE: Text = Text::new("it does nothing here", "在此处不起作用");
pub(in crate::app) const REVIEWED: Text = Text::new("marked as reviewed", "已标为已审阅");
pub(in crate::app) const NO_CALL_HERE: Text =
    Text::new("no call of a teammate here", "此处没有队友调用");
pub(in crate::app) const NO_SIDE_YET: Text =
    Text::new("its side dialog is not known yet", "还不知道它的支线对话");
pub(in crate::app) const NOTHING_TO_COPY: Text =
    Text::new("there is nothing to copy here", "这里没有可复制的内容");
pub(in crate::app) const NOTHING_FILTERED: Text =
    Text::new("filter the list first", "请先筛选列表");
pub(in crate::app) const NOTHING_TO_FIND: Text =
    Text::new("search for something first", "请先查找内容");
pub(in crate::app) const NO_CODE_ABOVE: Text =
    Text::new("no code block here or above", "此处和上方没有代码块");
pub(in crate::app) const COPIES_BUSY: Text =
    Text::new("busy: the last copies are being made", "忙：正在处理之前的复制");
pub(in crate::app) const COPY: Text = Text::new("copy", "复制");
pub(in crate::app) const TO_FILE: Text = Text::new("to a file", "写入文件");
pub(in crate::app) const END_SELECTION: Text = Text::new("end", "结束");
pub(in crate::app) const NO_OLDER_COURSE: Text =
    Text::new("this is the first course", "这是第一个课程");
pub(in crate::app) const NO_NEWER_COURSE: Text =
    Text::new("this is the newest course", "这是最新的课程");
pub(in crate::app) const KEEP_GOING_OFF: Text = Text::new("keep-going is off", "续推已关闭");
pub(in crate::app) const GOES_ON: Text = Text::new("continues it", "继续");
pub(in crate::app) const HINT_NEW: Text = Text::new("starts a dialog", "新建对话");
pub(in crate::app) const HINT_ANSWER: Text = Text::new("answers the question", "回答问题");
pub(in crate::app) const HINT_OPEN: Text = Text::new("opens this dialog", "打开此对话");
pub(in crate::app) const HINT_WRITE: Text = Text::new("writes to this dialog", "给此对话写消息");
pub(in crate::app) const HINT_CHANGES: Text = Text::new("shows what was changed", "查看改动");
pub(in crate::app) const HINT_FIND: Text = Text::new("finds a word here", "在此查找");
pub(in crate::app) const HINT_PALETTE: Text = Text::new("finds every action", "查找所有操作");
pub(in crate::app) const HINT_HELP: Text = Text::new("help: the keys here", "帮助：此处的按键");
pub(in crate::app) const NEW: Text = Text::new("new", "新建");
pub(in crate::app) const NEXT_FITTING: Text = Text::new("next", "下一个");
pub(in crate::app) const STOP: Text = Text::new("stop", "停止");
pub(in crate::app) const CONTINUE: Text = Text::new("continue", "继续");
pub(in crate::app) const QUESTIONS: Text = Text::new("questions", "问题");
pub(in crate::app) const WRITE: Text = Text::new("write", "写");
pub(in crate::app) const HELP_HINT: Text = Text::new("help", "帮助");
pub(in crate::app) const CALL_SITE: Text = Text::new("call site", "提问处");
pub(in crate::app) const DECLARED_DEAD: Text =
    Text::new("declared dead: {}", "已宣告死亡：{}，等待者已获知");
pub(in crate::app) const DEAD_ALREADY: Text = Text::new("it is already dead", "它已经死亡");
pub(in crate::app) const ONLY_MAIN_DIALOGS: Text =
    Text::new("only for main dialogs", "只适用于主线对话");
pub(in crate::app) const TITLE_SET: Text = Text::new("title set", "已设标题");
pub(in crate::app) const TITLE_TAKEN: Text =
    Text::new("title removed: its first words again", "标题已去掉：恢复为最初的文字");
pub(in crate::app) const FORKED: Text = Text::new("forked", "已分支");
pub(in crate::app) const DONE_OPEN: Text = Text::new(
    "{} still has open work; mark it done anyway?",
    "{} 中还有未了之事，仍要标记完成吗？",
);
pub(in crate::app) const MARKED_DONE: Text = Text::new("done: {}", "已完成：{}");
pub(in crate::app) const ARCHIVED_NOW: Text = Text::new("archived: {}", "已归档：{}");
pub(in crate::app) const UNDO_WITH: Text = Text::new("undo with", "撤销请按");
pub(in crate::app) const RESTORED: Text = Text::new("restored: {}", "已恢复：{}");
pub(in crate::app) const DONE_MARKED: Text =
    Text::new("mark the marked dialogs ({}) as done?", "把已标记的 {} 个对话标为已完成吗？");
pub(in crate::app) const ARCHIVE_MARKED: Text =
    Text::new("archive the marked dialogs ({})?", "把已标记的 {} 个对话归档吗？");
pub(in crate::app) const OF_THEM_OPEN: Text =
    Text::new("still with open work: {}", "其中 {} 个还有未了之事");
pub(in crate::app) const DONE_SEVERAL: Text =
    Text::new("marked as done: {}", "已把 {} 个对话标为已完成");
pub(in crate::app) const ARCHIVED_SEVERAL: Text = Text::new("archived: {}", "已归档 {} 个对话");
pub(in crate::app) const STAY: Text = Text::new("not {}", "未收起 {}");
pub(in crate::app) const PREVIEW: Text = Text::new("preview", "预览");
pub(in crate::app) const IS_PUT_OFF: Text =
    Text::new("put off; it comes back by itself", "已留到稍后，会自动回来");
pub(in crate::app) const IS_BACK: Text =
    Text::new("a question that was put off is back", "留到稍后的问题回来了");
pub(in crate::app) const NOTHING_PUT_OFF: Text =
    Text::new("nothing was put off", "没有留到稍后的问题");
pub(in crate::app) const LATER: Text = Text::new("later", "稍后");
pub(in crate::app) const ANSWER_UNDONE: Text =
    Text::new("not sent: the answer is a draft again", "未发出：回答又是草稿");
pub(in crate::app) const ANSWER_ON_ITS_WAY: Text =
    Text::new("the answer is being sent", "回答正在发送");
pub(in crate::app) const NO_ANSWER_TO_UNDO: Text =
    Text::new("no answer can be undone", "没有可撤回的回答");
pub(in crate::app) const UNDO_SENT: Text = Text::new("undo answer", "撤回回答");
pub(in crate::app) const SENT: Text = Text::new("sent", "已发出");
/// Another client answered a question.
pub(in crate::app) fn answered_by(headline: &str, name: &str, lang: Lang) -> String {
    in_lang!(lang, "answered by {name}: {headline}", "已由 {name} 答复：{headline}")
}
/// A notice or a failure that came in.
pub(in crate::app) fn news(item: &NewsItem, lang: Lang) -> String {
    let kind = kind_of_news(item.kind).in_lang(lang);
    let agent = item.agent.as_ref().map_or_else(String::new, |agent| format!(" @{agent}"));
    let title = &item.title;
    in_lang!(lang, "{kind}{agent}: {title}", "{kind}{agent}：{title}")
}
pub(in crate::app) const DISMISS: Text = Text::new("dismiss", "清除");
pub(in crate::app) const NO_NEWS: Text = Text::new("there is no news", "没有消息");
pub(in crate::app) const FAILURE_COUNT: Counted = Counted::new("failure", "failures", "项故障");
pub(in crate::app) const DELEGATED: Text = Text::new("delegated", "已委派");
pub const TEAM_SHUT_DOWN: Text = Text::new("the team is shut down", "团队已关闭");
pub(in crate::app) const TASK_CANCELLED: Text = Text::new("the task is cancelled", "任务已取消");
pub(in crate::app) const MEMORY_DELETED: Text = Text::new(
    "the memory is deleted; for 90 days it can be restored",
    "记忆已删除；90 天内可以恢复",
);
pub(in crate::app) const MEMORY_RESTORED: Text = Text::new("the memory is back", "记忆已恢复");
pub const TRIGGER_ENABLED: Text = Text::new("the trigger is enabled", "触发器已启用");
pub const TRIGGER_DISABLED: Text = Text::new("the trigger is disabled", "触发器已停用");
pub(in crate::app) const TASK_QUEUED_AGAIN: Text =
    Text::new("the task is queued again", "任务已重新排队");
pub(in crate::app) const NEWS_CLEARED: Text = Text::new("news cleared", "消息已清除");
pub(in crate::app) const NO_DIALOG_OF_NEWS: Text =
    Text::new("it is of no dialog", "它不属于任何对话");
/// What happened since the user looked last: dialogs with something new, how many of them have stopped, open questions.
pub(in crate::app) fn meanwhile(new: usize, stopped: usize, open: usize, lang: Lang) -> String {
    in_lang!(
        lang,
        "since you looked last: dialogs with news {new}, stopped {stopped}, open questions {open}",
        "自上次查看以来：有新内容的对话 {new}，已停止 {stopped}，未答问题 {open}"
    )
}
pub(in crate::app) const QUESTION_GONE: Text = Text::new(
    "that question is not open any more; your text is a message draft now",
    "那个问题已不再等待；你的文字现为消息草稿",
);
pub(in crate::app) const DELETED: Text = Text::new("deleted: {}", "已删除：{}");
pub(in crate::app) const SIDE_DIALOG: Text = Text::new("side dialog", "支线对话");
pub(in crate::app) const ITS_CALL: Text = Text::new("its call", "其调用");
pub(in crate::app) const TAB_DIALOGS: Text = Text::new("dialogs", "对话");
pub(in crate::app) const TAB_FOR_YOU: Text = Text::new("for you", "等你");
pub(in crate::app) const TAB_OPEN: Text = Text::new("dialog", "当前");
