//! Questions for the human: asked by a dialog, answered once.

use serde_json::{Map, Value};

use crate::domain::asking::decisions::{DecisionResult, NewDecision, Resolution};
use crate::domain::asking::inquiry::PartsOrigin;
use crate::domain::asking::inquiry::answers::{AnswerInput, PartAnswers};
use crate::domain::asking::question::{CallSite, Question, question_id, short_headline};
use crate::domain::dialogs::call::{ASK_HUMAN, RuntimeQuestion};
use crate::domain::dialogs::record::{
    Call, CallRef, CallResult, Carryover, DeliveryMode, Record, ReplyStatus, Responder, Route,
    TellaskResult,
};
use crate::domain::text::{Localized, localized};
use crate::domain::{AgentId, CallId, Dialog, DialogId, SelfId};
use crate::driver::steps::draft::Draft;
use crate::driver::steps::position::Position;
use crate::driver::texts::{ReplyText, Texts};
use crate::protocol::Refusal;

/// Longest quote of an earlier answer.
const MAX_SHOWN_ANSWER_CHARS: usize = 80;
/// Most bytes of answers that are kept: however they are escaped, their file can be read again.
const MAX_KEPT_BYTES: usize = 512 * 1024;
/// The responder of an answered question.
const HUMAN: &str = "human";

/// Opens the question; returns the status text of its call.
pub fn ask(draft: &mut Draft, at: &Position, call: &Call, content: &str, texts: Texts) -> String {
    let id = draft.tree.id(&at.dialog);
    let Some(dialog) = draft.dialog(&at.dialog) else { return texts.question_already_open() };
    let site = CallSite {
        course: at.course,
        message_index: u64::try_from(dialog.history.entries.len()).unwrap_or_default(),
        call_site_genseq: Some(at.genseq),
        extra: serde_json::Map::new(),
    };
    let mut questions = dialog.questions.clone();
    questions.push(Question {
        extra: Map::new(),
        ..Question::new(&id, &call.id, content, draft.now.clone(), site)
    });
    draft.set_questions(&at.dialog, questions);
    texts.waiting(ASK_HUMAN, &call.id)
}

/// Asks on behalf of the model, as an ordinary call with its status, so that every reader of the course understands it.
pub fn ask_for(
    draft: &mut Draft,
    at: &Position,
    id: CallId,
    (arguments, content): (&Value, &str),
    texts: Texts,
) {
    let call = Call { id, name: ASK_HUMAN.to_owned(), raw_arguments_text: arguments.to_string() };
    draft.set_durable();
    let delivery_mode = DeliveryMode::TellaskCallStart;
    let asked = Record::TellaskCall { call: call.clone(), delivery_mode };
    draft.append(&at.dialog, at.course, at.genseq, asked);
    let status = ask(draft, at, &call, content, texts);
    let result = CallResult::of_text(call.id, call.name, status);
    draft.append(&at.dialog, at.course, at.genseq, Record::FuncResult(result));
}

/// Returns the call that asks for a decision, and the id of its question. The error is the result for the model if
/// nothing can be asked now.
pub fn approval_call(
    draft: &Draft,
    at: &Position,
    texts: Texts,
) -> Result<(CallId, String), String> {
    let asks = |dialog: &&Dialog| {
        !dialog.latest.is_dead()
            && dialog.latest.current_course.max(dialog.history.course) == at.course
    };
    let Some(dialog) = draft.dialog(&at.dialog).filter(asks) else {
        return Err(texts.decision_not_asked());
    };
    if !dialog.questions.is_empty() {
        return Err(texts.question_already_open());
    }
    let call = RuntimeQuestion::Approval.call(&draft.ids.short(8));
    let question = question_id(&draft.tree.id(&at.dialog), at.course, &call);
    Ok((call, question))
}

/// A person's answer to an open question.
#[derive(Debug)]
pub struct GivenAnswer<'a> {
    pub input: &'a AnswerInput,
    /// Also to parts that have an answer.
    pub replace: bool,
    /// The content items of its images.
    pub images: Option<Value>,
}

