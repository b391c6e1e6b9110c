# What can be made of this repository; `just --list`.

# What people install: a tar archive, a Debian package and checksums, in target/package
dist:
    .ci/dist

# Everything a change has to pass
check:
    .ci/run
