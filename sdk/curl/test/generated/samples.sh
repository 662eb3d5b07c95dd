# Written by `make sdk` from the routes of the API. Changes are lost.

getAiUsage() {
curl --get "$FRONTDESK_BASE_URL/api/v1/ai/usage" \
  -H "authorization: Bearer $FRONTDESK_API_KEY" \
  --data-urlencode "from=2026-01-01" \
  --data-urlencode "to=2026-01-31"
}

listAsks() {
curl --get "$FRONTDESK_BASE_URL/api/v1/asks" \
  -H "authorization: Bearer $FRONTDESK_API_KEY" \
  --data-urlencode "status=pending"
}

getAsk() {
curl "$FRONTDESK_BASE_URL/api/v1/asks/$ask_id" \
  -H "authorization: Bearer $FRONTDESK_API_KEY"
}

answerAsk() {
curl -X POST "$FRONTDESK_BASE_URL/api/v1/asks/$ask_id/answer" \
  -H "authorization: Bearer $FRONTDESK_API_KEY" \
  -H "content-type: application/json" \
  -d '{"answer":"Yes."}'
}

listAssistants() {
curl "$FRONTDESK_BASE_URL/api/v1/assistants" \
  -H "authorization: Bearer $FRONTDESK_API_KEY"
}

createAssistant() {
curl -X POST "$FRONTDESK_BASE_URL/api/v1/assistants" \
  -H "authorization: Bearer $FRONTDESK_API_KEY" \
  -H "content-type: application/json" \
  -d '{"name":"Robin","system_prompt":"You answer questions about opening hours."}'
}

createAssistantDefinition() {
curl -X POST "$FRONTDESK_BASE_URL/api/v1/assistants/definition" \
  -H "authorization: Bearer $FRONTDESK_API_KEY" \
  -H "content-type: application/json" \
  -d '{
  "assistant": {
    "name": "Robin",
    "system_prompt": "You answer questions about opening hours."
  },
  "instructions": [
    {
      "body": "Within 30 days.",
      "title": "Refunds"
    }
  ]
}'
}

tryNewAssistant() {
curl -X POST "$FRONTDESK_BASE_URL/api/v1/assistants/trial" \
  -H "authorization: Bearer $FRONTDESK_API_KEY" \
  -H "content-type: application/json" \
  -d '{
  "assistant": {
    "name": "Robin",
    "system_prompt": "You sell oak tables."
  },
  "messages": [
    {
      "from": "customer",
      "text": "Hello"
    }
  ]
}'
}

deleteAssistant() {
curl -X DELETE "$FRONTDESK_BASE_URL/api/v1/assistants/$assistant_id" \
  -H "authorization: Bearer $FRONTDESK_API_KEY"
}

getAssistant() {
curl "$FRONTDESK_BASE_URL/api/v1/assistants/$assistant_id" \
  -H "authorization: Bearer $FRONTDESK_API_KEY"
}

updateAssistant() {
curl -X PATCH "$FRONTDESK_BASE_URL/api/v1/assistants/$assistant_id" \
  -H "authorization: Bearer $FRONTDESK_API_KEY" \
  -H "content-type: application/json" \
  -d '{"temperature":0.2}'
}

getAssistantDefinition() {
curl "$FRONTDESK_BASE_URL/api/v1/assistants/$assistant_id/definition" \
  -H "authorization: Bearer $FRONTDESK_API_KEY"
}

replaceAssistantDefinition() {
curl -X PUT "$FRONTDESK_BASE_URL/api/v1/assistants/$assistant_id/definition" \
  -H "authorization: Bearer $FRONTDESK_API_KEY" \
  -H "content-type: application/json" \
  -d '{
  "definition": {
    "assistant": {
      "name": "Robin",
      "system_prompt": "You answer questions about opening hours."
    },
    "instructions": [
      {
        "body": "Within 30 days.",
        "title": "Refunds"
      }
    ]
  }
}'
}

listAssistantInstructions() {
curl "$FRONTDESK_BASE_URL/api/v1/assistants/$assistant_id/instructions" \
  -H "authorization: Bearer $FRONTDESK_API_KEY"
}

