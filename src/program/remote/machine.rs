//! Whether a program can run on another machine: what the shell there prints of it, and what the file of the
//! program asks for.

/// A command for the shell there, whose output [`Machine::of`] reads.
pub(super) const ASK: &str = "echo dominds-tui-runs-on $(uname -s -m) /lib*/ld*.so*";
/// The beginning of that output.
const RUNS_ON: &str = "dominds-tui-runs-on ";
/// Characters kept of the name of a machine at most.
const LONGEST_NAME: usize = 80;

/// The segment of an ELF file that names its loader.
const PT_INTERP: u32 = 3;

/// The machine there, as its shell names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Machine {
    /// The output of `uname -s -m`.
    pub system: String,
    /// Paths of the loaders that its C libraries bring.
    pub loaders: Vec<String>,
}

impl Machine {
    /// Reads what a shell printed last; `None` if it does not name its machine.
    pub fn of(printed: &[u8]) -> Option<Self> {
        let text = String::from_utf8_lossy(printed);
        let (_, line) = text.rsplit_once(RUNS_ON)?;
        let words = line.lines().next()?.split_whitespace().map(str::to_owned);
        let (loaders, system): (Vec<String>, Vec<String>) =
            words.partition(|word| word.starts_with('/'));
        let system: String = system.join(" ").chars().take(LONGEST_NAME).collect();
        (!system.is_empty()).then_some(Self { system, loaders })
    }
}

/// What the file of a program says of the machine it is for: nothing, if it is no ELF file of 64 bits with the low
/// byte first.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Needs {
    /// The machine, as `uname -m` calls it.
    pub machine: Option<&'static str>,
    /// The path of the loader; none loads a program that brings its C library along.
    pub loader: Option<String>,
}

impl Needs {
    pub fn of(program: &[u8]) -> Self {
        if !program.starts_with(b"\x7fELF\x02\x01") {
            return Self::default();
        }
        let machine = number(program, 18).map(u16::from_le_bytes).and_then(name_of_machine);
        Self { machine, loader: loader(program) }
    }
}

fn name_of_machine(number: u16) -> Option<&'static str> {
    match number {
        21 => Some("ppc64le"),
        62 => Some("x86_64"),
        183 => Some("aarch64"),
        243 => Some("riscv64"),
        258 => Some("loongarch64"),
        _ => None,
    }
}

/// The path in the segment that names it.
fn loader(program: &[u8]) -> Option<String> {
    let table = place(program, 32)?;
    let size = usize::from(u16::from_le_bytes(number(program, 54)?));
    let count = usize::from(u16::from_le_bytes(number(program, 56)?));
    let entry = (0..count).find_map(|nth| {
        let entry = program.get(table.checked_add(nth * size)?..)?;
        (u32::from_le_bytes(number(entry, 0)?) == PT_INTERP).then_some(entry)
    })?;
    let (start, length) = (place(entry, 8)?, place(entry, 32)?);
    let path = program.get(start..start.checked_add(length)?)?;
    String::from_utf8(path.strip_suffix(b"\0").unwrap_or(path).to_vec()).ok()
}

/// A number of 64 bits that is a place in the file, or a length.
fn place(bytes: &[u8], at: usize) -> Option<usize> {
    usize::try_from(u64::from_le_bytes(number(bytes, at)?)).ok()
}

fn number<const N: usize>(bytes: &[u8], at: usize) -> Option<[u8; N]> {
    bytes.get(at..)?.first_chunk().copied()
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// The head of a program for such a machine.
    pub(in crate::remote) fn elf(machine: u16, loader: Option<&str>) -> Vec<u8> {
        let mut file = vec![0; 64];
        file[..6].copy_from_slice(b"\x7fELF\x02\x01");
        file[18..20].copy_from_slice(&machine.to_le_bytes());
        file[32..40].copy_from_slice(&64u64.to_le_bytes());
        file[54..56].copy_from_slice(&56u16.to_le_bytes());
        file[56..58].copy_from_slice(&2u16.to_le_bytes());
        for kind in [1, if loader.is_some() { PT_INTERP } else { 2 }] {
            let mut entry = [0; 56];
            entry[..4].copy_from_slice(&kind.to_le_bytes());
            entry[8..16].copy_from_slice(&176u64.to_le_bytes());
            let length = loader.map_or(0, |path| path.len() as u64 + 1);
            entry[32..40].copy_from_slice(&length.to_le_bytes());
            file.extend(entry);
        }
        file.extend(loader.unwrap_or_default().bytes());
        file.push(0);
        file
    }

    #[test]
    fn a_program_file_names_its_machine_and_its_loader() {
        let gnu = "/lib64/ld-linux-x86-64.so.2";
        for (file, machine, loader) in [
            (elf(62, Some(gnu)), Some("x86_64"), Some(gnu)),
            (elf(183, None), Some("aarch64"), None),
            (elf(0x1234, Some(gnu)), None, Some(gnu)),
            (b"#!/bin/sh\n".to_vec(), None, None),
            (elf(62, Some(gnu))[..60].to_vec(), Some("x86_64"), None),
            (elf(62, Some(gnu))[..180].to_vec(), Some("x86_64"), None),
            (b"\x7fELF\x02\x01".to_vec(), None, None),
        ] {
            let expected = Needs { machine, loader: loader.map(str::to_owned) };
            assert_eq!(Needs::of(&file), expected);
        }
    }

    #[test]
    fn the_shell_names_its_machine_in_the_last_such_line() {
        let printed = "Hello\necho dominds-tui-runs-on $(uname)\nprompt> \
                       dominds-tui-runs-on Linux aarch64 /lib/ld-linux-aarch64.so.1 /lib/ld.so\n";
        let machine = Machine::of(printed.as_bytes()).unwrap();
        assert_eq!(machine.system, "Linux aarch64");
        assert_eq!(machine.loaders, ["/lib/ld-linux-aarch64.so.1", "/lib/ld.so"]);
        for nothing in ["", "Welcome\n", "dominds-tui-runs-on ", "dominds-tui-runs-on /lib*/ld*\n"]
        {
            assert_eq!(Machine::of(nothing.as_bytes()), None, "{nothing}");
        }
        let ran = std::process::Command::new("sh").args(["-c", ASK]).output().unwrap();
        let here = Machine::of(&ran.stdout).unwrap();
        assert!(here.system.contains(' '), "{here:?}");
    }
}
