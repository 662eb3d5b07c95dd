use uuid::Uuid;

use super::*;
use frontdesk_kernel::Id;

enum Thing {}
type LaneOf = Id<Thing>;
type Effects = Vec<Effect<LaneOf, u32, u32>>;

const START: Timestamp = Timestamp::from_millis(1_800_000_000_000);
const LEASE: Duration = Duration::from_mins(5);

fn lane(n: u128) -> LaneOf {
    Id::from_uuid(Uuid::from_u128(n))
}

/// A scheduler and the time on its clocks.
struct Scene {
    scheduler: Scheduler<LaneOf, u32, u32>,
    now: Now,
}

impl Scene {
    fn new(limits: Limits) -> Self {
        Self { scheduler: Scheduler::new(limits), now: Now { clock: START, instant: Instant::now() } }
    }

    fn pass(&mut self, time: Duration) {
        self.now = Now { clock: self.now.clock + time, instant: self.now.instant + time };
    }

    /// The scheduler's effects, except those that open lanes for hand-overs.
    fn effects(&mut self) -> Effects {
        let effects = std::mem::take(&mut self.scheduler.effects);
        effects.into_iter().filter(|effect| !matches!(effect, Effect::Open { .. })).collect()
    }

    fn wake(&mut self, n: u128) -> Effects {
        self.scheduler.woken([lane(n)], self.now);
        self.effects()
    }

    fn held(&self, job: u32, account: u128) -> ClaimedJob<u32> {
        let account = Some(Id::from_uuid(Uuid::from_u128(account)));
        ClaimedJob { job, account, leased_until: self.now.clock + LEASE, trace: None }
    }

    /// Reports a claim of `asked` jobs that found these, all of one account.
    fn claimed(&mut self, n: u128, asked: usize, account: u128, jobs: &[u32]) -> Effects {
        let jobs = jobs.iter().map(|job| self.held(*job, account)).collect();
        self.scheduler.claimed(lane(n), asked, Some(Claimed::jobs(jobs)), self.now);
        self.effects()
    }

    fn ended(&mut self, n: u128, account: u128, job: u32, health: Health) -> Effects {
        let ended = Ended { health, elapsed: Duration::from_secs(1), done: job };
        self.scheduler.ended(lane(n), Some(Id::from_uuid(Uuid::from_u128(account))), ended, self.now);
        self.effects()
    }
}

fn begun(effects: &Effects) -> Vec<u32> {
    let job = |effect: &Effect<LaneOf, u32, u32>| match effect {
        Effect::Begin { held, .. } => Some(held.job),
        _ => None,
    };
    effects.iter().filter_map(job).collect()
}

fn claims(n: u128, most: usize) -> Effects {
    vec![Effect::Claim { lane: lane(n), most }]
}

const LANES: Limits = Limits { lane: 2, overall: 100, ..Limits::DEFAULT };

#[test]
fn every_lane_has_a_limit_of_its_own() {
    let mut scene = Scene::new(LANES);
    assert_eq!(scene.wake(1), claims(1, 2));
    assert_eq!(begun(&scene.claimed(1, 2, 1, &[10, 11])), [10, 11]);
    assert_eq!(scene.wake(1), [], "the lane is full");
    assert_eq!(scene.wake(2), claims(2, 2), "the other one is not");
    assert_eq!(scene.ended(1, 1, 10, Health::Fine), claims(1, 1), "a full claim may have left more");
}

#[test]
fn a_claim_is_not_repeated_while_it_is_under_way() {
    let mut scene = Scene::new(LANES);
    assert_eq!(scene.wake(1), claims(1, 2));
    assert_eq!(scene.wake(1), []);
    assert_eq!(scene.claimed(1, 2, 1, &[]), claims(1, 2), "it was woken meanwhile");
    assert_eq!(scene.claimed(1, 2, 1, &[]), []);
}

