"""A call of every operation, as the documentation shows it.

Written by `make sdk` from the routes of the API. Do not edit it.
"""

# ruff: noqa: F841
from __future__ import annotations

from collections.abc import Callable

from frontdesk import Frontdesk


def get_ai_usage(client: Frontdesk) -> None:
    ai_usage = client.ai.get_usage(from_="2026-01-01", to="2026-01-31")


def list_asks(client: Frontdesk) -> None:
    for ask in client.asks.list(status="pending"):
        print(ask)


def get_ask(client: Frontdesk, ask_id: str) -> None:
    ask = client.asks.get(ask_id)


def answer_ask(client: Frontdesk, ask_id: str) -> None:
    ask = client.asks.answer(ask_id, answer="Yes.")


def list_assistants(client: Frontdesk) -> None:
    for assistant in client.assistants.list():
        print(assistant)


def create_assistant(client: Frontdesk) -> None:
    assistant = client.assistants.create(
        name="Robin",
        system_prompt="You answer questions about opening hours.",
    )


def create_assistant_definition(client: Frontdesk) -> None:
    written_definition = client.assistants.create_definition(
        assistant={
            "name": "Robin",
            "system_prompt": "You answer questions about opening hours.",
        },
        instructions=[{"body": "Within 30 days.", "title": "Refunds"}],
    )


def try_new_assistant(client: Frontdesk) -> None:
    trial_reply = client.assistants.try_new(
        assistant={"name": "Robin", "system_prompt": "You sell oak tables."},
        messages=[{"from": "customer", "text": "Hello"}],
    )


def delete_assistant(client: Frontdesk, assistant_id: str) -> None:
    client.assistants.delete(assistant_id)


def get_assistant(client: Frontdesk, assistant_id: str) -> None:
    assistant = client.assistants.get(assistant_id)


def update_assistant(client: Frontdesk, assistant_id: str) -> None:
    assistant = client.assistants.update(assistant_id, temperature=0.2)


def get_assistant_definition(client: Frontdesk, assistant_id: str) -> None:
    definition = client.assistants.get_definition(assistant_id)


def replace_assistant_definition(client: Frontdesk, assistant_id: str) -> None:
    written_definition = client.assistants.replace_definition(
        assistant_id,
        definition={
            "assistant": {
                "name": "Robin",
                "system_prompt": "You answer questions about opening hours.",
            },
            "instructions": [{"body": "Within 30 days.", "title": "Refunds"}],
        },
    )


def list_assistant_instructions(client: Frontdesk, assistant_id: str) -> None:
    for instruction in client.assistants.list_instructions(assistant_id):
        print(instruction)


def set_assistant_instructions(client: Frontdesk, assistant_id: str, instruction_id: str) -> None:
    page = client.assistants.set_instructions(
        assistant_id,
        instruction_ids=[instruction_id],
    )


def list_assistant_tools(client: Frontdesk, assistant_id: str) -> None:
    for assistant_tool in client.assistants.list_tools(assistant_id):
        print(assistant_tool)


def set_assistant_tools(client: Frontdesk, assistant_id: str) -> None:
    page = client.assistants.set_tools(
        assistant_id,
        gated_tools=["add_tag"],
        tool_access={"add_tag": True},
    )


def list_bookings(client: Frontdesk) -> None:
    for booking in client.bookings.list():
        print(booking)


def list_broadcasts(client: Frontdesk) -> None:
    for broadcast in client.broadcasts.list():
        print(broadcast)


def create_broadcast(client: Frontdesk) -> None:
    broadcast = client.broadcasts.create(
        audience={"type": "all"},
        name="Opening",
        template={"name": "hello_world"},
    )


def get_broadcast(client: Frontdesk, broadcast_id: str) -> None:
    broadcast = client.broadcasts.get(broadcast_id)


def cancel_broadcast(client: Frontdesk, broadcast_id: str) -> None:
    broadcast = client.broadcasts.cancel(broadcast_id)


def list_broadcast_recipients(client: Frontdesk, broadcast_id: str) -> None:
    for broadcast_recipient in client.broadcasts.list_recipients(broadcast_id, status="failed"):
        print(broadcast_recipient)


def retry_broadcast(client: Frontdesk, broadcast_id: str) -> None:
    broadcast = client.broadcasts.retry(broadcast_id, include_unknown=False)


