import { describe, expect, it } from "vitest";

import { applyCompactions } from "./apply-compactions.ts";
import { action, assistantMessage, summary, systemMessage, userMessage } from "./create-entries.ts";
import type { EntryRun, HistoryEntry, SummaryEntry } from "./history-entry.ts";
import type { HistoryView } from "./history-view.ts";

const worker = { id: "w1", role: "worker" } as const;
const log: readonly HistoryEntry[] = [
  systemMessage({ id: "s1", content: "" }),
  userMessage({ id: "u1", content: "" }),
  action({ id: "x1", agent: worker, toolCalls: [{ id: "c1", name: "read", arguments: "" }] }),
  assistantMessage({ id: "a1", content: "" }),
  userMessage({ id: "u2", content: "", pinned: true }),
  assistantMessage({ id: "a2", content: "" }),
  userMessage({ id: "u3", content: "" }),
];

describe("applyCompactions", () => {
  it("returns a history without summaries by identity", () => {
    expect(applyCompactions(log, "thread")).toBe(log);
  });

  it("puts a summary at the place of the first entry it covers", () => {
    const one = overlay("z1", "conversation", [{ from: "u1", to: "a1" }]);
    expect(view([...log, one], "conversation")).toBe("s1 z1 x1 u2 a2 u3");
  });

  it("shows every other view the originals", () => {
    const one = overlay("z1", "conversation", [{ from: "u1", to: "a1" }]);
    expect(view([...log, one], "thread")).toBe("s1 u1 x1 a1 u2 a2 u3");
    expect(view([...log, one], "agent:w1")).toBe("s1 u1 x1 a1 u2 a2 u3");
    expect(view([...log, one], undefined)).toBe("s1 u1 x1 a1 u2 a2 u3");
  });

  it("covers every entry of the run in the thread's view", () => {
    const one = overlay("z1", "thread", [{ from: "u1", to: "a1" }]);
    expect(view([...log, one], "thread")).toBe("s1 z1 u2 a2 u3");
  });

  it("leaves system messages and pinned entries within a run where they are", () => {
    const one = overlay("z1", "thread", [{ from: "s1", to: "a2" }]);
    expect(view([...log, one], "thread")).toBe("s1 z1 u2 u3");
  });

  it("joins several runs in one summary", () => {
    const runs = [
      { from: "u1", to: "u1" },
      { from: "a2", to: "u3" },
    ];
    expect(view([...log, overlay("z1", "thread", runs)], "thread")).toBe("s1 z1 x1 a1 u2");
  });

  it("lets a later summary cover an earlier one", () => {
    const one = overlay("z1", "thread", [{ from: "u1", to: "x1" }]);
    const two = overlay("z2", "thread", [{ from: "z1", to: "a2" }]);
    const three = overlay("z3", "thread", [{ from: "z2", to: "u3" }]);
    expect(view([...log, one, two], "thread")).toBe("s1 z2 u2 u3");
    expect(view([...log, one, two, three], "thread")).toBe("s1 z3 u2");
  });

  it("lets a later summary cover several earlier ones with what stands between", () => {
    const messages = [1, 2, 3, 4, 5].map((nth) => userMessage({ id: `u${nth}`, content: "" }));
    const layers = [
      overlay("z1", "thread", [{ from: "u1", to: "u2" }]),
      overlay("z2", "thread", [{ from: "z1", to: "u3" }]),
      overlay("z3", "thread", [{ from: "u4", to: "u4" }]),
      overlay("z4", "thread", [{ from: "z2", to: "z3" }]),
    ];
    expect(view([...messages, ...layers.slice(0, 3)], "thread")).toBe("z2 z3 u5");
    expect(view([...messages, ...layers], "thread")).toBe("z4 u5");
  });

  it("gives the layer below back when the last summary is taken away", () => {
    const one = overlay("z1", "thread", [{ from: "u1", to: "x1" }]);
    const two = overlay("z2", "thread", [{ from: "z1", to: "a1" }]);
    const withBoth = [...log, one, two];
    expect(view(withBoth.slice(0, -1), "thread")).toBe("s1 z1 a1 u2 a2 u3");
    expect(view(withBoth.slice(0, -2), "thread")).toBe(log.map(({ id }) => id).join(" "));
  });

  for (const [what, runs] of [
    ["an end that is not there", [{ from: "u1", to: "gone" }]],
    ["a beginning that is not there", [{ from: "gone", to: "a1" }]],
    ["a run that goes backward", [{ from: "a1", to: "u1" }]],
    [
      "runs that overlap",
      [
        { from: "u1", to: "a1" },
        { from: "a1", to: "a2" },
      ],
    ],
    [
      "a run that is there and one that is not",
      [
        { from: "u1", to: "u1" },
        { from: "a2", to: "a1" },
      ],
    ],
    [
      "runs that are not in order",
      [
        { from: "a2", to: "u3" },
        { from: "u1", to: "u1" },
      ],
    ],
    ["nothing", []],
  ] as const) {
    it(`hides nothing for a summary of ${what}`, () => {
      expect(view([...log, overlay("z1", "thread", runs)], "thread")).toBe("s1 u1 x1 a1 u2 a2 u3");
    });
  }

  it("does not cover twice what another summary covers", () => {
    const one = overlay("z1", "thread", [{ from: "u1", to: "a1" }]);
    const two = overlay("z2", "thread", [{ from: "x1", to: "a2" }]);
    expect(view([...log, one, two], "thread")).toBe("s1 z1 u2 a2 u3");
    const again = overlay("z3", "thread", [{ from: "u1", to: "a2" }]);
    expect(view([...log, one, again], "thread")).toBe("s1 z1 u2 a2 u3");
  });

  it("leaves a provider's own compaction where it stands", () => {
    const own = summary({ id: "p1", content: [], strategy: "provider", trust: "tool" });
    const entries = [...log, own];
    expect(applyCompactions(entries, "conversation")).toBe(entries);
  });

  it("shows a summary of a view that names no runs nowhere", () => {
    const bare = summary({
      id: "p2",
      content: "",
      strategy: "own",
      trust: "tool",
      view: "agent:w1",
    });
    expect(view([...log, bare], "thread")).toBe("s1 u1 x1 a1 u2 a2 u3");
    expect(view([...log, bare], "agent:w1")).toBe("s1 u1 x1 a1 u2 a2 u3");
  });
});

function overlay(id: string, ofView: HistoryView, covers: readonly EntryRun[]): SummaryEntry {
  return summary({ id, view: ofView, covers, strategy: "whole", trust: "user", content: "" });
}

function view(entries: readonly HistoryEntry[], ofView: HistoryView | undefined): string {
  return applyCompactions(entries, ofView)
    .map(({ id }) => id)
    .join(" ");
}
