import { waysToKeep, waysWithModel } from "../compaction/ways-to-keep.ts";
import { readBeamDialogues } from "../messages/beam-dialogues.ts";
import { generatedDialogues, readDialogues } from "../messages/dialogue.ts";
import { readConversations } from "../messages/read-conversations.ts";
import type { ResultTable } from "../report/result-table.ts";
import { allSystems, peerSummaries } from "../systems/all-systems.ts";
import type { PeerSummary } from "../systems/all-systems.ts";
import { loadEmbed } from "../systems/embeddings.ts";
import { lexical, lexicalByLength, newestFirst, plainBm25 } from "../systems/rankers.ts";
import { cacheOf, cacheTable } from "./cache.ts";
import { brokenCanaries, canaryFigures, canaryTable } from "./canaries.ts";
import { brokenColds, coldPublished, coldTable } from "./cold.ts";
import { compactionFigures, compactionTable, recordedCompactions } from "./compaction.ts";
import { correctTable, generatedCases, judge, recordedCases } from "./correct.ts";
import type { Case } from "./correct.ts";
import { evidenceOf, evidenceTable } from "./evidence.ts";
import { fittedEvidence, fittedEvidenceTable } from "./fitted-evidence.ts";
import type { FittedFigures } from "./fitted-evidence.ts";
import { hybridFigures, hybridTable } from "./hybrid.ts";
import type { HybridFigures, Sources } from "./hybrid.ts";
import { brokenManagers, managerAll, managerTable } from "./manager.ts";
import { codingSessions, maskingFigures, maskingTable } from "./masking.ts";
import { measureCall } from "./measure-call.ts";
import { measureCount } from "./measure-count.ts";
import { measureFit } from "./measure-fit.ts";
import { measureStore } from "./measure-store.ts";
import type { Measured, MeasureOptions } from "./measured.ts";
import { measurePackages } from "./packages.ts";
import { placedFacts, placedFactsTable, readPlacedFacts } from "./placed-facts.ts";
import { measureReasoning } from "./reasoning.ts";
import { recalledEvidence, recalledEvidenceTable } from "./recalled-evidence.ts";
import type { RecalledFigures } from "./recalled-evidence.ts";
import { brokenSessions, sessionsAll, sessionsTable } from "./sessions.ts";
import { sizeOfOurs, sizeOfPeers, sizeTable } from "./size.ts";
import { brokenStages, stagesAll, stagesTable } from "./stages.ts";
import { summaryLine, windowTables } from "./windows-table.ts";
import { WINDOWS, generatedConversations, measureWindows } from "./windows.ts";
import type { WindowFigures } from "./windows.ts";

type Part = (options: MeasureOptions) => Promise<Measured>;

const PARTS: Readonly<Record<string, Part>> = {
  fit: measureFit,
  call: measureCall,
  correct: measureCorrect,
  windows: measureAllWindows,
  evidence: measureEvidence,
  hybrid: measureHybrid,
  cache: measureCache,
  reasoning: measureReasoning,
  compaction: measureCompaction,
  count: measureCount,
  store: measureStore,
  manager: measureManager,
  stages: measureStages,
  sessions: measureSessions,
  cold: measureCold,
  size: measureSize,
  packages: measurePackages,
};

/** What is measured only where it is asked for by name: the first downloads weights and takes half an hour, as the second does without, the third is the packages' own. */
export const ON_REQUEST: ReadonlySet<string> = new Set(["hybrid", "reasoning", "packages"]);

/** The parts by the names that `--only` takes. */
export const PART_NAMES: readonly string[] = Object.keys(PARTS);

/** Measures the parts asked for, one after the other, and shows each table when it is there. */
export async function measureParts(
  names: readonly string[],
  options: MeasureOptions,
  onTable: (table: ResultTable) => void,
): Promise<Required<Measured>> {
  const unknown = names.find((name) => !PART_NAMES.includes(name));
  if (unknown !== undefined) {
    throw new Error(`Expected parts of ${PART_NAMES.join(", ")}, got ${unknown}.`);
  }
  const tables: ResultTable[] = [];
  const broken: string[] = [];
  for (const name of names) {
    const measured = await PARTS[name]?.(options);
    measured?.tables.forEach(onTable);
    tables.push(...(measured?.tables ?? []));
    broken.push(...(measured?.broken ?? []));
  }
  return { tables, broken };
}