setAssistantInstructions() {
curl -X PUT "$FRONTDESK_BASE_URL/api/v1/assistants/$assistant_id/instructions" \
  -H "authorization: Bearer $FRONTDESK_API_KEY" \
  -H "content-type: application/json" \
  -d '{"instruction_ids":["'"$instruction_id"'"]}'
}

listAssistantTools() {
curl "$FRONTDESK_BASE_URL/api/v1/assistants/$assistant_id/tools" \
  -H "authorization: Bearer $FRONTDESK_API_KEY"
}

setAssistantTools() {
curl -X PUT "$FRONTDESK_BASE_URL/api/v1/assistants/$assistant_id/tools" \
  -H "authorization: Bearer $FRONTDESK_API_KEY" \
  -H "content-type: application/json" \
  -d '{"gated_tools":["add_tag"],"tool_access":{"add_tag":true}}'
}

listBookings() {
curl "$FRONTDESK_BASE_URL/api/v1/bookings" \
  -H "authorization: Bearer $FRONTDESK_API_KEY"
}

listBroadcasts() {
curl "$FRONTDESK_BASE_URL/api/v1/broadcasts" \
  -H "authorization: Bearer $FRONTDESK_API_KEY"
}

createBroadcast() {
curl -X POST "$FRONTDESK_BASE_URL/api/v1/broadcasts" \
  -H "authorization: Bearer $FRONTDESK_API_KEY" \
  -H "content-type: application/json" \
  -d '{"audience":{"type":"all"},"name":"Opening","template":{"name":"hello_world"}}'
}

getBroadcast() {
curl "$FRONTDESK_BASE_URL/api/v1/broadcasts/$broadcast_id" \
  -H "authorization: Bearer $FRONTDESK_API_KEY"
}

cancelBroadcast() {
curl -X POST "$FRONTDESK_BASE_URL/api/v1/broadcasts/$broadcast_id/cancel" \
  -H "authorization: Bearer $FRONTDESK_API_KEY"
}

listBroadcastRecipients() {
curl --get "$FRONTDESK_BASE_URL/api/v1/broadcasts/$broadcast_id/recipients" \
  -H "authorization: Bearer $FRONTDESK_API_KEY" \
  --data-urlencode "status=failed"
}

retryBroadcast() {
curl -X POST "$FRONTDESK_BASE_URL/api/v1/broadcasts/$broadcast_id/retry" \
  -H "authorization: Bearer $FRONTDESK_API_KEY" \
  -H "content-type: application/json" \
  -d '{"include_unknown":false}'
}

scheduleBroadcast() {
curl -X POST "$FRONTDESK_BASE_URL/api/v1/broadcasts/$broadcast_id/schedule" \
  -H "authorization: Bearer $FRONTDESK_API_KEY" \
  -H "content-type: application/json" \
  -d '{"schedule_at":"2999-01-01T09:00:00.000Z"}'
}

listCannedReplies() {
curl "$FRONTDESK_BASE_URL/api/v1/canned-replies" \
  -H "authorization: Bearer $FRONTDESK_API_KEY"
}

createCannedReply() {
curl -X POST "$FRONTDESK_BASE_URL/api/v1/canned-replies" \
  -H "authorization: Bearer $FRONTDESK_API_KEY" \
  -H "content-type: application/json" \
  -d '{"body":"Thank you, {{contact.name}}!","shortcut":"thanks"}'
}

deleteCannedReply() {
curl -X DELETE "$FRONTDESK_BASE_URL/api/v1/canned-replies/$canned_reply_id" \
  -H "authorization: Bearer $FRONTDESK_API_KEY"
}

updateCannedReply() {
curl -X PATCH "$FRONTDESK_BASE_URL/api/v1/canned-replies/$canned_reply_id" \
  -H "authorization: Bearer $FRONTDESK_API_KEY" \
  -H "content-type: application/json" \
  -d '{"body":"Thanks a lot, {{contact.name}}!"}'
}

listChannels() {
curl "$FRONTDESK_BASE_URL/api/v1/channels" \
  -H "authorization: Bearer $FRONTDESK_API_KEY"
}

listContacts() {
curl --get "$FRONTDESK_BASE_URL/api/v1/contacts" \
  -H "authorization: Bearer $FRONTDESK_API_KEY" \
  --data-urlencode "q=ann"
}

