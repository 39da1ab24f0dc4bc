interface UserMessage {
  readonly role: "user";
  readonly content: string | readonly unknown[];
}

/** Puts what a user's message says before the parts of the next one; `undefined` if either is no user's message. */
export function joinUserMessages(before: object, message: object): object | undefined {
  if (!isUserMessage(before) || !isUserMessage(message)) return undefined;
  return { ...message, content: [...partsOf(before), ...partsOf(message)] };
}

function isUserMessage(message: object): message is UserMessage {
  if (!("role" in message) || !("content" in message)) return false;
  const { role, content } = message;
  return role === "user" && (typeof content === "string" || Array.isArray(content));
}

function partsOf({ content }: UserMessage): readonly unknown[] {
  if (typeof content !== "string") return content;
  return content === "" ? [] : [{ type: "text", text: content }];
}
