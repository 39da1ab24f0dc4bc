import { firstSources, headAndTail, proposeResults } from "../internal/propose-results.ts";
import type { ReductionItem, ReductionStep } from "../reduction-step.ts";

/** Makes the last resort: results of the running exchange lose sources, are shortened again and again, and cleared in the end. */
export function shrinkRunningResults(): ReductionStep {
  return {
    name: "shrink-running-results",
    isLastResort: true,
    *propose(situation) {
      const of = ({ isRunning }: { isRunning: boolean }): boolean => isRunning;
      const reason = "nothing older is left to give";
      const most = Math.max(0, ...situation.items.filter(of).flatMap(sourceCounts));
      for (
        let count = Math.ceil(most / 2);
        count >= 1 && count < most;
        count = Math.floor(count / 2)
      ) {
        yield* proposeResults(situation, {
          of,
          edit: (entry) => firstSources(entry, count),
          reason,
        });
      }
      const longest = Math.max(0, ...situation.items.filter(of).map(({ tokens }) => tokens * 8));
      for (let characters = longest; characters >= 40; characters = Math.floor(characters / 2)) {
        yield* proposeResults(situation, { of, edit: () => headAndTail(characters), reason });
      }
      yield* proposeResults(situation, { of, edit: () => ({ clear: true }), reason });
    },
  };
}

function sourceCounts({ entries }: ReductionItem): readonly number[] {
  return entries.map((entry) => (entry.type === "observation" ? (entry.sources ?? []).length : 0));
}
