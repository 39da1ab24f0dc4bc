import { HistoryError } from "@agent-history/core";
import { SpanStatusCode, trace } from "@opentelemetry/api";
import type { Attributes, Span, SpanStatus, Tracer, TracerProvider } from "@opentelemetry/api";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { traceVerb } from "./trace-verb.ts";

interface Recorded {
  readonly name: string;
  readonly attributes: Attributes;
  status?: SpanStatus;
  hasEnded: boolean;
}

const spans: Recorded[] = [];

function recorded(name: string, attributes: Attributes): Span {
  const span: Recorded = { name, attributes: { ...attributes }, hasEnded: false };
  spans.push(span);
  const fake = trace.wrapSpanContext({ traceId: "", spanId: "", traceFlags: 0 });
  return Object.assign(fake, {
    setAttributes: (more: Attributes) => Object.assign(span.attributes, more),
    setStatus: (status: SpanStatus) => Object.assign(span, { status }),
    end: () => Object.assign(span, { hasEnded: true }),
  });
}

const provider: TracerProvider = {
  getTracer: () => {
    const tracer: Pick<Tracer, "startSpan"> = {
      startSpan: (name, { attributes = {} } = {}) => recorded(name, attributes),
    };
    return tracer as Tracer;
  },
};

beforeAll(() => void trace.setGlobalTracerProvider(provider));
afterAll(() => trace.disable());

describe("traceVerb", () => {
  it("has a span for a verb, with its counts", async () => {
    spans.length = 0;
    const value = await traceVerb("read", async (counts) => {
      counts["agent_history.entries"] = 3;
      return "value";
    });

    expect(value).toBe("value");
    expect(spans).toEqual([
      {
        name: "agent_history.store.read",
        attributes: { "db.system.name": "redis", "agent_history.entries": 3 },
        hasEnded: true,
      },
    ]);
  });

  it("says of a failure its code, and nothing of its text", async () => {
    spans.length = 0;
    const failed = traceVerb("append", async (counts) => {
      counts["agent_history.entries"] = 1;
      throw new HistoryError("secret", { code: "THREAD_DELETED" });
    });
    const broken = traceVerb("append", () => Promise.reject(new Error("secret")));

    await expect(failed).rejects.toThrow("secret");
    await expect(broken).rejects.toThrow("secret");
    expect(spans.map(({ status }) => status)).toEqual([
      { code: SpanStatusCode.ERROR, message: "THREAD_DELETED" },
      { code: SpanStatusCode.ERROR, message: "unknown" },
    ]);
    expect(spans.every(({ hasEnded }) => hasEnded)).toBe(true);
  });
});
