//! Creates a broadcast. Everything that can be refused is refused before anything is written.
//!
//! The first recipients are found by a read before the transaction and added inside it, so that `counts.total` is known
//! at once for audiences of up to [`FIRST_RECIPIENTS_MAX`]. The worker adds the rest.

use frontdesk_channels::Layout;
use frontdesk_crm::contacts::{self, ContactError};
use frontdesk_crm::segments::{self, Segment};
use frontdesk_crm::{custom_fields, tags};
use frontdesk_db::{self as db, Query, ReadTx, Tx};
use frontdesk_inbox::connections::{self, Channel, ConnectionId, StoredConnection};
use frontdesk_inbox::messages::{self, LANGUAGE_DEFAULT, MessageError, SenderType, bulk};
use frontdesk_kernel::{Text, Timestamp};
use frontdesk_platform::accounts::{self, Account};
use frontdesk_platform::{By, Error as PlatformError, events};
use frontdesk_web::Problems;

use crate::audience::{
    self, Audience, AudienceQuery, AudienceRule, Candidate, ChosenAudience, Cursor, NewContacts, Part,
};
use crate::broadcast::{
    Broadcast, BroadcastCounts, BroadcastError, BroadcastId, BroadcastKind, BroadcastTemplate,
};
use crate::counts::Tally;
use crate::event_types::{self, BroadcastEventData};
use crate::input::{AudienceInput, NewBroadcast, Variable, VariableType};
use crate::recipients::{self, FailureReason, NewRecipient};
use crate::row::{self, StoredBroadcast};
use crate::status::BroadcastStatus;
use crate::variables::Content;

/// Maximum recipients added while the request waits.
pub(crate) const FIRST_RECIPIENTS_MAX: usize = 5_000;
/// Maximum contacts examined while the request waits. If a segment matches few of very many contacts, the worker
/// continues the search from there.
const FIRST_LOOKED_MAX: usize = 200_000;
/// Ids that one statement looks up.
const LOOKUP_IDS_MAX: usize = 1_000;

const NO_SEGMENT: PlatformError = PlatformError::Missing("segment");
const NO_CONNECTION: PlatformError = PlatformError::Missing("connection");

/// The longest free text that a personal number sends.
pub const FREE_TEXT_CHARS_MAX: usize = 4_096;

/// A broadcast of free text, which only the command line creates.
#[derive(Clone, Debug)]
pub struct NewFreeText {
    pub name: Text<200>,
    pub text: Text<FREE_TEXT_CHARS_MAX>,
    pub audience: AudienceInput,
    /// The personal number to send from. Defaults to the account's oldest connected one.
    pub connection: Option<ConnectionId>,
    pub schedule_at: Option<Timestamp>,
}

/// The broadcast to create: from a template, or from free text.
#[derive(Clone, Debug)]
pub enum Order {
    Template(Box<NewBroadcast>),
    FreeText(Box<NewFreeText>),
}

impl Order {
    fn audience(&self) -> &AudienceInput {
        match self {
            Self::Template(new) => &new.audience,
            Self::FreeText(new) => &new.audience,
        }
    }

    fn schedule_at(&self) -> Option<Timestamp> {
        match self {
            Self::Template(new) => new.schedule_at,
            Self::FreeText(new) => new.schedule_at,
        }
    }

    fn name(&self) -> &str {
        match self {
            Self::Template(new) => new.name.as_str(),
            Self::FreeText(new) => new.name.as_str(),
        }
    }
}

/// A validated order.
struct Plan {
    kind: BroadcastKind,
    connection: StoredConnection,
    template: Option<(BroadcastTemplate, Layout)>,
    content: Content,
    audience: Audience,
}

