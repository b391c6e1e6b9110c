//! Files that git reads as configuration or runs. Writing one makes the person's next git command run a
//! program.

use super::files::REPLACES;
use super::{Act, Script, act, aimed, awk, compiled, find, perl, python, sh};

/// Puts in place a file that has git run a program.
const CONFIGURES: &[Script] = &[
    sh("printf '[core]\\n\\tfsmonitor = \"touch {top}/ran; false\"\\n' >>'{target}'"),
    python("open('{target}', 'a').write('[core]\\n\\tfsmonitor = \"touch {top}/ran; false\"\\n')"),
    perl(
        "open(F, '>>', '{target}') or exit 1; \
         print F qq([core]\\n\\tfsmonitor = \"touch {top}/ran; false\"\\n); close(F) or exit 1",
    ),
    awk(
        "BEGIN { print \"[alias]\\n\\ta = !touch {top}/ran\" >> \"{target}\"; exit close(\"{target}\") }",
    ),
    find("printf '[core]\\n\\tpager = touch {top}/ran\\n' >>'{target}'"),
    compiled(
        "#include <stdio.h>\nint main(int c,char**v){FILE*f=fopen(v[1],\"a\");\
         return !f||fputs(\"[core]\\n\\teditor = evil\\n\",f)<0||fclose(f);}",
    ),
];

/// Puts a program in place.
const HOOKS: &[Script] = &[
    sh("printf '#!/bin/sh\\ntouch {top}/ran\\n' >'{target}{n}' && chmod 755 '{target}{n}'"),
    python(
        "import os; open('{target}{n}', 'w').write('#!/bin/sh\\ntouch {top}/ran\\n'); \
         os.chmod('{target}{n}', 0o755)",
    ),
    perl(
        "open(F, '>', '{target}{n}') or exit 1; print F 'touch {top}/ran'; chmod 0755, '{target}{n}'; exit 0",
    ),
    awk("BEGIN { print \"touch {top}/ran\" > \"{target}{n}\"; exit close(\"{target}{n}\") }"),
    find("cp \"$1\" '{target}{n}'"),
    compiled(
        "#include <stdio.h>\n#include <sys/stat.h>\nint main(int c,char**v){char b[4096];\
         sprintf(b,\"%s%s\",v[1],v[5]);FILE*f=fopen(b,\"w\");return !f||fclose(f)||chmod(b,0755);}",
    ),
];

