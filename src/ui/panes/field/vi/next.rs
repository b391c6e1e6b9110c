//! The keys that can follow an unfinished command: after an operator, after `g`, and after `i` and `a`.

use super::{Awaited, Operator, ViKeys};
use crate::domain::text::Text;
use crate::panes::field::EditKeys;

/// The keys of an unfinished command, and the possible next keys.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BegunCommand {
    pub keys: String,
    pub next: Vec<EditKeys>,
}

/// The motions and objects of an operator, the most useful first.
const COVERED: [EditKeys; 16] = [
    (&["w"], Text::new("To the next word", "到下一个词")),
    (&["e"], Text::new("To the end of the word", "到词尾")),
    (&["b"], Text::new("Back to the start of a word", "退到词首")),
    (&["i w"], Text::new("The word", "这个词")),
    (&["a w"], Text::new("The word with the blanks beside it", "这个词及旁边的空白")),
    (&["$"], Text::new("To the end of the line", "到行末")),
    (&["0", "^"], Text::new("To the start of the line", "到行首")),
    (&["j"], Text::new("This line and the one below", "本行和下一行")),
    (&["k"], Text::new("This line and the one above", "本行和上一行")),
    (&["g g"], Text::new("To the first line", "到第一行")),
    (&["G"], Text::new("To the last line", "到最后一行")),
    (&["f", "t"], Text::new("To a character that is typed, or before it", "到输入的字符，或其前")),
    (&["F", "T"], Text::new("The same backwards", "同上，向后")),
    (&["i \"", "i '", "i `"], Text::new("What is in quotes", "引号内的文字")),
    (&["{", "}"], Text::new("To the blank line above or below", "到上方或下方的空行")),
    (&["h", "l"], Text::new("The character before or after", "前一个或后一个字符")),
];

const OBJECTS: [EditKeys; 3] = [
    (&["w"], Text::new("A word", "一个词")),
    (&["W"], Text::new("A word up to the blanks", "到空白为止的词")),
    (&["\"", "'", "`"], Text::new("What is in quotes", "引号内的文字")),
];

const TOP: [EditKeys; 1] = [(
    &["g"],
    Text::new("To the first line, or to the one that was counted", "到第一行，或到所计的行"),
)];

impl Operator {
    fn key(self) -> char {
        match self {
            Self::Delete => 'd',
            Self::Change => 'c',
            Self::Yank => 'y',
        }
    }

    /// The key again.
    fn whole_line(self) -> EditKeys {
        match self {
            Self::Delete => (&["d"], Text::new("Delete the whole line", "删除整行")),
            Self::Change => (&["c"], Text::new("Change the whole line", "修改整行")),
            Self::Yank => (&["y"], Text::new("Copy the whole line", "复制整行")),
        }
    }
}

impl ViKeys {
    /// Returns the unfinished command; `None` if there is none, or any character can follow.
    pub fn begun(&self) -> Option<BegunCommand> {
        let (last, next) = match self.awaited {
            Some(Awaited::Find { .. } | Awaited::Replace) => return None,
            Some(Awaited::Top) => (Some('g'), TOP.to_vec()),
            Some(Awaited::Object { around }) => {
                (Some(if around { 'a' } else { 'i' }), OBJECTS.to_vec())
            }
            None => {
                let line = self.operator?.whole_line();
                (None, std::iter::once(line).chain(COVERED).collect())
            }
        };
        let keys = self.operator.map(Operator::key).into_iter().chain(last);
        let keys: Vec<String> = keys.map(String::from).collect();
        Some(BegunCommand { keys: keys.join(" "), next })
    }
}
