//! Shows which statements a database that is spread by account could send to one place.
//!
//! [`Distributed`] makes every table with an account anew in [`PARTS`] parts, by the hash of the account, as Citus
//! spreads tables over its nodes. PostgreSQL's own planner then says what a statement reads and writes. A statement goes
//! to one place if every part that it touches belongs to the same account, which the planner knows from the statement
//! itself. Nothing is executed.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use postgres::{Client, NoTls, SimpleQueryMessage};
use serde_json::Value;

/// Parts of a table. Any number above one shows the same.
const PARTS: usize = 4;
/// The place of the new tables, which statements see first.
const SCHEMA: &str = "distributed";
/// The table whose own id is the account.
const ACCOUNTS: &str = "accounts";

const TABLES: &str = "SELECT c.relname, a.attnum::int FROM pg_class c
    JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = CASE c.relname WHEN 'accounts' THEN 'id' ELSE 'account_id' END
    WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace ORDER BY 1";
const INDEXES: &str =
    "SELECT i.relname, pg_get_indexdef(i.oid), x.indisunique, $2::int = ANY (x.indkey::int[])
    FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid
    WHERE x.indrelid = ('public.' || quote_ident($1::text))::regclass ORDER BY 1";
const TYPES: &str = "SELECT parameter_types::text[] FROM pg_prepared_statements WHERE name = 'asked'";

/// Where a statement goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Route {
    /// It touches no table that is spread.
    Anywhere,
    /// It touches the rows of one account.
    OneAccount,
    /// It may touch the rows of many accounts in these tables, or of accounts that differ.
    Many(Vec<String>),
    /// The spread tables do not allow it.
    Refused(String),
}

/// A database whose tables are spread by account.
pub struct Distributed {
    client: Client,
    /// The spread tables, each with the number of the column that has the account.
    tables: BTreeMap<String, usize>,
    /// The unique indexes without the account, which no longer hold over all accounts.
    loose: Vec<String>,
}

impl Distributed {
    /// Spreads the tables of a migrated database, except those that every place has a copy of.
    pub fn spread(url: &str, copied: &[&str]) -> Self {
        let mut client = Client::connect(url, NoTls).expect("the test database can be reached");
        client
            .batch_execute(&format!(
                "CREATE SCHEMA {SCHEMA}; SET search_path = {SCHEMA}, public; SET plan_cache_mode = force_custom_plan"
            ))
            .expect("a schema");
        let mut spread = Self { client, tables: BTreeMap::new(), loose: Vec::new() };
        let found = spread.client.query(TABLES, &[]).expect("the tables with an account");
        for row in found {
            let (table, column): (String, i32) = (row.get(0), row.get(1));
            if !copied.contains(&table.as_str()) {
                spread.add(&table, column);
            }
        }
        spread
    }

    /// The names of the spread tables.
    pub fn tables(&self) -> impl Iterator<Item = &str> {
        self.tables.keys().map(String::as_str)
    }

    /// The unique indexes that would no longer be unique over all accounts.
    pub fn loose(&self) -> &[String] {
        &self.loose
    }

    fn add(&mut self, table: &str, column: i32) {
        let key = if table == ACCOUNTS { "id" } else { "account_id" };
        let mut text = format!(
            "CREATE TABLE {SCHEMA}.{table} (LIKE public.{table} INCLUDING DEFAULTS) PARTITION BY HASH ({key});"
        );
        for part in 0..PARTS {
            let _infallible = write!(
                text,
                "CREATE TABLE {SCHEMA}.{table}_part{part} PARTITION OF {SCHEMA}.{table}
                    FOR VALUES WITH (MODULUS {PARTS}, REMAINDER {part});"
            );
        }
        for row in self.client.query(INDEXES, &[&table, &column]).expect("the indexes of a table") {
            let (name, definition): (String, String) = (row.get(0), row.get(1));
            let (unique, has_account): (bool, bool) = (row.get(2), row.get(3));
            let of = |schema: &str| format!(" ON {schema}.{table} ");
            let mut definition = definition.replacen(&of("public"), &of(SCHEMA), 1);
            if unique && !has_account {
                definition = definition.replacen("CREATE UNIQUE INDEX", "CREATE INDEX", 1);
                self.loose.push(name);
            }
            text.push_str(&definition);
            text.push(';');
        }
        self.client.batch_execute(&text).unwrap_or_else(|error| panic!("{table} cannot be spread: {error}"));
        self.tables.insert(table.to_owned(), usize::try_from(column - 1).expect("columns count from one"));
    }

    /// Where a statement goes, by its plan for sample values.
    pub fn route(&mut self, sql: &str) -> Route {
        match self.plan(sql) {
            Ok(plan) => {
                let mut touched = Touched::default();
                touched.look(&plan, &self.tables);
                touched.route()
            }
            Err(error) => Route::Refused(
                error.as_db_error().map_or_else(|| error.to_string(), |it| it.message().to_owned()),
            ),
        }
    }

    fn plan(&mut self, sql: &str) -> Result<Value, postgres::Error> {
        self.client.batch_execute(&format!("PREPARE asked AS {sql}"))?;
        let types: Vec<String> = self.client.query_one(TYPES, &[])?.get(0);
        let samples: Vec<String> = types.iter().enumerate().map(|(at, kind)| sample(at + 1, kind)).collect();
        let values = if samples.is_empty() { String::new() } else { format!("({})", samples.join(", ")) };
        let explained = self
            .client
            .simple_query(&format!("EXPLAIN (FORMAT JSON, VERBOSE, COSTS OFF) EXECUTE asked{values}"));
        self.client.batch_execute("DEALLOCATE asked")?;
        let text = explained?.into_iter().find_map(|message| match message {
            SimpleQueryMessage::Row(row) => row.get(0).map(str::to_owned),
            _ => None,
        });
        Ok(text.and_then(|text| serde_json::from_str(&text).ok()).expect("a plan in JSON"))
    }
}

