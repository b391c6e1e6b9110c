//! `prepare_file_insert_after` and `prepare_file_insert_before`: text beside a line that is named
//! by what it holds.

use serde_json::{Value, json};

use super::anchor::{chosen, fitting, rules};
use super::plan::{PlannedEdit, Refusal};
use crate::domain::Lang;
use crate::tools::args::Args;
use crate::tools::tool::{Description, ToolSpec, localized};

pub(super) fn spec_after() -> ToolSpec {
    ToolSpec {
        name: "prepare_file_insert_after".into(),
        description: Description::Own(|lang| {
            localized(lang, include_str!("prepare_file_insert_after.md"))
        }),
        parameters: schema(),
    }
}

pub(super) fn spec_before() -> ToolSpec {
    ToolSpec {
        name: "prepare_file_insert_before".into(),
        description: Description::Own(|lang| {
            localized(lang, include_str!("prepare_file_insert_before.md"))
        }),
        parameters: schema(),
    }
}

fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "path": {"type": "string"},
            "anchor": {"type": "string"},
            "occurrence": {"type": ["integer", "string"]},
            "match": {"type": "string", "enum": ["contains", "equals"]},
            "existing_hunk_id": {"type": "string"},
            "content": {"type": "string"}
        },
        "required": ["path", "anchor", "content"],
        "additionalProperties": false
    })
}

pub(super) fn plan_after(args: &Args, lines: &[&str], lang: Lang) -> Result<PlannedEdit, Refusal> {
    anchored(args, lines, lang).map(|at| beside(at, at + 1))
}

pub(super) fn plan_before(args: &Args, lines: &[&str], lang: Lang) -> Result<PlannedEdit, Refusal> {
    anchored(args, lines, lang).map(|at| beside(at, at))
}

fn anchored(args: &Args, lines: &[&str], lang: Lang) -> Result<usize, Refusal> {
    let (kind, occurrence) = rules(args, lang)?;
    let found = fitting(args.required_text("anchor"), "anchor", kind, lines, lang)?;
    chosen(&found, "anchor", occurrence, lang)
}

fn beside(anchor: usize, at: usize) -> PlannedEdit {
    PlannedEdit { range: at..at, evidence: vec![("anchor_line", (anchor + 1).to_string())] }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::edits::tests::args;

    #[test]
    fn an_anchor_names_one_line_or_is_refused() {
        let lines = ["fn a() {\n", "}\r\n", "fn ab() {\n", "}"];
        for (call, expected) in [
            (json!({"anchor": "ab"}), Ok(3)),
            (json!({"anchor": "fn"}), Err("ANCHOR_AMBIGUOUS")),
            (json!({"anchor": "fn", "occurrence": 2}), Ok(3)),
            (json!({"anchor": "fn", "occurrence": "2"}), Ok(3)),
            (json!({"anchor": "}", "occurrence": "last"}), Ok(4)),
            (json!({"anchor": "}", "occurrence": 1, "match": "equals"}), Ok(2)),
            (json!({"anchor": "fn a() {\n", "match": "equals"}), Ok(1)),
            (json!({"anchor": "fn a", "match": "equals"}), Err("ANCHOR_NOT_FOUND")),
            (json!({"anchor": "fn", "occurrence": 3}), Err("OCCURRENCE_NOT_FOUND")),
            (json!({"anchor": "fn", "occurrence": 0}), Err("INVALID_OCCURRENCE")),
            (json!({"anchor": "fn", "occurrence": "first"}), Err("INVALID_OCCURRENCE")),
            (json!({"anchor": "fn", "occurrence": true}), Err("INVALID_OCCURRENCE")),
            (json!({"anchor": "none"}), Err("ANCHOR_NOT_FOUND")),
            (json!({"anchor": " "}), Err("INVALID_ANCHOR")),
            (json!({"anchor": "a\nb"}), Err("INVALID_ANCHOR")),
        ] {
            for lang in [Lang::En, Lang::Zh] {
                let after = plan_after(&args(&call), &lines, lang);
                let before = plan_before(&args(&call), &lines, lang).map(|plan| plan.range.end + 1);
                let after = after.map(|plan| plan.range.end);
                assert_eq!(before, after);
                assert_eq!(after.map_err(|refusal| refusal.code), expected, "{call}");
            }
        }
    }
}
