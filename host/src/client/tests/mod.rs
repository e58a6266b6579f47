mod fold;
mod sse;
