//! Transactions that may write.
//!
//! A [`Tx`] can be used wherever a [`ReadTx`] is expected, so a function that only reads takes a `ReadTx` and serves both.

use std::borrow::Cow;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use uuid::Uuid;

use crate::dialect::Dialect;
use crate::error::{Error, Result};
use crate::mailbox::{Mailbox, Place};
use crate::postgres::{self, Session};
use crate::query::Query;
use crate::read_tx::{Engine, ReadTx, slices};
use crate::row::{Row, only};
use crate::scans::ScanGuard;
use crate::slow::SlowLog;
use crate::sqlite::{self, Names, Statements};
use crate::value::{List, Param};
use crate::wake::{AfterCommit, Topic, Wake, Wakes};

pub(crate) const TRY_LOCK: &str = "SELECT pg_try_advisory_xact_lock($1)";
pub(crate) const LOCK: &str = "SELECT pg_advisory_xact_lock(hashtextextended($1, 0))";
pub(crate) const LOCK_ALL: &str =
    "SELECT pg_advisory_xact_lock(hashtextextended(name, 0)) FROM unnest($1::text[]) AS name";
pub(crate) const PLAN_ANEW: &str = "SET LOCAL plan_cache_mode = force_custom_plan";

/// The lock of rows that are about to be changed.
pub const FOR_UPDATE: &str = "FOR UPDATE";

/// An open transaction that may write. It commits when its closure returns `Ok` and is rolled back otherwise.
pub struct Tx<'c> {
    read: ReadTx<'c>,
    /// The waiters of this process, if there may be any.
    wakes: Option<&'c Wakes>,
    after_commit: AfterCommit,
}

impl<'c> Deref for Tx<'c> {
    type Target = ReadTx<'c>;

    fn deref(&self) -> &ReadTx<'c> {
        &self.read
    }
}

impl<'c> DerefMut for Tx<'c> {
    fn deref_mut(&mut self) -> &mut ReadTx<'c> {
        &mut self.read
    }
}

impl<'c> Tx<'c> {
    pub(crate) fn sqlite(statements: &'c dyn Statements, names: &'c Names, wakes: Option<&'c Wakes>) -> Self {
        Self { read: ReadTx::sqlite(statements, names), wakes, after_commit: AfterCommit::default() }
    }

    pub(crate) fn postgres(session: &'c mut Session, wakes: &'c Wakes) -> Self {
        let read = ReadTx::new(Engine::Postgres(session));
        Self { read, wakes: Some(wakes), after_commit: AfterCommit::default() }
    }

    pub(crate) fn watched_by(mut self, slow: Option<&'c SlowLog>) -> Self {
        self.read = self.read.watched_by(slow);
        self
    }

    pub(crate) fn held_by(mut self, guard: Option<&'c ScanGuard>) -> Self {
        self.read.guard = guard;
        self
    }

