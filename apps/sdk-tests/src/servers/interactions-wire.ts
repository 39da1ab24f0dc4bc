import type { JsonObject } from "@agent-history/core";

import { interactions, signThought } from "./interactions-rules.ts";
import { halvesOf, objectsAt, textIn } from "./read-wire.ts";
import { refusing } from "./wire.ts";
import type { Wire, WireReply } from "./wire.ts";

/** Gemini's Interactions API without state: each request brings all steps. Its model signs a thought before its calls. */
export const interactionsWire: Wire = {
  path: "/v1/interactions",
  ...refusing(interactions),
  windowPage: "https://ai.google.dev/gemini-api/docs/models",
  write: (reply, id) => ({
    id,
    object: "interaction",
    model: "gemini-3-pro",
    status: reply.calls === undefined ? "completed" : "requires_action",
    steps: stepsOf(reply),
    usage: { total_tokens: 2, total_input_tokens: 1, total_output_tokens: 1 },
  }),
  stream: (answer) => {
    const { steps: _, ...interaction } = answer;
    const created = { ...interaction, status: "in_progress" };
    return [
      { event_type: "interaction.created", interaction: created },
      ...objectsAt(answer, "steps").flatMap(eventsOf),
      { event_type: "interaction.completed", interaction },
    ];
  },
  writeError: (message) => ({ error: { code: "invalid_request", message } }),
};

function stepsOf({ thinking, text, calls = [] }: WireReply): readonly JsonObject[] {
  const made = calls.map(({ id, name, arguments: given }): JsonObject => ({
    type: "function_call",
    id,
    name,
    arguments: JSON.parse(given),
  }));
  const summary = thinking === undefined ? [] : [{ type: "text", text: thinking }];
  return [
    { ...signThought(made), ...(summary.length > 0 && { summary }) },
    ...(text === undefined ? [] : [{ type: "model_output", content: [{ type: "text", text }] }]),
    ...made,
  ];
}

/** As the API sends a step: what begins it, its pieces, its end. */
function eventsOf(step: JsonObject, index: number): readonly JsonObject[] {
  const { start, deltas } = piecesOf(step);
  return [
    { event_type: "step.start", index, step: start },
    ...deltas.map((delta): JsonObject => ({ event_type: "step.delta", index, delta })),
    { event_type: "step.stop", index },
  ];
}

function piecesOf(step: JsonObject): {
  readonly start: JsonObject;
  readonly deltas: readonly JsonObject[];
} {
  const start = { ...step, signature: "" };
  if (step["type"] === "thought") {
    const { signature = "" } = step;
    return { start, deltas: [{ type: "thought_signature", signature }] };
  }
  if (step["type"] === "function_call") {
    const given = JSON.stringify(step["arguments"]);
    const delta = { type: "arguments_delta", arguments: given };
    return { start: { ...start, arguments: {} }, deltas: [delta] };
  }
  const [said] = objectsAt(step, "content");
  const deltas = halvesOf(textIn(said?.["text"])).map((text) => ({ type: "text", text }));
  return { start: { type: "model_output" }, deltas };
}
