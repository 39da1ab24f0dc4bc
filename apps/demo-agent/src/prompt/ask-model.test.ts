import {
  action,
  assistantMessage,
  final,
  observation,
  synthesis,
  task,
  userMessage,
} from "@agent-history/core";
import type { Agent, HistoryEntry } from "@agent-history/core";
import { memoryStore } from "@agent-history/core/memory-store";
import { defaultHistoryFilter, managerHistoryFilter } from "@agent-history/filters";
import type { ChatMessage } from "@agent-history/offline-model";
import { describe, expect, it } from "vitest";

import { decorateAnswer } from "../answer/decorate-answer.ts";
import { DEFAULT_WINDOWS } from "../history/role-windows.ts";
import { openHistory } from "../open-history.ts";
import { askModelFor } from "./ask-model.ts";
import type { ModelCallRecord } from "./model-call-record.ts";
import { stablePrefix } from "./stable-prefix.ts";

const MANAGER: Agent = { id: "manager-1", role: "manager" };
const WORKER: Agent = { id: "reader-1", role: "worker" };
const BOSS: Agent = { id: "orchestrator", role: "orchestrator" };

describe("askModelFor", () => {
  it("shows instructions, then each entry in the role that it has for this agent, under a heading that says what it is", async () => {
    const entries = [
      synthesis({ id: "s1", content: "Found.", phaseId: "find", agent: MANAGER }),
      task({ id: "t1", content: "Read it.", phaseId: "read", agent: MANAGER, from: BOSS }),
      task({
        id: "t2",
        content: "Read a.md.",
        phaseId: "read",
        agent: WORKER,
        from: MANAGER,
        taskId: "t1",
      }),
      final({ id: "f1", content: "Done so.", phaseId: "read", agent: WORKER, taskId: "t2" }),
    ];
    const { messages, record } = await promptOf(entries, managerHistoryFilter());

    expect(record.entryIds).toEqual(["s1", "t1", "f1"]);
    expect(messages).toEqual([
      { role: "system", content: "You manage." },
      { role: "assistant", content: "# Synthesis of phase find\nFound." },
      { role: "user", content: "# Task for manager-1\nRead it." },
      { role: "user", content: "# Report of reader-1\nDone so." },
    ]);
  });

  it("shows of an answer what the model wrote, without what post-processing added", async () => {
    const { text, metadata } = await decorateAnswer("Yes. [source1]", {
      found: [{ number: 2, id: "b", text: "1| b", uri: "b.ts#L1-L1", title: "b" }],
      findSource: () => undefined,
    });
    const { messages, record } = await promptOf([
      userMessage({ id: "u1", content: "Ask next\n\nSources" }),
      assistantMessage({ id: "a1", content: text, metadata }),
    ]);

    expect(text).not.toBe("Yes. [source1]");
    expect(record.steps).toContain("clean");
    expect(messages.slice(1)).toEqual([
      { role: "user", content: "Ask next\n\nSources" },
      { role: "assistant", content: "Yes. [source1]" },
    ]);
  });

  it("repairs what was broken off, so that every call is answered", async () => {
    const call = { id: "c1", name: "list_files", arguments: "{}" };
    const { messages } = await promptOf([
      action({ id: "x1", toolCalls: [call] }),
      userMessage({ id: "u1", content: "Still there?" }),
      observation({
        id: "o9",
        callId: "c9",
        toolName: "list_files",
        outcome: "success",
        content: "",
      }),
      action({ id: "x2", toolCalls: [call] }),
    ]);

    expect(messages.slice(1)).toEqual([
      { role: "assistant", content: "", toolCalls: [call] },
      {
        role: "tool",
        callId: "c1",
        toolName: "list_files",
        content: "No result of this call was recorded.",
      },
      { role: "user", content: "Still there?" },
      { role: "assistant", content: "", toolCalls: [call] },
    ]);
  });

  it("shows the sources of a result below its words", async () => {
    const { messages } = await promptOf([
      action({ id: "x1", toolCalls: [{ id: "c1", name: "search_text", arguments: "{}" }] }),
      observation({
        id: "o1",
        callId: "c1",
        toolName: "search_text",
        outcome: "success",
        content: "1 passages.",
        sources: [{ number: 4, id: "a", text: "7| text", uri: "a.md#L7-L7", title: "A" }],
      }),
    ]);

    expect(messages.at(-1)?.content).toBe("1 passages.\n\n[source4] A (a.md#L7-L7)\n7| text");
  });

  it("counts what it shows by its encoding, instructions apart", async () => {
    const { record } = await promptOf([userMessage({ id: "u1", content: "ab日本" })]);

    // Three for the message, one for its role, two for the text.
    expect(record.shownTokens).toBe(6);
  });
});

interface Prompt {
  readonly messages: readonly ChatMessage[];
  readonly record: ModelCallRecord;
}

/** Asks the model for a manager, and gives what it was sent. */
async function promptOf(
  entries: readonly HistoryEntry[],
  historyFilter = defaultHistoryFilter(),
): Promise<Prompt> {
  const store = memoryStore();
  await store.append("t", entries);
  const thread = await openHistory({
    store,
    threadId: "t",
    windows: DEFAULT_WINDOWS,
    compressAbove: Infinity,
    onEntry: () => {},
    onCompression: () => {},
  });
  const sent: ChatMessage[] = [];
  const records: ModelCallRecord[] = [];
  const scoped = thread.manager.withScope({ agent: MANAGER, phaseId: "read" });
  const ask = askModelFor(MANAGER, scoped, {
    model: async ({ messages }) => {
      sent.push(...messages);
      return { text: "Yes." };
    },
    threadTokens: thread.tokens,
    hasCleaned: thread.hasCleaned,
    prefix: stablePrefix(),
    onModelCall: (record) => records.push(record),
    onModelEvent: () => {},
  });
  await ask({ step: "test", instructions: "You manage.", historyFilter });
  const [record] = records;
  if (record === undefined) throw new Error("Expected a record of the call.");
  return { messages: sent, record };
}
