import { event, id, name, stateTable, text, timestamp } from '@tandem/contract';
import { z } from 'zod';

export const abTestStatuses = ['draft', 'running', 'completed', 'cancelled'] as const;
export const abTestTargets = ['subject', 'template', 'send_time', 'landing_page'] as const;
export const abTestMetrics = ['open', 'click', 'reply', 'conversion'] as const;

/** Bounds of a test. */
export const abTestLimits = {
  variantsMin: 2,
  variantsMax: 5,
  /** 90 days. */
  hoursMax: 2_160,
  sampleMax: 1_000_000,
} as const;

/** How often a test is examined: at the end of each tenth of its duration. */
export const abTestLooks = 10;

export const AbTestStatus = z.enum(abTestStatuses).describe('The status of the test');
export const AbTestTarget = z
  .enum(abTestTargets)
  .describe(
    'What the variants change: the subject, the whole template or the time of day of an e-mail, or the content of a landing page',
  );
export const AbTestMetric = z
  .enum(abTestMetrics)
  .describe(
    'What is counted. For e-mails: people who opened, clicked or answered, or who submitted a form or were converted after the message (`conversion`). For pages: people who submitted the form (`conversion`).',
  );

export const abTestStates = stateTable<(typeof abTestStatuses)[number]>('AbTest', {
  created: { draft: 'createAbTest' },
  changes: {
    draft: { running: 'startAbTest' },
    running: { completed: 'declareAbTestWinner', cancelled: 'stopAbTest' },
    completed: {},
    cancelled: {},
  },
  automatic: { running: { completed: 'examine-ab-test.job' } },
});

// The key is part of a cookie.
export const VariantKey = z
  .string()
  .regex(/^[a-zA-Z0-9_-]{1,50}$/, 'Must be 1 to 50 letters, digits, dashes or underscores')
  .meta({ description: 'The key of the variant, unique within the test', examples: ['a'] });

/** The changes of a variant, besides its template. */
export const VariantOverride = z.object({
  subjectLine: text(200)
    .min(1, 'Must not be empty')
    .meta({ description: 'Of a `subject` test: the subject, with placeholders', examples: ['Your offer is here'] })
    .optional(),
  at: z
    .string()
    .regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'Must be a time such as 09:30')
    .meta({
      description:
        'Of a `send_time` test: the time of day, in the zone that applies to the lead. Quiet hours and send windows still apply.',
      examples: ['09:30'],
    })
    .optional(),
  landingPageVersion: z
    .int()
    .min(1)
    .max(1_000_000_000)
    .meta({ description: 'Of a `landing_page` test: a version of the page', examples: [2] })
    .optional(),
  landingPageId: id('landing_page')
    .describe('Of a `landing_page` test: another published page of the campaign, whose content is shown')
    .optional(),
});

export const AbTestVariant = z.object({
  key: VariantKey,
  weight: z
    .number()
    .positive()
    .max(100)
    .meta({ description: 'The share of the people in the test, in percent', examples: [50] }),
  templateId: id('template')
    .describe('Of a `template` test: the template, whose subject is used too. It must be active when the test starts.')
    .optional(),
  override: VariantOverride.describe(
    'What the variant changes: exactly one field, which depends on `target`. One variant may change nothing: it is the original.',
  ).optional(),
});

const exampleVariants = [
  { key: 'original', weight: 50 },
  { key: 'offer', weight: 50, override: { subjectLine: 'Your offer is here' } },
];