createContact() {
curl -X POST "$FRONTDESK_BASE_URL/api/v1/contacts" \
  -H "authorization: Bearer $FRONTDESK_API_KEY" \
  -H "content-type: application/json" \
  -d '{"company":"Acme","name":"Ann Lee","phone":"+14155550123"}'
}

changeContacts() {
curl -X POST "$FRONTDESK_BASE_URL/api/v1/contacts/bulk" \
  -H "authorization: Bearer $FRONTDESK_API_KEY" \
  -H "content-type: application/json" \
  -d '{"add_tag_ids":["'"$tag_id"'"],"filter":{"q":"ann"}}'
}

getContactsChange() {
curl "$FRONTDESK_BASE_URL/api/v1/contacts/bulk/$bulk_id" \
  -H "authorization: Bearer $FRONTDESK_API_KEY"
}

deleteContact() {
curl -X DELETE "$FRONTDESK_BASE_URL/api/v1/contacts/$contact_id" \
  -H "authorization: Bearer $FRONTDESK_API_KEY"
}

getContact() {
curl "$FRONTDESK_BASE_URL/api/v1/contacts/$contact_id" \
  -H "authorization: Bearer $FRONTDESK_API_KEY"
}

updateContact() {
curl -X PATCH "$FRONTDESK_BASE_URL/api/v1/contacts/$contact_id" \
  -H "authorization: Bearer $FRONTDESK_API_KEY" \
  -H "content-type: application/json" \
  -d '{"company":null,"name":"Ann Smith"}'
}

mergeContact() {
curl -X POST "$FRONTDESK_BASE_URL/api/v1/contacts/$contact_id/merge" \
  -H "authorization: Bearer $FRONTDESK_API_KEY" \
  -H "content-type: application/json" \
  -d '{"contact_id":"'"$other_contact_id"'"}'
}

listContactNotes() {
curl "$FRONTDESK_BASE_URL/api/v1/contacts/$contact_id/notes" \
  -H "authorization: Bearer $FRONTDESK_API_KEY"
}

createContactNote() {
curl -X POST "$FRONTDESK_BASE_URL/api/v1/contacts/$contact_id/notes" \
  -H "authorization: Bearer $FRONTDESK_API_KEY" \
  -H "content-type: application/json" \
  -d '{"body":"Prefers to be called in the morning."}'
}

optInContact() {
curl -X DELETE "$FRONTDESK_BASE_URL/api/v1/contacts/$contact_id/opt-out" \
  -H "authorization: Bearer $FRONTDESK_API_KEY"
}

getContactOptOut() {
curl "$FRONTDESK_BASE_URL/api/v1/contacts/$contact_id/opt-out" \
  -H "authorization: Bearer $FRONTDESK_API_KEY"
}

optOutContact() {
curl -X PUT "$FRONTDESK_BASE_URL/api/v1/contacts/$contact_id/opt-out" \
  -H "authorization: Bearer $FRONTDESK_API_KEY"
}

addContactTags() {
curl -X POST "$FRONTDESK_BASE_URL/api/v1/contacts/$contact_id/tags" \
  -H "authorization: Bearer $FRONTDESK_API_KEY" \
  -H "content-type: application/json" \
  -d '{"tag_ids":["'"$tag_id"'"]}'
}

removeContactTag() {
curl -X DELETE "$FRONTDESK_BASE_URL/api/v1/contacts/$contact_id/tags/$tag_id" \
  -H "authorization: Bearer $FRONTDESK_API_KEY"
}

listConversations() {
curl --get "$FRONTDESK_BASE_URL/api/v1/conversations" \
  -H "authorization: Bearer $FRONTDESK_API_KEY" \
  --data-urlencode "status=open"
}

changeConversations() {
curl -X POST "$FRONTDESK_BASE_URL/api/v1/conversations/bulk" \
  -H "authorization: Bearer $FRONTDESK_API_KEY" \
  -H "content-type: application/json" \
  -d '{"ids":["'"$conversation_id"'"],"status":"pending"}'
}

getConversationsChange() {
curl "$FRONTDESK_BASE_URL/api/v1/conversations/bulk/$bulk_id" \
  -H "authorization: Bearer $FRONTDESK_API_KEY"
}

