//! The routes of conversations.

use frontdesk_kernel::Scope;
use frontdesk_platform::{Caller, Error, Route};
use frontdesk_web::{Body, Data, List, Listing, Path, Result};

use super::conversation::{
    Conversation, ConversationFilters, ConversationId, ConversationPatch, Handover, MISSING, Snooze,
};
use super::{bulk, notes};

pub fn routes() -> Vec<Route> {
    let (read, write) = (Scope::ConversationsRead, Scope::ConversationsWrite);
    let routes = vec![
        Route::get("/conversations", "listConversations", list)
            .scope(read)
            .summary("List conversations")
            .notes("Newest first by creation; use `updated_since` to find recent activity."),
        Route::get("/conversations/{id}", "getConversation", get).scope(read).summary("Get a conversation"),
        Route::patch("/conversations/{id}", "updateConversation", patch)
            .scope(write)
            .summary("Change a conversation's status or assignment"),
        Route::post("/conversations/{id}/read", "markConversationRead", mark_read)
            .scope(write)
            .summary("Mark a conversation as read")
            .notes("Clears `unread_count` and sends a read receipt, if the channel has them."),
        Route::post("/conversations/{id}/unread", "markConversationUnread", mark_unread)
            .scope(write)
            .summary("Mark a conversation as unread")
            .notes("`unread_count` becomes 1 where it is 0. The customer is told nothing."),
        Route::post("/conversations/{id}/snooze", "snoozeConversation", snooze)
            .scope(write)
            .summary("Snooze a conversation")
            .notes(
                "The conversation is `pending` until the given time, and opens then, or when the customer writes. Our own \
                 messages do not end a snooze; another status does, and so does `until: null`, which opens it at once.",
            ),
        Route::post("/conversations/{id}/handover", "handOverConversation", hand_over)
            .scope(write)
            .summary("Hand a conversation over")
            .notes("To an assistant, or to a person."),
    ];
    routes
        .into_iter()
        .chain(notes::routes())
        .chain(bulk::routes())
        .map(|route| route.tag("Conversations"))
        .collect()
}

async fn list(caller: Caller, listing: Listing<ConversationFilters>) -> Result<List<Conversation>> {
    let Listing { filters, page } = listing;
    let asked = page.clone();
    let rows =
        caller.scan(move |tx, by| super::list(tx, by.account, &filters, &asked).map_err(Error::from)).await?;
    Ok(page.finish(rows, |conversation| conversation.id.uuid()))
}

async fn get(caller: Caller, Path(id): Path<ConversationId>) -> Result<Data<Conversation>> {
    caller.read(move |tx, by| super::find(tx, by.account, id)?.ok_or(MISSING)).await.map(Data)
}

async fn patch(
    caller: Caller,
    Path(id): Path<ConversationId>,
    Body(patch): Body<ConversationPatch>,
) -> Result<Data<Conversation>> {
    caller.write(move |tx, by| super::patch(tx, by, id, &patch)).await.map(Data)
}

async fn mark_read(caller: Caller, Path(id): Path<ConversationId>) -> Result<Data<Conversation>> {
    caller.write(move |tx, by| super::mark_read(tx, by, id)).await.map(Data)
}

async fn mark_unread(caller: Caller, Path(id): Path<ConversationId>) -> Result<Data<Conversation>> {
    caller.write(move |tx, by| super::mark_unread(tx, by, id)).await.map(Data)
}

async fn snooze(
    caller: Caller,
    Path(id): Path<ConversationId>,
    Body(snooze): Body<Snooze>,
) -> Result<Data<Conversation>> {
    caller.write(move |tx, by| super::snooze(tx, by, id, snooze.until.0)).await.map(Data)
}

async fn hand_over(
    caller: Caller,
    Path(id): Path<ConversationId>,
    Body(handover): Body<Handover>,
) -> Result<Data<Conversation>> {
    caller.write(move |tx, by| super::hand_over(tx, by, id, &handover)).await.map(Data)
}
