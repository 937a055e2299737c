import { type Embedded as Answer, estimatedTokens } from '@tandem/ai';
import { type JobContext, job, scheduleAgain } from '@tandem/jobs';
import { createLog, inTurns } from '@tandem/process';
import { z } from 'zod';
import { excludeWriters } from '../../driver/postgres/generations.ts';
import { textOf } from '../../embedding/text.ts';
import { quantized } from '../../embedding/vector.ts';
import type { Tools, Tx } from '../../handler.ts';
import { correctTokens, takeTokens } from './budget.ts';
import {
  type EmbeddingState,
  embedJob,
  noteCovered,
  noteIdle,
  noteRequest,
  noteUncovered,
  readState,
  useModel,
  wakeEmbedding,
} from './state.ts';
import {
  copyVectors,
  countWaiting,
  type Embedded,
  readSearchedIndexes,
  readWaiting,
  storeVectors,
  sweepVectors,
  type WaitingDocument,
} from './waiting.ts';

/** The job that lets the documents of a tenant be embedded for the first time, or by another model. */
export const startEmbeddingJob = { name: 'start-embedding', payload: z.object({}) };

const timeoutMs = 20_000;
const batchMost = 64;
const [pauseLeastMs, pauseMostMs] = [2_000, 600_000];
// With more documents that wait, searches would miss too many by meaning.
const uncoveredMin = 1_000;

const log = createLog('search');

/**
 * Has the documents embedded that wait for it, one request a run. The request is sent outside of the transaction; what
 * changed meanwhile keeps waiting. The job ends when no document waits.
 */
export const embedDocuments = ({ embedding, embeddingTokensPerDay }: Tools) =>
  job({
    ...embedJob,
    lane: 'embeddings',
    rests: true,
    async run({ tx, outside, finish }: JobContext<object, Tx>) {
      const state = await readState(tx);
      if (!embedding || !state) return finish(({ tx: inside }) => noteIdle(inside));
      const { name } = embedding;
      if (await copyVectors(tx, name)) return finish(async () => new Date());
      const waiting = await readWaiting(tx, name, Math.min(state.batchMax, batchMost));
      if (!waiting.length) return finish(({ tx: inside }) => endOrSweep(inside, name, state));
      const { sent, textless } = await readTexts(tx, waiting);
      const texts = sent.map(({ text }) => text);
      const estimate = estimatedTokens(texts);
      if (texts.length && !(await takeTokens(tx, estimate, embeddingTokensPerDay))) {
        log.warn('documents wait for the tokens of another day', { perDay: embeddingTokensPerDay });
        return finish(async ({ tx: inside }) => {
          await noteWaiting(inside, name);
          return new Date(Date.now() + pauseMostMs);
        });
      }
      const answer = texts.length ? await outside(() => embedding.embed(texts, timeoutMs)) : undefined;
      await finish(async ({ tx: inside }) => {
        await useModel(inside, name);
        if (answer?.vectors) await correctTokens(inside, answer.tokens - estimate);
        const { request, at, refused } = nextRequest(state, texts.length, answer);
        const vectors = answer?.vectors ?? [];
        const embedded = sent
          .slice(0, vectors.length)
          .map(({ id, words }, n): Embedded => ({ id, words, vector: quantized(vectors[n] as number[]) }));
        const without = [...textless, ...(refused ? sent : [])].map(
          ({ id, words }): Embedded => ({ id, words, vector: undefined }),
        );
        await storeVectors(inside, name, [...embedded, ...without]);
        await noteRequest(inside, request);
        await noteWaiting(inside, name);
        return at;
      });
    },
    giveUp: scheduleAgain(embedJob),
  });

/** Begins with a tenant whose documents were not embedded by the model when a search asked for it. */
export const startEmbedding = ({ embedding }: Tools) =>
  job({
    ...startEmbeddingJob,
    lane: 'embeddings',
    async run({ finish }: JobContext<object, Tx>) {
      await finish((inside) => wakeEmbedding(inside, embedding?.name));
    },
  });

/** Documents with the texts to send, and those without one: no text of what nobody searches is sent. */
async function readTexts(tx: Tx, waiting: WaitingDocument[]) {
  const isSearched = await readSearchedIndexes(tx);
  const all = await inTurns(waiting, ({ id, words, type, document }) => ({
    id,
    words,
    text: isSearched(type) ? textOf(document) : '',
  }));
  return { sent: all.filter(({ text }) => text !== ''), textless: all.filter(({ text }) => text === '') };
}

/** The size and time of the next request after an answer, and whether the provider refused the text for good. */
function nextRequest(
  { failures, batchMax }: EmbeddingState,
  texts: number,
  answer: Answer | undefined,
): { request: Pick<EmbeddingState, 'failures' | 'batchMax'>; at: Date; refused: boolean } {
  if (!answer) return { request: { failures, batchMax }, at: new Date(), refused: false };
  if (answer.vectors) {
    const request = { failures: 0, batchMax: Math.min(batchMost, batchMax * 2) };
    return { request, at: new Date(), refused: false };
  }
  const refused = answer.isTextAtFault && texts === 1;
  const isPaused = !answer.isTextAtFault;
  const pauseMs = !isPaused ? 0 : Math.min(pauseMostMs, pauseLeastMs * 2 ** Math.min(failures, 20));
  log.warn('documents could not be embedded', { why: answer.why, texts, pauseMs });
  // A provider may take fewer texts at once, or none of a request because of one of them.
  const isSmaller = !answer.isDown && texts > 1;
  const request = { failures: isPaused ? failures + 1 : 0, batchMax: isSmaller ? Math.floor(texts / 2) : batchMax };
  return { request, at: new Date(Date.now() + pauseMs), refused };
}

/** Lets searches fall back to local vectors while many documents wait. */
async function noteWaiting(tx: Tx, name: string): Promise<void> {
  if ((await countWaiting(tx, name, uncoveredMin)) >= uncoveredMin) await noteUncovered(tx);
}

/** Ends the job when no document waits and none is being written, after the vectors of earlier models were deleted. */
async function endOrSweep(tx: Tx, name: string, state: EmbeddingState): Promise<Date | undefined> {
  const { model, coveredBy, sweepAfter } = state;
  if (coveredBy === name && sweepAfter !== null) {
    await sweepVectors(tx, name, sweepAfter);
    return new Date();
  }
  await excludeWriters(tx);
  if (await countWaiting(tx, name, 1)) return new Date();
  await useModel(tx, name);
  await noteCovered(tx);
  if (model !== name || sweepAfter !== null) return new Date();
  await noteIdle(tx);
  return undefined;
}
