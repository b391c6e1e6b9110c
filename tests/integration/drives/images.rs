//! Images: those a tool gives, and those that came with somebody's words.

use std::path::PathBuf;
use std::sync::Arc;

use dominds_tui::domain::dialogs::record::Record;
use dominds_tui::domain::{Bucket, Course, DialogId, Genseq};
use dominds_tui::llm::{Message, MessageImage, Reply, Request, Sequence};
use dominds_tui::protocol::{ForkMode, Lifecycle};
use dominds_tui::tools::{Registry, ToolOutcome, typed};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::disk::{DiskFailure, FailingDisk};
use super::lifecycle::contents;
use crate::common::World;
use crate::common::record_lines::entries;

const PNG: &[u8] = b"\x89PNG\r\n\x1a\nsome bytes";

/// Arguments of a tool that returns an image, or many and an invalid one.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct CameraArgs {
    many: Option<bool>,
}

fn camera(args: &CameraArgs) -> ToolOutcome {
    let image = |bytes: &[u8]| dominds_tui::tools::ToolImage {
        media_type: "image/png",
        bytes: Arc::from(bytes),
    };
    let mut images = vec![image(PNG)];
    if args.many == Some(true) {
        images = vec![image(PNG); 11];
        images.push(image(b"no image"));
    }
    ToolOutcome { images, ..ToolOutcome::done("Click.") }
}

fn world(models: Sequence) -> World {
    let camera = typed::instant("camera", |_| "Takes photos.", |_, args| camera(args));
    let mut tools = Registry::builtin();
    tools.add("ws_mod", camera).expect("a free name");
    let mut world = World::new(models);
    world.setup.tools = tools;
    world
}

fn shot(arguments: &str) -> Reply {
    Reply::call("c", "camera", arguments)
}

fn folder(world: &World, dialog: &DialogId) -> PathBuf {
    world.path().join(".dialogs/run").join(dialog.root.as_str())
}

/// The items that the first record with any has.
fn items(world: &World, dialog: &DialogId) -> Value {
    let items = entries(&world.view(), dialog).into_iter().find_map(|entry| match entry.record {
        Record::FuncResult(result) => result.content_items,
        _ => None,
    });
    items.expect("a record with items")
}

/// Returns the images of the call in a request: sizes, and notes in place of the others.
fn seen(request: &Request) -> Vec<String> {
    let images = request.messages.iter().flat_map(|message| match message {
        Message::Result { images, .. } | Message::Images(images) => images.clone(),
        _ => Vec::new(),
    });
    let name = |image| match image {
        MessageImage::Data { media_type, bytes } => format!("{media_type} {}", bytes.len()),
        MessageImage::Note(text) => text,
    };
    images.map(name).collect()
}

fn last(world: &World) -> Vec<String> {
    seen(world.models.requests().last().expect("a request"))
}

