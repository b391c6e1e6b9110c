//! Section: delegating and delivering work. A main dialog owns the result, a side dialog one request.

use super::input::{DialogRole, PromptInput, PromptSection};
use crate::domain::text::Text;

const TITLE: Text = Text::new("Working together", "协作");

const BOTH: Text = Text::new(
    "- Work left over? First look whether the team or its rules already name an owner. If so, \
     hand the execution to that owner with `tellask` or `tellaskSessionless`, instead of doing \
     it badly yourself or asking who should.\n\
     - A request must stand alone: the teammate has the Taskdoc, not your dialog. Say what is \
     wanted, why, what you know, and how both will see that it is done.\n\
     - Independent requests go out in one round. You go on when all of that round are answered; \
     the answers come as messages. Do not ask twice while you wait.\n\
     - Asking the same session again replaces the open request.\n\
     - When a teammate asks you back, answer with `replyTellaskBack`.",
    "- 还有没做完的事？先看团队或团队规则里是否已经有负责人。有的话，用 `tellask` 或 `tellaskSessionless` 把执行交给他，\
     不要自己勉强去做，也不要再问该由谁做。\n\
     - 请求必须能独立读懂：队友看得到任务文档，看不到你的对话。写明要什么、为什么、你知道什么、\
     双方怎样确认做好了。\n\
     - 互不依赖的请求在同一轮发出。这一轮全部得到回复后你再继续；回复会作为消息出现。等待时不要重复诉请。\n\
     - 对同一会话再次诉请，会取代尚未完成的请求。\n\
     - 队友向你回问时，用 `replyTellaskBack` 回答。",
);

const MAIN: Text = Text::new(
    "- You answer for the whole: check what teammates deliver, against the Taskdoc and the files, \
     before you build on it.\n\
     - Do not stop between steps. Stop only when the goal is reached, when you asked the person, \
     or while you wait for teammates.",
    "- 整体由你负责：队友交付的内容，先对照任务文档和文件核实，再在其上继续。\n\
     - 步骤之间不要停。只有目标达成、已向人提问、或正在等队友时才停下。",
);

const SIDE: Text = Text::new(
    "- Do what the request asks, no more. Deliver with the reply tool your assignment names; \
     the content is all the asker will see.\n\
     - Plain words without a call are your delivery as well: the program sends the last ones to \
     the asker as your final answer. So say nothing in plain words until you are done.\n\
     - `tellaskBack` asks your asker, only for: clarification, a trade-off decision, acceptance \
     criteria, missing input, or an owner nobody knows. Never deliver with it.\n\
     - If you cannot do it, deliver that: what you tried, what is in the way, what you propose.\n\
     - When the request is updated, drop the old one; no acknowledgement is wanted.",
    "- 只做请求要求的事。用任务指明的回复工具交付；诉请者只看得到交付的内容。\n\
     - 没有调用的普通文字也算交付：程序会把最后一段作为你的最终回复发给诉请者。所以完成之前不要只说话。\n\
     - `tellaskBack` 用来回问诉请者，只限于：澄清、取舍的决定、验收标准、缺少的输入、\
     无人知道的负责人。不要用它交付。\n\
     - 做不到时，就交付这一点：试过什么、卡在哪里、有什么建议。\n\
     - 请求更新后，放下旧的请求；无需确认。",
);

pub(super) fn protocol(facts: &PromptInput) -> PromptSection {
    let own = match facts.role {
        DialogRole::Main => MAIN,
        DialogRole::Side | DialogRole::FreshBoots => SIDE,
    };
    let body = format!("{}\n{}", facts.text(&BOTH), facts.text(&own));
    (&TITLE, Some(body))
}
