import { dismissedPairsMax } from '@tandem/crm-contract';
import { type JobContext, job, type Schedule, scheduleAgain } from '@tandem/jobs';
import { z } from 'zod';
import type { Tools, Tx } from '../../handler.ts';
import { applyDecisions, type Decision } from './apply-decisions.ts';
import type { TwoIds } from './pairs.ts';

/** The job that asks crm which new pairs of leads were dismissed there before search found them. */
export const followDecisionsJob = {
  name: 'follow-decisions',
  payload: z.object({ pairs: z.array(z.tuple([z.string(), z.string()])).max(dismissedPairsMax) }),
};

/** Schedules the question for new pairs of leads. */
export async function askForDecisions(schedule: Schedule, created: TwoIds[]): Promise<void> {
  const pairs = created
    .filter(({ type }) => type === 'lead')
    .map(({ firstId, secondId }): [string, string] => [firstId, secondId]);
  for (let from = 0; from < pairs.length; from += dismissedPairsMax)
    await schedule(followDecisionsJob, [{ pairs: pairs.slice(from, from + dismissedPairsMax) }]);
}

export const followDecisions = ({ crm, ids }: Tools) =>
  job({
    ...followDecisionsJob,
    lane: 'duplicates',
    async run({ payload, scope, outside, finish }: JobContext<z.output<typeof followDecisionsJob.payload>, Tx>) {
      const { tenantId } = scope;
      // Documents of clients have other ids than leads.
      const pairs = payload.pairs.flatMap((pair) => {
        const leadIds = pair.flatMap((id) => ids.decode('lead', tenantId, id) ?? []);
        return leadIds.length === 2 ? [{ leadIds }] : [];
      });
      if (!pairs.length) return;
      const as = { ...scope, requestId: 'follow_decisions' };
      const dismissed = await outside(() => crm.findDismissedDuplicates({ body: { pairs }, as }));
      const decisions = dismissed.map(({ leadIds, ...decision }): Decision => {
        const [one, other] = leadIds.map((id) => ids.encode('lead', tenantId, id)) as [string, string];
        return { leads: [one, other], ...decision };
      });
      await finish(async ({ tx }) => applyDecisions(tx, decisions));
    },
    giveUp: scheduleAgain(followDecisionsJob),
  });
