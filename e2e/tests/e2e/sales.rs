//! Pipelines, deals and inquiries for tests, and what was told about them.

use frontdesk_e2e::Client;
use serde_json::{Value, json};

use crate::people::walk;
use crate::shapes::text;

/// A pipeline that was made.
#[derive(Clone, Debug)]
pub(crate) struct Pipeline {
    pub(crate) id: String,
    /// `/pipelines/ID`
    pub(crate) path: String,
    /// The ids of its stages, in their order.
    pub(crate) stages: Vec<String>,
}

impl Pipeline {
    /// Reads one from what the API returned.
    #[track_caller]
    pub(crate) fn of(data: &Value) -> Self {
        let id = text(&data["id"]).to_owned();
        let stages = data["stages"].as_array().expect("stages");
        let stages = stages.iter().map(|stage| text(&stage["id"]).to_owned()).collect();
        Self { path: format!("/pipelines/{id}"), id, stages }
    }

    /// `/pipelines/ID/stages/ID`
    pub(crate) fn stage_path(&self, number: usize) -> String {
        format!("{}/stages/{}", self.path, self.stages[number])
    }
}

/// Makes a pipeline with the usual stages.
#[track_caller]
pub(crate) fn pipeline(client: &Client) -> Pipeline {
    Pipeline::of(client.post("/pipelines", json!({ "name": "Partners" })).expect(201).data())
}

/// The pipeline that the account began with.
#[track_caller]
pub(crate) fn first_pipeline(client: &Client) -> Pipeline {
    let rows = client.get("/pipelines").expect(200);
    Pipeline::of(rows.data().as_array().expect("a list").last().expect("a pipeline"))
}

/// Makes a deal and returns its path. A deal that is given no title gets one.
#[track_caller]
pub(crate) fn deal(client: &Client, mut body: Value) -> String {
    if body.get("title").is_none() {
        body["title"] = json!("Forty chairs");
    }
    format!("/deals/{}", client.post("/deals", body).expect(201).id())
}

/// Submits an inquiry and returns its path.
#[track_caller]
pub(crate) fn inquiry(client: &Client) -> String {
    let body = json!({ "name": "Ann", "email": "ann@example.com", "message": "Hello?" });
    format!("/inquiries/{}", client.post("/inquiries", body).expect(201).id())
}

/// What was told about a noun, oldest first, as type and data.
#[track_caller]
pub(crate) fn told_of(client: &Client, noun: &str) -> Vec<(String, Value)> {
    let rows = walk(client, "/events");
    let told = rows.iter().rev().map(|event| (text(&event["event_type"]).to_owned(), event["data"].clone()));
    told.filter(|(event, _)| event.split('.').next() == Some(noun)).collect()
}
