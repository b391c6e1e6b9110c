//! The one user message that puts a Taskdoc into the context.

use super::{LIMIT_BYTES, Taskdoc};
use crate::domain::Lang;
use crate::minds::prompt::Text;

const HEAD: Text = Text::english("# Taskdoc");
const GOALS: Text = Text::english("Goals");
const CONSTRAINTS: Text = Text::english("Constraints");
const BEAR_IN_MIND: Text = Text::english("Bear in mind");
const PROGRESS: Text = Text::english("Progress");
const MORE: Text = Text::english("More sections (read one with `recall_taskdoc`)");
const UNLISTED: Text = Text::english("and others not listed:");
const VIOLATIONS: Text = Text::english("Not in order (tell the owner of the Taskdoc)");
const EMPTY: Text = Text::english("(empty)");
const TOO_LARGE: Text = Text::english(
    "Its sections together are larger than 100 KiB and are left out here. Before other work, \
     have them shortened: keep goals, constraints and the present state; move details to their \
     own sections.",
);

/// Goals, constraints, bear in mind, progress, then the index. Too large a text is replaced by a
/// notice that says so.
#[must_use]
pub fn render(taskdoc: &Taskdoc, lang: Lang) -> String {
    let text = in_full(taskdoc, lang);
    if text.len() <= LIMIT_BYTES {
        return text;
    }
    format!("{}\n\n{}\n", head(taskdoc, lang), TOO_LARGE.of(lang))
}

fn in_full(taskdoc: &Taskdoc, lang: Lang) -> String {
    let mut text = head(taskdoc, lang);
    section(&mut text, GOALS.of(lang), &taskdoc.goals, lang);
    section(&mut text, CONSTRAINTS.of(lang), &taskdoc.constraints, lang);
    if !taskdoc.bear_in_mind.is_empty() {
        text.push_str(&format!("\n\n## {}", BEAR_IN_MIND.of(lang)));
        for (name, body) in &taskdoc.bear_in_mind {
            text.push_str(&format!("\n\n### {name}\n\n{body}"));
        }
    }
    section(&mut text, PROGRESS.of(lang), &taskdoc.progress, lang);
    if !taskdoc.index.is_empty() {
        let mut names = bullets(&taskdoc.index);
        if taskdoc.unlisted > 0 {
            let more = format!("\n- {} {}", UNLISTED.of(lang), taskdoc.unlisted);
            names.push_str(&more);
        }
        section(&mut text, MORE.of(lang), &names, lang);
    }
    if !taskdoc.violations.is_empty() {
        let found = bullets(&taskdoc.violations);
        section(&mut text, VIOLATIONS.of(lang), &found, lang);
    }
    text.push('\n');
    text
}

fn head(taskdoc: &Taskdoc, lang: Lang) -> String {
    format!("{} `{}`", HEAD.of(lang), taskdoc.path)
}

fn section(text: &mut String, title: &str, body: &str, lang: Lang) {
    let body = if body.trim().is_empty() { EMPTY.of(lang) } else { body };
    text.push_str(&format!("\n\n## {title}\n\n{body}"));
}

fn bullets(items: &[String]) -> String {
    let lines: Vec<String> = items.iter().map(|item| format!("- {item}")).collect();
    lines.join("\n")
}
