//! Ids that several slices share, in a module that depends on none of them.

use frontdesk_kernel::Id;

/// Marks the id of a run.
pub enum RunRow {}
pub type RunId = Id<RunRow>;

/// Marks the id of an ask.
pub enum AskRow {}
pub type AskId = Id<AskRow>;

/// Marks the id of a trigger.
pub enum TriggerRow {}
pub type TriggerId = Id<TriggerRow>;
