import { z } from 'zod';

/** The tokens that the model has used, and their cost. */
export const ModelUsage = z.object({
  promptTokens: z.int().meta({ description: 'The number of tokens in prompts', examples: [812] }),
  completionTokens: z.int().meta({ description: 'The number of tokens in responses', examples: [96] }),
  cost: z
    .number()
    .nullable()
    .meta({
      description: 'The cost in US dollars, by the prices that the platform knows; null for a model without prices',
      examples: [0.0002],
    }),
});
