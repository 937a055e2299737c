import { BulkResult, bulkErrors, event, id, JobStarted, operations, text, timestamp } from '@tandem/contract';
import { z } from 'zod';

/** The most leads of one request. */
export const predictedLeadsMax = 250;
/** How many closed leads a model needs, and how many of each outcome. */
export const outcomesMin = 50;
export const outcomesOfKindMin = 10;
/** How many of the latest closed leads a model learns from. */
export const outcomesMax = 20_000;
/** How many versions of a model are kept. */
export const modelVersionsMax = 10;

export const ModelName = z.enum(['conversion']).meta({
  description: 'The model: `conversion` predicts whether a lead is converted to an opportunity',
  examples: ['conversion'],
});

export const PredictionSource = z.enum(['trained', 'rules']).meta({
  description:
    'Where the weights come from: `trained` from closed leads of the tenant, `rules` from fixed assumptions that are the same for all tenants',
  examples: ['trained'],
});
const ModelVersion = z.int().meta({ description: 'The version of the model; 0 for the rules', examples: [3] });
const share = (description: string, example: number) => z.number().meta({ description, examples: [example] });

const Factor = z.object({
  feature: z.string().meta({ description: 'What the model reads of the lead', examples: ['repliesRecent'] }),
  value: z
    .union([z.string(), z.number(), z.boolean()])
    .nullable()
    .meta({ description: 'The value for this lead; null if it has none', examples: [2] }),
  contribution: share(
    'What the value adds to the log-odds, compared with the mean of the leads that the model knows: positive values make a conversion more likely',
    1.42,
  ),
  text: z.string().meta({
    description: 'The same in words',
    examples: ['The lead replied to e-mails 2 times in the last 30 days: more likely to convert'],
  }),
});

export const LeadPrediction = z.object({
  leadId: id('lead'),
  model: ModelName,
  score: z.int().meta({ description: 'The probability in percent, from 0 to 100', examples: [81] }),
  probability: share(
    'The probability of the outcome, from 0 to 1. Trained models measure how well it is calibrated; that of rules is an assumption',
    0.812,
  ),
  band: z
    .enum(['hot', 'warm', 'cold'])
    .meta({ description: '`hot` from a score of 70, `warm` from 40, otherwise `cold`', examples: ['hot'] }),
  base: share(
    'The log-odds of a lead with mean values. Together with all contributions they are those of the lead',
    -0.9,
  ),
  factors: z.array(Factor).describe('What the prediction consists of, the strongest factor first'),
  modelVersion: ModelVersion,
  source: PredictionSource,
  scoredAt: timestamp().describe('When the prediction was made'),
});

const Metrics = z.object({
  samples: z.int().meta({ description: 'The number of closed leads', examples: [412] }),
  converted: z.int().meta({ description: 'How many of them were converted', examples: [130] }),
  trainingSamples: z.int().meta({ description: 'From how many the model learned', examples: [330] }),
  heldOutSamples: z
    .int()
    .meta({ description: 'How many were held out; all other numbers are measured with these', examples: [82] }),
  auc: z
    .number()
    .nullable()
    .meta({
      description:
        'How often a converted lead has a higher probability than a lost one, from 0 to 1; 0.5 is chance. Null if the held-out leads have only one outcome',
      examples: [0.84],
    }),
  aucError: z
    .number()
    .nullable()
    .meta({ description: 'The standard error of `auc`', examples: [0.04] }),
  rulesAuc: z
    .number()
    .nullable()
    .meta({ description: 'The same number for the rules', examples: [0.71] }),
  brier: share('The mean of the squared differences between the probability and the outcome; 0 is perfect', 0.14),
  baselineBrier: share('The same number if every lead had the mean probability', 0.22),
});

const calibrationExample = [{ leads: 8, predicted: 0.07, observed: 0.125 }];
const weightExample = [
  { feature: 'repliesRecent', text: 'replied to e-mails in the last 30 days: more likely to convert', weight: 0.93 },
];

export const PredictionModel = z.object({
  id: id('prediction_model').nullable().describe('The id of the version; null for the rules'),
  name: ModelName,
  version: ModelVersion,
  source: PredictionSource,
  state: z
    .enum(['training', 'active', 'replaced', 'rejected', 'failed'])
    .describe(
      '`active`: predictions use it. `replaced`: they use a newer version. `rejected`: it does not predict well enough. `failed`: the training did not end. The rules are `active` until a trained version is, and `replaced` while one is',
    ),
  reason: text(500)
    .nullable()
    .meta({ description: 'Why the version is rejected, or why its training failed; null otherwise', examples: [null] }),
  metrics: Metrics.nullable().describe(
    'How well the version predicts; null for the rules and before the training ends',
  ),
  calibration: z
    .array(
      z.object({
        leads: z.int().meta({ description: 'The number of held-out leads in the group', examples: [8] }),
        predicted: share('The mean of their probabilities', 0.07),
        observed: share('The part of them that was converted', 0.125),
      }),
    )
    .meta({
      description: 'The held-out leads in ten groups by probability, from the lowest to the highest',
      examples: [calibrationExample],
    }),
  features: z
    .array(
      z.object({
        feature: z.string().meta({ description: 'What the model reads of a lead', examples: ['repliesRecent'] }),
        weight: share('What one unit of it adds to the log-odds. Counts and days are logarithmic', 0.93),
        text: z.string().meta({ description: 'The same in words', examples: [weightExample[0]?.text] }),
      }),
    )
    .meta({ description: 'What the version reads, with weights, the greatest first', examples: [weightExample] }),
  trainedAt: timestamp().nullable().describe('When the training ended; null for the rules and until then'),
});

