/** Input of `fromResponseItems`: any input or output item of the OpenAI SDK, or of a recording. */
export type ResponseItemLike = TypedItem | (TypedItem & { readonly [field: string]: unknown });

interface TypedItem {
  readonly type?: unknown;
  readonly role?: unknown;
}

/**
 * An input item of OpenAI's Responses API, assignable to the SDK's `ResponseInputItem`: a message of any role (an assistant message has `output_text` parts), a call of a function or of a custom tool, and
 * its result. Kinds and fields that are not declared here are preserved.
 */
export type ResponseItem =
  | {
      type?: "message";
      role: "system" | "developer" | "user" | "assistant";
      content: string | ResponseInputPart[];
    }
  | ResponseFunctionCall
  | { type: "custom_tool_call"; call_id: string; name: string; input: string }
  | ResponseFunctionOutput
  | { type: "custom_tool_call_output"; call_id: string; output: string | ResponseInputPart[] };

/** A function call. */
export interface ResponseFunctionCall {
  type: "function_call";
  call_id: string;
  name: string;
  arguments: string;
}

/** The result of a function call. */
export interface ResponseFunctionOutput {
  type: "function_call_output";
  call_id: string;
  output: string | ResponseInputPart[];
}

type ResponseInputPart =
  | { type: "input_text"; text: string }
  | {
      type: "input_image";
      detail: "low" | "high" | "auto" | "original";
      image_url?: string;
      file_id?: string;
    }
  | {
      type: "input_file";
      file_id?: string;
      file_url?: string;
      file_data?: string;
      filename?: string;
    };
