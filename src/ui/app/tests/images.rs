//! Images from a path to the message: dropped, completed, read, refused, sent, taken back.

use std::sync::Arc;

use super::fixture::*;
use super::queued;
use crate::app::Effect;
use crate::copies::CopyOutcome;
use crate::domain::text::Localized;
use crate::domain::{ArtifactRef, Lang, ModelChoice};
use crate::model::DraftImage;
use crate::programs::{ProgramJob, ProgramOutcome};
use crate::protocol::event::QueuedMessage;
use crate::protocol::{
    AfterFork, AttachedImage, Command, DriverEvent, ImageOrigin, ImageSource, ImageSupport,
    ModelView, Ticket, TreeRow,
};
use crate::theme::Glyphs;

const SHOT: &str = "/home/u/my shot.png";

fn kept(name: &str) -> AttachedImage {
    let source = ImageSource::Copy(format!("{name}.copy"));
    AttachedImage { name: name.to_owned(), bytes: 120_000, source }
}

/// The copies that were asked for.
fn asked(stage: &Stage) -> Vec<(Ticket, &str)> {
    let asked = stage.sent.iter().filter_map(|command| {
        let Command::KeepImage { ticket, origin } = command else { return None };
        Some(match origin {
            ImageOrigin::File(path) => (*ticket, path.as_str()),
            ImageOrigin::Clipboard(_) => (*ticket, "the clipboard"),
        })
    });
    asked.collect()
}

fn says(stage: &Stage) -> Vec<(Ticket, &str, &[AttachedImage])> {
    let sent = stage.sent.iter().filter_map(|command| {
        let Command::Say { ticket, text, images, .. } = command else { return None };
        Some((*ticket, text.as_str(), images.as_slice()))
    });
    sent.collect()
}

/// The composer has the focus.
fn stage(width: u16, height: u16) -> Stage {
    let mut stage = streaming(width, height);
    stage.apply(DriverEvent::Workspace(workspace()));
    stage.keys("i");
    stage
}

fn paste(stage: &mut Stage, text: &str) {
    let commands = stage.app.paste(text);
    stage.sent.extend(commands);
}

fn read(stage: &mut Stage, at: usize, name: &str) {
    let ticket = asked(stage)[at].0;
    stage.apply(DriverEvent::ImageKept { ticket, image: Box::new(kept(name)) });
}

#[test]
fn a_dropped_image_is_a_chip_at_every_size_and_goes_out_with_the_message() {
    for (width, height) in [(120, 40), (80, 24), (60, 20), (40, 12)] {
        let mut stage = stage(width, height);
        stage.type_text("see ");
        paste(&mut stage, "'/home/u/my shot.png'\r\n");
        assert_eq!(asked(&stage).len(), 1);
        assert_eq!(asked(&stage)[0].1, SHOT);
        assert!(stage.screen().contains("[image my shot.png …]"), "{}", stage.screen());
        stage.keys("<enter>");
        assert!(says(&stage).is_empty() && stage.screen().contains("not sent"));
        read(&mut stage, 0, "my shot.png");
        assert!(stage.screen().contains("see [image my shot.png 120.0 KB]"), "{}", stage.screen());
        stage.keys("<enter>");
        let (ticket, text, images) = says(&stage)[0];
        assert_eq!((text.trim(), images), ("see [image my shot.png]", &[kept("my shot.png")][..]));
        assert!(stage.composer_text().is_empty());
        stage.apply(DriverEvent::Refused { ticket, text: Localized::same("it is gone") });
        assert!(stage.screen().contains("[image my shot.png 120.0 KB]"), "{}", stage.screen());
    }
}

#[test]
fn an_image_that_cannot_be_read_is_its_path_again_and_says_why() {
    let mut stage = stage(80, 24);
    paste(&mut stage, SHOT);
    let ticket = asked(&stage)[0].0;
    stage.type_text("!");
    stage
        .apply(DriverEvent::Refused { ticket, text: Localized::same("there is no\u{1b}[2J file") });
    let screen = stage.screen();
    assert!(
        screen.contains("there is no") && screen.contains("\"/home/u/my shot.png\" !"),
        "{screen}"
    );
    stage.keys("<enter>");
    assert_eq!(says(&stage)[0].2, []);
}

#[test]
fn an_image_is_removed_with_one_key_and_its_path_is_shown_with_another() {
    let mut stage = stage(80, 24);
    paste(&mut stage, SHOT);
    read(&mut stage, 0, "my shot.png");
    stage.keys("<alt+o>");
    assert!(stage.screen().contains("› \"/home/u/my shot.png\""), "{}", stage.screen());
    stage.keys("<alt+u>");
    assert!(stage.screen().contains("[image my shot.png 120.0 KB]"), "{}", stage.screen());
    stage.keys("<backspace> <backspace>");
    assert!(!stage.screen().contains("[image"));
    stage.type_text("no image");
    stage.keys("<enter>");
    assert_eq!((says(&stage)[0].1.trim(), says(&stage)[0].2), ("no image", &[][..]));
}

