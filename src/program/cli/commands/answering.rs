//! `q4h answer`, `approve`, `reject` and `dismiss`.

use std::collections::BTreeMap;
use std::io::{self, IsTerminal as _};
use std::path::Path;

use crate::app;
use crate::domain::asking::inquiry::Inquiry;
use crate::domain::asking::inquiry::answers::AnswerInput;
use crate::domain::asking::inquiry::approval::REJECT;
use crate::domain::teams::notices::NewsItem;
use crate::domain::{Bucket, DialogId, Lang, Question};
use crate::driver::PickUp;
use crate::protocol::InboxRow;
use crate::protocol::command::{Command, Ticket};
use crate::store::{Access, Survey};

use super::drive::{running_dialogs, text_or_stdin};
use super::find;
use super::undriven;
use crate::cli::args::DriveArgs;
use crate::cli::args::question_args::{AnswerArgs, DecideArgs, DismissArgs};
use crate::cli::exit::{CommandError, Status};
use crate::cli::forms::question_json::inquiry_of;
use crate::cli::output;
use crate::cli::running::job::{Job, run_command};
use crate::cli::running::other_driver::TICKET;
use crate::cli::running::output_mode::OutputMode;

pub async fn answer(workspace: &Path, wanted: AnswerArgs) -> Result<Status, CommandError> {
    let survey = running_dialogs(workspace)?;
    let open = OpenQuestion::find(&survey, &wanted.question)?;
    let AnswerArgs { question: _, text, parts, recommended, replace, no_drive, driving } = wanted;
    let input = match text {
        Some(text) => AnswerInput::Words(text_or_stdin(&text)?),
        None if recommended => AnswerInput::Recommended,
        None => AnswerInput::Parts(parts_of(&parts)?),
    };
    open.answer(workspace, input, replace, (no_drive, &driving)).await
}

pub async fn dismiss(workspace: &Path, wanted: DismissArgs) -> Result<Status, CommandError> {
    let survey = running_dialogs(workspace)?;
    let open = OpenQuestion::find(&survey, &wanted.question)?;
    let input = AnswerInput::Dismiss(wanted.part);
    open.answer(workspace, input, false, (wanted.no_drive, &wanted.driving)).await
}

/// Acknowledges what a dialog told the person. Nothing is driven.
pub async fn acknowledge(workspace: &Path, wanted: &str) -> Result<Status, CommandError> {
    let item = told_item(workspace, wanted)?;
    run_command(workspace, Command::DismissNews { ticket: TICKET, ids: vec![item] }).await?;
    output::print("acknowledged");
    Ok(Status::Done)
}

/// The id of the item of the news with this answer.
fn told_item(workspace: &Path, wanted: &str) -> Result<String, CommandError> {
    let survey = running_dialogs(workspace)?;
    let found = told(&survey, wanted);
    match found.as_slice() {
        [one] => Ok(one.item.clone()),
        [] => Err(told_by_none(workspace, wanted)?),
        several => {
            let ids: Vec<&str> = several.iter().map(|one| one.answer).collect();
            Err(CommandError::usage(format!("{wanted} may be one of: {}", ids.join(", "))))
        }
    }
}

/// An answer that a dialog gave the person.
struct Told<'a> {
    bucket: Bucket,
    dialog: DialogId,
    /// Its id.
    answer: &'a str,
    /// The id of its item of the news.
    item: String,
}

/// The answers that `wanted` may mean.
fn told<'a>(survey: &'a Survey, wanted: &str) -> Vec<Told<'a>> {
    let trees = survey.trees.iter();
    let dialogs = trees.flat_map(|tree| tree.dialogs.iter().map(move |dialog| (tree, dialog)));
    let all = dialogs.flat_map(|(tree, dialog)| {
        let (id, agent) = (find::dialog_id(tree, dialog), dialog.meta.agent_id.clone());
        dialog.human_answers.iter().map(move |answer| Told {
            bucket: tree.bucket,
            dialog: id.clone(),
            answer: &answer.id,
            item: NewsItem::of_answer(id.clone(), agent.clone(), answer).id,
        })
    });
    let begins = |one: &Told<'_>| one.answer.starts_with(wanted) || one.item.starts_with(wanted);
    let mut found: Vec<Told<'_>> = all.filter(begins).collect();
    let is_named = |one: &Told<'_>| one.answer == wanted || one.item == wanted;
    if found.iter().any(is_named) {
        found.retain(is_named);
    }
    found
}

