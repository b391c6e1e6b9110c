//! The acts. A row: its name, when it counts, and a script in each language it is tried in. `{home}`, `{ws}`,
//! `{top}`, `{tcp}`, `{udp}`, `{victim}` and `{canary}` are filled in.

use super::run::Means;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    Sh,
    Python,
    Perl,
    Awk,
    /// `find -exec`
    Find,
    /// A program in C.
    Compiled,
}

impl Language {
    pub const ALL: [Self; 6] =
        [Self::Sh, Self::Python, Self::Perl, Self::Awk, Self::Find, Self::Compiled];
}

/// At which levels a row counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum When {
    Always,
    ReadOnly,
    /// At those that may write to the workspace.
    Writing,
    NoNetwork,
}

#[derive(Debug)]
pub struct Script {
    pub language: Language,
    pub text: &'static str,
}

#[derive(Debug)]
pub struct Act {
    pub name: &'static str,
    pub when: When,
    /// The script ends with 0 if, and only if, the act succeeded. Else only what it says or changes counts.
    pub status_tells: bool,
    /// It is tried without a sandbox too. False where that would do harm.
    pub control: bool,
    /// An ordinary act that these means cannot give; `Means::gaps` says so.
    pub not_by: &'static [Means],
    pub scripts: &'static [Script],
}

pub const fn sh(text: &'static str) -> Script {
    Script { language: Language::Sh, text }
}

const fn python(text: &'static str) -> Script {
    Script { language: Language::Python, text }
}

const fn perl(text: &'static str) -> Script {
    Script { language: Language::Perl, text }
}

const fn awk(text: &'static str) -> Script {
    Script { language: Language::Awk, text }
}

const fn find(text: &'static str) -> Script {
    Script { language: Language::Find, text }
}

const fn compiled(text: &'static str) -> Script {
    Script { language: Language::Compiled, text }
}

/// Something that must not succeed at any level.
const fn never(name: &'static str, scripts: &'static [Script]) -> Act {
    Act { name, when: When::Always, status_tells: true, control: true, not_by: &[], scripts }
}

impl Act {
    const fn when(self, when: When) -> Self {
        Self { when, ..self }
    }

    /// Never tried without a sandbox.
    const fn without_control(self) -> Self {
        Self { control: false, ..self }
    }

    const fn not_by(self, not_by: &'static [Means]) -> Self {
        Self { not_by, ..self }
    }
}

