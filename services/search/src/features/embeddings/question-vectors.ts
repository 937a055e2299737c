import type { Embedding } from '@tandem/ai';
import { estimatedTokens } from '@tandem/ai';
import type { Schedule } from '@tandem/jobs';
import { createBreaker, createLog } from '@tandem/process';
import type { QueryVector } from '../../driver/driver.ts';
import type { Asked, QuestionVector, QuestionVectors, Within } from '../../embedding/question-vector.ts';
import { quantized } from '../../embedding/vector.ts';
import { isContact } from '../../fields.ts';
import type { Tools } from '../../handler.ts';
import { takeTokens } from './budget.ts';
import { startEmbeddingJob } from './embed-documents.job.ts';
import { readState } from './state.ts';

const timeoutMs = 800;
const keptMax = 2_000;
const breakerOpenMs = 30_000;
const failuresInARow = 3;
const log = createLog('search');

/** Asks the provider, and keeps the vectors of the last questions: the pages of one search ask the same one. */
export function createQuestionVectors({
  embedding,
  tokensPerDay,
}: {
  embedding: Embedding | undefined;
  tokensPerDay: number;
}): QuestionVectors {
  const breaker = createBreaker({ trip: { failuresInARow }, openMs: breakerOpenMs });
  const kept = new Map<string, Int8Array>();

  const keep = (key: string, values: Int8Array) => {
    kept.delete(key);
    kept.set(key, values);
    for (const oldest of kept.keys()) {
      if (kept.size <= keptMax) break;
      kept.delete(oldest);
    }
  };

  return {
    async ask({ tx, caller }, { q, mode, semanticRatio }) {
      const isSemantic = mode === 'semantic' || (mode === 'hybrid' && semanticRatio > 0);
      if (!embedding || !isSemantic || isContact(q)) return {};
      const { name: model } = embedding;
      const state = await readState(tx);
      if (state?.coveredBy !== model) return { isToStart: !state?.isQueued, missing: notCovered };
      const key = JSON.stringify([caller.tenantId, caller.environment, model, q]);
      const known = kept.get(key);
      if (known) {
        keep(key, known);
        return { vector: { model, values: known } };
      }
      if (!breaker.admits()) return { missing: unavailable };
      if (!(await takeTokens(tx, estimatedTokens([q]), tokensPerDay))) return { missing: noTokens };
      const answer = await embedding.embed([q], timeoutMs);
      if (!answer.vectors) {
        if (answer.isTextAtFault) breaker.succeeded();
        else breaker.failed();
        log.warn('a question could not be embedded', { why: answer.why });
        return { missing: unavailable };
      }
      breaker.succeeded();
      const values = quantized(answer.vectors[0] as number[]);
      keep(key, values);
      return { vector: { model, values } };
    },
  };
}

const beside = 'Documents were compared by their words and spellings only';
const notCovered = `${beside}: the vectors of the AI provider are still being computed`;
const unavailable = `${beside}: the AI provider did not answer in time`;
const noTokens = `${beside}: the tokens of the AI provider for today are used up`;

/** Tells the caller what is missing. @returns the vector, if there is one */
export async function useQuestionVector(
  { vector, missing: why, isToStart }: QuestionVector,
  { missing, schedule }: { missing(part: string, message: string): void; schedule: Schedule },
): Promise<QueryVector | undefined> {
  if (why) missing('semantic', why);
  if (isToStart) await schedule(startEmbeddingJob, [{}]);
  return vector;
}

/** The vector of a question, for an operation without a transaction. */
export async function questionVectorFor(
  { questionVectors }: Tools,
  { missing, schedule, ...within }: Within & Parameters<typeof useQuestionVector>[1],
  asked: Asked,
): Promise<QueryVector | undefined> {
  return useQuestionVector(await questionVectors.ask(within, asked), { missing, schedule });
}
