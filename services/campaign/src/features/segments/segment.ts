import { Segment } from '@tandem/campaign-contract';
import type { LeadCondition, writableCondition } from '@tandem/contract';
import { conditionErrors } from '@tandem/crm-contract';
import type { Schedule } from '@tandem/jobs';
import { fail } from '@tandem/service';
import { isTaken } from '@tandem/tenant-db';
import { z } from 'zod';
import type { Prisma, Segment as SegmentRow } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';
import { leadsAdded } from '../scheduled-triggers/start-by-segment.job.ts';
import type { Behavior } from './behavior.ts';

export type SegmentRecord = z.output<typeof Segment>;
export type Condition = z.output<typeof LeadCondition>;

// With internal ids, which the schema of the contract would decode.
const StoredBehavior = z.array(Segment.shape.behavior.element.extend({ campaignId: z.int().nullable() }));
const columns = Segment.pick({ type: true, conditions: true }).extend({ behavior: StoredBehavior });
const errorsMax = 100;

/** Converts a row to the contract's `Segment`. */
export function asSegment(row: SegmentRow): SegmentRecord {
  const checked = columns.parse({ ...row, behavior: row.behavior ?? [] });
  return { ...row, ...checked, leadCount: checked.type === 'static' ? row.leadCount : null };
}

/** The content of the events of a segment. */
export function eventOf(segment: SegmentRecord) {
  const { id, name, type } = segment;
  return { data: { segmentId: id, name, type }, record: segment };
}

/** Locks a segment, so that checks on it still hold when it is written. */
export async function lockSegment(tx: Tx, id: number): Promise<SegmentRecord> {
  const row = await tx.segment.lockFirst({ where: { id } });
  if (!row) throw fail('not_found');
  return asSegment(row);
}

/** Converts a unique violation of the name to a 409. */
export function nameError(error: unknown): unknown {
  if (!isTaken(error)) return error;
  return fail('name_taken', [{ field: 'name', message: 'Must be unique; another segment has this name' }]);
}

/** Conditions of a request as they are stored. `within` is their place in the body: `include.0.conditions`. */
export function checkConditions(
  written: readonly z.output<typeof writableCondition>[],
  within = 'conditions',
): Condition[] {
  const conditions = written.map(({ value, ...condition }) => ({ ...condition, value: value ?? null }));
  const errors = conditions.flatMap((condition, index) => conditionErrors(condition, `${within}.${index}.`));
  if (errors.length) throw fail('validation_failed', errors.slice(0, errorsMax));
  return conditions;
}

export function toListColumn(conditions: readonly (Condition | Behavior)[]): Prisma.InputJsonValue {
  return conditions as unknown as Prisma.InputJsonValue;
}

/** Adds leads to a static segment, except those that it has, and starts workflows for them. @returns how many were added */
export async function addLeads(
  { tx, schedule }: { tx: Tx; schedule: Schedule },
  segmentId: number,
  leadIds: readonly number[] = [],
): Promise<number> {
  if (!leadIds.length) return 0;
  const data = [...new Set(leadIds)].map((leadId) => ({ segmentId, leadId }));
  const added = await tx.segmentLead.createManyAndReturn({ data, skipDuplicates: true, select: { leadId: true } });
  const addedIds = added.map(({ leadId }) => leadId);
  await leadsAdded({ tx, schedule }, segmentId, addedIds);
  return addedIds.length;
}
