//! What holds whenever nothing moves.

use std::collections::BTreeMap;

use dominds_tui::domain::dialogs::call::SpecialCall;
use dominds_tui::domain::dialogs::shown_state::{Activity, derive};
use dominds_tui::domain::{Bucket, CallId, Dialog, DialogId, DialogTree, RootId};
use dominds_tui::store::{Store, TreeListing};

use crate::client::{Client, Memory};
use crate::common::record_lines::is_line_of;
use crate::records::Records;
use crate::waiting;

/// Everything that is to be said about a tree.
pub struct Look {
    pub tree: DialogTree,
    listing: TreeListing,
    records: BTreeMap<DialogId, Records>,
}

impl Look {
    /// Reads the tree as a program that starts now would.
    pub fn at(store: &Store, root: &RootId) -> Result<Self, String> {
        let loaded = store.load(Bucket::Run, root).map_err(|error| error.to_string())?;
        if !loaded.repairs.is_empty() {
            return Err(format!("files disagree with the courses: {:?}", loaded.repairs));
        }
        let mut survey = store.survey(&[Bucket::Run]);
        let listing = survey.trees.pop().ok_or("the tree is not listed")?;
        let ids = loaded.tree.dialogs.keys().map(|id| DialogId::side(root, id));
        let layout = loaded.tree.layout;
        let records = ids.map(|id| (id.clone(), Records::read(store, &id, layout))).collect();
        Ok(Self { tree: loaded.tree, listing, records })
    }

    /// What is written of each dialog.
    pub fn records(&self) -> impl Iterator<Item = &Records> {
        self.records.values()
    }

    pub fn check(&self, client: &Client, memory: &Memory) -> Result<(), String> {
        waiting::check(&self.tree)?;
        for dialog in self.tree.dialogs.values() {
            let id = self.tree.id(&dialog.meta.id);
            let records = &self.records[&id];
            self.states_agree(&id, dialog, client)?;
            calls_are_answered_once(&id, dialog, records)?;
            memory.ledger.check(&id, dialog, records)?;
        }
        self.inbox_agrees(client)?;
        self.given_once()?;
        self.reported_records_exist(memory)
    }

    /// The state a rule gives, the one that is written, the one that is listed, the one that is shown.
    fn states_agree(&self, id: &DialogId, dialog: &Dialog, client: &Client) -> Result<(), String> {
        let right = derive(dialog, Activity::Resting);
        let listed = self.listing.dialogs.iter().find(|listed| listed.id == id.this);
        for (who, says) in [
            ("latest.yaml", dialog.latest.display_state.clone()),
            ("the list of dialogs", listed.map(|dialog| dialog.state.clone())),
            ("the screen", client.rows.get(id).map(|row| row.state.clone())),
        ] {
            if says.as_ref() != Some(&right) {
                return Err(format!("{id} is {right:?}, but {who} says {says:?}"));
            }
        }
        Ok(())
    }

    fn inbox_agrees(&self, client: &Client) -> Result<(), String> {
        let living = self.tree.dialogs.values().filter(|dialog| !dialog.latest.is_dead());
        let mut open: Vec<&String> = living
            .flat_map(|dialog| dialog.questions.iter().map(|question| &question.id))
            .collect();
        let mut shown: Vec<&String> = client.inbox.iter().map(|row| &row.question.id).collect();
        open.sort();
        shown.sort();
        if open != shown {
            return Err(format!("open questions {open:?}, but the inbox shows {shown:?}"));
        }
        Ok(())
    }

    /// What a model says reaches one asker once, and what it says to a person reaches no dialog.
    fn given_once(&self) -> Result<(), String> {
        let mut seen = BTreeMap::new();
        for (id, records) in &self.records {
            for given in &records.given {
                for mark in marks(&given.text) {
                    if mark.starts_with("[w")
                        && self.records.values().any(|one| one.reached_a_person(&mark))
                    {
                        return Err(format!("{mark} was said to a person and given to {id}"));
                    }
                    let own = mark.starts_with("[w") || mark.starts_with("[r");
                    let before = seen.insert(mark.clone(), (id, &given.call));
                    if let Some(before) = before.filter(|_| own) {
                        return Err(format!(
                            "{mark} was given to {} {} and to {id} {}",
                            before.0, before.1, given.call
                        ));
                    }
                }
            }
        }
        Ok(())
    }

    fn reported_records_exist(&self, memory: &Memory) -> Result<(), String> {
        let layout = self.tree.layout;
        for reported in &memory.records {
            let lines =
                self.records.get(&reported.dialog).and_then(|r| r.lines.get(&reported.course));
            let there = lines.and_then(|lines| lines.get(reported.line));
            if !there.is_some_and(|line| is_line_of(line, &reported.entry, layout)) {
                return Err(format!("{reported:?} was reported, but there is {there:?}"));
            }
        }
        Ok(())
    }
}

impl Records {
    fn reached_a_person(&self, mark: &str) -> bool {
        self.said_to_a_person.iter().any(|text| text.contains(mark))
    }
}

/// The marks in a text.
fn marks(text: &str) -> Vec<String> {
    let pieces = text.split('[').skip(1).filter_map(|rest| rest.split_once(']'));
    let is_mark = |inner: &str| {
        inner.len() > 1 && inner[1..].chars().all(|c| c.is_ascii_digit()) && inner.is_ascii()
    };
    pieces
        .map(|(inner, _)| inner)
        .filter(|inner| is_mark(inner))
        .map(|m| format!("[{m}]"))
        .collect()
}

/// Every call stands once and has one result; what was asked of others has one answer, or is waited for.
fn calls_are_answered_once(
    id: &DialogId,
    dialog: &Dialog,
    records: &Records,
) -> Result<(), String> {
    for (call, (times, name)) in &records.calls {
        let results = records.results.get(call).copied().unwrap_or_default();
        if (*times, results) != (1, 1) {
            return Err(format!("{name} {call} of {id}: {times} times, {results} results"));
        }
        let fact = dialog.history.calls.get(call);
        let started = fact.is_some_and(|fact| fact.started);
        let answers = records.given.iter().filter(|given| given.call == *call).count();
        let right = match SpecialCall::of(name) {
            Some(SpecialCall::Tellask(_) | SpecialCall::AskHuman) if started => {
                if is_awaited(dialog, call) {
                    answers == 0
                } else {
                    answers == 1 || answers == 0 && is_given_up(dialog, call, name)
                }
            }
            // A teammate that cannot be asked is a failed reply as well.
            Some(SpecialCall::Tellask(_)) => answers <= 1,
            Some(SpecialCall::AskHuman | SpecialCall::AnswerHuman | SpecialCall::Reply(_))
            | None => answers == 0,
        };
        if !right && !dialog.latest.is_dead() {
            return Err(format!("{name} {call} of {id} has {answers} answers"));
        }
    }
    Ok(())
}

/// Who clears its mind takes back what it asked a person, and waits no more for what it asked back; the
/// answer to that may still come.
fn is_given_up(dialog: &Dialog, call: &CallId, name: &str) -> bool {
    let asked = dialog.history.calls.get(call).map(|fact| fact.course);
    let cleared = asked < Some(dialog.latest.current_course.max(dialog.history.course));
    cleared && ["askHuman", "tellaskBack"].contains(&name)
}

fn is_awaited(dialog: &Dialog, call: &CallId) -> bool {
    dialog.pending.iter().any(|pending| pending.call_id == *call)
        || dialog.questions.iter().any(|question| question.call_id == *call)
        || dialog.history.asked_back().any(|(asked, _)| asked == call)
}
