import { event, id, listQuery, name, operations, page, text, timestamp } from '@tandem/contract';
import { z } from 'zod';

export const customFieldEntities = ['lead', 'opportunity', 'account'] as const;
export const customFieldTypes = [
  'text',
  'number',
  'date',
  'select',
  'multi_select',
  'checkbox',
  'url',
  'user',
  'currency',
] as const;
export const customFieldStates = ['indexing', 'ready'] as const;

export const CustomFieldEntity = z.enum(customFieldEntities).describe('The kind of record that has the field');
export const CustomFieldType = z.enum(customFieldTypes).describe('The type of the values of the field');

const Key = text(64)
  .regex(/^[a-zA-Z][a-zA-Z0-9_]*$/, 'Must start with a letter and contain only letters, digits and underscores')
  .meta({ description: 'The key of the value inside `customFields`', examples: ['seats'] });
const Option = z.object({
  value: name(100).meta({ description: 'The value as it is stored', examples: ['enterprise'] }),
  label: name(100).meta({ description: 'The text that user interfaces show', examples: ['Enterprise'] }),
});
const Options = z.array(Option).max(200, 'Must contain at most 200 options').meta({
  description: 'The values to choose from. Required for select and multi_select, and only for these.',
});
const Order = z
  .int({ error: 'Must be a whole number from 0 to 10000' })
  .min(0, 'Must be at least 0')
  .max(10_000, 'Must be at most 10000')
  .meta({ description: 'The position in forms, from 0 to 10000', examples: [1] });

/** The definition of a custom field. */
export const CustomField = z.object({
  id: id('custom_field'),
  entityType: CustomFieldEntity.meta({ examples: ['lead'] }),
  key: Key,
  label: name(100).meta({ description: 'The name that user interfaces show', examples: ['Seats'] }),
  description: text(500)
    .nullable()
    .meta({ examples: ['The number of people who will use it'] }),
  type: CustomFieldType.meta({
    description:
      'The type of the values of the field. A value of the type `user` must have the form of an id; whether it is the id of a user of the tenant is not checked',
    examples: ['number'],
  }),
  options: Options.meta({ examples: [[]] }),
  required: z.boolean().meta({ description: 'Whether new records must have a value', examples: [false] }),
  unique: z.boolean().meta({
    description: 'Whether two records cannot have the same value: text, number, date and url',
    examples: [false],
  }),
  sortable: z.boolean().meta({
    description:
      'Whether lists can be sorted by the field, and filtered by `customFieldsMin` and `customFieldsMax`: text, number, date and select',
    examples: [true],
  }),
  order: Order,
  status: z.enum(customFieldStates).meta({
    description: 'Whether existing records are still being read (`indexing`)',
    examples: ['ready'],
  }),
  misfits: z.int().meta({
    description:
      'The number of records with a value that does not fit the definition, when existing records were last read',
    examples: [0],
  }),
  version: z.int(),
  createdAt: timestamp(),
  updatedAt: timestamp(),
});

const fieldEvent = (verb: 'create' | 'update' | 'delete', description: string) =>
  event(`custom_field.${verb}d`, {
    description,
    action: `custom_field.${verb}`,
    target: 'custom_field',
    data: z.object({ customFieldId: id('custom_field'), entityType: CustomFieldEntity, key: Key }),
    record: CustomField,
  });

export const customFieldCreated = fieldEvent('create', 'A custom field is defined');
export const customFieldUpdated = fieldEvent('update', 'The definition of a custom field is updated');
export const customFieldDeleted = fieldEvent('delete', 'The definition of a custom field is deleted');

const withId = z.object({ id: id('custom_field') });
const settings = {
  label: CustomField.shape.label,
  description: text(500).nullish(),
  options: Options.optional(),
  required: z.boolean().optional(),
  unique: z.boolean().optional(),
  sortable: z.boolean().optional(),
  order: Order.optional(),
};
const noSlot = [
  409,
  'Too many sortable fields of this type; send sortable false, or make another field unsortable',
] as const;
const notReady = [
  409,
  'Existing records are still being read; try again when the status of the field is ready',
] as const;

