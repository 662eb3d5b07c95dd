//! `frontdesk assistant test`: has the assistant of the files reply to test conversations, and checks the replies.
//!
//! Nothing needs to be pushed before. The server tries out the assistant that the files describe: it uses the model that it
//! is configured with, which may be the sandbox's, and simulates every tool that would change something.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use http::Method;
use serde::Serialize;
use serde_json::{Value, json};

use super::api::{Api, CallError, ServerArgs};
use super::content::Content;
use super::conversation::{self, Conversation, Expect};
use super::directory::Directory;
use super::format;
use super::judge::Judge;
use super::lock::Lock;
use super::remote;
use crate::cli::print;
use crate::error::{Error, Result};
use crate::installation::{Installation, runtime};

/// The characters of a message that a trial takes, and those that are shown of one.
const MESSAGE_CHARS_MAX: usize = 4_000;
const SHOWN_CHARS_MAX: usize = 200;
/// The tool that gives the conversation to a person, with words for the customer.
const HAND_OFF: &str = "hand_off";

#[derive(Args)]
pub(in crate::cli) struct Test {
    /// The directory with the assistant's files
    #[arg(value_name = "DIR")]
    directory: PathBuf,
    #[command(flatten)]
    server: ServerArgs,
    /// Only the tests whose names contain this
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,
    /// Another model for the assistant than the files say
    #[arg(long, value_name = "MODEL")]
    model: Option<String>,
    /// The model that judges; the account's when left out
    #[arg(long, value_name = "MODEL")]
    judge_model: Option<String>,
    /// Stop when all tests together have cost more than this, in US dollars
    #[arg(long, value_name = "USD")]
    max_cost_usd: Option<f64>,
}

/// What became of a test.
#[derive(Serialize)]
struct Outcome {
    name: String,
    passed: bool,
    /// What was not as expected.
    failures: Vec<String>,
    cost_usd: f64,
}

/// What a run of tests works with.
struct Bench {
    api: Api,
    /// The request of a trial, without its messages.
    trial: Value,
    local: Content,
    judge: Option<Judge>,
}

/// The reply of a trial.
struct Reply {
    /// What the customer would read: the reply, or the words of a hand-off.
    text: Option<String>,
    /// Whether the assistant has handed the conversation to a person. Then it says nothing more.
    hands_off: bool,
    error: Option<String>,
    /// The tools that were called, in order.
    tools: Vec<String>,
    cost_usd: f64,
}

impl Reply {
    fn read(reply: &Value) -> Self {
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let steps = reply["steps"].as_array().map_or(&[][..], Vec::as_slice);
        // A trial ends with a hand-off. One that a person would have to approve, or that was refused, is none.
        let hand_off = steps
            .last()
            .map(|step| &step["data"])
            .filter(|data| data["tool"] == HAND_OFF && data["gated"] != true && data["is_error"] != true);
        let words = hand_off.and_then(|data| data["arguments"]["message"].as_str()).map(str::trim);
        let words = words.filter(|words| !words.is_empty()).map(str::to_owned);
        Self {
            text: text(&reply["reply"]).or(words),
            hands_off: hand_off.is_some(),
            error: text(&reply["error"]),
            tools: steps.iter().filter_map(|step| text(&step["data"]["tool"])).collect(),
            cost_usd: reply["cost_usd"].as_f64().unwrap_or_default(),
        }
    }
}

