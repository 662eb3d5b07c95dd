use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

fn order_shipped() -> Layout {
    let components = json!([
        {"type": "HEADER", "format": "TEXT", "text": "Order {{1}}"},
        {"type": "BODY", "text": "Hi {{1}}, your {{2}} is on its way, {{1}}."},
        {"type": "FOOTER", "text": "Not {{1}}"},
        {"type": "BUTTONS", "buttons": [
            {"type": "QUICK_REPLY", "text": "Thanks"},
            {"type": "URL", "text": "Track", "url": "https://shop.example/track/{{1}}"},
            {"type": "URL", "text": "Shop", "url": "https://shop.example"},
            {"type": "COPY_CODE", "text": "Copy"},
            {"type": "PHONE_NUMBER", "text": "Call", "phone_number": "+16505551234"},
        ]},
    ]);
    Layout::read(&components, false)
}

fn fill(body: &[&str]) -> TemplateFill {
    TemplateFill {
        body_params: body.iter().map(|&text| text.to_owned()).collect(),
        ..TemplateFill::default()
    }
}

fn order_filled() -> TemplateFill {
    TemplateFill {
        header_text: Some("A-17".to_owned()),
        button_params: BTreeMap::from([(1, "A-17".to_owned()), (3, "X25".to_owned())]),
        ..fill(&["Ann", "kettle"])
    }
}

fn media_header(format: &str) -> Layout {
    Layout::read(&json!([{"type": "HEADER", "format": format}, {"type": "BODY", "text": "Look"}]), false)
}

fn paths(result: Result<Composed, Vec<Mismatch>>) -> Vec<String> {
    result.unwrap_err().into_iter().map(|mismatch| mismatch.path).collect()
}

#[test]
fn a_complete_fill_is_composed_and_reads_back_from_its_json() {
    let composed = order_shipped().compose(&order_filled()).unwrap();
    let kept = json!({
        "header": {"type": "text", "text": "A-17"},
        "body": [{"text": "Ann"}, {"text": "kettle"}],
        "buttons": [
            {"index": 1, "kind": "url", "value": "A-17"},
            {"index": 3, "kind": "copy_code", "value": "X25"},
        ],
        "text": "Hi Ann, your kettle is on its way, Ann.",
    });
    assert_eq!(serde_json::to_value(&composed).unwrap(), kept);
    assert_eq!(serde_json::from_value::<Composed>(kept).unwrap(), composed);
}

#[test]
fn every_mismatch_is_told_at_once() {
    let wrong = TemplateFill {
        header_text: Some(" ".to_owned()),
        header_media_url: Some("https://a.example/b.png".to_owned()),
        button_params: BTreeMap::from([(0, "x".to_owned()), (1, String::new()), (9, "y".to_owned())]),
        ..fill(&["\t"])
    };
    assert_eq!(
        paths(order_shipped().compose(&wrong)),
        [
            "header_media_url",
            "header_text",
            "body_params.0",
            "body_params.1",
            "button_params.0",
            "button_params.9",
            "button_params.1",
            "button_params.3",
        ]
    );
}

#[test]
fn a_missing_parameter_is_told_by_its_placeholder() {
    let layout = Layout::read(&json!([{"type": "BODY", "text": "{{first_name}} and {{ last_name }}"}]), true);
    assert_eq!(layout.placeholders(), ["first_name", "last_name"]);
    assert_eq!(
        layout.compose(&fill(&["Ann"])).unwrap_err(),
        [Mismatch {
            path: "body_params.1".to_owned(),
            message: "the body's {{last_name}} needs a value".to_owned()
        }]
    );
    let composed = layout.compose(&fill(&["Ann", "Lee"])).unwrap();
    assert_eq!(
        composed.body[1],
        ComposedParameter { name: Some("last_name".to_owned()), text: "Lee".to_owned() }
    );
}