/// Why no answer of a running dialog is meant. One that was put away keeps its answers, and nothing is written to it.
fn told_by_none(workspace: &Path, wanted: &str) -> Result<CommandError, CommandError> {
    let all = app::open(workspace, Access::ReadOnly)?.survey(&Bucket::ALL);
    let found = told(&all, wanted);
    let Some(one) = found.iter().find(|one| one.bucket != Bucket::Run) else {
        return Ok(CommandError::usage(format!(
            "no dialog told you {wanted}, or it was acknowledged already; `inbox --all --kind answer` lists them"
        )));
    };
    let (named, status) = (find::named(&all, &one.dialog), one.bucket.status());
    Ok(CommandError::refused(format!(
        "{named}, which told you {}, is {status}; `dominds-tui revive {}` restores it, and then you can acknowledge it",
        one.answer, one.dialog.root
    )))
}

/// The decision about an approval.
#[derive(Debug, Clone, Copy)]
pub enum Verdict {
    Approve,
    Reject,
}

pub async fn decide(
    workspace: &Path,
    wanted: DecideArgs,
    verdict: Verdict,
) -> Result<Status, CommandError> {
    let survey = running_dialogs(workspace)?;
    let open = OpenQuestion::find(&survey, &wanted.question)?;
    // If it is closed, the driver says who answered it, whatever the answer is now.
    let approving = match &open.asked {
        None => REJECT,
        Some(inquiry) => inquiry.approving_key().ok_or_else(|| {
            let id = &open.id;
            CommandError::refused(format!(
                "{id} is a question, not an approval: use `dominds-tui q4h answer {id} TEXT`"
            ))
        })?,
    };
    let key = match verdict {
        Verdict::Approve => approving,
        Verdict::Reject => REJECT,
    };
    let words = match wanted.text {
        Some(text) => format!("{key}, {}", text_or_stdin(&text)?),
        None => key.to_string(),
    };
    open.answer(workspace, AnswerInput::Words(words), false, (wanted.no_drive, &wanted.driving))
        .await
}

/// `ID=TEXT` of every `--part`.
fn parts_of(written: &[String]) -> Result<BTreeMap<String, String>, CommandError> {
    let mut parts = BTreeMap::new();
    for one in written {
        let no_form = || CommandError::usage(format!("--part {one}: write it as ID=TEXT"));
        let (id, text) = one.split_once('=').ok_or_else(no_form)?;
        if text.trim().is_empty() {
            return Err(CommandError::usage(format!("--part {id}: an answer needs some text")));
        }
        if parts.insert(id.trim().to_owned(), text.to_owned()).is_some() {
            return Err(CommandError::usage(format!("--part {id} is given twice")));
        }
    }
    Ok(parts)
}

/// The question that is meant.
struct OpenQuestion {
    dialog: DialogId,
    id: String,
    /// `None` if it is closed: the driver says who answered it.
    asked: Option<Inquiry>,
    /// Other questions that ask the same; they get the same answer.
    alike: Vec<(DialogId, String)>,
    /// Questions that already have an answer to a part, so that they may need another one.
    unlike: Vec<String>,
}

impl OpenQuestion {
    fn find(survey: &Survey, wanted: &str) -> Result<Self, CommandError> {
        match find::question(survey, wanted) {
            Ok((dialog, question)) => {
                find::refuse_foreign(survey, &dialog.root)?;
                let asked = Some(asked_in(survey, &dialog, &question));
                let (alike, unlike) = alike(&undriven::questions(survey, None), &question.id);
                Ok(Self { dialog, id: question.id, asked, alike, unlike })
            }
            Err(error) => {
                let dialog = find::dialog_of_question(survey, wanted).ok_or(error)?;
                find::refuse_foreign(survey, &dialog.root)?;
                let (id, alike, unlike) = (wanted.to_owned(), Vec::new(), Vec::new());
                Ok(Self { dialog, id, asked: None, alike, unlike })
            }
        }
    }

