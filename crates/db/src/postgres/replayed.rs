//! How far a read replica is.

use crate::error::Result;
use crate::position::Position;
use crate::row::Row;

/// Why a replica cannot serve a read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lateness {
    /// It has not replayed the position yet.
    Behind,
    /// Its epoch is another one.
    OtherEpoch,
    /// It is no standby any more.
    NotStandby,
}

/// How far a replica is.
pub(crate) struct Replayed {
    pub(crate) is_standby: bool,
    pub(crate) place: i64,
    pub(crate) epoch: Option<String>,
    pub(crate) lag_seconds: f64,
}

impl Replayed {
    pub(crate) fn read(row: &mut Row<'_>) -> Result<Self> {
        Ok(Self {
            is_standby: row.next()?,
            place: row.next()?,
            epoch: row.next()?,
            lag_seconds: row.next::<Option<f64>>()?.unwrap_or(0.0),
        })
    }

    /// Why it does not have a position; none if it has.
    pub(crate) fn lateness(&self, needed: &Position) -> Option<Lateness> {
        if !self.is_standby {
            Some(Lateness::NotStandby)
        } else if self.epoch.as_ref() != Some(&needed.epoch) {
            Some(Lateness::OtherEpoch)
        } else {
            (self.place < needed.place).then_some(Lateness::Behind)
        }
    }
}
