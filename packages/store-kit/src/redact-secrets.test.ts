import { observation, userMessage } from "@agent-history/core";
import { describe, expect, it } from "vitest";

import { memoryDriver, memoryStore } from "./memory-store.ts";
import type { MemoryThreads } from "./memory-store.ts";
import { redactSecrets } from "./redact-secrets.ts";
import { threadStore } from "./thread-store.ts";

const key = new Uint8Array(32).fill(7);
const redact = redactSecrets({ key });
const redacted = async (text: string): Promise<string> => (await redact({ text })).text;

/** Repeatable: the figures of the guide *Privacy* are these. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const DIGITS = "0123456789";
const WORD = LETTERS + DIGITS;

/** Secrets by kind, as people and tools write them; and what only looks like one. */
function planter(seed: number) {
  const next = random(seed);
  const pick = (list: readonly string[] | string): string =>
    list[Math.floor(next() * list.length)] ?? "";
  const chars = (count: number, from = WORD): string =>
    Array.from({ length: count }, () => pick(from)).join("");
  const luhn = (digits: string): string =>
    Array.from(DIGITS)
      .map((last) => digits + last)
      .find((one) => isLuhn(one)) ?? digits;
  const name = (): string => pick(["ada", "bo.li", "c_d", "eve+x", "Zoë"]);
  const password = (): string =>
    `${chars(5)}${chars(2, DIGITS)}${pick(["", "!", "&x", "#", "%"])}${chars(3)}`;
  // A text, and what of it must go if that is not all.
  const secrets: Readonly<Record<string, () => string | readonly [string, string]>> = {
    EMAIL: () =>
      `${pick(["ada", "bo.li", "c_d", "eve+x"])}${chars(3, DIGITS)}@${chars(6, LETTERS)}.${pick(["com", "co.uk", "de", "museum"])}`,
    PHONE: () =>
      pick([
        `+49 ${chars(3, "123456789")} ${chars(7, DIGITS)}`,
        `+1 ${chars(3, "23456789")}-${chars(3, DIGITS)}-${chars(4, DIGITS)}`,
        `(${chars(3, "23456789")}) ${chars(3, DIGITS)}-${chars(4, DIGITS)}`,
        `+33${chars(9, "123456789")}`,
        `0${chars(3, "123456789")} ${chars(7, DIGITS)}`,
      ]),
    CARD: () => {
      const digits = luhn(`4${chars(14, DIGITS)}`);
      return pick([digits, digits.replaceAll(/\d{4}(?=\d)/gu, "$& ")]);
    },
    IBAN: () =>
      pick([
        "DE89370400440532013000",
        "GB29 NWBK 6016 1331 9268 19",
        "FR14 2004 1010 0505 0001 3M02 606",
      ]),
    KEY: () =>
      pick([
        `sk-proj-${chars(48)}1`,
        `sk-ant-api03-${chars(90)}7AA`,
        `AKIA${chars(16, "ABCDEFGHIJKLMNOP234567")}`,
        `ghp_${chars(36)}`,
        `github_pat_${chars(22)}_${chars(59)}`,
        `glpat-${chars(19)}1`,
        `xoxb-${chars(12, DIGITS)}-${chars(24)}`,
        `AIza${chars(35)}`,
        `sk_live_${chars(24)}`,
        `SG.${chars(22)}.${chars(43)}`,
        `hf_${chars(34)}`,
        `npm_${chars(36)}`,
      ]),
    TOKEN: () => {
      const token = `eyJ${chars(30)}.eyJ${chars(60)}.${chars(43)}`;
      const bearer = `${chars(39)}4`;
      return next() < 0.5 ? token : [`Bearer ${bearer}`, bearer];
    },
    PRIVATE_KEY: () => {
      const line = chars(64);
      const pem = `-----BEGIN PRIVATE KEY-----\n${line}\n${chars(64)}\n-----END PRIVATE KEY-----`;
      return [pem, line];
    },
    PASSWORD: () => {
      const one = password();
      const write = pick([
        `password: "${one}"`,
        `DB_PASSWORD=${one}`,
        `client_secret = '${one}'`,
        `postgres://app:${one.replaceAll(/\W/gu, "")}@db:5432/app`,
        `My password is ${one}.`,
        `the secret is ${one}`,
        `log in with ${name()} / ${one}`,
      ]);
      return [write, one.replaceAll(/\W.*/gu, "")];
    },
  };
  const lookalikes: readonly (() => string)[] = [
    () => crypto.randomUUID(),
    () => chars(40, "abcdef0123456789"),
    () => `sha256:${chars(64, "abcdef0123456789")}`,
    () => `${1_600_000_000_000 + Math.floor(next() * 1e11)}`,
    () => "2024-05-06T07:08:09.123Z",
    () => `react@${chars(2, DIGITS)}.1.0`,
    () => `git@github.com:${chars(5)}/${chars(8)}.git`,
    () => `10.0.${chars(2, "123456789")}.7:8080`,
    () =>
      `password: ${pick(["string", "z.string()", "process.env.DB_PASSWORD", "options.password"])}`,
    () => `token = ${pick(["await getToken()", "tokens[0]", "null"])}`,
    () => `max_tokens=${chars(5, DIGITS)}`,
    () => `order ${chars(12, "123456789")}`,
    () => `sk-${pick(["circle", "folding-cube", "cube-grid"])}-wrapper`,
    () => `import { a } from "@${chars(4)}/${chars(6)}";`,
    () => `@@ -${chars(3, "123456789")},7 +${chars(3, "123456789")},9 @@`,
    () => `const ${chars(6, LETTERS)} = ${chars(3)} + ${chars(9, DIGITS)};`,
    () => `data-testid="${chars(5)}-password-input"`,
    () => `/home/${chars(5)}/.config/token.json:12:3`,
    () => `https://example.com/${chars(12)}?page=${chars(3, DIGITS)}`,
    () => `${chars(4, DIGITS)}-${chars(4, DIGITS)}`,
  ];
  const carriers: readonly ((text: string) => string)[] = [
    (text) => `Please use ${text} for this.`,
    (text) => `${text}\n`,
    (text) => JSON.stringify({ step: 1, note: `see\n${text}`, ok: true }),
    (text) => JSON.stringify({ arguments: JSON.stringify({ note: `\t${text}` }) }),
    (text) => `// ${text}\nexport default run;`,
  ];
  const carried = (text: string): string => {
    const carrier = carriers[Math.floor(next() * carriers.length)];
    return carrier?.(text) ?? text;
  };
  return { secrets, lookalikes, carried };
}