impl Test {
    pub(in crate::cli) fn run(self, installation: &Installation) -> Result<ExitCode> {
        let directory = Directory::new(&self.directory);
        let mut local = format::read(&directory.read()?)?;
        if let Some(model) = &self.model {
            local.settings.insert("model".to_owned(), json!(model));
        }
        let tests = self.conversations(&directory)?;
        let (api, lock) = (Api::of(&self.server)?, Lock::read(&directory)?);
        let outcomes = runtime()?.block_on(async {
            let bench = self.bench(api, &lock, local, &tests).await?;
            let (mut outcomes, mut cost) = (Vec::new(), 0.0);
            for (name, test) in &tests {
                let outcome = bench.try_out(name, test).await?;
                cost += outcome.cost_usd;
                if !installation.json {
                    print::line(&shown(&outcome, test))?;
                }
                outcomes.push(outcome);
                if self.max_cost_usd.is_some_and(|most| cost > most) && outcomes.len() < tests.len() {
                    return Err(Error::Invalid(format!(
                        "the tests have cost ${cost:.4} so far, more than --max-cost-usd, so {} of {} were not made",
                        tests.len() - outcomes.len(),
                        tests.len()
                    )));
                }
            }
            Ok(outcomes)
        })?;
        let failed = outcomes.iter().filter(|outcome| !outcome.passed).count();
        let cost: f64 = outcomes.iter().map(|outcome| outcome.cost_usd).sum();
        let whole = json!({ "tests": outcomes, "passed": failed == 0, "cost_usd": cost });
        print::output(installation.json, &whole, || {
            format!("\n{} of {} tests passed. They cost ${cost:.4}.", outcomes.len() - failed, outcomes.len())
        })?;
        Ok(if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }

    fn conversations(&self, directory: &Directory) -> Result<Vec<(String, Conversation)>> {
        let mut tests = Vec::new();
        for (path, text) in directory.tests()? {
            let name = path.trim_start_matches("tests/").trim_end_matches(".toml").to_owned();
            let test = conversation::read(&path, &text)?;
            if self.only.as_ref().is_none_or(|only| name.contains(only.as_str())) {
                tests.push((name, test));
            }
        }
        if tests.is_empty() {
            // A CI job that tests nothing must not look as if it had.
            return Err(Error::Invalid("there is no such test. Write one: tests/NAME.toml".to_owned()));
        }
        Ok(tests)
    }

    async fn bench(
        &self,
        api: Api,
        lock: &Lock,
        local: Content,
        tests: &[(String, Conversation)],
    ) -> Result<Bench> {
        let account = remote::account(&api).await?;
        let mut trial = local.body();
        // What is tried out is one assistant with its texts, which is no part of a definition alone.
        let texts = trial["instructions"].take();
        trial = json!({
            "assistant_id": lock.entry(&account).map(|entry| entry.assistant_id.clone()),
            "assistant": trial["assistant"].take(),
            "instructions": texts,
        });
        let turns = tests.iter().flat_map(|(_, test)| &test.turns);
        let is_judged = turns.map(|turn| &turn.expect).any(Expect::is_judged);
        let judge = if is_judged { Some(Judge::new(&api, self.judge_model.clone()).await?) } else { None };
        Ok(Bench { api, trial, local, judge })
    }
}

impl Expect {
    fn is_judged(&self) -> bool {
        !self.judge_yes.is_empty() || !self.judge_no.is_empty()
    }
}

impl Bench {
    async fn try_out(&self, name: &str, test: &Conversation) -> Result<Outcome> {
        let (mut messages, mut failures) = (Vec::new(), Vec::new());
        let (mut cost, mut replies_cost) = (0.0, 0.0);
        for (index, turn) in test.turns.iter().enumerate() {
            if let Some(text) = &turn.assistant {
                messages.push(message("assistant", text));
                continue;
            }
            messages.push(message("customer", turn.customer.as_deref().unwrap_or_default()));
            let reply = self.reply(&messages).await?;
            replies_cost += reply.cost_usd;
            cost += reply.cost_usd;
            messages.extend(reply.text.as_ref().map(|text| message("assistant", text)));
            let mut found = judged_by_rules(&turn.expect, &reply);
            if let Some(judge) = self.judge.as_ref().filter(|_| reply.text.is_some()) {
                cost += self.ask(judge, &messages, &turn.expect, &mut found).await?;
            } else if turn.expect.is_judged() {
                found.push("there is no reply to judge".to_owned());
            }
            failures.extend(found.into_iter().map(|failure| format!("turn {}: {failure}", index + 1)));
            if (reply.hands_off || reply.text.is_none()) && index + 1 < test.turns.len() {
                let why = if reply.hands_off { "the assistant has handed off" } else { "there is no reply" };
                failures.push(format!("turn {}: {why}, so the conversation ends here", index + 1));
                break;
            }
        }
        if let Some(most) = test.cost_under_usd.filter(|most| replies_cost >= *most) {
            failures.push(format!("the replies cost ${replies_cost:.6}, which is not under ${most}"));
        }
        Ok(Outcome { name: name.to_owned(), passed: failures.is_empty(), failures, cost_usd: cost })
    }

