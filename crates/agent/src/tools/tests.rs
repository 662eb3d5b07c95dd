use std::collections::HashSet;

use frontdesk_crm::contacts::ContactId;
use frontdesk_inbox::conversations::ConversationId;
use uuid::Uuid;

use super::*;

const OWN: u128 = 7;
const OTHER: &str = "00000000-0000-0000-0000-000000000008";

fn binding(is_confined: bool) -> Binding {
    Binding {
        contact: Some(ContactId::from_uuid(Uuid::from_u128(OWN))),
        conversation: Some(ConversationId::from_uuid(Uuid::from_u128(OWN))),
        is_confined,
    }
}

fn plan(tool: &str, arguments: Value, binding: &Binding) -> Result<Planned, Refused> {
    let Value::Object(arguments) = arguments else { panic!("arguments are an object") };
    match find(tool).expect("the tool exists").work {
        Work::Call(plan) => plan(&arguments, binding),
        _ => panic!("{tool} calls no operation"),
    }
}

#[test]
fn the_catalogue_has_the_tools_that_are_promised() {
    const PROMISED: &str = "search_contacts get_contact update_contact add_tag remove_tag add_note list_conversations read_messages \
        send_message send_template list_templates search_deals create_deal update_deal move_deal close_deal create_inquiry_note \
        set_conversation_status assign_conversation hand_off remember recall forget ask_human delegate schedule_follow_up \
        start_broadcast opt_out_contact delete_deal";
    let promised: HashSet<&str> = PROMISED.split_whitespace().collect();
    let listed: HashSet<&str> = all().iter().map(|tool| tool.id).collect();
    assert_eq!(listed, promised);
    assert_eq!(all().len(), promised.len(), "an id is used twice");
    let critical: HashSet<&str> = all().iter().filter(|tool| tool.critical).map(|tool| tool.id).collect();
    assert_eq!(critical, HashSet::from(["start_broadcast", "opt_out_contact", "delete_deal"]));
    assert!(all().iter().all(|tool| !(tool.critical && tool.default_enabled)));
}

#[test]
fn every_schema_uses_only_keywords_that_are_checked() {
    fn walk(schema: &Value, tool: &str) {
        for (keyword, value) in schema.as_object().expect("a schema is an object") {
            assert!(schema::KEYWORDS.contains(&keyword.as_str()), "{tool} uses {keyword}");
            match keyword.as_str() {
                "properties" => value.as_object().unwrap().values().for_each(|field| walk(field, tool)),
                "items" => walk(value, tool),
                "additionalProperties" if value.is_object() => walk(value, tool),
                _ => {}
            }
        }
    }
    for tool in all() {
        let parameters = tool.parameters();
        walk(&parameters, tool.id);
        for required in tool.required {
            assert!(parameters["properties"][*required].is_object(), "{} of {}", required, tool.id);
        }
    }
}

#[test]
fn a_confined_run_reaches_nobody_else() {
    let confined = binding(true);
    for (tool, arguments) in [
        ("get_contact", json!({ "contact_id": OTHER })),
        ("update_contact", json!({ "contact_id": OTHER, "name": "x" })),
        ("update_contact", json!({ "phone": "+14155550199" })),
        ("add_tag", json!({ "contact_id": OTHER, "tag": "vip" })),
        ("remove_tag", json!({ "contact_id": OTHER, "tag": "vip" })),
        ("add_note", json!({ "contact_id": OTHER, "body": "x" })),
        ("opt_out_contact", json!({ "contact_id": OTHER })),
        ("list_conversations", json!({ "contact_id": OTHER })),
        ("send_message", json!({ "conversation_id": OTHER, "text": "x" })),
        ("send_message", json!({ "phone": "+14155550199", "text": "x" })),
        ("send_template", json!({ "phone": "+14155550199", "template": "x" })),
        ("set_conversation_status", json!({ "conversation_id": OTHER, "status": "closed" })),
        ("assign_conversation", json!({ "conversation_id": OTHER, "user_id": OTHER })),
        ("search_deals", json!({ "contact_id": OTHER })),
        ("create_deal", json!({ "contact_id": OTHER, "title": "x" })),
        ("remember", json!({ "contact_id": OTHER, "content": "x" })),
        ("remember", json!({ "about": "account", "content": "x" })),
        ("recall", json!({ "contact_id": OTHER, "q": "x" })),
    ] {
        assert!(plan(tool, arguments.clone(), &confined).is_err(), "{tool} {arguments}");
    }
    // A record that is named by its own id is looked up first.
    for (tool, arguments) in [
        ("update_deal", json!({ "deal_id": OTHER, "title": "x" })),
        ("move_deal", json!({ "deal_id": OTHER, "stage_id": OTHER })),
        ("close_deal", json!({ "deal_id": OTHER, "outcome": "won" })),
        ("delete_deal", json!({ "deal_id": OTHER })),
        ("create_inquiry_note", json!({ "inquiry_id": OTHER, "body": "x" })),
        ("forget", json!({ "memory_id": OTHER })),
        ("read_messages", json!({ "conversation_id": OTHER })),
    ] {
        let planned = plan(tool, arguments.clone(), &confined).expect(tool);
        assert!(planned.owned.is_some(), "{tool} {arguments}");
    }
}

