import { keyedHash } from "./keyed-hash.ts";
import { findSecrets } from "./secret-patterns.ts";
import type { FoundSecret } from "./secret-patterns.ts";

export type { FoundSecret } from "./secret-patterns.ts";

/** Options of `redactSecrets`. */
export interface RedactSecretsOptions {
  /** Random bytes, 32 or more. Store them: with another key, the same secret gets another placeholder. */
  readonly key: Uint8Array;
  /** Finds further secrets in a text, e.g. with your own pattern or a library. Default: none. */
  readonly detect?:
    | ((text: string) => readonly FoundSecret[] | Promise<readonly FoundSecret[]>)
    | undefined;
}

/** Redacts secrets in an entry, or in a message of `chatStore`. */
export type RedactSecrets = <Value extends object>(
  value: Value,
  thread?: { readonly threadId: string },
) => Promise<Value>;

/**
 * Makes a `beforeStore` that replaces secrets by placeholders: e-mail addresses, phone numbers, card numbers, IBANs, API keys and tokens, private keys, and passwords next to a name such as `password`.
 *
 * A placeholder such as `[EMAIL_3f9a2c]` is derived from a keyed hash: the same secret gets the same placeholder in a thread, its forks and all threads named below the same root, in every process. No
 * mapping is stored, and placeholders cannot be reversed. A value without secrets is returned as the same object; placeholders are not redacted again.
 *
 * It matches patterns, not meaning: it does not find names or postal addresses. It skips property names, ids of entries, turns, tasks and agents, bytes of media, and reasoning and opaque parts, which must not be edited. Linear.
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
      // A password is recognized by its property name.
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

/** Fields that identify an entry or a message. */
const OWN_NAMES: ReadonlySet<string> = new Set(
  "id type role turnId phaseId taskId agent from".split(" "),
);

/** Fields with bytes, or content signed by a provider. */
const BYTES: ReadonlySet<string> = new Set(
  "base64 signature thoughtSignature thought_signature encrypted_content".split(" "),
);

/** Types of parts that must not be edited. */
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
