//! The deal and its inputs.

use frontdesk_db as db;
use frontdesk_kernel::ids::UserId;
use frontdesk_kernel::{Currency, Date, Id, Money, Patch, Text, Timestamp};
use frontdesk_platform::Error as PlatformError;
use frontdesk_web::{Failure, Given, Problems, input, resource};
use serde_json::{Map, Value};

use super::status::{DealOutcome, DealStatus, Forbidden};
use crate::contacts::ContactId;
use crate::pipelines::{PipelineId, StageId};

/// The default currency of a deal.
pub(super) const CURRENCY_DEFAULT: &str = "USD";

pub type DealId = Id<Deal>;
pub type Title = Text<200>;

resource! {
    /// A potential sale.
    pub struct Deal {
        pub id: DealId,
        pub title: String,
        /// The deal's value, exactly as it was given.
        pub value: Option<Money>,
        /// The value's currency, an ISO 4217 code.
        pub currency: Currency,
        pub pipeline_id: PipelineId,
        pub stage_id: StageId,
        pub contact_id: Option<ContactId>,
        /// The member who owns the deal.
        pub owner_user_id: Option<UserId>,
        pub status: DealStatus,
        /// Why it was lost, if a reason was given.
        pub lost_reason: Option<String>,
        pub expected_close_date: Option<Date>,
        /// When it was won or lost.
        pub closed_at: Option<Timestamp>,
        pub created_at: Timestamp,
        pub updated_at: Timestamp,
    }
}

input! {
    /// A new deal.
    pub struct NewDeal {
        pub title: Title,
        /// Up to twelve digits before the point and four after it, fifteen in all.
        pub value: Option<Money>,
        /// Three capital letters; defaults to `USD`.
        pub currency: Option<Currency>,
        /// Defaults to the pipeline of the stage, else to the account's oldest.
        pub pipeline_id: Option<PipelineId>,
        /// Defaults to the pipeline's first stage.
        pub stage_id: Option<StageId>,
        pub contact_id: Option<ContactId>,
        /// A member of the account. Defaults to the member to whom the key's writes are attributed; null for
        /// no owner.
        pub owner_user_id: Patch<UserId>,
        pub expected_close_date: Option<Date>,
    }
}

input! {
    /// Changes of a deal. Null clears a field that may be empty.
    pub struct DealPatch {
        pub title: Given<Title>,
        pub value: Patch<Money>,
        pub currency: Given<Currency>,
        /// Moves the deal to another pipeline: to its first stage, unless `stage_id` is another stage of it.
        pub pipeline_id: Given<PipelineId>,
        /// Moves the deal, as `POST /deals/{id}/move` does.
        pub stage_id: Given<StageId>,
        pub contact_id: Patch<ContactId>,
        pub owner_user_id: Patch<UserId>,
        pub expected_close_date: Patch<Date>,
    }
}

input! {
    /// The target of a move.
    pub struct MoveDeal {
        /// A stage of the deal's pipeline.
        pub stage_id: StageId,
    }
}

input! {
    /// The outcome of a deal.
    pub struct CloseDeal {
        pub outcome: DealOutcome,
        /// Why it was lost; only for lost deals.
        pub reason: Option<Text<1_000>>,
    }
    shape = reason_for_losing;
}

fn reason_for_losing(close: &Map<String, Value>, problems: &mut Problems) {
    let won = close.get("outcome").and_then(Value::as_str) == Some(DealOutcome::Won.as_str());
    if won && !input::is_blank(close, "reason") {
        problems.add("reason", "must be left out of a deal that was won");
    }
}

#[derive(Debug, thiserror::Error)]
pub enum DealError {
    #[error(transparent)]
    Platform(#[from] PlatformError),
    #[error(transparent)]
    Forbidden(#[from] Forbidden),
    #[error("the stage is not in the pipeline")]
    StageNotInPipeline,
}

impl From<db::Error> for DealError {
    fn from(error: db::Error) -> Self {
        Self::Platform(error.into())
    }
}

impl From<DealError> for Failure {
    fn from(error: DealError) -> Self {
        match error {
            DealError::Platform(error) => error.into(),
            DealError::Forbidden(forbidden) => Self::conflict(forbidden.advice()),
            DealError::StageNotInPipeline => Self::unprocessable(
                "stage_not_in_pipeline",
                "This stage belongs to another pipeline than the deal. GET /pipelines lists the stages of each.",
            ),
        }
    }
}

pub(super) const MISSING: PlatformError = PlatformError::Missing("deal");
