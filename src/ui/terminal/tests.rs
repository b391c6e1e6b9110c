//! Modes are restored at every exit; frames never wait for the terminal.

use std::sync::Mutex;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

use super::*;
use crate::text::CopyText;

/// A writer whose bytes can be read back, and a raw mode that only records its state.
#[derive(Debug, Clone, Default)]
struct Tty {
    bytes: Arc<Mutex<Vec<u8>>>,
    raw: Arc<AtomicBool>,
    broken: bool,
}

impl Tty {
    fn screen(&self) -> vt100::Parser {
        let mut parser = vt100::Parser::new(4, 20, 0);
        parser.process(&self.bytes.lock().unwrap());
        parser
    }

    fn is_ours(&self) -> bool {
        let parser = self.screen();
        let ours = parser.screen().alternate_screen();
        assert_eq!(parser.screen().bracketed_paste(), ours);
        assert_eq!(self.raw.load(Ordering::SeqCst), ours);
        ours
    }
}

impl Write for Tty {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.broken {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        self.bytes.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl RawMode for Tty {
    fn set(&mut self, raw: bool) -> io::Result<()> {
        self.raw.store(raw, Ordering::SeqCst);
        Ok(())
    }
}

fn enter(tty: &Tty, flag: &ModeFlag) -> TerminalGuard<Tty, Tty> {
    TerminalGuard::enter(tty.clone(), tty.clone(), flag.clone()).unwrap()
}

#[test]
fn leaving_or_dropping_restores_the_terminal_once() {
    let (tty, flag) = (Tty::default(), ModeFlag::default());
    let mut guard = enter(&tty, &flag);
    assert!(tty.is_ours() && flag.is_on());
    guard.leave().unwrap();
    assert!(!tty.is_ours() && !flag.is_on());
    let length = tty.bytes.lock().unwrap().len();
    drop(guard);
    assert_eq!(tty.bytes.lock().unwrap().len(), length);
    drop(enter(&tty, &flag));
    assert!(!tty.is_ours());
}

#[test]
fn a_closed_terminal_is_not_written_to_again() {
    let (tty, flag) = (Tty::default(), ModeFlag::default());
    let mut guard = enter(&tty, &flag);
    let length = tty.bytes.lock().unwrap().len();
    guard.abandon();
    drop(guard);
    assert_eq!(tty.bytes.lock().unwrap().len(), length);
}

#[test]
fn the_cursor_and_the_scroll_region_are_restored_too() {
    let (mut tty, flag) = (Tty::default(), ModeFlag::default());
    let guard = enter(&tty, &flag);
    tty.write_all(b"\x1b[?25l\x1b[2;3r\x1b[1;31m").unwrap();
    drop(guard);
    let parser = tty.screen();
    assert!(!parser.screen().hide_cursor() && !parser.screen().bold());
}

#[test]
fn a_terminal_that_another_program_used_meanwhile_is_set_anew_and_has_its_title_back_at_the_end() {
    let (tty, flag) = (Tty::default(), ModeFlag::default());
    let mut guard = enter(&tty, &flag);
    // As a shell does with a job that was stopped from outside.
    tty.raw.store(false, Ordering::SeqCst);
    guard.set_again().unwrap();
    assert!(tty.is_ours());
    guard.leave().unwrap();
    guard.return_to().unwrap();
    drop(guard);
    let bytes = String::from_utf8(tty.bytes.lock().unwrap().clone()).unwrap();
    let count = |text: &str| bytes.matches(text).count();
    assert_eq!((count("\x1b[22;0t"), count("\x1b[23;0t")), (2, 2), "as often kept as given back");
    assert!(bytes.rfind("\x1b[23;0t") > bytes.rfind("\x1b[22;0t"));
}

#[test]
fn the_terminal_of_a_stopped_screen_is_in_order_and_its_title_is_kept_for_the_end() {
    let (mut tty, flag) = (Tty::default(), ModeFlag::default());
    std::mem::forget(enter(&tty, &flag));
    let mut raw = tty.clone();
    reset_modes(&mut tty, &mut raw, &flag).unwrap();
    assert!(!tty.is_ours());
    let bytes = String::from_utf8(tty.bytes.lock().unwrap().clone()).unwrap();
    assert!(!bytes.contains("\x1b[23;0t"), "{bytes:?}");
}

#[test]
fn what_is_measured_leaves_nothing_on_the_screen_and_the_cursor_where_it_was() {
    for flag in [ModeFlag::default(), ModeFlag::inline()] {
        let mut tty = Tty::default();
        tty.write_all(b"$ dominds\r\n$ ").unwrap();
        let mut guard = enter(&tty, &flag);
        let seen = |tty: &Tty| {
            let parser = tty.screen();
            (parser.screen().contents(), parser.screen().cursor_position())
        };
        let before = seen(&tty);
        guard.send(&Control::ask_background().measuring()).unwrap();
        assert_eq!(seen(&tty), before);
        let bytes = tty.bytes.lock().unwrap().clone();
        let (letters, ends) = ("\x1b[6n…я\x1b[6n", Control::ask_background());
        assert!(String::from_utf8_lossy(&bytes).contains(letters) && bytes.ends_with(ends.bytes()));
    }
}

#[test]
fn a_reset_of_an_inline_screen_stays_on_the_ordinary_one() {
    let (mut tty, flag) = (Tty::default(), ModeFlag::inline());
    std::mem::forget(enter(&tty, &flag));
    let mut raw = tty.clone();
    reset(&mut tty, &mut raw, &flag).unwrap();
    let bytes = String::from_utf8(tty.bytes.lock().unwrap().clone()).unwrap();
    assert!(!bytes.contains("1049") && bytes.rfind("\x1b[?7h") > bytes.rfind("\x1b[?7l"));
    assert!(!tty.raw.load(Ordering::SeqCst) && !tty.screen().screen().bracketed_paste());
}

#[test]
fn an_inline_screen_erases_its_live_rows_and_nothing_else_at_every_end() {
    let text = b"one\r\ntwo\r\nlive\r\nlive";
    for suspended in [false, true] {
        let (mut tty, flag) = (Tty::default(), ModeFlag::inline());
        let mut guard = enter(&tty, &flag);
        tty.write_all(text).unwrap();
        flag.live_rows().unwrap().set_above(1);
        if suspended {
            guard.leave().unwrap();
            guard.return_to().unwrap();
        }
        drop(guard);
        let bytes = tty.bytes.lock().unwrap().clone();
        let bytes = String::from_utf8(bytes).unwrap();
        assert!(!bytes.contains("1049") && !bytes.contains("\x1b[r"), "{bytes:?}");
        assert!(bytes.rfind("\x1b[?7h") > bytes.rfind("\x1b[?7l"), "{bytes:?}");
        let parser = tty.screen();
        assert_eq!(parser.screen().contents().trim_end(), "one\ntwo");
        assert_eq!(parser.screen().cursor_position(), (2, 0));
        assert!(!parser.screen().bracketed_paste() && !flag.is_on());
        assert_eq!(flag.live_rows().unwrap().above(), 0, "they are gone");
    }
}

#[test]
fn a_terminal_that_cannot_be_written_to_is_not_left_raw() {
    let tty = Tty { broken: true, ..Tty::default() };
    let flag = ModeFlag::default();
    assert!(TerminalGuard::enter(tty.clone(), tty.clone(), flag.clone()).is_err());
    assert!(!tty.raw.load(Ordering::SeqCst) && !flag.is_on());
}

#[test]
fn a_terminal_left_behind_can_be_reset() {
    let (mut tty, flag) = (Tty::default(), ModeFlag::default());
    std::mem::forget(enter(&tty, &flag));
    let mut raw = tty.clone();
    reset(&mut tty, &mut raw, &flag).unwrap();
    assert!(!tty.is_ours());
}

#[test]
fn a_terminal_without_an_alternate_screen_keeps_no_row_of_a_frame() {
    let shown = |tty: &Tty| {
        let bytes = tty.bytes.lock().unwrap().clone();
        let text = String::from_utf8(bytes).unwrap();
        let ignored = text.replace("\x1b[?1049h", "").replace("\x1b[?1049l", "");
        let mut parser = vt100::Parser::new(4, 20, 0);
        parser.process(ignored.as_bytes());
        (parser.screen().contents(), parser.screen().cursor_position())
    };
    let frame = b"\x1b[2;3r\x1b[1;1Hframe\x1b[4;9Hframe\x1b[2;2H";
    let (mut tty, flag) = (Tty::default(), ModeFlag::default());
    let mut guard = enter(&tty, &flag);
    tty.write_all(frame).unwrap();
    guard.leave().unwrap();
    assert_eq!(shown(&tty), (String::new(), (0, 0)));
    guard.return_to().unwrap();
    tty.write_all(frame).unwrap();
    drop(guard);
    assert_eq!(shown(&tty), (String::new(), (0, 0)));
    tty.write_all(b"text").unwrap();
    let mut raw = tty.clone();
    reset(&mut tty, &mut raw, &flag).unwrap();
    assert_eq!(shown(&tty).0, "text", "a reset erases nothing");
}

#[test]
fn only_a_panic_of_the_screen_thread_restores_the_terminal() {
    let screen = thread::current().id();
    let other = thread::spawn(|| thread::current().id()).join().unwrap();
    assert_eq!(location_of(screen, screen), PanicLocation::Screen);
    assert_eq!(location_of(other, screen), PanicLocation::Background);
}

#[test]
fn the_title_counts_open_questions() {
    assert_eq!(Control::title(0).bytes(), b"\x1b]2;dominds\x07");
    assert_eq!(Control::title(2).bytes(), b"\x1b]2;(2?) dominds\x07");
    assert_eq!(Control::bell().bytes(), b"\x07");
}

#[test]
fn text_for_the_clipboard_is_encoded_so_that_it_cannot_end_the_sequence() {
    let text = CopyText::clean("a\u{7}\u{1b}\\");
    let bytes = |multiplexer| Control::clipboard(&text, multiplexer).unwrap().bytes().to_vec();
    let plain = b"\x1b]52;c;YeKQh+KQm1w=\x07".to_vec();
    assert_eq!(bytes(Multiplexer::None), plain);
    let wrapped = b"\x1bPtmux;\x1b\x1b]52;c;YeKQh+KQm1w=\x07\x1b\\".to_vec();
    assert_eq!(bytes(Multiplexer::Tmux), [plain, wrapped].concat());
    assert_eq!(bytes(Multiplexer::Screen), b"\x1bP\x1b]52;c;YeKQh+KQm1w=\x07\x1b\\");
}

#[test]
fn gnu_screen_gets_the_clipboard_in_pieces_that_it_keeps_and_joins() {
    let text = CopyText::clean(&"字".repeat(2_000));
    let sent = Control::clipboard(&text, Multiplexer::Screen).unwrap();
    let sent = String::from_utf8(sent.bytes().to_vec()).unwrap();
    let pieces: Vec<&str> = sent.split_inclusive("\x1b\\").collect();
    assert!(pieces.len() > 10 && pieces.iter().all(|piece| piece.len() <= 768));
    let joined: String =
        pieces.iter().map(|piece| &piece["\x1bP".len()..piece.len() - "\x1b\\".len()]).collect();
    let plain = Control::clipboard(&text, Multiplexer::None).unwrap();
    assert_eq!(joined.as_bytes(), plain.bytes());
}

#[test]
fn a_text_that_terminals_would_drop_is_not_sent() {
    let text = |bytes: usize| CopyText::clean(&"x".repeat(bytes));
    let sent = Control::clipboard(&text(MAX_CLIPBOARD_BYTES), Multiplexer::None).unwrap();
    assert!(sent.bytes().len() <= 100_000);
    assert_eq!(Control::clipboard(&text(MAX_CLIPBOARD_BYTES + 1), Multiplexer::None), None);
}

/// A terminal that accepts a frame only when allowed to.
struct Stalling {
    arrive: Sender<Vec<u8>>,
    go: Receiver<io::Result<()>>,
}

impl Write for Stalling {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.arrive.send(bytes.to_vec()).unwrap();
        self.go.recv().unwrap().map(|()| bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The test's ends: frames as they reach the terminal, leave to go on, and finished frames.
struct Far {
    frames: Receiver<Vec<u8>>,
    go_on: Sender<io::Result<()>>,
    finished: Receiver<()>,
}

/// Returns the next item; fails the test if none comes soon.
fn next<T>(from: &Receiver<T>) -> T {
    from.recv_timeout(Duration::from_mins(1)).unwrap()
}

fn stalling() -> (Output, Far) {
    let (arrive, frames) = channel();
    let (go_on, go) = channel();
    let (finish, finished) = channel();
    let writer = Stalling { arrive, go };
    let output = Output::start(writer, move || {
        let _ = finish.send(());
    })
    .unwrap();
    (output, Far { frames, go_on, finished })
}

#[test]
fn with_a_stalled_terminal_frames_are_refused_and_not_queued() {
    let (output, Far { frames, go_on, finished }) = stalling();
    assert!(output.is_idle());
    output.try_submit(b"one".to_vec()).unwrap();
    assert_eq!(next(&frames), b"one");
    assert_eq!(output.try_submit(b"two".to_vec()), Err(OutputError::Busy));
    assert!(!output.is_idle() && output.busy_for(Instant::now()).is_some());
    assert!(!output.wait(Duration::ZERO));
    go_on.send(Ok(())).unwrap();
    next(&finished);
    assert!(output.is_idle() && output.wait(Duration::ZERO));
    output.try_submit(b"three".to_vec()).unwrap();
    assert_eq!(next(&frames), b"three");
    go_on.send(Ok(())).unwrap();
    next(&finished);
}

#[test]
fn a_closed_terminal_accepts_no_frames() {
    let (output, Far { frames, go_on, finished }) = stalling();
    output.try_submit(b"one".to_vec()).unwrap();
    next(&frames);
    go_on.send(Err(io::ErrorKind::BrokenPipe.into())).unwrap();
    next(&finished);
    assert_eq!(output.try_submit(b"two".to_vec()), Err(OutputError::Gone));
    assert_eq!(output.failure(), Some(io::ErrorKind::BrokenPipe));
    let error = Sink::new(Arc::new(output)).write(b"x").unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::BrokenPipe);
}

#[test]
fn the_mouse_is_given_back_whenever_the_terminal_is_and_taken_again_with_it() {
    let (tty, flag) = (Tty::default(), ModeFlag::default());
    let mut guard = enter(&tty, &flag);
    let reported = |tty: &Tty| {
        let mode = tty.screen().screen().mouse_protocol_mode();
        mode != vt100::MouseProtocolMode::None
    };
    assert!(!reported(&tty), "off by default");
    guard.use_mouse(MouseUse::On);
    let mut frames = tty.clone();
    frames.write_all(Control::mouse(MouseUse::On).bytes()).unwrap();
    assert!(reported(&tty));
    guard.set_again().unwrap();
    assert!(reported(&tty), "continued");
    guard.leave().unwrap();
    assert!(!reported(&tty), "lent or left");
    guard.return_to().unwrap();
    assert!(reported(&tty));
    guard.use_mouse(MouseUse::Off);
    frames.write_all(Control::mouse(MouseUse::Off).bytes()).unwrap();
    guard.leave().unwrap();
    guard.return_to().unwrap();
    assert!(!reported(&tty), "switched off");
    let _ = reset(&mut frames, &mut tty.clone(), &flag);
}