#[test]
fn a_full_account_delays_its_own_lanes_only() {
    let mut scene = Scene::new(Limits { account: 2, ahead: 4, ..LANES });
    scene.wake(1);
    assert_eq!(begun(&scene.claimed(1, 2, 7, &[10, 11])), [10, 11]);
    scene.wake(2);
    assert!(begun(&scene.claimed(2, 2, 7, &[20, 21])).is_empty(), "the account has two under way");
    scene.wake(3);
    assert_eq!(begun(&scene.claimed(3, 2, 8, &[30, 31])), [30, 31], "another account is not delayed");
    assert_eq!(begun(&scene.ended(1, 7, 10, Health::Fine)), [20]);
    assert_eq!(begun(&scene.ended(1, 7, 11, Health::Fine)), [21]);
}

#[test]
fn lanes_that_wait_for_the_overall_limit_take_turns() {
    let mut scene = Scene::new(Limits { lane: 10, overall: 1, ahead: 4, ..LANES });
    scene.wake(1);
    assert_eq!(begun(&scene.claimed(1, 10, 1, &[10, 11, 12, 13])), [10]);
    scene.wake(2);
    assert!(begun(&scene.claimed(2, 10, 2, &[20, 21])).is_empty());
    let mut order = vec![(1, 10)];
    for turn in 0..5 {
        let (of, job) = order[turn];
        let next = begun(&scene.ended(of, of, job, Health::Fine));
        assert_eq!(next.len(), 1, "one place is free at a time");
        order.push((u128::from(next[0] / 10), next[0]));
    }
    let jobs: Vec<u32> = order.into_iter().map(|(_, job)| job).collect();
    assert_eq!(jobs, [10, 11, 20, 12, 21, 13]);
}

#[test]
fn a_lane_with_nothing_under_way_begins_one_job_past_full_limits() {
    let mut scene = Scene::new(Limits { overall: 2, spare: 1, ahead: 4, ..LANES });
    scene.wake(1);
    assert_eq!(begun(&scene.claimed(1, 2, 1, &[10, 11])), [10, 11]);
    scene.wake(2);
    assert_eq!(begun(&scene.claimed(2, 2, 2, &[20, 21])), [20]);
    scene.wake(3);
    assert!(begun(&scene.claimed(3, 2, 3, &[30])).is_empty(), "the spare places are taken");
}

#[test]
fn jobs_that_begin_at_once_are_claimed_only_within_the_overall_limit() {
    let mut scene = Scene::new(Limits { overall: 3, ..LANES });
    assert_eq!(scene.wake(1), claims(1, 2));
    assert_eq!(scene.wake(2), claims(2, 1), "two places are reserved");
    assert_eq!(scene.wake(3), []);
    assert_eq!(begun(&scene.claimed(1, 2, 1, &[10, 11])), [10, 11]);
    assert_eq!(begun(&scene.claimed(2, 1, 2, &[20])), [20]);
    assert_eq!(scene.ended(2, 2, 20, Health::Fine), claims(3, 1), "the lane that waited comes first");
}

#[test]
fn a_lane_keeps_its_pace() {
    let mut scene = Scene::new(Limits { lane: 100, per_second: Some(10.0), ..LANES });
    assert_eq!(scene.wake(1), claims(1, 1), "a new lane begins with one");
    let rest = |effects: &Effects| match &effects[..] {
        [.., Effect::Rest { time, .. }] => *time,
        other => panic!("a rest: {other:?}"),
    };
    let time = rest(&scene.claimed(1, 1, 1, &[10]));
    assert_eq!(time, Duration::from_millis(100));
    assert_eq!(scene.wake(1), [], "it rests");
    scene.pass(Duration::from_millis(500));
    scene.scheduler.rested(lane(1), scene.now);
    assert_eq!(scene.effects(), claims(1, 5));
    scene.claimed(1, 5, 1, &[11, 12]);
    scene.ended(1, 1, 11, Health::Overloaded);
    scene.pass(Duration::from_secs(1));
    assert_eq!(scene.wake(1), claims(1, 2), "a quarter of ten");
}

