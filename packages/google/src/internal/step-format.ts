import { messageRole } from "@agent-history/core";
import type {
  ActionEntry,
  ContentPart,
  HistoryEntry,
  JsonObject,
  JsonValue,
} from "@agent-history/core";
import {
  callBlock,
  indexOf,
  isJsonObject,
  mergeJson,
  nameOf,
  partsOf,
  placeCalls,
  readAnswer,
  readCall,
  readContent,
  shownContent,
  wireDifference,
  writeCall,
  writePart,
  writeParts,
} from "@agent-history/format-kit";
import type {
  AnswerBlock,
  MessageFormat,
  ParsedMessage,
  ReadContext,
} from "@agent-history/format-kit";

import { NO_SIGNATURE, UNSIGNED } from "./google-parts.ts";
import {
  foreignStepContent,
  readStepResult,
  resultStep,
  STEP_FORMAT,
  stepCalls,
  stepParts,
} from "./step-parts.ts";

/** Returns the message that begins at an index: an input or a result, else the neighboring steps of an answer as `{ steps }`. */
export function messageAt(steps: readonly unknown[], index: number): readonly [unknown, number] {
  if (isInput(steps[index])) return [steps[index], 1];
  let end = index + 1;
  while (end < steps.length && !isInput(steps[end])) end += 1;
  return [{ steps: steps.slice(index, end) }, end - index];
}

function isInput(step: unknown): boolean {
  if (typeof step !== "object" || step === null) return false;
  // A turn of another API of Gemini's says by its role whose it is.
  if (!("type" in step)) return "role" in step && step.role === "user";
  return step.type === "user_input" || step.type === "function_result";
}

/** Returns the steps of messages. */
export function stepsOf(messages: readonly object[]): readonly unknown[] {
  return messages.flatMap((message): readonly unknown[] => {
    if (!("steps" in message) || "type" in message) return [message];
    return Array.isArray(message.steps) ? message.steps : [message];
  });
}

/** Steps of Gemini's Interactions API. An answer is an `action`, or without calls an `assistant_message`; a result is an `observation`. */
export const stepFormat: MessageFormat = {
  name: STEP_FORMAT,
  idPrefix: "step",
  types: ["system_message", "user_message", "assistant_message", "action", "observation"],
  shape: "grouped",
  read: readStepMessage,
  write: (run, context) => {
    const [first] = run;
    // The request sends it beside its steps.
    if (context.isOwn && first.origin?.extra?.["as"] === "system") return undefined;
    if (messageRole(first, context.viewer) === "assistant") {
      return { steps: run.flatMap((entry) => writeAnswerOf(entry, context.isOwn)) };
    }
    const [step, ...others] = run.map((entry) => writeInput(entry, context.isOwn));
    return others.length === 0 ? step : { steps: [step ?? {}, ...others] };
  },
};

function readStepMessage(message: JsonObject, context: ReadContext): readonly ParsedMessage[] {
  const { type, steps, content } = message;
  if (type === "function_result") return [readResult(message, context)];
  if (type === "user_input") {
    return [{ says: { type: "user_message", content: readContent(content, stepParts) } }];
  }
  return Array.isArray(steps) ? readAnswerSteps(steps, context) : [];
}

function readResult(wire: JsonObject, { index, waiting }: ReadContext): ParsedMessage {
  const { content, outcome, isJson } = readStepResult(wire);
  const id = nameOf(wire["call_id"]);
  const call = id === undefined ? undefined : waiting.answer(id);
  const callId = call?.id ?? id ?? `call_${index}`;
  const toolName = nameOf(wire["name"]) ?? call?.name ?? "unknown_tool";
  const says = { type: "observation", callId, toolName, outcome, content } as const;
  return { says, ...(isJson && { extra: { json: true } }) };
}

function readAnswerSteps(
  steps: readonly JsonValue[],
  { index, waiting }: ReadContext,
): readonly ParsedMessage[] {
  const blocks = steps.map((step: JsonValue, at): AnswerBlock => {
    if (!isJsonObject(step)) return { kind: "parts", parts: [{ type: "opaque", data: step }] };
    if (step["type"] !== "function_call") return { kind: "parts", parts: readOutput(step) };
    const call = readCall(step, stepCalls, `call_${index}_${at}`);
    return callBlock(call, nameOf(step["id"]));
  });
  return readAnswer(blocks, waiting);
}

/** Reads an output as its contents: the first carries in `extra.step` what else the step says, the others join it. Thoughts and what the API ran itself are carried whole. */
function readOutput(step: JsonObject): readonly ContentPart[] {
  const { type, content } = step;
  if (type === "thought") return [{ type: "reasoning", text: "", data: step }];
  const [first, ...others] =
    type === "model_output" ? partsOf(readContent(content, stepParts)) : [];
  if (first === undefined || !Array.isArray(content)) return [{ type: "opaque", data: step }];
  const difference = wireDifference({ type: "model_output", content }, step) ?? {};
  return [
    { ...first, extra: { ...first.extra, step: difference } },
    ...others.map((part) => ({ ...part, extra: { ...part.extra, joins: true } })),
  ];
}

function writeAnswerOf(entry: HistoryEntry, isOwn: boolean): readonly JsonValue[] {
  const shown = shownContent(entry) ?? "";
  const parts = partsOf(isOwn ? shown : foreignStepContent(shown, "assistant"));
  const steps = writeOutputs(parts, isOwn);
  if (entry.type !== "action") return steps;
  const calls = entry.toolCalls.map((call) => ({
    block: writeCall(call, stepCalls, isOwn),
    index: isOwn ? indexOf(call.extra?.["index"]) : undefined,
  }));
  const placed = placeCalls<JsonValue>(steps, calls);
  return isUnsigned(entry) ? [{ type: "thought", signature: NO_SIGNATURE }, ...placed] : placed;
}

function isUnsigned({ toolCalls: [first] }: ActionEntry): boolean {
  return first?.extra?.[UNSIGNED] === true;
}

function writeOutputs(parts: readonly ContentPart[], isOwn: boolean): readonly JsonValue[] {
  const steps: JsonValue[] = [];
  let open: { readonly content: JsonValue[]; readonly extra: JsonObject | undefined } | undefined;
  const close = (): void => {
    if (open !== undefined) {
      steps.push(mergeJson({ type: "model_output", content: open.content }, open.extra));
    }
    open = undefined;
  };
  for (const part of parts) {
    const { step, joins } = part.extra ?? {};
    const isWhole = part.type === "reasoning" || (part.type === "opaque" && !step && !joins);
    if (isWhole) {
      close();
      if (part.data !== undefined) steps.push(part.data);
      continue;
    }
    const wire = writePart(part, stepParts, isOwn);
    if (wire === undefined) continue;
    if (step !== undefined) close();
    open ??= { content: [], extra: isJsonObject(step) ? step : undefined };
    open.content.push(wire);
  }
  close();
  return steps;
}

function writeInput(entry: HistoryEntry, isOwn: boolean): JsonObject {
  const shown = shownContent(entry) ?? "";
  if (entry.type !== "observation") {
    const content = isOwn ? shown : foreignStepContent(shown, "user");
    return { type: "user_input", content: writeParts(content, stepParts, isOwn) };
  }
  const content = isOwn ? shown : foreignStepContent(shown, "tool");
  const isJson = isOwn && entry.origin?.extra?.["json"] === true;
  return resultStep({ ...entry, content }, { isOwn, isJson });
}
