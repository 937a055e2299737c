import { actingUserId } from '@tandem/caller';
import type { suppressions } from '@tandem/campaign-contract';
import type { Handler, Tools } from '../../handler.ts';
import { suppress } from './suppressed.ts';
import { checkTopic } from './suppression.ts';

export const createSuppression =
  (tools: Pick<Tools, 'seal'>): Handler<typeof suppressions.createSuppression> =>
  async ({ body, caller, tx, emit, wasThere }) => {
    await checkTopic(tx, body.topicId);
    const createdBy = actingUserId(caller) ?? null;
    const { suppression, isNew } = await suppress(tools, { tx, emit }, { ...body, createdBy });
    if (!isNew) wasThere();
    return suppression;
  };
