import type { JsonObject, JsonValue } from "@agent-history/core";
import { arbitraryText } from "@agent-history/testkit";
import * as fc from "fast-check";

const noNullPrototype = true;
const text = arbitraryText({ maxLength: 60 });
const long = arbitraryText({ maxLength: 600 });
const image = "data:image/png;base64,iVBORw0KGgo=";

/** A call of each kind, and what answers it. */
const CALLS: readonly ((id: string, said: string) => readonly [JsonObject, JsonObject])[] = [
  (id, said) => [
    { type: "function_call", call_id: id, name: "read", arguments: '{"path":"a.md"}' },
    { type: "function_call_output", call_id: id, output: said },
  ],
  (id, said) => [
    { type: "function_call", call_id: id, name: "look", arguments: "{}", id: `fc_${id}` },
    {
      type: "function_call_output",
      call_id: id,
      output: [
        { type: "input_text", text: said },
        { type: "input_image", detail: "auto", image_url: image },
      ],
    },
  ],
  (id, said) => [
    { type: "custom_tool_call", call_id: id, name: "python", input: "print(1)" },
    { type: "custom_tool_call_output", call_id: id, output: said, status: "completed" },
  ],
  (id) => [
    { type: "computer_call", id: `cu_${id}`, call_id: id, action: { type: "screenshot" } },
    {
      type: "computer_call_output",
      call_id: id,
      output: { type: "computer_screenshot", image_url: image },
    },
  ],
  (id, said) => [
    { type: "local_shell_call", id: `ls_${id}`, call_id: id, action: { command: ["ls"] } },
    { type: "local_shell_call_output", id, output: said },
  ],
  (id, said) => [
    { type: "shell_call", call_id: id, action: { commands: ["ls", "cat"] } },
    {
      type: "shell_call_output",
      call_id: id,
      output: [
        { stdout: said, stderr: "", outcome: { type: "exit", exit_code: 0 } },
        { stdout: "", stderr: said, outcome: { type: "timeout" } },
      ],
    },
  ],
  (id, said) => [
    { type: "apply_patch_call", call_id: id, operation: { type: "delete_file", path: "a" } },
    { type: "apply_patch_call_output", call_id: id, status: "failed", output: said },
  ],
  (id, said) => [
    { type: "mcp_approval_request", id, server_label: "s", name: "pay", arguments: "{}" },
    { type: "mcp_approval_response", approval_request_id: id, approve: true, reason: said },
  ],
];

function message(role: string, type: string): fc.Arbitrary<JsonObject[]> {
  const parts = fc.array(fc.record({ type: fc.constant(type), text }, { noNullPrototype }), {
    minLength: 1,
    maxLength: 2,
  });
  const content: fc.Arbitrary<JsonValue> = fc.oneof(text, parts);
  return fc.record({ role: fc.constant(role), content }, { noNullPrototype }).map((one) => [one]);
}

const thought = fc.oneof(
  fc.record(
    {
      type: fc.constant("reasoning"),
      id: fc.constant("rs"),
      summary: fc.subarray([{ type: "summary_text", text: "In short." }]),
      encrypted_content: fc.constant("gAAAAABo".repeat(9)),
    },
    { noNullPrototype },
  ),
  text.map((said) => ({
    type: "reasoning",
    id: "rs_2",
    summary: [{ type: "summary_text", text: said }],
  })),
);

const webSearch: JsonObject = { type: "web_search_call", id: "ws_1", status: "completed" };

/** What may stand before the calls of an answer. */
const opening: fc.Arbitrary<JsonObject[]> = fc
  .tuple(
    fc.array(thought, { maxLength: 1 }),
    fc.oneof(fc.constant<JsonObject[]>([]), message("assistant", "output_text")),
    fc.subarray([webSearch]),
  )
  .map((pieces) => pieces.flat());

/** An answer with calls and their results, in any order. */
const exchange: fc.Arbitrary<JsonObject[]> = fc
  .uniqueArray(fc.constantFrom("call_1", "call_2", "call_3"), { minLength: 1, maxLength: 3 })
  .chain((ids) =>
    fc.tuple(
      opening,
      fc.tuple(
        ...ids.map((id) =>
          fc.tuple(fc.constantFrom(...CALLS.entries()), long).map(([[kind, call], said]) =>
            // An id comes again, but for a call of the same kind.
            call(`${id}_${kind}`, said),
          ),
        ),
      ),
      fc.shuffledSubarray([...ids.keys()], { minLength: ids.length, maxLength: ids.length }),
    ),
  )
  .map(([before, pairs, order]) => [
    ...before,
    ...pairs.map(([call]) => call),
    ...order.flatMap((index) => pairs[index]?.slice(1) ?? []),
  ]);

/** Generates items that OpenAI takes, with long results. */
export const arbitrarySoundItems: fc.Arbitrary<readonly JsonObject[]> = fc
  .array(
    fc.oneof(
      message("system", "input_text"),
      message("developer", "input_text"),
      message("user", "input_text"),
      message("assistant", "output_text"),
      { weight: 3, arbitrary: exchange },
    ),
    { maxLength: 14 },
  )
  .map((pieces) => pieces.flat());

/** Generates items out of which some are gone: results without calls and calls without results are among them. */
export const arbitraryBrokenItems: fc.Arbitrary<readonly JsonObject[]> = arbitrarySoundItems.chain(
  (items) => fc.subarray([...items]),
);
