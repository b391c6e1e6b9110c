//! Which changes of the problems are reported in the status line.

use crate::app::App;
use crate::app::drawing::app_words;
use crate::domain::{Lang, Problem};
use crate::draft_writer::DraftTexts;
use crate::follow_up::FollowUp;
use crate::model::unsaved::unsaved;
use crate::model::{Model, Tone};

/// Replaces the problems of the driver.
pub(in crate::app) fn replace(
    model: &mut Model,
    mut problems: Vec<Problem>,
    lang: Lang,
) -> Option<FollowUp> {
    problems.extend(model.unsaved_drafts.clone());
    let known = std::mem::replace(&mut model.problems, problems);
    changed(&known, &model.problems, lang)
}

impl App {
    /// Drafts were written, or why they could not be.
    pub fn drafts_written(&mut self, problem: Option<Problem>) {
        if self.model.unsaved_drafts == problem {
            return;
        }
        let before = std::mem::replace(&mut self.model.unsaved_drafts, problem);
        let mut problems = self.model.problems.clone();
        problems.retain(|one| before.as_ref() != Some(one));
        let told = replace(&mut self.model, problems, self.ui.lang);
        self.follow(told);
        self.redraw.mark();
    }

    /// The loop has ended, and this is not in the store.
    pub fn drafts_left(&mut self, texts: &DraftTexts) {
        self.model.unsaved_at_end = unsaved(texts);
    }
}

/// The first problem that was not known before; else, that all are fixed.
fn changed(known: &[Problem], now: &[Problem], lang: Lang) -> Option<FollowUp> {
    let mut fresh = now.iter().filter(|one| is_reported(one));
    if let Some(problem) = fresh.find(|one| known.iter().all(|known| known.id != one.id)) {
        return Some(FollowUp::NotifyText(Tone::Bad, problem.message().in_lang(lang).to_owned()));
    }
    let all_fixed = now.is_empty() && known.iter().any(is_reported);
    all_fixed.then_some(FollowUp::Notify(Tone::Good, app_words::ALL_FIXED))
}

/// Missing consent has a sheet and a count in the status line.
fn is_reported(problem: &Problem) -> bool {
    !problem.id.starts_with("trust/")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::text::Text;

    #[test]
    fn a_new_problem_is_reported_once_and_that_all_are_fixed() {
        let lang = Lang::Zh;
        let problem = |id: &str| {
            let (text, fix) = (Text::new("wrong", "有误"), Text::new("fix it", "请改正"));
            Problem::new(id, ".minds/team.yaml", text, fix)
        };
        let (one, consent) = (problem("team/wrong"), problem("trust/mcp"));
        let text = FollowUp::NotifyText(Tone::Bad, one.message().in_lang(lang).to_owned());
        let (only_one, only_consent) = ([one.clone()], [consent.clone()]);
        assert_eq!(changed(&[], &[consent, one], lang), Some(text));
        assert_eq!(changed(&only_one, &only_one, lang), None);
        let fixed = Some(FollowUp::Notify(Tone::Good, app_words::ALL_FIXED));
        assert_eq!(changed(&only_one, &[], lang), fixed);
        assert_eq!(changed(&only_consent, &[], lang), None);
    }
}