/// Reports every id in the lists and variables of an order that the account does not have.
pub(crate) fn unknown(tx: &mut ReadTx<'_>, by: &By, order: &Order) -> Result<Problems, BroadcastError> {
    let mut problems = unknown_audience(tx, by, order.audience())?;
    if let Order::Template(new) = order {
        let variables = new.variables.as_ref().map_or(&[][..], |variables| variables.0.as_slice());
        unknown_fields(tx, by, variables, &mut problems)?;
    }
    Ok(problems)
}

/// The same for an audience alone.
pub(crate) fn unknown_audience(
    tx: &mut ReadTx<'_>,
    by: &By,
    audience: &AudienceInput,
) -> Result<Problems, BroadcastError> {
    let mut problems = Problems::new();
    let (tag_ids, exclude) = match audience {
        AudienceInput::Phones(_) => (None, None),
        AudienceInput::Contacts(given) => {
            for (at, ids) in given.contact_ids.0.chunks(LOOKUP_IDS_MAX).enumerate() {
                let mut query = Query::new("SELECT id FROM contacts WHERE account_id = ");
                query.bind(by.account).push(" AND id IN ").bind_list(ids);
                let mut known = tx.run(&query, db::only::<contacts::ContactId>)?;
                known.sort_unstable();
                for (place, id) in ids.iter().enumerate() {
                    if known.binary_search(id).is_err() {
                        let place = at * LOOKUP_IDS_MAX + place;
                        problems.add(
                            format!("audience.contact_ids.{place}"),
                            "must be a contact of this account",
                        );
                    }
                }
            }
            (None, None)
        }
        AudienceInput::Tags(given) => (Some(&given.tag_ids), given.exclude_tag_ids.as_ref()),
        AudienceInput::All(given) => (None, given.exclude_tag_ids.as_ref()),
        AudienceInput::Segment(given) => (None, given.exclude_tag_ids.as_ref()),
    };
    for (field, ids) in [("tag_ids", tag_ids), ("exclude_tag_ids", exclude)] {
        let ids = ids.map_or(&[][..], |ids| ids.0.as_slice());
        let known = if ids.is_empty() { Vec::new() } else { tags::find_many(tx, by.account, ids)? };
        for (place, id) in ids.iter().enumerate() {
            if !known.iter().any(|tag| tag.id == *id) {
                problems.add(format!("audience.{field}.{place}"), "must be a tag of this account");
            }
        }
    }
    Ok(problems)
}

/// Custom fields that variables refer to must belong to the account.
pub(crate) fn unknown_fields(
    tx: &mut ReadTx<'_>,
    by: &By,
    variables: &[(String, Variable)],
    problems: &mut Problems,
) -> Result<(), BroadcastError> {
    if !variables.iter().any(|(_, variable)| variable.r#type == VariableType::CustomField) {
        return Ok(());
    }
    let known = custom_fields::list(tx, by.account)?;
    for (key, variable) in variables {
        let is_known = known.iter().any(|field| field.id.to_string() == variable.value.as_str());
        if variable.r#type == VariableType::CustomField && !is_known {
            problems
                .add(format!("variables.{key}.value"), "must be the id of a custom field of this account");
        }
    }
    Ok(())
}

/// Validates an order and finds what it needs.
fn plan(tx: &mut ReadTx<'_>, by: &By, order: &Order) -> Result<Plan, BroadcastError> {
    let segment = segment_of(tx, by, order.audience())?;
    let audience = Audience::read(order.audience(), segment.as_ref());
    match order {
        Order::Template(new) => {
            let connection = bulk::connection_for(tx, by.account, Channel::Whatsapp)?;
            let name = new.template.name.as_str();
            let language = new.template.language.as_ref().map_or(LANGUAGE_DEFAULT, |given| given.as_str());
            let layout = messages::approved_template(tx, &connection, name, language)?;
            let mut content = Content::of_template(new);
            content.audience = Some(ChosenAudience::of(&audience));
            content.check(&layout).map_err(BroadcastError::Variables)?;
            let template = BroadcastTemplate { name: name.to_owned(), language: language.to_owned() };
            let kind = BroadcastKind::Template;
            Ok(Plan { kind, connection, template: Some((template, layout)), content, audience })
        }
        Order::FreeText(new) => {
            let connection = personal(tx, by, new.connection)?;
            let content = Content::of_text(new.text.as_str().to_owned());
            Ok(Plan { kind: BroadcastKind::FreeText, connection, template: None, content, audience })
        }
    }
}