getConversation() {
curl "$FRONTDESK_BASE_URL/api/v1/conversations/$conversation_id" \
  -H "authorization: Bearer $FRONTDESK_API_KEY"
}

updateConversation() {
curl -X PATCH "$FRONTDESK_BASE_URL/api/v1/conversations/$conversation_id" \
  -H "authorization: Bearer $FRONTDESK_API_KEY" \
  -H "content-type: application/json" \
  -d '{"assigned_user_id":null,"status":"pending"}'
}

handOverConversation() {
curl -X POST "$FRONTDESK_BASE_URL/api/v1/conversations/$conversation_id/handover" \
  -H "authorization: Bearer $FRONTDESK_API_KEY" \
  -H "content-type: application/json" \
  -d '{"to":"human"}'
}

listConversationMessages() {
curl "$FRONTDESK_BASE_URL/api/v1/conversations/$conversation_id/messages" \
  -H "authorization: Bearer $FRONTDESK_API_KEY"
}

listConversationNotes() {
curl "$FRONTDESK_BASE_URL/api/v1/conversations/$conversation_id/notes" \
  -H "authorization: Bearer $FRONTDESK_API_KEY"
}

createConversationNote() {
curl -X POST "$FRONTDESK_BASE_URL/api/v1/conversations/$conversation_id/notes" \
  -H "authorization: Bearer $FRONTDESK_API_KEY" \
  -H "content-type: application/json" \
  -d '{"body":"Asked for a refund."}'
}

markConversationRead() {
curl -X POST "$FRONTDESK_BASE_URL/api/v1/conversations/$conversation_id/read" \
  -H "authorization: Bearer $FRONTDESK_API_KEY"
}

snoozeConversation() {
curl -X POST "$FRONTDESK_BASE_URL/api/v1/conversations/$conversation_id/snooze" \
  -H "authorization: Bearer $FRONTDESK_API_KEY" \
  -H "content-type: application/json" \
  -d '{"until":"2999-01-01T09:00:00.000Z"}'
}

markConversationUnread() {
curl -X POST "$FRONTDESK_BASE_URL/api/v1/conversations/$conversation_id/unread" \
  -H "authorization: Bearer $FRONTDESK_API_KEY"
}

listCustomFields() {
curl "$FRONTDESK_BASE_URL/api/v1/custom-fields" \
  -H "authorization: Bearer $FRONTDESK_API_KEY"
}

createCustomField() {
curl -X POST "$FRONTDESK_BASE_URL/api/v1/custom-fields" \
  -H "authorization: Bearer $FRONTDESK_API_KEY" \
  -H "content-type: application/json" \
  -d '{"name":"Plan","options":["silver","gold"],"type":"select"}'
}

deleteCustomField() {
curl -X DELETE "$FRONTDESK_BASE_URL/api/v1/custom-fields/$custom_field_id" \
  -H "authorization: Bearer $FRONTDESK_API_KEY"
}

updateCustomField() {
curl -X PATCH "$FRONTDESK_BASE_URL/api/v1/custom-fields/$custom_field_id" \
  -H "authorization: Bearer $FRONTDESK_API_KEY" \
  -H "content-type: application/json" \
  -d '{"name":"Plan of the customer"}'
}

listDeals() {
curl --get "$FRONTDESK_BASE_URL/api/v1/deals" \
  -H "authorization: Bearer $FRONTDESK_API_KEY" \
  --data-urlencode "status=open"
}

createDeal() {
curl -X POST "$FRONTDESK_BASE_URL/api/v1/deals" \
  -H "authorization: Bearer $FRONTDESK_API_KEY" \
  -H "content-type: application/json" \
  -d '{"currency":"EUR","title":"Forty chairs","value":1200.5}'
}

deleteDeal() {
curl -X DELETE "$FRONTDESK_BASE_URL/api/v1/deals/$deal_id" \
  -H "authorization: Bearer $FRONTDESK_API_KEY"
}

getDeal() {
curl "$FRONTDESK_BASE_URL/api/v1/deals/$deal_id" \
  -H "authorization: Bearer $FRONTDESK_API_KEY"
}

