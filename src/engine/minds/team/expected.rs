//! What a key of `team.yaml` has to be, for the fixes of problems.

use crate::domain::text::Text;

pub(super) const STRING: Text = Text::new("a string", "字符串");
pub(super) const LINES: Text = Text::new("a string, list or map", "字符串、列表或映射");
pub(super) const NAMES: Text = Text::new("a list of names", "名称列表");
pub(super) const STRINGS: Text = Text::new("a list of strings", "字符串列表");
pub(super) const STOPS: Text =
    Text::new("a list of up to 16 short texts", "最多 16 项短文本的列表");
pub(super) const MAP: Text = Text::new("a map", "映射");
pub(super) const FLAG: Text = Text::new("true or false", " true 或 false");
pub(super) const WORD: Text = Text::new("a word", "一个词");
pub(super) const EFFORT: Text = Text::new(
    "a word such as `high` or `max`; `ultra` is a mode of another program, no effort of a model: use `max`",
    "`high`、`max` 之类的词；`ultra` 是另一程序的模式，不是模型的推理强度：请用 `max`",
);
pub(super) const THINKING: Text = Text::new(
    "`{ type: adaptive }`, `{ type: disabled }`, or `{ type: enabled, budget_tokens: N }` with N of at least 1024",
    "`{ type: adaptive }`、`{ type: disabled }` 或 `{ type: enabled, budget_tokens: N }`（N 不小于 1024）",
);
pub(super) const CHAT_THINKING: Text = Text::new(
    "true, false, `auto`, `off`, `low`, `medium`, `high`, or a map",
    " true、false、`auto`、`off`、`low`、`medium`、`high` 或映射",
);
pub(super) const COUNT: Text = Text::new("a whole number above 0", "大于 0 的整数");
pub(super) const WHOLE: Text = Text::new("a whole number", "整数");
pub(super) const PERCENT: Text = Text::new("a whole number, 0 to 100", " 0 到 100 的整数");
pub(super) const BUDGET: Text = Text::new("a whole number of at least 1024", "不小于 1024 的整数");
pub(super) const TO_ONE: Text = Text::new("0 to 1", " 0 到 1");
pub(super) const TO_TWO: Text = Text::new("0 to 2", " 0 到 2");
