//! The operator's limits of an account: the AI budget and the models.

use frontdesk_e2e::on_every_engine;
use serde_json::{Value, json};

use crate::agent_scene::{Desk, new_assistant, says};
use crate::app_scene::{self, Browser};
use crate::inbox_scene::{ANN, id};
use crate::shapes::text;

on_every_engine! {
    an_account_cannot_exceed_the_operators_budget,
    a_lower_limit_counts_at_once,
    an_account_cannot_choose_another_model,
    runs_of_a_model_that_is_not_allowed_are_refused,
    only_the_command_line_changes_the_limits,
}

const REASON: &str = "over_operator_limit";

fn set(desk: &Desk, options: &[&str]) -> Value {
    desk.inbox.app.cli(&[&["account", "set", &desk.inbox.tenant.account.id], options].concat())
}

/// The browser of an admin.
fn admin(desk: &Desk) -> Browser {
    let inbox = &desk.inbox;
    app_scene::member(&inbox.app, &inbox.tenant.account, "mia@example.com", "admin");
    Browser::new(&inbox.app).sign_in("mia@example.com")
}

fn refuses(response: &frontdesk_e2e::Response) {
    assert_eq!(response.error("unprocessable")["reason"], REASON, "{}", response.text);
}

fn an_account_cannot_exceed_the_operators_budget(desk: Desk) {
    let shown = set(&desk, &["--ai-budget-max", "50"]);
    assert_eq!((&shown["ai_budget_max_usd"], &shown["ai_budget_usd"]), (&json!(50.0), &Value::Null));
    let browser = admin(&desk);
    for budget in [json!(50.01), Value::Null] {
        refuses(&browser.patch("/admin/account", json!({ "ai_budget_usd": budget })).expect(422));
    }
    let set_to = browser.patch("/admin/account", json!({ "ai_budget_usd": 50 })).expect(200);
    assert_eq!(set_to.data()["ai_budget_usd"], 50.0);
    assert_eq!(set_to.data()["ai_budget_max_usd"], 50.0);
    // Other settings can be changed, whatever the budget.
    set(&desk, &["--ai-budget-max", "10"]);
    browser.patch("/admin/account", json!({ "name": "Chairs Ltd" })).expect(200);
    set(&desk, &["--ai-budget-max", "none"]);
    browser.patch("/admin/account", json!({ "ai_budget_usd": null })).expect(200);
}

fn a_lower_limit_counts_at_once(desk: Desk) {
    desk.set(json!({ "model": "gpt-5" }));
    let dear = json!({ "text": "Done.", "usage": { "input": 40_000, "output": 1_000 } });
    desk.inbox.sandbox().put("/sandbox/model", json!({ "turns": [dear], "repeat": true })).expect(200);
    set(&desk, &["--ai-budget", "100"]);
    desk.becomes(&desk.starts(json!({})), "succeeded");
    let usage = |field: &str| desk.client.get("/ai/usage").expect(200).data()[field].clone();
    assert_eq!((usage("budget_usd"), usage("remaining_usd")), (json!(100.0), json!(99.94)));
    // Less than is spent: nothing is left, and never less than nothing.
    for limit in [["--ai-budget-max", "0.05"], ["--ai-budget", "0.01"]] {
        set(&desk, &limit);
        assert_eq!(usage("remaining_usd"), json!(0.0), "{limit:?}");
        let start = json!({ "assistant_id": desk.assistant, "goal": "Go on." });
        let refused = desk.client.post("/runs", start).expect(422);
        assert_eq!(refused.error("unprocessable")["reason"], "ai_budget_exhausted");
    }
    assert_eq!(usage("budget_usd"), json!(0.01));
    // A limit holds for an account without a budget of its own.
    set(&desk, &["--ai-budget-max", "none"]);
    set(&desk, &["--ai-budget", "none"]);
    assert_eq!(usage("remaining_usd"), Value::Null);
    set(&desk, &["--ai-budget-max", "0.05"]);
    assert_eq!((usage("budget_usd"), usage("remaining_usd")), (json!(0.05), json!(0.0)));
}

fn an_account_cannot_choose_another_model(desk: Desk) {
    let shown = set(&desk, &["--models", "gpt-5, gpt-5-mini"]);
    assert_eq!(shown["models"], json!(["gpt-5", "gpt-5-mini"]));
    let browser = admin(&desk);
    refuses(&browser.patch("/admin/account", json!({ "model": "gpt-5-pro" })).expect(422));
    browser.patch("/admin/account", json!({ "model": "gpt-5" })).expect(200);
    refuses(&desk.client.post("/assistants", json!({ "name": "Kim", "model": "gpt-5-pro" })).expect(422));
    let kim = new_assistant(&desk.client, json!({ "name": "Kim", "model": "gpt-5-mini" }));
    let path = format!("/assistants/{kim}");
    refuses(&desk.client.patch(&path, json!({ "model": "gpt-5-pro" })).expect(422));
    // An assistant that already has a model keeps its other settings changeable.
    set(&desk, &["--models", "gpt-5"]);
    desk.client.patch(&path, json!({ "name": "Sam", "model": "gpt-5-mini" })).expect(200);
    desk.client.patch(&path, json!({ "model": null })).expect(200);
    set(&desk, &["--models", "none"]);
    desk.client.patch(&path, json!({ "model": "gpt-5-pro" })).expect(200);
}

fn runs_of_a_model_that_is_not_allowed_are_refused(desk: Desk) {
    desk.set(json!({ "model": "gpt-5" }));
    desk.script(json!([says("Hello.")]));
    let scheduled = json!({ "assistant_id": desk.assistant, "name": "T", "goal": "G", "kind": "once", "run_at": "2040-01-01T00:00:00Z" });
    let trigger = desk.client.post("/triggers", scheduled).expect(201).data()["trigger"].clone();
    set(&desk, &["--models", "gpt-5-mini"]);
    let start = json!({ "assistant_id": desk.assistant, "goal": "Go on." });
    refuses(&desk.client.post("/runs", start.clone()).expect(422));
    refuses(&desk.client.send("POST", &format!("/triggers/{}/run", id(&trigger)), None).expect(422));
    // A person answers the customer instead.
    assert_eq!(desk.hears(ANN, "Hello?")["handler"], "human");
    // The account's default is checked too. The server's own default is the operator's choice.
    desk.set(json!({ "model": null }));
    set(&desk, &["--models", "gpt-5", "--model", "gpt-5"]);
    set(&desk, &["--models", "gpt-5-mini"]);
    refuses(&desk.client.post("/runs", start.clone()).expect(422));
    set(&desk, &["--model", "none"]);
    desk.client.post("/runs", start).expect(202);
}

fn only_the_command_line_changes_the_limits(desk: Desk) {
    set(&desk, &["--ai-budget-max", "5", "--models", "gpt-5"]);
    let browser = admin(&desk);
    let wanted = json!({ "ai_budget_max_usd": 500, "models": null });
    browser.patch("/admin/account", wanted).expect(200);
    let shown = browser.get("/admin/account").expect(200);
    assert_eq!(
        (&shown.data()["ai_budget_max_usd"], &shown.data()["models"]),
        (&json!(5.0), &json!(["gpt-5"]))
    );
    let listed = desk.inbox.app.cli(&["account", "list"]);
    let own = listed
        .as_array()
        .expect("a list")
        .iter()
        .find(|row| text(&row["id"]) == desk.inbox.tenant.account.id);
    assert_eq!(own.expect("the account")["models"], json!(["gpt-5"]));
}
