import { describe, expect, it } from "vitest";

import { redisLink } from "./redis-link.ts";

const { signal } = new AbortController();

/** A client that writes down what it was asked. */
function recording(name: string, asked: unknown[]) {
  return {
    sendCommand: (...args: unknown[]) => {
      asked.push([name, ...args.slice(0, -1)]);
      return Promise.resolve(args.length);
    },
  };
}

describe("redisLink", () => {
  it("refuses a client of redis 4, which cannot cancel a command", () => {
    const client = { ...recording("node", []), commandsExecutor: () => undefined };

    expect(() => redisLink(client)).toThrow(
      expect.objectContaining({
        code: "MISSING_PACKAGE",
        details: { package: "redis", needs: ">=5" },
      }),
    );
  });

  it("tells a cluster the first key and reads from primaries only", async () => {
    const asked: unknown[] = [];
    const cluster = {
      ...recording("cluster", asked),
      masters: [{}, {}],
      nodeClient: () => recording("node", asked),
    };
    const link = redisLink(cluster);

    await link.send("key", ["GET", "key"], signal);
    await link.sendTogether("key", [["GET", "key"]], signal);
    await link.sendToEach(["INFO"], signal);

    expect(asked).toEqual([
      ["cluster", "key", false, ["GET", "key"]],
      ["cluster", "key", false, ["GET", "key"]],
      ["node", ["INFO"]],
      ["node", ["INFO"]],
    ]);
  });

  it("keeps commands that belong together on one connection of a pool, and of a sentinel client", async () => {
    const asked: unknown[] = [];
    const onOne = (run: (node: object) => unknown) => run(recording("lease", asked));
    const pool = { ...recording("pool", asked), execute: onOne };
    const sentinel = { ...recording("sentinel", asked), getMasterNode: () => {}, use: onOne };

    for (const client of [pool, sentinel]) {
      const link = redisLink(client);
      await link.send("key", ["GET", "key"], signal);
      await link.sendTogether(
        "key",
        [
          ["GET", "a"],
          ["GET", "b"],
        ],
        signal,
      );
    }

    expect(asked).toEqual([
      ["pool", ["GET", "key"]],
      ["lease", ["GET", "a"]],
      ["lease", ["GET", "b"]],
      ["lease", false, ["GET", "key"]],
      ["lease", false, ["GET", "a"]],
      ["lease", false, ["GET", "b"]],
    ]);
  });

  it("gives each command of a group its own outcome", async () => {
    const link = redisLink({
      sendCommand: (args: string[]) =>
        args[0] === "BAD" ? Promise.reject(new Error("bad")) : Promise.resolve(1),
    });

    const outcomes = await link.sendTogether("key", [["BAD"], ["GOOD"]], signal);

    expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "fulfilled"]);
  });
});
