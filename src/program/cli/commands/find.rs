//! Finds dialogs, questions and members by id or by a prefix of it. The error for no match or several
//! matches lists the candidates.

use std::cmp::Reverse;

use crate::domain::asking::question::question_id_start;
use crate::domain::reading::title;
use crate::domain::{AgentId, Bucket, DialogId, Lang, Member, Question, RootId, Stamp};
use crate::minds::Minds;
use crate::store::{DialogListing, StoreError, Survey, Titles, TreeListing};

use crate::cli::exit::CommandError;

/// Candidates listed in an error.
const MAX_LISTED: usize = 8;
/// Characters of a title in a list of candidates.
const TITLE_CHARS: usize = 60;

/// A possible match.
struct Candidate<T> {
    value: T,
    bucket: Bucket,
    /// True if `wanted` is its full id.
    is_full_id: bool,
    label: String,
}

/// The dialog that `wanted` names: `ROOT`, `SELF` or `ROOT#SELF`, each part may be a prefix.
pub fn dialog(survey: &Survey, wanted: &str) -> Result<DialogId, CommandError> {
    let all = newest_first(survey).into_iter().flat_map(|tree| {
        tree.dialogs.iter().map(move |dialog| (tree, dialog, dialog_id(tree, dialog)))
    });
    let fits = |(_, _, id): &(&TreeListing, &DialogListing, DialogId)| match wanted.split_once('#')
    {
        Some((root, this)) => {
            id.root.as_str().starts_with(root) && id.this.as_str().starts_with(this)
        }
        None => id.this.as_str().starts_with(wanted),
    };
    let candidate = |(tree, dialog, id): (&TreeListing, &DialogListing, DialogId)| Candidate {
        is_full_id: id.to_string() == wanted || id.this.as_str() == wanted,
        label: dialog_label(survey, tree, dialog, &id),
        bucket: tree.bucket,
        value: id,
    };
    let found: Vec<_> = all.clone().filter(fits).map(candidate).collect();
    only_match(found, wanted, "dialog", || all.map(candidate).collect())
}

/// The main dialog whose id begins with `wanted`.
pub fn root(survey: &Survey, wanted: &str) -> Result<RootId, CommandError> {
    let trees = newest_first(survey).into_iter().filter_map(|tree| Some((tree, main_of(tree)?)));
    let candidate = |(tree, dialog): (&TreeListing, &DialogListing)| Candidate {
        value: tree.root.clone(),
        bucket: tree.bucket,
        is_full_id: tree.root.as_str() == wanted,
        label: dialog_label(survey, tree, dialog, &DialogId::main(tree.root.clone())),
    };
    let found: Vec<_> = trees
        .clone()
        .filter(|(tree, _)| tree.root.as_str().starts_with(wanted))
        .map(candidate)
        .collect();
    only_match(found, wanted, "main dialog", || trees.map(candidate).collect())
}

/// Refuses what would change a tree that may only be read.
pub fn refuse_foreign(survey: &Survey, root: &RootId) -> Result<(), CommandError> {
    let tree = survey.trees.iter().find(|tree| tree.root == *root);
    let Some(layout) = tree.and_then(|tree| tree.foreign) else { return Ok(()) };
    let error = StoreError::ForeignLayout(root.clone(), layout);
    Err(CommandError::refused(error.to_string()))
}

/// The open question whose id begins with `wanted`, with its dialog.
pub fn question(survey: &Survey, wanted: &str) -> Result<(DialogId, Question), CommandError> {
    // Questions of trees in an unknown layout are not listed.
    for tree in survey.trees.iter().filter(|tree| tree.foreign.is_some()) {
        if wanted.starts_with(&format!("q4h-{}-", tree.root)) {
            refuse_foreign(survey, &tree.root)?;
        }
    }
    let all = questions(survey);
    let candidate = |(id, dialog, question): &(DialogId, DialogListing, Question)| Candidate {
        value: (id.clone(), question.clone()),
        bucket: Bucket::Run,
        is_full_id: question.id == wanted,
        label: format!(
            "{}  @{}  {}",
            question.id,
            dialog.meta.agent_id,
            title::short_headline(&question.tellask_content, TITLE_CHARS)
        ),
    };
    let fits =
        |(_, _, question): &&(DialogId, DialogListing, Question)| question.id.starts_with(wanted);
    let found = all.iter().filter(fits).map(candidate).collect();
    only_match(found, wanted, "open question", || all.iter().map(candidate).collect())
}

