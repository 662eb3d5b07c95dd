//! Contacts written directly into PostgreSQL.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use frontdesk_kernel::Timestamp;
use frontdesk_kernel::text::sort_key;
use frontdesk_search as search;
use postgres::Client;
use postgres::binary_copy::BinaryCopyInWriter;
use postgres::types::{ToSql, Type};

use super::Site;
use super::seed::{Seed, seeds};
use crate::error::Result;

pub(super) const CHUNK_ROWS: usize = 20_000;

const CONTACTS: (&str, &[Type]) = (
    "COPY contacts (account_id, id, seq, name, phone, phone_key, email, email_key, company, search, search_keys, updated_at, labels,
     name_order, company_order)
     FROM STDIN BINARY",
    &[
        Type::UUID,
        Type::UUID,
        Type::INT8,
        Type::TEXT,
        Type::TEXT,
        Type::TEXT,
        Type::TEXT,
        Type::TEXT,
        Type::TEXT,
        Type::TEXT,
        Type::TEXT,
        Type::TIMESTAMPTZ,
        Type::BYTEA,
        Type::TEXT,
        Type::TEXT,
    ],
);
const TAGS: (&str, &[Type]) = (
    "COPY contact_tags (account_id, contact_id, tag_id) FROM STDIN BINARY",
    &[Type::UUID, Type::UUID, Type::UUID],
);
const VALUES: (&str, &[Type]) = (
    "COPY contact_values (account_id, contact_id, field_id, value) FROM STDIN BINARY",
    &[Type::UUID, Type::UUID, Type::UUID, Type::TEXT],
);

pub(super) fn fill(site: &mut Site) -> Result<()> {
    let mut client = site.database.client()?;
    for account in &mut site.accounts {
        let num = "SELECT num FROM accounts WHERE id = $1";
        account.num = client.query_one(num, &[&account.id.uuid()])?.get(0);
    }
    let mut rows = seeds(site).peekable();
    while rows.peek().is_some() {
        let chunk: Vec<Seed<'_>> = rows.by_ref().take(CHUNK_ROWS).collect();
        write(&mut client, &chunk)?;
    }
    tidy(&mut client)
}

/// Runs the maintenance that the database would have run long ago. It must not start during a measurement.
pub(super) fn tidy(client: &mut Client) -> Result<()> {
    client.batch_execute("VACUUM (ANALYZE)")?;
    client.batch_execute("CHECKPOINT")?;
    Ok(())
}

fn write(client: &mut Client, rows: &[Seed<'_>]) -> Result<()> {
    copy(client, CONTACTS, |out| {
        for seed in rows {
            let Seed { account, id, person, .. } = seed;
            let (text, updated_at) = (person.search_text(), moment(id.created_at()));
            out(&[
                &account.id.uuid(),
                &id.uuid(),
                &id.sequence(),
                &person.name,
                &person.phone.as_str(),
                &person.phone.key(),
                &person.email.as_str(),
                &person.email.key(),
                &person.company,
                &text,
                &search::keys(&text, &search::account_prefix(account.num)),
                &updated_at,
                &seed.labels(),
                &sort_key(&person.name),
                &sort_key(&person.company),
            ])?;
        }
        Ok(())
    })?;
    copy(client, TAGS, |out| {
        for Seed { account, id, tags, .. } in rows {
            for tag in tags {
                out(&[&account.id.uuid(), &id.uuid(), &tag.uuid()])?;
            }
        }
        Ok(())
    })?;
    copy(client, VALUES, |out| {
        for Seed { account, id, values, .. } in rows {
            for (field, text) in values {
                out(&[&account.id.uuid(), &id.uuid(), &field.uuid(), text])?;
            }
        }
        Ok(())
    })
}

pub(super) fn moment(at: Timestamp) -> SystemTime {
    UNIX_EPOCH + Duration::from_millis(at.millis().unsigned_abs())
}

pub(super) type Values<'v> = &'v [&'v (dyn ToSql + Sync)];
pub(super) type Out<'o> = dyn FnMut(Values<'_>) -> Result<()> + 'o;

pub(super) fn copy(
    client: &mut Client,
    (statement, types): (&str, &[Type]),
    rows: impl FnOnce(&mut Out<'_>) -> Result<()>,
) -> Result<()> {
    let mut writer = BinaryCopyInWriter::new(client.copy_in(statement)?, types);
    rows(&mut |values| Ok(writer.write(values)?))?;
    writer.finish()?;
    Ok(())
}