#[tokio::test(start_paused = true)]
async fn an_image_of_a_tool_is_kept_named_by_its_result_and_seen_by_the_model() {
    let mut models = Sequence::new().reply("lead", shot("{}"));
    for text in ["I see it.", "Still.", "And here.", "Archived and back."] {
        models = models.reply("lead", Reply::saying(text));
    }
    let world = world(models);
    let mut running = world.start().await;
    let dialog = running.talk("Look").await;
    let shown = [format!("image/png {}", PNG.len())];
    assert_eq!(last(&world), shown);
    let attached = items(&world, &dialog);
    let artifact = &attached[0]["artifact"];
    assert_eq!(attached[0]["type"], "input_image");
    assert_eq!(
        (&attached[0]["mimeType"], &attached[0]["byteLength"]),
        (&json!("image/png"), &json!(18))
    );
    assert_eq!(artifact["rootId"], json!(dialog.root));
    assert_eq!(
        (&artifact["selfId"], &artifact["status"]),
        (&json!(dialog.this), &json!("running"))
    );
    let path = artifact["relPath"].as_str().expect("a path");
    assert!(path.starts_with("artifacts/workspace/camera/"), "{path}");
    assert_eq!(std::fs::read(folder(&world, &dialog).join(path)).expect("a file"), PNG);
    running.shut_down().await;

    let mut running = world.start().await;
    running.say(&dialog, "Again").await.expect("heard");
    running.quiet().await;
    assert_eq!(last(&world), shown, "after a restart");
    let (root, course, genseq) = (dialog.root.clone(), Course(1), Genseq(2));
    let then = ForkMode::Stay;
    let fork = running.change(Lifecycle::Fork { root, course, genseq, then }).await;
    let fork = fork.expect("a fork");
    let copy = folder(&world, &fork)
        .join(items(&world, &fork)[0]["artifact"]["relPath"].as_str().expect("a path"));
    assert_eq!(items(&world, &fork)[0]["artifact"]["rootId"], json!(fork.root));
    assert_eq!(std::fs::read(copy).expect("a copy"), PNG);
    std::fs::remove_dir_all(folder(&world, &dialog).join("artifacts")).expect("removed");
    running.resume(&fork).await.expect("it goes on");
    running.quiet().await;
    assert_eq!(last(&world), shown, "a fork has its own");
    for to in [Bucket::Archive, Bucket::Run] {
        let root = fork.root.clone();
        running.change(Lifecycle::Move { root, to }).await.expect("moved");
    }
    running.say(&fork, "And now?").await.expect("heard");
    running.quiet().await;
    assert_eq!(last(&world), shown, "moves take it along");
    running.shut_down().await;
}

