import type { ImagePart } from "@agent-history/core";

/** How closely the model looks. */
type Detail = NonNullable<ImagePart["detail"]>;

/** A base, and tokens for each tile of 512 pixels. */
export interface TileRule {
  readonly kind: "tile";
  readonly baseTokens: number;
  readonly tileTokens: number;
}

/** Patches of 32 pixels, times a multiplier. */
export interface PatchRule {
  readonly kind: "patch";
  readonly multiplier: number;
  readonly limits: Readonly<Record<Detail, PatchLimits>>;
}

/** What an image is shrunk to before it is cut into patches. */
export interface PatchLimits {
  readonly maxSidePixels: number;
  readonly maxPatches: number;
}

// Source of all numbers below: OpenAI, "Images and vision", "Model sizing behavior" and "Calculating costs", read in
// November 2026.
const small = { maxSidePixels: 512, maxPatches: 256 };
const high = { maxSidePixels: 2048, maxPatches: 2500 };
const large = { maxSidePixels: 6000, maxPatches: 10_000 };
// No budget; but the API refuses an image of more than 30,000 patches.
const unlimited = { maxSidePixels: 65_535, maxPatches: 30_000 };
const wide = { maxSidePixels: 2048, maxPatches: 6144 };
// The budget of the first patch models, which no later page replaces for those that are deprecated.
const first = { maxSidePixels: 2048, maxPatches: 1536 };

/** The rule of the newest models, also for those that are not known yet. */
const newestVisionRule: PatchRule = patches(1.2, {
  low: small,
  high,
  auto: unlimited,
  original: unlimited,
});

const rules: readonly (readonly [RegExp, TileRule | PatchRule])[] = [
  [/^gpt-5\.5/, patches(1.2, { low: small, high, auto: large, original: large })],
  [/^gpt-5\.4/, patches(1.2, { low: wide, high, auto: high, original: large })],
  [/^gpt-5\.[23]/, patches(1.2, everyDetail(wide))],
  [/^gpt-5\.1/, tiles(70, 140)],
  [/^gpt-5-mini/, patches(1.2, everyDetail(first))],
  [/^gpt-5-nano/, patches(1.5, everyDetail(first))],
  [/^gpt-5(?!\.)/, tiles(70, 140)],
  [/^gpt-4\.1-mini/, patches(1.62, everyDetail(wide))],
  [/^gpt-4\.1-nano/, patches(2.46, everyDetail(first))],
  [/^o4-mini/, patches(1.72, everyDetail(first))],
  [/^gpt-4o-mini/, tiles(2833, 5667)],
  [/^o[13]/, tiles(75, 150)],
  [/^(?:chatgpt-4o|gpt-4|gpt-3)/, tiles(85, 170)],
];

/** Returns the rule by which a model's images are counted. */
export function openaiVisionRule(model: string): TileRule | PatchRule {
  return rules.find(([names]) => names.test(model))?.[1] ?? newestVisionRule;
}

function tiles(baseTokens: number, tileTokens: number): TileRule {
  return { kind: "tile", baseTokens, tileTokens };
}

function patches(multiplier: number, limits: Readonly<Record<Detail, PatchLimits>>): PatchRule {
  return { kind: "patch", multiplier, limits };
}

function everyDetail(limits: PatchLimits): Readonly<Record<Detail, PatchLimits>> {
  return { low: limits, high: limits, auto: limits, original: limits };
}
