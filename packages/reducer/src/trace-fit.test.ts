import { context, trace } from "@opentelemetry/api";
import type { Span, Tracer, TracerProvider } from "@opentelemetry/api";
import { afterEach, describe, expect, it } from "vitest";

import { chat, errorOf, options } from "../test-support/character-counter.ts";
import { fitToWindow } from "./fit-to-window.ts";

interface Recorded {
  readonly name: string;
  readonly attributes: Record<string, unknown>;
  status?: unknown;
  ended: boolean;
}

describe("fitToWindow, traced", () => {
  afterEach(() => {
    trace.disable();
    context.disable();
  });

  it("says in a span what it counted and which steps acted, and nothing of the content", () => {
    const spans = recordSpans();
    fitToWindow(chat, options(40));
    expect(spans).toEqual([
      {
        name: "agent_history.fit",
        ended: true,
        attributes: {
          "agent_history.entries.before": 8,
          "agent_history.entries.after": 4,
          "agent_history.tokens.before": 80,
          "agent_history.tokens.after": 40,
          "agent_history.steps": ["drop-old-messages"],
          "agent_history.window.context_tokens": 40,
          "agent_history.counter": "characters",
        },
      },
    ]);
  });

  it("ends the span of a fit that failed, with the code of the error", () => {
    const spans = recordSpans();
    errorOf(() => fitToWindow(chat, options(5)));
    expect(spans).toMatchObject([{ ended: true, status: { message: "WINDOW_TOO_SMALL" } }]);
  });
});

/** A provider that remembers what it is told, and does nothing else. */
function recordSpans(): readonly Recorded[] {
  const spans: Recorded[] = [];
  const startSpan = (name: string): Span => {
    const recorded: Recorded = { name, attributes: {}, ended: false };
    spans.push(recorded);
    const span: Partial<Span> = {
      isRecording: () => true,
      setAttributes: (attributes) => {
        Object.assign(recorded.attributes, attributes);
        return span as Span;
      },
      setStatus: (status) => {
        recorded.status = status;
        return span as Span;
      },
      end: () => {
        recorded.ended = true;
      },
    };
    return span as Span;
  };
  const provider: TracerProvider = {
    getTracer: () => ({ startSpan }) as Partial<Tracer> as Tracer,
  };
  trace.setGlobalTracerProvider(provider);
  return spans;
}
