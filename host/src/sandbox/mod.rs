//! Runs guests under limits.

mod ports;

pub use ports::{
    AgentFailure, AgentPort, AgentReply, BoxFuture, CallOptions, Contribution, Delivery, Endpoint, EventStreamPort,
    ExtensionHandler, ExtensionInfo, ExtensionRequest, HandlerError, HttpRequest, RawResponse, ReceiverPort, SkillInfo,
    StimuliPort, Stimulus, TaskPort, VersionHeader, WebhookPort,
};
