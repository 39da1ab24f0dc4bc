import { describeMessageFormat } from "@agent-history/testkit/format";

import { fromNotes, toNotes } from "./notes-format.ts";

describeMessageFormat("notes", {
  read: fromNotes,
  write: toNotes,
  userMessage: (text) => ({ by: "user", text }),
  knownMessages: [
    { by: "rules", text: "You book flights." },
    { by: "user", text: "To Rome, please." },
    { by: "model", text: "", calls: [{ ref: "c1", tool: "find", input: '{"to":"Rome"}' }] },
    { by: "tool", ref: "c1", text: "Two flights go there." },
    { by: "model", text: "At nine and at noon." },
  ],
  strangeMessages: [
    { by: "critic", text: "A writer of tomorrow." },
    { by: "user", text: "With a field of tomorrow.", mood: "calm" },
    { by: "model", text: "", calls: [{ tool: "find", input: "", cache: true }, { ref: "c2" }] },
    { by: "tool", text: "An answer to no call." },
    { by: "user" },
  ],
});
