import { isInstruction } from "./entry-role.ts";
import { sameJson } from "./same-json.ts";
import type { Breach, Trial } from "./trial.ts";

/** L2: everything in its order, instructions and pins there and unchanged. */
export function judgeOrder({ fitted, before, keptIds, droppedBefore }: Trial): readonly Breach[] {
  const breaches: Breach[] = [];
  let last = -1;
  for (const { id } of fitted) {
    const index = before.indexOf.get(id) ?? last;
    if (index < last) breaches.push({ law: "L2", rule: "order changed", at: id });
    last = Math.max(last, index);
  }
  const byId = new Map(fitted.map((entry) => [entry.id, entry]));
  for (const entry of before.sound) {
    const { id } = entry;
    if (isInstruction(entry) && !sameJson(byId.get(id), entry)) {
      const rule = keptIds.has(id) ? "instruction changed" : "instruction lost";
      breaches.push({ law: "L2", rule, at: id });
    }
    if (before.pinned.has(entry) && !keptIds.has(id) && droppedBefore?.has(id) !== true) {
      breaches.push({ law: "L2", rule: "pin lost", at: id });
    }
  }
  return breaches;
}
