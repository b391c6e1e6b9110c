//! Trees in the layout of Dominds 1.29, by whatever steps they came about: each step leaves files that Dominds reads, and in
//! which another reading finds nothing to put right.

use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::recent_writing::{is_whole, store};
use super::*;
use crate::domain::asking::question::{CallSite, Question};
use crate::domain::{CallId, CallType, DialogId, Genseq};

/// What can happen next. What cannot happen at that time is left out.
#[derive(Debug, Clone, Copy)]
enum Event {
    Begin,
    /// A tellask, each to a side dialog of its own.
    Tell,
    Ask,
    UseTool,
    Finish,
    /// The oldest or newest tellask is answered.
    Reply {
        newest: bool,
    },
    Answer,
    /// Another process goes on, with or without loading the tree.
    Restart {
        loads: bool,
    },
}

fn event() -> impl Strategy<Value = Event> {
    prop_oneof![
        3 => Just(Event::Begin),
        3 => Just(Event::Tell),
        1 => Just(Event::Ask),
        2 => Just(Event::UseTool),
        3 => Just(Event::Finish),
        3 => any::<bool>().prop_map(|newest| Event::Reply { newest }),
        1 => Just(Event::Answer),
        1 => any::<bool>().prop_map(|loads| Event::Restart { loads }),
    ]
}

struct Play {
    workspace: Workspace,
    /// `None` between two processes.
    store: Option<Store>,
    genseq: u32,
    open: bool,
    calls: usize,
    waits: Vec<Pending>,
    question: Option<Question>,
}

impl Play {
    fn new() -> Self {
        let workspace = Workspace::new();
        let store = store(&workspace);
        commit(&store, vec![create_main()]).unwrap();
        Self {
            workspace,
            store: Some(store),
            genseq: 0,
            open: false,
            calls: 0,
            waits: Vec::new(),
            question: None,
        }
    }

    fn commit(&self, changes: Vec<TreeChange>) {
        commit(self.store.as_ref().unwrap(), changes).unwrap();
    }

    /// A record of the main dialog in the newest generation.
    fn record(&self, kind: &str, more: &Value) -> TreeChange {
        let mut record = json!({ "ts": "t", "type": kind, "genseq": self.genseq });
        record.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        append(&main_id(), &[record.to_string().as_str()])
    }

    fn waits(&self) -> TreeChange {
        TreeChange::Pending { dialog: main_id(), pending: self.waits.clone() }
    }

    fn questions(&self) -> TreeChange {
        let questions = self.question.iter().cloned().collect();
        TreeChange::Questions { dialog: main_id(), questions }
    }

    fn new_call(&mut self) -> CallId {
        self.calls += 1;
        format!("c{}", self.calls).as_str().into()
    }

    fn happen(&mut self, event: Event) {
        match event {
            Event::Begin if !self.open => {
                (self.genseq, self.open) = (self.genseq + 1, true);
                self.commit(vec![self.record("gen_start_record", &json!({}))]);
            }
            Event::Finish if self.open => {
                self.open = false;
                self.commit(vec![self.record("gen_finish_record", &json!({}))]);
            }
            Event::Tell if self.open => self.tell(),
            Event::Ask if self.open && self.question.is_none() => self.ask(),
            Event::UseTool if self.open => {
                let call = self.new_call();
                let name = "query_team";
                let called = json!({ "id": call, "name": name, "rawArgumentsText": "{}" });
                let result = json!({ "id": call, "name": name, "content": "none" });
                self.commit(vec![
                    self.record("func_call_record", &called),
                    self.record("func_result_record", &result),
                ]);
            }
            Event::Reply { newest } if !self.waits.is_empty() => {
                let at = if newest { self.waits.len() - 1 } else { 0 };
                let replied = self.waits.remove(at);
                let result = Self::result(&replied.call_id, &replied.call_name);
                self.commit(vec![result, self.waits()]);
            }
            Event::Answer => {
                let Some(question) = self.question.take() else { return };
                let result = Self::result(&question.call_id, "askHuman");
                self.commit(vec![result, self.questions()]);
            }
            Event::Restart { loads } => self.restart(loads),
            Event::Begin
            | Event::Tell
            | Event::Ask
            | Event::UseTool
            | Event::Finish
            | Event::Reply { .. } => {}
        }
    }

    fn called(&self, call: &CallId, name: &str) -> TreeChange {
        let call = json!({
            "id": call, "name": name, "rawArgumentsText": "{\"tellaskContent\":\"Do it.\"}",
            "deliveryMode": "tellask_call_start",
        });
        self.record("tellask_call_record", &call)
    }

    /// Stands in no generation.
    fn result(call: &CallId, name: &str) -> TreeChange {
        let result = json!({
            "ts": "t", "type": "tellask_result_record", "callId": call, "callName": name, "status": "completed",
            "content": "done", "responder": { "responderId": "dev" }, "call": { "tellaskContent": "Do it." },
        });
        append(&main_id(), &[result.to_string().as_str()])
    }

    fn tell(&mut self) {
        let call = self.new_call();
        let side = SelfId::new(format!("cc/dd/{:08}", self.calls + 1));
        let name = "tellaskSessionless";
        let assigned =
            Assignment { call_name: name.to_owned(), call_id: call.clone(), ..assignment() };
        let made = TreeChange::Create {
            meta: meta(&side, "dev", None),
            latest: latest(),
            stack: vec![AssignmentFrame::owing(assigned, "replyTellaskSessionless")],
        };
        self.waits.push(Pending {
            side_dialog_id: side,
            call_name: name.to_owned(),
            call_id: call.clone(),
            call_site_genseq: Genseq(self.genseq),
            call_type: CallType::C,
            session_slug: None,
            ..waiting()
        });
        self.commit(vec![made, self.called(&call, name), self.waits()]);
    }

    fn ask(&mut self) {
        let call = self.new_call();
        let site = CallSite {
            course: Course::FIRST,
            message_index: 0,
            call_site_genseq: Some(Genseq(self.genseq)),
            extra: Map::new(),
        };
        let main = DialogId::main(root());
        self.question = Some(Question::new(&main, &call, "Do it.", Stamp::new("t"), site));
        self.commit(vec![self.called(&call, "askHuman"), self.questions()]);
    }

    fn restart(&mut self, loads: bool) {
        self.store = None;
        let store = store(&self.workspace);
        if loads {
            let loaded = store.load(run(), &root()).unwrap();
            commit(&store, loaded.repairs).unwrap();
        }
        self.store = Some(store);
    }

    /// What Dominds demands of the files, and what they say of the work that is left.
    fn check(&self) {
        is_whole(&self.workspace);
        let found = self.workspace.view().examine();
        let damage = found.iter().find(|problem| problem.id.starts_with("store/damaged"));
        assert!(damage.is_none(), "{damage:?}");
        let (loaded, _) = self.workspace.view().load_to_show(run(), &root()).unwrap();
        let main = loaded.tree.main().unwrap();
        assert_eq!(main.pending, self.waits);
        let part = main.recent.as_ref().unwrap();
        let asked = part.state.user_wait.as_ref().map(|wait| &wait.call_id);
        assert_eq!(asked, self.question.as_ref().map(|question| &question.call_id));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]
    #[test]
    fn every_step_leaves_files_in_which_nothing_is_to_be_put_right(
        events in proptest::collection::vec(event(), 1..20),
    ) {
        let mut play = Play::new();
        for event in events {
            play.happen(event);
            play.check();
        }
    }
}
