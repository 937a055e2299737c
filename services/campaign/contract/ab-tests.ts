import { id, listQuery, operations, page, sharedErrors } from '@tandem/contract';
import { z } from 'zod';
import {
  AbTest,
  AbTestStatus,
  abTestCancelled,
  abTestCompleted,
  abTestCreated,
  abTestDeleted,
  abTestLooks,
  abTestStarted,
  abTestUpdated,
  VariantKey,
  writableAbTest,
} from './ab-test.ts';

const ofCampaign = z.object({ id: id('campaign') });
const byId = ofCampaign.extend({ testId: id('ab_test') });
const path = '/v1/campaigns/:id/ab-tests';
const write = { permission: 'campaigns:write', narrows: true } as const;
const read = { permission: 'campaigns:read', narrows: true } as const;
const refused = { transition_refused: sharedErrors.transition_refused } as const;
const completed = { campaign_completed: [409, 'The campaign is completed, so it sends no e-mails to test'] } as const;

const share = (description: string, example: number) => z.number().meta({ description, examples: [example] });

export const AbTestResult = z.object({
  key: VariantKey,
  sent: z.int().meta({
    description: 'The number of people who got the variant: leads whose message was sent, or visitors of the page',
    examples: [400],
  }),
  count: z.int().meta({ description: 'The number of these people who did what `metric` names', examples: [96] }),
  rate: share('`count` divided by `sent`', 0.24),
  interval: z
    .object({ low: share('The lower end', 0.201), high: share('The upper end', 0.284) })
    .describe('The interval that has the true rate with the demanded confidence (Wilson score interval)'),
});

export const AbTestResults = z.object({
  abTestId: id('ab_test'),
  status: AbTestStatus.meta({ examples: ['running'] }),
  metric: AbTest.shape.metric,
  variants: z.array(AbTestResult).describe('The results in the order of the variants'),
  leader: VariantKey.nullable().describe('The variant with the highest rate; null before anybody got one'),
  isSignificant: z.boolean().meta({
    description: 'Whether the leader is better than every other variant: `confidence` is at least `requiredConfidence`',
    examples: [true],
  }),
  confidence: share(
    'The confidence that the difference between the leader and the others is not due to chance, from 0 to 1: 1 minus the largest p-value of the comparisons of the leader with the others, each multiplied by the number of pairs of variants (Bonferroni)',
    0.97,
  ),
  requiredConfidence: share(
    `The confidence that the leader needs now. A test is examined ${abTestLooks} times, at equal intervals, and each time chance can favour a variant. So before its end the leader needs more than the \`confidence\` of the test: only 1/50 of the permitted error is spent by each early look, and the rest by the last one (boundaries of Haybittle and Peto). All looks together find a difference by chance at most as often as \`confidence\` permits.`,
    0.999,
  ),
  method: z
    .enum(['z_test', 'fisher_exact'])
    .nullable()
    .meta({
      description:
        'How the leader was compared with the variant that is most similar to it: the two-proportion z-test, or Fisher’s exact test for small numbers',
      examples: ['z_test'],
    }),
  canPromote: z.boolean().meta({
    description: 'Whether the test runs, each variant has `minSample` people, and the leader is significant',
    examples: [true],
  }),
  winnerKey: AbTest.shape.winnerKey,
  inconclusive: AbTest.shape.inconclusive,
});

export const abTests = operations({
  createAbTest: {
    method: 'POST',
    path,
    ...write,
    summary: 'Create an A/B test',
    description:
      'The test starts as a draft. `subject`, `template` and `send_time` test a node of the type `email`, `landing_page` tests a page.',
    params: ofCampaign,
    body: writableAbTest,
    reply: AbTest,
    status: 201,
    message: 'A/B test created',
    emits: [abTestCreated],
    errors: completed,
  },
  listAbTests: {
    method: 'GET',
    path,
    ...read,
    summary: 'List the A/B tests of a campaign',
    params: ofCampaign,
    query: listQuery(['createdAt']).omit({ search: true }).extend({ status: AbTestStatus.optional() }),
    reply: page(AbTest),
    message: 'A/B tests retrieved',
  },
  getAbTest: {
    method: 'GET',
    path: `${path}/:testId`,
    ...read,
    summary: 'Retrieve an A/B test',
    params: byId,
    reply: AbTest,
    message: 'A/B test retrieved',
  },
  updateAbTest: {
    method: 'PATCH',
    path: `${path}/:testId`,
    ...write,
    summary: 'Update an A/B test',
    description: 'Changes the given fields of a draft; `variants` is replaced as a whole.',
    params: byId,
    body: writableAbTest.partial(),
    reply: AbTest,
    message: 'A/B test updated',
    emits: [abTestUpdated],
    errors: { ab_test_started: [409, 'The test was started, so it cannot be changed; create a new one'] },
  },
  deleteAbTest: {
    method: 'DELETE',
    path: `${path}/:testId`,
    permission: 'campaigns:delete',
    narrows: true,
    summary: 'Delete an A/B test',
    description: 'The node or page of a completed test has its original content again.',
    params: byId,
    reply: z.object({ id: id('ab_test'), deleted: z.literal(true).describe('Always true') }),
    message: 'A/B test deleted',
    emits: [abTestDeleted],
    errors: { ab_test_running: [409, 'The test is running; stop it or declare its winner first'] },
  },
  startAbTest: {
    method: 'POST',
    path: `${path}/:testId/start`,
    ...write,
    summary: 'Start an A/B test',
    description:
      'Copies the content of every variant, so that later changes of templates, pages and nodes do not change the test. The workflow or the page must be published. The same lead, and the same browser of a visitor, always gets the same variant.',
    params: byId,
    reply: AbTest,
    message: 'A/B test started',
    emits: [abTestStarted],
    errors: {
      ...refused,
      ...completed,
      target_in_test: [409, 'Another test of the node or page is running; stop it or declare its winner first'],
    },
  },
  stopAbTest: {
    method: 'POST',
    path: `${path}/:testId/stop`,
    ...write,
    summary: 'Stop an A/B test',
    description: 'Ends the test without a winner. From now on everybody gets the original.',
    params: byId,
    reply: AbTest,
    message: 'A/B test stopped',
    emits: [abTestCancelled],
    errors: refused,
  },
  declareAbTestWinner: {
    method: 'POST',
    path: `${path}/:testId/declare-winner`,
    ...write,
    summary: 'Declare the winner of an A/B test',
    description:
      'Any variant can win, also one that does not lead. From now on everybody gets a copy of its content, until the content of the node is changed in a newer version of the workflow, or the page is published again.',
    params: byId,
    body: z.object({ variantKey: VariantKey.describe('The key of the winner') }),
    reply: AbTest,
    message: 'Winner declared',
    emits: [abTestCompleted],
    errors: refused,
  },
  getAbTestResults: {
    method: 'GET',
    path: `${path}/:testId/results`,
    ...read,
    summary: 'Retrieve the results of an A/B test',
    description:
      'Requests of software, such as link scanners, privacy proxies and crawlers, do not count. What happens after the end of the test does not count either.',
    params: byId,
    reply: AbTestResults,
    message: 'Results retrieved',
  },
});
