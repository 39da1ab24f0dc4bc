import { describe, expect, it } from "vitest";

import plugin from "./lint-argument-spread.ts";

const { create } = plugin.rules["no-argument-spread"];

describe("no-argument-spread", () => {
  it("reports an array that is spread into arguments", () => {
    expect(problemsOf([spread("entries")])).toHaveLength(1);
    expect(problemsOf([{ type: "Identifier", name: "first" }, spread("others")])).toHaveLength(1);
  });

  it("lets a function hand on its own rest parameter, and arguments that are written out", () => {
    const rest = { type: "RestElement", argument: { type: "Identifier", name: "given" } };
    const around = { type: "ArrowFunctionExpression", params: [rest] };

    expect(problemsOf([spread("given", around)])).toStrictEqual([]);
    expect(problemsOf([spread("others", around)])).toHaveLength(1);
    expect(problemsOf([{ type: "Identifier", name: "first" }])).toStrictEqual([]);
  });
});

type Call = Parameters<ReturnType<typeof create>["CallExpression"]>[0];

function spread(name: string, parent: Call | null = null): Call {
  return { type: "SpreadElement", argument: { type: "Identifier", name, parent } };
}

function problemsOf(given: readonly Call[]): readonly string[] {
  const problems: string[] = [];
  const rule = create({ report: ({ message }) => problems.push(message) });
  rule.CallExpression({ type: "CallExpression", arguments: given });
  return problems;
}
