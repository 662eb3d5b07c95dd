//! An audience while it is chosen: how many people it has, some of them, and who is left out. Stores nothing.

use std::collections::HashSet;

use frontdesk_crm::contacts::{self, ContactId};
use frontdesk_crm::desk::{ContactName, ContactTotal, NAMES, read_name};
use frontdesk_crm::segments;
use frontdesk_db::{self as db, Query, ReadTx};
use frontdesk_inbox::connections::{Channel, ConnectionId, StoredConnection};
use frontdesk_inbox::messages::{MessageError, bulk};
use frontdesk_inbox::sender;
use frontdesk_kernel::Phone;
use frontdesk_platform::sealing::Keyring;
use frontdesk_platform::{By, Caller, Error as PlatformError, draft};
use frontdesk_web::{Data, Draft, Result, input, resource};

use crate::api::references;
use crate::audience::{
    Audience, AudienceRule, LIST_ROWS_MAX, OPTED_OUT, REACHABLE, WITHOUT_PHONE, exclude, excluded, frozen,
};
use crate::broadcast::BroadcastError;
use crate::create;
use crate::input::AudienceInput;

/// Contacts that are counted. The response says when there are more.
const COUNTED_MAX: i64 = 100_000;
/// Recipients that are shown.
const SAMPLE_ROWS: usize = 5;

input! {
    /// A broadcast that is being put together.
    pub struct BroadcastPreviewRequest {
        pub audience: AudienceInput,
    }
}

resource! {
    /// Who would get a broadcast, and how fast.
    pub struct BroadcastPreview {
        pub recipients: ContactTotal,
        /// Some of them, the newest first.
        pub sample: Vec<ContactName>,
        pub left_out: LeftOut,
        /// Numbers of a list that are not contacts yet.
        pub new_contacts: i64,
        /// The pace of the number that would send it; null if none is connected.
        pub messages_per_second: Option<f64>,
        /// The number that would send it; null if none is connected.
        pub connection: Option<BroadcastSender>,
        /// Broadcasts that the account may still create this month; null without a limit.
        pub broadcasts_left: Option<i64>,
    }
}

resource! {
    /// Those of an audience who would get nothing. Each is counted once.
    #[derive(PartialEq, Eq, Default)]
    pub struct LeftOut {
        pub opted_out: i64,
        pub without_phone: i64,
        pub excluded_by_tag: i64,
        /// Entries of a list that name somebody again.
        pub listed_twice: i64,
    }
}

resource! {
    /// The connection that sends a broadcast.
    pub struct BroadcastSender {
        pub id: ConnectionId,
        pub name: String,
        /// Its phone number.
        pub address: Option<String>,
    }
}

pub(super) async fn preview(
    caller: Caller,
    Draft(asked): Draft<BroadcastPreviewRequest>,
) -> Result<Data<BroadcastPreview>> {
    let BroadcastPreviewRequest { audience } = draft::whole(&caller, asked, references).await?;
    let keys = caller.services().secrets.clone();
    caller.scan(move |tx, by| look(tx, by, &audience, &keys)).await.map(Data)
}

fn look(
    tx: &mut ReadTx<'_>,
    by: &By,
    asked: &AudienceInput,
    keys: &Keyring,
) -> std::result::Result<BroadcastPreview, BroadcastError> {
    let unknown = create::unknown_audience(tx, by, asked)?;
    if !unknown.is_empty() {
        return Err(BroadcastError::Invalid(unknown));
    }
    let segment = create::segment_of(tx, by, asked)?;
    let audience = Audience::read(asked, segment.as_ref());
    let found = find(tx, by, &audience)?;
    let connection = connection(tx, by)?;
    Ok(BroadcastPreview {
        recipients: found.recipients,
        sample: found.sample,
        left_out: found.left_out,
        new_contacts: found.new_contacts,
        messages_per_second: connection.as_ref().map(|it| sender::per_second(it, it.credentials(keys))),
        connection: connection.map(|StoredConnection { public, .. }| BroadcastSender {
            id: public.id,
            name: public.name,
            address: public.address,
        }),
        broadcasts_left: create::left_this_month(tx, by)?,
    })
}

/// The number that would send it, if one is connected.
fn connection(tx: &mut ReadTx<'_>, by: &By) -> db::Result<Option<StoredConnection>> {
    match bulk::connection_for(tx, by.account, Channel::Whatsapp) {
        Ok(connection) => Ok(Some(connection)),
        Err(MessageError::Platform(PlatformError::Store(error))) => Err(error),
        Err(_) => Ok(None),
    }
}

/// What is known of an audience.
struct Found {
    recipients: ContactTotal,
    sample: Vec<ContactName>,
    left_out: LeftOut,
    new_contacts: i64,
}

fn find(tx: &mut ReadTx<'_>, by: &By, audience: &Audience) -> db::Result<Found> {
    let Some(listed) = Listed::read(tx, by, audience)? else {
        let fates = Fates::count(tx, by, audience, None)?;
        return Ok(Found {
            recipients: ContactTotal {
                count: fates.reached.min(COUNTED_MAX),
                is_more: fates.total() > COUNTED_MAX,
            },
            sample: sample(tx, by, audience, None, SAMPLE_ROWS)?,
            left_out: fates.left_out(0),
            new_contacts: 0,
        });
    };
    let (mut fates, mut shown) = (Fates::default(), Vec::new());
    for part in listed.contacts.chunks(LIST_ROWS_MAX) {
        fates = fates.plus(&Fates::count(tx, by, audience, Some(part))?);
        if shown.len() < SAMPLE_ROWS {
            shown.extend(sample(tx, by, audience, Some(part), SAMPLE_ROWS - shown.len())?);
        }
    }
    Ok(Found {
        recipients: ContactTotal { count: fates.reached + listed.new_contacts, is_more: false },
        sample: shown,
        left_out: fates.left_out(listed.repeated),
        new_contacts: listed.new_contacts,
    })
}

