//! The owners' state that an action may read. It changes none of them: what follows from it is
//! returned as data.

use crate::app::drawing::app_words;
use crate::cx::UiSettings;
use crate::domain::DialogId;
use crate::focus::Focus;
use crate::follow_up::{FollowUp, FollowUps};
use crate::model::{Model, Tone};
use crate::panes::transcript::OpenDialog;
use crate::protocol::TreeRow;

#[derive(Debug, Clone, Copy)]
pub(in crate::app) struct Facts<'a> {
    pub model: &'a Model,
    pub open: Option<&'a OpenDialog>,
    pub focus: Focus,
    pub ui: &'a UiSettings,
}

impl<'a> Facts<'a> {
    pub fn row(self, dialog: &DialogId) -> Option<&'a TreeRow> {
        self.model.tree.get(dialog)
    }

    pub fn open_dialog(self) -> Option<&'a DialogId> {
        self.open.map(|open| &open.dialog)
    }

    pub fn open_row(self) -> Option<&'a TreeRow> {
        self.row(self.open_dialog()?)
    }

    /// Acts on the open dialog; notifies the user if there is none.
    pub fn on_open(self, act: impl FnOnce(&DialogId, Self) -> FollowUps) -> FollowUps {
        match self.open_dialog() {
            Some(dialog) => act(dialog, self),
            None => vec![FollowUp::Notify(Tone::Plain, app_words::NOTHING_OPEN)],
        }
    }

    /// Acts on the selected dialog of the tree; notifies the user if there is none.
    pub fn on_selected(self, act: impl FnOnce(&DialogId, Self) -> FollowUps) -> FollowUps {
        match self.model.tree.shown_selection() {
            Some(dialog) => act(dialog, self),
            None => vec![FollowUp::Notify(Tone::Plain, app_words::CHOOSE_DIALOG)],
        }
    }

    /// Acts on the dialog of the pane that has the focus: the selected one in the tree, else the open one.
    pub fn on_dialog_here(self, act: impl FnOnce(&DialogId, Self) -> FollowUps) -> FollowUps {
        if self.focus == Focus::Tree { self.on_selected(act) } else { self.on_open(act) }
    }

    /// Acts on the selected dialog of the tree if it is a main dialog; notifies the user otherwise.
    pub fn on_selected_main(self, act: impl FnOnce(&DialogId, Self) -> FollowUps) -> FollowUps {
        self.on_selected(|dialog, facts| facts.if_main(dialog, act))
    }

    /// Acts on a main dialog; for a side dialog, notifies the user.
    pub fn if_main(
        self,
        dialog: &DialogId,
        act: impl FnOnce(&DialogId, Self) -> FollowUps,
    ) -> FollowUps {
        if dialog.is_main() {
            act(dialog, self)
        } else {
            vec![FollowUp::Notify(Tone::Plain, app_words::ONLY_MAIN_DIALOGS)]
        }
    }
}

#[cfg(test)]
pub(in crate::app) mod testing {
    //! Facts of a small workspace, for the tests of actions.

    use super::*;
    use crate::app::tests::fixture::rows;
    use crate::bindings;
    use crate::domain::Lang;
    use crate::highlight::CodeColours;
    use crate::links::Links;
    use crate::theme::{Glyphs, Theme};

    /// The workspace of the fixture, with no dialog open.
    pub struct Workspace {
        pub model: Model,
        pub focus: Focus,
        ui: UiSettings,
    }

    impl Workspace {
        pub fn new() -> Self {
            let mut model = Model::default();
            model.tree.set(rows());
            model.tree.refresh();
            let (keymap, lang) = (bindings::defaults(), Lang::En);
            let ui = UiSettings {
                theme: Theme::plain(),
                glyphs: Glyphs::UTF8,
                keymap,
                lang,
                colours: CodeColours::off(),
                links: Links::default(),
            };
            Self { model, focus: Focus::Tree, ui }
        }

        pub fn facts(&self) -> Facts<'_> {
            Facts { model: &self.model, open: None, focus: self.focus, ui: &self.ui }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::testing::Workspace;
    use super::*;
    use crate::app::tests::fixture::{main_dialog, side};
    use crate::domain::text::Text;
    use crate::follow_up::ToModel;
    use crate::panes::transcript::Unfolded;

    fn notices(word: Text) -> FollowUps {
        vec![FollowUp::Notify(Tone::Plain, word)]
    }

    fn selected(dialog: &DialogId, _: Facts<'_>) -> FollowUps {
        vec![FollowUp::Model(ToModel::SelectDialog(dialog.clone()))]
    }

    #[test]
    fn an_action_is_about_the_selected_dialog_in_the_tree_and_elsewhere_about_the_open_one() {
        let mut workspace = Workspace::new();
        assert_eq!(workspace.facts().on_dialog_here(selected), notices(app_words::CHOOSE_DIALOG));
        workspace.model.tree.select(&side("r"));
        let selection = vec![FollowUp::Model(ToModel::SelectDialog(side("r")))];
        assert_eq!(workspace.facts().on_dialog_here(selected), selection);
        workspace.focus = Focus::Dialog;
        assert_eq!(workspace.facts().on_dialog_here(selected), notices(app_words::NOTHING_OPEN));
        let open = OpenDialog::new(main_dialog(), Unfolded::default());
        let facts = Facts { open: Some(&open), ..workspace.facts() };
        assert_eq!(
            facts.on_dialog_here(selected),
            [FollowUp::Model(ToModel::SelectDialog(main_dialog()))]
        );
    }

    #[test]
    fn an_action_for_main_dialogs_is_refused_for_side_dialogs() {
        let mut workspace = Workspace::new();
        workspace.model.tree.select(&side("r"));
        assert_eq!(
            workspace.facts().on_selected_main(selected),
            notices(app_words::ONLY_MAIN_DIALOGS)
        );
        workspace.model.tree.select(&main_dialog());
        let selection = vec![FollowUp::Model(ToModel::SelectDialog(main_dialog()))];
        assert_eq!(workspace.facts().on_selected_main(selected), selection);
    }
}
