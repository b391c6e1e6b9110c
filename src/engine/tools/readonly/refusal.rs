//! Why a line of `readonly_shell` is not run, and what to write instead.

use crate::domain::Lang;
use crate::domain::text::in_lang;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum LineRefusal {
    TooLong,
    Newline,
    Control,
    Redirection,
    /// An expansion of a variable or of the output of a command.
    Expansion(char),
    Separator(char),
    /// A character that a shell would expand or group by.
    Pattern(char),
    Unterminated,
    /// A program is missing where one is expected.
    Incomplete,
    Program(String),
    Option {
        program: String,
        option: String,
    },
    /// An option that needs a value has none.
    NoValue {
        program: String,
        option: String,
    },
    TooMany {
        program: String,
    },
    /// The text of a small program (`sed`, `awk`, `jq`) holds something that may write, run or read more.
    Script {
        program: String,
        part: String,
    },
    Path {
        path: String,
        why: String,
    },
    /// `cd` anywhere but before the first `&&`.
    Cd,
    Git(GitFault),
    /// A program that would not keep to the member's lists.
    Lists(String),
}

/// Why git is not started in a repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum GitFault {
    /// There is no repository up to the workspace.
    None,
    Unreadable,
    TooLarge,
    /// A part of it lies elsewhere: a `.git` file, a link, alternates.
    Elsewhere(String),
    /// A setting that leads elsewhere.
    Setting(String),
    /// The member has lists, and they speak of the workspace.
    Nested,
    /// A path outside of the repository.
    Outside,
    /// A path is named within a revision (`COMMIT:PATH`), where only commits can be compared.
    InRevision,
    /// The lists of the member leave nothing.
    Nothing,
}

/// Most characters of a line that a message repeats.
const SHOWN_CHARS: usize = 120;

impl LineRefusal {
    pub fn text(&self, lang: Lang) -> String {
        let why = self.reason(lang);
        in_lang!(lang, "Nothing was run. {why}", "未执行任何操作。{why}")
    }

    fn reason(&self, lang: Lang) -> String {
        match self {
            Self::TooLong => in_lang!(
                lang,
                "The line is too long; split it over several calls.",
                "命令行过长;请分成多次调用。"
            ),
            Self::Newline => in_lang!(
                lang,
                "A line is one line; use && between programs.",
                "命令只能是一行;程序之间用 &&。"
            ),
            Self::Control => in_lang!(
                lang,
                "The line holds a control character; leave it out.",
                "命令行含有控制字符;请去掉。"
            ),
            Self::Redirection => in_lang!(
                lang,
                "Redirections (<, >) are closed; quote the character if you mean it itself.",
                "不允许重定向(<、>);如需该字符本身,请加引号。"
            ),
            Self::Expansion(c) => in_lang!(
                lang,
                "`{c}` is closed outside of single quotes: nothing is expanded. Write the value itself.",
                "单引号之外不允许 `{c}`:不做任何展开。请直接写出值。"
            ),
            Self::Separator(c) => in_lang!(
                lang,
                "`{c}` is closed; use &&, || or | between programs.",
                "不允许 `{c}`;程序之间用 &&、|| 或 |。"
            ),
            Self::Pattern(c) => in_lang!(
                lang,
                "`{c}` is closed outside of quotes: no pattern is expanded. Quote it, or use find or rg -g.",
                "引号之外不允许 `{c}`:不展开通配符。请加引号,或用 find、rg -g。"
            ),
            Self::Unterminated => in_lang!(lang, "A quote is not closed.", "引号没有闭合。"),
            Self::Incomplete => in_lang!(
                lang,
                "A program is missing before or after |, && or ||.",
                "|、&& 或 || 的前后缺少程序。"
            ),
            Self::Program(name) => in_lang!(
                lang,
                (
                    "`{}` is not among the programs that only read; the description lists them.",
                    shown(name)
                ),
                ("`{}` 不在只读程序之列;工具描述中有列表。", shown(name))
            ),
            Self::Option { program, option } => in_lang!(
                lang,
                (
                    "{program}: `{}` is not among its options that only read; leave it out.",
                    shown(option)
                ),
                ("{program}:`{}` 不在其只读选项之列;请去掉。", shown(option))
            ),
            Self::NoValue { program, option } => in_lang!(
                lang,
                "{program}: `{option}` needs a value.",
                "{program}:`{option}` 需要一个值。"
            ),
            Self::TooMany { program } => {
                in_lang!(lang, "{program}: too many arguments.", "{program}:参数过多。")
            }
            Self::Script { program, part } => in_lang!(
                lang,
                (
                    "{program}: `{}` is closed in its text, since it may write, run or read more than is named.",
                    shown(part)
                ),
                (
                    "{program}:其程序文本中不允许 `{}`,因为它可能写入、执行或读取未指明的内容。",
                    shown(part)
                )
            ),
            Self::Path { path, why } => {
                in_lang!(lang, ("`{}`: {why}", shown(path)), ("`{}`:{why}", shown(path)))
            }
            Self::Cd => in_lang!(
                lang,
                "`cd` works once, first, with one folder and && behind it.",
                "`cd` 只能用一次,放在最前,带一个目录,后面接 &&。"
            ),
            Self::Git(fault) => fault.text(lang),
            Self::Lists(program) => in_lang!(
                lang,
                "{program}: it does not keep to your lists of readable paths; name files to it, or use the tools that search.",
                "{program}:它不遵守你的可读路径列表;请给出具体文件,或使用搜索工具。"
            ),
        }
    }
}

impl GitFault {
    fn text(&self, lang: Lang) -> String {
        match self {
            Self::None => in_lang!(
                lang,
                "git: there is no repository here, up to the workspace.",
                "git:从此处到工作区都没有仓库。"
            ),
            Self::Unreadable => in_lang!(
                lang,
                "git: the repository or its settings cannot be read.",
                "git:无法读取仓库或其设置。"
            ),
            Self::TooLarge => in_lang!(
                lang,
                "git: the repository holds too much to be looked through first.",
                "git:仓库内容过多,无法先行检查。"
            ),
            Self::Elsewhere(part) => in_lang!(
                lang,
                ("git: `{}` leads out of the repository, so it is not read.", shown(part)),
                ("git:`{}` 指向仓库之外,因此不读取。", shown(part))
            ),
            Self::Setting(name) => in_lang!(
                lang,
                (
                    "git: the repository's setting `{}` leads elsewhere, so it is not read.",
                    shown(name)
                ),
                ("git:仓库的设置 `{}` 指向别处,因此不读取。", shown(name))
            ),
            Self::Nested => in_lang!(
                lang,
                "git: your lists of readable paths allow only the repository of the workspace itself.",
                "git:你的可读路径列表只允许使用工作区自身的仓库。"
            ),
            Self::Outside => in_lang!(
                lang,
                "git: a path lies outside of its repository.",
                "git:路径在其仓库之外。"
            ),
            Self::InRevision => in_lang!(
                lang,
                "git diff: name two revisions, and the path behind `--`.",
                "git diff:请给出两个版本,路径放在 `--` 之后。"
            ),
            Self::Nothing => in_lang!(
                lang,
                "git: your lists of readable paths leave nothing to show.",
                "git:按你的可读路径列表,没有可显示的内容。"
            ),
        }
    }
}

fn shown(text: &str) -> String {
    text.chars().take(SHOWN_CHARS).flat_map(char::escape_debug).collect()
}
