//! Builds the rows of the tree and of the inbox.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::domain::asking::inquiry::Inquiry;
use crate::domain::asking::inquiry::answers::PartAnswers;
use crate::domain::asking::question::headline;
use crate::domain::dialogs::fresh_boots::{Reasoning, reasoning};
use crate::domain::dialogs::record::{Origin, Record};
use crate::domain::dialogs::shown_state::{Activity, derive};
use crate::domain::reading::title;
use crate::domain::teams::notices::NewsItem;
use crate::domain::{
    AgentId, Attachment, ContextPressure, Course, Dialog, DialogId, DialogMeta, DialogTree,
    DisplayState, ForeignLayout, Genseq, HumanAnswer, KeepGoing, Latest, Question, QueuedPrompt,
    SelfId,
};
use crate::protocol::AttachedImage;
use crate::protocol::event::{InboxRow, QueuedMessage, TreeRow};
use crate::store::{DialogListing, TreeListing};

/// Most characters of the last words of a dialog that asks.
const MAX_SAID_CHARS: usize = 600;

/// What a row shows of a dialog, be it loaded or only listed.
struct RowSource<'a> {
    dialog: DialogId,
    asker: Option<SelfId>,
    meta: &'a DialogMeta,
    latest: &'a Latest,
    state: DisplayState,
    course: Course,
    genseq: Genseq,
    questions: &'a [Question],
    pending: usize,
    about: &'a str,
    reasoning: Option<Reasoning>,
    pressure: &'a ContextPressure,
    /// The keep-going settings of its member, if it has any.
    keep_going: Option<&'a KeepGoing>,
    foreign: Option<ForeignLayout>,
    queue: &'a [QueuedPrompt],
}

impl RowSource<'_> {
    fn row(self) -> TreeRow {
        let is_main = self.asker.is_none();
        TreeRow {
            dialog: self.dialog,
            asker: self.asker,
            agent: self.meta.agent_id.clone(),
            slug: self.meta.session_slug.clone(),
            taskdoc: self.meta.task_doc_path.clone(),
            state: self.state,
            course: self.course,
            genseq: self.genseq,
            created_at: self.meta.created_at.clone(),
            last_modified: self.latest.last_modified.clone(),
            questions: open_questions(self.latest, self.questions).len(),
            pending: self.pending,
            title: title::made(headline(self.about), &self.meta.task_doc_path),
            reasoning: self.reasoning,
            context_percent: self.pressure.percent,
            context_level: self.pressure.level,
            keep_going: self.keep_going.filter(|_| is_main).and_then(|k| k.pushes(self.latest)),
            history: self.foreign.is_some(),
            layout: self.foreign,
            queued: queued(self.queue),
            unreviewed: 0,
            retrying: false,
            model: self.latest.chosen_model.clone(),
            autonomy: self.latest.chosen_autonomy,
        }
    }
}

/// The row of a dialog that is loaded.
pub fn tree_row(
    tree: &DialogTree,
    dialog: &Dialog,
    activity: Activity,
    keep_going: &KeepGoing,
) -> TreeRow {
    RowSource {
        dialog: tree.id(&dialog.meta.id),
        asker: asker_of(tree, dialog),
        meta: &dialog.meta,
        latest: &dialog.latest,
        state: derive(dialog, activity),
        course: dialog.history.course,
        genseq: dialog.history.last_genseq,
        questions: &dialog.questions,
        pending: dialog.pending.len(),
        about: about(dialog),
        reasoning: reasoning(dialog),
        pressure: &dialog.history.pressure,
        keep_going: Some(keep_going),
        foreign: None,
        queue: &dialog.queue,
    }
    .row()
}

/// The rows of a tree that is not loaded. `keep_going`: what the configuration says about a member.
pub fn listed_rows(
    listing: &TreeListing,
    keep_going: impl Fn(&AgentId) -> Option<KeepGoing>,
) -> Vec<TreeRow> {
    let row = |dialog: &DialogListing| {
        let keep_going = keep_going(&dialog.meta.agent_id).filter(|_| listing.foreign.is_none());
        RowSource {
            dialog: DialogId::side(&listing.root, &dialog.meta.id),
            asker: dialog.asker.clone(),
            meta: &dialog.meta,
            latest: &dialog.latest,
            state: dialog.state.clone(),
            course: dialog.latest.current_course,
            genseq: dialog.genseq,
            questions: &dialog.questions,
            pending: dialog.pending.len(),
            about: &dialog.about,
            reasoning: dialog.reasoning,
            pressure: &dialog.pressure,
            keep_going: keep_going.as_ref(),
            foreign: listing.foreign,
            // A tree with queued messages gets loaded and reports them itself.
            queue: &[],
        }
        .row()
    };
    listing.dialogs.iter().map(row).collect()
}

