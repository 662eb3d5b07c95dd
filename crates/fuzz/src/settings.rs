//! What the environment says: how long, from which seed, or which input.

use std::env;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Seconds of processor time for each target.
const SECONDS: &str = "FRONTDESK_FUZZ_SECONDS";
const SECONDS_DEFAULT: f64 = 1.0;
/// A number, or `any`.
const SEED: &str = "FRONTDESK_FUZZ_SEED";
const SEED_DEFAULT: u64 = 1;
/// A file with an input that is to be repeated.
const INPUT: &str = "FRONTDESK_FUZZ_INPUT";
const REPEAT: &str = "FRONTDESK_FUZZ_INPUT=PATH cargo test -p CRATE TEST";

pub(crate) struct Settings {
    pub(crate) time: Duration,
    pub(crate) seed: u64,
    pub(crate) input: Option<PathBuf>,
    /// Where failing inputs are stored.
    pub(crate) directory: PathBuf,
}

impl Settings {
    pub(crate) fn read() -> Self {
        let seconds = env::var(SECONDS).map(|text| text.parse().expect("FRONTDESK_FUZZ_SECONDS is a number"));
        let seed = match env::var(SEED).as_deref() {
            Ok("any") => std::process::id().into(),
            Ok(text) => text.parse().expect("FRONTDESK_FUZZ_SEED is a number, or any"),
            Err(_) => SEED_DEFAULT,
        };
        Self {
            time: Duration::from_secs_f64(seconds.unwrap_or(SECONDS_DEFAULT)),
            seed,
            input: env::var_os(INPUT).map(PathBuf::from),
            directory: directory(),
        }
    }

    /// How to repeat a failure.
    pub(crate) fn how_to_repeat(path: &Path) -> String {
        REPEAT.replace("PATH", &path.display().to_string())
    }
}

/// The directory of the build, which holds the running test.
fn directory() -> PathBuf {
    let test = env::current_exe().unwrap_or_default();
    let build = test.ancestors().find(|path| path.file_name().is_some_and(|name| name == "target"));
    build.map_or_else(env::temp_dir, Path::to_path_buf).join("fuzz")
}
