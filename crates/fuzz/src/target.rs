//! A target: a parser with examples and a check.

use std::collections::HashSet;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::PathBuf;
use std::time::Duration;

use crate::dice::Dice;
use crate::growth;
use crate::mutation::Mutator;
use crate::settings::Settings;
use crate::trial::{attempt, processor_time};

/// Maximum examples, with those that were found.
const EXAMPLES_MAX: usize = 400;
/// Maximum size of an input, unless the target says another.
const BYTES_MAX: usize = 64 << 10;
/// The part of the time in which growth is measured.
const GROWTH_PART: u32 = 4;
/// Attempts to make a failing input smaller.
const SMALLER_TRIES_MAX: usize = 4_000;
const SMALLER_TIME_MAX: Duration = Duration::from_secs(10);
/// An input with so many openings may nest deeply, and end the process.
const DEEP_OPENINGS: usize = 1_000;
const SHOWN_BYTES: usize = 300;

/// A parser with examples.
pub struct Target {
    name: &'static str,
    examples: Vec<Vec<u8>>,
    words: Vec<Vec<u8>>,
    bytes_max: usize,
}

impl Target {
    pub fn new(name: &'static str) -> Self {
        Self { name, examples: vec![Vec::new()], words: Vec::new(), bytes_max: BYTES_MAX }
    }

    /// Inputs to begin with.
    pub fn examples<T: AsRef<[u8]>>(mut self, examples: impl IntoIterator<Item = T>) -> Self {
        self.examples.extend(examples.into_iter().map(|example| example.as_ref().to_vec()));
        self
    }

    /// What has a meaning in the format: names, separators, values.
    pub fn words<T: AsRef<[u8]>>(mut self, words: impl IntoIterator<Item = T>) -> Self {
        self.words.extend(words.into_iter().map(|word| word.as_ref().to_vec()));
        self
    }

    pub fn bytes_max(mut self, bytes_max: usize) -> Self {
        self.bytes_max = bytes_max;
        self
    }

    /// Tries inputs until the time is over. `check` panics when something is wrong, and returns what came of the input.
    pub fn run<O: Hash>(self, check: impl Fn(&[u8]) -> O) {
        if let Err(failure) = self.explore(&Settings::read(), &check) {
            panic!("{failure}");
        }
    }

    fn explore<O: Hash>(mut self, settings: &Settings, check: &dyn Fn(&[u8]) -> O) -> Result<u64, String> {
        if let Some(path) = &settings.input {
            let input = fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
            return attempt(|| check(&input)).map(|_| 1);
        }
        let mut dice = Dice::new(settings.seed);
        let mut seen = HashSet::new();
        let mut tried = 0;
        let start = processor_time();
        for example in self.examples.clone() {
            seen.insert(self.attempt(settings, check, &example)?);
        }
        let mutator = Mutator::new(std::mem::take(&mut self.words), self.bytes_max);
        let end = start + settings.time;
        while processor_time() < end {
            let input = mutator.mutate(&self.examples, &mut dice);
            let outcome = self.attempt(settings, check, &input)?;
            tried += 1;
            if seen.insert(outcome) && self.examples.len() < EXAMPLES_MAX {
                self.examples.push(input);
            }
        }
        self.check_growth(settings, &mut dice, &|input| drop(check(input)))?;
        eprintln!("{}: {tried} inputs with the seed {}, {} outcomes", self.name, settings.seed, seen.len());
        Ok(tried)
    }

    /// The outcome of an input, or a report of what is wrong with it.
    fn attempt<O: Hash>(
        &self,
        settings: &Settings,
        check: &dyn Fn(&[u8]) -> O,
        input: &[u8],
    ) -> Result<u64, String> {
        if input.iter().filter(|byte| b"[{(<".contains(byte)).nth(DEEP_OPENINGS).is_some() {
            self.store(settings, "deep", input);
        }
        match attempt(|| check(input)) {
            Ok(outcome) => {
                let mut hasher = DefaultHasher::new();
                outcome.hash(&mut hasher);
                Ok(hasher.finish())
            }
            Err(reason) => {
                let small = smaller(input.to_vec(), &|input| attempt(|| check(input)).is_err());
                Err(self.report(settings, &small, &reason))
            }
        }
    }

    fn check_growth(&self, settings: &Settings, dice: &mut Dice, run: &dyn Fn(&[u8])) -> Result<(), String> {
        let end = processor_time() + settings.time / GROWTH_PART;
        while processor_time() < end {
            let example = dice.pick(&self.examples);
            let measured = attempt(|| growth::measure(example, self.bytes_max, &mut dice.clone(), run));
            dice.number();
            match measured {
                Ok(Ok(())) => {}
                Ok(Err(slow)) => {
                    return Err(self.report(
                        settings,
                        &slow.input,
                        &format!("time grows too fast: {}", slow.reason),
                    ));
                }
                Err(reason) => {
                    return Err(self.report(settings, example, &format!("a repeated part of it: {reason}")));
                }
            }
        }
        Ok(())
    }