async function measureCorrect({ isQuick, withPeers, data }: MeasureOptions): Promise<Measured> {
  const systems = (await allSystems({ withPeers })).filter(({ isUncached }) => isUncached !== true);
  const kinds: (readonly [title: string, cases: readonly Case[]])[] = [
    ["generated conversations", generatedCases(isQuick ? 16 : 1000)],
    ...(data === undefined ? [] : [["recorded conversations", recordedCases(data)] as const]),
  ];
  const tables: ResultTable[] = [];
  const broken: string[] = [];
  for (const [kind, cases] of kinds) {
    const figures = [];
    for (const system of systems) figures.push(await judge(system, cases));
    tables.push(
      correctTable(`Correct: ${kind}, ${cases.length.toLocaleString("en")} cases`, figures),
    );
    for (const { system, faults } of figures) {
      if (!system.startsWith("agent-history")) continue;
      const found = Object.entries(faults).filter(([, count]) => count > 0);
      broken.push(...found.map(([fault, count]) => `${system}: ${fault} in ${count} cases.`));
    }
  }
  return { tables, broken };
}

async function measureAllWindows({ isQuick, data }: MeasureOptions): Promise<Measured> {
  const conversations =
    data === undefined ? generatedConversations(isQuick ? 10 : 200) : readConversations(data);
  const windows = isQuick ? [500, 2000] : WINDOWS;
  const figures: WindowFigures[] = [];
  for (const [source, some] of Map.groupBy(conversations, (one) => one.source)) {
    const measured = measureWindows(some, windows);
    figures.push(...measured);
    // All of them take many minutes.
    if (!isQuick) console.error(`windows, ${source}: ${summaryLine(measured)}`);
  }
  const rules = new Set(figures.flatMap(({ broken }) => Object.keys(broken)));
  return {
    tables: windowTables(figures),
    broken: [...rules].map((rule) => `agent-history at some window: ${rule}.`),
  };
}

async function measureEvidence({ isQuick, data }: MeasureOptions): Promise<Measured> {
  const generated = [["generated dialogues", generatedDialogues(isQuick ? 1 : 5)]] as const;
  const recorded = data === undefined ? [] : recordedDialogues(data);
  const sources = (data === undefined ? generated : recorded).filter(
    ([, dialogues]) => dialogues.length > 0,
  );
  const ranked = sources.map(([source, dialogues]) => {
    const rankers = [newestFirst, plainBm25, lexical, lexicalByLength];
    return evidenceTable(
      source,
      rankers.map((ranker) => evidenceOf(ranker, dialogues)),
    );
  });
  const fitted: FittedFigures[] = [];
  const recalled: RecalledFigures[] = [];
  for (const [source, dialogues] of sources) {
    fitted.push(...(await fittedEvidence(source, dialogues)));
    for (const [asking, ways] of WAYS) {
      const quick = isQuick && { ways: ["defaults"] as const, sizes: [2000] };
      recalled.push(...(await recalledEvidence({ source, dialogues, asking, ways, ...quick })));
    }
  }
  return { tables: [...ranked, fittedEvidenceTable(fitted), recalledEvidenceTable(recalled)] };
}

const WAYS = [
  [
    "a question after every 5 messages",
    [
      "defaults",
      "nothing quoted where no question is asked (a perfect gate)",
      "firstRequestShare: 0.1",
      'recall: "on-cut"',
      'recall: "every-turn"',
    ],
  ],
  ["one question after another", ["defaults", "firstRequestShare: 0.1"]],
] as const;

async function measureHybrid({ isQuick, data }: MeasureOptions): Promise<Measured> {
  if (isQuick || data === undefined) return { tables: [] };
  const show = (one: HybridFigures): void => console.error(JSON.stringify(one));
  const figures = await hybridFigures(recordedDialogues(data), await loadEmbed(), show);
  return { tables: [hybridTable(figures)] };
}

function recordedDialogues(data: string): Sources {
  return [
    ["LoCoMo", readDialogues(data)],
    ["BEAM", readBeamDialogues(data)],
  ];
}

async function measureCache({ isQuick, withPeers }: MeasureOptions): Promise<Measured> {
  const systems = await allSystems({ withPeers });
  const size = { turns: isQuick ? 60 : 1000, windowTokens: isQuick ? 2000 : 8000 };
  const figures = [];
  // Those that tokenize every message stateless at every turn would take hours for the same answer.
  for (const system of systems.filter(({ isUncached }) => isUncached !== true)) {
    figures.push(await cacheOf(system, size));
  }
  return { tables: [cacheTable(figures)] };
}

