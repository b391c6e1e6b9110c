//! Time as cells: which part of it is in view, which span a cell shows, and the labels of the axis. A window is
//! of shown time, as its [`Scale`] has it.

use std::ops::Range;

use super::scale::Scale;
use crate::domain::Stamp;
use crate::domain::reading::timeline::{Activity, Span, Timeline};
use crate::protocol::TimelineView;
use crate::theme::{Glyphs, Role};

const MINUTE: i64 = 60;
const DAY: i64 = 24 * 60 * MINUTE;
/// Cells between the starts of two labels of the axis, beside the label.
const LABEL_GAP: usize = 4;

/// A tree's final rest is drawn as 1/`REST_PART` of the time before.
const REST_PART: i64 = 8;

/// A part of the time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Window {
    pub from: i64,
    /// The duration in seconds, at least 1.
    pub seconds: i64,
}

/// A span as it is shown: one that goes on ends now.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stretch<'a> {
    pub span: &'a Span,
    pub to: i64,
    pub goes_on: bool,
}

/// The content of a cell. If several kinds share it, the greatest is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum CellKind {
    NothingToDo,
    Ready,
    Stopped,
    ForDialogs,
    Ran,
    ForPerson,
    /// A failed request is made again. No record says so: only the cell of now is known.
    Retrying,
}

impl CellKind {
    pub const ALL: [Self; 7] = [
        Self::Ran,
        Self::Retrying,
        Self::ForDialogs,
        Self::ForPerson,
        Self::Ready,
        Self::Stopped,
        Self::NothingToDo,
    ];

    pub fn of(activity: &Activity) -> Self {
        match activity {
            Activity::Ran { .. } => Self::Ran,
            Activity::WaitedForDialogs(_) => Self::ForDialogs,
            Activity::WaitedForPerson { .. } => Self::ForPerson,
            Activity::WasReady => Self::Ready,
            Activity::HadNothingToDo => Self::NothingToDo,
            Activity::WasStopped | Activity::WasCutOff => Self::Stopped,
        }
    }

    pub fn glyph(self, glyphs: &Glyphs) -> &'static str {
        match self {
            Self::Ran => glyphs.at_work,
            Self::Retrying => glyphs.retrying,
            Self::ForDialogs => glyphs.waiting,
            Self::ForPerson => glyphs.needs_you,
            Self::Ready => glyphs.ready,
            Self::Stopped => glyphs.stopped,
            Self::NothingToDo => glyphs.middle_dot,
        }
    }

    pub fn role(self) -> Role {
        match self {
            Self::Ran => Role::Accent,
            Self::ForDialogs => Role::Text,
            Self::ForPerson => Role::Attention,
            Self::Retrying | Self::Stopped => Role::Warning,
            Self::Ready | Self::NothingToDo => Role::TextDim,
        }
    }
}

/// Returns the spans of a dialog as shown at `now`.
pub(super) fn stretches(timeline: &Timeline, now: i64) -> impl Iterator<Item = Stretch<'_>> {
    let last = timeline.spans.len();
    timeline.spans.iter().enumerate().map(move |(at, span)| {
        let goes_on = timeline.goes_on && at + 1 == last;
        let to = if goes_on { span.to.max(now) } else { span.to };
        Stretch { span, to, goes_on }
    })
}

impl Stretch<'_> {
    /// True if nothing happens in it until a person acts.
    fn rests(self) -> bool {
        match self.span.activity {
            Activity::HadNothingToDo | Activity::WasStopped | Activity::WasCutOff => self.goes_on,
            Activity::Ran { .. }
            | Activity::WaitedForDialogs(_)
            | Activity::WaitedForPerson { .. }
            | Activity::WasReady => false,
        }
    }
}

/// Returns the window from the first span of any dialog to the end of the last. If all rest, it ends soon
/// after the last began to: otherwise the earlier time would be one cell a day later.
pub(super) fn whole(view: &TimelineView, now: i64) -> (Window, Scale) {
    let all = || view.rows.iter().flat_map(|row| stretches(&row.timeline, now));
    let from = all().map(|stretch| stretch.span.from).min().unwrap_or(now);
    let to = all().map(|stretch| stretch.to).max().unwrap_or(now);
    let active =
        |stretch: Stretch<'_>| if stretch.rests() { stretch.span.from } else { stretch.to };
    let rests_from = all().map(active).max().unwrap_or(to);
    let scale = Scale::of(view, now, rests_from);
    let (to, rests_from) = (scale.shown(to), scale.shown(rests_from));
    let active_seconds = rests_from.saturating_sub(from);
    let to = if active_seconds > 0 {
        to.min(rests_from.saturating_add(active_seconds / REST_PART + 1))
    } else {
        to
    };
    (Window { from, seconds: to.saturating_sub(from).max(1) }, scale)
}

impl Window {
    pub fn to(self) -> i64 {
        self.from.saturating_add(self.seconds)
    }