pub(super) const HELD: &[Act] = &[
    aimed("write .git/config", ".git/config", CONFIGURES),
    aimed("write .git/config.worktree", ".git/config.worktree", CONFIGURES),
    aimed("put a hook in place", ".git/hooks/evil-", HOOKS),
    aimed("make the configuration of a submodule another", ".git/modules/m/config", CONFIGURES),
    aimed("put a hook of a submodule in place", ".git/modules/m/hooks/evil-", HOOKS),
    aimed("write settings of another worktree", ".git/worktrees/w/config.worktree", CONFIGURES),
    aimed("write the configuration of an inner repository", "deep/r/.git/config", CONFIGURES),
    aimed("put a hook of an inner repository in place", "deep/r/.git/hooks/evil-", HOOKS),
    aimed("write a file that .git/config includes", "gitconfig.inc", CONFIGURES),
    aimed("put another file in place of one that is included", "gitconfig.inc", REPLACES),
    aimed("write a program that a setting of git names", "tools/clean.sh", CONFIGURES),
    aimed("put another program in place of one that a setting names", "tools/clean.sh", REPLACES),
    act(
        "put another folder in place of one with such a program",
        &[
            sh("mv -T tools src/t{n} && mkdir tools"),
            python("import os; os.rename('tools', 'src/t{n}'); os.mkdir('tools')"),
        ],
    ),
    aimed(
        "write the configuration of a repository among generated files",
        "node_modules/dep/.git/config",
        CONFIGURES,
    ),
    aimed("write the configuration of a bare repository", "deep/bare/config", CONFIGURES),
    aimed("put a hook of a bare repository in place", "deep/bare/hooks/evil-", HOOKS),
    aimed(
        "write the steps of a rebase of the person",
        "deep/r/.git/rebase-merge/git-rebase-todo",
        &[
            sh("echo 'exec touch {top}/ran' >>'{target}'"),
            python("open('{target}', 'a').write('exec touch {top}/ran\\n')"),
        ],
    ),
    aimed("put another file in place of .git/config", ".git/config", REPLACES),
    act(
        "set what git runs, by git",
        &[
            sh("git config core.fsmonitor 'touch {top}/ran; false'"),
            sh("git config --file .git/config core.fsmonitor evil"),
            sh("git config alias.x '!touch {top}/ran'"),
            sh("git remote add r{n} ext::evil"),
            python(
                "import subprocess; subprocess.check_call(['git', 'config', 'core.hooksPath', 'src'])",
            ),
            perl("exit(system('git', 'config', 'diff.external', 'evil') != 0)"),
            find("git config filter.x.clean 'touch {top}/ran'"),
        ],
    ),
    act(
        "have git copy hooks from a template",
        &[sh("mkdir -p src/t{n}/hooks && cp /bin/true src/t{n}/hooks/evil{n} && \
                git init -q --template=src/t{n} . && [ -e .git/hooks/evil{n} ]")],
    ),
    act(
        "have git read its configuration elsewhere",
        &[
            sh("echo ../src >.git/commondir"),
            python("open('.git/commondir', 'w').write('../src')"),
            perl("open(F, '>', '.git/commondir') or exit 1; print F '../src'; close F or exit 1"),
            awk("BEGIN { print \"../src\" > \".git/commondir\"; exit close(\".git/commondir\") }"),
            find("cp \"$1\" .git/commondir"),
            compiled(
                "#include <unistd.h>\nint main(void){unlink(\".git/commondir\");\
                 return symlink(\"../src/a.txt\",\".git/commondir\")!=0;}",
            ),
        ],
    ),
    act(
        "put another repository in place",
        &[
            sh("mv -T .git g{n} && mkdir .git && echo evil >.git/config"),
            python("import os; os.rename('.git', 'src/g{n}'); os.mkdir('.git')"),
            perl("rename('.git', 'src/g{n}') or exit 1; exit !mkdir '.git'"),
            find("mv -T .git src/g{n}"),
            compiled(
                "#include <stdio.h>\n#include <fcntl.h>\n#include <sys/stat.h>\nint main(int c,char**v){\
                 char b[64];sprintf(b,\"src/e%s\",v[5]);mkdir(b,0755);\
                 return renameat2(AT_FDCWD,b,AT_FDCWD,\".git\",RENAME_EXCHANGE)!=0;}",
            ),
        ],
    ),
    act(
        "put another repository in place of an inner one",
        &[
            sh("mv -T deep/r/.git src/g{n} && mkdir deep/r/.git"),
            python("import os; os.rename('deep/r/.git', 'src/g{n}'); os.mkdir('deep/r/.git')"),
        ],
    ),
    act(
        "put another folder in place of one with a repository in it",
        &[
            sh("mv -T deep/r src/r{n} && mkdir deep/r"),
            python("import os; os.rename('deep/r', 'src/r{n}'); os.mkdir('deep/r')"),
        ],
    ),
    act(
        "put other folders of submodules in place",
        &[
            sh(
                "mv -T .git/modules .git/m{n} && mkdir -p .git/modules && cp -r .git/m{n}/m .git/modules/m && \
                echo evil >>.git/modules/m/config",
            ),
            sh("mv -T .git/modules/m .git/m{n} && cp -r .git/m{n} .git/modules/m && \
                echo evil >>.git/modules/m/config"),
        ],
    ),
    act(
        "remove hooks",
        &[sh("rm -r .git/hooks"), python("import shutil; shutil.rmtree('.git/hooks')")],
    ),
    act(
        "put other hooks in place",
        &[
            sh("mv -T .git/hooks .git/h{n} && mkdir .git/hooks"),
            perl("rename('.git/hooks', '.git/h{n}') or exit 1; exit !mkdir '.git/hooks'"),
        ],
    ),
    act(
        "make a repository that git looks into from the top",
        &[sh("git init -q in{n} && cd in{n} && git commit -q --allow-empty -m x && \
                git config core.fsmonitor evil && cd .. && git add in{n}")],
    ),
];