#[test]
fn a_parameter_too_many_is_told() {
    assert_eq!(paths(media_header("TEXT").compose(&fill(&["a", ""]))), ["body_params"]);
}

#[test]
fn a_header_takes_what_its_format_says() {
    let with_media = TemplateFill {
        header_media_url: Some("https://a.example/x/my%20file.pdf?v=1".to_owned()),
        ..TemplateFill::default()
    };
    let with_text = TemplateFill { header_text: Some("Hi".to_owned()), ..TemplateFill::default() };
    for format in ["IMAGE", "VIDEO", "DOCUMENT"] {
        let layout = media_header(format);
        assert!(layout.compose(&with_media).is_ok(), "{format}");
        assert_eq!(paths(layout.compose(&TemplateFill::default())), ["header_media_url"], "{format}");
        assert_eq!(paths(layout.compose(&with_text)), ["header_text", "header_media_url"], "{format}");
    }
    assert_eq!(paths(media_header("TEXT").compose(&with_text)), ["header_text"]);
    assert_eq!(paths(media_header("TEXT").compose(&with_media)), ["header_media_url"]);
}

#[test]
fn a_media_header_without_media_of_its_own_has_the_templates_example() {
    let link = "https://scontent.example/v/offer.pdf?ccb=1&oe=66A0B1C2&_nc_sid=8";
    let with = |handle: Value| {
        Layout::read(
            &json!([{"type": "HEADER", "format": "DOCUMENT", "example": {"header_handle": handle}}]),
            false,
        )
    };
    let composed = with(json!([link])).compose(&TemplateFill::default()).unwrap();
    assert_eq!(composed.media_url(), Some(link));
    assert_eq!(with(json!([link])).example_expires_at(), Some(0x66A0_B1C2));
    assert_eq!(with(json!(["https://a.example/b.pdf?oe=later"])).example_expires_at(), None);
    let own = TemplateFill {
        header_media_url: Some("https://a.example/mine.pdf".to_owned()),
        ..TemplateFill::default()
    };
    assert_eq!(with(json!([link])).compose(&own).unwrap().media_url(), Some("https://a.example/mine.pdf"));
    for none in [json!(["4::aW1hZ2U="]), json!([]), json!([7]), Value::Null] {
        assert_eq!(
            paths(with(none.clone()).compose(&TemplateFill::default())),
            ["header_media_url"],
            "{none}"
        );
    }
}

#[test]
fn a_document_is_named_by_its_address() {
    let header = |url: &str| {
        let fill = TemplateFill { header_media_url: Some(url.to_owned()), ..TemplateFill::default() };
        media_header("DOCUMENT").compose(&fill).unwrap().header
    };
    for (url, name) in [
        ("https://a.example/x/my%20file.pdf?v=1", Some("my file.pdf")),
        ("https://a.example/download", None),
        ("https://a.example", None),
        ("https://a.example/a%2Fb.pdf", None),
    ] {
        let filename = name.map(str::to_owned);
        assert_eq!(header(url), Some(ComposedHeader::Document { link: url.to_owned(), filename }), "{url}");
    }
}

#[test]
fn a_parameter_without_a_placeholder_is_reported_and_not_dropped() {
    for components in [
        json!([{"type": "HEADER", "format": "LOCATION"}]),
        json!([{"type": "CAROUSEL", "cards": []}]),
        json!([{"type": "BUTTONS", "buttons": [{"type": "MPM", "text": "See"}]}]),
    ] {
        let layout = Layout::read(&components, false);
        assert_eq!(paths(layout.compose(&TemplateFill::default())), ["name"], "{components}");
    }
}

#[test]
fn numbers_are_filled_by_their_value_wherever_they_stand() {
    let layout = Layout::read(&json!([{"type": "body", "text": "{{2}} for {{1}}, {{10}}"}]), false);
    assert_eq!(layout.placeholders(), ["1", "2", "10"]);
    assert_eq!(layout.text(&fill(&["Ann", "Tea", "soon"])), "Tea for Ann, soon");
}

