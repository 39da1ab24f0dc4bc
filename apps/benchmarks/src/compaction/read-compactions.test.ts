import { codexReader } from "@agent-history/transcripts";
import { describe, expect, it } from "vitest";

import { compactionFigures, neededAfter } from "../parts/compaction.ts";
import { waysWithModel } from "./ways-to-keep.ts";

const item = (payload: object): string => JSON.stringify({ type: "response_item", payload });
const said = (role: string, text: string): object => {
  return { type: "message", role, content: [{ type: "input_text", text }] };
};
const run = (id: string, cmd: string): string =>
  item({
    type: "function_call",
    name: "exec_command",
    call_id: id,
    arguments: JSON.stringify({ cmd, workdir: "/p" }),
  });
const output = (id: string, text: string): string =>
  item({ type: "function_call_output", call_id: id, output: text });

const rollout = [
  JSON.stringify({ type: "session_meta", payload: { cwd: "/p" } }),
  item(said("developer", "Sandboxing is off.")),
  item(said("user", "# AGENTS.md instructions for /p")),
  item(said("user", "Please make the cart round prices up.")),
  run("1", "sed -n 1,20p src/cart.ts"),
  output("1", "Process exited with code 0\nOutput:\nfunction roundPrice() {} // src/money.ts"),
  run("2", "npm test"),
  output("2", "Process exited with code 1\nOutput:\n1 failed"),
  item(said("assistant", "I shall look at the tests next. ".repeat(60))),
  JSON.stringify({
    type: "compacted",
    payload: {
      message: "",
      replacement_history: [
        said("user", "Please make the cart round prices up."),
        { type: "compaction", encrypted_content: "secret" },
      ],
    },
  }),
  item({
    type: "custom_tool_call",
    name: "apply_patch",
    call_id: "3",
    input: "*** Begin Patch\n*** Update File: /p/src/cart.ts\n",
  }),
  run("4", "rg roundPrice src/money.ts"),
];

describe("neededAfter, of Codex", () => {
  const reader = codexReader();
  const needed = neededAfter([...rollout.flatMap(reader.read), ...reader.end()]);

  it("finds compactions, and what patches and commands needed afterwards", () => {
    expect(needed).toHaveLength(1);
    expect(needed[0]?.files.map(({ name }) => name)).toEqual(["cart.ts", "money.ts"]);
    expect(needed[0]?.names).toEqual(["roundPrice"]);
    expect(needed[0]?.requests).toEqual(["Please make the cart round prices up."]);
    expect(needed[0]?.summary).toBe("Please make the cart round prices up.");
    const results = needed[0]?.past.flatMap(({ entry }) =>
      entry.type === "observation" ? [entry] : [],
    );
    expect(results?.map(({ callId, outcome }) => [callId, outcome])).toEqual([
      ["1", "success"],
      ["2", "error"],
    ]);
  });

  it("is summarized by every library with the same model, under the same cap", async () => {
    const asked: string[] = [];
    const ways = waysWithModel({
      peer: async ({ ask, messages }) => {
        asked.push(ask(messages.map(({ content }) => content ?? "").join("\n")));
        return asked.join("\n");
      },
    });
    const figures = await compactionFigures(needed, [1], { ways, ownTokens: 200 });
    expect(figures.map(({ way }) => way)).toEqual([
      "the agent's own summary",
      "agent-history, extractive model",
      "peer, extractive model",
    ]);
    expect(figures.map(({ overCap }) => overCap)).toEqual([0, 0, 0]);
    expect(figures[1]?.files).toBe(1);
    expect(asked).toHaveLength(1);
  });
});
