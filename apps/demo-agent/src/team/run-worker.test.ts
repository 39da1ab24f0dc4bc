import type { HistoryEntry } from "@agent-history/core";
import { HistoryError, action, observation } from "@agent-history/core";
import { checkHistory } from "@agent-history/core/check";
import { memoryStore } from "@agent-history/core/memory-store";
import type { ModelReply, ModelRequest } from "@agent-history/offline-model";
import { describe, expect, it } from "vitest";

import { countingSources } from "../../test-support/counting-sources.ts";
import { gardenTeam } from "../../test-support/garden-team.ts";
import type { GardenTeam } from "../../test-support/garden-team.ts";
import { modelDouble } from "../../test-support/model-double.ts";
import { workerRouterPlanner } from "../planners/worker-router-planner.ts";

const RIPE = "When is a tomato ripe?";

describe("runWorker", () => {
  it("stops a worker that makes the same call for the third time with the same result", async () => {
    const { entries, calls } = await routed((request) =>
      callOrStop(request, () => '{"nameContains":"x"}'),
    );

    expect(entries.filter(({ type }) => type === "action")).toHaveLength(3);
    expect(finals(entries)).toEqual(["I stop."]);
    expect(calls.at(-1)?.messages[0]?.content).toContain("You can call no more tools");
  });

  it("stops a worker whose moves are used up", async () => {
    let count = 0;
    const { entries } = await routed((request) =>
      callOrStop(request, () => `{"nameContains":"${(count += 1)}"}`),
    );

    expect(entries.filter(({ type }) => type === "action")).toHaveLength(4);
    expect(finals(entries)).toEqual(["I stop."]);
  });

  it("ends the work of a worker that calls on where it has no tools", async () => {
    const { entries } = await routed(() => ({
      toolCalls: [{ id: "c", name: "list_files", arguments: "{}" }],
    }));

    expect(finals(entries)).toEqual(["The work could not continue."]);
    expect(entries.filter(({ type }) => type === "error")).toHaveLength(1);
  });

  it("hands wrong calls back as errors that the worker can read", async () => {
    const replies = [
      {
        toolCalls: [
          { id: "c", name: "rm", arguments: "-rf" },
          { id: "c", name: "read_passage", arguments: "{" },
        ],
      },
      { text: "Neither works." },
    ];
    const { entries, calls } = await routed(() => replies.shift());
    const results = entries.filter((entry) => entry.type === "observation");

    expect(results.map(({ outcome, callId }) => `${outcome} ${callId}`)).toEqual([
      "error c",
      "error c",
    ]);
    expect(calls.at(-1)?.messages.map(({ role }) => role)).toEqual([
      "system",
      "user",
      "user",
      "assistant",
      "tool",
      "tool",
    ]);
    expect(finals(entries)).toEqual(["Neither works."]);
  });

  it("reports a failure of its own, and lets the others go on", async () => {
    const model = modelDouble({
      "tool-calls-or-report": ({ messages }) => {
        if (messages[0]?.content.includes("You are source-reader-1"))
          throw new Error("out of tokens");
        return undefined;
      },
    });
    const { team, entries } = await gardenTeam({ model });

    const { text, failures } = await team.ask(RIPE);

    expect(text).toContain("comes off the stem");
    expect(text).toContain("\n\nIncomplete: 1 worker could not continue.\n");
    expect(failures).toEqual([{ agentId: "source-reader-1", reason: "out of tokens" }]);
    expect(entries.filter(({ type }) => type === "error")).toMatchObject([
      { agent: { id: "source-reader-1" }, content: "The work could not continue: out of tokens" },
    ]);
  });

  it("takes the log's word for it that work is done", async () => {
    // A worker that asks once more although its report stands would never come to an end.
    const { calls, entries } = await routed(() => ({ text: "completed, done, finished" }));

    expect(calls.filter(({ agent }) => agent.role === "worker")).toHaveLength(1);
    expect(finals(entries)).toEqual(["completed, done, finished"]);
  });

  it("is not stopped by documents that speak of being done", async () => {
    const { team, entries } = await gardenTeam({
      files: {
        "done.md": "# Done\n\nThe watering of the lawn is completed, done, finished: success.\n",
      },
    });

    expect((await team.ask("Is the watering of the lawn done?")).text).toContain(
      "completed, done, finished",
    );
    expect(finals(entries).length).toBeGreaterThan(3);
  });
});

