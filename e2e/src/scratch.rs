//! A directory that lives as long as its test.

use std::fs::{self, File};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::{env, process};

use crate::reaper;

/// What fills a disk, and how much of it is written at a time.
const FILLER: &str = "filler";
const FILL_BYTES: [usize; 3] = [1 << 20, 4 << 10, 1];

#[derive(Debug)]
pub struct Scratch {
    path: PathBuf,
    mounted: AtomicBool,
}

impl Scratch {
    #[expect(clippy::new_without_default, reason = "it makes a directory")]
    pub fn new() -> Self {
        static MADE: AtomicU32 = AtomicU32::new(0);
        let name = format!("frontdesk-e2e-{}-{}", process::id(), MADE.fetch_add(1, Ordering::Relaxed));
        let path = env::temp_dir().join(name);
        fs::create_dir(&path).expect("a scratch directory");
        Self { path, mounted: AtomicBool::new(false) }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// An empty directory that several tests use, until the last one is over.
    pub fn shared(name: &str) -> PathBuf {
        let checkout = env!("CARGO_MANIFEST_DIR").replace('/', "-");
        let path = env::temp_dir().join(format!("frontdesk{checkout}-{name}"));
        // What a killed run has left.
        let _ = fs::remove_dir_all(&path);
        fs::create_dir(&path).expect("a scratch directory");
        reaper::remove_with_us(&path);
        path
    }

    /// Puts a disk of its own under the directory, which must still be empty.
    pub(crate) fn shrink(&self, mebibytes: u32) {
        let size = format!("size={mebibytes}m");
        let mount =
            Command::new("mount").args(["-t", "tmpfs", "-o", &size, "tmpfs"]).arg(&self.path).output();
        let mount = mount.expect("mount runs");
        assert!(
            mount.status.success(),
            "a small disk cannot be mounted: run this test as root, in a container with --cap-add SYS_ADMIN ({})",
            String::from_utf8_lossy(&mount.stderr).trim()
        );
        self.mounted.store(true, Ordering::Relaxed);
    }

    /// Leaves no byte free.
    pub(crate) fn fill(&self) {
        assert!(self.mounted.load(Ordering::Relaxed), "only a small disk is filled");
        let mut filler =
            File::options().append(true).create(true).open(self.path.join(FILLER)).expect("a file");
        for bytes in FILL_BYTES {
            let block = vec![b'x'; bytes];
            let error = loop {
                if let Err(error) = filler.write(&block) {
                    break error;
                }
            };
            assert_eq!(error.kind(), ErrorKind::StorageFull, "{error}");
        }
    }

    /// Frees what was filled.
    pub(crate) fn empty(&self) {
        fs::remove_file(self.path.join(FILLER)).expect("the disk was filled");
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // Left behind at worst; a failing test should fail for its own reason.
        if *self.mounted.get_mut() {
            let _ = Command::new("umount").arg("--lazy").arg(&self.path).status();
        }
        let _ = fs::remove_dir_all(&self.path);
    }
}
