import { parseEntry } from "@agent-history/core/schema";
import { textOf } from "@agent-history/format-kit";
import { describe, expect, it } from "vitest";

import { entriesToSpeakerLog, speakerLogToEntries } from "../../test-formats/speaker-log.ts";
import { countedSources } from "../format/internal/counted-sources.ts";
import { recordedChats } from "../format/recorded-chats.ts";

const [recorded] = recordedChats(process.env["AGENT_HISTORY_DATA"], [
  "who-and-when/hand-crafted.jsonl",
]);

const LOG = [
  { role: "human", content: "Find the paper." },
  { role: "Orchestrator (thought)", content: "Initial plan: search." },
  { role: "Orchestrator (-> WebSurfer)", content: "Search for the paper." },
  { role: "WebSurfer", content: "I found it." },
  { role: "Orchestrator (termination condition)", content: "No agent selected." },
];

describe("speakerLogToEntries", () => {
  it("knows who speaks to whom, and under which task", () => {
    const entries = speakerLogToEntries(LOG, countedSources());
    const orchestrator = { id: "Orchestrator", role: "orchestrator" };
    const worker = { id: "WebSurfer", role: "worker" };

    expect(entries).toMatchObject([
      { type: "user_message", content: "Find the paper." },
      { type: "strategic_plan", agent: orchestrator },
      { type: "task", id: "entry-3", agent: worker, from: orchestrator },
      { type: "final", agent: worker, taskId: "entry-3" },
      { type: "final", agent: orchestrator },
    ]);
    expect(entriesToSpeakerLog(entries)).toEqual(LOG);
  });

  it.skipIf(recorded?.chats === undefined)(
    "loses nothing of who-and-when (set AGENT_HISTORY_DATA to the folder that holds it)",
    () => {
      const conversations = recorded?.chats?.() ?? [];

      expect(conversations.length).toBeGreaterThan(10);
      for (const messages of conversations) {
        const log = messages.map(({ role, content }) => ({
          role: textOf(role) ?? "",
          content: textOf(content) ?? "",
        }));
        const entries = speakerLogToEntries(log, countedSources());
        expect(entriesToSpeakerLog(entries)).toStrictEqual(messages);
        expect(entries.map(parseEntry)).toStrictEqual(entries);
      }
    },
  );
});
