//! What a copy of a broadcast starts from. Tags, segments and contacts that are gone are left out.

use std::collections::BTreeMap;

use frontdesk_crm::contacts::ContactId;
use frontdesk_crm::segments::{self, SegmentId};
use frontdesk_crm::tags::{self, TagId};
use frontdesk_db::{self as db, ReadTx};
use frontdesk_kernel::ids::AccountId;
use frontdesk_platform::{Caller, Error as PlatformError};
use frontdesk_web::{Data, Path, Result, choice, resource};
use uuid::Uuid;

use crate::audience::ChosenAudience;
use crate::broadcast::{BroadcastId, BroadcastTemplate, MISSING};
use crate::input::VariableType;
use crate::row::{self, StoredBroadcast};
use crate::sql::CONTACTS_OF;
use crate::variables::Rule;

/// Maximum contacts of a list that is copied. The audience of a longer one is chosen again.
const CONTACTS_MAX: i64 = 1_000;

resource! {
    /// What a copy of a broadcast starts from.
    pub struct BroadcastCopy {
        pub name: String,
        /// Null for free text.
        pub template: Option<BroadcastTemplate>,
        /// How the template's placeholders are filled in, by their keys.
        pub variables: BTreeMap<String, CopiedVariable>,
        pub header_media_url: Option<String>,
        /// Null when it must be chosen again: it was a long list, or nothing of it is left.
        pub audience: Option<CopiedAudience>,
    }
}

resource! {
    /// The value of a placeholder.
    #[derive(PartialEq, Eq)]
    pub struct CopiedVariable {
        pub r#type: VariableType,
        /// The text itself; `name`, `phone`, `email` or `company`; or the id of a custom field.
        pub value: String,
        /// The text for contacts whose value is blank.
        pub fallback: Option<String>,
    }
}

choice! {
    /// The kinds of audiences that can be copied. A list of numbers becomes a list of contacts.
    pub enum AudienceKind {
        All => "all",
        Tags => "tags",
        Segment => "segment",
        Contacts => "contacts",
    }
}

resource! {
    /// An audience, as `POST /broadcasts` takes it.
    pub struct CopiedAudience {
        pub r#type: AudienceKind,
        /// For `tags`.
        pub tag_ids: Vec<TagId>,
        /// For `all`, `tags` and `segment`: contacts with one of these tags are left out.
        pub exclude_tag_ids: Vec<TagId>,
        /// For `segment`.
        pub segment_id: Option<SegmentId>,
        /// For `contacts`.
        pub contact_ids: Vec<ContactId>,
    }
}

pub(super) async fn copy(caller: Caller, Path(id): Path<BroadcastId>) -> Result<Data<BroadcastCopy>> {
    let copied = caller.read(move |tx, by| {
        let broadcast = row::find(tx, by.account, id)?.ok_or(MISSING)?;
        let audience = audience(tx, &broadcast)?;
        let content = broadcast.content;
        Ok::<_, PlatformError>(BroadcastCopy {
            name: broadcast.resource.name,
            template: broadcast.resource.template,
            variables: content.variables.iter().map(|(key, rule)| (key.clone(), shown(rule))).collect(),
            header_media_url: content.header_media_url,
            audience,
        })
    });
    copied.await.map(Data)
}

fn shown(rule: &Rule) -> CopiedVariable {
    let (r#type, value, fallback) = rule.written();
    CopiedVariable { r#type, value, fallback }
}

fn audience(tx: &mut ReadTx<'_>, broadcast: &StoredBroadcast) -> db::Result<Option<CopiedAudience>> {
    let account = broadcast.account;
    let empty = |kind| CopiedAudience {
        r#type: kind,
        tag_ids: Vec::new(),
        exclude_tag_ids: Vec::new(),
        segment_id: None,
        contact_ids: Vec::new(),
    };
    Ok(match &broadcast.content.audience {
        Some(ChosenAudience::All { exclude }) => {
            let exclude_tag_ids = known_tags(tx, account, exclude)?;
            Some(CopiedAudience { exclude_tag_ids, ..empty(AudienceKind::All) })
        }
        Some(ChosenAudience::Tags { tags, exclude }) => {
            let (tag_ids, exclude_tag_ids) =
                (known_tags(tx, account, tags)?, known_tags(tx, account, exclude)?);
            let copied = CopiedAudience { tag_ids, exclude_tag_ids, ..empty(AudienceKind::Tags) };
            (!copied.tag_ids.is_empty()).then_some(copied)
        }
        Some(ChosenAudience::Segment { segment, exclude }) => {
            let segment_id = segments::find(tx, account, SegmentId::from_uuid(*segment))?.map(|it| it.id);
            let exclude_tag_ids = known_tags(tx, account, exclude)?;
            let copied = CopiedAudience { exclude_tag_ids, segment_id, ..empty(AudienceKind::Segment) };
            segment_id.map(|_| copied)
        }
        // A list, or a broadcast of an earlier version, which did not store what was chosen.
        Some(ChosenAudience::Listed) | None => {
            let params: &[&dyn db::Param] = &[&account, &broadcast.id(), &(CONTACTS_MAX + 1)];
            let contact_ids: Vec<ContactId> = tx.query(CONTACTS_OF, params, db::only)?;
            let is_short = !contact_ids.is_empty() && contact_ids.len() as i64 <= CONTACTS_MAX;
            let is_whole = broadcast.fill_cursor.is_none();
            (is_short && is_whole).then(|| CopiedAudience { contact_ids, ..empty(AudienceKind::Contacts) })
        }
    })
}

/// Those of the tags that still exist, in their order.
fn known_tags(tx: &mut ReadTx<'_>, account: AccountId, ids: &[Uuid]) -> db::Result<Vec<TagId>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let ids: Vec<TagId> = ids.iter().map(|id| TagId::from_uuid(*id)).collect();
    let known = tags::find_many(tx, account, &ids)?;
    Ok(ids.into_iter().filter(|id| known.iter().any(|tag| tag.id == *id)).collect())
}
