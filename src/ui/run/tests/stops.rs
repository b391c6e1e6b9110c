//! Signals from outside that ask the process to stop; what the terminal draws two cells wide.

use super::*;
use crate::text::wide_chars::WideChars;

/// Shows a dialog for three seconds; signals that ask to stop come after these pauses, in milliseconds.
async fn shown(surface: &mut Memory, keys: Vec<(u64, Input)>, pauses: Vec<u64>) {
    let (to_driver, _commands) = mpsc::channel(16);
    let (events, from_driver) = mpsc::channel(4);
    let channels = Channels {
        input: typing(keys),
        commands: to_driver,
        events: from_driver,
        looks: mpsc::channel(1).1,
        shutdown: std::future::pending(),
        stops: Box::pin(stream::iter(pauses).then(sleep).chain(stream::pending())),
        written: Arc::new(Notify::new()),
        drafts: DraftWriter::start(SessionOnlyDrafts).unwrap(),
        copies: CopyMaker::start(MemoryTarget::Takes).unwrap(),
        programs: Arc::new(TestHost::default()),
    };
    let script = async {
        sleep(3_000).await;
        events.send(DriverEvent::Stopped).await.unwrap();
    };
    let mut app = with_dialog();
    let (ended, ()) = tokio::join!(run(&mut app, surface, channels, OPTIONS), script);
    assert_eq!(ended.unwrap(), RunEnd::Settled);
}

#[tokio::test(start_paused = true)]
async fn a_signal_from_outside_stops_the_process_once_also_if_it_is_passed_on_again() {
    for (pauses, suspended) in [(vec![], 0), (vec![10], 1), (vec![10, 5], 1), (vec![10, 2_000], 2)]
    {
        let mut surface = Memory::new();
        shown(&mut surface, Vec::new(), pauses.clone()).await;
        assert_eq!(surface.suspended, suspended, "{pauses:?}");
        assert!(!surface.lent);
    }
}

#[tokio::test(start_paused = true)]
async fn a_signal_in_the_background_stops_the_process_and_the_terminal_is_left_alone() {
    let ctrl_z = Event::Key(KeyEvent::new(KeyCode::Char('z'), KeyModifiers::CONTROL));
    let mut surface = Memory::new();
    surface.places = VecDeque::from([JobPlace::Background; 100]);
    shown(&mut surface, vec![(10, ctrl_z.into())], vec![2_000]).await;
    // Nothing was drawn: the surface checks that.
    assert_eq!((surface.suspended, surface.lent), (2, true));
}

#[tokio::test(start_paused = true)]
async fn the_symbols_are_those_of_ascii_where_the_terminal_draws_signs_two_cells_wide() {
    for (columns, wide) in [
        ([1, 5], WideChars::SignsAndLetters),
        ([1, 4], WideChars::Signs),
        ([1, 3], WideChars::None),
        ([1, 1], WideChars::None),
    ] {
        let mut surface = Memory::new();
        let replies = columns.map(|column| (0, Input::Reply(Reply::Column(column))));
        shown(&mut surface, replies.to_vec(), Vec::new()).await;
        let cells = surface.terminal.backend().buffer().content().iter();
        let text: String = cells.map(ratatui::buffer::Cell::symbol).collect();
        assert_eq!(WideChars::now(), wide);
        assert_eq!(text.contains('─'), wide == WideChars::None, "{text}");
        assert!(text.contains("hello"), "{text}");
        WideChars::None.set();
    }
}
