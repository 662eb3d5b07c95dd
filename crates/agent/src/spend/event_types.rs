//! The events about AI spend.

use frontdesk_platform::event_types;
use frontdesk_web::resource;

resource! {
    /// The spent part of a month's budget.
    pub struct BudgetWarning {
        /// Such as `2026-01`, in the account's timezone.
        pub month: String,
        pub spent_usd: f64,
        pub budget_usd: f64,
    }
}

resource! {
    /// The `data` of a budget warning.
    pub struct BudgetWarningEventData<'e> {
        pub budget: &'e BudgetWarning,
    }
}

event_types! {
    pub WARNING: BudgetWarningEventData<'static> = "ai.budget_warning",
        "The month's AI cost has reached 80 % of the budget. Sent once a month.",
        BudgetWarningEventData {
            budget: &BudgetWarning { month: "2026-01".into(), spent_usd: 40.12, budget_usd: 50.0 },
        };
}
