import type { Caller } from '@tandem/caller';
import { exportPageMax, recordPageMax } from '@tandem/contract';
import { Task } from '@tandem/crm-contract';
import { Commission } from '@tandem/partner-contract';
import { asService } from '@tandem/service';
import { z } from 'zod';
import type { Peers } from '../../handler.ts';
import type { Step } from '../facts/steps.ts';

/** A record of another service. */
export interface OwnedRecord {
  record: { id: number; version: number } & Record<string, unknown>;
  isDeleted: boolean;
  steps: Step[];
}

/** A page of records in the order of ids; `next` is null after the last one. */
export interface RecordPage {
  records: OwnedRecord[];
  next: number | null;
}

const task = Task.pick({
  ...{ id: true, version: true, status: true, assignedTo: true, teamId: true },
  ...{ dueAt: true, completedAt: true, createdAt: true },
});
const commission = Commission.pick({
  ...{ id: true, version: true, status: true, amount: true, currency: true, partnerId: true, createdAt: true },
});

/** Reads the page of records of a kind that begins after an id. */
export async function readRecords(
  { crm, partner }: Peers,
  type: string,
  { after, caller }: { after: number | null; caller: Caller },
): Promise<RecordPage> {
  const as = asService(caller);
  switch (type) {
    case 'lead':
      return exported(
        (await crm.exportLeads({ body: { after }, as })).map(({ statuses, ...one }) => ({
          ...one,
          steps: (statuses ?? []).map(({ status, at }) => ({
            ...{ type: 'lead' as const, recordId: one.record.id, at, value: status },
          })),
        })),
      );
    case 'opportunity':
      return exported(
        (await crm.exportOpportunities({ body: { after }, as })).map(({ stages = [], ...one }) => ({
          ...one,
          steps: (stages ?? []).map(({ stage, at }) => ({
            ...{ type: 'opportunity' as const, recordId: one.record.id, at, value: stage },
          })),
        })),
      );
    case 'partner':
      return exported((await partner.exportPartners({ body: { after }, as })).map((one) => ({ ...one, steps: [] })));
    case 'task':
      return listed(task, await crm.readRecordPage({ body: pageAfter('listTasks', after), as }));
    default:
      return listed(commission, await partner.readRecordPage({ body: pageAfter('listCommissions', after), as }));
  }
}

function exported(records: OwnedRecord[]): RecordPage {
  return { records, next: records.length < exportPageMax ? null : (records.at(-1)?.record.id ?? null) };
}

function pageAfter(list: string, after: number | null) {
  return { list, filters: {}, after: after ?? 0, limit: recordPageMax };
}

function listed(
  schema: z.ZodType<{ id: number; version: number }>,
  page: { records: unknown[]; next: number | null },
): RecordPage {
  const records = page.records.map((wire) => ({
    record: z.decode(schema, wire as never) as OwnedRecord['record'],
    isDeleted: false,
    steps: [],
  }));
  return { records, next: page.next };
}
