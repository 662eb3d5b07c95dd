//! Histories of several servers that send over one connection, on both engines. Everything follows from a seed: what is
//! said, claimed, marked as begun, called and settled, by which server and by whose clock; which responses of the channel
//! and of the database are lost, late or refusals; and which servers are killed, or suspended until another one has taken
//! their messages over.
//!
//! The rows are those of the database, written by the sender's own statements, and are compared with the model of
//! `frontdesk-simulation` after each step. Heartbeats and marks are the model's, which `frontdesk-db` compares with the
//! statements.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use frontdesk_db::{BegunCalls, LeaseRange, Mark};
use frontdesk_fuzz::Dice;
use frontdesk_simulation::{self as simulation, MessageState, Millis, SendRow, SendState, Sends, Servers};

use super::super::takeover;
use super::*;
use crate::ids::ConversationId;
use crate::messages::{MessageId, UNKNOWN_OUTCOME};

/// One history for each. To repeat one, leave the others out.
const SEEDS: Range<u64> = 0..24;
const STEPS: usize = 70;
const CONVERSATIONS: usize = 3;
const SERVERS_MAX: usize = 3;
/// The only connection, in the model.
const LANE: u64 = 0;
const SECOND: Millis = 1_000;
const MINUTE: Millis = 60 * SECOND;
/// How far a wrong clock is off.
const SKEW_MAX: Millis = 10 * MINUTE;
/// How many minutes the last server has until nothing may be left.
const MINUTES_MAX: usize = 90;

const ROWS: &str = "SELECT message_id, conversation_id, state, due_at, handed_at, lease, tries, ready FROM sends ORDER BY message_id";
const BEAT: &str = "INSERT INTO server_beats (id, last_lease, beat_at, is_dead) VALUES ($1, $2, $3, false)";
const FORGET: &str = "DELETE FROM server_beats WHERE id = $1";
const FORGET_ALL: &str = "DELETE FROM server_beats";
const MESSAGES: &str = "SELECT id, status, error FROM messages";

/// A claimed message at a server.
struct Call {
    message: u64,
    job: Arc<Job>,
    stage: Stage,
}

enum Stage {
    Claimed,
    /// Marked as begun.
    Begun,
    Ended(Arc<Sent>),
}

struct Server {
    number: u64,
    /// How far its clock is off.
    skew: Millis,
    leases: u64,
    calls: Vec<Call>,
    /// Claims whose response was lost.
    unsure: Vec<Uuid>,
    /// Whether it does not beat. It goes on as if nothing had happened.
    is_suspended: bool,
    /// Whether another one has taken over from it. Then it claims nothing more.
    is_forgotten: bool,
}

struct World<'s> {
    seed: u64,
    scene: &'s mut Scene,
    dice: Dice,
    now: Millis,
    sends: Sends,
    beats: Servers,
    /// The calls that servers have marked as begun.
    marks: Vec<Mark>,
    running: Vec<Server>,
    started: u64,
    /// The messages by their numbers in the model, in the order in which they were said.
    messages: Vec<MessageId>,
    /// Those that the channel has taken.
    taken: BTreeSet<u64>,
    /// Those whose call was marked as begun, or of which a crash of the database has left nobody to know it.
    may_have_begun: BTreeSet<u64>,
    /// Whether the faults are over.
    is_calm: bool,
    log: Vec<String>,
}

impl Drop for World<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("history {} of SEEDS:\n{}", self.seed, self.log.join("\n"));
        }
    }
}

fn moment(time: Millis) -> Timestamp {
    Timestamp::from_millis(START.millis() + time)
}

fn leases_of(server: u64) -> LeaseRange {
    let simulation::LeaseRange { first, last } = simulation::LeaseRange::of_server(server);
    LeaseRange { first, last }
}

/// A row as it is stored.
type StoredSend =
    (MessageId, ConversationId, String, Option<Timestamp>, Option<Timestamp>, Option<Uuid>, i64, bool);

fn stored_send(row: &mut Row<'_>) -> db::Result<StoredSend> {
    let (message, conversation, state) = (row.next()?, row.next()?, row.next()?);
    Ok((message, conversation, state, row.next()?, row.next()?, row.next()?, row.next()?, row.next()?))
}

fn stored_message(row: &mut Row<'_>) -> db::Result<(MessageId, (String, Option<String>))> {
    Ok((row.next()?, (row.next()?, row.next()?)))
}

/// What an outcome is in the model.
fn modelled(sent: &Sent) -> simulation::Outcome {
    match &sent.outcome {
        SendOutcome::Accepted { .. } => simulation::Outcome::Accepted,
        SendOutcome::Unknown(_) => simulation::Outcome::Unknown,
        other => other.pause(sent.job.tries).map_or(simulation::Outcome::Refused, |pause| {
            simulation::Outcome::Again(pause.as_millis() as Millis)
        }),
    }
}

