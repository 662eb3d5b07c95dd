#![expect(dead_code, reason = "samples are declared to be read and described, not to be used")]

use std::sync::OnceLock;

use super::*;
use crate::{Describe, Failure, Filters, Items, List, Pairs, RequestId};
use frontdesk_kernel::{Id, Text};
use futures_util::FutureExt;
use http::Method;
use serde_json::{Value, json};
use uuid::Uuid;

enum Tag {}

crate::input! {
    struct NewThing {
        name: Text<9>,
        tags: Option<Items<Text<3>, 2>>,
    }
}

crate::filters! {
    struct Shown {
        all: Option<bool>,
    }
}

async fn nothing() -> Result<Data<bool>> {
    Ok(Data(true))
}

async fn everything(
    Path((first, second)): Path<(Id<Tag>, Id<Tag>)>,
    Query(shown): Query<Shown>,
    Body(body): Body<NewThing>,
) -> Result<Data<Vec<String>>> {
    Ok(Data(vec![first.to_string(), second.to_string(), format!("{:?}", shown.all), body.name.into_string()]))
}

async fn perhaps(body: Option<Body<NewThing>>) -> Result<Data<bool>> {
    Ok(Data(body.is_some()))
}

async fn one(Path(id): Path<Id<Tag>>) -> Result<Data<Deleted>> {
    Ok(Data(Deleted::new(id)))
}

async fn refused(Path(word): Path<String>) -> Result<List<String>> {
    Err(Failure::conflict(word))
}

const ID: &str = "01890000-0000-7000-8000-000000000001";

fn request(params: &[&str], query: &str, body: &'static str) -> Request<()> {
    Request {
        method: Method::POST,
        path: "/".into(),
        query: query.into(),
        params: params.iter().map(|value| (*value).to_owned()).collect(),
        body: body.into(),
        request_id: RequestId::from_uuid(Uuid::nil()),
        account: Uuid::nil(),
        cursor_key: [0; 32],
        route_path: "/",
        caller: (),
        ignored: OnceLock::new(),
    }
}

fn call<A>(endpoint: impl Endpoint<(), A>, request: &Request<()>) -> (u16, Value) {
    let answered = Handler::new(endpoint).call(request, StatusCode::CREATED).now_or_never().unwrap();
    let reply = answered.unwrap_or_else(|failure| failure.render(&request.request_id));
    (reply.status.as_u16(), serde_json::from_slice(&reply.body).unwrap())
}

#[test]
fn arguments_come_from_path_query_and_body() {
    assert_eq!(call(nothing, &request(&[], "", "")), (201, json!({ "data": true })));
    let response = call(everything, &request(&[ID, ID], "all=true", r#"{"name": "Ann", "name": "Bob"}"#));
    assert_eq!(response, (201, json!({ "data": [ID, ID, "Some(true)", "Bob"] })));
    let gone = call(one, &request(&[ID], "", ""));
    assert_eq!(gone, (201, json!({ "data": { "id": ID, "deleted": true } })));
    assert_eq!(call(refused, &request(&["x"], "", "")).0, 409);
}

#[test]
fn a_malformed_id_in_the_path_is_not_found() {
    let (status, body) = call(one, &request(&["7"], "", ""));
    assert_eq!((status, &body["error"]["code"]), (404, &json!("not_found")));
    assert_eq!(call(everything, &request(&[ID, "x"], "", "")).0, 404);
}

#[test]
fn a_body_that_is_no_json_is_told_where() {
    let (status, body) = call(perhaps, &request(&[], "", "{\n  \"name\": Ann\n}"));
    assert_eq!((status, &body["error"]["code"]), (400, &json!("bad_request")));
    assert!(body["error"]["message"].as_str().unwrap().contains("line 2 column 11"), "{body}");
}

#[test]
fn a_body_that_is_no_object_is_wrong_at_the_empty_path() {
    for wrong in ["[]", "null", "7", "\"x\""] {
        let (_, body) = call(perhaps, &request(&[], "", wrong));
        assert_eq!(body["error"]["code"], "validation_error");
        assert_eq!(body["error"]["details"], json!([{ "path": "", "message": "must be a JSON object" }]));
    }
}

#[test]
fn only_an_optional_body_may_be_empty() {
    assert_eq!(call(perhaps, &request(&[], "", " \n")), (201, json!({ "data": false })));
    assert_eq!(call(perhaps, &request(&[], "", "{\"name\":\"x\"}")), (201, json!({ "data": true })));
    let (status, body) = call(everything, &request(&[ID, ID], "", ""));
    assert_eq!((status, &body["error"]["code"]), (400, &json!("bad_request")));
}

#[test]
fn the_signature_describes_the_operation() {
    let mut operation = Operation::default();
    Handler::<()>::new(everything).describe(&mut operation);
    assert_eq!(operation.path.len(), 2);
    assert_eq!(operation.query, Shown::parameters(&mut crate::Components::new()));
    let payload = operation.payload.unwrap();
    assert_eq!(payload.schema, json!({ "$ref": "#/components/schemas/NewThing" }));
    assert!(!payload.optional);
    let data = <Vec<String> as Describe>::schema(&mut operation.components);
    assert_eq!(operation.response.unwrap()["properties"]["data"], data);
    assert!(Shown::read(&Pairs::parse("all=x")).is_err());
}

#[test]
fn data_bytes_are_what_data_sends() {
    assert_eq!(data_bytes(&7), Data(7_i64).reply(StatusCode::OK).body);
}
