use frontdesk_models::ToolCall;

use super::*;

fn rules(tools: &[(&'static str, bool)]) -> Rules {
    let rule = |is_gated: bool, is_question: bool| ToolRule { is_gated, is_question };
    let mut rules = Rules::default();
    rules.tools.extend(tools.iter().map(|(tool, gated)| (*tool, rule(*gated, false))));
    rules.tools.insert("ask_human", rule(false, true));
    rules
}

fn call(id: &str, tool: &str, arguments: Value) -> ToolCall {
    let arguments = match arguments {
        Value::Object(object) => Arguments::Object(object),
        other => Arguments::Invalid { raw: other.to_string(), problem: "Send one JSON object.".to_owned() },
    };
    ToolCall { id: id.to_owned(), name: tool.to_owned(), arguments }
}

fn turn(calls: Vec<ToolCall>) -> Input {
    let turn = Turn { text: None, tool_calls: calls, replay: None };
    Input::Replied { turn, stop: StopReason::ToolCalls, facts: json!({}) }
}

fn words(text: &str, stop: StopReason) -> Input {
    let turn = Turn { text: Some(text.to_owned()), ..Turn::default() };
    Input::Replied { turn, stop, facts: json!({}) }
}

fn returned(call: &str) -> Input {
    Input::Returned { call: call.to_owned(), content: "{}".to_owned(), is_error: false, also: None }
}

/// The next machine, the types of its timeline entries, and the last effect.
fn take_step(machine: Machine, input: Input, rules: &Rules) -> (Machine, Vec<RunEventType>, Effect) {
    let (machine, mut effects) = step(machine, input, rules);
    let last = effects.pop().expect("a step says what to do");
    let logged = effects.into_iter().map(|effect| match effect {
        Effect::Log(logged) => logged.kind,
        other => panic!("{other:?} is not the last effect"),
    });
    (machine, logged.collect(), last)
}

fn errors(machine: &Machine) -> Vec<String> {
    let results = machine.transcript.iter().filter_map(|entry| match entry {
        Entry::Results(results) => Some(results),
        _ => None,
    });
    results.flatten().filter(|result| result.is_error).map(|result| result.content.clone()).collect()
}

#[test]
fn a_run_begins_once_and_calls_the_model() {
    let rules = rules(&[]);
    let (machine, logged, effect) = take_step(Machine::default(), Input::Resumed, &rules);
    assert_eq!((logged, effect), (vec![RunEventType::Started], Effect::CallModel));
    let (_, logged, effect) = take_step(machine, Input::Resumed, &rules);
    assert_eq!(
        (logged, effect),
        (vec![], Effect::CallModel),
        "a run that is taken up again does not begin again"
    );
}

#[test]
fn words_at_the_end_finish_a_run() {
    let (machine, _, effect) = take_step(Machine::default(), words(" Hi! ", StopReason::End), &rules(&[]));
    assert_eq!(effect, Effect::Finish("Hi!".to_owned()));
    assert_eq!(machine.ticks, 1);
    // A crash before the words are sent does not ask the model again.
    let (_, _, again) = take_step(machine, Input::Resumed, &rules(&[]));
    assert_eq!(again, Effect::Finish("Hi!".to_owned()));
}

#[test]
fn tools_are_used_one_after_the_other_and_their_results_come_back_together() {
    let rules = rules(&[("get_contact", false)]);
    let calls = vec![call("a", "get_contact", json!({})), call("b", "get_contact", json!({}))];
    let (machine, _, effect) = take_step(Machine::default(), turn(calls), &rules);
    assert!(matches!(&effect, Effect::UseTool(call) if call.id == "a"), "{effect:?}");
    // A crash here uses the same tool again, because its result was not stored.
    let (machine, _, again) = take_step(machine, Input::Resumed, &rules);
    assert!(matches!(&again, Effect::UseTool(call) if call.id == "a"));
    let (machine, logged, effect) = take_step(machine, returned("a"), &rules);
    assert_eq!(logged, [RunEventType::ToolReturned, RunEventType::ToolCalled]);
    assert!(matches!(&effect, Effect::UseTool(call) if call.id == "b"));
    let (machine, _, effect) = take_step(machine, returned("b"), &rules);
    assert_eq!(effect, Effect::CallModel);
    assert!(matches!(machine.transcript.last(), Some(Entry::Results(results)) if results.len() == 2));
    assert!(machine.calls.is_empty());
}

#[test]
fn what_is_wrong_with_a_call_is_told_to_the_model() {
    let rules = rules(&[("add_tag", false)]);
    let calls = vec![
        call("a", "fly", json!({})),
        call("b", "delete_deal", json!({})),
        call("c", "add_tag", json!({ "tag": 7 })),
        call("d", "add_tag", json!("vip")),
    ];
    let (machine, _, effect) = take_step(Machine::default(), turn(calls), &rules);
    assert_eq!(effect, Effect::CallModel, "nothing was carried out");
    let messages = errors(&machine);
    assert!(messages[0].contains("no tool \\\"fly\\\""), "{messages:?}");
    assert!(
        messages[1].contains("no tool"),
        "a tool that the run was not given does not exist: {messages:?}"
    );
    assert!(
        messages[2].contains("tag must be a string") && messages[3].contains("one JSON object"),
        "{messages:?}"
    );
}

#[test]
fn a_gated_tool_is_used_only_after_a_person_approved() {
    let rules = rules(&[("delete_deal", true)]);
    let id = "01890a5d-ac96-774b-bcce-b302099a8057";
    let (machine, _, effect) =
        take_step(Machine::default(), turn(vec![call("a", "delete_deal", json!({ "deal_id": id }))]), &rules);
    assert!(matches!(&effect, Effect::RaiseAsk(call) if call.id == "a"));
    let (machine, _, effect) =
        take_step(machine, Input::Raised { call: "a".into(), ask: Uuid::from_u128(1) }, &rules);
    assert_eq!(effect, Effect::Wait);
    let (machine, _, effect) = take_step(machine, Input::Resumed, &rules);
    assert_eq!(effect, Effect::Wait, "a run that is taken up meanwhile goes on waiting");
    let approved = Input::Approved { call: "a".into(), facts: json!({}) };
    let (_, _, effect) = take_step(machine.clone(), approved, &rules);
    assert!(matches!(&effect, Effect::UseTool(call) if call.id == "a"));
    let declined = Input::Declined { call: "a".into(), note: Some("No.".into()), facts: json!({}) };
    let (machine, _, effect) = take_step(machine, declined, &rules);
    assert_eq!(effect, Effect::CallModel);
    assert!(errors(&machine)[0].contains("declined"));
}

#[test]
fn other_calls_go_on_while_one_waits() {
    let rules = rules(&[("get_contact", false)]);
    let calls =
        vec![call("a", "ask_human", json!({ "question": "May I?" })), call("b", "get_contact", json!({}))];
    let (machine, _, effect) = take_step(Machine::default(), turn(calls), &rules);
    assert!(matches!(&effect, Effect::RaiseAsk(call) if call.id == "a"));
    let (machine, _, effect) =
        take_step(machine, Input::Raised { call: "a".into(), ask: Uuid::from_u128(1) }, &rules);
    assert!(matches!(&effect, Effect::UseTool(call) if call.id == "b"));
    let (machine, _, effect) = take_step(machine, returned("b"), &rules);
    assert_eq!(effect, Effect::Wait);
    let answered = Input::Answered { call: "a".into(), answer: "Yes.".into(), facts: json!({}) };
    let (_, logged, effect) = take_step(machine, answered, &rules);
    assert_eq!(
        (logged, effect),
        (vec![RunEventType::AskAnswered, RunEventType::ToolReturned], Effect::CallModel)
    );
}

#[test]
fn a_reply_that_is_cut_off_is_asked_for_once_more() {
    let rules = rules(&[]);
    let (machine, _, effect) = take_step(Machine::default(), words("Long", StopReason::Length), &rules);
    assert_eq!(effect, Effect::CallModel);
    assert!(matches!(machine.transcript.last(), Some(Entry::Note(_))));
    let (_, _, effect) = take_step(machine, words("Long", StopReason::Length), &rules);
    assert!(matches!(effect, Effect::Fail(_)));
}

#[test]
fn a_model_that_fails_for_a_moment_is_called_again_later() {
    let failed = |is_temporary, retry_after| Input::ModelFailed {
        error: "down".into(),
        is_temporary,
        retry_after,
        facts: json!({}),
    };
    let rules = rules(&[]);
    let (machine, _, effect) = take_step(Machine::default(), failed(true, None), &rules);
    assert_eq!(effect, Effect::Pause(RETRY_PAUSE));
    let (machine, _, effect) = take_step(machine, failed(true, Some(Duration::from_mins(2))), &rules);
    assert_eq!(effect, Effect::Pause(Duration::from_mins(2)), "the provider's wish counts");
    let (machine, _, _) = take_step(machine, failed(true, None), &rules);
    let (_, _, effect) = take_step(machine, failed(true, None), &rules);
    assert_eq!(effect, Effect::Fail("down".into()));
    let (_, _, effect) = take_step(Machine::default(), failed(false, None), &rules);
    assert_eq!(effect, Effect::Fail("down".into()));
}

#[test]
fn limits_end_a_run() {
    let rules = rules(&[("get_contact", false)]);
    for machine in [
        Machine { ticks: TICKS_MAX, ..Machine::default() },
        Machine { active_millis: ACTIVE_TIME_MAX.as_millis() as i64 + 1, ..Machine::default() },
        Machine { transcript: vec![Entry::Note("x".repeat(TRANSCRIPT_BYTES_MAX + 1))], ..Machine::default() },
    ] {
        let (_, _, effect) = take_step(machine, Input::Resumed, &rules);
        assert!(matches!(effect, Effect::Fail(_)), "{effect:?}");
    }
    let many: Vec<_> =
        (0..=CALLS_PER_TURN_MAX).map(|n| call(&n.to_string(), "get_contact", json!({}))).collect();
    let (machine, _, _) = take_step(Machine::default(), turn(many), &rules);
    assert!(
        matches!(machine.calls.last().map(|call| &call.progress), Some(Progress::Done(result)) if result.is_error)
    );
}

#[test]
fn a_result_for_a_call_that_is_not_there_changes_nothing() {
    let (machine, logged, effect) = take_step(Machine::default(), returned("x"), &rules(&[]));
    assert_eq!((machine, logged, effect), (Machine::default(), vec![], Effect::CallModel));
}

#[test]
fn a_machine_survives_storage() {
    let calls = vec![call("a", "get_contact", json!({ "contact_id": null })), call("b", "x", json!([1]))];
    let (machine, _, _) = take_step(Machine::default(), turn(calls), &rules(&[("get_contact", false)]));
    let stored = serde_json::to_string(&machine).unwrap();
    assert_eq!(serde_json::from_str::<Machine>(&stored).unwrap(), machine);
    assert_eq!(serde_json::from_str::<Machine>("{}").unwrap(), Machine::default());
}

#[test]
fn what_tools_did_is_told_to_the_run_that_follows() {
    let rules = rules(&[("create_deal", false)]);
    let (machine, _, _) = take_step(
        Machine::default(),
        turn(vec![call("a", "create_deal", json!({ "title": "Chairs" }))]),
        &rules,
    );
    assert_eq!(machine.completed_calls(), Vec::<String>::new(), "nothing is done yet");
    let (machine, _, _) = take_step(machine, returned("a"), &rules);
    assert_eq!(machine.completed_calls(), [r#"create_deal {"title":"Chairs"} → {}"#]);
}
