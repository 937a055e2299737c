import type { Caller } from '@tandem/caller';
import { Account, accounts } from '@tandem/crm-contract';
import type { IdCodec } from '@tandem/ids';
import { fail } from '@tandem/service';
import type { z } from 'zod';
import type { Peers, Tx } from '../../handler.ts';
import { type AccountRecord, lockAccount } from '../accounts/account.ts';
import { addAccount } from '../accounts/add-account.ts';
import { changeAccount } from '../accounts/change-account.ts';
import { givenValues } from './given-values.ts';
import { lockRecords } from './lock-records.ts';
import { missingErrors } from './new-rows.ts';
import { failedBy, sides } from './outcomes.ts';
import { customFieldsOf, listOf } from './parse-cells.ts';
import type { Batch, Checked, Dedupe, ImportTarget, Outcome, RowContext, Texts } from './target.ts';
import { undoAccounts } from './undo-accounts.ts';
import { findUsers, putUser, type References, userErrors } from './users.ts';

type Body = z.output<typeof accounts.createAccount.body>;
type AccountRow = Checked<Body>;

const addressFields: Record<string, readonly string[]> = {
  street: ['address', 'straße', 'anschrift', 'adresse'],
  postalCode: ['zip', 'zip code', 'postcode', 'postal code', 'plz', 'postleitzahl'],
  city: ['town', 'ort', 'stadt'],
  region: ['bundesland', 'county', 'province'],
  country: ['country code', 'land', 'ländercode'],
};

const fields = {
  name: ['company', 'company name', 'account', 'account name', 'firma', 'firmenname', 'unternehmen', 'organization'],
  domain: ['company domain', 'e-mail domain', 'mail-domain'],
  industry: ['branche', 'sector'],
  size: ['employees', 'company size', 'mitarbeiter', 'größe', 'mitarbeiterzahl'],
  website: ['url', 'homepage', 'webseite', 'internet'],
  phone: ['telephone', 'phone number', 'telefon', 'telefonnummer', 'tel'],
  ...addressFields,
  ownerId: ['owner', 'owner id', 'besitzer', 'betreuer', 'zuständig'],
  tags: ['tag', 'labels', 'schlagworte'],
  externalId: ['external id', 'id', 'account id', 'customer number', 'kundennummer', 'externe id'],
  customFields: [],
} as const;

const required = ['name'];

/** How accounts are imported, by the rules of createAccount. */
export const accountTarget = (peers: Peers, ids: IdCodec): ImportTarget<Body, References> => ({
  type: 'account',
  row: accounts.createAccount,
  fields,
  dedupe: { by: ['domain', 'externalId', 'name'], usual: { by: 'domain', action: 'skip' } },
  existing: { required, keyOf, find: findExisting },
  userField: 'ownerId',
  toBody: (texts, context) => toBody(texts, { ...context, ids }),
  findReferences: (records, caller) => findUsers(peers, { records, caller, field: 'ownerId' }),
  referenceErrors: ({ ownerId }, references) => userErrors('ownerId', ownerId, references),
  write: writeAccounts,
  undo: undoAccounts,
});

function toBody(texts: Texts, { ids, tenantId, defined, known, errors }: RowContext & { ids: IdCodec }) {
  const { tags, ownerId, ...others } = texts;
  const isOfAddress = (field: string) => Object.hasOwn(addressFields, field);
  const plain = Object.entries(others).filter(([field]) => !field.startsWith('customFields.'));
  const address = plain.filter(([field]) => isOfAddress(field));
  const body: Record<string, unknown> = Object.fromEntries(plain.filter(([field]) => !isOfAddress(field)));
  if (address.length) body['address'] = Object.fromEntries(address);
  if (tags) body['tags'] = listOf(tags);
  const customFields = customFieldsOf(texts, { defined, errors });
  if (customFields) body['customFields'] = customFields;
  putUser(body, texts, 'ownerId', { ids, tenantId, known, errors });
  return body;
}

