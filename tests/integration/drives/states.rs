//! One function decides the state of a dialog: the commands, the screen and the files say the same.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use dominds_tui::domain::{Bucket, DialogId, DisplayState, RootId, SelfId};
use dominds_tui::llm::{Reply, Sequence};
use dominds_tui::protocol::{Command, DriverEvent};

use super::made;
use super::tellasks::session;
use crate::common::{Running, World};

const MAIN: &str = "aa/bb/00000001";
const SIDE: &str = "cc/dd/00000002";
/// Trees that are made up and left on disk.
const TREES: u64 = 100;

type States = BTreeMap<DialogId, DisplayState>;

/// Returns the states that `dialogs` and `show` print.
fn listed(world: &World) -> States {
    let of = |buckets: &[Bucket]| -> States {
        let trees = world.view().survey(buckets).trees;
        let all = trees.iter().flat_map(|tree| {
            tree.dialogs.iter().map(|d| (DialogId::side(&tree.root, &d.id), d.state.clone()))
        });
        all.collect()
    };
    let (dialogs, show) = (of(&[Bucket::Run]), of(&Bucket::ALL));
    assert_eq!(dialogs, show);
    dialogs
}

/// Returns the states last reported to the screen.
fn on_screen(running: &Running) -> States {
    let mut rows = States::new();
    for event in &running.seen {
        match event {
            DriverEvent::Rows(all) => {
                rows = all.iter().map(|row| (row.dialog.clone(), row.state.clone())).collect();
            }
            DriverEvent::Row(row) => _ = rows.insert(row.dialog.clone(), row.state.clone()),
            _ => {}
        }
    }
    rows
}

/// Returns the states in `latest.yaml`.
fn written(world: &World, of: &States) -> States {
    let state = |id: &DialogId| world.dialog(id).latest.display_state.expect("a written state");
    of.keys().map(|id| (id.clone(), state(id))).collect()
}

#[tokio::test(start_paused = true)]
async fn a_side_dialog_that_waits_for_its_asker_is_not_called_idle_by_any_of_them() {
    let back = r#"{"tellaskContent":"Small or large?"}"#;
    let models = Sequence::new()
        .reply("lead", Reply::call("c", "tellask", &session("alice", "plan", "Plan it.")))
        .reply("alice", Reply::call("b", "tellaskBack", back))
        .reply("lead", Reply::call("q", "askHuman", back));
    let (world, running, main) = World::talked(models, "Go").await;
    let states = listed(&world);
    assert_eq!(states[&made(&main, 2)].kind(), "blocked");
    assert_eq!(states, on_screen(&running));
    assert_eq!(states, written(&world, &states));
    running.shut_down().await;
    assert_eq!(listed(&world), states);
}

/// The next program would ignore the stop, since replies are awaited; the one that drives does not.
#[tokio::test(start_paused = true)]
async fn a_list_beside_a_program_that_drives_says_what_that_program_shows() {
    let models = Sequence::new()
        .reply("lead", Reply::call("c", "tellask", &session("alice", "plan", "Plan it.")))
        .reply("alice", Reply::saying("Well ").and_hang())
        .reply("lead", Reply::saying("Well ").and_hang());
    let (world, mut running, main) = World::begun(models, "Go").await;
    running.say(&main, "And?").await.expect("heard");
    running.idle().await;
    running.send(Command::Stop { dialog: main.clone() }).await;
    running.idle().await;
    let states = listed(&world);
    assert_eq!(states[&main].kind(), "stopped");
    assert_eq!(states, on_screen(&running));
    assert_eq!(states, written(&world, &states));
}