export const predictionModelTrained = event('prediction_model.trained', {
  description: 'The training of a prediction model ends',
  action: 'prediction_model.train',
  target: 'prediction_model',
  data: z.object({
    predictionModelId: id('prediction_model'),
    name: ModelName,
    version: z.int(),
    state: PredictionModel.shape.state,
  }),
  record: PredictionModel.extend({ id: id('prediction_model') }),
});

export const predictionCompleted = event('prediction.completed', {
  group: 'analytics',
  readPermission: 'analytics:read',
  description: 'Leads of a request were scored',
  action: 'prediction.complete',
  target: 'tenant',
  data: z.object({
    model: ModelName,
    modelVersion: ModelVersion,
    source: PredictionSource,
    succeeded: z.int().meta({ description: 'The number of leads that were scored', examples: [248] }),
    failed: z.int().meta({ description: 'The number of ids that could not be scored, or not stored', examples: [2] }),
    persisted: z.boolean().meta({ description: 'Whether the scores of the leads were set', examples: [true] }),
  }),
  record: z.object({ id: id('tenant') }),
  example: { model: 'conversion', modelVersion: 3, source: 'trained', succeeded: 248, failed: 2, persisted: true },
});

const PredictionResult = BulkResult.omit({ id: true }).extend({
  leadId: z.string().meta({ description: 'The id from the request', examples: ['khzasVT5ZxaVtyRs'] }),
  success: z.boolean().describe('Whether the lead was scored, and its score stored with `persist`'),
  prediction: LeadPrediction.nullable().describe(
    'The prediction; null if the lead cannot be scored. With `persist` also present if only storing the score failed',
  ),
});

export const predictions = operations({
  getLeadPrediction: {
    method: 'GET',
    path: '/v1/analytics/predictions/leads/:leadId',
    permission: 'analytics:read',
    also: ['leads:read'],
    summary: 'Retrieve the prediction for a lead',
    description: 'Calculates the prediction from what is known of the lead now. Nothing is stored.',
    params: z.object({ leadId: id('lead') }),
    query: z.object({ model: ModelName.optional() }),
    reply: LeadPrediction,
    message: 'Prediction retrieved',
  },
  scoreLeads: {
    method: 'POST',
    path: '/v1/analytics/predictions/score',
    permission: 'analytics:read',
    also: ['leads:read', { permission: 'leads:write', for: 'persist', is: true }],
    summary: 'Predict many leads',
    description:
      'Predicts each lead. `persist` also sets the scores of the leads, except for those that are pinned, with `lead.updated`. Active scoring rules calculate such a score again when what they read changes.',
    body: z.object({
      // Plain text, so that one malformed id does not reject the others.
      leadIds: z
        .array(text(64))
        .min(1, 'Must contain at least 1 id')
        .max(predictedLeadsMax, `Must contain at most ${predictedLeadsMax} ids`)
        .meta({ description: 'The leads', examples: [['khzasVT5ZxaVtyRs', '1djJZs2banxN2kyX']] }),
      model: ModelName.optional(),
      persist: z
        .boolean()
        .meta({ description: 'Whether the scores of the leads are set to the predicted ones', examples: [false] })
        .optional(),
    }),
    reply: z.object({
      succeeded: z.int().meta({ description: 'The number of successful results', examples: [1] }),
      failed: z.int().meta({ description: 'The number of other results', examples: [0] }),
      results: z.array(PredictionResult).describe('One result per id, in the order of the request'),
    }),
    message: 'Leads scored',
    emits: [predictionCompleted],
    errors: { duplicate_in_request: bulkErrors.duplicate_in_request },
  },
  listPredictionModels: {
    method: 'GET',
    path: '/v1/analytics/predictions/models',
    permission: 'analytics:read',
    summary: 'List prediction models',
    description: `Returns the latest ${modelVersionsMax} versions of each model, the newest first, and its rules.`,
    reply: z.array(PredictionModel),
    message: 'Prediction models retrieved',
  },
  trainPredictionModel: {
    method: 'POST',
    path: '/v1/analytics/predictions/models/:name/train',
    permission: 'analytics:manage',
    summary: 'Train a prediction model',
    description: `Starts a background job that learns a new version from the latest ${outcomesMax} closed leads: converted ones and those with a won deal, against unqualified ones and those whose deals are all lost. The version becomes active if it predicts a fifth of the leads, which it did not learn from, better than chance and not worse than the rules.`,
    params: z.object({ name: ModelName }),
    reply: JobStarted,
    status: 202,
    message: 'Training started',
    emits: [],
    errors: {
      too_few_outcomes: [
        409,
        `A model needs at least ${outcomesMin} closed leads, ${outcomesOfKindMin} of them converted and ${outcomesOfKindMin} lost; predictions use the rules until then`,
      ],
      training_running: [409, 'The model is being trained; wait for the end of that job'],
    },
  },
});