/** One after another: an account may have the domain of an earlier row, or be the match of a later one. */
async function writeAccounts(
  records: readonly AccountRow[],
  { tx, emit, actor, dedupe, references }: Batch & { dedupe: Dedupe; references: References },
): Promise<Outcome[]> {
  const caller = actor as Caller;
  const outcomes: Outcome[] = [];
  if (dedupe.action === 'update') await lockMatches(tx, records, dedupe);
  for (const record of records) {
    const { row, body } = record;
    try {
      const matchId = dedupe.action === 'create' ? undefined : await findMatch(tx, body, dedupe);
      const owner = references.get(body.ownerId ?? 0)?.assignee;
      if (matchId === undefined) {
        const missing = missingErrors(body, { required, type: 'account', key: keyOf(body, dedupe) });
        if (missing.length) throw fail('validation_failed', missing);
        const { id } = await addAccount({ tx, emit }, { body, caller, owner });
        outcomes.push({ row, action: 'created', id });
      } else if (dedupe.action === 'skip') outcomes.push({ row, action: 'skipped' });
      else {
        const account = await lockAccount(tx, matchId);
        const updated = await changeAccount({ tx, emit }, { account, change: changeOf(record, account), owner });
        if (updated.version === account.version) outcomes.push({ row, action: 'skipped' });
        else outcomes.push({ row, action: 'updated', id: account.id, ...sides(Account, account, updated) });
      }
    } catch (error) {
      outcomes.push(failedBy(error, row));
    }
  }
  return outcomes;
}

/** Locks the accounts that rows are recognized as, in the order of their ids. */
async function lockMatches(tx: Tx, records: readonly AccountRow[], dedupe: Dedupe): Promise<void> {
  const values = records.flatMap(({ body }) => keyOf(body, dedupe) ?? []);
  const where = { [dedupe.by]: { in: values }, deletedAt: null };
  const found = values.length ? await tx.account.findMany({ where, select: { id: true } }) : [];
  await lockRecords(
    tx,
    'account',
    found.map(({ id }) => id),
  );
}

/** The oldest present account of each key. */
async function findExisting(tx: Tx, { by }: Dedupe, keys: readonly string[]): Promise<Map<string, number>> {
  const where = { [by]: { in: [...new Set(keys)] }, deletedAt: null };
  const select = { id: true, domain: true, externalId: true, name: true };
  const found = await tx.account.findMany({ where, select, orderBy: { id: 'desc' } });
  return new Map(found.flatMap((account) => (isKey(by) ? [[account[by] ?? '', account.id] as const] : [])));
}

/** The value by which a row is recognized. */
function keyOf(body: Body, { by }: Dedupe): string | undefined {
  return (isKey(by) && body[by]) || undefined;
}

function isKey(by: Dedupe['by']): by is 'domain' | 'externalId' | 'name' {
  return by === 'domain' || by === 'externalId' || by === 'name';
}

/** The oldest present account that the row is recognized as. */
async function findMatch(tx: Tx, body: Body, dedupe: Dedupe): Promise<number | undefined> {
  const value = keyOf(body, dedupe);
  if (!value) return undefined;
  const found = await tx.account.findMany({
    where: { [dedupe.by]: value, deletedAt: null },
    select: { id: true },
    orderBy: { id: 'asc' },
    take: 1,
  });
  return found[0]?.id;
}

const pathsOf = Object.fromEntries(Object.keys(addressFields).map((part) => [part, [`address.${part}`]]));

/** The change that the row itself makes. Parts of the address and custom fields that it lacks are kept. */
function changeOf(record: AccountRow, { address, customFields }: AccountRecord): Partial<Body> {
  const change = givenValues(record, pathsOf);
  return {
    ...change,
    ...(change.address && { address: { ...address, ...change.address } }),
    ...(change.customFields && { customFields: { ...customFields, ...change.customFields } }),
  };
}
