// Written by `make sdk` from the routes of the API. Changes are lost.

import type { Frontdesk } from "frontdesk";

/** What the samples name and do not make. */
export interface Values {
  askId: string;
  assistantId: string;
  broadcastId: string;
  bulkId: string;
  cannedReplyId: string;
  contactId: string;
  conversationId: string;
  customFieldId: string;
  dealId: string;
  deliveryId: string;
  eventId: string;
  inquiryId: string;
  instructionId: string;
  memoryId: string;
  messageId: string;
  otherContactId: string;
  pipelineId: string;
  runId: string;
  segmentId: string;
  stageId: string;
  tagId: string;
  triggerId: string;
  webhookId: string;
  webhookUrl: string;
}

/** The documented call of each operation. */
export const samples: Record<string, (client: Frontdesk, values: Values) => Promise<void>> = {
  getAiUsage: async (client) => {
    const aiUsage = await client.ai.getUsage({ from: "2026-01-01", to: "2026-01-31" });
  },
  listAsks: async (client) => {
    for await (const ask of client.asks.list({ status: "pending" })) {
      console.log(ask);
    }
  },
  getAsk: async (client, { askId }) => {
    const ask = await client.asks.get(askId);
  },
  answerAsk: async (client, { askId }) => {
    const ask = await client.asks.answer(askId, { answer: "Yes." });
  },
  listAssistants: async (client) => {
    for await (const assistant of client.assistants.list()) {
      console.log(assistant);
    }
  },
  createAssistant: async (client) => {
    const assistant = await client.assistants.create({
      name: "Robin",
      system_prompt: "You answer questions about opening hours.",
    });
  },
  createAssistantDefinition: async (client) => {
    const writtenDefinition = await client.assistants.createDefinition({
      assistant: { name: "Robin", system_prompt: "You answer questions about opening hours." },
      instructions: [{ body: "Within 30 days.", title: "Refunds" }],
    });
  },
  tryNewAssistant: async (client) => {
    const trialReply = await client.assistants.tryNew({
      assistant: { name: "Robin", system_prompt: "You sell oak tables." },
      messages: [{ from: "customer", text: "Hello" }],
    });
  },
  deleteAssistant: async (client, { assistantId }) => {
    await client.assistants.delete(assistantId);
  },
  getAssistant: async (client, { assistantId }) => {
    const assistant = await client.assistants.get(assistantId);
  },
  updateAssistant: async (client, { assistantId }) => {
    const assistant = await client.assistants.update(assistantId, { temperature: 0.2 });
  },
  getAssistantDefinition: async (client, { assistantId }) => {
    const definition = await client.assistants.getDefinition(assistantId);
  },
  replaceAssistantDefinition: async (client, { assistantId }) => {
    const writtenDefinition = await client.assistants.replaceDefinition(assistantId, {
      definition: {
        assistant: {
          name: "Robin",
          system_prompt: "You answer questions about opening hours.",
        },
        instructions: [{ body: "Within 30 days.", title: "Refunds" }],
      },
    });
  },
  listAssistantInstructions: async (client, { assistantId }) => {
    for await (const instruction of client.assistants.listInstructions(assistantId)) {
      console.log(instruction);
    }
  },
  setAssistantInstructions: async (client, { assistantId, instructionId }) => {
    const instructions = await client.assistants.setInstructions(assistantId, {
      instruction_ids: [instructionId],
    });
  },
  listAssistantTools: async (client, { assistantId }) => {
    for await (const assistantTool of client.assistants.listTools(assistantId)) {
      console.log(assistantTool);
    }
  },
  setAssistantTools: async (client, { assistantId }) => {
    const assistantTools = await client.assistants.setTools(assistantId, {
      gated_tools: ["add_tag"],
      tool_access: { add_tag: true },
    });
  },
  listBookings: async (client) => {
    for await (const booking of client.bookings.list()) {
      console.log(booking);
    }
  },
  listBroadcasts: async (client) => {
    for await (const broadcast of client.broadcasts.list()) {
      console.log(broadcast);
    }
  },
  createBroadcast: async (client) => {
    const broadcast = await client.broadcasts.create({
      audience: { type: "all" },
      name: "Opening",
      template: { name: "hello_world" },
    });
  },
  getBroadcast: async (client, { broadcastId }) => {
    const broadcast = await client.broadcasts.get(broadcastId);
  },
  cancelBroadcast: async (client, { broadcastId }) => {
    const broadcast = await client.broadcasts.cancel(broadcastId);
  },
  listBroadcastRecipients: async (client, { broadcastId }) => {
    for await (const broadcastRecipient of client.broadcasts.listRecipients(broadcastId, {
      status: "failed",
    })) {
      console.log(broadcastRecipient);
    }
  },
  retryBroadcast: async (client, { broadcastId }) => {
    const broadcast = await client.broadcasts.retry(broadcastId, { include_unknown: false });
  },
  scheduleBroadcast: async (client, { broadcastId }) => {
    const broadcast = await client.broadcasts.schedule(broadcastId, {
      schedule_at: "2999-01-01T09:00:00.000Z",
    });
  },
  listCannedReplies: async (client) => {
    for await (const cannedReply of client.cannedReplies.list()) {
      console.log(cannedReply);
    }
  },
  createCannedReply: async (client) => {
    const cannedReply = await client.cannedReplies.create({
      body: "Thank you, {{contact.name}}!",
      shortcut: "thanks",
    });
  },
  deleteCannedReply: async (client, { cannedReplyId }) => {
    await client.cannedReplies.delete(cannedReplyId);
  },
  updateCannedReply: async (client, { cannedReplyId }) => {
    const cannedReply = await client.cannedReplies.update(cannedReplyId, {
      body: "Thanks a lot, {{contact.name}}!",
    });
  },
  listChannels: async (client) => {
    for await (const connection of client.channels.list()) {
      console.log(connection);
    }
  },
  listContacts: async (client) => {
    for await (const contact of client.contacts.list({ q: "ann" })) {
      console.log(contact);
    }
  },
  createContact: async (client) => {
    const contact = await client.contacts.create({
      company: "Acme",
      name: "Ann Lee",
      phone: "+14155550123",
    });
  },
  changeContacts: async (client, { tagId }) => {
    const bulkJob = await client.contacts.change({
      add_tag_ids: [tagId],
      filter: { q: "ann" },
    });
  },
  getContactsChange: async (client, { bulkId }) => {
    const bulkJob = await client.contacts.getChange(bulkId);
  },
  deleteContact: async (client, { contactId }) => {
    await client.contacts.delete(contactId);
  },
  getContact: async (client, { contactId }) => {
    const contact = await client.contacts.get(contactId);
  },
  updateContact: async (client, { contactId }) => {
    const contact = await client.contacts.update(contactId, {
      company: null,
      name: "Ann Smith",
    });
  },
  mergeContact: async (client, { contactId, otherContactId }) => {
    const contact = await client.contacts.merge(contactId, { contact_id: otherContactId });
  },
  listContactNotes: async (client, { contactId }) => {
    for await (const note of client.contacts.listNotes(contactId)) {
      console.log(note);
    }
  },
  createContactNote: async (client, { contactId }) => {
    const note = await client.contacts.createNote(contactId, {
      body: "Prefers to be called in the morning.",
    });
  },
  optInContact: async (client, { contactId }) => {
    const optOut = await client.contacts.optIn(contactId);
  },
  getContactOptOut: async (client, { contactId }) => {
    const optOut = await client.contacts.getOptOut(contactId);
  },
  optOutContact: async (client, { contactId }) => {
    const optOut = await client.contacts.optOut(contactId);
  },
  addContactTags: async (client, { contactId, tagId }) => {
    const contact = await client.contacts.addTags(contactId, { tag_ids: [tagId] });
  },
  removeContactTag: async (client, { contactId, tagId }) => {
    const contact = await client.contacts.removeTag(contactId, tagId);
  },
  listConversations: async (client) => {
    for await (const conversation of client.conversations.list({ status: "open" })) {
      console.log(conversation);
    }
  },
  changeConversations: async (client, { conversationId }) => {
    const bulkJob = await client.conversations.change({
      ids: [conversationId],
      status: "pending",
    });
  },
  getConversationsChange: async (client, { bulkId }) => {
    const bulkJob = await client.conversations.getChange(bulkId);
  },
  getConversation: async (client, { conversationId }) => {
    const conversation = await client.conversations.get(conversationId);
  },
  updateConversation: async (client, { conversationId }) => {
    const conversation = await client.conversations.update(conversationId, {
      assigned_user_id: null,
      status: "pending",
    });
  },
  handOverConversation: async (client, { conversationId }) => {
    const conversation = await client.conversations.handOver(conversationId, { to: "human" });
  },
  listConversationMessages: async (client, { conversationId }) => {
    for await (const message of client.conversations.listMessages(conversationId)) {
      console.log(message);
    }
  },
  listConversationNotes: async (client, { conversationId }) => {
    for await (const note of client.conversations.listNotes(conversationId)) {
      console.log(note);
    }
  },
  createConversationNote: async (client, { conversationId }) => {
    const note = await client.conversations.createNote(conversationId, {
      body: "Asked for a refund.",
    });
  },
  markConversationRead: async (client, { conversationId }) => {
    const conversation = await client.conversations.markRead(conversationId);
  },
  snoozeConversation: async (client, { conversationId }) => {
    const conversation = await client.conversations.snooze(conversationId, {
      until: "2999-01-01T09:00:00.000Z",
    });
  },
  markConversationUnread: async (client, { conversationId }) => {
    const conversation = await client.conversations.markUnread(conversationId);
  },
  listCustomFields: async (client) => {
    for await (const customField of client.customFields.list()) {
      console.log(customField);
    }
  },
  createCustomField: async (client) => {
    const customField = await client.customFields.create({
      name: "Plan",
      options: ["silver", "gold"],
      type: "select",
    });
  },
  deleteCustomField: async (client, { customFieldId }) => {
    await client.customFields.delete(customFieldId);
  },
  updateCustomField: async (client, { customFieldId }) => {
    const customField = await client.customFields.update(customFieldId, {
      name: "Plan of the customer",
    });
  },
  listDeals: async (client) => {
    for await (const deal of client.deals.list({ status: "open" })) {
      console.log(deal);
    }
  },
  createDeal: async (client) => {
    const deal = await client.deals.create({
      currency: "EUR",
      title: "Forty chairs",
      value: 1200.5,
    });
  },
  deleteDeal: async (client, { dealId }) => {
    await client.deals.delete(dealId);
  },
  getDeal: async (client, { dealId }) => {
    const deal = await client.deals.get(dealId);
  },
  updateDeal: async (client, { dealId }) => {
    const deal = await client.deals.update(dealId, {
      expected_close_date: "2026-02-28",
      value: 1500,
    });
  },
  closeDeal: async (client, { dealId }) => {
    const deal = await client.deals.close(dealId, { outcome: "won" });
  },
  moveDeal: async (client, { dealId, stageId }) => {
    const deal = await client.deals.move(dealId, { stage_id: stageId });
  },
  reopenDeal: async (client, { dealId }) => {
    const deal = await client.deals.reopen(dealId);
  },
  listEventTypes: async (client) => {
    for await (const eventTypeInfo of client.eventTypes.list()) {
      console.log(eventTypeInfo);
    }
  },
  listEvents: async (client) => {
    for await (const event of client.events.list({ event_type: "contact.created" })) {
      console.log(event);
    }
  },
  streamEvents: async (client, { eventId }) => {
    for await (const event of client.events.stream({ after: eventId })) {
      console.log(event.event_type);
      break; // Leave this out to go on.
    }
  },
  listInquiries: async (client) => {
    for await (const inquiry of client.inquiries.list()) {
      console.log(inquiry);
    }
  },
  createInquiry: async (client) => {
    const inquiry = await client.inquiries.create({
      fields: { size: "M" },
      message: "Do you have it in blue?",
      name: "Ann Lee",
    });
  },
  getInquiry: async (client, { inquiryId }) => {
    const inquiry = await client.inquiries.get(inquiryId);
  },
  updateInquiry: async (client, { inquiryId }) => {
    const inquiry = await client.inquiries.update(inquiryId, { status: "spam" });
  },
  listInquiryNotes: async (client, { inquiryId }) => {
    for await (const note of client.inquiries.listNotes(inquiryId)) {
      console.log(note);
    }
  },
  createInquiryNote: async (client, { inquiryId }) => {
    const note = await client.inquiries.createNote(inquiryId, {
      body: "Sent the price list.",
    });
  },
  listInstructions: async (client) => {
    for await (const instruction of client.instructions.list()) {
      console.log(instruction);
    }
  },
  createInstruction: async (client) => {
    const instruction = await client.instructions.create({
      body: "Within 30 days.",
      title: "Refunds",
    });
  },
  deleteInstruction: async (client, { instructionId }) => {
    await client.instructions.delete(instructionId);
  },
  getInstruction: async (client, { instructionId }) => {
    const instruction = await client.instructions.get(instructionId);
  },
  updateInstruction: async (client, { instructionId }) => {
    const instruction = await client.instructions.update(instructionId, { title: "Returns" });
  },
  getMe: async (client) => {
    const me = await client.me.get();
  },
  uploadMedia: async (client) => {
    const file = new File(["Hello"], "hello.txt", { type: "text/plain" });
    const uploadMediaResult = await client.media.upload(file);
  },
  listMembers: async (client) => {
    for await (const member of client.members.list()) {
      console.log(member);
    }
  },
  listMemories: async (client) => {
    for await (const memory of client.memories.list()) {
      console.log(memory);
    }
  },
  createMemory: async (client) => {
    const memory = await client.memories.create({ content: "Open on Mondays." });
  },
  deleteMemory: async (client, { memoryId }) => {
    await client.memories.delete(memoryId);
  },
  searchMessages: async (client) => {
    for await (const message of client.messages.search({ q: "welcome" })) {
      console.log(message);
    }
  },
  sendMessage: async (client) => {
    const message = await client.messages.send({
      template: { name: "hello_world" },
      to: { phone: "+14155550123" },
      type: "template",
    });
  },
  getMessage: async (client, { messageId }) => {
    const message = await client.messages.get(messageId);
  },
  listMessageStatuses: async (client, { messageId }) => {
    for await (const statusChange of client.messages.listStatuses(messageId)) {
      console.log(statusChange);
    }
  },
  listPipelines: async (client) => {
    for await (const pipeline of client.pipelines.list()) {
      console.log(pipeline);
    }
  },
  createPipeline: async (client) => {
    const pipeline = await client.pipelines.create({
      name: "Partners",
      stages: [{ name: "Contacted", probability: 10 }, { name: "Agreed", probability: 80 }],
    });
  },
  deletePipeline: async (client, { pipelineId }) => {
    await client.pipelines.delete(pipelineId);
  },
  getPipeline: async (client, { pipelineId }) => {
    const pipeline = await client.pipelines.get(pipelineId);
  },
  updatePipeline: async (client, { pipelineId }) => {
    const pipeline = await client.pipelines.update(pipelineId, { name: "Resellers" });
  },
  createStage: async (client, { pipelineId }) => {
    const stage = await client.pipelines.createStage(pipelineId, {
      name: "Trial",
      probability: 40,
    });
  },
  deleteStage: async (client, { pipelineId, stageId }) => {
    await client.pipelines.deleteStage(pipelineId, stageId);
  },
  updateStage: async (client, { pipelineId, stageId }) => {
    const stage = await client.pipelines.updateStage(pipelineId, stageId, { position: 0 });
  },
  listRuns: async (client) => {
    for await (const run of client.runs.list({ status: "running" })) {
      console.log(run);
    }
  },
  startRun: async (client, { assistantId }) => {
    const run = await client.runs.start({ assistant_id: assistantId, goal: "Say hello." });
  },
  getRun: async (client, { runId }) => {
    const run = await client.runs.get(runId);
  },
  cancelRun: async (client, { runId }) => {
    const run = await client.runs.cancel(runId);
  },
  listRunEvents: async (client, { runId }) => {
    for await (const runEvent of client.runs.listEvents(runId)) {
      console.log(runEvent);
    }
  },
  listSegments: async (client) => {
    for await (const segment of client.segments.list()) {
      console.log(segment);
    }
  },
  createSegment: async (client) => {
    const segment = await client.segments.create({
      match: "all",
      name: "At Acme",
      rules: [{ field: "company", op: "is", value: "Acme" }],
    });
  },
  deleteSegment: async (client, { segmentId }) => {
    await client.segments.delete(segmentId);
  },
  getSegment: async (client, { segmentId }) => {
    const segment = await client.segments.get(segmentId);
  },
  updateSegment: async (client, { segmentId }) => {
    const segment = await client.segments.update(segmentId, { match: "any" });
  },
  listTags: async (client) => {
    for await (const tag of client.tags.list()) {
      console.log(tag);
    }
  },
  createTag: async (client) => {
    const tag = await client.tags.create({ color: "#2563eb", name: "vip" });
  },
  deleteTag: async (client, { tagId }) => {
    await client.tags.delete(tagId);
  },
  updateTag: async (client, { tagId }) => {
    const tag = await client.tags.update(tagId, { color: "#16a34a" });
  },
  listTemplates: async (client) => {
    for await (const template of client.templates.list({ status: "APPROVED" })) {
      console.log(template);
    }
  },
  listTools: async (client) => {
    for await (const tool of client.tools.list()) {
      console.log(tool);
    }
  },
  listTriggers: async (client) => {
    for await (const trigger of client.triggers.list()) {
      console.log(trigger);
    }
  },
  createTrigger: async (client, { assistantId }) => {
    const issuedTrigger = await client.triggers.create({
      assistant_id: assistantId,
      goal: "Thank the customer.",
      kind: "webhook",
      name: "New order",
    });
  },
  deleteTrigger: async (client, { triggerId }) => {
    await client.triggers.delete(triggerId);
  },
  getTrigger: async (client, { triggerId }) => {
    const trigger = await client.triggers.get(triggerId);
  },
  updateTrigger: async (client, { triggerId }) => {
    const trigger = await client.triggers.update(triggerId, { max_targets: 7, name: "Order" });
  },
  listTriggerCalls: async (client, { triggerId }) => {
    for await (const triggerCall of client.triggers.listCalls(triggerId)) {
      console.log(triggerCall);
    }
  },
  previewTrigger: async (client, { triggerId }) => {
    const triggerPreview = await client.triggers.preview(triggerId);
  },
  runTrigger: async (client, { triggerId }) => {
    const firedTrigger = await client.triggers.run(triggerId);
  },
  rotateTriggerToken: async (client, { triggerId }) => {
    const rotatedTrigger = await client.triggers.rotateToken(triggerId);
  },
  listWebhooks: async (client) => {
    for await (const webhookEndpoint of client.webhooks.list()) {
      console.log(webhookEndpoint);
    }
  },
  createWebhook: async (client, { webhookUrl }) => {
    const webhookEndpoint = await client.webhooks.create({
      event_types: ["message.received", "deal.*"],
      url: webhookUrl,
    });
  },
  deleteWebhook: async (client, { webhookId }) => {
    await client.webhooks.delete(webhookId);
  },
  getWebhook: async (client, { webhookId }) => {
    const webhookEndpoint = await client.webhooks.get(webhookId);
  },
  updateWebhook: async (client, { webhookId }) => {
    const webhookEndpoint = await client.webhooks.update(webhookId, {
      description: "Our shop",
    });
  },
  listDeliveries: async (client, { webhookId }) => {
    for await (const delivery of client.webhooks.listDeliveries(webhookId)) {
      console.log(delivery);
    }
  },
  getDelivery: async (client, { webhookId, deliveryId }) => {
    const delivery = await client.webhooks.getDelivery(webhookId, deliveryId);
  },
  listDeliveryAttempts: async (client, { webhookId, deliveryId }) => {
    for await (const deliveryAttempt of client.webhooks.listDeliveryAttempts(webhookId, deliveryId)) {
      console.log(deliveryAttempt);
    }
  },
  retryDelivery: async (client, { webhookId, deliveryId }) => {
    const delivery = await client.webhooks.retryDelivery(webhookId, deliveryId);
  },
  replayDeliveries: async (client, { webhookId }) => {
    const replay = await client.webhooks.replayDeliveries(webhookId, {
      since: "2026-01-31T12:00:00.000Z",
      status: "all",
    });
  },
  rotateWebhookSecret: async (client, { webhookId }) => {
    const webhookEndpoint = await client.webhooks.rotateSecret(webhookId);
  },
  testWebhook: async (client, { webhookId }) => {
    const delivery = await client.webhooks.test(webhookId);
  },
};
