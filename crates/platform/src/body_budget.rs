//! A limit on the memory of bodies from callers without a key or a session, for all of them together.
//!
//! Such a caller is not limited by anything of its own, so each could hold a body of the largest size. A body takes its
//! share of the budget as it arrives and returns it when the last part of it is dropped. A body that does not fit is
//! refused with 503 and `Retry-After`, which senders of webhooks try again. One address gets only a part of the budget.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use frontdesk_web::{Failure, Result};
use http_body_util::BodyExt;

use crate::address::client_network;

/// Maximum bytes of such bodies at a time.
const BODY_BYTES_TOTAL_MAX: usize = 64 << 20;
/// Maximum bytes of such bodies from one address.
const BODY_BYTES_PER_ADDRESS_MAX: usize = 16 << 20;
/// The deadline for receiving a body.
const BODY_TIME_MAX: Duration = Duration::from_secs(20);
/// `Retry-After` while the budget is used up: as long as the slowest body may take.
const FULL_SECONDS: i64 = 20;

/// The budget of a server; clones share it.
#[derive(Clone, Debug, Default)]
pub struct BodyBudget(Arc<Mutex<Held>>);

#[derive(Debug, Default)]
struct Held {
    total: usize,
    by_address: HashMap<Option<IpAddr>, usize>,
}

impl BodyBudget {
    /// The share of a body that is about to be read. None is the address of a caller whose address is unknown.
    pub fn share(&self, address: Option<IpAddr>) -> BodyShare {
        BodyShare { budget: self.clone(), address: address.map(client_network), bytes: 0 }
    }

    /// Reads a whole body, unless it is too large, too slow, or does not fit into the budget.
    pub async fn read<B>(&self, address: Option<IpAddr>, body: B, bytes_max: usize) -> Result<Bytes>
    where
        B: BodyExt<Data = Bytes> + Unpin,
    {
        let mut share = self.share(address);
        let bytes = read_whole(body, bytes_max, None, Some(&mut share)).await?;
        if bytes.is_empty() {
            return Ok(bytes);
        }
        Ok(Bytes::from_owner(HeldBody { bytes, _share: share }))
    }
}

/// Reads a whole body in time, unless it is too large or its share of the budget is used up. A body that arrives in one
/// piece of the `announced` length is not copied.
pub(crate) async fn read_whole<B>(
    mut body: B,
    bytes_max: usize,
    announced: Option<u64>,
    mut share: Option<&mut BodyShare>,
) -> Result<Bytes>
where
    B: BodyExt<Data = Bytes> + Unpin,
{
    let read = async {
        let mut whole = BytesMut::new();
        while let Some(frame) = body.frame().await {
            let frame = frame.map_err(|_| {
                Failure::bad_request("The body broke off before its end. Send the request again.")
            })?;
            let Ok(data) = frame.into_data() else { continue };
            if whole.len() + data.len() > bytes_max {
                return Err(Failure::too_large(bytes_max));
            }
            if let Some(share) = &mut share {
                share.take(data.len())?;
            }
            if whole.is_empty() && announced == Some(data.len() as u64) {
                return Ok(data);
            }
            whole.extend_from_slice(&data);
        }
        Ok(whole.freeze())
    };
    tokio::time::timeout(BODY_TIME_MAX, read).await.map_err(|_| Failure::request_timeout())?
}

/// A body with its share of the budget.
struct HeldBody {
    bytes: Bytes,
    _share: BodyShare,
}

impl AsRef<[u8]> for HeldBody {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

/// The part of the budget that one body holds, returned when it is dropped.
#[derive(Debug)]
pub struct BodyShare {
    budget: BodyBudget,
    address: Option<IpAddr>,
    bytes: usize,
}

impl BodyShare {
    /// Takes this many more bytes.
    pub fn take(&mut self, bytes: usize) -> Result<()> {
        let mut held = self.budget.0.lock().unwrap_or_else(PoisonError::into_inner);
        let at_address = held.by_address.get(&self.address).copied().unwrap_or(0) + bytes;
        let total = held.total + bytes;
        if total > BODY_BYTES_TOTAL_MAX || at_address > BODY_BYTES_PER_ADDRESS_MAX {
            metrics::counter!("frontdesk_http_bodies_refused_total").increment(1);
            return Err(Failure::busy(FULL_SECONDS).of_limit("body_memory"));
        }
        held.total = total;
        held.by_address.insert(self.address, at_address);
        self.bytes += bytes;
        Ok(())
    }
}

impl Drop for BodyShare {
    fn drop(&mut self) {
        if self.bytes == 0 {
            return;
        }
        let mut held = self.budget.0.lock().unwrap_or_else(PoisonError::into_inner);
        held.total -= self.bytes;
        match held.by_address.get_mut(&self.address) {
            Some(taken) if *taken > self.bytes => *taken -= self.bytes,
            _ => drop(held.by_address.remove(&self.address)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use http_body_util::Full;

    fn at(number: u8) -> IpAddr {
        IpAddr::from([203, 0, 113, number])
    }

    #[test]
    fn an_address_gets_its_part_and_all_together_get_the_whole() {
        let budget = BodyBudget::default();
        let mut shares: Vec<BodyShare> = (0..4).map(|number| budget.share(Some(at(number)))).collect();
        for share in &mut shares {
            share.take(BODY_BYTES_PER_ADDRESS_MAX).unwrap();
            assert_eq!(share.take(1).unwrap_err().status(), 503);
        }
        let mut other = budget.share(Some(at(9)));
        assert_eq!(other.take(1).unwrap_err().status(), 503);
        drop(shares);
        other.take(BODY_BYTES_PER_ADDRESS_MAX).unwrap();
        drop(other);
        let held = budget.0.lock().unwrap();
        assert_eq!((held.total, held.by_address.len()), (0, 0));
    }

    #[tokio::test]
    async fn a_body_holds_its_share_until_its_last_part_is_dropped() {
        let budget = BodyBudget::default();
        let body = Full::new(Bytes::from(vec![7; 1_000]));
        let read = budget.read(None, body, 1_000).await.unwrap();
        let part = read.slice(..10);
        drop(read);
        assert_eq!(budget.0.lock().unwrap().total, 1_000);
        drop(part);
        assert_eq!(budget.0.lock().unwrap().total, 0);
        let large = budget.read(None, Full::new(Bytes::from(vec![7; 1_001])), 1_000).await;
        assert_eq!(large.unwrap_err().status(), 413);
        assert_eq!(budget.0.lock().unwrap().total, 0);
    }
}