fn personal(
    tx: &mut ReadTx<'_>,
    by: &By,
    id: Option<ConnectionId>,
) -> Result<StoredConnection, BroadcastError> {
    let Some(id) = id else { return Ok(bulk::connection_for(tx, by.account, Channel::PersonalWhatsapp)?) };
    let connection = connections::find(tx, by.account, id)?.ok_or(NO_CONNECTION)?;
    if connection.channel() != Channel::PersonalWhatsapp {
        let wrong = "must be a personal WhatsApp number: free text cannot be broadcast over another channel";
        return Err(BroadcastError::Invalid(Problems::one("connection_id", wrong)));
    }
    if connection.is_connected() {
        Ok(connection)
    } else {
        Err(MessageError::NotConnected(Box::new(connection.public)).into())
    }
}

/// The segment that an audience names.
pub(crate) fn segment_of(
    tx: &mut ReadTx<'_>,
    by: &By,
    audience: &AudienceInput,
) -> Result<Option<Segment>, BroadcastError> {
    let AudienceInput::Segment(given) = audience else { return Ok(None) };
    Ok(Some(segments::find(tx, by.account, given.segment_id)?.ok_or(NO_SEGMENT)?))
}

/// Finds the first recipients. Returns `None` if that is left to the transaction: contacts must be created for numbers,
/// or the order will be refused.
pub(crate) fn look_ahead(tx: &mut ReadTx<'_>, by: &By, order: &Order) -> db::Result<Option<Part>> {
    let plan = match plan(tx, by, order) {
        Ok(plan) if !plan.audience.makes_contacts() => plan,
        Err(BroadcastError::Platform(PlatformError::Store(error))) => return Err(error),
        _ => return Ok(None),
    };
    let fields = plan.content.custom_fields();
    let look = AudienceQuery { account: by.account, now: by.now, fields: &fields };
    let start = Cursor::default();
    audience::look(tx, &look, &plan.audience, start, FIRST_RECIPIENTS_MAX, FIRST_LOOKED_MAX).map(Some)
}

/// Creates a broadcast with its first recipients: those that were found before, or the contacts of its numbers.
pub(crate) fn create(
    tx: &mut Tx<'_>,
    by: &By,
    order: &Order,
    found: Option<&Part>,
) -> Result<Broadcast, BroadcastError> {
    let plan = plan(tx, by, order)?;
    within_limit(tx, by)?;
    let part = match found {
        Some(found) => found.clone(),
        None => first_part(tx, by, &plan)?,
    };
    let id: BroadcastId = by.new_id();
    let layout = plan.template.as_ref().map(|(_, layout)| layout);
    let new = made_of(&plan.content, layout, &part.candidates);
    let added = recipients::insert(tx, by, id, &new)?;
    let later = order.schedule_at().filter(|at| *at > by.now);
    let mut broadcast = StoredBroadcast {
        account: by.account,
        connection: plan.connection.id(),
        content: plan.content,
        fill_cursor: part.next,
        stopping: None,
        sender: SenderType::of(by.actor),
        author: by.author(tx)?,
        fed_after: None,
        counts: Tally { total: added.total, failed: added.failed, ..Tally::default() },
        pending_counts: Tally::default(),
        resource: Broadcast {
            id,
            name: order.name().to_owned(),
            kind: plan.kind,
            channel: plan.connection.channel(),
            template: plan.template.map(|(template, _)| template),
            status: if later.is_some() { BroadcastStatus::Scheduled } else { BroadcastStatus::Sending },
            scheduled_at: Some(later.unwrap_or(by.now)),
            counts: BroadcastCounts::default(),
            created_at: id.created_at(),
            updated_at: by.now,
        },
    };
    broadcast.resource = broadcast.show();
    let due = if broadcast.fill_cursor.is_some() { by.now } else { later.unwrap_or(by.now) };
    row::insert(tx, by, &broadcast, due)?;
    if broadcast.fill_cursor.is_some() {
        row::store_audience(tx, by, id, &plan.audience)?;
    }
    if later.is_none() {
        let data = BroadcastEventData::new(&broadcast.resource, None);
        events::write(tx, by, event_types::STARTED, &data)?;
    }
    Ok(broadcast.resource)
}

