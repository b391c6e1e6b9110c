//! Lines that are found by their content. Pure.

use std::borrow::Cow;
use std::num::NonZeroUsize;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use super::lines::bare;
use super::plan::PlanRefusal;
use crate::domain::Lang;
use crate::domain::text::{Text, in_lang};

/// Line numbers named in a message.
const NAMED_LINES: usize = 10;

/// How a line is compared with an anchor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum AnchorMatch {
    Contains,
    Equals,
}

/// Which of several fitting lines is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Occurrence {
    /// Not given; then only one line may fit.
    Only,
    /// Counted from 1.
    Nth(usize),
    Last,
}

/// An occurrence as a model writes it: a number, its digits, or `last`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OccurrenceArg {
    Nth(NonZeroUsize),
    Last,
    Unclear,
}

impl<'de> Deserialize<'de> for OccurrenceArg {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let number = match Value::deserialize(deserializer)? {
            Value::Number(number) => number.as_u64().and_then(|number| number.try_into().ok()),
            Value::String(text) if text.trim() == "last" => return Ok(Self::Last),
            Value::String(text) => text.trim().parse().ok(),
            Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
        };
        Ok(number.and_then(NonZeroUsize::new).map_or(Self::Unclear, Self::Nth))
    }
}

impl JsonSchema for OccurrenceArg {
    fn schema_name() -> Cow<'static, str> {
        "Occurrence".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": ["integer", "string"]})
    }
}

/// Reads the `occurrence` argument; without it only one line may fit.
pub(super) fn occurrence(
    given: Option<OccurrenceArg>,
    lang: Lang,
) -> Result<Occurrence, PlanRefusal> {
    match given {
        None => Ok(Occurrence::Only),
        Some(OccurrenceArg::Nth(number)) => Ok(Occurrence::Nth(number.get())),
        Some(OccurrenceArg::Last) => Ok(Occurrence::Last),
        Some(OccurrenceArg::Unclear) => Err(bad_occurrence(lang)),
    }
}

fn bad_occurrence(lang: Lang) -> PlanRefusal {
    let text = Text::new(
        "`occurrence` must be a whole number from 1, or last.",
        "`occurrence` 须为从 1 开始的整数,或 last。",
    )
    .in_lang(lang);
    PlanRefusal::new("INVALID_OCCURRENCE", text)
}

/// The lines that fit an anchor, counted from 0.
pub(super) fn fitting(
    anchor: &str,
    field: &str,
    kind: AnchorMatch,
    lines: &[&str],
    lang: Lang,
) -> Result<Vec<usize>, PlanRefusal> {
    let wanted = anchor.strip_suffix('\n').unwrap_or(anchor);
    let wanted = wanted.strip_suffix('\r').unwrap_or(wanted);
    if wanted.trim().is_empty() || wanted.contains('\n') {
        return Err(PlanRefusal::new(
            "INVALID_ANCHOR",
            in_lang!(
                lang,
                "`{field}` must be text from one line, and not blank.",
                "`{field}` 须为某一行中的文本,且不能为空白。"
            ),
        ));
    }
    let fits = |line: &str| match kind {
        AnchorMatch::Contains => line.contains(wanted),
        AnchorMatch::Equals => line == wanted,
    };
    let found = lines.iter().enumerate().filter(|(_, line)| fits(bare(line)));
    let found: Vec<usize> = found.map(|(at, _)| at).collect();
    if found.is_empty() {
        return Err(PlanRefusal::new(
            "ANCHOR_NOT_FOUND",
            in_lang!(
                lang,
                "No line fits `{field}`. Read the file and take text from it.",
                "没有与 `{field}` 相符的行。请先读取文件,再取其中的文本。"
            ),
        ));
    }
    Ok(found)
}

/// Picks the line that `occurrence` means.
pub(super) fn chosen(
    found: &[usize],
    field: &str,
    occurrence: Occurrence,
    lang: Lang,
) -> Result<usize, PlanRefusal> {
    let chosen = match (occurrence, found) {
        (Occurrence::Only, [only]) => Some(*only),
        (Occurrence::Only, _) => return Err(ambiguous(found, field, lang)),
        (Occurrence::Nth(number), _) => found.get(number - 1).copied(),
        (Occurrence::Last, _) => found.last().copied(),
    };
    chosen.ok_or_else(|| {
        let many = found.len();
        PlanRefusal::new(
            "OCCURRENCE_NOT_FOUND",
            in_lang!(
                lang,
                "`{field}` fits {many} lines only; give a smaller `occurrence`.",
                "`{field}` 只与 {many} 行相符;请减小 `occurrence`。"
            ),
        )
    })
}

fn ambiguous(found: &[usize], field: &str, lang: Lang) -> PlanRefusal {
    let (many, lines) = (found.len(), numbers(found));
    PlanRefusal::new(
        "ANCHOR_AMBIGUOUS",
        in_lang!(
            lang,
            "`{field}` fits {many} lines ({lines}). Give `occurrence`, or more of the line.",
            "`{field}` 与 {many} 行相符({lines})。请给出 `occurrence`,或更完整的文本。"
        ),
    )
}

/// Line numbers counted from 1, not too many.
pub(super) fn numbers(found: &[usize]) -> String {
    let named: Vec<String> =
        found.iter().take(NAMED_LINES).map(|at| (at + 1).to_string()).collect();
    let more = if found.len() > NAMED_LINES { ", ..." } else { "" };
    format!("{}{more}", named.join(", "))
}
