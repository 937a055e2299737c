import { z } from 'zod';

/** Settings of a service that generates; spread them into its own. Without a key everything comes from templates. */
export const aiSettings = {
  AI_PROVIDER_API_KEY: z.string().default(''),
  AI_PROVIDER_MODEL: z.string().default('gpt-4o-mini'),
  AI_PROVIDER_BASE_URL: z.url({ protocol: /^https?$/ }).default('https://api.openai.com/v1'),
};

export type AiSettings = { [Name in keyof typeof aiSettings]: string };

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
