//! Spans of a process that records them.

use std::sync::atomic::{AtomicU64, Ordering};

use frontdesk_trace::{
    Context, Current, FinishedSpan, Sampler, Span, SpanKind, Tracer, current, enter, install, is_on, note,
    within,
};
use tokio::sync::mpsc;

const QUEUE_MAX: usize = 3;

fn now() -> u64 {
    static NOW: AtomicU64 = AtomicU64::new(1);
    NOW.fetch_add(1, Ordering::Relaxed)
}

fn chance() -> u64 {
    now().wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

fn taken(queue: &mut mpsc::Receiver<FinishedSpan>) -> Vec<FinishedSpan> {
    std::iter::from_fn(|| queue.try_recv().ok()).collect()
}

/// One test, because a process has one tracer.
#[tokio::test]
async fn spans_of_a_task_belong_to_its_trace_and_never_wait_for_the_queue() {
    assert!(!is_on() && Span::root(None, SpanKind::Server, "before").is_none());
    let (sender, mut queue) = mpsc::channel(QUEUE_MAX);
    let sampler = Sampler { ratio: 1.0, follows_parent: true };
    assert!(install(Tracer { now, chance, sampler, queue: sender }));

    // A child in the same task, and one on another thread.
    let work = async {
        tokio::task::yield_now().await;
        note("route", "/contacts");
        let mut passed = Span::child(SpanKind::Internal, "transaction").as_ref().map(Current::from);
        let thread = std::thread::spawn(move || {
            let _entered = enter(&mut passed);
            current()
        });
        thread.join().unwrap()
    };
    let inside = within!(Span::root(None, SpanKind::Server, "request"), work);
    let spans = taken(&mut queue);
    let [transaction, request] = &spans[..] else { panic!("{spans:?}") };
    assert_eq!((&*transaction.name, &*request.name), ("transaction", "request"));
    assert_eq!(transaction.parent, Some(request.context.span));
    assert_eq!(transaction.context.trace, request.context.trace);
    assert_eq!(inside, Some(transaction.context));
    assert_eq!(request.attributes, [("route", "/contacts".into())]);
    assert!(request.parent.is_none() && request.ended > request.begun);
    assert_eq!(current(), None, "nothing is left behind");

    // A trace from elsewhere goes on here, and one that is not recorded there is not recorded here, but passed on.
    let parent = Context { trace: 7, span: 8, is_sampled: true };
    drop(Span::root(Some(parent), SpanKind::Server, "request"));
    let spans = taken(&mut queue);
    assert_eq!((spans[0].context.trace, spans[0].parent), (7, Some(8)));
    let parent = Context { is_sampled: false, ..parent };
    let inside = within!(Span::root(Some(parent), SpanKind::Server, "request"), async {
        assert!(Span::child(SpanKind::Client, "call").is_none());
        current()
    });
    assert!(inside.is_some_and(|context| context.trace == 7 && !context.is_sampled));
    assert!(taken(&mut queue).is_empty());

    // A full queue drops spans.
    for _ in 0..2 * QUEUE_MAX {
        drop(Span::root(None, SpanKind::Server, "request"));
    }
    assert_eq!(taken(&mut queue).len(), QUEUE_MAX);

    // A panic inside a span leaves nothing behind either.
    let span = Span::root(None, SpanKind::Server, "request");
    let panicked = tokio::spawn(async move { within!(span, async { panic!("on purpose") }) }).await;
    assert!(panicked.is_err() && current().is_none());
    assert_eq!(taken(&mut queue).len(), 1);
}
