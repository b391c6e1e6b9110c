//! The keys of the open dialog.

use crate::action::{Action, Binding, Scope};

pub const SCOPE: Scope = Scope::new("dialog", "打开的对话", &[Scope::PANES, Scope::ANYWHERE]);

pub const BINDINGS: &[Binding] = &[
    SCOPE
        .bind(Action::Up, &["k", "up"])
        .does("Go to the block above; in a long one, one line up", "到上方的块；长块内上移一行")
        .formerly("line-up"),
    SCOPE
        .bind(Action::Down, &["j", "down"])
        .does("Go to the block below; in a long one, one line down", "到下方的块；长块内下移一行")
        .formerly("line-down"),
    SCOPE.bind(Action::CallAbove, &["("]),
    SCOPE.bind(Action::CallBelow, &[")"]),
    SCOPE.bind(Action::QuestionAbove, &["<"]),
    SCOPE.bind(Action::QuestionBelow, &[">"]),
    SCOPE.bind(Action::ChangeAbove, &[","]),
    SCOPE.bind(Action::ChangeBelow, &["."]),
    SCOPE.bind(Action::HalfPageUp, &["ctrl+u"]),
    SCOPE.bind(Action::HalfPageDown, &["ctrl+d"]),
    SCOPE.bind(Action::PageUp, &["pageup"]),
    SCOPE.bind(Action::PageDown, &["pagedown", "space"]),
    SCOPE.bind(Action::Top, &["g", "home"]).does("Go to the start", "到开头"),
    SCOPE
        .bind(Action::Bottom, &["G", "end"])
        .does("Go to the end and follow new text", "到末尾并跟随新内容"),
    SCOPE.bind(Action::PreviousGeneration, &["["]),
    SCOPE.bind(Action::NextGeneration, &["]"]),
    SCOPE.bind(Action::PreviousCourse, &["{"]),
    SCOPE.bind(Action::NextCourse, &["}"]),
    SCOPE.bind(Action::ToggleThinking, &["t"]),
    SCOPE.bind(Action::ToggleCall, &["o"]),
    SCOPE.bind(Action::Find, &["/"]),
    SCOPE.bind(Action::NewDialog, &["n"]).does(
        "Go to the next match; without a search, start a new dialog",
        "到下一处匹配；没有查找时新建对话",
    ),
    SCOPE.bind(Action::PreviousMatch, &["N"]),
    SCOPE.bind(Action::CopyBlock, &["y"]),
    SCOPE.bind(Action::CopyCode, &["b"]),
    SCOPE.bind(Action::SelectLines, &["V"]),
    SCOPE.bind(Action::WriteFile, &["Y"]),
    SCOPE
        .bind(Action::Edit, &["e"])
        .does("Open the file of this call in your editor", "用编辑器打开此调用的文件"),
    SCOPE.bind(Action::ReadAll, &["O"]),
    SCOPE.bind(Action::OtherEnd, &["enter"]),
    SCOPE.bind(Action::Back, &["backspace"]),
    SCOPE.bind(Action::Reminders, &["r"]),
    SCOPE.bind(Action::Taskdoc, &["T"]),
    SCOPE.bind(Action::Answer, &["a"]).does(
        "Answer the question on this screen, or the oldest one",
        "回答屏幕上的问题，或最早的问题",
    ),
    SCOPE.bind(Action::Stop, &["s"]),
    SCOPE.bind(Action::Continue, &["c"]),
    SCOPE.bind(Action::RetryNow, &["R"]),
    SCOPE.bind(Action::KeepGoing, &["K"]),
    SCOPE.bind(Action::Refill, &["P"]),
    SCOPE.bind(Action::Retitle, &["E"]),
    SCOPE
        .bind(Action::Fork, &["f"])
        .does("Fork before the generation of this block", "在此块所属的生成之前分支"),
];