#[test]
fn a_claim_sets_the_pace_of_its_lane() {
    let mut scene = Scene::new(Limits { lane: 100, per_second: Some(10.0), ..LANES });
    scene.wake(1);
    let none = Claimed::Jobs { jobs: Vec::new(), per_second: Some(40.0) };
    scene.scheduler.claimed(lane(1), 1, Some(none), scene.now);
    scene.pass(Duration::from_secs(5));
    assert_eq!(scene.wake(1), claims(1, 40));
}

#[test]
fn a_drain_does_not_wait_for_the_pace() {
    let mut scene = Scene::new(Limits { lane: 100, per_second: Some(1.0), ..LANES });
    scene.scheduler.set_draining(true);
    assert_eq!(scene.wake(1), claims(1, 100));
}

#[test]
fn a_desk_is_drained_when_nothing_is_due_under_way_or_unsettled() {
    let mut scene = Scene::new(LANES);
    scene.scheduler.look();
    assert!(!scene.scheduler.is_drained());
    scene.scheduler.look();
    scene.scheduler.looked(Some(Vec::new()), scene.now);
    assert!(!scene.scheduler.is_drained(), "a look that is asked for during a look follows it");
    assert_eq!(scene.effects(), [Effect::Look, Effect::Look]);
    scene.scheduler.looked(Some(vec![lane(1)]), scene.now);
    assert!(!scene.scheduler.is_drained());
    scene.claimed(1, 2, 1, &[10]);
    assert!(!scene.scheduler.is_drained());
    scene.ended(1, 1, 10, Health::Fine);
    assert!(!scene.scheduler.is_drained() && scene.scheduler.settle_at().is_some());
    scene.scheduler.settle();
    assert_eq!(scene.effects(), [Effect::Settle(vec![10])]);
    assert!(!scene.scheduler.is_drained());
    scene.scheduler.settled([lane(1)], Vec::new(), scene.now);
    assert!(scene.scheduler.is_drained());
}

#[test]
fn a_batch_that_was_not_settled_is_settled_again() {
    let mut scene = Scene::new(Limits { settle_max: 2, ..LANES });
    scene.wake(1);
    scene.claimed(1, 2, 1, &[10, 11]);
    scene.ended(1, 1, 10, Health::Fine);
    assert!(scene.ended(1, 1, 11, Health::Fine).contains(&Effect::Settle(vec![10, 11])));
    scene.scheduler.settled([], vec![10, 11], scene.now);
    assert!(scene.scheduler.settle_at() > Some(scene.now.instant), "after a pause");
    scene.scheduler.settle();
    assert_eq!(scene.effects(), [Effect::Settle(vec![10, 11])]);
}

#[test]
fn settling_wakes_the_lane_where_it_frees_more() {
    let mut scene = Scene::new(Limits { settling_frees: true, ..LANES });
    scene.wake(1);
    scene.claimed(1, 2, 1, &[10]);
    scene.ended(1, 1, 10, Health::Fine);
    scene.scheduler.settle();
    scene.effects();
    scene.scheduler.settled([lane(1)], Vec::new(), scene.now);
    assert_eq!(scene.effects(), claims(1, 2));
}

#[test]
fn a_claim_that_failed_is_made_again_after_a_rest() {
    let mut scene = Scene::new(LANES);
    scene.wake(1);
    scene.scheduler.claimed(lane(1), 2, None, scene.now);
    assert_eq!(scene.effects(), [Effect::Rest { lane: lane(1), time: LANES.look_period }]);
    scene.scheduler.rested(lane(1), scene.now);
    assert_eq!(scene.effects(), claims(1, 2));
}

#[test]
fn a_lane_that_is_gone_is_claimed_until_nothing_waits() {
    let mut scene = Scene::new(LANES);
    scene.wake(1);
    scene.scheduler.claimed(lane(1), 2, Some(Claimed::Gone { more: true }), scene.now);
    assert_eq!(scene.effects(), claims(1, 2));
    scene.scheduler.claimed(lane(1), 2, Some(Claimed::Gone { more: false }), scene.now);
    assert_eq!(scene.effects(), []);
}

