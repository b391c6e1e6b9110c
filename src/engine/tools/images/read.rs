//! `read_picture`: shows an image of the workspace to the model.

use std::io::Read;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;

use super::{ImageRefusal, MAX_IMAGE_BYTES, check_kind};
use crate::domain::ImageKind;
use crate::domain::text::{Text, in_lang};
use crate::guard::{AccessOp, Guard, PathFault};
use crate::tools::outcome::{ToolImage, ToolOutcome};
use crate::tools::report::ToolReport;
use crate::tools::tool::{Tool, ToolCx};
use crate::tools::typed;

const NAME: &str = "read_picture";

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ReadImageArgs {
    path: String,
}

/// The tool.
pub(super) fn tool() -> Arc<dyn Tool> {
    typed::blocking(
        typed::reads(NAME),
        |lang| Text::of_document(include_str!("read_picture.md")).in_lang(lang),
        run,
    )
}

fn run(cx: &ToolCx, args: &ReadImageArgs) -> ToolOutcome {
    let path = args.path.as_str();
    match read(cx, path) {
        Ok((shown, image)) => {
            let bytes = image.bytes.len();
            let summary =
                in_lang!(cx.lang, "image attached, {bytes} bytes", "已附上图片,{bytes} 字节");
            let report = ToolReport::ok(NAME, &shown)
                .field("media_type", image.media_type)
                .field("size_bytes", bytes)
                .summary(summary);
            ToolOutcome { images: vec![image], ..report.outcome() }
        }
        Err(refused) => refused.outcome(NAME, path, AccessOp::Read, cx.lang),
    }
}

fn read(cx: &ToolCx, path: &str) -> Result<(String, ToolImage), ImageRefusal> {
    let opened = Guard::general(cx)?.open_file(path, AccessOp::Read)?;
    let ending = ImageKind::of_path(path).ok_or(ImageRefusal::UnknownEnding)?;
    if !cx.sees_images {
        return Err(ImageRefusal::NoImageSupport);
    }
    let mut bytes = Vec::new();
    let read = (&opened.file).take(MAX_IMAGE_BYTES + 1).read_to_end(&mut bytes);
    read.map_err(|error| PathFault::io(path, &error))?;
    if bytes.len() as u64 > MAX_IMAGE_BYTES {
        return Err(ImageRefusal::TooLarge(opened.stat.bytes));
    }
    check_kind(ending, ImageKind::of(&bytes))?;
    let image = ToolImage { media_type: ending.media_type(), bytes: Arc::from(bytes) };
    Ok((opened.shown, image))
}
