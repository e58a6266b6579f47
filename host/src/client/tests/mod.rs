mod calls;
mod discovery;
mod fold;
mod peer;
mod sse;
mod streams;
