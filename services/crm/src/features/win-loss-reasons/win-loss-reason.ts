import { type CountedReason, WinLossReason } from '@tandem/crm-contract';
import { fail } from '@tandem/service';
import type { z } from 'zod';
import type { WinLossReason as ReasonRow } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';

export type ReasonRecord = z.output<typeof WinLossReason>;

const columns = WinLossReason.pick({ outcome: true });

/** Converts a row to the contract's `WinLossReason`. */
export function asReason(row: ReasonRow): ReasonRecord {
  return { ...row, ...columns.parse(row) };
}

/** The `data` of the events of a reason. */
export function eventDataOf({ id: winLossReasonId, outcome, code }: ReasonRecord) {
  return { winLossReasonId, outcome, code };
}

/** Locks a reason, so that checks on it still hold when it is written. */
export async function lockReason(tx: Tx, id: number): Promise<ReasonRecord> {
  const row = await tx.winLossReason.lockFirst({ where: { id } });
  if (!row) throw fail('not_found');
  return asReason(row);
}

/** Adds the numbers of deals that have the reasons, which an index on the outcome counts. */
export async function withCounts(tx: Tx, reasons: readonly ReasonRecord[]): Promise<z.output<typeof CountedReason>[]> {
  const codes = reasons.map(({ code }) => code);
  const counts = await tx.sql<{ outcome: string; code: string; count: number }>`
    SELECT status AS outcome, outcome ->> 'reasonCode' AS code, count(*)::int AS count FROM opportunity
    WHERE tenant_id = platform.tenant_id() AND environment = platform.environment() AND outcome IS NOT NULL
      AND status IN ('won', 'lost') AND outcome ->> 'reasonCode' = ANY(${codes}::text[])
    GROUP BY 1, 2`;
  return reasons.map((reason) => {
    const found = counts.find(({ outcome, code }) => outcome === reason.outcome && code === reason.code);
    return { ...reason, usedCount: found?.count ?? 0 };
  });
}

/** A reason with the number of deals that have it. */
export async function withCount(tx: Tx, reason: ReasonRecord): Promise<z.output<typeof CountedReason>> {
  const [counted] = await withCounts(tx, [reason]);
  return counted as z.output<typeof CountedReason>;
}
