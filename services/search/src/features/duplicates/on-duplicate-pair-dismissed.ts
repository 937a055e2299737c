import { duplicatePairDismissed } from '@tandem/crm-contract';
import { type ConsumerContext, consumer } from '@tandem/events';
import type { Tools, Tx } from '../../handler.ts';
import { applyDecisions, type Decision } from './apply-decisions.ts';

/** Dismisses the pairs of leads that are dismissed in crm. A pair that search finds later is asked for by `follow-decisions`. */
export const dismissPairs = ({ ids }: Tools) =>
  consumer({
    name: 'dismiss-pairs',
    on: [duplicatePairDismissed],
    async handle(events, { tx }: ConsumerContext<Tx>) {
      const decisions = events.map(({ tenantId, record: { leadIds, confidence, decidedBy, decidedAt } }): Decision => {
        const [one, other] = leadIds.map((id) => ids.encode('lead', tenantId, id)) as [string, string];
        return { leads: [one, other], confidence, decidedBy, decidedAt };
      });
      await applyDecisions(tx, decisions);
    },
  });