/// Random trees: whatever their files, the list says before the start what all say after it.
#[tokio::test(start_paused = true)]
async fn the_commands_the_screen_and_the_files_say_the_same_of_any_tree() {
    for seed in 0..TREES {
        let mut world = World::new(Sequence::new());
        world.setup.driving = false;
        let repairs = MadeUp(fastrand::Rng::with_seed(seed)).tree(&world);
        let before = listed(&world);
        let running = world.start().await;
        let after = listed(&world);
        assert_eq!(after, on_screen(&running), "tree {seed}: list and screen");
        running.shut_down().await;
        assert_eq!(after, written(&world, &after), "tree {seed}: list and files");
        assert_eq!(after, listed(&world), "tree {seed}: while it ran, and then");
        if !repairs {
            assert_eq!(before, after, "tree {seed}: before and after the start");
        }
    }
}

/// Writes trees of two dialogs in any state a crash or another program may leave.
struct MadeUp(fastrand::Rng);

impl MadeUp {
    /// True if the tree holds a delivery that the next start completes, so that its states change.
    fn tree(&mut self, world: &World) -> bool {
        let owes = self.0.bool();
        let (side, delivers) =
            self.course(1, &["askHuman", "tellaskBack", "read_file", "replyTellask"]);
        let prompt = format!(
            r#"{{"type":"human_text_record","genseq":1,"content":"p","msgId":"p1","grammar":"markdown","origin":"runtime","tellaskReplyDirective":{}}}"#,
            directive()
        );
        let anchor = r#"{"type":"tellask_call_anchor_record","anchorRole":"assignment","callId":"c","genseq":1}"#;
        let start = r#"{"type":"gen_start_record","genseq":1}"#;
        let side = format!("{start}\n{prompt}\n{anchor}\n{side}");
        let ask = r#"{"type":"tellask_call_record","genseq":1,"id":"c","name":"tellask","rawArgumentsText":"{\"targetAgentId\":\"alice\",\"sessionSlug\":\"s\",\"tellaskContent\":\"Plan.\"}","deliveryMode":"tellask_call_start"}"#;
        let status = r#"{"type":"func_result_record","genseq":1,"id":"c","name":"tellask","content":"waits"}"#;
        let answer = r#"{"type":"tellask_result_record","callId":"c","status":"completed","content":"x","callSiteCourse":1,"callSiteGenseq":1,"responder":{"responderId":"alice"},"callName":"tellask","call":{"tellaskContent":"Plan."}}"#;
        let (more, _) = self.course(2, &["askHuman", "read_file"]);
        let reply = if owes { String::new() } else { format!("{answer}\n") };
        let end = finish(1);
        let next = format!("{{\"type\":\"gen_start_record\",\"genseq\":2}}\n{more}");
        let next = if self.0.bool() { next } else { String::new() };
        let main = format!("{start}\n{ask}\n{status}\n{end}\n{reply}{next}");
        self.dialog(world, "", MAIN, "lead", &main, "");
        let below = format!("/sideDialogs/{SIDE}");
        self.dialog(world, &below, SIDE, "alice", &side, &frame(owes));
        delivers && owes
    }

    /// A generation that made a call, or not, and came to its end, or not.
    fn course(&mut self, genseq: u32, calls: &[&str]) -> (String, bool) {
        let mut lines = String::new();
        let name = self.0.choice(calls).copied().filter(|_| self.0.u8(..) < 170);
        let special = |name: &str| name != "read_file";
        let mut delivers = name.is_none();
        if let Some(name) = name {
            let kind = if special(name) { "tellask_call_record" } else { "func_call_record" };
            let mode = if name.starts_with("reply") {
                "func_call_requested"
            } else {
                "tellask_call_start"
            };
            let mode =
                if special(name) { format!(",\"deliveryMode\":\"{mode}\"") } else { String::new() };
            let _ = writeln!(
                lines,
                r#"{{"type":"{kind}","genseq":{genseq},"id":"x{genseq}","name":"{name}","rawArgumentsText":"{{\"tellaskContent\":\"Which?\",\"replyContent\":\"r\"}}"{mode}}}"#
            );
            delivers |= name.starts_with("reply");
            if self.0.bool() {
                let _ = writeln!(
                    lines,
                    r#"{{"type":"func_result_record","genseq":{genseq},"id":"x{genseq}","name":"{name}","content":"x"}}"#
                );
            }
        } else {
            let _ = writeln!(
                lines,
                r#"{{"type":"agent_words_record","genseq":{genseq},"content":"w"}}"#
            );
        }
        if self.0.u8(..) < 150 {
            lines.push_str(&finish(genseq));
            lines.push('\n');
        }
        (lines, delivers)
    }

