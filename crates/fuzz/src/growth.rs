//! Whether time grows with the size of the input, or with its square.

use std::time::Duration;

use crate::dice::Dice;
use crate::trial::shortest;

/// The larger input is this many times the smaller one.
const TIMES: usize = 4;
/// Linear work takes four times as long, quadratic work sixteen times.
const RATIO_MAX: f64 = 10.0;
/// What takes less is not judged.
const TIME_MIN: Duration = Duration::from_millis(8);
const MEASUREMENTS: usize = 5;
/// The longest piece that is repeated.
const PIECE_MAX: usize = 64;

/// An input whose time grows too fast, and how fast.
pub(crate) struct TooSlow {
    pub(crate) input: Vec<u8>,
    pub(crate) reason: String,
}

/// Repeats a piece of an example, to two sizes, and compares the times.
pub(crate) fn measure(
    example: &[u8],
    bytes_max: usize,
    dice: &mut Dice,
    run: &dyn Fn(&[u8]),
) -> Result<(), TooSlow> {
    let at = dice.roll(example.len() + 1);
    let piece = &example[at..example.len().min(at + 1 + dice.roll(PIECE_MAX))];
    if piece.is_empty() {
        return Ok(());
    }
    let grown = |size: usize| {
        let room = size.saturating_sub(example.len());
        [&example[..at], &piece.repeat(room / piece.len()), &example[at..]].concat()
    };
    let (small, large) = (grown(bytes_max / TIMES), grown(bytes_max));
    if shortest(1, || run(&large)) < TIME_MIN {
        return Ok(());
    }
    let [short, long] = [&small, &large].map(|input| shortest(MEASUREMENTS, || run(input)));
    let ratio = long.as_secs_f64() / short.as_secs_f64().max(1e-6);
    let size = large.len() as f64 / small.len().max(1) as f64;
    if long < TIME_MIN || ratio < RATIO_MAX * size / TIMES as f64 {
        return Ok(());
    }
    let reason = format!("{} bytes took {short:?}, {} bytes took {long:?}", small.len(), large.len());
    Err(TooSlow { input: large, reason })
}
