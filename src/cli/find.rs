//! Finds what a person named with a prefix.

use crate::domain::{DialogId, Question, RootId};
use crate::store::{DialogListing, Survey};

use super::exit::Refusal;

/// The dialog whose text form, or own id, begins with `wanted`. A whole id beats a prefix.
pub fn dialog(survey: &Survey, wanted: &str) -> Result<DialogId, Refusal> {
    let all: Vec<DialogId> = survey
        .trees
        .iter()
        .flat_map(|tree| {
            tree.dialogs.iter().map(|dialog| DialogId::side(&tree.root, &dialog.meta.id))
        })
        .collect();
    let names = |id: &DialogId| [id.to_string(), id.this.to_string()];
    let whole = all.iter().filter(|id| names(id).iter().any(|name| name == wanted));
    let begun = all.iter().filter(|id| names(id).iter().any(|name| name.starts_with(wanted)));
    one(whole.collect(), begun.collect(), wanted, "dialog").cloned()
}

/// The main dialog whose id begins with `wanted`.
pub fn root(survey: &Survey, wanted: &str) -> Result<RootId, Refusal> {
    let all: Vec<RootId> = survey.trees.iter().map(|tree| tree.root.clone()).collect();
    let whole = all.iter().filter(|root| root.as_str() == wanted);
    let begun = all.iter().filter(|root| root.as_str().starts_with(wanted));
    one(whole.collect(), begun.collect(), wanted, "main dialog").cloned()
}

/// The open question whose id begins with `wanted`, with the dialog that asks.
pub fn question(survey: &Survey, wanted: &str) -> Result<(DialogId, Question), Refusal> {
    let all = questions(survey);
    let whole = all.iter().filter(|(_, _, question)| question.id == wanted);
    let begun = all.iter().filter(|(_, _, question)| question.id.starts_with(wanted));
    let (id, _, question) = one(whole.collect(), begun.collect(), wanted, "open question")?;
    Ok((id.clone(), question.clone()))
}

/// All open questions, oldest first. A dead dialog asks nothing.
pub fn questions(survey: &Survey) -> Vec<(DialogId, DialogListing, Question)> {
    let mut all: Vec<(DialogId, DialogListing, Question)> = survey
        .trees
        .iter()
        .flat_map(|tree| {
            tree.dialogs.iter().filter(|dialog| !dialog.latest.is_dead()).flat_map(|dialog| {
                let id = DialogId::side(&tree.root, &dialog.meta.id);
                dialog.questions.iter().map(move |q| (id.clone(), dialog.clone(), q.clone()))
            })
        })
        .collect();
    all.sort_by(|(_, _, a), (_, _, b)| (&a.asked_at, &a.id).cmp(&(&b.asked_at, &b.id)));
    all
}

/// The dialogs that were told to go on and that nothing has driven yet.
pub fn told_to_go_on(survey: &Survey) -> Vec<DialogId> {
    let told = |dialog: &&DialogListing| dialog.latest.is_told_to_go_on();
    let of_tree = survey.trees.iter().flat_map(|tree| {
        let dialogs = tree.dialogs.iter().filter(told);
        dialogs.map(|dialog| DialogId::side(&tree.root, &dialog.meta.id))
    });
    of_tree.collect()
}

fn one<'a, T>(
    whole: Vec<&'a T>,
    begun: Vec<&'a T>,
    wanted: &str,
    what: &str,
) -> Result<&'a T, Refusal> {
    let found = if whole.is_empty() { begun } else { whole };
    match found.as_slice() {
        [only] => Ok(only),
        [] => Err(Refusal::usage(format!("no {what} `{wanted}`"))),
        many => Err(Refusal::usage(format!(
            "`{wanted}` fits {} of them; give more of the id",
            many.len()
        ))),
    }
}