updateDeal() {
curl -X PATCH "$FRONTDESK_BASE_URL/api/v1/deals/$deal_id" \
  -H "authorization: Bearer $FRONTDESK_API_KEY" \
  -H "content-type: application/json" \
  -d '{"expected_close_date":"2026-02-28","value":1500}'
}

closeDeal() {
curl -X POST "$FRONTDESK_BASE_URL/api/v1/deals/$deal_id/close" \
  -H "authorization: Bearer $FRONTDESK_API_KEY" \
  -H "content-type: application/json" \
  -d '{"outcome":"won"}'
}

moveDeal() {
curl -X POST "$FRONTDESK_BASE_URL/api/v1/deals/$deal_id/move" \
  -H "authorization: Bearer $FRONTDESK_API_KEY" \
  -H "content-type: application/json" \
  -d '{"stage_id":"'"$stage_id"'"}'
}

reopenDeal() {
curl -X POST "$FRONTDESK_BASE_URL/api/v1/deals/$deal_id/reopen" \
  -H "authorization: Bearer $FRONTDESK_API_KEY"
}

listEventTypes() {
curl "$FRONTDESK_BASE_URL/api/v1/event-types" \
  -H "authorization: Bearer $FRONTDESK_API_KEY"
}

listEvents() {
curl --get "$FRONTDESK_BASE_URL/api/v1/events" \
  -H "authorization: Bearer $FRONTDESK_API_KEY" \
  --data-urlencode "event_type=contact.created"
}

streamEvents() {
curl --no-buffer "$FRONTDESK_BASE_URL/api/v1/events/stream" \
  -H "authorization: Bearer $FRONTDESK_API_KEY" \
  -H "last-event-id: $event_id"
}

listInquiries() {
curl "$FRONTDESK_BASE_URL/api/v1/inquiries" \
  -H "authorization: Bearer $FRONTDESK_API_KEY"
}

createInquiry() {
curl -X POST "$FRONTDESK_BASE_URL/api/v1/inquiries" \
  -H "authorization: Bearer $FRONTDESK_API_KEY" \
  -H "content-type: application/json" \
  -d '{"fields":{"size":"M"},"message":"Do you have it in blue?","name":"Ann Lee"}'
}

getInquiry() {
curl "$FRONTDESK_BASE_URL/api/v1/inquiries/$inquiry_id" \
  -H "authorization: Bearer $FRONTDESK_API_KEY"
}

updateInquiry() {
curl -X PATCH "$FRONTDESK_BASE_URL/api/v1/inquiries/$inquiry_id" \
  -H "authorization: Bearer $FRONTDESK_API_KEY" \
  -H "content-type: application/json" \
  -d '{"status":"spam"}'
}

listInquiryNotes() {
curl "$FRONTDESK_BASE_URL/api/v1/inquiries/$inquiry_id/notes" \
  -H "authorization: Bearer $FRONTDESK_API_KEY"
}

createInquiryNote() {
curl -X POST "$FRONTDESK_BASE_URL/api/v1/inquiries/$inquiry_id/notes" \
  -H "authorization: Bearer $FRONTDESK_API_KEY" \
  -H "content-type: application/json" \
  -d '{"body":"Sent the price list."}'
}

listInstructions() {
curl "$FRONTDESK_BASE_URL/api/v1/instructions" \
  -H "authorization: Bearer $FRONTDESK_API_KEY"
}

createInstruction() {
curl -X POST "$FRONTDESK_BASE_URL/api/v1/instructions" \
  -H "authorization: Bearer $FRONTDESK_API_KEY" \
  -H "content-type: application/json" \
  -d '{"body":"Within 30 days.","title":"Refunds"}'
}

deleteInstruction() {
curl -X DELETE "$FRONTDESK_BASE_URL/api/v1/instructions/$instruction_id" \
  -H "authorization: Bearer $FRONTDESK_API_KEY"
}

getInstruction() {
curl "$FRONTDESK_BASE_URL/api/v1/instructions/$instruction_id" \
  -H "authorization: Bearer $FRONTDESK_API_KEY"
}

updateInstruction() {
curl -X PATCH "$FRONTDESK_BASE_URL/api/v1/instructions/$instruction_id" \
  -H "authorization: Bearer $FRONTDESK_API_KEY" \
  -H "content-type: application/json" \
  -d '{"title":"Returns"}'
}

