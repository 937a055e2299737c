import { orAbsent } from '@tandem/client/internal';
import type { FieldError } from '@tandem/contract';
import type { Account } from '@tandem/crm-contract';
import type { z } from 'zod';
import { bodies } from '../map-fields.ts';
import type { Outcome, Target, TargetContext } from '../target.ts';
import {
  changesOf,
  changing,
  deletedAtSource,
  invalid,
  readBody,
  reasonOf,
  without,
  withoutRefused,
} from '../writing.ts';

type Body = z.output<typeof bodies.account>;
type Found = z.output<typeof Account>;

const one = { page: 1, limit: 1, sort: '-createdAt' };

export const accountTarget: Target<'account'> = {
  kind: 'account',
  permissions: ['accounts:read', 'accounts:write'],
  check: ({ fields }) => readBody(bodies.account, fields).errors,
  warnings: ({ fields }) => readBody(bodies.account, fields).leftOut,
  async write(context, record, linkedId) {
    if (record.isDeleted) return deletedAtSource(linkedId);
    const { body, leftOut, errors } = readBody(bodies.account, record.fields);
    if (!body) return invalid(errors);
    if (linkedId !== undefined) return update(context, linkedId, { body, leftOut });
    const { found, isTaken } = await find(context, body);
    if (found) return update(context, found.id, { body, leftOut });
    if (!isTaken) return create(context, { body, leftOut });
    const taken = { field: 'domain', message: 'Another account has it' };
    return create(context, { body: without(body, 'domain'), leftOut: [...leftOut, taken] });
  },
};

interface Given {
  body: Body;
  leftOut: FieldError[];
}

/**
 * The account with the id of the connected system, or with the domain. An account that was imported from another record of
 * the same system is not the same company, so it keeps its domain.
 */
async function find(
  { crm, as }: TargetContext,
  { externalId, domain }: Body,
): Promise<{ found?: Found | undefined; isTaken?: boolean }> {
  const [known] = externalId ? await crm.listAccounts({ query: { ...one, externalId }, as }) : [];
  if (known || !domain) return { found: known };
  const [found] = await crm.listAccounts({ query: { ...one, domain }, as });
  const isTaken = found !== undefined && isOfSameSystem(found.externalId, externalId);
  return isTaken ? { isTaken } : { found };
}

function isOfSameSystem(found: string | null, own: string | null | undefined): boolean {
  const [system] = (own ?? '').split(':');
  return system !== '' && found !== null && found.startsWith(`${system}:`);
}

async function create({ crm, as, key }: TargetContext, { body, leftOut }: Given): Promise<Outcome> {
  const { result, leftOut: refused } = await withoutRefused(body, (accepted, attempt) =>
    crm.createAccount({ body: accepted, as, idempotencyKey: `${key}:${attempt}` }),
  );
  return { action: 'created', recordId: result.id, ...reasonOf([...leftOut, ...refused]) };
}

function update({ crm, as, updateExisting }: TargetContext, id: number, { body, leftOut }: Given): Promise<Outcome> {
  const params = { id };
  return changing(
    () => orAbsent(crm.getAccount({ params, as })),
    async (current) => {
      if (!updateExisting) return { action: 'unchanged', recordId: id };
      // An external id that the account has already may be one of the tenant's own.
      const wanted = current.externalId === null ? body : without(body, 'externalId');
      const changes = changesOf(current, wanted as Partial<Body>, ['address', 'customFields']);
      if (!Object.keys(changes).length) return { action: 'unchanged', recordId: id, ...reasonOf(leftOut) };
      const { leftOut: refused } = await withoutRefused(changes, (accepted) =>
        crm.updateAccount({ params, body: accepted, as, ifVersion: current.version }),
      );
      return { action: 'updated', recordId: id, ...reasonOf([...leftOut, ...refused]) };
    },
  );
}
