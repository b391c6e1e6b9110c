//! `prepare_file_insert_after` and `prepare_file_insert_before`: text beside a line that is found
//! by its content.

use schemars::JsonSchema;
use serde::Deserialize;

use super::anchor::{AnchorMatch, OccurrenceArg, chosen, fitting, occurrence};
use super::plan::{EditArgs, EditTarget, PlanRefusal, PlannedEdit};
use crate::domain::Lang;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct InsertArgs {
    path: String,
    anchor: String,
    occurrence: Option<OccurrenceArg>,
    #[serde(rename = "match")]
    matching: Option<AnchorMatch>,
    existing_hunk_id: Option<String>,
    content: String,
}

impl EditArgs for InsertArgs {
    fn target(&self) -> EditTarget<'_> {
        EditTarget {
            path: &self.path,
            content: &self.content,
            replaces: self.existing_hunk_id.as_deref(),
            may_create: false,
            appends: false,
        }
    }
}

pub(super) fn plan_after(
    args: &InsertArgs,
    lines: &[&str],
    lang: Lang,
) -> Result<PlannedEdit, PlanRefusal> {
    anchored(args, lines, lang).map(|at| beside(at, at + 1))
}

pub(super) fn plan_before(
    args: &InsertArgs,
    lines: &[&str],
    lang: Lang,
) -> Result<PlannedEdit, PlanRefusal> {
    anchored(args, lines, lang).map(|at| beside(at, at))
}

fn anchored(args: &InsertArgs, lines: &[&str], lang: Lang) -> Result<usize, PlanRefusal> {
    let kind = args.matching.unwrap_or(AnchorMatch::Contains);
    let occurrence = occurrence(args.occurrence, lang)?;
    let found = fitting(&args.anchor, "anchor", kind, lines, lang)?;
    chosen(&found, "anchor", occurrence, lang)
}

fn beside(anchor: usize, at: usize) -> PlannedEdit {
    PlannedEdit { range: at..at, evidence: vec![("anchor_line", (anchor + 1).to_string())] }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

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
