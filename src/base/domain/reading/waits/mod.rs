//! Who waits for whom in a tree, which dialogs wait for each other, and who waits for something that
//! nobody will do. Read from the facts alone; nothing is kept.
//!
//! What is waited for is a *deed*: the reply of a side dialog, or the answer to one question it was
//! asked back. A dialog that is asked back waits for the reply of the very dialog that asks, and that
//! is no ring: it can answer at once. So the two are kept apart.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::problem::Problem;
use crate::domain::dialogs::assignment::AssignmentFrame;
use crate::domain::dialogs::dialog::Dialog;
use crate::domain::dialogs::pending::WaitGroup;
use crate::domain::dialogs::state::next_step;
use crate::domain::dialogs::tree::DialogTree;
use crate::domain::ids::{CallId, SelfId};
use crate::domain::text::localized;

/// One dialog waits for one thing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wait {
    pub waiter: SelfId,
    pub on: Awaited,
    /// The call that is to be answered.
    pub call: CallId,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Awaited {
    /// The reply of this side dialog.
    Reply(SelfId),
    /// The answer of this dialog to what it was asked back.
    Answer(SelfId),
    Human,
}

/// A wait that ends only with somebody's help, and nobody is asked for any.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StuckWait {
    pub wait: Wait,
    pub why: StuckReason,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StuckReason {
    /// These dialogs wait for each other.
    Ring(Vec<SelfId>),
    /// The dialog that is waited for is dead, or is not there.
    Gone,
    /// It does nothing, and nothing will make it.
    Rests,
    /// It waits itself for something that nobody will do.
    WaitsInVain,
}

/// What a dialog may be waited for.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct AwaitedReply {
    by: SelfId,
    /// `None`: its reply.
    answers: Option<CallId>,
}

impl AwaitedReply {
    fn reply(by: &SelfId) -> Self {
        Self { by: by.clone(), answers: None }
    }
}

/// Everything the living dialogs of a tree wait for.
#[must_use]
pub fn waits(tree: &DialogTree) -> Vec<Wait> {
    let graph = Graph::of(tree);
    tree.dialogs.values().flat_map(|dialog| graph.waits_of(dialog)).collect()
}

/// The dialogs that would wait for each other if `caller` gave work to `side`: from the side dialog to
/// the caller.
#[must_use]
pub fn ring_of_call(tree: &DialogTree, caller: &SelfId, side: &SelfId) -> Option<Vec<SelfId>> {
    let graph = Graph::of(tree);
    let mut ends = BTreeSet::from([AwaitedReply::reply(caller)]);
    if let Some(dialog) = tree.get(caller) {
        // Whoever asked the caller back waits for this call too, if the caller has heard it.
        let heard = dialog.stack.iter().filter(|frame| {
            frame.is_ask_back()
                && frame.asker_dialog_id != *side
                && frame.owed_call().is_some_and(|call| dialog.heard_at(call).is_some())
        });
        ends.extend(heard.filter_map(|frame| {
            Some(AwaitedReply { by: caller.clone(), answers: Some(frame.owed_call()?.clone()) })
        }));
    }
    let path = graph.path(&AwaitedReply::reply(side), |deed| ends.contains(deed))?;
    Some(dialogs_of(&path))
}

/// The dialogs that wait for each other, each ring once, in the order in which they wait.
#[must_use]
pub fn rings(tree: &DialogTree) -> Vec<Vec<SelfId>> {
    let graph = Graph::of(tree);
    let needs = graph.all_needs();
    let mut seen = BTreeSet::new();
    let mut rings = Vec::new();
    for deed in circular(&needs) {
        if seen.contains(deed) {
            continue;
        }
        let Some(path) = graph.path_back(deed) else { continue };
        rings.push(dialogs_of(&path));
        seen.extend(path);
    }
    rings
}

