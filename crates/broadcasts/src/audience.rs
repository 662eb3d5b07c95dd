//! Audiences: the contacts that a broadcast is for, found a part at a time.
//!
//! An audience is stored as it was when the broadcast was created, with the rules of its segment. A [`Cursor`] records
//! how far the search has come, so that a crash loses nothing and repeats nothing. A contact that is found twice is one
//! recipient. Opted-out contacts and contacts without a phone are skipped.

use std::collections::HashMap;

use frontdesk_crm::contacts::{self, ContactId, Limit};
use frontdesk_crm::custom_fields::FieldId;
use frontdesk_crm::segments::{self, Match, Segment, SegmentId};
use frontdesk_db::{self as db, Query, ReadTx, Tx};
use frontdesk_kernel::ids::AccountId;
use frontdesk_kernel::{Id, Phone, Timestamp};
use frontdesk_platform::By;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::input::AudienceInput;

/// Contacts that one statement examines.
const LOOK_ROWS_MAX: usize = 2_000;
/// Numbers and ids that one statement looks up.
pub(crate) const LIST_ROWS_MAX: usize = 1_000;

/// An audience as it is stored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Audience {
    #[serde(flatten)]
    pub(crate) whom: AudienceRule,
    /// Contacts with one of these tags are left out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) exclude: Vec<Uuid>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", content = "of", rename_all = "snake_case")]
pub(crate) enum AudienceRule {
    Phones(Vec<String>),
    Contacts(Vec<Uuid>),
    Tags(Vec<Uuid>),
    All,
    /// The segment's id, whether all of its rules must hold, and the rules.
    Segment(Uuid, bool, String),
}

/// What somebody chose as the audience, for a copy of the broadcast. Long lists are not stored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum ChosenAudience {
    All {
        exclude: Vec<Uuid>,
    },
    Tags {
        tags: Vec<Uuid>,
        exclude: Vec<Uuid>,
    },
    Segment {
        segment: Uuid,
        exclude: Vec<Uuid>,
    },
    /// Numbers or contacts.
    Listed,
}

impl ChosenAudience {
    pub(crate) fn of(audience: &Audience) -> Self {
        let exclude = audience.exclude.clone();
        match &audience.whom {
            AudienceRule::All => Self::All { exclude },
            AudienceRule::Tags(tags) => Self::Tags { tags: tags.clone(), exclude },
            AudienceRule::Segment(segment, ..) => Self::Segment { segment: *segment, exclude },
            AudienceRule::Phones(_) | AudienceRule::Contacts(_) => Self::Listed,
        }
    }
}

/// How far an audience has been searched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Cursor {
    /// How many items of a list, or tags, are done.
    #[serde(default)]
    at: usize,
    /// The last contact that was examined.
    #[serde(default)]
    after: Option<Uuid>,
}

/// A contact that a broadcast is for, with the fields that variables may show.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Candidate {
    pub(crate) contact: ContactId,
    pub(crate) phone: Phone,
    pub(crate) name: Option<String>,
    pub(crate) email: Option<String>,
    pub(crate) company: Option<String>,
    /// Values of the requested custom fields.
    pub(crate) values: Vec<(Uuid, String)>,
}

/// A part of an audience.
#[derive(Clone, Debug, Default)]
pub(crate) struct Part {
    pub(crate) candidates: Vec<Candidate>,
    /// Where the next part begins; none when this was the last.
    pub(crate) next: Option<Cursor>,
}

