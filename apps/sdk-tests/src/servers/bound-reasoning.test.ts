import type { JsonObject } from "@agent-history/core";
import { describe, expect, it } from "vitest";

import { anthropicWire, anthropicWireOf } from "./anthropic-wire.ts";
import { geminiWire } from "./gemini-wire.ts";
import { chatWireOf } from "./openai-chat-wire.ts";
import { openaiResponsesWire, openaiResponsesWireOf } from "./openai-responses-wire.ts";
import { objectsAt } from "./read-wire.ts";
import { startStrictServer } from "./start-strict-server.ts";
import type { Wire } from "./wire.ts";

const tools = [{ name: "look", description: "Looks.", input_schema: { type: "object" } }];
const betas = ["thinking-binding-controls-2026-08-01"];
const binding = anthropicWireOf({ isBinding: true });
const head = { model: "claude-opus-5-5", max_tokens: 1, system: "Be brief.", tools };
const result = (content: string): JsonObject => ({
  role: "user",
  content: [{ type: "tool_result", tool_use_id: "c1", content }],
});

/** A question, a call with thinking, its result, an answer with thinking, and two more turns of thinking. */
function talk(wire: Wire, given: JsonObject = head): readonly JsonObject[] {
  const messages: JsonObject[] = [];
  const said = [
    { asked: { role: "user", content: "One?" }, calls: [LOOK] },
    { asked: result("Two fly."), text: "Two." },
    { asked: { role: "user", content: "When?" }, text: "At nine." },
    { asked: { role: "user", content: "Where?" }, text: "Here." },
  ];
  for (const { asked, ...reply } of said) {
    messages.push(asked);
    const thinking = `After ${messages.length}.`;
    const answer = wire.write({ thinking, ...reply }, "m", { ...given, messages: [...messages] });
    messages.push({ role: "assistant", content: answer["content"] ?? [] });
  }
  return [...messages, { role: "user", content: "Thanks." }];
}
const LOOK = { id: "c1", name: "look", arguments: '{"at":1}' };

function withoutThinking(message: JsonObject): JsonObject {
  return { ...message, content: objectsAt(message, "content").slice(1) };
}

function fates(wire: Wire, body: JsonObject): readonly string[] {
  return (wire.thoughts?.(body) ?? []).map(({ fate, reason, isGap }) =>
    [fate, isGap ? "gap" : reason].filter((word) => word !== undefined).join(": "),
  );
}

const VALID = ["valid", "valid", "valid", "valid"];
const ofPrefix = (count: number): readonly string[] =>
  Array.from({ length: count }, () => "refused: prefix_binding_mismatch");

