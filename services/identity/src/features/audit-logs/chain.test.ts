import { createHash } from 'node:crypto';
import { firstHashOf } from './chain.ts';
import type { Entry } from './record.ts';

const entry: Entry = {
  id: 1,
  position: 2,
  eventId: '0b0e7c1c-7a3d-4f0e-9d35-1f0f3a2f6c11',
  action: 'lead.update',
  occurredAt: new Date('2026-03-01T10:00:00.000Z'),
  actorType: 'user',
  actorId: 3,
  actorName: 'Ada Lovelace',
  onBehalfOfId: null,
  keyId: null,
  targetType: 'lead',
  targetId: 7,
  changes: { b: { to: 1, from: null }, a: 2 },
  changedIds: null,
  changesSalt: null,
  changesDigest: null,
  ip: null,
  userAgent: null,
  requestId: 'r',
  recordEnvironment: 'live',
  outcome: 'success',
};

describe('the hash of an entry', () => {
  it('does not change for entries without id paths', () => {
    const written = [
      1,
      2,
      '0b0e7c1c-7a3d-4f0e-9d35-1f0f3a2f6c11',
      'lead.update',
      '2026-03-01T10:00:00.000Z',
      'user',
      3,
      'Ada Lovelace',
      null,
      null,
      'lead',
      7,
      { a: 2, b: { from: null, to: 1 } },
      null,
      null,
      'r',
      'live',
      'success',
    ];
    const expected = createHash('sha256')
      .update(`before\n${JSON.stringify(written)}`)
      .digest('hex');
    expect(firstHashOf('before', entry)).toBe(expected);
  });

  it('covers the id paths', () => {
    const withPaths = (path: string) =>
      firstHashOf('before', { ...entry, changedIds: [{ path: [path], type: 'user' }] });
    expect(new Set([firstHashOf('before', entry), withPaths('a'), withPaths('b')]).size).toBe(3);
  });
});
