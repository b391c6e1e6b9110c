//! Kinds of children that a command may leave, and that have to end with it or with the program. Each ends
//! in a process that has `{word}` as an argument of its own, by which it is found.

#[derive(Debug)]
pub struct Kind {
    pub name: &'static str,
    /// The script for a shell.
    pub script: &'static str,
}

const fn kind(name: &'static str, script: &'static str) -> Kind {
    Kind { name, script }
}

/// The program in C: forks twice, in a session of its own, closes everything and hears no signal.
pub const DAEMON: &str = "#include <signal.h>\n#include <unistd.h>\n#include <stdlib.h>\n\
    int main(int c,char**v){if(fork())_exit(0);setsid();if(fork())_exit(0);setsid();chdir(\"/\");\
    for(int i=1;i<32;i++)signal(i,SIG_IGN);for(int i=0;i<256;i++)close(i);\
    execlp(\"sleep\",\"sleep\",v[1],NULL);return 1;}";

pub const KINDS: &[Kind] = &[
    kind("plain", "sleep {word}"),
    kind("in the background", "sleep {word} &"),
    kind("nohup", "nohup sleep {word} >/dev/null 2>&1 &"),
    kind("setsid", "setsid sleep {word} &"),
    kind("forked twice", "(sleep {word} &)"),
    kind("disowned", "bash -c 'sleep {word} & disown; exit'"),
    kind(
        "a daemon in python",
        "python3 -c 'import os\nif os.fork(): os._exit(0)\nos.setsid()\nif os.fork(): os._exit(0)\n\
         os.chdir(\"/\")\nos.execlp(\"sleep\", \"sleep\", \"{word}\")'",
    ),
    kind(
        "a daemon in perl",
        "perl -e 'use POSIX; fork and exit; POSIX::setsid(); fork and exit; exec \"sleep\", \"{word}\"'",
    ),
    kind("deaf to signals", "sh -c 'trap \"\" TERM HUP INT QUIT; sleep {word}'"),
    kind(
        "stopped",
        "sleep {word} & until grep -qzxF sleep /proc/$!/cmdline; do :; done; kill -STOP $!",
    ),
    kind("a group of its own", "bash -c 'set -m; sleep {word} & exit'"),
    kind("the end of a pipe", "yes | sleep {word} &"),
    kind("the middle of a pipe", "sleep {word} | cat | cat &"),
    kind("a subshell", "( ( sleep {word} ) )"),
    kind("in place of the shell", "sh -c 'exec sleep {word}' &"),
    kind("a coprocess", "bash -c 'coproc sleep {word}; wait'"),
    kind("a loop", "while :; do sleep {word} || exit; done &"),
    kind("with another parent", "sh -c 'sleep {word} & exit 0'"),
    kind("a new session twice", "setsid sh -c 'setsid sleep {word} & exit 0' &"),
    kind("with no file open", "sleep {word} <&- >&- 2>&- &"),
    kind("shells in shells", "sh -c 'sh -c \"sh -c \\\"sleep {word}; true\\\"; true\"; true' &"),
    kind("by xargs", "echo {word} | xargs sleep &"),
    kind("by find", "find / -maxdepth 0 -exec sleep {word} ';' &"),
    kind("by timeout", "timeout 3600 sleep {word} &"),
    kind("a compiled daemon", "{daemon} {word}"),
    kind("with no environment", "env -i setsid sleep {word} &"),
    kind(
        "begun anew when it ends",
        "setsid sh -c 'trap \"\" TERM; while :; do sleep {word}; done' &",
    ),
    kind("under another name", "bash -c 'exec -a init sleep {word}' &"),
    kind("many", "for i in 1 2 3 4 5 6 7 8; do setsid sleep {word} & done"),
];
