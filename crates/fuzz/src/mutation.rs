//! Changes of inputs: of their bytes, their words and their structure.

use crate::dice::Dice;
use crate::json;

/// Changes of one input, at most.
const CHANGES_MAX: usize = 6;
/// Numbers where ranges end.
const NUMBERS: [&str; 18] = [
    "0",
    "-1",
    "1",
    "-0",
    "127",
    "128",
    "255",
    "256",
    "65535",
    "65536",
    "2147483648",
    "4294967296",
    "9007199254740993",
    "9223372036854775808",
    "18446744073709551616",
    "-9223372036854775809",
    "1e309",
    "0.1e-400",
];
/// Characters that programs trip over: NUL, a byte order mark, spaces that show nothing, a change of direction, a letter
/// that grows in capitals, one of four bytes, and a combining accent.
const ODD: [&str; 12] = [
    "\0",
    "\u{FEFF}",
    "\u{200B}",
    "\u{202E}",
    "ß",
    "ﬃ",
    "İ",
    "\u{1F600}",
    "e\u{301}",
    "\r\n",
    "\u{85}",
    "\u{2028}",
];

/// Makes new inputs out of examples.
#[derive(Clone, Debug)]
pub struct Mutator {
    words: Vec<Vec<u8>>,
    bytes_max: usize,
}

impl Mutator {
    /// With what has a meaning in the format, and the largest size of an input.
    pub fn new(words: Vec<Vec<u8>>, bytes_max: usize) -> Self {
        Self { words, bytes_max }
    }

    /// A new input. Panics without examples.
    pub fn mutate(&self, examples: &[Vec<u8>], dice: &mut Dice) -> Vec<u8> {
        let mut input = dice.pick(examples).clone();
        for _ in 0..=dice.roll(CHANGES_MAX) {
            self.change(&mut input, examples, dice);
        }
        input.truncate(self.bytes_max);
        input
    }

    fn change(&self, input: &mut Vec<u8>, examples: &[Vec<u8>], dice: &mut Dice) {
        let at = dice.roll(input.len() + 1);
        match dice.roll(14) {
            0 if !input.is_empty() => flip(input, dice),
            1 => drop(input.splice(at..at, [dice.number() as u8])),
            2 => {
                let until = end(input, at, dice);
                drop(input.drain(at..until));
            }
            3 => copy(input, at, dice),
            4 => self.repeat(input, at, dice),
            5 | 6 if !self.words.is_empty() => {
                let word: &Vec<u8> = dice.pick(&self.words);
                put(input, at, word, dice);
            }
            7 => put(input, at, dice.pick(&ODD).as_bytes(), dice),
            8 => number(input, dice),
            9 => {
                let other: &Vec<u8> = dice.pick(examples);
                let from = dice.roll(other.len() + 1);
                input.truncate(at);
                input.extend_from_slice(&other[from..]);
            }
            10..=12 => {
                if let Some(changed) = json::change(input, &self.words, dice) {
                    *input = changed;
                }
            }
            _ => input.truncate(at),
        }
    }

    /// Repeats a piece up to the largest size.
    fn repeat(&self, input: &mut Vec<u8>, at: usize, dice: &mut Dice) {
        let until = end(input, at, dice);
        let piece = input[at..until].to_vec();
        let room = self.bytes_max.saturating_sub(input.len());
        if piece.is_empty() || !dice.one_in(4) {
            return;
        }
        let times = dice.length(room / piece.len());
        drop(input.splice(at..at, piece.repeat(times)));
    }
}

fn end(input: &[u8], at: usize, dice: &mut Dice) -> usize {
    at + dice.length(input.len() - at)
}

fn flip(input: &mut [u8], dice: &mut Dice) {
    let at = dice.roll(input.len());
    if dice.one_in(2) {
        input[at] ^= 1 << dice.roll(8);
    } else {
        input[at] = *dice
            .pick(&[0, 0x7F, 0x80, 0xFF, b'"', b'\\', b'{', b'[', b',', b'&', b'%', b'=', b';', b'<', b'\n']);
    }
}

fn copy(input: &mut Vec<u8>, at: usize, dice: &mut Dice) {
    let until = end(input, at, dice);
    let piece = input[at..until].to_vec();
    let to = dice.roll(input.len() + 1);
    drop(input.splice(to..to, piece));
}

/// Inserts a word, or writes it over what is there.
fn put(input: &mut Vec<u8>, at: usize, word: &[u8], dice: &mut Dice) {
    let until = if dice.one_in(2) { at } else { (at + word.len()).min(input.len()) };
    drop(input.splice(at..until, word.iter().copied()));
}

/// Writes another number in the place of one.
fn number(input: &mut Vec<u8>, dice: &mut Dice) {
    let from = dice.roll(input.len() + 1);
    let Some(start) = input[from..].iter().position(u8::is_ascii_digit).map(|at| from + at) else { return };
    let length = input[start..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let other = dice.pick(&NUMBERS);
    drop(input.splice(start..start + length, other.bytes()));
}
