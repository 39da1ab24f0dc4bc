import { describe, expect, it } from "vitest";

import { memory, task } from "./create-entries.ts";
import { ENTRY_TYPES } from "./entry-types.ts";
import type { EntryType } from "./entry-types.ts";
import type { AgentRole, HistoryEntry } from "./history-entry.ts";
import { messageRole } from "./message-role.ts";
import type { MessageRole } from "./message-role.ts";

const writer = { id: "writer", role: "worker" as AgentRole };
const giver = { id: "giver", role: "manager" as AgentRole };

/** What each type reads as: for its writer, for the agent that gave the task, for another agent, for a program; and unowned. */
const TABLE: { readonly [Type in EntryType]: readonly MessageRole[] } = {
  system_message: ["system", "system", "system", "system", "system"],
  user_message: ["user", "user", "user", "user", "user"],
  assistant_message: ["assistant", "assistant", "assistant", "assistant", "assistant"],
  task: ["user", "assistant", "user", "user", "user"],
  action: ["assistant", "assistant", "assistant", "assistant", "assistant"],
  observation: ["tool", "tool", "tool", "tool", "tool"],
  error: ["user", "user", "user", "user", "user"],
  global_observation: ["user", "user", "user", "user", "user"],
  synthesis: ["assistant", "user", "user", "user", "assistant"],
  final: ["assistant", "user", "user", "user", "assistant"],
  strategic_plan: ["assistant", "user", "user", "user", "assistant"],
  delegation: ["assistant", "user", "user", "user", "assistant"],
  summary: ["user", "user", "user", "user", "user"],
  memory: ["user", "user", "user", "user", "user"],
  attachment: ["user", "user", "user", "user", "user"],
  opaque: ["user", "user", "user", "user", "user"],
};

const VIEWERS = [
  { name: "its writer", viewer: { agentId: "writer" }, owned: true },
  { name: "the agent that gave the task", viewer: { agentId: "giver" }, owned: true },
  { name: "another agent", viewer: { agentId: "stranger" }, owned: true },
  { name: "a program that is no agent", viewer: {}, owned: true },
  { name: "any agent, written by nobody", viewer: { agentId: "writer" }, owned: false },
] as const;

describe("messageRole", () => {
  for (const type of ENTRY_TYPES) {
    for (const [column, { name, viewer, owned }] of VIEWERS.entries()) {
      const role = TABLE[type][column];
      it(`reads ${type} as ${role} for ${name}`, () => {
        expect(messageRole(entryOf(type, owned), viewer)).toBe(role);
      });
    }
  }

  for (const type of ["summary", "memory"] as const) {
    it(`reads a ${type} as a system message only where its trust is system`, () => {
      const roles = (["system", "user", "tool"] as const).map((trust) =>
        messageRole({ ...entryOf(type, true), trust } as HistoryEntry),
      );
      expect(roles).toEqual(["system", "user", "user"]);
    });
  }

  it("does not read a memory of unknown trust as a system message", () => {
    const { trust: _, ...entry } = memory({ content: "", trust: "system" });
    expect(messageRole(entry)).toBe("user");
  });

  it("does not read a task that nobody gave as given by a program that is no agent", () => {
    expect(messageRole(task({ content: "", agent: writer }), {})).toBe("user");
  });
});

function entryOf(type: EntryType, owned: boolean): HistoryEntry {
  const entry = {
    type,
    id: "e1",
    createdAtMs: 0,
    content: "text",
    toolCalls: [],
    callId: "c1",
    toolName: "tool",
    outcome: "success",
    messageId: "u1",
    strategy: "whole-history",
    trust: "tool",
    ...(type === "task" ? { from: giver } : {}),
    ...(owned || type === "task" ? { agent: writer } : {}),
  };
  return entry as HistoryEntry;
}
