import type { customFields } from '@tandem/crm-contract';
import type { Handlers } from '@tandem/service';
import type { Tx } from '../../handler.ts';
import { createCustomField } from './create-custom-field.ts';
import { deleteCustomField } from './delete-custom-field.ts';
import { getCustomField } from './get-custom-field.ts';
import { listCustomFields } from './list-custom-fields.ts';
import { updateCustomField } from './update-custom-field.ts';

export const customFieldHandlers = {
  createCustomField,
  listCustomFields,
  getCustomField,
  updateCustomField,
  deleteCustomField,
} satisfies Handlers<typeof customFields, Tx>;
