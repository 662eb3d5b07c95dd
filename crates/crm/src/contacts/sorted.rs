//! Contacts in an order that is not that of their creation. Those without a value come last, in both directions.
//!
//! A page begins after the last row of the one before, by its value and its id. Its rows are read in up to three stages, each
//! a range of an index: those with the same value, those beyond it, and those without one.

use frontdesk_db::{Query, ReadTx, only};
use frontdesk_platform::By;
use frontdesk_web::{Page, Place, choice};
use uuid::Uuid;

use super::contact::{Contact, ContactError, ContactId};
use super::labels;
use super::source::{COLUMNS, ContactFilters, ContactRow, Source, Wanted, read};
use super::sql::TAGGED_UP_TO;

choice! {
    /// What contacts are sorted by: upwards, or downwards with `-`.
    pub enum ContactOrder {
        NameUp => "name",
        NameDown => "-name",
        CompanyUp => "company",
        CompanyDown => "-company",
        CreatedUp => "created_at",
        CreatedDown => "-created_at",
        UpdatedUp => "updated_at",
        UpdatedDown => "-updated_at",
    }
}

/// The key of a contact without a value.
const NO_VALUE: &str = "";
/// Contacts of a tag that are sorted anew for each page. More of them are met soon enough in the order of all contacts.
const TAGGED_SORTED_MAX: i64 = 2_000;

/// What the rows of a stage have.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// The value of the last row, after that row.
    Same,
    /// A value beyond that of the last row; any value on the first page.
    Beyond,
    /// No value.
    Without,
}

/// A contact and its place.
pub struct SortedContact {
    pub contact: Contact,
    place: Place,
}

impl SortedContact {
    pub fn place(&self) -> (Place, Uuid) {
        (self.place.clone(), self.contact.id.uuid())
    }
}

/// The value that rows are sorted by, and the direction.
struct Sorting {
    /// As SQL.
    value: &'static str,
    kind: Kind,
    /// The index that has this order, if it is not the primary key.
    index: Option<&'static str>,
    is_down: bool,
    /// The filter's tag, if its contacts are few.
    rare_tag: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Text,
    Updated,
    /// The id, which every contact has and no other contact has.
    Created,
}

impl Sorting {
    fn new(order: ContactOrder, rare_tag: bool) -> Self {
        use ContactOrder as Order;
        let (value, kind, index) = match order {
            Order::NameUp | Order::NameDown => ("c.name_order", Kind::Text, Some("contacts_name_order")),
            Order::CompanyUp | Order::CompanyDown => {
                ("c.company_order", Kind::Text, Some("contacts_company_order"))
            }
            Order::UpdatedUp | Order::UpdatedDown => {
                ("c.updated_at", Kind::Updated, Some("contacts_updated"))
            }
            Order::CreatedUp | Order::CreatedDown => ("c.id", Kind::Created, None),
        };
        Self { value, kind, index, is_down: order.as_str().starts_with('-'), rare_tag }
    }

