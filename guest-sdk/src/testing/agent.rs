//! A scripted agent for packs.

use std::cell::RefCell;
use std::collections::VecDeque;

use serde_json::{Value, json};

use crate::bindings::pack::a2a_host::plugin::agent as wit_agent;
use crate::pack::{
    Agent, AgentApi, Delivery, Ending, Endpoint, Failure, HttpRequest, Options, ReceiverApi, Response, Stimulus,
    StreamApi,
};
use crate::value::{Binding, Event, Header, from_json};

type Answer = Box<dyn Fn(&str, &Value, &Options) -> Result<Value, Failure>>;
type Headers = Box<dyn Fn(&Options) -> Vec<(String, String)>>;

/// An agent that answers what the test says.
///
/// ```
/// use a2a_host_sdk::testing::ScriptedAgent;
/// use a2a_host_sdk::json;
/// let scripted = ScriptedAgent::new(json!({"name": "a"})).answering(|operation, _, _| Ok(json!({"asked": operation})));
/// let reply = scripted.agent().call("GetTask", &json!({"id": "t"}), &Default::default()).unwrap();
/// assert_eq!(reply.body, json!({"asked": "GetTask"}));
/// ```
pub struct ScriptedAgent {
    binding: Binding,
    card: Result<Value, Failure>,
    card_response: Response,
    answer: Answer,
    headers: Headers,
    deviations: Vec<String>,
    stream: Vec<Event>,
    stream_response: Response,
    ending: Ending,
    stimuli: Vec<(String, Stimulus)>,
}

impl ScriptedAgent {
    /// Over JSON-RPC with this card, answering every call with an error.
    pub fn new(card: Value) -> ScriptedAgent {
        let raw = card.to_string().into_bytes();
        ScriptedAgent {
            binding: Binding::Jsonrpc,
            card: Ok(card),
            card_response: response(200, &[("content-type", "application/json")], raw),
            answer: Box::new(|operation, _, _| Err(Failure::Other(format!("no answer was scripted for {operation}")))),
            headers: Box::new(|_| vec![("content-type".into(), "application/json".into())]),
            deviations: Vec::new(),
            stream: Vec::new(),
            stream_response: response(200, &[("content-type", "text/event-stream")], Vec::new()),
            ending: Ending::Clean,
            stimuli: Vec::new(),
        }
    }

    /// With this failure in place of a card.
    pub fn without_card(failure: Failure) -> ScriptedAgent {
        ScriptedAgent { card: Err(failure), ..ScriptedAgent::new(Value::Null) }
    }

    /// Over this binding.
    pub fn binding(mut self, binding: Binding) -> ScriptedAgent {
        self.binding = binding;
        self
    }

    /// The HTTP answer that the card comes in.
    pub fn card_response(mut self, status: u16, headers: &[(&str, &str)]) -> ScriptedAgent {
        self.card_response = response(status, headers, self.card_response.raw);
        self
    }

    /// Answers calls: operation, request, options. A stream without items is opened only where this allows it.
    pub fn answering(
        mut self,
        answer: impl Fn(&str, &Value, &Options) -> Result<Value, Failure> + 'static,
    ) -> ScriptedAgent {
        self.answer = Box::new(answer);
        self
    }

    /// A header of every answer to a call.
    pub fn response_header(self, name: &str, value: &str) -> ScriptedAgent {
        let header = (name.to_owned(), value.to_owned());
        let before = self.headers;
        ScriptedAgent {
            headers: Box::new(move |options| {
                let mut headers = before(options);
                headers.push(header.clone());
                headers
            }),
            ..self
        }
    }

    /// Answers name the extensions that were asked for in `A2A-Extensions`.
    pub fn naming_extensions(self) -> ScriptedAgent {
        let before = self.headers;
        ScriptedAgent {
            headers: Box::new(move |options| {
                let mut headers = before(options);
                if !options.extensions.is_empty() {
                    headers.push(("a2a-extensions".into(), options.extensions.join(", ")));
                }
                headers
            }),
            ..self
        }
    }

    /// What the host says that it tolerated in every answer.
    pub fn deviation(mut self, sentence: &str) -> ScriptedAgent {
        self.deviations.push(sentence.into());
        self
    }

    /// The items of every stream. Over JSON-RPC each comes in an envelope of its own, as on the wire.
    pub fn streaming(mut self, items: Vec<Value>) -> ScriptedAgent {
        let event = |body: Value| {
            let raw = json!({"jsonrpc": "2.0", "id": "1", "result": body});
            Event { raw: format!("data: {raw}\n\n").into_bytes(), body: Some(body.to_string()), at_us: 0 }
        };
        self.stream = items.into_iter().map(event).collect();
        self
    }

    /// An event of every stream as it is received, after those of [`ScriptedAgent::streaming`].
    pub fn event(mut self, event: Event) -> ScriptedAgent {
        self.stream.push(event);
        self
    }

