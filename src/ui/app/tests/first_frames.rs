//! The screen before and after the first load, and stop reasons.

use std::sync::Arc;
use std::time::Duration;

use ratatui::layout::Size;

use super::fixture::*;
use crate::app::drawing::app_words;
use crate::app::{App, AppOptions, AppStart, ComposerKeys, DriverLife, Effect, ScreenNotice};
use crate::domain::DisplayState;
use crate::domain::dialogs::latest::StopReason;
use crate::domain::safety::sandbox::Level;
use crate::domain::text::Localized;
use crate::draft_writer::DraftTexts;
use crate::panes::tree::NO_DIALOGS;
use crate::protocol::{DriverEvent, RetryView, TreeRow};
use crate::terminal::MouseUse;

fn titles(stage: &mut Stage) -> Vec<Effect> {
    let effects = stage.app.take_effects().into_iter();
    effects.filter(|effect| matches!(effect, Effect::Title(_))).collect()
}

#[test]
fn the_title_counts_open_questions_from_the_first_frame_on() {
    let mut stage = Stage::new(80, 24);
    stage.apply(DriverEvent::Rows(rows()));
    assert_eq!(titles(&mut stage), []);
    stage.apply(DriverEvent::Inbox(questions()));
    assert_eq!(titles(&mut stage), [Effect::Title(2)], "before the first frame that shows them");
    stage.apply(DriverEvent::Inbox(questions().split_off(1)));
    assert_eq!(titles(&mut stage), [Effect::Title(1)]);
    let mut stage = Stage::new(80, 24);
    stage.apply(DriverEvent::Rows(rows())).apply(DriverEvent::Inbox(Vec::new()));
    assert_eq!(titles(&mut stage), [], "nothing is counted where nothing waits");
    stage.apply(DriverEvent::Inbox(questions()));
    assert_eq!(titles(&mut stage), [Effect::Title(2)]);
}

#[test]
fn nothing_is_reported_as_empty_before_it_is_loaded() {
    let missing =
        [app_words::NOTHING_OPEN, app_words::NO_TARGET, NO_DIALOGS, app_words::NOTHING_WAITS];
    for (width, height) in [(120, 40), (80, 24), (60, 20), (40, 12)] {
        let mut stage = Stage::new(width, height);
        let nothing = |screen: &str| {
            let words = missing.iter().map(|word| word.in_lang(crate::domain::Lang::En));
            words.filter(|word| screen.contains(*word)).count()
        };
        assert_eq!(nothing(&stage.screen()), 0, "{}", stage.screen());
        stage.apply(DriverEvent::Workspace(workspace())).apply(DriverEvent::Rows(rows()));
        assert_eq!(nothing(&stage.screen()), 0, "{}", stage.screen());
        stage.apply(DriverEvent::Inbox(questions()));
        assert_eq!(nothing(&stage.screen()), 0, "{}", stage.screen());
        let mut stage = Stage::new(width, height);
        stage.apply(DriverEvent::Rows(Vec::new())).apply(DriverEvent::Inbox(Vec::new()));
        assert!(nothing(&stage.screen()) > 0, "then it is: {}", stage.screen());
    }
}

const WHY: &str = "the provider refused the request (401): the key in OPENAI_API_KEY is not \
accepted for the project proj_12345; check the key, then continue.\nIt was sent to \
https://api.example.com/v1/chat/completions";

/// The text right of the left column, without blanks: line breaks do not matter.
fn letters(screen: &str, left: usize) -> String {
    screen.lines().flat_map(|line| line.chars().skip(left)).filter(|c| !c.is_whitespace()).collect()
}

#[test]
fn a_stop_reason_is_readable_in_full_at_every_size() {
    for (width, height, left) in [(120, 40, 41), (80, 24, 29), (60, 20, 0), (40, 12, 0)] {
        let mut stage = Stage::new(width, height);
        let shown = DisplayState::Stopped {
            reason: StopReason::system(Localized::same(WHY)),
            continue_enabled: Some(true),
        };
        let stopped = TreeRow { state: shown, ..rows().remove(0) };
        stage
            .apply(DriverEvent::Rows(vec![stopped]))
            .apply(DriverEvent::Inbox(Vec::new()))
            .page(&[])
            .keys("3");
        let screen = stage.screen();
        assert!(screen.contains("c continues it"), "{screen}");
        let (shown, all) = (letters(&screen, left), letters(WHY, 0));
        if height > 12 {
            assert!(shown.contains(&all), "{screen}");
        } else {
            // Longer than the pane: it scrolls like everything else.
            assert!(shown.contains(&all[60..160]), "{screen}");
            stage.keys("g");
            assert!(letters(&stage.screen(), left).contains(&all[..120]), "{}", stage.screen());
        }
        if width < 120 && height > 12 {
            insta::assert_snapshot!(format!("stopped-{width}x{height}"), screen);
        }
    }
}

