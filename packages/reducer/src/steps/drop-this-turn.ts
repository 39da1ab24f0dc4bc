import { shortenMessages } from "../internal/shorten-messages.ts";
import type { ReductionStep } from "../reduction-step.ts";
import { drops } from "./drop-old-messages.ts";
import { isUpload } from "./share-uploads.ts";

/** Makes the step that shortens long answers and reports of this turn, then drops its finished exchanges and messages but for the question, oldest first. */
export function dropThisTurn(): ReductionStep {
  return {
    name: "drop-this-turn",
    *propose(situation) {
      yield* shortenMessages(situation, {
        of: ({ isOfThisTurn }) => isOfThisTurn,
        types: ["assistant_message", "final", "synthesis"],
        share: 0.2,
        reason: "a long answer or report of this turn",
      });
      const finished = situation.items.filter(
        (item) => item.isOfThisTurn && !item.isProtected && !isUpload(item),
      );
      for (const isFirst of [true, false]) {
        yield* drops(
          finished.filter(({ mayGoFirst }) => mayGoFirst === isFirst),
          "finished in this turn",
        );
      }
    },
  };
}