impl Audience {
    pub(crate) fn read(input: &AudienceInput, segment: Option<&Segment>) -> Self {
        let uuids = |ids: &[frontdesk_crm::tags::TagId]| ids.iter().map(Id::uuid).collect::<Vec<Uuid>>();
        let (whom, exclude) = match input {
            AudienceInput::Phones(given) => {
                (AudienceRule::Phones(given.phones.0.iter().map(ToString::to_string).collect()), None)
            }
            AudienceInput::Contacts(given) => {
                (AudienceRule::Contacts(given.contact_ids.0.iter().map(Id::uuid).collect()), None)
            }
            AudienceInput::Tags(given) => {
                (AudienceRule::Tags(uuids(&given.tag_ids.0)), given.exclude_tag_ids.as_ref())
            }
            AudienceInput::All(given) => (AudienceRule::All, given.exclude_tag_ids.as_ref()),
            AudienceInput::Segment(given) => {
                let (combine, rules) = segment.map_or((Match::All, "[]".to_owned()), Segment::freeze);
                let whom = AudienceRule::Segment(given.segment_id.uuid(), combine == Match::All, rules);
                (whom, given.exclude_tag_ids.as_ref())
            }
        };
        Self { whom, exclude: exclude.map(|tags| uuids(&tags.0)).unwrap_or_default() }
    }

    /// Whether a search creates contacts, which needs a write transaction.
    pub(crate) fn makes_contacts(&self) -> bool {
        matches!(self.whom, AudienceRule::Phones(_))
    }
}

/// The parameters of a search.
#[derive(Clone, Copy)]
pub(crate) struct AudienceQuery<'l> {
    pub(crate) account: AccountId,
    pub(crate) now: Timestamp,
    /// Custom fields whose values are wanted.
    pub(crate) fields: &'l [FieldId],
}

/// Continues a search from a cursor, until it has found `most` contacts or examined `looked_max`. Numbers are left to
/// [`meet`].
pub(crate) fn look(
    tx: &mut ReadTx<'_>,
    look: &AudienceQuery<'_>,
    audience: &Audience,
    from: Cursor,
    most: usize,
    looked_max: usize,
) -> db::Result<Part> {
    let mut part = Part { candidates: Vec::new(), next: Some(from) };
    let mut looked = 0;
    while let Some(cursor) = part.next
        && part.candidates.len() < most
        && looked < looked_max
    {
        let room = LOOK_ROWS_MAX.min(most - part.candidates.len());
        let (found, next) = step(tx, look, audience, cursor, room)?;
        part.candidates.extend(found);
        part.next = next;
        looked += room;
    }
    fill_in_values(tx, look, &mut part.candidates)?;
    Ok(part)
}

fn step(
    tx: &mut ReadTx<'_>,
    look: &AudienceQuery<'_>,
    audience: &Audience,
    cursor: Cursor,
    room: usize,
) -> db::Result<(Vec<Candidate>, Option<Cursor>)> {
    match &audience.whom {
        AudienceRule::Phones(_) => Ok((Vec::new(), None)),
        AudienceRule::Contacts(ids) => {
            let end = ids.len().min(cursor.at + room.min(LIST_ROWS_MAX));
            let ids: Vec<ContactId> = ids
                .get(cursor.at..end)
                .unwrap_or_default()
                .iter()
                .map(|id| ContactId::from_uuid(*id))
                .collect();
            let is_last = ids.is_empty() || end == audience.list_len();
            Ok((by_ids(tx, look, &ids)?, (!is_last).then_some(Cursor { at: end, after: None })))
        }
        AudienceRule::Tags(tags) => {
            let Some(tag) = tags.get(cursor.at) else { return Ok((Vec::new(), None)) };
            let found = tagged(tx, look, audience, *tag, cursor.after, room)?;
            let next = match found.last().filter(|_| found.len() == room) {
                Some(last) => Cursor { at: cursor.at, after: Some(last.contact.uuid()) },
                None => Cursor { at: cursor.at + 1, after: None },
            };
            Ok((found, (next.at < tags.len()).then_some(next)))
        }
        AudienceRule::All => among(tx, look, audience, None, cursor.after, room),
        AudienceRule::Segment(id, all, rules) => {
            let segment = frozen(*id, *all, rules)?;
            among(tx, look, audience, Some(&segment), cursor.after, room)
        }
    }
}

/// The segment of an audience, with the rules that it had.
pub(crate) fn frozen(id: Uuid, all: bool, rules: &str) -> db::Result<Segment> {
    let combine = if all { Match::All } else { Match::Any };
    Segment::frozen(SegmentId::from_uuid(id), combine, rules)
}

