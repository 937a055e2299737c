import { type internalLeads, ownValue } from '@tandem/crm-contract';
import type { Handler } from '../../handler.ts';
import { readDefinitions } from './custom-field.ts';
import { checkValue, errorOf, givenValue } from './values.ts';

export const checkCustomFieldValues: Handler<typeof internalLeads.checkCustomFieldValues> = async ({
  body,
  caller,
  tx,
}) => {
  // Without a tenant the tenant guard would throw an internal error.
  if (caller.tenantId === undefined) return [];
  const definitions = await readDefinitions(tx, 'lead');
  return body.changes.flatMap((change, index) =>
    definitions.flatMap((field) => {
      if (!Object.hasOwn(change, field.key)) return [];
      const value = givenValue(ownValue(change, field.key));
      const required = field.required ? `Is required: ${field.label}` : undefined;
      const message = value === null ? required : errorOf(checkValue(field, value));
      return message === undefined ? [] : [{ index, key: field.key, message }];
    }),
  );
};