    /// The stages of a page. One that begins after a row without a value has only such rows.
    fn stages(&self, page: &Page) -> &'static [Stage] {
        match (self.kind, page.before_key.as_deref(), page.before) {
            (Kind::Text, Some(NO_VALUE), _) => &[Stage::Without],
            (Kind::Text, Some(_), _) => &[Stage::Same, Stage::Beyond, Stage::Without],
            (Kind::Text, None, _) => &[Stage::Beyond, Stage::Without],
            (Kind::Updated, _, Some(_)) => &[Stage::Same, Stage::Beyond],
            (Kind::Updated | Kind::Created, ..) => &[Stage::Beyond],
        }
    }

    fn source(&self, tx: &ReadTx<'_>, wanted: &Wanted<'_>, stage: Stage) -> Source {
        let (beyond, order) = if self.is_down { (" < ", " DESC") } else { (" > ", "") };
        let Self { value, kind, .. } = self;
        let mut query = Query::new("SELECT ");
        query.push(COLUMNS);
        if *kind == Kind::Text {
            query.push(", ").push(value);
        }
        let tag = wanted.filters.tag_id.filter(|_| self.rare_tag);
        if let Some(tag) = tag {
            query.push(" FROM contact_tags t CROSS JOIN contacts c WHERE c.account_id = t.account_id AND c.id = t.contact_id AND t.account_id = ");
            query.bind(wanted.by.account).push(" AND t.tag_id = ").bind(tag);
        } else {
            query.push(" FROM contacts c");
            // A number or an address leads to its contact by an index of its own.
            if let Some(index) = self.index.filter(|_| !wanted.filters.names_one()) {
                query.push(&tx.by_index(index));
            }
            query.push(" WHERE c.account_id = ").bind(wanted.by.account);
        }
        let Page { before, before_at, before_key, .. } = wanted.page;
        let last = before.map(ContactId::from_uuid);
        let compared = |query: &mut Query, operator: &str| {
            query.push(" AND ").push(value).push(operator);
            match (kind, before_key, before_at, last) {
                (Kind::Created, _, _, Some(id)) => query.bind(id),
                (Kind::Updated, _, Some(at), _) => query.bind(*at),
                (Kind::Text, Some(key), ..) => query.bind(key.clone()),
                _ => query.push("NULL"),
            };
        };
        match stage {
            Stage::Same => compared(&mut query, " = "),
            Stage::Beyond => {
                if last.is_some() {
                    compared(&mut query, beyond);
                }
                if *kind == Kind::Text && (last.is_none() || self.is_down) {
                    query.push(" AND ").push(value).push(" > ''");
                }
            }
            Stage::Without => {
                query.push(" AND ").push(value).push(" = ''");
            }
        }
        let continues = stage == Stage::Same || before_key.as_deref() == Some(NO_VALUE);
        if let Some(id) = last.filter(|_| continues) {
            query.push(" AND c.id").push(beyond).bind(id);
        }
        let order = if stage == Stage::Beyond && *kind != Kind::Created {
            format!("{value}{order}, c.id{order}")
        } else {
            format!("c.id{order}")
        };
        Source { is_tagged: tag.is_some(), ..Source::new(query, order) }
    }
}

/// A page of contacts in an order. The filters have no `q`.
pub fn sorted(
    tx: &mut ReadTx<'_>,
    by: &By,
    filters: &ContactFilters,
    order: ContactOrder,
    page: &Page,
) -> Result<Vec<SortedContact>, ContactError> {
    let wanted = Wanted { by, filters, page };
    let rare_tag = has_rare_tag(tx, &wanted)?;
    let sorting = Sorting::new(order, rare_tag);
    let mut rows: Vec<ContactRow> = Vec::new();
    let mut places: Vec<Place> = Vec::new();
    for stage in sorting.stages(page) {
        let missing = (page.fetch() as usize).saturating_sub(rows.len());
        if missing == 0 {
            break;
        }
        let query = sorting.source(tx, &wanted, *stage).select(tx, &wanted)?;
        let found = tx.run(&query, |row| {
            let found = read(row)?;
            let place = match sorting.kind {
                Kind::Text => Place::Key(row.next()?),
                Kind::Updated => Place::At(found.contact.updated_at),
                Kind::Created => Place::Id,
            };
            Ok((found, place))
        })?;
        for (row, place) in found.into_iter().take(missing) {
            rows.push(row);
            places.push(place);
        }
    }
    let contacts = labels::complete(tx, by.account, rows)?;
    Ok(contacts.into_iter().zip(places).map(|(contact, place)| SortedContact { contact, place }).collect())
}

fn has_rare_tag(tx: &mut ReadTx<'_>, wanted: &Wanted<'_>) -> Result<bool, ContactError> {
    let Some(tag) = wanted.filters.tag_id else { return Ok(false) };
    let limit = TAGGED_SORTED_MAX + 1;
    let found = tx.find(TAGGED_UP_TO, &[&wanted.by.account, &tag, &limit], only::<i64>)?.unwrap_or(0);
    Ok(found <= TAGGED_SORTED_MAX)
}
