//! The cost of a chat.

use super::MicroUsd;
use crate::chat::{ChatRequest, Message, Part, Turn, Usage};

/// No tokenizer makes more tokens of a text than it has bytes.
const TOKENS_PER_BYTE_MAX: usize = 1;
/// Tokens that a provider adds around a message or a tool.
const OVERHEAD_TOKENS_PER_ITEM: usize = 32;
/// Tokens that a provider adds to a request, such as its own instructions for tools.
const OVERHEAD_TOKENS_PER_REQUEST: usize = 1_000;

/// Prices in micro-dollars per million tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rates {
    pub input: u64,
    pub cached_input: u64,
    pub cache_write: u64,
    pub output: u64,
}

/// The price of a chat model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChatPrice {
    pub rates: Rates,
    /// Prices of calls with more input tokens than this.
    pub long_context: Option<(u64, Rates)>,
    /// The maximum number of tokens that one image counts as.
    pub image_tokens_max: u64,
}

impl ChatPrice {
    /// The cost of a call.
    pub fn cost(&self, usage: &Usage) -> MicroUsd {
        let rates = self.rates_for(usage.all_input_tokens());
        MicroUsd::of([
            (usage.input_tokens, rates.input),
            (usage.cached_input_tokens, rates.cached_input),
            (usage.cache_write_tokens, rates.cache_write),
            (usage.output_tokens, rates.output),
        ])
    }

    /// The maximum cost of a call: every byte is a token, nothing is read from the cache, and the reply has its
    /// maximum length. Reserve this before the call, and settle by [`Self::cost`] after it.
    pub fn worst_case(&self, request: &ChatRequest) -> MicroUsd {
        let (text, images) = size(request);
        let input = (text as u64).saturating_add((images as u64).saturating_mul(self.image_tokens_max));
        let rates = self.rates_for(input);
        // A long context is not always more expensive, so both rates are compared.
        [self.rates, rates]
            .into_iter()
            .map(|rates| {
                let dearest = rates.input.max(rates.cached_input).max(rates.cache_write);
                MicroUsd::of([(input, dearest), (u64::from(request.output_tokens_max), rates.output)])
            })
            .max()
            .unwrap_or_default()
    }

    fn rates_for(&self, input_tokens: u64) -> Rates {
        match self.long_context {
            Some((over, long)) if input_tokens > over => long,
            _ => self.rates,
        }
    }
}

/// The maximum tokens of a request's text, and the number of its images.
fn size(request: &ChatRequest) -> (usize, usize) {
    let items = request.messages.len() + request.tools.len() + 1;
    let mut tokens = OVERHEAD_TOKENS_PER_REQUEST + OVERHEAD_TOKENS_PER_ITEM * items;
    let mut images = 0;
    let mut add = |bytes: usize| tokens += bytes * TOKENS_PER_BYTE_MAX;
    add(request.system.stable.len() + request.system.varying.len());
    for tool in &request.tools {
        add(tool.name.len() + tool.description.len() + tool.parameters.get().len());
    }
    for message in &request.messages {
        match message {
            Message::User(parts) => {
                for part in parts {
                    match part {
                        Part::Text(text) => add(text.len()),
                        Part::Image(_) => images += 1,
                    }
                }
            }
            Message::Assistant(turn) => add(turn_bytes(turn)),
            Message::ToolResults(results) => {
                for result in results {
                    add(result.call_id.len() + result.content.len() + OVERHEAD_TOKENS_PER_ITEM);
                }
            }
        }
    }
    (tokens, images)
}

fn turn_bytes(turn: &Turn) -> usize {
    let calls = turn.tool_calls.iter().map(|call| {
        call.id.len()
            + call.name.len()
            + call.arguments.to_object().to_string().len()
            + OVERHEAD_TOKENS_PER_ITEM
    });
    let replay = turn.replay.iter().flat_map(|replay| &replay.content).map(|block| block.to_string().len());
    turn.text.as_ref().map_or(0, String::len) + calls.sum::<usize>() + replay.sum::<usize>()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chat::{Cache, SystemPrompt};
    use proptest::prelude::*;

    const PRICE: ChatPrice = ChatPrice {
        rates: Rates { input: 3_000_000, cached_input: 300_000, cache_write: 3_750_000, output: 15_000_000 },
        long_context: None,
        image_tokens_max: 6_000,
    };

    fn request(text: &str) -> ChatRequest {
        ChatRequest {
            model: "m".to_owned(),
            system: SystemPrompt { stable: "Be kind.".to_owned(), varying: String::new() },
            messages: vec![Message::user(text)],
            tools: Vec::new(),
            output_tokens_max: 1_000,
            temperature: None,
            cache: Cache::System,
        }
    }

    #[test]
    fn each_kind_of_token_has_its_price() {
        let usage = Usage {
            input_tokens: 1_000,
            cached_input_tokens: 10_000,
            cache_write_tokens: 2_000,
            output_tokens: 500,
        };
        assert_eq!(PRICE.cost(&usage).micros(), 3_000 + 3_000 + 7_500 + 7_500);
        assert_eq!(PRICE.cost(&Usage { cached_input_tokens: 1, ..Usage::default() }).micros(), 1);
    }

    #[test]
    fn a_long_context_has_its_own_price() {
        let long = Rates { input: 6_000_000, ..PRICE.rates };
        let price = ChatPrice { long_context: Some((100, long)), ..PRICE };
        let cost = |input_tokens| price.cost(&Usage { input_tokens, ..Usage::default() }).micros();
        assert_eq!((cost(100), cost(101)), (300, 606));
        assert!(price.worst_case(&request("hi")) > PRICE.worst_case(&request("hi")));
    }

    proptest! {
        #[test]
        fn no_usage_costs_more_than_the_worst_case(text in ".{0,300}", kinds in prop::array::uniform3(0_u64..=400), output in 0_u64..=1_000) {
            let request = request(&text);
            // A token is at least a byte, and the provider adds a few tokens.
            let bytes = (text.len() + request.system.stable.len()) as u64;
            let total: u64 = kinds.iter().sum::<u64>().max(1);
            let share = |kind: u64| kind * bytes / total;
            let usage = Usage {
                input_tokens: share(kinds[0]) + 20,
                cached_input_tokens: share(kinds[1]),
                cache_write_tokens: share(kinds[2]),
                output_tokens: output,
            };
            prop_assert!(PRICE.cost(&usage) <= PRICE.worst_case(&request));
        }
    }
}
