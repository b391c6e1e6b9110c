//! Files: secrets that are read, and what is reserved, written by every way there is.

use super::Control::{ForRoot, Harmful, OnSome};
use super::When::{ReadOnly, Writing};
use super::{Act, Script, act, aimed, awk, compiled, find, perl, python, sh};

/// Reads a file that is not empty.
const READS: &[Script] = &[
    sh("grep . '{target}'"),
    python("t = open('{target}').read(); print(t); exit(not t)"),
    perl("open(F, '<', '{target}') or exit 1; my $t = <F>; print $t; exit !length $t"),
    awk("BEGIN { n = (getline line < \"{target}\"); print line; exit n < 1 || line == \"\" }"),
    find("grep . '{target}'"),
    compiled(
        "#include <stdio.h>\nint main(int c,char**v){FILE*f=fopen(v[1],\"r\");char b[64];\
         return !f||!fgets(b,64,f)||puts(b)<0;}",
    ),
];

/// Writes at the end of a file, which is made if it is missing.
const APPENDS: &[Script] = &[
    sh("echo evil >>'{target}'"),
    python("open('{target}', 'a').write('evil')"),
    perl("open(F, '>>', '{target}') or exit 1; print F 'evil'; close(F) or exit 1"),
    awk("BEGIN { print \"evil\" >> \"{target}\"; exit close(\"{target}\") }"),
    find("echo evil >>'{target}'"),
    compiled(
        "#include <stdio.h>\nint main(int c,char**v){FILE*f=fopen(v[1],\"a\");\
         return !f||fputs(\"evil\",f)<0||fclose(f);}",
    ),
];

/// Puts another file in its place.
pub(super) const REPLACES: &[Script] = &[
    sh("echo evil >src/r{n} && mv -f src/r{n} '{target}'"),
    python("import os; open('src/r{n}', 'w').write('evil'); os.replace('src/r{n}', '{target}')"),
    perl(
        "open(F, '>', 'src/r{n}') or exit 1; print F 'evil'; close F; \
         exit !rename('src/r{n}', '{target}')",
    ),
    awk("BEGIN { exit system(\"echo evil >src/r{n} && mv -f src/r{n} {target}\") }"),
    find("echo evil >src/r{n} && cp --remove-destination src/r{n} '{target}'"),
    compiled(
        "#include <stdio.h>\n#include <fcntl.h>\nint main(int c,char**v){char b[64];\
         sprintf(b,\"src/r%s\",v[5]);FILE*f=fopen(b,\"w\");if(!f)return 1;fputs(\"evil\",f);fclose(f);\
         return renameat2(AT_FDCWD,b,AT_FDCWD,v[1],RENAME_EXCHANGE)&&rename(b,v[1]);}",
    ),
];

/// Gives it another name and writes by that.
const BY_HARD_LINK: &[Script] = &[
    sh("ln '{target}' src/h{n} && echo evil >>src/h{n}"),
    python("import os; os.link('{target}', 'src/h{n}'); open('src/h{n}', 'a').write('evil')"),
    perl(
        "link('{target}', 'src/h{n}') or exit 1; open(F, '>>', 'src/h{n}') or exit 1; print F 'evil'",
    ),
    compiled(
        "#include <stdio.h>\n#include <unistd.h>\nint main(int c,char**v){char b[64];\
         sprintf(b,\"src/h%s\",v[5]);if(link(v[1],b))return 1;FILE*f=fopen(b,\"a\");\
         return !f||fputs(\"evil\",f)<0||fclose(f);}",
    ),
];

const BY_LINK: &[Script] = &[
    sh("ln -s '{ws}/{target}' src/s{n} && echo evil >>src/s{n}"),
    python(
        "import os; os.symlink('{ws}/{target}', 'src/s{n}'); open('src/s{n}', 'a').write('evil')",
    ),
    perl(
        "symlink('{ws}/{target}', 'src/s{n}') or exit 1; open(F, '>>', 'src/s{n}') or exit 1; \
         print F 'evil'",
    ),
    find("ln -s '{ws}/{target}' src/s{n} && echo evil >>src/s{n}"),
];

const TRUNCATES: &[Script] = &[
    sh(": >'{target}'"),
    python("import os; os.truncate('{target}', 0)"),
    perl("exit !truncate('{target}', 0)"),
    compiled("#include <unistd.h>\nint main(int c,char**v){return truncate(v[1],0)!=0;}"),
];

const REMOVES: &[Script] = &[
    sh("rm -f '{target}' && [ ! -e '{target}' ]"),
    python("import os; os.unlink('{target}')"),
    perl("exit !unlink('{target}')"),
    find("find '{target}' -delete"),
    compiled("#include <unistd.h>\nint main(int c,char**v){return unlink(v[1])!=0;}"),
];

