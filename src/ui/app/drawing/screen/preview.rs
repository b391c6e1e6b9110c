//! The preview of the dialog that is selected in the tree, in the place of the open one.

use std::time::Instant;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::about::{DialogNames, speaker, tail_lines};
use super::layout::TranscriptTexts;
use super::{Screen, fitted_title};
use crate::action::Action;
use crate::app::dialogs::preview::Preview;
use crate::app::drawing::app_words;
use crate::app::drawing::areas::Areas;
use crate::app::flow::facts::Facts;
use crate::cx::View;
use crate::focus::Focus;
use crate::model::{Mark, Model};
use crate::panes::strip::{Strip, draw_between};
use crate::panes::{member, transcript, tree};
use crate::theme::Role;

impl Preview {
    /// Aims the preview at the selection of the tree, and arranges it. There is no preview without the focus
    /// on the tree, or without room beside it.
    pub(super) fn lay_out(
        &mut self,
        facts: Facts<'_>,
        now: Instant,
        areas: &Areas,
        view: View<'_>,
    ) -> Option<TranscriptTexts> {
        if facts.focus != Focus::Tree || areas.left.is_empty() || areas.right.is_empty() {
            self.leave();
            return None;
        }
        let Model { tree, inbox, retries, .. } = facts.model;
        let selected = tree.shown_selection().filter(|one| Some(*one) != facts.open_dialog());
        self.aim_at(selected.and_then(|dialog| tree.get(dialog)), now);
        let dialog = self.dialog()?.clone();
        let row = tree.get(&dialog);
        let cells = usize::from(areas.transcript.width);
        let texts = TranscriptTexts {
            speaker: self.records().map(|open| speaker(open, row)).unwrap_or_default(),
            tail: tail_lines(retries.get(&dialog), now, row, view.ui, cells),
            typed: String::new(),
        };
        let names = DialogNames { tree, inbox, dialog: &dialog };
        let context = texts.context(view, &names, None, false);
        self.arrange(&context, areas.transcript);
        Some(texts)
    }
}

impl Screen<'_> {
    /// `preview · @dba !schema · …`, and at the right how to open it.
    pub(super) fn draw_preview_title(&self, buffer: &mut Buffer, area: Rect, view: View<'_>) {
        let (app, ui) = (self.app, view.ui);
        let row = app.preview.dialog().and_then(|dialog| app.model.tree.get(dialog));
        let mark = Strip::new().put(ui.text(app_words::PREVIEW), ui.style(Role::Accent));
        let key = format!("{} {}", ui.key(tree::SCOPE, Action::Open), ui.text(app_words::OPEN));
        let mut right = Strip::new();
        if let Some(mark) = row.map(Mark::of) {
            right.push(&format!("{}  ", mark.glyph(&ui.glyphs)), ui.style(mark.role()));
        }
        right.push(&key, ui.style(Role::TextDim));
        let dot = format!(" {} ", ui.glyphs.middle_dot);
        let agent = row.map(|row| member::named(&app.model.workspace, &row.agent, ui));
        let agent = agent.unwrap_or_default();
        let slug = row.and_then(|row| row.slug.as_ref());
        let slug = slug.map(|slug| format!(" !{slug}")).unwrap_or_default();
        let who = format!("{dot}{agent}{slug}");
        let about = row.map(|row| ui.about(&row.title, row.foreign())).unwrap_or_default();
        let genseq = row.map_or(0, |row| row.genseq.0);
        let (about, tail) = match app.preview.records() {
            Some(open) => transcript::title(open, &about, genseq, ui),
            None if about.is_empty() => Default::default(),
            None => (format!("{dot}{about}"), String::new()),
        };
        let taken = mark.width() + right.width() + 2;
        let available = usize::from(area.width).saturating_sub(taken);
        let text = fitted_title(&who, &about, &tail, available, ui.glyphs.cut);
        let left = mark.put(&text, ui.style(Role::Title));
        draw_between(buffer, area, area.y, (&left, &right), ui.glyphs.cut);
    }

    pub(super) fn draw_preview(
        &self,
        texts: &TranscriptTexts,
        buffer: &mut Buffer,
        area: Rect,
        view: View<'_>,
    ) {
        let (app, ui) = (self.app, view.ui);
        let Some(dialog) = app.preview.dialog() else { return };
        if let Some(why) = app.preview.refusal() {
            let cells = usize::from(area.width);
            let why = Strip::new().put(why.as_str(), ui.style(Role::Bad));
            why.shortened(cells, ui.glyphs.cut, ui.style(Role::Bad)).draw(buffer, area, area.y);
            return;
        }
        let (tree, inbox) = (&app.model.tree, &app.model.inbox);
        let names = DialogNames { tree, inbox, dialog };
        app.preview.draw(&texts.context(view, &names, None, false), buffer, area);
    }
}
