use serde_json::json;

use super::*;
use crate::model::{Body, Operation, PathParam, QueryParam, Response, Sample, Shape};
use crate::name::Name;

fn operation() -> Operation {
    Operation {
        id: "moveDeal".into(),
        resource: Name::parse("deals"),
        name: Name::parse("move"),
        summary: "Move a deal".into(),
        notes: String::new(),
        method: "POST".into(),
        path: "/api/v1/deals/{id}/move".into(),
        path_params: vec![PathParam {
            placeholder: "id".into(),
            name: Name::parse("deal_id"),
            shape: Shape::Id,
        }],
        query: Vec::new(),
        body: Some(Body::Json { type_name: "MoveDeal".into(), required: true }),
        response: Response::Data(Shape::Named("Deal".into())),
        status: 200,
        units: 1,
        scope: Some("deals:write".into()),
        idempotent: false,
        sample: Sample {
            path: vec![json!("$deal_id")],
            query: Vec::new(),
            body: Some(json!({ "stage_id": "$stage_id" })),
        },
    }
}

#[test]
fn a_sample_names_what_it_gets_and_what_it_needs() {
    assert_eq!(sample(&operation()), "const deal = await client.deals.move(dealId, { stage_id: stageId });");
    let list = Operation {
        name: Name::parse("list"),
        path_params: Vec::new(),
        query: vec![QueryParam { key: "q".into(), docs: String::new(), shape: Shape::Text, required: false }],
        method: "GET".into(),
        body: None,
        response: Response::List { item: Shape::Named("Deal".into()), paginated: true },
        sample: Sample { query: vec![("q".into(), json!("chairs"))], ..Sample::default() },
        ..operation()
    };
    assert_eq!(
        sample(&list),
        "for await (const deal of client.deals.list({ q: \"chairs\" })) {\n  console.log(deal);\n}"
    );
}

#[test]
fn a_long_sample_is_broken_into_lines() {
    let words = "word ".repeat(20);
    let long = Operation {
        sample: Sample { body: Some(json!({ "a": words.trim(), "b-c": [1, null] })), ..Sample::default() },
        path_params: Vec::new(),
        ..operation()
    };
    let expected = format!(
        "const deal = await client.deals.move({{\n  a: {:?},\n  \"b-c\": [1, null],\n}});",
        words.trim()
    );
    assert_eq!(sample(&long), expected);
}

#[test]
fn an_end_of_a_comment_inside_a_text_does_not_end_it() {
    assert_eq!(layout::comment("a */ b", "").matches("*/").count(), 1);
}
