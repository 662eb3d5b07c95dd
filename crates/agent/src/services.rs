//! The services that assistants use: the store, the API, the models.

use std::sync::Arc;

use frontdesk_kernel::Timestamp;
use frontdesk_models::{Models, ModelsConfig};
use frontdesk_platform::accounts::Account;
use frontdesk_platform::{Dispatcher, ServerContext};

use crate::assistants::Assistant;

pub struct AgentServices {
    pub server: ServerContext,
    /// Dispatches the API operations that tools call.
    pub dispatcher: Arc<Dispatcher>,
    pub models: Models,
    pub settings: ModelsConfig,
    /// Random numbers that add jitter to retries.
    pub chance: fn() -> u64,
}

impl AgentServices {
    pub(crate) fn now(&self) -> Timestamp {
        (self.server.clock)()
    }

    /// The model that an assistant uses.
    pub(crate) fn model_of(&self, assistant: &Assistant, account: &Account) -> String {
        let chosen = assistant.model.clone().or_else(|| account.model.clone());
        chosen.unwrap_or_else(|| self.settings.chat_model().to_owned())
    }
}
