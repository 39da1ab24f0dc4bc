/** How the offline model begins the tasks it gives: "Find the passages that answer: …" */
const INSTRUCTION = /^(?:Find|Read|Search) .*?\banswers?: /s;

/** The words of a task without what is to be done with them. */
export function requestOf(task: string): string {
  return task.replace(INSTRUCTION, "").trim();
}

/** What is to be done: the beginning of a task, empty where it is nothing but a question. */
export function instructionOf(task: string): string {
  return INSTRUCTION.exec(task)?.[0] ?? "";
}
