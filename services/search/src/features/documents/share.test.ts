import { createBulkShare } from './share.ts';

it('lets requests of a tenant in one after the other, and those of two tenants at a time', async () => {
  const enter = createBulkShare();
  const inside: string[] = [];
  const come = (name: string, tenantId: number) =>
    enter(tenantId).then((leave) => {
      inside.push(name);
      return leave;
    });
  const first = await come('first of 1', 1);
  const second = come('second of 1', 1);
  const other = await come('first of 2', 2);
  const third = come('first of 3', 3);
  expect(inside).toEqual(['first of 1', 'first of 2']);
  other();
  const leaveThird = await third;
  expect(inside).toEqual(['first of 1', 'first of 2', 'first of 3']);
  first();
  (await second)();
  leaveThird();
  expect(inside).toHaveLength(4);
});

it('refuses a request when twenty of the tenant wait, and lets those of others in', async () => {
  const enter = createBulkShare();
  const leave = await enter(1);
  let left = 0;
  const waiting = Array.from({ length: 20 }, async () => {
    const next = await enter(1);
    left += 1;
    next();
  });
  await expect(enter(1)).rejects.toMatchObject({ code: 'busy', retryAfter: 5 });
  (await enter(2))();
  leave();
  await Promise.all(waiting);
  expect(left).toBe(20);
});
