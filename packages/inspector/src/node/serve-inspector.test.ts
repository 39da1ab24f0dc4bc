import { createServer } from "node:http";
import { connect } from "node:net";
import { networkInterfaces } from "node:os";

import { userMessage } from "@agent-history/core";
import { planReduction } from "@agent-history/reducer";
import { describe, expect, it } from "vitest";

import { ask, canConnect } from "../../test-support/inspector-client.ts";
import { inspectPlans } from "../inspect-plans.ts";
import { lengthCounter } from "../length-counter.ts";
import { planRecorder } from "../plan-recorder.ts";
import { serveInspector } from "./serve-inspector.ts";

const SAID = "The secret of the garden.";
const entries = [userMessage({ id: "q", createdAtMs: 0, content: SAID })];
const plan = planReduction(entries, {
  counter: lengthCounter(),
  window: { contextTokens: 1000 },
});
const data = inspectPlans({ plans: [plan], entries });
const source = { data: () => data };

/** A server that is closed at the end of its test. */
async function served(...given: Parameters<typeof serveInspector>) {
  const server = await serveInspector(...given);
  return { ...server, [Symbol.asyncDispose]: server.close };
}

const queryOf = (url: string): string => new URL(url).search;

describe("serveInspector", () => {
  it("serves the page and its data to who has the token", async () => {
    await using server = await served(source);
    const page = await ask(server.url);
    const json = await ask(server.url, { path: `/data${queryOf(server.url)}` });

    expect([page.status, json.status]).toEqual([200, 200]);
    expect(page.body).toContain(SAID);
    expect(page.headers["content-type"]).toBe("text/html; charset=utf-8");
    expect(page.headers["referrer-policy"]).toBe("no-referrer");
    expect(page.headers["cache-control"]).toBe("no-store");
    expect(page.headers["access-control-allow-origin"]).toBeUndefined();
    expect(JSON.parse(json.body)).toEqual(JSON.parse(JSON.stringify(data)));
  });

  it("has another token and another URL each time", async () => {
    await using one = await served(source);
    await using other = await served(source);
    const [first, second] = [one, other].map(({ url }) => new URL(url).searchParams.get("token"));

    expect(first).toMatch(/^[\w-]{43}$/);
    expect(second).not.toBe(first);
  });

  it("refuses who has no token, another, two, or a part of it, on every path", async () => {
    await using server = await served(source);
    const token = new URL(server.url).searchParams.get("token") ?? "";
    const wrong = [
      "",
      "?token=",
      "?token=x",
      `?token=${token.slice(0, -1)}`,
      `?token=${token}x`,
      `?token=x&token=${token}`,
      `?token=${token}&token=${token}`,
      `?Token=${token}`,
      `?token=${token}?`,
      `#token=${token}`,
    ];
    for (const path of ["/", "/data", "/nothing"])
      for (const query of wrong) {
        const reply = await ask(server.url, { path: `${path}${query}` });
        expect([path, query, reply.status, reply.body]).toEqual([path, query, 403, ""]);
      }
  });

  it("answers to its own name only, so that no other name can be pointed at it (DNS rebinding)", async () => {
    await using server = await served(source);
    const { port } = new URL(server.url);
    const hosts = ["evil.example", `evil.example:${port}`, `localhost:${port}`, "127.0.0.1"];
    for (const host of [...hosts, `127.0.0.1:${port}.evil.example`, `[::1]:${port}`])
      expect([host, await statusOf(server.url, { host })]).toEqual([host, 403]);
  });

  it("answers no page of another site, with the token too", async () => {
    await using server = await served(source);
    const { origin, port } = new URL(server.url);
    for (const other of ["http://evil.example", "null", `http://localhost:${port}`, `${origin}/`])
      expect([other, await statusOf(server.url, { origin: other })]).toEqual([other, 403]);
    for (const site of ["cross-site", "same-site"])
      expect([site, await statusOf(server.url, { "sec-fetch-site": site })]).toEqual([site, 403]);

    expect(await statusOf(server.url, { origin, "sec-fetch-site": "same-origin" })).toBe(200);
    expect(await statusOf(server.url, { "sec-fetch-site": "none" })).toBe(200);
  });

  it("answers GET and HEAD, and says so", async () => {
    await using server = await served(source);
    for (const method of ["POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"]) {
      const { status, headers } = await ask(server.url, { method });
      expect([method, status, headers["allow"]]).toEqual([method, 405, "GET, HEAD"]);
    }
    const head = await ask(server.url, { method: "HEAD" });
    expect([head.status, head.body]).toEqual([200, ""]);
  });

  it("has two paths and no files", async () => {
    await using server = await served(source);
    const query = queryOf(server.url);
    const { host } = new URL(server.url);
    const paths = [
      "/../../etc/passwd",
      "/..%2f..%2fetc/passwd",
      "/%2e%2e/etc/passwd",
      "//data",
      "/data/",
      "/DATA",
      "/%64ata",
      "/package.json",
      `http://${host}/data`,
      "http://evil.example/data",
      "*",
    ];
    for (const path of paths)
      expect([path, (await ask(server.url, { path: `${path}${query}` })).status]).toEqual([
        path,
        404,
      ]);
  });

  it("listens on 127.0.0.1 only", async () => {
    await using server = await served(source);
    const port = Number(new URL(server.url).port);
    const others = Object.values(networkInterfaces())
      .flatMap((list) => list ?? [])
      .filter(({ address, scopeid }) => address !== "127.0.0.1" && !scopeid)
      .map(({ address }) => address);
    for (const host of [...others, "127.0.0.2"])
      expect([host, await canConnect(host, port)]).toEqual([host, false]);
    expect(await canConnect("127.0.0.1", port)).toBe(true);
  });

  it("sends data again only if it has changed, by its version or by itself", async () => {
    const recorder = planRecorder();
    let title = "one";
    for (const [live, change] of [
      [recorder, () => recorder.onPlan(plan, entries)],
      [{ data: () => ({ ...data, title }) }, () => (title = "two")],
    ] as const) {
      await using server = await served(live);
      const path = `/data${queryOf(server.url)}`;
      const first = await ask(server.url, { path });
      const headers = { "if-none-match": String(first.headers["etag"]) };
      const same = await ask(server.url, { path, headers });
      expect([same.status, same.body]).toEqual([304, ""]);
      change();
      const second = await ask(server.url, { path, headers });
      expect(second.status).toBe(200);
      expect(JSON.parse(second.body)).not.toEqual(JSON.parse(first.body));
    }
  });

  it("reads nothing again while the version stays", async () => {
    let reads = 0;
    const read = (): typeof data => {
      reads += 1;
      return data;
    };
    await using server = await served({ data: read, version: () => 7 });
    const path = `/data${queryOf(server.url)}`;
    await ask(server.url, { path });
    await ask(server.url, { path, headers: { "if-none-match": '"7"' } });
    expect(reads).toBe(1);
  });

  it("says nothing of what went wrong when data cannot be read, and goes on", async () => {
    let fails = true;
    const read = async (): Promise<typeof data> => {
      if (fails) throw new Error(SAID);
      return data;
    };
    await using server = await served({ data: read });
    const failed = await ask(server.url);
    fails = false;

    expect([failed.status, failed.body]).toEqual([500, ""]);
    expect((await ask(server.url)).status).toBe(200);
  });

  it("ends open pages and frees its port when it is closed, twice too, or when its signal fires", async () => {
    const stopping = new AbortController();
    const server = await serveInspector(source, { signal: stopping.signal });
    const port = Number(new URL(server.url).port);
    const open = connect(port, "127.0.0.1");
    const ended = new Promise<void>((resolve) => void open.on("close", () => resolve()));
    await new Promise<void>((resolve) => void open.on("connect", resolve));
    open.resume();
    stopping.abort();
    await server.closed;
    await Promise.all([server.close(), server.close()]);

    await ended;
    expect(await canConnect("127.0.0.1", port)).toBe(false);
  });

  it("is not started once its signal has fired, by a wrong option, or on a port that is taken", async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => void taken.listen(0, "127.0.0.1", resolve));
    const address = taken.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    const signal = AbortSignal.abort();

    await expect(serveInspector(source, { signal })).rejects.toMatchObject({ code: "ABORTED" });
    for (const options of [
      { port: -1 },
      { port: 65_536 },
      { port },
      { pollMs: 0 },
      { pollMs: NaN },
    ])
      await expect(serveInspector(source, options)).rejects.toMatchObject({
        code: "INVALID_OPTION",
      });
    taken.close();
  });

  it("survives what is no HTTP, and connections that ask nothing", async () => {
    await using server = await served(source);
    const port = Number(new URL(server.url).port);
    const silent = connect(port, "127.0.0.1");
    for (const text of [
      "\u0000\u0001\r\n\r\n",
      "GET / HTTP/1.1\r\n\r\n",
      "CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n",
    ])
      await new Promise<void>((resolve) => {
        const socket = connect(port, "127.0.0.1", () => socket.write(text));
        socket.on("error", () => resolve()).on("close", () => resolve());
        socket.resume();
      });

    expect((await ask(server.url)).status).toBe(200);
    silent.destroy();
  });
});

async function statusOf(url: string, headers: Record<string, string>): Promise<number> {
  return (await ask(url, { headers })).status;
}
