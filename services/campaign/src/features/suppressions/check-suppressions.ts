import type { suppressions } from '@tandem/campaign-contract';
import type { FieldError } from '@tandem/contract';
import { fail } from '@tandem/service';
import type { Handler, Tools } from '../../handler.ts';
import { normalizedValue } from './address.ts';
import { suppressedAddresses } from './suppressed.ts';
import { checkTopic } from './suppression.ts';

export const checkSuppressions =
  (tools: Pick<Tools, 'seal'>): Handler<typeof suppressions.checkSuppressions> =>
  async ({ body, tx }) => {
    const { channel, topicId, values } = body;
    const errors = values.flatMap((value, index): FieldError[] => {
      const normalized = normalizedValue(channel, value);
      return typeof normalized === 'string' ? [] : [{ field: `values.${index}`, message: normalized.error }];
    });
    if (errors.length) throw fail('validation_failed', errors.slice(0, 100));
    await checkTopic(tx, topicId);
    const found = await suppressedAddresses(tools, tx, { channel, topicId }, values);
    return {
      results: values.map((value) => ({ value, suppressed: found.has(value), reason: found.get(value) ?? null })),
    };
  };
