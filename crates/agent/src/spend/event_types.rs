//! The events about AI spend.

use frontdesk_platform::event_types;
use frontdesk_web::resource;

resource! {
    /// How much of a month's budget is spent.
    pub struct BudgetWarning {
        /// Such as `2026-01`, in the account's timezone.
        pub month: String,
        pub spent_usd: f64,
        pub budget_usd: f64,
    }
}

resource! {
    /// What a warning about the budget carries.
    pub struct BudgetWarningEventData<'e> {
        pub budget: &'e BudgetWarning,
    }
}

event_types! {
    pub WARNING: BudgetWarningEventData<'static> = "ai.budget_warning",
        "Models have cost 80 % of the month's AI budget. It is written once a month.",
        BudgetWarningEventData {
            budget: &BudgetWarning { month: "2026-01".into(), spent_usd: 40.12, budget_usd: 50.0 },
        };
}