fn queued(queue: &[QueuedPrompt]) -> Arc<[QueuedMessage]> {
    let messages = queue.iter().filter(|prompt| prompt.is_user());
    messages
        .map(|prompt| QueuedMessage {
            message: prompt.msg_id.clone(),
            text: prompt.content.as_str().into(),
            images: AttachedImage::all(
                Attachment::all(prompt.content_items.as_ref()),
                &prompt.content,
            ),
        })
        .collect()
}

fn asker_of(tree: &DialogTree, dialog: &Dialog) -> Option<SelfId> {
    if tree.is_main(&dialog.meta.id) {
        return None;
    }
    let asker = dialog.assignment().map(|assignment| assignment.asker_dialog_id.clone());
    Some(asker.filter(|id| tree.get(id).is_some()).unwrap_or_else(|| tree.root.main()))
}

/// The member of a dialog, and the title that is made for it.
pub fn name_of(dialog: &Dialog) -> String {
    let title = title::made(headline(about(dialog)), &dialog.meta.task_doc_path);
    format!("@{} “{title}”", dialog.meta.agent_id)
}

fn about(dialog: &Dialog) -> &str {
    let text = match dialog.assignment() {
        Some(assignment) => Some(assignment.tellask_content.as_str()),
        None => dialog.history.opening.as_ref().and_then(|entry| user_message(&entry.record)),
    };
    text.unwrap_or_default()
}

fn user_message(record: &Record) -> Option<&str> {
    let Record::HumanText(text) = record else { return None };
    (text.origin == Origin::User).then_some(text.content.as_str())
}

/// A dead dialog asks nothing.
fn open_questions<'a>(latest: &Latest, questions: &'a [Question]) -> &'a [Question] {
    if latest.is_dead() { &[] } else { questions }
}

fn inbox_row(
    dialog: DialogId,
    meta: &DialogMeta,
    (question, inquiry, answers): (&Question, Option<Inquiry>, Option<&PartAnswers>),
    (blocks, said): (Vec<AgentId>, String),
) -> InboxRow {
    let answers = answers.filter(|answers| answers.question == question.id);
    InboxRow {
        inquiry,
        answers: answers.map(|answers| answers.parts.clone()).unwrap_or_default(),
        work: None,
        dialog,
        agent: meta.agent_id.clone(),
        slug: meta.session_slug.clone(),
        taskdoc: meta.task_doc_path.clone(),
        question: question.clone(),
        blocks,
        said,
    }
}

/// The end of the last words of a dialog.
fn last_words(dialog: &Dialog) -> String {
    let words = dialog.history.last.words.as_deref().unwrap_or_default().trim_end();
    let start = words.char_indices().rev().nth(MAX_SAID_CHARS - 1).map_or(0, |(at, _)| at);
    words.get(start..).unwrap_or_default().to_owned()
}

/// The open questions of a tree.
pub fn inbox(tree: &DialogTree) -> Vec<InboxRow> {
    let rows = tree.dialogs.values().flat_map(|dialog| {
        let id = tree.id(&dialog.meta.id);
        let open = open_questions(&dialog.latest, &dialog.questions).iter();
        open.map(move |question| {
            let about = (blocked_by(tree, dialog), last_words(dialog));
            let asked = (question, dialog.parts_of(question), dialog.answers.as_ref());
            inbox_row(id.clone(), &dialog.meta, asked, about)
        })
    });
    rows.collect()
}

/// The inbox of a tree that is not loaded.
#[derive(Debug)]
pub struct ListedInbox;

impl ListedInbox {
    /// Its open questions.
    #[must_use]
    pub fn of(listing: &TreeListing) -> Vec<InboxRow> {
        listed_inbox(listing)
    }

    /// What its dialogs answered the person, and nobody has acknowledged, the newest first.
    #[must_use]
    pub fn answers(listing: &TreeListing) -> Vec<NewsItem> {
        let of_dialog = |dialog: &DialogListing| {
            let id = DialogId::side(&listing.root, &dialog.meta.id);
            told(&id, &dialog.meta.agent_id, &dialog.human_answers)
        };
        newest_first(listing.dialogs.iter().flat_map(of_dialog).collect())
    }
}

/// As [`ListedInbox::answers`], of a loaded tree.
pub fn answers(tree: &DialogTree) -> Vec<NewsItem> {
    let dialogs = tree.dialogs.values();
    newest_first(dialogs.flat_map(|dialog| answers_of(tree, dialog)).collect())
}

/// The answers of one dialog, in the order of its file.
pub fn answers_of(tree: &DialogTree, dialog: &Dialog) -> Vec<NewsItem> {
    let answers = dialog.recent.as_ref().map(|recent| recent.human_answers.as_slice());
    told(&tree.id(&dialog.meta.id), &dialog.meta.agent_id, answers.unwrap_or_default())
}

