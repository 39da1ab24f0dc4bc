import { summary } from "@agent-history/core";
import { describe, expect, it } from "vitest";

import { regularHistory, REGULAR } from "../../test-support/arbitrary-regular-history.ts";
import { fakeThread } from "../../test-support/fake-store.ts";
import type { FakeTables, FakeThread } from "../../test-support/fake-store.ts";

describe("verifyProgram", () => {
  const damages: readonly [string, (tables: FakeTables) => void][] = [
    ["a row that is missing", ({ log }) => log.splice(7, 1)],
    ["a row that is broken", ({ log }) => (log[7] = { position: 7, json: "{" })],
    ["a fact that was lost", ({ facts }) => facts.delete([...facts.keys()][3] ?? "")],
    ["an id that was lost", ({ ids }) => ids.delete("e4")],
    ["a row of references that was lost", ({ streams }) => streams.get("conversation")?.shift()],
    [
      "a head that went back",
      (tables) => (tables.head = tables.head?.replace('"task":', '"late":')),
    ],
    ["a view's state that was lost", ({ views }) => views.clear()],
  ];

  it("finds nothing in a sound thread", () => {
    expect(thread().verify()).toEqual([]);
  });

  for (const [name, damage] of damages) {
    it(`finds ${name}`, () => {
      const damaged = thread();
      damage(damaged.tables);
      expect(damaged.verify().length).toBeGreaterThan(0);
    });
  }

  it("leaves the rest readable where a row is broken, and says where", () => {
    const damaged = thread();
    damaged.tables.log[7] = { position: 7, json: "{" };
    const { result } = damaged.read({ query: { clauses: [{}] } });
    expect(result.problems.map(({ position, kind }) => [position, kind])).toEqual([[7, "broken"]]);
    expect(result.entries).toHaveLength(damaged.tables.log.length - 1);
    const tail = damaged.read({ query: { clauses: [{}], maxEntries: 5 } });
    expect(tail.result.problems).toEqual([]);
    expect(tail.result.entries).toHaveLength(5);
  });
});

function thread(): FakeThread {
  const made = fakeThread();
  made.append(regularHistory({ ...REGULAR, entries: 100 }));
  const covers = [{ from: "e1", to: "e1" }];
  const content = { content: "", strategy: "whole", trust: "tool" } as const;
  made.commit(
    "conversation",
    summary({ ...content, id: "s1", view: "conversation", covers }),
    covers,
  );
  return made;
}