/// The waits that nobody will end. `moves`: dialogs that are being driven. A dialog that asks a person, or was stopped,
/// waits for that person, and so do those that wait for it.
#[must_use]
pub fn stuck(tree: &DialogTree, moves: impl Fn(&SelfId) -> bool) -> Vec<StuckWait> {
    let graph = Graph::of(tree);
    let needs = graph.all_needs();
    let goes_on = |dialog: &Dialog| {
        moves(&dialog.meta.id)
            || next_step(dialog).is_some()
            || !dialog.questions.is_empty()
            || dialog.latest.interruption().is_some()
    };
    let hopeful = |deed: &AwaitedReply| graph.living(&deed.by).is_some_and(goes_on);
    let never: BTreeSet<&AwaitedReply> = never_done(&needs, hopeful).collect();
    let rings = rings(tree);
    let why = |deed: &AwaitedReply| {
        if graph.living(&deed.by).is_none() {
            return StuckReason::Gone;
        }
        if let Some(ring) = rings.iter().find(|ring| ring.contains(&deed.by)) {
            return StuckReason::Ring(ring.clone());
        }
        let waits = needs.get(deed).is_some_and(|needs| !needs.is_empty());
        if waits { StuckReason::WaitsInVain } else { StuckReason::Rests }
    };
    let all = tree.dialogs.values().flat_map(|dialog| graph.waits_of(dialog));
    all.filter_map(|wait| {
        let deed = wait.deed().filter(|deed| never.contains(deed))?;
        Some(StuckWait { why: why(&deed), wait })
    })
    .collect()
}

/// What a person has to know of each ring in this tree.
#[must_use]
pub fn cycle_problems(tree: &DialogTree) -> Vec<Problem> {
    let problem = |ring: Vec<SelfId>| {
        let side = ring.iter().find(|id| !tree.is_main(id));
        let first = side.map(|id| tree.id(id).to_string()).unwrap_or_default();
        let around = around(tree, &ring);
        Problem::new(
            format!("dialogs/ring/{first}"),
            format!(".dialogs/{} ({})", tree.bucket.folder(), tree.root),
            localized!("dialogs wait for each other: {around}", "对话互相等待：{around}"),
            localized!(
                "declare one of these side dialogs dead: dominds-tui dead '{first}'",
                "请将其中一个支线对话宣告死亡：dominds-tui dead '{first}'"
            ),
        )
    };
    rings(tree).into_iter().map(problem).collect()
}

/// A ring in words: its dialogs in order, and the first again.
#[must_use]
pub fn around(tree: &DialogTree, ring: &[SelfId]) -> String {
    let names = ring.iter().chain(ring.first()).map(|id| name(tree, id));
    names.collect::<Vec<_>>().join(" -> ")
}

/// How a dialog is called in a sentence: its member and its session.
#[must_use]
pub fn name(tree: &DialogTree, id: &SelfId) -> String {
    let Some(dialog) = tree.get(id) else { return format!("the missing dialog {id}") };
    let agent = &dialog.meta.agent_id;
    match &dialog.meta.session_slug {
        Some(slug) => format!("@{agent}!{slug}"),
        None if tree.is_main(id) => format!("@{agent}"),
        None => format!("@{agent} ({id})"),
    }
}

impl StuckWait {
    /// A sentence for people: who waits for what.
    #[must_use]
    pub fn sentence(&self, tree: &DialogTree) -> String {
        let waiter = name(tree, &self.wait.waiter);
        let (on, what) = match &self.wait.on {
            Awaited::Reply(on) => (name(tree, on), "the reply"),
            Awaited::Answer(on) => (name(tree, on), "the answer"),
            Awaited::Human => return format!("{waiter} waits for a person"),
        };
        let why = match &self.why {
            StuckReason::Ring(ring) => format!("they wait for each other: {}", around(tree, ring)),
            StuckReason::Gone => "it is gone".to_owned(),
            StuckReason::Rests => "it rests and will not give it".to_owned(),
            StuckReason::WaitsInVain => "it waits in vain itself".to_owned(),
        };
        format!("{waiter} waits for {what} of {on}, but {why}")
    }
}