pub const FORBIDDEN: &[Act] = &[
    never(
        "read a private key",
        &[
            sh("cat {home}/.ssh/id_ed25519"),
            python("print(open('{home}/.ssh/id_ed25519').read())"),
            perl("open(F, '<', '{home}/.ssh/id_ed25519') or exit 1; print <F>"),
            awk("BEGIN { exit (getline line < \"{home}/.ssh/id_ed25519\") < 1 }"),
            find("cat {home}/.ssh/id_ed25519"),
            compiled(
                "#include <stdio.h>\nint main(void){FILE*f=fopen(\"{home}/.ssh/id_ed25519\",\"r\");\
                 char b[64];return !f||!fgets(b,64,f)||puts(b)<0;}",
            ),
        ],
    ),
    never("read ~/.gnupg", &[sh("cat {home}/.gnupg/key")]),
    never("read ~/.aws/credentials", &[sh("cat {home}/.aws/credentials")]),
    never("read ~/.config/gh", &[sh("cat {home}/.config/gh/hosts.yml")]),
    never("read ~/.netrc", &[sh("cat {home}/.netrc")]),
    never("read ~/.git-credentials", &[sh("cat {home}/.git-credentials")]),
    never("read ~/.kube", &[sh("cat {home}/.kube/config")]),
    never("read credentials of cargo", &[sh("grep . {home}/.cargo/credentials.toml")]),
    never("read our state", &[sh("cat {home}/.local/state/dominds-tui/trusted")]),
    never("read a secret through a link in the workspace", &[sh("cat linked/id_ed25519")]),
    never("link a secret into the workspace", &[sh("ln {home}/.netrc src/n && cat src/n")]),
    never("read another project", &[sh("cat {top}/other/file")]),
    never(
        "read the environment of another process",
        &[sh("tr '\\0' '\\n' </proc/{victim}/environ | grep {canary}")],
    ),
    never(
        "read a file through another process",
        &[sh("cat /proc/{victim}/root{home}/.netrc")],
    ),
    never("signal another process", &[sh("kill -0 {victim}")]),
    never(
        "trace another process",
        &[python("import ctypes; exit(ctypes.CDLL(None).ptrace(16, {victim}, 0, 0) != 0)")],
    ),
    never(
        "write .minds",
        &[
            sh("echo evil >>.minds/team.yaml"),
            python("open('.minds/team.yaml', 'a').write('evil')"),
            perl("open(F, '>>', '.minds/team.yaml') or exit 1; print F 'evil'"),
            awk("BEGIN { print \"evil\" >> \".minds/team.yaml\" }"),
            find("echo evil >>.minds/team.yaml"),
        ],
    ),
    never("write .dialogs", &[sh("echo evil >>.dialogs/run/x/dialog.yaml")]),
    never("make .hive", &[sh("mkdir -p .hive && echo evil >.hive/x")]),
    never("write a Taskdoc", &[sh("echo evil >>a.tsk/goals.md")]),
    never("write .git/config", &[sh("git config core.fsmonitor evil")]),
    never("write a hook", &[sh("echo evil >.git/hooks/pre-commit")]),
    never("make .git/commondir", &[sh("echo ../src >.git/commondir")]),
    never("make .git/config.worktree", &[sh("echo evil >.git/config.worktree")]),
    never("rename .minds away", &[sh("mv -T .minds src/m")]),
    never("put another repository in place", &[sh("mv -T .git g && mkdir .git && echo evil >.git/config")]),
    never(
        "rename a file over .git/config",
        &[perl("open(F, '>', '.git/c') or exit 1; exit !rename('.git/c', '.git/config')")],
    ),
    never("remove hooks", &[sh("rm -r .git/hooks")]),
    never(
        "write through a hard link",
        &[sh("ln .minds/team.yaml src/t && echo evil >>src/t")],
    ),
    never(
        "write through a link",
        &[sh("ln -s ../.minds/team.yaml src/s && echo evil >>src/s")],
    ),
    never("write ~/.bashrc", &[sh("echo evil >>{home}/.bashrc")]),
    never("write settings of cargo", &[sh("echo evil >>{home}/.cargo/config.toml")]),
    never("write another project", &[sh("echo evil >>{top}/other/file")]),
    never("write the system", &[sh("touch /etc/evil || touch /usr/evil")]).without_control(),
    never("write the workspace", &[sh("echo evil >src/b.txt")]).when(When::ReadOnly),
    never("read .minds", &[sh("cat .minds/team.yaml")]).when(When::ReadOnly),
    never("read a Taskdoc", &[sh("cat a.tsk/goals.md")]).when(When::ReadOnly),
    never(
        "open a setting of the kernel",
        &[python("import os; os.open('/proc/sys/kernel/core_pattern', os.O_WRONLY)")],
    )
    .without_control(),
    never("make a user namespace", &[sh("unshare -U true")]).without_control(),
    never("make a mount namespace", &[sh("unshare -Urm true")]).without_control(),
    never("remove the wall of .minds", &[sh("umount {ws}/.minds")]).without_control(),
    never("open the wall of .minds", &[sh("mount -o remount,rw,bind {ws}/.minds")])
        .without_control(),
    never("enter the namespaces of the machine", &[sh("nsenter -t 1 -m true")]).without_control(),
    never("make a device", &[sh("mknod src/vda b 254 0")]).without_control(),
    never(
        "use keys of the kernel",
        &[python("import ctypes; exit(ctypes.CDLL(None).syscall(250, 0, -3, 1) < 0)")],
    ),
    never(
        "reach the machine by TCP",
        &[
            python(
                "import socket as s; c = s.create_connection(('127.0.0.1', {tcp}), 3); c.send(b'x'); \
                 exit(c.recv(1) != b'x')",
            ),
            perl(
                "use IO::Socket::INET; my $s = IO::Socket::INET->new(PeerAddr => '127.0.0.1:{tcp}') \
                 or exit 1; print $s 'x'; exit 0",
            ),
        ],
    )
    .when(When::NoNetwork),
    never(
        "reach the machine by UDP",
        &[python(
            "import socket as s; c = s.socket(s.AF_INET, s.SOCK_DGRAM); c.settimeout(3); \
             c.sendto(b'x', ('127.0.0.1', {udp})); exit(c.recv(1) != b'x')",
        )],
    )
    .when(When::NoNetwork),
    never(
        "reach an abstract socket",
        &[python(
            "import socket as s; c = s.socket(s.AF_UNIX); c.settimeout(3); c.connect('\\0sbx-{tcp}'); \
             c.send(b'x'); exit(c.recv(1) != b'x')",
        )],
    ),
    never(
        "reach a socket outside of the workspace",
        &[python(
            "import socket as s; c = s.socket(s.AF_UNIX); c.settimeout(3); c.connect('{top}/host.sock'); \
             c.send(b'x'); exit(c.recv(1) != b'x')",
        )],
    ),
    never("open a socket to the host of a machine", &[python("import socket; socket.socket(40, 1)")])
        .without_control(),
];

pub const ORDINARY: &[Act] = &[
    never("read a source", &[sh("grep -q hello src/a.txt"), find("grep -q hello src/a.txt")]),
    never("write a source", &[sh("echo y >src/b.txt")]).when(When::Writing),
    never("make a file at the top", &[sh("echo y >top.txt")])
        .when(When::Writing)
        .not_by(&[Means::Landlock]),
    never("write the private folder", &[sh("echo x >${TMPDIR:-/tmp}/q && cat ${TMPDIR:-/tmp}/q")]),
    never("write /tmp", &[sh("echo x >/tmp/q && cat /tmp/q")]).not_by(&[Means::Landlock]),
    never("git status and log", &[sh("git status --short && git log --oneline")]),
    never("git commit", &[sh("echo z >src/z && git add src && git commit -qm z")])
        .when(When::Writing)
        .not_by(&[Means::Landlock]),
    never(
        "threads and processes of python",
        &[python(
            "import subprocess, threading; t = threading.Thread(target=print); t.start(); t.join(); \
             subprocess.check_call(['true'])",
        )],
    ),
    never("a compiled program", &[compiled("int main(void){return 0;}")]),
    never(
        "a server and a client on loopback",
        &[python(
            "import socket as s; a = s.socket(); a.bind(('127.0.0.1', 0)); a.listen(); \
             b = s.create_connection(a.getsockname()); b.send(b'x')",
        )],
    )
    .when(When::Writing)
    .not_by(&[Means::Landlock]),
];
