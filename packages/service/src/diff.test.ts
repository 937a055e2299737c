import { diff } from './diff.ts';

const at = new Date('2026-01-15T09:30:00.000Z');
const record = { name: 'Ada', tags: ['a'], seenAt: at, note: null, version: 3 };

it('returns the changed fields with before and after, and omits unchanged ones', () => {
  expect(diff(record, { name: 'Grace', tags: ['a', 'b'], seenAt: new Date(at), note: undefined })).toEqual({
    isEmpty: false,
    values: { name: 'Grace', tags: ['a', 'b'] },
    audit: { name: { from: 'Ada', to: 'Grace' }, tags: { from: ['a'], to: ['a', 'b'] } },
  });
  expect(diff(record, { name: 'Ada', tags: ['a'], note: null })).toEqual({ isEmpty: true, values: {}, audit: {} });
});

it('ignores the order of keys', () => {
  const before = { customFields: { a: 2, zz: { x: 1, y: [1] } } };
  expect(diff(before, { customFields: { zz: { y: [1], x: 1 }, a: 2 } }).isEmpty).toBe(true);
  expect(diff(before, { customFields: { zz: { y: [1], x: 2 }, a: 2 } }).isEmpty).toBe(false);
});
