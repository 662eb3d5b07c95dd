//! The events about runs.

use frontdesk_platform::event_types;
use frontdesk_web::example::Example;
use frontdesk_web::resource;

use super::run::Run;
use super::status::RunStatus;

resource! {
    /// The `data` of events about a run.
    pub struct RunEventData<'e> {
        pub run: &'e Run,
    }
}

event_types! {
    pub STARTED: RunEventData<'static> = "run.started",
        "A run has started.",
        RunEventData {
            run: &Run { status: RunStatus::Running, result: None, finished_at: None, ..Run::example() },
        };
    pub FINISHED: RunEventData<'static> = "run.finished",
        "A run succeeded, failed or was cancelled.",
        RunEventData { run: &Run::example() };
}
