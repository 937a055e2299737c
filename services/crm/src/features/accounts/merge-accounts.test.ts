import type { crm } from '@tandem/crm-contract';
import { createIdCodec } from '@tandem/ids';
import { identityPeer, members, type TestService, teams, until } from '@tandem/testing';
import { aLead, startCrm } from '../../crm.test-service.ts';

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

const account = async (api: Api, fields: Record<string, unknown> = {}) =>
  (await api.createAccount({ body: { name: 'Engines', ...fields } })).data;
const merge = (api: Api, id: string, mergeIds: string[], more: object = {}) =>
  api.mergeAccounts({ params: { id }, body: { mergeIds, ...more } });

describe('mergeAccounts', () => {
  it('gives the survivor the values and the records of the others, after a preview that changes nothing', async () => {
    const api = service.as();
    const survivor = await account(api, {
      name: 'One',
      tags: ['a'],
      customFields: { x: 1 },
      address: { city: 'Bonn' },
    });
    const other = await account(api, {
      name: 'Two',
      domain: 'two.example',
      phone: '+441234567890',
      tags: ['b'],
      customFields: { x: 2, y: 3 },
      address: { city: 'Paris', country: 'FR' },
    });
    const child = await account(api, { parentAccountId: other.id });
    const { data: lead } = await api.createLead({ body: aLead({ accountId: other.id }) });
    const { data: deal } = await api.convertLead({ body: { leadId: lead.id } });
    const { data: note } = await api.createActivity({ body: { type: 'note', accountId: other.id } });
    const fieldChoices = { name: other.id };
    const preview = await merge(api, survivor.id, [other.id], { dryRun: true, fieldChoices });
    expect(preview.body.message).toBe('Merge previewed');
    const moved = { leads: 1, opportunities: 1, subsidiaries: 1, activities: 1 };
    const values = {
      name: 'Two',
      domain: 'two.example',
      phone: '+441234567890',
      tags: ['a', 'b'],
      customFields: { x: 1, y: 3 },
      address: expect.objectContaining({ city: 'Bonn', country: 'FR' }),
    };
    expect(preview.data).toMatchObject({ survivor: { ...values, version: 1 }, mergedIds: [other.id], moved });
    expect(preview.data.conflicts).toEqual([
      {
        field: 'name',
        chosenAccountId: other.id,
        options: [
          { accountId: survivor.id, value: { name: 'One' } },
          { accountId: other.id, value: { name: 'Two' } },
        ],
      },
    ]);
    expect((await api.getAccount({ params: { id: survivor.id } })).data).toEqual(survivor);
    const merged = await merge(api, survivor.id, [other.id], { fieldChoices });
    expect([merged.status, merged.data]).toEqual([200, expect.objectContaining({ moved })]);
    expect(merged.data.survivor).toMatchObject({ ...values, version: 2 });
    await until('the activity moved', async () => {
      const { data } = await api.getActivity({ params: { id: note.id } });
      return data.accountId === survivor.id;
    });
    expect([
      (await api.getLead({ params: { id: lead.id } })).data.accountId,
      (await api.getOpportunity({ params: { id: deal.id } })).data.accountId,
      (await api.getAccount({ params: { id: child.id } })).data.parentAccountId,
      (await api.getAccount({ params: { id: other.id } })).status,
      (await api.restoreAccount({ params: { id: other.id } })).body.code,
    ]).toEqual([survivor.id, survivor.id, survivor.id, 404, 'already_merged']);
    const event = await until('the event arrives', () =>
      service.events.find((one) => one.name === 'account.deleted' && one.target.id === Number(other.id)),
    );
    expect(event.data).toEqual({ accountId: other.id, mergedIntoId: survivor.id });
  });

  it('refuses itself, merged ones, unknown ones and loops', async () => {
    const api = service.as();
    const [a, b] = [await account(api), await account(api)];
    const code = async (reply: Promise<{ status: number; body: { code?: string; errors?: { field: string }[] } }>) => {
      const { status, body } = await reply;
      return [status, body.code, ...(body.errors ?? []).map(({ field }) => field)];
    };
    expect(await code(merge(api, a.id, [a.id]))).toEqual([409, 'merge_with_itself']);
    expect(await code(merge(api, a.id, ['999999']))).toEqual([422, 'validation_failed', 'mergeIds']);
    const foreign = { fieldChoices: { name: '999999' } };
    expect(await code(merge(api, a.id, [b.id], foreign))).toEqual([422, 'validation_failed', 'fieldChoices.name']);
    const top = await account(api);
    const middle = await account(api, { parentAccountId: top.id });
    const low = await account(api, { parentAccountId: middle.id });
    expect(await code(merge(api, low.id, [top.id]))).toEqual([409, 'parent_loop', 'mergeIds']);
    const { data } = await merge(api, low.id, [middle.id]);
    expect(data.survivor.parentAccountId).toBe(top.id);
    const narrowed = service.as({
      tenantId: api.caller.tenantId as number,
      can: ['accounts:write', 'accounts:delete:own'],
      userId: 8,
    });
    expect(await code(merge(narrowed, a.id, [b.id]))).toEqual([422, 'validation_failed', 'mergeIds']);
  });

  it('has one winner of two at once with the same account', async () => {
    const api = service.as();
    const [a, b, c] = [await account(api), await account(api), await account(api)];
    const replies = await Promise.all([merge(api, a.id, [c.id]), merge(api, b.id, [c.id])]);
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 409]);
  });
});

