//! Processes of the machine that are not the command's.

use super::Control::OnSome;
use super::{Act, act, awk, compiled, find, perl, python, sh};

pub(super) const HELD: &[Act] = &[
    act(
        "read the environment of another process",
        &[
            sh("tr '\\0' '\\n' </proc/{victim}/environ | grep {canary}"),
            python("exit(b'{canary}' not in open('/proc/{victim}/environ', 'rb').read())"),
            perl("open(F, '<', '/proc/{victim}/environ') or exit 1; exit !(<F> =~ /{canary}/)"),
            awk("BEGIN { r = getline line < \"/proc/{victim}/environ\"; print line; exit r < 1 }"),
            find("tr '\\0' '\\n' </proc/{victim}/environ | grep {canary}"),
            compiled(
                "#include <stdio.h>\nint main(int c,char**v){char b[64];sprintf(b,\"/proc/%s/environ\",\
                 v[2]);FILE*f=fopen(b,\"r\");return !f||fgetc(f)==EOF;}",
            ),
        ],
    ),
    act(
        "find a secret in any environment",
        &[
            sh("cat /proc/[0-9]*/environ 2>&- | tr '\\0' '\\n' | grep {canary}"),
            python(
                "import glob\nfor p in glob.glob('/proc/[0-9]*/environ'):\n try:\n  if b'{canary}' in \
                 open(p, 'rb').read(): exit(0)\n except OSError: pass\nexit(1)",
            ),
            find("find /proc -maxdepth 2 -name environ 2>&- | xargs cat 2>&- | tr '\\0' '\\n' | grep {canary}"),
        ],
    ),
    act(
        "see the command line of another process",
        &[
            sh("tr '\\0' ' ' </proc/{victim}/cmdline | grep sleep"),
            python("exit(b'sleep' not in open('/proc/{victim}/cmdline', 'rb').read())"),
            perl("open(F, '<', '/proc/{victim}/cmdline') or exit 1; exit !(<F> =~ /sleep/)"),
        ],
    ),
    act(
        "read a file through another process",
        &[
            sh("cat /proc/{victim}/root{home}/.netrc"),
            python("print(open('/proc/{victim}/root{home}/.netrc').read())"),
            perl("open(F, '<', '/proc/{victim}/root{home}/.netrc') or exit 1; print <F>"),
            awk("BEGIN { exit (getline line < \"/proc/{victim}/root{home}/.netrc\") < 1 }"),
            find("cat /proc/{victim}/task/{victim}/root{home}/.netrc"),
        ],
    ),
    act(
        "read what another process has open",
        &[
            sh("cat /proc/{victim}/fd/0"),
            python("print(open('/proc/{victim}/fd/0').read())"),
        ],
    ),
    act(
        "read the memory of another process",
        &[
            python("open('/proc/{victim}/mem', 'rb')"),
            perl("open(F, '<', '/proc/{victim}/mem') or exit 1"),
            compiled(
                "#define _GNU_SOURCE\n#include <sys/uio.h>\n#include <stdlib.h>\n#include <stdio.h>\n\
                 int main(int c,char**v){char p[64],b[8];sprintf(p,\"/proc/%s/maps\",v[2]);\
                 FILE*f=fopen(p,\"r\");unsigned long a;if(!f||fscanf(f,\"%lx\",&a)!=1)return 1;\
                 struct iovec l={b,8},r={(void*)a,8};return process_vm_readv(atoi(v[2]),&l,1,&r,1,0)<1;}",
            ),
        ],
    ),
    act(
        "signal another process",
        &[
            sh("kill -0 {victim}"),
            python("import os; os.kill({victim}, 0)"),
            perl("exit !kill(0, {victim})"),
            awk("BEGIN { exit system(\"kill -0 {victim}\") }"),
            find("kill -0 {victim}"),
            compiled(
                "#include <signal.h>\n#include <stdlib.h>\nint main(int c,char**v){\
                 return kill(atoi(v[2]),0)!=0;}",
            ),
        ],
    ),
    act(
        "signal another process by a file",
        &[python(
            "import os, signal; f = os.pidfd_open({victim}); signal.pidfd_send_signal(f, 0)",
        )],
    ),
    act(
        "trace another process",
        &[
            python("import ctypes; exit(ctypes.CDLL(None).ptrace(16, {victim}, 0, 0) != 0)"),
            compiled(
                "#include <sys/ptrace.h>\n#include <stdlib.h>\nint main(int c,char**v){\
                 return ptrace(PTRACE_SEIZE,atoi(v[2]),0,0)!=0;}",
            ),
        ],
    ),
    act(
        "take an open file of another process",
        &[compiled(
            "#include <sys/syscall.h>\n#include <unistd.h>\n#include <stdlib.h>\nint main(int c,char**v){\
             int p=syscall(434,atoi(v[2]),0);return p<0||syscall(438,p,0,0)<0;}",
        )],
    ),
    act(
        "change the limits of another process",
        &[python("import resource as r; r.prlimit({victim}, r.RLIMIT_CORE, (0, 0))")],
    ),
    act(
        "change the priority of another process",
        &[sh("renice -n 19 -p {victim}"), python("import os; os.setpriority(0, {victim}, 19)")],
    ),
    act(
        "use a file that the program left open",
        &[python(
            "import os\nfor f in range(3, 1024):\n try: os.fstat(f); exit(0)\n except OSError: pass\n\
             exit(1)",
        )],
    )
    .control(OnSome),
    act(
        "read a file through the first process of the machine",
        &[sh("ls /proc/1/root{home}/.ssh | grep id"), python("import os; os.listdir('/proc/1/root{home}/.ssh')")],
    )
    .control(OnSome),
];