#[test]
fn a_value_is_not_read_for_placeholders() {
    let layout = Layout::read(&json!([{"type": "BODY", "text": "{{1}} {{2}}"}]), false);
    assert_eq!(layout.text(&fill(&["{{2}}", "b"])), "{{2}} b");
    assert_eq!(layout.text(&fill(&["a"])), "a {{2}}", "what has no value stays");
}

#[test]
fn braces_without_a_key_are_text() {
    for text in ["{{}}", "{{ }}", "{{{", "a }} b", "{{a-b}}", "{{1", "{{é!}}"] {
        let layout = Layout::read(&json!([{"type": "BODY", "text": text}]), false);
        assert!(layout.placeholders().is_empty(), "{text}");
        assert_eq!(layout.text(&TemplateFill::default()), text);
    }
    let nested = Layout::read(&json!([{"type": "BODY", "text": "{{{1}}}"}]), false);
    assert_eq!(nested.text(&fill(&["a"])), "{a}");
}

#[test]
fn components_of_any_shape_are_a_layout() {
    for odd in
        [Value::Null, json!({}), json!([null, 1, {"type": 3}]), json!([{"type": "BUTTONS", "buttons": 4}])]
    {
        assert_eq!(
            Layout::read(&odd, true).compose(&TemplateFill::default()),
            Ok(Composed::default()),
            "{odd}"
        );
    }
}

proptest! {
    #[test]
    fn exactly_the_parameters_that_are_asked_for_always_fit(
        body in "([a-z ]{0,4}(\\{\\{[1-9a-z_]{1,2}\\}\\})?){0,6}",
        header in "([a-z ]{0,4}(\\{\\{[1-9a-z_]{1,2}\\}\\})?){0,2}",
        url in "https://e\\.example/(\\{\\{1\\}\\})?",
        named in any::<bool>(),
        value in "[^ \t\r\n]{1,5}[{}a-z0-9]{1,5}",
    ) {
        let layout = Layout::read(&json!([
            {"type": "HEADER", "format": "TEXT", "text": &header},
            {"type": "BODY", "text": &body},
            {"type": "BUTTONS", "buttons": [{"type": "URL", "url": &url}, {"type": "COPY_CODE"}]},
        ]), named);
        let wanted = layout.placeholders();
        let mut fill = TemplateFill {
            body_params: vec![value.clone(); wanted.len()],
            button_params: BTreeMap::from([(1, value.clone())]),
            ..TemplateFill::default()
        };
        if url.ends_with("}}") {
            fill.button_params.insert(0, value.clone());
        }
        if !matches!(layout.header, layout::Header::Fixed) {
            fill.header_text = Some(value.clone());
        }
        let composed = layout.compose(&fill);
        prop_assert!(composed.is_ok(), "{:?}", composed);
        prop_assert_eq!(composed.unwrap().body.len(), wanted.len());
    }

    #[test]
    fn text_without_values_is_what_was_written(text in "[a-z{} ]{0,30}") {
        let layout = Layout::read(&json!([{"type": "BODY", "text": &text}]), false);
        let without_spaces = |text: &str| text.replace(' ', "");
        prop_assert_eq!(without_spaces(&layout.text(&TemplateFill::default())), without_spaces(&text));
    }
}

#[test]
fn a_value_with_line_breaks_tabs_or_many_spaces_is_reported_by_name() {
    for text in ["two\nlines", "a\ttab", "five     spaces"] {
        let wrong = TemplateFill { body_params: vec![text.into(), "kettle".into()], ..order_filled() };
        assert_eq!(paths(order_shipped().compose(&wrong)), ["body_params.0"], "{text:?}");
    }
    let fine = TemplateFill { body_params: vec!["four    spaces".into(), "kettle".into()], ..order_filled() };
    assert!(order_shipped().compose(&fine).is_ok());
}
