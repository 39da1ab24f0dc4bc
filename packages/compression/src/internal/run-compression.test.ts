import { trace } from "@opentelemetry/api";
import type { Span, Tracer, TracerProvider } from "@opentelemetry/api";
import { afterEach, describe, expect, it } from "vitest";

import { chat, codeOf, options } from "../../test-support/chat.ts";
import { compressHistory } from "../compress-history.ts";

interface Recorded {
  readonly name: string;
  readonly attributes: Record<string, unknown>;
  status?: unknown;
  ended: boolean;
}

describe("compressHistory, traced", () => {
  afterEach(() => trace.disable());

  it("says in a span what it counted, and nothing of the content", async () => {
    const spans = recordSpans();
    await compressHistory(chat(4), options);
    expect(spans).toHaveLength(1);
    expect(spans[0]).toMatchObject({
      name: "agent_history.compress",
      ended: true,
      attributes: {
        "agent_history.entries.before": 9,
        "agent_history.view": "thread",
        "agent_history.counter": "quarters",
        "agent_history.outcome": "compressed",
        "agent_history.strategy": "whole-history",
        "agent_history.summaries": 1,
        "agent_history.tokens.before": 400,
      },
    });
    expect(JSON.stringify(spans)).not.toMatch(/Question|Answer|went on/);
  });

  it("says why nothing was done, and with which code it failed", async () => {
    const spans = recordSpans();
    await compressHistory(chat(4), { ...options, trigger: () => false });
    await compressHistory(chat(4), { ...options, model: async () => "" });
    const signal = AbortSignal.abort();
    await codeOf(() => compressHistory(chat(4), { ...options, signal, view: "agent:w1" }));
    expect(spans).toMatchObject([
      { ended: true, attributes: { "agent_history.cause": "trigger" } },
      { ended: true, status: { message: "MODEL_FAILED" } },
      {
        ended: true,
        status: { message: "ABORTED" },
        attributes: { "agent_history.view": "agent" },
      },
    ]);
  });

  it("says which failure a fallback rescued", async () => {
    const spans = recordSpans();
    const model = async (): Promise<string> => "Please provide the conversation.";
    const more = { model, fallback: true, maxAttempts: 1 };
    const { outcome } = await compressHistory(chat(4), { ...options, ...more });
    expect(outcome).toBe("compressed");
    expect(spans[0]?.attributes["agent_history.rescued_failure"]).toMatch(
      /refused: it asked for the history/,
    );
    expect(spans[0]?.status).toBeUndefined();
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
      setAttribute: (key, value) => {
        recorded.attributes[key] = value;
        return span as Span;
      },
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
