import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

import { planReduction } from "@agent-history/reducer";
import { tiktokenCounter } from "@agent-history/tokens";
import { o200kBaseRanks } from "@agent-history/tokens/o200k-base";
import { source } from "axe-core";
import type { Page } from "playwright-core";
import { expect, it } from "vitest";

import { describeWithBrowser } from "../test-support/describe-with-browser.ts";
import { withPage } from "../test-support/open-page.ts";
import type { OpenedPage } from "../test-support/open-page.ts";
import { threeRoles } from "../test-support/three-roles.ts";
import type { InspectorData } from "./inspector-data.ts";
import { inspectorPage } from "./inspector-page.ts";
import { callEntries, whatIf } from "./what-if.ts";

const VIEWS = ["cost", "map", "roles", "requests", "compactions", "what-if"];
const HOSTILE = `</script><script>alert(1)</script><img src=x onerror="alert(2)"> \u202Etxt.exe\u202C <b>bold</b>`;

const open = (page: Page, view: string): Promise<void> =>
  page.click(`label:has([value="${view}"])`);

/** What the page says is asked for until it is so: it draws when the browser has time. */
const expectSoon = <Value>(read: () => Promise<Value>): ReturnType<typeof expect.poll<Value>> =>
  expect.poll(read, { timeout: 60_000 });
const textOf =
  (page: Page, selector: string): (() => Promise<string>) =>
  () =>
    page.innerText(selector);

await describeWithBrowser("the page", (browser) => {
  it.each(["light", "dark"] as const)(
    "has no violation of axe-core in any view, %s",
    (colorScheme) =>
      withPage(
        browser(),
        threeRoles(),
        async ({ page }) => {
          for (const view of VIEWS) {
            await open(page, view);
            expect([view, await violations(page)]).toEqual([view, []]);
          }
        },
        { colorScheme },
      ),
  );

  it("works as a file without a network: it asks for nothing, and every view has something to show", () =>
    withPage(browser(), threeRoles(), async ({ page, requests, complaints }) => {
      const expected: Readonly<Record<string, RegExp>> = {
        map: /in call 48/,
        roles: /orchestrator[^]*manager[^]*worker/,
        requests: /tokens sent again/,
        compactions: /Lost: 3 of 4 facts named by the originals/,
        "what-if": /as sent[^]*0 of \d+ entries would change/,
        cost: /Tokens of each prompt[^]*Most expensive[^]*To avoid it/,
      };
      for (const view of VIEWS) {
        await open(page, view);
        await expectSoon(textOf(page, "#view")).toMatch(expected[view] ?? "");
      }
      await open(page, "cost");
      await expectSoon(() => page.locator("svg polygon").count()).toBeGreaterThan(1);
      expect([...requests, ...complaints]).toEqual([]);
    }));

  it("shows hostile text as text, in every view", () =>
    withPage(browser(), threeRoles(HOSTILE), async ({ page, requests, complaints }) => {
      const tag = `</script><script>alert(1)</script><img src=x onerror="alert(2)">`;
      for (const view of VIEWS) {
        await open(page, view);
        if (view === "roles") await expectSoon(textOf(page, "#view")).toContain(tag);
        // What turns the direction of a text around ends with its own element.
        expect(await unisolated(page, "\u202E")).toEqual([]);
        expect(await page.locator("#page :is(img, b, script, iframe, a)").count()).toBe(0);
      }
      expect(await page.locator("script").count()).toBe(3);
      expect([...requests, ...complaints]).toEqual([]);
    }));

  it("draws each cell in the color of its state", () =>
    withPage(browser(), threeRoles(), async ({ page }) => {
      const data = threeRoles();
      const states = new Set(
        data.calls.flatMap(({ decisions }) => decisions.map(({ state }) => state)),
      );
      await open(page, "map");
      await page.click("text=whole log");
      const drawn = async (): Promise<readonly string[]> =>
        Object.keys(await countColors(page)).toSorted();
      await expectSoon(drawn).toEqual([...states].toSorted());
      const { kept = 0, cleared = 0 } = await countColors(page);
      expect(kept).toBeGreaterThan(cleared);
    }));

  it("can be used by keyboard alone", () =>
    withPage(browser(), threeRoles(), async ({ page }) => {
      const details = textOf(page, ".details");
      await open(page, "map");
      await expectSoon(details).toContain("manager-report-8");
      // The heights of rows, and the map.
      for (let press = 0; press < 2; press += 1) await page.keyboard.press("Tab");
      expect(await page.getAttribute(":focus", "class")).toBe("map");
      await page.keyboard.press("Home");
      await page.keyboard.press("ArrowDown");
      await expectSoon(details).toContain("question-1");
      await page.keyboard.press("End");
      await expectSoon(details).toContain("answer-8");
      await page.keyboard.press("ArrowLeft");
      await expectSoon(() => page.inputValue("input[type=number]")).toBe("47");
      await page.focus('[value="map"]');
      for (const view of [...VIEWS.slice(2), "cost", "map"]) {
        await page.keyboard.press("ArrowRight");
        await expectSoon(() => page.getAttribute(":focus", "value")).toBe(view);
        await expectSoon(() => page.isChecked(`[value="${view}"]`)).toBe(true);
      }
      await open(page, "compactions");
      await page.keyboard.press("Tab");
      await page.keyboard.press("e");
      await expectSoon(details).toMatch(/Originals[^]*What was billed in week 1/);
      await page.keyboard.press("e");
      await expectSoon(details).toMatch(/Summary[^]*The user asks for what was billed/);
    }));

  it("computes what if as Node does", () =>
    withPage(browser(), threeRoles(), async ({ page }) => {
      const data = threeRoles();
      await open(page, "what-if");
      const field = page.locator("form input[type=number]");
      const [call] = data.calls.slice(-3);
      if (call === undefined) throw new Error("Expected three calls.");
      await page.fill(".picker input", String(data.calls.indexOf(call) + 1));
      for (const contextTokens of [2000, 700, 500])
        for (const scorer of ["none", "lexical"] as const)
          for (const list of ["default", "masking"] as const) {
            await field.fill(String(contextTokens));
            await page.click(`text=${scorer}: `);
            await page.click(`text=${list === "default" ? "/^default$/" : "masking: "}`);
            const plan = whatIf(data, call, { contextTokens, scorer, steps: list });
            const total = `${plan.totalTokens.toLocaleString("en")} tokens`;
            await expectSoon(textOf(page, "#view .result h2")).toContain(total);
          }
      await field.fill("110");
      await expectSoon(textOf(page, "#view .result")).toContain("The content that must stay needs");
    }));

  it("counts by its table what the fit shortens, where it carries one", () => {
    const counter = tiktokenCounter({ encoding: "o200k_base" });
    const data = threeRoles("", 8, counter);
    const use = async ({ page }: OpenedPage): Promise<void> => {
      await open(page, "what-if");
      const [call] = data.calls.slice(-3);
      if (call === undefined) throw new Error("Expected three calls.");
      await page.fill(".picker input", String(data.calls.indexOf(call) + 1));
      await expectSoon(textOf(page, "form .hint")).toContain("counted by openai:o200k_base");
      for (const contextTokens of [1200, 700, 600, 500, 400]) {
        await page.fill("form input[type=number]", String(contextTokens));
        const { window, viewer } = call.request ?? {};
        const asked = { counter, window: { ...window, contextTokens }, viewer };
        const plan = planReduction(callEntries(data, call), asked);
        const total = `${plan.totalTokens.toLocaleString("en")} tokens`;
        await expectSoon(textOf(page, "#view .result h2")).toContain(total);
      }
    };
    return withPage(browser(), data, use, { ranks: o200kBaseRanks() });
  });

  it("follows the server that it came from", async () => {
    const { url, say, close } = await serve(threeRoles("", 1));
    const context = await browser().newContext();
    try {
      const page = await context.newPage();
      await page.goto(url);
      await expectSoon(textOf(page, "header")).toContain(" 6 calls");
      say(threeRoles("", 2));
      await expectSoon(textOf(page, "header")).toContain(" 12 calls");
      await expectSoon(() => page.inputValue("input[type=number]")).toBe("12");
    } finally {
      await context.close();
      close();
    }
  });
});

