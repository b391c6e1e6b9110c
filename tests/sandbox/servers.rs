//! Servers of the machine. They send back what they are sent.

use std::net::{TcpListener, UdpSocket};
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::net::{SocketAddr, UnixDatagram, UnixListener};
use std::path::Path;
use std::thread;

pub struct Servers {
    pub tcp: u16,
    pub udp: u16,
    /// Open as long as somebody may send to it.
    _datagrams: UnixDatagram,
}

impl Servers {
    pub fn new(top: &Path) -> Self {
        let tcp = TcpListener::bind("127.0.0.1:0").expect("a port");
        let udp = UdpSocket::bind("127.0.0.1:0").expect("a port");
        let port = tcp.local_addr().expect("an address").port();
        let udp_port = udp.local_addr().expect("an address").port();
        thread::spawn(move || {
            tcp.incoming().flatten().for_each(send_back);
        });
        thread::spawn(move || {
            let mut word = [0; 256];
            while let Ok((read, from)) = udp.recv_from(&mut word) {
                let _ = udp.send_to(word.get(..read).unwrap_or_default(), from);
            }
        });
        serve(UnixListener::bind(top.join("host.sock")).expect("a socket"));
        serve(UnixListener::bind(top.join("ws/src/host.sock")).expect("a socket"));
        let name = |start: &str| SocketAddr::from_abstract_name(format!("{start}-{port}"));
        serve(UnixListener::bind_addr(&name("sbx").expect("a name")).expect("a socket"));
        let datagrams = UnixDatagram::bind_addr(&name("sbd").expect("a name")).expect("a socket");
        Self { tcp: port, udp: udp_port, _datagrams: datagrams }
    }
}

fn serve(listener: UnixListener) {
    thread::spawn(move || listener.incoming().flatten().for_each(send_back));
}

fn send_back(mut stream: impl std::io::Read + std::io::Write) {
    let mut word = [0; 256];
    let read = stream.read(&mut word).unwrap_or(0);
    let _ = stream.write_all(word.get(..read).unwrap_or_default());
}