#[tokio::test(start_paused = true)]
async fn what_is_too_large_or_no_image_is_not_kept_and_the_model_is_told() {
    let models =
        Sequence::new().reply("lead", shot(r#"{"many":true}"#)).reply("lead", Reply::saying("Ah."));
    let world = world(models);
    let mut running = world.start().await;
    let dialog = running.talk("Look").await;
    assert_eq!(last(&world).len(), 10);
    assert_eq!(items(&world, &dialog).as_array().map(Vec::len), Some(10));
    let request = world.models.requests().pop().expect("a request");
    let result = super::result_of(&request, "c").expect("a result");
    assert!(result.contains("2 more"), "{result}");
}

#[tokio::test(start_paused = true)]
async fn a_model_that_cannot_see_is_told_of_an_image() {
    let models = Sequence::new().reply("lead", shot("{}")).reply("lead", Reply::saying("Ah."));
    let world = world(models);
    let llm = std::fs::read_to_string(world.path().join(".minds/llm.yaml")).expect("models");
    let blind = llm.replace("name: lead\n", "name: lead\n        supports_image_input: false\n");
    world.put(".minds/llm.yaml", &blind);
    let mut running = world.start().await;
    running.talk("Look").await;
    let sent = last(&world);
    assert!(sent.len() == 1 && sent[0].contains("cannot look at images"), "{sent:?}");
}

#[tokio::test(start_paused = true)]
async fn a_model_of_chat_completions_is_sent_images_only_where_its_settings_say_so() {
    for (protocol, setting, sees) in [
        ("openai-compatible", "", false),
        ("openai-compatible", "        supports_image_input: true\n", true),
        ("openai", "", true),
        ("anthropic", "", true),
    ] {
        let models = Sequence::new().reply("lead", shot("{}")).reply("lead", Reply::saying("Ah."));
        let world = world(models);
        let llm = std::fs::read_to_string(world.path().join(".minds/llm.yaml")).expect("models");
        let address = format!("apiType: {protocol}\n    baseUrl: http://127.0.0.1:9/v1\n");
        let llm = llm.replace("apiType: mock\n    baseUrl: none\n", &address);
        world.put(
            ".minds/llm.yaml",
            &llm.replace("name: lead\n", &format!("name: lead\n{setting}")),
        );
        let mut running = world.start().await;
        running.talk("Look").await;
        let sent = last(&world);
        let shown = sent == [format!("image/png {}", PNG.len())];
        assert_eq!(shown, sees, "{protocol} {setting}: {sent:?}");
        running.shut_down().await;
    }
}

#[tokio::test(start_paused = true)]
async fn d09_what_a_person_attached_is_seen_within_the_limits_and_from_nowhere_else() {
    let models =
        Sequence::new().reply("lead", Reply::saying("Hi.")).reply("lead", Reply::saying("I see."));
    let world = world(models);
    let running = {
        let mut running = world.start().await;
        running.talk("Hello").await;
        running
    };
    let dialog = running.seen.iter().find_map(|event| match event {
        dominds_tui::protocol::DriverEvent::Row(row) => Some(row.dialog.clone()),
        _ => None,
    });
    let dialog = dialog.expect("a dialog");
    running.shut_down().await;
    let folder = folder(&world, &dialog);
    let attached = folder.join("artifacts/user-input/m9");
    std::fs::create_dir_all(&attached).expect("a folder");
    std::fs::write(attached.join("00-a.png"), PNG).expect("an image");
    std::fs::write(attached.join("01-b.png"), vec![0; 10 * 1024 * 1024 + 1]).expect("a file");
    std::os::unix::fs::symlink(world.path().join("task.tsk/goals.md"), attached.join("link.png"))
        .expect("a link");
    let item = |path: &str| {
        json!({"type": "input_image", "mimeType": "image/png", "byteLength": 18, "artifact": {
            "rootId": dialog.root, "selfId": dialog.this, "status": "running", "relPath": path}})
    };
    let inside = |name: &str| item(&format!("artifacts/user-input/m9/{name}"));
    let mut items =
        vec![inside("01-b.png"), inside("link.png"), item("../../../task.tsk/goals.md")];
    items.extend(vec![inside("00-a.png"); 8]);
    let words = json!({"ts": "2026-11-21 12:00:00", "type": "human_text_record", "genseq": 1,
        "content": "See these", "msgId": "m9", "grammar": "markdown", "origin": "user",
        "contentItems": items, "rootCourse": 1, "rootGenseq": 1});
    let course = folder.join("course-001.jsonl");
    let text = std::fs::read_to_string(&course).expect("a course");
    std::fs::write(&course, format!("{text}{words}\n")).expect("written");

    let mut running = world.start().await;
    running.say(&dialog, "What do you see?").await.expect("heard");
    running.quiet().await;
    let sent = last(&world);
    assert_eq!(sent.len(), 11, "{sent:?}");
    assert!(sent[0].contains("too large"), "{sent:?}");
    assert!(sent[1].contains("not there") && sent[2].contains("not there"), "{sent:?}");
    assert!(sent[3..10].iter().all(|text| *text == format!("image/png {}", PNG.len())));
    assert!(sent[10].contains("room"), "an eleventh: {sent:?}");
    let requests = world.models.requests();
    let messages = &requests.last().expect("a request").messages;
    let at = messages.iter().position(|m| *m == Message::Prompt("See these".to_owned()));
    assert!(matches!(messages[at.expect("the words") + 1], Message::Images(_)));
    running.shut_down().await;
}

#[tokio::test(start_paused = true)]
async fn a_result_whose_image_cannot_be_written_is_not_recorded_either() {
    for (failure, kept) in
        [(DiskFailure::Never, true), (DiskFailure::Before("func_result_record"), false)]
    {
        let models = Sequence::new().reply("lead", shot("{}")).reply("lead", Reply::saying("Ah."));
        let mut world = world(models);
        world.setup.disk = Arc::new(FailingDisk::new(failure));
        let mut running = world.start().await;
        let dialog = running.talk("Look").await;
        running.kill().await;
        let artifacts = folder(&world, &dialog).join("artifacts");
        assert_eq!(contents(&artifacts).len(), 1, "it stands before its record");
        let records = entries(&world.view(), &dialog);
        let result = records.iter().any(|entry| matches!(entry.record, Record::FuncResult(_)));
        assert_eq!(result, kept);
    }
}
