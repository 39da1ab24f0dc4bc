import { isBlank } from "./read-field.ts";
import type { SaidMessage, SaidTurn } from "./said-message.ts";

/** Renders what is said as messages of OpenAI's chat format, one for each entry. */
export function renderChat(said: readonly SaidMessage[]): readonly object[] {
  return said.map(({ role, text, calls, answers }) => {
    if (answers !== undefined) return { role, tool_call_id: answers.id, content: text };
    if (calls.length === 0) return { role, content: text };
    const made = calls.map(({ id, name, arguments: given }) => {
      return { id, type: "function", function: { name, arguments: given } };
    });
    return { role, content: text === "" ? null : text, tool_calls: made };
  });
}

/** Renders it as input items of OpenAI's Responses API. */
export function renderResponses(said: readonly SaidMessage[]): readonly object[] {
  return said.flatMap(({ role, text, calls, answers }): readonly object[] => {
    if (answers !== undefined) {
      return [{ type: "function_call_output", call_id: answers.id, output: text }];
    }
    const made = calls.map(({ id, name, arguments: given }) => {
      return { type: "function_call", call_id: id, name, arguments: given };
    });
    return text === "" && made.length > 0 ? made : [{ role, content: text }, ...made];
  });
}

/** How a provider writes the blocks of a turn. */
interface Blocks {
  readonly text: (text: string) => object;
  readonly media: object;
  readonly call: (call: SaidMessage["calls"][number]) => object;
  readonly result: (answer: { readonly id: string; readonly name: string }) => object;
}

/** Renders it as messages of Anthropic's Messages API. */
export function renderAnthropic(turns: readonly SaidTurn[]): readonly object[] {
  const blocks = blocksOf({
    text: (text) => ({ type: "text", text }),
    media: { type: "image" },
    call: ({ id, name }) => ({ type: "tool_use", id, name, input: {} }),
    result: ({ id }) => ({ type: "tool_result", tool_use_id: id, content: "" }),
  });
  return turns.map((turn) => ({ role: turn.role, content: blocks(turn) }));
}

/** Renders it as messages of Amazon Bedrock's Converse API. */
export function renderBedrock(turns: readonly SaidTurn[]): readonly object[] {
  const blocks = blocksOf({
    text: (text) => ({ text }),
    media: { image: {} },
    call: ({ id, name }) => ({ toolUse: { toolUseId: id, name, input: {} } }),
    result: ({ id }) => ({ toolResult: { toolUseId: id, content: [] } }),
  });
  return turns.map((turn) => ({ role: turn.role, content: blocks(turn) }));
}

/** Renders it as contents of Gemini's `generateContent`. */
export function renderGemini(turns: readonly SaidTurn[]): readonly object[] {
  const blocks = blocksOf({
    text: (text) => ({ text }),
    media: { inlineData: {} },
    call: ({ name }) => ({ functionCall: { name, args: {} } }),
    result: ({ name }) => ({ functionResponse: { name, response: {} } }),
  });
  return turns.map((turn) => ({
    role: turn.role === "user" ? "user" : "model",
    parts: blocks(turn),
  }));
}

function blocksOf(write: Blocks): (turn: SaidTurn) => readonly object[] {
  return ({ results, parts }) => [
    ...results.map(write.result),
    ...parts.flatMap(({ text, hasMedia, calls, answers }): readonly object[] => [
      ...(answers === undefined ? [] : [write.result(answers)]),
      ...(isBlank(text) || answers !== undefined ? [] : [write.text(text)]),
      ...(hasMedia ? [write.media] : []),
      ...calls.map(write.call),
    ]),
  ];
}
