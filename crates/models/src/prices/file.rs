//! The format of price files.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::chat::{ChatPrice, Rates};
use super::{SpeechPrice, TranscriptionPrice};

/// No token costs more, so a larger number is a mistake in the unit.
const PRICE_USD_MAX: f64 = 10_000.0;
/// The default of `image_tokens_max`.
const IMAGE_TOKENS_MAX: u64 = 6_000;
const IMAGE_TOKENS_MAX_ALLOWED: u64 = 1_000_000;

/// All problems of a price file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", .0.join("; "))]
pub struct PricesError(pub Vec<String>);

/// The prices of a file, parsed and checked.
#[derive(Clone, Debug, Default)]
pub(super) struct Prices {
    pub(super) chat: BTreeMap<String, ChatPrice>,
    pub(super) transcription: BTreeMap<String, TranscriptionPrice>,
    pub(super) speech: BTreeMap<String, SpeechPrice>,
    pub(super) fallback_chat: Option<ChatPrice>,
    pub(super) fallback_transcription: Option<TranscriptionPrice>,
    pub(super) fallback_speech: Option<SpeechPrice>,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
struct Written {
    chat: BTreeMap<String, WrittenChat>,
    transcription: BTreeMap<String, WrittenTranscription>,
    speech: BTreeMap<String, WrittenSpeech>,
    fallback: WrittenFallback,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
struct WrittenFallback {
    chat: Option<WrittenChat>,
    transcription: Option<WrittenTranscription>,
    speech: Option<WrittenSpeech>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenChat {
    input: f64,
    cached_input: Option<f64>,
    cache_write: Option<f64>,
    output: f64,
    image_tokens_max: Option<u64>,
    long_context: Option<WrittenLong>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenLong {
    over_input_tokens: u64,
    input: f64,
    cached_input: Option<f64>,
    cache_write: Option<f64>,
    output: f64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenTranscription {
    minute: f64,
    input: Option<f64>,
    output: Option<f64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenSpeech {
    million_characters: f64,
}

impl Prices {
    /// Parses prices, or returns all problems.
    pub(super) fn parse(text: &str) -> Result<Self, PricesError> {
        let written: Written = serde_json::from_str(text).map_err(|error| {
            PricesError(vec![format!(
                "{error}; write {{\"chat\": {{\"MODEL\": {{\"input\": 1.25, \"output\": 10}}}}}}, in dollars per million tokens"
            )])
        })?;
        let mut reader = Reader::default();
        let prices = Self {
            chat: reader.all("chat", written.chat, Reader::chat),
            transcription: reader.all("transcription", written.transcription, Reader::transcription),
            speech: reader.all("speech", written.speech, Reader::speech),
            fallback_chat: written.fallback.chat.map(|price| reader.chat("fallback.chat", price)),
            fallback_transcription: written
                .fallback
                .transcription
                .map(|price| reader.transcription("fallback.transcription", price)),
            fallback_speech: written.fallback.speech.map(|price| reader.speech("fallback.speech", price)),
        };
        if reader.wrong.is_empty() { Ok(prices) } else { Err(PricesError(reader.wrong)) }
    }
}

/// Converts prices and collects problems.
#[derive(Default)]
struct Reader {
    wrong: Vec<String>,
}

impl Reader {
    fn all<W, P>(
        &mut self,
        section: &str,
        written: BTreeMap<String, W>,
        read: impl Fn(&mut Self, &str, W) -> P,
    ) -> BTreeMap<String, P> {
        let mut read_one = |(name, price): (String, W)| {
            if name.trim().is_empty() {
                self.wrong
                    .push(format!("{section}: a model has no name; write the name that the provider uses"));
            }
            let price = read(self, &format!("{section}.{name}"), price);
            (name, price)
        };
        written.into_iter().map(&mut read_one).collect()
    }

    fn chat(&mut self, place: &str, price: WrittenChat) -> ChatPrice {
        let rates = self.rates(place, [price.input, price.output], price.cached_input, price.cache_write);
        let long_context = price.long_context.map(|long| {
            let place = format!("{place}.long_context");
            let rates = self.rates(&place, [long.input, long.output], long.cached_input, long.cache_write);
            (long.over_input_tokens, rates)
        });
        let image_tokens_max = price.image_tokens_max.unwrap_or(IMAGE_TOKENS_MAX);
        if image_tokens_max > IMAGE_TOKENS_MAX_ALLOWED {
            self.wrong.push(format!("{place}.image_tokens_max is at most {IMAGE_TOKENS_MAX_ALLOWED}"));
        }
        ChatPrice { rates, long_context, image_tokens_max }
    }

    /// Cache rates that are left out equal the input rate.
    fn rates(
        &mut self,
        place: &str,
        [input, output]: [f64; 2],
        cached: Option<f64>,
        write: Option<f64>,
    ) -> Rates {
        Rates {
            input: self.rate(place, "input", input),
            cached_input: self.rate(place, "cached_input", cached.unwrap_or(input)),
            cache_write: self.rate(place, "cache_write", write.unwrap_or(input)),
            output: self.rate(place, "output", output),
        }
    }

    fn transcription(&mut self, place: &str, price: WrittenTranscription) -> TranscriptionPrice {
        if price.input.is_some() != price.output.is_some() {
            self.wrong.push(format!("{place}: write both input and output, or neither"));
        }
        let tokens = price
            .input
            .zip(price.output)
            .map(|(input, output)| (self.rate(place, "input", input), self.rate(place, "output", output)));
        TranscriptionPrice { minute: self.rate(place, "minute", price.minute), tokens }
    }

    fn speech(&mut self, place: &str, price: WrittenSpeech) -> SpeechPrice {
        SpeechPrice { million_characters: self.rate(place, "million_characters", price.million_characters) }
    }

    /// Converts dollars to micro-dollars, which must be whole.
    fn rate(&mut self, place: &str, field: &str, dollars: f64) -> u64 {
        if !(0.0..=PRICE_USD_MAX).contains(&dollars) {
            self.wrong.push(format!(
                "{place}.{field} is {dollars}: write dollars per million, from 0 to {PRICE_USD_MAX}"
            ));
            return 0;
        }
        let micros = (dollars * 1e6).round();
        if (micros / 1e6 - dollars).abs() > dollars * 1e-9 {
            self.wrong.push(format!("{place}.{field} is {dollars}: write at most six decimals"));
        }
        micros as u64
    }
}
