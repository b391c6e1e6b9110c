//! Fresh-boots reasoning: rounds without tools in a side dialog of the same member, and a conclusion.

use std::sync::Arc;

use serde_json::json;

use dominds_tui::domain::dialogs::fresh_boots::{CONCLUSION_TOOLS, FbrPhase, FbrRound};
use dominds_tui::domain::dialogs::record::Record;
use dominds_tui::domain::{DialogId, Layout};
use dominds_tui::llm::{GenStream, Message, Provider, Reply, Request, Sequence};
use dominds_tui::protocol::Command;
use dominds_tui::protocol::event::QuietOutcome;
use dominds_tui::store::RealDisk;

use super::disk::{DiskFailure, FailingDisk};
use super::{made, replies, result_of};
use crate::common::World;
use crate::common::quarter::quarter;
use crate::common::record_lines::{entries, record_lines};

/// The call that begins it.
pub fn reason(effort: Option<u32>) -> Reply {
    let arguments = match effort {
        Some(effort) => json!({ "tellaskContent": "Which name?", "effort": effort }),
        None => json!({ "tellaskContent": "Which name?" }),
    };
    Reply::call("c", "freshBootsReasoning", &arguments.to_string())
}

/// The call that ends it.
pub fn conclude(content: &str) -> Reply {
    Reply::call("f", CONCLUSION_TOOLS[0], &json!({ "content": content }).to_string())
}

/// The prompts of a dialog, in order.
fn prompts(world: &World, dialog: &DialogId) -> Vec<String> {
    let all = entries(&world.view(), dialog);
    let texts = all.iter().filter_map(|entry| match &entry.record {
        Record::HumanText(text) => Some(text.content.clone()),
        _ => None,
    });
    texts.collect()
}

fn names(request: &Request) -> Vec<&str> {
    request.tools.iter().map(|tool| tool.name.as_str()).collect()
}

#[tokio::test(start_paused = true)]
async fn f01_two_rounds_of_each_phase_without_tools_end_in_a_marked_conclusion() {
    let models = Sequence::new()
        .reply("lead", reason(Some(2)))
        .reply("lead", Reply::saying("one angle"))
        .reply("lead", Reply::saying("another"))
        .reply("lead", Reply::saying("less"))
        .reply("lead", Reply::saying("still less"))
        .reply("lead", conclude("Fresh Start."))
        .reply("lead", Reply::saying("Good."));
    let world = World::new(models);
    let mut running = world.start().await;
    let main = running.begin("Go").await.expect("a dialog");
    assert_eq!(running.quiet().await, QuietOutcome::Done);
    let side = made(&main, 2);
    let expected = [
        "start 1",
        "prompt",
        "says: one angle",
        "end 1",
        "start 2",
        "prompt",
        "says: another",
        "end 2",
        "start 3",
        "prompt",
        "says: less",
        "end 3",
        "start 4",
        "prompt",
        "says: still less",
        "end 4",
        "start 5",
        "prompt",
        "call f presentLowNoiseHighlyInformativeConclusion",
        "result f",
        "end 5",
        "responded c",
    ];
    assert_eq!(record_lines(&world.view(), &side), expected);
    let phases = [
        "divergence, round 1 of 2",
        "divergence, round 2 of 2",
        "convergence, round 1 of 2",
        "convergence, round 2 of 2",
        "conclusion, attempt 1 of 2",
    ];
    let prompted = prompts(&world, &side);
    assert_eq!(prompted.len(), phases.len());
    for (n, (prompt, phase)) in prompted.iter().zip(phases).enumerate() {
        assert!(prompt.contains(phase), "{prompt}");
        assert_eq!(prompt.contains("Which name?"), n == 0, "{prompt}");
    }
    let seen = world.models.requests();
    for request in &seen[1..5] {
        assert_eq!(names(request), Vec::<&str>::new());
        assert!(!request.system.contains("Calling tools"), "{}", request.system);
        assert!(
            matches!(&request.messages[0], Message::Environment(text) if text.contains("without tools"))
        );
        assert!(
            !request.messages.iter().any(|m| m.text().is_some_and(|t| t.contains("replyTellask")))
        );
    }
    assert_eq!(names(&seen[5]), CONCLUSION_TOOLS);
    let reply = replies(&seen[6]).concat();
    assert!(
        reply.starts_with("【FBR-Reasoning Only】\n") && reply.contains("Fresh Start."),
        "{reply}"
    );
    let side = world.dialog(&side);
    assert_eq!(side.latest.fbr_state, None);
    assert!(side.obligation().is_some(), "as Dominds leaves it");
    assert_eq!(world.state(&main), "idle_waiting_user");
}

