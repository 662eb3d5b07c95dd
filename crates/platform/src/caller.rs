//! The caller of an operation: account, actor, time and services.

mod change;

use std::sync::Arc;

use frontdesk_db::{self as db, ReadTx, Store, Tx};
use frontdesk_kernel::Scope;
use frontdesk_web::{Argument, Failure, Operation, Request, RequestId, data_bytes};
use http::StatusCode;
use serde::Serialize;

use crate::by::By;
use crate::error;
use crate::idempotency::{self, Mark, Record};
use crate::operations::Companion;
use crate::principal::Principal;
use crate::services::{Clock, Services};

pub(crate) use change::Change;

/// A route of the API, whose handler may take the [`Caller`].
pub type Route = frontdesk_web::Route<Caller>;
/// All routes of the API.
pub type Table = frontdesk_web::Table<Caller>;

/// A call of an operation, past every check that does not need the operation itself.
#[derive(Clone)]
pub struct Caller {
    pub by: By,
    pub(crate) request_id: RequestId,
    pub(crate) principal: Principal,
    pub(crate) store: Store,
    pub(crate) services: Arc<Services>,
    pub(crate) clock: Clock,
    pub(crate) idempotent: Option<(Arc<Mark>, Arc<Record>)>,
    /// Runs in the transaction of the change.
    pub(crate) companion: Option<Companion>,
    /// What its writes tell the dashboards of the account.
    pub(crate) change: Option<Change>,
    /// The status of the route's success, which an idempotent result is stored with.
    pub(crate) success: StatusCode,
    /// Whether a read replica may answer.
    pub(crate) is_replicated: bool,
}

impl Caller {
    /// Who calls, with which scopes.
    pub fn principal(&self) -> &Principal {
        &self.principal
    }

    /// The id of the request that this call is part of.
    pub fn request_id(&self) -> &RequestId {
        &self.request_id
    }

    /// The services that operations share.
    pub fn services(&self) -> &Services {
        &self.services
    }

    /// The store, for work after the operation's own transaction.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// Refuses a caller that lacks a scope, for an operation that needs more than its route's scope.
    pub fn need(&self, scope: Scope) -> Result<(), Failure> {
        self.principal.need(scope)
    }

    /// The actor at the present time, for a further transaction of a long operation.
    pub fn by_now(&self) -> By {
        self.by.at((self.clock)())
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
        let (by, account) = (self.by.clone(), self.by.account.uuid());
        let operation = move |tx: &mut ReadTx<'_>| operation(tx, &by);
        let read = if self.is_replicated {
            self.store.read_replicated(account, operation).await
        } else {
            self.store.read(operation).await
        };
        read.map_err(Into::into)
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
        let (by, account) = (self.by.clone(), self.by.account.uuid());
        let operation = move |tx: &mut ReadTx<'_>| operation(tx, &by);
        let read = if self.is_replicated {
            self.store.scan_replicated(account, operation).await
        } else {
            self.store.scan_for(account, operation).await
        };
        read.map_err(Into::into)
    }

    /// A change. The companion's writes and, with an `Idempotency-Key`, the stored response commit in the
    /// same transaction. If its resource has no events, open dashboards are told of the change.
    pub async fn write<T, E>(
        &self,
        operation: impl Fn(&mut Tx<'_>, &By) -> Result<T, E> + Send + 'static,
    ) -> Result<T, Failure>
    where
        T: Serialize + Send + 'static,
        E: From<db::Error> + Into<Failure> + Send + 'static,
    {
        let (by, change) = (self.by.clone(), self.change);
        let operation = move |tx: &mut Tx<'_>, by: &By| {
            let result = operation(tx, by)?;
            tx.changes(by.account.uuid());
            if let Some(change) = change {
                change.tell(tx, by.account);
            }
            Ok(result)
        };
        if self.idempotent.is_none() && self.companion.is_none() {
            return self.store.write(move |tx| operation(tx, &by)).await.map_err(Into::into);
        }
        let record = self.idempotent.as_ref().map(|(_, record)| record.clone());
        let (remembered, companion, status) = (record.clone(), self.companion.clone(), self.success);
        let outcome = self
            .store
            .write(move |tx| {
                if let Some(record) = &remembered {
                    idempotency::enter(tx, record, by.now).map_err(Stopped::<E>::Early)?;
                }
                let result = operation(tx, &by).map_err(Stopped::Refused)?;
                let body = data_bytes(&result);
                if let Some(record) = &remembered {
                    idempotency::store(tx, record, status, &body, by.now).map_err(Stopped::from)?;
                }
                if let Some(companion) = &companion {
                    companion(tx, status, &body).map_err(Stopped::from)?;
                }
                Ok(result)
            })
            .await;
        match (outcome, record) {
            (Ok(result), _) => Ok(result),
            (Err(Stopped::Early(failure)), _) => Err(failure),
            (Err(Stopped::Refused(error)), None) => Err(error.into()),
            (Err(Stopped::Refused(error)), Some(record)) => {
                let failure: Failure = error.into();
                self.remember_refusal(record, &failure).await?;
                Err(failure)
            }
        }
    }

    /// Stores the response of this call in a transaction that another operation commits. A call without an
    /// `Idempotency-Key` stores nothing.
    pub fn remember<T: Serialize>(&self, tx: &mut Tx<'_>, result: &T) -> db::Result<()> {
        match &self.idempotent {
            Some((_, record)) => {
                idempotency::store(tx, record, self.success, &data_bytes(result), self.by.now)
            }
            None => Ok(()),
        }
    }

    /// A refused operation has changed nothing, so its response is stored in a separate transaction. After a
    /// crash before that, the key is free and a retry runs the operation again.
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

/// Why an operation has no result.
enum Stopped<E> {
    /// The operation did not start: the idempotency key is in flight, reused, or has a stored response.
    Early(Failure),
    /// The operation returned an error.
    Refused(E),
}

impl<E: From<db::Error>> From<db::Error> for Stopped<E> {
    fn from(error: db::Error) -> Self {
        Self::Refused(error.into())
    }
}

impl Argument<Self> for Caller {
    fn describe(_: &mut Operation) {}

    fn take(request: &Request<Self>) -> Result<Self, Failure> {
        Ok(request.caller.clone())
    }
}
