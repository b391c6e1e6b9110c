//! Values of `hive.yaml` and of the files of teams that are not as they should be.

use serde_json::{Map, Value};

use crate::domain::text::{Text, localized};
use crate::minds::nearest::remove_or_rename;
use crate::minds::report::{ProblemReport, clip};

/// The fix for an invalid value of `hive.yaml`.
pub(super) const IS_ABSENT: Text =
    Text::new("correct it; until then it counts as absent", "请改正；在此之前视为没有写");
/// The fix for an invalid value in the file of a team.
pub(super) const NO_TEAM: Text =
    Text::new("correct it; until then there is no such team", "请改正；在此之前没有该团队");

/// Reports a value that is not one of the allowed ones.
pub(super) fn one_of(keys: &[&str], known: &str, found: &Value, report: &mut ProblemReport<'_>) {
    let fix = if keys.first() == Some(&"autonomy") {
        Text::new(
            "correct it; until then it counts as confirm_all",
            "请改正；在此之前按 confirm_all 处理",
        )
    } else {
        IS_ABSENT
    };
    none_of(keys, (known, fix), found, report);
}

/// As [`one_of`], with another fix.
pub(super) fn none_of(
    keys: &[&str],
    (known, fix): (&str, Text),
    found: &Value,
    report: &mut ProblemReport<'_>,
) {
    let path = keys.iter().map(|key| clip(key)).collect::<Vec<_>>().join(".");
    let found = clip(&found.to_string());
    let text = localized!(
        "`{path}` must be one of {known}, not {found}",
        "`{path}` 应为 {known} 之一，而不是 {found}"
    );
    report.add(&format!("hive/value/{path}"), keys, text, fix);
}

/// Keys of `hive` in the user's own configuration that one might expect in a workspace, too.
const OF_THE_USER: [&str; 6] = ["hive", "url", "urlEnv", "org", "box", "takeover_seconds"];

/// Reports unknown keys; true if there are any.
pub(super) fn unknown_keys(
    map: &Map<String, Value>,
    at: &[&str],
    known: &[&str],
    report: &mut ProblemReport<'_>,
) -> bool {
    let unknown: Vec<&String> = map.keys().filter(|key| !known.contains(&key.as_str())).collect();
    for key in &unknown {
        let keys: Vec<&str> = at.iter().copied().chain([key.as_str()]).collect();
        let path = keys.iter().map(|key| clip(key)).collect::<Vec<_>>().join(".");
        let text = if keys.first() == Some(&"autonomy") {
            localized!(
                "unknown key `{path}`; until it is corrected, its rule counts as confirm_all",
                "未知的键 `{path}`；改正之前，该规则按 confirm_all 处理"
            )
        } else {
            localized!("unknown key `{path}`", "未知的键 `{path}`")
        };
        if at.is_empty() && OF_THE_USER.contains(&key.as_str()) {
            let text = localized!(
                "`{path}` is ignored: a workspace does not say where the store is",
                "忽略 `{path}`：工作区不决定存储的位置"
            );
            let fix = Text::new(
                "remove it; a shared store is set in your own config.yaml",
                "请删除；共享存储在你自己的 config.yaml 中设置",
            );
            report.add(&format!("hive/of-the-user/{path}"), &keys, text, fix);
            continue;
        }
        let fix = remove_or_rename(key, known.iter().copied());
        report.warn(&format!("hive/unknown-key/{path}"), &keys, text, fix);
    }
    !unknown.is_empty()
}
