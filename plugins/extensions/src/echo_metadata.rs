use a2a_host_sdk::extension::{Contribution, Description, Extension, Request};

/// Gives the metadata of the client's message back as metadata of the `ext` artifact.
pub struct EchoMetadata;

pub const URI: &str = "urn:a2a:dummy:echo-metadata";

impl Extension for EchoMetadata {
    fn describe() -> Description {
        Description::new(URI, "Returns the metadata of the message as metadata of the artifact.")
    }

    fn activate(request: &Request) -> Result<Contribution, String> {
        Ok(Contribution { metadata: request.message.metadata.clone(), ..Contribution::none() })
    }
}

#[cfg(test)]
mod tests {
    use a2a_host_sdk::testing::request;

    use super::*;

    #[test]
    fn the_metadata_comes_back() {
        let mut request = request("ext", &[URI]);
        assert_eq!(EchoMetadata::activate(&request).unwrap(), Contribution::none());
        request.message.metadata = Some(r#"{"trace":7}"#.into());
        assert_eq!(EchoMetadata::activate(&request).unwrap().metadata.as_deref(), Some(r#"{"trace":7}"#));
    }
}
