//! Contacts, their notes, and deals.

use serde_json::json;

use super::Worker;
use crate::caller::Request;
use crate::ledger::{Contact, Deal, Note};
use crate::scene::text;

pub(super) fn step(worker: &mut Worker<'_>) -> Result<(), String> {
    let name = worker.unique();
    let asked = Request::post("/api/v1/contacts", &json!({ "name": name, "company": "Acme" })).once(&name);
    let made = worker.caller.acknowledged(&asked)?;
    let contact = text(&made.json["data"]["id"]);
    worker.ledger.entries().contacts.push(Contact { id: contact.clone(), name: name.clone() });
    match worker.caller.dice().below(3) {
        0 => rename(worker, &contact, &name),
        1 => note(worker, &contact, &name),
        _ => sell(worker, &contact, &name),
    }
}

fn rename(worker: &mut Worker<'_>, contact: &str, name: &str) -> Result<(), String> {
    let name = format!("{name}-renamed");
    let asked = Request::patch(&format!("/api/v1/contacts/{contact}"), &json!({ "name": name }));
    worker.caller.acknowledged(&asked)?;
    let mut entries = worker.ledger.entries();
    entries.contacts.iter_mut().rfind(|known| known.id == contact).expect("it was noted").name = name;
    Ok(())
}

fn note(worker: &mut Worker<'_>, contact: &str, name: &str) -> Result<(), String> {
    let asked = Request::post(&format!("/api/v1/contacts/{contact}/notes"), &json!({ "body": name }));
    worker.caller.acknowledged(&asked.once(&format!("note-{name}")))?;
    worker.ledger.entries().notes.push(Note { contact: contact.to_owned(), body: name.to_owned() });
    Ok(())
}

/// A deal, which moves to another stage.
fn sell(worker: &mut Worker<'_>, contact: &str, name: &str) -> Result<(), String> {
    let stages = &worker.scene.stages;
    let body = json!({ "title": name, "contact_id": contact, "value": 10.5, "currency": "EUR" });
    let made =
        worker.caller.acknowledged(&Request::post("/api/v1/deals", &body).once(&format!("deal-{name}")))?;
    let (id, stage) = (text(&made.json["data"]["id"]), text(&made.json["data"]["stage_id"]));
    worker.ledger.entries().deals.push(Deal { id: id.clone(), title: name.to_owned(), stage });
    let stage = worker.caller.dice().one_of(&stages[1..]).clone();
    let asked = Request::post(&format!("/api/v1/deals/{id}/move"), &json!({ "stage_id": stage }));
    worker.caller.acknowledged(&asked)?;
    let mut entries = worker.ledger.entries();
    entries.deals.iter_mut().rfind(|deal| deal.id == id).expect("it was noted").stage = stage;
    Ok(())
}
