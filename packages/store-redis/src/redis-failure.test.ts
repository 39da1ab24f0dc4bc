import * as redis from "redis";
import * as redis5 from "redis5";
import { describe, expect, it } from "vitest";

import { classifyFailure } from "./redis-failure.ts";

describe("classifyFailure", () => {
  it.each([redis, redis5])("knows the errors of both versions of the client", (client) => {
    const outcomes = [
      new client.ClientClosedError(),
      new client.ClientOfflineError(),
      new client.AbortError(),
      new client.TimeoutError(),
      new client.ConnectionTimeoutError(),
      new client.SocketClosedUnexpectedlyError(),
      new client.SocketTimeoutError(1),
      new client.DisconnectsClientError(),
      new client.SocketTimeoutDuringMaintenanceError(1),
      new client.SimpleError("OOM command not allowed when used memory > 'maxmemory'."),
      new client.SimpleError("LOADING Redis is loading the dataset in memory"),
    ].map((error) => classifyFailure(error).outcome);

    expect(outcomes).toEqual([
      "not-sent",
      "not-sent",
      "not-sent",
      "not-sent",
      "not-sent",
      "unknown",
      "unknown",
      "unknown",
      "unknown",
      "rejected",
      "rejected",
    ]);
  });

  it.each([
    ["OOM command not allowed when used memory > 'maxmemory'. script: x", "full", false],
    ["ERR Error running script: @user_script:1: -OOM command not allowed when", "full", false],
    ["ERR user_script:3: WRONGTYPE Operation against a key", "wrong-type", false],
    ["WRONGTYPE Operation against a key", "wrong-type", false],
    ["NOSCRIPT No matching script.", "no-script", false],
    ["READONLY You can't write against a read only replica.", "readonly", true],
    ["TRYAGAIN Multiple keys request during rehashing of slot", "tryagain", true],
    ["CLUSTERDOWN The cluster is down", "clusterdown", true],
    ["NOPERM User alice has no permissions", "no-permission", false],
    ["SOMETHING new", "error-reply", false],
  ])("reads the reply %s", (message, reason, isPassing) => {
    const failure = classifyFailure(new redis.SimpleError(message));

    expect(failure).toEqual({ outcome: "rejected", isPassing, reason });
  });

  it("takes what it does not know for unknown", () => {
    const failures = [new Error("?"), "text", undefined].map((error) => classifyFailure(error));

    expect(failures.map(({ outcome }) => outcome)).toEqual(["unknown", "unknown", "unknown"]);
  });

  it("never quotes a client or a server", () => {
    const secret = "redis://user:secret@host";
    const failures = [
      new Error(secret),
      new redis.SimpleError(`ERR unknown command, with args beginning with: ${secret}`),
      new redis.SimpleError(`NOPERM ${secret}`),
      Object.assign(new Error(secret), { code: "ECONNREFUSED" }),
    ].map((error) => classifyFailure(error));

    expect(JSON.stringify(failures)).not.toContain("secret");
  });
});
