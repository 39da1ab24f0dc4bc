import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";

import { userMessage } from "@agent-history/core";
import { planReduction } from "@agent-history/reducer";
import { arbitraryText, lawRuns } from "@agent-history/testkit";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { inspectPlans } from "./inspect-plans.ts";
import type { InspectorData } from "./inspector-data.ts";
import { inspectorPage } from "./inspector-page.ts";
import { unpackData } from "./internal/packed-data.ts";
import { lengthCounter } from "./length-counter.ts";

const HOSTILE = `</title></script><script>alert(1)</script><!-- <img src=x onerror="alert(1)"> ' &lt; $& %DATA% %TITLE%`;

const dataOf = (content: string): InspectorData => {
  const entries = ["q1", "q2", "q3"].map((id, nth) =>
    userMessage({ id: nth === 0 ? `${id}${content}` : id, createdAtMs: 0, content }),
  );
  const options = { counter: lengthCounter(), window: { contextTokens: 10_000 } };
  const plan = planReduction(entries, options);
  return { ...inspectPlans({ plans: [plan, plan], entries }), title: content };
};

/** A page in parts: what stands before the title, between title and data, and behind. */
const partsOf = (
  page: string,
): { readonly frame: string; readonly title: string; readonly json: string } => {
  const [head = "", afterTitle = ""] = split(page, "<title>");
  const [title = "", body = ""] = split(afterTitle, "</title>");
  const [between = "", afterData = ""] = split(body, '<script type="application/json" id="data">');
  const [json = "", end = ""] = split(afterData, "</script>");
  return { frame: [head, between, end].join("\n"), title, json };
};

const split = (text: string, mark: string): readonly string[] => {
  const start = text.indexOf(mark);
  return start === -1 ? [text] : [text.slice(0, start), text.slice(start + mark.length)];
};

describe("inspectorPage", () => {
  it("carries any text as data: nothing around it changes, and the page reads what was written", () => {
    const calm = partsOf(inspectorPage(dataOf("calm")));
    fc.assert(
      fc.property(fc.oneof(arbitraryText(), fc.constant(HOSTILE)), (text) => {
        const data = dataOf(text);
        const page = partsOf(inspectorPage(data));

        expect(hashOf(page.frame)).toBe(hashOf(calm.frame));
        expect(page.title).not.toContain("<");
        expect(page.json.includes("<")).toBe(false);
        expect(unpackData(JSON.parse(page.json))).toEqual(JSON.parse(JSON.stringify(data)));
      }),
      { numRuns: lawRuns(50) },
    );
  });

  it("carries a table of tokens as data too", () => {
    const page = inspectorPage(dataOf("calm"), { ranks: `! 0 IQ==</script>` });

    expect(page).toContain(`"! 0 IQ==\\u003c/script>"`);
  });

  it("weighs at most 127 kB, gzipped, without data", () => {
    const data = { ...dataOf("calm"), entries: [], calls: [] };

    expect(gzipSync(inspectorPage(data), { level: 9 }).length).toBeLessThanOrEqual(127_000);
  });

  it("lets only its own script and style run, and loads nothing", () => {
    const { frame } = partsOf(inspectorPage(dataOf("calm")));
    const [, policy = ""] =
      /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(frame) ?? [];
    const [, script = ""] = /<script>(.*)<\/script>/s.exec(frame) ?? [];
    const [, style = ""] = /<style>(.*)<\/style>/s.exec(frame) ?? [];

    expect(policy.split("; ")).toEqual([
      "default-src 'none'",
      `script-src '${hashOf(script)}'`,
      `style-src '${hashOf(style)}'`,
      "connect-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
    ]);
    expect(frame.replace(script, "")).not.toMatch(/<link|\ssrc=|\shref=|https?:|@import|url\(/);
  });
});

function hashOf(text: string): string {
  return `sha256-${createHash("sha256").update(text).digest("base64")}`;
}
