import { shareOption } from "../../internal/share-option.ts";
import { namedFailure } from "../../internal/step-failed.ts";
import type { Tells } from "./recall-settings.ts";

/** A caller's function that tells a share: what it throws, and what is no share, is a failure of the option that it came by. */
export function told(option: string, tell: (text: string) => unknown): Tells {
  return (text) => {
    let share: number;
    try {
      share = Number(tell(text));
    } catch (cause) {
      throw namedFailure(option, cause);
    }
    return shareOption(option, share, true);
  };
}

/** Tells 1 where a caller's pattern is found, 0 elsewhere. */
export function finds(option: string, pattern: RegExp = /(?!)/u): Tells {
  return told(option, (text) => text.search(pattern) >= 0);
}
