//! What goes on below a main dialog, as its model is told: the sessions it can ask again, the questions
//! that wait for a person, the side dialogs that wait or were stopped. Bounded, whatever a tree holds.

use crate::domain::asking::question::headline;
use crate::domain::dialogs::dialog::Dialog;
use crate::domain::dialogs::latest::{Blocker, DisplayState, StopReason};
use crate::domain::dialogs::shown_state::{Activity, derive};
use crate::domain::dialogs::state::next_step;
use crate::domain::dialogs::tree::DialogTree;
use crate::domain::ids::AgentId;
use crate::domain::text::hidden_chars::is_hidden;

/// Most sessions that are named.
const SESSIONS: usize = 20;
/// Most questions, and most side dialogs that wait.
const OTHERS: usize = 10;
/// Longest headline of a question, in characters.
const HEADLINE: usize = 120;
/// Longest slug or id, in characters: what lies on disk may hold any.
const NAME: usize = 80;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Overview {
    pub sessions: Truncated<Session>,
    pub questions: Truncated<OpenQuestion>,
    pub waiting: Truncated<WaitingDialog>,
}

/// The first entries of a list, and how many more there are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Truncated<T> {
    pub shown: Vec<T>,
    pub more: usize,
}

/// A registered session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    pub slug: String,
    pub agent: String,
    pub standing: SideStatus,
}

/// A question of a side dialog that waits for a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenQuestion {
    pub by: SideDialogName,
    pub headline: String,
}

/// A side dialog that waits for more than a person's answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WaitingDialog {
    pub who: SideDialogName,
    pub standing: SideStatus,
    /// The teammates it waits for.
    pub of: Vec<String>,
}

/// A side dialog by its member and its session, if it has one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SideDialogName {
    pub agent: String,
    pub slug: Option<String>,
}

/// What a side dialog is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SideStatus {
    /// It can be asked.
    Rests,
    Works,
    WaitsForAPerson,
    WaitsForOthers,
    WaitsForBoth,
    /// A person has to let it go on.
    Stopped,
    /// A person spoke to it; its task waits for them.
    Paused,
}

impl<T> Default for Truncated<T> {
    fn default() -> Self {
        Self { shown: Vec::new(), more: 0 }
    }
}

impl<T> Truncated<T> {
    fn of(all: impl Iterator<Item = T>, most: usize) -> Self {
        let mut all = all;
        let shown = all.by_ref().take(most).collect();
        Self { shown, more: all.count() }
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.shown.is_empty()
    }
}

impl Overview {
    /// What goes on below the main dialog of `tree`.
    #[must_use]
    pub fn of(tree: &DialogTree) -> Self {
        let sessions = tree.registry.iter().filter_map(|entry| {
            let dialog = tree.get(&entry.side_dialog_id)?;
            Some(Session {
                slug: name(entry.session_slug.as_ref()?.as_str()),
                agent: agent(&entry.agent_id),
                standing: standing(dialog)?,
            })
        });
        let side = || tree.dialogs.values().filter(|dialog| !tree.is_main(&dialog.meta.id));
        let questions = side().filter(|dialog| !dialog.latest.is_dead()).flat_map(|dialog| {
            dialog.questions.iter().map(|question| OpenQuestion {
                by: who(dialog),
                headline: plain(headline(&question.tellask_content), HEADLINE),
            })
        });
        let waiting = side().filter_map(|dialog| {
            let standing = standing(dialog).filter(|standing| standing.is_listed_as_waiting())?;
            Some(WaitingDialog { who: who(dialog), standing, of: waited_for(tree, dialog) })
        });
        Self {
            sessions: Truncated::of(sessions, SESSIONS),
            questions: Truncated::of(questions, OTHERS),
            waiting: Truncated::of(waiting, OTHERS),
        }
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.sessions.is_empty() && self.questions.is_empty() && self.waiting.is_empty()
    }
}

impl SideStatus {
    /// True where the lists of sessions and questions do not say it all.
    fn is_listed_as_waiting(self) -> bool {
        match self {
            Self::WaitsForOthers | Self::WaitsForBoth | Self::Stopped | Self::Paused => true,
            Self::Rests | Self::Works | Self::WaitsForAPerson => false,
        }
    }
}

/// From the facts alone, so that the same tree gives the same text; `None` for the dead.
fn standing(dialog: &Dialog) -> Option<SideStatus> {
    let last = &dialog.history.last;
    let works = (last.open && !last.delivered) || next_step(dialog).is_some();
    let activity = if works { Activity::Driving } else { Activity::Resting };
    Some(match derive(dialog, activity) {
        DisplayState::Idle => SideStatus::Rests,
        DisplayState::Proceeding | DisplayState::Stopping { .. } => SideStatus::Works,
        DisplayState::Stopped { reason, .. } if StopReason::is_pause(&reason) => SideStatus::Paused,
        DisplayState::Stopped { .. } => SideStatus::Stopped,
        DisplayState::Blocked { reason: Blocker::Human } => SideStatus::WaitsForAPerson,
        DisplayState::Blocked { reason: Blocker::SideDialogs } => SideStatus::WaitsForOthers,
        DisplayState::Blocked { reason: Blocker::HumanAndSideDialogs } => SideStatus::WaitsForBoth,
        DisplayState::Dead { .. } => return None,
    })
}

