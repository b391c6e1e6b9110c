//! The texts of the sheet of tokens.

use crate::domain::text::Text;
use crate::words::Counted;

pub(super) const TITLE: Text = Text::new("TOKENS", "令牌");
pub(super) const GENERATIONS: Counted = Counted::new("generation", "generations", "次生成");
pub(super) const LEFT_OUT: Counted =
    Counted::new("dialog is left out", "dialogs are left out", "个对话未显示");
pub(super) const GO: Text = Text::new("go there", "到那里");
pub(super) const GENERATION: Text = Text::new("generation", "生成");
pub(super) const BY_MEMBER: Text = Text::new("by member", "按成员");
pub(super) const BY_DIALOG: Text = Text::new("by dialog", "按对话");
pub(super) const ALL: Text = Text::new("all", "合计");
pub(super) const RUNS: Text = Text::new("gens", "生成");
pub(super) const INPUT: Text = Text::new("input", "输入");
pub(super) const CACHED: Text = Text::new("cached", "缓存");
pub(super) const OUTPUT: Text = Text::new("output", "输出");
pub(super) const COST: Text = Text::new("cost", "费用");
pub(super) const NO_PRICES: Text = Text::new(
    "There are no prices: `prices` in your config.yaml shows what it costs.",
    "没有价格：在你的 config.yaml 中设置 `prices` 即可显示费用。",
);
pub(super) const WITHOUT: Text =
    Text::new("+ without {}: no price is set", "+ 未含 {}：未设置价格");
pub(super) const UNNAMED_MODEL: Text =
    Text::new("a model that its provider does not name", "提供方未报名称的模型");
pub(super) const UNCOUNTED: Counted =
    Counted::new("generation was not counted", "generations were not counted", "次生成未计数");
pub(super) const NOTHING: Text =
    Text::new("No generation of this dialog has ended yet.", "此对话还没有结束的生成。");
pub(super) const HEALTHY: Text = Text::new("healthy", "充裕");
pub(super) const CAUTION: Text = Text::new("caution", "吃紧");
pub(super) const CRITICAL: Text = Text::new("critical", "告急");