getMe() {
curl "$FRONTDESK_BASE_URL/api/v1/me" \
  -H "authorization: Bearer $FRONTDESK_API_KEY"
}

uploadMedia() {
curl -X POST "$FRONTDESK_BASE_URL/api/v1/media" \
  -H "authorization: Bearer $FRONTDESK_API_KEY" \
  -F "file=@hello.txt"
}

listMembers() {
curl "$FRONTDESK_BASE_URL/api/v1/members" \
  -H "authorization: Bearer $FRONTDESK_API_KEY"
}

listMemories() {
curl "$FRONTDESK_BASE_URL/api/v1/memories" \
  -H "authorization: Bearer $FRONTDESK_API_KEY"
}

createMemory() {
curl -X POST "$FRONTDESK_BASE_URL/api/v1/memories" \
  -H "authorization: Bearer $FRONTDESK_API_KEY" \
  -H "content-type: application/json" \
  -d '{"content":"Open on Mondays."}'
}

deleteMemory() {
curl -X DELETE "$FRONTDESK_BASE_URL/api/v1/memories/$memory_id" \
  -H "authorization: Bearer $FRONTDESK_API_KEY"
}

searchMessages() {
curl --get "$FRONTDESK_BASE_URL/api/v1/messages" \
  -H "authorization: Bearer $FRONTDESK_API_KEY" \
  --data-urlencode "q=welcome"
}

sendMessage() {
curl -X POST "$FRONTDESK_BASE_URL/api/v1/messages" \
  -H "authorization: Bearer $FRONTDESK_API_KEY" \
  -H "content-type: application/json" \
  -d '{"template":{"name":"hello_world"},"to":{"phone":"+14155550123"},"type":"template"}'
}

getMessage() {
curl "$FRONTDESK_BASE_URL/api/v1/messages/$message_id" \
  -H "authorization: Bearer $FRONTDESK_API_KEY"
}

listMessageStatuses() {
curl "$FRONTDESK_BASE_URL/api/v1/messages/$message_id/statuses" \
  -H "authorization: Bearer $FRONTDESK_API_KEY"
}

listPipelines() {
curl "$FRONTDESK_BASE_URL/api/v1/pipelines" \
  -H "authorization: Bearer $FRONTDESK_API_KEY"
}

createPipeline() {
curl -X POST "$FRONTDESK_BASE_URL/api/v1/pipelines" \
  -H "authorization: Bearer $FRONTDESK_API_KEY" \
  -H "content-type: application/json" \
  -d '{
  "name": "Partners",
  "stages": [
    {
      "name": "Contacted",
      "probability": 10
    },
    {
      "name": "Agreed",
      "probability": 80
    }
  ]
}'
}

deletePipeline() {
curl -X DELETE "$FRONTDESK_BASE_URL/api/v1/pipelines/$pipeline_id" \
  -H "authorization: Bearer $FRONTDESK_API_KEY"
}

getPipeline() {
curl "$FRONTDESK_BASE_URL/api/v1/pipelines/$pipeline_id" \
  -H "authorization: Bearer $FRONTDESK_API_KEY"
}

updatePipeline() {
curl -X PATCH "$FRONTDESK_BASE_URL/api/v1/pipelines/$pipeline_id" \
  -H "authorization: Bearer $FRONTDESK_API_KEY" \
  -H "content-type: application/json" \
  -d '{"name":"Resellers"}'
}

createStage() {
curl -X POST "$FRONTDESK_BASE_URL/api/v1/pipelines/$pipeline_id/stages" \
  -H "authorization: Bearer $FRONTDESK_API_KEY" \
  -H "content-type: application/json" \
  -d '{"name":"Trial","probability":40}'
}

deleteStage() {
curl -X DELETE "$FRONTDESK_BASE_URL/api/v1/pipelines/$pipeline_id/stages/$stage_id" \
  -H "authorization: Bearer $FRONTDESK_API_KEY"
}

updateStage() {
curl -X PATCH "$FRONTDESK_BASE_URL/api/v1/pipelines/$pipeline_id/stages/$stage_id" \
  -H "authorization: Bearer $FRONTDESK_API_KEY" \
  -H "content-type: application/json" \
  -d '{"position":0}'
}

