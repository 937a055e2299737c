import { z } from 'zod';

const Price = z.object({ prompt: z.number().min(0), completion: z.number().min(0) });

/**
 * The prices of models, as JSON: US dollars for a million tokens of prompts and of completions, such as
 * `{"small":{"prompt":0.15,"completion":0.6}}`. The provider publishes them, and they change.
 */
const Prices = z
  .string()
  .default('{}')
  .transform((text, context) => {
    try {
      return z.record(z.string(), Price).parse(JSON.parse(text || '{}'));
    } catch {
      context.addIssue('Must be JSON such as {"small":{"prompt":0.15,"completion":0.6}}');
      return z.NEVER;
    }
  });

/** Settings of a service that generates; spread them into its own. Without a key everything comes from templates. */
export const aiSettings = {
  AI_PROVIDER_API_KEY: z.string().default(''),
  AI_PROVIDER_MODEL: z.string().default('gpt-4o-mini'),
  AI_PROVIDER_BASE_URL: z.url({ protocol: /^https?$/ }).default('https://api.openai.com/v1'),
};

/** Settings of a service whose model calls tools: also with the prices of models, for the cost of each run. */
export const agentAiSettings = { ...aiSettings, AI_PROVIDER_PRICES: Prices };

export type AiSettings = { [Name in keyof typeof aiSettings]: string } & {
  AI_PROVIDER_PRICES?: z.output<typeof Prices>;
};

/** Settings of a service that compares texts by their meaning. Without a key or a model no text is sent. */
export const embeddingSettings = {
  AI_PROVIDER_API_KEY: aiSettings.AI_PROVIDER_API_KEY,
  AI_PROVIDER_BASE_URL: aiSettings.AI_PROVIDER_BASE_URL,
  AI_PROVIDER_EMBEDDING_MODEL: z.string().max(100).default(''),
  /** How many numbers a vector has; the model must be able to make vectors of this length. */
  AI_PROVIDER_EMBEDDING_DIMENSIONS: z.coerce.number().int().min(16).max(2_048).default(256),
  /** How many tokens a tenant may use in a day. */
  AI_PROVIDER_EMBEDDING_TOKENS_PER_DAY: z.coerce.number().int().min(1_000).max(1_000_000_000).default(5_000_000),
};

export type EmbeddingSettings = {
  [Name in keyof typeof embeddingSettings]: z.output<(typeof embeddingSettings)[Name]>;
};
