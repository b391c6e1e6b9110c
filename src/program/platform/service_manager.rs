//! Tells the service manager that started this process (`sd_notify`) that it is ready, alive, or ending.

use std::io;
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::net::{SocketAddr, UnixDatagram};
use std::time::Duration;

use super::env;

/// The socket of a service manager; without one, nothing is reported.
#[derive(Debug, Default)]
pub struct ServiceManager {
    socket: Option<(UnixDatagram, SocketAddr)>,
}

impl ServiceManager {
    /// The one of this process.
    #[must_use]
    pub fn of_environment() -> Self {
        Self::at(env::variable("NOTIFY_SOCKET").as_deref())
    }

    fn at(address: Option<&str>) -> Self {
        let opened = address.map(|address| {
            let to = match address.strip_prefix('@') {
                Some(name) => SocketAddr::from_abstract_name(name)?,
                None => SocketAddr::from_pathname(address)?,
            };
            Ok::<_, io::Error>((UnixDatagram::unbound()?, to))
        });
        let socket = opened.and_then(|opened| {
            // The driver works without it. A manager that waits to be told says what it misses.
            opened.inspect_err(|error| tracing::warn!(%error, "the service manager")).ok()
        });
        Self { socket }
    }

    pub fn ready(&self, status: &str) {
        self.tell(&format!("READY=1\nSTATUS={}", one_line(status)));
    }

    pub fn alive(&self) {
        self.tell("WATCHDOG=1");
    }

    pub fn stopping(&self) {
        self.tell("STOPPING=1");
    }

    fn tell(&self, state: &str) {
        let Some((socket, to)) = &self.socket else { return };
        if let Err(error) = socket.send_to_addr(state.as_bytes(), to) {
            // As without one.
            tracing::warn!(%error, "the service manager was not told");
        }
    }
}

/// Returns the interval of watchdog notifications: half of the watchdog timeout.
#[must_use]
pub fn watchdog_interval() -> Option<Duration> {
    interval_of(&env::variable("WATCHDOG_USEC")?, env::variable("WATCHDOG_PID").as_deref())
}

fn interval_of(microseconds: &str, pid: Option<&str>) -> Option<Duration> {
    let is_ours = pid.is_none_or(|pid| pid == std::process::id().to_string());
    let time = microseconds.parse().ok().filter(|time| *time > 1 && is_ours)?;
    Some(Duration::from_micros(time) / 2)
}

fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_service_manager_is_told_at_a_path_and_at_an_abstract_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("notify");
        let name = format!("dominds-tui-test-{}", std::process::id());
        let at_path = UnixDatagram::bind(&path).unwrap();
        let at_name =
            UnixDatagram::bind_addr(&SocketAddr::from_abstract_name(&name).unwrap()).unwrap();
        for (socket, address) in
            [(at_path, path.display().to_string()), (at_name, format!("@{name}"))]
        {
            socket.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
            ServiceManager::at(Some(&address)).ready("a\nWATCHDOG=1");
            let mut told = [0; 100];
            let length = socket.recv(&mut told).unwrap();
            assert_eq!(&told[..length], b"READY=1\nSTATUS=a WATCHDOG=1");
        }
        ServiceManager::at(None).ready("nobody");
    }

    #[test]
    fn the_watchdog_is_fed_twice_in_its_time_and_only_by_the_process_it_watches() {
        let own = std::process::id().to_string();
        assert_eq!(interval_of("10000000", None), Some(Duration::from_secs(5)));
        assert_eq!(interval_of("10000000", Some(&own)), Some(Duration::from_secs(5)));
        assert_eq!(interval_of("10000000", Some("1")), None);
        assert_eq!(interval_of("soon", None), None);
        assert_eq!(interval_of("0", None), None);
    }
}
