//! What is asked on the command line.

use std::time::Duration;

/// The name that filters of `cargo test` are compared with.
const NAME: &str = "chaos_a_minute_of_faults_loses_nothing_and_repeats_nothing";
/// A part of `make test` has the same faults every time.
const USUAL_SEED: u64 = 33;
const USUAL_LENGTH: Duration = Duration::from_mins(1);
/// Shorter than this, and there is no room for the faults.
const SECONDS_MIN: u64 = 45;

/// Options of the usual test runner whose value is the next argument.
const VALUED: [&str; 6] = ["--skip", "--test-threads", "--color", "--format", "--logfile", "-Z"];

#[derive(Debug)]
pub(crate) struct Options {
    pub(crate) length: Duration,
    pub(crate) seed: u64,
    /// Whether something is broken that the checks must find.
    pub(crate) is_sabotaged: bool,
}

#[derive(Debug)]
pub(crate) enum Asked {
    Run(Options),
    /// A filter of `cargo test` means other tests, or only a list of the tests is wanted.
    Nothing,
}

impl Options {
    /// Reads `--minutes=10`, `--seconds=90` and `--seed=7` (`any`: another one each time). Of options that are repeated
    /// the last counts. Options of the usual test runner are passed over.
    pub(crate) fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Asked, String> {
        let mut options = Self { length: USUAL_LENGTH, seed: USUAL_SEED, is_sabotaged: false };
        let (mut filters, mut is_list, mut is_other) = (Vec::new(), false, false);
        while let Some(argument) = arguments.next() {
            let number = |text: &str| text.parse::<u64>().map_err(|_| format!("{argument}: not a number"));
            match argument.split_once('=') {
                Some(("--minutes", minutes)) => options.length = Duration::from_secs(60 * number(minutes)?),
                Some(("--seconds", seconds)) => options.length = Duration::from_secs(number(seconds)?),
                Some(("--seed", "any")) => options.seed = u64::from(rand::random::<u32>()),
                Some(("--seed", seed)) => options.seed = number(seed)?,
                _ if argument == "--sabotage" => options.is_sabotaged = true,
                _ if argument == "--list" => is_list = true,
                // It is not an ignored test.
                _ if argument == "--ignored" => is_other = true,
                _ if VALUED.contains(&argument.as_str()) => {
                    let value = arguments.next().unwrap_or_default();
                    is_other |= argument == "--skip" && NAME.contains(&value);
                }
                _ if argument.starts_with('-') => {}
                _ => filters.push(argument),
            }
        }
        if is_list {
            println!("{NAME}: test");
            return Ok(Asked::Nothing);
        }
        if is_other || !filters.is_empty() && !filters.iter().any(|filter| NAME.contains(filter.as_str())) {
            return Ok(Asked::Nothing);
        }
        if options.length < Duration::from_secs(SECONDS_MIN) {
            return Err(format!("--seconds is at least {SECONDS_MIN}"));
        }
        Ok(Asked::Run(options))
    }
}
