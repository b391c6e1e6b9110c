//! Sections: asking the human, then every visible teammate by id.

use super::input::{PromptInput, PromptSection};
use crate::domain::Member;
use crate::domain::text::Text;

const QUESTIONS: Text = Text::new("Asking a person", "向人提问");
const QUESTIONS_BODY: Text = Text::new(
    "Use `askHuman` when only a person can decide: the goal itself, money, credentials, what \
     cannot be undone, a contradiction. Do not ask what you can find out, and do not report \
     progress with it.\n\
     - One question per round: two `askHuman` calls in a round are both refused. Put several \
     points into one.\n\
     - The reader may see nothing but the question. Begin with a line that says what you need; \
     then the facts, the options and the one you recommend.\n\
     - You are stopped until the answer comes; finish first what does not depend on it.",
    "只有人才能决定的事才用 `askHuman`：目标本身、费用、凭据、无法撤销的事、相互矛盾之处。\
     能自己查清的不要问，也不要用它汇报进度。\n\
     - 每轮一个问题：同一轮的两个 `askHuman` 都会被拒绝。多个要点请合成一个问题。\n\
     - 读者可能只看得到这个问题。第一行先说需要什么；然后写事实、选项，以及你推荐哪一个。\n\
     - 得到回答之前你会停下；与之无关的事请先做完。",
);

const TEAM: Text = Text::new("Team", "团队");
const ALONE: Text = Text::new("There are no teammates.", "没有队友。");
const YOU: Text = Text::new("you", "你自己");
const ASK_FOR: Text = Text::new("ask for", "可以请其");
const NOT_FOR: Text = Text::new("not for", "不要请其");

pub(super) fn questions(facts: &PromptInput) -> PromptSection {
    (&QUESTIONS, Some(facts.text(&QUESTIONS_BODY).to_owned()))
}

pub(super) fn team(facts: &PromptInput) -> PromptSection {
    let entries: Vec<String> =
        facts.team.visible().map(|member| member_entry(facts, member)).collect();
    let body = if entries.is_empty() { facts.text(&ALONE).to_owned() } else { entries.join("\n") };
    (&TEAM, Some(body))
}

fn member_entry(facts: &PromptInput, member: &Member) -> String {
    let mut text = format!("- `{}` ({})", member.id, member.name);
    if member.id == facts.member.id {
        text.push_str(&format!(" – {}", facts.text(&YOU)));
    }
    for (label, lines) in [(&ASK_FOR, &member.gofor), (&NOT_FOR, &member.nogo)] {
        if !lines.is_empty() {
            text.push_str(&format!("\n  - {}: {}", facts.text(label), lines.join("; ")));
        }
    }
    text
}
