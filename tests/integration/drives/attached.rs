//! Images that a person attaches: kept as a private copy, sent with a message or an answer, taken back, forked.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use dominds_tui::domain::dialogs::record::Record;
use dominds_tui::domain::{Course, DialogId, Genseq};
use dominds_tui::llm::{Message, MessageImage, Reply, Sequence};
use dominds_tui::protocol::{
    AfterFork, AttachedImage, Command, DriverEvent, ForkMode, ImageOrigin, ImageSource,
    ImageSupport, Lifecycle,
};
use serde_json::{Value, json};

use super::disk::{DiskFailure, FailingDisk};
use super::lifecycle::contents;
use crate::common::record_lines::entries;
use crate::common::{Running, World};

const KEEP_TICKET: u64 = 9_000;
const PNG: &[u8] = b"\x89PNG\r\n\x1a\nsome bytes";

impl Running {
    /// Asks for a copy of an image, and waits for it.
    async fn keep(&mut self, path: &str) -> Result<AttachedImage, String> {
        self.keep_of(ImageOrigin::File(path.to_owned())).await
    }

    async fn keep_of(&mut self, origin: ImageOrigin) -> Result<AttachedImage, String> {
        let mine = KEEP_TICKET;
        self.send(Command::KeepImage { ticket: mine, origin }).await;
        loop {
            match self.event().await {
                DriverEvent::ImageKept { ticket, image } if ticket == mine => return Ok(*image),
                DriverEvent::Refused { ticket, text } if ticket == mine => {
                    return Err(text.to_string());
                }
                _ => {}
            }
        }
    }

    async fn show(&mut self, dialog: &DialogId, images: &[AttachedImage]) -> Result<(), String> {
        let (dialog, images) = (dialog.clone(), images.to_vec());
        let text = "Look: [image shot.png]".to_owned();
        self.ask(|ticket| Command::Say { ticket, dialog, text, images }).await.map(drop)
    }
}

/// A world with a picture, the person's dialog in it, and a copy of the picture.
async fn pictured(models: Sequence) -> (World, Running, DialogId, AttachedImage) {
    let world = World::new(models);
    let mut running = world.start().await;
    let dialog = running.talk("Hello").await;
    std::fs::write(world.path().join("shot.png"), PNG).expect("a picture");
    let image = running.keep("shot.png").await.expect("kept");
    (world, running, dialog, image)
}

fn folder(world: &World, dialog: &DialogId) -> PathBuf {
    world.path().join(".dialogs/run").join(dialog.root.as_str())
}

/// The items of the messages of the person that have any.
fn items(world: &World, dialog: &DialogId) -> Vec<Value> {
    let all = entries(&world.view(), dialog).into_iter();
    let items = all.filter_map(|entry| match entry.record {
        Record::HumanText(text) => text.content_items,
        Record::TellaskResult(reply) => reply.content_items,
        _ => None,
    });
    items.collect()
}

/// Sizes of the images in the last request, and notes in place of the others.
fn seen(world: &World) -> Vec<String> {
    let requests = world.models.requests();
    let images =
        requests.last().expect("a request").messages.iter().flat_map(|message| match message {
            Message::Images(images) => images.clone(),
            _ => Vec::new(),
        });
    let name = |image| match image {
        MessageImage::Data { media_type, bytes } => format!("{media_type} {}", bytes.len()),
        MessageImage::Note(text) => text,
    };
    images.map(name).collect()
}

fn slow(text: &str) -> Reply {
    Reply::saying(text).and_wait(Duration::from_mins(1))
}

#[tokio::test(start_paused = true)]
async fn an_attached_image_is_on_disk_as_dominds_writes_it_and_seen_by_the_model() {
    let models = Sequence::new()
        .reply("lead", Reply::saying("Hi."))
        .reply("lead", Reply::saying("A picture."))
        .reply("lead", Reply::saying("Still."));
    let (world, mut running, dialog, image) = pictured(models).await;
    assert_eq!((image.name.as_str(), image.bytes), ("shot.png", 18));
    // The image is sent as it was when it was attached.
    std::fs::remove_file(world.path().join("shot.png")).expect("removed");
    running.show(&dialog, std::slice::from_ref(&image)).await.expect("heard");
    running.quiet().await;
    let sent = [format!("image/png {}", PNG.len())];
    assert_eq!(seen(&world), sent);
    let items = items(&world, &dialog).remove(0);
    let path = items[0]["artifact"]["relPath"].as_str().expect("a path").to_owned();
    assert_eq!(
        items,
        json!([{"type": "input_image", "mimeType": "image/png", "byteLength": 18, "artifact": {
            "rootId": dialog.root, "selfId": dialog.this, "status": "running", "relPath": path}}])
    );
    let parts: Vec<&str> = path.split('/').collect();
    let [artifacts, input, message, file] = parts.as_slice() else { panic!("{path}") };
    assert_eq!((*artifacts, *input), ("artifacts", "user-input"));
    assert!(entries(&world.view(), &dialog).iter().any(|entry| matches!(
        &entry.record,
        Record::HumanText(text) if text.msg_id.as_str() == *message
    )));
    let uuid = file.strip_prefix("01-").and_then(|file| file.strip_suffix(".png"));
    assert_eq!(uuid.map(str::len), Some(36), "{file}");
    assert_eq!(std::fs::read(folder(&world, &dialog).join(&path)).expect("a file"), PNG);
    running.shut_down().await;
    let mut running = world.start().await;
    running.say(&dialog, "And now?").await.expect("heard");
    running.quiet().await;
    assert_eq!(seen(&world), sent, "after a restart");
    running.shut_down().await;
}