listRuns() {
curl --get "$FRONTDESK_BASE_URL/api/v1/runs" \
  -H "authorization: Bearer $FRONTDESK_API_KEY" \
  --data-urlencode "status=running"
}

startRun() {
curl -X POST "$FRONTDESK_BASE_URL/api/v1/runs" \
  -H "authorization: Bearer $FRONTDESK_API_KEY" \
  -H "content-type: application/json" \
  -d '{"assistant_id":"'"$assistant_id"'","goal":"Say hello."}'
}

getRun() {
curl "$FRONTDESK_BASE_URL/api/v1/runs/$run_id" \
  -H "authorization: Bearer $FRONTDESK_API_KEY"
}

cancelRun() {
curl -X POST "$FRONTDESK_BASE_URL/api/v1/runs/$run_id/cancel" \
  -H "authorization: Bearer $FRONTDESK_API_KEY"
}

listRunEvents() {
curl "$FRONTDESK_BASE_URL/api/v1/runs/$run_id/events" \
  -H "authorization: Bearer $FRONTDESK_API_KEY"
}

listSegments() {
curl "$FRONTDESK_BASE_URL/api/v1/segments" \
  -H "authorization: Bearer $FRONTDESK_API_KEY"
}

createSegment() {
curl -X POST "$FRONTDESK_BASE_URL/api/v1/segments" \
  -H "authorization: Bearer $FRONTDESK_API_KEY" \
  -H "content-type: application/json" \
  -d '{"match":"all","name":"At Acme","rules":[{"field":"company","op":"is","value":"Acme"}]}'
}

deleteSegment() {
curl -X DELETE "$FRONTDESK_BASE_URL/api/v1/segments/$segment_id" \
  -H "authorization: Bearer $FRONTDESK_API_KEY"
}

getSegment() {
curl "$FRONTDESK_BASE_URL/api/v1/segments/$segment_id" \
  -H "authorization: Bearer $FRONTDESK_API_KEY"
}

updateSegment() {
curl -X PATCH "$FRONTDESK_BASE_URL/api/v1/segments/$segment_id" \
  -H "authorization: Bearer $FRONTDESK_API_KEY" \
  -H "content-type: application/json" \
  -d '{"match":"any"}'
}

listTags() {
curl "$FRONTDESK_BASE_URL/api/v1/tags" \
  -H "authorization: Bearer $FRONTDESK_API_KEY"
}

createTag() {
curl -X POST "$FRONTDESK_BASE_URL/api/v1/tags" \
  -H "authorization: Bearer $FRONTDESK_API_KEY" \
  -H "content-type: application/json" \
  -d '{"color":"#2563eb","name":"vip"}'
}

deleteTag() {
curl -X DELETE "$FRONTDESK_BASE_URL/api/v1/tags/$tag_id" \
  -H "authorization: Bearer $FRONTDESK_API_KEY"
}

updateTag() {
curl -X PATCH "$FRONTDESK_BASE_URL/api/v1/tags/$tag_id" \
  -H "authorization: Bearer $FRONTDESK_API_KEY" \
  -H "content-type: application/json" \
  -d '{"color":"#16a34a"}'
}

listTemplates() {
curl --get "$FRONTDESK_BASE_URL/api/v1/templates" \
  -H "authorization: Bearer $FRONTDESK_API_KEY" \
  --data-urlencode "status=APPROVED"
}

listTools() {
curl "$FRONTDESK_BASE_URL/api/v1/tools" \
  -H "authorization: Bearer $FRONTDESK_API_KEY"
}

listTriggers() {
curl "$FRONTDESK_BASE_URL/api/v1/triggers" \
  -H "authorization: Bearer $FRONTDESK_API_KEY"
}

createTrigger() {
curl -X POST "$FRONTDESK_BASE_URL/api/v1/triggers" \
  -H "authorization: Bearer $FRONTDESK_API_KEY" \
  -H "content-type: application/json" \
  -d '{
  "assistant_id": "'"$assistant_id"'",
  "goal": "Thank the customer.",
  "kind": "webhook",
  "name": "New order"
}'
}

deleteTrigger() {
curl -X DELETE "$FRONTDESK_BASE_URL/api/v1/triggers/$trigger_id" \
  -H "authorization: Bearer $FRONTDESK_API_KEY"
}

