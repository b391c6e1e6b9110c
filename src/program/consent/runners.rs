//! Files that programs read by themselves in their working folder, and that decide what they run.

/// The files that an interpreter runs in a folder.
pub(super) const ENTRY_FILES: [&str; 5] =
    ["package.json", "index.js", "index.mjs", "index.cjs", "__main__.py"];

const NODE: &[&str] = &[
    "package.json",
    ".npmrc",
    ".yarnrc",
    ".yarnrc.yml",
    ".pnpmfile.cjs",
    "bunfig.toml",
    "package-lock.json",
    "yarn.lock",
    "pnpm-lock.yaml",
    "pnpm-workspace.yaml",
    "bun.lock",
];
const PYTHON: &[&str] =
    &["pyproject.toml", "uv.toml", "uv.lock", "poetry.lock", "poetry.toml", "pdm.lock", "Pipfile"];
const CONTAINERS: &[&str] = &[
    "Dockerfile",
    "docker-compose.yml",
    "docker-compose.yaml",
    "compose.yml",
    "compose.yaml",
    ".env",
];

/// Returns the manifests of the program of this name.
pub(super) fn manifests(program: &str) -> &'static [&'static str] {
    match program {
        "npm" | "npx" | "pnpm" | "pnpx" | "yarn" | "yarnpkg" | "bun" | "bunx" | "corepack"
        | "--run" => NODE,
        "uv" | "uvx" | "poetry" | "pdm" | "hatch" | "pipenv" | "pipx" => PYTHON,
        "deno" => &["deno.json", "deno.jsonc", "deno.lock", "import_map.json", "package.json"],
        "make" | "gmake" => &["GNUmakefile", "makefile", "Makefile"],
        "just" => &["justfile", "Justfile", ".justfile"],
        "task" => &["Taskfile.yml", "Taskfile.yaml"],
        "rake" => &["Rakefile", "rakefile"],
        "bundle" => &["Gemfile", "Gemfile.lock", ".bundle/config"],
        "composer" => &["composer.json", "composer.lock"],
        "cargo" => &[
            "Cargo.toml",
            "Cargo.lock",
            "build.rs",
            ".cargo/config.toml",
            "rust-toolchain.toml",
            "rust-toolchain",
        ],
        "go" => &["go.mod", "go.sum", "go.work"],
        "docker" | "docker-compose" | "podman" | "podman-compose" => CONTAINERS,
        "gradle" | "gradlew" => &[
            "build.gradle",
            "build.gradle.kts",
            "settings.gradle",
            "settings.gradle.kts",
            "gradle/wrapper/gradle-wrapper.properties",
        ],
        "mvn" | "mvnw" => &["pom.xml", ".mvn/jvm.config", ".mvn/extensions.xml"],
        "nix" | "nix-shell" => &["flake.nix", "flake.lock", "shell.nix", "default.nix"],
        "mise" | "asdf" => &["mise.toml", ".mise.toml", ".tool-versions"],
        "direnv" => &[".envrc"],
        _ => &[],
    }
}
