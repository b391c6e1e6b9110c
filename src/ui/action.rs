//! What keys can do: actions, the scopes in which they are bound, and the bindings.
//!
//! An action is bound in every scope that uses it, and the focus decides its effect: [`Action::Stop`]
//! stops a dialog in the tree and a process in the list of processes. The bindings are beside the parts
//! they belong to; [`super::bindings`] collects them. Help, hints, the key map and the documents are all
//! built from them.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};

use crate::domain::Lang;
use crate::domain::text::Text;

/// Where bindings apply. A key is looked up in the focused scope, then in the wider ones.
#[derive(Clone, Copy)]
pub struct Scope {
    name: &'static str,
    heading: Text,
    wider: &'static [Scope],
    is_for_typing: bool,
}

impl Scope {
    /// Everywhere, also while typing: no plain characters.
    pub const ANYWHERE: Self =
        Self { is_for_typing: true, ..Self::new("anywhere", "任何地方", &[]) };
    /// In every pane that is not a text field.
    pub const PANES: Self = Self::new("panes", "任何窗格", &[Self::ANYWHERE]);

    /// A scope by its name in key files, which is also its English heading in help, its Chinese heading,
    /// and the wider scopes in the order of lookup.
    pub const fn new(name: &'static str, chinese: &'static str, wider: &'static [Scope]) -> Self {
        Self { name, heading: Text::new(name, chinese), wider, is_for_typing: false }
    }

    /// Makes it the scope of a text field: plain characters are typed text there and cannot be bound.
    #[must_use]
    pub const fn for_typing(self) -> Self {
        Self { is_for_typing: true, ..self }
    }

    /// A binding in this scope.
    pub const fn bind(self, action: Action, keys: &'static [&'static str]) -> Binding {
        Binding { scope: self, action, keys, does: None, former: None }
    }

    /// The name in key files.
    pub fn name(self) -> &'static str {
        self.name
    }

    /// The heading in lists of actions, in this language.
    pub fn heading(self, lang: Lang) -> &'static str {
        self.heading.in_lang(lang)
    }

    /// The scopes in which a key is looked up, in this order, when this scope has the focus.
    pub fn chain(self) -> impl Iterator<Item = Self> {
        std::iter::once(self).chain(self.wider.iter().copied())
    }

    /// True if plain characters are typed text here and must not be bound.
    pub fn is_for_typing(self) -> bool {
        self.is_for_typing
    }
}

impl fmt::Debug for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

// Scopes are compared by name; a test checks that names are unique.
impl PartialEq for Scope {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Scope {}

impl Hash for Scope {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name.hash(state);
    }
}

impl Ord for Scope {
    fn cmp(&self, other: &Self) -> Ordering {
        self.name.cmp(other.name)
    }
}

impl PartialOrd for Scope {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

macro_rules! actions {
    ($($action:ident $name:literal: $en:literal / $zh:literal;)*) => {
        /// Something a key can do.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Action {
            $(#[doc = $en] $action,)*
            /// Show the list with this scope; it has the scope's name.
            Show(Scope),
        }

        impl Action {
            /// The name in key files.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$action => $name,)* Self::Show(list) => list.name }
            }

            /// Returns what it does, unless its binding says something else.
            const fn does(self) -> Text {
                match self { $(Self::$action => Text::new($en, $zh),)* Self::Show(list) => list.heading }
            }
        }
    };
}

