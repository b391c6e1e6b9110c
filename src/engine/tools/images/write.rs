//! `write_picture`: stores an image that comes as Base64.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use schemars::JsonSchema;
use serde::Deserialize;

use super::{ImageRefusal, MAX_IMAGE_BYTES, check_kind};
use crate::domain::text::{Text, in_lang};
use crate::domain::{FileChange, ImageKind};
use crate::guard::{AccessOp, Guard, PathFaultKind, PathTarget};
use crate::tools::outcome::{ToolImage, ToolOutcome};
use crate::tools::report::ToolReport;
use crate::tools::tool::{Tool, ToolCx};
use crate::tools::typed;

const NAME: &str = "write_picture";

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct WriteImageArgs {
    path: String,
    data_base64: String,
    mime_type: Option<String>,
    overwrite: Option<bool>,
}

/// The tool.
pub(super) fn tool() -> Arc<dyn Tool> {
    typed::blocking(
        NAME,
        |lang| Text::of_document(include_str!("write_picture.md")).in_lang(lang),
        run,
    )
}

fn run(cx: &ToolCx, args: &WriteImageArgs) -> ToolOutcome {
    let path = args.path.as_str();
    match write(cx, args) {
        Ok((change, image)) => {
            let bytes = image.bytes.len();
            let summary =
                in_lang!(cx.lang, "image written, {bytes} bytes", "图片已写入,{bytes} 字节");
            let report = ToolReport::ok(NAME, &change.path)
                .field("media_type", image.media_type)
                .field("size_bytes", bytes)
                .summary(summary);
            let images = if cx.sees_images { vec![image] } else { Vec::new() };
            ToolOutcome { images, ..report.outcome() }.with_file_changes([change])
        }
        Err(refused) => refused.outcome(NAME, path, AccessOp::Write, cx.lang),
    }
}

fn write(cx: &ToolCx, args: &WriteImageArgs) -> Result<(FileChange, ToolImage), ImageRefusal> {
    let path = args.path.as_str();
    let guard = Guard::general(cx)?;
    let (declared, data) = split_data_url(&args.data_base64);
    let said = args.mime_type.as_deref().into_iter().chain(declared);
    let said: Option<Vec<ImageKind>> = said.map(ImageKind::of_media_type).collect();
    // A closed place is reported first, even if the image is invalid as well.
    let overwrite = args.overwrite.unwrap_or(false);
    let vacant = match guard.new_path(path, PathTarget::File) {
        Err(fault) if overwrite && fault.kind == PathFaultKind::Exists => None,
        found => Some(found?),
    };
    let ending = ImageKind::of_path(path).ok_or(ImageRefusal::UnknownEnding)?;
    let bytes =
        STANDARD.decode(data).map_err(|error| ImageRefusal::NotBase64(error.to_string()))?;
    if bytes.len() as u64 > MAX_IMAGE_BYTES {
        return Err(ImageRefusal::TooLarge(bytes.len() as u64));
    }
    for kind in said.ok_or(ImageRefusal::UnknownType)? {
        check_kind(ending, Some(kind))?;
    }
    check_kind(ending, ImageKind::of(&bytes))?;
    let change = if let Some(vacant) = vacant {
        vacant.create_parents()?.fill(&bytes)?;
        FileChange::created(vacant.shown, "")
    } else {
        let slot = guard.slot(path)?;
        slot.write(&bytes)?;
        FileChange::replaced(slot.shown)
    };
    Ok((change, ToolImage { media_type: ending.media_type(), bytes: Arc::from(bytes) }))
}

/// The type and the data of a data URL; other text is data.
fn split_data_url(text: &str) -> (Option<&str>, &str) {
    let text = text.trim();
    let url = text.strip_prefix("data:").and_then(|rest| rest.split_once(";base64,"));
    url.map_or((None, text), |(kind, data)| (Some(kind), data))
}
