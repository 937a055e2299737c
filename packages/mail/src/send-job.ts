import { batchJob, type Job } from '@tandem/jobs';
import type { Log } from '@tandem/process';
import type { Seal } from '@tandem/sealed';
import type { Sql } from '@tandem/tenant-db';
import { z } from 'zod';
import { contextOf, type Ended, type MailRow, readQueued, stateAfter, writeAttempts } from './mail-rows.ts';
import { Content, type MailKind } from './message.ts';
import { idPart } from './message-ref.ts';
import { type Attempt, nextAttempt } from './retry.ts';
import type { Transport } from './transport.ts';

const payload = z.object({ mailId: z.int() });

interface MailTx {
  sql: Sql;
}

export type SendJob = Job<typeof payload, MailTx>;

/** Counters of one process. */
export interface MailCounters {
  ended: { inc(labels: { kind: string; state: string }, by?: number): void };
  refused: { inc(labels: { kind: string }, by?: number): void };
}

interface Shared {
  seal: Seal;
  log: Log;
  transportOf(kind: MailKind): Transport;
  addresses: Readonly<Record<string, string>>;
  isEnabled: boolean;
  counted(): MailCounters | undefined;
}

const batchMax = 20;
const sentMax = 10_000;

/**
 * The job that sends messages of one kind. A message can be sent twice only if the process ends, or loses its database,
 * between the answer of the mail server and the commit; both copies have the same Message-ID.
 */
export function sendJob(kind: MailKind, shared: Shared): SendJob {
  // Attempts whose result could not be stored, by ref: the next run stores the result instead of sending again.
  const unrecorded = new Map<string, Attempt>();
  return batchJob<typeof payload, MailTx>({
    name: `send-${kind}-mail`,
    payload,
    batchMax,
    // A slow server for bulk mail must not delay account mail.
    ...(kind === 'account' && { lane: 'account-mail' }),
    async run({ due, tx, outside, finish }) {
      const ids = due.map(({ payload: { mailId } }) => mailId);
      const rows = await readQueued(tx.sql, ids);
      const attempts = await outside(() =>
        Promise.all(
          rows.map(async (row) => {
            const attempt = unrecorded.get(row.ref) ?? (await attemptToSend(row, kind, shared));
            if (unrecorded.size < sentMax) unrecorded.set(row.ref, attempt);
            return { row, attempt };
          }),
        ),
      );
      const results = attempts.map(({ row, attempt }) => {
        const again = attempt.outcome === 'postponed' ? nextAttempt(row.attempts + 1, row.notAfter) : undefined;
        const error = attempt.outcome === 'sent' ? null : attempt.error;
        return { again, ended: { id: row.id, state: stateAfter(attempt, again), error } satisfies Ended };
      });
      const againAt = new Map(results.map(({ again, ended }) => [ended.id, again]));
      await finish(async (inside) => {
        await writeAttempts(
          inside.tx.sql,
          results.map(({ ended }) => ended),
        );
        return ids.map((id) => againAt.get(id));
      });
      for (const { ref } of rows) unrecorded.delete(ref);
      for (const { ended } of results) report(ended, kind, shared);
    },
    async giveUp({ payload: { mailId }, tx }) {
      const ended: Ended = { id: mailId, state: 'failed', error: 'The job that sends the message failed repeatedly' };
      await writeAttempts(tx.sql, [ended]);
      report(ended, kind, shared);
    },
  });
}

async function attemptToSend(row: MailRow, kind: MailKind, shared: Shared): Promise<Attempt> {
  const { seal, transportOf, addresses, isEnabled } = shared;
  const from = addresses[row.sender];
  // The row may come from another release, or from before SMTP_URL was removed: another instance may be able to send
  // it.
  if (!from) return { outcome: 'postponed', error: `There is no sender named ${row.sender}` };
  if (!isEnabled) return { outcome: 'postponed', error: 'SMTP_URL is not set' };
  if (row.notAfter <= new Date()) return { outcome: 'refused', error: 'The message could not be sent in time' };
  const content = Content.parse(JSON.parse(seal.open(row.content, contextOf(row.ref))));
  const { recipient: to, createdAt } = row;
  return transportOf(kind).send({ idLeft: idPart(seal, row), from, to, createdAt, content });
}

function report({ id, state, error }: Ended, kind: MailKind, { log, counted }: Shared): void {
  counted()?.ended.inc({ kind, state: state === 'queued' ? 'postponed' : state });
  if (error === null) return;
  // The answer of the server may quote the recipient's address, which is personal data: it is only in the row.
  const [code] = /^\d{3}\b|\bE[A-Z]{3,}\b/.exec(error) ?? [];
  log.warn(state === 'failed' ? 'message failed' : 'message postponed', { mailId: id, kind, code });
}
