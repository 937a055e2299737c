import type { ServiceCallError } from '@tandem/client/internal';
import type { ExternalRecord } from '../../../connectors/sync.ts';
import { type CrmPeer, startCrmPeer } from '../crm.test-service.ts';
import type { RecordOf, TargetContext } from '../target.ts';
import { targetOf } from '../targets.ts';

let crm: CrmPeer;
beforeEach(async () => {
  crm = await startCrmPeer();
});
afterEach(() => crm.close());

const permissions = ['accounts', 'leads', 'opportunities'].flatMap((name) => [`${name}:read`, `${name}:write`]);

/** Writes as a run does: with the ids of the records that were written before. */
function run(options: Partial<TargetContext> = {}) {
  const linked = new Map<string, number>();
  const write = async (record: ExternalRecord, linkedId = linked.get(`${record.kind} ${record.id}`)) => {
    const outcome = await targetOf(record.kind).write(
      {
        crm: crm.client as unknown as TargetContext['crm'],
        // These targets do not use it.
        campaign: {} as TargetContext['campaign'],
        as: { tenantId: 1, environment: 'live', userId: 5, requestId: 'test', permissions },
        key: `key ${record.kind} ${record.id}`,
        updateExisting: true,
        resolve: (kind, id) => linked.get(`${kind} ${id}`),
        idOf: (type, id) => (id.startsWith(`${type}-`) ? Number(id.slice(type.length + 1)) : undefined),
        ...{ seenHash: null, isPushed: false, settings: {} },
        ...options,
      },
      record,
      linkedId,
    );
    if (outcome.recordId !== undefined) linked.set(`${record.kind} ${record.id}`, outcome.recordId);
    return outcome;
  };
  return { write, linked };
}

function account(fields: object = {}, more: object = {}): RecordOf<'account'> {
  const name = { name: 'Acme', domain: 'acme.example', externalId: 'hubspot:1' };
  return { ...{ kind: 'account', id: '1', version: '1', source: {} }, fields: { ...name, ...fields }, ...more };
}

function lead(fields: object = {}, more: object = {}): RecordOf<'lead'> {
  const own = { email: 'ada@example.com', firstName: 'Ada', lastName: 'Lovelace' };
  const shared = { source: 'import', externalId: 'hubspot:7' };
  return { ...{ kind: 'lead', id: '7', version: '1', source: {} }, fields: { ...own, ...shared, ...fields }, ...more };
}

function deal(fields: object = {}, more: object = {}): RecordOf<'opportunity'> {
  return {
    ...{ kind: 'opportunity', id: '9', version: '1', source: {}, outcome: 'open' },
    fields: { name: 'Rollout', value: 100, currency: 'EUR', ...fields },
    ...more,
  };
}

const stored = (kind: keyof CrmPeer['records'], id: number | undefined) => crm.records[kind].get(String(id));
const lines = () => crm.writes.map(({ line }) => line);

it.each([
  ['account', account],
  ['lead', lead],
  ['opportunity', deal],
] as const)('a new %s is created, then unchanged, then updated', async (_, made) => {
  const { write } = run();
  const first = await write(made());
  expect(first).toEqual({ action: 'created', recordId: expect.any(Number) });
  expect(await write(made())).toEqual({ action: 'unchanged', recordId: first.recordId });
  expect(await write(made({ customFields: { a: 1 } }))).toEqual({ action: 'updated', recordId: first.recordId });
  expect(crm.writes.map(({ body }) => Object.keys(body)).at(-1)).toEqual(['customFields']);
  expect(crm.writes[0]?.caller).toMatchObject({ type: 'system', name: 'integrations', userId: 5 });
});

it.each([
  ['account', account, 'accounts'],
  ['lead', lead, 'leads'],
  ['opportunity', deal, 'opportunities'],
] as const)('a repeated creation of an %s without its link acts once', async (_, made, kind) => {
  const first = await run().write(made());
  const again = await run().write(made());
  expect(again.recordId).toBe(first.recordId);
  expect(crm.records[kind].size).toBe(1);
});

