import { freeForm, id, walkIds } from '@tandem/contract';
import { z } from 'zod';
import { compileRewriter } from './rewriter.ts';

const schema = z.object({
  id: id('lead'),
  owner: id('user').nullable(),
  many: z.array(z.object({ teamId: id('team').optional() })),
  pair: z.array(id('lead')).length(2),
  byName: z.record(z.string(), z.object({ userId: id('user') })),
  customFields: freeForm(),
});

describe('the compiled rewriter', () => {
  it('replaces every id of the schema and nothing else', () => {
    const value = {
      id: '1',
      owner: null,
      many: [{ teamId: '2' }, {}],
      pair: ['3', '4'],
      byName: { a: { userId: '5' } },
      customFields: { id: '6', owner: '7' },
      unknown: { id: '8' },
    };
    compileRewriter(walkIds(schema))(value, (type, found) => `${type}:${found}`);
    expect(value).toEqual({
      id: 'lead:1',
      owner: null,
      many: [{ teamId: 'team:2' }, {}],
      pair: ['lead:3', 'lead:4'],
      byName: { a: { userId: 'user:5' } },
      customFields: { id: '6', owner: '7' },
      unknown: { id: '8' },
    });
  });

  it.each([[null], [17], ['text'], [[1]], [{ many: 'no array', byName: 5, pair: { 0: 'x' } }]])(
    'leaves a value of another shape to the validation: %j',
    (value) => {
      expect(() => compileRewriter(walkIds(schema))(value, (_type, found) => found)).not.toThrow();
    },
  );
});