/// The contacts that a list names.
struct Listed {
    /// Each once, the newest first.
    contacts: Vec<ContactId>,
    new_contacts: i64,
    /// Entries that name somebody again.
    repeated: i64,
}

impl Listed {
    /// None if the audience is not a list.
    fn read(tx: &mut ReadTx<'_>, by: &By, audience: &Audience) -> db::Result<Option<Self>> {
        let (mut contacts, mut new) = (HashSet::new(), HashSet::new());
        let given = match &audience.whom {
            AudienceRule::Contacts(ids) => {
                contacts.extend(ids.iter().map(|id| ContactId::from_uuid(*id)));
                ids.len()
            }
            AudienceRule::Phones(phones) => {
                for part in phones.chunks(LIST_ROWS_MAX) {
                    let part: Vec<Phone> = part.iter().filter_map(|phone| phone.parse().ok()).collect();
                    for (phone, known) in part.iter().zip(contacts::find_all_by_phone(tx, by.account, &part)?)
                    {
                        match known {
                            Some(contact) => contacts.insert(contact),
                            None => new.insert(phone.key()),
                        };
                    }
                }
                phones.len()
            }
            AudienceRule::Tags(_) | AudienceRule::All | AudienceRule::Segment(..) => return Ok(None),
        };
        let repeated = given.saturating_sub(contacts.len() + new.len()) as i64;
        let mut contacts: Vec<ContactId> = contacts.into_iter().collect();
        contacts.sort_unstable_by_key(|contact| std::cmp::Reverse(*contact));
        Ok(Some(Self { contacts, new_contacts: new.len() as i64, repeated }))
    }
}

/// How many contacts of an audience would get it, and why the others would not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Fates {
    reached: i64,
    opted_out: i64,
    without_phone: i64,
    excluded: i64,
}

impl Fates {
    fn count(
        tx: &mut ReadTx<'_>,
        by: &By,
        audience: &Audience,
        listed: Option<&[ContactId]>,
    ) -> db::Result<Self> {
        let mut query = Query::new("SELECT fate, count(*) FROM (SELECT CASE WHEN ");
        query
            .push(WITHOUT_PHONE)
            .push(" THEN 'without_phone' WHEN ")
            .push(OPTED_OUT)
            .push(" THEN 'opted_out'");
        if !audience.exclude.is_empty() {
            query.push(" WHEN ");
            excluded(&mut query, audience);
            query.push(" THEN 'excluded'");
        }
        query.push(" ELSE 'reached' END AS fate FROM contacts c WHERE c.account_id = ").bind(by.account);
        among(tx, by, &mut query, audience, listed)?;
        query.push(" LIMIT ").bind(COUNTED_MAX + 1).push(") AS judged GROUP BY fate");
        let mut fates = Self::default();
        for (fate, count) in tx.run(&query, |row| Ok((row.next::<String>()?, row.next::<i64>()?)))? {
            match fate.as_str() {
                "without_phone" => fates.without_phone = count,
                "opted_out" => fates.opted_out = count,
                "excluded" => fates.excluded = count,
                _ => fates.reached = count,
            }
        }
        Ok(fates)
    }

    fn plus(&self, other: &Self) -> Self {
        Self {
            reached: self.reached + other.reached,
            opted_out: self.opted_out + other.opted_out,
            without_phone: self.without_phone + other.without_phone,
            excluded: self.excluded + other.excluded,
        }
    }

    fn total(&self) -> i64 {
        self.reached + self.opted_out + self.without_phone + self.excluded
    }

    fn left_out(&self, listed_twice: i64) -> LeftOut {
        let Self { opted_out, without_phone, excluded, .. } = *self;
        LeftOut { opted_out, without_phone, excluded_by_tag: excluded, listed_twice }
    }
}

/// The newest recipients.
fn sample(
    tx: &mut ReadTx<'_>,
    by: &By,
    audience: &Audience,
    listed: Option<&[ContactId]>,
    most: usize,
) -> db::Result<Vec<ContactName>> {
    let mut query = Query::new(NAMES);
    query.bind(by.account);
    among(tx, by, &mut query, audience, listed)?;
    query.push(REACHABLE);
    exclude(&mut query, audience);
    query.push(" ORDER BY c.id DESC LIMIT ").bind(most as i64);
    tx.run(&query, read_name)
}

/// Adds the condition that a contact belongs to the audience, or to this part of its list. Everybody counts here, also
/// those who are left out later.
fn among(
    tx: &mut ReadTx<'_>,
    by: &By,
    query: &mut Query,
    audience: &Audience,
    listed: Option<&[ContactId]>,
) -> db::Result<()> {
    if let Some(listed) = listed {
        query.push(" AND c.id IN ").bind_list(listed);
        return Ok(());
    }
    match &audience.whom {
        AudienceRule::Tags(tags) if tags.is_empty() => {
            query.push(" AND FALSE");
        }
        AudienceRule::Tags(tags) => {
            query.push(" AND c.id IN (SELECT t.contact_id FROM contact_tags t WHERE t.account_id = ");
            query.bind(by.account).push(" AND t.tag_id IN ").bind_list(tags).push(")");
        }
        AudienceRule::Segment(id, all, rules) => {
            let segment = frozen(*id, *all, rules)?;
            query.push(" AND ");
            segments::condition(tx, &segment, query, by.now);
        }
        AudienceRule::All | AudienceRule::Phones(_) | AudienceRule::Contacts(_) => {}
    }
    Ok(())
}