impl Audience {
    fn list_len(&self) -> usize {
        match &self.whom {
            AudienceRule::Phones(phones) => phones.len(),
            AudienceRule::Contacts(ids) => ids.len(),
            AudienceRule::Tags(_) | AudienceRule::All | AudienceRule::Segment(..) => 0,
        }
    }
}

macro_rules! select {
    ($from:literal) => {
        concat!("SELECT c.id, c.phone, c.name, c.email, c.company FROM ", $from)
    };
}

pub(crate) const REACHABLE: &str = " AND c.phone IS NOT NULL AND c.opted_out_at IS NULL";
/// The opposites of its two parts.
pub(crate) const WITHOUT_PHONE: &str = "c.phone IS NULL";
pub(crate) const OPTED_OUT: &str = "c.opted_out_at IS NOT NULL";

/// Examines the next `room` contacts of the account and returns those that pass.
fn among(
    tx: &mut ReadTx<'_>,
    look: &AudienceQuery<'_>,
    audience: &Audience,
    segment: Option<&Segment>,
    after: Option<Uuid>,
    room: usize,
) -> db::Result<(Vec<Candidate>, Option<Cursor>)> {
    let after = after.unwrap_or(Uuid::nil());
    let mut end = Query::new("SELECT id FROM contacts WHERE account_id = ");
    end.bind(look.account).push(" AND id > ").bind(after);
    end.push(" ORDER BY id LIMIT 1 OFFSET ").bind(room as i64 - 1);
    let end: Option<Uuid> = tx.run(&end, db::only)?.pop();

    let mut query = Query::new(select!("contacts c WHERE c.account_id = "));
    query.bind(look.account).push(" AND c.id > ").bind(after);
    if let Some(end) = end {
        query.push(" AND c.id <= ").bind(end);
    }
    query.push(REACHABLE);
    exclude(&mut query, audience);
    if let Some(segment) = segment {
        query.push(" AND ");
        segments::condition(tx, segment, &mut query, look.now);
    }
    query.push(" ORDER BY c.id");
    let found = tx.run(&query, read)?;
    Ok((found, end.map(|end| Cursor { at: 0, after: Some(end) })))
}

/// Contacts with a tag. The table that drives the query comes first; SQLite keeps that order for a CROSS JOIN.
fn tagged(
    tx: &mut ReadTx<'_>,
    look: &AudienceQuery<'_>,
    audience: &Audience,
    tag: Uuid,
    after: Option<Uuid>,
    room: usize,
) -> db::Result<Vec<Candidate>> {
    let mut query = Query::new(select!(
        "contact_tags t CROSS JOIN contacts c WHERE c.account_id = t.account_id AND c.id = t.contact_id AND t.account_id = "
    ));
    query.bind(look.account).push(" AND t.tag_id = ").bind(tag);
    if let Some(after) = after {
        query.push(" AND t.contact_id > ").bind(after);
    }
    query.push(REACHABLE);
    exclude(&mut query, audience);
    query.push(" ORDER BY t.contact_id LIMIT ").bind(room as i64);
    tx.run(&query, read)
}

/// Contacts by their ids, in the order of the ids.
fn by_ids(tx: &mut ReadTx<'_>, look: &AudienceQuery<'_>, ids: &[ContactId]) -> db::Result<Vec<Candidate>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let mut query = Query::new(select!("contacts c WHERE c.account_id = "));
    query.bind(look.account).push(" AND c.id IN ").bind_list(ids);
    query.push(REACHABLE).push(" ORDER BY c.id");
    tx.run(&query, read)
}

/// Adds the condition that a contact has none of the excluded tags.
pub(crate) fn exclude(query: &mut Query, audience: &Audience) {
    if audience.exclude.is_empty() {
        return;
    }
    query.push(" AND NOT ");
    excluded(query, audience);
}

/// Adds the condition that a contact has one of the excluded tags, of which there is at least one.
pub(crate) fn excluded(query: &mut Query, audience: &Audience) {
    query.push("EXISTS (SELECT 1 FROM contact_tags x WHERE x.account_id = c.account_id AND x.contact_id = c.id AND x.tag_id IN ");
    query.bind_list(&audience.exclude).push(")");
}