fn told(id: &DialogId, agent: &AgentId, answers: &[HumanAnswer]) -> Vec<NewsItem> {
    let item = |answer| NewsItem::of_answer(id.clone(), agent.clone(), answer);
    answers.iter().map(item).collect()
}

fn newest_first(mut items: Vec<NewsItem>) -> Vec<NewsItem> {
    items.sort_by(|a, b| (&b.updated_at, &b.id).cmp(&(&a.updated_at, &a.id)));
    items
}

fn listed_inbox(listing: &TreeListing) -> Vec<InboxRow> {
    let agent_of = |id: &SelfId| {
        listing.dialogs.iter().find(|d| &d.meta.id == id).map(|d| d.meta.agent_id.clone())
    };
    let rows = listing.dialogs.iter().flat_map(|dialog| {
        let id = DialogId::side(&listing.root, &dialog.meta.id);
        let blocks: Vec<AgentId> = dialog.asker.iter().filter_map(agent_of).collect();
        let open = open_questions(&dialog.latest, &dialog.questions).iter();
        open.map(move |question| {
            let parts = dialog.parts.get(&question.call_id).cloned();
            let asked = (question, parts, dialog.answers.as_ref());
            inbox_row(id.clone(), &dialog.meta, asked, (blocks.clone(), String::new()))
        })
    });
    rows.collect()
}

/// The members whose dialogs wait for this one, nearest first.
fn blocked_by(tree: &DialogTree, dialog: &Dialog) -> Vec<AgentId> {
    let mut waiting = Vec::new();
    let mut seen = BTreeSet::from([&dialog.meta.id]);
    let mut current = dialog;
    loop {
        let owed = current.obligation().map(|owed| &owed.target_dialog_id);
        let asker = owed.filter(|id| seen.insert(id)).and_then(|id| tree.get(id));
        let Some(asker) = asker else { return waiting };
        waiting.push(asker.meta.agent_id.clone());
        current = asker;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::asking::question::CallSite;
    use crate::domain::dialogs::tree::Bucket;
    use crate::domain::{CallId, RootId, Stamp};

    fn loaded() -> (DialogTree, Arc<Dialog>) {
        let mut dialog = crate::samples::dialog_of(&[r#"{"type":"gen_start_record","genseq":1}"#]);
        let root = RootId::new("aa/bb/01");
        let site = CallSite {
            course: Course::FIRST,
            message_index: 0,
            call_site_genseq: None,
            extra: serde_json::Map::new(),
        };
        let id = DialogId::main(root.clone());
        let call = CallId::new("q");
        dialog.questions.push(Question::new(&id, &call, "Which?", Stamp::default(), site));
        let mut tree = DialogTree::new(root, Bucket::Run);
        let dialog = Arc::new(dialog);
        tree.dialogs.insert(dialog.meta.id.clone(), Arc::clone(&dialog));
        (tree, dialog)
    }

    fn listed(tree: &DialogTree) -> TreeListing {
        let listed = |dialog: &Arc<Dialog>| DialogListing {
            id: dialog.meta.id.clone(),
            meta: dialog.meta.clone(),
            latest: Box::new(dialog.latest.clone()),
            asker: None,
            questions: dialog.questions.clone(),
            parts: std::collections::BTreeMap::new(),
            answers: None,
            pending: dialog.pending.clone(),
            human_answers: Vec::new(),
            about: String::new(),
            reasoning: None,
            genseq: dialog.history.last_genseq,
            pressure: dialog.history.pressure,
            state: derive(dialog, Activity::Resting),
        };
        TreeListing {
            root: tree.root.clone(),
            bucket: tree.bucket,
            dialogs: tree.dialogs.values().map(listed).collect(),
            registry: Vec::new(),
            unclean: false,
            layout: tree.layout,
            foreign: None,
        }
    }

    #[test]
    fn a_dialog_has_the_same_rows_loaded_and_listed_and_a_dead_one_asks_nothing() {
        let (mut tree, dialog) = loaded();
        let keep_going = KeepGoing { most: 3, text: Some("go on".to_owned()) };
        for (dead, questions) in [(false, 1), (true, 0)] {
            let mut dialog = Dialog::clone(&dialog);
            if dead {
                dialog.latest.die();
            }
            tree.dialogs.insert(dialog.meta.id.clone(), Arc::new(dialog.clone()));
            let row = tree_row(&tree, &dialog, Activity::Resting, &keep_going);
            assert_eq!((row.questions, row.keep_going), (questions, Some((3, 3))));
            let listing = listed(&tree);
            assert_eq!(listed_rows(&listing, |_| Some(keep_going.clone())), [row]);
            assert_eq!(listed_inbox(&listing), inbox(&tree));
            assert_eq!(inbox(&tree).len(), questions);
        }
    }
}