def schedule_broadcast(client: Frontdesk, broadcast_id: str) -> None:
    broadcast = client.broadcasts.schedule(
        broadcast_id,
        schedule_at="2999-01-01T09:00:00.000Z",
    )


def list_canned_replies(client: Frontdesk) -> None:
    for canned_reply in client.canned_replies.list():
        print(canned_reply)


def create_canned_reply(client: Frontdesk) -> None:
    canned_reply = client.canned_replies.create(
        body="Thank you, {{contact.name}}!",
        shortcut="thanks",
    )


def delete_canned_reply(client: Frontdesk, canned_reply_id: str) -> None:
    client.canned_replies.delete(canned_reply_id)


def update_canned_reply(client: Frontdesk, canned_reply_id: str) -> None:
    canned_reply = client.canned_replies.update(
        canned_reply_id,
        body="Thanks a lot, {{contact.name}}!",
    )


def list_channels(client: Frontdesk) -> None:
    for connection in client.channels.list():
        print(connection)


def list_contacts(client: Frontdesk) -> None:
    for contact in client.contacts.list(q="ann"):
        print(contact)


def create_contact(client: Frontdesk) -> None:
    contact = client.contacts.create(
        company="Acme",
        name="Ann Lee",
        phone="+14155550123",
    )


def change_contacts(client: Frontdesk, tag_id: str) -> None:
    bulk_job = client.contacts.change(add_tag_ids=[tag_id], filter={"q": "ann"})


def get_contacts_change(client: Frontdesk, bulk_id: str) -> None:
    bulk_job = client.contacts.get_change(bulk_id)


def delete_contact(client: Frontdesk, contact_id: str) -> None:
    client.contacts.delete(contact_id)


def get_contact(client: Frontdesk, contact_id: str) -> None:
    contact = client.contacts.get(contact_id)


def update_contact(client: Frontdesk, contact_id: str) -> None:
    contact = client.contacts.update(contact_id, company=None, name="Ann Smith")


def merge_contact(client: Frontdesk, contact_id: str, other_contact_id: str) -> None:
    contact = client.contacts.merge(contact_id, contact_id=other_contact_id)


def list_contact_notes(client: Frontdesk, contact_id: str) -> None:
    for note in client.contacts.list_notes(contact_id):
        print(note)


def create_contact_note(client: Frontdesk, contact_id: str) -> None:
    note = client.contacts.create_note(
        contact_id,
        body="Prefers to be called in the morning.",
    )


def opt_in_contact(client: Frontdesk, contact_id: str) -> None:
    opt_out = client.contacts.opt_in(contact_id)


def get_contact_opt_out(client: Frontdesk, contact_id: str) -> None:
    opt_out = client.contacts.get_opt_out(contact_id)


def opt_out_contact(client: Frontdesk, contact_id: str) -> None:
    opt_out = client.contacts.opt_out(contact_id)


def add_contact_tags(client: Frontdesk, contact_id: str, tag_id: str) -> None:
    contact = client.contacts.add_tags(contact_id, tag_ids=[tag_id])


def remove_contact_tag(client: Frontdesk, contact_id: str, tag_id: str) -> None:
    contact = client.contacts.remove_tag(contact_id, tag_id)


def list_conversations(client: Frontdesk) -> None:
    for conversation in client.conversations.list(status="open"):
        print(conversation)


def change_conversations(client: Frontdesk, conversation_id: str) -> None:
    bulk_job = client.conversations.change(ids=[conversation_id], status="pending")


def get_conversations_change(client: Frontdesk, bulk_id: str) -> None:
    bulk_job = client.conversations.get_change(bulk_id)


def get_conversation(client: Frontdesk, conversation_id: str) -> None:
    conversation = client.conversations.get(conversation_id)


def update_conversation(client: Frontdesk, conversation_id: str) -> None:
    conversation = client.conversations.update(
        conversation_id,
        assigned_user_id=None,
        status="pending",
    )


def hand_over_conversation(client: Frontdesk, conversation_id: str) -> None:
    conversation = client.conversations.hand_over(conversation_id, to="human")


def list_conversation_messages(client: Frontdesk, conversation_id: str) -> None:
    for message in client.conversations.list_messages(conversation_id):
        print(message)


def list_conversation_notes(client: Frontdesk, conversation_id: str) -> None:
    for note in client.conversations.list_notes(conversation_id):
        print(note)


def create_conversation_note(client: Frontdesk, conversation_id: str) -> None:
    note = client.conversations.create_note(
        conversation_id,
        body="Asked for a refund.",
    )


