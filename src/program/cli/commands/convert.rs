//! `convert`: trees from one layout to the other.

use std::path::Path;

use serde_json::{Value, json};

use crate::app;
use crate::domain::dialogs::tree::Bucket;
use crate::domain::{DialogId, ForeignLayout, Lang, Lost, counted};
use crate::store::{Access, Conversion, Survey, TreeListing};

use super::find;
use crate::cli::args::convert_args::ConvertArgs;
use crate::cli::exit::{CommandError, Status};
use crate::cli::output;

/// A tree, and what becomes of it.
struct Row<'a> {
    tree: &'a TreeListing,
    outcome: Conversion,
}

pub fn convert(workspace: &Path, wanted: &ConvertArgs) -> Result<Status, CommandError> {
    let access = if wanted.dry_run { Access::ReadOnly } else { Access::ReadWrite };
    let store = app::open(workspace, access)?;
    let survey = store.survey(&Bucket::ALL);
    let mut rows = Vec::new();
    for tree in chosen(&survey, wanted)? {
        let (bucket, root) = (tree.bucket, &tree.root);
        let outcome = if wanted.dry_run {
            store.preview_conversion(bucket, root, wanted.to)
        } else {
            store.convert(bucket, root, wanted.to)
        };
        // One that fails keeps no other from being converted.
        let outcome = outcome.unwrap_or_else(|error| Conversion::Refused(error.message()));
        rows.push(Row { tree, outcome });
    }
    if wanted.json {
        print_json(&rows, wanted);
    } else {
        print(&rows, &survey, wanted);
    }
    let is_refused = rows.iter().any(|row| matches!(row.outcome, Conversion::Refused(_)));
    Ok(if is_refused && !wanted.dry_run { Status::Refused } else { Status::Done })
}

/// The trees that the arguments name, each once; all of them but mere history, if none is named.
fn chosen<'a>(
    survey: &'a Survey,
    wanted: &ConvertArgs,
) -> Result<Vec<&'a TreeListing>, CommandError> {
    if wanted.dialogs.is_empty() {
        let is_history = |tree: &&TreeListing| tree.foreign == Some(ForeignLayout::Older);
        return Ok(survey.trees.iter().filter(|tree| !is_history(tree)).collect());
    }
    let mut roots = Vec::new();
    for named in &wanted.dialogs {
        roots.push(find::dialog(survey, named)?.root);
    }
    Ok(survey.trees.iter().filter(|tree| roots.contains(&tree.root)).collect())
}

/// The layout of a tree before the conversion.
fn layout_of(tree: &TreeListing) -> &'static str {
    tree.foreign.map_or(tree.layout.name(), ForeignLayout::name)
}

fn print(rows: &[Row<'_>], survey: &Survey, wanted: &ConvertArgs) {
    let (mut converted, mut refused, mut same) = (0, 0, 0);
    let to = wanted.to.name();
    for row in rows {
        let named = find::named(survey, &DialogId::main(row.tree.root.clone()));
        let from = layout_of(row.tree);
        match &row.outcome {
            Conversion::Same => same += 1,
            Conversion::Refused(why) => {
                refused += 1;
                output::print(&format!("{named}  {from}, not converted: {why}"));
            }
            Conversion::Possible { lost } => {
                converted += 1;
                output::print(&format!("{named}  {from} -> {to}"));
                print_lost(row.tree, lost);
            }
            Conversion::Done { lost, copy } => {
                converted += 1;
                output::print(&format!("{named}  {from} -> {to}; before: {copy}"));
                print_lost(row.tree, lost);
            }
        }
    }
    let parts = [(converted, ""), (refused, " not converted"), (same, " in that layout already")];
    let shown = parts.iter().filter(|(count, text)| *count > 0 || text.is_empty());
    let all: Vec<String> =
        shown.map(|(count, text)| format!("{}{text}", counted(*count, "tree", "trees"))).collect();
    let all = all.join(", ");
    output::print(&if wanted.dry_run {
        format!("nothing was changed; without --dry-run: {all}")
    } else {
        format!("converted: {all}")
    });
}

fn print_lost(tree: &TreeListing, lost: &[Lost]) {
    for one in lost {
        let (count, text) = (one.count, one.loss.text().in_lang(Lang::En));
        let whose = DialogId::side(&tree.root, &one.dialog);
        output::print(&format!("  lost in {whose}: {count} × {text}"));
    }
}

fn print_json(rows: &[Row<'_>], wanted: &ConvertArgs) {
    let trees: Value = rows.iter().map(|row| row_json(row, wanted)).collect();
    output::json(&json!({ "dryRun": wanted.dry_run, "to": wanted.to.name(), "trees": trees }));
}

/// Every field is present; absent values are `null`.
fn row_json(row: &Row<'_>, wanted: &ConvertArgs) -> Value {
    let (result, lost, copy, why) = match &row.outcome {
        Conversion::Same => ("same", &[][..], None, None),
        Conversion::Refused(why) => ("refused", &[][..], None, Some(why.to_string())),
        Conversion::Possible { lost } => ("possible", lost.as_slice(), None, None),
        Conversion::Done { lost, copy } => ("converted", lost.as_slice(), Some(copy), None),
    };
    let lost = lost
        .iter()
        .map(|one| json!({ "selfId": one.dialog, "what": one.loss.name(), "count": one.count }));
    json!({
        "rootId": row.tree.root,
        "status": row.tree.bucket.status(),
        "from": layout_of(row.tree),
        "to": wanted.to.name(),
        "result": result,
        "lost": lost.collect::<Value>(),
        "copy": copy,
        "reason": why,
    })
}
