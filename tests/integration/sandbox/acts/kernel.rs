//! Namespaces, mounts and the rest of the kernel.

use super::Control::{ForRoot, Harmful, OnSome};
use super::{Act, Script, act, aimed, compiled, find, perl, python, sh};

/// Opens it for writing, if it exists, and writes nothing.
const OPENS: &[Script] = &[
    sh("[ -e '{target}' ] && exec 7>>'{target}'"),
    python("import os; os.open('{target}', os.O_WRONLY)"),
    perl("use Fcntl; sysopen(F, '{target}', O_WRONLY) or exit 1"),
    compiled("#include <fcntl.h>\nint main(int c,char**v){return open(v[1],O_WRONLY)<0;}"),
];

pub(super) const HELD: &[Act] = &[
    act(
        "make a user namespace",
        &[
            sh("unshare -U true"),
            python("import ctypes; exit(ctypes.CDLL(None).unshare(0x10000000) != 0)"),
            perl("exit(syscall(272, 0x10000000) != 0)"),
            find("unshare -U true"),
            compiled(
                "#define _GNU_SOURCE\n#include <sched.h>\n#include <signal.h>\n#include <unistd.h>\n\
                 #include <sys/syscall.h>\nint main(void){long p=syscall(56,0x10000000|SIGCHLD,0,0,0,0);\
                 if(!p)_exit(0);return p<0;}",
            ),
            compiled(
                "#include <unistd.h>\n#include <sys/syscall.h>\nint main(void){unsigned long a[11]={\
                 0x10000000,0,0,0,17};long p=syscall(435,a,88);if(!p)_exit(0);return p<0;}",
            ),
        ],
    )
    .control(OnSome),
    act("make a mount namespace", &[sh("unshare -Urm true"), sh("unshare -m true")])
        .control(OnSome),
    act(
        "make a network of one's own",
        &[sh("unshare -Urn true"), python("import ctypes; exit(ctypes.CDLL(None).unshare(0x50000000) != 0)")],
    )
    .control(OnSome),
    act(
        "enter the namespaces of another process",
        &[
            sh("nsenter -t {victim} -m true"),
            python(
                "import ctypes, os; exit(ctypes.CDLL(None).setns(os.open('/proc/{victim}/ns/net', 0), 0) != 0)",
            ),
        ],
    )
    .control(ForRoot),
    act("remove the wall of .minds", &[sh("umount -l {ws}/.minds"), sh("umount -a -t none")])
        .control(Harmful),
    act("open the wall of .minds", &[
        sh("mount -o remount,rw,bind {ws}/.minds"),
        compiled(
            "#include <sys/mount.h>\nint main(int c,char**v){return mount(0,\".minds\",0,\
             MS_REMOUNT|MS_BIND,0)!=0;}",
        ),
    ])
    .control(Harmful),
    act("mount another folder over .minds", &[
        sh("mount --bind src .minds"),
        python("import ctypes; exit(ctypes.CDLL(None).mount(b'src', b'.minds', None, 4096, None) != 0)"),
    ])
    .control(Harmful),
    act(
        "mount by the new calls",
        &[compiled(
            "#include <unistd.h>\n#include <sys/syscall.h>\nint main(void){\
             return syscall(428,-100,\".\",1)<0&&syscall(430,\"tmpfs\",0)<0;}",
        )],
    )
    .control(ForRoot),
    act(
        "change the root folder",
        &[
            sh("chroot . /bin/true"),
            python("import os; os.chroot('.')"),
            perl("exit !chroot('.')"),
            compiled("#include <unistd.h>\nint main(void){return chroot(\".\")!=0;}"),
        ],
    )
    .control(OnSome),
    act(
        "mount by calls of another architecture",
        &[compiled(
            "#include <stdio.h>\n#include <sys/mman.h>\nint main(void){char*p=mmap(0,4096,3,MAP_32BIT|\
             MAP_ANONYMOUS|MAP_PRIVATE,-1,0);p[0]='.';p[1]=0;long r;\
             __asm__ volatile(\"int $0x80\":\"=a\"(r):\"a\"(61),\"b\"(p):\"memory\");return r!=0;}",
        )],
    )
    .control(OnSome),
    act(
        "trace by the second set of calls",
        &[compiled(
            "#include <unistd.h>\n#include <stdlib.h>\nint main(int c,char**v){\
             return syscall(0x40000000|521,16,atoi(v[2]),0,0)!=0;}",
        )],
    )
    .control(OnSome),
    act("make a device", &[sh("mknod src/d{n} b 254 0"), python("import os; os.mknod('src/d{n}', 0o60600, 65024)")])
        .control(ForRoot),
    act(
        "open a file by its handle",
        &[compiled(
            "#define _GNU_SOURCE\n#include <fcntl.h>\n#include <stdlib.h>\nint main(int c,char**v){int m;\
             struct file_handle*h=malloc(200);h->handle_bytes=128;\
             if(name_to_handle_at(AT_FDCWD,\"src/a.txt\",h,&m,0))return 1;\
             return open_by_handle_at(AT_FDCWD,h,O_RDONLY)<0;}",
        )],
    )
    .control(ForRoot),
    act(
        "use keys of the kernel",
        &[
            python("import ctypes; exit(ctypes.CDLL(None).syscall(250, 0, -3, 1) < 0)"),
            perl("exit(syscall(250, 0, -3, 1) < 0)"),
            compiled("#include <unistd.h>\nint main(void){return syscall(250,0,-3,1)<0;}"),
        ],
    )
    .control(OnSome),
    act(
        "set up a ring of calls",
        &[
            python(
                "import ctypes; b = ctypes.create_string_buffer(256); \
                 exit(ctypes.CDLL(None).syscall(425, 4, b) < 0)",
            ),
            compiled("#include <unistd.h>\nint main(void){char b[256]={0};return syscall(425,4,b)<0;}"),
        ],
    )
    .control(OnSome),
    act(
        "load a program into the kernel",
        &[compiled("#include <unistd.h>\nint main(void){char b[128]={1,0,0,0,4,0,0,0,4,0,0,0,1};\
                    return syscall(321,0,b,72)<0;}")],
    )
    .control(OnSome),
    act(
        "watch the processor",
        &[compiled("#include <unistd.h>\nint main(void){unsigned b[32]={1,128};\
                    return syscall(298,b,0,-1,-1,0)<0;}")],
    )
    .control(OnSome),
    act("handle faults of memory", &[compiled("#include <unistd.h>\nint main(void){return syscall(323,1)<0;}")])
        .control(OnSome),
    act("read the log of the kernel", &[sh("dmesg | grep -q ."), sh("head -c 1 /dev/kmsg | grep -q .")])
        .control(OnSome),
    act(
        "type into a terminal",
        &[python(
            "import fcntl, os, pty, termios\nm, s = pty.openpty()\nif os.fork() == 0:\n os.setsid()\n try:\n  \
             fcntl.ioctl(s, termios.TIOCSCTTY, 0)\n  fcntl.ioctl(s, termios.TIOCSTI, b'x')\n except OSError: \
             os._exit(1)\n os._exit(0)\nexit(os.waitstatus_to_exitcode(os.wait()[1]))",
        )],
    )
    .control(OnSome),
    aimed("have the kernel run a program at a crash", "/proc/sys/kernel/core_pattern", OPENS)
        .control(ForRoot),
    aimed("drop caches of the kernel", "/proc/sys/vm/drop_caches", OPENS).control(ForRoot),
    aimed("allow more namespaces", "/proc/sys/user/max_user_namespaces", OPENS).control(OnSome),
    aimed("send a command to the kernel", "/proc/sysrq-trigger", OPENS).control(OnSome),
    aimed("write the log of the kernel", "/dev/kmsg", OPENS).control(OnSome),
    aimed("have the kernel run a program for a device", "/sys/kernel/uevent_helper", OPENS)
        .control(OnSome),
    aimed("write settings of a device", "/sys/devices/system/cpu/cpu0/uevent", OPENS)
        .control(OnSome),
    aimed("open the disk", "/dev/vda", &[sh("head -c 1 {target} >src/v{n} && [ -s src/v{n} ]")])
        .control(OnSome),
    act("make a group of processes of one's own", &[sh("mkdir /sys/fs/cgroup/sbx{n} && rmdir /sys/fs/cgroup/sbx{n}")])
        .control(OnSome),
    act("become somebody else", &[
        sh("setpriv --reuid 12345 --clear-groups true"),
        python("import os; os.setuid(12345)"),
        perl("$< = 12345; exit($< != 12345)"),
    ])
    .control(ForRoot),
    act("give a file to somebody else", &[
        sh("touch src/o{n} && chown 12345 src/o{n}"),
        python("import os; open('src/p{n}', 'w'); os.chown('src/p{n}', 12345, 12345)"),
    ])
    .control(ForRoot),
    act(
        "make a file that runs with the rights of its owner",
        &[
            sh("f=${TMPDIR:-/tmp}/su{n} && cp /bin/true $f && chmod 4755 $f && [ -u $f ]"),
            python(
                "import os; f = os.environ.get('TMPDIR', '/tmp') + '/sp{n}'; os.umask(0)\n\
                 try: os.open(f, os.O_CREAT | os.O_WRONLY, 0o4755)\n\
                 except OSError: os.mknod(f, 0o104755)\n\
                 exit(not os.stat(f).st_mode & 0o4000)",
            ),
            python(
                "import os; d = os.environ.get('TMPDIR', '/tmp'); f = os.open(d, os.O_TMPFILE | os.O_RDWR, 0o4755); \
                 exit(not os.fstat(f).st_mode & 0o4000)",
            ),
            python(
                "import os; f = os.open(os.environ.get('TMPDIR', '/tmp') + '/sf{n}', os.O_CREAT | os.O_RDWR); \
                 os.fchmod(f, 0o4755); exit(not os.fstat(f).st_mode & 0o4000)",
            ),
            perl(
                "my $f = ($ENV{TMPDIR} // '/tmp') . '/sq{n}'; open(F, '>', $f) or exit 1; \
                 syscall(452, -100, $f, 04755, 0) && chmod(04755, $f); exit !-u $f",
            ),
            compiled(
                "#include <fcntl.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <unistd.h>\n\
                 #include <sys/stat.h>\n#include <sys/syscall.h>\nint main(int c,char**v){char b[4096];\
                 char*d=getenv(\"TMPDIR\");snprintf(b,4096,\"%s/sc%s\",d?d:\"/tmp\",v[5]);\
                 unsigned long h[3]={O_CREAT|O_WRONLY,04755,0};long f=syscall(437,AT_FDCWD,b,h,24);\
                 if(f<0)f=creat(b,04755);struct stat s;return f<0||fstat(f,&s)||!(s.st_mode&04000);}",
            ),
        ],
    ),
    act(
        "make a file that runs with the rights of the group of the administrator",
        &[
            sh("[ $(id -u) = 0 ] && f=${TMPDIR:-/tmp}/sg{n} && cp /bin/true $f && chmod 2755 $f && [ -g $f ]"),
            python(
                "import os; f = os.environ.get('TMPDIR', '/tmp') + '/sh{n}'; os.umask(0); \
                 exit(os.getuid() != 0 or not os.fstat(os.open(f, os.O_CREAT | os.O_WRONLY, 0o2755)).st_mode & 0o2000)",
            ),
        ],
    )
    .control(ForRoot),
    act("have capabilities", &[
        sh("grep -Eq 'Cap(Eff|Prm|Amb):.*[1-9a-f]' /proc/self/status"),
    ])
    .control(ForRoot),
];