#[test]
fn the_error_of_a_retried_request_is_readable_in_full() {
    let mut stage = Stage::new(60, 20);
    stage
        .apply(DriverEvent::Rows(rows()))
        .apply(DriverEvent::Inbox(Vec::new()))
        .page(&[])
        .keys("3");
    let retry =
        RetryView::Waiting { error: Localized::same(WHY), seconds: 30, server: String::new() };
    stage.apply(DriverEvent::Retry { dialog: main_dialog(), retry });
    let screen = stage.screen();
    assert!(letters(&screen, 0).contains(&letters(WHY, 0)), "{screen}");
}

#[test]
fn a_stop_reason_is_shown_in_the_language_of_the_screen() {
    let mut stage = Stage::chinese(80, 24);
    let row = TreeRow { state: stopped(), ..rows().remove(0) };
    stage
        .apply(DriverEvent::Rows(vec![row]))
        .apply(DriverEvent::Inbox(Vec::new()))
        .page(&[])
        .keys("3");
    let screen = stage.screen();
    assert!(screen.contains("■ 由你停止  c 继续"), "{screen}");
}

#[test]
fn a_stop_reason_at_the_end_is_shown_from_its_first_line() {
    for (width, height) in [(60, 20), (40, 12)] {
        let mut stage = Stage::new(width, height);
        stage.apply(DriverEvent::Rows(rows())).apply(DriverEvent::Inbox(Vec::new()));
        let said = words("a word that was said");
        stage.page(&[said.as_str(); 5]).keys("3").screen();
        let error = "the provider is down, and nobody knows since when, or for how long, or why";
        let retry = RetryView::Waiting {
            error: Localized::same(error),
            seconds: 30,
            server: String::new(),
        };
        stage.apply(DriverEvent::Retry { dialog: main_dialog(), retry });
        let screen = stage.screen();
        assert!(letters(&screen, 0).contains("nextretryin30sRretrynow"), "{screen}");
    }
}

#[test]
fn a_locale_without_letters_is_named_in_letters_that_it_has() {
    let mut stage = Stage::new(80, 24);
    stage.app.tell(ScreenNotice::WithoutLetters);
    let screen = stage.screen();
    assert!(
        screen.contains("no UTF-8 in the locale") && screen.contains("LC_ALL=C.UTF-8"),
        "{screen}"
    );
}

fn begun(start: AppStart) -> App {
    let stage = Stage::new(80, 24);
    App::new(AppOptions {
        ui: (*stage.settings()).clone(),
        clock: Arc::new(CLOCK),
        drafts: DraftTexts::new(),
        undo_answers: Duration::ZERO,
        moment: stage.now,
        start,
    })
}

#[test]
fn a_screen_begins_as_it_was_set_up() {
    let level = Some(Level::Off);
    let (mouse, composer_keys) = (MouseUse::On, ComposerKeys::Vi);
    for (inline, driver) in [(true, DriverLife::GoesOn), (false, DriverLife::CanGoOn)] {
        let start = AppStart {
            inline,
            views_only: true,
            driver,
            mouse,
            composer_keys,
            level,
            ..AppStart::default()
        };
        let mut app = begun(start);
        assert_eq!(app.inline_rows(Size::new(80, 24)).is_some(), inline);
        let reports = app.take_effects().contains(&Effect::UseMouse(MouseUse::On));
        assert_eq!(reports, !inline, "below the text of the terminal the mouse is never used");
        assert_eq!((app.model.driver_goes_on, app.model.detaches), (inline, !inline));
        assert!(app.model.views_only && app.writing.has_vi());
        assert_eq!(app.model.level, level);
    }
    let mut app = begun(AppStart::default());
    assert_eq!(app.take_effects(), []);
    assert!(!app.model.driver_goes_on && !app.model.detaches && !app.model.views_only);
}