#[tokio::test(start_paused = true)]
async fn a_queued_message_keeps_its_images_over_a_restart_and_gives_them_back() {
    let models = Sequence::new()
        .reply("lead", Reply::new().and_hang())
        .reply("lead", Reply::saying("I see."));
    let (world, mut running, dialog) = World::begun(models, "Hello").await;
    std::fs::write(world.path().join("shot.png"), PNG).expect("a picture");
    let image = running.keep("shot.png").await.expect("kept");
    running.show(&dialog, &[image.clone(), image.clone()]).await.expect("heard");
    running.send(Command::Stop { dialog: dialog.clone() }).await;
    running.quiet().await;
    running.shut_down().await;
    std::fs::remove_dir_all(world.path().join(".dialogs/.tui/images")).expect("removed");
    let mut running = world.start().await;
    running.idle().await;
    let queued = running.seen.iter().rev().find_map(|event| match event {
        DriverEvent::Row(row) if row.dialog == dialog => row.queued.first().cloned(),
        DriverEvent::Rows(rows) => rows.iter().find_map(|row| row.queued.first().cloned()),
        _ => None,
    });
    let queued = queued.expect("a message waits");
    assert_eq!(queued.images.len(), 2);
    assert!(matches!(&queued.images[0].source, ImageSource::Artifact(of) if of.dialog == dialog));
    let (of, message) = (dialog.clone(), queued.message.clone());
    let taken = running.ask(|ticket| Command::TakeBack { ticket, dialog: of, message }).await;
    taken.expect("it still waits");
    assert_eq!(items(&world, &dialog), Vec::<Value>::new());
    running.show(&dialog, &queued.images[..1]).await.expect("sent again");
    running.quiet().await;
    assert_eq!(seen(&world), [format!("image/png {}", PNG.len())]);
    running.shut_down().await;
}

#[tokio::test(start_paused = true)]
async fn a_fork_has_the_images_of_its_records_and_of_the_message_that_is_a_draft_again() {
    let mut models = Sequence::new();
    for text in ["Hi.", "One.", "Two.", "Forked."] {
        models = models.reply("lead", Reply::saying(text));
    }
    let (world, mut running, dialog, image) = pictured(models).await;
    for _ in 0..2 {
        running.show(&dialog, std::slice::from_ref(&image)).await.expect("heard");
        running.quiet().await;
    }
    let root = dialog.root.clone();
    let (course, genseq, then) = (Course(1), Genseq(3), ForkMode::Stay);
    let fork = running.change(Lifecycle::Fork { root, course, genseq, then }).await;
    let fork = fork.expect("a fork");
    let AfterFork::DraftUserText { text, images } = running.after_fork() else { panic!("a draft") };
    assert_eq!((text.as_str(), images.len()), ("Look: [image shot.png]", 1));
    assert_eq!(images[0].name, "shot.png");
    assert_eq!(contents(&folder(&world, &fork).join("artifacts/user-input")).len(), 2);
    running.change(Lifecycle::Delete { root: dialog.root.clone() }).await.expect("deleted");
    running.show(&fork, &images).await.expect("sent");
    running.quiet().await;
    let one = format!("image/png {}", PNG.len());
    assert_eq!(seen(&world), [one.clone(), one]);
    running.shut_down().await;
}

