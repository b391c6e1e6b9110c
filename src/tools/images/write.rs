//! `write_picture`: stores a picture that comes as Base64.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;

use super::{ImageRefusal, MAX_IMAGE_BYTES, check_kind};
use crate::domain::{ImageKind, Lang};
use crate::tools::access::{AccessOp, PathTarget};
use crate::tools::args::Args;
use crate::tools::guard::{Guard, PathFaultKind};
use crate::tools::outcome::{ToolImage, ToolOutcome};
use crate::tools::report::ToolReport;
use crate::tools::tool::{BuiltIn, Description, Tool, ToolCx, ToolSpec, localized};

const NAME: &str = "write_picture";

/// The tool.
pub(super) fn tool() -> Arc<dyn Tool> {
    let spec = ToolSpec {
        name: NAME.into(),
        description: Description::Own(|lang| localized(lang, include_str!("write_picture.md"))),
        parameters: json!({
            "type": "object",
            "properties": {
                "path": {"type": "string"},
                "data_base64": {"type": "string"},
                "mime_type": {"type": "string"},
                "overwrite": {"type": "boolean"}
            },
            "required": ["path", "data_base64"],
            "additionalProperties": false
        }),
    };
    BuiltIn::blocking(spec, run)
}

fn run(cx: &ToolCx, args: &Args) -> ToolOutcome {
    let path = args.required_text("path");
    match write(cx, args, path) {
        Ok((shown, picture)) => {
            let bytes = picture.bytes.len();
            let summary = match cx.lang {
                Lang::En => format!("picture written, {bytes} bytes"),
                Lang::Zh => format!("图片已写入,{bytes} 字节"),
            };
            let report = ToolReport::ok(NAME, &shown)
                .field("media_type", picture.media_type)
                .field("size_bytes", bytes)
                .summary(summary);
            let pictures = if cx.sees_images { vec![picture] } else { Vec::new() };
            ToolOutcome { images: pictures, ..report.outcome() }
        }
        Err(refused) => refused.outcome(NAME, path, AccessOp::Write, cx.lang),
    }
}

fn write(cx: &ToolCx, args: &Args, path: &str) -> Result<(String, ToolImage), ImageRefusal> {
    let guard = Guard::general(cx)?;
    let (declared, data) = split_data_url(args.required_text("data_base64"));
    let said = args.text("mime_type").into_iter().chain(declared);
    let said: Option<Vec<ImageKind>> = said.map(ImageKind::of_media_type).collect();
    // A place that is closed is told first, whatever is wrong with the picture.
    let overwrite = args.flag("overwrite").unwrap_or(false);
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
    let shown = if let Some(vacant) = vacant {
        vacant.create_parents()?.fill(&bytes)?;
        vacant.shown
    } else {
        let slot = guard.slot(path)?;
        slot.write(&bytes)?;
        slot.shown
    };
    Ok((shown, ToolImage { media_type: ending.media_type(), bytes: Arc::from(bytes) }))
}

/// The type and the data of a data URL; other text is data.
fn split_data_url(text: &str) -> (Option<&str>, &str) {
    let text = text.trim();
    let url = text.strip_prefix("data:").and_then(|rest| rest.split_once(";base64,"));
    url.map_or((None, text), |(kind, data)| (Some(kind), data))
}
