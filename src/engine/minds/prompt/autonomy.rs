//! Section: what the member decides alone. Left out where nothing is configured.

use super::input::{PromptInput, PromptSection};
use crate::domain::asking::autonomy::DecisionPolicy;
use crate::domain::text::Text;

const TITLE: Text = Text::new("Autonomy", "自主权");

const INTRO: Text = Text::new("For these decisions:", "对于以下决定：");
const AUTOMATED: Text =
    Text::new("Full autonomy: proceed without confirmation", "完全自主：无需确认，直接进行");
const NOTIFY: Text = Text::new("Notify user but proceed", "通知用户，但继续进行");
const APPROVAL: Text =
    Text::new("Confirm all changes before proceeding", "所有更改都要先得到确认再进行");

const RULES: Text = Text::new(
    "- Before such a decision call `request_decision` with its category; its result says whether you go on. Give `diff` \
     if a change of files is what it is about.\n\
     - Ask early instead of guessing, and prefer options with pros and cons to an open question.\n\
     - Ask for a confirmation at most once for the same work.",
    "- 做这类决定之前，用相应的 category 调用 `request_decision`；结果会说明你能否继续。如果涉及文件改动，请给出 `diff`。\n\
     - 及早提问，不要猜测；与其开放式提问，不如给出带优缺点的选项。\n\
     - 同一项工作最多请求确认一次。",
);

pub(super) fn autonomy(facts: &PromptInput) -> PromptSection {
    if !facts.autonomy.is_configured() {
        return (&TITLE, None);
    }
    let line = |policy: DecisionPolicy| match policy {
        DecisionPolicy::Automated => AUTOMATED,
        DecisionPolicy::NotifyAndProceed => NOTIFY,
        DecisionPolicy::RequiresApproval => APPROVAL,
    };
    let lines = facts.autonomy.all().map(|(kind, policy)| {
        format!(
            "- {} (`{}`): {}",
            facts.text(&kind.words()),
            kind.name(),
            facts.text(&line(policy))
        )
    });
    let lines = lines.collect::<Vec<_>>().join("\n");
    let body = format!("{}\n\n{lines}\n\n{}", facts.text(&INTRO), facts.text(&RULES));
    (&TITLE, Some(body))
}