describe("anthropicWireOf an account of which the prefix is checked", () => {
  const messages = talk(binding);
  const edited = (index: number, message: JsonObject): JsonObject => ({
    ...head,
    messages: messages.with(index, message),
  });

  it.each<[string, JsonObject]>([
    ["nothing changed", { ...head, messages }],
    ["a mark on the system prompt", { ...head, system: [marked("Be brief.")], messages }],
    ["effort, tool choice", { ...head, messages, tool_choice: { type: "auto" }, max_tokens: 9 }],
    [
      "a tool that is loaded later",
      {
        ...head,
        messages,
        tools: [...tools, { name: "late", input_schema: {}, defer_loading: true }],
      },
    ],
    ["a mark on a message", edited(0, { role: "user", content: [marked("One?")] })],
  ])("takes all thinking where it was made: %s", (_, body) => {
    expect(fates(binding, body)).toEqual(VALID);
  });

  it.each([1, 2, 3, 4])("takes what is left where the oldest %s are left out", (count) => {
    let left = count;
    const body = {
      ...head,
      messages: messages.map((one) =>
        one["role"] === "assistant" && left-- > 0 ? withoutThinking(one) : one,
      ),
    };
    expect(fates(binding, body)).toEqual(VALID.slice(count));
    expect(binding.problems(body)).toEqual([]);
  });

  it.each<[string, JsonObject, readonly string[]]>([
    ["the system prompt", { ...head, system: "Be kind.", messages }, ofPrefix(4)],
    ["a tool", { ...head, tools: [{ ...tools[0], description: "Sees." }], messages }, ofPrefix(4)],
    [
      "a question",
      edited(4, { role: "user", content: "Why?" }),
      ["valid", "valid", ...ofPrefix(2)],
    ],
    ["a result", edited(2, result("[cleared]")), ["valid", ...ofPrefix(3)]],
    ["a missing message", { ...head, messages: messages.toSpliced(0, 4) }, ofPrefix(2)],
    [
      "a gap",
      edited(3, withoutThinking(messages[3] ?? {})),
      ["valid", "refused: gap", "refused: gap"],
    ],
  ])("sees %s that changed", (_, body, expected) => {
    expect(fates(binding, body)).toEqual(expected);
    const rule = expected.includes("refused: gap") ? "thinking-gap" : "thinking-bound";
    expect(binding.problems(body)).toEqual([rule]);
  });

  it("sees thinking that is put back", () => {
    const cut = messages.slice(0, 8).map((one, index) => (index < 6 ? bare(one) : one));
    const given = { ...head, messages: [...cut.slice(0, 6), messages[6] ?? {}] };
    const { content = [] } = binding.write({ thinking: "New.", text: "New." }, "m", given);
    const answered = { role: "assistant", content };
    const back = [...messages.slice(0, 7), answered, { role: "user", content: "And?" }];
    expect(fates(binding, { ...given, messages: back })).toEqual([
      ...VALID.slice(0, 3),
      "refused: gap",
    ]);
  });

  it("drops and reports what fails where it is asked to, and takes what was made after", () => {
    const thinking = {
      type: "adaptive",
      block_binding: { prefix_mismatch_behavior: "drop_block" },
    };
    const cut = { ...head, betas, thinking, messages: messages.slice(4) };
    expect(binding.problems(cut)).toEqual([]);
    const answer = binding.write({ thinking: "Later.", text: "Yes." }, "m", cut);
    expect(answer["input_transformations"]).toEqual([
      { type: "thinking_dropped", path: "messages.1.content.0", reason: "prefix_binding_mismatch" },
      { type: "thinking_dropped", path: "messages.3.content.0", reason: "prefix_binding_mismatch" },
    ]);
    const next = [
      ...cut.messages,
      { role: "assistant", content: answer["content"] ?? [] },
      { role: "user", content: "And?" },
    ];
    const dropped = "dropped: prefix_binding_mismatch";
    expect(fates(binding, { ...cut, messages: next })).toEqual([dropped, dropped, "valid"]);
    const kept = next.map((one, index) => (index === 1 || index === 3 ? bare(one) : one));
    expect(fates(binding, { ...head, messages: kept })).toEqual(["valid"]);
  });

  it("takes kept turns behind its own summary, and none behind another", () => {
    const summarized = { ...head, messages: messages.slice(0, 4) };
    const { content, stop_reason: reason } = binding.write({ text: "So far." }, "m", {
      ...summarized,
      compaction: { type: "summarize" },
    });
    expect(reason).toBe("compaction");
    const summary = { role: "user", content: content ?? [] };
    const kept = [summary, ...messages.slice(4)];
    expect(fates(binding, { ...head, messages: kept })).toEqual(VALID.slice(2));
    const own = { role: "user", content: "So far." };
    expect(fates(binding, { ...head, messages: [own, ...messages.slice(4)] })).toEqual(ofPrefix(2));
    const skipped = [summary, ...messages.slice(6)];
    expect(fates(binding, { ...head, messages: skipped })).toEqual(ofPrefix(1));
    expect(fates(binding, { ...head, system: "Other.", messages: kept })).toEqual(ofPrefix(2));
  });
});