/// The member with this id, with or without `@`.
pub fn member<'a>(minds: &'a Minds, wanted: &str) -> Result<&'a Member, CommandError> {
    let agent = AgentId::new(wanted.trim_start_matches('@'));
    if let Some(member) = minds.member(&agent) {
        return Ok(member);
    }
    if let Some(missing) = minds.missing() {
        return Err(CommandError::invalid(missing.to_string()));
    }
    let known: Vec<String> = minds.team().visible().map(|m| format!("@{}", m.id)).collect();
    let text = format!("there is no member @{agent}; there are: {}", known.join(", "));
    Err(CommandError::usage(text))
}

/// Returns all open questions, oldest first.
pub fn questions(survey: &Survey) -> Vec<(DialogId, DialogListing, Question)> {
    let open = open_questions(survey);
    let mut all: Vec<(DialogId, DialogListing, Question)> =
        open.map(|(id, dialog, question)| (id, dialog.clone(), question.clone())).collect();
    all.sort_unstable_by(|(_, _, a), (_, _, b)| (&a.asked_at, &a.id).cmp(&(&b.asked_at, &b.id)));
    all
}

/// The dialog that a question is, or was, asked in, by the question's whole id.
pub fn dialog_of_question(survey: &Survey, question: &str) -> Option<DialogId> {
    let trees = survey.trees.iter().filter(|tree| tree.bucket == Bucket::Run);
    let mut all = trees.flat_map(|tree| tree.dialogs.iter().map(|dialog| dialog_id(tree, dialog)));
    all.find(|id| question.starts_with(&question_id_start(id)))
}

/// Returns a dialog from the survey.
pub fn listed<'a>(survey: &'a Survey, id: &DialogId) -> Option<&'a DialogListing> {
    let tree = survey.trees.iter().find(|tree| tree.root == id.root)?;
    tree.dialogs.iter().find(|dialog| dialog.meta.id == id.this)
}

/// The trees that may be more than read.
fn driven_here(survey: &Survey) -> impl Iterator<Item = &TreeListing> {
    survey.trees.iter().filter(|tree| tree.foreign.is_none())
}

/// The dialogs that were resumed and not driven yet.
pub fn resumed_dialogs(survey: &Survey) -> Vec<DialogId> {
    let is_resumed = |dialog: &&DialogListing| dialog.latest.is_resume_requested();
    let of_tree = driven_here(survey).flat_map(|tree| {
        let dialogs = tree.dialogs.iter().filter(is_resumed);
        dialogs.map(|dialog| DialogId::side(&tree.root, &dialog.meta.id))
    });
    of_tree.collect()
}

/// The dialogs that are stopped.
pub fn stopped_dialogs(survey: &Survey) -> Vec<DialogId> {
    let is_stopped = |dialog: &&DialogListing| dialog.latest.marked().is_some();
    let of_tree = driven_here(survey).flat_map(|tree| {
        let dialogs = tree.dialogs.iter().filter(is_stopped);
        dialogs.map(|dialog| DialogId::side(&tree.root, &dialog.meta.id))
    });
    of_tree.collect()
}

/// Questions of dead, done and archived dialogs do not count.
pub fn open_questions(
    survey: &Survey,
) -> impl Iterator<Item = (DialogId, &DialogListing, &Question)> {
    let trees = survey.trees.iter().filter(|tree| tree.bucket == Bucket::Run);
    trees.flat_map(|tree| {
        let living = tree.dialogs.iter().filter(|dialog| !dialog.latest.is_dead());
        living.flat_map(|dialog| {
            let id = dialog_id(tree, dialog);
            dialog.questions.iter().map(move |question| (id.clone(), dialog, question))
        })
    })
}

