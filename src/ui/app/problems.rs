//! Which change of the problems is reported in the status line.

use super::follow_up::FollowUp;
use crate::domain::Problem;
use crate::ui::app::words;
use crate::ui::model::Tone;

/// The first problem that was not known before; else, that all are fixed.
pub(super) fn changed(known: &[Problem], now: &[Problem]) -> Option<FollowUp> {
    let mut fresh = now.iter().filter(is_reported);
    if let Some(problem) = fresh.find(|one| known.iter().all(|known| known.id != one.id)) {
        return Some(FollowUp::NotifyText(Tone::Bad, problem.to_string()));
    }
    let all_fixed = now.is_empty() && known.iter().any(|one| is_reported(&one));
    all_fixed.then_some(FollowUp::Notify(Tone::Good, words::ALL_FIXED))
}

/// Missing consent has a sheet and a count in the status line.
fn is_reported(problem: &&Problem) -> bool {
    !problem.id.starts_with("trust/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_problem_is_reported_once_and_that_all_are_fixed() {
        let problem = |id: &str| Problem::new(id, ".minds/team.yaml", "wrong", "fix it");
        let (one, consent) = (problem("team/wrong"), problem("trust/mcp"));
        let text = FollowUp::NotifyText(Tone::Bad, one.to_string());
        let (only_one, only_consent) = ([one.clone()], [consent.clone()]);
        assert_eq!(changed(&[], &[consent, one]), Some(text));
        assert_eq!(changed(&only_one, &only_one), None);
        let fixed = Some(FollowUp::Notify(Tone::Good, words::ALL_FIXED));
        assert_eq!(changed(&only_one, &[]), fixed);
        assert_eq!(changed(&only_consent, &[]), None);
    }
}
