import { isDeepStrictEqual } from 'node:util';
import { leadAssigned, leadCreated, leadStatusChanged, leadUpdated } from '@tandem/crm-contract';
import { type ConsumerContext, consumer, type Received } from '@tandem/events';
import { createLog } from '@tandem/process';
import type { Tx } from '../../handler.ts';
import { type Occurrence, startMatching } from './start-matching.ts';

const log = createLog('campaign');

type LeadEvent = Received<typeof leadCreated | typeof leadUpdated | typeof leadStatusChanged | typeof leadAssigned>;

/** Starts workflows by what happens to leads. The event enrolls a lead once, however often it arrives. */
export const startWorkflows = consumer({
  name: 'start-workflows',
  on: [leadCreated, leadUpdated, leadStatusChanged, leadAssigned],
  async handle(events: LeadEvent[], { tx, schedule }: ConsumerContext<Tx>) {
    const chains = await readChains(tx, events);
    const occurrences = events.flatMap((event) =>
      occurrencesOf(event).map((one) => ({
        ...one,
        leadId: event.record.id,
        lead: event.record,
        eventId: event.id,
        chain: chains.get(event.id) ?? [],
      })),
    );
    await startMatching({ tx, schedule }, occurrences, log);
  },
});

type What = Pick<Occurrence, 'type' | 'suits' | 'payload'>;

function occurrencesOf(event: LeadEvent): What[] {
  switch (event.name) {
    case 'lead.created':
      return [{ type: 'lead_created' }, ...event.record.tags.map(tagAdded), ...reachedScore(0, event.record.score)];
    case 'lead.status_changed':
      return [{ type: 'lead_status_changed', suits: ({ status }) => !status || isStatus(event.data, status) }];
    case 'lead.assigned':
      return [{ type: 'lead_assigned' }];
    default:
      return ofUpdate(event);
  }
}

function isStatus({ to, toCode }: { to: string; toCode?: string | null | undefined }, status: string): boolean {
  return status === to || status === toCode;
}

function ofUpdate({ data, record, changes }: Extract<LeadEvent, { name: 'lead.updated' }>): What[] {
  const changed = Object.keys(data.changes);
  const before = <T>(field: string, fallback: T) => (changes?.[field]?.from ?? fallback) as T;
  const named = new Set([...changed, ...changedCustomFields(before('customFields', {}), data.changes.customFields)]);
  const added = changed.includes('tags')
    ? record.tags.filter((tag) => !before<string[]>('tags', []).includes(tag)).map(tagAdded)
    : [];
  return [
    // Without a list of fields, the trigger fires for changes that people and other systems make to any field.
    { type: 'lead_updated', suits: ({ fields }) => !fields?.length || fields.some((field) => named.has(field)) },
    ...added,
    ...(changed.includes('score') ? reachedScore(before('score', 0), record.score) : []),
    ...(changed.includes('convertedAt') && record.convertedAt ? [{ type: 'lead_converted' }] : []),
  ];
}

/** The custom fields of which a change sets, changes or removes the value, as a trigger names them. */
function changedCustomFields(from: Record<string, unknown>, to: Record<string, unknown> | undefined): string[] {
  if (!to) return [];
  const keys = new Set([...Object.keys(from), ...Object.keys(to)]);
  return [...keys].filter((key) => !isDeepStrictEqual(from[key], to[key])).map((key) => `customFields.${key}`);
}

function tagAdded(added: string): What {
  return { type: 'tag_added', suits: ({ tag }) => !tag || tag === added };
}

/** The score passes the threshold of a workflow from below. */
function reachedScore(from: number, to: number): What[] {
  return [{ type: 'score_threshold', suits: ({ minScore = 1 }) => from < minScore && to >= minScore }];
}

/** The workflows that caused events: those of the execution whose step changed the lead. */
async function readChains(tx: Tx, events: readonly LeadEvent[]): Promise<Map<string, number[]>> {
  const caused = events.flatMap(({ id, caller }) => {
    const [, executionId] = /^execution-(\d+)-/.exec(caller.requestId ?? '') ?? [];
    const isOwn = caller.type === 'system' && caller.name === 'campaign';
    return isOwn && executionId ? [{ id, executionId: Number(executionId) }] : [];
  });
  if (!caused.length) return new Map();
  const rows = await tx.execution.findMany({
    where: { id: { in: caused.map(({ executionId }) => executionId) } },
    select: { id: true, chain: true, workflowId: true },
  });
  const chainOf = new Map(rows.map(({ id, chain, workflowId }) => [id, [...chain, workflowId]]));
  return new Map(caused.map(({ id, executionId }) => [id, chainOf.get(executionId) ?? []]));
}