function isLuhn(digits: string): boolean {
  return (
    Array.from(digits)
      .toReversed()
      .reduce((sum, digit, nth) => {
        const twice = Number(digit) * (nth % 2 === 0 ? 1 : 2);
        return sum + (twice > 9 ? twice - 9 : twice);
      }, 0) %
      10 ===
    0
  );
}

describe("redactSecrets", () => {
  it("misses few of 4,000 planted secrets of known forms, and takes few of 4,000 that only look so", async () => {
    const { secrets, lookalikes, carried } = planter(1);
    const missed: Record<string, number> = {};
    for (const [kind, make] of Object.entries(secrets)) {
      missed[kind] = 0;
      for (let nth = 0; nth < 500; nth += 1) {
        const made = make();
        const [text, secret] = typeof made === "string" ? [made, made] : made;
        const left = await redacted(carried(text));
        if (left.includes(secret) || !left.includes(`[${kind}_`)) missed[kind] += 1;
      }
    }
    const taken: string[] = [];
    for (let nth = 0; nth < 200; nth += 1)
      for (const make of lookalikes) {
        const text = carried(make());
        if ((await redacted(text)) !== text) taken.push(text);
      }
    // A phone number without a plus and a password beside no name are not known by their form.
    expect({ missed, taken: taken.length }).toEqual({
      missed: {
        EMAIL: 0,
        PHONE: 98,
        CARD: 0,
        IBAN: 0,
        KEY: 1,
        TOKEN: 0,
        PRIVATE_KEY: 0,
        PASSWORD: 81,
      },
      taken: 0,
    });
  });

  it("gives a secret one placeholder in a thread and all below its root, in every process, and others elsewhere", async () => {
    const value = { text: "I am ada@example.com; write to ada@example.com or bob@example.com." };
    const inThread = async (threadId: string) => (await redact(value, { threadId })).text;
    const first = await inThread("ada/chat");
    expect(first).toMatch(/^I am (\[EMAIL_\w{6}\]); write to \1 or (?!\1)\[EMAIL_\w{6}\]\.$/u);
    expect(await inThread("ada/chat/branch")).toBe(first);
    expect(
      (await redactSecrets({ key: new Uint8Array(key) })(value, { threadId: "ada" })).text,
    ).toBe(first);
    expect(await inThread("bob/chat")).not.toBe(first);
    expect(await redacted(first)).toBe(first);
  });

  it("keeps JSON readable, ids, bytes and reasoning as they are, and returns by identity what has no secret", async () => {
    const json = JSON.stringify({ to: "\nada@example.com", quoted: '"bob@example.com"' });
    const reasoning = {
      type: "reasoning",
      text: "ada@example.com",
      data: { signature: "x" },
    } as const;
    const entry = observation({
      id: "ada@example.com",
      callId: "c",
      toolName: "mail",
      outcome: "success",
      content: [reasoning, { type: "text", text: json }],
      metadata: { password: "hunter2-hunter2", ["__proto__"]: "eve@example.com" },
      sources: [{ id: "mailto:ada@example.com", number: 1, text: "x" }],
    });
    const changed = await redact(entry);
    expect([changed.id, changed.content[0]]).toEqual([entry.id, reasoning]);
    const { text = "" } = changed.content[1] as { readonly text?: string };
    expect(Object.keys(JSON.parse(text) as object)).toEqual(["to", "quoted"]);
    expect(JSON.stringify([text, changed.metadata, changed.sources])).not.toMatch(
      /example|hunter/u,
    );
    expect(Object.keys(changed.metadata ?? {})).toEqual(["password", "__proto__"]);
    const plain = userMessage({ content: [{ type: "text", text: "Hello" }] });
    expect(await redact(plain)).toBe(plain);
  });

  it("finds what `detect` finds, too", async () => {
    const detect = (text: string) =>
      [...text.matchAll(/Project \w+/gu)].map(({ index, 0: { length } }) => ({
        from: index,
        to: index + length,
        kind: "PROJECT",
      }));
    const { text } = await redactSecrets({ key, detect })({
      text: "Project Apollo, ada@example.com",
    });
    expect(text).toMatch(/^\[PROJECT_\w{6}\], \[EMAIL_\w{6}\]$/u);
  });

  it("as a store's `beforeStore` leaves nothing of a secret in what the engine has; a retry is one", async () => {
    const threads: MemoryThreads = new Map();
    const store = threadStore(memoryDriver(threads), {
      scope: "test",
      system: "memory",
      describe: async () => ({ kind: "memory", durability: "none", details: {} }),
      beforeStore: redact,
    });
    const entry = userMessage({ id: "u", content: "I am ada@example.com." });
    await store.append("t", [entry]);
    expect((await store.append("t", [entry])).duplicate).toBe(true);
    const text = JSON.stringify([...threads], (_, value: unknown) =>
      value instanceof Map ? [...value] : value,
    );
    expect(text).toContain("[EMAIL_");
    expect(text).not.toContain("ada@");
    expect(memoryStore({ beforeStore: redact })).toBeDefined();
  });
});