    async fn reply(&self, messages: &[Value]) -> Result<Reply> {
        let mut body = self.trial.clone();
        body["messages"] = json!(messages);
        let replied = self.api.call(Method::POST, "/assistants/trial", Some(&body)).await;
        let replied = replied.map_err(|error| match error {
            CallError::Refused(refusal) => refusal.told(|path| self.local.place(path)),
            CallError::Failed(error) => error,
        })?;
        Ok(Reply::read(&replied["data"]))
    }

    /// Asks the judge every question, and returns what that cost.
    async fn ask(
        &self,
        judge: &Judge,
        messages: &[Value],
        expect: &Expect,
        failures: &mut Vec<String>,
    ) -> Result<f64> {
        let questions = expect.judge_yes.iter().map(|question| (question, true));
        let questions = questions.chain(expect.judge_no.iter().map(|question| (question, false)));
        let mut cost = 0.0;
        for (question, wanted) in questions {
            let verdict = judge.ask(&self.api, messages, question).await?;
            cost += verdict.cost_usd;
            match verdict.is_yes {
                Some(is_yes) if is_yes == wanted => {}
                Some(is_yes) => failures
                    .push(format!("the judge says {} to {question:?}", if is_yes { "yes" } else { "no" })),
                None => failures.push(format!(
                    "the judge says neither yes nor no to {question:?}, but {:?}",
                    short(&verdict.words)
                )),
            }
        }
        Ok(cost)
    }
}

fn message(from: &str, text: &str) -> Value {
    let text: String = text.trim().chars().take(MESSAGE_CHARS_MAX).collect();
    json!({ "from": from, "text": text })
}

/// What is not as expected, but for what a judge says.
fn judged_by_rules(expect: &Expect, reply: &Reply) -> Vec<String> {
    let mut failures = Vec::new();
    let called = if reply.tools.is_empty() { "none was".to_owned() } else { reply.tools.join(", ") };
    for tool in expect.tools.iter().filter(|tool| !reply.tools.contains(tool)) {
        failures.push(format!("the tool {tool} was not called ({called})"));
    }
    for tool in expect.not_tools.iter().filter(|tool| reply.tools.contains(tool)) {
        failures.push(format!("the tool {tool} was called"));
    }
    let text = reply.text.as_deref().unwrap_or_default();
    let lower = text.to_lowercase();
    for words in expect.contains.iter().filter(|words| !lower.contains(&words.to_lowercase())) {
        failures.push(format!("the reply does not contain {words:?}: {:?}", short(text)));
    }
    for words in expect.not_contains.iter().filter(|words| lower.contains(&words.to_lowercase())) {
        failures.push(format!("the reply contains {words:?}: {:?}", short(text)));
    }
    match expect.hands_off {
        Some(true) if !reply.hands_off => {
            failures
                .push(format!("the assistant did not hand the conversation off, but said {:?}", short(text)));
        }
        Some(false) if reply.hands_off => {
            failures.push("the assistant handed the conversation off".to_owned());
        }
        _ => {}
    }
    match &reply.error {
        Some(error) => failures.push(format!("there is no reply: {error}")),
        None if reply.text.is_none() && !reply.hands_off => {
            failures.push("there is no reply: the assistant said nothing".to_owned());
        }
        None => {}
    }
    if let Some(most) = expect.cost_under_usd.filter(|most| reply.cost_usd >= *most) {
        failures.push(format!("the reply cost ${:.6}, which is not under ${most}", reply.cost_usd));
    }
    failures
}

fn short(text: &str) -> String {
    match text.char_indices().nth(SHOWN_CHARS_MAX) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// A test for a person.
fn shown(outcome: &Outcome, test: &Conversation) -> String {
    let word = if outcome.passed { "passed" } else { "FAILED" };
    let about = test.about.as_ref().map(|about| format!(": {}", print::printable(about))).unwrap_or_default();
    let failures: Vec<String> =
        outcome.failures.iter().map(|failure| format!("\n    {}", print::printable(failure))).collect();
    format!("{word}  {}{about}  ${:.4}{}", outcome.name, outcome.cost_usd, failures.concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reply(text: Option<&str>) -> Reply {
        Reply {
            text: text.map(str::to_owned),
            hands_off: false,
            error: None,
            tools: vec!["search_deals".into()],
            cost_usd: 0.01,
        }
    }

    fn check(expect: Value, reply: &Reply) -> usize {
        let expect: Expect = serde_json::from_value(expect).unwrap();
        judged_by_rules(&expect, reply).len()
    }

    #[test]
    fn each_expectation_can_fail() {
        let said = reply(Some("Within 30 days."));
        for (met, unmet) in [
            (json!({ "tools": ["search_deals"] }), json!({ "tools": ["add_tag"] })),
            (json!({ "not_tools": ["add_tag"] }), json!({ "not_tools": ["search_deals"] })),
            (json!({ "contains": ["30 DAYS"] }), json!({ "contains": ["60 days"] })),
            (json!({ "not_contains": ["60 days"] }), json!({ "not_contains": ["30 Days"] })),
            (json!({ "cost_under_usd": 0.02 }), json!({ "cost_under_usd": 0.01 })),
            (json!({ "hands_off": false }), json!({ "hands_off": true })),
        ] {
            assert_eq!(check(met.clone(), &said), 0, "{met}");
            assert_eq!(check(unmet.clone(), &said), 1, "{unmet}");
        }
        let stuck = Reply { error: Some("It called the model 8 times.".into()), ..reply(None) };
        assert_eq!(check(json!({}), &stuck), 1);
        assert_eq!(check(json!({ "hands_off": true }), &stuck), 2);
        // Silence is no hand-off.
        assert_eq!(check(json!({}), &reply(None)), 1);
        assert_eq!(check(json!({ "hands_off": true }), &reply(None)), 2);
    }

    #[test]
    fn the_words_of_a_hand_off_are_what_the_customer_reads() {
        let step = |arguments: Value, gated: bool, is_error: bool| {
            json!({ "type": "tool_called", "data": {
                "tool": "hand_off", "arguments": arguments, "gated": gated, "is_error": is_error, "simulated": true,
            } })
        };
        let read = |steps: Value| {
            Reply::read(&json!({ "reply": null, "error": null, "steps": steps, "cost_usd": 0 }))
        };
        let model = json!({ "type": "model_called", "data": {} });
        let words = json!({ "message": " A person will answer. " });
        let gone = read(json!([model, step(words.clone(), false, false)]));
        assert_eq!((gone.text.as_deref(), gone.hands_off), (Some("A person will answer."), true));
        assert_eq!(
            check(json!({ "hands_off": true, "contains": ["a person"], "tools": ["hand_off"] }), &gone),
            0
        );
        assert_eq!(check(json!({ "hands_off": false, "not_contains": ["a person"] }), &gone), 2);
        let silent = read(json!([model, step(json!({}), false, false)]));
        assert_eq!((silent.text.as_deref(), silent.hands_off), (None, true));
        assert_eq!(check(json!({ "hands_off": true }), &silent), 0);
        assert_eq!(check(json!({ "contains": ["person"] }), &silent), 1);
        // These are not carried out.
        for step in [step(words.clone(), true, false), step(words, false, true)] {
            assert!(!read(json!([step, model])).hands_off);
            assert!(!read(json!([step])).hands_off);
        }
    }
}