/// The trees of a survey, the newest first.
pub fn newest_first(survey: &Survey) -> Vec<&TreeListing> {
    let mut trees: Vec<&TreeListing> = survey.trees.iter().collect();
    trees.sort_by_key(|tree| Reverse(creation_key(tree)));
    trees
}

/// Dialogs created in the same second are ordered by the time in their ids.
fn creation_key(tree: &TreeListing) -> (Option<(&Stamp, &str)>, &RootId) {
    (main_of(tree).map(|main| (&main.meta.created_at, main.meta.id.creation())), &tree.root)
}

pub fn main_of(tree: &TreeListing) -> Option<&DialogListing> {
    tree.dialogs.iter().find(|dialog| dialog.meta.id.as_str() == tree.root.as_str())
}

pub fn dialog_id(tree: &TreeListing, dialog: &DialogListing) -> DialogId {
    DialogId::side(&tree.root, &dialog.meta.id)
}

/// The title that a person gave it, else its first words, else the name of its Taskdoc.
pub fn title(titles: &Titles, tree: &TreeListing, dialog: &DialogListing) -> String {
    let own = titles.get(&dialog_id(tree, dialog)).cloned();
    let title = own.unwrap_or_else(|| title::made(&dialog.about, &dialog.meta.task_doc_path));
    match tree.foreign {
        Some(layout) => format!("{} {title}", layout.mark().in_lang(Lang::En)),
        None => title,
    }
}

/// The member and id of a dialog, for messages.
pub fn named(survey: &Survey, id: &DialogId) -> String {
    let tree = survey.trees.iter().find(|tree| tree.root == id.root);
    let dialog = tree.and_then(|tree| tree.dialogs.iter().find(|d| d.meta.id == id.this));
    dialog.map_or_else(|| id.to_string(), |dialog| format!("@{} {id}", dialog.meta.agent_id))
}

fn dialog_label(
    survey: &Survey,
    tree: &TreeListing,
    dialog: &DialogListing,
    id: &DialogId,
) -> String {
    let status = match tree.bucket {
        Bucket::Run => String::new(),
        Bucket::Done | Bucket::Archive => format!("  ({})", tree.bucket.status()),
    };
    format!(
        "{id}  @{}  {}{status}",
        dialog.meta.agent_id,
        truncate(&title(&survey.titles, tree, dialog))
    )
}

fn truncate(text: &str) -> String {
    crate::domain::asking::question::short_headline(text, TITLE_CHARS)
}

/// The only match; a full id wins over a prefix, and an active dialog over a done or archived one.
fn only_match<T>(
    mut found: Vec<Candidate<T>>,
    wanted: &str,
    what: &str,
    all: impl FnOnce() -> Vec<Candidate<T>>,
) -> Result<T, CommandError> {
    if found.iter().any(|candidate| candidate.is_full_id) {
        found.retain(|candidate| candidate.is_full_id);
    }
    if found.iter().filter(|candidate| candidate.bucket == Bucket::Run).count() == 1 {
        found.retain(|candidate| candidate.bucket == Bucket::Run);
    }
    if wanted.is_empty() || found.is_empty() {
        let all = all();
        if all.is_empty() {
            return Err(CommandError::usage(format!("no {what} `{wanted}`: there is none")));
        }
        let text = format!("no {what} `{wanted}`; there are:");
        return Err(CommandError::usage(with_candidates(&text, &all)));
    }
    if found.len() > 1 {
        let text = format!("`{wanted}` matches {} of them; use a longer prefix:", found.len());
        return Err(CommandError::usage(with_candidates(&text, &found)));
    }
    found
        .pop()
        .map(|only| only.value)
        .ok_or_else(|| CommandError::usage(format!("no {what} `{wanted}`")))
}

fn with_candidates<T>(text: &str, candidates: &[Candidate<T>]) -> String {
    let mut lines = vec![text.to_owned()];
    lines.extend(candidates.iter().take(MAX_LISTED).map(|one| format!("  {}", one.label)));
    let more = candidates.len().saturating_sub(MAX_LISTED);
    if more > 0 {
        lines.push(format!("  and {more} more"));
    }
    lines.join("\n")
}
