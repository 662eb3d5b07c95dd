//! The model of the simulation against the statements of heartbeats, marks and leases on PostgreSQL: the same operations
//! on both, with the same results.

use frontdesk_fuzz::Dice;
use frontdesk_simulation::Servers;

use super::*;
use crate::heartbeat::{BEAT, DECLARE_DEAD, FORGET, FORGET_MARKS, JOIN, LEAVE, SILENCE_MAX};
use crate::marks::{MADE, MarkSlot, make};
use crate::{Incarnation, LeaseRange, Mark};

const STEPS: usize = 400;
const SERVERS: u64 = 4;
const LANES: u64 = 2;
const SPAN_MILLIS: i64 = 10_000;
const START_MILLIS: i64 = 1_800_000_000_000;
/// As if a server had not beaten for longer than it may.
const SILENCE: &str =
    "UPDATE server_beats SET beat_at = clock_timestamp() - interval '1 hour' WHERE id = $1 AND NOT is_dead";
/// The test may be slow, and only those that were silenced are to be silent.
const ALL_OTHERS_BEAT: &str = "UPDATE server_beats SET beat_at = clock_timestamp() WHERE NOT is_dead AND beat_at > clock_timestamp() - interval '30 minutes'";

fn range(server: u64) -> LeaseRange {
    Incarnation::of(Uuid::from_u64_pair(server, 0)).leases()
}

/// One operation on both; their results, as text.
fn step(tx: &mut Tx<'_>, model: &mut Servers, dice: &mut Dice, now: i64) -> Result<(String, String)> {
    let server = 1 + dice.roll(SERVERS as usize) as u64;
    let LeaseRange { first, last } = range(server);
    let row = 1 + dice.roll(3) as u64;
    let lease = Uuid::from_u64_pair(server, 1 + dice.roll(3) as u64);
    Ok(match dice.roll(9) {
        0 => {
            let _there_already_is_fine = tx.execute(JOIN, &[&first, &last, &Timestamp::from_millis(0)])?;
            let beats = tx.execute(BEAT, &[&first])?.any();
            model.join(server, now);
            (format!("join {beats}"), format!("join {}", model.beat(server, now)))
        }
        1 => (format!("{}", tx.execute(BEAT, &[&first])?.any()), format!("{}", model.beat(server, now))),
        2 => {
            let _dead_is_fine = tx.execute(SILENCE, &[&first])?;
            model.silence(server, now);
            (String::new(), String::new())
        }
        3 => {
            let _any_number = tx.execute(ALL_OTHERS_BEAT, &[])?;
            let mut dead = tx.query(DECLARE_DEAD, &[&first, &SILENCE_MAX.as_secs_f64()], only::<Uuid>)?;
            dead.sort_unstable();
            let dead: Vec<u64> = dead.into_iter().map(|id| id.as_u64_pair().0).collect();
            (format!("{dead:?}"), format!("{:?}", model.declare_dead(server, now)))
        }
        4 => {
            let _gone_is_fine = tx.execute(LEAVE, &[&first])?;
            model.leave(server);
            (String::new(), String::new())
        }
        5 if dice.one_in(3) => {
            lease::release(tx, range(server))?;
            let _any_number = tx.execute(FORGET_MARKS, &[&first])?;
            let _gone_is_fine = tx.execute(FORGET, &[&first])?;
            model.forget(server);
            (String::new(), String::new())
        }
        5 | 6 => {
            let slot = dice.roll(2) as u64;
            let mark = Mark { lease, row: Uuid::from_u64_pair(0, row), part: 0 };
            let made = make(tx, &[(MarkSlot::numbered(slot), mark)])?;
            (format!("{}", !made.is_empty()), format!("{}", model.mark(slot, lease, row)))
        }
        7 => {
            let (lane, holder) = (dice.roll(LANES as usize) as u64, lease);
            if dice.one_in(4) {
                lease::give_up(tx, &format!("lane {lane}"), holder)?;
                model.give_up_lane(lane, holder);
                (String::new(), String::new())
            } else {
                let (at, span) =
                    (Timestamp::from_millis(START_MILLIS + now), Duration::from_millis(SPAN_MILLIS as u64));
                let taken = lease::take(tx, &format!("lane {lane}"), holder, at, span)?;
                (format!("{taken}"), format!("{}", model.take_lane(lane, holder, now, SPAN_MILLIS)))
            }
        }
        _ => {
            let begun = tx.query(MADE, &[&first], |row| {
                Ok(Mark { lease: row.next()?, row: row.next()?, part: row.next()? })
            })?;
            let is_known = tx.find(crate::marks::IS_COMPLETE, &[&first], only::<Uuid>)?.is_some();
            let call = Mark { lease, row: Uuid::from_u64_pair(0, row), part: 0 };
            let has_not_begun = is_known && !begun.contains(&call);
            let range = frontdesk_simulation::LeaseRange::of_server(server);
            (format!("{has_not_begun}"), format!("{}", model.begun(range).has_not_begun(lease, row)))
        }
    })
}

#[test]
fn the_model_of_the_simulation_does_what_the_statements_of_servers_do() {
    let database = Database::postgres();
    let store = database.open();
    runtime().block_on(async {
        let mut state = (Servers::default(), Dice::new(5), 0_i64);
        for number in 0..STEPS {
            let (model, dice, now) = state;
            // A transaction may run twice, so it changes copies.
            let (found, expected, next) = store
                .write(move |tx| -> Result<_> {
                    let (mut model, mut dice) = (model.clone(), dice.clone());
                    let now = now + dice.roll(4_000) as i64;
                    let (found, expected) = step(tx, &mut model, &mut dice, now)?;
                    // Time passes in the model only, where everybody else beats meanwhile.
                    model.keep_up(now);
                    Ok((found, expected, (model, dice, now)))
                })
                .await
                .unwrap();
            assert_eq!(found, expected, "step {number}");
            state = next;
        }
    });
    store.close();
}
