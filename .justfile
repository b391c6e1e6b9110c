# What can be made of this repository; `just --list`.

# What people install: a tar archive, a Debian package and checksums, in target/package
dist:
    .ci/dist

# What every change has to pass
check:
    .ci/run

# The same, then the packages, the dependencies and the long runs
full:
    .ci/full
