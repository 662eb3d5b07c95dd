//! Whose budget counts: the account's, or the key's when it is lower.

use frontdesk_e2e::{App, Budget, Clocked, on_every_engine, on_every_store};

on_every_store! {
    a_lower_limit_of_the_account_counts_from_the_next_request,
    a_changed_limit_keeps_what_was_used,
}

on_every_engine! {
    an_account_has_sixty_units_by_default,
    each_key_has_the_whole_budget_to_itself,
    a_key_may_have_less_than_its_account,
}

fn an_account_has_sixty_units_by_default(app: App) {
    let account = app.account_with(&[]);
    let response = app.client(&app.key(&account, "contacts:read")).get("/me").expect(200);
    assert_eq!(response.data()["rate_limit_per_minute"], 60);
    let Budget { limit, remaining, .. } = response.budget();
    assert_eq!((limit, remaining), (60, 59));
    app.cli(&["account", "set", &account.id, "--rate-limit", "90"]);
    let client = app.client(&app.key(&account, "contacts:read"));
    assert_eq!(client.get("/me").expect(200).budget().limit, 90);
    app.cli(&["account", "set", &account.id, "--rate-limit", "none"]);
    assert_eq!(client.get("/me").expect(200).budget().limit, 60);
}

fn each_key_has_the_whole_budget_to_itself(app: Clocked) {
    let account = app.account_with(&["--rate-limit", "2"]);
    let [first, second] = [(); 2].map(|()| app.client(&app.key(&account, "contacts:read")));
    app.begin_minute();
    first.get("/me").expect(200);
    first.get("/me").expect(200);
    first.get("/me").expect(429);
    assert_eq!(second.get("/me").expect(200).budget().remaining, 1);
}

fn a_key_may_have_less_than_its_account(app: Clocked) {
    let account = app.account_with(&["--rate-limit", "100"]);
    let key = app.key_with(&account, &["--all-scopes", "--rate-limit", "2"]);
    let client = app.client(&key);
    app.begin_minute();
    let response = client.get("/me").expect(200);
    assert_eq!(response.data()["rate_limit_per_minute"], 2);
    assert_eq!(response.budget().limit, 2);
    client.get("/me").expect(200);
    client.get("/me").expect(429);
    app.cli(&["key", "edit", &key.id, "--rate-limit", "none"]);
    let Budget { limit, remaining, .. } = client.get("/me").expect(200).budget();
    assert_eq!((limit, remaining), (100, 97));
}

fn a_lower_limit_of_the_account_counts_from_the_next_request(app: App) {
    let account = app.account_with(&["--rate-limit", "100"]);
    let client = app.client(&app.key_with(&account, &["--all-scopes", "--rate-limit", "50"]));
    assert_eq!(client.get("/me").expect(200).budget().limit, 50);
    for (account_limit, applicable) in [("10", 10), ("200", 50)] {
        app.cli(&["account", "set", &account.id, "--rate-limit", account_limit]);
        let response = client.get("/me").expect(200);
        assert_eq!(response.budget().limit, applicable);
        assert_eq!(response.data()["rate_limit_per_minute"], applicable);
    }
}

fn a_changed_limit_keeps_what_was_used(app: Clocked) {
    let account = app.account_with(&["--rate-limit", "10"]);
    let client = app.client(&app.key(&account, "contacts:read"));
    app.begin_minute();
    for left in (5..10).rev() {
        assert_eq!(client.get("/me").expect(200).budget().remaining, left);
    }
    app.cli(&["account", "set", &account.id, "--rate-limit", "3"]);
    let Budget { limit, remaining, .. } = client.get("/me").expect(429).budget();
    assert_eq!((limit, remaining), (3, 0));
    app.cli(&["account", "set", &account.id, "--rate-limit", "20"]);
    assert_eq!(client.get("/me").expect(200).budget().remaining, 14);
}
