//! The texts of the screen in English and Chinese. Short: most share a line with others.

use std::fmt::Display;

use crate::domain::text::{Text, in_lang};
use crate::domain::{Lang, counted};

macro_rules! words {
    ($($word:ident: $en:literal / $zh:literal;)*) => {
        /// A fixed word or sentence of the screen.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Word { $(#[doc = $en] $word,)* }

        impl Word {
            pub const ALL: &[Self] = &[$(Self::$word,)*];

            pub fn text(self, lang: Lang) -> &'static str {
                TABLE.get(self as usize).map_or("", |text| text.in_lang(lang))
            }
        }

        /// English and Chinese, in the order of the variants.
        const TABLE: &[Text] = &[$(Text::new($en, $zh),)*];
    };
}

/// A noun that is counted on the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Counted {
    Words,
    Lines,
    Problems,
    Processes,
    Consent,
}

impl Counted {
    /// The number with its noun.
    pub fn text<N: Copy + Display + PartialEq + From<u8>>(self, number: N, lang: Lang) -> String {
        let (one, many, zh) = match self {
            Self::Words => ("word", "words", "词"),
            Self::Lines => ("line", "lines", "行"),
            Self::Consent => ("waits for consent", "wait for consent", "项等待同意"),
            Self::Problems => ("problem", "problems", "个问题"),
            Self::Processes => (
                "background process is still running; quit and leave it running, or stop it?",
                "background processes are still running; quit and leave them running, or stop \
                 them?",
                "个后台进程仍在运行；退出时让它们继续，还是停止它们？",
            ),
        };
        in_lang!(lang, ("{}", counted(number, one, many)), "{number} {zh}")
    }
}

