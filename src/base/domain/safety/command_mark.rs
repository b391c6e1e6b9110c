//! The mark of processes that a member's command has started, even if they detached themselves: their hard limit of
//! file locks is lower than that of the driver. The kernel enforces no such limit (`RLIMIT_LOCKS` in getrlimit(2)),
//! every process inherits it from its parent, and only an administrator can raise it again.

/// The limit of a process that was never given one.
pub const NO_LIMIT: u64 = u64::MAX;
/// The mark of a driver that has no limit. Low enough for any program that prints it.
const MARK: u64 = 1 << 40;
/// The line of `/proc/PID/limits`.
const LINE: &str = "Max file locks";

/// The limit of a command of a driver that has this limit itself.
#[must_use]
pub fn limit_below(own: u64) -> u64 {
    own.saturating_sub(1).min(MARK)
}

/// The hard limit in the text of `/proc/PID/limits`.
#[must_use]
pub fn limit_in(limits: &str) -> Option<u64> {
    let numbers = limits.lines().find_map(|line| line.strip_prefix(LINE))?;
    match numbers.split_ascii_whitespace().nth(1)? {
        "unlimited" => Some(NO_LIMIT),
        number => number.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_is_the_second_number_of_its_line() {
        let limits = |hard: &str| {
            format!(
                "Max address space   unlimited   unlimited   bytes\nMax file locks   7   {hard}   locks\n"
            )
        };
        assert_eq!(limit_in(&limits("unlimited")), Some(NO_LIMIT));
        assert_eq!(limit_in(&limits("1099511627776")), Some(1 << 40));
        assert_eq!(limit_in(&limits("-1")), None);
        assert_eq!(limit_in("Max address space   1   1   bytes\n"), None);
    }

    #[test]
    fn the_limit_of_a_command_is_below_that_of_its_driver_also_if_a_command_started_that() {
        for own in [NO_LIMIT, MARK, 1000, 1] {
            assert!(limit_below(own) < own);
        }
    }
}
