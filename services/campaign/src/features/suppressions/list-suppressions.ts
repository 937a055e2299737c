import type { suppressions } from '@tandem/campaign-contract';
import type { Handler, Tools } from '../../handler.ts';
import { digestsOf, normalizedValue } from './address.ts';
import { asSuppression } from './suppression.ts';

export const listSuppressions =
  (tools: Pick<Tools, 'seal'>): Handler<typeof suppressions.listSuppressions> =>
  async ({ query, tx, list }) => {
    const { channel, reason, topicId, value } = query;
    const page = await list({
      model: tx.suppression,
      where: {
        ...(channel && { channel }),
        ...(reason && { reason }),
        ...(topicId !== undefined && { topicId }),
        ...(value !== undefined && { digest: { in: digestsOfValue(tools, value) } }),
      },
    });
    return { ...page, items: page.items.map(asSuppression) };
  };

/** The digests of a value as an address of either channel. */
function digestsOfValue(tools: Pick<Tools, 'seal'>, value: string): string[] {
  return (['email', 'sms'] as const).flatMap((channel) => {
    const normalized = normalizedValue(channel, value);
    return digestsOf(tools, channel, typeof normalized === 'string' ? normalized : value);
  });
}
