//! The words of the screen that mean something of their own in this program, explained by help where they stand.

use crate::action::Scope;
use crate::domain::Lang;
use crate::domain::text::Text;
use crate::words;

/// A word as the screen shows it, and its meaning.
type Term = (Text, Text);

/// The scopes, by their names, in whose panes and lists these words stand.
pub(super) const TERMS: &[(&[&str], &[Term])] = &[
    (&["tree"], &[TASKDOC]),
    (&["dialog"], &[COURSE, GENERATION, PUSH, GUIDE, KEEP_GOING, CONTEXT]),
    (&["inbox"], &[BLOCKS]),
    (&["mind", "team"], &[MIND]),
    (&["tokens"], &[GENERATION]),
    (&["tree", "dialog", "inbox"], &[SANDBOX]),
    (&["tree", "dialog", "inbox", "confirm", "overview", "log"], &[DRIVER]),
];

const TASKDOC: Term = (
    words::TASKDOC,
    Text::new(
        "a folder that states a task; every dialog about that task reads it",
        "写明一项任务的文件夹；关于该任务的每个对话都会读它",
    ),
);
const COURSE: Term = (
    words::COURSE_BEGINS,
    Text::new(
        "a part of a dialog; with the next one the member begins with an empty context",
        "对话的一部分；到下一个时，成员从空的上下文开始",
    ),
);
const GENERATION: Term = (
    words::GENERATION,
    Text::new(
        "generation: one request to the model, with all that came of it",
        "对模型的一次请求，以及由此产生的一切",
    ),
);
const PUSH: Term = (
    words::PUSHED,
    Text::new(
        "the program told a member to go on that stopped without asking or waiting for anybody",
        "成员既没有提问也没有在等任何人就停下时，程序让它继续",
    ),
);
const GUIDE: Term =
    (words::GUIDE, Text::new("what the program itself tells the member", "程序自己告诉成员的内容"));
const KEEP_GOING: Term = (
    words::KEEP_GOING,
    Text::new("how many pushes are left, and of how many", "还剩多少次续推，以及共多少次"),
);
const CONTEXT: Term =
    (words::CONTEXT, Text::new("how full the context of the model is", "模型的上下文用了多少"));
const BLOCKS: Term = (
    Text::new("blocks 1", "阻塞 1"),
    Text::new("one teammate waits for this answer, too", "还有一位队友在等这个答复"),
);
const MIND: Term = (
    Text::new("mind", "心智"),
    Text::new(
        "all that a member is told before a dialog begins: role, tools, memories",
        "对话开始之前告诉成员的一切：角色、工具、记忆",
    ),
);
const SANDBOX: Term = (
    Text::new("sandbox", "沙箱"),
    Text::new(
        "what the commands of members can reach; workspace: they write there alone",
        "成员的命令能触及的范围；workspace：只能写入工作区",
    ),
);
const DRIVER: Term = (
    Text::new("driver", "驱动进程"),
    Text::new(
        "the process in which the dialogs run; it can go on without a screen",
        "运行对话的进程；没有界面时也可以继续",
    ),
);

/// Returns the words of a scope with their meanings, in this language.
pub(super) fn terms(scope: Scope, lang: Lang) -> impl Iterator<Item = (String, String)> {
    let here = TERMS.iter().filter(move |(scopes, _)| scopes.contains(&scope.name()));
    let terms = here.flat_map(|(_, terms)| terms.iter());
    terms.map(move |(word, means)| (word.in_lang(lang).to_owned(), means.in_lang(lang).to_owned()))
}
