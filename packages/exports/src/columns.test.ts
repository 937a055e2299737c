import { id } from '@tandem/contract';
import { createIdCodec } from '@tandem/ids';
import { z } from 'zod';
import { allColumns, rowWriter, unknownColumns } from './columns.ts';

const tenantId = 4;
const ids = createIdCodec('abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789');
const record = z.object({
  id: id('lead'),
  tenantId: z.int(),
  name: z.string(),
  tags: z.array(z.string()),
  consent: z.object({ email: z.object({ state: z.string() }).optional() }),
  customFields: z.record(z.string(), z.unknown()),
  createdAt: z.date(),
});
const exported = {
  record,
  parts: { consent: { names: ['email'], read: (consent: unknown) => (consent as { state?: string })?.state } },
};

describe('the columns of an export', () => {
  it('are all fields that a file can use', () => {
    expect(allColumns(exported)).toEqual(['id', 'name', 'tags', 'consent', 'customFields', 'createdAt']);
  });

  it('may be parts and custom fields, and no fields that records do not have', () => {
    const columns = ['name', 'consent.email', 'customFields.seats', 'consent.fax', 'toString', 'customFields.'];
    const errors = unknownColumns(exported, columns);
    expect(errors.map(({ field }) => field)).toEqual(['columns.3', 'columns.4', 'columns.5']);
    expect(errors[0]?.message).toContain('customFields.<key>');
  });
});

describe('a row of an export', () => {
  const row = () => ({
    id: '17',
    tenantId,
    name: '=1+1',
    tags: ['a', 'b'],
    consent: { email: { state: 'granted' } },
    customFields: { seats: 3, nested: { a: 1 } },
    createdAt: new Date('2026-03-01T00:00:00Z'),
  });

  it('has ids that clients know, texts and numbers in a table', () => {
    const columns = ['id', 'tags', 'consent.email', 'customFields.seats', 'customFields.toString', 'createdAt'];
    const write = rowWriter(exported, { columns, isTable: true, ids, tenantId });
    const encoded = ids.encode('lead', tenantId, 17);
    expect(write(row())).toEqual([encoded, 'a, b', 'granted', 3, null, '2026-03-01T00:00:00.000Z']);
  });

  it('keeps the values of JSON otherwise', () => {
    const write = rowWriter(exported, { columns: ['tags', 'customFields.nested'], isTable: false, ids, tenantId });
    expect(write(row())).toEqual([['a', 'b'], { a: 1 }]);
  });
});