#[test]
fn text_that_only_looks_like_an_image_attaches_nothing() {
    let token = DraftImage::new(kept("evil.png"), Lang::En, "").token();
    for text in ["see /home/u/a.png", "[image a.png]", "a.png", token.as_str(), "https://x.y/a.png"]
    {
        let mut stage = stage(80, 24);
        paste(&mut stage, text);
        stage.keys("<enter>");
        assert_eq!((asked(&stage), says(&stage)[0].2), (Vec::new(), &[][..]), "{text}");
    }
    let mut stage = stage(80, 24);
    let waits =
        QueuedMessage { message: "m".into(), text: token.as_str().into(), images: Vec::new() };
    let row = TreeRow { queued: [waits].into(), ..rows().remove(0) };
    stage.apply(DriverEvent::Row(Box::new(row))).keys("<up>");
    assert!(
        stage.composer_text().contains("evil.png") && !stage.composer_text().contains('\u{1c}')
    );
}

#[test]
fn an_image_of_the_workspace_is_attached_with_tab_and_other_files_are_named() {
    for (width, height) in [(120, 40), (80, 24), (40, 12)] {
        let mut stage = stage(width, height);
        stage.type_text("see @log");
        stage.apply(DriverEvent::Files(vec!["docs/logo.png".to_owned(), "log.txt".to_owned()]));
        let screen = stage.screen();
        assert!(screen.contains("docs/logo.png  image"), "{screen}");
        let at = screen.lines().position(|line| line.contains("docs/logo.png")).unwrap_or(0);
        let other = screen.lines().position(|line| line.contains("log.txt")).unwrap_or(0);
        stage.keys(if at < other { "<tab>" } else { "<down> <tab>" });
        assert_eq!(asked(&stage)[0].1, "docs/logo.png");
        read(&mut stage, 0, "logo.png");
        assert!(stage.screen().contains("see [image logo.png 120.0 KB]"), "{}", stage.screen());
        stage.keys("<enter>");
        assert_eq!(says(&stage)[0].1.trim(), "see [image logo.png]");
    }
}

#[test]
fn an_image_read_after_the_composer_was_turned_elsewhere_is_in_the_draft_of_its_dialog() {
    let drafts = Notebook::default();
    let mut stage = Stage::with(80, 24, drafts.clone(), &Glyphs::UTF8);
    stage.apply(DriverEvent::Rows(rows())).apply(DriverEvent::Inbox(Vec::new()));
    stage.keys("1 <enter>").page(STORY).keys("i");
    paste(&mut stage, SHOT);
    stage.apply(DriverEvent::Inbox(questions()));
    stage.keys("<alt+a>");
    read(&mut stage, 0, "my shot.png");
    stage.wait(std::time::Duration::from_secs(1));
    let stored = drafts.get(&format!("message/{}", main_dialog())).unwrap_or_default();
    assert!(stored.contains("my shot.png.copy"), "{stored}");
    let mut again = Stage::with(80, 24, drafts, &Glyphs::UTF8);
    again.apply(DriverEvent::Rows(rows())).apply(DriverEvent::Inbox(Vec::new()));
    again.keys("1 <enter>").page(STORY).keys("i");
    assert!(again.screen().contains("[image my shot.png 120.0 KB]"), "{}", again.screen());
    again.keys("<enter>");
    assert_eq!(says(&again)[0].2, [kept("my shot.png")]);
}

#[test]
fn a_model_that_reads_no_images_or_only_smaller_ones_is_named_before_anything_is_sent() {
    let smaller = ImageSupport::Read { most_bytes: 100_000 };
    let enough = ImageSupport::Read { most_bytes: 120_000 };
    for (support, says) in [
        (ImageSupport::NotRead, "reads no images"),
        (smaller, "reads images up to 100.0 KB"),
        (enough, ""),
        (ImageSupport::Unknown, ""),
    ] {
        for (width, height) in [(120, 40), (80, 24), (60, 20)] {
            let mut stage = stage(width, height);
            let mut known = workspace();
            known.members[0].images = support;
            stage.apply(DriverEvent::Workspace(known));
            paste(&mut stage, SHOT);
            assert!(!stage.screen().contains("orchestrator reads"));
            read(&mut stage, 0, "my shot.png");
            let screen = stage.screen();
            let told = screen.lines().last().unwrap_or_default().contains("only told");
            assert!(told != says.is_empty() || width == 60, "{screen}");
            stage.wait(std::time::Duration::from_mins(1));
            let screen = stage.screen();
            let title = format!("@orchestrator {says}");
            assert!(screen.contains(title.trim()), "{screen}");
            assert_eq!(screen.contains("orchestrator reads"), !says.is_empty(), "{screen}");
            stage.keys("<backspace> <backspace>");
            assert!(!stage.screen().contains("orchestrator reads"), "{}", stage.screen());
        }
    }
}

