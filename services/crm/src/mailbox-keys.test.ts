import { readFile } from 'node:fs/promises';
import type { crm } from '@tandem/crm-contract';
import { keysOf } from '@tandem/matching';
import { type TestService, until } from '@tandem/testing';
import { aLead, startCrm } from './crm.test-service.ts';

let service: TestService<typeof crm>;
beforeAll(async () => {
  service = await startCrm();
});
afterAll(() => service?.close());

type Api = ReturnType<TestService<typeof crm>['as']>;

const backfill = new URL('../prisma/migrations/20261129170130_mailbox_keys_of_leads/migration.sql', import.meta.url);

/** Stores leads as the previous release does, which does not know the key. */
const store = (api: Api, ...emails: string[]) =>
  service.sqlWithin(
    api.caller,
    `INSERT INTO lead (email, first_name, last_name) SELECT email, 'Ada', '-' FROM unnest($1::text[]) AS email
     RETURNING email, mailbox_key AS key`,
    [emails],
  );

const stored = (api: Api) => service.sqlWithin(api.caller, 'SELECT email, mailbox_key AS key FROM lead ORDER BY id');

it('the key of an address is that of packages/matching', async () => {
  const rows = await store(
    service.as(),
    'Jane.Doe@Firm.Example',
    'j.a.n.e+a.b+c@mail.firm.example',
    '+jane.doe+news@firm.example',
    'jane.doe+@firm.example',
    'jane.doe+news@gmail.com',
    'Jane.Doe@GoogleMail.com',
    'jane.doe@notgmail.com',
    "o'hara.j-x_y@firm.example",
  );
  expect(rows).toEqual(
    rows.map(({ email }) => ({ email, key: keysOf('lead', { email: email as string })['mailbox'] })),
  );
});

it('leads that the previous release creates and changes are found by a dot and by a typo', async () => {
  const api = service.as();
  await store(api, 'jane.doe@firm.example', 'john.smith@firm.example');
  const change = `UPDATE lead SET email = 'ada.byron@firm.example' WHERE email = 'john.smith@firm.example'`;
  await service.sqlWithin(api.caller, change);
  for (const email of ['janedoe@firm.example', 'ada.brron@firm.example'])
    await api.createLead({ body: aLead({ lastName: '-', email }) });
  const found = await until('both are paired', async () => {
    const { data } = await api.listLeadDuplicates();
    return data.length === 2 && (data as { confidence: number }[]);
  });
  expect(found.map(({ confidence }) => confidence).sort()).toEqual([0.75, 0.8]);
});

it('the migration writes the keys of every tenant and environment, and changes nothing else', async () => {
  const apis = [service.as(), service.as({ environment: 'sandbox' })];
  for (const api of apis) {
    await store(api, 'Jane.Doe+news@Firm.Example');
    await service.sqlWithin(api.caller, 'UPDATE lead SET mailbox_key = NULL');
  }
  // The migration sees the rows of all tenants.
  await service.sql('ALTER TABLE lead NO FORCE ROW LEVEL SECURITY');
  await service.sql(await readFile(backfill, 'utf8'));
  await service.sql('ALTER TABLE lead FORCE ROW LEVEL SECURITY');
  for (const api of apis)
    expect(await stored(api)).toEqual([{ email: 'Jane.Doe+news@Firm.Example', key: 'janedoe@firm.example' }]);
});