actions! {
    AnswerOldest "answer-oldest": "Answer the marked question, or the oldest open one" / "回答标记的问题，或最早的未答问题";
    NextQuestion "next-question": "Go to the next open question" / "到下一个未答问题";
    PreviousQuestion "previous-question": "Go to the previous open question" / "到上一个未答问题";
    NextWaiting "next-waiting": "Open the next dialog that waits for you or has stopped" / "打开下一个等你或已停止的对话";
    FocusNext "focus-next": "Move to the next pane" / "到下一个窗格";
    FocusPrevious "focus-previous": "Move to the previous pane" / "到上一个窗格";
    FocusFirst "focus-1": "Move to the dialogs" / "到对话列表";
    FocusSecond "focus-2": "Move to your questions" / "到等你的问题";
    FocusThird "focus-3": "Move to the open dialog" / "到打开的对话";
    Help "help": "Show the keys that work here" / "显示此处可用的按键";
    Palette "palette": "Find an action by its name" / "按名称查找操作";
    Redraw "redraw": "Redraw the screen" / "重画整个屏幕";
    Suspend "suspend": "Suspend the program and return to the shell" / "挂起程序，回到命令行";
    OpenConsent "consent": "Show what waits for your consent" / "显示等待你同意的事";
    Compose "compose": "Write a message to the open dialog" / "给打开的对话写消息";
    NewDialog "new": "Start a new dialog" / "新建对话";
    SwitchMouse "mouse": "Use the mouse here, or leave it to the terminal" / "在此使用鼠标，或交还给终端";
    Zoom "zoom": "Maximize this pane, or restore it" / "让此窗格占满屏幕，或恢复";
    Cancel "cancel": "Close what is open on top, or go back" / "关闭最上层，或返回";
    Quit "quit": "Quit the program" / "退出程序";
    Detach "detach": "Leave this screen and let the team go on" / "离开此界面，让团队继续";
    Up "up": "Move up one row" / "上移一行";
    Down "down": "Move down one row" / "下移一行";
    HalfPageUp "half-page-up": "Scroll up half a page" / "上滚半页";
    HalfPageDown "half-page-down": "Scroll down half a page" / "下滚半页";
    PageUp "page-up": "Scroll up one page" / "上滚一页";
    PageDown "page-down": "Scroll down one page" / "下滚一页";
    Top "top": "Go to the first row" / "到第一行";
    Bottom "bottom": "Go to the last row" / "到最后一行";
    Fold "fold": "Fold the row, or go to its parent" / "折叠此行，或到它的上级";
    Unfold "unfold": "Unfold the row, or go to its first child" / "展开此行，或到它的第一个下级";
    FoldAll "fold-all": "Fold all rows" / "折叠所有行";
    UnfoldAll "unfold-all": "Unfold all rows" / "展开所有行";
    Filter "filter": "Filter this list by typing" / "输入文字筛选此列表";
    SwitchShown "shown": "List all, only what waits for an answer, or only the news" / "列出全部、只列等待答复的，或只列消息";
    ClearNews "clear-news": "Dismiss all notices and failures" / "清除所有通知和故障";
    SwitchOrder "order": "Order this list in another way" / "换一种方式排列此列表";
    MarkRow "mark": "Mark this main dialog, to put several away at once" / "标记此主线对话，以便一次收起多个";
    Open "open": "Open the dialog" / "打开此对话";
    Close "close": "Close the list" / "关闭列表";
    ToAsker "to-asker": "Go to the dialog that asked this one" / "到向它提问的对话";
    Answer "answer": "Answer this question" / "回答此问题";
    PutOff "later": "Put this question off" / "把此问题留到稍后";
    BringBack "bring-back": "Show all questions that were put off" / "显示所有留到稍后的问题";
    UndoAnswer "undo-answer": "Undo the answer sent last, within five seconds" / "五秒内撤回最后发出的回答";
    TakeRecommended "take-recommended": "Answer with the recommended options" / "以推荐的选项作答";
    Comment "comment": "Comment on this line" / "评注此行";
    Dismiss "dismiss": "Close this question without an answer, or dismiss this notice" / "不回答而关闭此问题，或清除此通知";
    SendNow "send-now": "Send at once: stop what runs, and go on with the message" / "立即发送：停止此对话正在做的事，让它接着处理这条消息";
    DismissRest "dismiss-rest": "Send what is answered, and dismiss the other parts" / "发出已有的答复，其余部分不回答";
    Pick "pick": "Answer the question with this number" / "回答这个编号的问题";
    CallSite "view": "Show where in its dialog the question was asked" / "显示此问题在对话中的提问处";
    Stop "stop": "Stop this dialog" / "停止此对话";
    Continue "continue": "Continue this dialog" / "让此对话继续";
    StopAll "stop-all": "Stop every running dialog" / "停止所有运行中的对话";
    ContinueAll "continue-all": "Continue every stopped dialog" / "让所有已停止的对话继续";
    RetryNow "retry-now": "Retry its failed request now" / "立即重试它失败的请求";
    KeepGoing "keep-going": "Switch keep-going of this dialog on or off" / "开启或关闭此对话的续推";
    Refill "refill": "Refill the pushes of this dialog's keep-going" / "把此对话的续推次数补满";
    Retitle "title": "Give this dialog a title" / "给此对话起标题";
    Fork "fork": "Fork this main dialog before one of its generations" / "在此主线对话的某次生成之前分支";
    MarkDone "done": "Mark this main dialog as done" / "把此主线对话标为已完成";
    Archive "archive": "Archive this main dialog" / "把此主线对话归档";
    Revive "revive": "Restore this dialog to the running ones" / "把此对话恢复到运行中";
    DeclareDead "dead": "Declare this side dialog dead; asks for a note first" / "宣告此支线对话死亡；先询问附言";
    Delete "delete": "Delete this main dialog permanently; asks first" / "永久删除此主线对话；先询问";
    PreviousGeneration "previous-generation": "Go to the previous generation" / "到上一次生成";
    NextGeneration "next-generation": "Go to the next generation" / "到下一次生成";
    CallAbove "call-above": "Go to the call above" / "到上方的调用";
    CallBelow "call-below": "Go to the call below" / "到下方的调用";
    QuestionAbove "question-above": "Go to the question above" / "到上方的问题";
    QuestionBelow "question-below": "Go to the question below" / "到下方的问题";
    ChangeAbove "change-above": "Go to the change of files above" / "到上方的文件改动";
    ChangeBelow "change-below": "Go to the change of files below" / "到下方的文件改动";
    PreviousCourse "previous-course": "Show the previous course" / "显示上一个课程";
    NextCourse "next-course": "Show the next course" / "显示下一个课程";
    ToggleThinking "thinking": "Show or fold the thinking" / "显示或折叠思考";
    ToggleCall "call": "Open or fold this block" / "展开或折叠此块";
    CopyBlock "copy": "Copy this block, or the selected lines" / "复制此块，或选中的行";
    CopyCode "copy-code": "Copy the code block here, or the nearest above" / "复制此处的代码块，或上方最近的";
    SelectLines "select-lines": "Select lines to copy" / "选择要复制的行";
    WriteFile "write-file": "Write this block, or the selected lines, to a file" / "把此块或选中的行写入文件";
    ReadAll "read-all": "Read this whole dialog in your pager" / "用分页程序阅读整个对话";
    Find "find": "Find in this dialog" / "在此对话中查找";
    NextMatch "next-match": "Go to the next match" / "到下一处匹配";
    Search "search": "Search the store by words" / "在存储中按文字搜索";
    FindEverywhere "find-everywhere": "Find a word in all dialogs" / "在所有对话中查找";
    PreviousMatch "previous-match": "Go to the previous match" / "到上一处匹配";
    OtherEnd "enter": "Go to the other end: its side dialog, or the call it is about" / "到另一端：它的支线对话，或它对应的调用";
    Back "back": "Go back to where you were before" / "回到之前的位置";
    Reminders "reminders": "Show the reminders of this dialog" / "显示此对话的提醒";
    Taskdoc "taskdoc": "Show the Taskdoc of this dialog" / "显示此对话的任务文档";
    Changes "changes": "Review the files that this dialog and its side dialogs changed" / "查看此对话及其支线对话改动的文件";
    PreviousFile "previous-file": "Go to the previous file" / "到上一个文件";
    NextFile "next-file": "Go to the next file" / "到下一个文件";
    OtherChanges "other-changes": "Show other changes: of this dialog, of the main dialog, not reviewed" / "切换范围：此对话、主线对话、未审阅";
    MarkReviewed "reviewed": "Mark all changes of the main dialog until now as reviewed" / "把主线对话至今的改动都标为已审阅";
    Timeline "timeline": "Show who ran and who waited, over time" / "按时间显示谁在运行、谁在等待";
    Usage "tokens": "Show tokens, their cost, and how full contexts were" / "显示令牌、费用与上下文占用";
    EarlierSpan "earlier-span": "Go to the span before" / "到前一段";
    LaterSpan "later-span": "Go to the span after" / "到后一段";
    ZoomIn "zoom-in": "Show less time, larger" / "放大时间";
    ZoomOut "zoom-out": "Show more time" / "缩小时间";
    WholeTime "whole-time": "Show all of the time" / "显示全部时间";
    EarlierTime "earlier-time": "Scroll to earlier times" / "滚到更早";
    LaterTime "later-time": "Scroll to later times" / "滚到更晚";
    Log "log": "Show the log of this program" / "显示本程序的日志";
    LogLevel "log-level": "Show lines of another level and above" / "切换显示的级别";
    LogTeam "log-team": "Show lines of the next team, at last of all" / "切换到下一个团队的行，最后为全部";
    LogSpan "log-span": "Show lines of the last hour, of ten minutes, or all" / "切换最近一小时、十分钟或全部的行";
    Conversations "conversations": "Show what was said in dialogs" / "显示对话中说过的话";
    ReadAgain "read-again": "Read it again" / "重新读取";
    PreviousPart "previous-part": "Go to the previous part" / "到上一部分";
    NextPart "next-part": "Go to the next part" / "到下一部分";
    Send "send": "Send" / "发送";
    NewLine "new-line": "Start a new line" / "换行";
    HistoryUp "history-up": "On an empty line: edit a queued message, or recall a sent one" / "在空行上：编辑排队的消息，或取回已发的消息";
    HistoryDown "history-down": "Recall a later message" / "取回较晚的消息";
    FindSent "find-sent": "Search in what was sent before" / "在以前发送的文字中查找";
    ClearDraft "clear": "Clear the draft; on an empty one, ask to quit" / "清空草稿；已空时询问是否退出";
    Undo "undo": "Undo the last change of the draft, also its clearing" / "撤销草稿的上一次改动，包括清空";
    Redo "redo": "Redo what was undone last" / "重做上一次撤销的改动";
    AttachImage "attach-image": "Attach the image in the clipboard" / "附加剪贴板中的图片";
    OpenPaste "open-paste": "Show all of the pasted text at the caret, or of the change to approve" / "展开光标处的粘贴文字，或显示待批准的全部更改";
    Delegate "delegate": "Delegate a task to this team" / "把任务委派给此团队";
    SwitchTrigger "switch": "Enable or disable this trigger" / "启用或停用此触发器";
    TryTrigger "try": "Queue the task of this trigger once" / "把此触发器的任务排队一次";
    Leave "leave": "Return to the pane; the draft is kept" / "回到窗格；草稿保留";
    Edit "edit": "Edit this entry" / "编辑此条目";
    Add "add": "Add a reminder to this dialog" / "给此对话添加提醒";
    AddPersonal "add-personal": "Add a reminder for all dialogs of the member" / "给该成员的所有对话添加提醒";
    TakeBack "take-back": "Take this message back: it will not be delivered" / "撤回这条消息：不会送达";
    Agree "agree": "Agree to all of it, in this workspace, after all was shown" / "同意此工作区的全部内容；须先全部显示过";
    OtherLevel "sandbox": "Choose what commands may do" / "选择命令可以做什么";
    LookOnly "look-only": "Agree to nothing: look only, run nothing" / "都不同意：只看，不运行";
    Accept "accept": "Yes" / "是";
    AcceptReversible "accept-what-can-be-undone": "Yes, unless it cannot be undone" / "是，除非无法撤销";
    Refuse "refuse": "No" / "否";
    Replay "replay": "Play the demo again from its start" / "从头重新播放演示";
}