    /// The first row of a statement, locked until this transaction ends. Use it to read a row before changing
    /// it: otherwise two concurrent changes could overwrite each other.
    pub fn find_to_change<T>(
        &mut self,
        sql: &str,
        params: &[&dyn Param],
        map: impl FnMut(&mut Row<'_>) -> Result<T>,
    ) -> Result<Option<T>> {
        self.find_locked(sql, FOR_UPDATE, params, map)
    }

    /// As [`Tx::find_to_change`], with a weaker lock or one of some tables only, such as `FOR UPDATE OF v`. It is
    /// the end of the statement on PostgreSQL. SQLite has one writer at a time and needs no locks.
    pub fn find_locked<T>(
        &mut self,
        sql: &str,
        lock: &str,
        params: &[&dyn Param],
        map: impl FnMut(&mut Row<'_>) -> Result<T>,
    ) -> Result<Option<T>> {
        Ok(self.query_locked(sql, lock, params, map)?.into_iter().next())
    }

    /// As [`Tx::find_locked`], with every row.
    pub fn query_locked<T>(
        &mut self,
        sql: &str,
        lock: &str,
        params: &[&dyn Param],
        map: impl FnMut(&mut Row<'_>) -> Result<T>,
    ) -> Result<Vec<T>> {
        let sql = self.locking(sql, lock);
        self.query(&sql, params, map)
    }

    /// As [`Tx::find_locked`], once per row of parameters. Rows are locked in this order.
    pub fn find_each_locked<T, const PARAMS: usize>(
        &mut self,
        sql: &str,
        lock: &str,
        rows: &[[&dyn Param; PARAMS]],
        map: impl FnMut(&mut Row<'_>) -> Result<T>,
    ) -> Result<Vec<Option<T>>> {
        let sql = self.locking(sql, lock);
        self.find_each(&sql, rows, map)
    }

    fn locking<'s>(&self, sql: &'s str, lock: &str) -> Cow<'s, str> {
        match self.dialect() {
            Dialect::Sqlite => Cow::Borrowed(sql),
            Dialect::Postgres => Cow::Owned(format!("{sql} {lock}")),
        }
    }

    /// Changes rows; returns how many.
    pub fn execute(&mut self, sql: &str, params: &[&dyn Param]) -> Result<Touched> {
        self.check()?;
        let begun = self.begin_statement();
        let touched = match &mut self.read.engine {
            Engine::Sqlite { statements, names } => sqlite::execute(*statements, names, sql, params),
            Engine::Postgres(session) => session.execute(sql, params),
        };
        self.end_statement(begun, sql, *touched.as_ref().unwrap_or(&0));
        self.noted(touched).map(Touched)
    }

    /// Inserts a row whose result is not needed: PostgreSQL gets it together with the next statement or the
    /// commit, which fail if it fails.
    pub fn insert_along(&mut self, insert: Query) -> Result<()> {
        if let Engine::Postgres(session) = &mut self.read.engine {
            let inserted = session.run_along(insert);
            return self.noted(inserted);
        }
        self.change(&insert)?.exactly(1)
    }

    /// Runs a statement once per row of parameters. Returns how many rows each changed, in the same order. PostgreSQL
    /// gets many of them in one round trip.
    pub fn execute_each<const PARAMS: usize>(
        &mut self,
        sql: &str,
        rows: &[[&dyn Param; PARAMS]],
    ) -> Result<Vec<Touched>> {
        self.execute_all(sql, &slices(rows))
    }

    fn execute_all(&mut self, sql: &str, rows: &[&[&dyn Param]]) -> Result<Vec<Touched>> {
        self.check()?;
        let begun = self.begin_statement();
        let touched: Result<Vec<u64>> = match &mut self.read.engine {
            Engine::Sqlite { statements, names } => {
                rows.iter().map(|row| sqlite::execute(*statements, names, sql, row)).collect()
            }
            Engine::Postgres(session) => session.execute_each(sql, rows),
        };
        self.end_statement(begun, sql, touched.as_ref().map_or(0, |touched| touched.iter().sum()));
        Ok(self.noted(touched)?.into_iter().map(Touched).collect())
    }

    /// Inserts rows by a statement for one row, which ends in `VALUES (…)` and names each of its parameters there once.
    /// On SQLite many rows share a statement.
    pub fn insert_each<const PARAMS: usize>(
        &mut self,
        one: &'static str,
        rows: &[[&dyn Param; PARAMS]],
    ) -> Result<()> {
        if self.dialect() == Dialect::Postgres {
            return self.execute_each(one, rows)?.into_iter().try_for_each(|touched| touched.exactly(1));
        }
        let mut left = rows;
        while !left.is_empty() {
            let (now, later) = left.split_at(sqlite::rows::at_once(left.len()));
            let several = sqlite::rows::insert(one, now.len());
            self.execute(&several, now.as_flattened())?.exactly(now.len() as u64)?;
            left = later;
        }
        Ok(())
    }

    /// Changes rows, where nothing depends on how many: PostgreSQL runs it together with the next statement or the
    /// commit, which fail if it fails. It is for rows that this transaction has locked, and for statements that may
    /// touch any number of rows.
    pub fn execute_along(&mut self, change: Query) -> Result<()> {
        self.change_along(change).map(|_any_number| ())
    }

    /// As [`Tx::execute_along`]. Returns how many rows it touched if the engine already knows, which PostgreSQL does not.
    pub fn change_along(&mut self, change: Query) -> Result<Option<Touched>> {
        if let Engine::Postgres(session) = &mut self.read.engine {
            let changed = session.run_along(change);
            return self.noted(changed).map(|()| None);
        }
        self.change(&change).map(Some)
    }

    /// Changes rows by a built statement.
    pub fn change(&mut self, query: &Query) -> Result<Touched> {
        self.execute(query.sql(), &query.params())
    }

    /// Takes a lock that ends with the transaction. False if another transaction holds it.
    ///
    /// SQLite has one writer at a time, so there it is always free.
    pub fn try_lock(&mut self, number: i64) -> Result<bool> {
        match self.dialect() {
            Dialect::Sqlite => Ok(true),
            Dialect::Postgres => {
                let taken = self.find(TRY_LOCK, &[&number], only)?;
                Ok(taken.unwrap_or(false))
            }
        }
    }

    /// Waits for a lock that ends with the transaction. After the lock is acquired, this transaction sees
    /// everything the previous holder committed.
    ///
    /// SQLite has one writer at a time, so there it is always free.
    pub fn lock(&mut self, name: String) -> Result<()> {
        let Engine::Postgres(session) = &mut self.read.engine else { return Ok(()) };
        let lock = Query::whole(LOCK, vec![Box::new(name)]);
        let taken = session.run_along(lock);
        self.noted(taken)
    }

    /// Takes several such locks, in the order of their names.
    pub fn lock_all(&mut self, mut names: Vec<String>) -> Result<()> {
        let Engine::Postgres(session) = &mut self.read.engine else { return Ok(()) };
        names.sort_unstable();
        let taken = session.run_along(Query::whole(LOCK_ALL, vec![Box::new(List(names))]));
        self.noted(taken)
    }

    /// Makes PostgreSQL plan the statements of this transaction for their actual parameters and the current
    /// table sizes. A plan from when a table was empty may be disastrous once it is full.
    pub fn plan_anew(&mut self) -> Result<()> {
        let Engine::Postgres(session) = &mut self.read.engine else { return Ok(()) };
        let set = session.run_along(Query::new(PLAN_ANEW));
        self.noted(set)
    }

    /// Requests that this transaction is rolled back and run again, because of a conflict with another one.
    pub fn again(&mut self) -> Error {
        self.read.undone = true;
        Error::Undone
    }

    /// Says that this transaction changes something of an account. The account's reads then go to a read replica only once
    /// it has this change.
    pub fn changes(&mut self, account: Uuid) {
        if !self.after_commit.accounts.contains(&account) {
            self.after_commit.accounts.push(account);
        }
    }

    /// Wakes the topic's waiters once this transaction has committed.
    pub fn wake(&mut self, topic: Topic) {
        self.add(Wake { topic, about: None });
    }

    /// Wakes the topic's waiters on every server, with the commit itself. This is how a command next to the
    /// servers wakes them. Such commits wait for each other, so it is for rare changes.
    pub fn notify(&mut self, topic: Topic) -> Result<()> {
        self.wake(topic);
        let Engine::Postgres(session) = &mut self.read.engine else { return Ok(()) };
        let sent = session.run_along(postgres::notify(topic));
        self.noted(sent)
    }

    /// Wakes the topic's waiters; those of this process also learn the subject.
    pub fn wake_about(&mut self, topic: Topic, about: Uuid) {
        self.add(Wake { topic, about: Some(about) });
    }

    fn add(&mut self, wake: Wake) {
        if !self.after_commit.wakes.contains(&wake) {
            self.after_commit.wakes.push(wake);
        }
    }

    /// Takes a place for one more job of this subject with the topic's worker in this process, if it has room.
    pub fn take_place<T: Send + 'static>(&self, topic: Topic, about: Uuid) -> Option<Place<T>> {
        self.mailbox(topic)?.take_place(about)
    }

    /// How many more jobs of this subject the topic's worker in this process has room for.
    pub fn places<T: Send + 'static>(&self, topic: Topic, about: Uuid) -> usize {
        self.mailbox::<T>(topic).map_or(0, |mailbox| mailbox.places(about))
    }

