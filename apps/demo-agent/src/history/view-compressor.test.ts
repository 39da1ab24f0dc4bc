import { action, assistantMessage, observation, task, userMessage } from "@agent-history/core";
import type { HistoryEntry, HistoryView } from "@agent-history/core";
import { memoryStore } from "@agent-history/core/memory-store";
import { describe, expect, it } from "vitest";

import { openHistory } from "../open-history.ts";
import type { ThreadHistory } from "../open-history.ts";
import type { CompressionRecord } from "./compression-record.ts";
import { expandSummaries } from "./expand-summaries.ts";
import { DEFAULT_WINDOWS } from "./role-windows.ts";

const WORKER = { id: "w1", role: "worker" } as const;
const LONG = "The valve of the north bed opens at dawn, and shuts when rain is forecast. ".repeat(
  6,
);

describe("viewCompressor", () => {
  it("covers of a conversation the turns that were answered, but for the newest of them, and no open question", async () => {
    const { thread, records } = await openOn([
      ...turnOf("turn-1"),
      userMessage({ id: "turn-2", turnId: "turn-2", content: `Still open? ${LONG}` }),
      ...turnOf("turn-3"),
      ...turnOf("turn-4"),
    ]);
    await thread.compress("conversation");

    expect(records.map(({ summary }) => summary.id)).toEqual(["summary-of-turn-3/answer"]);
    expect(await idsOf(thread, "conversation")).toEqual([
      "summary-of-turn-3/answer",
      "turn-2",
      "turn-4",
      "turn-4/answer",
    ]);
  });

  it("covers nothing twice, and extends what it wrote, layer upon layer", async () => {
    const { thread, records } = await openOn([...turnOf("turn-1"), ...turnOf("turn-2")]);
    await thread.compress("conversation");
    await thread.compress("conversation");
    expect(records).toHaveLength(1);
    await thread.manager.append(turnOf("turn-3"));
    await thread.compress("conversation");
    const ids = await idsOf(thread, "conversation");
    const expansion = await expandSummaries(thread.manager);

    expect(ids).toEqual(["summary-of-turn-2/answer", "turn-3", "turn-3/answer"]);
    expect(records[1]?.summary.content).toContain("Asked: What of turn-1?");
    expect(expansion).toEqual({ summaries: 2, entries: 4, isWhole: true });
    expect(await idsOf(thread, "conversation")).toHaveLength(6);
  });

  it("compresses a worker's work of this turn where it takes half of its window, the running exchange apart", async () => {
    const { thread, records } = await openOn([...workOf("turn-1", 20), ...workOf("turn-2", 4)]);
    await thread.compress("agent:w1");
    expect(records).toEqual([]);
    await thread.manager.append(workOf("turn-3", 20));
    await thread.compress("agent:w1");

    expect(records.map(({ summary }) => summary.id)).toEqual(["summary-of-turn-3/1/19/1"]);
    expect((await idsOf(thread, "agent:w1")).slice(-4)).toEqual([
      "turn-3/1",
      "summary-of-turn-3/1/19/1",
      "turn-3/1/20",
      "turn-3/1/20/1",
    ]);
    expect(await idsOf(thread, "agent:w1")).toContain("turn-1/1/1");
  });

  it("compresses nothing where it is told not to", async () => {
    const { thread, records } = await openOn(turnOf("turn-1"), Infinity);
    await thread.compress("conversation");

    expect(records).toEqual([]);
  });
});

async function openOn(
  entries: readonly HistoryEntry[],
  compressAbove = 0.5,
): Promise<{ readonly thread: ThreadHistory; readonly records: readonly CompressionRecord[] }> {
  const records: CompressionRecord[] = [];
  const thread = await openHistory({
    store: memoryStore(),
    threadId: "t",
    windows: DEFAULT_WINDOWS,
    compressAbove,
    onEntry: () => {},
    onCompression: (record) => records.push(record),
  });
  await thread.manager.append(entries);
  return { thread, records };
}

function turnOf(turnId: string): readonly HistoryEntry[] {
  return [
    userMessage({ id: turnId, turnId, content: `What of ${turnId}?` }),
    assistantMessage({ id: `${turnId}/answer`, turnId, content: LONG }),
  ];
}

/** A task and so many exchanges, the last of which the worker has not answered yet. */
function workOf(turnId: string, count: number): readonly HistoryEntry[] {
  const location = { turnId, taskId: `${turnId}/1`, agent: WORKER };
  const exchanges = Array.from({ length: count }, (_, index) => {
    const id = `${turnId}/1/${index + 1}`;
    const call = { id: "c", name: "search_text", arguments: `{"query":"${index}"}` };
    const result = { callId: "c", toolName: "search_text", actionId: id } as const;
    return [
      action({ ...location, id, toolCalls: [call] }),
      observation({ ...location, ...result, id: `${id}/1`, outcome: "success", content: LONG }),
    ];
  });
  return [
    task({ id: `${turnId}/1`, turnId, agent: WORKER, content: "Search." }),
    ...exchanges.flat(),
  ];
}

async function idsOf({ manager }: ThreadHistory, view: HistoryView): Promise<readonly string[]> {
  return (await manager.read({ clauses: [{}], view })).entries.map(({ id }) => id);
}
