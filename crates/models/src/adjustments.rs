//! Request fields that models turned out not to accept.
//!
//! Reasoning models accept only their default temperature, and older OpenAI-compatible servers do not know
//! `max_completion_tokens`. Which models these are is not published. So the first rejection that names the field is
//! remembered for the model, and the call is repeated without the field. A rejected request is not billed.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::endpoint::Provider;
use crate::error::ModelError;

/// Maximum models that are remembered. When there are more, all are dropped and learned again.
const MODELS_MAX: usize = 1_000;

/// How a request differs from the usual one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Adjustment {
    pub(crate) omits_temperature: bool,
    /// Limits the output by `max_tokens` instead of `max_completion_tokens`.
    pub(crate) uses_max_tokens: bool,
}

impl Adjustment {
    /// The adjustment after this rejection. None when no adjustment helps.
    pub(crate) fn after(self, error: &ModelError) -> Option<Self> {
        let ModelError::Rejected { fault, .. } = error else { return None };
        if !matches!(fault.status, 400 | 422) {
            return None;
        }
        let next = Self {
            omits_temperature: self.omits_temperature || fault.mentions("temperature"),
            uses_max_tokens: self.uses_max_tokens || fault.mentions("max_completion_tokens"),
        };
        (next != self).then_some(next)
    }
}

/// The adjustments of all models, in the memory of the process.
#[derive(Clone, Debug, Default)]
pub(crate) struct Adjustments {
    known: Arc<Mutex<HashMap<(Provider, String), Adjustment>>>,
}

impl Adjustments {
    pub(crate) fn of(&self, provider: Provider, model: &str) -> Adjustment {
        self.lock().get(&(provider, model.to_owned())).copied().unwrap_or_default()
    }

    pub(crate) fn keep(&self, provider: Provider, model: &str, adjustment: Adjustment) {
        let mut known = self.lock();
        if known.len() >= MODELS_MAX {
            known.clear();
        }
        known.insert((provider, model.to_owned()), adjustment);
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<(Provider, String), Adjustment>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ProviderFault;

    fn rejected(status: u16, message: &str) -> ModelError {
        let fault = ProviderFault { status, message: message.to_owned(), ..Default::default() };
        ModelError::Rejected { provider: Provider::OpenAi, fault }
    }

    #[test]
    fn a_refused_field_is_left_out_once() {
        let error = rejected(400, "Unsupported value: 'temperature' does not support 0.3 with this model.");
        let adjusted = Adjustment::default().after(&error).unwrap();
        assert!(adjusted.omits_temperature && !adjusted.uses_max_tokens);
        assert_eq!(adjusted.after(&error), None);
        let error = rejected(422, "extra fields not permitted: max_completion_tokens");
        assert!(adjusted.after(&error).unwrap().uses_max_tokens);
        assert_eq!(Adjustment::default().after(&rejected(400, "bad schema")), None);
    }
}
