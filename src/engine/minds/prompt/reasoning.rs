//! Section: fresh-boots reasoning.

use super::input::{PromptInput, PromptSection};
use crate::domain::text::Text;

const TITLE: Text = Text::new("Fresh-boots reasoning (FBR)", "重新思考（FBR）");

const GUIDE: Text = Text::new(
    "`freshBootsReasoning` puts one question to you anew, without tools and without this dialog. \
     Use it for a hard decision, a plan's blind spots, or when you go in circles; not for facts \
     that a tool can tell. Put everything it needs into the question. What comes back is advice, \
     checked by nobody.",
    "`freshBootsReasoning` 把一个问题重新交给你自己思考，没有工具，也看不到本对话。\
     用于艰难的决定、计划的盲点，或你在原地打转的时候；工具能查到的事实不要用它。问题所需的一切都要写进去。\
     得到的是建议，没有人核实过。",
);
const OFF: Text =
    Text::new("It is switched off for you; do not call it.", "你的这项功能已关闭，不要调用。");

const BODY: Text = Text::new(
    "- You have no tools: you cannot read, search, run, ask or hand on anything. Do not pretend \
     that you did. A call is refused, unless the program's prompt offers a tool to conclude \
     with.\n\
     - Reason only from what is in front of you. If something decisive is missing, list exactly \
     what, say what would follow from each possibility, and return.\n\
     - Follow the prompt of each round: first spread out, with angles that differ in kind; then \
     narrow down and attack your own favourite; then conclude.\n\
     - Tell what is known from what is assumed.",
    "- 你没有工具：不能读取、搜索、执行、提问或转交任何事。也不要假装做过。任何调用都会被拒绝，\
     除非程序的提示给出了用来下结论的工具。\n\
     - 只依据眼前的内容推理。若缺少决定性的东西，列出究竟缺什么，说明各种可能各会导致什么，然后结束。\n\
     - 按每一轮的提示做：先发散，角度要有性质上的不同；再收敛，反驳你自己最偏爱的；然后下结论。\n\
     - 分清已知的和假设的。",
);

pub(super) fn guide(facts: &PromptInput) -> PromptSection {
    let text = if facts.member.fbr_effort == 0 { OFF } else { GUIDE };
    (&TITLE, Some(facts.text(&text).to_owned()))
}

pub(super) fn body(facts: &PromptInput) -> PromptSection {
    (&TITLE, Some(facts.text(&BODY).to_owned()))
}
