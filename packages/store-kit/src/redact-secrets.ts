import { keyedHash } from "./keyed-hash.ts";

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
) {
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

/** A secret in a text: the range from `from` to `to` (exclusive). */
export interface FoundSecret {
  readonly from: number;
  readonly to: number;
  /** The kind of secret in capitals, e.g. `EMAIL`. */
  readonly kind: string;
}

/** Finds secrets by patterns; the first pattern that matches wins. Matches never begin or end within an escape sequence, so that JSON stays valid. Linear. */
export function findSecrets(text: string): readonly FoundSecret[] {
  const found: FoundSecret[] = [];
  let rest = text.replaceAll(/\\+(?:[bfnrt"/]|u[\da-f]{4})?/giu, blank);
  for (const [kind, pattern, isOne = () => true] of PATTERNS) {
    const kept: string[] = [];
    let end = 0;
    for (const { indices, groups, 0: match } of rest.matchAll(pattern)) {
      const [from, to] = indices?.groups?.["secret"] ?? indices?.[0] ?? [0, 0];
      if (!isOne(groups?.["secret"] ?? match)) continue;
      found.push({ from, to, kind });
      kept.push(rest.slice(end, from), blank(rest.slice(from, to)));
      end = to;
    }
    rest = kept.join("") + rest.slice(end);
  }
  return found;
}

function blank(text: string): string {
  return " ".repeat(text.length);
}

/** A pattern; its group `secret` is redacted, or the whole match if it has no such group. `isOne` tells whether a match is a secret, by its checksum or its characters. */
type Pattern = readonly [kind: string, pattern: RegExp, isOne?: (match: string) => boolean];

const hasDigit = (text: string): boolean => /\d/u.test(text);

/** Key prefixes that the providers document; gitleaks and secretlint list the same. */
const KEYS = [
  "sk-[\\w-]{20,}", // OpenAI, Anthropic, DeepSeek, OpenRouter
  "[srp]k_(?:live|test)_\\w{16,}|whsec_\\w{20,}", // Stripe
  "A(?:KIA|SIA|BIA|CCA)[A-Z2-7]{16}", // AWS
  "AIza[\\w-]{35}|ya29\\.[\\w-]{20,}", // Google
  "gh[opsur]_\\w{36,}|github_pat_\\w{40,}", // GitHub
  "gl(?:pat|dt|rt|ptt)-[\\w-]{20,}", // GitLab
  "npm_\\w{36}|pypi-[\\w-]{50,}|dckr_pat_[\\w-]{20,}",
  "xox[abeoprs]-[\\w-]{10,}|xapp-[\\w-]{20,}", // Slack
  "SG\\.[\\w-]{16,}\\.[\\w-]{16,}", // SendGrid
  "(?:hf|gsk|r8|csk)_\\w{30,}|(?:xai|pplx|tvly|nvapi|fw)-[\\w-]{30,}", // providers of models
  "(?:dop|doo|dor)_v1_[a-f0-9]{64}|shp(?:at|ss|ca|pa)_[a-fA-F0-9]{32}",
  "(?:lin_api|figd|sntrys|ntn|secret)_[\\w-]{32,}|SK[a-f0-9]{32}|AC[a-f0-9]{32}",
  "\\d{8,10}:AA[\\w-]{33}", // Telegram
];

const NAMES =
  "pass(?:word|wort|wd|phrase)|(?<=[_-])pass|pwd|secret|credential|(?:api|access|auth|private|secret|account)[_-]?(?:key|token)|token";

const PATTERNS: readonly Pattern[] = [
  [
    "PRIVATE_KEY",
    /-----BEGIN (?:[A-Z]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----(?:[\w+/=\s:,.]|-(?!-)){0,20000}?-----END (?:[A-Z]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----/dgu,
  ],
  ["KEY", new RegExp(`(?<![\\w-])(?:${KEYS.join("|")})(?![\\w-])`, "dgu"), hasDigit],
  ["TOKEN", /(?<!\w)eyJ[\w-]{10,}\.eyJ[\w-]{10,}(?:\.[\w-]{0,2000})?/dgu],
  ["TOKEN", /\b(?:bearer|basic)\s{1,4}(?<secret>[\w.~+/-]{16,}={0,2})/dgiu, hasDigit],
  ["PASSWORD", /:\/\/[^\s:@/"'`\\]{0,64}:(?<secret>[^\s:@/"'`\\[{}$]{3,128})@/dgu],
  // An assignment in code, settings or a query string: a quoted value, or (next pattern) a word with a digit.
  [
    "PASSWORD",
    new RegExp(
      `(?:${NAMES})\\w{0,20}\\\\?["'\`]?\\s{0,16}(?:=>?|:)\\s{0,16}\\\\?["'\`](?<secret>[^\\s"'\`\\\\[\\]{}$<>]{6,200})\\\\?["'\`]`,
      "dgiu",
    ),
    (match) => hasDigit(match) || /[^\w.:/-]/u.test(match),
  ],
  [
    "PASSWORD",
    new RegExp(
      `(?:${NAMES})\\w{0,20}\\s{0,16}(?:=|:)\\s{0,16}(?<secret>(?:[^\\s"'\`\\\\[\\](){}$<>,;&|]|&(?!\\w+=)){8,200})`,
      "dgiu",
    ),
    (match) => /\d/u.test(match) && /[a-z]/iu.test(match) && !/[:/]|\.[a-z]|^0x/iu.test(match),
  ],
  // A sentence such as "the password is …".
  [
    "PASSWORD",
    /\b(?:password|passphrase|passwort|pin|secret|code) (?:is|was|ist|war|lautet):? {1,2}(?<secret>[^\s"'`\\[\](){}<>,;]{4,100}[^\s"'`\\[\](){}<>,;.!?])/dgiu,
    hasDigit,
  ],
  [
    "EMAIL",
    /(?<![\w.+-])(?!git@)[\w.+-]{1,64}@(?!\d+\.\d)(?:[a-z0-9-]{1,63}\.){1,8}[a-z]{2,24}(?![\w-])/dgiu,
  ],
  [
    "CARD",
    /(?<![\w.-])(?:4\d{3}|5[1-5]\d\d|2[2-7]\d\d|3[4-7]\d\d|6\d{3})(?:[ -]?\d{2,6}){2,4}(?![\w-])/dgu,
    isCard,
  ],
  ["IBAN", /(?<!\w)[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?(?!\w)/dgu, isIban],
  [
    "PHONE",
    /(?<![\w+.-])(?:\+[1-9]\d{0,2}(?:[ ./-]{0,2}\(?\d{1,5}\)?){2,5}|\(\d{3}\) ?\d{3}-\d{4}|\d{3}-\d{3}-\d{4})(?![\w-])/dgu,
    (match) => /^\D*(?:\d\D*){9,15}$/u.test(match),
  ],
];

/** Checks the length and the Luhn check digit. */
function isCard(match: string): boolean {
  const digits = Array.from(match.replaceAll(/\D/gu, ""), Number).toReversed();
  const doubled = [0, 2, 4, 6, 8, 1, 3, 5, 7, 9];
  const sum = digits.reduce(
    (total, digit, nth) => total + (nth % 2 === 0 ? digit : (doubled[digit] ?? 0)),
    0,
  );
  return digits.length >= 14 && digits.length <= 19 && sum % 10 === 0;
}

/** Checks the length and the check digits of ISO 13616 (modulo 97). */
function isIban(match: string): boolean {
  const text = match.replaceAll(" ", "");
  const digits = Array.from(text.slice(4) + text.slice(0, 4), (char) => Number.parseInt(char, 36));
  return text.length >= 15 && BigInt(digits.join("")) % 97n === 1n;
}
