//! Small trees, and who waits in them.

use std::sync::Arc;

use super::*;
use crate::domain::asking::question::{CallSite, Question};
use crate::domain::dialogs::call::TellaskKind;
use crate::domain::dialogs::latest::{ExecutionMarker, StopReason};
use crate::domain::dialogs::record::Entry;
use crate::domain::dialogs::tree::Bucket;
use crate::domain::number::{Course, Genseq};
use crate::domain::{
    AgentId, Assignment, CallType, DialogMeta, Latest, Pending, RootId, Slug, Stamp,
};

/// A tree that is built dialog by dialog; a member's only session bears its own name.
struct Built(DialogTree);

fn main() -> Built {
    let root = RootId::new("main");
    let mut tree = DialogTree::new(root.clone(), Bucket::Run);
    tree.dialogs.insert(root.main(), Arc::new(dialog("main", None)));
    Built(tree)
}

fn dialog(name: &str, slug: Option<&str>) -> Dialog {
    let meta = DialogMeta {
        id: SelfId::new(name),
        agent_id: AgentId::new(name),
        task_doc_path: "t.tsk".to_owned(),
        created_at: Stamp::default(),
        session_slug: slug.map(Slug::new),
        extra: serde_json::Map::new(),
    };
    Dialog::new(meta, Latest::new(Stamp::default()))
}

impl Built {
    fn with(mut self, id: &str, change: impl FnOnce(&mut Dialog)) -> Self {
        let id = SelfId::new(id);
        let one = self.0.dialogs.entry(id.clone());
        let one = one.or_insert_with(|| Arc::new(dialog(id.as_str(), Some("s"))));
        change(Arc::make_mut(one));
        self
    }

    /// `asker` waits for `side` since its generation `genseq`; the call is named after both.
    fn asks(self, asker: &str, side: &str, genseq: u32) -> Self {
        let call = CallId::new(format!("{asker}-{side}"));
        let assignment = Assignment {
            call_name: TellaskKind::Session.name().to_owned(),
            mention_list: None,
            tellask_content: String::new(),
            origin_member_id: AgentId::new(asker),
            asker_dialog_id: SelfId::new(asker),
            call_id: call.clone(),
            collective_targets: None,
            effective_fbr_effort: None,
            extra: serde_json::Map::new(),
        };
        let started = (Course::FIRST, Genseq(1));
        self.with(asker, |dialog| dialog.pending.push(pending(&call, side, genseq))).with(
            side,
            |dialog| {
                dialog.history.assignments.insert_mut(call, started);
                dialog.stack = vec![AssignmentFrame::owing(assignment, "replyTellask")];
            },
        )
    }

    /// `side` asks `asker` back, which heard it in its generation `heard`.
    fn asks_back(self, side: &str, asker: &str, heard: Option<u32>) -> Self {
        let call = CallId::new(format!("{side}?{asker}"));
        let record = format!(
            r#"{{"type":"tellask_call_record","genseq":1,"id":"{call}","name":"tellaskBack","rawArgumentsText":"{{}}","deliveryMode":"tellask_call_start"}}"#
        );
        let entry = Arc::new(Entry::parse(&record).expect("a record"));
        self.with(side, |dialog| dialog.history.fold(Course::FIRST, entry)).with(asker, |dialog| {
            dialog.stack.push(AssignmentFrame::asked_back(
                &SelfId::new(side),
                &call,
                "?",
                "replyTellaskBack",
            ));
            if let Some(heard) = heard {
                dialog.history.directed.insert_mut(call, (Course::FIRST, Genseq(heard)));
            }
        })
    }

    fn asks_human(self, id: &str) -> Self {
        self.with(id, |dialog| {
            let site = CallSite {
                course: Course::FIRST,
                message_index: 0,
                call_site_genseq: None,
                extra: serde_json::Map::new(),
            };
            let of = crate::domain::DialogId::main(RootId::new("main"));
            let asked = Question::new(&of, &CallId::new("q"), "?", Stamp::default(), site);
            dialog.questions.push(asked);
        })
    }

    fn dead(self, id: &str) -> Self {
        self.with(id, |dialog| dialog.latest.die())
    }

    fn stopped(self, id: &str) -> Self {
        self.with(id, |dialog| {
            let reason = StopReason::UserStop;
            dialog.latest.execution_marker = Some(ExecutionMarker::Interrupted { reason });
        })
    }

    fn rings(&self) -> Vec<String> {
        let names =
            |ring: Vec<SelfId>| ring.iter().map(SelfId::as_str).collect::<Vec<_>>().join(" ");
        rings(&self.0).into_iter().map(names).collect()
    }

    fn ring_of(&self, caller: &str, side: &str) -> Option<String> {
        let ring = ring_of_call(&self.0, &SelfId::new(caller), &SelfId::new(side))?;
        Some(ring.iter().map(SelfId::as_str).collect::<Vec<_>>().join(" "))
    }

    /// What is stuck when nothing is driven.
    fn stuck(&self) -> Vec<String> {
        stuck(&self.0, |_| false).iter().map(|stuck| stuck.sentence(&self.0)).collect()
    }
}