/// A value of a type. Ids of different parameters differ, so that two accounts are not taken for one, and times rise.
fn sample(number: usize, kind: &str) -> String {
    let uuid = format!("'00000000-0000-7000-8000-{number:012}'");
    match kind {
        "uuid" => format!("{uuid}::uuid"),
        "uuid[]" => format!("ARRAY[{uuid}]::uuid[]"),
        "text" => "'1'".to_owned(),
        "text[]" => "ARRAY['1']".to_owned(),
        "bigint" | "integer" | "smallint" | "double precision" | "numeric" => "1".to_owned(),
        "bigint[]" => "ARRAY[1]::bigint[]".to_owned(),
        "boolean" => "true".to_owned(),
        "timestamp with time zone" => format!("'2026-01-01T00:{number:02}:00Z'"),
        "timestamp with time zone[]" => "ARRAY['2026-01-01T00:00:00Z']::timestamptz[]".to_owned(),
        "bytea" => "'\\x00'".to_owned(),
        "jsonb" | "json" => "'{}'".to_owned(),
        "pg_lsn" => "'0/0'".to_owned(),
        other => panic!("a statement takes a {other}: give it a sample value"),
    }
}

/// What a plan touches.
#[derive(Debug, Default)]
struct Touched {
    /// The parts of each table that are read, each with whether the account is asked for there.
    parts: BTreeMap<String, BTreeMap<String, bool>>,
    /// The accounts that are named by values.
    accounts: BTreeSet<String>,
    /// Tables that rows are inserted into for an account that the plan does not say.
    inserted_blindly: BTreeSet<String>,
    inserts: bool,
}

impl Touched {
    fn look(&mut self, plan: &Value, tables: &BTreeMap<String, usize>) {
        match plan {
            Value::Array(items) => items.iter().for_each(|item| self.look(item, tables)),
            Value::Object(fields) => {
                self.look_at_node(plan, tables);
                fields.values().for_each(|value| self.look(value, tables));
            }
            _ => {}
        }
    }

    fn look_at_node(&mut self, node: &Value, tables: &BTreeMap<String, usize>) {
        let Some(relation) = node["Relation Name"].as_str().filter(|_| node["Schema"] == SCHEMA) else {
            return;
        };
        let table = relation.rsplit_once("_part").map_or(relation, |(table, _)| table);
        let Some(column) = tables.get(table) else { return };
        if node["Operation"] == "Insert" {
            self.inserts = true;
            let children = node["Plans"].as_array().into_iter().flatten();
            let source = children.into_iter().find(|child| child["Parent Relationship"] == "Outer");
            match source.and_then(|source| source["Output"][*column].as_str()) {
                Some(value) if is_value(value) => {
                    self.accounts.insert(value.to_owned());
                }
                // The account of a row that is read: the scan of that row is looked at too.
                Some(value) if value.ends_with(&format!(".{}", account_column(table))) => {}
                Some(value) if value.ends_with(".account_id") => {}
                _ => {
                    self.inserted_blindly.insert(table.to_owned());
                }
            }
        }
        if !node["Node Type"].as_str().is_some_and(|kind| kind.ends_with("Scan")) {
            return;
        }
        let mut is_asked_for = false;
        for condition in ["Index Cond", "Recheck Cond", "Filter", "TID Cond"] {
            let text = node[condition].as_str().unwrap_or_default();
            is_asked_for |= self.note_accounts(text, account_column(table));
        }
        let parts = self.parts.entry(table.to_owned()).or_default();
        *parts.entry(relation.to_owned()).or_insert(true) &= is_asked_for;
    }

    /// Notes the accounts that a condition names. Returns whether it asks for one account: a value, or that of another row.
    fn note_accounts(&mut self, condition: &str, column: &str) -> bool {
        let equality = format!("{column} = ");
        let mut found = false;
        for (at, _) in condition.match_indices(&equality) {
            let is_whole = condition[..at].ends_with(['.', '(']);
            let value = condition[at + equality.len()..].split([')', ' ']).next().unwrap_or_default();
            // Values with a dollar come from a query of their own, which is asked before the plan is used.
            if !is_whole || value == "ANY" || value.starts_with('$') {
                continue;
            }
            found = true;
            if is_value(value) {
                self.accounts.insert(value.to_owned());
            }
        }
        found
    }

    fn route(self) -> Route {
        let mut many: BTreeSet<String> = self.inserted_blindly;
        for (table, parts) in &self.parts {
            // A bitmap index scan has no relation, and its heap scan repeats the condition.
            if parts.values().any(|is_asked_for| !is_asked_for) {
                many.insert(table.clone());
            }
        }
        if self.accounts.len() > 1 || (!self.parts.is_empty() && self.accounts.is_empty()) {
            many.extend(self.parts.into_keys());
        } else if self.parts.is_empty() && !self.inserts && many.is_empty() {
            return Route::Anywhere;
        }
        if many.is_empty() { Route::OneAccount } else { Route::Many(many.into_iter().collect()) }
    }
}

fn account_column(table: &str) -> &'static str {
    if table == ACCOUNTS { "id" } else { "account_id" }
}

/// Whether a part of a plan is one of the sample values.
fn is_value(text: &str) -> bool {
    text.starts_with('\'')
}
