//! What is repeated, what is not, and how long it takes.

#![expect(clippy::disallowed_methods, reason = "tests measure time and need names of their own")]

use std::time::{Duration, Instant};

use frontdesk_e2e::{ModelProvider, Reply};
use frontdesk_models::{CallOptions, ModelError};

use crate::scene::{self, OPTIONS, question};

#[tokio::test]
async fn overload_and_rate_limits_are_retried_until_they_pass() {
    for provider in [ModelProvider::openai(), ModelProvider::anthropic()] {
        provider.script([
            provider.failure(529, "overloaded_error", "Overloaded"),
            provider.failure(429, "rate_limit_error", "Slow down"),
            Reply::status(502).body("<html>Bad Gateway</html>"),
        ]);
        let models = if provider.chat_path() == "/v1/messages" {
            scene::anthropic(&provider)
        } else {
            scene::openai(&provider)
        };
        let reply = models.complete(&question("hi"), OPTIONS).await.unwrap();
        assert_eq!(reply.turn.text.as_deref(), Some("Hello."));
        assert_eq!(provider.received().len(), 4);
        let bodies = provider.requests();
        assert!(bodies.iter().all(|body| *body == bodies[0]));
    }
}

#[tokio::test]
async fn retries_end() {
    let provider = ModelProvider::openai();
    provider.script((0..9).map(|_| provider.failure(500, "server_error", "down")));
    let error = scene::openai(&provider).complete(&question("hi"), OPTIONS).await.unwrap_err();
    assert!(matches!(error, ModelError::Unavailable { .. }), "{error:?}");
    assert_eq!(provider.received().len(), 4);
}

#[tokio::test]
async fn a_wait_that_the_provider_asks_for_is_kept() {
    let provider = ModelProvider::openai();
    let limited = || provider.failure(429, "rate_limit_exceeded", "Slow down");
    provider.script([limited().header("retry-after", "2"), limited().header("retry-after-ms", "1500")]);
    scene::openai(&provider).complete(&question("hi"), OPTIONS).await.unwrap();
    let times: Vec<_> = provider.received().iter().map(|received| received.at).collect();
    assert!(times[1] - times[0] >= Duration::from_secs(2), "{times:?}");
    assert!(times[2] - times[1] >= Duration::from_millis(1500), "{times:?}");
}

#[tokio::test]
async fn a_wait_past_the_deadline_is_left_to_the_caller() {
    let provider = ModelProvider::openai();
    provider.script([provider.failure(429, "rate_limit_exceeded", "Slow down").header("retry-after", "600")]);
    let started = Instant::now();
    let error = scene::openai(&provider).complete(&question("hi"), OPTIONS).await.unwrap_err();
    assert_eq!(error.retry_after(), Some(Duration::from_mins(10)));
    assert!(error.is_temporary() && started.elapsed() < Duration::from_secs(10));
    assert_eq!(provider.received().len(), 1);
}

#[tokio::test]
async fn a_request_that_is_wrong_is_sent_once() {
    let provider = ModelProvider::openai();
    let models = scene::openai(&provider);
    for (status, code) in
        [(400, "invalid"), (401, "invalid_api_key"), (403, "no"), (404, "no"), (429, "insufficient_quota")]
    {
        provider.script([provider.failure(status, code, "wrong")]);
        let before = provider.received().len();
        let error = models.complete(&question("hi"), OPTIONS).await.unwrap_err();
        assert!(!error.is_temporary() && !error.may_be_billed(), "{error:?}");
        assert_eq!(provider.received().len(), before + 1, "{status}");
    }
}

#[tokio::test]
async fn a_call_without_a_reply_ends_in_time_and_is_not_repeated() {
    let provider = ModelProvider::openai();
    provider.script([provider.text("late").held()]);
    let options = CallOptions { time_max: Duration::from_millis(300), chance: 1 };
    let error = scene::openai(&provider).complete(&question("hi"), options).await.unwrap_err();
    assert!(matches!(error, ModelError::TimedOut { .. }) && error.may_be_billed(), "{error:?}");
    assert_eq!(provider.received().len(), 1);
}

#[tokio::test]
async fn a_call_that_is_dropped_is_cancelled() {
    let provider = ModelProvider::openai();
    provider.script([provider.failure(503, "server_error", "down").header("retry-after", "1")]);
    let (models, request) = (scene::openai(&provider), question("hi"));
    let call = models.complete(&request, OPTIONS);
    assert!(tokio::time::timeout(Duration::from_millis(500), call).await.is_err());
    tokio::time::sleep(Duration::from_millis(1500)).await;
    assert_eq!(provider.received().len(), 1);
}

#[tokio::test]
async fn a_late_reply_within_the_deadline_is_a_reply() {
    let provider = ModelProvider::anthropic();
    provider.script([provider.text("late").after(Duration::from_millis(300))]);
    let reply = scene::anthropic(&provider).complete(&question("hi"), OPTIONS).await.unwrap();
    assert_eq!(reply.turn.text.as_deref(), Some("late"));
}