/** Planted statements need nothing; what was needed is known of recorded work only. */
async function measureCompaction({ isQuick, withPeers, data }: MeasureOptions): Promise<Measured> {
  const peers = withPeers ? await peerSummaries() : {};
  const seed = Date.now() % 1_000_000;
  const progressive = Object.entries(peers).filter(([name]) => name.startsWith("LangChain"));
  const canaries = await canaryFigures(
    seed,
    isQuick ? [0.3] : [0.1, 0.2, 0.3],
    Object.fromEntries(progressive),
  );
  const planted = { tables: [canaryTable(canaries, seed)], broken: brokenCanaries(canaries) };
  if (data === undefined) return planted;
  const recorded = await measureRecordedCompactions(data, isQuick, peers);
  const conversations = readPlacedFacts(data);
  const placed =
    conversations.length === 0
      ? []
      : [placedFactsTable(placedFacts(conversations, [400, 1500, 4000, 9000]))];
  return {
    tables: [...planted.tables, ...placed, ...recorded.tables],
    broken: [...planted.broken, ...(recorded.broken ?? [])],
  };
}

async function measureRecordedCompactions(
  data: string,
  isQuick: boolean,
  peers: Readonly<Record<string, PeerSummary>>,
): Promise<Measured> {
  const needed = await recordedCompactions(data);
  const sessions = codingSessions(data);
  if (needed.length === 0 && sessions.length === 0) return { tables: [] };
  const windows = isQuick ? [100_000] : [32_000, 100_000];
  const masking = await maskingFigures(sessions, windows);
  const ways = { ...waysToKeep, ...waysWithModel(peers) };
  const shares = isQuick ? [0.25] : [1, 0.5, 0.25];
  const figures = await compactionFigures(needed, shares, { ways });
  const ofCodex = await recordedCompactions(data, "codex");
  const codex = await compactionFigures(ofCodex, shares, { ways, ownTokens: CODEX_TOKENS });
  const broken = [...figures, ...codex]
    .filter(({ way, overCap }) => way.startsWith("agent-history") && overCap > 0)
    .map(({ overCap }) => `agent-history: ${overCap} summaries over their cap.`);
  const isBelow = masking.filter(
    ({ way, used, prefix }) => way === "masking" && (used < 0.75 || prefix < 0.85),
  );
  for (const { contextTokens } of isBelow)
    broken.push(`masking at ${contextTokens} tokens: used below 75%, or prefix below 85%.`);
  const tables = [compactionTable(figures), compactionTable(codex, ABOUT_CODEX)];
  return { tables: [...tables, maskingTable(masking)], broken };
}

/** The median of the other agent's summaries: what Codex writes itself is encrypted. */
const CODEX_TOKENS = 2770;
const ABOUT_CODEX = `Codex; of the agent's own compaction only the messages of persons can be read, the rest is encrypted. Every way has the given share of ${CODEX_TOKENS} tokens.`;

async function measureManager(options: MeasureOptions): Promise<Measured> {
  const { isQuick, withPeers, withRedis } = options;
  const size = isQuick
    ? { lengths: [100, 200], repeats: 2 }
    : { lengths: [1000, 10_000, 100_000], repeats: 20 };
  const figures = await managerAll({ ...size, withPeers, withRedis });
  return { tables: [managerTable(figures)], broken: isQuick ? [] : brokenManagers(figures) };
}

async function measureStages({ isQuick }: MeasureOptions): Promise<Measured> {
  const figures = await stagesAll(isQuick ? 10_000 : 100_000, isQuick ? 2 : 15);
  return { tables: [stagesTable(figures)], broken: isQuick ? [] : brokenStages(figures) };
}

async function measureSessions({ isQuick }: MeasureOptions): Promise<Measured> {
  const flags = process.execArgv.filter((flag) => flag.startsWith("--conditions"));
  const sizes = isQuick ? { homeBytes: 1e6, fileBytes: 2e6 } : { homeBytes: 1e8, fileBytes: 5e8 };
  const figures = await sessionsAll({ ...sizes, repeats: isQuick ? 2 : 5, flags });
  return { tables: [sessionsTable(figures)], broken: isQuick ? [] : brokenSessions(figures) };
}

async function measureCold({ isQuick }: MeasureOptions): Promise<Measured> {
  const figures = await coldPublished(isQuick ? 1 : 10);
  return { tables: [coldTable(figures)], broken: isQuick ? [] : brokenColds(figures) };
}

async function measureSize({ withPeers }: MeasureOptions): Promise<Measured> {
  const figures = [...(await sizeOfOurs()), ...(withPeers ? await sizeOfPeers() : [])];
  return { tables: [sizeTable(figures)] };
}
