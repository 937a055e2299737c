import type { TokenUsage } from './provider.ts';
import type { AiSettings } from './settings.ts';

const tokensPerPrice = 1_000_000;

/** The cost of tokens in US dollars by `AI_PROVIDER_PRICES`; null for a model without prices. */
export function costOf(
  { AI_PROVIDER_PRICES }: AiSettings,
  model: string,
  { promptTokens, completionTokens }: TokenUsage,
): number | null {
  const price = AI_PROVIDER_PRICES?.[model];
  if (!price) return null;
  return (promptTokens * price.prompt + completionTokens * price.completion) / tokensPerPrice;
}