/// What became of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AnswerOutcome {
    /// It is recorded, and the question closed: how, and what it says for the history.
    Recorded(Resolution, Box<NewDecision>),
    /// Other parts are open: it is kept until they have an answer, and no model is sent it.
    Kept,
}

/// Records the answer to an open question, or keeps it. The error is the message for the user.
pub fn answer(
    draft: &mut Draft,
    dialog_id: &SelfId,
    question: &str,
    given: GivenAnswer<'_>,
    texts: Texts,
) -> Result<AnswerOutcome, Localized> {
    let dialog = draft.dialog(dialog_id).ok_or(Refusal::NoSuchDialog)?;
    if dialog.latest.is_dead() {
        return Err(Refusal::AskerIsDead.into());
    }
    let open_question = dialog.questions.iter().find(|open| open.id == question).cloned();
    let open =
        open_question.ok_or_else(|| closed_reason(&draft.tree.id(dialog_id), dialog, question))?;
    let GivenAnswer { input, replace, images } = given;
    let inquiry = dialog.inquiry(&open);
    let (text, how) = match input {
        // A question in words is answered in words.
        AnswerInput::Words(words) if inquiry.origin == PartsOrigin::Words => {
            (words.clone(), Resolution::Answered)
        }
        AnswerInput::Words(_)
        | AnswerInput::Parts(_)
        | AnswerInput::Recommended
        | AnswerInput::Dismiss(_) => {
            let kept = dialog.answers_to(question).cloned();
            let kept = kept.unwrap_or_else(|| PartAnswers {
                question: question.to_owned(),
                ..PartAnswers::default()
            });
            let at = (&draft.now, texts.dismissed());
            let answers = kept.with(&inquiry, input, replace, at).map_err(|fault| fault.text())?;
            if !answers.is_complete(&inquiry) {
                if images.is_some() {
                    return Err(Refusal::NoImagesInParts.into());
                }
                if answers.bytes() > MAX_KEPT_BYTES {
                    return Err(Refusal::AnswersTooLong.into());
                }
                draft.set_durable();
                draft.set_answers(dialog_id, Some(answers));
                return Ok(AnswerOutcome::Kept);
            }
            let how = Resolution::of_answer(&inquiry, input, &answers.parts);
            (answers.text(&inquiry, texts.0), how)
        }
    };
    let record = answer_record(dialog, &open, (&text, images), texts)?;
    let decision = NewDecision {
        dialog: draft.tree.id(dialog_id),
        agent: dialog.meta.agent_id.clone(),
        by: format!("@{HUMAN}"),
        category: inquiry.approval.as_ref().map(|approval| approval.category),
        result: DecisionResult::Closed(how),
        what: open.tellask_content.clone(),
        reason: text,
    };
    close(draft, dialog_id, question, record);
    Ok(AnswerOutcome::Recorded(how, Box::new(decision)))
}

/// Records the answer to a question whose parts all have one already.
pub fn record_complete(draft: &mut Draft, id: &SelfId, texts: Texts) {
    let Some(dialog) = draft.dialog(id) else { return };
    let Some(answers) = &dialog.answers else { return };
    let open = dialog.questions.iter().find(|open| open.id == answers.question);
    let complete = open.map(|open| (open, dialog.inquiry(open)));
    let Some((open, inquiry)) = complete.filter(|(_, inquiry)| answers.is_complete(inquiry)) else {
        return;
    };
    let question = open.id.clone();
    if let Ok(record) = answer_record(dialog, open, (&answers.text(&inquiry, texts.0), None), texts)
    {
        close(draft, id, &question, record);
    }
}

fn close(draft: &mut Draft, id: &SelfId, question: &str, answer: Record) {
    let Some(dialog) = draft.dialog(id) else { return };
    let course = dialog.latest.current_course.max(dialog.history.course);
    let remaining = dialog.questions.iter().filter(|other| other.id != question).cloned().collect();
    draft.set_durable();
    draft.append_detached(id, course, answer);
    draft.set_questions(id, remaining);
}

