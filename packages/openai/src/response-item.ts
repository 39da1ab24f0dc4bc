/** What `fromResponseItems` takes: any item of the OpenAI SDK, of input or output, or of a recording. Other fields may stand there too. */
export interface ResponseItemLike {
  readonly type?: unknown;
  readonly role?: unknown;
  readonly id?: unknown;
  readonly content?: unknown;
  readonly summary?: unknown;
  readonly encrypted_content?: unknown;
  readonly call_id?: unknown;
  readonly name?: unknown;
  readonly arguments?: unknown;
  readonly input?: unknown;
  readonly action?: unknown;
  readonly output?: unknown;
  readonly status?: unknown;
}

/**
 * An item as the input of OpenAI's Responses API takes it: assignable to the SDK's `ResponseInputItem`. Kinds and fields that
 * came in an item and are not named here are there all the same.
 */
export type ResponseItem =
  | ResponseMessage
  | ResponseFunctionCall
  | ResponseCustomCall
  | ResponseFunctionOutput
  | ResponseCustomOutput;

/** What anybody says. An answer of the model's own parts has them as `output_text`. */
export interface ResponseMessage {
  type?: "message";
  role: "system" | "developer" | "user" | "assistant";
  content: string | ResponseInputPart[];
}

/** A call of a function. */
export interface ResponseFunctionCall {
  type: "function_call";
  call_id: string;
  name: string;
  arguments: string;
}

/** A call of a tool that takes any text. */
export interface ResponseCustomCall {
  type: "custom_tool_call";
  call_id: string;
  name: string;
  input: string;
}

/** The answer to a function's call. */
export interface ResponseFunctionOutput {
  type: "function_call_output";
  call_id: string;
  output: string | ResponseInputPart[];
}

/** The answer to a custom tool's call. */
export interface ResponseCustomOutput {
  type: "custom_tool_call_output";
  call_id: string;
  output: string | ResponseInputPart[];
}

/** What a message or a result may hold. */
export type ResponseInputPart =
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
