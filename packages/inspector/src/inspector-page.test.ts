import { userMessage } from "@agent-history/core";
import { planReduction } from "@agent-history/reducer";
import { describe, expect, it } from "vitest";

import { inspectPlans } from "./inspect-plans.ts";
import type { InspectorData } from "./inspector-data.ts";
import { inspectorPage } from "./inspector-page.ts";
import { lengthCounter } from "./length-counter.ts";

const HOSTILE = `</title></pre></script><script>alert(1)</script><!-- <img src=x onerror="alert(1)"> ' &lt;`;

const dataOf = (content: string): InspectorData => {
  const entries = ["q1", "q2", "q3"].map((id, nth) =>
    userMessage({ id: nth === 0 ? `${id}${content}` : id, createdAtMs: 0, content }),
  );
  const options = { counter: lengthCounter(), window: { contextTokens: 10_000 } };
  const plan = planReduction(entries, options);
  return { ...inspectPlans({ plans: [plan, plan], entries }), title: content };
};

const pageOf = (content: string): string => inspectorPage(dataOf(content));

/** The tags of a page, without what stands between them and in their attributes. */
const tagsOf = (page: string): readonly string[] =>
  [...page.matchAll(/<[!/]?[a-z-]*/gi)].map(([tag]) => tag);

describe("inspectorPage", () => {
  it("shows hostile text as text: it adds no tag, no attribute and no comment", () => {
    const page = pageOf(HOSTILE);
    expect(tagsOf(page)).toEqual(tagsOf(pageOf("calm")));
    expect(page).toContain("&#60;img src=x onerror=&#34;alert(1)&#34;&#62; &#39; &#38;lt;");
  });

  it("lets nothing run and nothing load", () => {
    const page = pageOf("calm");
    expect(page).toContain(`content="default-src 'none'; style-src 'unsafe-inline'"`);
    expect(page).not.toMatch(/<script|<link|\ssrc=|\shref=|https?:/);
  });

  it("draws each run of each call once, with its step and its reason", () => {
    const data = dataOf("calm");
    const drawn = inspectorPage(data).matchAll(
      /<rect class="(\w+)" x="(\d+)" y="(\d+)" width="1" height="(\d+)"><title>call/g,
    );
    const runs = data.calls.flatMap((call, x) =>
      call.runs.map(([y, rows, index]) => [call.decisions[index]?.state, x, y, rows].join(" ")),
    );
    expect(runs.length).toBeGreaterThan(1);
    expect([...drawn].map(([, ...parts]) => parts.join(" "))).toEqual(runs);
  });
});