/// Why a question is not open: who answered it, and when.
fn closed_reason(id: &DialogId, dialog: &Dialog, question: &str) -> Localized {
    let answered = dialog.history.entries.iter().find_map(|entry| {
        let (call, course, who, text) = if let Record::TellaskResult(reply) = &entry.record {
            let course = reply.call_site_course?;
            (&reply.call_id, course, &reply.responder.responder_id, &reply.content)
        } else if let Record::Carryover(reply) = &entry.record {
            (&reply.call_id, reply.call_site_course, &reply.responder_id, &reply.response)
        } else {
            return None;
        };
        (question_id(id, course, call) == question).then(|| (who, &entry.ts, text))
    });
    match answered {
        Some((who, when, text)) => {
            let answer = short_headline(text, MAX_SHOWN_ANSWER_CHARS);
            localized!(
                "it was answered already, by @{who} at {when}: {answer}",
                "@{who} 已于 {when} 答复：{answer}"
            )
        }
        None => Refusal::QuestionIsClosed.into(),
    }
}

fn answer_record(
    dialog: &Dialog,
    open: &Question,
    (answer, images): (&str, Option<Value>),
    texts: Texts,
) -> Result<Record, Localized> {
    let site = &open.call_site_ref;
    let course = dialog.latest.current_course.max(dialog.history.course);
    let human = AgentId::new(HUMAN);
    if site.course == course {
        return Ok(Record::TellaskResult(TellaskResult {
            call_id: open.call_id.clone(),
            status: ReplyStatus::Completed,
            content: answer.to_owned(),
            content_items: images,
            call_site_course: Some(site.course),
            call_site_genseq: site.call_site_genseq,
            responder: Responder {
                responder_id: human.clone(),
                agent_id: Some(human),
                origin_member_id: Some(dialog.meta.agent_id.clone()),
            },
            route: Some(Route::default()),
            call_name: ASK_HUMAN.to_owned(),
            call: CallRef { tellask_content: open.tellask_content.clone(), ..CallRef::default() },
        }));
    }
    if images.is_some() {
        // The record of a reply to an earlier course has no place for them.
        return Err(Refusal::NoImagesHere.into());
    }
    let content = texts.carryover(
        site.course.0,
        &ReplyText {
            responder: HUMAN,
            text: answer,
            status: ReplyStatus::Completed,
            call_name: ASK_HUMAN,
            call_id: &open.call_id,
            mention: "@human",
            slug: None,
            request: &open.tellask_content,
        },
    );
    Ok(Record::Carryover(Carryover {
        call_site_course: site.course,
        carryover_course: course,
        responder_id: human.clone(),
        call_name: ASK_HUMAN.to_owned(),
        session_slug: None,
        mention_list: None,
        tellask_content: open.tellask_content.clone(),
        status: ReplyStatus::Completed,
        response: answer.to_owned(),
        content,
        agent_id: human,
        call_id: open.call_id.clone(),
        origin_member_id: dialog.meta.agent_id.clone(),
        callee_dialog_id: None,
        callee_course: None,
        callee_genseq: None,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{CallId, Course, Lang, RootId, Stamp};

    #[test]
    fn an_answer_has_images_only_where_its_record_has_a_place_for_them() {
        let id = DialogId::main(RootId::new("aa/bb/01"));
        let site = CallSite {
            course: Course(1),
            message_index: 0,
            call_site_genseq: None,
            extra: serde_json::Map::new(),
        };
        let open = Question::new(&id, &CallId::new("q"), "?", Stamp::default(), site);
        let mut dialog = crate::samples::dialog_of(&[]);
        let items = || Some(Value::Array(Vec::new()));
        let record =
            |dialog: &Dialog, items| answer_record(dialog, &open, ("yes", items), Texts(Lang::En));
        let same = record(&dialog, items()).expect("a record");
        assert!(matches!(same, Record::TellaskResult(result) if result.content_items == items()));
        dialog.latest.current_course = Course(2);
        assert!(matches!(record(&dialog, None), Ok(Record::Carryover(_))));
        assert_eq!(record(&dialog, items()).err(), Some(Refusal::NoImagesHere.into()));
    }
}