/// The keys of an action in one scope.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Binding {
    pub scope: Scope,
    pub action: Action,
    /// Default keys; the first one is shown in hints.
    pub keys: &'static [&'static str],
    /// What the action does in this scope, if that is more specific than its general text.
    does: Option<Text>,
    /// Its name in this scope in earlier versions.
    former: Option<&'static str>,
}

impl Binding {
    /// Adds a sentence about this scope, for help.
    #[must_use]
    pub const fn does(self, en: &'static str, zh: &'static str) -> Self {
        self.says(Text::new(en, zh))
    }

    /// Adds it as a text.
    #[must_use]
    pub const fn says(self, text: Text) -> Self {
        Self { does: Some(text), ..self }
    }

    /// Adds a name from earlier versions, which key files may still use.
    #[must_use]
    pub const fn formerly(self, name: &'static str) -> Self {
        Self { former: Some(name), ..self }
    }

    /// The help sentence in this language.
    pub fn sentence(&self, lang: Lang) -> &'static str {
        self.does.unwrap_or(self.action.does()).in_lang(lang)
    }

    /// True if key files may name it so.
    pub fn is_named(&self, name: &str) -> bool {
        self.action.name() == name || self.former == Some(name)
    }
}

/// The scope whose keys help and the palette show.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeysOf {
    pub scope: Scope,
    /// The only actions of an overlay, with the scope in which they are bound.
    pub only: Option<Vec<(Scope, Action)>>,
    /// The keys with which a text is edited there.
    pub editing: Option<EditingKeys>,
}

/// The keys of a text field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EditingKeys {
    Plain,
    Vi,
}

impl KeysOf {
    /// Returns the keys of a pane: all that are bound there.
    pub fn pane(scope: Scope, editing: Option<EditingKeys>) -> Self {
        Self { scope, only: None, editing }
    }

    pub fn has(&self, binding: &Binding) -> bool {
        let place = (binding.scope, binding.action);
        self.only.as_ref().is_none_or(|only| only.contains(&place))
    }
}
