//! The routes of messages.

use frontdesk_kernel::Scope;
use frontdesk_platform::{Caller, Error, Route};
use frontdesk_web::{Body, Data, Failure, List, Listing, Path, Result};
use http::StatusCode;

use super::history::{self, StatusChange};
use super::input::NewMessage;
use super::message::{MISSING, Message, MessageFilters, MessageId};
use super::ops::send_file;
use super::search::{self, SearchFilters};
use crate::conversations::{self, ConversationId};
use crate::media::Links;

pub fn routes() -> Vec<Route> {
    const SEND: &[StatusCode] = &[StatusCode::UNPROCESSABLE_ENTITY, StatusCode::PAYMENT_REQUIRED];
    let routes = vec![
        Route::get("/conversations/{id}/messages", "listConversationMessages", list)
            .scope(Scope::MessagesRead)
            .summary("List a conversation's messages"),
        Route::get("/messages", "searchMessages", find)
            .scope(Scope::MessagesRead)
            .summary("Search messages")
            .notes("Messages whose text holds `q`, whatever its case, newest first. `q` is required."),
        Route::get("/messages/{id}", "getMessage", get).scope(Scope::MessagesRead).summary("Get a message"),
        Route::get("/messages/{id}/statuses", "listMessageStatuses", statuses)
            .scope(Scope::MessagesRead)
            .summary("List a message's statuses")
            .notes(
                "Every status of the message, oldest first, each with its time and, if it failed, the \
                 error. An outbound message begins as `sending`; a customer's message has one status, \
                 `delivered`.",
            ),
        Route::post("/messages", "sendMessage", send)
            .scope(Scope::MessagesSend)
            .created()
            .idempotent()
            .fails(SEND)
            .summary("Send a message")
            .notes(
                "Sends to a conversation, or to a number, whose contact and conversation are found or \
                 created. The response has the status `sending`; `message.status_changed` and GET \
                 /messages/{id} report later ones. Text and media need an open 24-hour window on \
                 WhatsApp, Messenger and Instagram (422 `outside_window`); a template does not.",
            ),
    ];
    routes.into_iter().map(|route| route.tag("Messages")).collect()
}

async fn list(
    caller: Caller,
    Path(id): Path<ConversationId>,
    listing: Listing<MessageFilters>,
) -> Result<List<Message>> {
    let Listing { filters, page } = listing;
    let (asked, links) = (page.clone(), Links::of(caller.services()));
    let rows = caller
        .scan(move |tx, by| {
            conversations::find(tx, by.account, id)?.ok_or(Error::Missing("conversation"))?;
            super::list(tx, by.account, id, &filters, &asked, &links, by.now).map_err(Error::from)
        })
        .await?;
    Ok(page.finish(rows, |message| message.id.uuid()))
}

async fn find(caller: Caller, listing: Listing<SearchFilters>) -> Result<List<Message>> {
    let Listing { filters, page } = listing;
    if filters.q.is_none() {
        return Err(Failure::bad_request(
            "The query parameter q is needed: a part of the text to search for.",
        ));
    }
    let (asked, links) = (page.clone(), Links::of(caller.services()));
    let rows = caller
        .scan(move |tx, by| {
            search::find(tx, by.account, &filters, &asked, &links, by.now).map_err(Error::from)
        })
        .await?;
    Ok(page.finish(rows, |message| message.id.uuid()))
}

async fn get(caller: Caller, Path(id): Path<MessageId>) -> Result<Data<Message>> {
    let links = Links::of(caller.services());
    caller.read(move |tx, by| super::find(tx, by.account, id, &links, by.now)?.ok_or(MISSING)).await.map(Data)
}

async fn statuses(caller: Caller, Path(id): Path<MessageId>) -> Result<List<StatusChange>> {
    let all = caller.read(move |tx, by| history::list(tx, by.account, id)?.ok_or(MISSING)).await?;
    Ok(List::all(all))
}

async fn send(caller: Caller, Body(new): Body<NewMessage>) -> Result<Data<Message>> {
    let links = Links::of(caller.services());
    let file = new.media_url().and_then(|url| links.own_file(url.as_str()));
    caller.write(move |tx, by| send_file(tx, by, &new, file.as_ref())).await.map(Data)
}
