//! Trees whose files are in no layout that this program writes: they are shown, and nothing of them is driven or changed.

use serde::{Deserialize, Serialize};

use crate::domain::text::Text;

/// Why a tree is only shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ForeignLayout {
    /// Of Dominds 1.17 or older, with `subdialogs/`.
    Older,
    /// Its files contradict themselves.
    Unclear,
    /// Its dialogs are in the layouts of two versions.
    Mixed,
    /// A layout of a newer Dominds than all that are known here, or an unknown name.
    #[serde(other)]
    Newer,
}

impl ForeignLayout {
    pub const ALL: [Self; 4] = [Self::Older, Self::Unclear, Self::Mixed, Self::Newer];

    /// The name in `--json` output.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Older => "older",
            Self::Unclear => "unclear",
            Self::Mixed => "mixed",
            Self::Newer => "newer",
        }
    }

    /// The mark before the title of a dialog.
    #[must_use]
    pub const fn mark(self) -> Text {
        match self {
            Self::Older => Text::new("(history)", "（历史）"),
            Self::Unclear | Self::Mixed | Self::Newer => Text::new("(read only)", "（只读）"),
        }
    }

    /// What the tree is, for a sentence that begins with its name.
    #[must_use]
    pub const fn reason(self) -> Text {
        match self {
            Self::Older => Text::new(
                "is history in an earlier layout (subdialogs/): it can be read, nothing else",
                "是早期布局 (subdialogs/) 的历史：只能阅读",
            ),
            Self::Unclear => Text::new(
                "is in no known layout (a latest.yaml has only some of nextStep, tellaskCalls and tellaskResults): it \
                 can be read, nothing else",
                "不属于任何已知布局（某个 latest.yaml 只有 nextStep、tellaskCalls、tellaskResults 中的一部分）：只能阅读",
            ),
            Self::Mixed => Text::new(
                "has dialogs in the layouts of two versions of Dominds (a conversion that was not finished?): it can be \
                 read, nothing else",
                "其中的对话采用两个 Dominds 版本的布局（转换未完成？）：只能阅读",
            ),
            Self::Newer => Text::new(
                "was written by a Dominds newer than 1.29: it can be read, nothing else",
                "由比 1.29 更新的 Dominds 写入：只能阅读",
            ),
        }
    }

    /// What a person can do.
    #[must_use]
    pub const fn fix(self) -> Text {
        match self {
            Self::Older => Text::new("nothing to do", "无需处理"),
            Self::Newer => Text::new(
                "go on with it in the Dominds that wrote it, or begin a new dialog here",
                "请在写入它的 Dominds 中继续，或在此新建对话",
            ),
            Self::Unclear | Self::Mixed => Text::new(
                "put it back from a copy, or finish its conversion; nothing here changes it",
                "请用副本恢复，或完成其转换；此处不会改动它",
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::assert_translated;

    #[test]
    fn each_layout_has_its_own_name_and_reason_in_both_languages() {
        let names: std::collections::BTreeSet<_> =
            ForeignLayout::ALL.map(ForeignLayout::name).into_iter().collect();
        let reasons =
            ForeignLayout::ALL.map(|layout| layout.reason().in_lang(crate::domain::Lang::En));
        assert_eq!(names.len(), ForeignLayout::ALL.len());
        assert_eq!(
            reasons.into_iter().collect::<std::collections::BTreeSet<_>>().len(),
            names.len()
        );
        for layout in ForeignLayout::ALL {
            for text in [layout.mark(), layout.reason(), layout.fix()] {
                assert_translated(&text.into());
            }
            let json = serde_json::to_value(layout).unwrap();
            assert_eq!(json, layout.name());
            assert_eq!(serde_json::from_value::<ForeignLayout>(json).unwrap(), layout);
        }
    }

    #[test]
    fn a_name_that_another_program_made_is_a_newer_layout() {
        let read: ForeignLayout = serde_json::from_value(serde_json::json!("2.0")).unwrap();
        assert_eq!(read, ForeignLayout::Newer);
    }
}
