import { fileURLToPath } from "node:url";

import type { HistoryStore } from "@agent-history/core";
import { memoryStore } from "@agent-history/core/memory-store";
import { HEADINGS, offlineModel, openFolder } from "@agent-history/offline-model";
import type { ChatModel } from "@agent-history/offline-model";
import { describe, expect, it } from "vitest";

import { BUILT_IN_QUESTIONS } from "../../cli/session-questions.ts";
import type { CompressionRecord } from "../history/compression-record.ts";
import type { ModelCallRecord } from "../prompt/model-call-record.ts";
import { createAgentTeam } from "./create-agent-team.ts";
import type { AgentTeam } from "./create-agent-team.ts";

const REPOSITORY = fileURLToPath(new URL("../../../../", import.meta.url));
const WORKER_FILTER = "packages/filters/src/worker-history-filter.ts";
const [FIRST = "", SECOND = "", THIRD = ""] = BUILT_IN_QUESTIONS;

describe("the third question of the session", () => {
  it("is answered from what the first found, after that was compressed, and fails without the summary", async () => {
    const folder = await openFolder(REPOSITORY);
    const store = memoryStore();
    const before = await teamOn(store, "session", { folder, model: offlineModel() });
    for (const question of [FIRST, SECOND]) await before.team.ask(question);
    const forks = await Promise.all(["with", "without"].map(async (as) => fork(store, as)));
    const [withId = "", withoutId = ""] = forks;
    const shown = await teamOn(store, withId, { folder, model: offlineModel() });
    const hidden = await teamOn(store, withoutId, { folder, model: withoutSummaries() });
    const answer = await shown.team.ask(THIRD);
    const ablated = await hidden.team.ask(THIRD);

    for (const { calls, compressions } of [shown, hidden]) {
      expect(compressions[0]).toMatchObject({ view: "conversation" });
      // Of the first turn, nothing but the summary is in the prompt.
      const [plan] = calls;
      expect(plan?.steps).toContain("summary");
      expect(plan?.entryIds.filter((id) => id.startsWith("turn-1"))).toEqual([]);
    }
    expect(answer.text).toMatch(new RegExp(`^${WORKER_FILTER}:`));
    expect(ablated.text).not.toMatch(new RegExp(`^${WORKER_FILTER}:`));
  });

  it("finds all originals again at the end", async () => {
    const store = memoryStore();
    const folder = await openFolder(`${REPOSITORY}/packages/filters`);
    const { team, compressions } = await teamOn(store, "t", { folder, model: offlineModel() });
    for (const question of BUILT_IN_QUESTIONS) await team.ask(question);
    const expansion = await team.expand();

    expect(compressions.length).toBeGreaterThan(3);
    expect(expansion).toMatchObject({ summaries: compressions.length, isWhole: true });
    expect(expansion.entries).toBeGreaterThan(compressions.length);
    expect(await team.expand()).toEqual({ summaries: 0, entries: 0, isWhole: true });
  });
});

interface WatchedTeam {
  readonly team: AgentTeam;
  readonly calls: readonly ModelCallRecord[];
  readonly compressions: readonly CompressionRecord[];
}

async function teamOn(
  store: HistoryStore,
  threadId: string,
  parts: Pick<Parameters<typeof createAgentTeam>[0], "folder" | "model">,
): Promise<WatchedTeam> {
  const calls: ModelCallRecord[] = [];
  const compressions: CompressionRecord[] = [];
  const team = await createAgentTeam({
    ...parts,
    store,
    threadId,
    workersAtOnce: 1,
    onModelCall: (record) => calls.push(record),
    onCompression: (record) => compressions.push(record),
  });
  return { team, calls, compressions };
}

async function fork(store: HistoryStore, as: string): Promise<string> {
  const { entries } = await store.read("session", { originals: true });
  return (await store.fork("session", { at: entries.at(-1)?.id ?? "", as })).threadId;
}

/** The offline model, shown everything but what summaries say. */
function withoutSummaries(): ChatModel {
  const model = offlineModel();
  return async (request) => {
    const messages = request.messages.filter(
      ({ content }) => !content.startsWith(HEADINGS.summary),
    );
    return model({ ...request, messages });
  };
}
