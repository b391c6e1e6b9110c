//! Trees whose files are not in the layout that this program writes: they are shown, and nothing of them is driven
//! or changed.

use serde::{Deserialize, Serialize};

use super::layout::Layout;
use crate::domain::text::Text;

/// Why a tree is only shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ForeignLayout {
    /// Of Dominds 1.17 or older, with `subdialogs/`.
    Older,
    /// Of Dominds 1.24 to 1.29.
    #[serde(rename = "1.29")]
    Recent,
    /// Its files contradict themselves.
    Unclear,
    /// Some of its dialogs are in the layout of this program, some are not.
    Mixed,
    /// A layout of a newer Dominds than all that are known here, or an unknown name.
    #[serde(other)]
    Newer,
}

impl ForeignLayout {
    pub const ALL: [Self; 5] = [Self::Older, Self::Recent, Self::Unclear, Self::Mixed, Self::Newer];

    /// Why a tree in this layout may only be read, if it may.
    #[must_use]
    pub const fn of(layout: Layout) -> Option<Self> {
        match layout {
            Layout::V1_19 => None,
            Layout::V1_29 => Some(Self::Recent),
        }
    }

    /// The layout in which such a tree is read whole. All others are shown as history.
    #[must_use]
    pub const fn layout(self) -> Option<Layout> {
        match self {
            Self::Recent => Some(Layout::V1_29),
            Self::Older | Self::Unclear | Self::Mixed | Self::Newer => None,
        }
    }

    /// The name in `--json` output.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Older => "older",
            Self::Recent => Layout::V1_29.name(),
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
            Self::Recent => Text::new("(Dominds 1.29)", "（Dominds 1.29 布局）"),
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
            Self::Recent => Text::new(
                "is in the layout of Dominds 1.24 to 1.29, which is not written here yet: it can be read, nothing else",
                "采用 Dominds 1.24 到 1.29 的布局，此处尚不写入：只能阅读",
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
            Self::Recent | Self::Newer => Text::new(
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