/// The monthly limit counts broadcasts created in the calendar month of the account's timezone. Of two concurrent
/// requests, the second waits for the lock and then sees the first one's broadcast.
fn within_limit(tx: &mut Tx<'_>, by: &By) -> Result<(), BroadcastError> {
    let account = accounts::find(tx, by.account)?.ok_or(db::Error::Decode("account"))?;
    let Some(limit) = account.broadcast_limit else { return Ok(()) };
    tx.lock(format!("broadcasts {}", by.account))?;
    if left_of(tx, by, &account, limit)? > 0 { Ok(()) } else { Err(BroadcastError::LimitReached { limit }) }
}

/// How many broadcasts the account may still create this month; none without a limit.
pub(crate) fn left_this_month(tx: &mut ReadTx<'_>, by: &By) -> db::Result<Option<i64>> {
    let account = accounts::find(tx, by.account)?.ok_or(db::Error::Decode("account"))?;
    account.broadcast_limit.map(|limit| left_of(tx, by, &account, limit)).transpose()
}

fn left_of(tx: &mut ReadTx<'_>, by: &By, account: &Account, limit: i64) -> db::Result<i64> {
    let month = by.now.month_start(&account.timezone);
    Ok((limit - row::count_since(tx, by.account, month)?).max(0))
}

/// Finds or creates the contacts of the first numbers. If the account has a contact limit, all numbers become contacts
/// now, so that the broadcast is refused as a whole when they exceed it.
fn first_part(tx: &mut Tx<'_>, by: &By, plan: &Plan) -> Result<Part, BroadcastError> {
    let fields = plan.content.custom_fields();
    let AudienceRule::Phones(phones) = &plan.audience.whom else {
        let look = AudienceQuery { account: by.account, now: by.now, fields: &fields };
        let (start, most) = (Cursor::default(), FIRST_RECIPIENTS_MAX);
        return Ok(audience::look(tx, &look, &plan.audience, start, most, FIRST_LOOKED_MAX)?);
    };
    let limit = contacts::limit(tx, by.account)?;
    let most = if limit.is_some() { phones.len() } else { FIRST_RECIPIENTS_MAX };
    let met = audience::meet(tx, by, &fields, phones, Cursor::default(), most, NewContacts::WithinLimit)?;
    met.ok_or_else(|| ContactError::LimitReached { limit: limit.unwrap_or_default() }.into())
}

/// Recipients with their values. A recipient whose values do not fit the template starts as failed.
pub(crate) fn made_of(
    content: &Content,
    layout: Option<&Layout>,
    candidates: &[Candidate],
) -> Vec<NewRecipient> {
    let recipient = |candidate: &Candidate| {
        let values = content.values(candidate);
        let wrong = match (&values, layout) {
            (Some(values), Some(layout)) => content.compose(layout, values).err(),
            _ => None,
        };
        let error = wrong.and_then(|wrong| {
            let first = wrong.into_iter().next()?;
            Some(FailureReason::new("template_params_mismatch", format!("{}: {}", first.path, first.message)))
        });
        NewRecipient {
            contact: candidate.contact,
            phone: candidate.phone.clone(),
            params: values.and_then(|values| serde_json::to_string(&values).ok()),
            error,
        }
    };
    candidates.iter().map(recipient).collect()
}
