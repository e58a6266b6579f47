// An A2A extension for the dummy agent of a2a-host: it tells the mood of a text, slowly enough to watch the stream
// or to cancel the task.
//
// The folder `wit/` describes what the host calls and what it offers. Its types look like this in JavaScript:
//   names      kebab-case becomes camelCase: `media-type` is mediaType, `last-chunk` is lastChunk
//   record     an object with all of its members; an `option` may be left out, a `list` may not (`[]` will do)
//   enum       a string, spelled as in `wit/`: "working", "input-required"
//   variant    { tag, val }, such as { tag: "text", val: "hello" }
//   json       a string: JSON.stringify() what you hand over, JSON.parse() what you get
//   list<u8>   a Uint8Array; u64 is a BigInt
//   result     return the good value, throw the bad one; the host's refusals are thrown at you, in `error.payload`
import { log } from "a2a-host:plugin/host@0.1.0";

/** The mood of a text, told by its punctuation. */
function moodOf(text) {
  if (text.includes("!")) return "excited";
  return text.includes("?") ? "curious" : "calm";
}

/** A part that holds text. */
const textPart = (text) => ({ content: { tag: "text", val: text }, mediaType: "text/plain" });

/** The command's work. */
function tellMood(uri, request, task) {
  const words = request.text.replace(/^\s*mood\s*/i, "");
  if (words === "") {
    // The client gets this as the protocol's error.
    throw { tag: "a2a", val: { code: -32602, message: "mood needs a text, such as: mood What a day!", details: "[]" } };
  }
  task.status("working");

  // Two chunks make one artifact: the same id, the second one appended and last. It bears the extension's URI where
  // the client activated the extension.
  const mood = moodOf(words);
  const chunk = (text) => ({
    artifactId: `${task.id()}-mood`, name: "mood", parts: [textPart(text)],
    metadata: JSON.stringify({ mood }), extensions: request.activated.includes(uri) ? [uri] : [],
  });
  task.artifact(chunk("You sound "), false, false);
  // True as soon as the client cancels the task. The host has told the client then, and takes no further events.
  if (task.sleep(1000)) return;
  task.artifact(chunk(`${mood}.`), true, true);

  // The host makes up an id for an empty one.
  const parts = [textPart(`Your mood: ${mood}.`)];
  task.status("completed", { messageId: "", role: "agent", parts, extensions: [], referenceTaskIds: [] });
}

// The one export: the interface `extensions`, an object with a function for each of its functions.
export const extensions = {
  /** What the agent card says, and the command. Asked for once; must always answer the same. */
  describe() {
    return [{
      uri: "urn:example:mood", description: "Tells the mood of a text.", required: false, command: "mood",
      params: JSON.stringify({ moods: ["calm", "curious", "excited"] }),
      skill: {
        id: "mood", name: "Mood", description: "Tells the mood of a text in two chunks, a second apart.",
        tags: ["extension"], examples: ["mood What a day!"], inputModes: ["text/plain"], outputModes: ["text/plain"],
      },
    }];
  },

  /** Runs the command. Every task gets a fresh copy of this file, so nothing is remembered in variables. */
  handle(uri, request, task) {
    try {
      tellMood(uri, request, task);
    } catch (error) {
      if (error.tag) throw error;
      // The host refused something, or this file has a mistake: the task fails with these words. An error that is not
      // turned into this variant ends the call as a trap, without a word about the cause.
      log("error", error.stack ?? error.payload);
      throw { tag: "failed", val: String(error.payload ?? error) };
    }
  },

  /** What the agent's command `ext` adds to its artifact when the client activated the extension. */
  activate(_uri, request) {
    return { fields: JSON.stringify({ mood: moodOf(request.text) }) };
  },
};
