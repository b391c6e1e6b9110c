//! `read_picture`: shows a picture of the workspace to the model.

use std::io::Read;
use std::sync::Arc;

use serde_json::json;

use super::{LIMIT_BYTES, Refused, unlike};
use crate::domain::{ImageKind, Lang};
use crate::tools::access::Op;
use crate::tools::args::Args;
use crate::tools::guard::{Guard, PathFault};
use crate::tools::outcome::{ToolImage, ToolOutcome};
use crate::tools::report::Report;
use crate::tools::tool::{BuiltIn, Description, Tool, ToolCx, ToolSpec, half};

const NAME: &str = "read_picture";

/// The tool.
pub(super) fn tool() -> Arc<dyn Tool> {
    let spec = ToolSpec {
        name: NAME.into(),
        description: Description::Own(|lang| half(lang, include_str!("read_picture.md"))),
        parameters: json!({
            "type": "object",
            "properties": {"path": {"type": "string"}},
            "required": ["path"],
            "additionalProperties": false
        }),
    };
    BuiltIn::blocking(spec, run)
}

fn run(cx: &ToolCx, args: &Args) -> ToolOutcome {
    let path = args.required_text("path");
    match read(cx, path) {
        Ok((shown, picture)) => {
            let bytes = picture.bytes.len();
            let summary = match cx.lang {
                Lang::En => format!("picture attached, {bytes} bytes"),
                Lang::Zh => format!("已附上图片,{bytes} 字节"),
            };
            let report = Report::ok(NAME, &shown)
                .field("media_type", picture.media_type)
                .field("size_bytes", bytes)
                .summary(summary);
            ToolOutcome { pictures: vec![picture], ..report.outcome() }
        }
        Err(refused) => refused.outcome(NAME, path, Op::Read, cx.lang),
    }
}

fn read(cx: &ToolCx, path: &str) -> Result<(String, ToolImage), Refused> {
    let opened = Guard::general(cx)?.open_file(path, Op::Read)?;
    let ending = ImageKind::of_path(path).ok_or(Refused::UnknownEnding)?;
    if !cx.sees_images {
        return Err(Refused::Blind);
    }
    let mut bytes = Vec::new();
    let read = (&opened.file).take(LIMIT_BYTES + 1).read_to_end(&mut bytes);
    read.map_err(|error| PathFault::io(path, &error))?;
    if bytes.len() as u64 > LIMIT_BYTES {
        return Err(Refused::TooLarge(opened.meta.len()));
    }
    unlike(ending, ImageKind::of(&bytes))?;
    let picture = ToolImage { media_type: ending.media_type(), bytes: Arc::from(bytes) };
    Ok((opened.shown, picture))
}
