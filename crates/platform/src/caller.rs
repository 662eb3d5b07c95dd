//! Who asks, and what an operation needs to know about it.

use std::sync::Arc;

use frontdesk_db::{self as db, ReadTx, Store, Tx};
use frontdesk_kernel::ids::{AccountId, UserId};
use frontdesk_kernel::{Id, Timestamp};
use frontdesk_web::{Argument, Failure, Operation, Request, data_bytes};
use http::StatusCode;
use serde::Serialize;

use crate::events::{EventListener, Recorder};
use crate::idempotency::{self, Mark, Record};
use crate::keys::KeyRecord;
use crate::{Services, accounts, error};

/// For whom and when something is done: what an operation writes down about its author.
#[derive(Clone)]
pub struct By {
    pub account: AccountId,
    /// The account's small number.
    pub account_num: i64,
    /// The member to whom writes are attributed.
    pub user: UserId,
    pub now: Timestamp,
    /// Contacts the account may have; none for any number.
    pub contact_limit: Option<i64>,
    recorder: Arc<Recorder>,
}

impl By {
    /// What a key's caller does, now.
    pub(crate) fn new(key: &KeyRecord, now: Timestamp, recorder: Arc<Recorder>) -> Self {
        Self {
            account: key.account,
            account_num: key.account_num,
            user: key.author,
            now,
            contact_limit: key.contact_limit,
            recorder,
        }
    }

    /// What happens to an account by itself, without a key: a customer writes, a form is sent. It is attributed to the
    /// owner. None when there is no such account.
    pub fn of_account(
        tx: &mut ReadTx<'_>,
        account: AccountId,
        now: Timestamp,
        recorder: &Arc<Recorder>,
    ) -> db::Result<Option<Self>> {
        tx.find(accounts::ACTING, &[&account], |row| {
            Ok(Self {
                account,
                account_num: row.next()?,
                user: row.next()?,
                contact_limit: row.next()?,
                now,
                recorder: recorder.clone(),
            })
        })
    }

    /// The same, later than a moment: who changes what another server has just changed is later than that server, whatever
    /// their clocks say, so that their events stand in the order of the changes.
    pub fn after(&self, moment: Timestamp) -> Self {
        let next = Timestamp::from_millis(moment.millis() + 1);
        Self { now: self.now.max(next), ..self.clone() }
    }

    /// An id for a new row, created now.
    pub fn new_id<T: ?Sized>(&self) -> Id<T> {
        self.recorder.next(self.now)
    }

    pub(crate) fn listeners(&self) -> &[Arc<dyn EventListener>] {
        self.recorder.listeners()
    }
}

/// An authenticated request to the API, past every check of the gate.
#[derive(Clone)]
pub struct Caller {
    pub by: By,
    pub(crate) key: Arc<KeyRecord>,
    pub(crate) store: Store,
    pub(crate) services: Arc<Services>,
    pub(crate) idempotent: Option<(Arc<Mark>, Arc<Record>)>,
    /// The status of the route's success, which an idempotent result is stored with.
    pub(crate) success: StatusCode,
}

impl Caller {
    /// What operations share beside the store.
    pub fn services(&self) -> &Services {
        &self.services
    }

    /// A short, indexed read.
    pub async fn read<T, E>(
        &self,
        operation: impl Fn(&mut ReadTx<'_>, &By) -> Result<T, E> + Send + 'static,
    ) -> Result<T, Failure>
    where
        T: Send + 'static,
        E: From<db::Error> + Into<Failure> + Send + 'static,
    {
        let by = self.by.clone();
        self.store.read(move |tx| operation(tx, &by)).await.map_err(Into::into)
    }

    /// A read that may take long. It has a deadline, and shares the account's slots.
    pub async fn scan<T, E>(
        &self,
        operation: impl Fn(&mut ReadTx<'_>, &By) -> Result<T, E> + Send + 'static,
    ) -> Result<T, Failure>
    where
        T: Send + 'static,
        E: From<db::Error> + Into<Failure> + Send + 'static,
    {
        let by = self.by.clone();
        self.store.scan_for(by.account.uuid(), move |tx| operation(tx, &by)).await.map_err(Into::into)
    }

    /// A change. With an `Idempotency-Key` its result is stored in the same transaction.
    pub async fn write<T, E>(
        &self,
        operation: impl Fn(&mut Tx<'_>, &By) -> Result<T, E> + Send + 'static,
    ) -> Result<T, Failure>
    where
        T: Serialize + Send + 'static,
        E: From<db::Error> + Into<Failure> + Send + 'static,
    {
        let by = self.by.clone();
        let Some((_mark, record)) = self.idempotent.clone() else {
            return self.store.write(move |tx| operation(tx, &by)).await.map_err(Into::into);
        };
        let status = self.success;
        let (remembered, at) = (record.clone(), by.now);
        let outcome = self
            .store
            .write(move |tx| {
                idempotency::enter(tx, &remembered, at).map_err(Stopped::Early)?;
                let result = operation(tx, &by).map_err(Stopped::Refused)?;
                idempotency::store(tx, &remembered, status, &data_bytes(&result), at)
                    .map_err(Stopped::from)?;
                Ok(result)
            })
            .await;
        match outcome {
            Ok(result) => Ok(result),
            Err(Stopped::Early(failure)) => Err(failure),
            Err(Stopped::Refused(error)) => {
                let failure: Failure = error.into();
                self.remember_refusal(record, &failure).await?;
                Err(failure)
            }
        }
    }

    /// A refusal has changed nothing, so it is stored by itself: a crash before that leaves the key free, and a
    /// retry is refused, or not, for real.
    async fn remember_refusal(&self, record: Arc<Record>, failure: &Failure) -> Result<(), Failure> {
        if !idempotency::is_kept(failure.status()) {
            return Ok(());
        }
        let reply = failure.render(&record.request_id);
        let now = self.by.now;
        let stored =
            self.store.write(move |tx| idempotency::store(tx, &record, reply.status, &reply.body, now)).await;
        stored.map_err(|error| error::store_failure(&error))
    }
}

/// Why an idempotent operation did not come to a result.
enum Stopped<E> {
    /// Before it began: the key is taken, reused, or has a result already.
    Early(Failure),
    /// The operation itself said no.
    Refused(E),
}

impl<E: From<db::Error>> From<db::Error> for Stopped<E> {
    fn from(error: db::Error) -> Self {
        Self::Refused(error.into())
    }
}

impl Argument for Caller {
    fn describe(_: &mut Operation) {}

    fn take(request: &Request) -> Result<Self, Failure> {
        request.extensions.get::<Self>().cloned().ok_or_else(Failure::internal)
    }
}
