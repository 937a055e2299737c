import type { Funnel, funnels } from '@tandem/analytics-contract';
import type { Caller } from '@tandem/caller';
import { orAbsent } from '@tandem/client/internal';
import { unknownId } from '@tandem/contract';
import { asService, failField } from '@tandem/service';
import type { z } from 'zod';
import type { Handler, Tools, Tx } from '../../handler.ts';
import { findCohort } from '../cohort-definitions/cohort-definition.ts';
import { type Members, readMembers } from '../cohort-definitions/members.ts';
import { readTimezone } from '../counting/index.ts';
import { type Period, periodOf } from '../dashboard/period.ts';
import { readableLists } from '../dashboard/readable-lists.ts';
import { countsOf } from './counts-of.ts';
import type { FunnelCounts } from './evaluate.ts';
import { leadSteps, readLeadFunnel } from './lead-funnel.ts';
import { listsOfDeals, listsOfLeads } from './lists.ts';
import { readOpportunityFunnel } from './opportunity-funnel.ts';

type Reply = z.output<typeof Funnel>;
export type BuiltInQuery = z.output<typeof funnels.getFunnel.query>;

export const getFunnel =
  (tools: Tools): Handler<typeof funnels.getFunnel> =>
  async ({ query, caller, tx }) => {
    const found = await readBuiltInFunnel(tools, { tx, caller }, query);
    return { ...found, lists: readableLists(found.lists, caller) };
  };

/** The funnel of leads or opportunities. No transaction may be open. */
export async function readBuiltInFunnel(
  tools: Tools,
  { tx, caller }: { tx: Tx; caller: Caller },
  query: BuiltInQuery,
): Promise<Reply> {
  const { timezone } = await readTimezone(tx);
  const period = periodOf(query, query.timezone ?? timezone);
  const owner = { userId: query.userId, teamId: query.teamId };
  const cohort = await findCohort(tx, query.cohortId);
  const read = <T>(work: (members: Members) => Promise<T>) =>
    tools.heavy(caller.tenantId, async () => work(await readMembers(tx, cohort)));
  if (query.type !== 'opportunity')
    return replyOf(period, {
      names: [...leadSteps],
      counts: await read((members) => readLeadFunnel(tx, period, { owner, members })),
      lists: listsOfLeads(period, query),
    });
  const { id: pipelineId, stages } = await readPipeline(tools, caller, query.pipelineId);
  return replyOf(period, {
    names: stages.map(({ code }) => code),
    counts: await read((members) => readOpportunityFunnel(tx, { period, owner, members, pipelineId, stages })),
    lists: listsOfDeals(period, { ...query, pipelineId, stages }),
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
  { names, counts, lists }: { names: string[]; counts: FunnelCounts; lists: Reply['lists'] },
): Reply {
  return {
    period: { from, to, timezone },
    ...countsOf(counts, names),
    breakdown: [],
    lists,
    generatedAt: new Date(),
  };
}
