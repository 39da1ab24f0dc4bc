import {
  BREAK_DEFINITION,
  breakCost,
  cacheReport,
  joinCacheReports,
  sessionMeter,
} from "@agent-history/transcripts";

import { cacheTables } from "../cache-tables.ts";
import type { PricedBreak } from "../cache-tables.ts";
import type { CliContext } from "../cli-context.ts";
import { findSessions } from "../find-sessions.ts";
import { dollarsText, shareText, tokensText } from "../number-text.ts";
import { readSessions } from "../read-sessions.ts";
import { redactor } from "../redactor.ts";
import { pricesOf, rowLimit } from "../session-options.ts";
import type { SessionOptions } from "../session-options.ts";
import { wrapProse } from "../wrap-prose.ts";

/** Says what broke the prompt cache of sessions, why, and what it cost. */
export async function explainCache(
  context: CliContext,
  wanted: string | undefined,
  options: SessionOptions,
): Promise<void> {
  const limit = rowLimit(options);
  const prices = await pricesOf(options);
  const hide = redactor(options.redact === true);
  const found = await findSessions(context, options, wanted);
  // What a rewind kept is estimated by its length.
  const counter = { countEntry: (entry: object) => JSON.stringify(entry).length / 4 };
  const read = await readSessions(context, found, {
    meter: () => sessionMeter(counter),
    entries: true,
  });
  const reports = read.flatMap(({ session, results }) =>
    results.map((measured) => ({ session, report: cacheReport(measured) })),
  );
  const all = joinCacheReports(reports.map(({ report }) => report));
  const breaks: readonly PricedBreak[] = reports.flatMap(({ session, report }) =>
    report.breaks.map((one) => {
      const cost = breakCost(one, prices);
      const sessionId = hide.session(session.sessionId);
      const call = { ...one.call, id: hide.id(one.call.id) };
      const previous = { ...one.previous, id: hide.id(one.previous.id) };
      return { sessionId, ...one, call, previous, ...(cost !== undefined && { cost }) };
    }),
  );
  if (options.json) {
    const json = { definition: BREAK_DEFINITION, prices: prices.asOf, ...all, breaks };
    context.write(`${JSON.stringify(json, undefined, 2)}\n`);
    return;
  }
  const written = all.usage.cacheWriteTokens + all.usage.inputTokens;
  const cost = breaks.reduce((sum, one) => sum + (one.cost ?? 0), 0);
  context.write(
    wrapProse(context.columns, [
      `${all.calls} calls read ${shareText(all.readShare, 1)} of their prompt tokens from the cache.`,
      `${breaks.length} of ${all.eligible} eligible calls were breaks: ${tokensText(all.rewrittenTokens)} tokens were written again (${shareText(all.rewrittenTokens, written)} of all that was not read), ${dollarsText(cost)} more than reading them, at list prices of ${prices.asOf}.`,
      `The log names a cause for ${all.falseCauses} calls that were no break.`,
    ]),
  );
  context.write(cacheTables(context, breaks, limit));
  context.write(`\n${wrapProse(context.columns, [BREAK_DEFINITION])}`);
}