fn pending(call: &CallId, side: &str, genseq: u32) -> Pending {
    Pending {
        side_dialog_id: SelfId::new(side),
        created_at: Stamp::default(),
        call_name: TellaskKind::Session.name().to_owned(),
        mention_list: None,
        tellask_content: String::new(),
        target_agent_id: AgentId::new(side),
        call_id: call.clone(),
        call_site_course: Course::FIRST,
        call_site_genseq: Genseq(genseq),
        call_type: CallType::B,
        session_slug: Some(Slug::new("s")),
        extra: serde_json::Map::new(),
    }
}

#[test]
fn a_call_that_would_close_a_ring_is_found_through_any_number_of_dialogs() {
    let chain = main().asks("main", "a", 1).asks("a", "b", 1).asks("b", "c", 1);
    for (caller, side, expected) in [
        ("b", "a", Some("a b")),
        ("c", "a", Some("a b c")),
        ("c", "b", Some("b c")),
        ("a", "a", Some("a")),
        ("main", "c", None),
        ("a", "c", None),
        ("c", "d", None),
    ] {
        assert_eq!(chain.ring_of(caller, side).as_deref(), expected, "{caller} asks {side}");
    }
}

#[test]
fn who_has_heard_a_question_asked_back_may_not_ask_those_who_wait_for_its_answer() {
    // The main dialog works for nobody, and yet `a` waits for its answer.
    let asked = |heard| main().asks("b", "a", 1).asks_back("a", "main", heard);
    assert_eq!(asked(Some(3)).ring_of("main", "b").as_deref(), Some("b a main"));
    assert_eq!(asked(None).ring_of("main", "b"), None, "it hears it first");
    // A newer request for the one that asks back: the question is repeated after it.
    let plain = main().asks("main", "a", 1).asks_back("a", "main", Some(3));
    assert_eq!(plain.ring_of("main", "a"), None);
}

#[test]
fn a_ring_is_found_once_and_a_question_asked_back_is_none() {
    let ring = main().asks("main", "a", 1).asks("a", "b", 1).asks("b", "c", 1).asks("c", "a", 1);
    assert_eq!(ring.rings(), ["a b c"]);
    assert_eq!(main().asks("a", "a", 1).rings(), ["a"]);
    assert!(ring.dead("b").rings().is_empty(), "a death ends it");
    let asked_back = main().asks("main", "a", 1).asks("a", "b", 1).asks_back("b", "a", Some(2));
    assert!(asked_back.rings().is_empty());
    let waits = main().asks("b", "a", 1).asks_back("a", "main", Some(3)).asks("main", "b", 3);
    assert_eq!(waits.rings(), ["a main b"]);
}

#[test]
fn a_ring_is_a_problem_that_names_its_dialogs_and_one_that_can_be_declared_dead() {
    let ring = main().asks("a", "b", 1).asks("b", "a", 1);
    let [problem] = &cycle_problems(&ring.0)[..] else { panic!("one problem") };
    assert!(problem.text.to_string().contains("@a!s -> @b!s -> @a!s"), "{}", problem.text);
    assert!(problem.fix.to_string().contains("dead 'main#a'"), "{}", problem.fix);
}

#[test]
fn who_waits_for_a_person_or_for_one_who_does_is_not_stuck() {
    let chain = || main().asks("main", "a", 1).asks("a", "b", 1);
    for (tree, expected) in [
        (chain().asks_human("b"), vec![]),
        (chain().stopped("b"), vec![]),
        (
            chain(),
            vec![
                "@a!s waits for the reply of @b!s, but it rests and will not give it",
                "@main waits for the reply of @a!s, but it waits in vain itself",
            ],
        ),
        (
            chain().dead("b"),
            vec![
                "@a!s waits for the reply of @b!s, but it is gone",
                "@main waits for the reply of @a!s, but it waits in vain itself",
            ],
        ),
        (
            main().asks("a", "b", 1).asks("b", "a", 1),
            vec![
                "@a!s waits for the reply of @b!s, but they wait for each other: @a!s -> @b!s -> @a!s",
                "@b!s waits for the reply of @a!s, but they wait for each other: @a!s -> @b!s -> @a!s",
            ],
        ),
    ] {
        assert_eq!(tree.stuck(), expected);
    }
}

#[test]
fn what_is_driven_or_goes_on_by_itself_ends_the_waits_for_it() {
    let chain = main().asks("main", "a", 1).asks("a", "b", 1);
    assert!(stuck(&chain.0, |id| id.as_str() == "b").is_empty());
    let unheard = main().asks("main", "a", 1).asks_back("a", "main", None);
    assert!(unheard.stuck().is_empty(), "the main dialog will hear it");
    let silent = main().asks("main", "a", 1).asks_back("a", "main", Some(2));
    assert_eq!(silent.stuck().len(), 2, "{:?}", silent.stuck());
}

#[test]
fn the_dead_wait_for_nothing_and_a_long_chain_is_walked_in_one_go() {
    let dead = main().asks("main", "a", 1).dead("main");
    assert!(waits(&dead.0).is_empty());
    let mut chain = main();
    for n in 0..1_000 {
        chain = chain.asks(&format!("d{n:04}"), &format!("d{:04}", n + 1), 1);
    }
    assert!(chain.rings().is_empty());
    assert_eq!(chain.stuck().len(), 1_000);
}
