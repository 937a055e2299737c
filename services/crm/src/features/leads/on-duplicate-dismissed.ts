import { type ConsumerContext, consumer } from '@tandem/events';
import { duplicateDismissed } from '@tandem/search-contract';
import type { Tx } from '../../handler.ts';
import { pairLeads } from './duplicate-pairs.ts';

/**
 * Dismisses the pair of leads that was dismissed in search. search has the same score, so a higher confidence means that a
 * lead has changed since, which opens a pair. No event tells of it: search would hear of its own decision.
 */
export const dismissDuplicates = consumer({
  name: 'dismiss-duplicates',
  on: [duplicateDismissed],
  async handle(events, { tx }: ConsumerContext<Tx>) {
    const decisions = events.flatMap(({ data: { leadIds }, record, occurredAt }) => {
      const [first, second] = leadIds?.toSorted((one, other) => one - other) ?? [];
      return first && second ? [{ ...record, first, second, at: record.dismissedAt ?? occurredAt }] : [];
    });
    if (!decisions.length) return;
    // The pair may not have been found here yet.
    await pairLeads(tx, [...new Set(decisions.flatMap(({ first, second }) => [first, second]))]);
    // In one order, so that two transactions cannot wait for each other.
    for (const { first, second, score, dismissedBy, at } of decisions.sort(
      (one, other) => one.first - other.first || one.second - other.second,
    ))
      await tx.sql`UPDATE duplicate_pair
        SET status = 'dismissed', decided_by = ${dismissedBy}::bigint, decided_at = ${at}::timestamptz, version = version + 1
        WHERE first_lead_id = ${first}::bigint AND second_lead_id = ${second}::bigint AND status = 'open'
          AND confidence <= ${score}::float`;
  },
});
