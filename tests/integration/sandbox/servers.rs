//! Servers of the machine. They echo their input, and end with their place.

use std::net::{TcpListener, TcpStream, UdpSocket};
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::net::{SocketAddr, UnixDatagram, UnixListener, UnixStream};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

pub struct Servers {
    pub tcp: u16,
    pub udp: u16,
    /// The addresses of the machine's own sockets.
    addresses: Vec<SocketAddr>,
    over: Arc<AtomicBool>,
    /// Open as long as somebody may send to it.
    _datagrams: UnixDatagram,
}

impl Servers {
    pub fn new(top: &Path) -> Self {
        let over = Arc::new(AtomicBool::new(false));
        let tcp = TcpListener::bind("127.0.0.1:0").expect("a port");
        let udp = UdpSocket::bind("127.0.0.1:0").expect("a port");
        let port = tcp.local_addr().expect("an address").port();
        let udp_port = udp.local_addr().expect("an address").port();
        serve(&over, move || tcp.accept().map(|(stream, _)| send_back(stream)));
        serve(&over, move || {
            let mut word = [0; 256];
            let (read, from) = udp.recv_from(&mut word)?;
            udp.send_to(word.get(..read).unwrap_or_default(), from).map(drop)
        });
        let name = |start: &str| {
            SocketAddr::from_abstract_name(format!("{start}-{port}")).expect("a name")
        };
        let path = |path: &str| SocketAddr::from_pathname(top.join(path)).expect("a name");
        let paths = ["host.sock", "ws/src/host.sock", "home/.local/bin/agent.sock"].map(path);
        let addresses: Vec<_> = paths.into_iter().chain([name("sbx")]).collect();
        for address in &addresses {
            let listener = UnixListener::bind_addr(address).expect("a socket");
            serve(&over, move || listener.accept().map(|(stream, _)| send_back(stream)));
        }
        let datagrams = UnixDatagram::bind_addr(&name("sbd")).expect("a socket");
        Self { tcp: port, udp: udp_port, addresses, over, _datagrams: datagrams }
    }
}

/// Serves one connection after the other until it is over, which is noticed at the next connection.
fn serve(over: &Arc<AtomicBool>, mut next: impl FnMut() -> std::io::Result<()> + Send + 'static) {
    let over = over.clone();
    thread::spawn(move || {
        while !over.load(Ordering::SeqCst) {
            let _ = next();
        }
    });
}

impl Drop for Servers {
    fn drop(&mut self) {
        self.over.store(true, Ordering::SeqCst);
        let _ = TcpStream::connect(("127.0.0.1", self.tcp));
        let own = UdpSocket::bind("127.0.0.1:0");
        let _ = own.and_then(|own| own.send_to(b"", ("127.0.0.1", self.udp)));
        for address in &self.addresses {
            let _ = UnixStream::connect_addr(address);
        }
    }
}

fn send_back(mut stream: impl std::io::Read + std::io::Write) {
    let mut word = [0; 256];
    let read = stream.read(&mut word).unwrap_or(0);
    let _ = stream.write_all(word.get(..read).unwrap_or_default());
}