#[tokio::test(start_paused = true)]
async fn f02_without_a_conclusion_the_asker_is_told_so_after_the_last_attempt() {
    let mut models = Sequence::new().reply("lead", reason(Some(2)));
    for _ in 0..4 {
        models = models.reply("lead", Reply::saying("hm"));
    }
    let twice = conclude("a").and_call("g", CONCLUSION_TOOLS[1], r#"{"content":"b"}"#);
    let models = models
        .reply("lead", Reply::saying("I forgot."))
        .reply("lead", twice)
        .reply("lead", Reply::saying("Then not."));
    let (world, _running, main) = World::talked(models, "Go").await;
    let side = made(&main, 2);
    assert_eq!(prompts(&world, &side).len(), 6);
    let lines = record_lines(&world.view(), &side);
    assert!(!lines.iter().any(|line| line.starts_with("call")), "{lines:?}");
    assert_eq!(world.models.remaining(), 0);
    let last = world.models.requests().pop().expect("a request");
    let reply = replies(&last).concat();
    assert!(reply.starts_with("【FBR-Reasoning Only】\n"), "{reply}");
    assert!(reply.contains("No reasonable conclusion"), "{reply}");
    assert_eq!(world.state(&side), "idle_waiting_user");
}

#[tokio::test(start_paused = true)]
async fn f03_a_call_in_a_round_without_tools_is_refused_and_the_round_counts() {
    let call = Reply::saying("I look.").and_call("t", "list_dir", r#"{"path":"."}"#);
    let models = Sequence::new()
        .reply("lead", reason(Some(1)))
        .reply("lead", call)
        .reply("lead", Reply::call("a", "askHuman", r#"{"tellaskContent":"Well?"}"#))
        .reply("lead", conclude("So."))
        .reply("lead", Reply::saying("Good."));
    let (world, running, main) = World::talked(models, "Go").await;
    assert!(running.inbox().is_empty());
    let lines = record_lines(&world.view(), &made(&main, 2));
    assert_eq!(lines[2], "says: I look.");
    for note in [&lines[3], &lines[7]] {
        assert!(note.starts_with("says: [FBR violation]"), "{lines:?}");
    }
    assert_eq!(lines.iter().filter(|line| line.starts_with("result")).count(), 1);
    let seen = world.models.requests();
    assert!(seen[2].messages.iter().any(|m| m.text().is_some_and(|t| t.contains("FBR violation"))));
    assert!(replies(&seen[4]).concat().contains("So."));
}

#[tokio::test(start_paused = true)]
async fn f04_switched_off_by_the_call_or_for_the_member_it_fails_at_once() {
    for (effort, member, expected) in [(Some(0), 3, 1), (None, 0, 1), (Some(1), 0, 2), (None, 1, 2)]
    {
        let models =
            Sequence::new().reply("lead", reason(effort)).reply("lead", Reply::saying("I see."));
        let world = World::new(models);
        let team = std::fs::read_to_string(world.path().join(".minds/team.yaml")).expect("a team");
        let own = format!("  lead:\n    fbr-effort: {member}\n");
        world.put(".minds/team.yaml", &team.replacen("  lead:\n", &own, 1));
        let mut running = world.start().await;
        let main = running.begin("Go").await.expect("a dialog");
        running.idle().await;
        assert_eq!(world.tree(&main.root).dialogs.len(), expected, "{effort:?} {member}");
        if expected == 1 {
            let lines = record_lines(&world.view(), &main);
            assert_eq!(lines[2..5], ["call c freshBootsReasoning", "closed c", "result c"]);
            assert_eq!(lines[6..], ["start 2", "says: I see.", "end 2"]);
            let seen = world.models.requests();
            assert!(result_of(&seen[1], "c").is_some_and(|text| text.contains("switched off")));
        }
    }
}

#[tokio::test(start_paused = true)]
async fn f05_a_crash_in_a_round_goes_on_in_that_round_without_a_second_prompt() {
    let models = Sequence::new()
        .reply("lead", reason(Some(2)))
        .reply("lead", Reply::saying("one angle"))
        .reply("lead", Reply::new().and_saying("an").and_hang());
    let (world, running, main) = World::begun(models, "Go").await;
    running.kill().await;
    let side = made(&main, 2);
    let prompted = prompts(&world, &side);
    assert_eq!(prompted.len(), 2);
    for reply in ["another", "less", "still less"] {
        world.models.push("lead", Reply::saying(reply));
    }
    world.models.push("lead", conclude("So."));
    world.models.push("lead", Reply::saying("Good."));
    let mut running = world.start().await;
    assert_eq!(world.state(&side), "stopped");
    assert_eq!(world.state(&main), "blocked");
    let second =
        FbrRound { effort: 2, phase: FbrPhase::Divergence, iteration: 2, prompt_delivered: true };
    let state = world.dialog(&side).latest.fbr_state.expect("a state");
    assert_eq!(state.round(), Some(second));
    running.resume(&side).await.expect("it goes on");
    assert_eq!(running.quiet().await, QuietOutcome::Done);
    assert_eq!(prompts(&world, &side).len(), 5, "each round is prompted once");
    let seen = world.models.requests();
    let last_prompt = seen[3].messages.iter().rev().find_map(|message| match message {
        Message::Prompt(text) => Some(text.clone()),
        _ => None,
    });
    assert_eq!(last_prompt, prompted.last().cloned());
    assert_eq!(world.models.remaining(), 0);
    assert_eq!(world.state(&main), "idle_waiting_user");
}

#[tokio::test(start_paused = true)]
async fn a_dialog_that_reasons_takes_no_words_and_is_over_when_it_is_over() {
    let models = Sequence::new()
        .reply("lead", reason(Some(1)))
        .reply("lead", Reply::new().and_saying("an").and_hang());
    let (world, mut running, main) = World::begun(models, "Go").await;
    let side = made(&main, 2);
    let refused = running.say(&side, "And?").await.expect_err("it takes no words");
    assert!(refused.contains("its asker"), "{refused}");
    running.send(Command::Stop { dialog: side.clone() }).await;
    running.quiet().await;
    assert_eq!(world.state(&side), "stopped");
    for reply in
        [Reply::saying("one"), Reply::saying("less"), conclude("So."), Reply::saying("Good.")]
    {
        world.models.push("lead", reply);
    }
    running.resume(&side).await.expect("it goes on");
    running.quiet().await;
    assert_eq!(prompts(&world, &side).len(), 3);
    assert!(running.resume(&side).await.is_err(), "there is nothing left to think about");
    assert_eq!(world.models.remaining(), 0);
}

#[tokio::test(start_paused = true)]
async fn the_rounds_use_the_settings_for_reasoning() {
    let models = Sequence::new().reply("lead", reason(Some(1)));
    let world = World::new(models);
    let team = std::fs::read_to_string(world.path().join(".minds/team.yaml")).expect("a team");
    let own = "  lead:\n    model_params: { openai: { temperature: 0.1 } }\n    fbr_model_params: { openai: { temperature: 0.9 } }\n";
    world.put(".minds/team.yaml", &team.replacen("  lead:\n", own, 1));
    let mut running = world.start().await;
    running.begin("Go").await.expect("a dialog");
    running.idle().await;
    let seen = world.models.requests();
    assert_eq!(seen[0].params.temperature, Some(0.1));
    assert_eq!(seen[1].params.temperature, Some(0.9));
}

#[tokio::test(start_paused = true)]
async fn a_round_that_was_forgotten_is_found_in_the_course() {
    let models = Sequence::new()
        .reply("lead", reason(Some(1)))
        .reply("lead", Reply::saying("one angle"))
        .reply("lead", Reply::new().and_saying("le").and_hang());
    let (world, running, main) = World::begun(models, "Go").await;
    running.kill().await;
    let side = made(&main, 2);
    let state = format!(".dialogs/run/{}/sideDialogs/{}/latest.yaml", main.root, side.this);
    std::fs::remove_file(world.path().join(state)).expect("a state");
    for reply in [Reply::saying("less"), conclude("So."), Reply::saying("Good.")] {
        world.models.push("lead", reply);
    }
    let mut running = world.start().await;
    running.resume(&side).await.expect("it goes on");
    assert_eq!(running.quiet().await, QuietOutcome::Done);
    assert_eq!(prompts(&world, &side).len(), 3, "each round is prompted once");
    assert_eq!(world.models.remaining(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_state_in_an_unknown_shape_is_kept_and_not_gone_on_with() {
    let models =
        Sequence::new().reply("lead", reason(Some(1))).reply("lead", Reply::new().and_hang());
    let (world, running, main) = World::begun(models, "Go").await;
    running.kill().await;
    let side = made(&main, 2);
    let path = format!(".dialogs/run/{}/sideDialogs/{}/latest.yaml", main.root, side.this);
    let state = std::fs::read_to_string(world.path().join(&path)).expect("a state");
    assert!(state.contains("kind: serial"), "{state}");
    world.put(&path, &state.replace("kind: serial", "kind: braided"));
    world.is_left_damaged();
    let mut running = world.start().await;
    running.resume(&side).await.expect("heard");
    running.quiet().await;
    assert_eq!(world.models.requests().len(), 2, "nobody was asked again");
    running.shut_down().await;
    let kept = world.dialog(&side).latest.fbr_state.expect("a state");
    assert_eq!(serde_json::to_value(kept).expect("a value")["kind"], "braided");
}

/// A model that decides by the request alone.
#[derive(Debug)]
struct Thinker;

impl Provider for Thinker {
    fn stream(&self, request: Request) -> GenStream {
        let called = request.messages.iter().any(|message| matches!(message, Message::Call { .. }));
        let reply = match names(&request).as_slice() {
            [] => Reply::saying("hm"),
            [first, ..] if *first == CONCLUSION_TOOLS[0] => conclude("So."),
            _ if called => Reply::saying("Done."),
            _ => reason(Some(1)),
        };
        Sequence::new().reply(&request.model.clone(), reply).stream(request)
    }
}

/// A dialog that reasons until the disk fails: its workspace, the dialog if it began, and the operations of the disk.
async fn reasoned(layout: Layout, failure: DiskFailure) -> (World, Option<DialogId>, usize) {
    let mut world = World::new(Sequence::new());
    world.setup.layout = Some(layout);
    world.setup.provider = Arc::new(Thinker);
    let disk = Arc::new(FailingDisk::new(failure));
    world.setup.disk = disk.clone();
    let mut begun = None;
    if let Ok(mut running) = world.try_start() {
        running.quiet().await;
        begun = running.begin("Go").await.ok();
        running.idle().await;
        running.kill().await;
    }
    world.setup.disk = Arc::new(RealDisk);
    (world, begun, disk.operations())
}

#[tokio::test(start_paused = true)]
async fn a_death_in_any_disk_operation_costs_no_round_and_repeats_no_prompt_in_both_layouts() {
    for layout in Layout::ALL {
        let (whole, begun, operations) = reasoned(layout, DiskFailure::Never).await;
        finish(&whole, &begun.expect("a dialog"), operations).await;
        assert!(operations > 40, "{layout:?}: {operations}");
        for at in quarter(0..operations) {
            let (world, begun, _) = reasoned(layout, DiskFailure::From(at)).await;
            if let Some(main) = begun {
                finish(&world, &main, at).await;
            }
        }
    }
}

async fn finish(world: &World, main: &DialogId, at: usize) {
    let mut running = world.start().await;
    for _ in 0..4 {
        for id in world.tree(&main.root).dialogs.keys() {
            let dialog = DialogId::side(&main.root, id);
            if world.dialog(&dialog).latest.interruption().is_some() {
                running.resume(&dialog).await.expect("it goes on");
                running.idle().await;
            }
        }
    }
    running.shut_down().await;
    let lines = record_lines(&world.view(), main);
    assert_eq!(lines[lines.len() - 2], "says: Done.", "{at}: {lines:?}");
    assert_eq!(lines.iter().filter(|line| *line == "answered c").count(), 1, "{at}: {lines:?}");
    for (id, dialog) in world.tree(&main.root).dialogs {
        let id = DialogId::side(&main.root, &id);
        assert_eq!(world.state(&id), "idle_waiting_user", "{at}");
        assert_eq!((dialog.latest.fbr_state.clone(), dialog.pending.len()), (None, 0), "{at}");
        let lines = record_lines(&world.view(), &id);
        let answers = lines.iter().filter(|line| *line == "responded c").count();
        if dialog.is_fresh_boots() && answers > 0 {
            assert_eq!((prompts(world, &id).len(), answers), (3, 1), "{at}: {lines:?}");
        }
    }
}
