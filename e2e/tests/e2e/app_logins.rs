//! One login per email address: joining an account, links that reset, and the operator's reset.

use frontdesk_e2e::{Account, App, on_every_engine};
use serde_json::{Value, json};

use crate::app_scene::{
    Browser, OWNER, PASSWORD, account, code, invite, invited, member, second_factor, token,
};
use crate::inbox_scene::Inbox;
use crate::shapes::{has_fields, text};

const MIA: &str = "mia@example.com";
const OTHER_PASSWORD: &str = "another horse battery";

on_every_engine! {
    a_person_who_has_a_login_joins_by_signing_in,
    a_link_tells_what_it_is_for,
    a_link_names_the_member_who_made_it,
    an_invitation_is_for_the_login_with_its_address,
    joining_needs_the_second_factor_of_the_login,
    an_admins_link_never_changes_a_login_that_is_used_elsewhere,
    the_operators_link_changes_a_login_in_every_account,
    a_person_whose_other_account_is_suspended_gets_a_login,
    two_links_at_once_make_one_login,
    logins_that_share_an_address_are_joined_by_an_invitation,
    the_operator_resets_a_login,
    a_reset_gives_an_address_back_to_its_owner,
    a_reset_joins_the_logins_of_an_address,
    nobody_else_has_a_login_to_reset,
}

#[track_caller]
fn set(browser: &Browser, link: &str, password: &str) -> frontdesk_e2e::Response {
    browser.post("/password", json!({ "token": link, "password": password }))
}

#[track_caller]
fn refused(response: frontdesk_e2e::Response) {
    assert_eq!(response.expect(409).error("conflict")["reason"], "login_exists");
}

#[track_caller]
fn sign_in(app: &App, email: &str, password: &str) -> Browser {
    let browser = Browser::new(app);
    let response = browser.try_sign_in(email, password).expect(200);
    browser.keeping(&response)
}

/// The ids of the accounts of a signed-in person.
#[track_caller]
fn accounts(browser: &Browser) -> Vec<String> {
    let session = browser.get("/session").expect(200);
    let accounts = session.data()["accounts"].as_array().expect("accounts");
    accounts.iter().map(|account| text(&account["id"]).to_owned()).collect()
}

/// The actions in the audit log of an account.
#[track_caller]
fn actions(owner: &Browser) -> Vec<String> {
    let log = owner.get("/admin/audit-log").expect(200);
    let rows = log.data().as_array().expect("a list").iter();
    rows.map(|row| text(&row["action"]).to_owned()).collect()
}

/// Another account, whose owner has this address and a password.
#[track_caller]
fn account_of(app: &App, email: &str) -> Account {
    let account = app.account_with(&["--owner-email", email]);
    set(&Browser::new(app), &invite(app, &account.owner), OTHER_PASSWORD).expect(200);
    account
}

fn a_person_who_has_a_login_joins_by_signing_in(app: App) {
    let (ours, theirs) = (account(&app), account_of(&app, "boss@example.com"));
    member(&app, &ours, MIA, "agent");
    let link = invite(&app, &invited(&app, &theirs, MIA, "admin"));
    let stranger = Browser::new(&app);
    // The right password gets the same response as a wrong one.
    for password in [PASSWORD, OTHER_PASSWORD] {
        refused(set(&stranger, &link, password));
    }
    stranger.post("/invitation", json!({ "token": link })).expect(401);
    let mia = sign_in(&app, MIA, PASSWORD);
    let joined = mia.post("/invitation", json!({ "token": link })).expect(200);
    has_fields(joined.data(), "user account role scopes accounts");
    assert_eq!(accounts(&mia), [ours.id.as_str(), theirs.id.as_str()]);
    let switched = mia.post("/session/account", json!({ "account_id": theirs.id })).expect(200);
    assert_eq!(switched.data()["role"], "admin");
    // It works once.
    let mia = mia.keeping(&switched);
    mia.post("/invitation", json!({ "token": link })).expect(404);
    assert!(
        actions(&sign_in(&app, "boss@example.com", OTHER_PASSWORD)).contains(&"member.joined".to_owned())
    );
}

