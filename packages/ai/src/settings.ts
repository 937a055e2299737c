import { z } from 'zod';

/** Settings of a service that generates; spread them into its own. Without a key everything comes from templates. */
export const aiSettings = {
  AI_PROVIDER_API_KEY: z.string().default(''),
  AI_PROVIDER_MODEL: z.string().default('gpt-4o-mini'),
  AI_PROVIDER_BASE_URL: z.url({ protocol: /^https?$/ }).default('https://api.openai.com/v1'),
};

export type AiSettings = { [Name in keyof typeof aiSettings]: string };
