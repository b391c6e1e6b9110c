//! The seccomp filter of a sandboxed command. It denies system calls that reach out of a sandbox: to other
//! processes, new namespaces and mounts, kernel keyrings, BPF and the like, and socket families that no
//! namespace isolates. And it denies the set-user-ID bit, by which a file runs with the rights of its owner.

use std::collections::BTreeMap;

use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, sock_filter,
};

/// Socket families that are allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sockets {
    /// Families that a network namespace isolates, and Unix sockets.
    Isolated,
    /// Families of the network, when no namespace isolates it; no Unix sockets.
    NetworkOnly,
    /// None, except socket pairs.
    None,
}

/// System calls that fail with `EPERM`.
const DENIED_CALLS: &[libc::c_long] = &[
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_pidfd_getfd,
    libc::SYS_kcmp,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_keyctl,
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_open_tree,
    libc::SYS_move_mount,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_mount_setattr,
    libc::SYS_unshare,
    libc::SYS_setns,
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_kexec_load,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_open_by_handle_at,
    libc::SYS_name_to_handle_at,
    libc::SYS_acct,
    libc::SYS_vhangup,
    libc::SYS_reboot,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_quotactl,
    libc::SYS_syslog,
    libc::SYS_fanotify_init,
    libc::SYS_lookup_dcookie,
    libc::SYS_setdomainname,
    libc::SYS_sethostname,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_adjtimex,
    libc::SYS_clock_adjtime,
];

#[cfg(target_arch = "x86_64")]
const DENIED_ON_ARCH: &[libc::c_long] = &[
    libc::SYS_kexec_file_load,
    libc::SYS_iopl,
    libc::SYS_ioperm,
    libc::SYS_modify_ldt,
    libc::SYS_uselib,
];
#[cfg(not(target_arch = "x86_64"))]
const DENIED_ON_ARCH: &[libc::c_long] = &[];

/// Calls that can change another process, with the index of the argument that names it; 0 is the caller.
const CROSS_PROCESS_CALLS: [(libc::c_long, u8); 8] = [
    (libc::SYS_prlimit64, 0),
    (libc::SYS_setpriority, 1),
    (libc::SYS_ioprio_set, 1),
    (libc::SYS_sched_setscheduler, 0),
    (libc::SYS_sched_setparam, 0),
    (libc::SYS_sched_setattr, 0),
    (libc::SYS_migrate_pages, 0),
    (libc::SYS_move_pages, 0),
];

/// `open_tree_attr`, which `libc` does not define yet.
const SYS_OPEN_TREE_ATTR: libc::c_long = 467;

/// `fchmodat2`, which `libc` does not define everywhere yet.
const SYS_FCHMODAT2: libc::c_long = 452;

/// Calls that set the mode of a file, with the index of the mode argument. That of `mkdir` cannot have these bits.
const MODE_CALLS: &[(libc::c_long, u8)] =
    &[(libc::SYS_fchmod, 1), (libc::SYS_fchmodat, 2), (SYS_FCHMODAT2, 2), (libc::SYS_mknodat, 2)];
#[cfg(target_arch = "x86_64")]
const MODE_CALLS_ON_ARCH: &[(libc::c_long, u8)] =
    &[(libc::SYS_chmod, 1), (libc::SYS_creat, 1), (libc::SYS_mknod, 1)];
#[cfg(not(target_arch = "x86_64"))]
const MODE_CALLS_ON_ARCH: &[(libc::c_long, u8)] = &[];

/// Calls that open a file, with the index of the flags. The mode is behind it, and counts only if a file is made.
const OPEN_CALLS: &[(libc::c_long, u8)] = &[(libc::SYS_openat, 2)];
#[cfg(target_arch = "x86_64")]
const OPEN_CALLS_ON_ARCH: &[(libc::c_long, u8)] = &[(libc::SYS_open, 1)];
#[cfg(not(target_arch = "x86_64"))]
const OPEN_CALLS_ON_ARCH: &[(libc::c_long, u8)] = &[];

/// Flags of `open` that make a file. The second is `O_TMPFILE` without `O_DIRECTORY`.
const MAKING_FLAGS: [libc::c_int; 2] = [libc::O_CREAT, libc::O_TMPFILE & !libc::O_DIRECTORY];

/// Flags of `clone` that create a namespace.
const NAMESPACE_FLAGS: [libc::c_int; 7] = [
    libc::CLONE_NEWNS,
    libc::CLONE_NEWCGROUP,
    libc::CLONE_NEWUTS,
    libc::CLONE_NEWIPC,
    libc::CLONE_NEWUSER,
    libc::CLONE_NEWPID,
    libc::CLONE_NEWNET,
];

/// `ioctl` requests that inject terminal input: `TIOCSTI` and `TIOCLINUX`.
const TERMINAL_INPUT_REQUESTS: [u64; 2] = [0x5412, 0x541c];

/// System calls of the x32 ABI have this bit. The lists above do not cover them, so all are unavailable.
const X32_BIT: u32 = 0x4000_0000;

type SeccompError = seccompiler::BackendError;

/// The filter as a BPF program.
pub(super) fn program(sockets: Sockets) -> Result<BpfProgram, SeccompError> {
    program_for(sockets, super::visible::is_root())
}

/// The mode bits that must not be set. Folders of ordinary users often have the set-group-ID bit, and tools
/// copy it; for a file of root's group it would give more away.
fn denied_bits(is_root: bool) -> &'static [u32] {
    if is_root { &[libc::S_ISUID, libc::S_ISGID] } else { &[libc::S_ISUID] }
}