/** What axe-core finds, and where. */
async function violations(page: Page): Promise<readonly string[]> {
  // The page's policy lets no other script in; what the debugger runs is not subject to it.
  const found =
    await page.evaluate(`${source}; axe.run().then(({ violations }) => violations.flatMap(
    ({ id, nodes }) => nodes.map(({ target, failureSummary }) => id + " " + target + " " + failureSummary)))`);
  return Array.isArray(found) ? found.map(String) : [`no answer: ${String(found)}`];
}

/** Texts with a mark whose parent does not isolate their direction. The tests' types know no documents. */
async function unisolated(page: Page, mark: string): Promise<unknown> {
  return page.evaluate(`(() => {
    const found = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const { parentElement: parent, textContent } = walker.currentNode;
      if (!textContent.includes(${JSON.stringify(mark)}) || parent.closest("script")) continue;
      const isBlock = getComputedStyle(parent).display !== "inline";
      if (parent.closest("bdi") === null && !isBlock) found.push(parent.outerHTML.slice(0, 200));
    }
    return found;
  })()`);
}

/** How many pixels of the map have the color of each state, by the legend. */
async function countColors(page: Page): Promise<Record<string, number>> {
  return page.evaluate(`(() => {
    const canvas = document.querySelector(".map canvas");
    const { width, height } = canvas;
    if (width === 0) return {};
    const pixels = canvas.getContext("2d").getImageData(0, 0, width, height).data;
    const names = new Map();
    for (const swatch of document.querySelectorAll(".legend .swatch")) {
      const color = getComputedStyle(swatch).backgroundColor.match(/\\d+/g).slice(0, 3).join();
      names.set(color, swatch.dataset.state);
    }
    const counts = {};
    for (let at = 0; at < pixels.length; at += 4) {
      const name = names.get(pixels.subarray(at, at + 3).join());
      if (name !== undefined) counts[name] = (counts[name] ?? 0) + 1;
    }
    return counts;
  })()`);
}

/** The least server that a page follows. */
async function serve(first: InspectorData): Promise<{
  readonly url: string;
  readonly say: (next: InspectorData) => void;
  readonly close: () => void;
}> {
  let data = first;
  const server = createServer((request, response) => {
    const path = request.url?.split("?")[0];
    if (path === "/") response.end(inspectorPage(data));
    else if (path === "/data") response.end(JSON.stringify(data));
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/?token=t`,
    say: (next) => void (data = next),
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
