import { createLog } from '@tandem/process';
import type { InTenant } from '@tandem/service';
import { createTenantDb, type TenantDb } from '@tandem/tenant-db';
import { testSettings, until } from '@tandem/testing';
import { Prisma, PrismaClient } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';
import { anApprovedPartner, type Service, startPartner } from '../../partner.test-service.ts';
import { clickBuffer } from './click-buffer.ts';

let settings: Awaited<ReturnType<typeof testSettings>>;
let service: Service;
let db: TenantDb<PrismaClient>;
beforeAll(async () => {
  settings = await testSettings('partner');
  service = await startPartner(undefined, {}, { shared: settings });
  const url = settings.DATABASE_URL;
  db = createTenantDb({ url, client: (adapter) => new PrismaClient({ adapter }), prisma: Prisma });
});
afterAll(async () => {
  await db?.close();
  await service?.close();
  await settings?.drop();
});

const log = createLog('partner');

async function aCode() {
  const api = service.as();
  const { id } = await anApprovedPartner(api);
  const list = async () => (await api.listReferralCodes({ params: { id } })).data[0];
  const scope = { tenantId: api.caller.tenantId as number, environment: 'live' as const };
  const codeId = Number((await list()).id);
  const inTenant: InTenant<Tx, never> = (within, work) =>
    db.transaction(within, () => work({ tx: db.tx, emit() {}, schedule: async () => {} } as never));
  let clicks = 0;
  const click = (isBot = false) => {
    clicks++;
    return { clickId: `click-${codeId}-${clicks}`, codeId, visitor: `visitor-${clicks}`, isBot, at: new Date() };
  };
  const counts = async () => {
    const { clicks: all, uniqueClicks, botClicks } = await list();
    return [all, uniqueClicks, botClicks];
  };
  const rows = async () => (await service.sqlWithin(api.caller, 'SELECT FROM referral_click')).length;
  return { scope, inTenant, click, counts, rows };
}

it('clicks above the limit are counted without a row', async () => {
  const { scope, inTenant, click, counts, rows } = await aCode();
  const buffer = clickBuffer(log, { waitingMax: 10 });
  for (let index = 0; index < 25; index++) buffer.add(scope, click(index % 5 === 0), inTenant);
  await buffer.close();
  expect([await counts(), await rows()]).toEqual([[25, 8, 5], 10]);
});

it('clicks that could not be stored are stored later', async () => {
  const { scope, inTenant, click, counts } = await aCode();
  const buffer = clickBuffer(log);
  let isDown = true;
  const atFirstDown: typeof inTenant = (within, work) => {
    if (isDown) throw new Error('The database is unavailable');
    return inTenant(within, work);
  };
  for (let index = 0; index < 3; index++) buffer.add(scope, click(), atFirstDown);
  await buffer.close();
  expect(await counts()).toEqual([0, 0, 0]);
  isDown = false;
  buffer.add(scope, click(), atFirstDown);
  await until('all are stored', async () => (await counts())[0] === 4);
  await buffer.close();
  expect(await counts()).toEqual([4, 4, 0]);
});

it('clicks whose transaction was committed without an answer are counted once', async () => {
  const { scope, inTenant, click, counts } = await aCode();
  const buffer = clickBuffer(log);
  let tries = 0;
  const loseAnswer: typeof inTenant = async (within, work) => {
    const result = await inTenant(within, work);
    if (++tries === 1) throw new Error('The connection was lost');
    return result;
  };
  for (let index = 0; index < 3; index++) buffer.add(scope, click(index === 0), loseAnswer);
  await until('they are stored again', async () => tries === 2);
  await buffer.close();
  expect(await counts()).toEqual([3, 2, 1]);
});

it('a large number of clicks is stored in batches', async () => {
  const { scope, inTenant, click, counts } = await aCode();
  const buffer = clickBuffer(log);
  for (let index = 0; index < 1_200; index++) buffer.add(scope, click(), inTenant);
  await buffer.close();
  expect(await counts()).toEqual([1_200, 1_200, 0]);
});
