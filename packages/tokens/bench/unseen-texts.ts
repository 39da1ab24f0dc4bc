import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../../", import.meta.url));

/** In characters. */
const LENGTH = 2000;

/** Texts of each kind, at most. */
const MOST = 360;

/** Texts of each kind, no two alike: pages and sources of this repository, and generated ones. */
export function unseenTexts(): ReadonlyMap<string, readonly string[]> {
  const next = randomBelow();
  const made = (make: () => string): readonly string[] => Array.from({ length: MOST }, make);
  const pages = filesOf("{*.md,docs/**/*.md,{packages,apps}/*/*.md}");
  // Neither tables nor code.
  const english = partsOf(pages.replaceAll(/^```[^]*?^```/gm, "").replaceAll(/^\|.*$/gm, ""));
  const hex = (): string => next(0x7fff_ffff).toString(16);
  const row = (): object => ({
    id: hex(),
    createdAt: new Date(next(0x7fff_ffff) * 800).toISOString(),
    path: `src/${hex().slice(0, 3)}/index.ts`,
    price: next(100_000) / 100,
    isOpen: next(2) === 0,
  });
  const clauseOf = (words: readonly string[], particle: string) => (): string => {
    const clause = Array.from({ length: 2 + next(4) }, () => words[next(words.length)]);
    return `${clause.join(particle)}${"，。、！"[next(4)]}`;
  };
  const chinese = clauseOf(namesIn("zh"), "的");
  const japanese = clauseOf(namesIn("ja"), "は");
  const clauses = (clause: () => string): string => Array.from({ length: 100 }, clause).join("");
  return new Map([
    ["english", english],
    ["code", partsOf(filesOf("packages/*/src/**/*.ts"))],
    ["json", made(() => JSON.stringify(Array.from({ length: 16 }, row)))],
    ["chinese", made(() => clauses(chinese))],
    ["japanese", made(() => clauses(japanese))],
    ["mixed", english.map((text) => text.replaceAll(/[,.] /g, chinese))],
  ]);
}

/** The names of countries, languages and currencies: words that an engine knows in each language. */
function namesIn(language: string): readonly string[] {
  const letters = Array.from("ABCDEFGHIJKLMNOPQRSTUVWXYZ");
  const codes = letters.flatMap((one) => letters.map((other) => `${one}${other}`));
  return (["region", "language", "currency"] as const).flatMap((type) => {
    const names = new Intl.DisplayNames(language, { type, fallback: "none" });
    const known = codes.flatMap((code) =>
      type === "currency" ? letters.map((letter) => `${code}${letter}`) : [code],
    );
    return known.flatMap((code) => names.of(code) ?? []);
  });
}

function filesOf(pattern: string): string {
  const files = globSync(pattern, { cwd: root }).toSorted();
  return files.map((file) => readFileSync(`${root}${file}`, "utf8")).join("\n");
}

function partsOf(text: string): readonly string[] {
  const count = Math.min(MOST, Math.floor(text.length / LENGTH));
  return Array.from({ length: count }, (_, nth) => text.slice(nth * LENGTH, (nth + 1) * LENGTH));
}

/** The same numbers at each run. */
function randomBelow(): (limit: number) => number {
  let state = 1;
  return (limit) => {
    state = (state * 48_271) % 0x7fff_ffff;
    return state % limit;
  };
}
