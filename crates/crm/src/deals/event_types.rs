//! The event types of deals.

use frontdesk_platform::event_types;
use frontdesk_web::example::{self, Example};
use frontdesk_web::resource;

use super::deal::Deal;
use super::status::DealStatus;
use crate::pipelines::StageId;

resource! {
    /// The `data` of events about a deal.
    pub struct DealEventData<'e> {
        pub deal: &'e Deal,
    }
}

resource! {
    /// The `data` of an event about a move.
    pub struct DealStageEventData<'e> {
        pub deal: &'e Deal,
        pub previous: PreviousStage,
    }
}

resource! {
    /// The deal's previous stage.
    pub struct PreviousStage {
        pub stage_id: StageId,
    }
}

resource! {
    /// The `data` of an event about a deal's status.
    pub struct DealStatusEventData<'e> {
        pub deal: &'e Deal,
        pub previous: PreviousDealStatus,
    }
}

resource! {
    /// The deal's previous status.
    pub struct PreviousDealStatus {
        pub status: DealStatus,
    }
}

event_types! {
    pub CREATED: DealEventData<'static> = "deal.created",
        "A deal was created.",
        DealEventData { deal: &Deal::example() };
    pub UPDATED: DealEventData<'static> = "deal.updated",
        "A deal's title, value, contact, owner or expected date changed.",
        DealEventData { deal: &Deal::example() };
    pub STAGE_CHANGED: DealStageEventData<'static> = "deal.stage_changed",
        "A deal moved to another stage; `previous` has the stage before.",
        DealStageEventData {
            deal: &Deal::example(),
            previous: PreviousStage { stage_id: example::other_id() },
        };
    pub CLOSED: DealStatusEventData<'static> = "deal.closed",
        "A deal was won or lost.",
        DealStatusEventData {
            deal: &Deal { status: DealStatus::Won, closed_at: Some(example::MOMENT), ..Deal::example() },
            previous: PreviousDealStatus { status: DealStatus::Open },
        };
    pub REOPENED: DealStatusEventData<'static> = "deal.reopened",
        "A closed deal is open again.",
        DealStatusEventData {
            deal: &Deal::example(),
            previous: PreviousDealStatus { status: DealStatus::Won },
        };
    pub DELETED: DealEventData<'static> = "deal.deleted",
        "A deal was deleted; `data` has its last state.",
        DealEventData { deal: &Deal::example() };
}

impl Example for Deal {
    fn example() -> Self {
        Self {
            id: example::id(),
            title: "Forty chairs".into(),
            value: "19999.9".parse().ok(),
            currency: "USD".parse().expect("three capital letters"),
            pipeline_id: example::id(),
            stage_id: example::id(),
            contact_id: Some(example::id()),
            owner_user_id: Some(example::id()),
            status: DealStatus::Open,
            lost_reason: None,
            expected_close_date: "2026-02-28".parse().ok(),
            closed_at: None,
            created_at: example::MOMENT,
            updated_at: example::MOMENT,
        }
    }
}