describe('bulk operations on accounts', () => {
  const ids = createIdCodec(process.env['IDS_ALPHABET'] as string);
  const codeOf = ({ caller }: Api, { id }: { id: string }) =>
    ids.encode('account', caller.tenantId as number, Number(id));
  const results = (reply: { data: unknown }) =>
    (reply.data as { results: { outcome?: string; error: { code: string } | null }[] }).results.map(
      ({ outcome, error }) => error?.code ?? outcome ?? 'done',
    );

  it('update, assign and delete each account with its event', async () => {
    const api = service.as();
    const [one, two] = [await account(api), await account(api)];
    const sent = [codeOf(api, one), codeOf(api, two)];
    expect(results(await api.bulkUpdateAccounts({ body: { ids: sent, change: { industry: 'steel' } } }))).toEqual([
      'done',
      'done',
    ]);
    await api.bulkAssignAccounts({ body: { ids: sent, ownerId: members.seller } });
    expect((await api.getAccount({ params: { id: one.id } })).data).toMatchObject({
      industry: 'steel',
      ownerId: members.seller,
      teamId: teams.sales,
      version: 3,
    });
    const { data: lead } = await api.createLead({ body: aLead({ accountId: one.id }) });
    await api.convertLead({ body: { leadId: lead.id } });
    expect(results(await api.bulkDeleteAccounts({ body: { ids: sent } }))).toEqual(['open_opportunities', 'done']);
  });

  it('create and upsert accounts by their domain or externalId', async () => {
    const api = service.as();
    const created = await api.bulkCreateAccounts({
      body: {
        items: [
          { name: 'One', domain: 'One.example', ownerId: members.seller },
          { name: 'Two', domain: 'one.example' },
          { name: 'Three', externalId: 'three' },
        ],
      },
    });
    expect(results(created)).toEqual(['created', 'domain_taken', 'created']);
    const upserted = await api.bulkUpsertAccounts({
      body: {
        key: 'domain',
        items: [
          { domain: 'one.example', industry: 'steel' },
          { domain: 'new.example', name: 'New' },
          { domain: 'new.example', name: 'Newer' },
          { domain: 'nameless.example' },
        ],
      },
    });
    expect(results(upserted)).toEqual(['updated', 'created', 'duplicate_in_request', 'validation_failed']);
    const again = { key: 'externalId' as const, items: [{ externalId: 'three', name: 'Three' }] };
    expect(results(await api.bulkUpsertAccounts({ body: again }))).toEqual(['unchanged']);
    const missing = await api.bulkUpsertAccounts({ body: { key: 'domain', items: [{ name: 'X' }] } });
    expect([missing.status, missing.body.errors?.[0]?.field]).toEqual([422, 'items.0.domain']);
  });

  it('upsert one account for two requests at once', async () => {
    const api = service.as();
    const body = { key: 'domain' as const, items: [{ domain: 'race.example', name: 'Race' }] };
    const replies = await Promise.all([api.bulkUpsertAccounts({ body }), api.bulkUpsertAccounts({ body })]);
    expect(replies.flatMap(results).sort()).toEqual(['created', 'unchanged']);
  });
});