def mark_conversation_read(client: Frontdesk, conversation_id: str) -> None:
    conversation = client.conversations.mark_read(conversation_id)


def snooze_conversation(client: Frontdesk, conversation_id: str) -> None:
    conversation = client.conversations.snooze(
        conversation_id,
        until="2999-01-01T09:00:00.000Z",
    )


def mark_conversation_unread(client: Frontdesk, conversation_id: str) -> None:
    conversation = client.conversations.mark_unread(conversation_id)


def list_custom_fields(client: Frontdesk) -> None:
    for custom_field in client.custom_fields.list():
        print(custom_field)


def create_custom_field(client: Frontdesk) -> None:
    custom_field = client.custom_fields.create(
        name="Plan",
        options=["silver", "gold"],
        type="select",
    )


def delete_custom_field(client: Frontdesk, custom_field_id: str) -> None:
    client.custom_fields.delete(custom_field_id)


def update_custom_field(client: Frontdesk, custom_field_id: str) -> None:
    custom_field = client.custom_fields.update(
        custom_field_id,
        name="Plan of the customer",
    )


def list_deals(client: Frontdesk) -> None:
    for deal in client.deals.list(status="open"):
        print(deal)


def create_deal(client: Frontdesk) -> None:
    deal = client.deals.create(
        currency="EUR",
        title="Forty chairs",
        value=1200.5,
    )


def delete_deal(client: Frontdesk, deal_id: str) -> None:
    client.deals.delete(deal_id)


def get_deal(client: Frontdesk, deal_id: str) -> None:
    deal = client.deals.get(deal_id)


def update_deal(client: Frontdesk, deal_id: str) -> None:
    deal = client.deals.update(
        deal_id,
        expected_close_date="2026-02-28",
        value=1500,
    )


def close_deal(client: Frontdesk, deal_id: str) -> None:
    deal = client.deals.close(deal_id, outcome="won")


def move_deal(client: Frontdesk, deal_id: str, stage_id: str) -> None:
    deal = client.deals.move(deal_id, stage_id=stage_id)


def reopen_deal(client: Frontdesk, deal_id: str) -> None:
    deal = client.deals.reopen(deal_id)


def list_event_types(client: Frontdesk) -> None:
    for event_type_info in client.event_types.list():
        print(event_type_info)


def list_events(client: Frontdesk) -> None:
    for event in client.events.list(event_type="contact.created"):
        print(event)


def stream_events(client: Frontdesk, event_id: str) -> None:
    with client.events.stream(after=event_id) as events:
        print(next(events))


def list_inquiries(client: Frontdesk) -> None:
    for inquiry in client.inquiries.list():
        print(inquiry)


def create_inquiry(client: Frontdesk) -> None:
    inquiry = client.inquiries.create(
        fields={"size": "M"},
        message="Do you have it in blue?",
        name="Ann Lee",
    )


def get_inquiry(client: Frontdesk, inquiry_id: str) -> None:
    inquiry = client.inquiries.get(inquiry_id)


def update_inquiry(client: Frontdesk, inquiry_id: str) -> None:
    inquiry = client.inquiries.update(inquiry_id, status="spam")


def list_inquiry_notes(client: Frontdesk, inquiry_id: str) -> None:
    for note in client.inquiries.list_notes(inquiry_id):
        print(note)


def create_inquiry_note(client: Frontdesk, inquiry_id: str) -> None:
    note = client.inquiries.create_note(
        inquiry_id,
        body="Sent the price list.",
    )


def list_instructions(client: Frontdesk) -> None:
    for instruction in client.instructions.list():
        print(instruction)


def create_instruction(client: Frontdesk) -> None:
    instruction = client.instructions.create(body="Within 30 days.", title="Refunds")


def delete_instruction(client: Frontdesk, instruction_id: str) -> None:
    client.instructions.delete(instruction_id)


def get_instruction(client: Frontdesk, instruction_id: str) -> None:
    instruction = client.instructions.get(instruction_id)


def update_instruction(client: Frontdesk, instruction_id: str) -> None:
    instruction = client.instructions.update(instruction_id, title="Returns")


def get_me(client: Frontdesk) -> None:
    me = client.me.get()


def upload_media(client: Frontdesk) -> None:
    result = client.media.upload(b"Hello", filename="hello.txt")


def list_members(client: Frontdesk) -> None:
    for member in client.members.list():
        print(member)


