//! The JSON of a dialog for `dialogs --json` and `show --json`. Serialized incrementally: a workspace may
//! have very many dialogs.

use serde::Serialize;
use serde::ser::Serializer;
use serde_json::Value;

use crate::domain::asking::autonomy::AutonomyLevel;
use crate::domain::asking::question::headline;
use crate::domain::reading::problem::ProblemForPrograms;
use crate::domain::{
    AgentId, CallId, CallType, Course, ForeignLayout, Genseq, HealthLevel, HumanAnswer,
    ModelChoice, Pending, Problem, Question, RegistryEntry, RootId, SelfId, Slug, Stamp,
};
use crate::store::{DialogListing, TreeListing};

use crate::cli::commands::ids::Ids;
use crate::cli::commands::listing::Beside;
use crate::cli::commands::{find, inspect};

/// The fields that main and side dialogs have in common.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct DialogJson<'a> {
    root_id: &'a RootId,
    self_id: &'a SelfId,
    agent_id: &'a AgentId,
    task_doc_path: &'a str,
    status: &'static str,
    state: &'static str,
    /// A request to its model failed and is made again; false where no driver says so.
    retrying: bool,
    course: Course,
    created_at: &'a Stamp,
    last_modified: &'a Stamp,
    title: String,
    pending_questions: usize,
    pending_side_dialogs: usize,
    context_percent: Option<u8>,
    context_level: Option<HealthLevel>,
    /// The model that a person chose for it; `null`: that of its member.
    model: Option<&'a ModelChoice>,
    /// How much its member decides alone, as a person chose for it; `null`: as the configuration says.
    autonomy: Option<&'static str>,
    /// True for a tree that may only be read.
    history: bool,
    layout: &'static str,
    reason: Option<String>,
    next: Option<String>,
    questions: Vec<QuestionJson<'a>>,
    pending: Vec<PendingJson<'a>>,
    /// What it told a person, and nobody has acknowledged; only in the layout of Dominds 1.29.
    answers: Vec<AnswerJson<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct AnswerJson<'a> {
    id: &'a str,
    content: &'a str,
    answered_at: &'a Stamp,
    course: Course,
    genseq: Genseq,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct QuestionJson<'a> {
    id: &'a str,
    call_id: &'a CallId,
    asked_at: &'a Stamp,
    headline: &'a str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PendingJson<'a> {
    root_id: &'a RootId,
    self_id: &'a SelfId,
    agent_id: &'a AgentId,
    call_id: &'a CallId,
    call_name: &'a str,
    call_type: CallType,
    course: Course,
    genseq: Genseq,
    asked_at: &'a Stamp,
    headline: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    session_slug: Option<&'a Slug>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SideJson<'a> {
    #[serde(flatten)]
    dialog: DialogJson<'a>,
    asker_dialog_id: Option<&'a SelfId>,
    assignment: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    session_slug: Option<&'a Slug>,
}

/// A main dialog with its tree.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct TreeJson<'a> {
    #[serde(flatten)]
    main: DialogJson<'a>,
    /// `null` if keep-going is off.
    keep_going: Option<PushesJson>,
    side_dialogs: SidesJson<'a>,
    registry: &'a [RegistryEntry],
    problems: Vec<ProblemForPrograms<'a>>,
}

#[derive(Serialize)]
struct PushesJson {
    remaining: i64,
    max: i64,
}

struct SidesJson<'a>(&'a TreeListing, Beside<'a>);

impl Serialize for SidesJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(tree, beside) = self;
        let main = find::main_of(tree).map(|main| &main.id);
        let sides = tree.dialogs.iter().filter(|dialog| Some(&dialog.id) != main);
        serializer.collect_seq(sides.map(|dialog| SideJson::of(tree, dialog, *beside)))
    }
}

