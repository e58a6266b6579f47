//! Generated from `wit/`; nothing else stands here. One world holds all that the host offers and may find exported, so
//! that the three worlds of plugins share their types; which of it a component uses is judged in `load`.

wasmtime::component::bindgen!({
    inline: "
        package a2a-host:runtime;
        world everything {
            include a2a-host:plugin/assertion-plugin@0.1.0;
            include a2a-host:plugin/contract-pack@0.1.0;
            include a2a-host:plugin/extension-plugin@0.1.0;
        }
    ",
    path: "../wit",
    world: "a2a-host:runtime/everything",
    imports: { default: async | trappable },
    exports: { default: async },
    require_store_data_send: true,
    with: {
        "a2a-host:plugin/agent.event-stream": crate::sandbox::state::OpenStream,
        "a2a-host:plugin/webhook.receiver": crate::sandbox::state::OpenReceiver,
        "a2a-host:plugin/tasks.task": crate::sandbox::state::TaskHandle,
    },
});
