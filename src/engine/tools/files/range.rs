//! Ranges of lines as a model writes them. Pure.

use std::ops::RangeInclusive;

use crate::domain::Lang;
use crate::domain::text::Text;

/// No range takes more characters than this.
const LIMIT_BYTES: usize = 64;

/// Why a text is no range of lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::tools) enum RangeFault {
    Form,
    Backwards,
    /// More than a range: the text of another call, it seems.
    Pasted,
}

impl RangeFault {
    /// What is wrong, and how a range looks.
    pub(in crate::tools) fn text(self, lang: Lang) -> &'static str {
        match self {
            Self::Form => Text::new("`range` must look like 10~20, 10~, ~20, ~ or 10, counted from 1.", "`range` 应写作 10~20、10~、~20、~ 或 10,行号从 1 开始。").in_lang(lang),
            Self::Backwards => {
                Text::new("`range` ends before it starts.", "`range` 的结束行在起始行之前。").in_lang(lang)
            }
            Self::Pasted => Text::new("`range` holds more than one range, perhaps the text of another call. \
                 Make one call per file and range.", "`range` 中不止一个范围,可能混入了另一次调用的文本。每次调用只给一个文件与一个范围。").in_lang(lang),
        }
    }
}

/// Parses the first and last line, counted from 1; `u64::MAX` stands for the end.
pub(in crate::tools) fn parse_range(text: &str) -> Result<RangeInclusive<u64>, RangeFault> {
    let text = text.trim();
    if text.len() > LIMIT_BYTES || text.contains(['\n', '\r', '@', '{']) {
        return Err(RangeFault::Pasted);
    }
    let (from, to) = match text.split_once('~') {
        Some((from, to)) => (line_or(from, 1)?, line_or(to, u64::MAX)?),
        None if text.is_empty() => (1, u64::MAX),
        None => (line_or(text, 1)?, line_or(text, 1)?),
    };
    if from > to { Err(RangeFault::Backwards) } else { Ok(from..=to) }
}

fn line_or(text: &str, default: u64) -> Result<u64, RangeFault> {
    let text = text.trim();
    if text.is_empty() {
        return Ok(default);
    }
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    let number = digits.then(|| text.parse().ok()).flatten();
    number.filter(|&line| line > 0).ok_or(RangeFault::Form)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_count_lines_from_one() {
        let form = Err(RangeFault::Form);
        let pasted = Err(RangeFault::Pasted);
        let long = "1~2 ".repeat(20);
        for (text, expected) in [
            ("3~5", Ok(3..=5)),
            (" 3 ~ 5 ", Ok(3..=5)),
            ("3~3", Ok(3..=3)),
            ("3~", Ok(3..=u64::MAX)),
            ("~5", Ok(1..=5)),
            ("~", Ok(1..=u64::MAX)),
            ("", Ok(1..=u64::MAX)),
            ("7", Ok(7..=7)),
            ("5~3", Err(RangeFault::Backwards)),
            ("0~3", form.clone()),
            ("0", form.clone()),
            ("-1~3", form.clone()),
            ("+1~3", form.clone()),
            ("1-3", form.clone()),
            ("1~2~3", form.clone()),
            ("a~b", form.clone()),
            ("1~\npath: x", pasted.clone()),
            ("1~3 @read_file b.txt", pasted.clone()),
            ("{\"range\":\"1~2\"}", pasted.clone()),
            (long.as_str(), pasted),
            ("99999999999999999999", form),
        ] {
            assert_eq!(parse_range(text), expected, "{text:?}");
        }
    }
}
