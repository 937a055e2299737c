import { type Inside, type Job, type JobContext, job } from '@tandem/jobs';
import type { z } from 'zod';
import type { Tx } from '../../handler.ts';

const dayMs = 86_400_000;

/** When a job of `dailyCheck` runs next. */
export const nextCheck = () => new Date(Date.now() + dayMs);

interface DailyCheck<Payload, Row, Found> {
  find(tx: Tx, payload: Payload): Promise<Row | null>;
  /** Locks the row that `find` found; null if it was deleted meanwhile. */
  lock(tx: Tx, row: Row): Promise<Row | null>;
  /** Asks the name servers. */
  look(row: Row): Promise<Found>;
  apply(inside: Inside<Tx>, row: Row, found: Found): Promise<unknown>;
}

/** A job that looks up the DNS records of a domain every day, as long as the domain exists. */
export function dailyCheck<Payload extends z.ZodType, Row extends { version: number }, Found>(
  declared: { name: string; payload: Payload },
  { find, lock, look, apply }: DailyCheck<z.output<Payload>, Row, Found>,
): Job<Payload, Tx> {
  return job({
    ...declared,
    async run({ payload, tx, outside, finish }: JobContext<z.output<Payload>, Tx>) {
      const row = await find(tx, payload);
      if (!row) return;
      const found = await outside(() => look(row));
      await finish(async (inside) => {
        const locked = await lock(inside.tx, row);
        if (!locked) return;
        // A check that somebody requested meanwhile is newer.
        if (locked.version === row.version) await apply(inside, locked, found);
        return nextCheck();
      });
    },
  });
}