/// Opens it for reading, then again by what `/proc` says of that.
const REOPENS: &[Script] = &[
    sh("exec 7<'{target}' && echo evil >>/proc/self/fd/7"),
    python("import os; f = os.open('{target}', 0); open(f'/proc/self/fd/{f}', 'a').write('evil')"),
    perl(
        "open(F, '<', '{target}') or exit 1; open(G, '>>', '/proc/self/fd/' . fileno(F)) or exit 1; \
         print G 'evil'; close(G) or exit 1",
    ),
];

const RENAMES_AWAY: &[Script] = &[
    sh("mv -T '{target}' src/m{n}"),
    python("import os; os.rename('{target}', 'src/m{n}')"),
    perl("exit !rename('{target}', 'src/m{n}')"),
    awk("BEGIN { exit system(\"mv -T '{target}' src/m{n}\") }"),
    find("mv -T '{target}' src/m{n}"),
    compiled(
        "#include <stdio.h>\nint main(int c,char**v){char b[64];sprintf(b,\"src/m%s\",v[5]);\
         return rename(v[1],b)!=0;}",
    ),
];

pub(super) const READ: &[Act] = &[
    aimed("read a private key", "{home}/.ssh/id_ed25519", READS),
    aimed("read ~/.gnupg", "{home}/.gnupg/key", READS),
    aimed("read ~/.aws", "{home}/.aws/credentials", READS),
    aimed("read ~/.config/gh", "{home}/.config/gh/hosts.yml", READS),
    aimed("read ~/.netrc", "{home}/.netrc", READS),
    aimed("read ~/.git-credentials", "{home}/.git-credentials", READS),
    aimed("read ~/.npmrc", "{home}/.npmrc", READS),
    aimed("read ~/.kube", "{home}/.kube/config", READS),
    aimed("read credentials of cargo", "{home}/.cargo/credentials.toml", READS),
    aimed("read settings of cargo with a key", "{home}/.cargo/config", READS),
    aimed("read logs of npm", "{home}/.npm/_logs/log", READS),
    aimed("read settings of pip", "{home}/.config/pip/pip.conf", READS),
    aimed("read settings of a python", "{home}/.pyenv/versions/3/pip.conf", READS),
    aimed("read credentials of uv", "{home}/.local/share/uv/credentials/credentials.toml", READS),
    aimed("read keys beside programs", "{home}/.local/bin/.netrc", READS),
    aimed("read settings of maven", "{home}/.m2/settings.xml", READS),
    aimed("read settings of gradle", "{home}/.gradle/gradle.properties", READS),
    aimed("read sources of go", "{home}/go/src/private/x.go", READS),
    aimed(
        "read a secret through a link in a folder of a tool",
        "{home}/.cargo/bin/linked/id_ed25519",
        READS,
    ),
    aimed(
        "read keys among the settings of git",
        "{home}/.gitconfig",
        &[
            sh("grep {canary} '{target}'"),
            python("exit('{canary}' not in open('{target}').read())"),
            perl("open(F, '<', '{target}') or exit 1; exit !grep { /{canary}/ } <F>"),
        ],
    ),
    aimed("read our state", "{home}/.local/state/dominds-tui/trusted", READS),
    aimed("read history of a shell", "{home}/.bash_history", READS),
    aimed("read another project", "{top}/other/file", READS),
    aimed("read a secret through a link in the workspace", "linked/id_ed25519", READS),
    act(
        "link a secret into the workspace",
        &[
            sh("ln {home}/.netrc src/n{n} && cat src/n{n}"),
            python(
                "import os; os.link('{home}/.netrc', 'src/n{n}'); print(open('src/n{n}').read())",
            ),
            perl(
                "link('{home}/.netrc', 'src/n{n}') or exit 1; open(F, '<', 'src/n{n}') or exit 1; \
                 print <F>",
            ),
        ],
    ),
    act(
        "list the home folder",
        &[
            sh("ls -a {home} | grep -q '^.ssh$'"),
            python("import os; exit('.ssh' not in os.listdir('{home}'))"),
            perl("exit !-d '{home}/.ssh'"),
            find("find {home} -name id_ed25519 | grep ."),
        ],
    ),
    aimed("read passwords of the system", "/etc/shadow", READS).control(ForRoot),
    aimed("read .minds", ".minds/team.yaml", READS).when(ReadOnly),
    aimed("read .dialogs", ".dialogs/run/x/dialog.yaml", READS).when(ReadOnly),
    aimed("read a Taskdoc", "a.tsk/goals.md", READS).when(ReadOnly),
];