impl Wait {
    fn deed(&self) -> Option<AwaitedReply> {
        match &self.on {
            Awaited::Reply(by) => Some(AwaitedReply::reply(by)),
            Awaited::Answer(by) => {
                Some(AwaitedReply { by: by.clone(), answers: Some(self.call.clone()) })
            }
            Awaited::Human => None,
        }
    }
}

struct Graph<'a> {
    tree: &'a DialogTree,
    /// Who has to answer a question that was asked back.
    asked: BTreeMap<(&'a SelfId, &'a CallId), &'a SelfId>,
}

impl<'a> Graph<'a> {
    fn of(tree: &'a DialogTree) -> Self {
        let mut asked = BTreeMap::new();
        for (id, dialog) in &tree.dialogs {
            for frame in dialog.stack.iter().filter(|frame| frame.is_ask_back()) {
                if let Some(call) = frame.owed_call() {
                    asked.insert((&frame.asker_dialog_id, call), id);
                }
            }
        }
        Self { tree, asked }
    }

    fn living(&self, id: &SelfId) -> Option<&'a Dialog> {
        self.tree.get(id).filter(|dialog| !dialog.latest.is_dead())
    }

    fn waits_of(&self, dialog: &Dialog) -> Vec<Wait> {
        if dialog.latest.is_dead() {
            return Vec::new();
        }
        let wait =
            |on, call: &CallId| Wait { waiter: dialog.meta.id.clone(), on, call: call.clone() };
        let replies = dialog
            .pending
            .iter()
            .map(|pending| wait(Awaited::Reply(pending.side_dialog_id.clone()), &pending.call_id));
        let answers = dialog.history.asked_back().filter_map(|(call, _)| {
            Some(wait(Awaited::Answer(self.answerer(dialog, call)?), call))
        });
        let human = dialog.questions.iter().map(|question| wait(Awaited::Human, &question.call_id));
        replies.chain(answers).chain(human).collect()
    }

    fn answerer(&self, side: &Dialog, call: &CallId) -> Option<SelfId> {
        let holder = self.asked.get(&(&side.meta.id, call)).copied();
        holder.or_else(|| side.asker()).cloned()
    }

    /// What has to be done before this deed, by somebody else.
    fn needs(&self, deed: &AwaitedReply) -> Vec<AwaitedReply> {
        let Some(dialog) = self.living(&deed.by) else { return Vec::new() };
        let Some(answered) = &deed.answers else {
            return self.waits_of(dialog).iter().filter_map(Wait::deed).collect();
        };
        // A dialog that has not heard the question is free to hear it; one that has waits for what it asked since.
        let Some(heard) = dialog.heard_at(answered) else { return Vec::new() };
        let since = |group: WaitGroup| (group.course, group.genseq) >= heard;
        let asks = |frame: &&AssignmentFrame| frame.owed_call() == Some(answered);
        let asker = dialog.stack.iter().find(asks).map(|frame| &frame.asker_dialog_id);
        let replies = dialog
            .pending
            .iter()
            .filter(|pending| since(pending.group()) && Some(&pending.side_dialog_id) != asker);
        let answers = dialog.history.asked_back().filter(|(_, call)| since(call.group()));
        let answers = answers.filter_map(|(call, _)| {
            Some(AwaitedReply { by: self.answerer(dialog, call)?, answers: Some(call.clone()) })
        });
        replies.map(|pending| AwaitedReply::reply(&pending.side_dialog_id)).chain(answers).collect()
    }

    /// Each deed that somebody waits for, with what it needs.
    fn all_needs(&self) -> BTreeMap<AwaitedReply, Vec<AwaitedReply>> {
        let mut all = BTreeMap::new();
        let mut next: Vec<AwaitedReply> = self
            .tree
            .dialogs
            .values()
            .flat_map(|dialog| self.waits_of(dialog))
            .filter_map(|wait| wait.deed())
            .collect();
        while let Some(deed) = next.pop() {
            if let Entry::Vacant(place) = all.entry(deed) {
                let needs = self.needs(place.key());
                next.extend(needs.iter().cloned());
                place.insert(needs);
            }
        }
        all
    }

    /// The shortest path along needs from a deed to one that is looked for, both included.
    fn path(
        &self,
        from: &AwaitedReply,
        found: impl Fn(&AwaitedReply) -> bool,
    ) -> Option<Vec<AwaitedReply>> {
        let mut before: BTreeMap<AwaitedReply, Option<AwaitedReply>> =
            BTreeMap::from([(from.clone(), None)]);
        let mut next = VecDeque::from([from.clone()]);
        while let Some(deed) = next.pop_front() {
            if found(&deed) {
                return Some(way(&before, deed));
            }
            for need in self.needs(&deed) {
                if !before.contains_key(&need) {
                    before.insert(need.clone(), Some(deed.clone()));
                    next.push_back(need);
                }
            }
        }
        None
    }

    /// The shortest way from a deed back to itself, without its end.
    fn path_back(&self, deed: &AwaitedReply) -> Option<Vec<AwaitedReply>> {
        let ways = self.needs(deed).into_iter().filter_map(|need| self.path(&need, |d| d == deed));
        let mut way = ways.min_by_key(Vec::len)?;
        way.rotate_right(1);
        Some(way)
    }
}