#[test]
fn a_confined_run_without_a_conversation_reaches_those_of_its_contact() {
    let bound = Binding { conversation: None, ..binding(true) };
    let own = ContactId::from_uuid(Uuid::from_u128(OWN));
    for (tool, arguments) in [
        ("read_messages", json!({ "conversation_id": OTHER })),
        ("send_message", json!({ "conversation_id": OTHER, "text": "x" })),
        ("send_message", json!({ "phone": "+14155550199", "text": "x" })),
        ("send_template", json!({ "conversation_id": OTHER, "template": "x" })),
        ("send_template", json!({ "phone": "+14155550199", "template": "x" })),
        ("set_conversation_status", json!({ "conversation_id": OTHER, "status": "closed" })),
        ("assign_conversation", json!({ "conversation_id": OTHER, "user_id": OTHER })),
    ] {
        let planned = plan(tool, arguments.clone(), &bound).expect(tool);
        assert_eq!(planned.owned.map(|(_, contact)| contact), Some(own), "{tool} {arguments}");
    }
    assert!(plan("send_message", json!({ "text": "x" }), &bound).is_err());
}

#[test]
fn a_confined_run_without_a_contact_reaches_nobody() {
    let nobody = Binding { contact: None, conversation: None, is_confined: true };
    for (tool, arguments) in [
        ("get_contact", json!({ "contact_id": OTHER })),
        ("update_contact", json!({ "contact_id": OTHER, "name": "x" })),
        ("list_conversations", json!({})),
        ("read_messages", json!({ "conversation_id": OTHER })),
        ("send_message", json!({ "conversation_id": OTHER, "text": "x" })),
        ("send_message", json!({ "phone": "+14155550199", "text": "x" })),
        ("search_deals", json!({})),
        ("create_deal", json!({ "contact_id": OTHER, "title": "x" })),
        ("update_deal", json!({ "deal_id": OTHER, "title": "x" })),
        ("create_inquiry_note", json!({ "inquiry_id": OTHER, "body": "x" })),
        ("remember", json!({ "content": "x" })),
        ("recall", json!({ "q": "x" })),
        ("forget", json!({ "memory_id": OTHER })),
    ] {
        assert!(plan(tool, arguments.clone(), &nobody).is_err(), "{tool} {arguments}");
    }
}

#[test]
fn only_tools_that_reach_contacts_can_be_unconfined() {
    let others: Vec<&str> =
        all().iter().filter(|tool| !tool.can_be_unconfined()).map(|tool| tool.id).collect();
    assert_eq!(others, ["list_templates", "hand_off", "ask_human", "delegate", "schedule_follow_up"]);
    assert!("send_message".parse::<ConfinedToolName>().is_ok());
    assert!("hand_off".parse::<ConfinedToolName>().is_err() && "fly".parse::<ConfinedToolName>().is_err());
}

#[test]
fn every_tool_that_calls_an_operation_is_judged_by_the_test_above_or_is_wide() {
    let judged = "get_contact update_contact add_tag remove_tag add_note opt_out_contact list_conversations send_message send_template \
        set_conversation_status assign_conversation search_deals create_deal remember recall update_deal move_deal close_deal \
        delete_deal create_inquiry_note forget read_messages list_templates";
    for tool in all() {
        if matches!(tool.work, Work::Call(_)) && tool.reach != Reach::Account {
            assert!(judged.split_whitespace().any(|name| name == tool.id), "{} is not judged", tool.id);
        }
    }
}

#[test]
fn ids_that_are_left_out_are_the_runs_own() {
    let own = Uuid::from_u128(OWN).to_string();
    for is_confined in [true, false] {
        let bound = binding(is_confined);
        assert_eq!(plan("get_contact", json!({}), &bound).unwrap().params, [own.as_str()]);
        let sent = plan("send_message", json!({ "text": "Hi" }), &bound).unwrap();
        assert_eq!(sent.body.unwrap()["to"], json!({ "conversation_id": own }));
    }
    let unbound = Binding { contact: None, conversation: None, is_confined: false };
    let refused = plan("get_contact", json!({}), &unbound).unwrap_err();
    assert!(refused.0.contains("contact_id is required"), "{refused:?}");
    assert_eq!(plan("get_contact", json!({ "contact_id": OTHER }), &unbound).unwrap().params, [OTHER]);
}

#[test]
fn an_approval_needs_the_scope_of_the_tools_operation() {
    let crates = [frontdesk_crm::routes(&[]), frontdesk_inbox::routes(), crate::routes()];
    let routes: Vec<_> = crates.into_iter().flatten().collect();
    let scope = |operation: &str| {
        let route = routes.iter().find(|route| route.name == operation);
        route.unwrap_or_else(|| panic!("{operation} is no operation")).scope
    };
    let ids = json!({
        "contact_id": OTHER, "conversation_id": OTHER, "deal_id": OTHER, "inquiry_id": OTHER, "memory_id": OTHER,
        "user_id": OTHER, "segment_id": OTHER, "stage_id": OTHER, "name": "x", "title": "x", "body": "x", "q": "x", "tag": "x",
        "text": "x", "template": "x", "status": "open", "outcome": "won", "content": "x",
    });
    for tool in all() {
        let expected = match tool.work {
            // The routes of broadcasts belong to another crate.
            Work::Call(_) if tool.id == "start_broadcast" => Some(frontdesk_kernel::Scope::BroadcastsSend),
            Work::Call(_) => {
                let planned = plan(tool.id, ids.clone(), &binding(false));
                scope(planned.expect(tool.id).operation)
            }
            Work::HandOff => scope("handOverConversation"),
            Work::Delegate | Work::FollowUp => scope("startRun"),
            Work::AskHuman => None,
        };
        assert_eq!(tool.scope(), expected, "{}", tool.id);
    }
}
