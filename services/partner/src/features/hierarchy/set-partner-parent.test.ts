import { until } from '@tandem/testing';
import { type Api, anApprovedPartner, aPartner, type Service, startPartner } from '../../partner.test-service.ts';
import { setTiers } from '../tiers/tiers.test-service.ts';
import { aChain, move, parentsOf } from './hierarchy.test-service.ts';

let service: Service;
beforeAll(async () => {
  service = await startPartner();
});
afterAll(() => service?.close());

const later = () => new Date(Date.now() + 3_600_000);
const eventOf = (name: string, id: string) =>
  until(`${name} arrives`, () => service.events.find((one) => one.name === name && one.target.id === Number(id)));
const parentOf = async (api: Api, id: string) => (await api.getPartner({ params: { id } })).data.parentPartnerId;
const statusOf = ({ status, body }: { status: number; body: { code?: string } }) => [status, body.code];

/** Makes the scheduled changes of the tenant due. */
const makeDue = async ({ caller }: Api) => {
  await service.sqlWithin(caller, `UPDATE platform.job SET due_at = now() WHERE name = 'apply-parent-change'`);
};

describe('setPartnerParent', () => {
  it('moves a partner at once, with its history and event', async () => {
    const api = service.as();
    const [one, two] = [await anApprovedPartner(api), await anApprovedPartner(api)];
    const { id } = await anApprovedPartner(api, { parentPartnerId: one.id });
    const { status, data } = await move(api, id, two.id);
    expect([status, data.parentPartnerId, data.version, data.scheduledParentChange]).toEqual([200, two.id, 3, null]);
    expect((await move(api, id, null)).data.parentPartnerId).toBeNull();
    expect(await parentsOf(api, id)).toEqual([
      [null, one.id, 'applied'],
      [one.id, two.id, 'applied'],
      [two.id, null, 'applied'],
    ]);
    const event = await eventOf('partner.parent_changed', id);
    expect(event.data).toEqual({ partnerId: id, from: one.id, to: two.id, effectiveAt: expect.any(String) });
    expect(event.record).toMatchObject({ id, parentPartnerId: two.id });
  });

  it('changes nothing when the partner has the parent already', async () => {
    const api = service.as();
    const [top, id] = (await aChain(api, 2)) as [string, string];
    const before = (await api.getPartner({ params: { id } })).data.version;
    expect((await move(api, id, top)).data.version).toBe(before);
    expect(await parentsOf(api, id)).toHaveLength(1);
  });

  it('requires the version of If-Match', async () => {
    const api = service.as();
    const [top, id] = [await anApprovedPartner(api), (await anApprovedPartner(api)).id];
    const body = { parentPartnerId: top.id };
    const stale = await api.setPartnerParent({ params: { id }, body, headers: { 'if-match': '"1"' } });
    expect(stale.status).toBe(412);
  });

  it('refuses a cycle, a parent that is not approved, and one of another tenant', async () => {
    const api = service.as();
    const [top, middle, last] = (await aChain(api, 3)) as [string, string, string];
    expect(statusOf(await move(api, top, top))).toEqual([409, 'parent_cycle']);
    expect(statusOf(await move(api, top, middle))).toEqual([409, 'parent_cycle']);
    expect(statusOf(await move(api, top, last))).toEqual([409, 'parent_cycle']);
    const { data: pending } = await api.createPartner({ body: aPartner() });
    expect(statusOf(await move(api, last, pending.id))).toEqual([409, 'parent_not_approved']);
    const sandbox = service.as({ tenantId: api.caller.tenantId as number, environment: 'sandbox' });
    for (const other of [service.as(), sandbox]) {
      const foreign = await move(api, last, (await anApprovedPartner(other)).id);
      expect([foreign.status, foreign.body.errors?.[0]?.field]).toEqual([422, 'parentPartnerId']);
    }
  });

  it('refuses more than ten partners above another one, also those below the moved partner', async () => {
    const api = service.as();
    const chain = await aChain(api, 11);
    const tooDeep = await api.createPartner({ body: aPartner({ parentPartnerId: chain.at(-1) as string }) });
    expect([tooDeep.status, tooDeep.body.errors?.[0]?.field]).toEqual([422, 'parentPartnerId']);
    const [top, below] = (await aChain(api, 2)) as [string, string];
    expect((await move(api, top, chain[9] as string)).status).toBe(422);
    expect((await move(api, below, chain[9] as string)).status).toBe(200);
    expect((await move(api, top, chain[9] as string)).status).toBe(200);
  });

  it('forms no cycle by two changes at once', async () => {
    const api = service.as();
    for (let time = 0; time < 5; time++) {
      const [one, other] = [(await anApprovedPartner(api)).id, (await anApprovedPartner(api)).id];
      const replies = await Promise.all([move(api, one, other), move(api, other, one)]);
      expect(replies.map(({ status }) => status).sort()).toEqual([200, 409]);
    }
  });

  it('counts the recruits of both parents again', async () => {
    const api = service.as();
    await setTiers(api, { gold: { thresholds: { recruits: 1 }, graceDays: 0 } });
    const [one, two] = [(await anApprovedPartner(api)).id, (await anApprovedPartner(api)).id];
    const { id } = await anApprovedPartner(api, { parentPartnerId: one });
    const tierOf = async (partnerId: string) => (await api.getPartner({ params: { id: partnerId } })).data.tier;
    await until('the recruit counts', async () => (await tierOf(one)) === 'gold');
    await move(api, id, two);
    await until('both are evaluated', async () => (await tierOf(one)) === 'bronze' && (await tierOf(two)) === 'gold');
  });
});

