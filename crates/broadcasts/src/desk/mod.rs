//! The dashboard's views of broadcasts: the size of an audience while it is chosen, how a broadcast is doing, and what a
//! copy of it starts from.

mod copy;
mod preview;
mod report;

use frontdesk_kernel::Scope;
use frontdesk_platform::Route;
use http::StatusCode;

pub use copy::{AudienceKind, BroadcastCopy, CopiedAudience, CopiedVariable};
pub use preview::{BroadcastPreview, BroadcastPreviewRequest, BroadcastSender, LeftOut};
pub use report::{BroadcastReport, FailureCount, RecipientCounts};

/// The views' routes, relative to the dashboard's prefix.
pub fn routes() -> Vec<Route> {
    vec![
        Route::post("/broadcasts/preview", "previewBroadcast", preview::preview)
            .scope(Scope::BroadcastsSend)
            .fails(&[StatusCode::NOT_FOUND])
            .summary("Size of an audience, some of it, and who is left out")
            .notes("Stores nothing and creates no contact. Counting stops at 100,000."),
        Route::get("/broadcasts/{id}/report", "getBroadcastReport", report::report)
            .scope(Scope::BroadcastsRead)
            .summary("Recipients by status, and failures by reason"),
        Route::get("/broadcasts/{id}/copy", "copyBroadcast", copy::copy)
            .scope(Scope::BroadcastsSend)
            .summary("What a copy of a broadcast starts from"),
    ]
}