    /// Hands a job to a worker in this process, once this transaction has committed. It is lost with the process, so the
    /// job must also be a row.
    pub fn hand_over<T: Send + 'static>(&mut self, place: Place<T>, job: T) {
        self.after_commit.deliveries.push(Box::new((place, job)));
    }

    /// Sends something to the topic's worker in this process, if there is one, once this transaction has committed.
    pub fn send<T: Send + 'static>(&mut self, topic: Topic, thing: T) {
        if let Some(mailbox) = self.mailbox(topic) {
            self.after_commit.deliveries.push(Box::new((mailbox, thing)));
        }
    }

    /// Leaves a short text without spaces in the topic's mailbox on every server, once this transaction has committed.
    ///
    /// A text may be lost. When there are very many at once, other servers are only woken: they learn that there was
    /// something, but not what.
    pub fn tell(&mut self, topic: Topic, text: String) {
        let told = (topic, text);
        if !self.after_commit.texts.contains(&told) {
            self.after_commit.texts.push(told);
        }
    }

    fn mailbox<T: Send + 'static>(&self, topic: Topic) -> Option<Arc<Mailbox<T>>> {
        self.wakes?.open_mailbox(topic)
    }

    pub(crate) fn take_after_commit(&mut self) -> AfterCommit {
        std::mem::take(&mut self.after_commit)
    }
}

/// The number of rows a write touched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use = "say how many rows the write must touch, or `any`"]
pub struct Touched(pub(crate) u64);

impl Touched {
    /// Fails, and so rolls the transaction back, unless exactly this many rows were touched.
    pub fn exactly(self, wanted: u64) -> Result<()> {
        if self.0 == wanted { Ok(()) } else { Err(Error::Touched { wanted, got: self.0 }) }
    }

    pub fn any(self) -> bool {
        self.0 > 0
    }

    pub fn rows(self) -> u64 {
        self.0
    }
}
