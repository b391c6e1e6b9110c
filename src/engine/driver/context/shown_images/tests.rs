//! Images on disk and what a model is shown of them.

use serde_json::json;

use super::*;
use crate::domain::Lang;
use crate::domain::dialogs::attachment::MAX_IMAGE_BYTES;

const PNG: &[u8] = b"\x89PNG\r\n\x1a\n";

fn limits(max: usize, all_bytes: usize) -> ImageLimits {
    ImageLimits { most: max, each_bytes: 40, all_bytes }
}

/// A record with one image per name.
fn record(kind: &str, names: &[&str]) -> Arc<Entry> {
    let items: Vec<Value> = names
        .iter()
        .map(|name| {
            let artifact = json!({"rootId": "aa", "selfId": "aa", "relPath": name});
            json!({"type": "input_image", "mimeType": "image/png", "byteLength": 9,
                "artifact": artifact})
        })
        .collect();
    let line = match kind {
        "result" => json!({"type": "func_result_record", "id": "c", "name": "f", "content": "x"}),
        _ => json!({"type": "human_text_record", "content": "x", "msgId": "m",
            "grammar": "markdown", "origin": "user"}),
    };
    let mut line = line;
    line["contentItems"] = json!(items);
    Arc::new(Entry::parse(&line.to_string()).expect("a record"))
}

/// A fake disk: the name states what the file contains.
fn read(of: &ArtifactRef, max: usize) -> Result<Vec<u8>, ArtifactError> {
    match of.path.as_str() {
        "gone" => Err(ArtifactError::Missing),
        "text" => Ok(b"words".to_vec()),
        name => {
            let size: usize = name.parse().expect("a size");
            let mut bytes = PNG.to_vec();
            bytes.resize(size, 0);
            if size > max { Err(ArtifactError::TooLarge) } else { Ok(bytes) }
        }
    }
}

fn shown_images(images: &CourseImages, entries: usize) -> Vec<Vec<String>> {
    let name = |image: MessageImage| match image {
        MessageImage::Data { media_type, bytes } => format!("{media_type} {}", bytes.len()),
        MessageImage::Note(text) => text,
    };
    (0..entries).map(|at| images.at(at).into_iter().map(name).collect()).collect()
}

#[test]
fn the_newest_images_are_shown_and_the_others_replaced_by_the_reason() {
    let texts = Texts(Lang::En);
    let omitted = |reason| texts.image_not_shown("image/png, 9 B", reason);
    let shown = |size: usize| format!("image/png {size}");
    for (case, limits, entries, expected) in [
        (
            "all fit",
            Some(limits(9, 100)),
            vec![record("human", &["10", "20"]), record("result", &["30"])],
            vec![vec![shown(10), shown(20)], vec![shown(30)]],
        ),
        (
            "the bytes are used up by the newest",
            Some(limits(9, 50)),
            vec![
                record("human", &["10"]),
                record("human", &["15", "20"]),
                record("result", &["25"]),
            ],
            vec![
                vec![omitted(OmissionReason::OverBudget)],
                vec![omitted(OmissionReason::OverBudget), shown(20)],
                vec![shown(25)],
            ],
        ),
        (
            "so is their number",
            Some(limits(1, 100)),
            vec![record("human", &["10"]), record("human", &["11"])],
            vec![vec![omitted(OmissionReason::OverBudget)], vec![shown(11)]],
        ),
        (
            "each by itself",
            Some(limits(9, 100)),
            vec![record("human", &["gone", "text", "41", "40"])],
            vec![vec![
                omitted(OmissionReason::Missing),
                omitted(OmissionReason::UnsupportedFormat),
                omitted(OmissionReason::TooLarge),
                shown(40),
            ]],
        ),
        (
            "a model without image support",
            None,
            vec![record("result", &["10"])],
            vec![vec![omitted(OmissionReason::NoImageSupport)]],
        ),
    ] {
        let images = CourseImages::of(entries.iter(), limits, &read, texts);
        assert_eq!(shown_images(&images, entries.len()), expected, "{case}");
    }
}

#[test]
fn d09_of_one_message_ten_images_are_shown_and_none_over_the_limit() {
    let names = ["10"; 11];
    let images = CourseImages::of(
        [record("human", &names)].iter(),
        Some(limits(99, 9999)),
        &read,
        Texts(Lang::Zh),
    );
    let shown = shown_images(&images, 1).remove(0);
    assert_eq!(shown.iter().filter(|text| *text == "image/png 10").count(), 10);
    assert!(shown[10].starts_with('【'), "{}", shown[10]);
    assert_eq!((MAX_IMAGES, MAX_IMAGE_BYTES), (10, 10 * 1024 * 1024));
}
