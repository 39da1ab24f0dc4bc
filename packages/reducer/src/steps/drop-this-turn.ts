import type { ReductionStep } from "../reduction-step.ts";
import { drops } from "./drop-old-messages.ts";
import { isUpload } from "./share-uploads.ts";

/** Makes the step that drops this turn's finished exchanges and messages but for the question, oldest first. */
export function dropThisTurn(): ReductionStep {
  return {
    name: "drop-this-turn",
    *propose({ items }) {
      const finished = items.filter(
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
