//! `prepare_file_range_edit`: lines named by their numbers.

use schemars::JsonSchema;
use serde::Deserialize;

use super::plan::{EditArgs, EditTarget, PlanRefusal, PlannedEdit};
use crate::domain::Lang;
use crate::domain::text::in_lang;
use crate::tools::files::parse_range;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct RangeEditArgs {
    path: String,
    range: String,
    existing_hunk_id: Option<String>,
    content: Option<String>,
}

impl EditArgs for RangeEditArgs {
    fn target(&self) -> EditTarget<'_> {
        EditTarget {
            path: &self.path,
            content: self.content.as_deref().unwrap_or_default(),
            replaces: self.existing_hunk_id.as_deref(),
            may_create: false,
            appends: false,
        }
    }
}

/// Plans the edit of a range. `N+1~` is the place after the last of N lines.
pub(super) fn plan(
    args: &RangeEditArgs,
    lines: &[&str],
    lang: Lang,
) -> Result<PlannedEdit, PlanRefusal> {
    let parsed = parse_range(&args.range);
    let range = parsed.map_err(|fault| PlanRefusal::new("INVALID_RANGE", fault.text(lang)))?;
    let total = lines.len() as u64;
    let (from, to) = (*range.start(), *range.end());
    let open = to == u64::MAX;
    let fits = if open { from <= total + 1 } else { to <= total };
    let first = usize::try_from(from - 1).ok().filter(|_| fits);
    let end = if open { Some(lines.len()) } else { usize::try_from(to).ok() };
    let (Some(first), Some(end)) = (first, end) else {
        let behind = total + 1;
        return Err(PlanRefusal::new(
            "RANGE_OUT_OF_BOUNDS",
            in_lang!(
                lang,
                "The file has {total} lines. To put text behind them, use range \"{behind}~\".",
                "文件共 {total} 行。若要在末尾追加,请用 range \"{behind}~\"。"
            ),
        ));
    };
    Ok(PlannedEdit { range: first..end, evidence: Vec::new() })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::tools::edits::tests::args;

    #[test]
    fn ranges_lie_within_the_file_or_just_behind_it() {
        let lines = ["a\n", "b\n", "c\n"];
        let out = Err("RANGE_OUT_OF_BOUNDS");
        for (range, expected) in [
            ("1~3", Ok(0..3)),
            ("2~2", Ok(1..2)),
            ("2", Ok(1..2)),
            ("2~", Ok(1..3)),
            ("~2", Ok(0..2)),
            ("~", Ok(0..3)),
            ("4~", Ok(3..3)),
            ("5~", out.clone()),
            ("3~4", out.clone()),
            ("4~4", out.clone()),
            ("4", out),
            ("0~1", Err("INVALID_RANGE")),
            ("3~2", Err("INVALID_RANGE")),
            ("1~2\nrange: 3~4", Err("INVALID_RANGE")),
        ] {
            let planned = plan(&args(&json!({"range": range})), &lines, Lang::En);
            let found = planned.map(|planned| planned.range).map_err(|refusal| refusal.code);
            assert_eq!(found, expected, "{range:?}");
        }
        let empty = plan(&args(&json!({"range": "1~"})), &[], Lang::Zh);
        assert_eq!(empty.map(|planned| planned.range), Ok(0..0));
    }
}
