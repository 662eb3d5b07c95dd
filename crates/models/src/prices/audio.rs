//! The cost of transcription and speech.

use super::MicroUsd;
use crate::audio::AudioUsage;

/// The lowest byte rate at which speech is still understood. It bounds how long a recording can be.
const BYTES_PER_SECOND_MIN: usize = 500;
const MILLIS_PER_MINUTE: u64 = 60_000;

/// The price of a transcription model, in micro-dollars.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TranscriptionPrice {
    pub minute: u64,
    /// Per million input and output tokens, for models that are billed by tokens.
    pub tokens: Option<(u64, u64)>,
}

impl TranscriptionPrice {
    /// The cost of transcribing a recording of this size. Without usage in a known unit, it is the worst case.
    pub fn cost(&self, usage: Option<&AudioUsage>, audio_bytes: usize) -> MicroUsd {
        match (usage, self.tokens) {
            (Some(AudioUsage::Millis(millis)), _) => self.of_millis(*millis),
            (Some(AudioUsage::Tokens(usage)), Some((input, output))) => {
                MicroUsd::of([(usage.all_input_tokens(), input), (usage.output_tokens, output)])
            }
            (Some(AudioUsage::Tokens(_)), None) | (None, _) => self.worst_case(audio_bytes),
        }
    }

    /// The maximum cost.
    pub fn worst_case(&self, audio_bytes: usize) -> MicroUsd {
        let seconds = (audio_bytes as u64).div_ceil(BYTES_PER_SECOND_MIN as u64);
        self.of_millis(seconds.saturating_mul(1_000))
    }

    fn of_millis(&self, millis: u64) -> MicroUsd {
        let cost = u128::from(millis) * u128::from(self.minute);
        let cost = cost.div_ceil(u128::from(MILLIS_PER_MINUTE));
        MicroUsd::from_micros(u64::try_from(cost).unwrap_or(u64::MAX))
    }
}

/// The price of a speech model, in micro-dollars per million characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SpeechPrice {
    pub million_characters: u64,
}

impl SpeechPrice {
    /// The cost of speaking this text, which is known before the call.
    pub fn cost(&self, text: &str) -> MicroUsd {
        MicroUsd::of([(text.chars().count() as u64, self.million_characters)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chat::Usage;

    #[test]
    fn a_recording_is_priced_by_what_was_reported() {
        let price = TranscriptionPrice { minute: 6_000, tokens: Some((3_000_000, 5_000_000)) };
        assert_eq!(price.cost(Some(&AudioUsage::Millis(30_001)), 0).micros(), 3_001);
        let tokens = AudioUsage::Tokens(Usage { input_tokens: 100, output_tokens: 10, ..Usage::default() });
        assert_eq!(price.cost(Some(&tokens), 0).micros(), 350);
        let by_minute = TranscriptionPrice { tokens: None, ..price };
        assert_eq!(by_minute.cost(Some(&tokens), 60_000), by_minute.worst_case(60_000));
        assert_eq!(by_minute.worst_case(60_000).micros(), 12_000);
    }

    #[test]
    fn speech_is_priced_by_its_characters() {
        assert_eq!(SpeechPrice { million_characters: 15_000_000 }.cost("héllo").micros(), 75);
    }
}
