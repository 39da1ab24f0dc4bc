const joinedOf = new WeakMap<object, UserMessage>();

interface UserMessage {
  readonly role: "user";
  readonly content: string | readonly unknown[];
}

/**
 * Puts what a user's message says before the parts of the next one; `undefined` if either is no user's message. The same message object
 * behind the same text gives the same object again.
 */
export function joinUserMessages(before: object, message: object): object | undefined {
  if (!isUserMessage(before) || !isUserMessage(message)) return undefined;
  const content = [...partsOf(before), ...partsOf(message)];
  const joined = { ...message, content };
  const known = joinedOf.get(message);
  if (known !== undefined && isSame(known, joined)) return known;
  joinedOf.set(message, joined);
  return joined;
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

function isSame(known: UserMessage, joined: UserMessage): boolean {
  const { content: before, ...knownFields } = known;
  const { content: after, ...fields } = joined;
  return areSame(knownFields, fields, Object.is) && areSame(before, after, isSamePart);
}

/** The text parts are new objects at each call; other parts are the message's own. */
function isSamePart(known: unknown, part: unknown): boolean {
  if (known === part) return true;
  const areObjects = typeof known === "object" && typeof part === "object";
  return areObjects && known !== null && part !== null && areSame(known, part, Object.is);
}

function areSame(
  one: string | object,
  other: string | object,
  isEqual: (one: unknown, other: unknown) => boolean,
): boolean {
  const entries = Object.entries(one);
  const others = new Map<string, unknown>(Object.entries(other));
  if (entries.length !== others.size) return false;
  return entries.every(([key, value]) => others.has(key) && isEqual(value, others.get(key)));
}
