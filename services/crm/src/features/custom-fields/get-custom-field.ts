import type { customFields } from '@tandem/crm-contract';
import { fail } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { asCustomField } from './custom-field.ts';

export const getCustomField: Handler<typeof customFields.getCustomField> = async ({ params, tx }) => {
  const row = await tx.customField.findFirst({ where: { id: params.id, removedAt: null } });
  if (!row) throw fail('not_found');
  return asCustomField(row);
};