    /// Returns the columns that a span covers, out of `cells`; `None` if it is out of view.
    pub fn cells_of(
        self,
        stretch: Stretch<'_>,
        scale: &Scale,
        cells: usize,
    ) -> Option<Range<usize>> {
        self.cells_between(scale.shown(stretch.span.from), scale.shown(stretch.to), cells)
    }

    /// Returns the columns of a part of the shown time.
    pub fn cells_between(self, from: i64, to: i64, cells: usize) -> Option<Range<usize>> {
        let ends_before = to < self.from || (to == self.from && from < to);
        if cells == 0 || ends_before || from > self.to() || (from == self.to() && from < to) {
            return None;
        }
        let start = self.cell(from, cells).min(cells - 1);
        let scaled = i128::from(to - self.from) * i128::try_from(cells).ok()?;
        let end = (scaled + i128::from(self.seconds) - 1).div_euclid(i128::from(self.seconds));
        let end = usize::try_from(end).unwrap_or_default().min(cells);
        Some(start..end.max(start + 1))
    }

    /// The cell of a time in view.
    fn cell(self, at: i64, cells: usize) -> usize {
        let scaled = i128::from(at.saturating_sub(self.from)) * i128::try_from(cells).unwrap_or(0);
        usize::try_from(scaled.div_euclid(i128::from(self.seconds.max(1)))).unwrap_or_default()
    }

    /// The time at the left edge of a cell.
    fn time_of(self, cell: usize, cells: usize) -> i64 {
        let scaled = i128::from(self.seconds) * i128::try_from(cell).unwrap_or(0);
        let passed = scaled / i128::try_from(cells.max(1)).unwrap_or(1);
        self.from.saturating_add(i64::try_from(passed).unwrap_or_default())
    }

    /// Returns the kind of each cell of a dialog; `None` before its birth and after its end. `retries`: it does now.
    pub fn kinds(
        self,
        (timeline, retries): (&Timeline, bool),
        (now, scale): (i64, &Scale),
        cells: usize,
    ) -> Vec<Option<CellKind>> {
        let mut kinds = vec![None; cells];
        for stretch in stretches(timeline, now) {
            if retries && stretch.goes_on {
                let to = scale.shown(stretch.to);
                let range = self.cells_between(to, to, cells).unwrap_or_default();
                for kind in kinds.iter_mut().take(range.end).skip(range.start) {
                    *kind = Some(CellKind::Retrying);
                }
            }
            let kind = Some(CellKind::of(&stretch.span.activity));
            for cell in self.cells_of(stretch, scale, cells).unwrap_or_default() {
                if let Some(shown) = kinds.get_mut(cell) {
                    *shown = kind.max(*shown);
                }
            }
        }
        kinds
    }

    /// The times below the chart, each with its cell.
    pub fn labels(self, scale: &Scale, cells: usize) -> Vec<(usize, String)> {
        let part = match scale.time(self.to()).saturating_sub(scale.time(self.from)) {
            ..=1_800 => 11..19,
            1_801..=DAY => 11..16,
            _ => 5..16,
        };
        let step = part.len() + LABEL_GAP;
        let starts = (0..cells).step_by(step).filter(|start| start + part.len() <= cells);
        let label = |start| {
            let stamp = Stamp::of_seconds(scale.time(self.time_of(start, cells)));
            (start, stamp.as_str().get(part.clone()).unwrap_or_default().to_owned())
        };
        starts.map(label).collect()
    }

    /// Returns the window moved into `whole`.
    pub fn within(self, whole: Self) -> Self {
        let seconds = self.seconds.clamp(1, whole.seconds);
        let last = whole.to() - seconds;
        Self { from: self.from.clamp(whole.from, last.max(whole.from)), seconds }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_stretch_has_cells_exactly_where_it_is_in_view(
            from in 0i64..1_000, length in 0i64..500,
            start in 0i64..1_000, seconds in 1i64..1_000, cells in 1usize..120,
        ) {
            let activity = Activity::Ran { generations: 1 };
            let span = Span { from, to: from + length, activity, place: None };
            let stretch = Stretch { span: &span, to: span.to, goes_on: false };
            let window = Window { from: start, seconds };
            let touches = from <= window.to() && from + length >= start;
            match window.cells_of(stretch, &Scale::default(), cells) {
                Some(range) => {
                    prop_assert!(touches && range.start < range.end && range.end <= cells);
                }
                None => prop_assert!(
                    !touches || (length > 0 && (from == window.to() || from + length == start))
                ),
            }
        }

        #[test]
        fn a_window_stays_within_the_whole_time(
            from in -5_000i64..5_000, seconds in 1i64..5_000,
            start in 0i64..1_000, length in 1i64..1_000,
        ) {
            let whole = Window { from: start, seconds: length };
            let inside = Window { from, seconds }.within(whole);
            prop_assert!(inside.from >= whole.from && inside.to() <= whole.to());
        }
    }
}