/// The deeds that need each other, and those that need one of them.
fn circular(
    needs: &BTreeMap<AwaitedReply, Vec<AwaitedReply>>,
) -> impl Iterator<Item = &AwaitedReply> {
    let needed_by = needed_by(needs);
    let mut open: BTreeMap<&AwaitedReply, usize> =
        needs.iter().map(|(d, n)| (d, n.len())).collect();
    let mut next: Vec<&AwaitedReply> =
        needs.keys().filter(|deed| open.get(deed) == Some(&0)).collect();
    while let Some(deed) = next.pop() {
        for other in needed_by.get(deed).into_iter().flatten().copied() {
            let Some(left) = open.get_mut(other) else { continue };
            *left = left.saturating_sub(1);
            if *left == 0 {
                next.push(other);
            }
        }
    }
    needs.keys().filter(move |deed| open.get(deed).is_some_and(|left| *left > 0))
}

fn needed_by(
    needs: &BTreeMap<AwaitedReply, Vec<AwaitedReply>>,
) -> BTreeMap<&AwaitedReply, Vec<&AwaitedReply>> {
    let mut needed_by: BTreeMap<&AwaitedReply, Vec<&AwaitedReply>> = BTreeMap::new();
    for (deed, needs) in needs {
        for need in needs {
            needed_by.entry(need).or_default().push(deed);
        }
    }
    needed_by
}

/// The deeds that are never done: neither is one hopeful nor can what it needs be done.
fn never_done(
    needs: &BTreeMap<AwaitedReply, Vec<AwaitedReply>>,
    hopeful: impl Fn(&AwaitedReply) -> bool,
) -> impl Iterator<Item = &AwaitedReply> {
    let needed_by = needed_by(needs);
    let mut done: BTreeSet<&AwaitedReply> = needs.keys().filter(|deed| hopeful(deed)).collect();
    let mut next: Vec<&AwaitedReply> = done.iter().copied().collect();
    while let Some(deed) = next.pop() {
        for other in needed_by.get(deed).into_iter().flatten().copied() {
            if done.insert(other) {
                next.push(other);
            }
        }
    }
    needs.keys().filter(move |deed| !done.contains(deed))
}

fn way(
    before: &BTreeMap<AwaitedReply, Option<AwaitedReply>>,
    to: AwaitedReply,
) -> Vec<AwaitedReply> {
    let mut way = vec![to];
    while let Some(Some(earlier)) = way.last().and_then(|deed| before.get(deed)) {
        way.push(earlier.clone());
    }
    way.reverse();
    way
}

/// The dialogs of a way, each once where it is met several times in a row.
fn dialogs_of(path: &[AwaitedReply]) -> Vec<SelfId> {
    let mut dialogs: Vec<SelfId> = path.iter().map(|deed| deed.by.clone()).collect();
    dialogs.dedup();
    dialogs
}

#[cfg(test)]
mod tests;
