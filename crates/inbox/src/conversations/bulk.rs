//! Changes the status and assignment of many conversations in the background.

use frontdesk_crm::contacts::ContactId;
use frontdesk_db::{self as db, ReadTx, Tx};
use frontdesk_kernel::ids::{Conversation as ConversationMark, UserId};
use frontdesk_kernel::{Patch, Scope, Timestamp};
use frontdesk_platform::bulk::{self, BulkError, BulkIds, BulkJob, BulkJobId, BulkKind, BulkRequest};
use frontdesk_platform::{By, Caller, Error, Route, members};
use frontdesk_web::{Body, Data, Given, Kept, Page, Path, Problems, Result as WebResult, input};
use uuid::Uuid;

use super::conversation::{
    ConversationFilters, ConversationId, ConversationPatch, ConversationStatus, Handler,
};
use crate::connections::Channel;

input! {
    /// What to change of many conversations: those with these ids, or those that a filter chooses.
    pub struct ConversationBulk {
        /// At most 1,000 conversations.
        pub ids: Option<BulkIds<ConversationMark>>,
        pub filter: Option<ConversationChoice>,
        pub status: Given<ConversationStatus>,
        /// A member of the account; null leaves them to nobody.
        pub assigned_user_id: Patch<UserId>,
    }
    shape = bulk::chooses_once;
    check = changes_something;
}

input! {
    /// Which conversations, by the filters of GET /conversations.
    pub struct ConversationChoice {
        pub status: Option<ConversationStatus>,
        pub channel: Option<Channel>,
        pub assigned_user_id: Option<UserId>,
        pub contact_id: Option<ContactId>,
        pub handler: Option<Handler>,
        pub unread: Option<bool>,
        pub updated_since: Option<Timestamp>,
    }
}

fn changes_something(request: &ConversationBulk, problems: &mut Problems) {
    if matches!((&request.status, &request.assigned_user_id), (Given::Absent, Patch::Keep)) {
        problems.add("status", "or assigned_user_id must be given");
    }
}

impl From<&ConversationChoice> for ConversationFilters {
    fn from(choice: &ConversationChoice) -> Self {
        Self {
            status: choice.status,
            channel: choice.channel,
            assigned_user_id: choice.assigned_user_id,
            contact_id: choice.contact_id,
            handler: choice.handler,
            unread: choice.unread,
            updated_since: choice.updated_since,
        }
    }
}

/// Bulk changes of conversations.
pub const BULK_CHANGES: BulkKind = BulkKind::of::<ConversationBulk>("conversations");

impl BulkRequest for ConversationBulk {
    fn ids(&self) -> Option<Vec<Uuid>> {
        Some(self.ids.as_ref()?.0.iter().map(ConversationId::uuid).collect())
    }

    fn check(&self, tx: &mut ReadTx<'_>, by: &By) -> Result<(), BulkError> {
        let mut problems = Problems::new();
        let ids = self.ids.as_ref().map_or(&[][..], |ids| &ids.0);
        bulk::check_ids(&mut problems, "ids", ids, "conversation", |id| {
            super::find(tx, by.account, id).map(|conversation| conversation.is_some())
        })?;
        bulk::refuse(problems)?;
        match self.assigned_user_id {
            Patch::Set(user) if !members::is_active(tx, by.account, user)? => {
                Err(Error::Missing("member").into())
            }
            _ => Ok(()),
        }
    }

    fn chosen(&self, tx: &mut ReadTx<'_>, by: &By, below: Uuid, limit: i64) -> Result<Vec<Uuid>, BulkError> {
        let Some(choice) = &self.filter else { return Ok(Vec::new()) };
        // A page fetches one row more than it shows.
        let page = Page::inside(limit - 1, Some(below));
        let found = super::list(tx, by.account, &choice.into(), &page)?;
        Ok(found.into_iter().map(|conversation| conversation.id.uuid()).collect())
    }

    fn work(&self) -> usize {
        1
    }

    fn change(&self, tx: &mut Tx<'_>, by: &By, ids: &[Uuid]) -> db::Result<usize> {
        let patch =
            ConversationPatch { status: self.status, assigned_user_id: self.assigned_user_id.clone() };
        let mut changed = 0;
        for id in ids {
            match super::patch(tx, by, ConversationId::from_uuid(*id), &patch) {
                Ok(_) => changed += 1,
                Err(Error::Missing(_)) => {}
                Err(Error::Store(error)) => return Err(error),
            }
        }
        Ok(changed)
    }
}

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::post("/conversations/bulk", "changeConversations", create)
            .scope(Scope::ConversationsWrite)
            .accepted()
            .summary("Change many conversations")
            .notes("Carried out in the background; `GET /conversations/bulk/{id}` shows its progress."),
        Route::get("/conversations/bulk/{id}", "getConversationsChange", get)
            .scope(Scope::ConversationsRead)
            .summary("Get the progress of a change of many conversations"),
    ]
}

async fn create(caller: Caller, Body(asked): Body<Kept<ConversationBulk>>) -> WebResult<Data<BulkJob>> {
    bulk::accept(&caller, BULK_CHANGES, asked).await.map(Data)
}

async fn get(caller: Caller, Path(id): Path<BulkJobId>) -> WebResult<Data<BulkJob>> {
    bulk::get(&caller, BULK_CHANGES, id).await.map(Data)
}