words! {
    Running: "running" / "运行中";
    Stopping: "stopping" / "正在停止";
    Waiting: "waits for teammates" / "等待队友";
    NeedsYou: "needs you" / "需要你";
    Stopped: "stopped" / "已停止";
    Idle: "idle" / "空闲";
    Done: "done" / "完成";
    Dead: "dead" / "已宣告死亡";
    Dialogs: "DIALOGS" / "对话";
    ForYou: "FOR YOU" / "等你";
    NothingWaits: "nothing waits for you" / "没有等你的事";
    NoDialogs: "no dialogs yet" / "还没有对话";
    Begin: "to start one" / "新建对话";
    NothingOpen: "no dialog is open" / "没有打开对话";
    Loading: "loading …" / "读取中 …";
    You: "you" / "你";
    Guide: "runtime guide" / "运行时提示";
    Pushed: "automatic push" / "自动续推";
    PushReason: "it stopped without asking or waiting for anybody, so it was told to go on" / "它停了下来，既没有提问也没有在等任何人，因此被要求继续";
    PushNumber: "push" / "续推";
    PushesLeft: "left" / "剩余";
    Notice: "notice" / "通知";
    Thinking: "thinking" / "思考";
    Working: "working" / "进行中";
    Replied: "replied" / "已回复";
    Failed: "failed" / "失败";
    Asks: "asks" / "问";
    WaitsForIt: "waits for it" / "在等";
    And: "and" / "和";
    Answered: "answered" / "已答复";
    ReplyTo: "reply" / "回复";
    Delivered: "delivered" / "已送达";
    NotDelivered: "not delivered" / "未送达";
    CourseBegins: "course" / "课程";
    Generation: "gen" / "生成";
    CutOff: "the previous generation was interrupted" / "上一次生成中断了";
    Interrupted: "interrupted by a stop" / "被停止打断";
    UnknownRecord: "unknown record" / "未知记录";
    NewerProgram: "(newer version?)" / "（更新的版本？）";
    MessageTo: "message to" / "发消息给";
    Answer: "answer" / "回答";
    Of: "of" / "/";
    Send: "send" / "发送";
    SendAndNext: "send and next" / "发送并到下一个";
    NewLine: "line" / "换行";
    Pick: "pick" / "选";
    Keep: "keep" / "保留";
    DoesNothing: "does nothing here" / "在此无作用";
    ChooseDialog: "choose a dialog first" / "请先选择一个对话";
    NotRunning: "it does not run now" / "它现在没有运行";
    NothingRuns: "no dialog runs now" / "现在没有运行中的对话";
    NoAsker: "nobody asked it: it is a main dialog" / "没有谁向它提问：它是主线对话";
    NothingBefore: "there is nothing to go back to" / "没有可返回之处";
    NothingToOpen: "nothing here can be opened" / "这里没有可展开的内容";
    NoSuchQuestion: "no question has this number" / "没有这个编号的问题";
    NoTarget: "open a dialog to write to it" / "打开一个对话再写";
    AllAnswered: "all answered" / "全部已答";
    NothingToSend: "write something first" / "请先写点什么";
    NoQuestions: "no question waits for you" / "没有等你的问题";
    NobodyWaits: "no dialog waits for you or has stopped" / "没有等待或停止的对话";
    NewBelow: "new" / "新";
    Blocks: "blocks" / "阻塞";
    Later: "sent" / "已发";
    Queued: "queued" / "排队中";
    QueuedList: "all" / "全部";
    QueuedEarlier: "earlier" / "条更早的";
    Sending: "sending …" / "发送中 …";
    TakenBack: "taken back: it will not be delivered" / "已撤回，不会送达";
    TakenBackToEdit: "taken back: queued again once you send it" / "已撤回，发送后才会再排队";
    NewDialog: "NEW DIALOG" / "新对话";
    Teammate: "teammate" / "队友";
    Taskdoc: "Taskdoc" / "任务文档";
    FirstMessage: "first message" / "第一条消息";
    NoSuchMember: "no teammate has this name" / "没有这个队友";
    TaskdocMissing: "name a Taskdoc, such as add-login.tsk" / "请写任务文档名，如 add-login.tsk";
    TaskdocOutside: "a Taskdoc must be inside the workspace" / "任务文档必须在工作区内";
    MessageMissing: "write what is to be done" / "请写要做什么";
    CreateAndSend: "create and send" / "创建并发送";
    NextField: "next field" / "下一项";
    Help: "KEYS THAT WORK HERE" / "此处可用的按键";
    Close: "close" / "关闭";
    QuitWhileRunning: "dialogs are still running; quit? they can continue later" / "仍有对话在运行，退出吗？之后可以继续";
    QuitQuestion: "quit the program?" / "退出程序吗？";
    StopAllQuestion: "stop every running dialog?" / "停止所有运行中的对话？";
    Consent: "CONSENT" / "同意";
    ConsentIntro: "This workspace can do more than change its own files. None of this takes effect before you agree, and no dialog runs by itself." / "此工作区除了修改自己的文件，还能做以下的事。你同意之前，它们都不生效，对话也不会自行运行。";
    ConsentNothing: "Nothing waits for your consent." / "没有等待你同意的事。";
    ConsentOver: "Nothing waits for your consent any more. Agree, and dialogs that can continue do." / "已没有等待你同意的事。同意后，可以继续的对话就会继续。";
    ConsentShell: "commands of" / "执行命令：";
    ConsentServer: "server" / "服务器";
    ConsentProvider: "provider" / "模型服务";
    ConsentChanged: "changed" / "有变化";
    ConsentBefore: "you agreed to:" / "你曾同意：";
    ConsentMasked: "a value that is not shown has changed since you agreed" / "自你同意以来，有一个不显示的值变了";
    ConsentTooLong: "too long to be agreed to: shorten it" / "过长，无法同意：请缩短";
    ConsentAgree: "agree" / "同意";
    SandboxOfCommands: "command sandbox:" / "命令的沙箱：";
    OtherLevel: "another level" / "换一个级别";
    LevelIsSet: "config.yaml" / "config.yaml";
    LevelReadOnly: "commands can read the workspace but not write to it; no network" / "命令可读工作区，不能写；没有网络";
    LevelWorkspace: "commands can change the workspace, except files that affect later runs; no network" / "命令可改工作区，但不能改影响以后运行的文件；没有网络";
    LevelWorkspaceNet: "the same, with the network" / "同上，并有网络";
    LevelOff: "no restrictions: commands can do whatever you can" / "没有任何限制：命令可以做你能做的一切";
    ReadOn: "read on" / "继续阅读";
    LookOnly: "look only" / "只看不运行";
    Leave: "quit" / "退出";
    Show: "show" / "查看";
    Yes: "yes" / "是";
    No: "no" / "否";
    Leaving: "quitting: dialogs are stopping …" / "正在退出：对话正在停止 …";
    Busy: "busy: the last command is queued" / "忙：上一条命令在排队";
    Lagged: "the screen fell behind: reloading" / "屏幕落后，正在重新读取";
    TooSmall: "needs 40x12 (now" / "至少需要 40x12（现在";
    Retrying: "the model did not answer; next retry in" / "模型没有回应；下次重试还有";
    TryNow: "retry now" / "立即重试";
    NothingToRetry: "no failed request waits here" / "这里没有等待重试的请求";
    RetryRunning: "retrying" / "正在重试";
    AllFixed: "all problems are fixed" / "问题都已解决";
    PlayAgain: "play again" / "重新播放";
    LeaveProgram: "quit" / "退出";
    DraftCleared: "draft cleared" / "草稿已清空";
    BringsBack: "restores it" / "恢复";
    DraftRestored: "draft restored" / "草稿已恢复";
    NothingToUndo: "there is nothing to undo" / "没有可撤销的改动";
    PasteTooLong: "pasted text is too long: use a file" / "粘贴内容太长：请放进文件";
    NoCallHere: "no call of a teammate is in view" / "视野内没有队友调用";
    NoSideYet: "its side dialog is not known yet" / "还不知道它的支线对话";
    NotFound: "the other end was not found in its records" / "那个对话的记录里没有另一端";
    NoOlderCourse: "this is the first course" / "这是第一个课程";
    NoNewerCourse: "this is the newest course" / "这是最新的课程";
    Reminders: "REMINDERS" / "提醒";
    NoReminders: "no reminders yet" / "还没有提醒";
    OfThisDialog: "this dialog" / "本对话";
    Personal: "all dialogs of the member" / "该成员的所有对话";
    SharedByProgram: "all dialogs of the member, managed by the program" / "该成员的所有对话，由程序维护";
    KeptBy: "managed by" / "维护者";
    HiddenFromModel: "not shown to the model" / "不给模型看";
    EditReminder: "edit the reminder" / "编辑提醒";
    NewReminder: "new reminder of this dialog" / "本对话的新提醒";
    NewPersonalReminder: "new reminder for all dialogs" / "所有对话的新提醒";
    DeleteReminderQuestion: "permanently delete the reminder {}?" / "永久删除提醒 {} 吗？";
    NotByHand: "not editable" / "不能编辑";
    TextMissing: "there is nothing to save" / "没有可保存的内容";
    SectionTooLarge: "too large to be changed here" / "太大，不能在此修改";
    SectionsAreFixed: "sections of a Taskdoc are only edited here" / "这里只能编辑任务文档的章节";
    EmptySection: "empty" / "空";
    LayoutProblems: "layout problems" / "布局问题";
    Edit: "edit" / "编辑";
    Add: "add" / "添加";
    AddPersonal: "add for all dialogs" / "为所有对话添加";
    Delete: "delete" / "删除";
    Save: "save" / "保存";
    Context: "ctx" / "上下文";
    KeepGoing: "keep-going" / "续推";
    KeepGoingOff: "keep-going is off" / "续推已关闭";
    StoppedNote: "stopped" / "已停止";
    GoesOn: "continues it" / "继续";
    Open: "open" / "打开";
    Fold: "fold" / "折叠";
    New: "new" / "新建";
    Stop: "stop" / "停止";
    Continue: "continue" / "继续";
    All: "questions" / "问题";
    Write: "write" / "写";
    HelpHint: "help" / "帮助";
    CallSite: "call site" / "提问处";
    Follow: "follow" / "跟随";
    Call: "call" / "调用";
    DeathNote: "a note for whoever waits for it (optional)" / "给等待者的附言（可选）";
    DeclareDead: "declare dead" / "宣告死亡";
    DeclareDeadQuestion: "declare {} permanently dead?" / "永久宣告 {} 死亡吗？";
    DeclaredDead: "declared dead: {}" / "已宣告死亡：{}，等待者已获知";
    DeadAlready: "it is already dead" / "它已经死亡";
    OnlySideDialogs: "only a side dialog can be declared dead" / "只有支线对话可以宣告死亡";
    OnlyMainDialogs: "only for main dialogs" / "只适用于主线对话";
    ForkPosition: "before course.generation, such as 1.14" / "在 课程.生成 之前，如 1.14";
    Fork: "fork" / "分支";
    Forked: "forked" / "已分支";
    DoneOpen: "{} still has open work; mark it done anyway?" / "{} 中还有未了之事，仍要标记完成吗？";
    ArchiveOpen: "{} still has open work; archive it anyway?" / "{} 中还有未了之事，仍要归档吗？";
    MarkedDone: "done: {}" / "已完成：{}";
    ArchivedNow: "archived: {}" / "已归档：{}";
    UndoWith: "undo with" / "撤销请按";
    Restored: "restored: {}" / "已恢复：{}";
    DeleteQuestion: "permanently delete {} with all its side dialogs?" / "连同所有支线对话永久删除 {} 吗？";
    Deleted: "deleted: {}" / "已删除：{}";
    NextStep: "next" / "下一步";
    Archived: "archived" / "已归档";
    History: "(history)" / "（历史）";
    InBackground: "in background" / "个后台进程";
    LeaveRunning: "leave running" / "让它们继续";
    StopThem: "stop" / "停止它们";
    EndToo: "quit, they end too" / "退出，它们一并结束";
    Sandbox: "sandbox" / "沙箱";
    Stay: "stay" / "不退出";
    SideDialog: "side dialog" / "支线对话";
    Pane: "pane" / "窗格";
    FreshBoots: "FBR" / "重新思考";
    Divergence: "divergence" / "发散";
    Convergence: "convergence" / "收敛";
    Finalization: "conclusion" / "结论";
    TabDialogs: "dialogs" / "对话";
    TabForYou: "for you" / "等你";
    TabOpen: "dialog" / "当前";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_text_exists_in_both_languages_without_control_characters() {
        for word in Word::ALL {
            for lang in [Lang::En, Lang::Zh] {
                let text = word.text(lang);
                assert!(!text.is_empty() && !text.chars().any(char::is_control), "{word:?}");
            }
        }
    }
}
