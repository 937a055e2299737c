import {
  leadCreated,
  leadStatusChanged,
  leadUpdated,
  opportunityCreated,
  opportunityStageChanged,
} from '@tandem/crm-contract';
import { type ConsumerContext, consumer, type Received } from '@tandem/events';
import type { Tx } from '../../handler.ts';
import { addCounts, type Count, holdCounting } from '../counting/index.ts';
import { factKinds } from './index.ts';
import { leadFacts } from './lead-fact.ts';
import { addLeadVersions, leadVersionOf } from './lead-versions.ts';
import { addSteps, type Step } from './steps.ts';
import { writeFacts } from './write-facts.ts';

const changes = [...new Set(factKinds.flatMap(({ events }) => events))];

/** What the consumer reads of the record of any event. */
interface Counted {
  id: number;
  version: number;
}

/**
 * Counts records of other services when they change. Each event has its whole record with a version, and the newest version
 * wins, so events that arrive twice or out of order change nothing.
 */
export const countRecords = consumer({
  name: 'count-records',
  on: changes,
  async handle(events, { tx }: ConsumerContext<Tx>) {
    const counting = await holdCounting(tx);
    const counts: Count[] = [];
    for (const kind of factKinds) {
      const versions = events
        .filter(({ name }) => kind.events.some((event) => event.name === name))
        .map(({ name, record }) => {
          const { id, version } = record as Counted;
          return { id, version, isDeleted: name === kind.deleted?.name, fact: kind.read(record) };
        });
      counts.push(...(await writeFacts(tx, kind, versions, { counting })));
    }
    await addSteps(tx, events.flatMap(stepsOf));
    await addLeadVersions(
      tx,
      events.filter(isOfLead).map(({ record }) => leadVersionOf(record)),
    );
    await addCounts(tx, counts);
  },
});

function isOfLead(event: { name: string }): event is Received<typeof leadCreated> {
  return leadFacts.events.some(({ name }) => name === event.name);
}

const steps = [leadCreated, leadUpdated, leadStatusChanged, opportunityCreated, opportunityStageChanged] as const;

/**
 * The status or stage that begins with an event. A status may be in two events of one change, with the same version of the lead; a
 * conversion is an update only.
 */
function stepsOf(event: object): Step[] {
  const { name, data, record, occurredAt } = event as Received<(typeof steps)[number]>;
  switch (name) {
    case 'lead.created':
      return [{ type: 'lead', recordId: record.id, at: record.createdAt, value: record.status }];
    case 'lead.updated':
      if (data.changes.status === undefined) return [];
      return [{ type: 'lead', recordId: record.id, at: record.updatedAt, value: data.changes.status }];
    case 'lead.status_changed':
      // Two statuses of a tenant may have the same category.
      if (data.from === data.to) return [];
      return [{ type: 'lead', recordId: record.id, at: record.updatedAt, value: data.to }];
    case 'opportunity.created':
      return [{ type: 'opportunity', recordId: record.id, at: record.createdAt, value: data.stage }];
    case 'opportunity.stage_changed':
      return [{ type: 'opportunity', recordId: record.id, at: occurredAt, value: data.to }];
    default:
      return [];
  }
}