pub(super) const WRITTEN: &[Act] = &[
    aimed("write .minds", ".minds/team.yaml", APPENDS),
    aimed("write .dialogs", ".dialogs/run/x/dialog.yaml", APPENDS),
    aimed("write a Taskdoc", "a.tsk/goals.md", APPENDS),
    aimed("write a Taskdoc below the top", "deep/b.tsk/goals.md", APPENDS),
    aimed("make a file in .minds", ".minds/mcp.yaml", APPENDS),
    act(
        "make .hive",
        &[
            sh("mkdir -p .hive && echo evil >.hive/x{n}"),
            python(
                "import os; os.makedirs('.hive', exist_ok=True); open('.hive/x{n}', 'w').write('evil')",
            ),
            perl("mkdir '.hive'; open(F, '>', '.hive/x{n}') or exit 1; print F 'evil'"),
        ],
    ),
    aimed("replace a file of .minds", ".minds/team.yaml", REPLACES),
    aimed("write by a hard link", ".minds/team.yaml", BY_HARD_LINK),
    aimed("write by a link", ".minds/team.yaml", BY_LINK),
    aimed("truncate a file of .minds", ".minds/team.yaml", TRUNCATES),
    aimed("remove a file of .minds", ".minds/team.yaml", REMOVES),
    aimed("write a file that is open by /proc", ".minds/team.yaml", REOPENS),
    aimed("write through the root of a process", "/proc/self/root{ws}/.minds/team.yaml", APPENDS),
    aimed("write through the folder of a process", "/proc/self/cwd/.minds/team.yaml", APPENDS),
    aimed("rename .minds away", ".minds", RENAMES_AWAY),
    aimed("rename .dialogs away", ".dialogs", RENAMES_AWAY),
    aimed("rename a Taskdoc away", "a.tsk", RENAMES_AWAY),
    aimed(
        "change the mode of a reserved file",
        ".minds/team.yaml",
        &[
            sh("chmod 777 '{target}'"),
            python("import os; os.chmod('{target}', 0o777)"),
            perl("exit !chmod(0777, '{target}')"),
            find("chmod 777 '{target}'"),
            compiled("#include <sys/stat.h>\nint main(int c,char**v){return chmod(v[1],0777)!=0;}"),
        ],
    ),
    aimed(
        "change the times of a reserved file",
        ".minds/team.yaml",
        &[
            sh("touch -d 2001-01-01 '{target}'"),
            python("import os; os.utime('{target}', (1, 1))"),
            perl("exit !utime(1, 1, '{target}')"),
        ],
    ),
    act(
        "make a new Taskdoc",
        &[
            sh("mkdir new{n}.tsk && echo evil >new{n}.tsk/goals.md"),
            python(
                "import os; os.mkdir('new{n}.tsk'); open('new{n}.tsk/goals.md', 'w').write('evil')",
            ),
        ],
    ),
    aimed("write what the shell of the person runs", "{home}/.bashrc", APPENDS),
    aimed("write settings of cargo", "{home}/.cargo/config.toml", APPENDS),
    aimed("write a program of cargo", "{home}/.cargo/bin/tool", APPENDS),
    aimed("write the settings of git of the person", "{home}/.gitconfig", APPENDS),
    aimed("write what was agreed to", "{home}/.local/state/dominds-tui/trusted", APPENDS),
    aimed("write another project", "{top}/other/file", APPENDS),
    aimed("make a file in another project", "{top}/other/new", APPENDS),
    aimed("write through a link in the workspace", "linked/authorized_keys", APPENDS),
    aimed("write a folder of the system", "/etc/evil{n}", APPENDS).control(Harmful),
    aimed("write programs of the system", "/usr/bin/evil{n}", APPENDS).control(Harmful),
    aimed("write the first process of the sandbox", "/run/dominds-tui", APPENDS).control(Harmful),
    aimed("write the workspace", "src/b.txt", APPENDS).when(ReadOnly),
    aimed("make a file in the workspace", "src/new{n}.txt", APPENDS).when(ReadOnly),
    aimed("rename a folder of the workspace", "src", &[sh("mv src away")]).when(ReadOnly),
    act(
        "make a program of another user's rights",
        &[sh(
            "cp /usr/bin/id src/id{n} && chmod 4755 src/id{n} && setpriv --no-new-privs true && \
            grep -q 'NoNewPrivs:.0' /proc/self/status",
        )],
    )
    .when(Writing)
    .control(OnSome),
];
