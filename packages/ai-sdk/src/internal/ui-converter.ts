import type { ModelMessage, ToolSet, UIMessage } from "ai";

import { loadAi } from "./load-ai.ts";

/** How the AI SDK converts UI messages. */
interface ConvertOptions {
  readonly tools?: ToolSet;
  readonly ignoreIncompleteToolCalls?: boolean;
}

/** Converts one message; gives `undefined` where it is none. */
type ConvertMessage = (
  message: UIMessage,
  options: { readonly isPassedOver: boolean },
) => Promise<readonly ModelMessage[] | undefined>;

/** Makes a converter of UI messages by the AI SDK's own. What a tool's `toModelOutput` throws is thrown on. */
export async function uiConverter(options: ConvertOptions): Promise<ConvertMessage> {
  const { convertToModelMessages } = await loadAi();
  const { tools, ...others } = options;
  return async (message, { isPassedOver }) => {
    try {
      const shown = isPassedOver ? withoutOpenRequests(message) : message;
      return await convertToModelMessages([shown], options);
    } catch (error) {
      if (tools === undefined) return undefined;
      // Not `.then`: AI SDK 5 converts synchronously.
      try {
        await convertToModelMessages([message], others);
      } catch {
        return undefined;
      }
      throw error;
    }
  };
}

/** What was asked and passed over is not asked again. */
function withoutOpenRequests(message: UIMessage): UIMessage {
  const parts = message.parts.filter(
    (part) => !("state" in part) || part.state !== "approval-requested",
  );
  return parts.length === message.parts.length ? message : { ...message, parts };
}