    fn dialog(
        &mut self,
        world: &World,
        below: &str,
        id: &str,
        agent: &str,
        course: &str,
        stack: &str,
    ) {
        let folder = format!(".dialogs/run/{MAIN}{below}");
        let slug = if stack.is_empty() { "" } else { "sessionSlug: s\n" };
        world.put(
            &format!("{folder}/dialog.yaml"),
            &format!("id: {id}\nagentId: {agent}\ntaskDocPath: task.tsk\ncreatedAt: \"2026-11-21 11:00:00\"\n{slug}"),
        );
        world.put(&format!("{folder}/course-001.jsonl"), course);
        if !stack.is_empty() {
            world.put(&format!("{folder}/asker-stack.jsonl"), stack);
        }
        let generating = self.pick(&["", "generating: true\n", "generating: false\n"]);
        let shown = self.pick(&[
            "",
            "displayState:\n  kind: idle_waiting_user\n",
            "displayState:\n  kind: proceeding\n",
            "displayState:\n  kind: blocked\n  reason:\n    kind: needs_human_input\n",
        ]);
        let marker = self.pick(&[
            "",
            "",
            "",
            "executionMarker:\n  kind: interrupted\n  reason:\n    kind: user_stop\n",
            "executionMarker:\n  kind: interrupted\n  reason:\n    kind: system_stop\n    detail: no key\n",
        ]);
        let needs = self.pick(&["", "", "needsDrive: true\n"]);
        world.put(
            &format!("{folder}/latest.yaml"),
            &format!("currentCourse: 1\nlastModified: \"2026-11-21 11:00:00\"\nstatus: active\n{generating}{shown}{marker}{needs}"),
        );
    }

    fn pick(&mut self, texts: &[&'static str]) -> &'static str {
        self.0.choice(texts).copied().unwrap_or_default()
    }
}

fn finish(genseq: u32) -> String {
    format!(
        r#"{{"type":"gen_finish_record","genseq":{genseq},"contextHealth":{{"kind":"unavailable","reason":"usage_unavailable"}}}}"#
    )
}

fn directive() -> String {
    format!(
        r#"{{"expectedReplyCallName":"replyTellask","targetDialogId":"{MAIN}","targetCallId":"c","tellaskContent":"Plan."}}"#
    )
}

fn frame(owes: bool) -> String {
    let obligation =
        if owes { format!(",\"tellaskReplyObligation\":{}", directive()) } else { String::new() };
    format!(
        r#"{{"kind":"asker_dialog_stack_frame","askerDialogId":"{MAIN}","assignmentFromAsker":{{"callName":"tellask","mentionList":["@alice"],"tellaskContent":"Plan.","originMemberId":"lead","askerDialogId":"{MAIN}","callId":"c"}}{obligation}}}"#
    ) + "\n"
}

/// The two dialogs of a made-up tree.
#[test]
fn a_made_up_tree_holds_both_dialogs_without_a_problem() {
    let world = World::new(Sequence::new());
    MadeUp(fastrand::Rng::with_seed(7)).tree(&world);
    let root = RootId::new(MAIN);
    let survey = world.view().survey(&[Bucket::Run]);
    assert_eq!(survey.problems, []);
    let ids: Vec<DialogId> = listed(&world).into_keys().collect();
    assert_eq!(ids, [DialogId::main(root.clone()), DialogId::side(&root, &SelfId::new(SIDE))]);
}