fn program_for(sockets: Sockets, is_root: bool) -> Result<BpfProgram, SeccompError> {
    let mut rules: BTreeMap<i64, Vec<SeccompRule>> = BTreeMap::new();
    for call in DENIED_CALLS.iter().chain(DENIED_ON_ARCH).chain([&SYS_OPEN_TREE_ATTR]) {
        rules.insert(*call, Vec::new());
    }
    let namespaces = NAMESPACE_FLAGS.map(|flag| rule(vec![has(0, flag.cast_unsigned().into())?]));
    rules.insert(libc::SYS_clone, namespaces.into_iter().collect::<Result<_, _>>()?);
    let typing =
        TERMINAL_INPUT_REQUESTS.map(|request| rule(vec![condition(1, SeccompCmpOp::Eq, request)?]));
    rules.insert(libc::SYS_ioctl, typing.into_iter().collect::<Result<_, _>>()?);
    // A PID namespace contains no other processes.
    for (call, argument) in CROSS_PROCESS_CALLS.into_iter().filter(|_| sockets != Sockets::Isolated)
    {
        rules.insert(call, vec![rule(vec![condition(argument, SeccompCmpOp::Ne, 0)?])?]);
    }
    let bits = denied_bits(is_root);
    for (call, argument) in MODE_CALLS.iter().chain(MODE_CALLS_ON_ARCH) {
        let each = bits.iter().map(|bit| rule(vec![has(*argument, (*bit).into())?]));
        rules.insert(*call, each.collect::<Result<_, _>>()?);
    }
    for (call, flags) in OPEN_CALLS.iter().chain(OPEN_CALLS_ON_ARCH) {
        let each = bits.iter().flat_map(|bit| MAKING_FLAGS.map(|flag| (*bit, flag)));
        let each = each.map(|(bit, flag)| {
            let makes = has(*flags, flag.cast_unsigned().into())?;
            rule(vec![makes, has(flags + 1, bit.into())?])
        });
        rules.insert(*call, each.collect::<Result<_, _>>()?);
    }
    let families: &[libc::c_int] = match sockets {
        Sockets::Isolated => &[libc::AF_UNIX, libc::AF_INET, libc::AF_INET6, libc::AF_NETLINK],
        Sockets::NetworkOnly => &[libc::AF_INET, libc::AF_INET6, libc::AF_NETLINK],
        Sockets::None => &[],
    };
    rules.insert(libc::SYS_socket, none_of(families)?);
    rules.insert(libc::SYS_socketpair, none_of(&[libc::AF_UNIX])?);
    let filter = SeccompFilter::new(
        rules,
        SeccompAction::Allow,
        SeccompAction::Errno(libc::EPERM.cast_unsigned()),
        std::env::consts::ARCH.try_into()?,
    )?;
    let rest: BpfProgram = filter.try_into()?;
    Ok(enosys_prefix().into_iter().chain(rest).collect())
}

fn condition(
    argument: u8,
    operator: SeccompCmpOp,
    value: u64,
) -> Result<SeccompCondition, SeccompError> {
    SeccompCondition::new(argument, SeccompCmpArgLen::Dword, operator, value)
}

/// Matches an argument with this bit.
fn has(argument: u8, bit: u64) -> Result<SeccompCondition, SeccompError> {
    condition(argument, SeccompCmpOp::MaskedEq(bit), bit)
}

fn rule(conditions: Vec<SeccompCondition>) -> Result<SeccompRule, SeccompError> {
    SeccompRule::new(conditions)
}

/// Returns a rule for a first argument that is in none of these families.
fn none_of(families: &[libc::c_int]) -> Result<Vec<SeccompRule>, SeccompError> {
    let each = families.iter().map(|family| {
        let family = u64::from(family.cast_unsigned());
        condition(0, SeccompCmpOp::Ne, family)
    });
    let conditions: Vec<_> = each.collect::<Result<_, _>>()?;
    if conditions.is_empty() { Ok(Vec::new()) } else { Ok(vec![rule(conditions)?]) }
}

/// Prefix of the filter: `clone3` and `openat2`, whose flags and modes a filter cannot read, and all x32 calls fail with
/// `ENOSYS`, so that libraries fall back to the older call.
fn enosys_prefix() -> [sock_filter; 5] {
    const LOAD: u16 = 0x20;
    const AT_LEAST: u16 = 0x35;
    const EQUAL: u16 = 0x15;
    const RETURN: u16 = 0x06;
    let failure = 0x0005_0000 | libc::ENOSYS.cast_unsigned();
    let [clone3, openat2] =
        [libc::SYS_clone3, libc::SYS_openat2].map(|call| u32::try_from(call).unwrap_or(X32_BIT));
    let instruction = |code, jt, jf, k| sock_filter { code, jt, jf, k };
    [
        instruction(LOAD, 0, 0, 0),
        instruction(AT_LEAST, 2, 0, X32_BIT),
        instruction(EQUAL, 1, 0, clone3),
        instruction(EQUAL, 0, 1, openat2),
        instruction(RETURN, 0, 0, failure),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_filter_can_be_made_and_fits_the_kernel() {
        for sockets in [Sockets::Isolated, Sockets::NetworkOnly, Sockets::None] {
            for is_root in [false, true] {
                let length = program_for(sockets, is_root).unwrap().len();
                assert!(length > DENIED_CALLS.len() && length < 4096, "{sockets:?}: {length}");
            }
        }
    }
}