impl<'a> DialogJson<'a> {
    fn of(tree: &'a TreeListing, dialog: &'a DialogListing, beside: Beside<'_>) -> Self {
        let (meta, latest, state) = (&dialog.meta, &dialog.latest, &dialog.state);
        Self {
            root_id: &tree.root,
            self_id: &meta.id,
            agent_id: &meta.agent_id,
            task_doc_path: &meta.task_doc_path,
            status: tree.bucket.status(),
            state: state.kind(),
            retrying: beside.retrying.contains(&find::dialog_id(tree, dialog)),
            course: latest.current_course,
            created_at: &meta.created_at,
            last_modified: &latest.last_modified,
            title: find::title(beside.titles, tree, dialog),
            pending_questions: dialog.questions.len(),
            pending_side_dialogs: dialog.pending.len(),
            context_percent: dialog.pressure.percent,
            context_level: dialog.pressure.level,
            model: latest.chosen_model.as_ref(),
            autonomy: latest.chosen_autonomy.map(AutonomyLevel::name),
            history: tree.foreign.is_some(),
            layout: tree.foreign.map_or(tree.layout.name(), ForeignLayout::name),
            reason: inspect::reason(tree, dialog),
            next: inspect::next_command(tree, dialog, &Ids::Full),
            questions: dialog.questions.iter().map(QuestionJson::of).collect(),
            pending: dialog.pending.iter().map(|waits| PendingJson::of(tree, waits)).collect(),
            answers: dialog.human_answers.iter().map(AnswerJson::of).collect(),
        }
    }
}

impl<'a> AnswerJson<'a> {
    fn of(answer: &'a HumanAnswer) -> Self {
        Self {
            id: &answer.id,
            content: &answer.content,
            answered_at: &answer.answered_at,
            course: answer.answer_ref.course,
            genseq: answer.answer_ref.genseq,
        }
    }
}

impl<'a> QuestionJson<'a> {
    fn of(question: &'a Question) -> Self {
        Self {
            id: &question.id,
            call_id: &question.call_id,
            asked_at: &question.asked_at,
            headline: headline(&question.tellask_content),
        }
    }
}

impl<'a> PendingJson<'a> {
    fn of(tree: &'a TreeListing, waits: &'a Pending) -> Self {
        Self {
            root_id: &tree.root,
            self_id: &waits.side_dialog_id,
            agent_id: &waits.target_agent_id,
            call_id: &waits.call_id,
            call_name: &waits.call_name,
            call_type: waits.call_type,
            course: waits.call_site_course,
            genseq: waits.call_site_genseq,
            asked_at: &waits.created_at,
            headline: headline(&waits.tellask_content),
            session_slug: waits.session_slug.as_ref(),
        }
    }
}

impl<'a> SideJson<'a> {
    fn of(tree: &'a TreeListing, dialog: &'a DialogListing, beside: Beside<'_>) -> Self {
        Self {
            dialog: DialogJson::of(tree, dialog, beside),
            asker_dialog_id: dialog.asker.as_ref(),
            assignment: &dialog.about,
            session_slug: dialog.meta.session_slug.as_ref(),
        }
    }
}

/// A tree for `dialogs --json`.
///
/// `pushes`: `(remaining, max)` of keep-going.
pub fn tree<'a>(
    tree: &'a TreeListing,
    main: &'a DialogListing,
    pushes: Option<(i64, i64)>,
    (problems, beside): (&'a [Problem], Beside<'a>),
) -> impl Serialize + use<'a> {
    TreeJson {
        main: DialogJson::of(tree, main, beside),
        keep_going: pushes.map(|(remaining, max)| PushesJson { remaining, max }),
        side_dialogs: SidesJson(tree, beside),
        registry: &tree.registry,
        problems: inspect::problems_of(tree, problems).map(Problem::for_programs).collect(),
    }
}

/// Returns one dialog for `show --json`.
pub fn dialog(tree: &TreeListing, dialog: &DialogListing, beside: Beside<'_>) -> Value {
    let is_main = dialog.id.as_str() == tree.root.as_str();
    if is_main {
        serde_json::json!(DialogJson::of(tree, dialog, beside))
    } else {
        serde_json::json!(SideJson::of(tree, dialog, beside))
    }
}