describe("a turn", () => {
  it("is refused by a model that fails where everybody depends on it, and the next one is answered", async () => {
    const replies = [{ text: " " }];
    const model = modelDouble({ answer: () => replies.shift() });
    const { team, entries } = await gardenTeam({ model });

    await expect(team.ask(RIPE)).rejects.toMatchObject({ code: "MODEL_FAILED" });
    expect((await team.ask(RIPE)).text).toContain("comes off the stem");
    expect(checkHistory(entries).filter(({ rule }) => rule !== "scattered-exchange")).toEqual([]);
  });

  it("stops wherever it is when the signal fires, and the thread can be gone on with", async () => {
    const whole = await gardenTeam();
    await whole.team.ask(RIPE);
    for (const stopAt of whole.calls.keys()) {
      const thread = { store: memoryStore(), sources: countingSources() };
      const stop = new AbortController();
      let count = 0;
      const onModelCall = (): void => {
        if (count++ === stopAt) stop.abort();
      };
      const stopped = await gardenTeam({ ...thread, signal: stop.signal, onModelCall });
      await expect(stopped.team.ask(RIPE)).rejects.toMatchObject({ code: "ABORTED" });
      const kept = stopped.entries.length;
      const next = await gardenTeam(thread);

      expect((await next.team.ask(RIPE)).text).toContain("comes off the stem");
      expect(stopped.entries).toHaveLength(kept);
      expect(stopped.entries.filter(({ type }) => type === "error")).toEqual([]);
      expect(stopped.entries.at(-1)?.type).not.toBe("assistant_message");
    }
  });

  it("repairs what an earlier process left unanswered", async () => {
    const thread = { store: memoryStore(), sources: countingSources() };
    const worker = { id: "document-reader-1", role: "worker" } as const;
    await thread.store.append("garden", [
      action({
        id: "old-1",
        agent: worker,
        toolCalls: [{ id: "call-1", name: "list_files", arguments: "{}" }],
      }),
      observation({
        id: "old-2",
        agent: worker,
        callId: "gone",
        toolName: "list_files",
        outcome: "success",
        content: "",
      }),
    ]);
    const { team, calls } = await gardenTeam(thread);

    expect((await team.ask(RIPE)).text).toContain("comes off the stem");
    expect(calls.flatMap(({ entryIds }) => entryIds).filter((id) => id.startsWith("old"))).toEqual(
      [],
    );
  });

  it("fails when a worker cannot write, after all of its neighbors have ended", async () => {
    const store = memoryStore();
    const failing = {
      ...store,
      append: (...args: Parameters<typeof store.append>) =>
        args[1].some(({ type, agent }) => type === "final" && agent?.id === "source-reader-1")
          ? Promise.reject(new HistoryError("Nothing was written.", { code: "STORE_UNAVAILABLE" }))
          : store.append(...args),
    };
    const { team, entries } = await gardenTeam({ store: failing });

    await expect(team.ask(RIPE)).rejects.toMatchObject({ code: "STORE_UNAVAILABLE" });
    expect(finals(entries)).toHaveLength(2);
    expect(entries.filter(({ type }) => type === "synthesis")).toEqual([]);
  });

  it("passes on an error of the store as it is", async () => {
    const store = memoryStore();
    const failing = {
      ...store,
      append: () =>
        Promise.reject(new HistoryError("Nothing was written.", { code: "STORE_UNAVAILABLE" })),
    };
    const { team } = await gardenTeam({ store: failing });

    await expect(team.ask(RIPE)).rejects.toMatchObject({ code: "STORE_UNAVAILABLE" });
  });
});

/** Lets one worker answer, whose model replies as it is told. */
async function routed(
  reply: (request: ModelRequest) => ModelReply | undefined,
): Promise<GardenTeam> {
  const garden = await gardenTeam({
    model: modelDouble({ "tool-calls-or-report": reply }),
    planners: { orchestrator: workerRouterPlanner() },
    maxWorkerSteps: 4,
  });
  await garden.team.ask(RIPE);
  return garden;
}

function callOrStop({ tools }: ModelRequest, argumentsJson: () => string): ModelReply {
  if (tools.length === 0) return { text: "I stop." };
  return { toolCalls: [{ id: "call-1", name: "list_files", arguments: argumentsJson() }] };
}

function finals(entries: readonly HistoryEntry[]): readonly unknown[] {
  return entries.flatMap((entry) => (entry.type === "final" ? [entry.content] : []));
}
