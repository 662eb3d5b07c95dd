//! A small API declared as another crate declares one, called and documented.
//!
//! Only what this crate exports is used here, so the macros are known to work from outside.

use std::sync::{Arc, OnceLock};

use frontdesk_kernel::{Email, Id, Patch, Phone, Scope, Text, Timestamp};
use frontdesk_web::{
    Argument, Body, Data, Deleted, Failure, Given, Items, List, Listing, Operation, Path, Problems, Reply,
    Request, RequestId, Result, Route, Table, choice, docs, filters, input, openapi, resource,
};
use futures_util::FutureExt;
use http::{Method, StatusCode};
use serde_json::{Value, json};
use uuid::Uuid;

pub type ContactId = Id<Contact>;

choice! {
    /// How a contact came to be.
    pub enum Source {
        Api => "api",
        Channel => "channel",
    }
}

resource! {
    /// A person.
    pub struct Contact {
        /// Its id.
        pub id: ContactId,
        /// Display name.
        pub name: Option<Text<120>>,
        pub source: Source,
        pub created_at: Timestamp,
    }
}

input! {
    /// A contact to create.
    pub struct NewContact {
        /// With its country code.
        pub phone: Option<Phone>,
        pub name: Option<Text<120>>,
        pub email: Option<Email>,
        pub tag_ids: Option<Items<Id<Tag>, 100>>,
    }
    check = names_somebody;
}

input! {
    /// What changes.
    pub struct ContactChanges {
        pub name: Patch<Text<120>>,
        pub source: Given<Source>,
    }
}

filters! {
    /// Which contacts are listed.
    pub struct ContactFilters {
        /// Any part of the name.
        pub q: Option<Text<100>>,
        pub source: Option<Source>,
        pub updated_since: Option<Timestamp>,
    }
}

pub enum Tag {}

fn names_somebody(contact: &NewContact, problems: &mut Problems) {
    if contact.phone.is_none() && contact.name.is_none() && contact.email.is_none() {
        problems.add("", "must have at least one of phone, name and email");
    }
}

/// Whoever the server says is calling.
#[derive(Clone)]
struct Caller(String);

impl Argument<Self> for Caller {
    fn describe(_: &mut Operation) {}

    fn take(request: &Request<Self>) -> Result<Self> {
        Ok(request.caller.clone())
    }
}

fn contact(name: Option<Text<120>>) -> Contact {
    let id = Id::from_uuid(Uuid::from_u128(7));
    Contact { id, name, source: Source::Api, created_at: Timestamp::from_millis(0) }
}

async fn list(_: Caller, listing: Listing<ContactFilters>) -> Result<List<Contact>> {
    let rows = (0..listing.page.fetch()).map(|_| contact(None)).collect();
    Ok(listing.page.finish(rows, |contact| contact.id.uuid()))
}

async fn create(_: Caller, Body(new): Body<NewContact>) -> Result<Data<Contact>> {
    Ok(Data(contact(new.name)))
}

async fn change(
    Caller(name): Caller,
    Path(id): Path<ContactId>,
    Body(changes): Body<ContactChanges>,
) -> Result<Data<Contact>> {
    let current = name.parse().ok();
    let source = changes.source.apply(Source::Api);
    Ok(Data(Contact { id, source, ..contact(changes.name.apply(current)) }))
}

async fn delete(_: Caller, Path(id): Path<ContactId>) -> Result<Data<Deleted>> {
    Ok(Data(Deleted::new(id)))
}

fn table() -> Table<Caller> {
    Table::new(vec![
        Route::get("/contacts", "listContacts", list)
            .scope(Scope::ContactsRead)
            .tag("Contacts")
            .summary("List contacts"),
        Route::post("/contacts", "createContact", create)
            .scope(Scope::ContactsWrite)
            .tag("Contacts")
            .summary("Create a contact")
            .notes("At least one of phone, name and email is required.")
            .idempotent()
            .created()
            .fails(&[StatusCode::PAYMENT_REQUIRED]),
        Route::patch("/contacts/{id}", "updateContact", change).scope(Scope::ContactsWrite).tag("Contacts"),
        Route::delete("/contacts/{id}", "deleteContact", delete).scope(Scope::ContactsWrite).tag("Contacts"),
    ])
}

