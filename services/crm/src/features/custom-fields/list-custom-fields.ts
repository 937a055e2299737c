import type { customFields } from '@tandem/crm-contract';
import type { Handler } from '../../handler.ts';
import { asCustomField } from './custom-field.ts';

export const listCustomFields: Handler<typeof customFields.listCustomFields> = async ({ query, tx, list }) => {
  const { entityType } = query;
  const page = await list({
    model: tx.customField,
    where: { removedAt: null, ...(entityType && { entityType }) },
    searchIn: ['key', 'label'],
  });
  return { ...page, items: page.items.map(asCustomField) };
};
