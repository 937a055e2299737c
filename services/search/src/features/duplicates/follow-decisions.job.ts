import { pairedLeadsMax } from '@tandem/crm-contract';
import { type JobContext, job, type Schedule, scheduleAgain } from '@tandem/jobs';
import { z } from 'zod';
import type { Tools, Tx } from '../../handler.ts';
import { applyDecisions, type Decision } from './apply-decisions.ts';
import type { TwoIds } from './pairs.ts';

const pairsMax = pairedLeadsMax / 2;

/** The job that asks crm which new pairs of leads were dismissed there before search found them. */
export const followDecisionsJob = {
  name: 'follow-decisions',
  payload: z.object({ pairs: z.array(z.tuple([z.string(), z.string()])).max(pairsMax) }),
};

/** Schedules the question for new pairs of leads. */
export async function askForDecisions(schedule: Schedule, created: TwoIds[]): Promise<void> {
  const pairs = created
    .filter(({ type }) => type === 'lead')
    .map(({ firstId, secondId }): [string, string] => [firstId, secondId]);
  for (let from = 0; from < pairs.length; from += pairsMax)
    await schedule(followDecisionsJob, [{ pairs: pairs.slice(from, from + pairsMax) }]);
}

export const followDecisions = ({ crm, ids }: Tools) =>
  job({
    ...followDecisionsJob,
    lane: 'duplicates',
    async run({ payload, scope, outside, finish }: JobContext<z.output<typeof followDecisionsJob.payload>, Tx>) {
      const { tenantId } = scope;
      // Documents of clients have other ids than leads.
      const leadIds = [...new Set(payload.pairs.flat())].flatMap((id) => ids.decode('lead', tenantId, id) ?? []);
      if (!leadIds.length) return;
      const as = { ...scope, requestId: 'follow_decisions' };
      const leads = await outside(() => crm.findDismissedDuplicates({ body: { leadIds }, as }));
      const decisions = leads.flatMap(({ leadId, dismissed }) =>
        dismissed.map(({ otherId, ...decision }): Decision => {
          const [one, other] = [leadId, otherId].map((id) => ids.encode('lead', tenantId, id)) as [string, string];
          return { leads: [one, other], ...decision };
        }),
      );
      await finish(async ({ tx }) => applyDecisions(tx, decisions));
    },
    giveUp: scheduleAgain(followDecisionsJob),
  });
