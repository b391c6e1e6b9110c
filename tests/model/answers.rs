//! What a model may answer.

use dominds_tui::llm::{ErrorClass, LlmError, Reply, Request};
use fastrand::Rng;
use serde_json::json;

use crate::actor::{Book, pause};
use crate::notices::NOTIFY;
use crate::plan::{Profile, chosen};
use crate::tool;

const TEAM: [&str; 4] = ["lead", "alice", "bob", "carol"];
const SLUGS: [&str; 2] = ["plan", "ship"];

/// What a model does in one call, or instead of one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Act {
    Words,
    ThinkOnly,
    Session,
    Once,
    Back,
    AskHuman,
    /// What may have been answered before.
    AskAgain,
    /// A decision that requires approval.
    Decide,
    /// What a person need not answer.
    Notify,
    Reply,
    WrongReply,
    Probe,
    ClearMind,
    Remind,
    FreshBoots,
    Odd,
    Fail(ErrorClass),
    Empty,
    Hang,
}

fn acts(profile: Profile, is_side: bool) -> Vec<(u32, Act)> {
    let side = |weight| if is_side { weight } else { 0 };
    let mut acts = vec![
        (26, Act::Words),
        (22, Act::Session),
        (side(16), Act::Back),
        (side(16), Act::Reply),
        (10, Act::Reply),
    ];
    if profile == Profile::Everything {
        acts.extend([
            (2, Act::ThinkOnly),
            (9, Act::Once),
            (9, Act::AskHuman),
            (4, Act::AskAgain),
            (5, Act::Decide),
            (5, Act::Notify),
            (3, Act::WrongReply),
            (12, Act::Probe),
            (3, Act::ClearMind),
            (2, Act::Remind),
            (2, Act::FreshBoots),
            (2, Act::Odd),
            (1, Act::Fail(ErrorClass::Rejected)),
            (1, Act::Fail(ErrorClass::Server)),
            (1, Act::Fail(ErrorClass::Cut)),
            (2, Act::Empty),
            (1, Act::Hang),
        ]);
    }
    acts
}

fn offers(request: &Request, name: &str) -> bool {
    request.tools.iter().any(|tool| tool.name == name)
}

/// The concluding call, where only that is offered.
fn conclusion(request: &Request) -> Option<&str> {
    let first = request.tools.first()?;
    (!offers(request, "askHuman")).then_some(first.name.as_str())
}

/// Nothing but what is due: plain words are a reply wherever one is owed.
pub fn due(request: &Request, book: &mut Book) -> (String, Reply) {
    let mark = book.mark('w');
    match conclusion(request) {
        Some(name) => {
            let arguments = json!({ "content": mark }).to_string();
            (format!("concludes {mark}"), Reply::call("end", name, &arguments))
        }
        None => (format!("says {mark}"), Reply::saying(&mark)),
    }
}

/// Anything. `more`: side dialogs that may still be asked for.
pub fn any(
    rng: &mut Rng,
    request: &Request,
    profile: Profile,
    more: &mut u32,
    book: &mut Book,
) -> (String, Reply) {
    let (waits, breaks) = (pause(rng), rng.u32(0..5) == 0);
    if !offers(request, "askHuman") {
        let (entry, reply) = due(request, book);
        return if breaks { says(book) } else { (entry, reply.and_wait(waits)) };
    }
    let acts = acts(profile, offers(request, "tellaskBack"));
    let first = *chosen(rng, &acts);
    let reply = Reply::new().and_wait(waits);
    match first {
        Act::Words if rng.u32(0..12) == 0 => asks_in_words(reply, book),
        Act::Words => says_after(reply, book),
        Act::ThinkOnly => ("thinks only".to_owned(), reply.and_thinking("Hm.")),
        Act::Fail(class) => (format!("fails: {class:?}"), failing(reply, class)),
        Act::Empty => ("is empty".to_owned(), reply.and_saying(" ")),
        Act::Hang => ("hangs".to_owned(), reply.and_saying("Well ").and_hang()),
        act => round(rng, reply, act, &acts, more, book),
    }
}

fn says(book: &mut Book) -> (String, Reply) {
    says_after(Reply::new(), book)
}

fn says_after(reply: Reply, book: &mut Book) -> (String, Reply) {
    let mark = book.mark('w');
    (format!("says {mark}"), reply.and_saying(&mark))
}

