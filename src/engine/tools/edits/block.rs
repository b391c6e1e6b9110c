//! `prepare_file_block_replace`: the lines between two lines that are found by their content.

use schemars::JsonSchema;
use serde::Deserialize;

use super::anchor::{AnchorMatch, Occurrence, OccurrenceArg, chosen, fitting, numbers, occurrence};
use super::plan::{EditArgs, EditTarget, PlanRefusal, PlannedEdit};
use crate::domain::Lang;
use crate::domain::text::{Text, in_lang};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct BlockReplaceArgs {
    path: String,
    start_anchor: String,
    end_anchor: String,
    occurrence: Option<OccurrenceArg>,
    include_anchors: Option<bool>,
    #[serde(rename = "match")]
    matching: Option<AnchorMatch>,
    require_unique: Option<bool>,
    strict: Option<bool>,
    existing_hunk_id: Option<String>,
    content: String,
}

impl EditArgs for BlockReplaceArgs {
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

pub(super) fn plan(
    args: &BlockReplaceArgs,
    lines: &[&str],
    lang: Lang,
) -> Result<PlannedEdit, PlanRefusal> {
    let kind = args.matching.unwrap_or(AnchorMatch::Contains);
    let occurrence = occurrence(args.occurrence, lang)?;
    let starts = fitting(&args.start_anchor, "start_anchor", kind, lines, lang)?;
    let ends = fitting(&args.end_anchor, "end_anchor", kind, lines, lang)?;
    let first_end = |start: usize| ends.iter().copied().find(|&end| end > start);
    let unique = args.require_unique.unwrap_or(true);
    let closed: Vec<usize> =
        starts.iter().copied().filter(|&start| first_end(start).is_some()).collect();
    if closed.is_empty() {
        return Err(PlanRefusal::new(
            "BLOCK_NOT_FOUND",
            Text::new(
                "No line behind one that fits `start_anchor` fits `end_anchor`.",
                "在与 `start_anchor` 相符的行之后,没有与 `end_anchor` 相符的行。",
            )
            .in_lang(lang),
        ));
    }
    let unsaid = occurrence == Occurrence::Only;
    let occurrence = if unsaid && !unique { Occurrence::Nth(1) } else { occurrence };
    let start = chosen(&closed, "start_anchor", occurrence, lang)?;
    let end = first_end(start).unwrap_or(start);
    let inner: Vec<usize> =
        starts.into_iter().filter(|&other| other > start && other < end).collect();
    if args.strict.unwrap_or(true) && !inner.is_empty() {
        return Err(nested(&inner, lang));
    }
    let keep = args.include_anchors.unwrap_or(true);
    let range = if keep { start + 1..end } else { start..end + 1 };
    let evidence = vec![
        ("start_anchor_line", (start + 1).to_string()),
        ("end_anchor_line", (end + 1).to_string()),
        ("anchors_kept", keep.to_string()),
    ];
    Ok(PlannedEdit { range, evidence })
}

fn nested(inner: &[usize], lang: Lang) -> PlanRefusal {
    let lines = numbers(inner);
    PlanRefusal::new(
        "BLOCK_NESTED",
        in_lang!(
            lang,
            "`start_anchor` fits lines inside the block too ({lines}), so its end is not certain. \
             Give anchors that are clearer, or set strict to false to end at the first end_anchor.",
            "块内还有与 `start_anchor` 相符的行({lines}),无法确定块的结尾。\
             请给出更明确的锚点,或把 strict 设为 false,以第一个 end_anchor 为结尾。"
        ),
    )
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::tools::edits::tests::args;

    #[test]
    fn a_block_lies_between_two_anchors() {
        let lines = ["<a>\n", "x\n", "</a>\n", "<a>\n", "<a>\n", "y\n", "</a>\n", "<b>\n"];
        let call = |more: serde_json::Value| {
            let mut call = json!({"start_anchor": "<a>", "end_anchor": "</a>"});
            call.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            call
        };
        for (more, expected) in [
            (json!({}), Err("ANCHOR_AMBIGUOUS")),
            (json!({"require_unique": false}), Ok(1..2)),
            (json!({"occurrence": 1}), Ok(1..2)),
            (json!({"occurrence": 1, "include_anchors": true}), Ok(1..2)),
            (json!({"occurrence": 1, "include_anchors": false}), Ok(0..3)),
            (json!({"occurrence": 2}), Err("BLOCK_NESTED")),
            (json!({"occurrence": 2, "strict": false}), Ok(4..6)),
            (json!({"occurrence": "last"}), Ok(5..6)),
            (json!({"occurrence": 4}), Err("OCCURRENCE_NOT_FOUND")),
            (json!({"start_anchor": "<b>"}), Err("BLOCK_NOT_FOUND")),
            (json!({"start_anchor": "<c>"}), Err("ANCHOR_NOT_FOUND")),
            (json!({"end_anchor": "</c>"}), Err("ANCHOR_NOT_FOUND")),
            (json!({"start_anchor": "x", "end_anchor": "</a>"}), Ok(2..2)),
        ] {
            for lang in [Lang::En, Lang::Zh] {
                let planned = plan(&args(&call(more.clone())), &lines, lang);
                let found = planned.map(|planned| planned.range).map_err(|refusal| refusal.code);
                assert_eq!(found, expected, "{more}");
            }
        }
    }
}
