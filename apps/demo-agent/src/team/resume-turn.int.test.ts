import { groupExchanges } from "@agent-history/core";
import type { HistoryStore } from "@agent-history/core";
import { memoryStore } from "@agent-history/core/memory-store";
import { describe, expect, it } from "vitest";

import { finalState } from "../../test-support/final-state.ts";
import { gardenTeam } from "../../test-support/garden-team.ts";
import type { GardenTeam } from "../../test-support/garden-team.ts";
import { mortalStore } from "../../test-support/mortal-store.ts";
import type { AgentTeam } from "./create-agent-team.ts";

const BEFORE = ["How long does a valve stay open when rain is forecast?", "When is a tomato ripe?"];
const QUESTION = "Does that valve you found first open when the soil is dry?";

describe("resume", () => {
  it.each([
    ["before", 1],
    ["after", 0],
  ] as const)(
    "comes to the same state wherever a process was killed %s a write was kept, and asks the model nothing that was answered",
    async (moment, lostReplies) => {
      const store = await storeWithTwoTurns();
      const uncut = mortalStore(store);
      const whole = await teamOn(uncut.store, await fork(store, "whole"));
      await whole.team.ask(QUESTION);
      const expected = await finalState(store, "garden/whole");

      expect(uncut.writes()).toBeGreaterThan(20);
      for (let atWrite = 1; atWrite <= uncut.writes(); atWrite++) {
        const threadId = await fork(store, `${moment}-${atWrite}`);
        const killed = await teamOn(mortalStore(store, { atWrite, moment }).store, threadId);
        await expect(killed.team.ask(QUESTION)).rejects.toThrow("Killed.");
        const resumed = await teamOn(store, threadId);
        await goOn(resumed.team);
        const again = killed.calls.length + resumed.calls.length - whole.calls.length;

        expect(await finalState(store, threadId)).toBe(expected);
        expect(again, `killed ${moment} write ${atWrite}`).toBeGreaterThanOrEqual(0);
        expect(again, `killed ${moment} write ${atWrite}`).toBeLessThanOrEqual(lostReplies);
      }
    },
  );

  it("makes the calls that were written down and never made", async () => {
    const store = memoryStore();
    const { entries } = await teamUntil(store, "action");
    const [open] = openCalls(entries);
    const resumed = await teamOn(store, "garden");
    await goOn(resumed.team);

    expect(open?.kind).toBe("exchange");
    expect(resumed.entries[0]).toMatchObject({ type: "observation", callId: "call-1" });
    expect(openCalls((await store.read("garden")).entries)).toEqual([]);
  });

  it("refuses a turn that is not open", async () => {
    const { team } = await gardenTeam();
    await team.ask(BEFORE[1] ?? "");

    await expect(team.resume("turn-1")).rejects.toMatchObject({ code: "NOT_FOUND" });
    await expect(team.resume("turn-9")).rejects.toMatchObject({ code: "NOT_FOUND" });
  });
});

async function storeWithTwoTurns(): Promise<HistoryStore> {
  const store = memoryStore();
  const { team } = await teamOn(store, "garden");
  for (const question of BEFORE) await team.ask(question);
  return store;
}

/** One worker at a time: what is done in which order is then the same in each run. */
async function teamOn(store: HistoryStore, threadId: string): Promise<GardenTeam> {
  return gardenTeam({ store, threadId, workersAtOnce: 1 });
}

async function fork(store: HistoryStore, as: string): Promise<string> {
  const { entries } = await store.read("garden", { originals: true });
  return (await store.fork("garden", { at: entries.at(-1)?.id ?? "", as })).threadId;
}

/** As `--resume` does: what is open is answered; what was never kept is asked again. */
async function goOn(team: AgentTeam): Promise<void> {
  const asked = await team.questions();
  if (!asked.some(({ question }) => question === QUESTION)) await team.ask(QUESTION);
  for (const { turnId, isAnswered } of asked) if (!isAnswered) await team.resume(turnId);
}

/** Runs a team that is killed once the first entry of a type is kept. */
async function teamUntil(store: HistoryStore, type: string): Promise<GardenTeam> {
  const counted = mortalStore(store);
  let atWrite = 0;
  const note = await gardenTeam({
    store: counted.store,
    threadId: "counted",
    workersAtOnce: 1,
    onEntry: (entry) => {
      if (atWrite === 0 && entry.type === type) atWrite = counted.writes();
    },
  });
  await note.team.ask(QUESTION);
  const killed = await teamOn(mortalStore(store, { atWrite, moment: "after" }).store, "garden");
  await expect(killed.team.ask(QUESTION)).rejects.toThrow("Killed.");
  return { ...killed, entries: (await store.read("garden")).entries };
}

function openCalls(entries: Parameters<typeof groupExchanges>[0]) {
  return groupExchanges(entries).filter(
    (group) => group.kind === "exchange" && group.unanswered.length > 0,
  );
}
