import { describe, expect, it } from "vitest";

import { describeFailure } from "./describe-failure.ts";
import type { ModelSettings } from "./model-settings.ts";
import { retryAfter } from "./retry-after.ts";

const SETTINGS: ModelSettings = {
  protocol: "compatible",
  modelId: "m-1",
  url: "http://models.example/v1",
  isOwnServer: true,
  silenceMs: 1000,
};

describe("describeFailure", () => {
  it.each([
    ["ECONNREFUSED", "refused", /^Nothing answers at models\.example \(connection refused\)$/],
    ["ENOTFOUND", "unknown-host", /^There is no host models\.example \(ENOTFOUND\)$/],
    ["SELF_SIGNED_CERT_IN_CHAIN", "certificate", /^The certificate of models\.example is not/],
    ["CERT_HAS_EXPIRED", "certificate", /is not trusted/],
    ["EAI_AGAIN", "unreachable", /^The connection to models\.example failed \(EAI_AGAIN\)$/],
    ["ETIMEDOUT", "unreachable", /failed \(ETIMEDOUT\)$/],
    ["UND_ERR_CONNECT_TIMEOUT", "unreachable", /failed/],
    ["ECONNRESET", "broken", /broke off \(ECONNRESET\)$/],
  ])("says what %s means, however deep it is wrapped", (code, reason, words) => {
    const inner = Object.assign(new Error("connect 10.0.0.1 sk-secret"), { code });
    const error = new Error("outer", { cause: new TypeError("fetch failed", { cause: inner }) });
    const failure = describeFailure(error, SETTINGS, 0);

    expect(failure).toMatchObject({ reason, what: expect.stringMatching(words) });
    expect(failure.isRetryable).toBe(reason === "unreachable" || reason === "broken");
    expect(failure.advice).toContain("OPENAI_BASE_URL");
    expect(JSON.stringify(failure)).not.toContain("sk-secret");
  });

  it("ends with errors that go in a circle, and with what is no error", () => {
    const circle = new Error("a");
    circle.cause = circle;

    for (const error of [circle, undefined, "sk-secret", { error: { type: "sk-secret" } }]) {
      const failure = describeFailure(error, SETTINGS, 0);
      expect(failure).toMatchObject({ reason: "broken", isRetryable: true });
      expect(JSON.stringify(failure)).not.toContain("sk-secret");
    }
  });
});

describe("retryAfter", () => {
  const now = Date.parse("2026-01-01T00:00:00Z");

  it.each<[Readonly<Record<string, string>>, number | undefined]>([
    [{ "retry-after": "7" }, 7000],
    [{ "retry-after": "0" }, 0],
    [{ "retry-after": "Thu, 01 Jan 2026 00:00:30 GMT" }, 30_000],
    [{ "retry-after": "Wed, 31 Dec 2025 00:00:00 GMT" }, 0],
    [{ "retry-after": "-1" }, 0],
    [{ "retry-after": "soon" }, undefined],
    [{ "retry-after-ms": "250", "retry-after": "7" }, 250],
    [{ "retry-after-ms": "soon", "retry-after": "7" }, 7000],
    [{}, undefined],
  ])("reads %j as %s", (headers, delayMs) => {
    expect(retryAfter(headers, now)).toBe(delayMs);
  });
});