impl<'s> World<'s> {
    fn new(seed: u64, scene: &'s mut Scene) -> Self {
        Self {
            seed,
            scene,
            dice: Dice::new(seed),
            // Histories use one database, one after the other.
            now: seed as Millis * 24 * 60 * MINUTE,
            sends: Sends::default(),
            beats: Servers::default(),
            marks: Vec::new(),
            running: Vec::new(),
            started: 0,
            messages: Vec::new(),
            taken: BTreeSet::new(),
            may_have_begun: BTreeSet::new(),
            is_calm: false,
            log: Vec::new(),
        }
    }

    async fn history(mut self) {
        for _ in 0..STEPS {
            self.step().await;
            self.compare().await;
        }
        self.finish().await;
        self.conclude().await;
    }

    async fn step(&mut self) {
        if self.running.is_empty() || self.running.len() < SERVERS_MAX && self.dice.one_in(12) {
            return self.start().await;
        }
        let at = self.dice.roll(self.running.len());
        match self.dice.roll(20) {
            0..4 => self.say().await,
            4..7 => {
                let most = 1 + self.dice.roll(3);
                self.claim(at, most).await;
            }
            7..10 => self.begin(at),
            10..13 => self.call(at),
            13..16 => self.settle(at).await,
            16 => self.pass(),
            17 => self.sweep(at).await,
            18 => self.watch(at).await,
            _ => self.break_down(at).await,
        }
    }

    /// Sets the clock of the scene to that of a server.
    fn by_clock_of(&mut self, at: usize) -> Millis {
        let now = self.now + self.running[at].skew;
        self.scene.now = moment(now);
        now
    }