def list_memories(client: Frontdesk) -> None:
    for memory in client.memories.list():
        print(memory)


def create_memory(client: Frontdesk) -> None:
    memory = client.memories.create(content="Open on Mondays.")


def delete_memory(client: Frontdesk, memory_id: str) -> None:
    client.memories.delete(memory_id)


def search_messages(client: Frontdesk) -> None:
    for message in client.messages.search(q="welcome"):
        print(message)


def send_message(client: Frontdesk) -> None:
    message = client.messages.send(
        template={"name": "hello_world"},
        to={"phone": "+14155550123"},
        type="template",
    )


def get_message(client: Frontdesk, message_id: str) -> None:
    message = client.messages.get(message_id)


def list_message_statuses(client: Frontdesk, message_id: str) -> None:
    for status_change in client.messages.list_statuses(message_id):
        print(status_change)


def list_pipelines(client: Frontdesk) -> None:
    for pipeline in client.pipelines.list():
        print(pipeline)


def create_pipeline(client: Frontdesk) -> None:
    pipeline = client.pipelines.create(
        name="Partners",
        stages=[
            {"name": "Contacted", "probability": 10},
            {"name": "Agreed", "probability": 80},
        ],
    )


def delete_pipeline(client: Frontdesk, pipeline_id: str) -> None:
    client.pipelines.delete(pipeline_id)


def get_pipeline(client: Frontdesk, pipeline_id: str) -> None:
    pipeline = client.pipelines.get(pipeline_id)


def update_pipeline(client: Frontdesk, pipeline_id: str) -> None:
    pipeline = client.pipelines.update(pipeline_id, name="Resellers")


def create_stage(client: Frontdesk, pipeline_id: str) -> None:
    stage = client.pipelines.create_stage(
        pipeline_id,
        name="Trial",
        probability=40,
    )


def delete_stage(client: Frontdesk, pipeline_id: str, stage_id: str) -> None:
    client.pipelines.delete_stage(pipeline_id, stage_id)


def update_stage(client: Frontdesk, pipeline_id: str, stage_id: str) -> None:
    stage = client.pipelines.update_stage(pipeline_id, stage_id, position=0)


def list_runs(client: Frontdesk) -> None:
    for run in client.runs.list(status="running"):
        print(run)


def start_run(client: Frontdesk, assistant_id: str) -> None:
    run = client.runs.start(assistant_id=assistant_id, goal="Say hello.")


def get_run(client: Frontdesk, run_id: str) -> None:
    run = client.runs.get(run_id)


def cancel_run(client: Frontdesk, run_id: str) -> None:
    run = client.runs.cancel(run_id)


def list_run_events(client: Frontdesk, run_id: str) -> None:
    for run_event in client.runs.list_events(run_id):
        print(run_event)


def list_segments(client: Frontdesk) -> None:
    for segment in client.segments.list():
        print(segment)


def create_segment(client: Frontdesk) -> None:
    segment = client.segments.create(
        match="all",
        name="At Acme",
        rules=[{"field": "company", "op": "is", "value": "Acme"}],
    )


def delete_segment(client: Frontdesk, segment_id: str) -> None:
    client.segments.delete(segment_id)


def get_segment(client: Frontdesk, segment_id: str) -> None:
    segment = client.segments.get(segment_id)


def update_segment(client: Frontdesk, segment_id: str) -> None:
    segment = client.segments.update(segment_id, match="any")


def list_tags(client: Frontdesk) -> None:
    for tag in client.tags.list():
        print(tag)


def create_tag(client: Frontdesk) -> None:
    tag = client.tags.create(color="#2563eb", name="vip")


def delete_tag(client: Frontdesk, tag_id: str) -> None:
    client.tags.delete(tag_id)


def update_tag(client: Frontdesk, tag_id: str) -> None:
    tag = client.tags.update(tag_id, color="#16a34a")


def list_templates(client: Frontdesk) -> None:
    for template in client.templates.list(status="APPROVED"):
        print(template)


def list_tools(client: Frontdesk) -> None:
    for tool in client.tools.list():
        print(tool)


def list_triggers(client: Frontdesk) -> None:
    for trigger in client.triggers.list():
        print(trigger)


def create_trigger(client: Frontdesk, assistant_id: str) -> None:
    issued_trigger = client.triggers.create(
        assistant_id=assistant_id,
        goal="Thank the customer.",
        kind="webhook",
        name="New order",
    )


