//! Submissions of forms that nobody wrote.

use frontdesk_fuzz::Target;

use super::submission::{Encoding, Submission};
use super::typed::FormValues;

const WORDS: [&str; 16] = [
    "name",
    "email",
    "phone",
    "message",
    "country",
    "_gotcha",
    "_redirect",
    "source_url",
    "fields",
    "&",
    "=",
    "%00",
    "+49 30 1234567",
    "javascript:alert(1)",
    "https://x.example/",
    "DE",
];

#[test]
fn fuzzed_submissions_are_inquiries_or_refused() {
    let examples = [
        "name=Ann&email=ann%40example.com&phone=%2B14155550123&message=Hello&size=large&size=small&_redirect=https%3A%2F%2Fx.example%2F",
        "NAME=Ann&country=Germany&phone=030+123456&_gotcha=",
        r#"{"name":"Ann","email":"ann@example.com","fields":{"size":["a","b"],"n":1,"deep":{"x":[null]}},"country":"DE"}"#,
    ];
    Target::new("form").examples(examples).words(WORDS).run(|bytes| {
        let mut outcomes = Vec::new();
        for encoding in [Encoding::Form, Encoding::Json] {
            let read = Submission::read(encoding, bytes);
            let inquiry =
                read.as_ref().map(|submission| submission.inquiry(None, Some("https://x.example/a"), None));
            let inquiry = inquiry.map(|inquiry| inquiry.is_ok());
            outcomes.push(inquiry.ok());
        }
        let typed = FormValues::read(bytes, Some("https://x.example/a"));
        outcomes.push(typed.ok().map(|typed| typed.is_hosted()));
        outcomes
    });
}

#[test]
fn fuzzed_content_types_name_an_encoding_or_none() {
    let examples = [
        "application/json; charset=utf-8",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
    ];
    Target::new("content-type").examples(examples).words([";", "/", " "]).bytes_max(4 << 10).run(|bytes| {
        let text = std::str::from_utf8(bytes).ok();
        Encoding::of(text).ok() == Some(Encoding::Json)
    });
}