getTrigger() {
curl "$FRONTDESK_BASE_URL/api/v1/triggers/$trigger_id" \
  -H "authorization: Bearer $FRONTDESK_API_KEY"
}

updateTrigger() {
curl -X PATCH "$FRONTDESK_BASE_URL/api/v1/triggers/$trigger_id" \
  -H "authorization: Bearer $FRONTDESK_API_KEY" \
  -H "content-type: application/json" \
  -d '{"max_targets":7,"name":"Order"}'
}

listTriggerCalls() {
curl "$FRONTDESK_BASE_URL/api/v1/triggers/$trigger_id/calls" \
  -H "authorization: Bearer $FRONTDESK_API_KEY"
}

previewTrigger() {
curl -X POST "$FRONTDESK_BASE_URL/api/v1/triggers/$trigger_id/preview" \
  -H "authorization: Bearer $FRONTDESK_API_KEY"
}

runTrigger() {
curl -X POST "$FRONTDESK_BASE_URL/api/v1/triggers/$trigger_id/run" \
  -H "authorization: Bearer $FRONTDESK_API_KEY"
}

rotateTriggerToken() {
curl -X POST "$FRONTDESK_BASE_URL/api/v1/triggers/$trigger_id/token" \
  -H "authorization: Bearer $FRONTDESK_API_KEY"
}

listWebhooks() {
curl "$FRONTDESK_BASE_URL/api/v1/webhooks" \
  -H "authorization: Bearer $FRONTDESK_API_KEY"
}

createWebhook() {
curl -X POST "$FRONTDESK_BASE_URL/api/v1/webhooks" \
  -H "authorization: Bearer $FRONTDESK_API_KEY" \
  -H "content-type: application/json" \
  -d '{"event_types":["message.received","deal.*"],"url":"'"$webhook_url"'"}'
}

deleteWebhook() {
curl -X DELETE "$FRONTDESK_BASE_URL/api/v1/webhooks/$webhook_id" \
  -H "authorization: Bearer $FRONTDESK_API_KEY"
}

getWebhook() {
curl "$FRONTDESK_BASE_URL/api/v1/webhooks/$webhook_id" \
  -H "authorization: Bearer $FRONTDESK_API_KEY"
}

updateWebhook() {
curl -X PATCH "$FRONTDESK_BASE_URL/api/v1/webhooks/$webhook_id" \
  -H "authorization: Bearer $FRONTDESK_API_KEY" \
  -H "content-type: application/json" \
  -d '{"description":"Our shop"}'
}

listDeliveries() {
curl "$FRONTDESK_BASE_URL/api/v1/webhooks/$webhook_id/deliveries" \
  -H "authorization: Bearer $FRONTDESK_API_KEY"
}

getDelivery() {
curl "$FRONTDESK_BASE_URL/api/v1/webhooks/$webhook_id/deliveries/$delivery_id" \
  -H "authorization: Bearer $FRONTDESK_API_KEY"
}

listDeliveryAttempts() {
curl "$FRONTDESK_BASE_URL/api/v1/webhooks/$webhook_id/deliveries/$delivery_id/attempts" \
  -H "authorization: Bearer $FRONTDESK_API_KEY"
}

retryDelivery() {
curl -X POST "$FRONTDESK_BASE_URL/api/v1/webhooks/$webhook_id/deliveries/$delivery_id/retry" \
  -H "authorization: Bearer $FRONTDESK_API_KEY"
}

replayDeliveries() {
curl -X POST "$FRONTDESK_BASE_URL/api/v1/webhooks/$webhook_id/replay" \
  -H "authorization: Bearer $FRONTDESK_API_KEY" \
  -H "content-type: application/json" \
  -d '{"since":"2026-01-31T12:00:00.000Z","status":"all"}'
}

rotateWebhookSecret() {
curl -X POST "$FRONTDESK_BASE_URL/api/v1/webhooks/$webhook_id/secret" \
  -H "authorization: Bearer $FRONTDESK_API_KEY"
}

testWebhook() {
curl -X POST "$FRONTDESK_BASE_URL/api/v1/webhooks/$webhook_id/test" \
  -H "authorization: Bearer $FRONTDESK_API_KEY"
}