fn read(row: &mut db::Row<'_>) -> db::Result<Candidate> {
    Ok(Candidate {
        contact: row.next()?,
        phone: row.next()?,
        name: row.next()?,
        email: row.next()?,
        company: row.next()?,
        values: Vec::new(),
    })
}

fn fill_in_values(tx: &mut ReadTx<'_>, look: &AudienceQuery<'_>, found: &mut [Candidate]) -> db::Result<()> {
    if look.fields.is_empty() {
        return Ok(());
    }
    for part in found.chunks_mut(LIST_ROWS_MAX) {
        let mut query =
            Query::new("SELECT contact_id, field_id, value FROM contact_values WHERE account_id = ");
        let ids: Vec<ContactId> = part.iter().map(|candidate| candidate.contact).collect();
        query.bind(look.account).push(" AND contact_id IN ").bind_list(&ids);
        query.push(" AND field_id IN ").bind_list(look.fields);
        let mut values =
            tx.run(&query, |row| Ok((row.next::<ContactId>()?, row.next::<Uuid>()?, row.next::<String>()?)))?;
        values.sort_by_key(|(contact, ..)| *contact);
        for candidate in part {
            let start = values.partition_point(|(contact, ..)| *contact < candidate.contact);
            let own = values[start..].iter().take_while(|(contact, ..)| *contact == candidate.contact);
            candidate.values = own.map(|(_, field, value)| (*field, value.clone())).collect();
        }
    }
    Ok(())
}

/// Whether the plan's limit stops new contacts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NewContacts {
    /// Beyond the limit no contact is created, and the broadcast is refused.
    WithinLimit,
    /// The broadcast was accepted, so every number becomes a contact.
    All,
}

/// Finds or creates the contacts of the next numbers. Returns `None` when the plan's limit is reached.
pub(crate) fn meet(
    tx: &mut Tx<'_>,
    by: &By,
    fields: &[FieldId],
    phones: &[String],
    from: Cursor,
    most: usize,
    new: NewContacts,
) -> db::Result<Option<Part>> {
    let end = phones.len().min(from.at + most);
    let given = phones.get(from.at..end).unwrap_or_default();
    let given: Vec<Phone> = given.iter().filter_map(|phone| phone.parse().ok()).collect();
    let limit = match new {
        NewContacts::WithinLimit => Limit::Enforced,
        NewContacts::All => Limit::Counted,
    };
    let look = AudienceQuery { account: by.account, now: by.now, fields };
    let mut part = Part {
        candidates: Vec::new(),
        next: (end < phones.len()).then_some(Cursor { at: end, after: None }),
    };
    for given in given.chunks(LIST_ROWS_MAX) {
        let Some(ids) = contacts::find_or_create_all(tx, by, given, limit)? else { return Ok(None) };
        let mut places = HashMap::with_capacity(ids.len());
        for (at, contact) in ids.iter().enumerate() {
            places.entry(*contact).or_insert(at);
        }
        let mut found = by_ids(tx, &look, &ids)?;
        // The message goes to the given number, because a contact may have others.
        for candidate in &mut found {
            if let Some(at) = places.get(&candidate.contact) {
                candidate.phone = given[*at].clone();
            }
        }
        part.candidates.extend(found);
    }
    fill_in_values(tx, &look, &mut part.candidates)?;
    Ok(Some(part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_audience_is_read_as_it_was_written() {
        let id = Uuid::from_u128(7);
        for whom in [
            AudienceRule::Phones(vec!["+14155550123".to_owned()]),
            AudienceRule::Contacts(vec![id]),
            AudienceRule::Tags(vec![id]),
            AudienceRule::All,
            AudienceRule::Segment(id, false, "[]".to_owned()),
        ] {
            let audience = Audience { whom, exclude: vec![id] };
            let text = serde_json::to_string(&audience).unwrap();
            assert_eq!(serde_json::from_str::<Audience>(&text).unwrap(), audience, "{text}");
        }
        let start: Cursor = serde_json::from_str("{}").unwrap();
        assert_eq!(start, Cursor::default());
    }
}
