//! Reports, preferences, templates, and what is none of them.

use super::*;
use crate::call::Class;
use crate::incoming::{Report, ReportStatus};

fn reports(status: Value) -> Vec<Incoming> {
    received(&webhook("messages", value("statuses", json!([status]))))
}

#[test]
fn a_report_brings_our_own_id_back() {
    for (word, status) in [
        ("sent", ReportStatus::Sent),
        ("delivered", ReportStatus::Delivered),
        ("read", ReportStatus::Read),
        ("played", ReportStatus::Read),
    ] {
        let told = reports(json!({
            "id": "wamid.9", "status": word, "timestamp": AT_SECONDS, "recipient_id": "16505551234",
            "biz_opaque_callback_data": "m_1", "pricing": {"billable": true},
        }));
        let report = Report {
            channel_message_id: "wamid.9".to_owned(),
            our_id: Some("m_1".to_owned()),
            status,
            at: AT,
            error: None,
        };
        assert_eq!(told, [Incoming::Report(report)], "{word}");
    }
    assert_eq!(reports(json!({"id": "wamid.9", "status": "warmed_up", "timestamp": AT_SECONDS})), []);
}

#[test]
fn a_failure_says_why() {
    let failed = |errors: Value| {
        let status = json!({"id": "wamid.9", "status": "failed", "timestamp": AT_SECONDS, "errors": errors});
        match reports(status).as_slice() {
            [Incoming::Report(report)] => {
                assert_eq!(report.status, ReportStatus::Failed);
                report.error.clone()
            }
            other => panic!("{other:?}"),
        }
    };
    let told = failed(json!([{
        "code": 131_047, "title": "Re-engagement message", "message": "Re-engagement message",
        "error_data": {"details": "More than 24 hours have passed"},
    }]));
    assert_eq!(
        told,
        Some(Refusal {
            class: Class::OutsideWindow,
            code: "131047".to_owned(),
            reason: "outside_window",
            message: "More than 24 hours have passed".to_owned(),
            retry_after: None,
        })
    );
    let unknown = failed(json!([{"code": 999_999, "title": "New"}])).unwrap();
    assert_eq!((unknown.class, unknown.message.as_str()), (Class::Request, "New"));
    assert_eq!(failed(json!([])), None);
}

#[test]
fn opt_outs_at_the_channel_are_reported() {
    let preference = |word: &str| {
        let item = json!({
            "wa_id": "16505551234", "detail": "…", "category": "marketing_messages", "value": word,
            "timestamp": 1_700_000_000,
        });
        received(&webhook("user_preferences", value("user_preferences", json!([item]))))
    };
    assert_eq!(preference("stop"), [Incoming::Preference { person: ann(), stop: true, at: AT }]);
    assert_eq!(preference("resume"), [Incoming::Preference { person: ann(), stop: false, at: AT }]);
    assert_eq!(preference("ponder"), []);
}

#[test]
fn a_template_s_new_status_is_told_in_our_five_words() {
    let changed = |event: &str| {
        received(&webhook(
            "message_template_status_update",
            json!({
                "event": event, "message_template_id": 12, "message_template_name": "order_shipped",
                "message_template_language": "en_US", "reason": "NONE",
            }),
        ))
    };
    for (event, status) in [
        ("APPROVED", "APPROVED"),
        ("REINSTATED", "APPROVED"),
        ("FLAGGED", "APPROVED"),
        ("PENDING", "PENDING"),
        ("IN_APPEAL", "PENDING"),
        ("REJECTED", "REJECTED"),
        ("PAUSED", "PAUSED"),
        ("LOCKED", "PAUSED"),
        ("DISABLED", "DISABLED"),
        ("PENDING_DELETION", "DISABLED"),
        ("DELETED", "DISABLED"),
        ("ARCHIVED", "DISABLED"),
    ] {
        let (name, language) = ("order_shipped".to_owned(), "en_US".to_owned());
        let told = Incoming::TemplateChanged { name, language, status: status.to_owned() };
        assert_eq!(changed(event), [told], "{event}");
    }
    assert_eq!(changed("LIMIT_EXCEEDED"), []);
}

#[test]
fn another_account_s_templates_are_left_out() {
    let mut hook = webhook(
        "message_template_status_update",
        json!({"event": "PAUSED", "message_template_name": "t", "message_template_language": "en"}),
    );
    hook["entry"][0]["id"] = json!("999");
    assert_eq!(received(&hook), []);
}

#[test]
fn unknown_items_are_left_out() {
    for hook in [
        webhook("account_update", json!({"event": "VERIFIED_ACCOUNT"})),
        webhook("phone_number_quality_update", json!({"event": "ONBOARDING"})),
        webhook(
            "messages",
            json!({"metadata": {"phone_number_id": "106540352242922"}, "errors": [{"code": 1}]}),
        ),
        webhook("messages", json!("odd")),
        json!({"entry": {}}),
        json!([]),
        json!("text"),
        Value::Null,
    ] {
        assert_eq!(received(&hook), [], "{hook}");
    }
}

#[test]
fn a_body_that_is_not_json_is_unreadable() {
    assert!(whatsapp().receive(b"<html>").is_err());
    assert!(whatsapp().receive(b"").is_err());
}
