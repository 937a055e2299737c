import { actingUserId } from '@tandem/caller';
import type { suppressions } from '@tandem/campaign-contract';
import type { Handler, Tools } from '../../handler.ts';
import { normalizedValue } from './address.ts';
import { insertSuppressions } from './suppressed.ts';
import { checkTopic } from './suppression.ts';

const errorsMax = 100;

export const importSuppressions =
  (tools: Pick<Tools, 'seal'>): Handler<typeof suppressions.importSuppressions> =>
  async ({ body, caller, tx, emit }) => {
    const { channel, reason, topicId = null, note = null, values } = body;
    await checkTopic(tx, topicId);
    const createdBy = actingUserId(caller) ?? null;
    const valid = new Set<string>();
    const errors: { index: number; message: string }[] = [];
    for (const [index, value] of values.entries()) {
      const normalized = normalizedValue(channel, value);
      if (typeof normalized === 'string') valid.add(normalized);
      else errors.push({ index, message: normalized.error });
    }
    // In one order, so that two imports of the same addresses cannot wait for each other.
    const wanted = [...valid].sort().map((value) => ({ channel, value, reason, topicId, note, createdBy }));
    const created = (await insertSuppressions(tools, { tx, emit }, wanted)).length;
    return {
      created,
      existing: values.length - errors.length - created,
      invalid: errors.length,
      errors: errors.slice(0, errorsMax),
    };
  };
