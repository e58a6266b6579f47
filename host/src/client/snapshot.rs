use serde_json::{Map, Value, json};

use super::decode::Payload;

/// The task, or the bare message, as it stands after the events so far (§4.2).
#[derive(Debug, Default)]
pub(crate) struct Snapshot(Option<Value>);

impl Snapshot {
    /// Takes an event in canonical form.
    pub(crate) fn apply(&mut self, payload: &Payload) {
        match payload {
            Payload::Task(map) => self.replace(map),
            // Beside a task a bare message is out of order, and the task is what the stream was about.
            Payload::Message(_) if self.is_task() => {}
            Payload::Message(map) => self.0 = Some(Value::Object(map.clone())),
            Payload::StatusUpdate(map) => {
                let task = self.task(map);
                if let Some(status) = map.get("status") {
                    task.insert("status".into(), status.clone());
                }
            }
            Payload::ArtifactUpdate(map) => {
                let append = map.get("append").and_then(Value::as_bool).unwrap_or(false);
                let Some(artifact) = map.get("artifact").and_then(Value::as_object) else { return };
                let list = self.task(map).entry("artifacts").or_insert_with(|| json!([]));
                // Canonical form has a list here.
                let Some(list) = list.as_array_mut() else { return };
                let id = artifact.get("artifactId").filter(|id| id.as_str() != Some(""));
                let known = list.iter_mut().find(|known| id.is_some() && known.get("artifactId") == id);
                match known {
                    Some(known) if append => extend(known, artifact),
                    Some(known) => *known = Value::Object(artifact.clone()),
                    None => list.push(Value::Object(artifact.clone())),
                }
            }
            Payload::Other => {}
        }
    }

    /// The value; null where nothing came.
    pub(crate) fn into_value(self) -> Value {
        self.0.unwrap_or(Value::Null)
    }

    /// A snapshot counts as it is; artifacts and history that it does not mention stay.
    fn replace(&mut self, task: &Map<String, Value>) {
        let mut new = task.clone();
        if let Some(Value::Object(old)) = self.0.take() {
            for key in ["artifacts", "history"] {
                if let (false, Some(value)) = (new.contains_key(key), old.get(key)) {
                    new.insert(key.into(), value.clone());
                }
            }
        }
        self.0 = Some(Value::Object(new));
    }

    fn is_task(&self) -> bool {
        self.0.as_ref().is_some_and(|value| value.get("role").is_none())
    }

    /// The task under way; an update that comes first begins one with its ids.
    fn task(&mut self, update: &Map<String, Value>) -> &mut Map<String, Value> {
        if !self.is_task() {
            self.0 = None;
        }
        let value = self.0.get_or_insert_with(|| {
            let mut task = Map::new();
            for (from, to) in [("taskId", "id"), ("contextId", "contextId")] {
                if let Some(id) = update.get(from) {
                    task.insert(to.into(), id.clone());
                }
            }
            Value::Object(task)
        });
        value.as_object_mut().expect("only objects are ever stored")
    }
}

fn extend(known: &mut Value, chunk: &Map<String, Value>) {
    let Some(known) = known.as_object_mut() else { return };
    for (key, value) in chunk {
        match (key.as_str(), known.get_mut(key), value) {
            ("parts", Some(Value::Array(parts)), Value::Array(more)) => parts.extend(more.iter().cloned()),
            ("artifactId", Some(_), _) => {}
            _ => {
                known.insert(key.clone(), value.clone());
            }
        }
    }
}
