//! Trials: a reply of an assistant that is not stored, to a conversation that is not stored.
//!
//! `POST /assistants/trial` tries out an assistant that its caller describes, and `desk` one that a member edits. Both take
//! the steps in `runs::driver::trial`.

mod api;
mod input;

use std::sync::{Arc, OnceLock, Weak};

use frontdesk_web::{Failure, Result};

use crate::runs::driver::Agent;

pub use api::route;
pub use input::NewTrial;
pub(crate) use input::{MESSAGES_MAX, TrialMessage, check_last, told};

/// The agent of trials. Routes are made before the agent, because the agent uses them.
#[derive(Clone, Default)]
pub struct Trials(Arc<OnceLock<Weak<Agent>>>);

impl Trials {
    /// Lets trials use this agent from now on.
    pub fn use_agent(&self, agent: &Arc<Agent>) {
        // It is set once, when the server starts.
        let _ = self.0.set(Arc::downgrade(agent));
    }

    fn agent(&self) -> Result<Arc<Agent>> {
        self.0.get().and_then(Weak::upgrade).ok_or_else(Failure::internal)
    }
}