/// What a server does with a request, in short.
fn send(method: Method, address: &str, body: Value) -> (u16, Value) {
    let table = table();
    let (path, query) = address.split_once('?').unwrap_or((address, ""));
    let request_id = RequestId::from_uuid(Uuid::nil());
    let response = || -> Result<Reply> {
        let found = table.find(path).ok_or_else(|| Failure::not_found("There is no such path."))?;
        let route: &Arc<Route<Caller>> =
            found.route(&method).map_err(|allow| Failure::method_not_allowed(&allow))?;
        let request = Request {
            method: method.clone(),
            path: path.into(),
            query: query.into(),
            params: found.params,
            body: if body.is_null() { "".into() } else { body.to_string().into() },
            request_id: request_id.clone(),
            account: Uuid::nil(),
            cursor_key: [1; 32],
            route_path: route.path,
            caller: Caller("Ann".into()),
            ignored: OnceLock::default(),
        };
        route.call(&request).now_or_never().expect("nothing here waits")
    };
    let reply = response().unwrap_or_else(|failure| failure.render(&request_id));
    (reply.status.as_u16(), serde_json::from_slice(&reply.body).expect("every answer is JSON"))
}

#[test]
fn a_contact_is_created_changed_and_deleted() {
    let (status, body) = send(Method::POST, "/contacts", json!({ "name": " Ann ", "phone": "" }));
    let id = "00000000-0000-0000-0000-000000000007";
    let expected =
        json!({ "id": id, "name": "Ann", "source": "api", "created_at": "1970-01-01T00:00:00.000Z" });
    assert_eq!((status, &body["data"]), (201, &expected));

    let (_, body) = send(Method::PATCH, &format!("/contacts/{id}"), json!({ "source": "channel" }));
    assert_eq!((&body["data"]["name"], &body["data"]["source"]), (&json!("Ann"), &json!("channel")));
    let (_, body) = send(Method::PATCH, &format!("/contacts/{id}"), json!({ "name": null }));
    assert_eq!(body["data"]["name"], json!(null));

    let (_, body) = send(Method::DELETE, &format!("/contacts/{id}"), Value::Null);
    assert_eq!(body, json!({ "data": { "id": id, "deleted": true } }));
}

#[test]
fn a_list_is_walked_by_its_cursor() {
    let (_, body) = send(Method::GET, "/contacts?limit=2&q=ann", Value::Null);
    assert_eq!((body["data"].as_array().map(Vec::len), &body["meta"]["has_more"]), (Some(2), &json!(true)));
    let cursor = body["meta"]["next_cursor"].as_str().expect("there is more");
    assert_eq!(send(Method::GET, &format!("/contacts?q=ann&cursor={cursor}"), Value::Null).0, 200);
    assert_eq!(send(Method::GET, &format!("/contacts?q=bob&cursor={cursor}"), Value::Null).0, 400);
}

#[test]
fn a_request_is_refused_for_what_it_is() {
    let details = |body: &Value| body["error"]["details"].clone();
    let (_, body) = send(Method::POST, "/contacts", json!({}));
    let expected = json!([{ "path": "", "message": "must have at least one of phone, name and email" }]);
    assert_eq!(details(&body), expected);
    let (_, body) = send(Method::POST, "/contacts", json!({ "phone": "1", "tag_ids": ["x"] }));
    assert_eq!(details(&body).as_array().map(Vec::len), Some(2));
    assert_eq!(send(Method::PUT, "/contacts", Value::Null).0, 405);
    assert_eq!(send(Method::PATCH, "/contacts/7", json!({})).0, 404);
    assert_eq!(send(Method::GET, "/nothing", Value::Null).0, 404);
}

#[test]
fn all_of_it_is_documented() {
    let document = openapi::document(&table(), openapi::DocumentExtras::default());
    let create = &document["paths"]["/api/v1/contacts"]["post"];
    let schema = &create["requestBody"]["content"]["application/json"]["schema"];
    assert_eq!(schema, &json!({ "$ref": "#/components/schemas/NewContact" }));
    let contact = &document["components"]["schemas"]["Contact"];
    assert_eq!(contact["required"], json!(["id", "name", "source", "created_at"]));
    let page = docs::page(&document, None);
    assert!(page.contains("Create a contact") && page.contains("contacts:write"));
}
