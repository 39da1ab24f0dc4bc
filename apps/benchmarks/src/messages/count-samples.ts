import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { generateHistory, prose } from "./generate-history.ts";
import { seededRandom } from "./random.ts";
import type { Random } from "./random.ts";

const root = fileURLToPath(new URL("../../../../", import.meta.url));

/** Longer texts are counted in parts of this many characters. */
const PART = 4000;

/** The kinds of text that are counted, each of about so many characters. */
export function countSamples(characters: number): ReadonlyMap<string, readonly string[]> {
  const random = seededRandom(9);
  const made = (make: () => string): readonly string[] =>
    Array.from({ length: Math.ceil(characters / PART) }, make);
  const kinds: readonly (readonly [string, readonly string[]])[] = [
    [
      "English: this repository's pages",
      proseOf("{*.md,docs/**/*.md,{packages,apps}/*/*.md,packages/*/docs/*.md}"),
    ],
    ["code: this repository's sources", filesOf("packages/*/src/*.ts")],
    ["JSON: generated records", made(() => records(random))],
    ["Chinese: generated sentences", made(() => sentences(random))],
    [MIX, mixed(characters / 10)],
  ];
  return new Map(kinds.map(([kind, texts]) => [kind, partsOf(texts, characters)]));
}

/** What tiktoken takes quadratic time for. */
const MIX = "a mix with unbroken runs: generated conversations";

function partsOf(texts: readonly string[], characters: number): readonly string[] {
  const parts = texts.flatMap((text) => text.match(new RegExp(`[^]{1,${PART}}`, "g")) ?? []);
  return parts.slice(0, Math.ceil(characters / PART));
}

function filesOf(pattern: string): readonly string[] {
  const files = globSync(pattern, { cwd: root }).toSorted();
  return files.map((file) => readFileSync(join(root, file), "utf8"));
}

/** Neither tables nor code. */
function proseOf(pattern: string): readonly string[] {
  return filesOf(pattern).map((page) =>
    page.replaceAll(/^```[^]*?^```/gm, "").replaceAll(/^\|.*$/gm, ""),
  );
}

function records(random: Random): string {
  const rows = Array.from({ length: 24 }, () => ({
    id: hex(random, 12),
    createdAt: new Date(1_700_000_000_000 + random.below(1e9) * 60).toISOString(),
    name: prose(random, 3),
    price: random.below(100_000) / 100,
    tags: [prose(random, 1), hex(random, 4)],
    isOpen: random.below(2) === 0,
  }));
  return JSON.stringify(rows, undefined, random.below(3));
}

function hex(random: Random, digits: number): string {
  return Array.from({ length: digits }, () => random.below(16).toString(16)).join("");
}

const CHINESE =
  "我们 今天 需要 检查 这个 文件 的 内容 因为 系统 返回 了 一个 错误 请 先 运行 测试 然后 再 提交 代码 如果 没有 问题 就 可以 继续 下一步 用户 希望 知道 明天 北京 天气 怎么样 价格 比 上个月 高 百分之五 会议 改到 星期三 下午 数据库 连接 超时 重新 启动 服务器 以后 恢复 正常".split(
    " ",
  );

function sentences(random: Random): string {
  return Array.from({ length: 200 }, () => {
    const words = Array.from(
      { length: 4 + random.below(9) },
      () => CHINESE[random.below(CHINESE.length)],
    );
    return `${words.join("")}${random.pick(["，", "，", "。", "！", "、"])}`;
  }).join("");
}

/** Of conversations whose Chinese characters and JSON may come without a break for thousands of characters: tiktoken takes quadratic time for these. */
function mixed(characters: number): readonly string[] {
  const texts: string[] = [];
  for (let seed = 500, left = characters; left > 0; seed += 1) {
    for (const { content } of generateHistory(seed)) {
      if (content === null || content === "") continue;
      texts.push(content);
      left -= content.length;
    }
  }
  return texts;
}