    /// The HTTP answer that every stream comes in.
    pub fn stream_response(mut self, status: u16, headers: &[(&str, &str)]) -> ScriptedAgent {
        self.stream_response = response(status, headers, Vec::new());
        self
    }

    /// How every stream ends; one that stays open times out.
    pub fn ending(mut self, ending: Ending) -> ScriptedAgent {
        self.ending = ending;
        self
    }

    /// A behaviour and the text that shows it.
    pub fn stimulus(mut self, behaviour: &str, text: &str, expected_text: Option<&str>) -> ScriptedAgent {
        let stimulus = Stimulus {
            parts: vec![crate::value::Part::text(text)],
            metadata: None,
            extensions: Vec::new(),
            expected_text: expected_text.map(Into::into),
        };
        self.stimuli.push((behaviour.into(), stimulus));
        self
    }

    /// Extensions that the last behaviour asks for.
    pub fn stimulus_extensions(mut self, uris: &[&str]) -> ScriptedAgent {
        if let Some((_, stimulus)) = self.stimuli.last_mut() {
            stimulus.extensions = uris.iter().map(|uri| (*uri).to_owned()).collect();
        }
        self
    }

    /// The agent to hand to a contract.
    pub fn agent(&self) -> Agent<'_> {
        Agent::new(self)
    }
}

/// An error of the protocol, for scripted answers.
pub fn protocol_failure(code: i32, reason: &str, message: &str) -> Failure {
    Failure::Protocol(wit_agent::ProtocolError {
        code: Some(code),
        reason: Some(reason.into()),
        message: message.into(),
        details: "[]".into(),
        response: response(200, &[("content-type", "application/json")], Vec::new()),
    })
}

fn response(status: u16, headers: &[(&str, &str)], raw: Vec<u8>) -> Response {
    let header = |(name, value): &(&str, &str)| Header { name: (*name).into(), value: (*value).into() };
    Response {
        http_status: Some(status),
        grpc_status: None,
        headers: headers.iter().map(header).collect(),
        trailers: Vec::new(),
        raw,
        elapsed_us: 1_000,
    }
}

impl AgentApi for ScriptedAgent {
    fn endpoint(&self) -> Endpoint {
        Endpoint {
            binding: self.binding,
            url: "http://127.0.0.1:9000/".into(),
            path: "/".into(),
            protocol_version: "1.0".into(),
            tenant: None,
        }
    }
    fn card(&self) -> Result<wit_agent::Reply, Failure> {
        let card = self.card.clone()?;
        let response = self.card_response.clone();
        Ok(wit_agent::Reply { body: card.to_string(), response, deviations: self.deviations.clone() })
    }
    fn call(&self, operation: &str, request: &str, options: &Options) -> Result<wit_agent::Reply, Failure> {
        let body = (self.answer)(operation, &from_json(request), options)?;
        let headers = (self.headers)(options);
        let headers: Vec<(&str, &str)> = headers.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        Ok(wit_agent::Reply {
            response: response(200, &headers, body.to_string().into_bytes()),
            body: body.to_string(),
            deviations: self.deviations.clone(),
        })
    }
    fn open(&self, operation: &str, request: &str, options: &Options) -> Result<Box<dyn StreamApi>, Failure> {
        if self.stream.is_empty() {
            (self.answer)(operation, &from_json(request), options)?;
        }
        Ok(Box::new(ScriptedStream {
            opening: self.stream_response.clone(),
            items: RefCell::new(self.stream.iter().cloned().collect()),
            ending: self.ending,
        }))
    }
    fn http(&self, request: &HttpRequest) -> Result<Response, Failure> {
        Err(Failure::Other(format!("no answer was scripted for {} {}", request.method, request.path)))
    }
    fn stimulus(&self, behaviour: &str) -> Option<Stimulus> {
        self.stimuli.iter().find(|(name, _)| name == behaviour).map(|(_, stimulus)| stimulus.clone())
    }
    fn webhook(&self) -> Result<Box<dyn ReceiverApi>, String> {
        Ok(Box::new(SilentReceiver))
    }
    fn sleep(&self, _milliseconds: u32) {}
}

struct ScriptedStream {
    opening: Response,
    items: RefCell<VecDeque<Event>>,
    ending: Ending,
}

impl StreamApi for ScriptedStream {
    fn opening(&self) -> Response {
        self.opening.clone()
    }
    fn next(&self, _timeout_ms: u32) -> Result<Option<Event>, Failure> {
        match (self.items.borrow_mut().pop_front(), self.ending) {
            (None, Ending::Open) => Err(Failure::Timeout),
            (item, _) => Ok(item),
        }
    }
    fn how_ended(&self) -> Ending {
        if self.items.borrow().is_empty() { self.ending } else { Ending::Open }
    }
}

/// A webhook that nobody calls.
struct SilentReceiver;

impl ReceiverApi for SilentReceiver {
    fn url(&self) -> String {
        "http://127.0.0.1:9/hook".into()
    }
    fn wait(&self, _timeout_ms: u32) -> Option<Delivery> {
        None
    }
}
