import { createPost, type Failure, isRequestFault } from './post.ts';
import type { EmbeddingSettings } from './settings.ts';

/** How many texts one request may have. */
export const embeddingTextsMax = 64;

/** Vectors in the order of their texts with the tokens that they cost, or the reason for failure. */
export type Embedded =
  | { vectors: number[][]; tokens: number }
  | ({
      vectors?: never;
      /** Whether the provider refuses these texts: others may succeed, or fewer at once. */
      isTextAtFault: boolean;
    } & Failure);

export interface Embedding {
  /** The model and the length of its vectors: vectors of different names cannot be compared. */
  name: string;
  dimensions: number;
  /** Embeds 1 to `embeddingTextsMax` texts in one request. Never throws because of the provider. */
  embed(texts: string[], timeoutMs: number): Promise<Embedded>;
}

// A number takes up to 25 characters.
const bytesPerNumber = 32;
const bytesBeside = 64 * 1024;
const charactersPerToken = 4;

/** Creates the client of the configured embedding model; undefined when none is configured. */
export function createEmbedding(settings: EmbeddingSettings): Embedding | undefined {
  const { AI_PROVIDER_API_KEY: apiKey, AI_PROVIDER_EMBEDDING_MODEL: model } = settings;
  if (!apiKey || !model) return undefined;
  const dimensions = settings.AI_PROVIDER_EMBEDDING_DIMENSIONS;
  const post = createPost(settings.AI_PROVIDER_BASE_URL, 'embeddings');
  return {
    name: `${model}:${dimensions}`,
    dimensions,
    async embed(texts, timeoutMs) {
      if (!texts.length || texts.length > embeddingTextsMax)
        throw new Error(`A request has 1 to ${embeddingTextsMax} texts, not ${texts.length}`);
      const posted = await post({
        body: { model, input: texts, dimensions, encoding_format: 'float' },
        apiKey,
        timeoutMs,
        bytesMax: texts.length * dimensions * bytesPerNumber + bytesBeside,
      });
      if (posted.text === undefined) return { ...posted, isTextAtFault: isRequestFault(posted.status) };
      return readEmbeddings(posted.text, texts, dimensions);
    },
  };
}

/** About how many tokens texts have, for a provider that does not tell and before it does. */
export function estimatedTokens(texts: string[]): number {
  return texts.reduce((sum, { length }) => sum + Math.ceil(length / charactersPerToken), 0);
}

interface Reply {
  data?: { index?: unknown; embedding?: unknown }[];
  usage?: { total_tokens?: unknown };
}

/** Accepts only a reply with one vector of the right length for each text: a part of a batch would be paid for twice. */
function readEmbeddings(body: string, texts: string[], dimensions: number): Embedded {
  const failed = (why: string, isDown = false): Embedded => ({ why, isDown, isTextAtFault: false });
  let reply: Reply | null;
  try {
    reply = JSON.parse(body);
  } catch {
    return failed('response is not JSON', true);
  }
  if (!Array.isArray(reply?.data)) return failed('response has no data');
  if (reply.data.length !== texts.length) return failed(`${reply.data.length} vectors for ${texts.length} texts`);
  const vectors = new Map<number, number[]>();
  for (const { index, embedding } of reply.data.map((one) => one ?? {})) {
    if (typeof index !== 'number' || !Number.isInteger(index) || index < 0 || index >= texts.length)
      return failed('a vector without the index of its text');
    if (!isVector(embedding)) return failed('a vector that does not consist of numbers');
    if (embedding.length !== dimensions) return failed(`vectors of ${embedding.length} numbers, not ${dimensions}`);
    vectors.set(index, embedding);
  }
  if (vectors.size !== texts.length) return failed('two vectors with one index');
  const { total_tokens: told } = reply.usage ?? {};
  const tokens = typeof told === 'number' && Number.isSafeInteger(told) && told >= 0 ? told : estimatedTokens(texts);
  return { vectors: texts.map((_, index) => vectors.get(index) as number[]), tokens };
}

function isVector(value: unknown): value is number[] {
  return Array.isArray(value) && value.every((one) => Number.isFinite(one)) && value.some((one) => one !== 0);
}
