import { createIdCodec } from '@tandem/ids';
import { identityPeer, until, users } from '@tandem/testing';
import { type Analytics, startAnalytics } from '../../analytics.test-service.ts';
import { report } from '../../records.test-service.ts';
import { aReport, download, run } from './reports.test-service.ts';

let identity: Awaited<ReturnType<typeof identityPeer>>;
let service: Analytics;
beforeAll(async () => {
  identity = await identityPeer();
  service = await startAnalytics({ IDENTITY_URL: identity.url });
});
afterAll(async () => {
  await service?.close();
  await identity?.close();
});

const userId = Number(users.active);
const ids = createIdCodec(process.env['IDS_ALPHABET'] as string);
const namesPath = '/internal/users/assignees';
const query = {
  ...{ dateFrom: '2026-03-01', dateTo: '2026-03-31' },
  steps: [{ leadStatus: 'new' }, { converted: true }],
};

/** A tenant with two leads of an active user, one of a user who is not active, and one of nobody. */
async function aTenant() {
  const api = service.as({ userId });
  const tenantId = api.caller.tenantId as number;
  const owners = [users.active, users.active, users.nobody, null];
  for (const [index, assignedTo] of owners.entries())
    await report(
      { service, tenantId },
      'lead.created',
      { id: String(index + 1), version: 1, createdAt: '2026-03-02T12:00:00.000Z', assignedTo },
      { data: { email: 'ada@example.com', source: 'web' } },
    );
  await until('the leads are counted', async () => {
    return (await service.sqlWithin(api.caller, 'SELECT 1 FROM lead_fact')).length === owners.length;
  });
  return { api, publicId: (id: string) => ids.encode('user', tenantId, Number(id)) };
}

it('stand beside the ids of users in the result and its files, read in one call', async () => {
  const { api, publicId } = await aTenant();
  const id = await aReport(api, { type: 'funnel', query: { ...query, breakdown: 'assignedTo' } });
  const before = identity.asked.filter((path) => path === namesPath).length;
  const { result, files } = await run(api, id);
  expect(identity.asked.filter((path) => path === namesPath)).toHaveLength(before + 1);
  const [active, nobody] = [publicId(users.active), publicId(users.nobody)];
  expect(result.breakdown.map(({ userId, userName }: Record<string, unknown>) => [userId, userName])).toEqual([
    [active, 'Ada Lovelace'],
    [nobody, null],
    [null, null],
  ]);
  const lines = (await download(service, files.csv)).text.split('\r\n');
  expect(lines).toContain(`${active},Ada Lovelace,new,2,,100,`);
  expect(lines).toContain(`${nobody},,new,1,,100,`);
  expect((await download(service, files.pdf)).headers['content-type']).toBe('application/pdf');
});

it('are missing when identity does not answer, and the numbers are not', async () => {
  const { api, publicId } = await aTenant();
  const id = await aReport(api, { type: 'funnel', query: { ...query, breakdown: 'assignedTo' } });
  identity.failing.add(namesPath);
  const { result } = await run(api, id);
  identity.failing.delete(namesPath);
  expect(result.breakdown[0]).toMatchObject({ userId: publicId(users.active), userName: null });
  expect(result.breakdown[0].steps[0].count).toBe(2);
});

it('are not read for groups of other values', async () => {
  const { api } = await aTenant();
  const id = await aReport(api, { type: 'funnel', query: { ...query, breakdown: 'source' } });
  const { result } = await run(api, id);
  expect(result.breakdown.map((group: object) => 'userName' in group)).toEqual([false]);
});
