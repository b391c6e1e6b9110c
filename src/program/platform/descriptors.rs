//! Inherited file descriptors.

use std::io::{self, Read};
use std::os::fd::AsFd;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};

/// The first descriptor after stdin, stdout and stderr.
const FIRST_INHERITED: i32 = 3;

/// Marks inherited descriptors close-on-exec, so that child processes do not get them.
pub fn close_inherited_on_exec() {
    close_fds::set_fds_cloexec(FIRST_INHERITED, &[]);
}

/// Makes standard input, output and error blocking again if another program, such as a shell, left them
/// non-blocking: otherwise output to a full terminal would be lost.
pub fn block_standard_streams() {
    fn block(stream: impl AsFd) {
        if let Ok(flags) = fcntl_getfl(&stream)
            && flags.contains(OFlags::NONBLOCK)
        {
            // If the flag cannot be changed, it stays.
            let _ = fcntl_setfl(&stream, flags.difference(OFlags::NONBLOCK));
        }
    }
    block(io::stdin());
    block(io::stdout());
    block(io::stderr());
}

/// An input that is waited for, also where another program makes it non-blocking meanwhile: nothing to read yet is not
/// its end.
#[derive(Debug)]
pub struct WaitingInput<R>(pub R);

impl<R: Read + AsFd> Read for WaitingInput<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.0.read(buffer) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    match poll(&mut [PollFd::new(&self.0, PollFlags::IN)], None) {
                        Ok(_) | Err(rustix::io::Errno::INTR) => {}
                        Err(error) => return Err(error.into()),
                    }
                }
                read => return read,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::io::Write as _;
    use std::os::fd::OwnedFd;
    use std::thread;

    use super::*;

    #[test]
    fn an_input_that_another_program_left_non_blocking_is_waited_for_to_its_end() {
        let (reader, mut writer) = io::pipe().unwrap();
        fcntl_setfl(&reader, OFlags::NONBLOCK).unwrap();
        let mut input = WaitingInput(File::from(OwnedFd::from(reader)));
        let thread = thread::spawn(move || {
            let mut text = String::new();
            input.read_to_string(&mut text).unwrap();
            text
        });
        for part in ["one ", "two"] {
            writer.write_all(part.as_bytes()).unwrap();
            thread::yield_now();
        }
        drop(writer);
        assert_eq!(thread.join().unwrap(), "one two");
    }
}
