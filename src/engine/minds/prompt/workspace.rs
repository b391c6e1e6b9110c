//! Section: the workspace's environment text, and the paths that file tools cannot access.

use super::input::{PromptInput, PromptSection};
use crate::domain::AccessLists;
use crate::domain::text::Text;

const TITLE: Text = Text::new("Where you work", "你在哪里工作");
const RESERVED_PATHS: Text = Text::new(
    "Paths are relative to the workspace; file tools do not leave it. Closed to them: `.minds/` \
     (the team's configuration), `.dialogs/` and `.hive/` (the program's state) and every `*.tsk/` \
     (Taskdocs, which have tools of their own). `.git` can be read, not written.",
    "路径都相对于工作区；文件工具不会越出它。以下对文件工具关闭：`.minds/`（团队配置）、\
     `.dialogs/` 和 `.hive/`（程序的状态）以及所有 `*.tsk/`（任务文档，另有专用工具）。\
     `.git` 只可读取，不可写入。",
);
const READ_ONLY_BELOW: Text = Text::new("You may read only", "你只能读取");
const WRITE_ONLY_BELOW: Text = Text::new("You may write only", "你只能写入");
const NO_READ: Text = Text::new("You may not read", "你不能读取");
const NO_WRITE: Text = Text::new("You may not write", "你不能写入");

pub(super) fn environment(facts: &PromptInput) -> PromptSection {
    let mut parts: Vec<String> = facts.environment.map(str::to_owned).into_iter().collect();
    parts.push(facts.text(&RESERVED_PATHS).to_owned());
    let own = access_rules(facts, &facts.member.access);
    if !own.is_empty() {
        parts.push(own);
    }
    (&TITLE, Some(parts.join("\n\n")))
}

fn access_rules(facts: &PromptInput, access: &AccessLists) -> String {
    let rows = [
        (&READ_ONLY_BELOW, &access.read_dirs, ""),
        (&WRITE_ONLY_BELOW, &access.write_dirs, ""),
        (&NO_READ, &access.no_read_dirs, ""),
        (&NO_WRITE, &access.no_write_dirs, ""),
        (&READ_ONLY_BELOW, &access.read_file_ext_names, "*."),
        (&WRITE_ONLY_BELOW, &access.write_file_ext_names, "*."),
        (&NO_READ, &access.no_read_file_ext_names, "*."),
        (&NO_WRITE, &access.no_write_file_ext_names, "*."),
    ];
    let lines = rows.into_iter().filter(|(_, names, _)| !names.is_empty());
    let lines: Vec<String> = lines
        .map(|(what, names, before)| {
            let names: Vec<String> = names.iter().map(|n| format!("`{before}{n}`")).collect();
            format!("- {}: {}", facts.text(what), names.join(", "))
        })
        .collect();
    lines.join("\n")
}