#[test]
fn a_lane_that_another_server_has_charge_of_is_left_alone() {
    let mut scene = Scene::new(LANES);
    scene.wake(1);
    scene.scheduler.claimed(lane(1), 2, Some(Claimed::Elsewhere), scene.now);
    assert_eq!(scene.effects(), []);
    assert!(scene.scheduler.is_drained());
}

#[test]
fn a_job_whose_lease_may_end_before_it_does_is_not_begun() {
    let mut scene = Scene::new(Limits { overall: 1, ahead: 4, ..LANES });
    scene.wake(1);
    assert_eq!(begun(&scene.claimed(1, 2, 1, &[10, 11])), [10]);
    scene.pass(LEASE.saturating_sub(LANES.act_time_max) + Duration::from_millis(1));
    let effects = scene.ended(1, 1, 10, Health::Fine);
    assert!(begun(&effects).is_empty() && effects.contains(&Effect::GiveBack(vec![11])), "{effects:?}");
}

#[test]
fn a_job_that_is_handed_over_begins_without_a_claim() {
    let mut scene = Scene::new(Limits { ahead: 4, ..LANES });
    scene.scheduler.woken([lane(1)], scene.now);
    scene.scheduler.claimed(lane(1), 2, Some(Claimed::jobs(Vec::new())), scene.now);
    let opened = scene.scheduler.effects.pop();
    assert_eq!(opened, Some(Effect::Open { lane: lane(1), room: 2 }));
    scene.effects();
    let fresh = scene.held(10, 1);
    scene.scheduler.fresh([(lane(1), fresh)], scene.now);
    assert_eq!(scene.scheduler.effects.pop(), Some(Effect::Open { lane: lane(1), room: 1 }));
    assert_eq!(begun(&scene.effects()), [10]);
}

#[test]
fn an_idle_lane_is_forgotten_and_takes_no_hand_overs() {
    let mut scene = Scene::new(LANES);
    scene.wake(1);
    scene.claimed(1, 2, 1, &[]);
    scene.scheduler.look();
    assert_eq!(scene.scheduler.lanes.len(), 0);
    assert_eq!(scene.scheduler.effects, [Effect::Open { lane: lane(1), room: 0 }, Effect::Look]);
}

#[test]
fn a_desk_that_stops_gives_back_what_has_not_begun() {
    let mut scene = Scene::new(Limits { overall: 1, ahead: 4, ..LANES });
    scene.wake(1);
    scene.claimed(1, 2, 1, &[10, 11]);
    scene.wake(2);
    scene.scheduler.stop();
    assert_eq!(scene.effects(), [Effect::GiveBack(vec![11])]);
    assert_eq!(scene.claimed(2, 2, 2, &[20]), [Effect::GiveBack(vec![20])], "a claim that ends later");
    let fresh = scene.held(21, 2);
    scene.scheduler.fresh([(lane(2), fresh)], scene.now);
    assert_eq!(scene.effects(), [Effect::GiveBack(vec![21])], "a hand-over that comes later");
    assert!(!scene.scheduler.is_at_rest());
    scene.scheduler.lost(lane(1), None, 10, scene.now);
    assert_eq!(scene.effects(), [Effect::GiveBack(vec![10])], "a job that was broken off");
    assert!(scene.scheduler.is_at_rest());
}

#[test]
fn a_lost_job_is_never_given_back_where_jobs_must_finish() {
    let mut scene = Scene::new(Limits { stop: Stop::Finish(Duration::ZERO), ..LANES });
    scene.wake(1);
    scene.claimed(1, 2, 1, &[10]);
    scene.scheduler.stop();
    scene.scheduler.lost(lane(1), None, 10, scene.now);
    assert_eq!(scene.effects(), []);
}