fn a_link_tells_what_it_is_for(app: App) {
    let ours = account(&app);
    let check = |link: &str| Browser::new(&app).post("/invitation/check", json!({ "token": link }));
    let mia = invited(&app, &ours, MIA, "agent");
    let told = |account: &Account, sets_password: bool, has_login: bool| {
        json!({
            "email": MIA,
            "account_id": account.id,
            "account_name": "Acme",
            "invited_by": null,
            "sets_password": sets_password,
            "has_login": has_login,
        })
    };
    let link = invite(&app, &mia);
    // Asking does not use it up.
    for _ in 0..2 {
        assert_eq!(check(&link).expect(200).data(), &told(&ours, true, false));
    }
    set(&Browser::new(&app), &link, PASSWORD).expect(200);
    check(&link).expect(404);
    check("x").expect(404);
    assert_eq!(check(&invite(&app, &mia)).expect(200).data(), &told(&ours, true, false));
    let theirs = app.account();
    let elsewhere = invite(&app, &invited(&app, &theirs, MIA, "agent"));
    assert_eq!(check(&elsewhere).expect(200).data(), &told(&theirs, false, true));
}

fn a_link_names_the_member_who_made_it(app: App) {
    let account = account(&app);
    let owner = sign_in(&app, OWNER, PASSWORD);
    owner.patch("/profile", json!({ "name": "Ada Owner" })).expect(200);
    let new = json!({ "name": "Mia", "email": MIA, "role": "agent" });
    let added = owner.post("/admin/members", new).expect(201);
    let check = |link: &str| {
        let told = Browser::new(&app).post("/invitation/check", json!({ "token": link })).expect(200);
        (told.data()["invited_by"].clone(), told.data()["email"].clone(), told.data()["account_id"].clone())
    };
    let link = token(text(&added.data()["invitation"]["url"]));
    assert_eq!(check(&link), (json!("Ada Owner"), json!(MIA), json!(account.id)));
    // The operator's link replaces it, and names nobody.
    let mia = text(&added.data()["member"]["id"]);
    assert_eq!(check(&invite(&app, mia)).0, Value::Null);
}

fn an_invitation_is_for_the_login_with_its_address(app: App) {
    let (ours, theirs) = (account(&app), app.account());
    member(&app, &ours, MIA, "agent");
    let link = invite(&app, &invited(&app, &theirs, MIA, "agent"));
    let owner = sign_in(&app, OWNER, PASSWORD);
    let refused = owner.post("/invitation", json!({ "token": link })).expect(403);
    assert_eq!(refused.error("forbidden")["reason"], "email");
    assert_eq!(accounts(&owner), [ours.id.as_str()]);
    // The link still works for the person who was invited.
    sign_in(&app, MIA, PASSWORD).post("/invitation", json!({ "token": link })).expect(200);
}

fn joining_needs_the_second_factor_of_the_login(inbox: Inbox) {
    let app = &inbox.app;
    member(app, &inbox.tenant.account, MIA, "agent");
    let (secret, _) = second_factor(&sign_in(app, MIA, PASSWORD), PASSWORD, inbox.now());
    let link = invite(app, &invited(app, &app.account(), MIA, "agent"));
    let browser = Browser::new(app);
    let asked = browser.try_sign_in(MIA, PASSWORD).expect(401);
    assert_eq!(asked.error("unauthorized")["reason"], "code_required");
    browser.post("/invitation", json!({ "token": link })).expect(401);
    inbox.advance(60);
    let body = json!({ "email": MIA, "password": PASSWORD, "code": code(&secret, inbox.now()) });
    let signed_in = browser.post("/session", body).expect(200);
    browser.keeping(&signed_in).post("/invitation", json!({ "token": link })).expect(200);
}

fn an_admins_link_never_changes_a_login_that_is_used_elsewhere(app: App) {
    let (victims, attackers) = (account(&app), account_of(&app, "eve@example.com"));
    let eve = sign_in(&app, "eve@example.com", OTHER_PASSWORD);
    let mia = member(&app, &attackers, MIA, "agent");
    let again = |user: &str| {
        let made = eve.post(&format!("/admin/members/{user}/invitation"), json!({})).expect(201);
        token(text(&made.data()["url"]))
    };
    // While the login is used in one account, its admin resets it.
    set(&eve, &again(&mia), OTHER_PASSWORD).expect(200);
    set(&eve, &again(&mia), PASSWORD).expect(200);
    // A link from before does not count either once the person has joined another account.
    let early = again(&mia);
    member(&app, &victims, MIA, "admin");
    refused(set(&eve, &early, "chosen by the attacker"));
    refused(set(&eve, &again(&mia), "chosen by the attacker"));
    Browser::new(&app).try_sign_in(MIA, "chosen by the attacker").expect(401);
    let own = sign_in(&app, MIA, PASSWORD);
    assert_eq!(accounts(&own), [attackers.id.as_str(), victims.id.as_str()]);
    // The person who signs in may use the link; nothing changes.
    own.post("/invitation", json!({ "token": again(&mia) })).expect(200);
    // Nor when the member is removed and added anew: the person joins by signing in.
    eve.send("DELETE", &format!("/admin/members/{mia}")).expect(200);
    let new = json!({ "name": "Mia", "email": MIA, "role": "agent" });
    let added = eve.post("/admin/members", new).expect(201);
    let link = token(text(&added.data()["invitation"]["url"]));
    refused(set(&eve, &link, "chosen by the attacker"));
    // The attacker's own login has another address.
    assert_eq!(
        eve.post("/invitation", json!({ "token": link })).expect(403).error("forbidden")["reason"],
        "email"
    );
    sign_in(&app, MIA, PASSWORD).post("/invitation", json!({ "token": link })).expect(200);
}