def delete_trigger(client: Frontdesk, trigger_id: str) -> None:
    client.triggers.delete(trigger_id)


def get_trigger(client: Frontdesk, trigger_id: str) -> None:
    trigger = client.triggers.get(trigger_id)


def update_trigger(client: Frontdesk, trigger_id: str) -> None:
    trigger = client.triggers.update(trigger_id, max_targets=7, name="Order")


def list_trigger_calls(client: Frontdesk, trigger_id: str) -> None:
    for trigger_call in client.triggers.list_calls(trigger_id):
        print(trigger_call)


def preview_trigger(client: Frontdesk, trigger_id: str) -> None:
    trigger_preview = client.triggers.preview(trigger_id)


def run_trigger(client: Frontdesk, trigger_id: str) -> None:
    fired_trigger = client.triggers.run(trigger_id)


def rotate_trigger_token(client: Frontdesk, trigger_id: str) -> None:
    rotated_trigger = client.triggers.rotate_token(trigger_id)


def list_webhooks(client: Frontdesk) -> None:
    for webhook_endpoint in client.webhooks.list():
        print(webhook_endpoint)


def create_webhook(client: Frontdesk, webhook_url: str) -> None:
    webhook_endpoint = client.webhooks.create(
        event_types=["message.received", "deal.*"],
        url=webhook_url,
    )


def delete_webhook(client: Frontdesk, webhook_id: str) -> None:
    client.webhooks.delete(webhook_id)


def get_webhook(client: Frontdesk, webhook_id: str) -> None:
    webhook_endpoint = client.webhooks.get(webhook_id)


def update_webhook(client: Frontdesk, webhook_id: str) -> None:
    webhook_endpoint = client.webhooks.update(webhook_id, description="Our shop")


def list_deliveries(client: Frontdesk, webhook_id: str) -> None:
    for delivery in client.webhooks.list_deliveries(webhook_id):
        print(delivery)


def get_delivery(client: Frontdesk, webhook_id: str, delivery_id: str) -> None:
    delivery = client.webhooks.get_delivery(webhook_id, delivery_id)


def list_delivery_attempts(client: Frontdesk, webhook_id: str, delivery_id: str) -> None:
    for delivery_attempt in client.webhooks.list_delivery_attempts(webhook_id, delivery_id):
        print(delivery_attempt)


def retry_delivery(client: Frontdesk, webhook_id: str, delivery_id: str) -> None:
    delivery = client.webhooks.retry_delivery(webhook_id, delivery_id)


def replay_deliveries(client: Frontdesk, webhook_id: str) -> None:
    replay = client.webhooks.replay_deliveries(
        webhook_id,
        since="2026-01-31T12:00:00.000Z",
        status="all",
    )


def rotate_webhook_secret(client: Frontdesk, webhook_id: str) -> None:
    webhook_endpoint = client.webhooks.rotate_secret(webhook_id)


def test_webhook(client: Frontdesk, webhook_id: str) -> None:
    delivery = client.webhooks.test(webhook_id)