/// Each teammate once, in the order it was asked; the asker where it was asked back.
fn waited_for(tree: &DialogTree, dialog: &Dialog) -> Vec<String> {
    let asked_back = dialog.history.asked_back().next().and_then(|_| tree.get(dialog.asker()?));
    let ids = asked_back.iter().map(|asker| &asker.meta.agent_id);
    let mut of: Vec<String> = Vec::new();
    for id in ids.chain(dialog.pending.iter().map(|pending| &pending.target_agent_id)) {
        let id = agent(id);
        if of.len() < OTHERS && !of.contains(&id) {
            of.push(id);
        }
    }
    of
}

fn who(dialog: &Dialog) -> SideDialogName {
    let slug = dialog.meta.session_slug.as_ref().map(|slug| name(slug.as_str()));
    SideDialogName { agent: agent(&dialog.meta.agent_id), slug }
}

fn agent(id: &AgentId) -> String {
    name(id.as_str())
}

fn name(text: &str) -> String {
    plain(text, NAME)
}

/// One line of at most `most` characters, without any that are not seen.
fn plain(text: &str, most: usize) -> String {
    let seen = text.chars().map(|c| if c.is_whitespace() { ' ' } else { c });
    let mut seen = seen.filter(|&c| !is_hidden(c));
    let mut kept: String = seen.by_ref().take(most).collect();
    if seen.next().is_some() {
        kept.push('…');
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::dialogs::registry::RegistryEntry;
    use crate::domain::dialogs::tree::Bucket;
    use crate::domain::{
        CallId, CallSite, Course, ExecutionMarker, Question, RootId, SelfId, Slug, Stamp,
    };

    const ROOT: &str = "aa/bb/01";

    fn tree() -> DialogTree {
        let mut tree = DialogTree::new(RootId::new(ROOT), Bucket::Run);
        add(&mut tree, ROOT, "lead", None);
        tree
    }

    fn add(tree: &mut DialogTree, id: &str, agent: &str, slug: Option<&str>) {
        let mut dialog = crate::samples::dialog_of(&[]);
        dialog.meta.id = SelfId::new(id);
        dialog.meta.agent_id = agent.into();
        dialog.meta.session_slug = slug.map(Slug::new);
        if let Some(slug) = slug {
            let entry = RegistryEntry::new(&agent.into(), &Slug::new(slug), &dialog.meta.id);
            tree.registry.push(entry);
        }
        tree.dialogs.insert(dialog.meta.id.clone(), dialog.into());
    }

    fn with(tree: &mut DialogTree, id: &str, change: impl FnOnce(&mut Dialog)) {
        let dialog = tree.dialogs.get_mut(&SelfId::new(id)).expect("a dialog");
        change(std::sync::Arc::make_mut(dialog));
    }

    fn ask(dialog: &mut Dialog, content: &str) {
        let site = CallSite {
            course: Course::FIRST,
            message_index: 0,
            call_site_genseq: None,
            extra: serde_json::Map::new(),
        };
        let id = crate::domain::DialogId::main(RootId::new(ROOT));
        let call = CallId::new("q");
        dialog.questions.push(Question::new(&id, &call, content, Stamp::default(), site));
    }

    #[test]
    fn a_main_dialog_knows_its_sessions_the_questions_and_who_waits_below_it() {
        let mut tree = tree();
        assert!(Overview::of(&tree).is_empty());
        add(&mut tree, "aa/bb/02", "dev", Some("api"));
        add(&mut tree, "aa/bb/03", "dev", Some("ui"));
        add(&mut tree, "aa/bb/04", "ops", None);
        add(&mut tree, "aa/bb/05", "old", Some("gone"));
        with(&mut tree, "aa/bb/05", |dialog| dialog.latest.die());
        with(&mut tree, "aa/bb/03", |dialog| dialog.latest.needs_drive = Some(true));
        with(&mut tree, "aa/bb/02", |dialog| ask(dialog, "\nWhich \u{202e}port?\nmore"));
        with(&mut tree, "aa/bb/04", |dialog| {
            let reason = StopReason::UserStop;
            dialog.latest.execution_marker = Some(ExecutionMarker::Interrupted { reason });
        });
        with(&mut tree, ROOT, |dialog| ask(dialog, "its own"));
        let session = |slug: &str, standing| Session {
            slug: slug.to_owned(),
            agent: "dev".to_owned(),
            standing,
        };
        let who = |agent: &str, slug: Option<&str>| SideDialogName {
            agent: agent.to_owned(),
            slug: slug.map(str::to_owned),
        };
        let found = Overview::of(&tree);
        let expected =
            [session("api", SideStatus::WaitsForAPerson), session("ui", SideStatus::Works)];
        assert_eq!(found.sessions.shown, expected);
        let expected =
            [OpenQuestion { by: who("dev", Some("api")), headline: "Which port?".to_owned() }];
        assert_eq!(found.questions.shown, expected);
        let standing = SideStatus::Stopped;
        let expected = [WaitingDialog { who: who("ops", None), standing, of: Vec::new() }];
        assert_eq!(found.waiting.shown, expected);
    }

    #[test]
    fn a_tree_of_any_size_makes_a_bounded_overview() {
        let mut tree = tree();
        for n in 0..90 {
            let id = format!("aa/bc/{n:02}");
            add(&mut tree, &id, &"a".repeat(900), Some(&format!("s{n}{}", "x".repeat(900))));
            with(&mut tree, &id, |dialog| ask(dialog, &"字".repeat(9_000)));
        }
        let found = Overview::of(&tree);
        assert_eq!((found.sessions.shown.len(), found.sessions.more), (20, 70));
        assert_eq!((found.questions.shown.len(), found.questions.more), (10, 80));
        let characters = format!("{found:?}").chars().count();
        assert!(characters < 12_000, "{characters}");
    }
}
