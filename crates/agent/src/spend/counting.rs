//! Counts what model calls cost, for the metrics: by model, and never by account.

use std::sync::Arc;

use frontdesk_models::{PriceList, SANDBOX_MODEL};

use super::ledger::{MadeCall, Reservation, Settlement};

/// In millionths of a dollar, because counters are integers.
const SPEND: &str = "frontdesk_ai_spend_microdollars_total";
const TOKENS: &str = "frontdesk_ai_tokens_total";
const REFUSALS: &str = "frontdesk_refusals_total";
/// The label of models without a listed price, whose names accounts choose.
const OTHER: &str = "other";

impl MadeCall {
    /// A call that was made just now, which is counted. Without a settlement its outcome is unknown.
    pub fn counted(
        prices: &PriceList,
        reservation: Arc<Reservation>,
        settlement: Option<Settlement>,
    ) -> Self {
        let made = Self { reservation, settlement };
        let model = label(prices, &made.reservation.model);
        let (tokens_in, tokens_out) = made.tokens();
        for (direction, tokens) in [("input", tokens_in), ("output", tokens_out)] {
            metrics::counter!(TOKENS, "model" => model.clone(), "direction" => direction)
                .increment(tokens.max(0).unsigned_abs());
        }
        metrics::counter!(SPEND, "model" => model).increment(made.cost().micros());
        made
    }
}

/// Counts a model call for which a budget had no room.
pub(crate) fn count_refused() {
    metrics::counter!(REFUSALS, "limit" => "ai_budget").increment(1);
}

fn label(prices: &PriceList, model: &str) -> String {
    let listed = if model == SANDBOX_MODEL { Some(SANDBOX_MODEL) } else { prices.listed_name(model) };
    listed.unwrap_or(OTHER).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_models_with_a_listed_price_have_a_label_of_their_own() {
        let prices = PriceList::built_in();
        assert_eq!(label(&prices, "openai/gpt-5-2025-08-07"), "gpt-5");
        assert_eq!(label(&prices, "gpt-5"), "gpt-5");
        assert_eq!(label(&prices, "whisper-1"), "whisper-1");
        assert_eq!(label(&prices, SANDBOX_MODEL), SANDBOX_MODEL);
        for own in ["my-model-1", "sk-ant-secret", ""] {
            assert_eq!(label(&prices, own), OTHER);
        }
    }
}
