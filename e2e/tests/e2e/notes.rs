//! Notes, opting out, and the members they are attributed to.

use frontdesk_e2e::{App, on_every_engine};
use serde_json::{Value, json};

use crate::people::add;
use crate::shapes::{NOTHING, has_fields, is_id, is_moment, text};

on_every_engine! {
    a_note_is_written_and_listed_with_its_contact_alone,
    a_note_needs_a_body_and_an_existing_subject,
    a_note_is_its_members_until_that_member_leaves_and_then_the_owners,
    a_contact_opts_out_and_in_again,
    opting_out_twice_keeps_the_first_moment,
    members_are_listed_with_exactly_their_fields,
}

fn a_note_is_written_and_listed_with_its_contact_alone(app: App) {
    let tenant = app.tenant();
    let client = tenant.client;
    let (ann, bob) = (add(&client, json!({ "name": "Ann" })), add(&client, json!({ "name": "Bob" })));
    let notes = format!("/contacts/{ann}/notes");
    let first =
        client.post(&notes, json!({ "body": "Prefers mornings.", "author_user_id": NOTHING })).expect(201);
    has_fields(first.data(), "id contact_id body author_user_id created_at updated_at");
    is_id(&first.data()["id"]);
    is_moment(&first.data()["created_at"]);
    assert_eq!(first.data()["updated_at"], first.data()["created_at"]);
    assert_eq!(first.data()["contact_id"], ann.as_str());
    assert_eq!(first.data()["body"], "Prefers mornings.");
    assert_eq!(first.data()["author_user_id"], tenant.account.owner.as_str());
    let second = client.post(&notes, json!({ "body": "Zwei\nZeilen — 🙂" })).expect(201);
    assert_eq!(client.get(&notes).expect(200).data(), &json!([second.data(), first.data()]));
    assert_eq!(client.get(&format!("/contacts/{bob}/notes")).expect(200).data(), &json!([]));
}

fn a_note_needs_a_body_and_an_existing_subject(app: App) {
    let client = app.tenant().client;
    let notes = format!("/contacts/{}/notes", add(&client, json!({ "name": "Ann" })));
    for body in [
        json!({}),
        json!({ "body": "" }),
        json!({ "body": " \n" }),
        json!({ "body": null }),
        json!({ "body": 7 }),
    ] {
        let response = client.post(&notes, body).expect(400);
        response.error("validation_error");
        response.details_at(&["body"]);
    }
    assert_eq!(client.get(&notes).expect(200).data(), &json!([]));
    for nobody in [NOTHING, "nobody"] {
        let notes = format!("/contacts/{nobody}/notes");
        client.get(&notes).expect(404).error("not_found");
        client.post(&notes, json!({ "body": "hm" })).expect(404).error("not_found");
    }
}

fn a_note_is_its_members_until_that_member_leaves_and_then_the_owners(app: App) {
    let account = app.account();
    let add_member = |name: &str, email: &str| {
        let made = app.cli(&["member", "add", "--account", &account.id, "--name", name, "--email", email]);
        text(&made["user_id"]).to_owned()
    };
    let (mia, max) = (add_member("Mia", "mia@example.com"), add_member("Max", "max@example.com"));
    let [by_mia, by_max] = [&mia, &max].map(|member| {
        app.client(&app.key_with(&account, &["--scopes", "contacts:write", "--member", member]))
    });
    let by_nobody = app.client(&app.key(&account, "contacts:write"));
    let contact = add(&by_mia, json!({ "name": "Ann" }));
    let notes = format!("/contacts/{contact}/notes");
    let author = |client: &frontdesk_e2e::Client| {
        client.post(&notes, json!({ "body": "hm" })).expect(201).data()["author_user_id"].clone()
    };
    assert_eq!(
        [author(&by_mia), author(&by_max), author(&by_nobody)],
        [&mia, &max, &account.owner].map(|id| json!(id))
    );
    app.cli(&["member", "remove", &mia]);
    assert_eq!([author(&by_mia), author(&by_max)], [&account.owner, &max].map(|id| json!(id)));
    // What was written stays its author's.
    let written = by_max.get(&notes).expect(200);
    let authors: Vec<&Value> =
        written.data().as_array().unwrap().iter().map(|note| &note["author_user_id"]).collect();
    assert_eq!(
        authors,
        [&max, &account.owner, &account.owner, &max, &mia].map(|id| json!(id)).iter().collect::<Vec<_>>()
    );
}

fn a_contact_opts_out_and_in_again(app: App) {
    let client = app.tenant().client;
    let id = add(&client, json!({ "name": "Ann" }));
    let path = format!("/contacts/{id}/opt-out");
    let opted_in = json!({ "contact_id": id, "opted_out": false, "opted_out_at": null, "source": null });
    assert_eq!(client.get(&path).expect(200).data(), &opted_in);
    let out = client.send("PUT", &path, None).expect(200);
    has_fields(out.data(), "contact_id opted_out opted_out_at source");
    assert_eq!((&out.data()["contact_id"], &out.data()["opted_out"]), (&json!(id), &json!(true)));
    is_moment(&out.data()["opted_out_at"]);
    assert_eq!(out.data()["source"], "api");
    assert_eq!(client.get(&path).expect(200).data(), out.data());
    let fields = "id name phone email company avatar_url tags custom_fields created_at updated_at";
    has_fields(client.get(&format!("/contacts/{id}")).expect(200).data(), fields);
    assert_eq!(client.delete(&path).expect(200).data(), &opted_in);
    assert_eq!(client.get(&path).expect(200).data(), &opted_in);
    let nobody = format!("/contacts/{NOTHING}/opt-out");
    client.get(&nobody).expect(404).error("not_found");
    client.send("PUT", &nobody, None).expect(404).error("not_found");
    client.delete(&nobody).expect(404).error("not_found");
}

fn opting_out_twice_keeps_the_first_moment(app: App) {
    let client = app.tenant().client;
    let path = format!("/contacts/{}/opt-out", add(&client, json!({ "name": "Ann" })));
    let first = client.put(&path, json!({})).expect(200);
    let second = client.put(&path, json!({})).expect(200);
    assert_eq!(second.data(), first.data());
    client.delete(&path).expect(200);
    client.delete(&path).expect(200);
    assert_eq!(client.put(&path, json!({})).expect(200).data()["opted_out"], true);
}

fn members_are_listed_with_exactly_their_fields(app: App) {
    let (tenant, other) = (app.tenant(), app.tenant());
    let add =
        ["member", "add", "--account", &tenant.account.id, "--name", "Mia", "--email", "mia@example.com"];
    let mia = text(&app.cli(&add)["user_id"]).to_owned();
    let members = tenant.client.get("/members").expect(200);
    let rows = members.data().as_array().unwrap();
    assert_eq!(rows.len(), 2, "{}", members.text);
    for row in rows {
        has_fields(row, "id name email role status");
    }
    let row = |id: &str| rows.iter().find(|row| row["id"] == id).unwrap_or_else(|| panic!("{id} is missing"));
    assert_eq!(row(&tenant.account.owner)["role"], "owner");
    assert_eq!((&row(&mia)["name"], &row(&mia)["email"]), (&json!("Mia"), &json!("mia@example.com")));
    let theirs = other.client.get("/members").expect(200);
    let ids: Vec<&Value> = theirs.data().as_array().unwrap().iter().map(|row| &row["id"]).collect();
    assert_eq!(ids, [&json!(other.account.owner)]);
    app.client(&app.key(&tenant.account, "conversations:read")).get("/members").expect(200);
    app.client(&app.key(&tenant.account, "contacts:write")).get("/members").expect(403).error("forbidden");
}