    async fn start(&mut self) {
        self.started += 1;
        let number = self.seed * 1_000 + self.started;
        // In a third of the histories clocks are wrong.
        let skew = if self.seed.is_multiple_of(3) && !self.is_calm {
            self.dice.roll(2 * SKEW_MAX as usize) as Millis - SKEW_MAX
        } else {
            0
        };
        let (leases, beat_at) = (leases_of(number), moment(self.now));
        let insert = move |tx: &mut Tx<'_>, _: &By| {
            tx.execute(BEAT, &[&leases.first, &leases.last, &beat_at])?.exactly(1)
        };
        self.scene.write(insert).await;
        self.beats.join(number, self.now);
        let (calls, unsure) = (Vec::new(), Vec::new());
        self.running.push(Server {
            number,
            skew,
            leases: 0,
            calls,
            unsure,
            is_suspended: false,
            is_forgotten: false,
        });
        self.log.push(format!("{number} starts, {skew} ms off"));
    }

    async fn say(&mut self) {
        let conversation = self.dice.roll(CONVERSATIONS);
        self.scene.now = moment(self.now);
        let id = self.scene.say(conversation, text("Hello")).await.id;
        let number = self.messages.len() as u64;
        self.messages.push(id);
        self.sends.insert(number, LANE, conversation as u64, self.now);
        self.log.push(format!("message {number} is said in {conversation}"));
    }

    async fn claim(&mut self, at: usize, most: usize) {
        let now = self.by_clock_of(at);
        let server = &mut self.running[at];
        if server.is_forgotten {
            return;
        }
        server.leases += 1;
        let (number, lease) = (server.number, Uuid::from_u64_pair(server.number, server.leases));
        let jobs = self.scene.claim_under(lease, most).await;
        let claimed: Vec<(u64, i64)> =
            jobs.iter().map(|job| (self.number_of(job.message), job.tries)).collect();
        let is_lost = !self.is_calm && self.dice.one_in(8);
        self.log.push(format!("{number} claims {claimed:?}; lost: {is_lost}"));
        assert_eq!(claimed, self.sends.claim(LANE, now, most, lease));
        let server = &mut self.running[at];
        if is_lost {
            server.unsure.push(lease);
            return;
        }
        for (job, (message, _)) in jobs.into_iter().zip(claimed) {
            server.calls.push(Call { message, job: Arc::new(job), stage: Stage::Claimed });
        }
    }

    /// Marks a call as begun. One that cannot be marked is not made.
    fn begin(&mut self, at: usize) {
        let server = &mut self.running[at];
        let claimed = server.calls.iter_mut().find(|call| matches!(call.stage, Stage::Claimed));
        let Some(call) = claimed else { return };
        let (slot, mark) = (self.marks.len() as u64, call.job.begun());
        let is_made = self.beats.mark(slot, mark.lease, call.message);
        self.log.push(format!("{} begins {}: {is_made}", server.number, call.message));
        if is_made {
            self.marks.push(mark);
            self.may_have_begun.insert(call.message);
            call.stage = Stage::Begun;
        } else {
            call.stage = ended(call, SendOutcome::Unreached("it could not be marked".to_owned()));
        }
    }

    /// Makes a call that has begun. Its response may be lost, whether the channel has taken the message or not.
    fn call(&mut self, at: usize) {
        let server = &mut self.running[at];
        let begun = server.calls.iter_mut().find(|call| matches!(call.stage, Stage::Begun));
        let Some(call) = begun else { return };
        let accepted = || taken(Some(&call.job.message.to_string()), None);
        let roll = if self.is_calm { 9 } else { self.dice.roll(10) };
        let (is_taken, outcome) = match roll {
            0 => (false, SendOutcome::Unknown("the connection broke".to_owned())),
            1 => (true, SendOutcome::Unknown("the response was lost".to_owned())),
            2 => (false, refused(Class::Recipient)),
            3 => (false, refused(Class::Retry)),
            4 => (false, SendOutcome::Unreached("nobody there".to_owned())),
            _ => (true, accepted()),
        };
        self.log.push(format!("{} calls {}: {outcome:?}", server.number, call.message));
        if is_taken {
            assert!(self.taken.insert(call.message), "message {} was sent twice", call.message);
        }
        call.stage = ended(call, outcome);
    }

    /// Writes outcomes, and keeps them to write them again if the response is lost.
    async fn settle(&mut self, at: usize) {
        let now = self.by_clock_of(at);
        let most = if self.is_calm { usize::MAX } else { 1 + self.dice.roll(3) };
        let is_lost = !self.is_calm && self.dice.one_in(6);
        let server = &mut self.running[at];
        let mut batch: Vec<(u64, Arc<Sent>)> = Vec::new();
        server.calls.retain(|call| match &call.stage {
            Stage::Ended(sent) if batch.len() < most => {
                batch.push((call.message, sent.clone()));
                is_lost
            }
            _ => true,
        });
        let told: Vec<u64> = batch.iter().map(|(message, _)| *message).collect();
        self.log.push(format!("{} settles {told:?}; lost: {is_lost}", server.number));
        // A batch is written in this order.
        batch
            .sort_by_key(|(message, sent)| (!matches!(sent.outcome, SendOutcome::Accepted { .. }), *message));
        self.scene.settle_batch(batch.iter().map(|(_, sent)| sent.clone()).collect()).await;
        for (message, sent) in batch {
            self.sends.settle(message, sent.job.lease, modelled(&sent), now);
        }
    }

    /// Time passes: a moment, or longer than a call may take, or than anybody waits for a report.
    fn pass(&mut self) {
        let most = *self.dice.pick(&[3 * SECOND, 40 * SECOND, 12 * MINUTE]);
        self.now += self.dice.roll(most as usize) as Millis;
        self.log.push(format!("it is {}", self.now));
    }

    async fn sweep(&mut self, at: usize) {
        let now = self.by_clock_of(at);
        let (recorder, links, clock) =
            (self.scene.recorder.clone(), self.scene.links.clone(), self.scene.now);
        let sweep = move |tx: &mut Tx<'_>, _: &By| {
            settle::sweep(tx, &SettleContext { recorder: &recorder, links: &links, now: clock })
        };
        let is_more = self.scene.write(sweep).await;
        assert!(!is_more);
        self.sends.sweep(&self.beats, now);
        self.log.push(format!("{} sweeps", self.running[at].number));
    }

    /// A server releases its claims whose response was lost, and takes over from servers that do not beat.
    async fn watch(&mut self, at: usize) {
        let own = self.running[at].number;
        for lease in std::mem::take(&mut self.running[at].unsure) {
            self.take_over(LeaseRange::only(lease)).await;
        }
        if self.running[at].is_suspended {
            return;
        }
        self.beats.keep_up(self.now);
        for dead in self.beats.declare_dead(own, self.now) {
            self.take_over(leases_of(dead)).await;
            let first = leases_of(dead).first;
            self.scene.write(move |tx, _| tx.execute(FORGET, &[&first])?.exactly(1)).await;
            self.beats.forget(dead);
            self.running.iter_mut().filter(|one| one.number == dead).for_each(|one| one.is_forgotten = true);
            self.log.push(format!("{own} has taken over from {dead}"));
        }
    }

    async fn take_over(&mut self, dead: LeaseRange) {
        let range = simulation::LeaseRange { first: dead.first, last: dead.last };
        let server = dead.first.as_u64_pair().0;
        let known = if self.beats.holds(dead.first) {
            let marks = self.marks.iter().filter(|mark| leases_of(server).contains(mark.lease));
            BegunCalls::of(leases_of(server), marks.copied())
        } else {
            BegunCalls::default()
        };
        let is_more = self.scene.write(move |tx, _| takeover::take_over(tx, dead, &known)).await;
        assert!(!is_more);
        self.sends.take_over(range, &self.beats.begun(range));
    }

    /// A server is killed or suspended, or a clock is set, or the database crashes with all servers.
    async fn break_down(&mut self, at: usize) {
        let number = self.running[at].number;
        match self.dice.roll(8) {
            0..4 => {
                self.running.remove(at);
                self.beats.silence(number, self.now);
                self.log.push(format!("{number} is killed"));
            }
            4 | 5 => {
                self.running[at].is_suspended = true;
                self.beats.silence(number, self.now);
                self.log.push(format!("{number} is suspended"));
            }
            6 => {
                self.running[at].skew = self.dice.roll(SKEW_MAX as usize) as Millis / 20;
                self.log.push(format!("the clock of {number} is {} ms off", self.running[at].skew));
            }
            _ => {
                let handed = self.sends.rows.iter().filter(|(_, row)| row.state == SendState::Handed);
                self.may_have_begun.extend(handed.map(|(message, _)| *message));
                self.running.clear();
                self.beats.crash();
                self.marks.clear();
                self.scene.write(|tx, _| tx.execute(FORGET_ALL, &[]).map(drop)).await;
                self.log.push("the database crashes".to_owned());
            }
        }
    }

    /// The faults are over, and one new server finishes everything.
    async fn finish(&mut self) {
        self.is_calm = true;
        for server in std::mem::take(&mut self.running) {
            self.beats.silence(server.number, self.now);
        }
        self.start().await;
        self.watch(0).await;
        for _ in 0..MINUTES_MAX {
            self.claim(0, usize::from(u8::MAX)).await;
            for _ in 0..self.running[0].calls.len() {
                self.begin(0);
                self.call(0);
            }
            self.settle(0).await;
            self.sweep(0).await;
            self.compare().await;
            if self.sends.rows.is_empty() {
                return;
            }
            self.now += MINUTE;
        }
        panic!("messages are left behind: {:#?}", self.sends.rows);
    }

    /// The rows are those of the model.
    async fn compare(&self) {
        let stored = self.scene.rows(ROWS, stored_send).await.into_iter().map(|row| {
            let (message, conversation, state, due_at, handed_at, lease, tries, ready) = row;
            let conversation = self.scene.conversations.iter().position(|one| one.id == conversation);
            let since = |time: Timestamp| time.millis() - START.millis();
            let row = SendRow {
                lane: LANE,
                conversation: conversation.expect("one of the history's") as u64,
                state: if state == "queued" { SendState::Queued } else { SendState::Handed },
                due_at: due_at.map(since),
                handed_at: handed_at.map(since),
                lease,
                tries,
                ready,
            };
            (self.number_of(message), row)
        });
        assert_eq!(stored.collect::<BTreeMap<_, _>>(), self.sends.rows);
    }

    /// Every message has ended as it must. That none was taken twice was checked when it was.
    async fn conclude(&self) {
        let stored: BTreeMap<_, _> = self.scene.rows(MESSAGES, stored_message).await.into_iter().collect();
        for (number, id) in (0..).zip(&self.messages) {
            let (status, error) = &stored[id];
            let is_in_doubt = error.as_deref().is_some_and(|error| error.contains(UNKNOWN_OUTCOME));
            let (state, is_taken) = (self.sends.messages[&number], self.taken.contains(&number));
            let is_right = match state {
                MessageState::Sending => false,
                MessageState::Sent => is_taken && status == "sent",
                MessageState::Refused => !is_taken && status == "failed" && !is_in_doubt,
                MessageState::InDoubt => {
                    self.may_have_begun.contains(&number) && status == "failed" && is_in_doubt
                }
            };
            assert!(
                is_right,
                "message {number} is {state:?}, stored as {status} ({error:?}); taken: {is_taken}"
            );
        }
    }

    fn number_of(&self, message: MessageId) -> u64 {
        self.messages.iter().position(|known| *known == message).expect("a message of the history") as u64
    }
}

fn ended(call: &Call, outcome: SendOutcome) -> Stage {
    Stage::Ended(Arc::new(Sent { lane: call.job.connection_id, job: call.job.clone(), outcome }))
}

async fn no_message_is_sent_twice_and_none_is_lost(database: TestDatabase) {
    let mut scene = Scene::new(database, CONVERSATIONS).await;
    for seed in SEEDS {
        World::new(seed, &mut scene).history().await;
    }
}

#[tokio::test]
async fn no_history_on_sqlite_sends_a_message_twice_or_loses_one() {
    no_message_is_sent_twice_and_none_is_lost(TestDatabase::sqlite()).await;
}

#[tokio::test]
async fn no_history_on_postgresql_sends_a_message_twice_or_loses_one() {
    no_message_is_sent_twice_and_none_is_lost(TestDatabase::postgres()).await;
}