    /// Refuses an answer to a part that the question does not have.
    fn check(&self, input: &AnswerInput) -> Result<(), CommandError> {
        let Some(inquiry) = &self.asked else { return Ok(()) };
        let ids: Vec<&String> = match input {
            AnswerInput::Parts(parts) => parts.keys().collect(),
            AnswerInput::Dismiss(part) => part.iter().collect(),
            AnswerInput::Words(_) | AnswerInput::Recommended => Vec::new(),
        };
        let Some(unknown) = ids.into_iter().find(|id| inquiry.part(id).is_none()) else {
            return Ok(());
        };
        let known: Vec<&str> = inquiry.parts.iter().map(|part| part.id.as_str()).collect();
        Err(CommandError::usage(format!(
            "this question has no part {unknown}; its parts: {}",
            known.join(", ")
        )))
    }

    /// Prints which other questions this answer does not cover.
    fn tell_unlike(&self) {
        for id in &self.unlike {
            output::note(&format!(
                "{id} asks the same and is left open: it has another answer to a part already"
            ));
        }
    }

    async fn answer(
        self,
        workspace: &Path,
        input: AnswerInput,
        replace: bool,
        (no_drive, driving): (bool, &DriveArgs),
    ) -> Result<Status, CommandError> {
        self.check(&input)?;
        if let Some(inquiry) = self.asked.as_ref().filter(|asked| approves(asked, &input))
            && !is_confirmed(inquiry)?
        {
            return Err(CommandError::refused("nothing was approved"));
        }
        let to = (self.dialog.clone(), self.id.clone());
        let first = command(TICKET, to, &input, replace);
        let also = self.alike.iter().zip(TICKET + 1..);
        let also = also
            .map(|(one, ticket)| (one.1.clone(), command(ticket, one.clone(), &input, replace)));
        let job = Job {
            workspace,
            command: Some(first),
            also: also.collect(),
            pick_up: PickUp::Named,
            driving: !no_drive,
            timeout: driving.timeout,
            output: if no_drive {
                OutputMode::notes_only(driving)
            } else {
                OutputMode::of(driving)
            },
            trust_all: driving.trust,
            leave_processes: driving.leave_processes,
        };
        let status = job.execute().await?;
        self.tell_unlike();
        if !no_drive || status != Status::Done {
            return Ok(status);
        }
        let survey = running_dialogs(workspace)?;
        if find::questions(&survey).iter().any(|(_, _, open)| open.id == self.id) {
            if !driving.json {
                output::print(
                    "it is kept; the question stays open until its other parts are answered",
                );
            }
            return Ok(Status::QuestionWaits);
        }
        if !driving.json {
            output::print(
                "the answer is recorded; `dominds-tui drive`, or the screen, continues with it",
            );
        }
        Ok(Status::Done)
    }
}

/// Returns the command that answers a question.
fn command(
    ticket: Ticket,
    (dialog, question): (DialogId, String),
    input: &AnswerInput,
    replace: bool,
) -> Command {
    if let (AnswerInput::Words(text), false) = (input, replace) {
        // A driver of an earlier version understands this one, too.
        let text = text.clone();
        return Command::Answer { ticket, dialog, question, text, images: Vec::new() };
    }
    Command::AnswerParts { ticket, dialog, question, input: input.clone(), replace }
}

/// Returns the open questions that ask the same: those that an answer to this one answers too, and the others.
fn alike(open: &[InboxRow], id: &str) -> (Vec<(DialogId, String)>, Vec<String>) {
    let Some(asked) = open.iter().find(|row| row.question.id == id) else {
        return (Vec::new(), Vec::new());
    };
    let same = open.iter().filter(|row| row.asks_the_same(asked));
    let (alike, unlike): (Vec<_>, Vec<_>) = same.partition(|row| asked.answers_also(row));
    let alike = alike.into_iter().map(|row| (row.dialog.clone(), row.question.id.clone()));
    (alike.collect(), unlike.into_iter().map(|row| row.question.id.clone()).collect())
}

