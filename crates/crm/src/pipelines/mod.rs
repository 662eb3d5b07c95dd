//! Pipelines: ordered lists of stages for deals.
//!
//! Every account always has at least one pipeline, and a pipeline at least one stage, so a deal always has a
//! stage. A pipeline or stage with deals cannot be deleted. Stages have the positions 0, 1, 2 … without gaps.

mod api;
mod ops;
mod sql;
mod stage_rows;
mod stages;

use frontdesk_db as db;
use frontdesk_kernel::{Id, Text, Timestamp};
use frontdesk_platform::Error as PlatformError;
use frontdesk_web::{Failure, Given, Items, Problems, Within, input, resource};
use serde_json::{Map, Value};

pub use api::routes;
pub(crate) use ops::EXPORTED;
pub use ops::{create, delete, ensure_default, ensure_defaults, exists, find, list, oldest, patch};
pub use sql::STATEMENTS;
pub use stage_rows::{find_stage, first_stage};
pub use stages::{add_stage, delete_stage, patch_stage};

use crate::quota::TooMany;

/// Maximum pipelines of an account, and stages of a pipeline.
const PIPELINES_MAX: i64 = 100;
const STAGES_MAX: usize = 50;
const STAGE_POSITION_MAX: i64 = STAGES_MAX as i64 - 1;
/// The default probability of winning a deal in a stage.
const PROBABILITY_DEFAULT: i64 = 50;
/// The name of an account's first pipeline.
const FIRST_NAME: &str = "Sales";
/// The default stages: names and probabilities in percent.
const USUAL_STAGES: [(&str, i64); 4] =
    [("New", 10), ("Qualified", 30), ("Proposal", 60), ("Negotiation", 80)];

pub type PipelineId = Id<Pipeline>;
pub type StageId = Id<Stage>;
type Probability = Within<0, 100>;
type Position = Within<0, STAGE_POSITION_MAX>;
type NewStages = Items<NewStage, STAGES_MAX>;
type StageIds = Items<StageId, STAGES_MAX>;

resource! {
    /// A pipeline of deals.
    pub struct Pipeline {
        pub id: PipelineId,
        pub name: String,
        /// In their order.
        pub stages: Vec<Stage>,
        pub created_at: Timestamp,
        pub updated_at: Timestamp,
    }
}

resource! {
    /// A stage of a pipeline.
    pub struct Stage {
        pub id: StageId,
        pub name: String,
        /// Counts from 0.
        pub position: i64,
        /// The probability of winning a deal in this stage, in percent.
        pub probability: i64,
    }
}

input! {
    /// A new pipeline.
    pub struct NewPipeline {
        pub name: Text<100>,
        /// In order; defaults to four standard stages.
        pub stages: Option<NewStages>,
    }
    shape = has_stages;
}

input! {
    /// A new stage.
    pub struct NewStage {
        pub name: Text<100>,
        /// The probability of winning a deal in this stage, in percent; defaults to 50.
        pub probability: Option<Probability>,
        /// Its position, counted from 0; defaults to the end. Ignored in a new pipeline, where the order of
        /// the list counts.
        pub position: Option<Position>,
    }
}

input! {
    /// Changes of a pipeline.
    pub struct PipelinePatch {
        pub name: Given<Text<100>>,
        /// Every stage of the pipeline, in the new order.
        pub stage_ids: Given<StageIds>,
    }
}

input! {
    /// Changes of a stage.
    pub struct StagePatch {
        pub name: Given<Text<100>>,
        pub probability: Given<Probability>,
        /// Its position, counted from 0; a larger number means the end.
        pub position: Given<Position>,
    }
}

fn has_stages(pipeline: &Map<String, Value>, problems: &mut Problems) {
    if pipeline.get("stages").and_then(Value::as_array).is_some_and(Vec::is_empty) {
        problems.add("stages", "must have at least one stage");
    }
}

#[derive(Debug, thiserror::Error)]
pub enum PipelineError {
    #[error(transparent)]
    Platform(#[from] PlatformError),
    #[error(transparent)]
    TooMany(#[from] TooMany),
    #[error("a pipeline may have at most {STAGES_MAX} stages")]
    TooManyStages,
    #[error("the new order is not one of the pipeline's stages")]
    Invalid(Problems),
    #[error("the {0} has deals")]
    HasDeals(&'static str),
    #[error("the last pipeline of an account stays")]
    LastPipeline,
    #[error("the last stage of a pipeline stays")]
    LastStage,
}

impl From<db::Error> for PipelineError {
    fn from(error: db::Error) -> Self {
        // A deal was added since the lookup.
        if error.is_constraint("deals_stage_fkey") {
            return Self::HasDeals("stage");
        }
        Self::Platform(error.into())
    }
}

impl From<PipelineError> for Failure {
    fn from(error: PipelineError) -> Self {
        match error {
            PipelineError::Platform(error) => error.into(),
            PipelineError::TooMany(error) => error.into(),
            PipelineError::TooManyStages => Self::unprocessable(
                "limit_reached",
                format!("A pipeline may have at most {STAGES_MAX} stages. Delete one that is not needed."),
            )
            .of_limit("resources"),
            PipelineError::Invalid(problems) => Self::validation(problems),
            PipelineError::HasDeals(noun) => {
                Self::conflict(format!("This {noun} has deals. Move or delete them first."))
            }
            PipelineError::LastPipeline => Self::conflict(
                "This is the account's last pipeline, and deals need one. Create another before you delete it.",
            ),
            PipelineError::LastStage => Self::conflict(
                "This is the pipeline's last stage, and deals need one. Create another before you delete it.",
            ),
        }
    }
}

const MISSING: PlatformError = PlatformError::Missing("pipeline");
const NO_STAGE: PlatformError = PlatformError::Missing("stage");
