/** A step that is read: of the SDK's type, as JSON, or of another version's. */
export type InteractionStepLike = object;

/** A content of a step: of a user, of an answer, or of a result. */
export type InteractionContent =
  | { type: "text"; text: string }
  | { type: "image"; data?: string; uri?: string }
  | { type: "audio"; data?: string; uri?: string }
  | { type: "document"; data?: string; uri?: string }
  | { type: "video"; data?: string; uri?: string };

/** A step as it is written: for `input` of `interactions.create`. */
export type InteractionStep =
  | { type: "user_input"; content: InteractionContent[] }
  | { type: "model_output"; content: InteractionContent[] }
  | { type: "thought"; signature?: string; summary?: { type: "text"; text: string }[] }
  | { type: "function_call"; id: string; name: string; arguments: Record<string, unknown> }
  | {
      type: "function_result";
      call_id: string;
      name?: string;
      result: string | { [key: string]: unknown };
      is_error?: boolean;
    };
