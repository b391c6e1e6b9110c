//! What the terminal says of its colours, and whether it knows links.

use ratatui::style::Color;

use super::*;
use crate::terminal::LinkSupport;
use crate::theme::{ColorDepth, Rgb, Shade, ShadedThemes};

/// Two themes that differ in the colour of text.
fn shaded() -> ShadedThemes {
    let theme = |words| {
        Theme::from_value(&serde_json::json!({ "text": words, "title": words }), ColorDepth::True)
            .unwrap()
    };
    ShadedThemes { dark: theme("white"), light: theme("black") }
}

/// Plays replies into the loop; returns the colour of the first character, the number of frames, and the questions.
async fn shown_after(replies: Vec<(u64, Input)>) -> (Color, usize, String) {
    let mut surface = Memory::new();
    let mut app = app();
    app.change_look(LookChange::Themes(shaded()));
    let (to_driver, _commands) = mpsc::channel(4);
    let (events, from_driver) = mpsc::channel(64);
    let channels = Channels {
        input: typing(replies),
        commands: to_driver,
        events: from_driver,
        looks: mpsc::channel(1).1,
        shutdown: std::future::pending(),
        stops: stream::pending(),
        written: Arc::new(Notify::new()),
        drafts: DraftWriter::start(SessionOnlyDrafts).unwrap(),
        copies: CopyMaker::start(MemoryTarget::NoProgram).unwrap(),
        programs: Arc::new(TestHost::default()),
    };
    let script = async {
        sleep(1_000).await;
        events.send(DriverEvent::Stopped).await.unwrap();
    };
    let (ended, ()) = tokio::join!(run(&mut app, &mut surface, channels, OPTIONS), script);
    ended.unwrap();
    let cells = surface.terminal.backend().buffer().content().iter();
    let mut colours = cells.filter(|cell| cell.symbol() != " ").map(|cell| cell.fg);
    let asked = String::from_utf8(surface.controls).unwrap();
    (colours.find(|colour| *colour != Color::Reset).unwrap(), surface.frames, asked)
}

#[tokio::test(start_paused = true)]
async fn the_theme_follows_the_background_and_is_drawn_once() {
    let on = |value| Input::Reply(Reply::Background(Rgb([value; 3])));
    let scheme = |shade| Input::Reply(Reply::Scheme(shade));
    let (_, quiet, _) = shown_after(Vec::new()).await;
    for (replies, expected, frames) in [
        (vec![], Color::White, 0),
        (vec![(0, on(250)), (0, Input::Reply(Reply::Attributes))], Color::Black, 0),
        (vec![(100, on(250))], Color::Black, 1),
        (vec![(100, on(10))], Color::White, 0),
        (vec![(100, scheme(Shade::Light))], Color::Black, 1),
        (vec![(100, on(250)), (100, on(10))], Color::White, 2),
    ] {
        let (colour, drawn, asked) = shown_after(replies.clone()).await;
        assert_eq!((colour, drawn, asked.as_str()), (expected, quiet + frames, ""), "{replies:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_change_of_the_desktop_counts_only_if_the_terminal_changed_too() {
    let dark = Input::Reply(Reply::Background(Rgb::BLACK));
    let changed = Input::Reply(Reply::Scheme(Shade::Light));
    let (colour, _, asked) = shown_after(vec![(10, dark), (10, changed)]).await;
    assert_eq!((colour, asked.as_bytes()), (Color::White, Control::ask_background().bytes()));
}

#[tokio::test(start_paused = true)]
async fn after_the_program_was_suspended_a_terminal_that_said_its_colours_is_asked_again() {
    let ctrl_z = Event::Key(KeyEvent::new(KeyCode::Char('z'), KeyModifiers::CONTROL));
    let dark = Input::Reply(Reply::Background(Rgb::BLACK));
    let asks = String::from_utf8(Control::ask_background().bytes().to_vec()).unwrap();
    for (input, expected) in [
        (vec![(10, dark), (10, ctrl_z.clone().into())], asks.as_str()),
        (vec![(10, ctrl_z.into())], ""),
    ] {
        let (_, _, asked) = shown_after(input).await;
        assert_eq!(asked, expected);
    }
}

#[tokio::test(start_paused = true)]
async fn links_are_shown_where_the_terminal_says_that_it_knows_them() {
    for (support, expected) in [(LinkSupport::Known, "links"), (LinkSupport::Unknown, "")] {
        let reply = Input::Reply(Reply::Terminal { notifier: None, links: support });
        let (_, _, asked) = shown_after(vec![(10, reply)]).await;
        assert_eq!(asked, expected);
    }
}