    fn report(&self, settings: &Settings, input: &[u8], reason: &str) -> String {
        let mut hasher = DefaultHasher::new();
        input.hash(&mut hasher);
        let path = self.store(settings, &format!("{:016x}", hasher.finish()), input);
        let shown = input[..input.len().min(SHOWN_BYTES)].escape_ascii();
        format!(
            "{}: {reason}\nInput of {} bytes, seed {}: {shown}\nRepeat it: {}",
            self.name,
            input.len(),
            settings.seed,
            Settings::how_to_repeat(&path)
        )
    }

    fn store(&self, settings: &Settings, kind: &str, input: &[u8]) -> PathBuf {
        let path = settings.directory.join(format!("{}.{kind}", self.name.replace(' ', "-")));
        // Without the file the report still shows where the input begins.
        let _ = fs::create_dir_all(&settings.directory).and_then(|()| fs::write(&path, input));
        path
    }
}

/// Removes what the failure does not need.
fn smaller(mut input: Vec<u8>, fails: &dyn Fn(&[u8]) -> bool) -> Vec<u8> {
    let end = processor_time() + SMALLER_TIME_MAX;
    let (mut piece, mut tries) = (input.len() / 2, 0);
    while piece > 0 {
        let mut at = 0;
        while at < input.len() && tries < SMALLER_TRIES_MAX && processor_time() < end {
            let mut without = input.clone();
            without.drain(at..(at + piece).min(input.len()));
            tries += 1;
            if fails(&without) { input = without } else { at += piece }
        }
        piece /= 2;
    }
    input
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    fn settings(seed: u64, milliseconds: u64) -> Settings {
        let directory = std::env::temp_dir().join(format!("frontdesk-fuzz-{}", std::process::id()));
        Settings { time: Duration::from_millis(milliseconds), seed, input: None, directory }
    }

    #[test]
    fn a_fault_behind_three_conditions_is_found_made_small_and_stored() {
        // Each condition is an outcome, so an input that meets one is kept and changed further.
        let check = |bytes: &[u8]| {
            let met = [bytes.starts_with(b"get "), bytes.contains(&0), bytes.ends_with(b"\xff")];
            assert!(met != [true; 3], "a planted fault");
            met
        };
        let target = Target::new("planted").examples(["hello world"]).words(["get "]);
        let failure = target.explore(&settings(1, 5_000), &check).unwrap_err();
        assert!(
            failure.starts_with("planted: a planted fault\nInput of 6 bytes, seed 1: get \\x00\\xff"),
            "{failure}"
        );
        let path = failure.rsplit_once("INPUT=").unwrap().1.split(' ').next().unwrap();
        assert_eq!(fs::read(path).unwrap(), b"get \0\xff");
        let repeated = Settings { input: Some(path.into()), ..settings(1, 0) };
        assert_eq!(Target::new("planted").explore(&repeated, &check), Err("a planted fault".to_owned()));
    }

    #[test]
    fn work_that_grows_with_the_square_of_the_input_is_found() {
        let squared = |bytes: &[u8]| {
            bytes
                .iter()
                .map(|byte| bytes.iter().fold(0, |sum, other| sum + usize::from(other == byte)))
                .max()
                .unwrap_or(0)
                > 3
        };
        let target = || Target::new("squared").examples(["abcabcabd"]).bytes_max(2 << 10);
        let failure = target().explore(&settings(1, 200), &squared).unwrap_err();
        assert!(failure.starts_with("squared: time grows too fast"), "{failure}");
        let linear = |bytes: &[u8]| bytes.iter().fold(0, |sum, byte| sum + usize::from(*byte == b'a')) > 3;
        target().explore(&settings(1, 200), &linear).unwrap();
    }

    #[test]
    fn a_seed_gives_the_same_inputs_each_time() {
        let inputs = |seed: u64| {
            let inputs = RefCell::new(Vec::new());
            let note = |bytes: &[u8]| {
                inputs.borrow_mut().push(bytes.to_vec());
                bytes.len() % 16
            };
            let target =
                Target::new("noted").examples(["{\"a\":[1,\"b\"]}"]).words(["a", "b"]).bytes_max(1 << 10);
            target.explore(&settings(seed, 20), &note).unwrap();
            inputs.into_inner().into_iter().take(100).collect::<Vec<_>>()
        };
        assert_eq!(inputs(5), inputs(5));
        assert_ne!(inputs(5), inputs(6));
    }
}
