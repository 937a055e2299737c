import type { AbTestResults } from '@tandem/campaign-contract';
import type { z } from 'zod';
import type { Tx } from '../../handler.ts';
import type { AbTestRecord } from './ab-test.ts';
import { evaluate, rateOf, requiredAt, type Sample, wilsonInterval } from './significance.ts';

/** The results of a test until now, or until it ended. */
export async function readResults(
  tx: Tx,
  test: AbTestRecord,
  now = new Date(),
): Promise<z.output<typeof AbTestResults>> {
  const counted = await (test.target === 'landing_page' ? countVisitors(tx, test) : countMessages(tx, test));
  const countOf = new Map(counted.map((one) => [one.key, one]));
  const samples: Sample[] = test.variants.map(({ key }) => {
    const { sent = 0, count = 0 } = countOf.get(key) ?? {};
    // A browser without cookies can submit more often than it is counted as a visitor.
    return { key, sent, count: Math.min(sent, count) };
  });
  const isEarly = test.endsAt === null || (test.endedAt ?? now) < test.endsAt;
  const requiredConfidence = requiredAt(test.confidence, isEarly ? 'early' : 'last');
  const { leader, confidence, isSignificant, method } = evaluate(samples, requiredConfidence);
  const isLargeEnough = samples.every(({ sent }) => sent >= test.minSample);
  const { id: abTestId, status, metric, winnerKey, inconclusive } = test;
  return {
    abTestId,
    status,
    metric,
    variants: samples.map((sample) => ({
      ...sample,
      rate: rateOf(sample),
      interval: wilsonInterval(sample, test.confidence),
    })),
    leader,
    isSignificant,
    confidence,
    requiredConfidence,
    method,
    canPromote: status === 'running' && isLargeEnough && isSignificant,
    winnerKey,
    inconclusive,
  };
}

/** Counts people instead of messages: a lead that runs the workflow again counts once. The columns of messages contain actions of people only. */
function countMessages(tx: Tx, { id, metric, endedAt }: AbTestRecord): Promise<Sample[]> {
  const until = endedAt ?? new Date();
  return tx.sql<Sample>`
    SELECT variant AS key, count(DISTINCT lead_id)::int AS sent,
      count(DISTINCT lead_id) FILTER (WHERE CASE ${metric}::text
        WHEN 'open' THEN opened_at <= ${until}
        WHEN 'click' THEN clicked_at <= ${until}
        WHEN 'reply' THEN replied_at <= ${until}
        ELSE EXISTS (SELECT FROM engagement WHERE engagement.lead_id = message.lead_id
          AND engagement.type IN ('conversion', 'form_submission') AND NOT engagement.automated
          AND engagement.at BETWEEN message.sent_at AND ${until}) END)::int AS count
    FROM message WHERE ab_test_id = ${id} AND variant IS NOT NULL AND sent_at <= ${until}
    GROUP BY variant`;
}

/** Spam does not count, and neither does a submission whose address nobody has confirmed. */
function countVisitors(tx: Tx, { id, endedAt }: AbTestRecord): Promise<Sample[]> {
  const until = endedAt ?? new Date();
  return tx.sql<Sample>`
    SELECT variant AS key, visitors AS sent, (SELECT count(DISTINCT email)::int FROM form_submission
      WHERE form_submission.ab_test_id = ${id} AND form_submission.variant = ab_test_visits.variant
        AND form_submission.status IN ('accepted', 'processed', 'failed')
        AND form_submission.created_at <= ${until}) AS count
    FROM ab_test_visits WHERE ab_test_id = ${id}`;
}
