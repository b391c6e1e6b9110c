//! Targets beyond the network of a sandbox, and those that are not part of a network.

use super::Control::{ForRoot, OnSome, Succeeds};
use super::When::NoNetwork;
use super::{Act, Script, act, aimed, awk, compiled, find, perl, python, sh};

/// Sends a byte to a socket of the file system, or with `\0` an abstract one, and gets it back.
const TALKS: &[Script] = &[
    python(
        "import socket as s; c = s.socket(s.AF_UNIX); c.settimeout(2); c.connect('{target}'); c.send(b'x'); \
         exit(c.recv(1) != b'x')",
    ),
    perl(
        "use Socket; socket(S, AF_UNIX, SOCK_STREAM, 0) or exit 1; connect(S, pack_sockaddr_un(\"{target}\")) \
         or exit 1; syswrite S, 'x'; exit(sysread(S, my $b, 1) != 1)",
    ),
];

pub(super) const HELD: &[Act] = &[
    act(
        "reach the machine by TCP",
        &[
            sh("bash -c 'exec 7<>/dev/tcp/127.0.0.1/{tcp} && echo x >&7 && read -r x <&7'"),
            python(
                "import socket as s; c = s.create_connection(('127.0.0.1', {tcp}), 5); c.send(b'x'); \
                 exit(c.recv(1) != b'x')",
            ),
            perl(
                "use IO::Socket::INET; my $s = IO::Socket::INET->new(PeerAddr => '127.0.0.1:{tcp}') \
                 or exit 1; print $s 'x'; exit 0",
            ),
            awk("BEGIN { exit system(\"bash -c 'exec 7<>/dev/tcp/127.0.0.1/{tcp}'\") }"),
            find("bash -c 'exec 7<>/dev/tcp/127.0.0.1/{tcp}'"),
            compiled(
                "#include <arpa/inet.h>\n#include <stdlib.h>\nint main(int c,char**v){\
                 struct sockaddr_in a={AF_INET,htons(atoi(v[3])),{htonl(0x7f000001)}};\
                 int s=socket(AF_INET,SOCK_STREAM,0);return connect(s,(void*)&a,sizeof a)!=0;}",
            ),
        ],
    )
    .when(NoNetwork),
    act(
        "reach the machine by TCP as data of its first packet",
        &[python(
            "import socket as s; c = s.socket(); c.settimeout(2); \
             c.sendto(b'x', 0x20000000, ('127.0.0.1', {tcp})); exit(c.recv(1) != b'x')",
        )],
    )
    .when(NoNetwork)
    .control(OnSome),
    act(
        "reach the machine by TCP of six",
        &[python(
            "import socket as s; c = s.socket(s.AF_INET6); c.settimeout(2); \
             c.connect(('::ffff:127.0.0.1', {tcp})); c.send(b'x'); exit(c.recv(1) != b'x')",
        )],
    )
    .when(NoNetwork),
    act(
        "reach the machine by UDP",
        &[
            sh("bash -c 'exec 7<>/dev/udp/127.0.0.1/{udp} && echo x >&7 && read -t 2 -r -N 1 x <&7'"),
            python(
                "import socket as s; c = s.socket(s.AF_INET, s.SOCK_DGRAM); c.settimeout(2); \
                 c.sendto(b'x', ('127.0.0.1', {udp})); exit(c.recv(1) != b'x')",
            ),
            perl(
                "use IO::Socket::INET; my $s = IO::Socket::INET->new(Proto => 'udp', PeerAddr => \
                 '127.0.0.1:{udp}') or exit 1; alarm 2; $s->send('x') or exit 1; \
                 my $b; exit(!defined $s->recv($b, 1) || $b ne 'x')",
            ),
            find("bash -c 'exec 7<>/dev/udp/127.0.0.1/{udp} && echo x >&7 && read -t 2 -r -N 1 x <&7'"),
            compiled(
                "#include <arpa/inet.h>\n#include <stdlib.h>\n#include <unistd.h>\nint main(int c,char**v){\
                 struct sockaddr_in a={AF_INET,htons(atoi(v[4])),{htonl(0x7f000001)}};char b[4];alarm(2);\
                 int s=socket(AF_INET,SOCK_DGRAM,0);if(sendto(s,\"x\",1,0,(void*)&a,sizeof a)<1)return 1;\
                 return recv(s,b,1,0)<1;}",
            ),
        ],
    )
    .when(NoNetwork),
    act(
        "ask a server for a name",
        &[
            python(
                "import socket as s; c = s.socket(s.AF_INET, s.SOCK_DGRAM); c.settimeout(2); \
                 q = b'\\1\\1\\1\\0\\0\\1\\0\\0\\0\\0\\0\\0\\7example\\3com\\0\\0\\1\\0\\1'; \
                 c.sendto(q, ('127.0.0.1', {udp})); exit(len(c.recv(99)) < 12)",
            ),
            perl(
                "use IO::Socket::INET; my $s = IO::Socket::INET->new(Proto => 'udp', PeerAddr => \
                 '127.0.0.1:{udp}') or exit 1; alarm 2; \
                 $s->send(pack('n6', 257, 256, 1, 0, 0, 0) . \"\\7example\\3com\\0\\0\\1\\0\\1\") or exit 1; \
                 my $b; exit(!defined $s->recv($b, 99) || length($b) < 12)",
            ),
        ],
    )
    .when(NoNetwork),
    act(
        "have a name looked up by the system",
        &[sh("getent ahosts example.com"), python("import socket; socket.getaddrinfo('example.com', 80)")],
    )
    .when(NoNetwork)
    .control(OnSome),
    act(
        "see the connections of the machine",
        &[
            sh("grep -i ':{port} ' /proc/net/tcp"),
            python("exit(':{port} ' not in open('/proc/net/tcp').read())"),
            perl("open(F, '<', '/proc/net/tcp') or exit 1; exit !grep { /:{port} / } <F>"),
        ],
    )
    .when(NoNetwork),
    aimed("reach an abstract socket", "\\0sbx-{tcp}", TALKS),
    aimed("reach a socket outside of the workspace", "{top}/host.sock", TALKS),
    aimed("reach a socket in a folder of a tool", "{home}/.local/bin/agent.sock", TALKS),
    aimed("reach a socket in the workspace", "src/host.sock", TALKS),
    act(
        "send to an abstract socket without a connection",
        &[
            python(
                "import socket as s; c = s.socket(s.AF_UNIX, s.SOCK_DGRAM); c.sendto(b'x', '\\0sbd-{tcp}')",
            ),
            perl(
                "use Socket; socket(S, AF_UNIX, SOCK_DGRAM, 0) or exit 1; \
                 exit !send(S, 'x', 0, pack_sockaddr_un(\"\\0sbd-{tcp}\"))",
            ),
        ],
    ),
    act("open a socket to the host of a machine", &[
        python("import socket; socket.socket(40, 1)"),
        perl("use Socket; socket(S, 40, SOCK_STREAM, 0) or exit 1"),
        compiled("#include <sys/socket.h>\nint main(void){return socket(40,1,0)<0;}"),
    ])
    .control(OnSome),
    act("open a socket for raw packets", &[
        python("import socket; socket.socket(17, 3, 3)"),
        compiled("#include <sys/socket.h>\nint main(void){return socket(17,3,768)<0;}"),
    ])
    .control(ForRoot),
    act("send packets of any kind", &[python("import socket as s; s.socket(2, 3, 1)")])
        .control(ForRoot),
    act("use the ciphers of the kernel", &[
        python("import socket as s; c = s.socket(38, 5); c.bind(('hash', 'sha256'))"),
    ])
    .control(OnSome),
    act("open a socket of another kind", &[
        python(
            "import socket\nfor f in (3, 4, 5, 9, 15, 21, 29, 30, 31, 44):\n try: socket.socket(f, 2); exit(0)\n \
             except OSError: pass\nexit(1)",
        ),
    ])
    .control(OnSome),
    act("set up a network device", &[sh("ip link add sbx{n} type dummy && ip link del sbx{n}")])
        .control(OnSome),
    act("pass an open file to a program outside", &[
        python(
            "import array, socket as s; c = s.socket(s.AF_UNIX); c.connect('{top}/host.sock'); \
             c.sendmsg([b'x'], [(s.SOL_SOCKET, s.SCM_RIGHTS, array.array('i', [0]))])",
        ),
    ])
    .control(Succeeds),
];