/// Questions in words, some of which cannot be asked.
fn asks_in_words(reply: Reply, book: &mut Book) -> (String, Reply) {
    let mark = book.mark('q');
    let broken = mark.ends_with('3');
    let end = if broken { "" } else { "]}" };
    let words = format!(r#"{{"open_questions":[{{"text":"{mark}"}},{{"text":"x"}}{end}"#);
    (format!("asks {mark} in words"), reply.and_saying(&words))
}

fn failing(reply: Reply, class: ErrorClass) -> Reply {
    reply.and_saying("Half a ").and_failure(LlmError::quoted(class, "it failed"))
}

/// Some calls, with words before or after them now and then.
fn round(
    rng: &mut Rng,
    mut reply: Reply,
    first: Act,
    acts: &[(u32, Act)],
    more: &mut u32,
    book: &mut Book,
) -> (String, Reply) {
    let mut parts = Vec::new();
    let words = rng.u32(0..6);
    if words == 0 {
        let mark = book.mark('w');
        parts.push(format!("says {mark}"));
        reply = reply.and_saying(&mark);
    }
    let others = [0, 0, 0, 0, 1, 1, 2][rng.usize(..7)];
    let mut all = vec![first];
    all.extend((0..others).map(|_| *chosen(rng, acts)));
    for act in all {
        if let Some((name, arguments, what)) = call(rng, act, more, book) {
            let id = book.mark('c');
            parts.push(format!("calls {id} {what}"));
            reply = reply.and_call(&id, name, &arguments);
        }
    }
    if words == 1 || parts.is_empty() {
        let mark = book.mark('w');
        parts.push(format!("says {mark}"));
        reply = reply.and_saying(&mark);
    }
    (parts.join(", "), reply)
}

type Made = (&'static str, String, String);

fn call(rng: &mut Rng, act: Act, more: &mut u32, book: &mut Book) -> Option<Made> {
    let pick = rng.usize(..4);
    let (target, slug) = (TEAM[pick], SLUGS[rng.usize(..2)]);
    Some(match act {
        Act::Session if *more > 0 || rng.bool() => {
            *more = more.saturating_sub(1);
            let content = book.mark('q');
            let arguments =
                json!({"targetAgentId": target, "sessionSlug": slug, "tellaskContent": content});
            ("tellask", arguments.to_string(), format!("tellask {target} {slug} {content}"))
        }
        Act::Once if *more > 0 => {
            *more -= 1;
            let content = book.mark('q');
            let arguments = json!({"targetAgentId": target, "tellaskContent": content});
            let entry = format!("tellaskSessionless {target} {content}");
            ("tellaskSessionless", arguments.to_string(), entry)
        }
        Act::FreshBoots if *more > 0 => {
            *more -= 1;
            let arguments = json!({"tellaskContent": book.mark('q'), "effort": 1}).to_string();
            ("freshBootsReasoning", arguments, "freshBootsReasoning".to_owned())
        }
        Act::Back => text_call("tellaskBack", "tellaskContent", &book.mark('q')),
        Act::AskHuman if pick > 1 => in_parts(pick, book),
        Act::AskHuman => text_call("askHuman", "tellaskContent", &book.mark('q')),
        Act::AskAgain => text_call("askHuman", "tellaskContent", "May I?"),
        Act::Decide => {
            let mark = book.mark('q');
            let arguments = json!({"category": "scopeChanges", "description": mark, "diff": "-a"});
            ("request_decision", arguments.to_string(), format!("request_decision {mark}"))
        }
        Act::Notify => text_call(NOTIFY, "text", &book.mark('n')),
        Act::Reply => {
            let tools = ["replyTellask", "replyTellaskBack", "replyTellaskSessionless"];
            text_call(tools[[0, 0, 1, 2][pick]], "replyContent", &book.mark('r'))
        }
        Act::WrongReply => ("replyTellask", "{}".to_owned(), "replyTellask {}".to_owned()),
        Act::Probe => text_call(tool::NAME, "mark", &book.mark('t')),
        Act::ClearMind => text_call("clear_mind", "reminder_content", &book.mark('m')),
        Act::Remind => text_call("add_reminder", "content", &book.mark('m')),
        Act::Odd => odd(pick),
        Act::Session
        | Act::Once
        | Act::FreshBoots
        | Act::Words
        | Act::ThinkOnly
        | Act::Fail(_)
        | Act::Empty
        | Act::Hang => return None,
    })
}

/// Several questions in one call.
fn in_parts(pick: usize, book: &mut Book) -> Made {
    let part = |text: String| json!({ "text": text, "options": [{ "label": "x" }] });
    let parts: Vec<_> = (0..pick).map(|_| part(book.mark('q'))).collect();
    ("askHuman", json!({ "questions": parts }).to_string(), format!("askHuman in {pick} parts"))
}

fn text_call(name: &'static str, argument: &str, text: &str) -> Made {
    (name, json!({ argument: text }).to_string(), format!("{name} {text}"))
}

/// Calls that make no sense.
fn odd(pick: usize) -> Made {
    let (name, arguments) = [
        ("tellask", "{broken"),
        ("tellask", r#"{"targetAgentId":"nobody","sessionSlug":"plan","tellaskContent":"x"}"#),
        ("no_such_tool", "{}"),
        ("askHuman", r#"{"tellaskContent":" "}"#),
    ][pick];
    (name, arguments.to_owned(), format!("{name} {arguments}"))
}
