import { createCursors, type Position } from './cursors.ts';

const [older, newer] = [`k1:${'a'.repeat(32)}`, `k2:${'b'.repeat(32)}`];
const position: Position = [{ at: '2026-03-01T10:00:00.000Z' }, 2_653];
const context = 'listLeads/7/live/-createdAt';

describe('a cursor', () => {
  it('names a position and shows neither its value nor its id', () => {
    const cursors = createCursors(older);
    const cursor = cursors.write(position, context);
    expect(cursors.read(cursor, context)).toEqual(position);
    expect(cursor).toMatch(/^[\w-]{40,200}$/);
    const bytes = Buffer.from(cursor, 'base64url').toString('latin1');
    expect([bytes.includes('2653'), bytes.includes('2026')]).toEqual([false, false]);
  });

  it('of another list, and one that was changed, is none', () => {
    const cursors = createCursors(older);
    const cursor = cursors.write(position, context);
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const changed = [...alphabet].map((last) => cursor.slice(0, -1) + last).filter((one) => one !== cursor);
    expect(cursors.read(cursor, 'listLeads/8/live/-createdAt')).toBeUndefined();
    for (const wrong of [
      ...changed,
      `${cursor}A`,
      `${cursor}=`,
      ` ${cursor}`,
      '',
      'x',
      `${cursor.slice(0, 20)}`,
      'W1wiYVwiLDFd.c2ln',
    ])
      expect(cursors.read(wrong, context)).toBeUndefined();
  });

  it('is read by instances of two successive steps of a rotation, in both directions', () => {
    const steps = [older, `${older},${newer}`, `${newer},${older}`, newer].map(createCursors);
    for (const [at, after] of steps.entries()) {
      const before = steps[Math.max(0, at - 1)] as typeof after;
      expect(after.read(before.write(position, context), context)).toEqual(position);
      expect(before.read(after.write(position, context), context)).toEqual(position);
    }
  });

  it('is read while the secret that it was written under is listed', () => {
    const cursor = createCursors(older).write(position, context);
    expect(createCursors(`${newer},${older}`).read(cursor, context)).toEqual(position);
    expect(createCursors(newer).read(cursor, context)).toBeUndefined();
    const late = createCursors(`${newer},${older}`).write(position, context);
    expect(createCursors(newer).read(late, context)).toEqual(position);
  });
});
