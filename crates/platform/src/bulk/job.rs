//! The progress of a bulk job.

use frontdesk_db::Topic;
use frontdesk_kernel::Id;
use frontdesk_web::example::{self, Example};
use frontdesk_web::{choice, resource};

/// The topic that wakes the worker.
pub(super) const ACCEPTED: Topic = "bulk";

choice! {
    /// Where a job stands; `failed` when no row could be changed, or when the job kept failing.
    pub enum BulkStatus {
        Running => "running",
        Done => "done",
        Failed => "failed",
    }
}

frontdesk_db::text_column!(BulkStatus);

pub type BulkJobId = Id<BulkJob>;

resource! {
    /// A change of many rows.
    pub struct BulkJob {
        pub id: BulkJobId,
        /// Rows that are to be changed.
        pub total: i64,
        /// Rows that were changed, or were already as wanted.
        pub done: i64,
        /// Rows that could not be changed: they were deleted meanwhile, or what the change names was.
        pub failed: i64,
        pub status: BulkStatus,
    }
}

impl Example for BulkJob {
    fn example() -> Self {
        Self { id: example::id(), total: 120, done: 100, failed: 0, status: BulkStatus::Running }
    }
}