SAMPLES: dict[str, Callable[..., None]] = {
    "getAiUsage": get_ai_usage,
    "listAsks": list_asks,
    "getAsk": get_ask,
    "answerAsk": answer_ask,
    "listAssistants": list_assistants,
    "createAssistant": create_assistant,
    "createAssistantDefinition": create_assistant_definition,
    "tryNewAssistant": try_new_assistant,
    "deleteAssistant": delete_assistant,
    "getAssistant": get_assistant,
    "updateAssistant": update_assistant,
    "getAssistantDefinition": get_assistant_definition,
    "replaceAssistantDefinition": replace_assistant_definition,
    "listAssistantInstructions": list_assistant_instructions,
    "setAssistantInstructions": set_assistant_instructions,
    "listAssistantTools": list_assistant_tools,
    "setAssistantTools": set_assistant_tools,
    "listBookings": list_bookings,
    "listBroadcasts": list_broadcasts,
    "createBroadcast": create_broadcast,
    "getBroadcast": get_broadcast,
    "cancelBroadcast": cancel_broadcast,
    "listBroadcastRecipients": list_broadcast_recipients,
    "retryBroadcast": retry_broadcast,
    "scheduleBroadcast": schedule_broadcast,
    "listCannedReplies": list_canned_replies,
    "createCannedReply": create_canned_reply,
    "deleteCannedReply": delete_canned_reply,
    "updateCannedReply": update_canned_reply,
    "listChannels": list_channels,
    "listContacts": list_contacts,
    "createContact": create_contact,
    "changeContacts": change_contacts,
    "getContactsChange": get_contacts_change,
    "deleteContact": delete_contact,
    "getContact": get_contact,
    "updateContact": update_contact,
    "mergeContact": merge_contact,
    "listContactNotes": list_contact_notes,
    "createContactNote": create_contact_note,
    "optInContact": opt_in_contact,
    "getContactOptOut": get_contact_opt_out,
    "optOutContact": opt_out_contact,
    "addContactTags": add_contact_tags,
    "removeContactTag": remove_contact_tag,
    "listConversations": list_conversations,
    "changeConversations": change_conversations,
    "getConversationsChange": get_conversations_change,
    "getConversation": get_conversation,
    "updateConversation": update_conversation,
    "handOverConversation": hand_over_conversation,
    "listConversationMessages": list_conversation_messages,
    "listConversationNotes": list_conversation_notes,
    "createConversationNote": create_conversation_note,
    "markConversationRead": mark_conversation_read,
    "snoozeConversation": snooze_conversation,
    "markConversationUnread": mark_conversation_unread,
    "listCustomFields": list_custom_fields,
    "createCustomField": create_custom_field,
    "deleteCustomField": delete_custom_field,
    "updateCustomField": update_custom_field,
    "listDeals": list_deals,
    "createDeal": create_deal,
    "deleteDeal": delete_deal,
    "getDeal": get_deal,
    "updateDeal": update_deal,
    "closeDeal": close_deal,
    "moveDeal": move_deal,
    "reopenDeal": reopen_deal,
    "listEventTypes": list_event_types,
    "listEvents": list_events,
    "streamEvents": stream_events,
    "listInquiries": list_inquiries,
    "createInquiry": create_inquiry,
    "getInquiry": get_inquiry,
    "updateInquiry": update_inquiry,
    "listInquiryNotes": list_inquiry_notes,
    "createInquiryNote": create_inquiry_note,
    "listInstructions": list_instructions,
    "createInstruction": create_instruction,
    "deleteInstruction": delete_instruction,
    "getInstruction": get_instruction,
    "updateInstruction": update_instruction,
    "getMe": get_me,
    "uploadMedia": upload_media,
    "listMembers": list_members,
    "listMemories": list_memories,
    "createMemory": create_memory,
    "deleteMemory": delete_memory,
    "searchMessages": search_messages,
    "sendMessage": send_message,
    "getMessage": get_message,
    "listMessageStatuses": list_message_statuses,
    "listPipelines": list_pipelines,
    "createPipeline": create_pipeline,
    "deletePipeline": delete_pipeline,
    "getPipeline": get_pipeline,
    "updatePipeline": update_pipeline,
    "createStage": create_stage,
    "deleteStage": delete_stage,
    "updateStage": update_stage,
    "listRuns": list_runs,
    "startRun": start_run,
    "getRun": get_run,
    "cancelRun": cancel_run,
    "listRunEvents": list_run_events,
    "listSegments": list_segments,
    "createSegment": create_segment,
    "deleteSegment": delete_segment,
    "getSegment": get_segment,
    "updateSegment": update_segment,
    "listTags": list_tags,
    "createTag": create_tag,
    "deleteTag": delete_tag,
    "updateTag": update_tag,
    "listTemplates": list_templates,
    "listTools": list_tools,
    "listTriggers": list_triggers,
    "createTrigger": create_trigger,
    "deleteTrigger": delete_trigger,
    "getTrigger": get_trigger,
    "updateTrigger": update_trigger,
    "listTriggerCalls": list_trigger_calls,
    "previewTrigger": preview_trigger,
    "runTrigger": run_trigger,
    "rotateTriggerToken": rotate_trigger_token,
    "listWebhooks": list_webhooks,
    "createWebhook": create_webhook,
    "deleteWebhook": delete_webhook,
    "getWebhook": get_webhook,
    "updateWebhook": update_webhook,
    "listDeliveries": list_deliveries,
    "getDelivery": get_delivery,
    "listDeliveryAttempts": list_delivery_attempts,
    "retryDelivery": retry_delivery,
    "replayDeliveries": replay_deliveries,
    "rotateWebhookSecret": rotate_webhook_secret,
    "testWebhook": test_webhook,
}