describe("anthropicWireOf other accounts, models and organizations", () => {
  const cut = (wire: Wire, model: string): readonly string[] => {
    const given = { ...head, model };
    return fates(wire, { ...given, betas, messages: talk(wire, given).slice(4) });
  };

  it("lets an older account through and reports it", () => {
    const allowed = "allowed: prefix_binding_mismatch";
    expect(cut(anthropicWire, "claude-opus-5-5")).toEqual([allowed, allowed]);
    const asking = {
      ...head,
      betas,
      thinking: { type: "adaptive", block_binding: { prefix_mismatch_behavior: "error" } },
      messages: talk(anthropicWire).slice(4),
    };
    expect(anthropicWire.problems(asking)).toContain("thinking-bound");
  });

  it("checks Fable 5.2 for every account, older models for none, unknown ones as new ones", () => {
    expect(cut(anthropicWire, "claude-fable-5-2")).toEqual(ofPrefix(2));
    expect(cut(binding, "claude-opus-5")).toEqual(["valid", "valid"]);
    expect(cut(binding, "claude-sonnet-4-6-20260101")).toEqual(["valid", "valid"]);
    expect(cut(binding, "claude-mythos-5-1")).toEqual(["valid", "valid"]);
    expect(cut(binding, "claude-epic-6")).toEqual(ofPrefix(2));
  });

  it("drops what the model cannot read, and reads it again on the way back", () => {
    const fable = { ...head, model: "claude-fable-5-1" };
    const asked = [...talk(binding, fable)];
    const opus = { ...head, betas, messages: asked };
    expect(fates(binding, opus)).toEqual(VALID.map(() => "dropped: model_binding_mismatch"));
    const { content = [] } = binding.write({ thinking: "Mine.", text: "So." }, "m", opus);
    asked.push({ role: "assistant", content }, { role: "user", content: "And?" });
    expect(fates(binding, { ...fable, messages: asked })).toEqual([...VALID, "valid"]);
  });

  it("drops thinking of another organization where the model binds it to one", () => {
    const other = anthropicWireOf({ isBinding: true, organization: "b" });
    const haiku = { ...head, model: "claude-haiku-5-5" };
    const dropped = VALID.map(() => "dropped: organization_binding_mismatch");
    expect(fates(other, { ...haiku, messages: talk(binding, haiku) })).toEqual(dropped);
    expect(fates(other, { ...head, messages: talk(binding) })).toEqual(VALID);
  });
});

describe("openaiResponsesWireOf", () => {
  const asks = { role: "user", content: "One?" };
  const items = (model: string, instructions = "Be brief."): JsonObject => {
    const input: JsonObject[] = [asks];
    for (const text of ["Two.", "At nine."]) {
      const body = { model, instructions, input: [...input] };
      const answer = openaiResponsesWire.write({ thinking: `${text}?`, text }, text, body);
      input.push(...objectsAt(answer, "output"), asks);
    }
    return { model, instructions, input };
  };

  it("takes reasoning behind what it was made after, and drops it silently behind anything else", () => {
    const body = items("gpt-6-astra");
    expect(fates(openaiResponsesWire, body)).toEqual(["valid", "valid"]);
    const edited = {
      ...body,
      input: objectsAt(body, "input").with(0, { ...asks, content: "Uno?" }),
    };
    expect(openaiResponsesWire.problems(edited)).toEqual([]);
    const removed = { type: "reasoning", action: "removed", reason: "prefix_mismatch" };
    expect(
      openaiResponsesWire.write({ text: "So." }, "r", edited)["input_transformations"],
    ).toEqual(["rs_Two.", "rs_At nine."].map((id) => ({ id, ...removed })));
  });

  it("counts tools, format and effort as prefix, instructions before GPT-6.2 only", () => {
    const dropped = ["dropped: prefix_mismatch", "dropped: prefix_mismatch"];
    const body = items("gpt-6-astra");
    const tool = { type: "function", name: "look", parameters: {} };
    expect(fates(openaiResponsesWire, { ...body, tools: [tool] })).toEqual(dropped);
    expect(fates(openaiResponsesWire, { ...body, reasoning: { effort: "low" } })).toEqual(dropped);
    expect(fates(openaiResponsesWire, { ...body, instructions: "Now." })).toEqual(dropped);
    const newer = { ...items("gpt-6.2-sol"), instructions: "Now." };
    expect(fates(openaiResponsesWire, newer)).toEqual(["valid", "valid"]);
  });

  it("drops reasoning of another family, of a newer model, of another organization, and of earlier turns before GPT-5.6", () => {
    const body = items("gpt-6.2-sol");
    const twice = (reason: string): readonly string[] => Array.from({ length: 2 }, () => reason);
    expect(fates(openaiResponsesWire, { ...body, model: "gpt-6-astra" })).toEqual(
      twice("dropped: model_mismatch"),
    );
    expect(fates(openaiResponsesWire, { ...body, model: "gpt-7" })).toEqual(
      twice("dropped: model_mismatch"),
    );
    expect(fates(openaiResponsesWireOf("b"), body)).toEqual(
      twice("dropped: organization_mismatch"),
    );
    expect(fates(openaiResponsesWire, items("gpt-5.1"))).toEqual(twice("dropped: turn_boundary"));
    expect(fates(openaiResponsesWire, items("gpt-5.6"))).toEqual(["valid", "valid"]);
  });
});

