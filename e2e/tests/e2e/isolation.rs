//! Accounts do not see each other. That another's id in a path is not found is held by the walk of every route.

use frontdesk_e2e::{App, on_every_engine};
use serde_json::{Value, json};

use crate::broadcasts_scene::hello;
use crate::inbox_scene::reachable;
use crate::people::{add, field, tag, walk};

on_every_engine! {
    no_list_shows_what_belongs_to_another,
    ids_of_another_account_cannot_be_combined_with_ours,
    another_accounts_ids_and_unknown_ids_get_the_same_response,
}

fn no_list_shows_what_belongs_to_another(app: App) {
    let (ours, theirs) = (reachable(&app), reachable(&app));
    let fill = |client: &frontdesk_e2e::Client, secret: &str| {
        let vip = tag(client, secret);
        let plan = field(client, secret, "text");
        let body = json!({ "name": secret, "company": secret, "tag_ids": [vip], "custom_fields": { plan.as_str(): secret } });
        let id = add(client, body);
        client.post(&format!("/contacts/{id}/notes"), json!({ "body": secret })).expect(201);
        client.put(&format!("/contacts/{id}/opt-out"), json!({})).expect(200);
        let rules = json!([{ "field": "name", "op": "is_set" }]);
        let segment = client.post("/segments", json!({ "name": secret, "rules": rules })).expect(201);
        assert_eq!(segment.data()["contact_count"], 1);
        client.post("/canned-replies", json!({ "shortcut": "hi", "body": secret })).expect(201);
        let inquiry = client.post("/inquiries", json!({ "message": secret })).expect(201).id();
        client.post(&format!("/inquiries/{inquiry}/notes"), json!({ "body": secret })).expect(201);
        client.post("/pipelines", json!({ "name": secret })).expect(201);
        client.post("/deals", json!({ "title": secret, "contact_id": id })).expect(201);
        let mut broadcast = hello(json!({ "type": "all" }));
        broadcast["name"] = json!(secret);
        client.post("/broadcasts", broadcast).expect(202);
        let assistant = client.post("/assistants", json!({ "name": secret })).expect(201).id();
        let trigger = json!({ "assistant_id": assistant, "name": secret, "kind": "webhook", "goal": secret });
        client.post("/triggers", trigger).expect(201);
        client.post("/instructions", json!({ "title": secret, "body": secret })).expect(201);
        client.post("/memories", json!({ "content": secret, "contact_id": id })).expect(201);
        (vip, segment.id(), id)
    };
    let (vip, segment, id) = fill(&ours.client, "oursecret");
    fill(&theirs.client, "theirsecret");
    for path in [
        "/contacts".to_owned(),
        "/contacts?q=secret".to_owned(),
        "/contacts?created_since=2020-01-01".to_owned(),
        "/contacts?updated_since=2020-01-01".to_owned(),
        format!("/contacts?tag_id={vip}"),
        format!("/contacts?segment_id={segment}"),
        format!("/contacts/{id}/notes"),
        "/tags".to_owned(),
        "/custom-fields".to_owned(),
        "/segments".to_owned(),
        "/canned-replies".to_owned(),
        "/inquiries".to_owned(),
        "/inquiries?q=secret".to_owned(),
        "/inquiries?status=new".to_owned(),
        "/pipelines".to_owned(),
        "/deals".to_owned(),
        "/deals?q=secret".to_owned(),
        "/deals?status=open".to_owned(),
        format!("/deals?contact_id={id}"),
        "/deals?updated_since=2020-01-01".to_owned(),
        "/broadcasts".to_owned(),
        "/broadcasts?q=secret".to_owned(),
        "/assistants".to_owned(),
        "/triggers".to_owned(),
        "/triggers?kind=webhook&enabled=false".to_owned(),
        "/instructions?q=secret".to_owned(),
        "/memories".to_owned(),
        format!("/memories?contact_id={id}"),
        "/events".to_owned(),
        "/events?event_type=contact.created".to_owned(),
    ] {
        let seen = ours.client.get(&path).expect(200).text;
        assert!(seen.contains("oursecret"), "{path}: {seen}");
        assert!(!seen.contains("theirsecret") && !seen.contains(&theirs.account.id), "{path}: {seen}");
    }
    assert_eq!(walk(&ours.client, "/contacts?q=theirsecret"), Vec::<Value>::new());
    assert_eq!(walk(&ours.client, "/deals?q=theirsecret"), Vec::<Value>::new());
}

fn ids_of_another_account_cannot_be_combined_with_ours(app: App) {
    let (ours, theirs) = (app.tenant().client, app.tenant().client);
    let (our_tag, their_tag) = (tag(&ours, "vip"), tag(&theirs, "vip"));
    let our_path = format!("/contacts/{}", add(&ours, json!({ "name": "Ann", "tag_ids": [our_tag] })));
    let their_path = format!("/contacts/{}", add(&theirs, json!({ "name": "Bob", "tag_ids": [their_tag] })));
    let before = [ours.get(&our_path).expect(200).body, theirs.get(&their_path).expect(200).body];
    ours.delete(&format!("{our_path}/tags/{their_tag}")).expect(404).error("not_found");
    ours.delete(&format!("{their_path}/tags/{our_tag}")).expect(404).error("not_found");
    ours.delete(&format!("{their_path}/tags/{their_tag}")).expect(404).error("not_found");
    ours.post(&format!("{their_path}/tags"), json!({ "tag_ids": [our_tag] })).expect(404).error("not_found");
    ours.post(&format!("{our_path}/tags"), json!({ "tag_ids": [their_tag] }))
        .expect(400)
        .details_at(&["tag_ids.0"]);
    ours.patch(&our_path, json!({ "tag_ids": [their_tag] })).expect(400).details_at(&["tag_ids.0"]);
    ours.patch(&their_path, json!({ "tag_ids": [our_tag] })).expect(404).error("not_found");
    assert_eq!(before, [ours.get(&our_path).expect(200).body, theirs.get(&their_path).expect(200).body]);
}

fn another_accounts_ids_and_unknown_ids_get_the_same_response(app: App) {
    let (ours, theirs) = (app.tenant().client, app.tenant().client);
    let their_id = add(&theirs, json!({ "name": "Ann" }));
    let gone = crate::shapes::NOTHING;
    let said = |id: &str| {
        let response = ours.get(&format!("/contacts/{id}")).expect(404);
        let mut error = response.error("not_found").clone();
        error.as_object_mut().unwrap().remove("request_id").expect("a request id");
        error
    };
    assert_eq!(said(&their_id), said(gone));
}
