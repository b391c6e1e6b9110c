//! Every part of the screen at four sizes, with the role of each text: a person reviews it after a change of
//! the screen. The table in `docs/themes.md` shows the roles in a theme; here each theme is drawn, and each
//! cell has to look as its role does there.

mod blocks;
mod roles;
mod stages;

use insta::{assert_snapshot, with_settings};

use self::roles::{CellRoles, Cells, DrawnCell, probe, with_roles};
use self::stages::{
    IN_CHINESE, OF_FILTERS, OF_FOCUS, OF_OVERLAYS, OF_PROMPTS, OF_SHEETS, SURFACES,
};
use super::fixture::*;
use crate::action::Scope;
use crate::bindings;
use crate::panes::{confirm, consent, inbox, tree};
use crate::quarter::quarter;
use crate::theme::tests::embedded;
use crate::theme::{ColorDepth, EMBEDDED, Pair, Paper, Rgb, Role};

const SIZES: [(u16, u16); 4] = [(120, 40), (80, 24), (60, 20), (40, 12)];

/// A part of the screen, and how it is brought there.
struct Surface {
    name: &'static str,
    show: fn(u16, u16) -> Stage,
}

/// The name of each part of the screen, and how it is brought there.
pub fn surfaces() -> impl Iterator<Item = (&'static str, fn(u16, u16) -> Stage)> {
    SURFACES.iter().map(|surface| (surface.name, surface.show))
}

#[test]
fn every_part_of_the_screen_has_its_roles_at_every_size() {
    assert_pictures(SURFACES);
}

#[test]
fn the_newest_screens_have_their_roles_at_every_size_in_chinese_too() {
    assert_pictures(IN_CHINESE);
}

/// Compares each surface, at all sizes, with the snapshot of its name.
fn assert_pictures(surfaces: &[Surface]) {
    for Surface { name, show } in surfaces {
        let mut sizes = Vec::new();
        for (width, height) in SIZES {
            let mut stage = show(width, height);
            stage.wear(probe());
            let printed = with_roles(&Cells(stage.printed()));
            let drawn = with_roles(&Cells(stage.drawn()));
            let above =
                if printed.is_empty() { String::new() } else { printed + "==== live rows\n" };
            sizes.push(format!("{width}x{height}\n{above}{drawn}"));
        }
        with_settings!({ prepend_module_to_snapshot => false, omit_expression => true }, {
            assert_snapshot!(*name, sizes.join("\n"));
        });
    }
}

#[test]
fn every_overlay_every_list_and_every_pane_is_in_the_gallery() {
    for name in [OF_OVERLAYS, OF_PROMPTS, OF_SHEETS, OF_FILTERS, OF_FOCUS].concat() {
        assert!(SURFACES.iter().any(|surface| surface.name == name), "no surface {name}");
    }
    let wide = [Scope::ANYWHERE, Scope::PANES, bindings::DEMO];
    let mut missing = bindings::scopes();
    for Surface { show, .. } in SURFACES {
        let stage = show(120, 40);
        missing.retain(|scope| {
            let shown = stage.app.overlays.shows(*scope) || stage.app.focus.scope() == *scope;
            !shown && !wide.contains(scope)
        });
    }
    assert_eq!(missing, []);
}

#[test]
fn every_role_is_somewhere_in_the_gallery() {
    let mut missing = Role::ALL.to_vec();
    for Surface { show, .. } in SURFACES {
        let mut stage = show(120, 40);
        stage.wear(probe());
        for cells in [Cells(stage.printed()), Cells(stage.drawn())] {
            for cell in cells.drawn() {
                let CellRoles { ink, mark, .. } = cell.roles();
                let ink = ink.filter(|_| !cell.is_blank());
                missing.retain(|role| ink != Some(*role) && mark != Some(*role));
            }
        }
    }
    assert_eq!(missing, []);
}

/// The places of the cells that look as the current match.
fn current_match(stage: &mut Stage) -> Vec<usize> {
    let cells = Cells(stage.drawn());
    let marked = cells
        .drawn()
        .enumerate()
        .filter(|(_, cell)| cell.roles().mark == Some(Role::SearchCurrent));
    marked.map(|(at, _)| at).collect()
}

