import type { Funnel, FunnelQuery, funnels } from '@tandem/analytics-contract';
import type { Caller } from '@tandem/caller';
import { fail } from '@tandem/service';
import type { z } from 'zod';
import type { Handler, Tools, Tx } from '../../handler.ts';
import { findCohort } from '../cohort-definitions/cohort-definition.ts';
import { readMembers } from '../cohort-definitions/members.ts';
import { readTimezone } from '../counting/index.ts';
import { type Period, periodOf } from '../dashboard/period.ts';
import { readableLists } from '../dashboard/readable-lists.ts';
import { warnOfRemovedEvents } from '../retention/index.ts';
import { type EntriesQuery, type GroupField, type LeadGroup, readEntries, readGroups } from '../timelines/entries.ts';
import { rowBytes } from '../timelines/timeline.ts';
import { countsOf } from './counts-of.ts';
import { excludeBit, type FunnelCounts } from './evaluate.ts';
import { listsOfFirstStep } from './lists.ts';
import { unknownStages } from './unknown-stages.ts';

export type Query = z.output<typeof FunnelQuery>;
type Reply = z.output<typeof Funnel>;

const entriesMax = 3_000_000;
const leadsMax = 3_000_000;
const windowByDefault = { value: 30, unit: 'day' } as const;
const unitMs = { minute: 60_000, hour: 3_600_000, day: 86_400_000, week: 7 * 86_400_000 } as const;
const leadIdBytes = 8;

export const queryFunnel = (tools: Tools): Handler<typeof funnels.queryFunnel, Reply> => ({
  async check({ body, caller, tx }) {
    const errors = await unknownStages(tools, body, { caller, tx });
    if (errors.length) throw fail('validation_failed', errors);
    return readFunnel(tools, { tx, caller }, body);
  },
  async run({ found, caller, tx, missing }) {
    await warnOfRemovedEvents({ tx, missing }, { part: 'steps', from: found.period.from });
    return { ...found, lists: readableLists(found.lists, caller) };
  },
});

/** Evaluates a funnel. No transaction may be open. */
export async function readFunnel(
  tools: Tools,
  { tx, caller }: { tx: Tx; caller: Caller },
  query: Query,
): Promise<Reply> {
  const { timezone } = await readTimezone(tx);
  const period = periodOf(query, query.timezone ?? timezone);
  const { value, unit } = query.window ?? windowByDefault;
  const window = value * unitMs[unit];
  const cohort = await findCohort(tx, query.cohortId);
  const { rows, groups } = await tools.heavy(caller.tenantId, async () => {
    const entries = { ...entriesOf(query, period, window), members: await readMembers(tx, cohort) };
    return {
      rows: await readEntries(tx, entries, entriesMax),
      groups: query.breakdown ? await readGroups(tx, entries, { field: query.breakdown, max: leadsMax }) : [],
    };
  });
  if (rows.byteLength > entriesMax * rowBytes) throw fail('too_many_events');
  const plan = {
    steps: query.steps.length,
    order: query.order ?? 'ordered',
    from: period.from.getTime(),
    to: period.to.getTime(),
    window,
    now: Date.now(),
  } as const;
  const input = { rows, ...plan, ...(groups.length && { groups: numbered(groups) }) };
  const [whole, ...ofGroups] = await tools.evaluations.run('funnel', input, caller.tenantId);
  const names = namesOf(query);
  return {
    period: { from: period.from, to: period.to, timezone: period.timezone },
    ...countsOf(whole as FunnelCounts, names),
    breakdown: groups.map(({ value }, index) => ({
      ...groupOf(query.breakdown as GroupField, value),
      ...countsOf(ofGroups[index] as FunnelCounts, names),
    })),
    lists: listsOfFirstStep(query, period),
    generatedAt: new Date(),
  };
}

function entriesOf(
  { steps, exclude = [], filter }: Query,
  { from, to }: Period,
  window: number,
): Omit<EntriesQuery, 'members'> {
  return {
    wanted: [...steps.map((step, bit) => ({ ...step, bit })), ...exclude.map((one) => ({ ...one, bit: excludeBit }))],
    from,
    until: new Date(to.getTime() + window),
    ...(filter && { filter }),
  };
}

/** The groups as the evaluation reads them: the lead at each position, and the number of its group. */
function numbered(groups: readonly LeadGroup[]) {
  const size = groups.reduce((all, { leads }) => all + leads.byteLength / leadIdBytes, 0);
  const leads = new Float64Array(size);
  const numbers = new Uint16Array(size);
  let place = 0;
  groups.forEach((group, number) => {
    for (let at = 0; at < group.leads.byteLength; at += leadIdBytes) {
      leads[place] = Number(group.leads.readBigInt64BE(at));
      numbers[place++] = number;
    }
  });
  return { leads, groups: numbers, count: groups.length };
}

/** The name of each step; in any order a step is how many of them happened. */
function namesOf({ steps, order }: Query): string[] {
  if (order === 'any') return steps.map((_, index) => `${index + 1} of ${steps.length}`);
  return steps.map(({ name, event, leadStatus, stage }) => name ?? event ?? leadStatus ?? stage ?? 'converted');
}

const idFields: Partial<Record<GroupField, 'userId' | 'teamId' | 'partnerId'>> = {
  assignedTo: 'userId',
  teamId: 'teamId',
  partnerId: 'partnerId',
};

/** A group by its value; a record by its id. */
function groupOf(
  field: GroupField,
  value: string | null,
): Pick<Reply['breakdown'][number], 'value' | 'userId' | 'teamId' | 'partnerId'> {
  const idField = idFields[field];
  if (!idField) return { value };
  return { value: null, [idField]: value === null ? null : Number(value) };
}