describe('a change with a later time', () => {
  it('is applied at that time', async () => {
    const api = service.as();
    const [top, id] = [(await anApprovedPartner(api)).id, (await anApprovedPartner(api)).id];
    const effectiveAt = later();
    const { status, data } = await move(api, id, top, effectiveAt);
    expect([status, data.parentPartnerId]).toEqual([200, null]);
    expect(data.scheduledParentChange).toMatchObject({
      toParentId: top,
      status: 'scheduled',
      effectiveAt: effectiveAt.toISOString(),
    });
    await eventOf('parent_change.scheduled', data.scheduledParentChange.id);
    expect(await parentOf(api, id)).toBeNull();
    await makeDue(api);
    await until('the change is applied', async () => (await parentOf(api, id)) === top);
    expect(await parentsOf(api, id)).toEqual([[null, top, 'applied']]);
    expect((await eventOf('partner.parent_changed', id)).data).toMatchObject({
      to: top,
      effectiveAt: effectiveAt.toISOString(),
    });
  });

  it('is refused with the reason when it is not possible any more', async () => {
    const api = service.as();
    const [one, other] = [(await anApprovedPartner(api)).id, (await anApprovedPartner(api)).id];
    const { data } = await move(api, one, other, later());
    expect((await move(api, other, one)).status).toBe(200);
    await makeDue(api);
    const event = await eventOf('parent_change.refused', data.scheduledParentChange.id);
    expect(event.data).toMatchObject({ partnerId: one, to: other, reason: 'parent_cycle' });
    expect(await parentsOf(api, one)).toEqual([[null, other, 'refused', 'parent_cycle']]);
    expect(await parentOf(api, one)).toBeNull();
  });

  it('is replaced by a newer one, and cancelled by the current parent', async () => {
    const api = service.as();
    const [one, two] = [(await anApprovedPartner(api)).id, (await anApprovedPartner(api)).id];
    const { id } = await anApprovedPartner(api);
    const first = await move(api, id, one, later());
    const effectiveAt = later();
    const second = await move(api, id, two, effectiveAt);
    const again = await move(api, id, two, effectiveAt);
    expect(again.data.scheduledParentChange.id).toBe(second.data.scheduledParentChange.id);
    await eventOf('parent_change.replaced', first.data.scheduledParentChange.id);
    expect((await move(api, id, null)).data.scheduledParentChange).toBeNull();
    expect(await parentsOf(api, id)).toEqual([
      [null, one, 'replaced'],
      [null, two, 'replaced'],
    ]);
    await makeDue(api);
    await until('no job is left', async () => {
      const [left] = await service.sqlWithin(api.caller, `SELECT FROM platform.job WHERE name = 'apply-parent-change'`);
      return !left;
    });
    expect(await parentOf(api, id)).toBeNull();
  });

  it('is not accepted for a time that is over', async () => {
    const api = service.as();
    const [top, id] = [(await anApprovedPartner(api)).id, (await anApprovedPartner(api)).id];
    const { status, body } = await move(api, id, top, new Date(Date.now() - 1_000));
    expect([status, body.errors?.[0]?.field]).toEqual([422, 'effectiveAt']);
  });
});

it('the history of parents cannot be changed, apart from the decision about a scheduled change', async () => {
  const api = service.as();
  await aChain(api, 2);
  const within = (text: string) => service.sqlWithin(api.caller, text);
  const [role] = await within(`SELECT has_column_privilege(app, 'parent_change', 'status', 'UPDATE') AS status,
    has_column_privilege(app, 'parent_change', 'to_parent_id', 'UPDATE') AS parent
    FROM (SELECT replace(current_user, '_owner', '_app') AS app) AS role`);
  expect(role).toEqual({ status: true, parent: false });
});
