import { trace } from "@opentelemetry/api";
import type { Span, Tracer, TracerProvider } from "@opentelemetry/api";
import { afterEach, describe, expect, it } from "vitest";

import { HistoryError } from "./history-error.ts";
import { failSpan, tracerOf } from "./tracer-of.ts";

describe("tracerOf", () => {
  afterEach(() => trace.disable());

  it("gives the tracer of the provider that was registered by the API, even after it was asked before", () => {
    tracerOf("early")?.startSpan("unseen").end();
    const seen: unknown[] = [];
    const span: Partial<Span> = {
      setStatus: (status) => {
        seen.push(status);
        return span as Span;
      },
    };
    const provider: TracerProvider = {
      getTracer(scope) {
        const tracer: Partial<Tracer> = {
          startSpan: (name) => {
            seen.push([scope, name]);
            return span as Span;
          },
          startActiveSpan: (name: string, work: unknown) => {
            seen.push([scope, name, "active"]);
            return (work as (active: Span) => never)(span as Span);
          },
        };
        return tracer as Tracer;
      },
    };
    trace.setGlobalTracerProvider(provider);

    tracerOf("scope")?.startSpan("first");
    tracerOf("scope")?.startActiveSpan("second", (active) =>
      failSpan(active, new HistoryError("secret", { code: "ABORTED" })),
    );
    failSpan(tracerOf("scope")?.startSpan("third"), new Error("secret"));

    expect(seen).toEqual([
      ["scope", "first"],
      ["scope", "second", "active"],
      { code: 2, message: "ABORTED" },
      ["scope", "third"],
      { code: 2, message: "unknown" },
    ]);
  });

  it("gives nothing without a provider, and a failure there is no failure", () => {
    expect(tracerOf("scope")).toBeUndefined();
    expect(() => failSpan(undefined, new Error("lost"))).not.toThrow();
  });
});
