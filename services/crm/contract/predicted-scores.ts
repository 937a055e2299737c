import { id, operations, text } from '@tandem/contract';
import { z } from 'zod';
import { Lead, leadScoreThresholdCrossed, leadUpdated } from './lead.ts';

/** Maximum number of scores in a `setPredictedScores` request. */
export const predictedScoresMax = 250;

/** Scores that analytics predicts. */
export const internalPredictedScores = operations({
  setPredictedScores: {
    method: 'POST',
    path: '/internal/leads/set-predicted-scores',
    audience: 'internal',
    summary: 'Set the scores of leads to predicted ones, except for pinned scores',
    description:
      'A lead that does not exist, that the caller cannot change, that has changed since the given version, or whose score is pinned has an error in the reply; the others are changed.',
    body: z.object({
      scores: z
        .array(
          z.object({
            leadId: id('lead'),
            score: Lead.shape.score,
            version: z.int().describe('The version of the lead for which the score was predicted'),
          }),
        )
        .max(predictedScoresMax, `Must contain at most ${predictedScoresMax} scores`),
      reason: text(500).describe('What predicted the scores, for the history'),
    }),
    /** In the order of the request. */
    reply: z.array(
      z.object({ leadId: id('lead'), error: z.object({ code: z.string(), message: z.string() }).nullable() }),
    ),
    message: 'Scores set',
    emits: [leadUpdated, leadScoreThresholdCrossed],
  },
});
