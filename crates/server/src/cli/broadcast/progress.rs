//! The progress of a broadcast, as one line.

use frontdesk_broadcasts::Broadcast;

/// Characters of the bar.
const BAR_CHARS: i64 = 30;

/// A progress bar and the counts.
pub(super) fn progress(broadcast: &Broadcast) -> String {
    let counts = &broadcast.counts;
    let done = (counts.sent + counts.failed).min(counts.total);
    let filled = if counts.total == 0 { 0 } else { done * BAR_CHARS / counts.total };
    let bar: String = (0..BAR_CHARS).map(|at| if at < filled { '#' } else { '.' }).collect();
    let percent = if counts.total == 0 { 0 } else { done * 100 / counts.total };
    format!(
        "[{bar}] {percent:>3} %  {} of {} sent, {} delivered, {} read, {} failed  ({})",
        counts.sent, counts.total, counts.delivered, counts.read, counts.failed, broadcast.status
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use frontdesk_broadcasts::BroadcastCounts;
    use frontdesk_web::example::Example;

    #[test]
    fn a_bar_is_as_full_as_its_broadcast() {
        let line = |total, sent, failed| {
            let counts = BroadcastCounts { total, sent, failed, ..BroadcastCounts::default() };
            progress(&Broadcast { counts, ..Broadcast::example() })
        };
        assert!(line(0, 0, 0).starts_with("[..............................]   0 %  0 of 0 sent"));
        assert!(line(200, 90, 10).starts_with("[###############...............]  50 %  90 of 200 sent"));
        assert!(line(3, 3, 0).starts_with("[##############################] 100 %  3 of 3 sent"));
    }
}
