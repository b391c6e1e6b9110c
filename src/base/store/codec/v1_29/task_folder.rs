//! Where the reminders are that dialogs of a member about the same Taskdoc share.

/// The name of the folder for a Taskdoc.
pub(in crate::store) fn task_folder(taskdoc: &str) -> String {
    let path = taskdoc.trim().replace('\\', "/");
    format!("crc32-{:08x}", crc32(path.trim_end_matches('/').as_bytes()))
}

fn crc32(bytes: &[u8]) -> u32 {
    const POLYNOMIAL: u32 = 0xEDB8_8320;
    let step = |crc: u32, _| if crc & 1 == 1 { (crc >> 1) ^ POLYNOMIAL } else { crc >> 1 };
    let all = bytes.iter().fold(u32::MAX, |crc, byte| (0..8).fold(crc ^ u32::from(*byte), step));
    !all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_folder_of_a_taskdoc_is_named_by_the_sum_of_its_path() {
        for (taskdoc, folder) in [
            ("task.tsk", "crc32-cecab405"),
            (" task.tsk/ ", "crc32-cecab405"),
            ("a\\b.tsk", "crc32-68c28185"),
            ("a/b.tsk", "crc32-68c28185"),
            ("", "crc32-00000000"),
        ] {
            assert_eq!(task_folder(taskdoc), folder, "{taskdoc}");
        }
    }
}