fn the_operators_link_changes_a_login_in_every_account(app: App) {
    let (ours, theirs) = (account(&app), app.account());
    let mia = member(&app, &ours, MIA, "agent");
    member(&app, &theirs, MIA, "agent");
    let before = sign_in(&app, MIA, PASSWORD);
    set(&Browser::new(&app), &invite(&app, &mia), OTHER_PASSWORD).expect(200);
    assert!(!before.is_in());
    assert_eq!(accounts(&sign_in(&app, MIA, OTHER_PASSWORD)).len(), 2);
}

fn a_person_whose_other_account_is_suspended_gets_a_login(app: App) {
    let (ours, theirs) = (account(&app), app.account());
    member(&app, &ours, MIA, "agent");
    app.cli(&["account", "suspend", &ours.id]);
    let link = invite(&app, &invited(&app, &theirs, MIA, "agent"));
    set(&Browser::new(&app), &link, OTHER_PASSWORD).expect(200);
    assert_eq!(accounts(&sign_in(&app, MIA, OTHER_PASSWORD)), [theirs.id.as_str()]);
    // Both passwords count once the account is resumed.
    app.cli(&["account", "resume", &ours.id]);
    assert_eq!(accounts(&sign_in(&app, MIA, PASSWORD)), [ours.id.as_str()]);
    assert_eq!(accounts(&sign_in(&app, MIA, OTHER_PASSWORD)), [theirs.id.as_str()]);
}

fn two_links_at_once_make_one_login(app: App) {
    let links: Vec<String> =
        (0..4).map(|_| invite(&app, &invited(&app, &app.account(), MIA, "agent"))).collect();
    let statuses: Vec<u16> = frontdesk_e2e::at_once(links.len(), |number| {
        set(&Browser::new(&app), &links[number], PASSWORD).status
    });
    assert_eq!(statuses.iter().filter(|status| **status == 200).count(), 1, "{statuses:?}");
    assert_eq!(statuses.iter().filter(|status| **status == 409).count(), 3, "{statuses:?}");
}

/// Two accounts whose owners have separate logins with the same address: those from before an address had one login.
fn sharing(app: &App) -> (Account, Account) {
    let (first, second) = (account_of(app, MIA), app.account_with(&["--owner-email", "early@example.com"]));
    set(&Browser::new(app), &invite(app, &second.owner), PASSWORD).expect(200);
    app.cli(&["account", "set", &second.id, "--owner-email", MIA]);
    assert_eq!(accounts(&sign_in(app, MIA, OTHER_PASSWORD)), [first.id.as_str()]);
    assert_eq!(accounts(&sign_in(app, MIA, PASSWORD)), [second.id.as_str()]);
    (first, second)
}

fn logins_that_share_an_address_are_joined_by_an_invitation(app: App) {
    let (first, second) = sharing(&app);
    let link = invite(&app, &second.owner);
    let told = Browser::new(&app).post("/invitation/check", json!({ "token": link })).expect(200);
    assert_eq!((&told.data()["sets_password"], &told.data()["has_login"]), (&json!(true), &json!(true)));
    let before = sign_in(&app, MIA, PASSWORD);
    let mia = sign_in(&app, MIA, OTHER_PASSWORD);
    mia.post("/invitation", json!({ "token": link })).expect(200);
    assert_eq!(accounts(&mia), [first.id.as_str(), second.id.as_str()]);
    assert!(!before.is_in());
    Browser::new(&app).try_sign_in(MIA, PASSWORD).expect(401);
}

