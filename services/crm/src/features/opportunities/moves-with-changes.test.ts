import type { crm } from '@tandem/crm-contract';
import { createIdCodec } from '@tandem/ids';
import { identityPeer, members, type TestService, until } from '@tandem/testing';
import { startCrm } from '../../crm.test-service.ts';

let identity: Awaited<ReturnType<typeof identityPeer>>;
let service: TestService<typeof crm>;
beforeAll(async () => {
  identity = await identityPeer();
  service = await startCrm({ IDENTITY_URL: identity.url });
});
afterAll(async () => {
  await service?.close();
  await identity?.close();
});

type Api = ReturnType<typeof service.as>;

const codec = createIdCodec(process.env['IDS_ALPHABET'] as string);

async function aDeal(api: Api = service.as(), fields = {}) {
  const { data } = await api.createOpportunity({ body: { name: 'Rollout', value: 100, ...fields } });
  return { api, params: { id: data.id as string } };
}

const historyOf = async (api: Api, params: { id: string }) =>
  (await api.listStageHistory({ params, query: { sort: 'enteredAt' } })).data;
/** The events about opportunities of a tenant except their creation, once there are this many. */
const eventsOf = (api: Api, count: number) =>
  until(`${count} events`, () => {
    const found = service.events.filter(
      ({ name, tenantId }) =>
        tenantId === api.caller.tenantId && name.startsWith('opportunity.') && name !== 'opportunity.created',
    );
    return found.length >= count && found;
  });

describe('a narrowed owner who hands a deal over', () => {
  /** A deal of somebody else's making, with its owner, who can access own records only. */
  async function anOwner() {
    const deal = await aDeal(undefined, { ownerId: members.seller });
    const can = ['opportunities:read:own', 'opportunities:write:own'];
    const owner = service.as({ tenantId: deal.api.caller.tenantId as number, userId: Number(members.seller), can });
    return { ...deal, owner };
  }
  const handOver = { ownerId: members.both, stage: 'proposal' };
  const stages = async (api: Api, params: { id: string }) =>
    (await historyOf(api, params)).map(({ stage, leftAt }: { stage: string; leftAt: string | null }) => [
      stage,
      leftAt !== null,
    ]);

  it('moves it in the same request, with its history', async () => {
    const { api, params, owner } = await anOwner();
    const { status, data } = await owner.updateOpportunity({ params, body: handOver });
    expect([status, data.ownerId, data.stage]).toEqual([200, members.both, 'proposal']);
    expect((await owner.getOpportunity({ params })).status).toBe(404);
    expect(await stages(api, params)).toEqual([
      ['prospecting', true],
      ['proposal', false],
    ]);
  });

  it('does so for many deals at once', async () => {
    const { api, params, owner } = await anOwner();
    const ids = [codec.encode('opportunity', api.caller.tenantId as number, Number(params.id))];
    const { data } = await owner.bulkUpdateOpportunities({ body: { ids, change: handOver } });
    expect(data.results).toMatchObject([{ success: true }]);
    expect(await stages(api, params)).toEqual([
      ['prospecting', true],
      ['proposal', false],
    ]);
  });
});

describe('an update that moves the deal', () => {
  it.each([
    ['won', { status: 'won', probability: 40 }, 'probability'],
    ['lost', { stage: 'lost', reasonCode: 'price', forecastCategory: 'commit' }, 'forecastCategory'],
  ])('cannot set what a %s deal has', async (_, body, field) => {
    const { api, params } = await aDeal();
    const { status, body: reply } = await api.updateOpportunity({ params, body });
    expect([status, reply.errors?.[0]?.field]).toEqual([422, field]);
    expect((await api.getOpportunity({ params })).data).toMatchObject({ status: 'open', version: 1 });
  });

  it('records what has changed only', async () => {
    const { api, params } = await aDeal();
    await api.updateOpportunity({ params, body: { status: 'won', probability: 100, value: 120 } });
    const [updated, moved] = await eventsOf(api, 3);
    expect(updated?.data).toMatchObject({ fields: ['value', 'probability'] });
    expect(updated?.changes).toEqual({ probability: { from: 10, to: 100 }, value: { from: 100, to: 120 } });
    expect(moved?.changes).toMatchObject({ status: { from: 'open', to: 'won' } });
  });

  it('reopens a deal with the category and the probability that it sets', async () => {
    const { api, params } = await aDeal();
    await api.loseOpportunity({ params, body: { reasonCode: 'price' } });
    const body = { status: 'open', forecastCategory: 'commit', probability: 80 };
    const { data } = await api.updateOpportunity({ params, body });
    expect(data).toMatchObject({ ...body, probabilityOverridden: true, outcome: null });
  });
});
