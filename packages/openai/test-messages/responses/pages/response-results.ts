import type { JsonObject } from "@agent-history/core";

/** The results of the calls on the page, in another order than the calls. */
export const responseResults: readonly JsonObject[] = [
  {
    type: "mcp_approval_response",
    approval_request_id: "mr_2",
    approve: false,
    reason: "Far too much.",
  },
  {
    type: "mcp_approval_response",
    approval_request_id: "mr_1",
    approve: true,
    id: "ma_1",
    reason: null,
  },
  { type: "custom_tool_call_output", call_id: "call_2", output: "hi there", id: "co_1" },
  {
    type: "function_call_output",
    call_id: "call_1",
    output: "Words of the file.",
    id: "fo_1",
    status: "completed",
    name: "read",
  },
  {
    type: "custom_tool_call_output",
    call_id: "call_2",
    output: [
      { type: "input_text", text: "In parts." },
      { type: "input_image", detail: "auto", image_url: "data:image/png;base64,iVBORw0KGgo=" },
      { type: "input_file", file_id: "file_3" },
    ],
  },
  {
    type: "computer_call_output",
    call_id: "call_3",
    output: { type: "computer_screenshot", image_url: "data:image/png;base64,iVBORw0KGgo=" },
    acknowledged_safety_checks: [{ id: "sc_1" }],
  },
  {
    type: "computer_call_output",
    call_id: "call_4",
    output: { type: "computer_screenshot", file_id: "file_4" },
  },
  { type: "local_shell_call_output", id: "call_5", output: "a.md and b.md", status: "completed" },
  {
    type: "shell_call_output",
    call_id: "call_6",
    max_output_length: 100,
    output: [
      { stdout: "Out of the first.", stderr: "", outcome: { type: "exit", exit_code: 0 } },
      { stdout: "Out of the second.", stderr: "And its error.", outcome: { type: "timeout" } },
      { stdout: "", stderr: "Only an error.", outcome: { type: "exit", exit_code: 2 } },
    ],
  },
  { type: "shell_call_output", call_id: "call_6", output: [] },
  {
    type: "apply_patch_call_output",
    call_id: "call_7",
    status: "failed",
    output: "No such file there.",
  },
  { type: "apply_patch_call_output", call_id: "call_7", status: "completed", output: null },
  { type: "apply_patch_call_output", call_id: "call_7", status: "completed" },
  {
    type: "tool_search_output",
    execution: "client",
    call_id: "call_8",
    tools: [
      {
        type: "function",
        name: "mine",
        description: "A tool of mine.",
        parameters: {},
        strict: null,
      },
    ],
  },
];
