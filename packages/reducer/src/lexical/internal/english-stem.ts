import { stemmer } from "stemmer";

import { IRREGULAR_FORMS } from "./irregular-forms.ts";

/** Reduces an English word to its stem: Porter's algorithm, after the forms that no rule makes (`bought`, `children`). */
export function englishStem(word: string): string {
  return stemmer(IRREGULAR_FORMS.get(word) ?? word);
}