it.each([
  ['account', account, 'accounts'],
  ['lead', lead, 'leads'],
  ['opportunity', deal, 'opportunities'],
] as const)('a deleted %s is not created again, and none is deleted', async (_, made, kind) => {
  const { write } = run();
  const { recordId } = await write(made());
  crm.remove(kind, recordId as number);
  const writes = crm.writes.length;
  expect(await write(made({ name: 'New', firstName: 'New' }))).toEqual({ action: 'skipped', reason: 'record_deleted' });
  const deleted = { ...made(), isDeleted: true };
  expect(await write(deleted)).toEqual({ action: 'skipped', reason: 'deleted_at_source', recordId });
  expect(await run().write(deleted)).toEqual({ action: 'skipped', reason: 'deleted_at_source' });
  expect(crm.writes).toHaveLength(writes);
});

it('a contact whose lead was merged updates the lead that remains', async () => {
  const { write } = run();
  const { recordId } = await write(lead());
  const remaining = crm.add('leads', { ...stored('leads', recordId), externalId: null } as never);
  crm.remove('leads', recordId as number);
  expect(await write(lead({ phone: '+493012345' }))).toEqual({ action: 'updated', recordId: remaining });
});

it.each([
  ['account', account],
  ['lead', lead],
  ['opportunity', deal],
] as const)('an existing %s stays without updateExisting', async (_, made) => {
  const { write } = run({ updateExisting: false });
  const { recordId } = await write(made());
  expect(await write(made({ name: 'New', firstName: 'New' }))).toEqual({ action: 'unchanged', recordId });
  expect(crm.writes).toHaveLength(1);
});

it.each([
  ['account', account],
  ['lead', lead],
  ['opportunity', deal],
] as const)('a failure of crm ends the write of an %s, which then can be repeated', async (_, made) => {
  const { write } = run();
  crm.fail(1);
  await expect(write(made())).rejects.toMatchObject({ status: 503 });
  expect((await write(made())).action).toBe('created');
  crm.refuse({ path: /./, status: 403, code: 'forbidden' });
  await expect(write(made({ name: 'New', firstName: 'New' }))).rejects.toMatchObject({
    status: 403,
    code: 'forbidden',
  });
});

it('a request that still runs is no outcome, so that the record waits for it', async () => {
  crm.refuse({ path: /^\/v1\/opportunities$/, status: 409, code: 'idempotency_running' });
  const error = (await run()
    .write(deal())
    .catch((thrown: unknown) => thrown)) as ServiceCallError;
  expect([error.status, error.code]).toEqual([409, 'idempotency_running']);
});

it('a change that happens meanwhile is kept', async () => {
  const { write } = run();
  const { recordId } = await write(account({ customFields: { a: 1 } }));
  crm.interrupt(() => {
    const known = stored('accounts', recordId) as object;
    Object.assign(known, { customFields: { a: 1, theirs: true }, version: 2 });
  });
  expect((await write(account({ customFields: { a: 2 } }))).action).toBe('updated');
  expect(stored('accounts', recordId)?.['customFields']).toEqual({ a: 2, theirs: true });
});

