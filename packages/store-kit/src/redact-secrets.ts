import { keyedHash } from "./keyed-hash.ts";
import { findSecrets } from "./secret-patterns.ts";
import type { FoundSecret } from "./secret-patterns.ts";

export type { FoundSecret } from "./secret-patterns.ts";

/** What makes placeholders, and what else is found. */
export interface RedactSecretsOptions {
  /** Random bytes, 32 or more. Keep them: with others the same secret has another placeholder. */
  readonly key: Uint8Array;
  /** Finds further secrets in a text: a pattern of your own, or a library. Default: none. */
  readonly detect?:
    | ((text: string) => readonly FoundSecret[] | Promise<readonly FoundSecret[]>)
    | undefined;
}

/** Takes secrets out of an entry, or out of a message of `chatStore`. */
export type RedactSecrets = <Value extends object>(
  value: Value,
  thread?: { readonly threadId: string },
) => Promise<Value>;

/**
 * Makes a `beforeStore` that puts placeholders in place of secrets: e-mail addresses, phone numbers, cards, IBANs, keys and tokens of services, private keys, passwords beside their names.
 *
 * A placeholder such as `[EMAIL_3f9a2c]` comes of a keyed hash: the same for the same secret in a thread, its forks and all that is named below the same root, in every process. Nothing is stored for it
 * and it does not lead back. What has no secret is returned by identity; what was redacted stays as it is.
 *
 * It finds forms, not meaning: no names, no addresses. Not looked at are property names, ids of entries, turns, tasks and agents, bytes of media, and reasoning and opaque parts, which nothing may edit. Linear.
 *
 * @example
 * ```ts
 * import { userMessage } from "@agent-history/core";
 * import { memoryStore } from "@agent-history/store-kit";
 * import { redactSecrets } from "@agent-history/store-kit/redaction";
 *
 * const key = new TextEncoder().encode("32 random bytes, kept elsewhere.");
 * const store = memoryStore({ beforeStore: redactSecrets({ key }) });
 * await store.append("t", [userMessage({ id: "u", content: "I am ada@example.com." })]);
 * const [entry] = (await store.read("t")).entries;
 * /^I am \[EMAIL_[0-9a-f]{6}\]\.$/.test(entry?.type === "user_message" ? String(entry.content) : "");
 * // => true
 * ```
 */
export function redactSecrets({ key, detect }: RedactSecretsOptions): RedactSecrets {
  const hashing = keyedHash(key);
  return async (value, { threadId } = { threadId: "" }) => {
    const hash = await hashing;
    const [root] = threadId.split("/");
    const redactText: Redact = async (text, name) => {
      // A password is known by its name.
      const before = `${name}="`;
      const own = findSecrets(`${before}${text}"`)
        .filter(({ from }) => from >= before.length)
        .map(({ from, to, kind }) => ({
          from: from - before.length,
          to: to - before.length,
          kind,
        }));
      const found = [...own, ...((await detect?.(text)) ?? [])].toSorted((a, b) => a.from - b.from);
      let [redacted, end] = ["", 0];
      for (const { from, to, kind } of found) {
        if (from < end) continue;
        const id = await hash([root, kind, text.slice(from, to)]);
        redacted += `${text.slice(end, from)}[${kind}_${id.slice(0, 6)}]`;
        end = to;
      }
      return found.length === 0 ? text : redacted + text.slice(end);
    };
    return redactObject(value, redactText, (name) => OWN_NAMES.has(name));
  };
}

type Redact = (text: string, name: string) => Promise<string>;

/** What an entry or a message is found by. */
const OWN_NAMES: ReadonlySet<string> = new Set(
  "id type role turnId phaseId taskId agent from".split(" "),
);

/** Bytes, and what a provider has signed. */
const BYTES: ReadonlySet<string> = new Set(
  "base64 signature thoughtSignature thought_signature encrypted_content".split(" "),
);

/** Parts that nothing may edit. */
const UNTOUCHED: ReadonlySet<unknown> = new Set([
  "reasoning",
  "thinking",
  "redacted_thinking",
  "opaque",
]);

async function redactObject<Value extends object>(
  value: Value,
  redact: Redact,
  isLeftAlone: (name: string) => boolean = () => false,
): Promise<Value> {
  if ("type" in value && UNTOUCHED.has(value.type)) return value;
  const changed = new Map<string, unknown>();
  for (const [name, one] of Object.entries(value)) {
    if (BYTES.has(name) || isLeftAlone(name)) continue;
    const other = await redactValue(one, name, redact);
    if (other !== one) changed.set(name, other);
  }
  return changed.size === 0 ? value : { ...value, ...Object.fromEntries(changed) };
}

async function redactValue(value: unknown, name: string, redact: Redact): Promise<unknown> {
  if (typeof value === "string") return value.startsWith("data:") ? value : redact(value, name);
  if (typeof value !== "object" || value === null) return value;
  if (!Array.isArray(value)) return redactObject(value, redact);
  const list = await Promise.all(value.map(async (one: unknown) => redactValue(one, name, redact)));
  return list.some((one, nth) => one !== value[nth]) ? list : value;
}