fn the_operator_resets_a_login(inbox: Inbox) {
    let app = &inbox.app;
    let (ours, theirs) = (account(app), account_of(app, "boss@example.com"));
    member(app, &ours, MIA, "agent");
    member(app, &theirs, MIA, "agent");
    let before = sign_in(app, MIA, PASSWORD);
    let (_, codes) = second_factor(&before, PASSWORD, inbox.now());
    let old = invite(app, &ours.owner);
    let reset = app.cli(&["login", "reset", "Mia@Example.com"]);
    has_fields(&reset, "email accounts url expires_at");
    assert_eq!(reset["accounts"], 2);
    assert!(!before.is_in());
    let browser = Browser::new(app);
    browser.try_sign_in(MIA, PASSWORD).expect(401);
    let body = json!({ "email": MIA, "password": PASSWORD, "code": codes[0] });
    browser.post("/session", body).expect(401);
    let link = token(text(&reset["url"]));
    set(&browser, &link, OTHER_PASSWORD).expect(200);
    set(&browser, &link, OTHER_PASSWORD).expect(404);
    let mia = sign_in(app, MIA, OTHER_PASSWORD);
    assert_eq!(accounts(&mia).len(), 2);
    assert_eq!(mia.get("/session").expect(200).data()["user"]["second_factor"], false);
    // Every account hears of it.
    for (email, password) in [(OWNER, PASSWORD), ("boss@example.com", OTHER_PASSWORD)] {
        let log = sign_in(app, email, password).get("/admin/audit-log").expect(200);
        let rows = log.data().as_array().expect("a list");
        let entry = rows.iter().find(|row| row["action"] == "login.reset").expect("an entry");
        assert_eq!((&entry["user_id"], &entry["address"]), (&Value::Null, &Value::Null));
    }
    // Others are not affected.
    set(&browser, &old, OTHER_PASSWORD).expect(200);
}

fn a_reset_gives_an_address_back_to_its_owner(app: App) {
    let (ours, attackers) = (account(&app), account_of(&app, "eve@example.com"));
    let eve = sign_in(&app, "eve@example.com", OTHER_PASSWORD);
    // Somebody registers an address that is not theirs.
    let new = json!({ "name": "Mia", "email": MIA, "role": "agent" });
    let added = eve.post("/admin/members", new).expect(201);
    let taken = text(&added.data()["member"]["id"]).to_owned();
    set(&eve, &token(text(&added.data()["invitation"]["url"])), "chosen by the attacker").expect(200);
    let squatter = sign_in(&app, MIA, "chosen by the attacker");
    let again = eve.post(&format!("/admin/members/{taken}/invitation"), json!({})).expect(201);
    let planted = token(text(&again.data()["url"]));
    // Its owner is invited, and cannot sign in.
    let link = invite(&app, &invited(&app, &ours, MIA, "admin"));
    refused(set(&Browser::new(&app), &link, PASSWORD));
    let reset = app.cli(&["login", "reset", MIA]);
    assert!(!squatter.is_in());
    set(&eve, &planted, "chosen by the attacker").expect(404);
    set(&Browser::new(&app), &token(text(&reset["url"])), PASSWORD).expect(200);
    let mia = sign_in(&app, MIA, PASSWORD);
    mia.post("/invitation", json!({ "token": link })).expect(200);
    // From now on the other account cannot take it back.
    let again = eve.post(&format!("/admin/members/{taken}/invitation"), json!({})).expect(201);
    refused(set(&eve, &token(text(&again.data()["url"])), "chosen by the attacker"));
    Browser::new(&app).try_sign_in(MIA, "chosen by the attacker").expect(401);
    assert_eq!(accounts(&mia), [attackers.id.as_str(), ours.id.as_str()]);
}

fn a_reset_joins_the_logins_of_an_address(app: App) {
    let (first, second) = sharing(&app);
    let reset = app.cli(&["login", "reset", MIA]);
    assert_eq!(reset["accounts"], 2);
    for password in [PASSWORD, OTHER_PASSWORD] {
        Browser::new(&app).try_sign_in(MIA, password).expect(401);
    }
    set(&Browser::new(&app), &token(text(&reset["url"])), "a third horse battery").expect(200);
    let mia = sign_in(&app, MIA, "a third horse battery");
    assert_eq!(accounts(&mia), [first.id.as_str(), second.id.as_str()]);
}

fn nobody_else_has_a_login_to_reset(app: App) {
    invited(&app, &account(&app), MIA, "agent");
    for email in [MIA, "nobody@example.com"] {
        let said = app.run(&["login", "reset", email]).expect_failure();
        assert!(said.contains("frontdesk member invite"), "{said}");
    }
    app.run(&["login", "reset", "nowhere"]).expect_failure();
}
