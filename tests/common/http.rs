//! An HTTP server on this machine with the answers that a test sets.

use std::io::{Read, Write as _};
use std::net::TcpListener;
use std::sync::{Arc, Mutex};
use std::thread;

use super::wait::LIMIT;

/// The head, without the empty line, and the body.
#[derive(Debug, Clone, Default)]
pub struct Request {
    pub head: String,
    pub body: String,
}

impl Request {
    /// Reads until the body is as long as the head says. An answer before that would reset the connection,
    /// and the client would repeat the request.
    pub fn read(socket: &mut impl Read) -> Self {
        let mut bytes = Vec::new();
        let mut block = vec![0; 65_536];
        loop {
            let text = String::from_utf8_lossy(&bytes).into_owned();
            if let Some((head, body)) = text.split_once("\r\n\r\n") {
                let length = head.lines().find_map(|line| {
                    let (name, value) = line.split_once(':')?;
                    name.eq_ignore_ascii_case("content-length")
                        .then(|| value.trim().parse().ok())?
                });
                if body.len() >= length.unwrap_or(0) {
                    return Self { head: head.to_owned(), body: body.to_owned() };
                }
            }
            match socket.read(&mut block) {
                Ok(count @ 1..) => bytes.extend(block.iter().take(count)),
                Ok(0) | Err(_) => return Self { head: text, body: String::new() },
            }
        }
    }

    pub fn path(&self) -> &str {
        self.head.split_whitespace().nth(1).unwrap_or_default()
    }
}

/// A whole answer.
pub fn page(status: &str, kind: &str, body: &str) -> String {
    format!(
        "HTTP/1.1 {status}\r\ncontent-type: {kind}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
        body.len()
    )
}

pub fn json(status: &str, body: &str) -> String {
    page(status, "application/json", body)
}

/// Serves at this address as long as the process lives, each connection on its own thread; returns the
/// port. A request without an answer is left open.
pub fn serve<T: AsRef<[u8]>>(
    address: &str,
    answer: impl Fn(&Request) -> Option<T> + Send + Sync + 'static,
) -> u16 {
    let listener = TcpListener::bind(address).expect("a port");
    let port = listener.local_addr().expect("an address").port();
    let answer = Arc::new(answer);
    let unanswered = Arc::new(Mutex::new(Vec::new()));
    thread::spawn(move || {
        for mut socket in listener.incoming().flatten() {
            let (answer, unanswered) = (answer.clone(), unanswered.clone());
            thread::spawn(move || {
                let _ = socket.set_read_timeout(Some(LIMIT));
                let request = Request::read(&mut socket);
                match answer(&request) {
                    Some(bytes) => drop(socket.write_all(bytes.as_ref())),
                    None => unanswered.lock().expect("not poisoned").push(socket),
                }
            });
        }
    });
    port
}
