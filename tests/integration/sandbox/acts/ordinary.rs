//! Everyday work of a member, which has to go on working.

use super::When::Writing;
use super::{Act, act, compiled, find, perl, python, sh};

pub const ORDINARY: &[Act] = &[
    act("read a source", &[sh("grep -q hello src/a.txt"), find("grep -q hello src/a.txt")]),
    act("write a source", &[
        sh("echo y >src/b{n}.txt && grep -q y src/b{n}.txt"),
        python("open('src/p{n}.txt', 'w').write('y')"),
        perl("open(F, '>', 'src/q{n}.txt') or exit 1; print F 'y'"),
    ])
    .when(Writing),
    act("make a file and a folder at the top", &[sh("echo y >top{n}.txt && mkdir -p dir{n}/in && mv top{n}.txt dir{n}")])
        .when(Writing),
    act("edit, move and remove files", &[
        sh("mkdir -p src/d{n} && echo one >src/d{n}/x && sed -i s/one/two/ src/d{n}/x && \
            grep -q two src/d{n}/x && cp -r src/d{n} src/e{n} && mv src/e{n} src/f{n} && \
            chmod 755 src/f{n}/x && touch src/f{n}/x && rm -r src/d{n} src/f{n}"),
    ])
    .when(Writing),
    act("write the private folder", &[sh("d=${TMPDIR:-/tmp}; echo x >$d/q{n} && cat $d/q{n} && rm $d/q{n}")]),
    act("write /tmp", &[sh("echo x >/tmp/q{n} && cat /tmp/q{n} && mktemp -d && mktemp")]),
    act("write /var/tmp and shared memory", &[sh("echo x >/var/tmp/q{n} && echo x >/dev/shm/q{n}")]),
    act("write what is thrown away", &[sh("echo x >/dev/null && head -c 8 /dev/urandom | wc -c && head -c 8 /dev/zero >/dev/null")]),
    act("status, log, diff and branches of git", &[
        sh("git status --short && git log --oneline && git diff && git branch -a && git show --stat"),
    ]),
    act("commit, branch and merge", &[
        sh("echo z >src/z{n} && git add src/z{n} && git commit -qm z && git checkout -qb b{n} && \
            echo y >>src/z{n} && git commit -qam y && git checkout -q - && git merge -q b{n} && \
            git tag t{n} && git stash list && git reset -q --hard HEAD"),
    ])
    .when(Writing),
    act("a repository elsewhere", &[
        sh("d=${TMPDIR:-/tmp}/g{n} && git init -q $d && cd $d && echo a >a && git add a && git commit -qm a && \
            git config core.abbrev 12 && git clone -q $d $d-2 && git -C $d-2 log --oneline"),
    ]),
    act("threads and processes of python", &[
        python(
            "import subprocess, threading; t = threading.Thread(target=print); t.start(); t.join(); \
             subprocess.check_call(['true'])",
        ),
        python("from concurrent.futures import ProcessPoolExecutor as P; exit(sum(P(2).map(abs, [-1, 2])) != 3)"),
    ]),
    act("tests of python", &[
        sh("d=${TMPDIR:-/tmp}/t{n} && mkdir $d && cd $d && printf 'import unittest\\nclass T(unittest.TestCase):\\n \
            def test_a(self): self.assertEqual(1, 1)\\n' >test_a.py && python3 -m unittest -q"),
    ]),
    act("compile and run a program in C", &[
        compiled("int main(void){return 0;}"),
        sh("d=${TMPDIR:-/tmp}/c{n} && mkdir $d && cd $d && echo 'int main(void){return 3;}' >p.c && cc p.c -o p && \
            { ./p; [ $? = 3 ]; }"),
    ]),
    act("make", &[
        sh("d=${TMPDIR:-/tmp}/m{n} && mkdir $d && cd $d && printf 'all: a b\\n%%:\\n\\techo $@ >$@\\n' >Makefile && \
            make -s -j2 && cat a b"),
    ]),
    act("pack and unpack", &[
        sh("d=${TMPDIR:-/tmp}/p{n} && mkdir -p $d/x && tar czf $d/a.tgz src/a.txt && tar xzf $d/a.tgz -C $d/x && \
            cmp src/a.txt $d/x/src/a.txt"),
    ]),
    act("pipes and sorting", &[
        sh("seq 1000 | sort -rn | head -n 3 | tr '\\n' ' ' | grep -q '1000 999 998' && \
            seq 5 | xargs -P 2 -n 1 echo | wc -l | grep -q 5 && find . -name '*.txt' | grep -q src"),
    ]),
    act("output that is long", &[sh("seq 200000 | tail -n 1 | grep -q 200000 && seq 20000")]),
    act("exit codes and signals within the command", &[
        sh("sh -c 'exit 7'; [ $? = 7 ] && sh -c 'kill -TERM $$'; [ $? = 143 ] && \
            (trap 'exit 9' USR1; kill -USR1 $(sh -c 'echo $PPID'); sleep 5); [ $? = 9 ]"),
        sh("sleep 60 & kill $! && ! wait $!"),
        sh("timeout 0.2 sleep 60; [ $? = 124 ]"),
    ]),
    act("processes in the background", &[
        sh("sleep 0.2 & nohup sleep 0.1 >/dev/null 2>&1 & setsid sleep 0.1; wait; jobs"),
        sh("ps -e >/dev/null && cat /proc/self/status /proc/cpuinfo /proc/meminfo >/dev/null && nproc"),
    ]),
    act("a server and a client on loopback", &[
        python(
            "import socket as s; a = s.socket(); a.bind(('127.0.0.1', 0)); a.listen(); \
             b = s.create_connection(a.getsockname()); b.send(b'x'); exit(a.accept()[0].recv(1) != b'x')",
        ),
        sh("cd src && { python3 -u -m http.server --bind 127.0.0.1 0 >${TMPDIR:-/tmp}/s{n} 2>&1 & p=$!; }; i=0; \
            until grep -q port ${TMPDIR:-/tmp}/s{n} || [ $i = 200 ]; do sleep 0.05; i=$((i+1)); done; \
            u=$(sed 's/.*(\\(.*\\)).*/\\1/' ${TMPDIR:-/tmp}/s{n}); \
            python3 -c \"import urllib.request as u; exit(b'hello' not in u.urlopen('${u}a.txt').read())\"; \
            r=$?; kill $p; exit $r"),
    ]),
    act("a datagram on loopback", &[python(
        "import socket as s; a = s.socket(2, 2); a.bind(('127.0.0.1', 0)); a.settimeout(5); \
         b = s.socket(2, 2); b.sendto(b'x', a.getsockname()); exit(a.recv(1) != b'x')",
    )]),
    act("sockets of one's own in the private folder", &[
        python(
            "import os, socket as s; p = os.environ.get('TMPDIR', '/tmp') + '/s{n}'; a = s.socket(1); a.bind(p); \
             a.listen(); b = s.socket(1); b.connect(p); b.send(b'x'); exit(a.accept()[0].recv(1) != b'x')",
        ),
    ]),
    act("a pair of sockets, pipes and queues", &[
        python("import os, socket as s; a, b = s.socketpair(); a.send(b'x'); os.pipe(); os.mkfifo('/dev/shm/f{n}')"),
        python("import multiprocessing as m; q = m.Queue(); q.put(1); exit(q.get() != 1)"),
    ]),
    act("node", &[sh("node -e 'console.log(require(\"os\").cpus().length)'")]),
    act("tests of node", &[
        sh("d=${TMPDIR:-/tmp}/n{n} && mkdir $d && cd $d && \
            echo 'require(\"node:test\")(\"a\", () => require(\"assert\")(1))' >a.test.js && node --test"),
    ]),
    act("build a project of node from the cache", &[
        sh("cd node && npm ci --offline --no-audit --no-fund && npm run build && [ -d node_modules/leaf ]"),
    ])
    .when(Writing),
    act("build and test a project of cargo from the cache", &[
        sh("cd crate && cargo build --offline -q && cargo test --offline -q && ./target/debug/c"),
    ])
    .when(Writing),
    act("dates, languages and accounts of the system", &[
        sh("date && TZ=Asia/Tokyo date && id && locale && getent passwd root && hostname && uname -a"),
    ]),
    act("help and versions of tools", &[sh("git --version && perl -v && python3 -V && sed --version && cc --version")]),
];