describe('invalid fields', () => {
  it('that are optional are left out and named', async () => {
    const { recordId, reason } = await run().write(lead({ phone: '030 1234', timezone: 'Nowhere', tags: ['vip'] }));
    expect(reason).toMatch(/^phone: Must be a phone number .*; timezone: Must be an IANA time zone/);
    expect(stored('leads', recordId)).toMatchObject({ phone: null, tags: ['vip'], timezone: null });
  });

  it('of an address are left out one by one', async () => {
    const record = account({ address: { city: 'Berlin', country: 'x'.repeat(101) }, size: -1, website: 'https://[' });
    const { recordId, reason } = await run().write(record);
    expect(stored('accounts', recordId)).toMatchObject({ address: { city: 'Berlin', country: null }, size: null });
    expect(
      reason
        ?.split('; ')
        .map((one) => one.split(':')[0])
        .sort(),
    ).toEqual(['address.country', 'size', 'website']);
  });

  it('that are required prevent the record', async () => {
    expect(targetOf('account').check(account({ name: '' }))).toEqual([{ field: 'name', message: 'Is required' }]);
    expect(targetOf('lead').check(lead({ email: 'ada' }))).toEqual([
      { field: 'email', message: 'Must be a valid e-mail address' },
    ]);
    expect(targetOf('opportunity').check(deal({ name: '' }))).toEqual([{ field: 'name', message: 'Is required' }]);
    expect(await run().write(lead({ email: 'ada' }))).toMatchObject({ action: 'skipped', reason: /^email: / });
    expect(crm.writes).toEqual([]);
  });

  it('are named by a preview', () => {
    const target = targetOf('lead');
    expect([target.check(lead({ phone: '1' })), target.warnings?.(lead({ phone: '1' }))]).toEqual([
      [],
      [{ field: 'phone', message: expect.stringMatching(/^Must be a phone number/) }],
    ]);
    expect([target.check(lead({ email: '' })), target.warnings?.(lead({ email: '' }))[0]?.field]).toEqual([
      [],
      'email',
    ]);
    expect(target.warnings?.(lead())).toEqual([]);
  });

  it('such as custom fields that their definitions refuse are left out', async () => {
    const { write } = run();
    const created = await write(lead({ customFields: { refused: 1 } }));
    expect(created).toMatchObject({ action: 'created', reason: 'customFields: Is refused by its definition' });
    expect(stored('leads', created.recordId)?.['customFields']).toEqual({});
    const updated = await write(lead({ firstName: 'Augusta', customFields: { refused: 1 } }));
    expect([updated.action, stored('leads', created.recordId)?.['firstName']]).toEqual(['updated', 'Augusta']);
  });
});

describe('a lead', () => {
  it('without an address is skipped', async () => {
    expect(await run().write(lead({ email: '' }))).toEqual({ action: 'skipped', reason: 'no_email' });
  });

  it('belongs to its imported company', async () => {
    const { write } = run();
    const { recordId: accountId } = await write(account());
    const { recordId } = await write(lead({}, { accountRef: '1' }));
    expect(stored('leads', recordId)?.['accountId']).toBe(String(accountId));
    const other = await write(lead({ email: 'x@example.com', externalId: 'hubspot:8' }, { id: '8', accountRef: '2' }));
    expect(stored('leads', other.recordId)?.['accountId']).toBeNull();
  });

  it('refers to no account without the permission', async () => {
    const as = {
      tenantId: 1,
      environment: 'live' as const,
      requestId: 'r',
      permissions: ['leads:read', 'leads:write'],
    };
    const { write, linked } = run({ as });
    linked.set('account 1', 1);
    const { recordId } = await write(lead({}, { accountRef: '1' }));
    expect(stored('leads', recordId)?.['accountId']).toBeNull();
  });

  it('that exists with its external id, or else its address, is updated; the oldest of several', async () => {
    const oldest = crm.add('leads', { email: 'ada@example.com', firstName: 'A', lastName: 'L', source: 'web' });
    crm.add('leads', { email: 'ada@example.com', firstName: 'B', lastName: 'L' });
    const known = crm.add('leads', {
      email: 'other@example.com',
      firstName: 'C',
      lastName: 'L',
      externalId: 'hubspot:8',
    });
    expect(await run().write(lead())).toEqual({ action: 'updated', recordId: oldest });
    expect(stored('leads', oldest)).toMatchObject({ firstName: 'Ada', source: 'web', externalId: 'hubspot:7' });
    expect(await run().write(lead({ externalId: 'hubspot:8' }, { id: '8' }))).toEqual({
      action: 'updated',
      recordId: known,
    });
    expect(stored('leads', known)).toMatchObject({ email: 'ada@example.com' });
  });

  it('keeps names that the connected system does not know, and an external id of its own', async () => {
    const names = { email: 'ada@example.com', firstName: 'Augusta', lastName: 'King', externalId: 'web-1' };
    const id = crm.add('leads', names);
    const record = lead({ firstName: 'ada', lastName: '-', phone: '+491701234567' });
    expect(await run().write(record)).toEqual({ action: 'updated', recordId: id });
    expect(stored('leads', id)).toMatchObject({ ...names, phone: '+491701234567' });
  });

  it('is found among the records of the user only, if their permission is for these', async () => {
    const own = ['leads:read', 'leads:write:own'];
    const as = { tenantId: 1, environment: 'live' as const, userId: 5, requestId: 'r', permissions: own };
    await run({ as }).write(lead());
    const byEmail = crm.asked.find(({ path }) => path === '/internal/leads/find-by-email');
    expect(byEmail?.caller).toMatchObject({ permissions: own, narrow: { userId: 5 } });
  });
});