#[test]
fn one_match_looks_current_and_goes_with_the_keys_that_step() {
    let mut searched = 0;
    for Surface { name, show } in SURFACES {
        let mut stage = show(120, 40);
        let scope = stage.app.focus.scope();
        let is_read = !scope.is_for_typing()
            && ![confirm::SCOPE, consent::SCOPE, inbox::SCOPE, tree::SCOPE].contains(&scope);
        if !is_read {
            continue;
        }
        stage.wear(probe());
        stage.keys("/").type_text("e").screen();
        let has_match = |line: &str| line.contains("find · ") && line.contains(" of ");
        if !stage.screen().lines().any(has_match) {
            continue;
        }
        assert_eq!(current_match(&mut stage).len(), 1, "{name}\n{}", stage.screen());
        let first = current_match(stage.keys("<enter>"));
        assert_eq!(first.len(), 1, "{name}\n{}", stage.screen());
        let last = stage.screen().lines().last().unwrap_or_default().to_owned();
        let next = current_match(stage.keys("n"));
        assert_eq!(next.len(), 1, "{name}\n{}", stage.screen());
        assert_ne!(stage.screen().lines().last(), Some(last.as_str()), "{name}: it is counted");
        assert_eq!(current_match(stage.keys("N")).len(), 1, "{name}\n{}", stage.screen());
        assert_eq!(current_match(stage.keys("<esc>")).len(), 0, "{name}\n{}", stage.screen());
        searched += usize::from(first != next);
    }
    assert!(searched > 5, "{searched}");
}

#[test]
fn what_is_open_is_drawn_in_a_new_theme_at_once() {
    // A selection ends with another width.
    for Surface { name, show } in SURFACES.iter().filter(|one| one.name != "selection") {
        let mut stage = show(80, 24);
        stage.screen();
        stage.wear(probe());
        let changed = with_roles(&Cells(stage.drawn()));
        // In another width all rows are made again.
        stage.resize(120, 24);
        stage.screen();
        stage.resize(80, 24);
        let again = with_roles(&Cells(stage.drawn()));
        for (row, made_again) in changed.lines().zip(again.lines()) {
            let text = |row: &str| row.split('┃').next().map(str::to_owned);
            assert!(text(row) != text(made_again) || row == made_again, "{name}: {row}");
        }
    }
}

#[test]
fn in_every_theme_each_text_looks_as_its_role_does_and_is_read() {
    let cases = SURFACES.iter().flat_map(|surface| SIZES.map(|size| (surface, size)));
    for (Surface { name, show }, (width, height)) in quarter(cases) {
        let mut stage = show(width, height);
        stage.wear(probe());
        let roles = Cells(stage.drawn());
        for (theme_name, depth) in looks(width) {
            let theme = embedded(theme_name, depth);
            stage.wear(theme.clone());
            let cells = Cells(stage.drawn());
            let at = format!("{name} {theme_name} {depth:?} {width}x{height}");
            for (drawn, probed) in cells.drawn().zip(roles.drawn()) {
                assert_eq!(drawn.symbol, probed.symbol, "{at}");
                if drawn.is_blank() {
                    continue;
                }
                let shown = || format!("{at}: {drawn:?}, which is {:?}", probed.roles());
                assert!(probed.roles().looks(&theme, &drawn), "{}", shown());
                assert!(is_read((theme_name, depth), &drawn, &probed), "{}", shown());
            }
        }
    }
}

/// Every theme in exact colours; of one size also with sixteen colours, and with none, where all are the same.
fn looks(width: u16) -> impl Iterator<Item = (&'static str, ColorDepth)> {
    let few = ["dark", "light", "contrast"].map(|name| (name, ColorDepth::Sixteen));
    let few = few.into_iter().chain([("dark", ColorDepth::None)]);
    EMBEDDED
        .into_iter()
        .map(|(name, _)| (name, ColorDepth::True))
        .chain(few.filter(move |_| width == 80))
}

/// Without colours, nothing is drawn in one; with them, the contrast is high enough.
fn is_read(
    (theme, depth): (&str, ColorDepth),
    drawn: &DrawnCell<'_>,
    probed: &DrawnCell<'_>,
) -> bool {
    if Paper::of(theme) == Paper::Terminal || depth == ColorDepth::None {
        return drawn.has_no_colour();
    }
    if probed.roles().ink == Some(Role::Rule) {
        return true;
    }
    let (wanted, paper) = match (depth, theme) {
        // Grey on white is not read better there.
        (ColorDepth::Sixteen, "light") => (4.0, Paper::Weakest(Rgb::WHITE)),
        (ColorDepth::Sixteen, _) => (4.5, Paper::Weakest(Rgb::BLACK)),
        (_, "contrast") => (7.0, Paper::of(theme)),
        (..) => (4.5, Paper::of(theme)),
    };
    let pair = Pair::drawn(drawn.style, paper);
    pair.is_none_or(|pair| pair.contrast() >= wanted)
}
