import { diff } from './diff.ts';

const at = new Date('2026-01-15T09:30:00.000Z');
const record = { name: 'Ada', tags: ['a'], seenAt: at, note: null, version: 3 };

it('names what a caller changes, with before and after, and nothing that stays as it was', () => {
  expect(diff(record, { name: 'Grace', tags: ['a', 'b'], seenAt: new Date(at), note: undefined })).toEqual({
    isEmpty: false,
    values: { name: 'Grace', tags: ['a', 'b'] },
    audit: { name: { from: 'Ada', to: 'Grace' }, tags: { from: ['a'], to: ['a', 'b'] } },
  });
  expect(diff(record, { name: 'Ada', tags: ['a'], note: null })).toEqual({ isEmpty: true, values: {}, audit: {} });
});
