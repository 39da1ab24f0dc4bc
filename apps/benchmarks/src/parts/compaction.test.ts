import { claudeCodeReader } from "@agent-history/transcripts";
import { describe, expect, it } from "vitest";

import { compactionFigures, compactionTable, neededAfter } from "./compaction.ts";

let count = 0;
function line(type: string, content: unknown, more: object = {}): string {
  count += 1;
  const ids = { uuid: `${count}`, parentUuid: count === 1 ? null : `${count - 1}` };
  return JSON.stringify({
    type,
    cwd: "/p",
    ...ids,
    ...more,
    message: { id: `m${count}`, role: type, content },
  });
}

function call(name: string, input: object): readonly unknown[] {
  return [{ type: "tool_use", id: `c${count}`, name, input }];
}

function result(text: string): readonly unknown[] {
  return [{ type: "tool_result", tool_use_id: `c${count - 1}`, content: text }];
}

const session = [
  line("user", "Please make the cart round prices up to the next cent."),
  line("assistant", call("Read", { file_path: "/p/src/cart.ts" })),
  line("user", result("1\texport function roundPrice() {}\n2\t// see src/money.ts\n3\t")),
  line("assistant", [{ type: "text", text: "I shall look at the tests next. ".repeat(40) }]),
  JSON.stringify({ type: "system", subtype: "compact_boundary", logicalParentUuid: "4" }),
  line("user", "The cart is being changed. ".repeat(20), { isCompactSummary: true }),
  line("assistant", call("Grep", { pattern: "roundPrice|neverSeen" })),
  line(
    "assistant",
    call("Edit", { file_path: "/p/src/cart.ts", old_string: "{}", new_string: "" }),
  ),
  line("assistant", call("Bash", { command: "cat src/money.ts src/new.ts" })),
];
const reader = claudeCodeReader();
const needed = neededAfter([...session.flatMap(reader.read), ...reader.end()]);

describe("neededAfter", () => {
  it("names what was used after a compaction and had stood before it", () => {
    expect(needed).toHaveLength(1);
    expect(needed[0]?.files.map(({ name }) => name)).toEqual(["cart.ts", "money.ts"]);
    expect(needed[0]?.names).toEqual(["roundPrice"]);
    expect(needed[0]?.requests).toEqual(["Please make the cart round prices up to the next cent."]);
  });
});

describe("compactionFigures", () => {
  it("gives a row for each way and share, and keeps every summary under its cap", async () => {
    const figures = await compactionFigures(needed, [1]);
    const { head, rows } = compactionTable(figures);

    expect(rows.map((row) => row.length)).toEqual(figures.map(() => head.length));
    expect(figures.map(({ overCap }) => overCap)).toEqual([0, 0, 0, 0, 0]);
    const [theirs, ours] = figures;
    expect([theirs?.files, theirs?.requests]).toEqual([0, 0]);
    expect([ours?.files, ours?.requests]).toEqual([1, 1]);
  });
});
