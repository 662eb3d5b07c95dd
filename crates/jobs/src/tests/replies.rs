//! What a server does with the replies of the store.

use frontdesk_simulation::Millis;

use super::engine::LaneNumber;
use super::request::{Reply, Request, Work};
use super::sabotage::Sabotage;
use super::server::{Happening, Phase, SECOND, held};
use super::world::World;
use crate::kind::Claimed;

/// How often it looks for servers that have died.
const WATCH_PERIOD: Millis = 1_000;
/// How long a dead server is remembered after its claims were released.
const REMEMBERED: Millis = 60_000;

impl World {
    pub(super) fn replied(&mut self, at: usize, request: Request, reply: Option<Reply>) {
        let now = self.now_of(at);
        match (request, reply) {
            (Request::Look(work, _), reply) => {
                let lanes = match reply {
                    Some(Reply::Lanes(lanes)) => Some(lanes.into_iter().map(LaneNumber).collect()),
                    _ => None,
                };
                self.engine(at, work).scheduler.looked(lanes, now);
            }
            (Request::Claim(work, claim), Some(Reply::Claimed(jobs))) => {
                let claimed = if let Some(jobs) = jobs {
                    Claimed::jobs(jobs.into_iter().map(|job| held(job, claim.until)).collect())
                } else {
                    self.engine(at, work).charges.remove(&claim.lane);
                    Claimed::Elsewhere
                };
                let lane = LaneNumber(claim.lane);
                self.engine(at, work).scheduler.claimed(lane, claim.most, Some(claimed), now);
            }
            (Request::Claim(work, claim), _) if self.sabotage != Some(Sabotage::KeepFailedClaims) => {
                self.ask(at, Request::Release(work, claim));
            }
            (Request::Release(work, claim), None) if !self.servers[at].is_stopping() => {
                self.local(at, SECOND, Happening::AskAgain(Request::Release(work, claim)));
            }
            (Request::Claim(work, claim) | Request::Release(work, claim), _) => {
                let clock = self.clock_of(at);
                let engine = self.engine(at, work);
                engine.charges.entry(claim.lane).and_modify(|until| *until = clock);
                engine.scheduler.claimed(LaneNumber(claim.lane), claim.most, None, now);
            }
            (Request::Mark { number, slot, job }, reply) => {
                // A mark that failed may still be made, so its slot is not used again.
                let may_come = reply.is_none() && self.sabotage != Some(Sabotage::FreeFailedMarks);
                let is_made = matches!(reply, Some(Reply::Flag(true)));
                if !is_made && !may_come {
                    self.servers[at].free_slots.push(slot);
                }
                self.marked(at, number, slot, job, is_made);
            }
            (Request::Settle(work, batch, _), reply) => {
                let mut again = batch;
                if reply.is_some() || self.sabotage == Some(Sabotage::DropOutcomes) {
                    let freed = again.drain(..).filter_map(|done| done.slot);
                    self.servers[at].free_slots.extend(freed);
                }
                self.engine(at, work).scheduler.settled([], again, now);
            }
            (Request::GiveBack(work, jobs, clock), None) if !self.servers[at].is_stopping() => {
                self.local(at, SECOND, Happening::AskAgain(Request::GiveBack(work, jobs, clock)));
            }
            (Request::GiveBack(work, ..), _) => {
                self.engine(at, work).giving_back -= 1;
                if !self.servers[at].is_stopping() {
                    self.engine(at, work).scheduler.look();
                }
            }
            (Request::Beat(_), Some(Reply::Flag(false))) => {
                self.lives += 1;
                let next = self.lives;
                self.ask(at, Request::Join(next));
            }
            (Request::Beat(_), _) => {
                let period = self.period(SECOND);
                self.local(at, period, Happening::Beat);
            }
            (Request::Join(incarnation), reply) => self.joined(at, incarnation, reply.is_some()),
            (Request::FindDead(_), reply) => self.found_dead(at, reply),
            (Request::TakeOver(dead, _), Some(_)) => self.taken_over(at, dead),
            (Request::GiveUpLanes(..), _) => {
                let own = self.servers[at].incarnation;
                self.ask(at, Request::Leave(own));
            }
            (Request::Leave(_), _) => self.kill(at, self.calm_since.is_none() || at == 0),
            (Request::TakeOver(..) | Request::Forget(_), _) => {}
        }
    }

    fn joined(&mut self, at: usize, incarnation: u64, is_written: bool) {
        if self.servers[at].phase != Phase::Joining {
            if is_written {
                self.servers[at].incarnation = incarnation;
            }
            self.local(at, SECOND, Happening::Beat);
        } else if is_written {
            self.servers[at].phase = Phase::Running;
            let first = [
                Happening::Tick(Work::Send),
                Happening::Tick(Work::Deliver),
                Happening::Beat,
                Happening::Watch,
            ];
            for what in first {
                self.local(at, 0, what);
            }
        } else {
            self.local(at, SECOND, Happening::AskAgain(Request::Join(incarnation)));
        }
    }

    fn found_dead(&mut self, at: usize, reply: Option<Reply>) {
        if let Some(Reply::Dead(dead)) = reply {
            for server in dead {
                let (clock, since) = (self.clock_of(at), self.servers[at].released.get(&server).copied());
                if self.sabotage == Some(Sabotage::ForgetFirst) {
                    self.store.servers.forget(server);
                }
                if since.is_none_or(|since| since + REMEMBERED <= self.now) {
                    self.ask(at, Request::TakeOver(server, clock));
                }
            }
        }
        let period = self.period(WATCH_PERIOD);
        self.local(at, period, Happening::Watch);
    }

    /// The claims of a dead server are released. It is forgotten when that was done again after a while.
    fn taken_over(&mut self, at: usize, dead: u64) {
        let since = *self.servers[at].released.entry(dead).or_insert(self.now);
        if since + REMEMBERED <= self.now || self.sabotage == Some(Sabotage::ForgetAtOnce) {
            self.ask(at, Request::Forget(dead));
        }
    }
}