/** The settings of a test, as requests have them. */
export const writableAbTest = z.object({
  name: name(200).meta({ examples: ['Subject of the welcome mail'] }),
  target: AbTestTarget.meta({ examples: ['subject'] }),
  workflowId: id('workflow')
    .nullish()
    .describe(
      'For e-mails: the workflow of the campaign with the node. May be omitted if the campaign has exactly one e-mail node when the test starts.',
    ),
  nodeId: name(100)
    .nullish()
    .meta({
      description:
        'For e-mails: the node of the type `email`. May be omitted if the workflow has exactly one when the test starts.',
      examples: ['email-1'],
    }),
  landingPageId: id('landing_page').nullish().describe('For landing pages: the page of the campaign, at its address'),
  variants: z
    .array(AbTestVariant)
    .min(abTestLimits.variantsMin, 'Must have at least two variants')
    .max(abTestLimits.variantsMax, 'Must have at most five variants')
    .meta({ description: 'The variants, whose weights add up to 100', examples: [exampleVariants] }),
  metric: AbTestMetric.meta({ examples: ['open'] }),
  samplePercent: z
    .int()
    .min(1)
    .max(100)
    .meta({
      description:
        'The share of people who take part, by default 100. Other leads wait at the node until the winner is known if `autoPromote` is set, at most `durationHours`; otherwise they get the original at once. Other visitors of a page see the original.',
      examples: [20],
    })
    .optional(),
  minSample: z
    .int()
    .min(1)
    .max(abTestLimits.sampleMax)
    .meta({
      description: 'How many people each variant needs before a winner is chosen early, by default 100',
      examples: [100],
    })
    .optional(),
  durationHours: z
    .int()
    .min(1)
    .max(abTestLimits.hoursMax)
    .meta({
      description:
        'How long people are assigned to variants, by default 72. Afterwards the winner is chosen if `autoPromote` is set; otherwise everybody gets the original until a winner is declared.',
      examples: [72],
    })
    .optional(),
  confidence: z
    .number()
    .min(0.8)
    .max(0.999)
    .meta({
      description:
        'The confidence that a winner needs to be significant, by default 0.95. It covers all looks at the test together: before the end of the test the leader needs more, as `requiredConfidence` of the results shows.',
      examples: [0.95],
    })
    .optional(),
  autoPromote: z
    .boolean()
    .meta({
      description: `Whether the platform chooses the winner, by default false. It examines the test ${abTestLooks} times, at equal intervals, the last time at its end: the leader wins at the first look at which each variant has \`minSample\` people and the leader is significant; otherwise at the end, flagged as \`inconclusive\``,
      examples: [true],
    })
    .optional(),
});

const fields = writableAbTest.shape;

export const AbTest = z.object({
  id: id('ab_test'),
  tenantId: id('tenant'),
  campaignId: id('campaign').describe('The campaign that the test belongs to'),
  name: fields.name,
  target: fields.target,
  status: AbTestStatus.meta({ examples: ['draft'] }),
  allowedTransitions: z
    .array(AbTestStatus)
    .meta({ description: 'The statuses that this test can currently change to', examples: [['running']] }),
  workflowId: id('workflow').nullable().describe('The workflow with the node; null for pages and before it is chosen'),
  nodeId: name(100)
    .nullable()
    .meta({ description: 'The e-mail node; null for pages and before it is chosen', examples: ['email-1'] }),
  landingPageId: id('landing_page').nullable().describe('The landing page; null for e-mails'),
  variants: fields.variants,
  metric: fields.metric,
  samplePercent: fields.samplePercent.unwrap(),
  minSample: fields.minSample.unwrap(),
  durationHours: fields.durationHours.unwrap(),
  confidence: fields.confidence.unwrap(),
  autoPromote: fields.autoPromote.unwrap(),
  winnerKey: VariantKey.nullable().describe('The key of the winner'),
  decidedBy: z
    .enum(['user', 'automatic'])
    .nullable()
    .meta({ description: 'Who chose the winner', examples: ['automatic'] }),
  inconclusive: z.boolean().meta({
    description: 'Whether the winner was chosen at the end of the test although it was not significant',
    examples: [false],
  }),
  startedAt: timestamp().nullable().describe('When the test was started'),
  endsAt: timestamp().nullable().describe('Until when people are assigned to variants'),
  endedAt: timestamp().nullable().describe('When the winner was chosen, or the test was stopped'),
  createdBy: id('user').nullable().describe('The user who created the record'),
  version: z.int(),
  createdAt: timestamp(),
  updatedAt: timestamp(),
});

const about = {
  target: 'ab_test',
  data: AbTest.pick({ campaignId: true, name: true, status: true }).extend({ abTestId: id('ab_test') }),
  record: AbTest,
} as const;

export const abTestCreated = event('ab_test.created', {
  ...about,
  description: 'An A/B test is created',
  action: 'ab_test.create',
});
export const abTestUpdated = event('ab_test.updated', {
  ...about,
  description: 'An A/B test is updated',
  action: 'ab_test.update',
});
export const abTestDeleted = event('ab_test.deleted', {
  ...about,
  description: 'An A/B test is deleted',
  action: 'ab_test.delete',
});
export const abTestStarted = event('ab_test.started', {
  ...about,
  description: 'An A/B test is started',
  action: 'ab_test.start',
});
export const abTestCompleted = event('ab_test.completed', {
  ...about,
  description: 'The winner of an A/B test is chosen, by a user or automatically',
  action: 'ab_test.complete',
  data: about.data.extend(AbTest.pick({ winnerKey: true, decidedBy: true, inconclusive: true }).shape),
});
export const abTestCancelled = event('ab_test.cancelled', {
  ...about,
  description: 'An A/B test is stopped without a winner',
  action: 'ab_test.cancel',
});