describe('an account', () => {
  it('that exists with its domain or its external id is updated', async () => {
    const byDomain = crm.add('accounts', { name: 'Old', domain: 'acme.example' });
    expect(await run().write(account())).toEqual({ action: 'updated', recordId: byDomain });
    expect(stored('accounts', byDomain)).toMatchObject({ name: 'Acme', externalId: 'hubspot:1' });
    const byId = crm.add('accounts', { name: 'Older', externalId: 'hubspot:2' });
    const record = account({ domain: 'two.example', externalId: 'hubspot:2' }, { id: '2' });
    expect(await run().write(record)).toEqual({ action: 'updated', recordId: byId });
  });

  it('keeps its address parts and its own external id', async () => {
    const address = { street: 'Main St', city: 'Bonn', postalCode: null, region: null, country: null };
    const id = crm.add('accounts', { name: 'Acme', domain: 'acme.example', externalId: 'erp-1', address });
    await run().write(account({ address: { city: 'Berlin' } }));
    expect(stored('accounts', id)).toMatchObject({
      externalId: 'erp-1',
      address: { street: 'Main St', city: 'Berlin' },
    });
  });

  it('with the domain of another imported company is created without it', async () => {
    const { write } = run();
    const { recordId: first } = await write(account());
    const second = await write(account({ name: 'Acme Labs', externalId: 'hubspot:2' }, { id: '2' }));
    expect(second).toEqual({
      action: 'created',
      recordId: expect.any(Number),
      reason: 'domain: Another account has it',
    });
    expect(stored('accounts', first)).toMatchObject({ name: 'Acme', domain: 'acme.example' });
    expect(stored('accounts', second.recordId)).toMatchObject({ name: 'Acme Labs', domain: null });
  });

  it('is changed without a domain that another account has', async () => {
    const { write } = run();
    const { recordId } = await write(account());
    crm.add('accounts', { name: 'Other', domain: 'other.example' });
    const outcome = await write(account({ name: 'New', domain: 'other.example' }));
    expect(outcome).toEqual({ action: 'updated', recordId, reason: 'domain: Another account has it' });
    expect(stored('accounts', recordId)).toMatchObject({ name: 'New', domain: 'acme.example' });
  });
});

