//! How work is handed on and delivered; a main dialog owns the result, a side dialog one request.

use super::{DialogRole, Facts, Section, Text};

const TITLE: Text = Text::english("Working together");

const BOTH: Text = Text::english(
    "- Work left over? First look whether the team or its rules already name an owner. If so, \
     hand the execution to that owner with `tellask` or `tellaskSessionless`, instead of doing \
     it badly yourself or asking who should.\n\
     - A request must stand alone: the teammate has the Taskdoc, not your dialog. Say what is \
     wanted, why, what you know, and how both will see that it is done.\n\
     - Independent requests go out in one round. You go on when all of that round are answered; \
     the answers come as messages. Do not ask twice while you wait.\n\
     - Asking the same session again replaces the open request.\n\
     - When a teammate asks you back, answer with `replyTellaskBack`.",
);

const MAIN: Text = Text::english(
    "- You answer for the whole: check what teammates deliver, against the Taskdoc and the files, \
     before you build on it.\n\
     - Do not stop between steps. Stop only when the goal is reached, when you asked the person, \
     or while you wait for teammates.",
);

const SIDE: Text = Text::english(
    "- Do what the request asks, no more. Deliver with the reply tool your assignment names; \
     the content is all the asker will see.\n\
     - Plain words without a call are your delivery as well: the program sends the last ones to \
     the asker as your final answer. So say nothing in plain words until you are done.\n\
     - `tellaskBack` asks your asker, only for: clarification, a trade-off decision, acceptance \
     criteria, missing input, or an owner nobody knows. Never deliver with it.\n\
     - If you cannot do it, deliver that: what you tried, what is in the way, what you propose.\n\
     - When the request is updated, drop the old one; no acknowledgement is wanted.",
);

pub(super) fn protocol(facts: &Facts) -> Section {
    let own = match facts.role {
        DialogRole::Main => MAIN,
        DialogRole::Side | DialogRole::FreshBoots => SIDE,
    };
    let body = format!("{}\n{}", facts.say(&BOTH), facts.say(&own));
    (&TITLE, Some(body))
}
