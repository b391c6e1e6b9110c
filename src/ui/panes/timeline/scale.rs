//! Time as the chart shows it: where idle times take more than the time at work, they are shortened, so that
//! work stays readable beside a wait of a day.

use std::ops::Range;

use super::chart::{Stretch, stretches};
use crate::domain::reading::timeline::Activity;
use crate::protocol::TimelineView;

/// An idle time that is shorter is never shortened, in seconds.
const LONG: i64 = 60;
/// A shortened gap is drawn as at most 1/`PART` of the working time, all of them as at most 1/`PART_OF_ALL`.
const PART: i64 = 8;
const PART_OF_ALL: i64 = 4;

/// A time in which nobody works, and the seconds that it takes in the chart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Gap {
    pub time: Range<i64>,
    seconds: i64,
}

/// Maps times to shown times: they begin together and advance equally, except in the gaps.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Scale {
    gaps: Vec<Gap>,
}

impl Scale {
    /// Gaps after `until` are not shortened.
    pub fn of(view: &TimelineView, now: i64, until: i64) -> Self {
        let all = view.rows.iter().flat_map(|row| stretches(&row.timeline, now));
        let mut busy: Vec<(i64, i64)> =
            all.filter(|stretch| works(*stretch)).map(|one| (one.span.from, one.to)).collect();
        busy.sort_unstable();
        let Some((from, mut end)) = busy.first().copied() else { return Self::default() };
        let mut idle = Vec::new();
        for (next, to) in busy.into_iter().chain([(until, until)]) {
            if next.saturating_sub(end) > LONG {
                idle.push(end..next);
            }
            end = end.max(to);
        }
        let length = |time: &Range<i64>| time.end.saturating_sub(time.start);
        let idle_seconds: i64 = idle.iter().map(length).sum();
        let work = end.saturating_sub(from).saturating_sub(idle_seconds);
        if idle_seconds <= work {
            return Self::default();
        }
        let count = i64::try_from(idle.len()).unwrap_or(i64::MAX);
        let seconds = (work / PART.max(count.saturating_mul(PART_OF_ALL))).max(1);
        idle.retain(|time| length(time) > seconds.saturating_mul(2));
        Self { gaps: idle.into_iter().map(|time| Gap { time, seconds }).collect() }
    }

    pub fn gaps(&self) -> &[Gap] {
        &self.gaps
    }

    /// Returns the position of a time in the chart.
    pub fn shown(&self, at: i64) -> i64 {
        self.gaps.iter().take_while(|gap| gap.time.start < at).fold(at, |shown, gap| {
            let passed = at.min(gap.time.end).saturating_sub(gap.time.start);
            shown.saturating_sub(passed.saturating_sub(gap.shown_of(passed)))
        })
    }

    /// The time that is shown there.
    pub fn time(&self, shown: i64) -> i64 {
        let mut left_out = 0i64;
        for gap in &self.gaps {
            let start = gap.time.start.saturating_sub(left_out);
            if shown <= start {
                break;
            }
            if shown < start.saturating_add(gap.seconds) {
                return gap.time.start.saturating_add(gap.passed_at(shown - start));
            }
            left_out = left_out.saturating_add(gap.length() - gap.seconds);
        }
        shown.saturating_add(left_out)
    }
}

impl Gap {
    /// The seconds that it really takes.
    pub fn length(&self) -> i64 {
        self.time.end.saturating_sub(self.time.start)
    }

    fn shown_of(&self, passed: i64) -> i64 {
        scaled(passed, self.seconds, self.length())
    }

    fn passed_at(&self, shown: i64) -> i64 {
        scaled(shown, self.length(), self.seconds)
    }
}

fn scaled(value: i64, by: i64, of: i64) -> i64 {
    let scaled = i128::from(value) * i128::from(by) / i128::from(of.max(1));
    i64::try_from(scaled).unwrap_or(i64::MAX)
}

/// Something goes on in it without a person.
fn works(stretch: Stretch<'_>) -> bool {
    match stretch.span.activity {
        Activity::Ran { .. } | Activity::WasReady => true,
        Activity::WaitedForDialogs(_)
        | Activity::WaitedForPerson { .. }
        | Activity::HadNothingToDo
        | Activity::WasStopped
        | Activity::WasCutOff => false,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::domain::reading::timeline::{Span, Timeline};
    use crate::domain::{DialogId, RootId};
    use crate::protocol::TimelineRow;

    fn view(ran: &[(i64, i64)]) -> TimelineView {
        let span = |(from, to): &(i64, i64)| {
            let activity = Activity::Ran { generations: 1 };
            Span { from: *from, to: *to, activity, place: None }
        };
        let timeline =
            Timeline { spans: ran.iter().map(span).collect(), goes_on: false, left_out: 0 };
        let dialog = DialogId::main(RootId::new("a"));
        let row = TimelineRow { dialog, agent: "a".into(), slug: None, depth: 0, timeline };
        TimelineView { rows: vec![row], left_out: 0 }
    }

    #[test]
    fn idle_times_are_shortened_where_they_take_more_than_the_work() {
        let day = 24 * 60 * 60;
        let runs = [(0, 400), (450, 700), (day, day + 150)];
        let scale = Scale::of(&view(&runs), day + 150, day + 150);
        assert_eq!(scale.gaps(), [Gap { time: 700..day, seconds: 106 }]);
        assert_eq!((scale.shown(700), scale.shown(day)), (700, 806));
        let short = Scale::of(&view(&[(0, 400), (900, 1_300)]), 1_300, 1_300);
        assert_eq!(short, Scale::default());
    }

    proptest! {
        #[test]
        fn shown_time_runs_forward_and_leads_back_to_its_time(
            runs in proptest::collection::vec((0i64..5_000, 1i64..2_000), 0..8),
            at in 0i64..50_000, later in 0i64..5_000,
        ) {
            let mut from = 0;
            let runs: Vec<(i64, i64)> = runs.into_iter().map(|(idle, length)| {
                let run = (from + idle, from + idle + length);
                from = run.1;
                run
            }).collect();
            let scale = Scale::of(&view(&runs), from, from + 3_000);
            let shown = scale.shown(at);
            prop_assert!(shown <= at && shown <= scale.shown(at + later));
            let back = scale.time(shown);
            let again = scale.shown(back);
            prop_assert!(back <= at && (again..=again + 1).contains(&shown), "{back} {scale:?}");
            let ran = runs.iter().any(|(from, to)| (*from..*to).contains(&at));
            prop_assert!(!ran || back == at, "work is as long as it was");
        }
    }
}
