/**
 * Strips from a model's name who serves it and what it was fine-tuned to: `openai/gpt-4o` and
 * `ft:gpt-4o:acme::7p4lURel` are `gpt-4o`.
 */
export function bareModelName(model: string): string {
  const name = model.slice(model.lastIndexOf("/") + 1).toLowerCase();
  return name.startsWith("ft:") ? (name.split(":")[1] ?? name) : name;
}