#[test]
fn the_model_that_was_chosen_for_the_dialog_counts_and_not_that_of_the_member() {
    let choice = ModelChoice { provider: "house".to_owned(), model: "small".to_owned() };
    for (images, says) in [(ImageSupport::NotRead, true), (ImageSupport::Unknown, false)] {
        let mut stage = stage(120, 40);
        let mut known = workspace();
        let (name, context) = (String::new(), None);
        known.models = vec![ModelView { choice: choice.clone(), name, context, images }];
        stage.apply(DriverEvent::Workspace(known));
        let row = TreeRow { model: Some(choice.clone()), ..rows().remove(0) };
        stage.apply(DriverEvent::Row(Box::new(row)));
        paste(&mut stage, SHOT);
        read(&mut stage, 0, "my shot.png");
        stage.wait(std::time::Duration::from_mins(1));
        assert_eq!(stage.screen().contains("@orchestrator reads no images"), says);
    }
}

#[test]
fn a_message_that_is_taken_back_or_forked_has_its_images_as_chips() {
    let artifact =
        ArtifactRef { dialog: main_dialog(), path: "artifacts/user-input/m/01-x.png".to_owned() };
    let image = AttachedImage { source: ImageSource::Artifact(artifact), ..kept("a.png") };
    let mut stage = queued::stage(80, 24, &[]);
    let text = "see [image a.png]";
    let waits =
        QueuedMessage { message: "m".into(), text: text.into(), images: vec![image.clone()] };
    let row = TreeRow { queued: [waits].into(), ..rows().remove(0) };
    stage.apply(DriverEvent::Row(Box::new(row)));
    assert!(stage.screen().contains("see [image a.png]"));
    stage.keys("i <up>");
    assert!(stage.screen().contains("see [image a.png 120.0 KB]"), "{}", stage.screen());
    let ticket = stage.sent.iter().find_map(|command| {
        let Command::TakeBack { ticket, .. } = command else { return None };
        Some(*ticket)
    });
    let ticket = ticket.expect("taken back");
    stage.apply(DriverEvent::Done { ticket, dialog: Some(main_dialog()) });
    stage.keys("<enter>");
    assert_eq!((says(&stage)[0].1, says(&stage)[0].2), (text, &[image.clone()][..]));

    let mut stage = queued::stage(80, 24, &[]);
    let next = AfterFork::DraftUserText { text: text.to_owned(), images: vec![image.clone()] };
    stage.apply(DriverEvent::Forked { dialog: side("r"), next });
    stage.page(&[]);
    assert!(stage.screen().contains("see [image a.png 120.0 KB]"), "{}", stage.screen());
}

#[test]
fn the_editor_has_labels_and_gives_the_images_back() {
    for (edits, left) in [("look at", 1), ("", 0)] {
        let mut stage = stage(80, 24);
        stage.type_text("see ");
        paste(&mut stage, SHOT);
        read(&mut stage, 0, "my shot.png");
        stage.keys("<ctrl+e>");
        let job =
            stage.app.take_effects().into_iter().find_map(|effect| {
                if let Effect::Program(job) = effect { Some(job) } else { None }
            });
        let job = job.expect("the editor");
        let ProgramJob::EditDraft { text, .. } = &job else { panic!("{job:?}") };
        assert_eq!(text.trim(), "see [image my shot.png 120.0 KB]");
        let edited = if left == 1 { text.replace("see", edits) } else { "nothing".to_owned() };
        stage.app.program_ended(ProgramOutcome::Ended(job, Some(edited)));
        stage.keys("<enter>");
        assert_eq!(says(&stage)[0].2.len(), left);
    }
}

/// Presses the key, and returns the number of the chip that waits for the image.
fn take_from_clipboard(stage: &mut Stage) -> u64 {
    stage.keys("<alt+i>");
    let number = stage.app.take_effects().into_iter().find_map(|effect| {
        if let Effect::TakeImage(number) = effect { Some(number) } else { None }
    });
    number.expect("the clipboard is asked")
}

fn clipboard(stage: &mut Stage, outcome: &CopyOutcome) {
    stage.app.copied(outcome);
    let commands = stage.app.take_commands();
    stage.sent.extend(commands);
}

