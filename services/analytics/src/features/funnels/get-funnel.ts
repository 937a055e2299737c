import type { Funnel, funnels, ListOfRecords } from '@tandem/analytics-contract';
import type { Caller } from '@tandem/caller';
import { orAbsent } from '@tandem/client/internal';
import { unknownId } from '@tandem/contract';
import { asService, failField } from '@tandem/service';
import type { z } from 'zod';
import type { Handler, Tools, Tx } from '../../handler.ts';
import { readTimezone } from '../counting/index.ts';
import { type Period, periodOf } from '../dashboard/period.ts';
import { countsOf } from './counts-of.ts';
import type { FunnelCounts } from './evaluate.ts';
import { leadSteps, readLeadFunnel } from './lead-funnel.ts';
import { readOpportunityFunnel } from './opportunity-funnel.ts';

type Reply = z.output<typeof Funnel>;
export type BuiltInQuery = z.output<typeof funnels.getFunnel.query>;

export const getFunnel =
  (tools: Tools): Handler<typeof funnels.getFunnel> =>
  ({ query, caller, tx }) =>
    readBuiltInFunnel(tools, { tx, caller }, query);

/** The funnel of leads or opportunities. No transaction may be open. */
export async function readBuiltInFunnel(
  tools: Tools,
  { tx, caller }: { tx: Tx; caller: Caller },
  query: BuiltInQuery,
): Promise<Reply> {
  const { timezone } = await readTimezone(tx);
  const period = periodOf(query, query.timezone ?? timezone);
  const owner = { userId: query.userId, teamId: query.teamId };
  const read = <T>(work: () => Promise<T>) => tools.heavy(caller.tenantId, work);
  if (query.type !== 'opportunity')
    return replyOf(period, {
      names: [...leadSteps],
      counts: await read(() => readLeadFunnel(tx, period, owner)),
      list: {
        path: '/v1/leads',
        query: { ...created(period), ...ofOwner('assignedTo', query) },
      },
    });
  const { id: pipelineId, stages } = await readPipeline(tools, caller, query.pipelineId);
  return replyOf(period, {
    names: stages.map(({ code }) => code),
    counts: await read(() => readOpportunityFunnel(tx, { period, owner, pipelineId, stages })),
    list: { path: '/v1/opportunities', query: { ...created(period), ...ofOwner('ownerId', query) } },
  });
}

/** The open stages of a pipeline in their order, and its first won stage. */
async function readPipeline({ crm }: Tools, caller: Caller, id: number | undefined) {
  const pipeline = await orAbsent(crm.readPipeline({ body: { id: id ?? null }, as: asService(caller) }));
  if (!pipeline) throw failField('pipelineId', unknownId('pipeline'));
  const open = pipeline.stages.filter(({ isClosed }) => !isClosed);
  const won = pipeline.stages.find(({ isWon }) => isWon);
  const stages = [...open, ...(won ? [won] : [])];
  return { id: pipeline.id, stages };
}

function replyOf(
  { from, to, timezone }: Period,
  {
    names,
    counts,
    list,
  }: { names: string[]; counts: FunnelCounts; list: Omit<z.output<typeof ListOfRecords>, 'number'> },
): Reply {
  return {
    period: { from, to, timezone },
    ...countsOf(counts, names),
    breakdown: [],
    lists: [{ number: 'steps.0.count', ...list }],
    generatedAt: new Date(),
  };
}

function created({ from, to }: Period) {
  return { createdFrom: from, createdTo: new Date(to.getTime() - 1) };
}

function ofOwner(field: 'assignedTo' | 'ownerId', { userId, teamId }: BuiltInQuery) {
  return { ...(userId !== undefined && { [field]: userId }), ...(teamId !== undefined && { teamId }) };
}
