//! The scopes of tools.

use frontdesk_kernel::Scope;

use super::ToolSpec;

/// The scope that who approves the use of a tool needs: a tool of the catalogue, or one that only programs ask for.
pub fn approval_scope(tool: &str) -> Option<Scope> {
    match tool {
        "start_run" => Some(Scope::RunsStart),
        "create_trigger" => Some(Scope::AssistantsWrite),
        "change_contacts" => Some(Scope::ContactsWrite),
        "change_conversations" | "hand_over_conversation" => Some(Scope::ConversationsWrite),
        "schedule_broadcast" => Some(Scope::BroadcastsSend),
        _ => super::find(tool).and_then(ToolSpec::scope),
    }
}

impl ToolSpec {
    /// The scope of the operation that the tool calls. Who approves its use needs that scope. A tool that the run carries out
    /// itself has the scope of the operation with the same effect.
    pub fn scope(&self) -> Option<Scope> {
        match self.id {
            "search_contacts" | "get_contact" => Some(Scope::ContactsRead),
            "update_contact" | "add_tag" | "remove_tag" | "add_note" | "opt_out_contact" => {
                Some(Scope::ContactsWrite)
            }
            "list_conversations" => Some(Scope::ConversationsRead),
            "set_conversation_status" | "assign_conversation" | "hand_off" => Some(Scope::ConversationsWrite),
            "read_messages" => Some(Scope::MessagesRead),
            "send_message" | "send_template" => Some(Scope::MessagesSend),
            "list_templates" => Some(Scope::TemplatesRead),
            "search_deals" => Some(Scope::DealsRead),
            "create_deal" | "update_deal" | "move_deal" | "close_deal" | "delete_deal" => {
                Some(Scope::DealsWrite)
            }
            "create_inquiry_note" => Some(Scope::InquiriesWrite),
            "start_broadcast" => Some(Scope::BroadcastsSend),
            "recall" => Some(Scope::AssistantsRead),
            "remember" | "forget" => Some(Scope::AssistantsWrite),
            "delegate" | "schedule_follow_up" => Some(Scope::RunsStart),
            _ => None,
        }
    }
}