/// True if it approves a decision, or may do so.
fn approves(asked: &Inquiry, input: &AnswerInput) -> bool {
    asked.approval.is_some()
        && match input {
            AnswerInput::Words(typed) => asked.may_be_approved_by(typed),
            AnswerInput::Parts(parts) => {
                parts.values().any(|typed| asked.may_be_approved_by(typed))
            }
            AnswerInput::Recommended => true,
            AnswerInput::Dismiss(_) => false,
        }
}

/// Prints all that is approved; a person at a terminal is asked after that.
fn is_confirmed(approval: &Inquiry) -> Result<bool, CommandError> {
    output::note(&format!("to approve:\n{}", approval.whole(Lang::En)));
    if !io::stdin().is_terminal() {
        return Ok(true);
    }
    output::confirm("do you approve all of this? [y/N]")
}

fn asked_in(survey: &Survey, id: &DialogId, question: &Question) -> Inquiry {
    let listed = find::listed(survey, id);
    inquiry_of(question, listed.and_then(|dialog| dialog.parts.get(&question.call_id)))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::domain::Stamp;
    use crate::domain::asking::autonomy::DecisionKind;
    use crate::domain::asking::inquiry::approval::WrittenDecision;

    #[test]
    fn whatever_may_approve_is_printed_first_and_what_rejects_is_not() {
        let written =
            WrittenDecision { description: "Go?".to_owned(), ..WrittenDecision::default() };
        let kind = DecisionKind::ScopeChanges;
        let asked = Inquiry::of_decision(kind, written, &Stamp::default(), Lang::En).unwrap();
        let part = |text: &str| {
            AnswerInput::Parts(BTreeMap::from([(asked.parts[0].id.clone(), text.to_owned())]))
        };
        let words = |text: &str| AnswerInput::Words(text.to_owned());
        for (input, expected) in [
            (words("a"), true),
            (words("yes"), true),
            (words("looks fine"), true),
            (words("x, not before May"), false),
            (words("no"), false),
            (part("a"), true),
            (part("x"), false),
            (AnswerInput::Recommended, true),
            (AnswerInput::Dismiss(None), false),
        ] {
            assert_eq!(approves(&asked, &input), expected, "{input:?}");
        }
        let question = Inquiry::of_words("Which colour?", &Stamp::default());
        assert!(!approves(&question, &words("a")));
    }

    #[test]
    fn what_asks_the_same_gets_the_same_answer_unless_it_has_another_one() {
        let row = |this: &str, text: &str, answer: Option<&str>| -> InboxRow {
            let mut row = json!({
                "dialog": { "root": "a", "this": this }, "agent": "alice", "slug": null,
                "taskdoc": "t.tsk", "blocks": [],
                "question": {
                    "id": this, "tellaskContent": text, "askedAt": "", "callId": "c",
                    "callSiteRef": { "course": 1, "messageIndex": 1 },
                },
            });
            if let Some(answer) = answer {
                row["answers"] = json!({ "q1": { "text": answer, "at": "" } });
            }
            serde_json::from_value(row).expect("a row")
        };
        let open = [
            row("1", "Which?", None),
            row("2", "Which?", None),
            row("3", "Which?", Some("blue")),
            row("4", "When?", None),
        ];
        let (same, other) = alike(&open, "1");
        let ids: Vec<&str> = same.iter().map(|(_, id)| id.as_str()).collect();
        assert_eq!((ids, other), (vec!["2"], vec!["3".to_owned()]));
        assert_eq!(alike(&open, "4"), (Vec::new(), Vec::new()));
        assert_eq!(alike(&open, "none"), (Vec::new(), Vec::new()));
    }

    #[test]
    fn a_part_is_written_as_its_id_and_a_text() {
        let parts = |written: &[&str]| {
            let written: Vec<String> = written.iter().map(|&one| one.to_owned()).collect();
            parts_of(&written).map_err(|error| error.text)
        };
        let both = parts(&["q1=a", "q2=x = y"]).expect("parts");
        assert_eq!(both["q1"], "a");
        assert_eq!(both["q2"], "x = y");
        for (written, fault) in [
            (vec!["q1"], "--part q1: write it as ID=TEXT"),
            (vec!["q1= "], "--part q1: an answer needs some text"),
            (vec!["q1=a", "q1=b"], "--part q1 is given twice"),
        ] {
            assert_eq!(parts(&written), Err(fault.to_owned()));
        }
    }
}