#[tokio::test(start_paused = true)]
async fn an_answer_has_its_images() {
    let ask = |id: &str| Reply::call(id, "askHuman", r#"{"tellaskContent":"Which?"}"#);
    let models = Sequence::new().reply("lead", ask("q")).reply("lead", Reply::saying("That one."));
    let (world, mut running, dialog, image) = pictured(models).await;
    let question = running.inbox().remove(0).question.id;
    let (of, text, images) = (dialog.clone(), "[image shot.png]".to_owned(), vec![image]);
    let answered =
        running.ask(|ticket| Command::Answer { ticket, dialog: of, question, text, images }).await;
    answered.expect("answered");
    running.quiet().await;
    assert_eq!(items(&world, &dialog).len(), 1);
    assert_eq!(seen(&world), [format!("image/png {}", PNG.len())]);
    running.shut_down().await;
}

#[tokio::test(start_paused = true)]
async fn what_cannot_be_attached_says_why_and_leaves_nothing() {
    let world = World::new(Sequence::new().reply("lead", Reply::saying("Hi.")));
    let mut running = world.start().await;
    let dialog = running.talk("Hello").await;
    let place = |name: &str| world.path().join(name);
    std::fs::write(place("text.png"), "no picture").expect("a file");
    std::fs::write(place("real.png"), PNG).expect("a file");
    std::fs::create_dir(place("folder.png")).expect("a folder");
    std::os::unix::fs::symlink(place("real.png"), place("link.png")).expect("a link");
    std::os::unix::fs::symlink("/dev", place("away")).expect("a link");
    let mut large = PNG.to_vec();
    large.resize(10 * 1024 * 1024 + 1, 0);
    std::fs::write(place("large.png"), large).expect("a file");
    for (path, why) in [
        ("none.png", "there is no file"),
        ("real.png/x.png", "there is no file"),
        ("text.png", "is no PNG"),
        ("folder.png", "a folder"),
        ("link.png", "a symbolic link"),
        ("/dev/zero", "not a regular file"),
        ("away/x.png", "leads out of the workspace"),
        ("large.png", "10 MB"),
        ("", ""),
    ] {
        let refused = running.keep(path).await.expect_err(path);
        assert!(refused.contains("not attached") && refused.contains(why), "{path}: {refused}");
    }
    let refused = running.keep_of(ImageOrigin::Clipboard(Arc::from(b"text".as_slice()))).await;
    assert!(refused.expect_err("no image").contains("clipboard is no PNG"));
    assert!(!place(".dialogs/.tui/images").exists());
    let taken = running.keep_of(ImageOrigin::Clipboard(Arc::from(PNG))).await.expect("kept");
    assert_eq!((taken.name.as_str(), taken.bytes), ("clipboard.png", 18));
    let image = |name: &str| AttachedImage {
        name: "gone.png".to_owned(),
        bytes: 1,
        source: ImageSource::Copy(name.to_owned()),
    };
    for name in ["none.png", "../drafts.json", "../../../real.png", "/etc/passwd", ""] {
        let refused = running.show(&dialog, &[image(name)]).await.expect_err(name);
        assert!(refused.contains("gone.png is gone"), "{name}: {refused}");
    }
    let refused = running.show(&dialog, &vec![image("x"); 11]).await.expect_err("too many");
    assert!(refused.contains("10 images"), "{refused}");
    let all = entries(&world.view(), &dialog);
    let said = all.iter().filter(|entry| matches!(entry.record, Record::HumanText(_))).count();
    assert_eq!(said, 1);
    running.shut_down().await;
}

#[tokio::test(start_paused = true)]
async fn a_kill_between_the_image_and_the_message_leaves_no_half_message() {
    for (failure, queued) in [(DiskFailure::Never, true), (DiskFailure::Before("shot.png]"), false)]
    {
        let models = Sequence::new().reply("lead", slow("Hi."));
        let mut world = World::new(models);
        world.setup.disk = Arc::new(FailingDisk::new(failure));
        std::fs::write(world.path().join("shot.png"), PNG).expect("a picture");
        let mut running = world.start().await;
        let dialog = running.begin("Hello").await.expect("a dialog");
        running.idle().await;
        let image = running.keep("shot.png").await.expect("kept");
        assert_eq!(running.show(&dialog, &[image]).await.is_ok(), queued);
        running.kill().await;
        let folder_of_queue = world.path().join(".dialogs/.tui/queue");
        let is_queue =
            |(path, _): &(PathBuf, Vec<u8>)| path.extension().is_some_and(|e| e == "json");
        let waits = folder_of_queue.exists() && contents(&folder_of_queue).iter().any(is_queue);
        assert_eq!(waits, queued);
        let artifacts = folder(&world, &dialog).join("artifacts");
        assert!(artifacts.exists() || !queued, "the image stands before its message");
    }
}

#[tokio::test(start_paused = true)]
async fn the_screen_knows_which_members_read_images() {
    let world = World::new(Sequence::new());
    let llm = std::fs::read_to_string(world.path().join(".minds/llm.yaml")).expect("models");
    let read = ImageSupport::Read { most_bytes: 10 * 1024 * 1024 };
    for (setting, expected) in [("true", read), ("false", ImageSupport::NotRead)] {
        let setting = format!("name: lead\n        supports_image_input: {setting}\n");
        world.put(".minds/llm.yaml", &llm.replace("name: lead\n", &setting));
        let mut running = world.start().await;
        running.idle().await;
        let members = running.seen.iter().rev().find_map(|event| match event {
            DriverEvent::Workspace(workspace) => Some(workspace.members.clone()),
            _ => None,
        });
        let members = members.expect("the workspace");
        let lead = members.iter().find(|member| member.id.as_str() == "lead").expect("lead");
        assert_eq!(lead.images, expected);
        running.shut_down().await;
    }
}