/** Errors of operations that write custom fields. */
export const customFieldErrors = {
  value_taken: [409, 'Another record has this value in a unique custom field'],
} as const;

const bounds = (description: string, example: string) =>
  z
    .record(text(64), text(200))
    .meta({ description, examples: [{ seats: example }] })
    .optional();

/** Filters of lists by custom fields that are defined as sortable. */
export const customFieldRanges = {
  customFieldsMin: bounds(
    'Return only records with these or greater values in sortable custom fields: `customFieldsMin[seats]=10`',
    '10',
  ),
  customFieldsMax: bounds(
    'Return only records with these or smaller values in sortable custom fields: `customFieldsMax[seats]=50`',
    '50',
  ),
};

/** The same, and the filter by equality, which every custom field has. */
export const customFieldFilters = {
  customFields: z
    .record(text(64), text(200))
    .meta({
      description:
        'Return only records whose custom fields have these values: `customFields[tier]=gold`. A field of the type `multi_select` matches if it contains the value; one of the type `currency` takes an amount and its currency, such as `12.5 EUR`. A value that a defined field cannot have is a 422.',
      examples: [{ tier: 'gold' }],
    })
    .optional(),
  ...customFieldRanges,
};

export const customFields = operations({
  createCustomField: {
    method: 'POST',
    path: '/v1/config/custom-fields',
    permission: 'config:write',
    summary: 'Define a custom field',
    description:
      'Gives a key of `customFields` a type, which values of that key must then have. Keys without a definition stay free. Existing records keep their values; those that do not fit are counted in `misfits`. They are read in the background, and lists can be sorted by the field when its `status` is `ready`.',
    body: CustomField.pick({ entityType: true, key: true, type: true })
      .extend(settings)
      .meta({ examples: [{ entityType: 'lead', key: 'seats', label: 'Seats', type: 'number', sortable: true }] }),
    reply: CustomField,
    status: 201,
    message: 'Custom field created',
    emits: [customFieldCreated],
    errors: {
      key_taken: [409, 'A custom field with this key exists; change it, or use another key'],
      too_many_fields: [409, 'There are 100 custom fields already; delete one first'],
      no_slot: noSlot,
    },
  },
  listCustomFields: {
    method: 'GET',
    path: '/v1/config/custom-fields',
    permission: 'config:read',
    summary: 'List custom fields',
    description: 'Sorted by `order` unless `sort` is set. `search` covers the key and the label.',
    query: listQuery(['order', 'createdAt', 'key', 'label'], 'order').extend({
      entityType: CustomFieldEntity.optional(),
    }),
    reply: page(CustomField),
    message: 'Custom fields retrieved',
  },
  getCustomField: {
    method: 'GET',
    path: '/v1/config/custom-fields/:id',
    permission: 'config:read',
    summary: 'Retrieve a custom field',
    params: withId,
    reply: CustomField,
    message: 'Custom field retrieved',
  },
  updateCustomField: {
    method: 'PATCH',
    path: '/v1/config/custom-fields/:id',
    permission: 'config:write',
    summary: 'Update a custom field',
    description:
      'Key and type cannot change: to change the type, delete the definition, which keeps the values, and create another one. An option that records have cannot be removed.',
    params: withId,
    body: z.object(settings).partial(),
    reply: CustomField,
    message: 'Custom field updated',
    emits: [customFieldUpdated],
    errors: {
      no_slot: noSlot,
      field_not_ready: notReady,
      option_in_use: [409, 'Records have this option; give them another value first'],
    },
  },
  deleteCustomField: {
    method: 'DELETE',
    path: '/v1/config/custom-fields/:id',
    permission: 'config:delete',
    summary: 'Delete a custom field',
    description: 'Deletes the definition. Records keep their values as free keys of `customFields`.',
    params: withId,
    reply: z.object({ id: id('custom_field'), deleted: z.literal(true).describe('Always true') }),
    message: 'Custom field deleted',
    emits: [customFieldDeleted],
  },
});
