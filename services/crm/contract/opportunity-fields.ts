// Fields of opportunities and of the requests that change them.
import { code, name, text, timestamp } from '@tandem/contract';
import { z } from 'zod';

// Not an enum, because each tenant defines its own stages.
export const StageCode = code().meta({ description: 'The code of the stage', examples: ['prospecting'] });
export const Competitor = name(200).meta({
  description: 'The competitor that won the deal',
  examples: ['Difference Ltd'],
});
export const ReasonCode = code().meta({
  description: 'The reason for the outcome, as a custom code: lower-case letters, digits and underscores',
  examples: ['price'],
});
export const Note = text(2000).meta({
  description: 'A note about the outcome',
  examples: ['Signed for two years'],
});
export const Notes = text(5000).meta({
  description: 'Notes about the deal',
  examples: ['Wants a second machine next year'],
});
export const Probability = z
  .int({ error: 'Must be a whole number from 0 to 100' })
  .min(0, 'Must be at least 0')
  .max(100, 'Must be at most 100')
  .meta({ description: 'The probability of winning the deal, in percent', examples: [10] });
/** Why a deal moves to another stage. */
export const MoveReason = text(500).meta({
  description: 'The reason for the change',
  examples: ['Budget was approved'],
});

/** When a deal was closed, in a request. */
export const closedAt = () =>
  timestamp()
    .describe(
      'When the deal was closed. Must be between the creation of the opportunity and now, with a tolerance of one minute. Defaults to now.',
    )
    .optional();