#[test]
fn the_image_in_the_clipboard_is_attached_with_one_key_at_every_size() {
    for (width, height) in [(120, 40), (80, 24), (60, 20), (40, 12)] {
        let mut stage = stage(width, height);
        stage.type_text("see ");
        let number = take_from_clipboard(&mut stage);
        assert!(stage.screen().contains("see [image …]"), "{}", stage.screen());
        stage.type_text("there");
        stage.keys("<enter>");
        assert!(says(&stage).is_empty(), "it is still being read");
        let bytes: Arc<[u8]> = Arc::from(b"bytes".as_slice());
        clipboard(&mut stage, &CopyOutcome::Image { number, bytes: bytes.clone() });
        let origin = ImageOrigin::Clipboard(bytes);
        let wanted = stage.sent.iter().any(
            |command| matches!(command, Command::KeepImage { origin: of, .. } if *of == origin),
        );
        assert!(wanted, "{:?}", stage.sent);
        read(&mut stage, 0, "clipboard.png");
        assert!(stage.screen().contains("[image clipboard.png 120.0 KB]"), "{}", stage.screen());
        stage.keys("<backspace> <backspace> <backspace> <backspace> <backspace> <alt+o>");
        assert!(stage.screen().contains("has no path") || width == 40, "{}", stage.screen());
        stage.keys("<enter>");
        assert_eq!(says(&stage)[0].1, "see [image clipboard.png] ");
        assert_eq!(says(&stage)[0].2.len(), 1);
    }
}

#[test]
fn a_clipboard_without_an_image_leaves_the_draft_as_it_was_and_says_so() {
    for (before, after) in [("", ""), ("see ", ""), ("see ", "there")] {
        let mut stage = stage(80, 24);
        stage.type_text(before);
        let number = take_from_clipboard(&mut stage);
        stage.type_text(after);
        let why = Localized::same("no image, says wl-paste\u{1b}[2J");
        clipboard(&mut stage, &CopyOutcome::NoImage { number, why });
        assert!(stage.screen().contains("no image, says wl-paste"), "{}", stage.screen());
        stage.type_text("!");
        assert_eq!(stage.composer_text(), format!("{before}{after}!"));
    }
}

#[test]
fn an_image_whose_chip_is_gone_is_not_kept() {
    let mut stage = stage(80, 24);
    let number = take_from_clipboard(&mut stage);
    stage.keys("<backspace> <backspace>");
    let bytes = Arc::from(b"bytes".as_slice());
    clipboard(&mut stage, &CopyOutcome::Image { number, bytes });
    assert_eq!(asked(&stage), []);
    let mut nobody = Stage::new(80, 24);
    nobody.keys("<alt+i>");
    assert!(nobody.app.take_effects().iter().all(|it| !matches!(it, Effect::TakeImage(_))));
}

#[test]
fn more_images_than_a_message_takes_are_not_sent() {
    let mut stage = stage(120, 40);
    for at in 0..11 {
        paste(&mut stage, &format!("/p/{at}.png"));
        read(&mut stage, at, &format!("{at}.png"));
    }
    stage.keys("<enter>");
    assert!(says(&stage).is_empty() && stage.screen().contains("a message takes 10 images"));
    stage.keys("<backspace> <backspace> <enter>");
    assert_eq!(says(&stage)[0].2.len(), 10);
}

#[test]
fn images_of_a_message_are_lines_below_its_words_and_opened_they_say_where_they_lie() {
    let record = r#"{"ts":"2026-11-21 12:00:00","type":"human_text_record","genseq":20,"content":"see [image a.png]","msgId":"m9","grammar":"markdown","origin":"user","contentItems":[{"type":"input_image","mimeType":"image/png","byteLength":2048,"artifact":{"rootId":"ROOT","selfId":"ROOT","status":"running","relPath":"artifacts/user-input/m9/01-x.png"}},{"type":"input_image","mimeType":"x","byteLength":1,"artifact":{"rootId":"../..","selfId":"x","status":"","relPath":"/etc/passwd"}}]}"#;
    let hostile = record.replace("ROOT", "aa/bb/01");
    for (width, height) in [(120, 40), (60, 20), (40, 12)] {
        let mut stage = Stage::new(width, height);
        stage.apply(DriverEvent::Rows(rows())).apply(DriverEvent::Inbox(Vec::new()));
        stage.keys("1 <enter>").page(&[&hostile]).keys("3 g");
        let screen = stage.screen();
        assert!(screen.contains("image/png, 2.0 KB]"), "{screen}");
        assert!(!screen.contains("user-input"), "{screen}");
        stage.keys("o");
        let screen = stage.screen();
        assert!(screen.contains(".dialogs/run/aa/bb/01/art"), "{screen}");
        assert!(!screen.contains("passwd"), "{screen}");
        stage.keys("<enter>");
        assert!(!stage.screen().contains("user-input"));
    }
}