describe("the other wires", () => {
  it("Gemini's says which signatures came back, and which are dummies", () => {
    const { candidates } = geminiWire.write({ calls: [LOOK] }, "m", {});
    const called = objectsAt({ candidates: candidates ?? [] }, "candidates").map(
      (one) => one["content"] ?? {},
    );
    const dummy = {
      functionCall: { name: "look", args: {} },
      thoughtSignature: "skip_thought_signature_validator",
    };
    const contents = [...called, { role: "model", parts: [dummy] }];
    expect(fates(geminiWire, { contents })).toEqual(["valid", "dropped: dummy"]);
  });

  it("DeepSeek's gives its reasoning and wants all of it back with tools, Groq's takes none", () => {
    const asks = { role: "user", content: "One?" };
    const body = { model: "deepseek-v4", messages: [asks], tools: [chatTool("look")] };
    const [choice = {}] = objectsAt(
      chatWireOf("deepseek").write({ thinking: "Hm.", text: "Two." }, "m", body),
      "choices",
    );
    const next = { ...body, messages: [asks, choice["message"] ?? {}, asks] };
    expect(fates(chatWireOf("deepseek"), next)).toEqual(["valid"]);
    expect(chatWireOf("deepseek").problems(next)).toEqual([]);
    expect(chatWireOf("groq").problems(next)).toContain("reasoning-unsupported");
    const lost = { ...body, messages: [asks, { role: "assistant", content: "Two." }, asks] };
    expect(chatWireOf("deepseek").problems(lost)).toEqual(["reasoning-missing"]);
  });
});

describe("startStrictServer", () => {
  it("reports for each request what became of its reasoning, and reads the header", async () => {
    await using server = await startStrictServer({ wire: binding });
    const thinking = {
      type: "adaptive",
      block_binding: { prefix_mismatch_behavior: "drop_block" },
    };
    const body = JSON.stringify({ ...head, thinking, messages: talk(binding).slice(4) });
    const post = async (headers: Record<string, string>): Promise<Response> =>
      fetch(`${server.origin}${binding.path}`, { method: "POST", body, headers });
    expect(await (await post({})).text()).not.toContain("thinking_dropped");
    const taken = await post({ "anthropic-beta": betas.join(",") });
    expect(await taken.text()).toContain('"thinking_dropped"');
    const dropped = ["dropped", "dropped"];
    expect(server.thoughts.map((of) => of.map(({ fate }) => fate))).toEqual([dropped, dropped]);
  });
});

function marked(text: string): JsonObject {
  return { type: "text", text, cache_control: { type: "ephemeral" } };
}

function bare(message: JsonObject): JsonObject {
  return message["role"] === "assistant" ? withoutThinking(message) : message;
}

function chatTool(name: string): JsonObject {
  return { type: "function", function: { name, parameters: { type: "object" } } };
}
