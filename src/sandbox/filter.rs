//! The system calls a sandboxed command does not get. The list names what reaches out of a sandbox: other
//! processes, new namespaces and mounts, keys of the kernel, its programmable parts, and kinds of
//! sockets that no namespace holds.

use std::collections::BTreeMap;

use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, sock_filter,
};

/// Kinds of sockets that are allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sockets {
    /// Those a network namespace holds, and those of the file system.
    Held,
    /// Those of the network, for a network that nothing holds; none of the file system.
    Network,
    /// None but pairs.
    None,
}

/// Calls that fail with "not permitted".
const FORBIDDEN: &[libc::c_long] = &[
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
const FORBIDDEN_HERE: &[libc::c_long] = &[
    libc::SYS_kexec_file_load,
    libc::SYS_iopl,
    libc::SYS_ioperm,
    libc::SYS_modify_ldt,
    libc::SYS_uselib,
];
#[cfg(not(target_arch = "x86_64"))]
const FORBIDDEN_HERE: &[libc::c_long] = &[];

/// Calls that change how another process runs, with the argument that names it; 0 is the caller.
const OF_ANOTHER: [(libc::c_long, u8); 8] = [
    (libc::SYS_prlimit64, 0),
    (libc::SYS_setpriority, 1),
    (libc::SYS_ioprio_set, 1),
    (libc::SYS_sched_setscheduler, 0),
    (libc::SYS_sched_setparam, 0),
    (libc::SYS_sched_setattr, 0),
    (libc::SYS_migrate_pages, 0),
    (libc::SYS_move_pages, 0),
];

/// `open_tree_attr`, which is newer than the list of names.
const OPEN_TREE_ATTR: libc::c_long = 467;

/// Each of these flags of `clone` makes a new namespace.
const NEW_NAMESPACE: [libc::c_int; 7] = [
    libc::CLONE_NEWNS,
    libc::CLONE_NEWCGROUP,
    libc::CLONE_NEWUTS,
    libc::CLONE_NEWIPC,
    libc::CLONE_NEWUSER,
    libc::CLONE_NEWPID,
    libc::CLONE_NEWNET,
];

/// Requests that put words into a terminal as if they were typed.
const TYPING: [u64; 2] = [0x5412, 0x541c];

/// System calls of the second 64-bit set of x86 have this bit. No list knows them, so none of them is there.
const SECOND_SET: u32 = 0x4000_0000;

type Failure = seccompiler::BackendError;

/// The filter, as the kernel reads it.
pub(super) fn program(sockets: Sockets) -> Result<BpfProgram, Failure> {
    let mut rules: BTreeMap<i64, Vec<SeccompRule>> = BTreeMap::new();
    for call in FORBIDDEN.iter().chain(FORBIDDEN_HERE).chain([&OPEN_TREE_ATTR]) {
        rules.insert(*call, Vec::new());
    }
    let namespaces = NEW_NAMESPACE.map(|flag| {
        let bit = u64::from(flag.cast_unsigned());
        only(vec![is(0, SeccompCmpOp::MaskedEq(bit), bit)?])
    });
    rules.insert(libc::SYS_clone, namespaces.into_iter().collect::<Result<_, _>>()?);
    let typing = TYPING.map(|request| only(vec![is(1, SeccompCmpOp::Eq, request)?]));
    rules.insert(libc::SYS_ioctl, typing.into_iter().collect::<Result<_, _>>()?);
    // In a namespace of processes there are no others.
    for (call, argument) in OF_ANOTHER.into_iter().filter(|_| sockets != Sockets::Held) {
        rules.insert(call, vec![only(vec![is(argument, SeccompCmpOp::Ne, 0)?])?]);
    }
    let families: &[libc::c_int] = match sockets {
        Sockets::Held => &[libc::AF_UNIX, libc::AF_INET, libc::AF_INET6, libc::AF_NETLINK],
        Sockets::Network => &[libc::AF_INET, libc::AF_INET6, libc::AF_NETLINK],
        Sockets::None => &[],
    };
    rules.insert(libc::SYS_socket, other_than(families)?);
    rules.insert(libc::SYS_socketpair, other_than(&[libc::AF_UNIX])?);
    let filter = SeccompFilter::new(
        rules,
        SeccompAction::Allow,
        SeccompAction::Errno(libc::EPERM.cast_unsigned()),
        std::env::consts::ARCH.try_into()?,
    )?;
    let rest: BpfProgram = filter.try_into()?;
    Ok(unknown().into_iter().chain(rest).collect())
}

fn is(argument: u8, how: SeccompCmpOp, value: u64) -> Result<SeccompCondition, Failure> {
    SeccompCondition::new(argument, SeccompCmpArgLen::Dword, how, value)
}

fn only(conditions: Vec<SeccompCondition>) -> Result<SeccompRule, Failure> {
    SeccompRule::new(conditions)
}

/// The first argument is none of these; any, if there are none.
fn other_than(families: &[libc::c_int]) -> Result<Vec<SeccompRule>, Failure> {
    let each = families.iter().map(|family| {
        let family = u64::from(family.cast_unsigned());
        is(0, SeccompCmpOp::Ne, family)
    });
    let conditions: Vec<_> = each.collect::<Result<_, _>>()?;
    if conditions.is_empty() { Ok(Vec::new()) } else { Ok(vec![only(conditions)?]) }
}

/// Before the rest: calls whose flags a filter cannot read, and a second set of calls, are unknown to the
/// kernel. A library then takes the older call.
fn unknown() -> [sock_filter; 4] {
    const LOAD: u16 = 0x20;
    const AT_LEAST: u16 = 0x35;
    const EQUAL: u16 = 0x15;
    const RETURN: u16 = 0x06;
    let failure = 0x0005_0000 | libc::ENOSYS.cast_unsigned();
    let clone3 = u32::try_from(libc::SYS_clone3).unwrap_or(SECOND_SET);
    let step = |code, jt, jf, k| sock_filter { code, jt, jf, k };
    [
        step(LOAD, 0, 0, 0),
        step(AT_LEAST, 1, 0, SECOND_SET),
        step(EQUAL, 0, 1, clone3),
        step(RETURN, 0, 0, failure),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_filter_can_be_made_and_fits_the_kernel() {
        for sockets in [Sockets::Held, Sockets::Network, Sockets::None] {
            let length = program(sockets).unwrap().len();
            assert!(length > FORBIDDEN.len() && length < 4096, "{sockets:?}: {length}");
        }
    }
}
