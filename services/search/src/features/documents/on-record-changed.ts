import type { EventDef } from '@tandem/contract';
import {
  accountCreated,
  accountDeleted,
  accountRestored,
  accountUpdated,
  leadCreated,
  leadDeleted,
  leadRestored,
  leadUpdated,
  opportunityCreated,
  opportunityDeleted,
  opportunityLost,
  opportunityRestored,
  opportunityStageChanged,
  opportunityUpdated,
  opportunityWon,
} from '@tandem/crm-contract';
import { type ConsumerContext, consumer, type Received } from '@tandem/events';
import {
  partnerApproved,
  partnerDeleted,
  partnerParentChanged,
  partnerReactivated,
  partnerReapplied,
  partnerRegistered,
  partnerRejected,
  partnerSuspended,
  partnerTerminated,
  partnerTierChanged,
  partnerUpdated,
} from '@tandem/partner-contract';
import type { Tools, Tx } from '../../handler.ts';
import type { DocumentType, Writing } from './document.ts';
import { scheduleReconciliation } from './reconcile-documents.job.ts';
import { recordDocument } from './record-document.ts';
import { writeDocuments } from './write-documents.ts';

const changes = [
  ...[leadCreated, leadUpdated, leadRestored, leadDeleted],
  ...[opportunityCreated, opportunityUpdated, opportunityStageChanged, opportunityWon, opportunityLost],
  ...[opportunityRestored, opportunityDeleted],
  ...[accountCreated, accountUpdated, accountRestored, accountDeleted],
  ...[partnerRegistered, partnerApproved, partnerUpdated, partnerTierChanged, partnerParentChanged, partnerDeleted],
  ...[partnerRejected, partnerReapplied, partnerSuspended, partnerReactivated, partnerTerminated],
] as const satisfies EventDef[];

const removals: string[] = [leadDeleted.name, opportunityDeleted.name, partnerDeleted.name, accountDeleted.name];

/**
 * Updates the index when records change. Each event has its whole record with a version, and the newest version wins, so
 * events that arrive twice or out of order change nothing. A deleted record leaves its version without terms.
 */
export const indexRecords = (tools: Tools) =>
  consumer({
    name: 'index-records',
    on: changes,
    async handle(events, { tx, schedule }: ConsumerContext<Tx>) {
      const newest = new Map<string, Writing>();
      for (const event of events) {
        const writing = writingOf(event, tools.ids);
        const key = `${writing.type} ${writing.documentId}`;
        if (isNewer(writing, newest.get(key))) newest.set(key, writing);
      }
      await writeDocuments(tools, { tx, schedule }, [...newest.values()]);
      const [first] = events;
      if (first) await scheduleReconciliation({ tx, schedule }, first);
    },
  });

function isNewer({ version = 0 }: Writing, than: Writing | undefined): boolean {
  return !than || version > (than.version ?? 0);
}

type Change = Received<(typeof changes)[number]>;

function writingOf({ name, target, tenantId, occurredAt, record }: Change, ids: Tools['ids']): Writing {
  const type = target.type as DocumentType;
  const { version } = record as { version?: number };
  const documentId = ids.encode(type, tenantId, record.id);
  const found = { type, documentId, ...(version !== undefined && { version }), indexedAt: occurredAt };
  if (removals.includes(name)) return found;
  return { ...found, document: recordDocument(ids, { type, tenantId, record }) };
}