describe('a deal', () => {
  it('refers to imported records', async () => {
    const { write } = run();
    const { recordId: accountId } = await write(account());
    const { recordId: leadId } = await write(lead());
    const { recordId } = await write(deal({}, { accountRef: '1', leadRef: '7' }));
    expect(stored('opportunities', recordId)).toMatchObject({ accountId: String(accountId), leadId: String(leadId) });
    const other = await write(deal({}, { id: '10', accountRef: '5', leadRef: '6' }));
    expect(stored('opportunities', other.recordId)).toMatchObject({ accountId: null, leadId: null });
  });

  it('that is won in the connected system is won after its creation, once', async () => {
    const won = () => deal({ closedAt: '2020-01-01T00:00:00.000Z' }, { outcome: 'won' });
    const first = await run().write(won());
    expect(stored('opportunities', first.recordId)).toMatchObject({ status: 'won', stage: 'won' });
    expect(first.reason).toBe(
      'closedAt: 2020-01-01T00:00:00.000Z is before the creation of the deal here; the time of the import is stored',
    );
    expect(lines()).toEqual(['POST /v1/opportunities', `POST /v1/opportunities/${first.recordId}/win`]);
    // An interrupted run repeats both.
    expect(await run().write(won())).toEqual(first);
    expect(crm.records.opportunities.size).toBe(1);
  });

  it('that is lost gets the reason of the settings, or else the first one', async () => {
    const lost = { outcome: 'lost' };
    const fields = { lostReasonCode: 'other', lostNote: 'Too expensive' };
    const { recordId } = await run().write(deal(fields, lost));
    const outcome = { reasonCode: 'other', note: 'Too expensive' };
    expect(stored('opportunities', recordId)).toMatchObject({ status: 'lost', outcome });
    const other = await run().write(deal({ lostReasonCode: 'unknown' }, { ...lost, id: '10' }));
    expect(stored('opportunities', other.recordId)).toMatchObject({ outcome: { reasonCode: 'price' } });
    expect(other).toMatchObject({
      action: 'created',
      reason: 'lostReasonCode: No active reason for lost deals has this code; price is stored',
    });
    crm.setReasons([]);
    const open = await run().write(deal({}, { ...lost, id: '11' }));
    expect(open).toMatchObject({ action: 'created', reason: 'status: no_loss_reason' });
    expect(stored('opportunities', open.recordId)?.['status']).toBe('open');
  });

  it('is closed when the connected system closes it, with its changed fields', async () => {
    const { write } = run();
    const { recordId } = await write(deal());
    const closedAt = new Date().toISOString();
    expect(await write(deal({ value: 200, closedAt }, { outcome: 'won', version: '2' }))).toEqual({
      action: 'updated',
      recordId,
    });
    expect(stored('opportunities', recordId)).toMatchObject({ value: 200, status: 'won', closedAt });
  });

  it('is closed at the time of the run when the connected system names a future one', async () => {
    const { write } = run();
    const { recordId } = await write(deal());
    const closedAt = '2999-01-01T00:00:00.000Z';
    expect(await write(deal({ closedAt }, { outcome: 'won', version: '2' }))).toEqual({
      action: 'updated',
      recordId,
      reason: `closedAt: ${closedAt} is in the future; the time of the import is stored`,
    });
    expect(stored('opportunities', recordId)).toMatchObject({ status: 'won' });
    expect(stored('opportunities', recordId)?.['closedAt']).not.toBe(closedAt);
  });

  it('that is closed here stays as it is', async () => {
    const { write } = run();
    const { recordId } = await write(deal({}, { outcome: 'won' }));
    const reopened = await write(deal({ value: 300, customFields: { a: 1 } }, { version: '2' }));
    expect(reopened).toEqual({
      ...{ action: 'updated', recordId },
      reason: 'status: The deal is won; reopen it to change it',
    });
    expect(stored('opportunities', recordId)).toMatchObject({ status: 'won', value: 100, customFields: { a: 1 } });
    const lost = await write(deal({ customFields: { a: 1 } }, { outcome: 'lost', version: '3' }));
    expect(lost).toMatchObject({ action: 'unchanged', reason: expect.stringMatching(/^status: The deal is won/) });
  });

  it('keeps its lead, because conversions depend on it', async () => {
    const { write, linked } = run();
    linked.set('lead 7', 70).set('lead 8', 80);
    const { recordId } = await write(deal({}, { leadRef: '7' }));
    expect(await write(deal({}, { leadRef: '8' }))).toEqual({ action: 'unchanged', recordId });
    expect(stored('opportunities', recordId)?.['leadId']).toBe('70');
  });

  it('starts in the stage of the settings, and follows it', async () => {
    const { write } = run();
    const { recordId } = await write(deal({ stage: 'proposal' }));
    expect(stored('opportunities', recordId)).toMatchObject({ stageId: '2' });
    const outcome = await write(deal({ stage: 'status_definition-1' }));
    expect([outcome.action, stored('opportunities', recordId)?.['stage']]).toEqual(['updated', 'prospecting']);
    const unknown = await write(deal({ stage: 'unknown' }));
    expect(unknown).toEqual({
      action: 'unchanged',
      recordId,
      reason: 'stage: No stage of the pipeline has this id or code',
    });
    const refused = await write(deal({ stage: 'won' }));
    expect(refused).toEqual({ action: 'unchanged', recordId, reason: 'stage: move_refused' });
  });

  it('starts in the pipeline of the settings', async () => {
    await run().write(deal({ pipeline: 'pipeline-6' }));
    expect(crm.writes[0]?.body).toMatchObject({ pipelineId: '6' });
    const unknown = await run().write(deal({ pipeline: 'unknown', stage: 'unknown' }, { id: '10' }));
    expect(unknown.reason).toMatch(/^stage: .*; pipeline: No pipeline has this id$/);
    expect(crm.writes[1]?.body).not.toHaveProperty('pipelineId');
  });

  it('is closed in the stage of the settings, or else in the first one', async () => {
    const { recordId } = await run().write(deal({ stage: 'won' }, { outcome: 'won' }));
    expect(crm.writes[1]?.body).toMatchObject({ stageId: '3' });
    const lost = await run().write(deal({ stage: 'won' }, { outcome: 'lost', id: '10' }));
    expect(lost).toMatchObject({ action: 'created', reason: 'stage: validation_failed' });
    expect([recordId, lost.recordId].map((id) => stored('opportunities', id)?.['status'])).toEqual(['won', 'lost']);
  });

  it('stays open when crm refuses to close it, and is not created again', async () => {
    crm.refuse({ path: /win$/, status: 409, code: 'move_refused' });
    const { write } = run();
    const { action, recordId, reason } = await write(deal({}, { outcome: 'won' }));
    expect([action, reason]).toEqual(['created', 'status: move_refused']);
    for (const [status, code] of [
      [503, 'unavailable'],
      [429, 'rate_limited'],
      [409, 'idempotency_running'],
    ] as const) {
      crm.refuse({ path: /win$/, status, code });
      await expect(write(deal({}, { outcome: 'won' }))).rejects.toMatchObject({ status, code });
    }
    crm.refuse(undefined);
    expect(await write(deal({}, { outcome: 'won' }))).toEqual({ action: 'updated', recordId });
  });

  it.each([
    [{ value: 10.005, currency: 'EUR' }, 10.01],
    [{ value: 10.5, currency: 'JPY' }, 11],
    [{ value: 10.1234, currency: 'KWD' }, 10.123],
    [{ value: 10.126, currency: undefined }, 10.13],
  ])('has an amount that fits its currency: %j', async (fields, value) => {
    await run().write(deal(fields));
    expect(crm.writes[0]?.body).toMatchObject({ value });
  });

  it('has no amount in an unknown currency, and none that is negative', async () => {
    const { reason } = await run().write(deal({ currency: 'XX' }));
    expect(reason).toMatch(/^currency: .*; value: Needs a valid currency$/);
    await run().write(deal({ value: -5 }, { id: '10' }));
    for (const { body } of crm.writes) expect(body).not.toHaveProperty('value');
  });
});
