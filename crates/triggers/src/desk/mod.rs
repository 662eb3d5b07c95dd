//! The dashboard's views of triggers: what a trigger that is not saved would do.

mod draft;

use frontdesk_kernel::Scope;
use frontdesk_platform::Route;
use http::StatusCode;

pub use draft::{TriggerDraft, TriggerDraftPreview};

/// The views' routes, relative to the dashboard's prefix.
pub fn routes() -> Vec<Route> {
    vec![
        Route::post("/triggers/preview", "previewTriggerDraft", draft::preview)
            .scope(Scope::AssistantsRead)
            .fails(&[StatusCode::NOT_FOUND])
            .summary("Preview a trigger that is not saved")
            .notes("Stores nothing. A draft that leaves `enabled` out counts as enabled."),
    ]
}
