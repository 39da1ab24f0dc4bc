/** Puts a list below a text; neither is changed. */
export function appendList(text: string, list: string): string {
  if (list === "" || text === "") return text + list;
  return `${text}\n${list}`;
}
