//! `write_picture`: stores a picture that comes as Base64.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;

use super::{LIMIT_BYTES, Refused, unlike};
use crate::domain::{ImageKind, Lang};
use crate::tools::access::{Op, Target};
use crate::tools::args::Args;
use crate::tools::guard::{Guard, PathFaultKind};
use crate::tools::outcome::{ToolImage, ToolOutcome};
use crate::tools::report::Report;
use crate::tools::tool::{BuiltIn, Description, Tool, ToolCx, ToolSpec, half};

const NAME: &str = "write_picture";

/// The tool.
pub(super) fn tool() -> Arc<dyn Tool> {
    let spec = ToolSpec {
        name: NAME.into(),
        description: Description::Own(|lang| half(lang, include_str!("write_picture.md"))),
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
            let report = Report::ok(NAME, &shown)
                .field("media_type", picture.media_type)
                .field("size_bytes", bytes)
                .summary(summary);
            let pictures = if cx.sees_images { vec![picture] } else { Vec::new() };
            ToolOutcome { pictures, ..report.outcome() }
        }
        Err(refused) => refused.outcome(NAME, path, Op::Write, cx.lang),
    }
}

fn write(cx: &ToolCx, args: &Args, path: &str) -> Result<(String, ToolImage), Refused> {
    let guard = Guard::general(cx)?;
    let (said, data) = parts(args.required_text("data_base64"));
    let said = args.text("mime_type").into_iter().chain(said);
    let said: Option<Vec<ImageKind>> = said.map(ImageKind::of_media_type).collect();
    // A place that is closed is told first, whatever is wrong with the picture.
    let overwrite = args.flag("overwrite").unwrap_or(false);
    let vacant = match guard.new_path(path, Target::File) {
        Err(fault) if overwrite && fault.kind == PathFaultKind::Exists => None,
        found => Some(found?),
    };
    let ending = ImageKind::of_path(path).ok_or(Refused::UnknownEnding)?;
    let bytes = STANDARD.decode(data).map_err(|error| Refused::NotBase64(error.to_string()))?;
    if bytes.len() as u64 > LIMIT_BYTES {
        return Err(Refused::TooLarge(bytes.len() as u64));
    }
    for kind in said.ok_or(Refused::UnknownType)? {
        unlike(ending, Some(kind))?;
    }
    unlike(ending, ImageKind::of(&bytes))?;
    let shown = if let Some(vacant) = vacant {
        vacant.settle()?.fill(&bytes)?;
        vacant.shown
    } else {
        let slot = guard.slot(path)?;
        slot.write(&bytes)?;
        slot.shown
    };
    Ok((shown, ToolImage { media_type: ending.media_type(), bytes: Arc::from(bytes) }))
}

/// The type and the data of a data URL; other text is data.
fn parts(text: &str) -> (Option<&str>, &str) {
    let text = text.trim();
    let url = text.strip_prefix("data:").and_then(|rest| rest.split_once(";base64,"));
    url.map_or((None, text), |(kind, data)| (Some(kind), data))
}
