//! Generated from `wit/`: nothing else stands here. The three worlds share one set of types and host functions.

#[expect(missing_docs, reason = "generated; the WIT files carry the documentation")]
pub mod shared {
    wit_bindgen::generate!({
        inline: "package a2a-host:sdk; world shared { import a2a-host:plugin/types@0.1.0; import a2a-host:plugin/host@0.1.0; }",
        path: "../wit",
        world: "a2a-host:sdk/shared",
        generate_all,
        additional_derives: [PartialEq, Clone],
    });
}

#[expect(missing_docs, reason = "generated; the WIT files carry the documentation")]
pub mod assertion {
    wit_bindgen::generate!({
        path: "../wit",
        world: "a2a-host:plugin/assertion-plugin",
        pub_export_macro: true,
        export_macro_name: "export_assertions",
        default_bindings_module: "a2a_host_sdk::bindings::assertion",
        additional_derives: [PartialEq, Clone],
        with: {
            "a2a-host:plugin/types@0.1.0": crate::bindings::shared::a2a_host::plugin::types,
            "a2a-host:plugin/host@0.1.0": crate::bindings::shared::a2a_host::plugin::host,
        },
    });
}

#[expect(missing_docs, reason = "generated; the WIT files carry the documentation")]
pub mod pack {
    wit_bindgen::generate!({
        path: "../wit",
        world: "a2a-host:plugin/contract-pack",
        pub_export_macro: true,
        export_macro_name: "export_contracts",
        default_bindings_module: "a2a_host_sdk::bindings::pack",
        additional_derives: [PartialEq, Clone],
        with: {
            "a2a-host:plugin/types@0.1.0": crate::bindings::shared::a2a_host::plugin::types,
            "a2a-host:plugin/host@0.1.0": crate::bindings::shared::a2a_host::plugin::host,
        },
    });
}

#[expect(missing_docs, reason = "generated; the WIT files carry the documentation")]
pub mod extension {
    wit_bindgen::generate!({
        path: "../wit",
        world: "a2a-host:plugin/extension-plugin",
        pub_export_macro: true,
        export_macro_name: "export_extensions",
        default_bindings_module: "a2a_host_sdk::bindings::extension",
        additional_derives: [PartialEq, Clone],
        with: {
            "a2a-host:plugin/types@0.1.0": crate::bindings::shared::a2a_host::plugin::types,
            "a2a-host:plugin/host@0.1.0": crate::bindings::shared::a2a_host::plugin::host,
        },
    });
}
