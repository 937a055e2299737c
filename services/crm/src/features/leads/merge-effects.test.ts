import type { crm } from '@tandem/crm-contract';
import { identityPeer, members, type TestService, until } from '@tandem/testing';
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

const lead = async (api: Api, fields: Record<string, unknown> = {}) =>
  (await api.createLead({ body: aLead(fields) })).data;
const merge = (api: Api, id: string, mergeId: string, more: object = {}) =>
  api.mergeLeads({ params: { id }, body: { mergeIds: [mergeId], ...more } });
/** The events about a lead, as soon as there is one with this name and these data. */
const event = (id: string, name: string, data: object) =>
  until(`${name} arrives`, () =>
    service.events.find(
      (one) =>
        one.name === name &&
        one.target.id === Number(id) &&
        Object.entries(data).every(([key, value]) => (one.data as Record<string, unknown>)[key] === value),
    ),
  );

describe('a merge of leads', () => {
  it('records the changes of score and assignee, and so does its undoing', async () => {
    const api = service.as();
    const survivor = await lead(api, { score: 10 });
    const other = await lead(api, { score: 90, assignedTo: members.seller });
    const { data } = await merge(api, survivor.id, other.id);
    const history = async () =>
      (await api.listLeadScoreHistory({ params: { id: survivor.id } })).data.map(
        ({ score, delta, cause }: { score: number; delta: number; cause: string }) => [score, delta, cause],
      );
    expect(await history()).toEqual([[90, 80, 'merged']]);
    await event(survivor.id, 'lead.updated', { scoreCause: 'merged' });
    await event(survivor.id, 'lead.score_threshold_crossed', { threshold: 80, to: 90 });
    await event(survivor.id, 'lead.assigned', { from: null, to: members.seller });
    expect((await api.undoLeadMerge({ params: { id: data.mergeId } })).status).toBe(200);
    expect(await history()).toEqual([
      [10, -80, 'merged'],
      [90, 80, 'merged'],
    ]);
    await event(survivor.id, 'lead.assigned', { from: members.seller, to: null });
  });

  it('keeps a pair that was dismissed before, also when it is undone', async () => {
    const api = service.as();
    const email = 'ada@example.com';
    const [one, other] = [await lead(api, { email }), await lead(api, { email })];
    const pairs = async (status: string) => (await api.listLeadDuplicates({ query: { status } })).data;
    const [pair] = await until('the pair is found', async () => {
      const found = await pairs('open');
      return found.length > 0 && found;
    });
    await api.dismissDuplicate({ params: { pairId: pair.id } });
    const { data } = await merge(api, one.id, other.id);
    expect((await api.undoLeadMerge({ params: { id: data.mergeId } })).status).toBe(200);
    expect([await pairs('open'), await pairs('dismissed')]).toMatchObject([[], [{ id: pair.id }]]);
  });

  it('names in its preview the leads that team and status are taken from', async () => {
    const api = service.as();
    const survivor = await lead(api, { status: 'new', teamId: '21', assignedTo: members.seller });
    const other = await lead(api, { teamId: '22', assignedTo: members.both });
    await api.convertLead({ body: { leadId: other.id } });
    const fieldChoices = { assignedTo: other.id };
    const { data } = await merge(api, survivor.id, other.id, { dryRun: true, fieldChoices });
    const chosen = Object.fromEntries(
      data.conflicts.map(({ field, chosenLeadId }: { field: string; chosenLeadId: string }) => [field, chosenLeadId]),
    );
    expect(chosen).toMatchObject({ teamId: other.id, status: other.id, assignedTo: other.id });
    expect(data.survivor).toMatchObject({ teamId: '22', status: 'qualified' });
    const refused = await merge(api, survivor.id, other.id, { fieldChoices: { status: survivor.id } });
    expect([refused.status, refused.body.errors?.[0]?.field]).toEqual([422, 'fieldChoices.status']);
  });
});

it('restores a lead with its activities into the account that its account was merged into', async () => {
  const api = service.as();
  const [merged, middle, survivor] = await Promise.all(
    ['A', 'B', 'C'].map(async (name) => (await api.createAccount({ body: { name } })).data.id),
  );
  const { id } = await lead(api, { accountId: merged });
  const note = (await api.createActivity({ body: { type: 'note', subject: 'Called', leadId: id } })).data;
  await api.deleteLead({ params: { id } });
  await api.mergeAccounts({ params: { id: middle }, body: { mergeIds: [merged] } });
  await api.mergeAccounts({ params: { id: survivor }, body: { mergeIds: [middle] } });
  const { data } = await api.restoreLead({ params: { id } });
  expect(data.accountId).toBe(survivor);
  const shown = (await api.getAccountTimeline({ params: { id: survivor }, query: { types: 'note' } })).data;
  expect(shown).toMatchObject([{ id: note.id, leadId: id }]);
});

it('gives a new account the leads of a deleted account with the same domain', async () => {
  const api = service.as();
  const body = { name: 'Engines', domain: 'engines.example' };
  const { data: deleted } = await api.createAccount({ body });
  const { id } = await lead(api, { email: 'ada@engines.example' });
  const other = await lead(api, { email: 'grace@other.example', accountId: deleted.id });
  await api.deleteAccount({ params: { id: deleted.id } });
  const { data: account } = await api.createAccount({ body });
  await until('the lead moves', async () => (await api.getLead({ params: { id } })).data.accountId === account.id);
  expect((await api.getLead({ params: { id: other.id } })).data.accountId).toBe(deleted.id);
});
