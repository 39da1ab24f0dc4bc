import { createServer } from "node:http";

import { userMessage } from "@agent-history/core";
import { planReduction } from "@agent-history/reducer";
import { expect, it, onTestFinished } from "vitest";

import { describeWithBrowser } from "../../test-support/describe-with-browser.ts";
import { lengthCounter } from "../length-counter.ts";
import { planRecorder } from "../plan-recorder.ts";
import type { PlanRecorder } from "../plan-recorder.ts";
import { serveInspector } from "./serve-inspector.ts";

await describeWithBrowser("serveInspector", (browser) => {
  it("shows each new call in an open page, and asks nobody else", async () => {
    const recorder = planRecorder({ title: "A running agent" });
    record(recorder, 1);
    const server = await serveInspector(recorder);
    onTestFinished(server.close);
    const context = await browser().newContext();
    const page = await context.newPage();
    const asked = new Set<string>();
    page.on("request", (request) => asked.add(new URL(request.url()).origin));
    const complaints: string[] = [];
    page.on("console", (message) => complaints.push(message.text()));
    await page.goto(server.url);
    await page.getByText("1 call · 1 entry").waitFor();
    record(recorder, 2);
    await page.getByText("2 calls · 2 entries").waitFor();

    expect([...asked]).toEqual([new URL(server.url).origin]);
    expect(complaints).toEqual([]);
    await context.close();
  });

  it("tells a page of another site nothing, which knows its whole address", async () => {
    const recorder = planRecorder();
    record(recorder, 1);
    const server = await serveInspector(recorder);
    onTestFinished(server.close);
    const { origin, search, port } = new URL(server.url);
    const site = createServer((_, response) => {
      response.writeHead(200, { "content-type": "text/html" }).end("<title>site</title>");
    });
    await new Promise<void>((resolve) => void site.listen(0, "127.0.0.1", resolve));
    const address = site.address();
    const sitePort = typeof address === "object" && address !== null ? address.port : 0;
    const context = await browser().newContext();
    const page = await context.newPage();
    // Another origin of the same site, and of another one.
    for (const host of ["127.0.0.1", "localhost"]) {
      await page.goto(`http://${host}:${sitePort}/`);
      const heard = await page.evaluate(`(async () => {
        const tries = [
          fetch("${origin}/data${search}").then((response) => response.text()),
          fetch("${origin}/data${search}", { mode: "no-cors" }).then((response) => response.text()),
          fetch("http://localhost:${port}/data${search}").then((response) => response.text()),
          new Promise((resolve, reject) => {
            const script = Object.assign(document.createElement("script"), { src: "${origin}/data${search}" });
            script.onload = () => resolve("script");
            script.onerror = reject;
            document.head.append(script);
          }),
        ];
        const outcomes = await Promise.allSettled(tries);
        return outcomes.map(({ value }) => value ?? "").join("");
      })()`);
      expect(heard).toBe("");
      const frame = `<iframe src="${server.url.replaceAll("&", "&amp;")}"></iframe>`;
      await page.setContent(frame);
      const framed = page.frames().find((one) => one !== page.mainFrame());
      expect(await framed?.content()).not.toContain("Question 1");
    }
    await context.close();
    site.close();
    site.closeAllConnections();
  });
});

function record(recorder: PlanRecorder, count: number): void {
  const entries = Array.from({ length: count }, (_, index) =>
    userMessage({ id: `q${index}`, createdAtMs: index, content: `Question ${index + 1}` }),
  );
  const options = { counter: lengthCounter(), window: { contextTokens: 1000 } };
  recorder.onPlan(planReduction(entries, options), entries);
}
