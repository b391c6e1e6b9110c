//! An inline screen on a terminal that is lent, taken back and left.

use std::sync::Mutex;

use super::*;
use crate::terminal::ModeFlag;
use crate::theme::ColorDepth;

/// Long enough for a thread to write some bytes.
const LIMIT: Duration = Duration::from_secs(10);
const SIZE: Size = Size { width: 20, height: 6 };

/// A terminal whose bytes can be read back.
#[derive(Debug, Clone, Default)]
struct Tty(Arc<Mutex<Vec<u8>>>);

impl Tty {
    fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }

    fn rows(&self) -> String {
        let mut parser = vt100::Parser::new(SIZE.height, SIZE.width, 0);
        parser.process(&self.0.lock().unwrap());
        let rows = parser.screen().rows(0, SIZE.width);
        let rows: Vec<String> = rows.map(|row| row.trim_end().to_owned()).collect();
        rows.join("\n").trim_end().to_owned()
    }
}

impl Write for Tty {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl RawMode for Tty {
    fn set(&mut self, _: bool) -> io::Result<()> {
        Ok(())
    }
}

fn inline(tty: &Tty) -> TerminalSurface<Tty, Tty> {
    let guard = TerminalGuard::enter(tty.clone(), tty.clone(), ModeFlag::inline()).unwrap();
    let output = Arc::new(Output::start(tty.clone(), || {}).unwrap());
    let capabilities = Capabilities { depth: ColorDepth::None, utf8: true };
    TerminalSurface::new(guard, output, SIZE, capabilities).unwrap()
}

fn show(surface: &mut TerminalSurface<Tty, Tty>, printed: &[&str]) {
    let rows: Vec<Line<'static>> = printed.iter().map(|row| Line::raw((*row).to_owned())).collect();
    surface.print(&rows, 2);
    surface
        .draw(FrameBounds::default(), &mut |frame| {
            for y in 0..2 {
                frame.buffer_mut().set_string(0, y, "live", ratatui::style::Style::new());
            }
        })
        .unwrap();
    assert!(surface.output.wait(LIMIT));
}

#[test]
fn the_live_rows_are_gone_while_another_program_has_the_terminal_and_after_the_end() {
    let mut tty = Tty::default();
    let mut surface = inline(&tty);
    show(&mut surface, &["one"]);
    assert_eq!(tty.rows(), "one\nlive\nlive");
    surface.lend().unwrap();
    assert_eq!(tty.rows(), "one");
    tty.write_all(b"$ vi").unwrap();
    surface.take_back().unwrap();
    show(&mut surface, &["two"]);
    assert_eq!(tty.rows(), "one\n$ vi\ntwo\nlive\nlive");
    surface.print(&[Line::raw("last")], 1);
    surface.leave(LIMIT).unwrap();
    assert_eq!(tty.rows(), "one\n$ vi\ntwo\nlast");
}

#[test]
fn a_stop_while_another_program_has_the_terminal_writes_nothing_to_it() {
    let tty = Tty::default();
    let mut surface = inline(&tty);
    surface.control(&Control::title(1));
    show(&mut surface, &["one"]);
    surface.lend().unwrap();
    let before = tty.text();
    surface.suspend().unwrap();
    assert_eq!(tty.text(), before);
}

#[test]
fn a_screen_that_ends_while_another_program_has_the_terminal_writes_nothing_to_it() {
    let tty = Tty::default();
    let mut surface = inline(&tty);
    show(&mut surface, &["one"]);
    surface.lend().unwrap();
    let before = tty.text();
    surface.print(&[Line::raw("last")], 1);
    surface.leave(LIMIT).unwrap();
    assert_eq!(tty.text(), before);
    assert!(before.rfind("\x1b[?7h") > before.rfind("\x1b[?7l"));
}
