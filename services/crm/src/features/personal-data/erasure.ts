import { ErasedCounts, id, Person, type PersonalDataService, personalDataServices } from '@tandem/contract';
import { backgroundJobs, toJsonColumn } from '@tandem/service';
import { z } from 'zod';
import type { Tx } from '../../handler.ts';

/** The background jobs that clients read at GET /v1/jobs/:id. */
export const erasureJobs = backgroundJobs('crm');

/** Job that asks all services to erase their data, again until each has. */
export const requestErasureJob = { name: 'request-erasure', payload: z.object({ erasureId: id('erasure') }) };

const Erased = z.record(z.string(), ErasedCounts);
export type Erased = z.output<typeof Erased>;

/** An erasure that is not complete. */
interface PendingErasure {
  id: number;
  leadId: number;
  jobId: number;
  person: Person;
  erased: Erased;
}

/** Locks an erasure; undefined if it is complete. */
export async function lockPending(tx: Tx, erasureId: number): Promise<PendingErasure | undefined> {
  const row = await tx.erasure.lockFirst({ where: { id: erasureId } });
  if (!row || row.completedAt) return undefined;
  return { ...row, person: Person.parse(row.person), erased: Erased.parse(row.erased) };
}

/** Stores what a service has erased. The first report counts: a service that was asked again finds nothing. */
export async function recordReport(
  tx: Tx,
  { id: erasureId, jobId, erased: before }: PendingErasure,
  { service, erased: reported }: { service: string; erased: Record<string, number> },
): Promise<Erased> {
  const erased = { [service]: reported, ...before };
  await tx.erasure.updateMany({ where: { id: erasureId }, data: { erased: toJsonColumn(erased) } });
  await erasureJobs.progress(tx.sql, jobId, { done: Object.keys(erased).length, total: personalDataServices.length });
  return erased;
}

/** The services that have not erased their data yet. */
export function missingServices(erased: Erased): PersonalDataService[] {
  return personalDataServices.filter((service) => !(service in erased));
}
