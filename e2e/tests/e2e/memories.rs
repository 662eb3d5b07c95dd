//! What assistants remember.

use frontdesk_e2e::{App, on_every_engine};
use serde_json::{Value, json};

use crate::agent_scene::{Desk, calls, new_assistant, says};
use crate::people::{add, walk};
use crate::shapes::{NOTHING, has_fields, text};

on_every_engine! {
    a_memory_has_exactly_its_fields,
    memories_are_found_by_the_beginnings_of_their_words,
    an_erased_contact_is_forgotten,
    a_run_gets_relevant_memories_and_none_of_other_contacts,
    an_assistant_remembers_and_recalls_by_itself,
    an_assistant_sees_its_own_memories_and_those_of_all,
}

fn contents(rows: &[Value]) -> Vec<&str> {
    rows.iter().map(|row| text(&row["content"])).collect()
}

fn a_memory_has_exactly_its_fields(app: App) {
    let client = app.tenant().client;
    let made = client.post("/memories", json!({ "content": " Open on Mondays. " })).expect(201);
    has_fields(made.data(), "id assistant_id contact_id content source created_at");
    assert_eq!(
        (&made.data()["content"], &made.data()["source"]),
        (&json!("Open on Mondays."), &json!("api"))
    );
    client.post("/memories", json!({ "content": "x", "contact_id": NOTHING })).expect(404);
    client.post("/memories", json!({ "content": "x", "assistant_id": NOTHING })).expect(404);
    client.post("/memories", json!({ "content": " " })).expect(400).details_at(&["content"]);
    let path = format!("/memories/{}", made.id());
    client.delete(&path).expect(200);
    client.delete(&path).expect(404);
}

fn memories_are_found_by_the_beginnings_of_their_words(app: App) {
    let client = app.tenant().client;
    let robin = new_assistant(&client, json!({}));
    let ann = add(&client, json!({ "name": "Ann" }));
    for body in [
        json!({ "content": "Deliveries to Ann come before nine." , "contact_id": ann }),
        json!({ "content": "Größe 42 is sold out.", "assistant_id": robin }),
        json!({ "content": "The delivery van is blue." }),
    ] {
        client.post("/memories", body).expect(201);
    }
    for (query, found) in [
        ("q=DELIVER", vec!["The delivery van is blue.", "Deliveries to Ann come before nine."]),
        ("q=deliver%20blu", vec!["The delivery van is blue."]),
        ("q=gr%C3%B6%C3%9Fe", vec!["Größe 42 is sold out."]),
        ("q=elivery", vec![]),
        (&*format!("contact_id={ann}"), vec!["Deliveries to Ann come before nine."]),
        (&*format!("assistant_id={robin}&q=sold"), vec!["Größe 42 is sold out."]),
    ] {
        assert_eq!(contents(&walk(&client, &format!("/memories?{query}"))), found, "{query}");
    }
}

fn an_erased_contact_is_forgotten(app: App) {
    let client = app.tenant().client;
    let (ann, bob) = (add(&client, json!({ "name": "Ann" })), add(&client, json!({ "name": "Bob" })));
    for contact in [&ann, &bob] {
        client.post("/memories", json!({ "content": "Likes tea.", "contact_id": contact })).expect(201);
    }
    client.post(&format!("/contacts/{ann}/merge"), json!({ "contact_id": bob })).expect(200);
    assert_eq!(walk(&client, &format!("/memories?contact_id={ann}")).len(), 2);
    client.delete(&format!("/contacts/{ann}")).expect(200);
    assert_eq!(walk(&client, "/memories?q=tea"), [Value::Null; 0]);
}

fn a_run_gets_relevant_memories_and_none_of_other_contacts(desk: Desk) {
    let client = &desk.client;
    let (ann, bob) = (add(client, json!({ "name": "Ann" })), add(client, json!({ "name": "Bob" })));
    for (content, contact) in [
        ("Ann wants green chairs.", Some(&ann)),
        ("Bob owes us money.", Some(&bob)),
        ("Shop shut on Sundays.", None),
    ] {
        client.post("/memories", json!({ "content": content, "contact_id": contact })).expect(201);
    }
    desk.script(json!([says("Done.")]));
    desk.becomes(&desk.starts(json!({ "contact_id": ann })), "succeeded");
    let calls = desk.inbox.sandbox().get("/sandbox/model/calls").expect(200).text;
    assert!(calls.contains("green chairs") && calls.contains("Sundays"), "{calls}");
    assert!(!calls.contains("owes us money"), "{calls}");
}

fn an_assistant_remembers_and_recalls_by_itself(desk: Desk) {
    let ann = add(&desk.client, json!({ "name": "Ann" }));
    desk.script(json!([
        calls(&[("remember", json!({ "content": "Allergic to wool." }))]),
        calls(&[("recall", json!({ "q": "wool" }))]),
        says("Noted."),
    ]));
    let run = desk.becomes(&desk.starts(json!({ "contact_id": ann })), "succeeded");
    assert!(text(&desk.returned(&run, "recall")["content"]).contains("Allergic to wool."));
    let kept = walk(&desk.client, &format!("/memories?contact_id={ann}"));
    assert_eq!((contents(&kept), &kept[0]["source"]), (vec!["Allergic to wool."], &json!("assistant")));
    assert_eq!(kept[0]["assistant_id"], json!(desk.assistant));
    assert!(desk.kinds(&run).contains(&"memory_written".to_owned()));
}

fn an_assistant_sees_its_own_memories_and_those_of_all(desk: Desk) {
    let client = &desk.client;
    let other = new_assistant(client, json!({ "name": "Kim" }));
    for (content, assistant) in
        [("Shared wool", Value::Null), ("Own wool", json!(desk.assistant)), ("Foreign wool", json!(other))]
    {
        client.post("/memories", json!({ "content": content, "assistant_id": assistant })).expect(201);
    }
    desk.script(json!([calls(&[("recall", json!({ "q": "wool" }))]), says("Found.")]));
    let run = desk.becomes(&desk.starts(json!({})), "succeeded");
    let found = text(&desk.returned(&run, "recall")["content"]).to_owned();
    assert!(found.contains("Shared wool") && found.contains("Own wool"), "{found}");
    assert!(!found.contains("Foreign wool"), "{found}");
    // A filter finds only what is that assistant's.
    let own = walk(client, &format!("/memories?assistant_id={}", desk.assistant));
    assert_eq!(contents(&own), ["Own wool"]);
    assert_eq!(walk(client, "/memories").len(), 3);
}
