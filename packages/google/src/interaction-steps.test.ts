import type { HistoryEntry } from "@agent-history/core";
import { action, assistantMessage, observation, userMessage } from "@agent-history/core";
import { fitToWindow } from "@agent-history/reducer";
import { describeMessageFormat } from "@agent-history/testkit/format";
import { estimatingCounter, tiktokenCounter } from "@agent-history/tokens";
import { describe, expect, it } from "vitest";

import { stepPage, strangeSteps } from "../test-messages/step-page.ts";
import type { FitContentsSyncOptions } from "./fit-contents.ts";
import { fitInteractionSteps } from "./fit-contents.ts";
import { checkInteractionSteps } from "./google-rules.ts";
import { fromInteractionSteps, toInteractionSteps } from "./interaction-steps.ts";
import { toToolDefinitions } from "./to-tool-definitions.ts";

describeMessageFormat("steps of Gemini's Interactions API", {
  read: fromInteractionSteps,
  write: toInteractionSteps,
  userMessage: (text) => ({ type: "user_input", content: [{ type: "text", text }] }),
  knownMessages: stepPage,
  strangeMessages: strangeSteps,
});

const asked = (text: string) => ({ type: "user_input", content: [{ type: "text", text }] });
const said = (text: string) => ({ type: "model_output", content: [{ type: "text", text }] });
const thought = { type: "thought", signature: "U0lH" };
const call = { type: "function_call", id: "c1", name: "find", arguments: { to: "Rome" } };
const result = { type: "function_result", call_id: "c1", name: "find", result: "Two." };

const exact = tiktokenCounter({ encoding: "o200k_base" });
const counter = estimatingCounter({ family: "gemini", counter: exact });
const options: FitContentsSyncOptions = {
  reducer: { name: "own", reduce: (entries, given) => fitToWindow(entries, { counter, ...given }) },
  window: { contextTokens: 100_000 },
};
const repaired = (...steps: readonly object[]) => {
  const { input, plan } = fitInteractionSteps(steps, options);
  return { input, rules: plan.repairs.map(({ rule }) => rule) };
};

describe("fromInteractionSteps", () => {
  it("reads the steps of one answer as one entry", () => {
    const entries = fromInteractionSteps(stepPage);

    expect(entries.map(({ type }) => type)).toEqual([
      "user_message",
      "user_message",
      "action",
      "observation",
      "observation",
      "action",
      "observation",
      "user_message",
      "assistant_message",
    ]);
    expect(entries.filter(({ type }) => type === "observation")).toMatchObject([
      { callId: "c1", toolName: "find_flights", outcome: "success", content: "Two." },
      { callId: "c2", toolName: "find_hotels", outcome: "error", content: '{"closed":true}' },
      { callId: "c3", outcome: "success" },
    ]);
  });

  it("keeps thoughts whole, in their place, when a text is edited", () => {
    const edited = fromInteractionSteps([asked("Rome?"), thought, said("I look."), call]).map(
      (entry): HistoryEntry => {
        if (entry.type !== "action" || typeof entry.content === "string") return entry;
        const content = entry.content?.map((part) =>
          part.type === "text" ? { ...part, text: "…" } : part,
        );
        return content === undefined ? entry : { ...entry, content };
      },
    );
    expect(toInteractionSteps(edited).slice(1)).toEqual([thought, said("…"), call]);
  });
});

describe("toInteractionSteps", () => {
  it("writes entries of another format", () => {
    const image = { type: "image", source: { kind: "data", base64: "AA==" } } as const;
    const calls = ["c1", "c2"].map((id) => ({ id, name: "find", arguments: "{}" }));
    const found = (callId: string, outcome: "success" | "error") =>
      observation({ callId, toolName: "find", outcome, content: callId });
    const entries = [
      userMessage({ content: [{ type: "text", text: "Which?" }, image] }),
      action({ toolCalls: calls, content: "I look." }),
      found("c1", "success"),
      found("c2", "error"),
      assistantMessage({ content: "Two." }),
    ];
    expect(toInteractionSteps(entries)).toEqual([
      {
        type: "user_input",
        content: [
          { type: "text", text: "Which?" },
          { type: "image", data: "AA==" },
        ],
      },
      said("I look."),
      { type: "function_call", id: "c1", name: "find", arguments: {} },
      { type: "function_call", id: "c2", name: "find", arguments: {} },
      { type: "function_result", call_id: "c1", name: "find", result: "c1" },
      { type: "function_result", call_id: "c2", name: "find", result: "c2", is_error: true },
      said("Two."),
    ]);
  });
});

describe("fitInteractionSteps", () => {
  it("sends what is valid as it came, without a repair", () => {
    const steps = [...stepPage, asked("And now?")];

    expect(repaired(...steps)).toEqual({ input: steps, rules: [] });
    expect(checkInteractionSteps(steps)).toEqual([]);
  });

  it("leaves a thought without a signature out, and puts the documented one before calls", () => {
    const unsigned = { type: "thought", signature: "", summary: [{ type: "text", text: "Hm." }] };

    expect(repaired(asked("To Rome?"), unsigned, call, result)).toEqual({
      input: [
        asked("To Rome?"),
        { type: "thought", signature: "skip_thought_signature_validator" },
        call,
        result,
      ],
      rules: ["unsigned-thought", "thought-signature", "blank-text"],
    });
  });

  it("takes no thought behind a call for its signature where a part before it was left out", () => {
    const output = { type: "model_output", content: [null, { type: "text", text: "So." }] };
    const { input } = repaired(asked("To Rome?"), output, call, thought, result);

    expect(input.slice(1, 4)).toEqual([
      { type: "thought", signature: "skip_thought_signature_validator" },
      said("So."),
      call,
    ]);
  });

  it("answers a call whose result is lost, and says where it stands", () => {
    const steps = [asked("To Rome?"), thought, said("I look."), call];

    expect(repaired(...steps).input.at(-1)).toMatchObject({ call_id: "c1", is_error: true });
    expect(checkInteractionSteps([asked("Hello."), ...steps, asked("And?")])).toMatchObject([
      { rule: "pairing", index: 2 },
    ]);
  });

  it("makes arguments an object, and keeps the words of unknown steps", () => {
    const text = { ...call, arguments: '{"to":"Ro' };
    const critic = { type: "critic", content: "No." };
    const { input } = repaired(asked("To Rome?"), critic, thought, text, result);

    expect(input.slice(1)).toEqual([
      said("[critic] No."),
      thought,
      { ...call, arguments: { value: '{"to":"Ro' } },
      result,
    ]);
  });
});

describe("toToolDefinitions", () => {
  it("reads tools of the Interactions API", () => {
    const parameters = { type: "object", properties: { to: { type: "string" } } };

    expect(
      toToolDefinitions([
        { type: "function", name: "find", parameters },
        { type: "google_search" },
      ]),
    ).toEqual([{ name: "find", parameters }, { name: "google_search" }]);
  });
});
